"""A table with a rare class, for steps that change training rows."""

import numpy as np
import pytest

import openbook as ob


@pytest.fixture(scope="module")
def rare():
    """60 rows of class a, 12 of class b, mixed kinds, cells missing."""
    rng = np.random.default_rng(0)
    n = 72
    y = np.array(["a"] * 60 + ["b"] * 12)
    x = rng.normal(size=n) + 3.0 * (y == "b")
    z = rng.normal(size=n)
    z[::9] = np.nan
    colour = np.where(y == "b", "red", rng.choice(["red", "blue"], n))
    size = rng.choice(["s", "m", "l"], n)
    kinds = {"size": ["s", "m", "l"]}
    return ob.read({"x": x, "z": z, "colour": colour, "size": size}, kinds), y
