"""Neighbours among mixed columns: 10 numeric, 10 nominal, by Gower's distance."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

HALF, VALUES, QUERIES, K = 10, 5, 500, 10


def make(rows, seed):
    """Five loose groups; numbers and codes lean towards each group's own."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 5, rows)
    numbers = rng.normal(size=(rows, HALF)) + rng.normal(size=(5, HALF))[group]
    own = rng.integers(0, VALUES, (5, HALF))[group]
    codes = np.where(rng.random((rows, HALF)) < 0.4, own, rng.integers(0, VALUES, (rows, HALF)))
    return numbers, codes


def as_table(data):
    from openbook.data import Nominal, Numeric, Schema, Table

    numbers, codes = data
    attributes = [Numeric(f"n{j}") for j in range(HALF)]
    attributes += [Nominal(f"c{j}", tuple("abcde")) for j in range(HALF)]
    columns = [*map(np.ascontiguousarray, numbers.T), *(column.astype(np.int8) for column in codes.T)]
    return Table(Schema(tuple(attributes)), columns)


def as_floats(data):
    return np.hstack([data[0], data[1].astype(float)])


def fit_ours(table):
    from openbook.neighbors import KNeighborsRegressor

    return KNeighborsRegressor(n_neighbors=K, metric="gower").fit(table, np.zeros(len(table)))


def nearest_ours(model, table):
    return model.kneighbors(table.head(QUERIES))[0]


def nearest_theirs(rows, _):
    """All distances, and the smallest of each row in order; the package's own top n takes one row a call."""
    import gower

    matrix = gower.gower_matrix(rows[:QUERIES], rows, cat_features=[False] * HALF + [True] * HALF)
    smallest = np.argpartition(matrix, K, axis=1)[:, :K]
    return np.sort(np.take_along_axis(matrix, smallest, axis=1), axis=1)


def distances(_model, _given, found):
    return {"mean distance": float(found.mean()), f"of the {K}th": float(found[:, -1].mean())}


GOWER = Workload(
    name="gower",
    title=f"The {K} nearest of {QUERIES} rows among mixed columns, 10 numeric and 10 nominal",
    rows=50_000,
    make=make,
    contestants={
        OURS: Contestant(as_table, fit_ours, nearest_ours, distances),
        "gower": Contestant(as_floats, lambda rows: rows, nearest_theirs, distances, needs="gower"),
    },
    goals=(Goal("predict", "times", 20, ("gower",)),),
    tolerance=1e-5,
    rounds=2,
    runs=2,
    warm_rows=20_000,
)
