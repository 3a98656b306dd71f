"""A CSV file to arrays: ten columns of numbers, ten of words, one cell in fifty empty.

Openbook finds the kinds out by itself. Polars is told what to look for, the words for missing values and the
columns of categories, and hands over the same arrays: numbers with NaN, and a code for each word. Beside them
stands a plain `polars.read_csv`, which leaves words as texts, and pandas.
"""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload, folder

COLOURS = np.array(["red", "green", "blue", "yellow", "black", "white", "grey", "orange"])
NUMBERS, WORDS = [f"x{i}" for i in range(10)], [f"c{i}" for i in range(10)]


def make(rows, seed):
    import polars as pl

    rng = np.random.default_rng(seed)
    columns = {name: rng.normal(size=rows).round(6) for name in NUMBERS}
    columns |= {name: COLOURS[rng.integers(0, len(COLOURS), rows)] for name in WORDS}
    frame = pl.DataFrame(columns)
    gaps = {name: pl.Series(rng.random(rows) < 0.02) for name in frame.columns}
    path = folder() / f"read_{rows}.csv"
    frame.select(pl.when(~gaps[name]).then(pl.col(name)).alias(name) for name in gaps).write_csv(path)
    return path


def read_ours(path):
    import openbook

    table = openbook.read(path)
    return [table.data(name) for name in (*NUMBERS, *WORDS)]


def read_polars(path):
    import polars as pl

    from openbook.data import MISSING_TOKENS

    frame = pl.read_csv(
        path,
        null_values=[token for token in MISSING_TOKENS if token],
        schema_overrides=dict.fromkeys(NUMBERS, pl.Float64) | dict.fromkeys(WORDS, pl.Categorical),
    )
    numbers = [frame[name].to_numpy() for name in NUMBERS]
    return numbers + [frame[name].to_physical().cast(pl.Int32).fill_null(-1).to_numpy() for name in WORDS]


def read_polars_plainly(path):
    import polars as pl

    return pl.read_csv(path)


def read_pandas(path):
    import pandas as pd

    return pd.read_csv(path, dtype=dict.fromkeys(WORDS, "category"))


def judged(arrays, _path, _predicted):
    numbers, codes = arrays[: len(NUMBERS)], arrays[len(NUMBERS) :]
    return _quality(numbers, sum(int((column < 0).sum()) for column in codes))


def judged_frame(frame, _path, _predicted):
    words = [frame[name] for name in WORDS]
    gaps = sum(
        column.null_count() if hasattr(column, "null_count") else column.isna().sum() for column in words
    )
    return _quality([frame[name].to_numpy() for name in NUMBERS], int(gaps))


def _quality(numbers, gaps_of_words):
    gaps = int(np.isnan(numbers).sum())
    return {"sum of numbers": float(np.nansum(numbers)), "gaps": gaps + gaps_of_words}


POLARS, PLAIN, PANDAS = "polars, told the kinds", "polars.read_csv, words as texts", "pandas"

READ_CSV = Workload(
    name="read-csv",
    title="A CSV file of 10 columns of numbers and 10 of words",
    rows=1_000_000,
    make=make,
    contestants={
        OURS: Contestant(str, read_ours, quality=judged),
        POLARS: Contestant(str, read_polars, quality=judged, needs="polars"),
        PLAIN: Contestant(str, read_polars_plainly, quality=judged_frame, needs="polars"),
        PANDAS: Contestant(str, read_pandas, quality=judged_frame, needs="pandas"),
    },
    goals=(Goal("fit", "times", 1, (POLARS,)),),
)
