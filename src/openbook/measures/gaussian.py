"""The Gaussian distribution of a number, and of a vector of d numbers.

    log N(x; μ, σ²) = -½ ( log 2πσ² + (x - μ)² / σ² )
    log N(x; μ, Σ)  = -½ ( d log 2π + log |Σ| + (x - μ)ᵀ Σ⁻¹ (x - μ) )

`fit` takes the mean and the variance of the data: Σ (x - x̄)² / n where variance is "mle", over n - 1 where
it is "sample". `fit_map` is the mode of the joint posterior of mean and variance under the conjugate prior,
which is worth `strength` (κ) observations of the prior mean m:

    mean         (κ m + n x̄) / (κ + n)
    variance     (β + ½ S + ½ κn/(κ+n) (x̄ - m)²) / (α + n/2 + 3/2)      normal-inverse-gamma(m, κ, α, β)
    covariance   (Ψ + S + κn/(κ+n) (x̄ - m)(x̄ - m)ᵀ) / (ν + n + d + 2)   normal-inverse-Wishart(m, κ, ν, Ψ)

where S is the sum of squared deviations from x̄ (for vectors, the scatter matrix). The mean is also that of
the posterior for a known variance σ² and the prior N(m, τ²), with κ = σ²/τ².

Shapes: densities have the shape of x (for vectors without its last axis), or are a float for one.
Missing values: `fit` leaves NaN out (for vectors, the whole row); the density of NaN is NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError
from openbook.measures.arrays import Floats, as_floats, plain_array, vectors_of
from openbook.measures.derive_distributions import normal_steps, vector_steps
from openbook.measures.distribution import ContinuousDistribution, check_quantiles
from openbook.measures.recipe import derive_covariance, derive_normal
from openbook.work import Grid, Step, Work

Divisor = Literal["mle", "sample"]

#: Points per column, and the most columns, of an expectation of a vector.
_NODES, _MOST_COLUMNS = 20, 4
#: Standard deviations beyond which a density is nothing, for an expectation.
_FAR = 38.0


@dataclass(frozen=True)
class Gaussian(ContinuousDistribution):
    """A number that is normally distributed.

    Attributes
    ----------
    mean : float
        The mean.
    variance : float
        The variance.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> Gaussian.fit([1, 2, 3], variance="sample")
    Gaussian(mean=2.0, variance=1.0)
    >>> round(Gaussian(110, 2975).pdf(120), 6)
    0.007192
    >>> Gaussian.fit_map([3, 5], mean=0, strength=2, alpha=2.5, beta=3)
    Gaussian(mean=2.0, variance=2.4)
    """

    mean: float
    variance: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.mean):
            raise ParameterError(f"the mean must be finite, got {self.mean}")
        if not (np.isfinite(self.variance) and self.variance > 0):
            raise ParameterError(f"the variance must be finite and above 0, got {self.variance}")

    def log_pdf(self, x: npt.ArrayLike) -> Any:
        """The logarithm of the density at x.

        Parameters
        ----------
        x : array-like
            The points at which to evaluate the density.

        Returns
        -------
        float or ndarray
        """
        deviation = as_floats(x, "x") - self.mean
        return plain_array(-0.5 * (np.log(2 * np.pi * self.variance) + deviation**2 / self.variance))

    def cdf(self, x: npt.ArrayLike) -> Any:
        """The cumulative probability P(X <= x) = Φ((x - mean) / deviation).

        Parameters
        ----------
        x : array-like
            The numbers up to which the density is added.

        Returns
        -------
        float or ndarray
        """
        from scipy.special import ndtr

        return plain_array(ndtr((as_floats(x, "x") - self.mean) / np.sqrt(self.variance)))

    def quantile(self, q: npt.ArrayLike) -> Any:
        """The number x with P(X <= x) = q.

        Parameters
        ----------
        q : array-like
            Probabilities, from 0 to 1.

        Returns
        -------
        float or ndarray
        """
        from scipy.special import ndtri

        return plain_array(self.mean + np.sqrt(self.variance) * ndtri(check_quantiles(q)))

    def sample(self, n_samples: int = 1, random_state: int = 0) -> Floats:
        """Draw numbers.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, default=0
            Random seed.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.random.default_rng(random_state).normal(self.mean, np.sqrt(self.variance), n_samples)

    def expectation(self, function: Callable[[float], float]) -> float:
        """E[f(X)] = ∫ p(x) f(x) dx, by adaptive quadrature.

        Parameters
        ----------
        function : callable
            The function f, of a number.

        Returns
        -------
        float
        """
        from scipy.integrate import quad

        spread = np.sqrt(self.variance)

        def integrand(z: float) -> float:
            return float(np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * function(self.mean + spread * z))

        # in parts, so that what happens near the mean is not missed
        ends = [-_FAR, -8.0, -2.0, 0.0, 2.0, 8.0, _FAR]
        return float(sum(quad(integrand, a, b, limit=200)[0] for a, b in pairwise(ends)))

    def _steps(self, x: float) -> list[Step]:
        return normal_steps(self.mean, self.variance, x, self.pdf(x), self.cdf(x))

    @classmethod
    def work(cls, x: npt.ArrayLike, variance: Divisor = "mle") -> Work:
        """Derive `fit`: the log-likelihood, its derivatives, where these are zero, and that it is a maximum.

        Parameters
        ----------
        x : array-like
            The observed numbers. Missing ones are left out.
        variance : {"mle", "sample"}, default="mle"
            Whether the sum of squares is divided by N ("mle") or by N - 1 ("sample").

        Returns
        -------
        Work
        """
        cls.fit(x, variance)  # which refuses what cannot be fitted
        return derive_normal(_known(x).tolist(), sample=variance == "sample")

    @classmethod
    def fit(cls, x: npt.ArrayLike, variance: Divisor = "mle") -> Self:
        """The mean and the variance of the known numbers; refused where they do not vary.

        Parameters
        ----------
        x : array-like
            The observed numbers. Missing ones are left out.
        variance : {"mle", "sample"}, default="mle"
            Whether the sum of squares is divided by N ("mle") or by N - 1 ("sample").

        Returns
        -------
        Self
        """
        known = _known(x)
        scatter = float(np.square(known - known.mean()).sum())
        if known.min() == known.max():
            msg = f"the {known.size} known numbers are all {known[0]:g}; a Gaussian needs some spread"
            raise ParameterError(msg)
        return cls(float(known.mean()), scatter / _divisor(known.size, variance))

    @classmethod
    def fit_map(cls, x: npt.ArrayLike, *, mean: float, strength: float, alpha: float, beta: float) -> Self:
        """The mode of the posterior under the prior normal-inverse-gamma(mean, strength, alpha, beta).

        Parameters
        ----------
        x : array-like
            The observed numbers. Missing ones are left out.
        mean : float
            The mean that is expected beforehand.
        strength : float
            The number of rows that the expected mean counts for.
        alpha : float
            The shape of the prior of the variance.
        beta : float
            The scale of the prior of the variance.

        Returns
        -------
        Gaussian
        """
        _check_positive(strength=strength, alpha=alpha, beta=beta)
        known = _known(x)
        n, average = known.size, float(known.mean())
        shrink = strength * n / (strength + n)
        scatter = float(np.square(known - average).sum()) + shrink * (average - mean) ** 2
        centre = (strength * mean + n * average) / (strength + n)
        return cls(centre, (beta + scatter / 2) / (alpha + n / 2 + 1.5))


@dataclass(frozen=True, eq=False)
class MultivariateGaussian(ContinuousDistribution):
    """A vector that is normally distributed.

    Attributes
    ----------
    mean : ndarray
        The mean of each column.
    covariance : ndarray
        The covariance of each pair of columns.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> MultivariateGaussian.fit([[0, 0], [2, 0], [0, 2], [2, 2]]).covariance
    array([[1., 0.],
           [0., 1.]])
    >>> round(MultivariateGaussian([0, 0], [[1, 0], [0, 1]]).pdf([0, 0]), 6)  # 1/2π
    0.159155
    """

    mean: Floats
    covariance: Floats

    def __post_init__(self) -> None:
        mean = np.atleast_1d(as_floats(self.mean, "the mean"))
        covariance = np.atleast_2d(as_floats(self.covariance, "the covariance"))
        if mean.ndim != 1 or covariance.shape != (mean.size, mean.size):
            msg = f"the shapes must be (d,) and (d, d), got {mean.shape} and {covariance.shape}"
            raise ParameterError(msg)
        if not np.isfinite(mean).all():
            raise ParameterError(f"the mean must be finite, got {mean.tolist()}")
        _check_covariance(covariance)
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "covariance", covariance)

    @property
    def variance(self) -> Floats:
        """The variance of each number: the diagonal of the covariance."""
        return np.diagonal(self.covariance).copy()

    def log_pdf(self, x: npt.ArrayLike) -> Any:
        """The logarithm of the density at x, of shape (…, d).

        Parameters
        ----------
        x : array-like
            The points at which to evaluate the density.

        Returns
        -------
        float or ndarray
        """
        from scipy.linalg import solve_triangular

        points = vectors_of(x, self.mean.size, "numbers")
        deviations = points - self.mean
        root = np.linalg.cholesky(self.covariance)  # Σ = L Lᵀ, so (x-μ)ᵀ Σ⁻¹ (x-μ) = |L⁻¹ (x-μ)|²
        flat = deviations.reshape(-1, self.mean.size).T
        squares = np.square(solve_triangular(root, flat, lower=True, check_finite=False)).sum(axis=0)
        log_determinant = 2 * np.log(np.diagonal(root)).sum()
        logs = -0.5 * (self.mean.size * np.log(2 * np.pi) + log_determinant + squares)
        return plain_array(logs.reshape(deviations.shape[:-1]))

    def cdf(self, x: npt.ArrayLike) -> Any:
        """The probability that every number is at most that of x, of shape (…, d); found numerically.

        Parameters
        ----------
        x : array-like
            The most that each number may be.

        Returns
        -------
        float or ndarray
        """
        from scipy.stats import multivariate_normal

        points = vectors_of(x, self.mean.size, "numbers")
        own = multivariate_normal(self.mean, self.covariance, seed=0)
        return plain_array(own.cdf(points))

    def quantile(self, q: npt.ArrayLike) -> Floats:
        """The number x with P(X <= x) = q, of each column by itself.

        Parameters
        ----------
        q : float
            A probability, from 0 to 1.

        Returns
        -------
        ndarray of shape (d,)
        """
        from scipy.special import ndtri

        quantiles: Floats = self.mean + np.sqrt(self.variance) * ndtri(float(check_quantiles(q)))
        return quantiles

    def sample(self, n_samples: int = 1, random_state: int = 0) -> Floats:
        """Draw vectors.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, default=0
            Random seed.

        Returns
        -------
        ndarray of shape (n_samples, d)
        """
        noise = np.random.default_rng(random_state).standard_normal((n_samples, self.mean.size))
        return self.mean + noise @ np.linalg.cholesky(self.covariance).T

    def expectation(self, function: Callable[[Floats], float]) -> float:
        """E[f(X)] = ∫ p(x) f(x) dx, by Gauss-Hermite quadrature: exact for polynomials up to degree 39.

        Parameters
        ----------
        function : callable
            The function f, of a vector.

        Returns
        -------
        float
        """
        d = self.mean.size
        if d > _MOST_COLUMNS:
            msg = f"{d} columns are too many to integrate over; average f over sample(100_000) instead"
            raise ParameterError(msg)
        points, weights = np.polynomial.hermite_e.hermegauss(_NODES)
        weights = weights / weights.sum()
        root = np.linalg.cholesky(self.covariance)
        grid = zip(product(points, repeat=d), product(weights, repeat=d), strict=True)
        return float(sum(np.prod(w) * function(self.mean + root @ np.array(z)) for z, w in grid))

    def _steps(self, x: npt.ArrayLike) -> list[Step | Grid]:
        return vector_steps(self.mean, self.covariance, as_floats(x, "x"), self.pdf(x))

    @classmethod
    def work(cls, x: npt.ArrayLike, variance: Divisor = "mle") -> Work:
        """Derive `fit`: the mean of each column, and the covariance of each pair.

        Parameters
        ----------
        x : array-like
            Rows of numbers. Rows with a missing cell are left out.
        variance : {"mle", "sample"}, default="mle"
            Whether the sum of squares is divided by N ("mle") or by N - 1 ("sample").

        Returns
        -------
        Work
        """
        rows = _known_rows(x)
        return derive_covariance(rows, _divisor(len(rows), variance))

    @classmethod
    def fit(cls, x: npt.ArrayLike, variance: Divisor = "mle") -> Self:
        """The mean and the covariance of the complete rows of x, of shape (n_rows, d).

        Parameters
        ----------
        x : array-like
            Rows of numbers. Rows with a missing cell are left out.
        variance : {"mle", "sample"}, default="mle"
            Whether the sum of squares is divided by N ("mle") or by N - 1 ("sample").

        Returns
        -------
        Self
        """
        rows = _known_rows(x)
        deviations = rows - rows.mean(axis=0)
        return cls(rows.mean(axis=0), deviations.T @ deviations / _divisor(len(rows), variance))

    @classmethod
    def fit_map(
        cls, x: npt.ArrayLike, *, mean: npt.ArrayLike, strength: float, dof: float, scale: npt.ArrayLike
    ) -> Self:
        """The mode of the posterior under the prior normal-inverse-Wishart(mean, strength, dof, scale).

        `dof` must exceed d - 1, and `scale` must be a covariance, of shape (d, d).

        Parameters
        ----------
        x : array-like
            Rows of numbers. Rows with a missing cell are left out.
        mean : array-like
            The mean that is expected beforehand.
        strength : float
            The number of rows that the expected mean counts for.
        dof : float
            The degrees of freedom of the prior of the covariance.
        scale : array-like
            The scale matrix of the prior of the covariance.

        Returns
        -------
        MultivariateGaussian
        """
        prior = MultivariateGaussian(mean, scale)  # type: ignore[arg-type]
        _check_positive(strength=strength)
        if not (np.isfinite(dof) and dof > prior.mean.size - 1):
            msg = f"the prior's dof must be finite and above d - 1 = {prior.mean.size - 1}, got {dof}"
            raise ParameterError(msg)
        rows = _known_rows(x)
        n, average = len(rows), rows.mean(axis=0)
        deviations, pull = rows - average, average - prior.mean
        shrink = strength * n / (strength + n)
        scatter = prior.covariance + deviations.T @ deviations + shrink * np.outer(pull, pull)
        centre = (strength * prior.mean + n * average) / (strength + n)
        return cls(centre, scatter / (dof + n + prior.mean.size + 2))


def _known(x: npt.ArrayLike) -> Floats:
    numbers = as_floats(x, "x").ravel()
    known = numbers[~np.isnan(numbers)]
    if not known.size:
        raise ParameterError("x holds no known number, so there is nothing to fit")
    return known


def _known_rows(x: npt.ArrayLike) -> Floats:
    rows = as_floats(x, "x")
    if rows.ndim != 2:
        raise ParameterError(f"x must have the shape (n_rows, d), got {rows.shape}")
    known = rows[~np.isnan(rows).any(axis=1)]
    if not len(known):
        raise ParameterError("x holds no complete row, so there is nothing to fit")
    return known


def _divisor(n: int, variance: str) -> int:
    if variance not in {"mle", "sample"}:
        raise ParameterError(f"variance must be 'mle' or 'sample', got {variance!r}")
    if variance == "sample" and n < 2:
        raise ParameterError("the sample variance needs two observations, got one")
    return n if variance == "mle" else n - 1


def _check_covariance(covariance: Floats) -> None:
    if not np.isfinite(covariance).all() or not np.allclose(covariance, covariance.T):
        raise ParameterError(f"the covariance must be finite and symmetric, got {covariance.tolist()}")
    spread = np.sqrt(np.maximum(np.diagonal(covariance), 0))
    if not spread.all():
        msg = f"number {int(np.argmin(spread))} of the vector does not vary; a Gaussian needs some spread"
        raise ParameterError(msg)
    correlation = covariance / np.outer(spread, spread)  # so that units do not matter
    if np.linalg.eigvalsh(correlation)[0] <= len(spread) * np.finfo(float).eps:
        raise ParameterError(
            "the covariance is not positive definite: there are too few rows, or one number follows from"
            " others; drop it, or use fit_map with a prior scale"
        )


def _check_positive(**parameters: float) -> None:
    for name, value in parameters.items():
        if not (np.isfinite(value) and value > 0):
            raise ParameterError(f"the prior's {name} must be finite and above 0, got {value}")
