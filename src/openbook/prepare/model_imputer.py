r"""Missing cells filled by a model for each column, from the other columns of the row.

    z_j = b_j + Σ_k≠j w_jk z_k      least squares with a small ridge, over training rows that know column j

z are the encoded columns (z-scores, ranks, 0/1 for values) minus their means, so that a missing one starts at
0. In each round the models are fitted to the filled rows, and each missing cell is predicted from the others,
cells filled before included. Rounds end when no cell changes by more than `tol`, or after `max_iter` of them.
New rows are filled by the last models, in as many rounds. A nominal cell becomes the value whose 0/1 column
is predicted highest.

W : float64 (d, d), the weights of every encoded column for every other; 0 for those of the same column
b : float64 (d,), the intercepts
"""

from collections.abc import Mapping

import numpy as np

from openbook.border.not_taken import Declared
from openbook.damage import checked_array
from openbook.data import Table
from openbook.prepare.encoding import Encoding
from openbook.prepare.similar_rows import ImputerFromRows, where_known
from openbook.prepare.transformer import TrainingTable
from openbook.work import Grid, Step, Work

#: The ridge, as a share of the rows: enough to solve columns that repeat each other.
_RIDGE = 1e-6


class IterativeImputer(Declared, ImputerFromRows):
    """Fill missing cells by a linear model for each column, from the other columns.

    The name is scikit-learn's; its models are of numbers, these of any kind of column but text.

    Parameters
    ----------
    max_iter : int, default=10
    tol : float, default=0.001
        The change of a standardised cell below which rounds end.
    columns : list of str or None, default=None
        The columns that are filled; models use all columns but texts. None for all.

    Attributes
    ----------
    encoding_ : Encoding
        How rows become numbers.
    weights_, intercepts_ : ndarray of shape (d, d) and (d,)
        The weights of each encoded column for each other.
    n_iter_ : int
        How many times the models were fitted.
    gaps_ : ndarray of shape (n_columns,)
        How many training rows miss each column.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 4.0, None, 8.0]})
    >>> IterativeImputer().fit_transform(table)["y"].data.round(3).tolist()
    [2.0, 4.0, 6.0, 8.0]
    """

    max_iter: int = 10
    tol: float = 1e-3
    columns: list[str] | None = None

    def _learn(self, rows: TrainingTable) -> None:
        table = self._encoded(rows)
        z, missing = self._centred(table)
        self.gaps_ = np.array([float(rows.w[~table.column(name).known].sum()) for name in self._chosen])
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            self.weights_, self.intercepts_ = self._models(z, missing, rows.w)
            if self._fill(z, missing) <= self.tol:
                break

    def _centred(self, table: Table) -> tuple[np.ndarray, np.ndarray]:
        """The encoded rows minus their means, and which of their cells are missing."""
        own = self.encoding_
        z = own(table) - (own.mean - own.shift) / own.scale
        missing = ~where_known(table, table.names)[:, own.columns]
        return np.where(missing, 0.0, z), missing

    def _models(self, z: np.ndarray, missing: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights of every encoded column for every other, and the intercepts."""
        behind, weights = self.encoding_.columns, np.zeros((z.shape[1], z.shape[1]))
        intercepts = np.zeros(z.shape[1])
        for column in np.unique(behind):
            own = behind == column
            known = ~missing[:, own].any(axis=1)
            if not known.any():
                continue
            share = w[known] / w[known].sum()
            mean = share @ z[known]
            centred = z[known] - mean
            others = centred[:, ~own]
            weighed = others * share[:, None]
            ridge = _RIDGE * np.eye(others.shape[1])
            found = np.linalg.solve(weighed.T @ others + ridge, weighed.T @ centred[:, own])
            weights[np.ix_(~own, own)] = found
            intercepts[own] = mean[own] - mean[~own] @ found
        return weights, intercepts

    def _fill(self, z: np.ndarray, missing: np.ndarray) -> float:
        """Predict the missing cells from the others, column by column; the largest change of a cell."""
        behind, before = self.encoding_.columns, z[missing]
        for column in np.unique(behind[missing.any(axis=0)]):
            own = behind == column
            gaps = missing[:, own].any(axis=1)
            z[np.ix_(gaps, own)] = self.intercepts_[own] + z[gaps] @ self.weights_[:, own]
        return float(np.abs(z[missing] - before).max(initial=0.0))

    def _prepared(self, table: Table) -> Table:
        own = table.select(self._compared)
        z, missing = self._centred(own)
        for _ in range(self.max_iter):
            if self._fill(z, missing) <= self.tol:
                break
        encoding = self.encoding_
        filled = encoding.decoded(z + (encoding.mean - encoding.shift) / encoding.scale)
        new = {}
        for name in self._chosen:
            data = own.data(name)
            new[name] = (
                self.schema_[name],
                np.where(own.column(name).known, data, filled.data(name)).astype(data.dtype),
            )
        return self._with(table, new)

    # the model file

    def _arrays(self) -> Mapping[str, np.ndarray]:
        return {
            **self.encoding_.arrays(),
            "weights": self.weights_,
            "intercepts": self.intercepts_,
            "gaps_by_column": self.gaps_,
        }

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.encoding_ = Encoding.from_arrays(self.schema_.select(self._compared), arrays)
        d = len(self.encoding_)
        self.weights_ = checked_array(arrays, "weights", float, (d, d))
        self.intercepts_ = checked_array(arrays, "intercepts", float, (d,))
        self.gaps_ = checked_array(arrays, "gaps_by_column", float, (len(self._chosen),))
        self.n_iter_ = 0

    def _work(self) -> Work:
        rule = Step(
            "z of column j", r"b_j + \sum_{k \ne j} w_{jk} z_k", note="z: encoded columns minus their means"
        )
        gaps = Grid(
            "columns", ("column", "missing"), list(zip(self._chosen, self.gaps_.tolist(), strict=True))
        )
        names, behind = self.encoding_.names, self.encoding_.columns
        rows = [
            (names[j], names[k], float(self.weights_[k, j]))
            for j in range(len(names))
            if self._compared[behind[j]] in self._chosen
            for k in np.argsort(-np.abs(self.weights_[:, j]), kind="stable")[:3]
            if self.weights_[k, j]
        ]
        note = "The three largest weights of each encoded column."
        models = Grid("models", ("predicted", "from", "weight"), rows, note)
        return Work("IterativeImputer: a model for each column", (rule, gaps, models))

    def _work_row(self, X: Table) -> Work:
        after, own = self._prepared(X), X.select(self._compared)
        rows = [(name, after.column(name)[0]) for name in self._chosen if not own.column(name).known[0]]
        end = "" if rows else "No cell is missing: the row stays as it is."
        return Work(
            "IterativeImputer: one row", (Grid("filled", ("column", "becomes"), rows),) if rows else (), end
        )
