"""The multinomial distribution: how often each of several values comes up in n draws.

    P(x) = n! / Π x_v! · Π p_v^x_v        Σ x_v = n

x : counts of shape (…, n_values); a probability for each row of counts, or a float for one. Missing values: a
row with NaN is left out by `fit` and has the probability NaN. What does not sum to n has probability 0.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError
from openbook.measures.arrays import Floats, as_floats, plain_array, vectors_of
from openbook.measures.derive_distributions import multinomial_steps
from openbook.measures.distribution import Distribution, check_quantiles
from openbook.measures.distributions import (
    Binomial,
    check_trials,
    checked_probabilities,
    dirichlet_mode,
    is_count,
    log_binomial,
)
from openbook.measures.recipe import derive_shares
from openbook.work import Step, Work

#: The most rows of counts whose probabilities are added up.
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Multinomial(Distribution):
    """How often each of several values comes up in n independent draws.

    Attributes
    ----------
    n : int
        The number of draws.
    p : tuple of float
        The probability of each value in a draw.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(Multinomial(n=3, p=(0.5, 0.25, 0.25)).pmf([1, 1, 1]), 12)
    0.1875
    >>> Multinomial.fit([[2, 1, 1], [0, 3, 1]]).p
    (0.25, 0.5, 0.25)
    """

    n: int
    p: tuple[float, ...]

    def __post_init__(self) -> None:
        check_trials(self.n)
        object.__setattr__(self, "p", checked_probabilities(self.p))

    @property
    def mean(self) -> Floats:
        return self.n * np.array(self.p)

    @property
    def variance(self) -> Floats:
        p: Floats = np.array(self.p)
        return self.n * p * (1 - p)

    def log_pmf(self, x: npt.ArrayLike) -> Any:
        """The logarithm of P(x) for counts of shape (…, n_values).

        Parameters
        ----------
        x : array-like
            The values whose probability to compute.

        Returns
        -------
        float or ndarray
        """
        from scipy.special import gammaln, xlogy

        counts = vectors_of(x, len(self.p), "counts")
        inside = is_count(counts).all(axis=-1) & (counts.sum(axis=-1) == self.n)
        safe = np.where(inside[..., np.newaxis], counts, 0)
        logs = gammaln(self.n + 1) + (xlogy(safe, self.p) - gammaln(safe + 1)).sum(axis=-1)
        return plain_array(np.where(np.isnan(counts).any(axis=-1), np.nan, np.where(inside, logs, -np.inf)))

    def pmf(self, x: npt.ArrayLike) -> Any:
        """P(x) for counts of shape (…, n_values).

        Parameters
        ----------
        x : array-like
            The counts whose probability to compute.

        Returns
        -------
        float or ndarray
        """
        return plain_array(np.exp(self.log_pmf(x)))

    def cdf(self, x: npt.ArrayLike) -> Any:
        """The probability that every count is at most that of x, of shape (…, n_values).

        Parameters
        ----------
        x : array-like
            The most that each count may be.

        Returns
        -------
        float or ndarray
        """
        limits = vectors_of(x, len(self.p), "counts")
        rows = [self._all_within(row) for row in limits.reshape(-1, len(self.p)).tolist()]
        return plain_array(np.reshape(rows, limits.shape[:-1]))

    def _all_within(self, limits: list[float]) -> float:
        """P(X <= limits), by distributing the draws over the values, one after the other (n! Π p^x / x!)."""
        if any(math.isnan(limit) for limit in limits):
            return math.nan
        if min(limits) < 0:
            return 0.0
        left, so_far = 1.0, np.eye(1, self.n + 1)[0]  # P(the values so far have come up j times)
        for p, limit in zip(self.p, limits, strict=True):
            share = min(p / left, 1.0) if left > 0 else 0.0
            after = np.zeros(self.n + 1)
            for drawn in np.flatnonzero(so_far):
                own = np.exp(log_binomial(np.arange(self.n - drawn + 1.0), self.n - int(drawn), share))
                own[math.floor(min(limit, self.n)) + 1 :] = 0.0
                after[drawn:] += so_far[drawn] * own
            left, so_far = left - p, after
        return min(float(so_far[-1]), 1.0)

    def quantile(self, q: npt.ArrayLike) -> Any:
        """The least number with P(count <= number) >= q, of each value by itself.

        Parameters
        ----------
        q : float
            A probability, from 0 to 1.

        Returns
        -------
        list of int
        """
        level = float(check_quantiles(q))
        return [int(Binomial(self.n, p).quantile(level)) for p in self.p]

    def sample(self, n_samples: int = 1, random_state: int = 0) -> npt.NDArray[Any]:
        """Draw rows of counts.

        Parameters
        ----------
        n_samples : int, default=1
            How many rows.
        random_state : int, default=0
            Random seed.

        Returns
        -------
        ndarray of shape (n_samples, n_values)
        """
        return np.random.default_rng(random_state).multinomial(self.n, self.p, size=n_samples)

    def support(self) -> Iterator[tuple[int, ...]]:
        """All rows of counts that sum to n."""
        cells = math.comb(self.n + len(self.p) - 1, len(self.p) - 1)
        if cells > MOST_ROWS:
            msg = f"{cells:,} rows of counts are possible; average the function over sample(100_000) instead"
            raise ParameterError(msg)
        return _shared_out(self.n, len(self.p))

    def expectation(self, function: Callable[[Any], Any]) -> float:
        """E[f(X)] = Σ P(x) f(x), over all rows of counts x that sum to n.

        Parameters
        ----------
        function : callable
            The function f, of a row of counts as an array.

        Returns
        -------
        float
        """
        return float(sum(self.pmf(row) * function(np.array(row)) for row in self.support()))

    def _steps(self, x: npt.ArrayLike) -> list[Step]:
        counts = [int(count) for count in as_floats(x, "x")]
        return multinomial_steps(self.p, counts, self.pmf(counts))

    @classmethod
    def work(cls, x: npt.ArrayLike) -> Work:
        """Derive `fit` with a Lagrange multiplier, since the probabilities must sum to one.

        Parameters
        ----------
        x : array-like
            Rows of counts that each sum to the same n. Rows with a missing one are left out.

        Returns
        -------
        Work
        """
        total = _draws(x).sum(axis=0).tolist()
        return derive_shares("Multinomial", {f"value {v}": count for v, count in enumerate(total, 1)})

    @classmethod
    def fit(cls, x: npt.ArrayLike) -> Self:
        """Maximum likelihood from rows of counts (n_rows, n_values) that each sum to the same n.

        Parameters
        ----------
        x : array-like
            The observed values. Missing ones are left out.

        Returns
        -------
        Self
        """
        return cls.fit_map(x, alpha=1)

    @classmethod
    def fit_map(cls, x: npt.ArrayLike, *, alpha: npt.ArrayLike) -> Self:
        """The mode of the posterior under the prior Dirichlet(alpha): one alpha for all, or one per value.

        Parameters
        ----------
        x : array-like
            The observed values. Missing ones are left out.
        alpha : array-like
            The parameters of the prior; each counts like alpha - 1 draws of its value.

        Returns
        -------
        Multinomial
        """
        rows = _draws(x)
        return cls(int(rows[0].sum()), dirichlet_mode(rows.sum(axis=0), alpha))


def _draws(x: npt.ArrayLike) -> Floats:
    """The complete rows of counts, checked: whole, and all of the same sum."""
    rows = np.atleast_2d(as_floats(x, "x"))
    rows = rows[~np.isnan(rows).any(axis=1)]
    if not len(rows):
        raise ParameterError("x holds no complete row, so there is nothing to fit")
    n = rows[0].sum()
    good = is_count(rows).all(axis=1) & (rows.sum(axis=1) == n)
    if not good.all():
        row = rows[int(np.argmin(good))].tolist()
        msg = f"each row must hold whole counts that sum to {n:g}, as the first does; got {row}"
        raise ParameterError(msg)
    return rows


def _shared_out(n: int, values: int) -> Iterator[tuple[int, ...]]:
    """All ways to distribute n draws over a number of values."""
    if values == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in _shared_out(n - first, values - 1):
            yield (first, *rest)
