r"""Robust centre and covariance: the minimum covariance determinant (MCD).

Of all halves, that with the least determinant of its covariance is sought (minimum covariance determinant).
A C-step goes from a half to a better one: the h points nearest to its mean, by its own covariance. Starts are
d + 1 points at random, on at most 1,500 of the points; the best few go on over all points until nothing
changes (Rousseeuw and Van Driessen 1999). The covariance of the half is made larger by the factor that would
make it right for normal points, and at the end centre and covariance are those of all points within the 97.5%
point of chi-squared, made right in the same way.

points : float64 (n, d), complete; h = (n + d + 1) // 2
"""

import numpy as np
from scipy.special import chdtr, chdtri

_STARTS, _BEST, _SAMPLE, _STEPS = 30, 3, 1500, 30
_LEVEL = 0.975

#: A direction of less variance than this share of the largest counts as much.
FLOOR = 1e-6


def precision_of(covariance):
    """The inverse, with a floor under the variance of every direction; the directions above it; ln |S|."""
    values, axes = np.linalg.eigh(covariance)
    least = FLOOR * max(float(values.max(initial=0.0)), 1e-12)
    rank = int((values > least).sum())
    values = np.maximum(values, least)
    return (axes / values) @ axes.T, rank, float(np.log(values).sum())


def minimum_determinant(points, rng):
    """The robust centre, (d,), and covariance, (d, d)."""
    n, d = points.shape
    h = min((n + d + 1) // 2, n)
    if n <= d + 1 or h == n:
        return points.mean(axis=0), np.atleast_2d(np.cov(points.T)) if n > 1 else np.zeros((d, d))
    few = points if n <= _SAMPLE else points[np.sort(rng.choice(n, _SAMPLE, replace=False))]
    share = h / n
    starts = [few[rng.choice(len(few), d + 1, replace=False)] for _ in range(_STARTS)]
    tried = [_concentrated(few, some, max(int(share * len(few)), d + 1), 2) for some in starts]
    best = sorted(tried, key=lambda half: half[0])[:_BEST]
    _, half = min((_concentrated(points, half, h, _STEPS) for _, half in best), key=lambda found: found[0])
    centre, covariance = _moments(half)
    covariance = covariance * _consistency(share, d)
    near = _squared(points, centre, covariance) <= chdtri(d, 1 - _LEVEL)
    centre, covariance = _moments(points[near])
    return centre, covariance * _consistency(_LEVEL, d)


def _concentrated(points, half, h, steps):
    """The log determinant of the half at which C-steps end, and its points."""
    last = np.inf
    for _ in range(steps):
        order = np.argpartition(_squared(points, *_moments(half)), h - 1)[:h]
        half = points[np.sort(order)]
        log = precision_of(_moments(half)[1])[2]
        if log >= last - 1e-12:
            break
        last = log
    return log, half


def _moments(points):
    centre = points.mean(axis=0)
    off = points - centre
    return centre, off.T @ off / max(len(points) - 1, 1)


def _squared(points, centre, covariance):
    off = points - centre
    return np.einsum("ij,ij->i", off @ precision_of(covariance)[0], off)


def _consistency(share, d):
    """By which the covariance of the innermost share of normal points in d columns is too small."""
    if share >= 1:
        return 1.0
    return share / float(chdtr(d + 2, chdtri(d, 1 - share)))
