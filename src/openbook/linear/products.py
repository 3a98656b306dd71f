r"""Sums of products of many rows of few columns, faster than a general matrix product.

    total[i, j] += sum over r of z[i, r] z[j, r]        for i <= j

z holds one entry of all rows after the other, (K, n), so that four entries against four others are sixteen
sums that stay in the processor's registers from the first row to the last. K is a multiple of four.
"""

import numpy as np

from openbook.kernels.jit import inner, jit

__all__ = ["add_products", "add_rows"]


@jit
def add_products(z, start, stop, total):
    """Add the products of the rows from `start` to `stop` to the upper triangle of `total`."""
    _add_tiles(z, start, stop, total)


@jit
def add_rows(x, y, roots, shift, middle, z, room, total):
    """Turn rows to entries, in z, so many at a time, and add their products to `total`.

    The entries of row r are roots[r] times x[r] - shift, y[r] - middle, and 1.
    """
    n, d, targets = x.shape[0], x.shape[1], y.shape[1]
    for start in range(0, n, room):
        m = min(room, n - start)
        for r in range(m):
            row, root = x[start + r], roots[start + r]
            for j in range(d):
                z[j, r] = (row[j] - shift[j]) * root
            for t in range(targets):
                z[d + t, r] = (y[start + r, t] - middle[t]) * root
            z[d + targets, r] = root
        _add_tiles(z, 0, m, total)


@inner
def _add_tiles(z, start, stop, total):
    for p in range(np.uintp(0), np.uintp(z.shape[0]), np.uintp(4)):
        a0, a1, a2, a3 = z[p], z[p + 1], z[p + 2], z[p + 3]
        for q in range(p, np.uintp(z.shape[0]), np.uintp(4)):
            b0, b1, b2, b3 = z[q], z[q + 1], z[q + 2], z[q + 3]
            s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = 0.0
            s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = 0.0
            for r in range(start, stop):
                u0, u1, u2, u3 = a0[r], a1[r], a2[r], a3[r]
                v0, v1, v2, v3 = b0[r], b1[r], b2[r], b3[r]
                s00, s01, s02, s03 = s00 + u0 * v0, s01 + u0 * v1, s02 + u0 * v2, s03 + u0 * v3
                s10, s11, s12, s13 = s10 + u1 * v0, s11 + u1 * v1, s12 + u1 * v2, s13 + u1 * v3
                s20, s21, s22, s23 = s20 + u2 * v0, s21 + u2 * v1, s22 + u2 * v2, s23 + u2 * v3
                s30, s31, s32, s33 = s30 + u3 * v0, s31 + u3 * v1, s32 + u3 * v2, s33 + u3 * v3
            _add_four(total[p], q, s00, s01, s02, s03)
            _add_four(total[p + 1], q, s10, s11, s12, s13)
            _add_four(total[p + 2], q, s20, s21, s22, s23)
            _add_four(total[p + 3], q, s30, s31, s32, s33)


@inner
def _add_four(row, q, s0, s1, s2, s3):
    row[q] += s0
    row[q + 1] += s1
    row[q + 2] += s2
    row[q + 3] += s3
