"""Linkage: rows of 16 columns, by every method; heights must agree. DBSCAN: rows of 3 columns; labels must.

fastcluster takes rows for single, Ward, centroid and median linkage without a matrix (`linkage_vector`), and
makes the matrix for complete and average, as openbook does.
"""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

COLUMNS, CENTRES = 16, 40
FASTCLUSTER, SCIPY, SKLEARN = "fastcluster", "SciPy", "scikit-learn"
WITHOUT_MATRIX = ("single", "ward", "centroid", "median")


def make(rows, seed):
    """Overlapping clouds."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(CENTRES, COLUMNS))[rng.integers(0, CENTRES, rows)] + rng.normal(
        size=(rows, COLUMNS)
    )


def ours(method):
    def fit(X):
        from openbook.cluster import AgglomerativeClustering

        return AgglomerativeClustering(2, linkage=method, scale=False).fit(X).linkage_

    return fit


def fastcluster_by(method):
    def fit(X):
        import fastcluster

        link = fastcluster.linkage_vector if method in WITHOUT_MATRIX else fastcluster.linkage
        return link(X, method=method)

    return fit


def scipy_by(method):
    def fit(X):
        from scipy.cluster.hierarchy import linkage

        return linkage(X, method)

    return fit


def heights(linkage, _X, _answer):
    return {"mean height": float(linkage[:, 2].mean()), "last height": float(linkage[-1, 2])}


def workload(method):
    goals = [Goal("fit", "times", 1.3, (FASTCLUSTER,))]
    if method in ("single", "ward", "centroid"):
        goals.append(Goal("fit", "memory", 0.5, (SCIPY,)))
    return Workload(
        name=f"linkage-{method}",
        title=f"{method.capitalize()} linkage of {COLUMNS} columns",
        rows=10_000,
        make=make,
        contestants={
            OURS: Contestant(np.asarray, ours(method), None, heights),
            FASTCLUSTER: Contestant(np.asarray, fastcluster_by(method), None, heights, needs="fastcluster"),
            SCIPY: Contestant(np.asarray, scipy_by(method), None, heights, needs="scipy"),
        },
        goals=tuple(goals),
        tolerance=1e-9,
        rounds=2,
        runs=2,
        warm_rows=200,
    )


SINGLE = workload("single")
COMPLETE = workload("complete")
AVERAGE = workload("average")
WARD = workload("ward")
CENTROID = workload("centroid")


def make_space(rows, seed):
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-10, 10, (20, 3))
    return centres[rng.integers(0, 20, rows)] + rng.normal(size=(rows, 3))


EPS = 0.2


def dbscan_ours(X):
    from openbook.cluster import DBSCAN

    return DBSCAN(EPS, scale=False).fit(X).labels_


def dbscan_sklearn(X):
    from sklearn.cluster import DBSCAN

    return DBSCAN(eps=EPS).fit(X).labels_


def groups(labels, _X, _answer):
    return {
        "clusters": float(labels.max() + 1),
        "noise": float((labels < 0).mean()),
        "sum": float(labels.mean()),
    }


DBSCAN_SPACE = Workload(
    name="dbscan",
    title=f"DBSCAN of 3 columns, ε = {EPS}",
    rows=100_000,
    make=make_space,
    contestants={
        OURS: Contestant(np.asarray, dbscan_ours, None, groups),
        SKLEARN: Contestant(np.asarray, dbscan_sklearn, None, groups, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 2, (SKLEARN,)),),
    tolerance=1e-9,
)


def make_many(rows, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 9)) + 3 * rng.integers(0, 8, (rows, 1))


def many(kind):
    def fit(X):
        from openbook.cluster import DBSCAN, AgglomerativeClustering

        return (
            {"dbscan": DBSCAN(0.5), "single": AgglomerativeClustering(8, linkage="single")}[kind]
            .fit(X)
            .labels_
        )

    return fit


def bounded(kind, title):
    return Workload(
        name=f"{kind}-bounded",
        title=f"{title} of 9 columns, in bounded memory",
        rows=200_000,
        make=make_many,
        contestants={OURS: Contestant(np.asarray, many(kind), None, groups)},
        goals=(Goal("fit", "bytes", 2e9),),
        rounds=1,
        runs=1,
    )


DBSCAN_MANY = bounded("dbscan", "DBSCAN")
SINGLE_MANY = bounded("single", "Single linkage")
