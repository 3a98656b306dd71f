"""Partitioning around medoids: build, then swap, over the distances of all pairs of rows.

    cost = Σ_i w_i min_m d(i, m)

    build   the row of the least cost alone is the first medoid; each next is the row that lowers it most
    swap    of all pairs of a medoid and another row, exchange the one that lowers it most; until none does

Every swap is the best there is, as in Kaufman and Rousseeuw (1990); one pass over the distances finds it for
all medoids at once, after FastPAM1 (Schubert and Rousseeuw, 2019). Ties go to the first row, then the first
medoid.

distances : float64 (n, n); weights : float64 (n,); medoids : int64 (k,), positions of rows
nearest, second : float64 (n,), the distances of each row to its nearest and second nearest medoid; owner :
int64 (n,)
"""

from typing import NamedTuple

import numpy as np

from openbook.kernels.jit import inner, jit

#: A swap must lower the cost by more than this share of it: less may be rounding.
_ROUNDING = 1e-12


class MedoidMove(NamedTuple):
    """A medoid that was built (`out` is -1) or swapped in for another, and the cost then."""

    out: int
    into: int
    cost: float


def pam(distances, weights, k, most_swaps):
    """The medoids, and the moves that led there."""
    medoids, costs = np.empty(k, np.int64), np.empty(k)
    build(distances, weights, medoids, costs)
    moves = [MedoidMove(-1, *pair) for pair in zip(medoids.tolist(), costs.tolist(), strict=True)]
    cost = moves[-1].cost
    for _ in range(most_swaps if k > 1 else 0):  # the best single row is found already
        gain, at, row = best_swap(distances, weights, medoids)
        if not gain < -_ROUNDING * cost:
            break
        cost += gain
        moves.append(MedoidMove(int(medoids[at]), row, cost))
        medoids[at] = row
    return medoids, moves


@jit
def build(distances, weights, medoids, costs):
    """Choose the first medoids, one after the other."""
    n = len(weights)
    nearest = np.full(n, np.inf)
    chosen = np.zeros(n, np.bool_)
    for at in range(len(medoids)):
        best, least = -1, np.inf
        for c in range(n):
            if chosen[c]:
                continue
            total = 0.0
            for i in range(n):
                total += weights[i] * min(distances[c, i], nearest[i])
            if total < least or best < 0:
                best, least = c, total
        medoids[at] = best
        costs[at] = least
        chosen[best] = True
        for i in range(n):
            nearest[i] = min(nearest[i], distances[best, i])


@jit
def best_swap(distances, weights, medoids):  # noqa: C901 (inner loops)
    """By how much the best swap changes the cost, which medoid goes, and which row comes."""
    n, k = len(weights), len(medoids)
    owner, nearest, second = np.empty(n, np.int64), np.full(n, np.inf), np.full(n, np.inf)
    is_medoid = np.zeros(n, np.bool_)
    loss, change = np.zeros(k), np.empty(k)
    own_two(distances, medoids, owner, nearest, second)
    for m in range(k):
        is_medoid[medoids[m]] = True
    for i in range(n):
        loss[owner[i]] += weights[i] * (second[i] - nearest[i])
    best, at, row = np.inf, -1, -1
    for c in range(n):
        if is_medoid[c]:
            continue
        for m in range(k):
            change[m] = loss[m]
        gain = 0.0
        for i in range(n):
            d = distances[c, i]
            if d < nearest[i]:
                gain += weights[i] * (d - nearest[i])
                change[owner[i]] += weights[i] * (nearest[i] - second[i])
            elif d < second[i]:
                change[owner[i]] += weights[i] * (d - second[i])
        for m in range(k):
            if change[m] + gain < best:
                best, at, row = change[m] + gain, m, c
    return best, at, row


@inner
def own_two(distances, medoids, owner, nearest, second):
    """Fill in each row's nearest medoid, and the distances to it and to the second nearest."""
    for m in range(len(medoids)):
        for i in range(len(owner)):
            d = distances[medoids[m], i]
            if d < nearest[i]:
                second[i] = nearest[i]
                nearest[i] = d
                owner[i] = m
            elif d < second[i]:
                second[i] = d
