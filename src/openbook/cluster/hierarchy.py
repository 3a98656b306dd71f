r"""Base of hierarchical clusterers: a dendrogram, a cut, and the cluster of a new row.

A new row joins the cluster of the nearest training row, ties to the first. So training rows keep their
clusters. With a matrix, new rows are given as their distances, or similarities, to the training rows.
"""

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np

from openbook.border.budget import refuse_if_over
from openbook.border.not_taken import Declared
from openbook.border.rules import Maybe, NamedOr, Number, Whole
from openbook.cluster.clusterer import RowClusterer
from openbook.cluster.dendrogram import Dendrogram
from openbook.cluster.merging import merge_table
from openbook.damage import checked_array, require
from openbook.data import Numeric
from openbook.errors import DataError, ParameterError
from openbook.spaces.points import all_pairs
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import DISTANCES, TILED, MinkowskiPower, Space, refusal
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: Metrics by which the table is itself a square matrix, and what the matrix holds.
MATRICES = {"precomputed": "distances", "precomputed_similarity": "similarities"}

#: Rows up to which the work is derived in full; the matrix is kept for it.
_DERIVED = 60
#: The number of nearest rows that are shown.
_SHOWN = 5


class Hierarchy(Declared, RowClusterer):
    """Clusters within clusters: `dendrogram_`, and `labels_` where it is cut."""

    n_clusters: Annotated[int, Maybe(Whole(at_least=1))] = 2
    _: KW_ONLY
    distance_threshold: Annotated[float | None, Maybe(Number())] = None
    metric: Annotated[Any, NamedOr("a function of rows (…, d) and (…, d)", (*DISTANCES, *MATRICES))] = "auto"
    scale: bool = True
    p: MinkowskiPower = 2
    allow_large: bool = False

    def refusal(self, schema):
        reason = super().refusal(schema) or refusal(self.metric, schema)
        if reason is None and self.metric in MATRICES and schema.of(Numeric) != schema.names:
            odd = next(a for a in schema if not isinstance(a, Numeric))
            return f"takes a matrix of {MATRICES[self.metric]}, and column {odd.name!r} is {odd.kind}"
        return reason

    @property
    def linkage_(self):
        """The merges as scipy has them: two clusters, the height, the rows."""
        return self.dendrogram_.linkage

    @property
    def n_leaves_(self):
        """How many rows were learnt."""
        return len(self.linkage_) + 1

    @property
    def children_(self):
        """The two clusters of each merge, (n_leaves_ - 1, 2): a row, or n_leaves_ + an earlier merge."""
        return self.linkage_[:, :2].astype(np.intp)

    @property
    def distances_(self):
        """The height of each merge."""
        return self.linkage_[:, 2]

    def _fit(self, rows):
        n = sum(rows.sizes())
        self._check_enough(n)
        top, stored = None, StoredRows.gathered(rows)
        if self.metric not in MATRICES:
            self._keep(stored)
            linkage = self._linked()
        else:
            self._row_weights = stored.weights
            self.matrix_ = matrix_of(stored.table(rows.schema), MATRICES[self.metric])
            similar = self.metric == "precomputed_similarity"
            top = float(self.matrix_.max()) if similar else None
            linkage = self._linked_matrix(top - self.matrix_ if similar else self.matrix_)
            if n > _DERIVED:
                del self.matrix_
        self.dendrogram_ = Dendrogram(linkage, self._names(), top)
        self._cut()

    def _check_enough(self, n):
        if self.distance_threshold is None and self.n_clusters is None:
            msg = f"{type(self).__name__}: give n_clusters or distance_threshold; both are None"
            raise ParameterError(msg)
        if self.distance_threshold is None:
            self._refuse_few(n)

    def _names(self):
        """What the leaves are called: by the columns of a matrix, where these have names."""
        return self.schema_.names if self.metric in MATRICES and self.schema_.named else ()

    def _space(self, stored):
        return Space(stored, self.schema_, self.metric, scale=self.scale, p=self.p)

    def _points(self):
        """The rows as kernels see them, where these know the distance; else None."""
        if self.space_.metric not in TILED:
            return None
        return self.space_.points(*self.space_.cells(self.space_.table))

    def _pairs(self):
        """The distances of all pairs of rows, condensed."""
        if (points := self._points()) is not None:
            return all_pairs(points)
        from scipy.spatial.distance import squareform

        return squareform(self._square(), checks=False)

    def _square(self):
        """The distances of all pairs of rows, (n, n), each the same both ways."""
        matrix = self.space_.distances()
        odd = ~np.isclose(matrix, matrix.T) | ~np.isfinite(matrix)
        if odd.any():
            i, j = np.argwhere(odd)[0].tolist()
            there, back = figure(float(matrix[i, j])), figure(float(matrix[j, i]))
            raise DataError(
                f"{type(self).__name__}: {self.space_.named} from row {i} to row {j} is {there}, and {back}"
                " the other way; clusters need one finite distance: take another metric, such as 'gower'"
            )
        return matrix

    def _cut(self):
        tree, height = self.dendrogram_, self.distance_threshold
        self.labels_ = tree.cut(self.n_clusters) if height is None else tree.cut(height=height)
        self.n_clusters_ = int(self.labels_.max()) + 1

    def _nearest(self, X, k):
        """The distances and numbers of the k nearest training rows, in order, both (m, k)."""
        if self.metric not in MATRICES:
            return self.space_.index.query(self.space_.coordinates(X), k)
        matrix = np.asarray(X.block(X.names), dtype=float)
        distances = np.nan_to_num(matrix if self.metric == "precomputed" else -matrix, nan=np.inf)
        rows = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(distances, rows, axis=1), rows

    def _nearest_labels(self, X):
        return self.labels_[self._nearest(X, 1)[1][:, 0]]

    def _labels(self, X):
        return self._nearest_labels(X) if self.metric in MATRICES else super()._labels(X)

    def cophenetic_correlation(self):
        """How well the dendrogram keeps the distances of the rows it was learnt from; 1 is perfectly."""
        if self.metric in MATRICES:
            msg = "no rows were kept; dendrogram_.cophenetic_correlation(distances) takes their distances"
            raise ParameterError(msg)
        n = len(self.labels_)
        what, remedy = f"the cophenetic correlation of {n:,} rows", "fit on a sample"
        refuse_if_over(what, 16 * n * n, 1e-8 * n * n, remedy, allow=self.allow_large)
        return self.dendrogram_.cophenetic_correlation(self._pairs())

    def draw(self, X=None, columns=None, *, most=60):
        """The dendrogram, with a colour for each cluster of the cut; or rows, coloured by cluster.

        Parameters
        ----------
        X : rows or None, default=None
            Rows to draw by two columns, or by their first two principal components, instead.
        columns : sequence of str or None, default=None
            The two columns to draw the regions over; None takes the two there are, if both are numbers,
            and else the first two principal components.
        most : int, default=60
            The most leaves that are drawn; of more, only the last merges.

        Returns
        -------
        Picture
        """
        return self.dendrogram_.draw(self.n_clusters_, most=most) if X is None else super().draw(X, columns)

    def _work(self):
        n = len(self.labels_)
        derived = n <= _DERIVED
        parts = self._derive(self._matrix()) if derived else [merge_table(self.dendrogram_)]
        height = self.distance_threshold
        where = f"into {plural(self.n_clusters, 'cluster')}" if height is None else f"at {figure(height)}"
        sizes = enumerate(np.bincount(self.labels_).tolist())
        clusters = Step("clusters", result=self.n_clusters_, note=f"cut {where}")
        cut = Work("cut", (clusters, Grid("clusters", ("cluster", "rows"), list(sizes))))
        return Work(f"{self._title()}: how it was fitted", (*parts, cut), f"{plural(n, 'row')}.")

    def _matrix(self):
        """The square matrix of all rows, for the work."""
        return (self.matrix_ if self.metric in MATRICES else self.space_.distances()).tolist()

    def _work_row(self, X):
        distances, near = (part[0].tolist() for part in self._nearest(X, min(_SHOWN, self.n_leaves_)))
        sign, word = (-1, "similarity") if self.metric == "precomputed_similarity" else (1, "distance")
        names = self.dendrogram_.names
        rows = [(names[i], sign * d, int(self.labels_[i])) for i, d in zip(near, distances, strict=True)]
        grid = Grid("nearest rows", ("row", word, "cluster"), rows)
        rule = Step("cluster of x", r"c(\arg\min_i d(x, x_i))" if sign > 0 else r"c(\arg\max_i s(x, x_i))")
        nearest = f"The nearest training row is {rows[0][0]}, at {figure(rows[0][1])}: cluster {rows[0][2]}."
        return Work(f"{self._title()}: one assignment", (rule, grid), nearest)

    def _arrays(self):
        if self.metric not in MATRICES:
            return super()._arrays() | {"linkage": self.linkage_}
        top = self.dendrogram_.top
        own = {"linkage": self.linkage_, "weights": self._row_weights, "top": np.array([top or 0.0])}
        return own | ({"matrix": self.matrix_} if hasattr(self, "matrix_") else {})

    def _restore(self, arrays):
        top, n = None, len(self.schema_)
        if self.metric not in MATRICES:
            super()._restore(arrays)
            n = len(self._row_weights)
        else:
            self._row_weights = checked_array(arrays, "weights", float, (n,))
            require(self._row_weights > 0, "weights must be above zero")
            highest = float(checked_array(arrays, "top", float, (1,))[0])
            top = highest if self.metric == "precomputed_similarity" else None
            if n <= _DERIVED:
                self.matrix_ = checked_array(arrays, "matrix", float, (n, n))
        linkage = checked_array(arrays, "linkage", float, (n - 1, 4))
        sizes = [1.0] * n
        self.dendrogram_ = Dendrogram(linkage, self._names(), top)
        for first, second, _, size in linkage.tolist():
            sizes.append(sizes[int(first)] + sizes[int(second)])
            require(size == sizes[-1], "the rows of a merge do not add up")
        self._check_enough(n)
        self._cut()


def matrix_of(table, given):
    """The square matrix that was given, checked: float64 (n, n)."""
    matrix = np.array(table.block(table.names), dtype=float)
    n, d = matrix.shape
    if n != d:
        msg = f"a matrix of {given} is square, a row and a column for each; got {n} rows of {d} columns"
        raise DataError(msg)
    near = 1e-12 * np.abs(matrix).max(initial=0.0, where=np.isfinite(matrix))
    asymmetric = ~np.isclose(matrix, matrix.T, rtol=1e-8, atol=near)
    flaws = {
        "is not a finite number": ~np.isfinite(matrix),
        "differs from its mirror image: between two rows there is one number": asymmetric,
    }
    if given == "distances":
        remedy = "if larger means nearer, pass metric='precomputed_similarity'"
        flaws[f"is negative: {remedy}"] = matrix < 0
        flaws[f"is not 0, the distance of a row from itself; {remedy}"] = np.diag(matrix.diagonal() > 0)
    for flaw, cells in flaws.items():
        if cells.any():
            row, column = np.argwhere(cells)[0].tolist()
            cell = f"row {row}, column {table.names[column]!r} ({matrix[row, column]:g})"
            raise DataError(f"{given}: {cell} {flaw}")
    return matrix
