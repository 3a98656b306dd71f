"""The nearest rows by a mixed distance, block by block.

    Σ over categories of [differ] + Σ over numbers of min(|x - q| / range, 1)

numbers : float64 (n_blocks, p, size), codes : int32 (n_blocks, q, size): within a block column after column,
so that a column of it is compared with a query's cell several rows at a time. The last block is filled up.
inverse : float64 (p,), one over the range of each column of numbers. NaN is missing: whatever is not within
the range, NaN included, counts 1. `squared` adds squares.

A query gives a block up after its categories if no row of it can still be among the k best: numbers only add.
Rows come in order and must be strictly nearer to push others out, so of equals the first stays.
"""

import numpy as np

from openbook.kernels.jit import jit

__all__ = ["nearest_mixed"]


@jit
def nearest_mixed(numbers, codes, inverse, squared, n, query, distances, rows):  # noqa: C901 (inner loops)
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
                x, scale = query_numbers[i, j], inverse[j]
                for r in range(size):
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
