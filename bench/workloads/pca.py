"""Principal components of numbers."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

COLUMNS = 64


def make(rows, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, COLUMNS)) * np.linspace(3, 0.5, COLUMNS)
    return x @ np.linalg.qr(rng.normal(size=(COLUMNS, COLUMNS)))[0] + rng.normal(size=COLUMNS)


def fit_ours(x):
    from openbook.reduce import PCA

    return PCA(scale=False, variance="sample").fit(x)


def fit_sklearn(x):
    from sklearn.decomposition import PCA

    return PCA().fit(x)


def project(model, x):
    return model.transform(x)


def shares(model, _given, _answer):
    return {"shares": model.explained_variance_ratio_.tolist()}


PRINCIPAL_COMPONENTS = Workload(
    name="pca",
    title=f"Principal components of {COLUMNS} columns",
    rows=1_000_000,
    make=make,
    contestants={
        OURS: Contestant(np.asarray, fit_ours, project, shares),
        "scikit-learn": Contestant(np.asarray, fit_sklearn, project, shares, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 1, ("scikit-learn",)),),
    warm_rows=100_000,
)
