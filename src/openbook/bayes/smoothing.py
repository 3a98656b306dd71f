r"""From counts to probabilities, with remedies for values that do not occur with a class.

    none        n / N
    epsilon     n / N, and eps where that is 0; nothing is renormalised
    Laplace     (n + alpha) / (N + alpha V)
    m-estimate  (n + m p) / (N + m)

n is the count of the value among the N rows of the class in which the attribute is known, V the number of
values, p a guess made beforehand. A value not seen in training has n = 0; without smoothing it has no
estimate (NaN) and is left out. Where a class has no known row (N = 0) every value is equally likely, 1 / V.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from openbook.data.attributes import as_text
from openbook.errors import ParameterError, did_you_mean
from openbook.words.numbers import figure, fraction


class Smoothing(ABC):
    """A way from counts to probabilities.

    Smoothings are small frozen values, called with arrays or numbers: `Laplace(1.0)(n, N, V, p)`.
    """

    formula: ClassVar[str]
    #: Whether it has an estimate for a value that training never saw.
    covers_unseen: ClassVar[bool] = True

    @abstractmethod
    def __call__(self, n, N, V, p):
        """The probability of a value from its count.

        Parameters
        ----------
        n : float
            The count of the value among the rows of the class.
        N : float
            The rows of the class in which the attribute is known.
        V : int
            The number of values of the attribute.
        p : float
            The guess made beforehand.

        Returns
        -------
        float
        """

    @abstractmethod
    def numbers(self, n, N, V, p) -> str:
        """The formula with the numbers put in, as LaTeX.

        Parameters
        ----------
        n : float
            The count of the value among the rows of the class.
        N : float
            The rows of the class in which the attribute is known.
        V : int
            The number of values of the attribute.
        p : float
            The guess made beforehand.

        Returns
        -------
        str
        """

    def imagined(self, p) -> Any:  # noqa: ARG002
        """The rows that each value is counted more than it was seen; 0 if it is not by counting more.

        Parameters
        ----------
        p : float or ndarray
            The guess made beforehand.

        Returns
        -------
        float or ndarray
        """
        return 0.0

    def guess(self, label: str, column: str, values: tuple[str, ...]) -> np.ndarray:  # noqa: ARG002
        """The guesses p for the values of a column, and last for an unseen value.

        Parameters
        ----------
        label : str
            The class.
        column : str
            The name of the column.
        values : tuple of str
            Its values.

        Returns
        -------
        ndarray of shape (n_values + 1,)
        """
        return np.full(len(values) + 1, 1 / max(len(values), 1))

    def guesses(self, labels, columns, values: tuple[str, ...]) -> np.ndarray:
        """The guesses for the same values in each of many columns.

        Parameters
        ----------
        labels : sequence of str
            The classes.
        columns : sequence of str
            The names of the columns.
        values : tuple of str
            Their values.

        Returns
        -------
        ndarray of shape (n_classes or 1, n_columns or 1, n_values + 1)
        """
        return self.guess(str(labels[0]), columns[0], values)[None, None]

    def table(self, counts: np.ndarray, labels, column: str, values: tuple[str, ...]) -> np.ndarray:
        """The estimates of a column; the last is that of an unseen value.

        Parameters
        ----------
        counts : ndarray of shape (n_classes, n_values)
            How often each class shows each value.
        labels : sequence of str
            The classes.
        column : str
            The name of the column.
        values : tuple of str
            Its values.

        Returns
        -------
        ndarray of shape (n_classes, n_values + 1)
        """
        estimates = np.full((len(counts), len(values) + 1), 1 / max(len(values), 1))
        shown = np.zeros(estimates.shape)  # a value never seen is shown by none
        shown[:, :-1] = counts
        for row, n, seen, label in zip(estimates, shown, counts, labels, strict=True):
            if (N := seen.sum()) > 0:
                row[:] = self(n, N, len(values), self.guess(str(label), column, values))
        if not self.covers_unseen:
            estimates[:, -1] = np.nan
        return estimates

    def distributions(self, counts: np.ndarray, labels, column: str, values: tuple[str, ...]) -> np.ndarray:
        """The `table`, whose rows must be distributions over the values, as in a model of what rows occur.

        Parameters
        ----------
        counts : array of shape (n_classes, n_values)
            How many rows there are of each class and value.
        labels : sequence of str
            The classes.
        column : str
            The name of the column.
        values : tuple of str
            Its values.

        Returns
        -------
        ndarray of shape (n_classes, n_values + 1)
        """
        estimates = self.table(counts, labels, column, values)
        if not np.allclose(estimates[:, :-1].sum(axis=1), 1.0):
            msg = (
                f"{self}: its guesses for the values of {column!r} must sum to 1; omit p, or give one a value"
            )
            raise ParameterError(msg)
        return estimates


@dataclass(frozen=True)
class NoSmoothing(Smoothing):
    """No smoothing: relative frequencies n / N; a zero count makes the whole product zero.

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    Examples
    --------
    >>> NoSmoothing()(2, 8, 3, None)  # 2 of 8 rows
    0.25
    """

    formula = r"\frac{n}{N}"
    covers_unseen = False

    def __call__(self, n, N, V, p):  # noqa: ARG002
        return n / N

    def numbers(self, n, N, V, p):  # noqa: ARG002
        return fraction(n, N)


@dataclass(frozen=True)
class Epsilon(Smoothing):
    """Epsilon smoothing: every zero estimate is replaced by a small number.

    The other estimates stay, so those of a class may sum to more than one.

    Parameters
    ----------
    eps : float, default=1e-06
        The probability used instead of 0.

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    Examples
    --------
    >>> float(Epsilon(0.01)(0, 8, 3, None)), float(Epsilon(0.01)(2, 8, 3, None))
    (0.01, 0.25)
    """

    eps: float = 1e-6

    formula = r"\max\left(\frac{n}{N}, \epsilon\right)"

    def __post_init__(self):
        _check(0 < self.eps < math.inf, f"Epsilon: eps must be a number above 0, got {self.eps!r}")

    def __call__(self, n, N, V, p):  # noqa: ARG002
        return np.where(np.asarray(n) > 0, n / N, self.eps)

    def numbers(self, n, N, V, p):  # noqa: ARG002
        return fraction(n, N) if n > 0 else rf"\epsilon = {figure(self.eps)}"


@dataclass(frozen=True)
class Laplace(Smoothing):
    """Laplace smoothing (Lidstone for other alpha): each value is counted alpha times more than it was seen.

    Parameters
    ----------
    alpha : float, default=1.0
        How many times more; 1 is Laplace's rule of succession.

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    Examples
    --------
    >>> Laplace()(0, 7, 3, None)  # (0 + 1) / (7 + 3)
    0.1
    """

    alpha: float = 1.0

    formula = r"\frac{n + \alpha}{N + \alpha V}"

    def __post_init__(self):
        good = 0 < self.alpha < math.inf
        _check(good, f"Laplace: alpha must be a number above 0, got {self.alpha!r}; for none, NoSmoothing()")

    def __call__(self, n, N, V, p):  # noqa: ARG002
        return (n + self.alpha) / (N + self.alpha * V)

    def numbers(self, n, N, V, p):  # noqa: ARG002
        a = figure(self.alpha)
        return rf"\frac{{{figure(n)} + {a}}}{{{figure(N)} + {a} \cdot {V}}}"

    def imagined(self, p):  # noqa: ARG002
        return self.alpha


@dataclass(frozen=True)
class MEstimate(Smoothing):
    """The m-estimate: m imagined rows that show each value with the guessed probability p.

    Parameters
    ----------
    m : float, default=1.0
        The number of imagined rows.
    p : float, mapping or None, default=None
        The guess: one for all, {class: p}, or {class: {column: {value: p}}}. None spreads it evenly, 1 / V.

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    Examples
    --------
    >>> MEstimate(m=2)(1, 4, 2, 0.5)  # (1 + 2 · 0.5) / (4 + 2)
    0.3333333333333333
    """

    m: float = 1.0
    p: Any = None

    formula = r"\frac{n + m p}{N + m}"

    def __post_init__(self):
        good = 0 < self.m < math.inf
        _check(good, f"MEstimate: m must be a number above 0, got {self.m!r}; for none, NoSmoothing()")

    def __call__(self, n, N, V, p):  # noqa: ARG002
        return (n + self.m * p) / (N + self.m)

    def numbers(self, n, N, V, p):  # noqa: ARG002
        m = figure(self.m)
        return rf"\frac{{{figure(n)} + {m} \cdot {figure(p)}}}{{{figure(N)} + {m}}}"

    def imagined(self, p):
        return self.m * p

    def guess(self, label, column, values):
        p = self.p
        if p is None:
            return super().guess(label, column, values)
        for key in (label, column):
            if isinstance(p, Mapping):
                p = _by_text(p)
                _check(key in p, f"MEstimate: p does not include {key!r}. {did_you_mean(key, list(p))}")
                p = p[key]
        if isinstance(p, Mapping):
            p = _by_text(p)
            absent = [value for value in values if value not in p]
            _check(not absent, f"MEstimate: p[{label!r}][{column!r}] lacks the values {absent}")
            guesses = np.array([float(p[value]) for value in values] + [0.0])
        else:
            guesses = np.full(len(values) + 1, float(p))
        inside = ((guesses >= 0) & (guesses <= 1)).all()
        _check(inside, f"MEstimate: p must lie between 0 and 1, got {self.p!r}")
        return guesses

    def guesses(self, labels, columns, values):
        if self.p is None:
            return super().guesses(labels, columns, values)
        return np.array([[self.guess(str(label), name, values) for name in columns] for label in labels])


def _by_text(p: Mapping) -> dict[str, Any]:
    """The mapping with its keys in the one spelling of classes and values."""
    return {as_text(key): value for key, value in p.items()}


def _check(holds, message: str) -> None:
    if not holds:
        raise ParameterError(message)
