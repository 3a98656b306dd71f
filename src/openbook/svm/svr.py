r"""Support vector regression.

    min over w, b    1/2 |w|² + C sum_i xi_i,    xi_i = max(0, |y_i - w · x_i - b| - epsilon)
    prediction       f(x) = sum_i beta_i K(x_i, x) + b,    -C <= beta_i <= C

Errors up to epsilon are free; rows inside that tube have beta_i = 0, and all others are the support vectors.
A row's C is multiplied by its weight.

beta : float64 (m,), the one row of dual_coef_
"""

import numpy as np

from openbook.border.base import Regressor
from openbook.border.rules import Flag, Number, Whole
from openbook.svm.derive import derive_prediction, derive_regressor
from openbook.svm.learner import SupportVectors
from openbook.svm.machine import Task, solved
from openbook.svm.parameters import Gamma, KernelChoice
from openbook.svm.problem import Problem

__all__ = ["SVR"]


class SVR(SupportVectors, Regressor):
    """Support vector regression: the flattest function that keeps most rows in a tube.

    Parameters
    ----------
    C : number above 0
        What a unit of error beyond epsilon costs.
    epsilon : number of at least 0
        How much error is free.
    kernel, degree, gamma, coef0, tol, max_iter : as for `SVC`
    scale : whether numeric columns and the target are standardised first
        If so, C and epsilon are in standard deviations of the target; if not, in its own units.

    Attributes
    ----------
    center_, spread_ : what is taken off the target and divided by; 0 and 1 where it is not scaled
    dual_coef_, slacks_ : beta and xi, in units of the scaled target
    the others : as of `SVC`

    References
    ----------
    Smola and Schölkopf (2004), A tutorial on support vector regression.

    Examples
    --------
    >>> model = SVR(C=100, epsilon=0.5, kernel="linear", scale=False).fit([[0], [1], [2], [3]], [0, 1, 2, 3])
    >>> model.predict([[0], [3]]).round(6).tolist()
    [0.5, 2.5]
    """

    _rules = {
        "C": Number(above=0),
        "epsilon": Number(at_least=0),
        "kernel": KernelChoice(),
        "degree": Whole(at_least=1),
        "gamma": Gamma(),
        "coef0": Number(),
        "scale": Flag(),
        "tol": Number(above=0),
        "max_iter": Whole(at_least=1),
    }

    def __init__(
        self,
        C=1.0,
        epsilon=0.1,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        scale=True,
        tol=1e-3,
        max_iter=1000,
    ):
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter

    def knobs(self):
        return {**super().knobs(), "epsilon": (0.1, 0.5)}

    def _fit(self, rows):
        training = self._training(rows)
        self._set_gamma(training)
        y, w = training.y, training.w
        self.center_, self.spread_ = 0.0, 1.0
        if self.scale:
            self.center_ = float(w @ y / w.sum())
            self.spread_ = float(np.sqrt(w @ np.square(y - self.center_) / w.sum())) or 1.0
        most = self.C * w
        t = (y - self.center_) / self.spread_
        tasks = [Task(slice(None), Problem(t, -most, most, np.zeros(len(t)), float(self.epsilon)))]
        self._keep(training, tasks, solved(self, training.X, self._kernel(), tasks))
        self._announce()

    def _predict(self, X):
        return self.center_ + self.spread_ * self._decisions(X)[:, 0]

    def _in_columns(self):
        coef, intercept = super()._in_columns()
        return None if coef is None else coef * self.spread_, intercept * self.spread_ + self.center_

    def _n_machines(self):
        return 1

    def _arrays(self):
        return {**super()._arrays(), "target": np.array([self.center_, self.spread_])}

    def _restore(self, arrays):
        super()._restore(arrays)
        target = arrays["target"]
        if (
            target.shape != (2,)
            or target.dtype != np.float64
            or not np.isfinite(target).all()
            or target[1] <= 0
        ):
            msg = "array 'target' must be a centre and a spread above zero"
            raise ValueError(msg)
        self.center_, self.spread_ = map(float, target)

    def _work(self):
        return derive_regressor(self)

    def _work_row(self, X):
        return derive_prediction(self, X)
