r"""The losses that gradient boosting lowers, and what each makes of a leaf (Friedman, 2001).

    loss             start F_0              residual r                   leaf γ
    squared error    mean of y              y - F                        mean of r
    absolute error   median of y            sign(y - F)                  median of y - F
    quantile         α-quantile of y        α if y >= F, else α - 1      α-quantile of y - F
    Huber's          median of y            y - F, at most δ either way  m + mean of y - F - m, at most δ
    log loss         ln(P / (1 - P))        y - p,  p = 1 / (1 + e^-F)   Σ r / Σ |r| (1 - |r|)
    of K classes     ln P(c)                y - p,  p = softmax(F)       (K - 1) / K · Σ r / Σ |r| (1 - |r|)
    exponential      ½ ln(P / (1 - P))      e^-F if y = 1, else -e^F     Σ r / Σ |r|

r is what is left to explain: minus the slope of the loss in F. γ is the constant that lowers the loss of the
leaf's rows most; for log loss it is one step of Newton's method, as |r| (1 - |r|) = p (1 - p) is the
curvature. Huber's δ is the α-quantile of |y - F| before each round, m the median of y - F in the leaf. The
exponential loss is AdaBoost's: P = 1 / (1 + e^-2F). All sums are weighted.

y : float64 (n, n_outputs), numbers, or 1 for the rows of a class and 0 for others (two classes: the second)
F, r : float64 (n, n_outputs); w : float64 (n,)
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from scipy.special import expit

from openbook.measures.scores import softmax
from openbook.tree.engine.absolute_error import median_and_deviation

#: A leaf with a smaller curvature stays at 0.
_FLAT = 1e-150
#: Shares of a weight that differ by less are equal.
_ROUNDING = 1e-12
#: The log odds of a share of 0 or 1, which have none.
_FARTHEST = 36.0


class BoostingLoss(ABC):
    """A loss; see the table above."""

    name: ClassVar[str]
    #: What derivations write for the value of a leaf.
    leaf: str

    def __init__(self, n_outputs, alpha):
        self.n_outputs, self.alpha = n_outputs, alpha
        self.bound = np.inf  # the δ of Huber's loss in this round

    def bound_of(self, y, F, w, rows):  # noqa: ARG002 (as of every loss)
        """How large a residual can be in the next round, by these rows, which are learnt from."""
        return np.inf

    @abstractmethod
    def start(self, y, w):
        """F_0, (n_outputs,)."""

    @abstractmethod
    def residuals(self, y, F):
        """What is left to explain, (n, n_outputs)."""

    @abstractmethod
    def leaf_values(self, leaves, n_nodes, off, r, w):
        """γ of each node, and the two sums that it is the ratio of (NaN if it is none), (n_nodes,) each.

        leaves : intp (n,), the leaf of each row; off, r : float64 (n,), y - F and r of one output
        """

    @abstractmethod
    def mean(self, y, F, w):
        """The mean loss of the rows."""


class SquaredError(BoostingLoss):
    """(y - F)²."""

    name = "squared error"
    leaf = r"\frac{\sum_i w_i r_i}{\sum_i w_i}"

    def start(self, y, w):
        return np.average(y, axis=0, weights=w)

    def residuals(self, y, F):
        return y - F

    def leaf_values(self, leaves, n_nodes, off, r, w):  # noqa: ARG002 (as of every loss)
        return _ratios(leaves, n_nodes, w * r, w)

    def mean(self, y, F, w):
        return float(np.average((y - F)[:, 0] ** 2, weights=w))


class Quantile(BoostingLoss):
    """α (y - F) above F, (1 - α) (F - y) below."""

    name = "quantile loss"
    leaf = r"Q_\alpha(y_i - F(x_i))"

    def start(self, y, w):
        return np.array([weighted_quantile(y[:, 0], w, self.alpha)])

    def residuals(self, y, F):
        return np.where(y >= F, self.alpha, self.alpha - 1)

    def leaf_values(self, leaves, n_nodes, off, r, w):  # noqa: ARG002 (as of every loss)
        values, none = np.zeros(n_nodes), np.full(n_nodes, np.nan)
        order = np.argsort(leaves, kind="stable")
        ends = np.searchsorted(leaves[order], np.arange(n_nodes + 1))
        for node in np.flatnonzero(np.diff(ends)):
            own = order[ends[node] : ends[node + 1]]
            values[node] = self.best(off[own], w[own])
        return values, none, none

    def best(self, off, w):
        """The constant that lowers the loss of these rows most."""
        return weighted_quantile(off, w, self.alpha)

    def mean(self, y, F, w):
        return float(np.average(((y - F) * self.residuals(y, F))[:, 0], weights=w))


class AbsoluteError(Quantile):
    """|y - F|."""

    name = "absolute error"
    leaf = r"\operatorname{median}(y_i - F(x_i))"

    def start(self, y, w):
        return np.array([self.best(y[:, 0], w)])

    def residuals(self, y, F):
        return np.sign(y - F)

    def best(self, off, w):
        return median_and_deviation(off, w)[0]


class HuberError(Quantile):
    """(y - F)² / 2 up to δ, beyond it δ (|y - F| - δ / 2)."""

    name = "Huber loss"
    leaf = r"m + \frac{\sum_i w_i \operatorname{clip}(y_i - F(x_i) - m, -\delta, \delta)}{\sum_i w_i}"

    def start(self, y, w):
        return np.array([weighted_quantile(y[:, 0], w, 0.5)])

    def bound_of(self, y, F, w, rows):
        return weighted_quantile(np.abs(y - F)[rows, 0], w[rows], self.alpha)

    def residuals(self, y, F):
        return np.clip(y - F, -self.bound, self.bound)

    def best(self, off, w):
        middle = weighted_quantile(off, w, 0.5)
        return middle + np.average(np.clip(off - middle, -self.bound, self.bound), weights=w)

    def mean(self, y, F, w):
        near = np.abs(self.residuals(y, F))
        return float(np.average((near * (np.abs(y - F) - near / 2))[:, 0], weights=w))


class LogLoss(BoostingLoss):
    """- ln of the probability of the true class; of two classes F is the log odds of the second."""

    name = "log loss"
    leaf = r"\frac{\sum_i w_i r_i}{\sum_i w_i |r_i| (1 - |r_i|)}"

    def __init__(self, n_outputs, alpha):
        super().__init__(n_outputs, alpha)
        self.factor = 1.0
        if n_outputs > 1:
            self.factor, self.leaf = (n_outputs - 1) / n_outputs, rf"\frac{{K - 1}}{{K}} \cdot {self.leaf}"

    def start(self, y, w):
        shares = np.average(y, axis=0, weights=w)
        with np.errstate(divide="ignore"):
            logs = np.log(shares) - (np.log1p(-shares) if self.n_outputs == 1 else 0.0)
        return np.clip(logs, -_FARTHEST, _FARTHEST)

    def probabilities(self, F):
        """The probability of each class, (n, n_classes)."""
        return np.concatenate([expit(-F), expit(F)], axis=1) if self.n_outputs == 1 else softmax(F)

    def residuals(self, y, F):
        return y - (expit(F) if self.n_outputs == 1 else softmax(F))

    def leaf_values(self, leaves, n_nodes, off, r, w):  # noqa: ARG002 (as of every loss)
        far = np.abs(r)
        return _ratios(leaves, n_nodes, w * r, w * far * (1 - far), self.factor)

    def mean(self, y, F, w):
        if self.n_outputs == 1:
            off = np.where(y > 0, -F, F)[:, 0]
            losses = np.maximum(off, 0.0) + np.log(1 + np.exp(-np.abs(off)))  # `logaddexp` is slow
        else:
            below = F - F.max(axis=1, keepdims=True)
            losses = np.log(np.exp(below).sum(axis=1)) - (y * below).sum(axis=1)
        return float(w @ losses / w.sum())


class Exponential(LogLoss):
    """e^-F of the second of two classes, e^F of the first: AdaBoost's loss."""

    name = "exponential loss"
    leaf = r"\frac{\sum_i w_i r_i}{\sum_i w_i |r_i|}"

    def start(self, y, w):
        return super().start(y, w) / 2

    def probabilities(self, F):
        return super().probabilities(2 * F)

    def residuals(self, y, F):
        return np.where(y > 0, np.exp(-F), -np.exp(F))

    def leaf_values(self, leaves, n_nodes, off, r, w):  # noqa: ARG002 (as of every loss)
        return _ratios(leaves, n_nodes, w * r, w * np.abs(r))

    def mean(self, y, F, w):
        return float(np.average(np.abs(self.residuals(y, F))[:, 0], weights=w))


def weighted_quantile(y, w, share):
    """The smallest number up to which there is this share of the weight.

    >>> weighted_quantile(np.array([1.0, 4.0, 2.0, 9.0]), np.ones(4), 0.5)
    2.0
    """
    order = np.argsort(y, kind="stable")
    upto = np.cumsum(w[order])
    return float(y[order[np.searchsorted(upto, share * upto[-1] * (1 - _ROUNDING))]])


def _ratios(leaves, n_nodes, above, below, factor=1.0):
    """The ratio of two sums over the rows of each node, times a factor; and both sums."""
    above, below = (np.bincount(leaves, part, minlength=n_nodes) for part in (above, below))
    flat = np.abs(below) < _FLAT
    return np.where(flat, 0.0, factor * above / np.where(flat, 1.0, below)), above, below


LOSSES: dict[str, type[BoostingLoss]] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "quantile": Quantile,
    "huber": HuberError,
    "log_loss": LogLoss,
    "exponential": Exponential,
}
