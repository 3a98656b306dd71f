r"""The base of all distributions: probability, cumulative probability, interval, sample, derivation.

    cdf          F(x) = P(X ≤ x)
    quantile     the least x with F(x) ≥ q
    interval     from the quantile (1 - level)/2 to (1 + level)/2: the same share is left out on either side
    sample       random draws
    expectation  E[f(X)] = Σ P(x) f(x), or ∫ p(x) f(x) dx
    derive       the probability of a value, and of all up to it, step by step

A `DiscreteDistribution` lists its support, and all of these follow from the probabilities of what is listed,
in its order. Missing values: NaN (None among categories) has the cdf NaN; nothing that is drawn is missing.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError
from openbook.measures.arrays import Floats, as_floats, plain_array
from openbook.work import Grid, Step, Work


class Distribution(ABC):
    """Something random: how probable its values are, and draws of them."""

    @abstractmethod
    def sample(self, n_samples: int = 1, random_state: int = 0) -> Any:
        """Draw values."""

    @abstractmethod
    def quantile(self, q: npt.ArrayLike) -> Any:
        """The least value with P(X <= value) >= q."""

    @abstractmethod
    def expectation(self, function: Callable[[Any], Any]) -> float:
        """E[f(X)]."""

    @abstractmethod
    def _steps(self, x: Any) -> Sequence[Step | Grid]:
        """How the probability of one value comes about."""

    def derive(self, x: Any) -> Work:
        """Derive the probability of one value, or its density, and that of all values up to it.

        Parameters
        ----------
        x : value
            One value: a number, a label, or a vector.

        Returns
        -------
        Work
        """
        return Work(f"{type(self).__name__}: the probability of a value", tuple(self._steps(x)))

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """The central interval that holds that share of the probability, or a little more where it must.

        Parameters
        ----------
        level : float, default=0.95
            The probability that a draw lies in it, ends included.

        Returns
        -------
        tuple of low and high
            Where a draw is a vector, those of each of its numbers by itself.
        """
        check_level(level)
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)


class ContinuousDistribution(Distribution):
    """A distribution with a density, which is the exponential of its logarithm."""

    @abstractmethod
    def log_pdf(self, x: npt.ArrayLike) -> Any:
        """The logarithm of the density at x."""

    def pdf(self, x: npt.ArrayLike) -> Any:
        """The density at x.

        Parameters
        ----------
        x : array-like
            The points at which to evaluate the density; for a vector, its numbers are in the last axis.

        Returns
        -------
        float or ndarray
        """
        return plain_array(np.exp(self.log_pdf(x)))


class DiscreteDistribution(Distribution):
    """A distribution of values that can be listed; the probability is the exponential of its logarithm."""

    @abstractmethod
    def log_pmf(self, x: Any) -> Any:
        """The logarithm of the probability of x."""

    @abstractmethod
    def support(self) -> Sequence[Any] | npt.NDArray[Any]:
        """The values that are possible, in order."""

    def pmf(self, x: Any) -> Any:
        """The probability of x.

        Parameters
        ----------
        x : value or array-like
            The values whose probability to compute.

        Returns
        -------
        float or ndarray
        """
        return plain_array(np.exp(self.log_pmf(x)))

    def cdf(self, x: Any) -> Any:
        """The cumulative probability P(X <= x).

        Parameters
        ----------
        x : value or array-like
            The values up to which probabilities are added.

        Returns
        -------
        float or ndarray
        """
        numbers = as_floats(x, "x")
        below = np.concatenate([[0.0], self._cumulated()])
        found = below[np.searchsorted(np.asarray(self.support(), dtype=float), numbers, side="right")]
        return plain_array(np.where(np.isnan(numbers), np.nan, found))

    def quantile(self, q: npt.ArrayLike) -> Any:
        """The least value with P(X <= value) >= q, in the order of the support.

        Parameters
        ----------
        q : array-like
            Probabilities, from 0 to 1.

        Returns
        -------
        value or list of values
        """
        levels = check_quantiles(q)
        where = np.searchsorted(self._cumulated() * (1 + 1e-12), levels)  # sums may miss a level by rounding
        where = np.minimum(where, self._last())
        values = np.asarray(self.support()).tolist()
        return values[int(where)] if where.ndim == 0 else [values[i] for i in where.ravel()]

    def sample(self, n_samples: int = 1, random_state: int = 0) -> Any:
        """Draw values.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, default=0
            Random seed.

        Returns
        -------
        ndarray
            The values drawn.
        """
        chances = np.random.default_rng(random_state).random(n_samples)
        where = np.minimum(np.searchsorted(self._cumulated(), chances, side="right"), self._last())
        return np.asarray(self.support())[where]

    def expectation(self, function: Callable[[Any], Any]) -> float:
        """E[f(X)] = Σ P(x) f(x), over all values x.

        Parameters
        ----------
        function : callable
            The function f, of one value.

        Returns
        -------
        float
        """
        p = self.pmf(self.support())
        return float(sum(share * function(x) for x, share in zip(self.support(), p, strict=True) if share))

    def _cumulated(self) -> Floats:
        return np.minimum(np.cumsum(self.pmf(self.support())), 1.0)

    def _last(self) -> int:
        """The place of the last value that is possible."""
        return int(np.flatnonzero(self.pmf(self.support()))[-1])


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, got {level}")


def check_quantiles(q: npt.ArrayLike) -> Floats:
    levels = as_floats(q, "q")
    if not ((levels >= 0) & (levels <= 1)).all():
        raise ParameterError(f"q must be a probability, from 0 to 1, got {q!r}")
    return levels
