"""Numbers beside categories: 15 columns each."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads import categorical
from bench.workloads.quality import SOME, judged, scores

HALF = 15


def make(rows, seed):
    codes, y = categorical.make(rows, seed, HALF)
    rng = np.random.default_rng(seed + 1)
    numbers = rng.normal(size=(rows, HALF))
    numbers += y[:, None] * rng.normal(0.0, 0.2, HALF)
    return numbers, codes, y


def as_table(data):
    from openbook.data import Numeric, Schema, Table

    numbers, codes, y = data
    attributes = [Numeric(f"n{j}") for j in range(HALF)]
    attributes += categorical.nominal(f"c{j}" for j in range(HALF))
    columns = [np.ascontiguousarray(column) for column in numbers.T]
    columns += [column.astype(np.int8) for column in codes.T]
    return Table(Schema(tuple(attributes)), columns), y


def as_floats(data):
    """One array of floats, codes included: all that mixed-naive-bayes takes."""
    numbers, codes, y = data
    return np.hstack([numbers, codes.astype(float)]), y


def in_order(order):
    """Numbers row after row, which suits GaussianNB; codes either way."""
    return lambda data: (data[0], np.asarray(data[1], order=order), data[2])


def fit_ours(given):
    from openbook.bayes import NaiveBayes

    return NaiveBayes().fit(*given)


def fit_mixed(given):
    from mixed_naive_bayes import MixedNB

    return MixedNB(categorical_features=list(range(HALF, 2 * HALF)), alpha=1.0).fit(*given)


def fit_two(given):
    from sklearn.naive_bayes import CategoricalNB, GaussianNB

    numbers, codes, y = given
    return GaussianNB().fit(numbers, y), CategoricalNB().fit(codes, y)


def joint_of_two(models, numbers, codes):
    """Log joints added up; the prior, which both hold, counts once."""
    gaussian, coded = models
    joint = gaussian.predict_joint_log_proba(numbers)
    joint += coded.predict_joint_log_proba(codes)
    joint -= coded.class_log_prior_
    return joint


def predict(model, given):
    return model.predict(given[0])


def predict_two(models, given):
    return models[0].classes_[joint_of_two(models, *given[:2]).argmax(axis=1)]


def judged_two(models, given, predicted):
    from scipy.special import softmax

    numbers, codes, y = given
    return scores(y, predicted, softmax(joint_of_two(models, numbers[:SOME], codes[:SOME]), axis=1))


TWO = ("GaussianNB + CategoricalNB, C order", "GaussianNB + CategoricalNB, F order")

MIXED = Workload(
    name="mixed",
    title="Mixed naive Bayes, 15 numeric and 15 nominal columns",
    rows=1_000_000,
    make=make,
    contestants={
        OURS: Contestant(as_table, fit_ours, predict, judged),
        "mixed-naive-bayes": Contestant(as_floats, fit_mixed, predict, judged, needs="mixed_naive_bayes"),
        TWO[0]: Contestant(in_order("C"), fit_two, predict_two, judged_two, needs="sklearn"),
        TWO[1]: Contestant(in_order("F"), fit_two, predict_two, judged_two, needs="sklearn"),
    },
    goals=(
        Goal("fit", "times", 10, ("mixed-naive-bayes",)),
        Goal("predict", "times", 10, ("mixed-naive-bayes",)),
        Goal("fit", "times", 4, TWO),
        Goal("predict", "times", 4, TWO),
        Goal("fit", "share", 0.25),
    ),
)
