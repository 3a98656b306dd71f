r"""Support vector classification.

    min over w, b    1/2 |w|² + C sum_i xi_i,    xi_i = max(0, 1 - y_i (w · x_i + b))
    decision         f(x) = sum_i alpha_i y_i K(x_i, x) + b

The margin is 2 / |w| wide. Rows with alpha_i > 0 are the support vectors: on the margin where alpha_i < C,
inside it or beyond where alpha_i = C, by their slack xi_i. The squared hinge takes xi² for xi. A row's C is
multiplied by its weight and its class's.

alpha : float64 (m,), |dual_coef_| of a machine; f : float64 (n, machines)
"""

import math
from typing import Annotated, Any

import numpy as np

from openbook.border.class_weight import class_factors
from openbook.border.learner import Classifier
from openbook.border.rules import Maybe, OneOf, Whole
from openbook.damage import checked_array, require
from openbook.data.attributes import as_text
from openbook.draw import draw_boundary
from openbook.errors import DataError, ParameterError
from openbook.svm.derive import derive_classifier, derive_decision
from openbook.svm.kernels import kernel_asked
from openbook.svm.learner import SupportVectors
from openbook.svm.machine import Machines, Task, solved
from openbook.svm.platt import deal, platt_probabilities, sharpness
from openbook.svm.problem import CONVERGED, Problem
from openbook.svm.solve import kernel_table, solve_hard
from openbook.svm.votes import class_scores, pairs


class SVC(SupportVectors, Classifier):
    """Support vector classification: the boundary with the widest margin.

    Parameters
    ----------
    C : float, default=1.0
        The cost of a unit of slack. math.inf allows none: the hard margin, if the classes can be separated.
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
        Whether numeric columns are standardised first; if not, they are taken as they come.
    tol : float, default=0.001
        The largest violation of the optimality conditions that is let pass.
    max_iter : int, default=1000
        The most sweeps over working sets, or Newton steps, of a machine.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Whether slack is paid as it is, or squared.
    multiclass : {"ovr", "ovo"}, default="ovr"
        More than two classes: a machine for each class against the rest, or for each pair of classes.
    class_weight : mapping of class to weight, "balanced" or None, default=None
    calibrate : int or None, default=5
        The number of folds by which probabilities are fitted to decisions about rows that a machine has not
        seen, each about as costly as the fit itself. None takes the decisions as they are, which is quick.
        Either way the most probable class is the predicted one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    encoding_ : Encoding
    gamma_ : float
        The factor of the kernel; NaN if it has none.
    support_ : ndarray
        The numbers of the rows that are support vectors; of equal rows, the first.
    support_vectors_ : ndarray of shape (n_support, n_encoded) or None
        These rows, encoded; None if rows are sparse, since the weights of a linear machine say all.
    n_support_ : ndarray of shape (n_classes,)
        How many of them each class has.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        alpha y of each support vector, in each machine.
    slacks_ : ndarray of shape (n_machines, n_support)
        The slack xi of each.
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
    sharpness_ : ndarray of shape (n_classes,)
        The slope of the probabilities for each winning class; see `openbook.svm.platt`.
    calibrated_ : bool
        Whether probabilities were fitted in folds.

    Notes
    -----
    Ctrl-C during the search, or the cap, leaves a usable model, and a warning says how good it is. There is
    no chance in it: no random state is needed. Guide: docs/guide/svm.md

    References
    ----------
    Cortes and Vapnik (1995). Platt (1999), for probabilities; see also `smo.py` and `newton.py`.

    Examples
    --------
    >>> square = [[0, 0], [0, 2], [2, 0], [2, 2]]
    >>> model = SVC(C=math.inf, kernel="linear", scale=False, calibrate=None).fit(square, [-1, -1, 1, 1])
    >>> model.coef_.tolist(), model.intercept_.tolist(), model.margin_.tolist()
    ([[1.0, 0.0]], [-1.0], [2.0])
    """

    loss: Annotated[str, OneOf("hinge", "squared_hinge")] = "hinge"
    multiclass: Annotated[str, OneOf("ovr", "ovo")] = "ovr"
    class_weight: Any = None
    calibrate: Annotated[Any, Maybe(Whole(at_least=2))] = 5

    _counts_declared = False  # no margin parts a class without rows from another

    def _fit(self, rows):
        if math.isinf(self.C) and self.loss == "squared_hinge":
            msg = "C = inf is the hard margin, which has no slack to square; use loss='hinge'"
            raise ParameterError(f"{type(self).__name__}: {msg}")
        if len(self.classes_) < 2:
            label = as_text(self.classes_.tolist()[0])
            msg = f"{type(self).__name__} needs at least two classes, and there is only one class: {label}"
            raise DataError(msg)
        if math.isinf(self.C) and rows.sparse:
            raise ParameterError("SVC: sparse rows need a finite C; C=1000 comes near a hard margin")
        training = self._training(rows)
        self._set_gamma(training)
        weights = np.bincount(training.y, training.w, len(self.classes_))
        cost = training.w * class_factors(self, weights)[training.y]
        tasks = self._tasks(training.y, cost)
        table = kernel_table(kernel_asked(self), training.X, self._order(training.y))
        solutions = self._solved(training, tasks, table)
        self._keep(training, tasks, solutions)
        support = np.isin(training.number, self.support_)
        self.n_support_ = np.bincount(training.y[support], minlength=len(self.classes_))
        self.sharpness_ = np.ones(len(self.classes_))
        self.calibrated_ = False
        if self.calibrate is not None and self.converged_:
            self._calibrate(training, tasks, solutions, table)
        self._announce()

    def _order(self, y):
        """The order in which the rows of each class stand together, where machines tell pairs apart."""
        by_pairs = len(self.classes_) > 2 and self.multiclass == "ovo"
        return np.argsort(y, kind="stable") if by_pairs else None

    def _tasks(self, y, cost):
        """The machines to be found, in their order."""
        if len(self.classes_) == 2:
            return [Task(slice(None), self._problem(y == 1, cost))]
        if self.multiclass == "ovr":
            return [Task(slice(None), self._problem(y == c, cost)) for c in range(len(self.classes_))]
        tasks, of_class = [], [np.flatnonzero(y == c) for c in range(len(self.classes_))]
        for a, b in pairs(len(self.classes_)):
            rows = np.sort(np.concatenate([of_class[a], of_class[b]]))
            tasks.append(Task(rows, self._problem(y[rows] == a, cost[rows])))
        return tasks

    def _problem(self, positive, cost):
        t = np.where(positive, 1.0, -1.0)
        if self.loss == "squared_hinge":
            most, ridge = np.full(len(t), np.inf), 0.5 / (self.C * cost)
        else:
            most, ridge = self.C * cost, np.zeros(len(t))
        return Problem(t, np.where(positive, 0.0, -most), np.where(positive, most, 0.0), ridge)

    def _solved(self, training, tasks, table):
        if math.isfinite(self.C):
            found = solved(self, table.X, table.kernel, tasks)
            return [table.weighed(machine, task.rows) for machine, task in zip(found, tasks, strict=True)]
        kernel, ends = kernel_asked(self), (self.tol, self.max_iter)
        X, numbers = training.X, training.number
        return [solve_hard(X[t.rows], kernel, t.problem, *ends, numbers[t.rows]) for t in tasks]

    def _calibrate(self, training, tasks, solutions, table):
        """Find how sharp the scores are, from machines that each leave a fold out."""
        folds = min(self.calibrate, int(np.bincount(training.y).min()))
        if folds < 2:
            return
        kernel, X, dealt = table.kernel, table.X, deal(training.X, training.y, folds)
        f = np.empty((len(training.y), len(tasks)))
        for fold in range(folds):
            left = dealt == fold
            kept = X[~left]
            fewer = [task.without(left, found) for task, found in zip(tasks, solutions, strict=True)]
            found = solved(self, kept, kernel, fewer)
            if any(solution.state != CONVERGED for solution in found):
                return
            f[left] = Machines.of(kernel, kept, fewer, found)[0].decisions(X[left])
        self.sharpness_ = sharpness(self._scores(f), training.y, training.w)
        self.calibrated_ = True

    @property
    def notes_(self):
        """What the user should know."""
        notes = super().notes_
        if self.calibrate is not None and not self.calibrated_:
            why = "a class is too small for folds" if self.converged_ else "the search ended early"
            notes = [*notes, f"probabilities are not calibrated: {why}"]
        return notes

    def _scores(self, f):
        return class_scores(f, len(self.classes_), self.multiclass)

    def _draw_rows(self, X, y, columns):
        return draw_boundary(self, X, y, columns, show=("margin",) if len(self.classes_) == 2 else ())

    def decision_function(self, X):
        """The decision f(x) about each row.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            For two classes, above 0 for the second; of more classes, a score for each.
        """
        return self._each(X, self._decision)

    def _decision(self, X):
        f = self._decisions(X)
        return f[:, 0] if len(self.classes_) == 2 else self._scores(f)

    def _proba(self, X):
        return platt_probabilities(self._scores(self._decisions(X)), self.sharpness_)

    def _n_machines(self):
        n = len(self.classes_)
        return 1 if n == 2 else n if self.multiclass == "ovr" else len(pairs(n))

    def _arrays(self):
        of_classes = {"sharpness_": self.sharpness_, "n_support_": self.n_support_}
        return {**super()._arrays(), **of_classes, "calibrated_": np.array([self.calibrated_])}

    def _restore(self, arrays):
        require(len(self.classes_) >= 2, "it has only one class")
        super()._restore(arrays)
        self.sharpness_ = checked_array(arrays, "sharpness_", float, self.classes_.shape)
        self.calibrated_ = bool(checked_array(arrays, "calibrated_", bool, (1,))[0])
        self.n_support_ = checked_array(arrays, "n_support_", np.int64, self.classes_.shape)
        sound = (self.n_support_ >= 0).all() and self.n_support_.sum() == len(self.support_)
        require(sound, "array 'n_support_' must share out the support vectors among the classes")
        require(self.sharpness_ > 0, "array 'sharpness_' must have a number above zero for each class")

    _work, _work_row = derive_classifier, derive_decision
