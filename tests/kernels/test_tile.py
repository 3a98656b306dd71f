"""Tiles of products beside NumPy's, whichever way the matrices lie."""

import numpy as np
import pytest

from openbook.kernels.jit import jit
from openbook.kernels.tile import LINE_BYTES, aligned, fetch, tile, tile_shape

RNG = np.random.default_rng(3)

_ADD = {(4, 4): tile(4, 4), (8, 2): tile(8, 2)}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(4, 4), (8, 2)])
@pytest.mark.parametrize("n", [0, 1, 65])
def test_a_tile_is_a_product(shape, dtype, n):
    add = _ADD[shape]

    @jit(cache=False)
    def run(a, b, out):
        add(a, b, out)

    rows, width = tile_shape(*shape, dtype)
    a, b = RNG.normal(size=(rows, n)).astype(dtype), RNG.normal(size=(n, width + 3)).astype(dtype)
    for laid_out in (a, np.asfortranarray(a)):
        out = np.full((rows + 1, width + 1), 7, dtype)
        run(laid_out, b, out)
        expected = 7 + a.astype(float) @ b[:, :width].astype(float)
        np.testing.assert_allclose(out[:rows, :width], expected, atol=100 * np.finfo(dtype).eps)
        assert (out[rows] == 7).all()
        assert (out[:, width] == 7).all()


def test_aligned_zeros():
    for dtype in (np.float32, np.float64):
        room = aligned((3, 5), dtype)
        assert room.ctypes.data % LINE_BYTES == 0
        assert room.dtype == dtype
        assert room.tolist() == [[0.0] * 5] * 3


def test_cells_that_are_fetched_need_not_exist():
    @jit(cache=False)
    def run(x):
        fetch(x, 10**9, 5)
        return x[0, 0]

    assert run(np.full((2, 2), 3.0)) == 3.0
