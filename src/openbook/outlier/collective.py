r"""Collective outliers: groups of rows that are unusual together, though single rows may not be.

    score of a row = that of its group, or the highest of the runs that contain it

Rows belong together by a key (`by`), or as runs of consecutive rows (`run`), in a sequence;
or each with its neighbours, in space (`near`: the nearest rows by some columns, numbers standardised) or in a
graph (`edges`: pairs of rows, or of values of the column `by`). A row then has the score of its own
neighbourhood.

Each collective becomes one row of figures: the mean of a number or rank and the share of each category, over
the known cells, and for groups and graphs the number of rows. A detector scores these rows. A figure is
missing if no cell is known; an unseen category counts in no share.

A score depends only on the rows of the collective, not on other collectives in the table; but rows that
belong together must be given together, and runs in their order. `work` and `reasons` take the rows of one
collective, which `members` finds.
"""

import math
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from openbook.border.rows import Rows
from openbook.border.rules import Anything, Maybe, Whole
from openbook.damage import require
from openbook.data import Nominal, Numeric, Schema, Table, read
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.outlier.detector import Detector, inner_of
from openbook.outlier.z_score import ZScore
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import Space
from openbook.words.sentences import plural
from openbook.work import Grid, Step

#: The most cells that are averaged at a time.
_AT_A_TIME = 1 << 22


class _Figures(NamedTuple):
    """The names of a collective's figures, and the position of the column behind each; -1 for the size."""

    names: tuple[str, ...]
    columns: tuple[int, ...]


class Collective(Detector):
    """Collective outliers: how unusual the group or sequence of the row is as a whole.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    detector : Detector or None, default=None
        What judges the figures of collectives; None: ZScore().
    by : str or None, default=None
        The column whose values identify the groups.
    run : int or None, default=None
        How many rows one after the other make a run; None: 10, unless rows belong together otherwise.
    near : sequence of str or None, default=None
        The columns with the place of a row, such as ("x", "y"); a row is scored with its nearest rows there.
    n_neighbors : int, default=5
        How many of them.
    edges : sequence of pairs or None, default=None
        The edges of a graph whose nodes are the rows: pairs of row numbers, from 0, or of values of the
        column `by`, which then names the nodes.
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold of the detector
        inside, or else 0.1.
    top : int or None, default=None

    Attributes
    ----------
    detector_ : Detector
        The detector, fitted to the figures of collectives.
    scores_ : ndarray of shape (n_collectives,)
        The scores of the collectives learnt from.
    threshold_ : float

    Examples
    --------
    >>> pulse = [[float(i % 5)] for i in range(200)]
    >>> pulse[120:130] = [[2.0]] * 5 + [[4.0]] * 5
    >>> model = Collective(run=5).fit(pulse)
    >>> model.predict(pulse)[[50, 125, 129]].tolist()
    [1, -1, -1]
    """

    detector: Any = None
    by: Annotated[Any, Anything("None or a column")] = None
    run: Annotated[Any, Maybe(Whole(2))] = None
    near: Annotated[Any, Anything("None or a sequence of columns")] = None
    n_neighbors: int = 5
    edges: Annotated[Any, Anything("None or a sequence of pairs")] = None

    weighs = False

    def refusal(self, schema):
        if (reason := super().refusal(schema)) is not None:
            return reason
        ways = ("run", "near", "edges") if self.edges is not None else ("by", "run", "near")
        if len(given := [way for way in ways if getattr(self, way) is not None]) > 1:
            raise ParameterError(f"{type(self).__name__}: give {given[0]} or {given[1]}, not both")
        for name in self._keys:
            if name not in schema:
                raise UnknownColumn(str(name), schema.names)
        if self._keys and len(schema) <= len(self._keys):
            return f"needs columns other than the key {', '.join(map(repr, self._keys))}"
        return None

    @property
    def _keys(self):
        """The columns that say what belongs together, and are not judged."""
        return (*(() if self.by is None else (self.by,)), *(self.near or ()))

    @property
    def _counts_members(self):
        """Whether collectives differ in their number of rows."""
        return self.by is not None or self.edges is not None

    @property
    def _length(self):
        return 10 if self.run is None else self.run

    def _inner(self):
        return inner_of(self, ZScore())

    def _learn(self, rows):
        table = StoredRows.gathered(rows).table(self.schema_)
        self.detector_ = clone(self._inner()).fit(self._figures(table)[0])
        self._natural = self.detector_._natural  # noqa: SLF001 (another detector)
        self.scores_ = self._scores(table)

    def oddness(self, X):
        """The score of each row's group: the higher, the more unusual; all rows are considered together.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n,)
        """
        check_is_fitted(self)
        return self._scores(self._encode(X))

    def collectives(self, X):
        """The figures of each collective of the rows, as a table; groups in the order of their first rows.

        Parameters
        ----------
        X : rows

        Returns
        -------
        Table
        """
        check_is_fitted(self)
        return self._figures(self._encode(X))[0]

    def members(self, X, row):
        """The rows that are scored with a row: its group, its neighbourhood, or the run of the highest score.

        Parameters
        ----------
        X : rows
        row : int
            The number of the row in X, from 0.

        Returns
        -------
        Table
            Rows for `work` and `reasons`.

        Examples
        --------
        >>> model = Collective(edges=[(0, 1), (0, 2)]).fit([[1.0], [3.0], [5.0], [2.0]])
        >>> model.members([[1.0], [3.0], [5.0], [2.0]], 0)["x0"].tolist()
        [1.0, 3.0, 5.0]
        """
        check_is_fitted(self)
        given, encoded = read(X, self.schema_), self._encode(X)
        if not 0 <= row < len(given):
            raise ParameterError(f"there is no row {row}: the rows are numbered from 0 to {len(given) - 1}")
        if self.near is not None or self.edges is not None:
            return given.take(np.sort(self._neighbours(encoded)[[row]].indices))
        if self.by is not None:
            keys = encoded.data(self.by)
            return given.take(np.flatnonzero(keys == keys[row]))
        length = min(self._length, len(given))
        starts = np.arange(max(row - length + 1, 0), min(row, len(given) - length) + 1)
        scores = self.detector_.oddness(self._figures(encoded)[0])
        start = int(starts[np.argmax(scores[starts])])
        return given.take(slice(start, start + length))

    def _scores(self, X):
        figures, member = self._figures(X)
        scores = self.detector_.oddness(figures) if len(figures) else np.zeros(0)
        if member is not None:
            return scores[member]
        # every row has the highest score of the runs that hold it
        length = min(self._length, max(len(X), 1))
        padded = np.concatenate([np.full(length - 1, -np.inf), scores, np.full(length - 1, -np.inf)])
        return np.lib.stride_tricks.sliding_window_view(padded, length).max(axis=1)[: len(X)]

    @property
    def _layout(self):
        names, columns = [], []
        for j, attribute in enumerate(self.schema_):
            if attribute.name in self._keys:
                continue
            if isinstance(attribute, Nominal):
                names += [f"{attribute.name} = {value}" for value in attribute.values]
                columns += [j] * len(attribute.values)
            else:
                names.append(f"mean {attribute.name}")
                columns.append(j)
        if self._counts_members:
            names.append("rows")
            columns.append(-1)
        return _Figures(tuple(names), tuple(columns))

    def _cells(self, X):
        """The cells that are averaged, (n, m), NaN where missing."""
        cells = []
        for attribute in self.schema_:
            data = X.data(attribute.name)
            if attribute.name in self._keys:
                continue
            if isinstance(attribute, Nominal):
                known = np.where(data == -1, np.nan, 0.0)
                cells += [known + (data == code) for code in range(len(attribute.values))]
            else:
                known = np.isfinite(data) if isinstance(attribute, Numeric) else data >= 0
                cells.append(np.where(known, data, np.nan))
        return np.column_stack(cells).astype(float)

    def _figures(self, X):
        """The figures of all collectives, and of groups the number of each row's."""
        cells = self._cells(X)
        if self.near is not None or self.edges is not None:
            means, member = _means_of_neighbours(cells, self._neighbours(X)), np.arange(len(X))
            means = means if self.edges is not None else means[:, :-1]
        elif self.by is None:
            means, member = _means_of_runs(cells, min(self._length, max(len(X), 1))), None
        else:
            data = X.data(self.by)
            _, first, number = np.unique(data, return_index=True, return_inverse=True)
            order = np.argsort(np.argsort(first))  # groups in the order of their first rows
            member = order[number.ravel()]
            own = (np.ones(len(X)), member, np.arange(len(X) + 1))  # a column for each row: its group
            means = _means_of_neighbours(cells, sp.csc_array(own, shape=(len(first), len(X))))
        return self._table(means), member

    def _table(self, means):
        return Table.from_matrix(Schema(tuple(Numeric(name) for name in self._layout.names)), means)

    def _neighbours(self, X):
        """Who belongs to whose neighbourhood, a CSR matrix (n, n) of ones; each row to its own."""
        n = len(X)
        if self.near is not None:
            positions = X.select(list(self.near))
            stored = StoredRows.gathered(Rows.in_memory(positions, np.zeros(n), np.ones(n)))
            space = Space(stored, positions.schema)
            rows = space.index.query(space.coordinates(positions), min(self.n_neighbors + 1, n))[1]
            pairs = np.column_stack([np.repeat(np.arange(n), rows.shape[1]), rows.ravel()])
        else:
            ends = np.array(list(self._node_numbers(X)), dtype=np.int64).reshape(-1, 2)
            pairs = np.concatenate([ends, ends[:, ::-1]])
        pairs = np.unique(np.concatenate([pairs, np.tile(np.arange(n), (2, 1)).T]), axis=0)
        return sp.csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))

    def _node_numbers(self, X):
        """The edges as pairs of row numbers; those that lead out of the table are left out."""
        nodes = range(len(X)) if self.by is None else map(as_text, X.column(self.by).tolist())
        numbers = {node: i for i, node in enumerate(nodes)}
        for edge in self.edges:
            if len(edge) != 2:
                raise ParameterError(f"{type(self).__name__}: an edge is a pair of rows, got {edge!r}")
            a, b = edge if self.by is None else map(as_text, edge)
            if a in numbers and b in numbers:
                yield numbers[a], numbers[b]

    def _given_row(self, row):
        """The rows of one collective: any number of them."""
        list_of_dicts = isinstance(row, list) and row and isinstance(row[0], dict)
        if isinstance(row, Table) or np.ndim(row) == 2 or list_of_dicts:
            table = read(row, self.schema_)
            if not len(table):
                raise DataError("a collective needs at least one row")
            return table
        return super()._given_row(row)

    def _may_be_alone(self, table):
        """Whether one row can be a collective: a group of one, or a node without edges."""
        if self.by is None:
            return False
        own = as_text(table.column(self.by).tolist()[0])
        return self.edges is None or all(own not in map(as_text, edge) for edge in self.edges)

    def _whole(self, X):
        """The figures of rows that are one collective."""
        means = _means_of_neighbours(self._cells(X), sp.csr_array(np.ones((1, len(X)))))
        return self._table(means if self._counts_members else means[:, :-1])

    def _values(self, X):
        means = dict(zip(self._layout.columns, self._whole(X).matrix[0].tolist(), strict=True))
        return [
            None if isinstance(a, Nominal) or math.isnan(means.get(j, math.nan)) else means[j]
            for j, a in enumerate(self.schema_)
        ]

    def _account(self, X):
        figures = self._whole(X)
        inner = self.detector_._account(figures)  # noqa: SLF001 (its figures are encoded)
        shares, size = [0.0] * len(self.schema_), 0.0
        for column, share in zip(self._layout.columns, inner.shares, strict=True):
            if column < 0:
                size = share
            else:  # of a detector that takes the largest, so does the column
                both = (shares[column], share)
                shares[column] = max(both) if "largest" in inner.meaning else sum(both)
        rest = (*inner.rest, *((("number of rows", size),) if self._counts_members else ()))
        note = ""
        if len(X) == 1 and not self._may_be_alone(X):
            note = "the row by itself; model.members(X, 3) gives the rows that row 3 of X belongs to"
        step = Step("rows of the collective", result=len(X), note=note)
        return replace(inner, shares=shares, parts=(step, *inner.parts), rest=rest)

    def _learnt(self):
        if self.near is not None:
            how = f"each row and its {self.n_neighbors} nearest by {', '.join(self.near)}"
        elif self.edges is not None:
            how = f"each row and its neighbours along {plural(len(self.edges), 'edge')}"
        else:
            how = f"groups by {self.by}" if self.by is not None else f"runs of {self._length} rows"
        names = Grid("summaries of a collective", ("figure",), [(name,) for name in self._layout.names[:40]])
        return (Step("collectives", result=how), names, self.detector_.work())

    def _saved(self):
        return super()._saved()._replace(members={"detector": self.detector_})

    def _opened(self, saved):
        self.detector_ = saved.members["detector"]
        super()._opened(saved)

    def _arrays(self):
        return {}

    def _restore(self, arrays):  # noqa: ARG002 (all is in the detector)
        own = type(self.detector_) is type(self._inner())
        same = own and self.detector_.schema_.names == self._layout.names
        require(same, "its detector is not one of the figures of its columns")


def _means_of_neighbours(cells, member):
    """The mean of the known cells of each neighbourhood, NaN if there is none, and its number of rows."""
    known = ~np.isnan(cells)
    means = _means(member @ np.where(known, cells, 0.0), member @ known.astype(float))
    return np.column_stack([means, member.sum(axis=1)])


def _means_of_runs(cells, length):
    """The mean of the known cells of each run, (n - length + 1, m); no run sways another."""
    n_runs = len(cells) - length + 1
    means = np.empty((max(n_runs, 0), cells.shape[1]))
    step = max(_AT_A_TIME // (length * max(cells.shape[1], 1)), 1)
    for start in range(0, n_runs, step):
        some = cells[start : start + step + length - 1]
        runs = np.lib.stride_tricks.sliding_window_view(some, length, axis=0)
        known = ~np.isnan(runs)
        means[start : start + step] = _means(np.where(known, runs, 0.0).sum(axis=2), known.sum(axis=2))
    return means


def _means(sums, counts):
    return np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
