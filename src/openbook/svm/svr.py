r"""Support vector regression.

    min over w, b    1/2 |w|² + C sum_i xi_i,    xi_i = max(0, |y_i - w · x_i - b| - epsilon)
    prediction       f(x) = sum_i beta_i K(x_i, x) + b,    -C <= beta_i <= C

Errors up to epsilon are free; rows inside that tube have beta_i = 0, and all others are the support vectors.
A row's C is multiplied by its weight.

beta : float64 (m,), the one row of dual_coef_
"""

from typing import Annotated

import numpy as np

from openbook.border.learner import Regressor
from openbook.border.rules import Number
from openbook.damage import checked_array, require
from openbook.draw import draw_fit
from openbook.svm.derive import derive_prediction, derive_regressor
from openbook.svm.kernels import kernel_asked
from openbook.svm.learner import SupportVectors
from openbook.svm.machine import Task, solved
from openbook.svm.problem import Problem


class SVR(SupportVectors, Regressor):
    """Support vector regression: the flattest function that keeps most rows in a tube around it.

    Parameters
    ----------
    C : float, default=1.0
        The cost of a unit of error beyond epsilon.
    kernel : {"linear", "poly", "rbf"} or function, default="rbf"
        The kernel K(x, z): x · z; (gamma x · z + coef0)^degree; exp(-gamma |x - z|²); or a function of two
        matrices, (n, d) and (m, d), that gives (n, m).
    degree : int, default=3
        The power in "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The factor in "poly" and "rbf": 1 / (d times the variance of all cells), 1 / d, or as given.
    coef0 : float, default=0.0
        The constant in "poly".
    scale : bool, default=True
        Whether numeric columns and the target are standardised first. If so, C and epsilon are in standard
        deviations of the target; if not, in its own units.
    tol : float, default=0.001
        The largest violation of the optimality conditions that is let pass.
    max_iter : int, default=1000
        The most sweeps over working sets, or Newton steps.
    epsilon : float, default=0.1
        How much error is free: half the width of the tube.

    Attributes
    ----------
    encoding_ : Encoding
    center_ : float
        Subtracted from the target; 0 if it is not scaled.
    spread_ : float
        The divisor of the target; 1 if it is not scaled.
    gamma_ : float
        The factor of the kernel; NaN if it has none.
    support_ : ndarray
        The numbers of the rows that are support vectors; of equal rows, the first.
    support_vectors_ : ndarray of shape (n_support, n_encoded) or None
        These rows, encoded; None if rows are sparse, since the weights of a linear machine say all.
    dual_coef_ : ndarray of shape (1, n_support)
        beta of each support vector, in units of the scaled target.
    slacks_ : ndarray of shape (1, n_support)
        The error xi beyond epsilon of each.
    coef_ : ndarray of shape (n_machines, n_encoded)
        The coefficients of a linear machine, in units of the columns; other kernels have none.
    intercept_ : ndarray of shape (n_machines,)
        The constant of each machine; of a linear one in units of the columns.
    margin_ : ndarray of shape (n_machines,)
        The width 2 / |w| of each margin, in units of the encoded columns.
    weights_ : ndarray of shape (n_machines, n_encoded) or None
        The coefficients of the encoded columns, of a linear machine.
    bias_ : ndarray of shape (n_machines,)
        Their intercept.
    objective_ : ndarray of shape (n_machines,)
        What was minimised.
    dual_gap_ : ndarray of shape (n_machines,)
        How far above the least possible value it may be.
    n_iter_ : ndarray of shape (n_machines,)
        The sweeps or steps of each machine.
    states_ : ndarray of shape (n_machines,)
        How each search ended.
    converged_ : bool
        Whether every machine was found to the tolerance.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/svm.md

    References
    ----------
    Smola and Schölkopf (2004), A tutorial on support vector regression.

    Examples
    --------
    >>> model = SVR(C=100, epsilon=0.5, kernel="linear", scale=False).fit([[0], [1], [2], [3]], [0, 1, 2, 3])
    >>> model.predict([[0], [3]]).round(6).tolist()
    [0.5, 2.5]
    """

    C: Annotated[float, Number(above=0)] = 1.0
    epsilon: Annotated[float, Number(at_least=0)] = 0.1

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
        self._keep(training, tasks, solved(self, training.X, kernel_asked(self), tasks))
        self._announce()

    _draw_rows = draw_fit

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
        self.center_, self.spread_ = checked_array(arrays, "target", float, (2,)).tolist()
        require(self.spread_ > 0, "array 'target' must be a centre and a spread above zero")

    _work, _work_row = derive_regressor, derive_prediction
