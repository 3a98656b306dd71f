r"""Label propagation and label spreading: labels flow along a graph of nearest rows.

    propagation   f_i = mean of f_j over the k nearest rows j of row i, itself among them; labels stay
    spreading     f_i = α Σ_j f_j / √(d_i d_j) + (1 - α) y_i,   j the other nearest rows

f : float64 (n_classes, n), the classes of each row; y_i has 1 at the label, and is 0 for an unlabelled row.
d_j is the number of rows that have j among their nearest. Rounds go on until all f together change by less
than `tol`. A new row has the mean of its k nearest rows. A row that no label reaches gets the shares of the
labelled rows.

The graph is sparse: k rows for each row, found by an index of `openbook.spaces`, so memory grows with n k.
The distance says what becomes of missing cells.
"""

import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, class_statements
from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED, none_labelled
from openbook.border.rules import Number
from openbook.damage import checked_array, under
from openbook.errors import DataError
from openbook.label.assumptions import ASSUMPTIONS, neighbours_agree
from openbook.label.graph_kernels import count_degrees, propagate, spread
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import DISTANCE_MEANINGS, Algorithm, Metric, MinkowskiPower, Space, refusal
from openbook.words.numbers import figure
from openbook.words.sentences import joined, plural
from openbook.work import Grid, Step, Work

_MEAN = r"\frac{1}{k} \sum_j f_{jc}"
#: Rows whose nearest are found at a time: what is found of them is small beside the graph.
_ASKED = 2048
#: Unlabelled rows whose neighbours the work shows.
_SHOWN = 5


class RowsInSpace(Classifier):
    """What labels that pass from row to row share: the rows, labelled and not, and the space they lie in."""

    _takes_unlabelled = True
    _assumes = "smoothness"
    _refuses_weights = "labels pass from row to row, and a row is there once"
    _takes_means = True
    _wants_evidence = True  # as of neighbours
    _meanings = DISTANCE_MEANINGS

    def refusal(self, schema):
        return super().refusal(schema) or refusal(self.metric, schema)

    def _fit(self, rows):
        stored = StoredRows.viewed(rows)
        if (stored.weights != stored.weights[0]).any():
            msg = f"{type(self).__name__} takes no sample_weight: {self._refuses_weights}"
            raise DataError(msg)
        if (stored.targets == UNLABELLED).all():
            raise none_labelled(self.target_)
        weights = np.broadcast_to(stored.weights[0], len(stored))
        stored = replace(stored, targets=stored.targets.astype(np.int32), weights=weights)
        self._lay_out(stored)
        self._pass_on(stored.targets)
        self._lay_out(stored.apart(rows))  # copied when all that passing on needs is gone

    @abstractmethod
    def _pass_on(self, codes):
        """Pass the labels on to the rows that have none."""

    def _lay_out(self, stored):
        self._stored = stored
        self.space_ = Space(
            stored, self.schema_, self.metric, scale=self.scale, p=self.p, algorithm=self.algorithm
        )

    def _nearest(self, X, k):
        count = min(k, len(self._stored))
        return self.space_.index.query(self.space_.coordinates(X), count)

    def _evidence(self, rows):
        labelled = rows.labelled
        model = clone(self).fit(labelled.X, labelled.y)
        near = model._nearest(model.space_.table, 2)[1]  # noqa: SLF001 (its own)
        return neighbours_agree(labelled.codes, near)

    def complexity(self):
        return len(self._stored) * max(len(self.schema_), 1)

    def _arrays(self):
        rows = self._stored.arrays()
        rows["targets"] = rows["targets"].astype(float)  # codes, of which -1 is one
        return {f"rows_{name}": array for name, array in rows.items()}

    def _restore(self, arrays):
        stored = StoredRows.from_arrays(self.schema_, under("rows_", arrays), None)
        codes = stored.targets.astype(np.intp)
        if ((codes < UNLABELLED) | (codes >= len(self.classes_))).any():
            raise ValueError("a label of its rows is out of range")
        self._lay_out(stored)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _OnGraph(Declared, RowsInSpace):
    """What both ways along the graph share."""

    n_neighbors: int = 7
    max_iter: int = 1000
    tol: float = 1e-3
    metric: Metric = "auto"
    algorithm: Algorithm = "auto"
    scale: bool = True
    p: MinkowskiPower = 2
    n_jobs: int | None = None

    name: ClassVar[str]

    def knobs(self):
        return {"n_neighbors": (3, 7, 15)}

    def _pass_on(self, codes):
        neighbours = self._graph()
        labelled = np.flatnonzero(codes != UNLABELLED)
        shares = np.zeros((len(self.classes_), len(codes)))  # class by class: a round needs memory for one
        shares[codes[labelled], labelled] = 1.0
        step, workspace, change = self._round(neighbours, codes), np.empty(len(codes)), np.inf
        self.n_iter_ = 0
        while change >= self.tol and self.n_iter_ < self.max_iter:
            change = step(shares, workspace)
            self.n_iter_ += 1
        if change >= self.tol > 0:
            msg = f"{type(self).__name__} did not converge in {self.max_iter} rounds; raise max_iter or tol"
            warnings.warn(msg, ConvergenceWarning, stacklevel=3)
        del step, neighbours
        self._totals = total = shares.sum(axis=0, out=workspace)
        unreached = np.flatnonzero(total == 0)
        self.n_unreached_ = len(unreached)
        shares /= np.where(total > 0, total, 1.0)
        known = np.bincount(codes[labelled], minlength=len(shares)) / len(labelled)
        shares[:, unreached] = known[:, None]
        self.label_distributions_ = shares.T

    def _graph(self):
        """The nearest rows of each row. The index is let go: the first prediction builds it again."""
        index, n = self.space_.index, len(self._stored)
        order = np.arange(n) if index.order is None else index.order
        neighbours = np.empty((n, min(self.n_neighbors, n)), np.int32)
        for start in range(0, n, _ASKED):
            some = order[start : start + _ASKED]
            neighbours[some] = index.among(neighbours.shape[1], some)[1]
        del self.space_.index
        return neighbours

    @property
    def transduction_(self):
        """The most probable label of each row learnt from."""
        check_is_fitted(self)
        return self.classes_[self.label_distributions_.argmax(axis=1)]

    def _proba(self, X):
        nearest = self._nearest(X, self.n_neighbors)[1]
        return self.label_distributions_[nearest].mean(axis=1)

    def _work(self):
        codes = self._stored.targets.astype(np.intp)
        free = np.flatnonzero(codes == UNLABELLED)
        counts = {
            "labelled": int((codes != UNLABELLED).sum()),
            "unlabelled": len(free),
            "neighbours of each row": min(self.n_neighbors, len(codes)),
            "rows that no label reaches": self.n_unreached_,
        }
        facts = Grid("the graph", ("", "rows"), list(counts.items()))
        end = (
            f"{plural(self.n_iter_, 'round')}. Assumption: {ASSUMPTIONS[self._assumes]}."
            " Compare with a learner of the labelled rows alone."
        )
        if self.n_unreached_:
            end += (
                f" {plural(self.n_unreached_, 'row')} that no label reaches have the shares of the labelled"
                " rows; a larger n_neighbors reaches more."
            )
        rows = tuple(Work(f"row {i}", tuple(self._round_by_hand(i))) for i in free[:_SHOWN].tolist())
        title = f"{self.name} for {self.target_}: how it was fitted"
        return Work(title, (facts, *rows), end)

    def _work_row(self, X):
        distances, rows = (part[0].tolist() for part in self._nearest(X, self.n_neighbors))
        shares = self.label_distributions_[rows].tolist()
        truths = class_statements(self)
        nearest = [(i, d, *f) for i, d, f in zip(rows, distances, shares, strict=True)]
        grid = Grid("nearest rows", ("row", "distance", *truths), nearest)
        means = [sum(f[c] for f in shares) / len(rows) for c in range(len(truths))]
        steps = [
            Step(f"P({truth})", _MEAN, rf"\frac{{{joined([f[c] for f in shares])}}}{{{len(rows)}}}", mean)
            for c, (truth, mean) in enumerate(zip(truths, means, strict=True))
        ]
        winner = truths[means.index(max(means))]
        title = f"{self.name} for {self.target_}: one prediction"
        return Work(title, (grid, *steps), f"Most probable: {winner}.")

    def _arrays(self):
        own = {"shares": self.label_distributions_, "totals": self._totals}
        return {**super()._arrays(), **own, "facts": np.array([self.n_iter_, self.n_unreached_])}

    def _restore(self, arrays):
        super()._restore(arrays)
        shape = (len(self._stored), len(self.classes_))
        self.label_distributions_ = checked_array(arrays, "shares", float, shape)
        self._totals = checked_array(arrays, "totals", float, shape[:1])
        self.n_iter_, self.n_unreached_ = checked_array(arrays, "facts", np.int64, (2,)).tolist()
        shares = self.label_distributions_
        if (shares < 0).any() or not np.allclose(shares.sum(axis=1), 1.0):
            raise ValueError("the classes of its rows are not probabilities")


class LabelPropagation(_OnGraph):
    """Label propagation: every row takes the mean of its nearest rows, and given labels stay.

    scikit-learn's with its kernel "knn", on a sparse graph, for columns of any kind.

    Parameters
    ----------
    n_neighbors : int, default=7
        How many nearest rows each row takes its shares from, itself among them.
    max_iter : int, default=1000
        The most rounds.
    tol : float, default=0.001
        The rounds end when all probabilities together change by less.
    metric : str or function, default='auto'
    algorithm : str, default='auto'
    scale : bool, default=True
    p : float, default=2
    n_jobs : int or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        The probability of each class for each row learnt from.
    transduction_ : ndarray of shape (n_rows,)
        The most probable label of each row learnt from.
    n_iter_ : int
        The number of rounds.
    n_unreached_ : int
        Rows that no label reaches, which have the shares of the labelled rows.
    space_ : Space

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    References
    ----------
    Zhu and Ghahramani (2002), Learning from labeled and unlabeled data with label propagation.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> model = LabelPropagation(n_neighbors=2).fit(X, ["a", None, None, "b", None, None])
    >>> model.transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    name = "Label propagation"

    def _round(self, neighbours, codes):
        def step(shares, workspace):
            reached = shares.sum(axis=0)  # 1, or 0 where no label came yet
            totals = sum(reached[column] for column in neighbours.T)
            scale = 1 / np.where(totals > 0, totals, 1.0)
            return sum(propagate(neighbours, codes, scale, share, workspace) for share in shares)

        return step

    def _round_by_hand(self, i):
        """The twin: what another round makes of a row."""
        rows = self._nearest(self.space_.table.take([i]), self.n_neighbors)[1][0].tolist()
        shares = self.label_distributions_[rows].tolist()
        for c, truth in enumerate(class_statements(self)):
            its = [f[c] for f in shares]
            numbers = rf"\frac{{{joined(its)}}}{{{len(rows)}}}"
            yield Step(f"P({truth})", _MEAN, numbers, sum(its) / len(rows), f"rows {rows}")


class LabelSpreading(_OnGraph):
    """Label spreading: labels flow along the graph of nearest rows, and given labels may give way a little.

    scikit-learn's with its kernel "knn", on a sparse graph, for columns of any kind.

    Parameters
    ----------
    n_neighbors : int, default=7
        How many nearest rows each row has, itself among them; it takes shares from the others.
    max_iter : int, default=30
        The most rounds.
    tol : float, default=0.001
        The rounds end when all shares together change by less.
    metric : str or function, default='auto'
    algorithm : str, default='auto'
    scale : bool, default=True
    p : float, default=2
    n_jobs : int or None, default=None
    alpha : float, default=0.2
        How much a row takes from its neighbours, above 0 and below 1; the rest is its given label.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        The probability of each class for each row learnt from.
    transduction_ : ndarray of shape (n_rows,)
        The most probable label of each row learnt from.
    n_iter_ : int
        The number of rounds.
    n_unreached_ : int
        Rows that no label reaches, which have the shares of the labelled rows.
    space_ : Space

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    References
    ----------
    Zhou, Bousquet, Lal, Weston and Schölkopf (2004), Learning with local and global consistency.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> model = LabelSpreading(n_neighbors=3).fit(X, ["a", None, None, "b", None, None])
    >>> model.transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    max_iter: int = 30
    alpha: Annotated[float, Number(above=0, at_most=0.999999)] = 0.2

    name = "Label spreading"

    def _round(self, neighbours, codes):
        self._degrees = degrees = np.zeros(len(codes), np.int32)
        count_degrees(neighbours, degrees)
        scales = 1 / np.sqrt(np.maximum(np.arange(degrees.max() + 1), 1))
        alpha = float(self.alpha)
        return lambda shares, workspace: sum(
            spread(neighbours, codes, c, alpha, degrees, scales, share, workspace)
            for c, share in enumerate(shares)
        )

    def _round_by_hand(self, i):
        """The twin: what another round makes of an unlabelled row, before its shares are made to sum to 1."""
        near = self._nearest(self.space_.table.take([i]), self.n_neighbors)[1][0].tolist()
        rows = [j for j in near if j != i]
        degrees = [max(degree, 1) for degree in self._degrees[[i, *rows]].tolist()]
        shares = (self.label_distributions_[rows] * self._totals[rows, None]).tolist()
        for c, truth in enumerate(class_statements(self)):
            terms = [f[c] / (degrees[0] * d) ** 0.5 for f, d in zip(shares, degrees[1:], strict=True)]
            numbers = rf"{figure(self.alpha)} \cdot ({joined(terms)})"
            formula = r"\alpha \sum_j \frac{f_{jc}}{\sqrt{d_i d_j}}"
            yield Step(truth, formula, numbers, self.alpha * sum(terms), f"rows {rows}")

    def _arrays(self):
        return {**super()._arrays(), "degrees": self._degrees.astype(float)}

    def _restore(self, arrays):
        super()._restore(arrays)
        self._degrees = checked_array(arrays, "degrees", float, (len(self._stored),)).astype(np.int32)
