"""Logistic and softmax regression to a largest slope of 1e-4, and logistic regression from files.

Columns have a common scale and share some factors, as measured columns do. Quality is the penalised mean loss
that a model reaches. The `tol` of scikit-learn-intelex is of the summed loss, hence times the rows.
"""

import math
import subprocess
import sys

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload, folder

COLUMNS, FACTORS = 50, 5
SLOPE = 1e-4
SKLEARN, INTEL = "LogisticRegression", "LogisticRegression, intelex"


def make(n_classes, rows, seed):
    """Rows whose classes have log odds that are linear in the columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS)) + rng.normal(size=(rows, FACTORS)) @ rng.normal(
        0.0, 0.5, (FACTORS, COLUMNS)
    )
    X /= X.std(axis=0)
    scores = X @ rng.normal(0.0, 0.25, (COLUMNS, n_classes))
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return X, y


def make_two(rows, seed):
    return make(2, rows, seed)


def make_ten(rows, seed):
    return make(10, rows, seed)


def fit_ours(given):
    from openbook.linear import LogisticRegression

    return LogisticRegression(C=1.0, tol=SLOPE, scale=False).fit(*given)


def fit_sklearn(given):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, tol=SLOPE).fit(*given)


def fit_intel(given):
    from sklearnex.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, tol=SLOPE * len(given[1])).fit(*given)


def predict(model, given):
    return model.predict_proba(given[0])


def objective(model, given, proba):
    """The penalised mean loss; equal models have equal losses to well below the tolerance."""
    y = given[1]
    loss = -np.log(proba[np.arange(len(y)), y]).sum() + 0.5 * (model.coef_**2).sum()
    return {"loss": float(loss / len(y))}


PEERS = {
    OURS: Contestant(tuple, fit_ours, predict, objective),
    SKLEARN: Contestant(tuple, fit_sklearn, predict, objective, needs="sklearn"),
    INTEL: Contestant(tuple, fit_intel, predict, objective, needs="sklearnex"),
}

LOGISTIC = Workload(
    name="logistic",
    title="Logistic regression, 50 numeric columns",
    rows=500_000,
    make=make_two,
    contestants=PEERS,
    goals=(
        Goal("fit", "times", 3, (SKLEARN,)),
        Goal("fit", "times", 2, (INTEL,)),
        Goal("fit", "share", 0.1),
    ),
    tolerance=1e-4,
    warm_rows=60_000,  # enough to begin on a sample, as the measured run does
)

SOFTMAX = Workload(
    name="softmax",
    title="Softmax regression, 50 numeric columns, 10 classes",
    rows=200_000,
    make=make_ten,
    contestants=PEERS,
    goals=(Goal("fit", "times", 1.7, (SKLEARN,)), Goal("fit", "times", 1.4, (INTEL,))),
    tolerance=1e-4,
    warm_rows=60_000,
)

FILE_COLUMNS, BLOCK, GROUP = 10, 250_000, 50_000


def make_file(rows, seed):
    """The path of a Parquet file, written by a process of its own unless an earlier contestant did."""
    path = folder() / f"logistic-{rows}.parquet"
    if not path.exists():
        command = [sys.executable, "-c", f"from bench.workloads.logistic import write; write({rows}, {seed})"]
        subprocess.run(command, check=True)
    return str(path)


def write(rows, seed):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    weights, writer = rng.normal(size=FILE_COLUMNS), None
    for start in range(0, rows, BLOCK):
        X = rng.normal(size=(min(BLOCK, rows - start), FILE_COLUMNS))
        y = np.array(["no", "yes"])[(X @ weights + rng.logistic(size=len(X)) > 0).astype(int)]
        block = pa.table({**{f"x{j}": 10.0**j * column for j, column in enumerate(X.T)}, "y": y})
        writer = writer or pq.ParquetWriter(folder() / f"logistic-{rows}.parquet", block.schema)
        writer.write_table(block, row_group_size=GROUP)
    writer.close()


def fit_scan(path):
    import openbook
    from openbook.linear import LogisticRegression

    return LogisticRegression(C=math.inf).fit(openbook.scan(path), "y")


def fit_read(path):
    import openbook
    from openbook.linear import LogisticRegression

    return LogisticRegression(C=math.inf).fit(openbook.read(path), "y")


def estimates(model, _given, _predicted):
    """The coefficients in units of their standard errors: scale-free, and 1 is a lot."""
    table = model.coefficients()
    return {"z": table.column("z").tolist()}


LOGISTIC_SCAN = Workload(
    name="logistic-scan",
    title="Logistic regression from a file, 10 columns of very different scales",
    rows=10_000_000,
    make=make_file,
    contestants={
        OURS: Contestant(str, fit_scan, quality=estimates),
        "read whole": Contestant(str, fit_read, quality=estimates, bytes_per_row=400),
    },
    goals=(Goal("fit", "bytes", 1e9),),
    tolerance=1e-8,
    rounds=1,
    runs=1,
)
