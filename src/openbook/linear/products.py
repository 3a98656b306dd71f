r"""Sums of products of many rows of few columns, faster than a general matrix product.

    total[i, j] += sum over r of z[i, r] z[j, r]        for i <= j

Columns: z holds one entry of all rows after the other, (K, n), so that four entries against four others are
sixteen sums that stay in the processor's registers from the first row to the last. K is a multiple of four.
Rows as they lie in memory are transposed to such columns block by block. Sparse rows have too many columns
for products of all pairs; they are multiplied with a vector.
"""

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.kernels.product import fours

#: Rows transposed at a time; padding that keeps the entries of a row apart in the cache.
_BLOCK, _ROOM = 256, 8


@jit
def add_products(z, start, stop, total):
    """Add the products of the rows from `start` to `stop` to the upper triangle of `total`."""
    start, stop = np.uintp(start), np.uintp(stop)  # or every cell would be asked for its sign
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


@jit
def add_sparse_products(cells, weights, vector, product):
    """Add X'W(X v) to the product, (d,), each row being met once; cells : indptr, indices and data of X."""
    indptr, indices, data = cells
    for i in range(weights.shape[0]):
        score, start, stop = 0.0, np.uintp(indptr[i]), np.uintp(indptr[i + 1])  # as above
        for e in range(start, stop):
            score += data[e] * vector[np.uintp(indices[e])]
        score *= weights[i]
        for e in range(start, stop):
            product[np.uintp(indices[e])] += score * data[e]


def products_of_rows(x, y, roots, shift, middle):
    """The sums of products of rows as they lie in memory, (K, K) and padding, of which i <= j counts.

    The entries of row r are roots[r] times x[r] - shift, y[r] - middle, and 1.
    """
    used = x.shape[1] + y.shape[1] + 1
    size = fours(used)
    total = np.zeros((size, size))
    _add_rows(x, y, roots, shift, middle, np.zeros((size, _BLOCK + _ROOM)), total)
    return total


@jit
def _add_rows(x, y, roots, shift, middle, z, total):
    """Transpose rows to columns of z, block by block, and add their products to `total`."""
    d, targets = x.shape[1], y.shape[1]
    for start in range(0, x.shape[0], _BLOCK):
        stop = min(start + _BLOCK, x.shape[0])
        for r in range(start, stop):
            row, root, k = x[r], roots[r], r - start
            for j in range(d):
                z[j, k] = (row[j] - shift[j]) * root
            for t in range(targets):
                z[d + t, k] = (y[r, t] - middle[t]) * root
            z[d + targets, k] = root
        add_products(z, 0, stop - start, total)
