r"""Credible intervals of the coefficients of a logistic regression with an L2 penalty.

    H = Σ_i (diag(p_i) - p_i p_i') ⊗ x_i x_i' + λ I       the curvature of the penalised log-likelihood
    V = H⁻¹                                             Laplace's approximation of the posterior covariance

x_i are the encoded columns in standard units behind a 1, whose coefficient, the intercept, has no penalty.
The penalty is the log density of a normal prior with variance 1/λ, so the intervals are credible intervals.
Of several classes, coefficients are relative to the first class: β_c - β_0.

The 0/1 columns of a nominal column add up to 1, as the column of the intercept does. So rows cannot tell a
constant in all of their coefficients from the intercept; the penalty makes their mean 0. Errors are those of
the distance from that mean: the constant, which only the prior decides, would widen every interval.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.special import ndtri

from openbook.data import Nominal, Table
from openbook.linear.maximum import penalties_of
from openbook.prepare.encoding import Encoding

#: Work that a page has time for: multiplications for the curvature.
_MOST_WORK = 2e10
#: Directions of less curvature than this share of the most are not identified.
_SINGULAR = 1e-12


class Estimates(NamedTuple):
    """The coefficients of one class against the reference, in units of the columns, intercept first.

    label : the class
    coefficients, errors : (1 + d,); errors are None if they cannot be computed, and NaN for an intercept
    """

    label: Any
    coefficients: np.ndarray
    errors: np.ndarray | None

    @property
    def odds_ratios(self) -> np.ndarray:
        """What one unit more of each column multiplies the odds by."""
        with np.errstate(over="ignore"):
            return np.exp(self.coefficients)  # type: ignore[no-any-return]

    def intervals(self, level: float) -> np.ndarray:
        """Those of the odds ratios, (1 + d, 2); NaN if they cannot be computed."""
        errors = np.full(len(self.coefficients), np.nan) if self.errors is None else self.errors
        reach = ndtri((1 + level) / 2) * errors
        with np.errstate(over="ignore", invalid="ignore"):
            return np.exp(np.stack([self.coefficients - reach, self.coefficients + reach], axis=1))  # type: ignore[no-any-return]


def odds_estimates(model: Any, X: Table, *, weighted: bool = False) -> list[Estimates]:
    """For every class but the first: the coefficients of a fitted LogisticRegression and their errors.

    X are the rows that it was fitted on; `weighted` and sparse rows have no errors here.
    """
    coefficients = np.column_stack([model.intercept_, model.coef_])
    if len(coefficients) > 1:
        coefficients = coefficients[1:] - coefficients[0]
    labels = model.classes_.tolist()[1:]
    errors = _errors(model, X, weighted=weighted)
    spreads = [None] * len(labels) if errors is None else list(errors)
    return [Estimates(*each) for each in zip(labels, coefficients, spreads, strict=True)]


def _errors(model: Any, X: Table, *, weighted: bool) -> np.ndarray | None:
    """Standard errors, (classes - 1, 1 + d)."""
    k, d = len(model.classes_) - 1, len(model.encoding_)
    if model.covariance_ is not None:
        errors: np.ndarray = np.sqrt(np.maximum(np.diag(model.covariance_), 0.0)).reshape(k, 1 + d)
        return errors
    scores = 1 if k == 1 else k + 1
    work = float(len(X)) * (scores * (d + 1)) ** 2 + float(scores * (d + 1)) ** 3
    unknown = weighted or model.encoding_.sparse or penalties_of(model)[0] or model.class_weight is not None
    if unknown or work > _MOST_WORK:
        return None
    covariance = _covariance(model, X, scores)
    if scores > 1:
        covariance = covariance[1:, 1:] - covariance[:1, 1:] - covariance[1:, :1] + covariance[:1, :1]
    centre = _centring(model.encoding_)
    variances = np.array([np.diag(centre @ covariance[c, c] @ centre) for c in range(k)])
    scale = np.append(np.nan, model.encoding_.scale)  # an intercept in standard units is another one
    return np.sqrt(variances) / scale


def _centring(encoding: Encoding) -> np.ndarray:
    """What subtracts from each value of a nominal column the mean over its values, (1 + d, 1 + d)."""
    centre = np.eye(1 + len(encoding))
    values = np.delete(np.arange(len(encoding)), encoding.gap_columns)
    for column, attribute in enumerate(encoding.schema):
        indicators = 1 + values[encoding.columns[values] == column]
        if isinstance(attribute, Nominal) and len(indicators) and not encoding.reference:
            centre[np.ix_(indicators, indicators)] -= 1 / len(indicators)
    return centre


def _covariance(model: Any, X: Table, scores: int) -> np.ndarray:
    """Of the coefficients in standard units, (scores, scores, 1 + d, 1 + d)."""
    standard = np.column_stack([np.ones(len(X)), model.encoding_(X)])
    proba = model.predict_proba(X)
    proba = proba[:, 1:] if scores == 1 else proba
    width = standard.shape[1]
    curvature = np.empty((scores, width, scores, width))
    for a in range(scores):
        for b in range(scores):
            weights = proba[:, a] * ((a == b) - proba[:, b])
            curvature[a, :, b] = standard.T @ (weights[:, None] * standard)
    hessian = curvature.reshape(scores * width, scores * width)
    hessian += np.diag(np.tile(np.append(0.0, np.full(width - 1, penalties_of(model)[1])), scores))
    values, vectors = eigh(hessian)
    known = values > _SINGULAR * values[-1]
    inverse = (vectors[:, known] / values[known]) @ vectors[:, known].T
    return inverse.reshape(scores, width, scores, width).swapaxes(1, 2)
