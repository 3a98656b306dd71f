"""Ten folds of cross-validation, on the same folds."""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from bench.workload import OURS, Contestant, Goal, Workload

SPLIT = StratifiedKFold(10, shuffle=True, random_state=0)


def make(rows, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, 20))
    X += y[:, None] * rng.normal(0.0, 0.2, 20)
    return X, y


def evaluate_ours(given):
    import openbook
    from openbook.bayes import NaiveBayes

    evaluation = openbook.evaluate(NaiveBayes(), *given, cv=SPLIT, metrics="accuracy")
    return evaluation.mean("accuracy")


def evaluate_sklearn(given):
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB

    return cross_val_score(GaussianNB(), *given, cv=SPLIT, scoring="accuracy").mean()


def judged(mean, _given, _predicted):
    return {"mean accuracy": float(mean)}


PEER = "cross_val_score(GaussianNB)"

EVALUATE = Workload(
    name="evaluate",
    title="10-fold cross-validation of naive Bayes, 20 numeric columns",
    rows=200_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, evaluate_ours, quality=judged),
        PEER: Contestant(tuple, evaluate_sklearn, quality=judged, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 5, (PEER,)),),
    runs=1,
)
