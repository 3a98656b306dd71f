"""The nearest rows by a mixed distance, block by block.

    Σ over categories of [differ] + Σ over numbers of min(|x - q| / range, most)

numbers : float64 (n_blocks, p, size), codes : int32 (n_blocks, q, size): within a block column after column,
so that a column of it is compared with a query's cell several rows at a time. The last block is filled up.
scales : float64 (3, p), one over the range of each column of numbers, the most that its term may be, and its
median. NaN is missing: it counts as the median, and 1 at least; without a median, 1. `squared` adds squares.

A query gives a block up after its categories if no row of it can still be among the k best: numbers only add.
Rows come in order and must be strictly nearer to push others out, so of equals the first stays.
"""

import numpy as np

from openbook.kernels.jit import inner, jit

__all__ = ["nearest_mixed"]


@inner
def add_terms(total, column, x, scales, squared):
    """Add the terms of a block's column of numbers, from a query's cell, where they may exceed 1."""
    scale, most, median = scales
    away = abs(x - median) * scale
    lacking = min(away, most) if away > 1.0 else 1.0  # NaN is not above
    x, low = (median, 1.0) if np.isnan(x) else (x, 0.0)
    top = most * most if squared else most
    lacking = lacking * lacking if squared else lacking
    for r in range(column.size):
        gap = abs(column[r] - x) * scale
        term = gap * gap if squared else gap
        total[r] += (term if gap < most else top) if gap >= low else lacking


@jit
def nearest_mixed(numbers, codes, scales, squared, n, query, distances, rows):  # noqa: C901, PLR0912 (inner loops)
    """Fill distances and rows, both (m, k), for the queries: (float64 (m, p), int32 (m, q))."""
    query_numbers, query_codes = query
    n_blocks, p, size = numbers.shape
    k = distances.shape[1]
    total = np.empty(size)
    for block in range(n_blocks):
        last = min(size, n - block * size)
        for i in range(len(query_numbers)):
            for r in range(size):
                total[r] = 0.0
            for j in range(codes.shape[1]):
                code = query_codes[i, j]
                for r in range(size):
                    total[r] += 1.0 if codes[block, j, r] != code else 0.0
            least = total[0]
            for r in range(last):
                least = min(least, total[r])
            if least >= distances[i, k - 1]:
                continue
            for j in range(p):
                x, scale, most = query_numbers[i, j], scales[0, j], scales[1, j]
                if most > 1.0:
                    add_terms(total, numbers[block, j], x, scales[:, j], squared)
                    continue
                for r in range(size):  # whatever is not within the range, NaN included, counts 1
                    gap = abs(numbers[block, j, r] - x) * scale
                    term = gap * gap if squared else gap
                    total[r] += term if gap < 1.0 else 1.0
            for r in range(last):
                d = total[r]
                if d < distances[i, k - 1]:
                    at = k - 1
                    while at > 0 and distances[i, at - 1] > d:
                        distances[i, at] = distances[i, at - 1]
                        rows[i, at] = rows[i, at - 1]
                        at -= 1
                    distances[i, at] = d
                    rows[i, at] = block * size + r
