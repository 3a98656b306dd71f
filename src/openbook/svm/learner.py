"""What the classifier and the regressor share: rows as numbers, the kernel, the model file, the notes.

Columns become numbers by the learner's `Encoding`: a missing cell, or an unseen value, counts as the mean
of its column, and a column that had gaps in training has one more for them.
"""

import warnings
from typing import Annotated, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Learner
from openbook.border.not_taken import Declared
from openbook.border.rules import Number, Whole, WordOr
from openbook.damage import checked_array, require
from openbook.errors import InterruptedFit, ParameterError
from openbook.linear.perceptron_picture import weight_bars
from openbook.prepare.encoding import Encoding, encoded_rows
from openbook.svm.kernels import KernelChoice, kernel_asked, kernel_factor
from openbook.svm.machine import Machines
from openbook.svm.problem import CAPPED, CONVERGED, INTERRUPTED
from openbook.svm.training import MachineRows

#: Linear machines learn from more rows without a look for rows that are alike, which would take longer.
_MANY = 50_000

#: The arrays of a model, by the shape that they have: of machines, m support vectors and d encoded columns.
_SHAPES = {
    "support_": ("m",),
    "support_vectors_": ("m", "d"),
    **dict.fromkeys(("dual_coef_", "slacks_"), ("machines", "m")),
    **dict.fromkeys(("bias_", "objective_", "dual_gap_", "n_iter_", "states_"), ("machines",)),
    "weights_": ("machines", "d"),
}
_WHOLE = ("support_", "n_iter_", "states_")


class SupportVectors(Declared, Learner):
    """A learner made of support vectors."""

    C: float = 1.0
    kernel: Annotated[Any, KernelChoice()] = "rbf"
    degree: Annotated[int, Whole(at_least=1)] = 3
    gamma: Annotated[float | str, WordOr(Number(above=0), "scale", "auto")] = "scale"
    coef0: Annotated[float, Number()] = 0.0
    scale: bool = True
    tol: Annotated[float, Number(above=0)] = 1e-3
    max_iter: int = 1000

    #: C is relative to the sum of the weights, which therefore count rows.
    _counts_rows = True
    _takes_means = True

    @property
    def _takes_sparse(self):  # type: ignore[override]
        """Only a linear machine has weights, which need no products of rows with rows."""
        return self.kernel == "linear"

    def _training(self, rows):
        """All rows, encoded, and those that are alike together; sets `encoding_`."""
        self.encoding_ = Encoding.of(rows, scale=self.scale)
        X, y, w = encoded_rows(rows, self.encoding_)
        training = MachineRows(X, y, w, np.arange(len(y)))
        few = self.kernel != "linear" or len(training.y) <= _MANY
        return training.joined() if few else training

    def knobs(self):
        """The penalty, and the width of the kernel where it has one; "scale" is about 1 over the columns."""
        widths = {"gamma": (0.01, "scale", 1.0)} if self.kernel in ("poly", "rbf") else {}
        return {"C": (0.1, 1.0, 10.0, 100.0), **widths}

    def _set_gamma(self, training):
        """The kernel's factor; NaN if it has none."""
        X, w = training.X, training.w / training.w.sum()
        if self.kernel not in ("poly", "rbf"):
            self.gamma_ = np.nan
        elif self.gamma == "scale":
            mean = float(w @ X.mean(axis=1)) if X.size else 0.0
            spread = float(w @ np.square(X - mean).sum(axis=1))
            self.gamma_ = 1.0 / spread if spread > 0 else 1.0
        else:
            self.gamma_ = 1.0 / max(X.shape[1], 1) if self.gamma == "auto" else float(self.gamma)

    def _keep(self, training, tasks, solutions):
        """Become the model of these solutions."""
        machines, rows = Machines.of(kernel_asked(self), training.X, tasks, solutions)
        self.support_ = training.number[rows]
        self.support_vectors_, self.dual_coef_ = machines.vectors, machines.coef
        self.bias_, self.weights_ = machines.bias, machines.weights
        self.slacks_ = machines.slacks(tasks, solutions, rows, len(training.y))
        self.objective_, self.dual_gap_, self.n_iter_, self.states_ = (
            np.array([getattr(solution, name) for solution in solutions])
            for name in ("primal", "gap", "sweeps", "state")
        )

    def _machines(self):
        return Machines(kernel_asked(self), self.support_vectors_, self.dual_coef_, self.bias_, self.weights_)

    def _decisions(self, X):
        """The decision of each machine about the rows of a table, (n, machines)."""
        return self._machines().decisions(self.encoding_(X))

    def _in_columns(self):
        """Coefficients and constant of each machine, in units of the columns where the kernel is linear."""
        if self.weights_ is None:
            return None, self.bias_
        return self.encoding_.original(self.weights_, self.bias_)

    @property
    def coef_(self):
        """The coefficients of a linear machine, in units of the columns, (machines, d)."""
        if self.weights_ is None:
            raise AttributeError(
                f"a machine of kernel {self.kernel!r} has no coefficients of columns, only of support vectors"
            )
        return self._in_columns()[0]

    def draw(self, X=None, y=None, columns=None):
        """The weights of a linear machine as bars, the largest on top; or, with rows, what it predicts.

        Parameters
        ----------
        X : table-like or None, default=None
            Rows to draw: with the decision regions and, for two classes, the margin; or the fitted curve.
        y : array-like, str or None, default=None
            Their target.
        columns : sequence of str, str or None, default=None
            The two columns of the regions, or the column of the curve; None takes those that matter most.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        if X is not None:
            return self._draw_rows(X, y, columns)
        if self.weights_ is None:
            raise ParameterError(
                f"a machine of kernel {self.kernel!r} has no weights of columns; draw its rows by draw(X, y)"
            )
        return weight_bars(self, f"Support vector machine for {self.target_}", self.weights_, "machine")

    @property
    def intercept_(self):
        """The constant of each machine; of a linear one in units of the columns."""
        return self._in_columns()[1]

    @property
    def margin_(self):
        """The width of each machine's margin, 2 / |w|, in units of the encoded columns."""
        with np.errstate(divide="ignore"):
            return 2.0 / self._machines().norms()

    @property
    def converged_(self):
        """Whether every machine was found to the tolerance."""
        return bool((self.states_ == CONVERGED).all())

    @property
    def notes_(self):
        """What the user should know."""
        if self.converged_:
            return []
        ends = {CAPPED: f"reached max_iter={self.max_iter}", INTERRUPTED: "was interrupted"}
        early = self.states_ != CONVERGED
        least = np.maximum(self.objective_[early] - self.dual_gap_[early], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.max(np.where(self.dual_gap_[early] > 0, self.dual_gap_[early] / least, 0.0))
        how = f"with an objective at most {above:.2g} times its minimum above the minimum; "
        how = how if np.isfinite(above) else ""
        end = ends[int(self.states_.max())]
        return [f"the search {end}; this is the best model so far, {how}raise max_iter or tol"]

    def _announce(self):
        if not self.converged_:
            kind = InterruptedFit if (self.states_ == INTERRUPTED).any() else ConvergenceWarning
            warnings.warn(f"{type(self).__name__}: {'; '.join(self.notes_)}", kind, stacklevel=5)

    def complexity(self):
        if self.weights_ is not None:
            return int(self.weights_.size + self.bias_.size)
        return int(self.support_vectors_.size + self.dual_coef_.size + self.bias_.size)

    def _arrays(self):
        solution = {name: getattr(self, name) for name in _SHAPES if getattr(self, name) is not None}
        return {**solution, **self.encoding_.arrays("encoding."), "gamma_": np.array([self.gamma_])}

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        linear = self.kernel == "linear"
        sizes = {"machines": self._n_machines(), "m": arrays["support_"].size, "d": len(self.encoding_)}
        for name, shape in _SHAPES.items():
            if (name == "weights_" and not linear) or (name == "support_vectors_" and self.encoding_.sparse):
                setattr(self, name, None)
            else:
                dtype = np.int64 if name in _WHOLE else np.float64
                shape_now = tuple(sizes[size] for size in shape)
                setattr(self, name, checked_array(arrays, name, dtype, shape_now))
        self.gamma_ = kernel_factor(self, arrays["gamma_"])
        known = np.isin(self.states_, (CONVERGED, CAPPED, INTERRUPTED))
        require(known, f"no search ends in the states {self.states_.tolist()}")
        positive = all((part >= 0).all() for part in (self.support_, self.slacks_, self.dual_gap_))
        require(positive, "a row's number, a slack or a gap is below zero")
