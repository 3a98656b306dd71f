"""Discrete distributions of one value: Bernoulli, binomial, categorical.

    Bernoulli     P(x) = p^x (1 - p)^(1 - x)                 x in {0, 1}
    binomial      P(k) = C(n, k) p^k (1 - p)^(n - k)         k in {0 … n}
    categorical   P(v) = p_v

`fit` is maximum likelihood. `fit_map` is the mode of the posterior under the conjugate prior:

    Beta(α, β)     p   = (successes + α - 1) / (trials + α + β - 2)
    Dirichlet(α)   p_v = (N_v + α_v - 1) / (N + Σ_v (α_v - 1))

with α, β >= 1. All ones are the flat prior, whose mode is the maximum likelihood; twos add one to each count,
as Laplace did. Everything is computed as logarithms, and `pmf` is their exponential. `work` derives the
maximum likelihood: objective, derivative, set to zero, solve, second derivative. What else there is follows
from the probabilities: see `distribution`.

Shapes: a probability for each x, as an array of its shape, or a float for one. Missing values: NaN (None in
categories) is left out by `fit` and has the probability NaN. What is outside the support has probability 0.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError, did_you_mean
from openbook.measures.arrays import SUM_TOLERANCE, Floats, as_floats, plain_array
from openbook.measures.beta import Beta
from openbook.measures.derive_distributions import binomial_steps, share_steps
from openbook.measures.distribution import DiscreteDistribution
from openbook.measures.recipe import derive_shares, derive_successes
from openbook.work import Step, Work


class _Successes(DiscreteDistribution):
    """The number of successes in n trials that each succeed with probability p."""

    n: int
    p: float

    @property
    def mean(self) -> float:
        return self.n * self.p

    @property
    def variance(self) -> float:
        return self.n * self.p * (1 - self.p)

    def support(self) -> npt.NDArray[Any]:
        """The values that are possible: 0 … n."""
        return np.arange(self.n + 1)

    def _steps(self, x: int) -> list[Step]:
        if not 0 <= x <= self.n or x != int(x):
            raise ParameterError(f"the value must be a whole number from 0 to {self.n}, got {x!r}")
        masses = np.exp(log_binomial(np.arange(int(x) + 1.0), self.n, self.p)).tolist()
        return binomial_steps(self.n, self.p, int(x), masses)


@dataclass(frozen=True)
class Bernoulli(_Successes):
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

    n: ClassVar[int] = 1  # type: ignore[misc]

    def __post_init__(self) -> None:
        _check_probability(self.p)

    def log_pmf(self, x: npt.ArrayLike) -> Any:
        """The logarithm of P(x).

        Parameters
        ----------
        x : array-like
            The values whose probability to compute.

        Returns
        -------
        float or ndarray
        """
        return plain_array(log_binomial(as_floats(x, "x"), 1, self.p))

    @classmethod
    def work(cls, x: npt.ArrayLike, alpha: float = 1, beta: float = 1) -> Work:
        """Derive `fit`: the log-likelihood, its derivative, where that is zero, and that it is a maximum.

        Parameters
        ----------
        x : array-like
            The observed values. Missing ones are left out.
        alpha : float, default=1
            With another than 1, `fit_map` is derived: the first parameter of the prior Beta(alpha, beta).
        beta : float, default=1
            Its second parameter.

        Returns
        -------
        Work
        """
        return derive_successes("Bernoulli", *_successes(x, 1), 1, (alpha, beta))

    @classmethod
    def posterior(cls, x: npt.ArrayLike, alpha: float = 1, beta: float = 1) -> Beta:
        """What is known of p after the trials: Beta(alpha + successes, beta + failures).

        Parameters
        ----------
        x : array-like
            The observed values. Missing ones are left out.
        alpha : float, default=1
            The first parameter of the prior Beta(alpha, beta).
        beta : float, default=1
            Its second parameter; with 1 and 1 the prior is flat.

        Returns
        -------
        Beta
        """
        return _posterior(x, 1, alpha, beta)

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
class Binomial(_Successes):
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
        check_trials(self.n)
        _check_probability(self.p)

    def log_pmf(self, k: npt.ArrayLike) -> Any:
        """The logarithm of P(k).

        Parameters
        ----------
        k : array-like
            The numbers of successes whose probability to compute.

        Returns
        -------
        float or ndarray
        """
        return plain_array(log_binomial(as_floats(k, "k"), self.n, self.p))

    @classmethod
    def work(cls, k: npt.ArrayLike, n: int, alpha: float = 1, beta: float = 1) -> Work:
        """Derive `fit`: the log-likelihood, its derivative, where that is zero, and that it is a maximum.

        Parameters
        ----------
        k : array-like
            The numbers of successes.
        n : int
            The number of trials behind each.
        alpha : float, default=1
            With another than 1, `fit_map` is derived: the first parameter of the prior Beta(alpha, beta).
        beta : float, default=1
            Its second parameter.

        Returns
        -------
        Work
        """
        return derive_successes("Binomial", *_successes(k, n), n, (alpha, beta))

    @classmethod
    def posterior(cls, k: npt.ArrayLike, n: int, alpha: float = 1, beta: float = 1) -> Beta:
        """What is known of p after the trials: Beta(alpha + successes, beta + failures).

        Parameters
        ----------
        k : array-like
            The numbers of successes.
        n : int
            The number of trials behind each.
        alpha : float, default=1
            The first parameter of the prior Beta(alpha, beta).
        beta : float, default=1
            Its second parameter; with 1 and 1 the prior is flat.

        Returns
        -------
        Beta
        """
        return _posterior(k, n, alpha, beta)

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
class Categorical(DiscreteDistribution):
    """One of several values, each with its probability.

    `mean` and `variance` are those of the indicators, one per value: p and p (1 - p). `cdf`, `quantile` and
    `interval` go by the order in which the values are listed.

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
        object.__setattr__(self, "p", checked_probabilities(self.p))
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
            The values whose probability to compute.

        Returns
        -------
        float or ndarray
        """
        with np.errstate(divide="ignore"):  # log 0 is -inf, as it should be
            return _looked_up(x, self.values, np.log(self.p), unlisted=-np.inf)

    def support(self) -> npt.NDArray[Any]:
        """The values that are possible, in the order in which they are listed."""
        listed = np.empty(len(self.values), dtype=object)
        listed[:] = self.values
        return listed

    def _steps(self, x: Hashable) -> list[Step]:
        self.cdf(x)  # refuses a value that is not listed
        return share_steps(self.values, self.p, x)

    def cdf(self, x: Any) -> Any:
        """The probability of x and of the values listed before it; NaN for a missing one.

        Parameters
        ----------
        x : value or sequence
            Values of the distribution.

        Returns
        -------
        float or ndarray
        """
        labels = [label for label in np.asarray(x, dtype=object).flat if not _is_missing(label)]
        if odd := [label for label in labels if label not in self.values]:
            hint = did_you_mean(str(odd[0]), [str(value) for value in self.values])
            raise ParameterError(
                f"the value {odd[0]!r} is not listed, so it has no place in the order. {hint}"
            )
        return _looked_up(x, self.values, self._cumulated())

    @classmethod
    def work(cls, x: Sequence[Hashable], values: Sequence[Hashable] | None = None) -> Work:
        """Derive `fit` with a Lagrange multiplier, since the probabilities must sum to one.

        Parameters
        ----------
        x : sequence of label
            The observed values. Missing ones are left out.
        values : sequence of label or None, default=None
            All values that are possible; None for those seen, in order.

        Returns
        -------
        Work
        """
        return derive_shares("Categorical", _counted(x, values))

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
        counts = _counted(x, values)
        return cls(tuple(counts), dirichlet_mode(np.array(list(counts.values()), dtype=np.float64), alpha))


def _looked_up(x: Any, values: Sequence[Hashable], numbers: Floats, unlisted: float = np.nan) -> Any:
    """The number of each label, in the shape of x; NaN for a missing one."""
    labels, known = np.asarray(x, dtype=object), dict(zip(values, numbers.tolist(), strict=True))
    found = [np.nan if _is_missing(label) else known.get(label, unlisted) for label in labels.flat]
    return plain_array(np.reshape(np.array(found, dtype=np.float64), labels.shape))


def _counted(x: Sequence[Hashable], values: Sequence[Hashable] | None) -> dict[Hashable, int]:
    """How often each value was seen."""
    seen = [label for label in np.asarray(x, dtype=object) if not _is_missing(label)]
    counts = dict.fromkeys(seen if values is None else values, 0)
    for label in seen:
        if label not in counts:
            hint = did_you_mean(str(label), [str(value) for value in counts])
            raise ParameterError(f"the value {label!r} is not listed. {hint}")
        counts[label] += 1
    return counts


def log_binomial(k: Floats, n: int, p: float) -> Floats:
    from scipy.special import gammaln, xlog1py, xlogy

    inside = is_count(k) & (k <= n)
    safe = np.where(inside, k, 0)
    choose = gammaln(n + 1) - gammaln(safe + 1) - gammaln(n - safe + 1)
    logs = choose + xlogy(safe, p) + xlog1py(n - safe, -p)
    return np.where(np.isnan(k), np.nan, np.where(inside, logs, -np.inf))


def _posterior(successes: npt.ArrayLike, n: int, alpha: float, beta: float) -> Beta:
    good, trials = _successes(successes, n)
    return Beta(alpha + good, beta + trials - good)


def _beta_mode(successes: npt.ArrayLike, n: int, alpha: float, beta: float) -> float:
    """P from numbers of successes in n trials each, under a Beta prior."""
    good, trials = _successes(successes, n)
    return dirichlet_mode(np.array([good, trials - good]), [alpha, beta])[0]


def _successes(successes: npt.ArrayLike, n: int) -> tuple[float, float]:
    """All successes and all trials, from numbers of successes in n trials each."""
    check_trials(n)
    k = as_floats(successes, "the successes").ravel()
    k = k[~np.isnan(k)]
    if (odd := k[~(is_count(k) & (k <= n))]).size:
        raise ParameterError(f"successes must be whole numbers from 0 to {n}, got {odd[0]:g}")
    return float(k.sum()), float(n * k.size)


def dirichlet_mode(counts: Floats, alpha: npt.ArrayLike) -> tuple[float, ...]:
    prior = as_floats(alpha, "alpha")
    if prior.shape not in {(), counts.shape} or not (np.isfinite(prior) & (prior >= 1)).all():
        msg = f"a prior needs finite parameters of at least 1, one for all or one per value, got {alpha!r}"
        raise ParameterError(msg)
    weights = counts + prior - 1
    if not weights.any():
        raise ParameterError("there is nothing to fit: no data, and a flat prior")
    return tuple((weights / weights.sum()).tolist())


def checked_probabilities(p: Iterable[float]) -> tuple[float, ...]:
    numbers = tuple(float(q) for q in p)
    for q in numbers:
        _check_probability(q)
    if abs(sum(numbers) - 1) > SUM_TOLERANCE:
        raise ParameterError(f"probabilities must sum to one, got {list(numbers)}")
    return numbers


def _check_probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise ParameterError(f"p must be a probability, from 0 to 1, got {p}")


def check_trials(n: int) -> None:
    if n != int(n) or n < 0:
        raise ParameterError(f"n must be a whole number of trials, 0 or more, got {n}")


def is_count(x: Floats) -> npt.NDArray[np.bool_]:
    whole: npt.NDArray[np.bool_] = np.isfinite(x) & (x >= 0) & (x == np.floor(x))
    return whole


def _is_missing(label: object) -> bool:
    return label is None or (isinstance(label, float) and np.isnan(label))
