"""Numbers only, two classes."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads.quality import judged


def make(rows, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, 50))
    X += y[:, None] * rng.normal(0.0, 0.2, 50)
    return X, y


def fit_ours(given):
    from openbook.bayes import NaiveBayes

    return NaiveBayes().fit(*given)


def fit_sklearn(given):
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB().fit(*given)


def predict(model, given):
    return model.predict(given[0])


GAUSSIAN = Workload(
    name="gaussian",
    title="Gaussian naive Bayes, 50 numeric columns",
    rows=1_000_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_ours, predict, judged),
        "GaussianNB": Contestant(tuple, fit_sklearn, predict, judged, needs="sklearn"),
    },
    goals=(
        Goal("fit", "times", 10, ("GaussianNB",)),
        Goal("predict", "times", 3, ("GaussianNB",)),
        Goal("fit", "share", 0.25),
    ),
)
