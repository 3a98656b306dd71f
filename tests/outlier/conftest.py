"""A table with gross errors, for the tests of several detectors."""

import numpy as np
import pytest

from openbook.data import Nominal, Numeric, Schema, Table


@pytest.fixture(scope="session")
def people():
    """A function that makes the table."""

    def made(seed, n, gross=True):
        """Numbers, skewed ones too, gaps and categories; with three gross errors, and in which rows."""
        rng = np.random.default_rng(seed)
        age = rng.integers(18, 80, n).astype(float)
        amount = rng.gamma(2, 50, n).round(2)
        income = rng.lognormal(10, 0.4, n).round()
        rows = rng.choice(n, 3, replace=False)
        if gross:
            age[rows[0]], amount[rows[1]] = 250, 9_999
            income[rows[2]] *= 1_000
        income[np.setdiff1d(np.flatnonzero(rng.random(n) < 0.05), rows)] = np.nan
        nominal = [
            Nominal("colour", tuple("rgb")),
            Nominal("city", tuple("ABCDEFGH")),
            Nominal("sex", ("f", "m")),
        ]
        schema = Schema((Numeric("age"), Numeric("amount"), Numeric("income"), Numeric("score"), *nominal))
        codes = [rng.integers(0, len(a.values), n).astype(a.dtype) for a in nominal]
        return Table(schema, [age, amount, income, rng.normal(size=n), *codes]), rows

    return made
