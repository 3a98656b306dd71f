"""Discrete distributions: Bernoulli, binomial, categorical, multinomial.

    Bernoulli     P(x) = p^x (1 - p)^(1 - x)                 x in {0, 1}
    binomial      P(k) = C(n, k) p^k (1 - p)^(n - k)         k in {0 … n}
    categorical   P(v) = p_v
    multinomial   P(x) = n! / Π x_v! · Π p_v^x_v             Σ x_v = n

`fit` is maximum likelihood. `fit_map` is the mode of the posterior under the conjugate prior:

    Beta(α, β)     p   = (successes + α - 1) / (trials + α + β - 2)
    Dirichlet(α)   p_v = (N_v + α_v - 1) / (N + Σ_v (α_v - 1))

with α, β >= 1. All ones are the flat prior, whose mode is the maximum likelihood; twos add one to each count,
as Laplace did. Everything is computed as logarithms, and `pmf` is their exponential.

Shapes: a probability for each x, as an array of its shape (for the multinomial without its last axis), or a
float for one. Missing values: NaN (None in categories) is left out by `fit` and has the probability NaN.
What is outside the support has probability 0.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError, did_you_mean
from openbook.measures.arrays import SUM_TOLERANCE, Floats, as_floats, plain_array

__all__ = ["Bernoulli", "Binomial", "Categorical", "Multinomial"]


class _Discrete(ABC):
    """What discrete distributions share: the probability is the exponential of its logarithm."""

    @abstractmethod
    def log_pmf(self, x: Any) -> Any:
        """The logarithm of the probability of x."""

    def pmf(self, x: Any) -> Any:
        """The probability of x.

        Parameters
        ----------
        x : value or array-like
            The values whose probability is asked for.

        Returns
        -------
        float or ndarray
        """
        return plain_array(np.exp(self.log_pmf(x)))


@dataclass(frozen=True)
class Bernoulli(_Discrete):
    """One trial that succeeds (1) with probability p or fails (0).

    Attributes
    ----------
    p : float
        The probability of success.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> Bernoulli.fit([1, 0, 1, 1]).p
    0.75
    >>> Bernoulli.fit_map([1, 1], alpha=2, beta=2).p
    0.75
    """

    p: float

    def __post_init__(self) -> None:
        _check_probability(self.p)

    @property
    def mean(self) -> float:
        return self.p

    @property
    def variance(self) -> float:
        return self.p * (1 - self.p)

    def log_pmf(self, x: npt.ArrayLike) -> Any:
        """The logarithm of P(x).

        Parameters
        ----------
        x : array-like
            The values whose probability is asked for.

        Returns
        -------
        float or ndarray
        """
        return plain_array(_log_binomial(as_floats(x, "x"), 1, self.p))

    @classmethod
    def fit(cls, x: npt.ArrayLike) -> Self:
        """Maximum likelihood from trials of 0 and 1: the share of ones.

        Parameters
        ----------
        x : array-like
            The observed values. Missing ones are left out.

        Returns
        -------
        Self
        """
        return cls.fit_map(x, alpha=1, beta=1)

    @classmethod
    def fit_map(cls, x: npt.ArrayLike, *, alpha: float, beta: float) -> Self:
        """The mode of the posterior under the prior Beta(alpha, beta).

        Parameters
        ----------
        x : array-like
            The observed values. Missing ones are left out.
        alpha : float
            The first parameter of the beta prior; it counts like alpha - 1 successes.
        beta : float
            The second parameter of the beta prior; it counts like beta - 1 failures.

        Returns
        -------
        Bernoulli
        """
        return cls(_beta_mode(x, 1, alpha, beta))


@dataclass(frozen=True)
class Binomial(_Discrete):
    """The number of successes in n independent trials that each succeed with probability p.

    Attributes
    ----------
    n : int
        The number of trials.
    p : float
        The probability of success in each trial.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(Binomial(n=3, p=0.5).pmf(2), 12)
    0.375
    >>> Binomial.fit([2, 1, 3], n=4).p
    0.5
    """

    n: int
    p: float

    def __post_init__(self) -> None:
        _check_trials(self.n)
        _check_probability(self.p)

    @property
    def mean(self) -> float:
        return self.n * self.p

    @property
    def variance(self) -> float:
        return self.n * self.p * (1 - self.p)

    def log_pmf(self, k: npt.ArrayLike) -> Any:
        """The logarithm of P(k).

        Parameters
        ----------
        k : array-like
            The numbers of successes whose probability is asked for.

        Returns
        -------
        float or ndarray
        """
        return plain_array(_log_binomial(as_floats(k, "k"), self.n, self.p))

    @classmethod
    def fit(cls, k: npt.ArrayLike, n: int) -> Self:
        """Maximum likelihood of p from numbers of successes in n trials each.

        Parameters
        ----------
        k : array-like
            The numbers of successes.
        n : int
            The number of trials behind each.

        Returns
        -------
        Self
        """
        return cls.fit_map(k, n, alpha=1, beta=1)

    @classmethod
    def fit_map(cls, k: npt.ArrayLike, n: int, *, alpha: float, beta: float) -> Self:
        """The mode of the posterior of p under the prior Beta(alpha, beta).

        Parameters
        ----------
        k : array-like
            The numbers of successes.
        n : int
            The number of trials behind each.
        alpha : float
            The first parameter of the beta prior; it counts like alpha - 1 successes.
        beta : float
            The second parameter of the beta prior; it counts like beta - 1 failures.

        Returns
        -------
        Binomial
        """
        return cls(n, _beta_mode(k, n, alpha, beta))


@dataclass(frozen=True)
class Categorical(_Discrete):
    """One of several values, each with its probability.

    `mean` and `variance` are those of the indicators, one per value: p and p (1 - p).

    Attributes
    ----------
    values : tuple of label
        The values.
    p : tuple of float
        The probability of each value.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> colour = Categorical.fit(["red", "blue", "red", "red", None])
    >>> colour.values, colour.p
    (('red', 'blue'), (0.75, 0.25))
    >>> colour.pmf("blue"), colour.pmf("green")
    (0.25, 0.0)
    """

    values: tuple[Hashable, ...]
    p: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", _probabilities(self.p))
        if len(self.values) != len(self.p) or len(set(self.values)) != len(self.values):
            msg = f"each of the {len(self.p)} probabilities needs a value of its own, got {list(self.values)}"
            raise ParameterError(msg)

    @property
    def mean(self) -> Floats:
        return np.array(self.p)

    @property
    def variance(self) -> Floats:
        return self.mean * (1 - self.mean)

    def log_pmf(self, x: Any) -> Any:
        """The logarithm of P(x): -inf for a value that is not listed, NaN for a missing one.

        Parameters
        ----------
        x : value or sequence
            The values whose probability is asked for.

        Returns
        -------
        float or ndarray
        """
        labels = np.asarray(x, dtype=object)
        with np.errstate(divide="ignore"):  # log 0 is -inf, as it should be
            logs = dict(zip(self.values, np.log(self.p), strict=True))
        found = [np.nan if _is_missing(label) else logs.get(label, -np.inf) for label in labels.flat]
        return plain_array(np.reshape(np.array(found, dtype=np.float64), labels.shape))

    @classmethod
    def fit(cls, x: Sequence[Hashable], values: Sequence[Hashable] | None = None) -> Self:
        """Maximum likelihood: the share of each value; `values` default to those seen, in order.

        Parameters
        ----------
        x : sequence of label
            The observed values. Missing ones are left out.
        values : sequence of label or None, default=None
            All values that are possible; None for those seen, in order.

        Returns
        -------
        Self
        """
        return cls.fit_map(x, values, alpha=1)

    @classmethod
    def fit_map(
        cls, x: Sequence[Hashable], values: Sequence[Hashable] | None = None, *, alpha: npt.ArrayLike
    ) -> Self:
        """The mode of the posterior under the prior Dirichlet(alpha): one alpha for all, or one per value.

        Parameters
        ----------
        x : sequence of label
            The observed values. Missing ones are left out.
        values : sequence of label or None, default=None
            All values that are possible; None for those seen, in order.
        alpha : array-like
            The parameters of the prior; each counts like alpha - 1 rows of its value.

        Returns
        -------
        Categorical
        """
        seen = [label for label in np.asarray(x, dtype=object) if not _is_missing(label)]
        listed = tuple(dict.fromkeys(seen) if values is None else values)
        counts = dict.fromkeys(listed, 0)
        for label in seen:
            if label not in counts:
                hint = did_you_mean(str(label), [str(value) for value in listed])
                msg = f"the value {label!r} is not listed. {hint}"
                raise ParameterError(msg)
            counts[label] += 1
        return cls(listed, _dirichlet_mode(np.array(list(counts.values()), dtype=np.float64), alpha))


@dataclass(frozen=True)
class Multinomial(_Discrete):
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
        _check_trials(self.n)
        object.__setattr__(self, "p", _probabilities(self.p))

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
            The values whose probability is asked for.

        Returns
        -------
        float or ndarray
        """
        from scipy.special import gammaln, xlogy

        counts = as_floats(x, "x")
        if counts.ndim == 0 or counts.shape[-1] != len(self.p):
            msg = f"x must hold {len(self.p)} counts in its last axis, got the shape {counts.shape}"
            raise ParameterError(msg)
        inside = _is_count(counts).all(axis=-1) & (counts.sum(axis=-1) == self.n)
        safe = np.where(inside[..., np.newaxis], counts, 0)
        logs = gammaln(self.n + 1) + (xlogy(safe, self.p) - gammaln(safe + 1)).sum(axis=-1)
        return plain_array(np.where(np.isnan(counts).any(axis=-1), np.nan, np.where(inside, logs, -np.inf)))

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
        rows = np.atleast_2d(as_floats(x, "x"))
        rows = rows[~np.isnan(rows).any(axis=1)]
        if not len(rows):
            msg = "x holds no complete row, so there is nothing to fit"
            raise ParameterError(msg)
        n = rows[0].sum()
        good = _is_count(rows).all(axis=1) & (rows.sum(axis=1) == n)
        if not good.all():
            row = rows[int(np.argmin(good))].tolist()
            msg = f"each row must hold whole counts that sum to {n:g}, as the first does; got {row}"
            raise ParameterError(msg)
        return cls(int(n), _dirichlet_mode(rows.sum(axis=0), alpha))


def _log_binomial(k: Floats, n: int, p: float) -> Floats:
    from scipy.special import gammaln, xlog1py, xlogy

    inside = _is_count(k) & (k <= n)
    safe = np.where(inside, k, 0)
    choose = gammaln(n + 1) - gammaln(safe + 1) - gammaln(n - safe + 1)
    logs = choose + xlogy(safe, p) + xlog1py(n - safe, -p)
    return np.where(np.isnan(k), np.nan, np.where(inside, logs, -np.inf))


def _beta_mode(successes: npt.ArrayLike, n: int, alpha: float, beta: float) -> float:
    """P from numbers of successes in n trials each, under a Beta prior."""
    _check_trials(n)
    k = as_floats(successes, "the successes").ravel()
    k = k[~np.isnan(k)]
    if not (_is_count(k) & (k <= n)).all():
        wrong = k[~(_is_count(k) & (k <= n))][0]
        msg = f"successes must be whole numbers from 0 to {n}, got {wrong:g}"
        raise ParameterError(msg)
    return _dirichlet_mode(np.array([k.sum(), n * k.size - k.sum()]), [alpha, beta])[0]


def _dirichlet_mode(counts: Floats, alpha: npt.ArrayLike) -> tuple[float, ...]:
    prior = as_floats(alpha, "alpha")
    if prior.shape not in {(), counts.shape} or not (np.isfinite(prior) & (prior >= 1)).all():
        msg = f"a prior needs finite parameters of at least 1, one for all or one per value, got {alpha!r}"
        raise ParameterError(msg)
    weights = counts + prior - 1
    if not weights.any():
        msg = "there is nothing to fit: no data, and a flat prior"
        raise ParameterError(msg)
    return tuple((weights / weights.sum()).tolist())


def _probabilities(p: Iterable[float]) -> tuple[float, ...]:
    numbers = tuple(float(q) for q in p)
    for q in numbers:
        _check_probability(q)
    if abs(sum(numbers) - 1) > SUM_TOLERANCE:
        msg = f"probabilities must sum to one, got {list(numbers)}"
        raise ParameterError(msg)
    return numbers


def _check_probability(p: float) -> None:
    if not 0 <= p <= 1:
        msg = f"p must be a probability, from 0 to 1, got {p}"
        raise ParameterError(msg)


def _check_trials(n: int) -> None:
    if n != int(n) or n < 0:
        msg = f"n must be a whole number of trials, 0 or more, got {n}"
        raise ParameterError(msg)


def _is_count(x: Floats) -> npt.NDArray[np.bool_]:
    whole: npt.NDArray[np.bool_] = np.isfinite(x) & (x >= 0) & (x == np.floor(x))
    return whole


def _is_missing(label: object) -> bool:
    return label is None or (isinstance(label, float) and np.isnan(label))
