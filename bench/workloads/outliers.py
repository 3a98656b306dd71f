"""Outliers: the local outlier factor, the isolation forest, and LOF in bounded memory."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

K, TREES = 20, 100
SKLEARN, INTEL = "scikit-learn", "scikit-learn-intelex"


def make(rows, seed, columns=10):
    """Normal rows, and one in a hundred anywhere."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    odd = rng.choice(rows, rows // 100, replace=False)
    X[odd] = rng.uniform(-6, 6, size=(len(odd), columns))
    return X


def lof_ours(X):
    from openbook.outlier import LocalOutlierFactor

    return LocalOutlierFactor(n_neighbors=K, scale=False).fit(X).scores_


def lof_sklearn(X):
    from sklearn.neighbors import LocalOutlierFactor

    return -LocalOutlierFactor(n_neighbors=K, n_jobs=1).fit(X).negative_outlier_factor_


def lof_intel(X):
    from sklearnex.neighbors import LocalOutlierFactor

    return -LocalOutlierFactor(n_neighbors=K, n_jobs=1).fit(X).negative_outlier_factor_


def lof_quality(scores, _X, _predicted):
    return {"mean score": float(np.mean(scores)), "largest score": float(np.max(scores))}


FACTORS = Workload(
    name="outliers-lof",
    title=f"The local outlier factor of every row, {K} neighbours, 10 columns",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(np.asarray, lof_ours, quality=lof_quality),
        SKLEARN: Contestant(np.asarray, lof_sklearn, quality=lof_quality, needs="sklearn"),
        INTEL: Contestant(np.asarray, lof_intel, quality=lof_quality, needs="sklearnex"),
    },
    goals=(Goal("fit", "times", 2, (INTEL,)), Goal("fit", "times", 8, (SKLEARN,))),
    tolerance=1e-6,
)

BOUNDED = Workload(
    name="outliers-lof-memory",
    title=f"The local outlier factor of every row, {K} neighbours, 9 columns, in bounded memory",
    rows=200_000,
    make=lambda rows, seed: make(rows, seed, columns=9),
    contestants={OURS: Contestant(np.asarray, lof_ours, quality=lof_quality)},
    goals=(Goal("fit", "bytes", 2e9),),
)


def forest_ours(X):
    from openbook.outlier import IsolationForest

    return IsolationForest(TREES, random_state=0).fit(X)


def forest_sklearn(X):
    from sklearn.ensemble import IsolationForest

    return IsolationForest(n_estimators=TREES, random_state=0, n_jobs=1).fit(X)


def scored(model, X):
    scores = model.score_samples(X)
    return scores if scores[0] > 0 else -scores  # theirs are higher for ordinary rows


def forest_quality(_model, X, scores):
    """How well the rows that can be anywhere are found; trees are random, so no more than alike."""
    from openbook.judge.scores.roc import auc

    return {"AUC of rows with a cell beyond 4": round(auc(np.abs(X).max(axis=1) > 4, scores), 2)}


FOREST = Workload(
    name="outliers-isolation",
    title=f"An isolation forest of {TREES} trees, 10 columns: fitted, and all rows scored",
    rows=1_000_000,
    make=make,
    contestants={
        OURS: Contestant(np.asarray, forest_ours, scored, forest_quality),
        SKLEARN: Contestant(np.asarray, forest_sklearn, scored, forest_quality, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 1, (SKLEARN,)), Goal("predict", "times", 3, (SKLEARN,))),
    tolerance=0.03,
)
