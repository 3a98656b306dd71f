"""What tests of linear learners share: a table of every kind, with gaps."""

import numpy as np
import pytest

from openbook.data import MISSING, Nominal, Numeric, Ordinal, Schema, Table

MIXED = Schema((
    Numeric("age"),
    Nominal("sky", ("sunny", "rainy", "foggy", "never")),
    Ordinal("size", ("S", "M", "L")),
    Numeric("wind"),
))  # fmt: skip


@pytest.fixture(scope="session")
def mixed():
    """A function of so many rows: a table with or without gaps, and a target."""

    def build(n=60, gaps=True, seed=0):
        rng = np.random.default_rng(seed)
        age, wind = rng.normal(40, 10, n), rng.normal(1e4, 1, n)
        sky, size = rng.integers(0, 3, n).astype(np.int8), rng.integers(0, 3, n).astype(np.int8)
        y = age + 3 * (sky == 1) - size + wind - 1e4 + rng.normal(size=n)
        if gaps:
            age[::7], wind[::5], sky[::6], size[::9] = np.nan, np.nan, MISSING, MISSING
        return Table(MIXED, [age, sky, size, wind]), y

    return build
