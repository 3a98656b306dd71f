r"""Proportional odds: logistic regression for classes that have an order (McCullagh 1980).

    ln P(y <= k | x) / P(y > k | x) = t_k - s(x),    s(x) = Σ_j w_j x_j,    t_0 < t_1 < … < t_(m-2)
    P(y = k | x) = σ(t_k - s) - σ(t_(k-1) - s),       σ(t_-1 - s) = 0,  σ(t_(m-1) - s) = 1

One line for all classes: a larger score moves a row up the order, past one threshold t_k after the other, and
a column has the same odds ratio e^-w at each. Fitted by the largest penalised log-likelihood

    Σ_i w_i ln P(y_i | x_i) - 1 / (2 C) Σ w²

over the encoded columns; thresholds are not penalised. The order is that of an ordinal target's values, or
that of sorted labels. Missing cells and unseen values count as the encoding says.

theta : float64 (d + m - 1,): w, then t_0 and the logarithms of the steps from each threshold to the next
"""

import math
import warnings
from itertools import pairwise
from typing import Annotated

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning

from openbook.border.learner import Classifier, class_names
from openbook.border.not_taken import Declared
from openbook.border.rules import Number
from openbook.damage import checked_floats, require
from openbook.data.attributes import as_text
from openbook.errors import DataError
from openbook.linear.scored import linear_scores, unscaled
from openbook.prepare.encoding import Encoding, encoded_rows
from openbook.words.numbers import figure, signed
from openbook.work import Grid, Step, Work

#: Thresholds that would be closer than this are kept apart by it.
CLOSEST = 1e-12


class ProportionalOdds(Declared, Classifier):
    """Ordinal logistic regression: one line for all classes, and a threshold between each two of them.

    For classes with an order, such as low < middle < high. The order is that of an ordinal target's values,
    otherwise that of the sorted labels; `classes_` shows it.

    Parameters
    ----------
    C : float, default=1.0
        The inverse of the strength of the penalty on squares: the smaller, the stronger. math.inf for none.
    tol : float, default=1e-06
        The largest gradient of the mean loss that counts as none.
    max_iter : int, default=1000
        The most steps of L-BFGS.
    scale : bool, default=True
        Whether numeric columns are in standard units for the penalty, or in their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, in their order.
    coef_ : ndarray of shape (n_encoded,)
        The coefficients w, in units of the columns: the larger the score, the higher the class.
    thresholds_ : ndarray of shape (n_classes - 1,)
        The thresholds t, in units of that score.
    log_likelihood_ : float
        The log-likelihood of the model.
    n_iter_ : int
        The number of steps.
    converged_ : bool
        Whether the last gradient counts as none.
    encoding_ : Encoding

    Notes
    -----
    Judge it by scores that know the order: `rank_error` and `quadratic_kappa`.
    Guide: docs/guide/logistic.md

    References
    ----------
    McCullagh (1980), Regression models for ordinal data. Agresti (2010), Analysis of ordinal categorical
    data.

    Examples
    --------
    >>> x = [[float(i)] for i in range(12)]
    >>> y = [0, 0, 0, 1, 0, 1, 1, 2, 1, 2, 2, 2]
    >>> model = ProportionalOdds().fit(x, y)
    >>> model.predict([[0.0], [6.0], [11.0]]).tolist(), bool(model.coef_[0] > 0)
    ([0, 1, 2], True)
    """

    #: The penalty is relative to the sum of the weights, which therefore count rows.
    _counts_rows = True

    _counts_declared = False  # two thresholds with no row between them have no likelihood to place them by
    _takes_means = True

    C: float = 1.0
    tol: Annotated[float, Number(above=0)] = 1e-6
    max_iter: int = 1000
    scale: bool = True
    _scores_poorly = True  # of classes that have no order

    def knobs(self):
        return {"C": (100.0, 10.0, 1.0, 0.1, 0.01)}

    def _fit(self, rows):
        if len(self.classes_) < 2:
            only = as_text(self.classes_[0])
            raise DataError(f"ProportionalOdds needs two classes, but all rows are of one class, {only!r}")
        standard = Encoding.of(rows, reference=math.isinf(self.C))
        X, y, w = encoded_rows(rows, standard)
        share = np.ones(len(standard)) if self.scale else 1 / standard.scale  # of a coefficient's penalty
        found = self._maximised(X, y, w, share**2)
        theta, d = found.x, len(standard)
        thresholds = _thresholds(theta[d:])
        self.encoding_ = standard
        self.coef_, shift = standard.original(theta[None, :d], np.zeros(1))
        self.coef_, self.thresholds_ = self.coef_[0], thresholds - shift[0]
        self.n_iter_ = int(found.nit)
        self.log_likelihood_ = -_loss(theta, X, y, w, 0.0, share)[0] * float(w.sum())
        self.converged_ = bool(np.abs(found.jac).max() <= self.tol)
        if not self.converged_:
            msg = (
                f"ProportionalOdds did not converge in {self.n_iter_} steps: the largest gradient is still"
                f" {figure(float(np.abs(found.jac).max()), 3)}; raise max_iter, or tol from {self.tol:g}"
            )
            warnings.warn(msg, ConvergenceWarning, stacklevel=4)

    def _maximised(self, X, y, w, share):
        """The solution in standard units."""
        shares = np.cumsum(np.bincount(y, w))[:-1] / w.sum()
        start = np.log(shares / (1 - shares))  # without columns, the thresholds of the classes' shares
        steps = np.log(np.maximum(np.diff(start), CLOSEST))
        theta = np.concatenate([np.zeros(X.shape[1]), start[:1], steps])
        most = {"maxiter": self.max_iter, "maxfun": 10 * self.max_iter, "ftol": 0.0, "gtol": self.tol / 10}
        penalty = 0.0 if math.isinf(self.C) else 1 / self.C
        return minimize(_loss, theta, (X, y, w, penalty, share), "L-BFGS-B", jac=True, options=most)

    def _scores(self, X):
        return linear_scores(unscaled(self.encoding_), X, self.coef_[None], np.zeros(1))[:, 0]

    def _proba(self, X):
        below = expit(self.thresholds_ - self._scores(X)[:, None])
        return np.diff(below, axis=1, prepend=0.0, append=1.0)

    def complexity(self):
        return len(self.coef_) + len(self.thresholds_)

    _saved_facts = {"converged": bool, "n_iter": int}

    def _arrays(self):
        likelihood = np.array([self.log_likelihood_])
        estimates = {"coef": self.coef_, "thresholds": self.thresholds_, "log_likelihood": likelihood}
        return {**estimates, **self.encoding_.arrays("encoding.")}

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        d, cuts = len(self.encoding_), max(len(self.classes_) - 1, 1)
        self.coef_, self.thresholds_, likelihood = checked_floats(
            arrays, coef=(d,), thresholds=(cuts,), log_likelihood=(1,)
        )
        require(np.diff(self.thresholds_) >= 0, "its thresholds are not in order")
        self.log_likelihood_ = float(likelihood[0])

    def _work(self):
        labels = class_names(self)
        rule = Step("log odds of y <= k", r"t_k - \sum_j w_j x_j", note=f"order: {' < '.join(labels)}")
        w = self.coef_.tolist()
        rows = list(zip(self.encoding_.names, w, [math.exp(min(x, 700.0)) for x in w], strict=True))
        header = ["column", "w", "odds ratio of a higher class"]
        columns = Grid("columns", header, rows, "per unit of a column")
        between = [f"{a} | {b}" for a, b in pairwise(labels)]
        places = list(zip(between, self.thresholds_.tolist(), strict=True))
        end = f"Log-likelihood {figure(self.log_likelihood_)}."
        parts = (rule, columns, Grid("thresholds", ["between", "t"], places))
        return Work(f"Proportional odds for {self.target_}", parts, end)

    def _work_row(self, X):
        labels = class_names(self)
        x, w = unscaled(self.encoding_)(X)[0].tolist(), self.coef_.tolist()
        names = self.encoding_.names
        terms = [[name, a, b, a * b] for name, a, b in zip(names, w, x, strict=True) if a and b]
        score = math.fsum(term[-1] for term in terms)
        steps, below = [Step("s", r"\sum_j w_j x_j", result=score)], [0.0]
        for label, t in zip(labels, self.thresholds_.tolist(), strict=False):
            below.append(1 / (1 + math.exp(min(score - t, 700.0))))
            numbers = rf"\sigma({figure(t)} - {signed(score)})"
            steps.append(Step(f"P({self.target_} <= {label})", r"\sigma(t_k - s)", numbers, below[-1]))
        below.append(1.0)
        shares = [b - a for a, b in pairwise(below)]
        for k, label in enumerate(labels):
            numbers = f"{figure(below[k + 1])} - {figure(below[k])}"
            formula = r"P(y \le k) - P(y \le k - 1)"
            steps.append(Step(f"P({self.target_} = {label})", formula, numbers, shares[k]))
        grid = Grid("terms", ["column", "w", "x", "w x"], terms)
        end = f"Most probable: {self.target_} = {labels[shares.index(max(shares))]}."
        return Work(f"Proportional odds for {self.target_}: one prediction", (grid, *steps), end)


def _thresholds(parameters):
    """t_0, then each by a step above the one before."""
    return np.cumsum(np.concatenate([parameters[:1], np.exp(parameters[1:])]))


def _loss(theta, X, y, w, penalty, share):
    """The penalised mean loss and its gradient; share : of each coefficient's penalty.

    With a and b the thresholds around a row's class, less its score, σ(b) - σ(a) is computed as
    σ(b) σ(-a) (1 - e^(a - b)), which is exact however far away they are.
    """
    d, total = X.shape[1], w.sum()
    t, s = _thresholds(theta[d:]), X @ theta[:d]
    ends = np.concatenate([[-np.inf], t, [np.inf]])
    a, b = ends[y] - s, ends[y + 1] - s
    gap = -np.expm1(a - b)
    loss = -(w @ (log_expit(b) + log_expit(-a) + np.log(gap))) / total
    by_score = w * (expit(a) + expit(b) - 1)
    by_upper, by_lower = w * expit(-b) / (expit(-a) * gap), w * expit(a) / (expit(b) * gap)
    by_threshold = np.bincount(y, by_upper, len(ends) - 1)[:-1] - np.bincount(y, by_lower, len(ends) - 1)[1:]
    steps = np.cumsum(by_threshold[::-1])[::-1]
    steps[1:] *= np.exp(theta[d + 1 :])
    ridge = penalty * share * theta[:d]
    gradient = np.concatenate([-(X.T @ by_score) + ridge, -steps]) / total
    return float(loss + 0.5 * ridge @ theta[:d] / total), gradient
