"""Panels of rows side by side, and a product of small matrices, in plain loops that become vectors.

    add_product(a, b, out):   out[i, j] += sum over r of a[i, r] b[r, j]

a : (rows, n), rows and n multiples of four;  b : (n, columns), out : (rows, columns), rows contiguous

Four rows of out meet four of b at a time: each number of b that is loaded serves four sums, and each sum that
is loaded and stored takes four products.
"""

from openbook.kernels.jit import inner, jit

#: Rows that stand side by side in a panel, and how many of them are turned at a time.
PANEL, _ROWS = 256, 16


def fours(size: int) -> int:
    """The size, rounded up to a multiple of four."""
    return -(-size // 4) * 4


@jit
def fill_panels(rows, origin, scale, panels):
    """Fill in panels, (n_panels, d or more, PANEL): a column for each row, moved and divided by the scale."""
    n, d = rows.shape
    for start in range(0, n, PANEL):
        panel, end = panels[start // PANEL], min(start + PANEL, n)
        for first in range(start, end, _ROWS):
            last = min(first + _ROWS, end)
            for j in range(d):
                column = panel[j]
                for i in range(first, last):
                    column[i - start] = (rows[i, j] - origin[j]) / scale


@inner
def add_product(a, b, out):
    """Add a b to out; see the module."""
    for i in range(0, out.shape[0], 4):
        out0, out1, out2, out3 = out[i], out[i + 1], out[i + 2], out[i + 3]
        for r in range(0, b.shape[0], 4):
            b0, b1, b2, b3 = b[r], b[r + 1], b[r + 2], b[r + 3]
            a00, a01, a02, a03 = a[i, r], a[i, r + 1], a[i, r + 2], a[i, r + 3]
            a10, a11, a12, a13 = a[i + 1, r], a[i + 1, r + 1], a[i + 1, r + 2], a[i + 1, r + 3]
            a20, a21, a22, a23 = a[i + 2, r], a[i + 2, r + 1], a[i + 2, r + 2], a[i + 2, r + 3]
            a30, a31, a32, a33 = a[i + 3, r], a[i + 3, r + 1], a[i + 3, r + 2], a[i + 3, r + 3]
            for j in range(out0.size):
                x0, x1, x2, x3 = b0[j], b1[j], b2[j], b3[j]
                out0[j] += a00 * x0 + a01 * x1 + a02 * x2 + a03 * x3
                out1[j] += a10 * x0 + a11 * x1 + a12 * x2 + a13 * x3
                out2[j] += a20 * x0 + a21 * x1 + a22 * x2 + a23 * x3
                out3[j] += a30 * x0 + a31 * x1 + a32 * x2 + a33 * x3
