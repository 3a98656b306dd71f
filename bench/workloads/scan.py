"""Files larger than memory: Parquet, fitted piece by piece, against the same rows read whole.

The files are written by a process of their own, a block of rows at a time, so that neither making nor
fitting holds them all. The two models must agree to 1e-10.
"""

import subprocess
import sys
from itertools import pairwise

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload, folder

NUMBERS, CATEGORIES, VALUES = 15, 15, 10
BLOCK, GROUP, FILES = 250_000, 50_000, 5


def make(rows, seed):
    """The pattern of the files, written unless an earlier contestant did."""
    where = folder() / f"rows-{rows}"
    if not where.exists():
        command = [sys.executable, "-c", f"from bench.workloads.scan import write; write({rows}, {seed})"]
        subprocess.run(command, check=True)
    return str(where / "*.parquet")


def write(rows, seed):
    """Write the rows into several files, block by block."""
    import pyarrow.parquet as pq

    where = folder() / f"rows-{rows}"
    where.mkdir()
    rng = np.random.default_rng(seed)
    shifts = rng.normal(0.0, 0.2, NUMBERS)
    shares = rng.dirichlet(np.full(VALUES, 20.0), (CATEGORIES, 2)).cumsum(axis=2)
    bounds = np.linspace(0, rows, FILES + 1).astype(int)
    for k, (start, stop) in enumerate(pairwise(bounds)):
        writer = None
        for begin in range(start, stop, BLOCK):
            block = _block(rng, min(BLOCK, stop - begin), shifts, shares)
            writer = writer or pq.ParquetWriter(where / f"part-{k}.parquet", block.schema)
            writer.write_table(block, row_group_size=GROUP)
        if writer is not None:
            writer.close()


def _block(rng, rows, shifts, shares):
    import pyarrow as pa

    y = rng.integers(0, 2, rows)
    words = np.array([f"value {v}" for v in range(VALUES)])
    columns = {f"n{j}": rng.normal(size=rows) + y * shifts[j] for j in range(NUMBERS)}
    for j in range(CATEGORIES):
        codes = (rng.random(rows)[:, None] > shares[j, y]).sum(axis=1).clip(max=VALUES - 1)
        columns[f"c{j}"] = words[codes]
    return pa.table({**columns, "y": np.array(["no", "yes"])[y]})


def fit_scan(pattern):
    import openbook
    from openbook.bayes import NaiveBayes

    return NaiveBayes().fit(openbook.scan(pattern), "y")


def read(pattern):
    """All the rows in memory."""
    import glob

    import polars as pl

    import openbook

    frame = pl.concat([pl.read_parquet(path) for path in sorted(glob.glob(pattern))])  # noqa: PTH207 (a pattern)
    return openbook.read(frame)


def fit_read(pattern):
    from openbook.bayes import NaiveBayes

    return NaiveBayes().fit(read(pattern), "y")


def estimates(model, _given, _predicted):
    """Every number that the model learnt."""
    arrays = model.statistics_.arrays()
    return {"model": [float(x) for name in sorted(arrays) for x in arrays[name].ravel()]}


SCAN = Workload(
    name="scan",
    title="Parquet files larger than memory, 15 numeric and 15 nominal columns, from `scan`",
    rows=10_000_000,
    make=make,
    contestants={
        OURS: Contestant(str, fit_scan, quality=estimates),
        "openbook.read, all in memory": Contestant(str, fit_read, quality=estimates, bytes_per_row=1000),
    },
    goals=(Goal("fit", "bytes", 1e9),),
    tolerance=1e-10,
    rounds=1,
    runs=1,
)
