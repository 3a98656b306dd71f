"""SMOTE for numbers and categories: new rows of a class that a tenth of the rows have."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

_NUMBERS, _CATEGORIES = 4, 2


def make(rows, seed):
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.1).astype(int)
    numbers = rng.normal(size=(rows, _NUMBERS)) + y[:, None]
    codes = (rng.integers(5, size=(rows, _CATEGORIES)) + y[:, None]) % 5
    return numbers, codes, y


def table(data):
    from openbook.data import Nominal, Numeric, Schema, Table

    numbers, codes, y = data
    values = tuple("abcde")
    kinds = (
        [Numeric(f"x{j}") for j in range(_NUMBERS)],
        [Nominal(f"v{j}", values) for j in range(_CATEGORIES)],
    )
    columns = [*numbers.T, *codes.T.astype(np.int32)]
    return Table(Schema((*kinds[0], *kinds[1])), columns), y


def resample_ours(given):
    from openbook.prepare import SMOTE

    return SMOTE().fit_resample(*given)


def matrix(data):
    numbers, codes, y = data
    return np.column_stack([numbers, codes]), y


def resample_imbalanced_learn(given):
    from imblearn.over_sampling import SMOTENC

    categories = range(_NUMBERS, _NUMBERS + _CATEGORIES)
    return SMOTENC(categorical_features=list(categories), random_state=0).fit_resample(*given)


def quality(model, given, predicted):  # noqa: ARG001 (the rows that were made)
    X, y = model
    first = np.asarray(X.column("x0")) if hasattr(X, "column") else X[:, 0]
    return {"rows": len(y), "mean of new rows": float(first[len(given[1]) :].mean())}


SMOTE_NC = Workload(
    name="smote",
    title="SMOTE, 4 numeric and 2 nominal columns, a tenth of the rows in the rare class",
    rows=40_000,
    make=make,
    contestants={
        OURS: Contestant(table, resample_ours, None, quality),
        "SMOTENC": Contestant(matrix, resample_imbalanced_learn, None, quality, needs="imblearn"),
    },
    goals=(Goal("fit", "times", 5, ("SMOTENC",)),),
    tolerance=0.0,
    noise=4.0,
)
