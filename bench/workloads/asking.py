"""Asking for labels: a hundred questions, one after another, by the smallest margin of naive Bayes."""

import warnings

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

_START, _QUESTIONS = 10, 100


def make(rows, seed):
    """Two normal clusters in eight columns, with ten labels to begin with."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=rows)
    X = rng.normal(size=(rows, 8)) + truth[:, None]
    begun = np.concatenate([np.flatnonzero(truth == c)[: _START // 2] for c in (0, 1)])
    return X, truth, begun


def ask_ours(given):
    from openbook.bayes import NaiveBayes
    from openbook.label import Asker

    X, truth, begun = given
    labels = np.full(len(truth), np.nan)
    labels[begun] = truth[begun]
    asker, asked = Asker(NaiveBayes(), "margin").fit(X, labels), []
    for _ in range(_QUESTIONS):
        (row,) = asker.ask()
        asker.teach([row], [truth[row]])
        asked.append(row)
    return asked


def ask_scikit_activeml(given):
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import UncertaintySampling
    from sklearn.naive_bayes import GaussianNB

    X, truth, begun = given
    labels = np.full(len(truth), np.nan)
    labels[begun] = truth[begun]
    classifier = SklearnClassifier(GaussianNB(), classes=[0, 1])
    strategy, asked = UncertaintySampling(method="margin_sampling", random_state=0), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(_QUESTIONS):
            (row,) = strategy.query(X=X, y=labels, clf=classifier).tolist()
            labels[row] = truth[row]
            asked.append(row)
    return asked


def quality(asked, given, predicted):  # noqa: ARG001 (the rows that were asked for)
    return {"rows asked for": asked}


ASKING = Workload(
    name="asking",
    title="100 questions by the smallest margin, naive Bayes, 8 numeric columns",
    rows=50_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, ask_ours, None, quality),
        "scikit-activeml": Contestant(tuple, ask_scikit_activeml, None, quality, needs="skactiveml"),
    },
    goals=(Goal("fit", "times", 5, ("scikit-activeml",)),),
    runs=1,
)
