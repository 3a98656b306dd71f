r"""Nearest-neighbour propagation: of all rows without a label, the one nearest to a label takes that label.

    round    i, j = argmin d(i, j)    i without a label, j with one (given or taken)
             label of i = label of j

It goes on until every row has a label; then a new row has the label of its nearest row. A label once taken
is never doubted, so one wrong step spreads: the order shows where. Of equally near rows the first without a
label goes first, and it takes the label of the row that was labelled first.

rows : intp (n_steps,), in the order in which they took a label; sources : the row that each took it from

The distance of every row to the nearest labelled one is kept, and brought up to date after each round: n²
distances in all, and memory for n. The distance says what becomes of missing cells.
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import class_statements
from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED
from openbook.damage import checked_array
from openbook.draw import Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import DataError
from openbook.label.assumptions import ASSUMPTIONS
from openbook.label.propagation import RowsInSpace
from openbook.spaces.space import Algorithm, Metric, MinkowskiPower
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: Rounds that the work shows.
_SHOWN = 20


class NearestPropagation(Declared, RowsInSpace):
    """Nearest-neighbour propagation: the unlabelled row that is nearest to a labelled one takes its label.

    Parameters
    ----------
    metric : str or function, default='auto'
    algorithm : str, default='auto'
    scale : bool, default=True
    p : float, default=2

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    transduction_ : ndarray of shape (n_rows,)
        The label of each row learnt from.
    order_ : ndarray of shape (n_unlabelled,)
        The rows without a label, in the order in which they took one.
    sources_ : ndarray of shape (n_unlabelled,)
        The row that each of them took its label from.
    distances_ : ndarray of shape (n_unlabelled,)
        How far away that was.
    space_ : Space

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [10.0], [8.5]]
    >>> model = NearestPropagation().fit(X, ["a", None, None, "b", None])
    >>> model.order_.tolist(), model.transduction_.tolist()
    ([1, 2, 4], ['a', 'a', 'a', 'b', 'b'])
    """

    metric: Metric = "auto"
    algorithm: Algorithm = "auto"
    scale: bool = True
    p: MinkowskiPower = 2

    def knobs(self):
        return {"scale": (True, False)}

    def _pass_on(self, codes):
        labels = codes.astype(np.intp)
        n, free = len(labels), np.flatnonzero(labels == UNLABELLED)
        waiting = labels == UNLABELLED
        # a row that is out of reach of all takes the first label
        nearest, source = np.full(n, np.inf), np.full(n, waiting.argmin(), dtype=np.intp)
        for row in np.flatnonzero(~waiting).tolist():
            self._reach(row, waiting, nearest, source)
        self.order_, self.sources_ = np.zeros((2, len(free)), dtype=np.intp)
        self.distances_ = np.zeros(len(free))
        for step in range(len(free)):
            left = np.flatnonzero(waiting)
            row = int(left[nearest[left].argmin()])
            labels[row] = labels[source[row]]
            self.order_[step], self.sources_[step], self.distances_[step] = row, source[row], nearest[row]
            waiting[row] = False
            self._reach(row, waiting, nearest, source)
        self._labels = labels

    def _reach(self, row, waiting, nearest, source):
        """Let the rows that wait know of a row with a label."""
        found = self.space_.index.distances(self.space_.coordinates(self.space_.table.take([row])))[0]
        nearer = waiting & (found < nearest)
        nearest[nearer], source[nearer] = found[nearer], row

    @property
    def transduction_(self):
        """The label of each row learnt from."""
        check_is_fitted(self)
        return self.classes_[self._labels]

    def _proba(self, X):
        nearest = self._labels[self._nearest(X, 1)[1][:, 0]]
        return (nearest[:, None] == np.arange(len(self.classes_))).astype(float)

    def _work(self):
        truths = class_statements(self)
        steps = zip(self.order_.tolist(), self.sources_.tolist(), self.distances_.tolist(), strict=True)
        rows = [(t, i, j, d, truths[self._labels[i]]) for t, (i, j, d) in enumerate(steps, 1)][:_SHOWN]
        more = len(self.order_) - len(rows)
        header = ("round", "row", "nearest labelled row", "distance", "takes")
        grid = Grid("rounds", header, rows, plural(more, "more round") if more else "")
        end = (
            f"Assumption: {ASSUMPTIONS[self._assumes]}. A label once taken is never doubted."
            " Compare with a learner of the labelled rows alone."
        )
        return Work(f"Nearest-neighbour propagation for {self.target_}: how it was fitted", (grid,), end)

    def _work_row(self, X):
        distance, row = (part[0, 0].item() for part in self._nearest(X, 1))
        truth = class_statements(self)[self._labels[row]]
        step = Step("nearest row", r"\min_j d(x, x_j)", rf"d(x, x_{{{row}}})", distance)
        title = f"Nearest-neighbour propagation for {self.target_}: one prediction"
        return Work(title, (step,), f"Most probable: {truth}.")

    def draw_rounds(self) -> Picture:
        """How far each label had to travel, round by round: a jump is where to look for a wrong step.

        Returns
        -------
        Picture
        """
        check_is_fitted(self)
        if not len(self.order_):
            raise DataError("no row was without a label, so there are no rounds to draw")
        rounds = np.arange(1.0, len(self.order_) + 1)
        plot = Plot(Numbers("round", rounds), Numbers("distance", self.distances_))
        plot.line(rounds, self.distances_, "c8")
        truths, taken = class_statements(self), self._labels[self.order_].tolist()
        captions = [f"row {i} takes {truths[c]}" for i, c in zip(self.order_.tolist(), taken, strict=True)]
        plot.dots(rounds, self.distances_, [f"c{c}" for c in taken], captions)
        for c in sorted(set(taken)):
            plot.named(f"c{c}", truths[c])
        return plot.picture("How far each label travelled", ("each dot is a row that takes a label",))

    def _arrays(self):
        return {
            **super()._arrays(),
            "labels": self._labels,
            "order": self.order_,
            "sources": self.sources_,
            "distances": self.distances_,
        }

    def _restore(self, arrays):
        super()._restore(arrays)
        n, steps = len(self._stored), len(arrays["order"])
        self._labels = checked_array(arrays, "labels", np.intp, (n,))
        self.order_ = checked_array(arrays, "order", np.intp, (steps,))
        self.sources_ = checked_array(arrays, "sources", np.intp, (steps,))
        self.distances_ = checked_array(arrays, "distances", float, (steps,), finite=False)
        inside = (self._labels >= 0) & (self._labels < len(self.classes_))
        rows = np.concatenate([self.order_, self.sources_])
        if not inside.all() or ((rows < 0) | (rows >= n)).any():
            raise ValueError("a label or a row is out of range")
