r"""The beta distribution: the conjugate prior and posterior of a probability of success.

    p(x) = x^(α - 1) (1 - x)^(β - 1) / B(α, β)          0 <= x <= 1

It is the conjugate prior of a probability of success: after s successes and f failures, Beta(α, β) becomes
Beta(α + s, β + f). Beta(1, 1) is flat. Missing values: NaN has the density NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError
from openbook.measures.arrays import Floats, as_floats, plain_array
from openbook.measures.derive_distributions import beta_steps
from openbook.measures.distribution import ContinuousDistribution, check_quantiles
from openbook.work import Step


@dataclass(frozen=True)
class Beta(ContinuousDistribution):
    """A probability that is itself uncertain, as after some successes and failures.

    Attributes
    ----------
    alpha : float
        The first parameter: one more than the successes behind it.
    beta : float
        The second parameter: one more than the failures behind it.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> from openbook.measures import Bernoulli
    >>> after = Bernoulli.posterior([1, 1, 1, 0], alpha=2, beta=2)
    >>> after, after.mean, round(after.mode, 4)
    (Beta(alpha=5.0, beta=3.0), 0.625, 0.6667)
    >>> [round(end, 3) for end in after.interval(0.95)]
    [0.29, 0.901]
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        if not (0 < self.alpha < np.inf and 0 < self.beta < np.inf):
            msg = f"alpha and beta must be above 0 and finite, got {self.alpha} and {self.beta}"
            raise ParameterError(msg)

    @property
    def mean(self) -> float:
        """α / (α + β)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> float:
        """α β / ((α + β)² (α + β + 1))."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total * total * (total + 1))

    @property
    def mode(self) -> float:
        """(α - 1) / (α + β - 2), where the density is highest; NaN if that is at both ends, or nowhere."""
        if min(self.alpha, self.beta) < 1 or self.alpha + self.beta == 2:
            return 1.0 * (self.alpha > 1) if max(self.alpha, self.beta) > 1 else np.nan
        return (self.alpha - 1) / (self.alpha + self.beta - 2)

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
        from scipy.special import betaln, xlog1py, xlogy

        at = as_floats(x, "x")
        inside = (at >= 0) & (at <= 1)
        safe = np.where(inside, at, 0.5)
        logs = xlogy(self.alpha - 1, safe) + xlog1py(self.beta - 1, -safe) - betaln(self.alpha, self.beta)
        return plain_array(np.where(np.isnan(at), np.nan, np.where(inside, logs, -np.inf)))

    def cdf(self, x: npt.ArrayLike) -> Any:
        """The probability P(X <= x).

        Parameters
        ----------
        x : array-like
            The upper ends of the probabilities to compute.

        Returns
        -------
        float or ndarray
        """
        from scipy.special import betainc

        at = as_floats(x, "x")
        return plain_array(np.where(np.isnan(at), np.nan, betainc(self.alpha, self.beta, np.clip(at, 0, 1))))

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
        from scipy.special import betaincinv

        return plain_array(betaincinv(self.alpha, self.beta, check_quantiles(q)))

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
        return np.random.default_rng(random_state).beta(self.alpha, self.beta, n_samples)

    def expectation(self, function: Callable[[float], float]) -> float:
        """E[f(X)] = ∫ p(x) f(x) dx.

        Parameters
        ----------
        function : callable
            The function f, of one number.

        Returns
        -------
        float
        """
        from scipy.integrate import quad

        return float(quad(lambda q: function(self.quantile(q)), 0, 1, limit=200)[0])

    def _steps(self, x: float) -> list[Step]:
        return beta_steps(self.alpha, self.beta, x, self.pdf(x), self.cdf(x))
