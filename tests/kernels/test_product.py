"""Panels of rows, and products of small matrices beside NumPy's, whichever way the first lies."""

import numpy as np
import pytest

from openbook.kernels.jit import jit
from openbook.kernels.product import PANEL, add_product, fill_panels

RNG = np.random.default_rng(3)


@jit(cache=False)
def run(a, b, out):
    add_product(a, b, out)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(4, 0, 5), (4, 4, 64), (8, 68, 1)])
def test_a_product_is_added(shape, dtype):
    rows, n, columns = shape
    a, b = RNG.normal(size=(rows, n)).astype(dtype), RNG.normal(size=(n, columns)).astype(dtype)
    for laid_out in (a, np.asfortranarray(a)):
        out = np.full((rows, columns), 7, dtype)
        run(laid_out, b, out)
        expected = 7 + a.astype(float) @ b.astype(float)
        np.testing.assert_allclose(out, expected, atol=100 * np.finfo(dtype).eps)


def test_panels_hold_rows_side_by_side():
    rows, origin = RNG.normal(size=(PANEL + 3, 21)), RNG.normal(size=21)
    panels = np.zeros((2, 24, PANEL), np.float32)
    fill_panels(rows, origin, 4.0, panels)
    side_by_side = np.concatenate(panels, axis=1).T
    np.testing.assert_array_equal(side_by_side[: PANEL + 3, :21], ((rows - origin) / 4).astype(np.float32))
    assert not side_by_side[PANEL + 3 :].any()
    assert not side_by_side[:, 21:].any()
