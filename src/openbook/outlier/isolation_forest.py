r"""The isolation forest: rows that few random splits isolate are outliers.

    score = 2^(-E[h] / c(ψ)),    c(n) = 2 H(n - 1) - 2 (n - 1)/n,    H(i) ≈ ln i + 0.5772

h is the number of steps of a row down a tree that was grown on ψ random rows, with a random test in every
node: of a column that varies there, a number below a random cut, or a category equal to that of a random row.
A tree ends after log₂ ψ levels, and c(n) is added for the n rows that are still together. c(ψ) is the number
of steps of an ordinary row, so its score is 0.5; above 0.6, by default, a row is an outlier, as the authors
suggest.

A missing cell goes with the larger part of the rows; if all known cells are equal, a test separates the rows
with a missing cell. An unseen category equals no other. Numbers count as shares of their range in training,
in single precision.

A step from n rows to n' saves c(n) - c(n') - 1 steps: those it spares, less itself. These sum to c(ψ) - h,
which gives the share of each attribute in the score exactly: 2^(Σ saved / c(ψ) - 1).
"""

import math
from functools import partial
from typing import Annotated, Any

import numpy as np

from openbook.border.rows import infinite_cell
from openbook.border.rules import Auto, Maybe, Whole
from openbook.damage import checked_array, require
from openbook.data import MISSING, Nominal, Numeric
from openbook.errors import DataError
from openbook.fold import each
from openbook.outlier.columns import column_ends
from openbook.outlier.detector import Account, Detector
from openbook.work import Grid, Step, Work

#: The default number of rows of a tree.
_USUAL_SAMPLE = 256

#: Rows that are turned into blocks together.
_ROWS = 8192

#: What the model file holds of the trees; the lengths follow.
_STORED = ("columns", "low", "high", "sizes")
#: Numbers this far beyond their range in training are as far as any.
_FAR = 1e30


class IsolationForest(Detector):
    """Isolation forest: how few random splits isolate the row.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    max_samples : int or "auto", default='auto'
        Ψ, the rows that each tree is grown on; "auto" is 256. All rows, if there are fewer.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement.
    random_state : int, RandomState or None, default=None
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold 0.6.
    top : int or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    forest_ : IsolationTrees
        The trees, as arrays.
    max_samples_ : int
        The number of rows that each tree was grown on.
    low_, range_ : ndarray of shape (n_columns,)
        The least number or rank of each column, and its range.
    threshold_ : float

    References
    ----------
    Liu, Ting and Zhou (2008), Isolation forest.

    Examples
    --------
    >>> X = [[0.1 * i, 0.1 * (i % 7)] for i in range(100)] + [[5.0, 9.0]]
    >>> model = IsolationForest(random_state=0).fit(X)
    >>> int(model.oddness(X).argmax()), model.reasons([5.0, 9.0]).ranked[0].attribute
    (100, 'x1')
    """

    n_estimators: int = 100
    max_samples: Annotated[float | str, Auto(Whole(2))] = "auto"
    bootstrap: bool = False
    random_state: Annotated[Any, Maybe(Whole(0))] = None
    n_jobs: int | None = None

    weighs = False
    _natural = (0.6, "isolated much sooner than an ordinary row")

    def _learn(self, rows):
        from openbook.outlier.isolation_kernels import CellPlanes, IsolationTrees, grow_isolation_trees

        sizes, (low, high) = rows.sizes(), column_ends(rows)
        if np.isinf(low[low <= high]).any() or np.isinf(high[low <= high]).any():
            raise infinite_cell(rows)
        n = sum(sizes)
        if n < 2:
            raise DataError(f"IsolationForest needs at least two rows, got n_samples = {n}")
        self.low_ = np.where(low <= high, low, 0.0)
        self.range_ = np.where(high > low, high - low, 1.0)
        self.max_samples_ = min(_USUAL_SAMPLE if self.max_samples == "auto" else self.max_samples, n)
        rng = np.random.default_rng(self.random_state)
        sample = partial(rng.choice, n, self.max_samples_, replace=self.bootstrap)
        drawn = np.array([sample() for _ in range(self.n_estimators)])
        seeds = rng.integers(1, 2**63, self.n_estimators).astype(np.uint64)
        wanted, samples = np.unique(drawn, return_inverse=True)
        x = self._cells_of_rows(rows, sizes, wanted)
        nominal = np.array([isinstance(a, Nominal) for a in self.schema_])
        self.forest_ = IsolationTrees.empty(self.n_estimators, self._levels)
        grow_isolation_trees(x, nominal, samples.reshape(drawn.shape), seeds, self.forest_)
        self._planes, self._tests = CellPlanes.of(self.forest_)

    @property
    def _levels(self):
        """How many tests lie on the way to a leaf."""
        return max(math.ceil(math.log2(self.max_samples_)), 1)

    def _cells_of_rows(self, rows, sizes, wanted):
        """The cells of some rows, by their numbers in order, (d, n)."""
        starts = np.cumsum([0, *sizes])
        parts = np.split(wanted, np.searchsorted(wanted, starts[1:-1]))
        cells = list[np.ndarray]()
        for piece, part, start in zip(rows.pieces, parts, starts, strict=False):
            if len(part):
                cells += each([piece], partial(_cells_of_chunk, self._cells, part - start))
        return np.ascontiguousarray(np.concatenate(cells, axis=1))

    def _scores(self, X):
        from openbook.outlier.isolation_kernels import BLOCK, add_lengths

        lengths = np.empty(len(X))
        for start in range(0, len(X), _ROWS):
            some = X.take(slice(start, start + _ROWS))
            blocks = self._planes.blocks(self._cells(some))
            total = np.zeros((len(blocks), BLOCK))
            add_lengths(blocks, self._tests, total)
            lengths[start : start + _ROWS] = total.ravel()[: len(some)]
        return np.exp2(-lengths / (self.n_estimators * _expected(self.max_samples_)))

    def _cells(self, X):
        """The cells as trees see them, column after column, (d, n)."""
        cells = np.empty((len(self.schema_), len(X)), np.float32)
        for j, attribute in enumerate(self.schema_):
            data = X.data(attribute.name)
            if isinstance(attribute, Nominal):
                cells[j] = np.where(data == MISSING, np.nan, data)
                continue
            shares = (data - self.low_[j]) / self.range_[j]
            np.clip(shares, -_FAR, _FAR, out=shares)
            missing = ~np.isfinite(data) if isinstance(attribute, Numeric) else data < 0
            cells[j] = np.where(missing, np.nan, shares)
        return cells

    def _account(self, X):
        cells, trees = self._cells(X)[:, 0].tolist(), len(self.forest_.columns)
        saved, taken = [[0.0] * len(self.schema_) for _ in range(2)]
        for t in range(trees):
            for column, before, after in self._path(t, cells):
                saved[column] += (_expected(before) - _expected(after) - 1) / trees
                taken[column] += 1 / trees
        c = _expected(self.max_samples_)
        total = math.fsum(saved)
        score = 2 ** (total / c - 1)
        rows = list(zip(self.schema_.names, taken, saved, strict=True))
        grid = Grid("steps", ("column", "splits per tree", "splits saved"), rows)
        ordinary = f"ψ = {self.max_samples_}: an ordinary row"
        numbers = {"c": c, r"\sum_j saved_j": total, "h": c - total}
        steps = (
            Step("c", r"2 H(\psi - 1) - \frac{2 (\psi - 1)}{\psi}", result=c, note=ordinary),
            Step.of("mean number of splits", r"c - \sum_j saved_j", numbers, c - total),
            Step.of("score", r"2^{-h / c}", numbers, score),
        )
        meaning = (
            "Splits saved by the attribute: the fewer random splits isolate the row, the higher its score."
        )
        return Account(score, saved, (self._first_path(cells), grid), steps, meaning)

    def _path(self, t, cells):
        """The steps of a row down a tree, by hand: column, rows before and after."""
        forest, node = self.forest_, 0
        while node < forest.columns.shape[1]:
            low, high = float(forest.low[t, node]), float(forest.high[t, node])
            column = int(forest.columns[t, node])
            following = 2 * node + 1 + (low <= cells[column] < high)
            if low < high:
                yield column, int(forest.sizes[t, node]), int(forest.sizes[t, following])
            node = following

    def _first_path(self, cells):
        rows = [
            (self.schema_.names[column], before, after, _expected(before) - _expected(after) - 1)
            for column, before, after in self._path(0, cells)
        ]
        rule = Step("saved", r"c(n) - c(n') - 1", note="by a split from n rows to n'")
        return Work("down the first tree", (rule, Grid("", ("tests", "from rows", "to rows", "saved"), rows)))

    def _learnt(self):
        forest, trees = self.forest_, len(self.forest_.columns)
        tests = np.bincount(forest.columns[forest.low < forest.high], minlength=len(self.schema_))
        rows = list(zip(self.schema_.names, (tests / trees).tolist(), strict=True))
        return (
            Step("trees", result=trees),
            Step("rows per tree ψ", result=self.max_samples_),
            Step("score", r"2^{-E(h) / c(\psi)}"),
            Grid("tests", ("column", "splits per tree"), rows),
        )

    def _arrays(self):
        own = {name: getattr(self.forest_, name) for name in _STORED}
        return {"ends": np.array([self.low_, self.range_]), "psi": np.array([self.max_samples_]), **own}

    def _restore(self, arrays):
        from openbook.outlier.isolation_kernels import CellPlanes, IsolationTrees, measure_paths

        d = len(self.schema_)
        self.low_, self.range_ = checked_array(arrays, "ends", float, (2, d))
        self.max_samples_ = int(checked_array(arrays, "psi", np.int64, (1,))[0])
        sound = self.max_samples_ >= 2 and (self.range_ > 0).all()
        require(sound, "its trees must be grown on two rows or more, and ranges lie above 0")
        nodes = 2 ** (self._levels + 1) - 1
        sizes = checked_array(arrays, "sizes", np.int32, (self.n_estimators, nodes))  # before taking room
        self.forest_ = IsolationTrees.empty(self.n_estimators, self._levels)
        for name in _STORED:
            array = getattr(self.forest_, name)
            array[:] = checked_array(arrays, name, array.dtype, array.shape, finite=False)
        columns, flaw = self.forest_.columns, "its trees test columns that do not exist, or lose rows"
        require((columns >= 0) & (columns < d), flaw)
        require(~np.isnan([self.forest_.low, self.forest_.high]), flaw)
        children = sizes[:, 1::2] + sizes[:, 2::2]
        require((sizes >= 0).all() and (children == sizes[:, : columns.shape[1]]).all(), flaw)
        require(sizes[:, 0] == self.max_samples_, flaw)
        measure_paths(self.forest_)
        self._planes, self._tests = CellPlanes.of(self.forest_)


def _expected(n):
    """c(n): the mean number of steps that isolate one of n rows, as in a search tree at random."""
    if n <= 2:
        return float(n == 2)
    return 2 * (math.log(n - 1) + 0.5772156649015329) - 2 * (n - 1) / n


def _cells_of_chunk(cells_of, rows, chunk):
    return cells_of(chunk.X.take(rows))
