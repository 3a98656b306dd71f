"""The nearest prototype of each row, and the sums over the rows of each, in one pass.

    t(x, c) = Σ_j (x_j - c_j)² + γ Σ_j [code_j differs from the prototype's, or is missing]

The nearest prototype has the least t in double precision; of equals it is the first. Where there are numbers
only, `nearest_means` finds it with less work:

    settled     the row is nearer to its last mean than half of what the others are away from that one, or
                than a lower bound for them all, which falls by the farthest move of another mean: it stays
                (Hamerly, 2010)
    screened    else ½|c|² - x·c in single precision, rows side by side in blocks of columns, x and c shifted
                so that the rows' mean is 0; where rounding could hide another winner, t itself decides

numbers : float32 or float64 (n, p); codes : int32 (n, q), below 0 where missing; weights : float64 (n,)
labels : int32 (n,), lower : float32 (n,), the bound for distances, not their squares
weight (k,), sums (k, p), values (k, v), cost (1,) : float64, added to; offsets[j] is where column j begins
"""

import numpy as np

from openbook.kernels.jit import inner, jit

__all__ = ["BLOCK", "nearest_means", "nearest_prototypes"]

#: Rows that are screened side by side.
BLOCK = 256
#: Bounds are kept in single precision: on the safe side by so much.
_SAFE = 1e-6


@jit
def nearest_means(points, means, screen, known, labels, lower, tally):  # noqa: C901, PLR0912 (inner loops)
    """Find the nearest mean of each row.

    points : (numbers, weights); means : float64 (k, p)
    screen : (origin float64 (p,), shifted means float32 (k, p), half their squared lengths float32 (k,), the
        rounding of a squared distance over (|x| + longest mean)² and the longest mean, both float32)
    known : float64 (k,) both: drop, how far any mean but this one has moved since the bounds were found, and
        apart, half the distance to the nearest other mean, below which a row stays
    """
    drop, apart = known
    numbers, weights = points
    origin, shifted, half, rounding, longest = screen
    n, p = numbers.shape
    x = np.empty((p, BLOCK), np.float32)
    score, length = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.float32)
    best, second = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.float32)
    winner, waiting, own = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int64), np.empty(BLOCK)
    i = 0
    while i < n:
        count = 0
        while i < n and count < BLOCK:
            c = labels[i]
            t = squared_distance(numbers, i, means, c)
            bound = max(lower[i] * (1.0 - _SAFE) - drop[c], apart[c])
            if t < bound * bound * (1.0 - _SAFE):
                lower[i] = bound
                add(numbers, weights, i, c, t, tally)
            else:
                waiting[count] = i
                own[count] = t
                count += 1
            i += 1
        for r in range(count):
            for j in range(p):
                x[j, r] = numbers[waiting[r], j] - origin[j]
        for r in range(BLOCK):
            best[r] = np.inf
            second[r] = np.inf
            length[r] = 0.0
            winner[r] = 0
        for j in range(p):
            for r in range(BLOCK):
                length[r] += x[j, r] * x[j, r]
        for c in range(len(means)):
            scores(x, shifted, half, c, score)
            for r in range(BLOCK):
                s = score[r]
                nearer = s < best[r]
                second[r] = min(second[r], max(s, best[r]))
                best[r] = s if nearer else best[r]
                winner[r] = c if nearer else winner[r]
        for r in range(BLOCK):  # the bound where the winner is sure, else 0
            reach = np.sqrt(length[r]) + longest
            doubt = rounding * reach * reach
            other = max(length[r] + second[r] + second[r] - doubt, np.float32(0.0))
            score[r] = np.sqrt(other) if second[r] - best[r] > doubt else np.float32(0.0)
        for r in range(count):
            row = waiting[r]
            c = winner[r] if score[r] > 0.0 else exactly_nearest(numbers, row, means)
            lower[row] = score[r]
            t = own[r] if c == labels[row] else squared_distance(numbers, row, means, c)
            labels[row] = c
            add(numbers, weights, row, c, t, tally)


@inner
def scores(x, shifted, half, c, score):
    """½|c|² - x·c for a block of rows, four columns at a time."""
    p = x.shape[0]
    h = half[c]
    for r in range(BLOCK):
        score[r] = h
    j = 0
    while j + 4 <= p:
        a, b, e, f = shifted[c, j], shifted[c, j + 1], shifted[c, j + 2], shifted[c, j + 3]
        for r in range(BLOCK):
            score[r] -= x[j, r] * a + x[j + 1, r] * b + x[j + 2, r] * e + x[j + 3, r] * f
        j += 4
    while j < p:
        a = shifted[c, j]
        for r in range(BLOCK):
            score[r] -= x[j, r] * a
        j += 1


@inner
def squared_distance(numbers, i, means, c):
    """The squared distance of a row to a mean."""
    t = 0.0
    for j in range(numbers.shape[1]):
        gap = np.float64(numbers[i, j]) - means[c, j]
        t += gap * gap
    return t


@inner
def exactly_nearest(numbers, i, means):
    nearest, c = np.inf, 0
    for other in range(len(means)):
        t = squared_distance(numbers, i, means, other)
        if t < nearest:
            nearest, c = t, other
    return c


@inner
def add(numbers, weights, i, c, t, tally):
    """Count a row for its mean."""
    weight, sums, _, cost = tally
    w = weights[i]
    weight[c] += w
    cost[0] += w * t
    for j in range(numbers.shape[1]):
        sums[c, j] += w * np.float64(numbers[i, j])


@jit
def nearest_prototypes(points, prototypes, gamma, offsets, labels, tally):
    """Find the nearest prototype of each row.

    points : (numbers, codes, weights); prototypes : (means float64 (k, p), modes int32 (k, q))
    """
    numbers, codes, weights = points
    means, modes = prototypes
    values = tally[2]
    n, q = codes.shape
    for i in range(n):
        nearest, c = np.inf, 0
        for other in range(len(modes)):
            differ = 0
            for j in range(q):
                differ += codes[i, j] != modes[other, j] or codes[i, j] < 0
            t = squared_distance(numbers, i, means, other) + gamma * differ
            if t < nearest:
                nearest, c = t, other
        labels[i] = c
        add(numbers, weights, i, c, nearest, tally)
        for j in range(q):
            if codes[i, j] >= 0:
                values[c, offsets[j] + codes[i, j]] += weights[i]
