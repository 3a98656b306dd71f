"""k-means and k-modes: so many iterations from the same seeds."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

CLUSTERS, ITERATIONS = 32, 20
MODES, VALUES = 8, 6


def make(rows, seed):
    """Groups that overlap, in single precision, and rows of them for seeds."""
    rng = np.random.default_rng(seed)
    centers = 2 * rng.normal(size=(CLUSTERS, 16))
    x = (rng.normal(size=(rows, 16)) + centers[rng.integers(0, CLUSTERS, rows)]).astype(np.float32)
    return x, x[rng.choice(rows, CLUSTERS, replace=False)]


def fit_ours(given):
    from openbook.cluster import KMeans

    x, seeds = given
    return KMeans(CLUSTERS, init=seeds, max_iter=ITERATIONS, tol=0, scale=False).fit(x)


def fit_sklearn(given):
    from sklearn.cluster import KMeans

    x, seeds = given
    return KMeans(CLUSTERS, init=seeds, n_init=1, max_iter=ITERATIONS, tol=0).fit(x)


def fit_intelex(given):
    from sklearnex.cluster import KMeans

    x, seeds = given
    return KMeans(CLUSTERS, init=seeds, n_init=1, max_iter=ITERATIONS, tol=0).fit(x)


def fit_faiss(given):
    import faiss

    x, seeds = given
    model = faiss.Kmeans(
        16, CLUSTERS, niter=ITERATIONS, max_points_per_centroid=len(x), min_points_per_centroid=1
    )
    model.train(x, init_centroids=seeds)
    return model


def error(model, given, _answer):
    """The SSE of the rows around the means that were found, over the rows, in double precision."""
    x = given[0].astype(np.float64)
    means = next(getattr(model, name) for name in ("cluster_centers_", "centroids") if hasattr(model, name))
    means = np.asarray(means, dtype=np.float64)
    nearest = np.full(len(x), np.inf)
    for mean in means:
        nearest = np.minimum(nearest, ((x - mean) ** 2).sum(axis=1))
    return {"SSE": float(nearest.mean())}


K_MEANS = Workload(
    name="k_means",
    title=f"k-means, 16 columns, {CLUSTERS} clusters, {ITERATIONS} iterations from the same seeds",
    rows=1_000_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_ours, None, error),
        "scikit-learn": Contestant(tuple, fit_sklearn, None, error, needs="sklearn"),
        "intelex": Contestant(tuple, fit_intelex, None, error, needs="sklearnex"),
        "faiss": Contestant(tuple, fit_faiss, None, error, needs="faiss"),
    },
    goals=(Goal("fit", "times", 1.5, ("scikit-learn", "intelex", "faiss")),),
    tolerance=0.01,
)


def make_categories(rows, seed):
    """Groups that each prefer a value in every column, and rows of them for seeds."""
    rng = np.random.default_rng(seed)
    preferred = rng.integers(0, VALUES, (MODES, 10))
    own = preferred[rng.integers(0, MODES, rows)]
    x = np.where(rng.random((rows, 10)) < 0.6, own, rng.integers(0, VALUES, (rows, 10)))
    return x, x[rng.choice(rows, MODES, replace=False)]


def as_table(data):
    from openbook import read

    table = read(data[0], kinds=dict.fromkeys(range(10), "nominal"))
    return table, read(data[1], kinds=dict.fromkeys(range(10), "nominal"))


def fit_modes(given):
    from openbook.cluster import KModes

    return KModes(MODES, init=given[1], tol=0, max_iter=100).fit(given[0])


def fit_kmodes(given):
    from kmodes.kmodes import KModes

    return KModes(MODES, init=given[1], n_init=1, max_iter=100).fit(given[0])


def differences(model, given, _answer):
    """How many cells differ from their mode, of all."""
    return {"differ": float(model.cost_) / (10 * len(given[0]))}


K_MODES = Workload(
    name="k_modes",
    title=f"k-modes, 10 columns of {VALUES} values, {MODES} clusters, from the same seeds",
    rows=100_000,
    make=make_categories,
    contestants={
        OURS: Contestant(as_table, fit_modes, None, differences),
        "kmodes": Contestant(tuple, fit_kmodes, None, differences, needs="kmodes"),
    },
    goals=(Goal("fit", "times", 50, ("kmodes",)),),
    tolerance=0.02,
    rounds=2,
    runs=1,
)
