r"""Kernel ridge regression: ridge regression in the space of a kernel, solved for one weight a row.

    min over f       sum_i w_i (y_i - f(x_i))² + alpha |f|²
    solution         f(x) = sum_i a_i K(x_i, x),    (K + alpha W⁻¹) a = y
    linear kernel    w = sum_i a_i x_i, the weights of ridge regression without an intercept

Every row has a weight a_i: unlike support vectors, none is 0. With `scale` the target is centred, which takes
the place of an intercept. A missing cell, or an unseen value, counts as the mean of its column, and a
column that had gaps in training has one more for them. Memory grows with the square of the rows.

X_fit_ : float64 (n, d), encoded rows; dual_coef_ : float64 (n,)
"""

import math
from typing import Annotated, Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from openbook.border.learner import Regressor
from openbook.border.not_taken import Declared
from openbook.border.rules import Maybe, Number, Whole
from openbook.damage import checked_floats, require
from openbook.errors import DataError
from openbook.prepare.encoding import Encoding, encoded_rows
from openbook.svm.derive import KERNELS, kernel_of
from openbook.svm.kernels import KernelChoice, add_scores, kernel_asked, kernel_factor
from openbook.words.numbers import figure, signed
from openbook.work import Grid, Step, Work

#: More rows than these would need a matrix of several gigabytes.
MOST_ROWS = 20_000
#: The most rows that are listed, those with the largest share in the prediction first.
LISTED = 20


class KernelRidge(Declared, Regressor):
    """Kernel ridge regression: a smooth function by kernels, with the smallest squared error plus a penalty.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, relative to the sum of squared errors; a larger one gives a smoother fit.
    kernel : {"linear", "poly", "rbf"} or function, default="linear"
        The kernel K(x, z): x · z; (gamma x · z + coef0)^degree; exp(-gamma |x - z|²); or a function of two
        matrices, (n, d) and (m, d), that gives (n, m).
    gamma : float or None, default=None
        The factor in "poly" and "rbf"; None for 1 / the number of encoded columns.
    degree : int, default=3
        The power in "poly".
    coef0 : float, default=1.0
        The constant in "poly".
    scale : bool, default=True
        Whether numeric columns are standardised and the target is centred first.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_rows,)
        The weight a of each row.
    X_fit_ : ndarray of shape (n_rows, n_encoded)
        The encoded rows.
    center_ : float
        Subtracted from the target; 0 if it is not scaled.
    gamma_ : float
        The factor of the kernel; NaN if it has none.
    encoding_ : Encoding

    Notes
    -----
    Guide: docs/guide/svm.md

    References
    ----------
    Murphy (2012), Machine learning: a probabilistic perspective, section 14.4.3.

    Examples
    --------
    >>> model = KernelRidge(alpha=1, scale=False).fit([[1.0], [2.0]], [1.0, 2.0])
    >>> model.dual_coef_.round(4).tolist(), model.predict([[1.0]]).round(4).tolist()
    ([0.1667, 0.3333], [0.8333])
    """

    #: The penalty is relative to the sum of the weights, which therefore count rows.
    _counts_rows = True

    _takes_means = True

    alpha: Annotated[float, Number(above=0)] = 1.0
    kernel: Annotated[Any, KernelChoice()] = "linear"
    gamma: Annotated[float | None, Maybe(Number(above=0))] = None
    degree: Annotated[int, Whole(at_least=1)] = 3
    coef0: Annotated[float, Number()] = 1.0
    scale: bool = True

    def knobs(self):
        widths = {"gamma": (0.01, 0.1, None, 1.0)} if self.kernel in ("poly", "rbf") else {}
        return {"alpha": (0.01, 0.1, 1.0, 10.0), **widths}

    def _fit(self, rows):
        self.encoding_ = Encoding.of(rows, scale=self.scale)
        X, y, w = encoded_rows(rows, self.encoding_)
        self.X_fit_ = X.copy()  # it may be a view of the table
        if len(y) > MOST_ROWS:
            raise DataError(
                f"KernelRidge: {len(y):,} rows need a matrix of {len(y):,} by {len(y):,} numbers; fit at most"
                f" {MOST_ROWS:,} of them, or use SVR or LinearRegression(basis=…)"
            )
        given = self.gamma if self.gamma is not None else 1 / max(len(self.encoding_), 1)
        self.gamma_ = float(given) if self.kernel in ("poly", "rbf") else math.nan
        self.center_ = float(w @ y / w.sum()) if self.scale else 0.0
        system = kernel_asked(self).matrix(self.X_fit_, self.X_fit_)
        system[np.diag_indices_from(system)] += self.alpha / w
        self.dual_coef_ = _solved(system, y - self.center_)

    def _predict(self, X):
        kernel, predicted = kernel_asked(self), np.full(len(X), self.center_)
        add_scores(
            kernel, kernel.left(self.encoding_(X)), kernel.right(self.X_fit_), self.dual_coef_, predicted
        )
        return predicted

    def complexity(self):
        if self.kernel == "linear":
            return len(self.encoding_) + 1
        return int(self.X_fit_.size + self.dual_coef_.size)

    def _arrays(self):
        dual = {"X_fit_": self.X_fit_, "dual_coef_": self.dual_coef_}
        figures = np.array([self.center_, self.gamma_])
        return {**dual, "figures": figures, **self.encoding_.arrays("encoding.")}

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        n, figures = max(len(arrays["dual_coef_"]), 1), arrays["figures"]
        shapes = {"X_fit_": (n, len(self.encoding_)), "dual_coef_": (n,)}
        self.X_fit_, self.dual_coef_ = checked_floats(arrays, **shapes)
        self.gamma_ = kernel_factor(self, figures[1:])
        self.center_ = float(figures[0])
        require(math.isfinite(self.center_), "the centre of its target is not finite")

    def _work(self):
        n = len(self.dual_coef_)
        steps = [Step("K(x, z)", KERNELS.get(self.kernel, r"\text{a function of your own}"))]
        if not math.isnan(self.gamma_):
            steps.append(Step("γ", r"\frac{1}{d}" if self.gamma is None else "", result=self.gamma_))
        if self.scale:
            note = "taken off, and added at the end"
            steps.append(Step("mean of the target", result=self.center_, note=note))
        steps.append(Step("a", r"(K + \alpha W^{-1})^{-1} y", note=f"alpha = {figure(self.alpha)}, {n} rows"))
        order = np.argsort(-np.abs(self.dual_coef_), kind="stable")[:LISTED]
        rows = [[i + 1, float(self.dual_coef_[i])] for i in order.tolist()]
        note = f"the {LISTED} largest of {n:,}" if n > LISTED else ""
        grid = Grid("weights of the rows", ["row", "a"], rows, note)
        end = "f(x) is the sum of a K over all rows."
        return Work(f"Kernel ridge for {self.target_}", (*steps, grid), end)

    def _work_row(self, X):
        x = self.encoding_(X)[0].tolist()
        kernels = [kernel_of(self, row, x) for row in self.X_fit_.tolist()]
        parts = [a * k for a, k in zip(self.dual_coef_.tolist(), kernels, strict=True)]
        order = sorted(range(len(parts)), key=lambda i: -abs(parts[i]))[:LISTED]
        rows = [[i + 1, float(self.dual_coef_[i]), kernels[i], parts[i]] for i in order]
        note = f"the {LISTED} largest of {len(parts):,}" if len(parts) > LISTED else ""
        grid = Grid("terms", ["row", "a", "K(row, x)", "a K"], rows, note)
        total, predicted = math.fsum(parts), math.fsum([*parts, self.center_])
        numbers = f"{figure(total)} + {signed(self.center_)}"
        steps = (
            Step("sum", r"\sum_i a_i K(x_i, x)", result=total),
            Step("f(x)", r"\sum_i a_i K(x_i, x) + \bar{y}", numbers, predicted),
        )
        title = f"Kernel ridge for {self.target_}: one prediction"
        return Work(title, (grid, *steps), f"{self.target_} = {figure(predicted)}.")


def _solved(system, y):
    """The solution of a positive definite system; where a kernel makes it none, that of least squares."""
    try:
        return cho_solve(cho_factor(system, lower=True, check_finite=False), y, check_finite=False)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(system, y)[0]
