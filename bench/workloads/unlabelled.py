"""Learning from unlabelled rows: one row in fifty has a label."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload


def make(rows, seed):
    """Five normal clusters in ten columns, and the class of each row beside its label, -1 for none."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(5, size=rows)
    X = rng.normal(size=(rows, 10)) + 3 * rng.normal(size=(5, 10))[truth]
    return X, np.where(np.arange(rows) % 50, -1, truth), truth


def spread_ours(given):
    from openbook.label import LabelSpreading

    return LabelSpreading(scale=False).fit(*given[:2])


def spread_sklearn(given):
    from sklearn.semi_supervised import LabelSpreading

    return LabelSpreading(kernel="knn").fit(*given[:2])


def self_train_ours(given):
    import warnings

    from openbook.bayes import NaiveBayes
    from openbook.label import SelfTrainingClassifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few rows, a class may have one label
        return SelfTrainingClassifier(NaiveBayes(), move_back=False).fit(*given[:2])


def self_train_sklearn(given):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.semi_supervised import SelfTrainingClassifier

    return SelfTrainingClassifier(GaussianNB()).fit(*given[:2])


def quality(model, given, predicted):  # noqa: ARG001 (the labels of the rows learnt from)
    return {"accuracy": float((model.transduction_ == given[2]).mean())}


SPREADING = Workload(
    name="label_spreading",
    title="Label spreading, 7 neighbours, 10 numeric columns, one label in fifty rows",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, spread_ours, None, quality),
        "LabelSpreading": Contestant(tuple, spread_sklearn, None, quality, needs="sklearn"),
    },
    goals=(
        Goal("fit", "times", 10, ("LabelSpreading",)),
        Goal("fit", "memory", 0.1, ("LabelSpreading",)),
    ),
    tolerance=0.01,
    warm_rows=100_000,  # of fewer rows, another index finds the nearest
)

SELF_TRAINING = Workload(
    name="self_training",
    title="Self-training with naive Bayes, 10 numeric columns, one label in fifty rows",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, self_train_ours, None, quality),
        "SelfTrainingClassifier": Contestant(tuple, self_train_sklearn, None, quality, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 10, ("SelfTrainingClassifier",)),),
    tolerance=0.01,
)
