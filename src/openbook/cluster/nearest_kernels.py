"""The nearest prototype of each row, and the sums over the rows of each, in one pass.

    t(x, c) = Σ_j (x_j - c_j)² + γ Σ_j [code_j differs from the prototype's, or is missing]

The nearest prototype has the least t in double precision; of equals it is the first. Where there are numbers
only, `nearest_means` finds it with less work:

    settled     the row is nearer to its last mean than half of what the others are away from that one, or
                than a lower bound for them all, which falls by the farthest move of another mean: it stays
                (Hamerly, 2010)
    screened    else ½|c|² - x·c in single precision, rows side by side in blocks of columns, x and c shifted
                so that the rows' mean is 0; where rounding could hide another winner, t itself decides

Rows that stay where they were leave the sums of the last pass as they are; the others move from sum to sum.
Rows that are screened are copied side by side, unless they stand so already, in `panels`: then a panel is
screened as a whole if its first rows are not settled, which is how it is where clusters overlap.

numbers : float32 or float64 (n, p); codes : int32 (n, q), below 0 if missing; weights : float64 (n,)
labels : int32 (n,), -1 before the first pass; lower : float32 (n,), the bound for distances, not squares
weight (k,), sums (k, p), values (k, v), cost (1,) : float64, added to; offsets[j] is where column j begins
"""

import numpy as np

from openbook.kernels.jit import inner, jit
from openbook.kernels.product import PANEL, add_product

#: Means that are screened at once, see `add_product`.
_AT_ONCE = 4
#: A panel is screened if more than _OPEN of its first _FIRST rows are not settled.
_OPEN, _FIRST = 3, 16
#: Bounds are kept in single precision: on the safe side by so much.
_SAFE = 1e-6


@jit
def nearest_means(points, panels, means, screen, known, labels, lower, tally):
    """Find the nearest mean of each row.

    points : (numbers, weights); means : float64 (k, p)
    panels : float32 (n_panels, p', PANEL), the rows less the origin; none, where they are not at hand
    screen : (origin float64 (p,), the negatives of shifted means float32 (k', p'), half their squared lengths
        float32 (k',), the rounding of a squared distance over (|x| + longest mean)² and the longest mean,
        both float32); k' is k, rounded up to a multiple of _AT_ONCE by means that are infinitely
        far, and p' is p, rounded up by zeros
    known : float64 (k,) both: drop, how far any mean but this one has moved since the bounds were found, and
        apart, half the distance to the nearest other mean, below which a row stays
    """
    numbers, origin = points[0], screen[0]
    n, p = numbers.shape
    score, best = np.empty((_AT_ONCE, PANEL), np.float32), np.empty(PANEL, np.float32)
    second, length, winner = np.empty_like(best), np.empty_like(best), np.empty(PANEL, np.int32)
    buffers = score, best, second, length, winner
    x, waiting, count = np.zeros((screen[1].shape[1], PANEL), np.float32), np.empty(PANEL, np.int64), 0
    rows = np.arange(n)
    for start in range(0, n, PANEL):
        end = min(start + PANEL, n)
        if len(panels) and are_open(numbers, start, end, means, known, labels, lower):
            find_winners(panels[start // PANEL], screen, buffers)
            take_winners(rows[start:end], buffers, points, means, labels, lower, tally)
            continue
        for i in range(start, end):
            t, bound = against_bound(numbers, i, means, known, labels, lower)
            if t < bound * bound:
                lower[i] = bound
                tally_row(points[1][i], labels[i], t, tally)
                continue
            waiting[count] = i
            for j in range(p):
                x[j, count] = numbers[i, j] - origin[j]
            count += 1
            if count == PANEL:
                find_winners(x, screen, buffers)
                take_winners(waiting, buffers, points, means, labels, lower, tally)
                count = 0
    find_winners(x, screen, buffers)
    take_winners(waiting[:count], buffers, points, means, labels, lower, tally)


@inner
def are_open(numbers, start, end, means, known, labels, lower):
    """Whether a panel of rows is to be screened, by the first of them."""
    unsettled = 0
    for i in range(start, min(start + _FIRST, end)):
        t, bound = against_bound(numbers, i, means, known, labels, lower)
        unsettled += t >= bound * bound
    return unsettled > _OPEN


@inner
def against_bound(numbers, i, means, known, labels, lower):
    """The squared distance of a row to its last mean, and a distance below which no other mean is nearer."""
    drop, apart = known
    c = labels[i]
    if c < 0:
        return np.inf, 0.0
    bound = max(lower[i] * (1.0 - _SAFE) - drop[c], apart[c]) * (1.0 - _SAFE)
    return squared_distance(numbers, i, means, c), bound


@inner
def find_winners(x, screen, buffers):
    """The nearest mean of rows that stand side by side, and a bound for all others; 0 if it is not sure.

    buffers : float32 (_AT_ONCE, PANEL) and three times (PANEL,), of which the second is the bound in the end;
        int32 (PANEL,), the nearest
    """
    _, minus, half, rounding, longest = screen
    score, best, second, length, winner = buffers
    for r in range(PANEL):
        best[r] = np.inf
        second[r] = np.inf
        length[r] = 0.0
        winner[r] = 0
    for j in range(x.shape[0]):
        for r in range(PANEL):
            length[r] += x[j, r] * x[j, r]
    for first in range(0, len(minus), _AT_ONCE):
        for c in range(_AT_ONCE):
            for r in range(PANEL):
                score[c, r] = half[first + c]
        add_product(minus[first : first + _AT_ONCE], x, score)
        for c in range(_AT_ONCE):
            compare_mean(score[c], first + c, best, second, winner)
    for r in range(PANEL):
        reach = np.sqrt(length[r]) + longest
        doubt = rounding * reach * reach
        other = max(length[r] + second[r] + second[r] - doubt, np.float32(0.0))
        second[r] = np.sqrt(other) if second[r] - best[r] > doubt else np.float32(0.0)


@inner
def compare_mean(score, c, best, second, winner):
    """Compare the scores of a mean with the best and the second so far."""
    for r in range(PANEL):
        nearer = score[r] < best[r]
        second[r] = min(second[r], max(score[r], best[r]))
        best[r] = score[r] if nearer else best[r]
        winner[r] = c if nearer else winner[r]


@inner
def take_winners(rows, buffers, points, means, labels, lower, tally):
    """Put rows with the means that were found for them, or that are nearest where that is not sure."""
    bound, winner = buffers[2], buffers[4]
    numbers, weights = points
    for r in range(len(rows)):
        i = rows[r]
        c = winner[r] if bound[r] > 0.0 else exactly_nearest(numbers, i, means)
        tally_row(weights[i], c, squared_distance(numbers, i, means, c), tally)
        if c != labels[i]:
            move_row(numbers[i], weights[i], labels[i], c, tally[1])
        labels[i], lower[i] = c, bound[r]


@inner
def squared_distance(numbers, i, means, c):
    """The squared distance of a row to a mean."""
    t = 0.0
    for j in range(numbers.shape[1]):
        gap = np.float64(numbers[i, j]) - means[c, j]
        t += gap * gap
    return t


@jit
def fill_distances(numbers, means, out):
    """Fill in the squared distance of every row to every mean, (k, n)."""
    for i in range(len(numbers)):
        for c in range(len(means)):
            out[c, i] = squared_distance(numbers, i, means, c)


@inner
def exactly_nearest(numbers, i, means):
    nearest, c = np.inf, 0
    for other in range(len(means)):
        t = squared_distance(numbers, i, means, other)
        if t < nearest:
            nearest, c = t, other
    return c


@inner
def tally_row(w, c, t, tally):
    """Count the weight and the distance of a row for its mean."""
    weight, _, _, cost = tally
    weight[c] += w
    cost[0] += w * t


@inner
def move_row(x, w, before, c, sums):
    """Move a row from the sum of the mean that it belonged to, if any, to that of its new one."""
    for j in range(x.shape[0]):
        cell = w * np.float64(x[j])
        sums[c, j] += cell
        if before >= 0:
            sums[before, j] -= cell


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
        tally_row(weights[i], c, nearest, tally)
        move_row(numbers[i], weights[i], -1, c, tally[1])
        for j in range(q):
            if codes[i, j] >= 0:
                values[c, offsets[j] + codes[i, j]] += weights[i]
