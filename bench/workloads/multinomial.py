"""Word counts: sparse rows of about a hundred words out of fifty thousand, Zipf-like."""

import numpy as np
import scipy.sparse as sp

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads.quality import judged

WORDS, PER_ROW, CLASSES = 50_000, 100, 4


def make(rows, seed, words=WORDS, classes=CLASSES, tilt=0.15):
    """Each class prefers words of its own; a word drawn twice is counted twice. Counts are floats, which
    suit both: either would convert whole numbers.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    shares = 1.0 / np.arange(1, words + 1)
    indices = np.empty((rows, PER_ROW), dtype=np.int32)
    for c in range(classes):
        tilted = (shares * rng.lognormal(0.0, tilt, words)).cumsum()
        draws = rng.random((int((y == c).sum()), PER_ROW)) * tilted[-1]
        indices[y == c] = np.searchsorted(tilted, draws)
    indptr = np.arange(rows + 1, dtype=np.int32) * PER_ROW
    X = sp.csr_array((np.ones(rows * PER_ROW), indices.ravel(), indptr), shape=(rows, words))
    X.sum_duplicates()
    return X, y


def fit_ours(given):
    from openbook.bayes import NaiveBayes

    return NaiveBayes().fit(*given)


def fit_sklearn(given):
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB().fit(*given)


def predict(model, given):
    return model.predict(given[0])


MULTINOMIAL = Workload(
    name="multinomial",
    title="Multinomial naive Bayes, sparse, 50,000 columns, 4 classes",
    rows=200_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_ours, predict, judged),
        "MultinomialNB": Contestant(tuple, fit_sklearn, predict, judged, needs="sklearn"),
    },
    goals=(
        Goal("fit", "times", 1, ("MultinomialNB",)),
        Goal("predict", "times", 1, ("MultinomialNB",)),
        Goal("fit", "share", 0.25),
    ),
)
