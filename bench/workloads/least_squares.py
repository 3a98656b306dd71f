"""Least squares on numbers, the lasso along its path, and least squares from files.

Columns have means of their own and share some factors, as measured columns do. Quality is the coefficients,
in units of the columns.
"""

import subprocess
import sys

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload, folder

COLUMNS, FACTORS = 50, 5
SKLEARN, INTEL = "LinearRegression", "LinearRegression, intelex"


def make(rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS))
    for factor in rng.normal(0.0, 0.3, (FACTORS, COLUMNS)):
        X += rng.normal(size=(rows, 1)) * factor
    X += rng.normal(0.0, 2.0, COLUMNS)
    return X, X @ rng.normal(size=COLUMNS) + rng.normal(size=rows)


def fit_ours(given):
    from openbook.linear import LinearRegression

    return LinearRegression().fit(*given)


def fit_sklearn(given):
    from sklearn.linear_model import LinearRegression

    return LinearRegression().fit(*given)


def fit_intel(given):
    from sklearnex.linear_model import LinearRegression

    return LinearRegression().fit(*given)


def predict(model, given):
    return model.predict(given[0])


def coefficients(model, _given, _predicted):
    return {"intercept": float(model.intercept_), "coefficients": model.coef_.tolist()}


LEAST_SQUARES = Workload(
    name="least-squares",
    title="Least squares, 50 numeric columns",
    rows=2_000_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_ours, predict, coefficients),
        SKLEARN: Contestant(tuple, fit_sklearn, predict, coefficients, needs="sklearn", bytes_per_row=2000),
        INTEL: Contestant(tuple, fit_intel, predict, coefficients, needs="sklearnex"),
    },
    goals=(
        Goal("fit", "times", 6, (SKLEARN,)),
        Goal("fit", "times", 1.2, (INTEL,)),
        Goal("fit", "share", 0.1),
    ),
    tolerance=1e-9,
    warm_rows=100_000,  # enough for the kernels that the measured run uses
)


def path_ours(given):
    from openbook.linear import LinearRegression

    return LinearRegression(scale=False).fit(*given).path(n=50)


def path_sklearn(given):
    from sklearn.linear_model import lasso_path

    X, y = given
    X, y = X - X.mean(axis=0), y - y.mean()
    penalties = np.abs(X.T @ y).max() / len(y) * np.geomspace(1.0, 1e-3, 50)
    return lasso_path(X, y, alphas=penalties, precompute=True, tol=1e-9)


def last_of_ours(path, _given, _predicted):
    return {"coefficients": path.coef[-1].tolist()}


def last_of_theirs(path, _given, _predicted):
    return {"coefficients": path[1][:, -1].tolist()}


LASSO_PATH = Workload(
    name="lasso-path",
    title="The lasso along 50 penalties, 50 numeric columns",
    rows=500_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, path_ours, quality=last_of_ours),
        "lasso_path": Contestant(tuple, path_sklearn, quality=last_of_theirs, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 3, ("lasso_path",)),),
    tolerance=1e-4,
    warm_rows=100_000,
)

FILE_COLUMNS, BLOCK, GROUP = 20, 250_000, 50_000


def make_file(rows, seed):
    """The path of a Parquet file, written by a process of its own unless an earlier contestant did."""
    path = folder() / f"least-squares-{rows}.parquet"
    if not path.exists():
        command = [
            sys.executable,
            "-c",
            f"from bench.workloads.least_squares import write; write({rows}, {seed})",
        ]
        subprocess.run(command, check=True)
    return str(path)


def write(rows, seed):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    weights, writer = rng.normal(size=FILE_COLUMNS), None
    for start in range(0, rows, BLOCK):
        X = rng.normal(size=(min(BLOCK, rows - start), FILE_COLUMNS)) + 5
        X[rng.random(X.shape) < 0.001] = np.nan
        y = np.nan_to_num(X) @ weights + rng.normal(size=len(X))
        block = pa.table({**{f"x{j}": column for j, column in enumerate(X.T)}, "y": y})
        writer = writer or pq.ParquetWriter(folder() / f"least-squares-{rows}.parquet", block.schema)
        writer.write_table(block, row_group_size=GROUP)
    writer.close()


def fit_scan(path):
    import openbook
    from openbook.linear import LinearRegression

    return LinearRegression().fit(openbook.scan(path), "y")


def fit_read(path):
    import openbook
    from openbook.linear import LinearRegression

    return LinearRegression().fit(openbook.read(path), "y")


LEAST_SQUARES_SCAN = Workload(
    name="least-squares-scan",
    title="Least squares from a file, 20 numeric columns with gaps",
    rows=10_000_000,
    make=make_file,
    contestants={
        OURS: Contestant(str, fit_scan, quality=coefficients),
        "read whole": Contestant(str, fit_read, quality=coefficients, bytes_per_row=500),
    },
    goals=(Goal("fit", "bytes", 1e9),),
    tolerance=1e-8,
    rounds=1,
    runs=1,
)
