"""The kernels that score rows under a naive Bayes model.

Each adds log-likelihoods to scores (n_rows, n_classes). A missing cell adds nothing.
"""

import math

import numpy as np

from openbook.kernels.jit import FLAGS, jit

#: As many classes as `add_few` can take.
FEW = 4

#: The largest number of bandwidths whose square is a number.
FARTHEST = 1e154


@jit
def add_table(codes, table, scores):
    """Add table[code + 2, class]: row 0 answers UNSEEN (-2), row 1 MISSING (-1)."""
    for c in range(scores.shape[1]):  # class by class: classes are few, and a loop over few is slow
        for i in range(codes.shape[0]):
            scores[i, c] += table[np.uintp(codes[i] + 2), c]


@jit
def add_normal(x, mean, factor, constant, scores):
    """Add the sum over known columns of constant - factor (x - mean)^2."""
    for i in range(x.shape[0]):
        for c in range(scores.shape[1]):
            total = 0.0
            for j in range(x.shape[1]):
                gap = x[i, j] - mean[c, j]
                total += constant[c, j] - factor[c, j] * gap * gap if x[i, j] == x[i, j] else 0.0
            scores[i, c] += total


@jit
def add_density(x, points, weights, bandwidth, c, scores):
    """Add to class c the log of the density at x: a weighted mean of normal curves around the points.

    The exponents are taken relative to that of the nearest point, so the sum never underflows; a point whose
    square would overflow, infinity above all, has no density.
    """
    norm = math.log(weights.sum() * bandwidth * math.sqrt(2.0 * math.pi))
    for i in range(x.shape[0]):
        if np.isnan(x[i]):
            continue
        nearest = np.inf
        for k in range(points.shape[0]):
            nearest = min(nearest, abs(x[i] - points[k]) / bandwidth)
        if nearest > FARTHEST:
            scores[i, c] = -np.inf
            continue
        total = 0.0
        for k in range(points.shape[0]):
            gap = abs(x[i] - points[k]) / bandwidth
            total += weights[k] * math.exp(-0.5 * (gap - nearest) * (gap + nearest))
        scores[i, c] += math.log(total) - 0.5 * nearest * nearest - norm


@jit
def add_sparse_counts(indptr, indices, data, y, w, counts):
    """Add each stored cell of a CSR matrix to counts[class, column]."""
    for i in range(indptr.shape[0] - 1):
        row = counts[y[i]]
        for k in range(indptr[i], indptr[i + 1]):
            row[np.uintp(indices[k])] += w[i] * data[k]


@jit(fastmath=FLAGS - {"reassoc"})  # else the compiler gathers cells into vector lanes, which is far slower
def add_few(indptr, indices, data, logs, scores):
    """Add count * logs[column, class] of each stored cell of a CSR matrix, for up to four classes.

    Says whether a count is negative; the scores are of no use then. Four sums that stay in registers are
    quicker than a row of sums in memory. Where classes are fewer, the last is summed more than once.
    """
    last = scores.shape[1] - 1
    b, c, d = min(1, last), min(2, last), min(3, last)
    negative = False
    for i in range(indptr.shape[0] - 1):
        score_0, score_b, score_c, score_d = scores[i, 0], scores[i, b], scores[i, c], scores[i, d]
        for k in range(indptr[i], indptr[i + 1]):
            negative |= data[k] < 0.0
            count = data[k] if data[k] == data[k] else 0.0
            row = logs[np.uintp(indices[k])]
            score_0 += count * row[0]
            score_b += count * row[b]
            score_c += count * row[c]
            score_d += count * row[d]
        scores[i, 0], scores[i, b], scores[i, c], scores[i, d] = score_0, score_b, score_c, score_d
    return negative
