"""The coefficients to start from, or to keep if max_iter is 0: `coef_init` and `intercept_init`.

coef_init : (d,) for one score, else (n_scores, d), in units of the columns, as `coef_` is
intercept_init : a number, or one for each score; 0 unless given
"""

import numpy as np

from openbook.errors import ParameterError


def given_start(learner, n_scores):
    """The coefficients, (n_scores, d), and intercepts, (n_scores,), that a learner was given."""
    who, names = type(learner).__name__, learner.encoding_.names
    shape = (n_scores, len(names))
    coef = _numbers(learner.coef_init, shape, shape[1:] if n_scores == 1 else shape)
    if coef is None:
        wanted = shape[1:] if n_scores == 1 else shape
        raise ParameterError(
            f"{who}: coef_init must be finite numbers of shape {wanted}, for {', '.join(names)};"
            f" got {learner.coef_init!r}"
        )
    intercept = _numbers(learner.intercept_init, (n_scores,), () if n_scores == 1 else (n_scores,))
    if intercept is None:
        number = "a finite number" if n_scores == 1 else f"{n_scores} finite numbers"
        raise ParameterError(f"{who}: intercept_init must be {number}, got {learner.intercept_init!r}")
    if not learner.fit_intercept and intercept.any():
        raise ParameterError(f"{who}: with fit_intercept=False, intercept_init must be 0 or None")
    return coef, intercept


def _numbers(given, shape, short):
    """The numbers in that shape, or None if they are none, or of another."""
    if given is None:
        return np.zeros(shape)
    try:
        numbers = np.array(given, dtype=float)
    except (TypeError, ValueError):
        return None
    fits = numbers.shape in {shape, short} and np.isfinite(numbers).all()
    return numbers.reshape(shape) if fits else None
