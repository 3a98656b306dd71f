r"""Standard errors and intervals of an unpenalised fit (Wald), and whether a fit exists (separation).

    covariance    V = H⁻¹, with H the Hessian of the negative log-likelihood at its least value
    Wald          z = θ / √V_jj,  p = 2 Φ(-|z|),  θ ± z_{1-α/2} √V_jj

If a plane separates the classes, possibly with some rows on it, the likelihood has no maximum: coefficients
grow without bound, ever more slowly. The Newton steps do not shrink, because slope and curvature fade
together. Such a step is the sign of separation, and the margins of all rows along it prove it (Albert and
Anderson 1984).

A coefficient has no standard error, NaN, where its columns are collinear or it grows for ever.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.special import ndtr, ndtri

from openbook.linear.estimates import estimates_by_term
from openbook.linear.solvers import SINGULAR, solve

#: A Newton step longer than this, in standard units, at a slope of practically 0, is a sign of separation.
DIVERGENT = 1e-3

#: Margins below this share of the largest count as none, and coefficients below it as not moving.
NEGLIGIBLE = 1e-3


class Certainty(NamedTuple):
    """The certainty of unpenalised estimates.

    covariance : float64 (n_scores (d + 1),) squared, in units of the rows, a score's intercept first;
        for several scores of all but the first, relative to it
    separated : bool (d,), the columns along which the classes are separated
    complete : whether they do so for all rows
    collinear : bool (d,), the columns that others make up
    """

    covariance: np.ndarray
    separated: np.ndarray
    complete: bool
    collinear: np.ndarray


def certainty(likelihood, theta, units):
    """The certainty of the estimates `theta` of an unpenalised solver, in standard units."""
    _, gradient, hessian = likelihood.curved(theta)
    k, width = likelihood.n_scores, len(likelihood.penalty)
    inverse, open_ = _inverse(hessian * likelihood.total)
    open_ = open_.reshape(k, width)
    moving, complete = _diverges(likelihood, theta, -solve(hessian, gradient))
    lost = open_ | moving | complete
    lost[:, -1] |= (lost[:, :-1] & (units.shift != 0)).any(axis=1)  # the intercept takes them in
    blocks = inverse.reshape(k, width, k, width).swapaxes(1, 2)
    if k > 1:
        blocks = blocks[1:, 1:] - blocks[:1, 1:] - blocks[1:, :1] + blocks[:1, :1]
        lost = lost[1:] | lost[:1]
    blocks = units.of_rows(units.of_rows(blocks).swapaxes(2, 3)).swapaxes(2, 3)
    blocks, lost = np.roll(blocks, 1, axis=(2, 3)), np.roll(lost, 1, axis=1).ravel()
    covariance = blocks.swapaxes(1, 2).reshape(lost.size, lost.size)
    covariance[lost] = covariance[:, lost] = np.nan
    if not likelihood.intercept:
        covariance[::width] = covariance[:, ::width] = 0.0
    by_column = moving[:, :-1].any(axis=0), open_[:, :-1].any(axis=0)
    return Certainty(covariance, by_column[0], complete, by_column[1])


def _inverse(hessian):
    """The inverse of a Hessian, (p, p), and which coefficients collinear columns leave open, (p,)."""
    scale = np.sqrt(np.where(np.diag(hessian) > 0, np.diag(hessian), 1.0))
    values, vectors = eigh(hessian / np.outer(scale, scale))
    known = values > SINGULAR * values[-1]
    inverse = (vectors[:, known] / values[known]) @ vectors[:, known].T
    return inverse / np.outer(scale, scale), (np.abs(vectors[:, ~known]) > 1e-6).any(axis=1)


def _diverges(likelihood, theta, step):
    """Which coefficients grow without bound, (n_scores, d + 1), and whether the separation is complete."""
    moving = np.abs(step.reshape(likelihood.n_scores, -1))
    none = np.zeros(moving.shape, dtype=bool)
    if moving.max() <= DIVERGENT:
        return none, False
    complete = bool(likelihood.margins(theta).least[0] > 0)
    along = likelihood.margins(step)
    if not complete and along.least[0] < -NEGLIGIBLE * along.most[0]:
        return none, False
    return moving > NEGLIGIBLE * moving.max(), complete


def odds_table(labels, terms, estimates, covariance, level):
    """Coefficients as a table, with odds ratios; where known, with standard errors, z, p, and intervals.

    labels : what each row of the estimates is about; left out where there is one only
    terms : the names of a row's estimates
    covariance : of all estimates, or None
    """
    coefficients = estimates.ravel()
    columns = {"coefficient": coefficients}
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ratio = np.exp(coefficients)
        if covariance is not None:
            error = np.sqrt(np.diag(covariance))
            reach = ndtri((1 + level) / 2) * error
            z = coefficients / error
            columns |= {"standard_error": error, "z": z, "p": 2.0 * ndtr(-np.abs(z)), "odds_ratio": ratio}
            columns |= {"low": np.exp(coefficients - reach), "high": np.exp(coefficients + reach)}
        elif len(labels) == 1:
            columns["odds_ratio"] = ratio
    return estimates_by_term("class", labels, terms, columns)
