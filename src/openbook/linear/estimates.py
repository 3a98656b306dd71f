r"""Standard errors, tests and intervals of the coefficients of unpenalised least squares.

    covariance    σ² (X'X)⁻¹, with a column of ones in X for the intercept
    t             β / s,  s² the coefficient's own variance;  p = 2 P(T > |t|),  T of N - p degrees of freedom
    interval      β ± t_(1 + level)/2 s

Around the means, (X'X)⁻¹ falls into parts: with S the scatter of the columns and m their means, it is S⁻¹ for
the coefficients, 1 / N + m'S⁻¹m for the intercept, and -S⁻¹m between them.
"""

import numpy as np
from scipy.special import stdtr, stdtrit

from openbook.data import Numeric, Schema, Table, Text
from openbook.linear.normal import Normal
from openbook.words.numbers import figure


def covariance(
    normal: Normal, inverse: np.ndarray, units: np.ndarray, *, intercept: bool = True
) -> np.ndarray:
    """(X'X)⁻¹ of intercept and coefficients, (1 + d, 1 + d), in units of the columns; 0 for no intercept."""
    corner = 1 / normal.weight + normal.mean @ inverse @ normal.mean if intercept else 0.0
    side = -(inverse @ normal.mean)[:, None]
    whole = np.block([[np.array([[corner]]), side.T], [side, inverse]])
    return units @ whole @ units.T


def coefficient_table(targets, terms, coefficients, errors, dof, level):
    """Intercepts and coefficients as a table, with standard errors, t, p and intervals where known.

    Parameters
    ----------
    targets : names; a column of its own where there are several
    terms : the names of intercept and coefficients
    coefficients : (T, 1 + d)
    errors : (T, 1 + d), their standard errors, NaN if there is none; or None
    """
    columns = {"coefficient": coefficients}
    if errors is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = coefficients / errors
        reach = stdtrit(dof, (1 + level) / 2) * errors
        columns |= {"standard_error": errors, "t": t, "p": 2 * stdtr(dof, -np.abs(t))}
        columns |= {"low": coefficients - reach, "high": coefficients + reach}
    return estimates_by_term("target", targets, terms, columns)


def estimates_by_term(group, labels, terms, columns):
    """Columns of estimates, (labels, terms), as a table: a row for each term, and where there are several
    labels for each of these; the column of labels is called `group`.
    """
    texts = {"term": np.tile(np.array(terms, dtype=object), len(labels))}
    if len(labels) > 1:
        texts = {group: np.repeat(np.array(labels, dtype=object), len(terms)), **texts}
    schema = Schema((*map(Text, texts), *map(Numeric, columns)))
    return Table(schema, [*texts.values(), *(array.ravel() for array in columns.values())])


def combination_words(combination, names) -> str:
    """A collinear column as a sentence."""
    name = names[combination.column]
    if not combination.factors:
        return f"{name} is always {figure(combination.constant)}; its coefficient is set to 0"
    factors = list(combination.factors.items())
    shown = factors if len(factors) <= 4 else factors[:3]
    terms = [f"{figure(factor)} × {names[k]}" for k, factor in shown]
    terms += ["…"] if len(shown) < len(factors) else []
    if abs(combination.constant) > 1e-9:
        terms.insert(0, figure(combination.constant))
    return f"{name} = {' + '.join(terms)}: collinear, so its coefficient is set to 0"
