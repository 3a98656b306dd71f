"""Indexes of numbers: brute force in single and double precision, a k-d tree, and inverted lists.

All find the true neighbours, in the order of their distances: `(points, queries)` in, distances and rows out.
There are a tenth as many queries as points, which are like the points but not among them.
"""

import numpy as np
from scipy import sparse

from bench.workload import OURS, Contestant, Goal, Workload

K = 10
#: What scikit-learn and scikit-learn-intelex take if not told otherwise.
K_OF_TREES = 5
FAISS, SKLEARN, INTEL = "faiss IndexFlatL2", "NearestNeighbors", "NearestNeighbors, intelex"
PYKDTREE, SCIPY = "pykdtree", "SciPy cKDTree"


def make(rows, seed):
    X = np.random.default_rng(seed).normal(size=(rows + rows // 10, 64)).astype(np.float32)
    return X[:rows], X[rows:]


def double(data):
    return tuple(rows.astype(np.float64) for rows in data)


def index_ours(index, metric="euclidean"):
    def fit(given):
        from openbook.spaces import make_index

        return make_index(given[0], metric, index)

    return fit


def index_faiss(given):
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(given[0].shape[1])
    index.add(given[0])
    return index


def index_sklearn(algorithm, metric="euclidean"):
    def fit(given):
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(algorithm=algorithm, metric=metric).fit(given[0])

    return fit


def index_intel(algorithm):
    def fit(given):
        from sklearnex.neighbors import NearestNeighbors

        return NearestNeighbors(algorithm=algorithm).fit(given[0])

    return fit


def index_pykdtree(given):
    from pykdtree.kdtree import KDTree

    return KDTree(given[0])


def index_scipy(given):
    from scipy.spatial import cKDTree

    return cKDTree(given[0])


def asked(k):
    """The k nearest of an index with `query`."""
    return lambda index, given: index.query(given[1], k=k)


def asked_sklearn(k):
    return lambda model, given: model.kneighbors(given[1], k)


def asked_faiss(index, given):
    squares, rows = index.search(given[1], K)
    return np.sqrt(squares), rows


def quality(_index, _given, found):
    """Distances, and rows: those that float32 takes for equally far may change places, so their sums."""
    distances, rows = found
    return {"mean distance": float(distances.mean()), "rows": float(rows.mean())}


BRUTE = Workload(
    name="neighbours-brute",
    title=f"The {K} nearest by brute force, 64 columns in single precision, a tenth as many queries",
    rows=50_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, index_ours("brute"), asked(K), quality),
        FAISS: Contestant(tuple, index_faiss, asked_faiss, quality, needs="faiss"),
        SKLEARN: Contestant(tuple, index_sklearn("brute"), asked_sklearn(K), quality, needs="sklearn"),
        INTEL: Contestant(tuple, index_intel("brute"), asked_sklearn(K), quality, needs="sklearnex"),
    },
    goals=(Goal("predict", "times", 1.2, (FAISS, INTEL)),),
    tolerance=1e-4,
)

BRUTE_DOUBLE = Workload(
    name="neighbours-brute-double",
    title=f"The {K} nearest by brute force, 64 columns in double precision, a tenth as many queries",
    rows=50_000,
    make=make,
    contestants={
        OURS: Contestant(double, index_ours("brute"), asked(K), quality),
        SKLEARN: Contestant(double, index_sklearn("brute"), asked_sklearn(K), quality, needs="sklearn"),
        INTEL: Contestant(double, index_intel("brute"), asked_sklearn(K), quality, needs="sklearnex"),
    },
    goals=(Goal("predict", "times", 1.5, (SKLEARN, INTEL)),),
    tolerance=1e-9,
)


def make_space(rows, seed):
    X = np.random.default_rng(seed).normal(size=(rows + rows // 10, 3))
    return X[:rows], X[rows:]


TREE = Workload(
    name="neighbours-tree",
    title=f"The {K_OF_TREES} nearest by a k-d tree, 3 columns, a tenth as many queries",
    rows=1_000_000,
    make=make_space,
    contestants={
        OURS: Contestant(tuple, index_ours("kd_tree"), asked(K_OF_TREES), quality),
        PYKDTREE: Contestant(tuple, index_pykdtree, asked(K_OF_TREES), quality, needs="pykdtree"),
        SCIPY: Contestant(tuple, index_scipy, asked(K_OF_TREES), quality, needs="scipy"),
        INTEL: Contestant(
            tuple, index_intel("kd_tree"), asked_sklearn(K_OF_TREES), quality, needs="sklearnex"
        ),
    },
    goals=(
        Goal("fit", "times", 1.2, (PYKDTREE,)),
        Goal("predict", "times", 1.3, (INTEL,)),
    ),
    tolerance=1e-9,
)


def make_sparse(rows, seed):
    """Rows of some 60 words of 20,000, of which few are common."""
    rng = np.random.default_rng(seed)
    n = rows + rows // 10
    words = np.minimum((rng.pareto(1.0, (n, 60)) * 300).astype(np.int64), 19_999)
    cells = (rng.random(words.size) + 0.1, (np.repeat(np.arange(n), 60), words.ravel()))
    X = sparse.coo_array(cells, shape=(n, 20_000)).tocsr()
    return X[:rows], X[rows:]


INVERTED = Workload(
    name="neighbours-sparse",
    title=f"The {K} nearest by cosine, sparse rows of 60 in 20,000 columns, a tenth as many queries",
    rows=20_000,
    make=make_sparse,
    contestants={
        OURS: Contestant(tuple, index_ours("inverted", "cosine"), asked(K), quality),
        SKLEARN: Contestant(
            tuple, index_sklearn("brute", "cosine"), asked_sklearn(K), quality, needs="sklearn"
        ),
    },
    goals=(Goal("predict", "times", 2, (SKLEARN,)),),
    tolerance=1e-6,
)
