r"""What similar rows say: cells filled from the nearest rows, training rows that their neighbours contradict.

    d²(a, b) = p / p' · Σ_j d_j²      over the p' of p columns that both rows know
    d_j      = (a - b) / s for numbers and ranks, 1 or 0 for differing or equal values

    imputation      the mean of the k nearest rows that know the cell, or their most frequent value
    noisy rows      Wilson's editing: of the k nearest other rows fewer than half are of the row's class; for
                    numbers, the target is further than 3 robust standard deviations from their mean

A class that would lose more than half of its rows loses none: it is rare among its neighbours, not wrong. At
most 5,000 training rows are asked, drawn with a fixed seed. Of equally near rows the first count. A value
that training never showed counts as missing.

cells : float64 (m, p), the cells of these rows, numbers and codes; known : bool (m, p)
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Annotated

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rows import Rows
from openbook.border.rules import OneOf
from openbook.damage import checked_array
from openbook.data import Categorical, Nominal, Numeric, Ordinal, Table
from openbook.prepare.encoding import Encoding
from openbook.prepare.transformer import Preparation, RowFilter, TrainingTable
from openbook.words.numbers import cell, figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

_MOST_ROWS, _CHUNK = 5_000, 512
_ROBUST = 3.0


class KnownPoints:
    """Rows as points, of which some coordinates are missing."""

    def __init__(self, encoding: Encoding, table: Table) -> None:
        own = encoding.schema
        known = where_known(table, own.names)
        behind = encoding.columns
        nominal = np.array([isinstance(a, Nominal) for a in own], dtype=bool)
        numbers = encoding(table) * np.where(nominal[behind], np.sqrt(0.5), 1.0)
        self.mask = known[:, behind].astype(float)
        self.numbers = numbers * self.mask
        self.known = known.astype(float)

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: np.ndarray) -> "KnownPoints":
        """Some of them."""
        some = copy(self)
        some.mask, some.numbers, some.known = self.mask[rows], self.numbers[rows], self.known[rows]
        return some

    def distances(self, rows: slice, others: "KnownPoints") -> np.ndarray:
        """Squared distances of some rows from others; infinite if they know no column in common."""
        a, mask = self.numbers[rows], self.mask[rows]
        both = (a * a) @ others.mask.T + mask @ (others.numbers**2).T - 2 * a @ others.numbers.T
        shared = self.known[rows] @ others.known.T
        columns = self.known.shape[1]
        scaled = np.maximum(both, 0.0) * columns / np.where(shared > 0, shared, 1.0)
        return np.where(shared > 0, scaled, np.inf)


def where_known(table: Table, names: Sequence[str]) -> np.ndarray:
    """Where the cells of these columns are known, (n, n_names)."""
    known = np.empty((len(table), len(names)), dtype=bool)
    for j, name in enumerate(names):
        known[:, j] = table.column(name).known
    return known


def nearest_rows(rows: KnownPoints, others: KnownPoints, k: int) -> np.ndarray:
    """The places of the k nearest of the other rows, (n_rows, k); of equally near ones the first."""
    found = []
    for span in _spans(len(rows)):
        squared = rows.distances(span, others)
        near = squared <= np.partition(squared, k - 1, axis=1)[:, k - 1 : k]
        row, other = np.nonzero(near)
        order = np.lexsort((other, squared[near], row))
        starts = np.searchsorted(row, np.arange(len(squared)))
        found.append(other[order][starts[:, None] + np.arange(k)])
    return np.concatenate(found) if found else np.zeros((0, k), np.intp)


def _asked(n: int) -> np.ndarray:
    """The training rows among which neighbours are found."""
    return np.arange(n) if n <= _MOST_ROWS else np.sort(np.random.default_rng(0).permutation(n)[:_MOST_ROWS])


def _spans(n: int) -> Iterator[slice]:
    for start in range(0, n, _CHUNK):
        yield slice(start, min(start + _CHUNK, n))


class ImputerFromRows(Preparation):
    """What fills missing cells from the other columns of the row."""

    _changes = (Numeric, Nominal, Ordinal)
    _changes_dates = True

    encoding_: Encoding

    @property
    def _compared(self) -> tuple[str, ...]:
        """The columns that cells are filled from."""
        return self.schema_.of(*self._changes)

    def _encoded(self, rows: TrainingTable) -> Table:
        """Set the encoding of the training rows; gives the columns that it is of."""
        table = rows.X.select(self._compared)
        self.encoding_ = Encoding.of(Rows.in_memory(table, np.zeros(len(table)), rows.w)).without_gaps()
        return table


class KNNImputer(Declared, ImputerFromRows):
    """Fill missing cells from the nearest rows that know them: their mean, or their most frequent value.

    The name and the parameters are scikit-learn's. There, distances are of numbers as they are; here numbers
    are standardised, and categories count.

    Parameters
    ----------
    n_neighbors : int, default=5
        The number of neighbours for each cell.
    weights : {"uniform", "distance"}, default="uniform"
        Whether nearer rows count more, by the inverse of their distance.
    columns : list of str or None, default=None
        The columns that are filled; distances are over all columns but texts. None for all.

    Attributes
    ----------
    encoding_ : Encoding
        How rows become points.
    donors_ : Table
        The training rows among which neighbours are found.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read({"x": [1.0, 2.0, 10.0, 11.0], "y": [5.0, 5.2, 9.0, None]})
    >>> KNNImputer(n_neighbors=1).fit_transform(table)["y"].tolist()
    [5.0, 5.2, 9.0, 9.0]
    """

    n_neighbors: int = 5
    weights: Annotated[str, OneOf("uniform", "distance")] = "uniform"
    columns: list[str] | None = None

    def _learn(self, rows: TrainingTable) -> None:
        table = self._encoded(rows)
        self.donors_ = table.take(_asked(len(table)))

    def _prepared(self, table: Table) -> Table:
        own = table.select(self._compared)
        gaps = ~where_known(own, self._chosen)
        lacking = np.flatnonzero(gaps.any(axis=1))
        new = {name: np.array(own.data(name)) for name in self._chosen}
        if len(lacking):
            points, donors = (
                KnownPoints(self.encoding_, own.take(lacking)),
                KnownPoints(self.encoding_, self.donors_),
            )
            for span in _spans(len(lacking)):
                squared = points.distances(span, donors)
                for j, name in enumerate(self._chosen):
                    here = np.flatnonzero(gaps[lacking[span], j])
                    if len(here):
                        new[name][lacking[span][here]] = self._filled(
                            name, squared[here], new[name][lacking[span][here]]
                        )
        return self._with(table, {name: (self.schema_[name], data) for name, data in new.items()})

    def _filled(self, name: str, squared: np.ndarray, before: np.ndarray) -> np.ndarray:
        """What the nearest donors that know a column say, for each of some rows."""
        attribute = self.schema_[name]
        nearest, _, weights = self._nearest(name, squared)
        if not nearest.size:
            return before
        found = self.donors_.data(name)[nearest]
        some = weights.sum(axis=1) > 0
        safe = np.where(some, weights.sum(axis=1), 1.0)
        if isinstance(attribute, Nominal):
            votes = np.stack(
                [(weights * (found == code)).sum(axis=1) for code in range(len(attribute.values))], axis=1
            )
            answer = votes.argmax(axis=1).astype(before.dtype)
        else:
            mean = (weights * found).sum(axis=1) / safe
            answer = (np.rint(mean) if isinstance(attribute, Ordinal) else mean).astype(before.dtype)
        return np.where(some, answer, before)

    def _nearest(self, name: str, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The nearest donors of each row that know a column, their distances, and their weights."""
        known = np.flatnonzero(self.donors_.column(name).known)
        near = np.argsort(squared[:, known], axis=1, kind="stable")[:, : self.n_neighbors]
        distances = np.sqrt(np.take_along_axis(squared[:, known], near, axis=1))
        weights = np.isfinite(distances).astype(float)
        if self.weights == "distance":
            exact = distances == 0
            with np.errstate(divide="ignore"):
                weights = np.where(exact.any(axis=1, keepdims=True), exact, 1 / distances)
        return known[near], distances, weights

    # the model file

    def _arrays(self) -> Mapping[str, np.ndarray]:
        cells = np.asarray(self.donors_.block(self._compared), dtype=float)
        known = where_known(self.donors_, self._compared)
        return {**self.encoding_.arrays(), "cells": np.where(known, cells, 0.0), "known": known}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        schema, shape = self.schema_.select(self._compared), arrays["cells"].shape
        if len(shape) != 2 or shape[1] != len(schema):
            raise ValueError(f"the rows have shape {shape}, and there are {len(schema)} columns")
        cells, known = (
            checked_array(arrays, "cells", float, shape),
            checked_array(arrays, "known", bool, shape),
        )
        columns = []
        for j, attribute in enumerate(schema):
            if not isinstance(attribute, Categorical):
                columns.append(np.where(known[:, j], cells[:, j], np.nan))
                continue
            codes = np.where(known[:, j], cells[:, j], -1)
            if ((codes < -1) | (codes >= len(attribute.values)) | (codes != np.rint(codes))).any():
                msg = f"the rows are not valid: a code of {attribute.name!r} is none of its values"
                raise ValueError(msg)
            columns.append(codes.astype(attribute.dtype))
        self.encoding_ = Encoding.from_arrays(schema, arrays)
        self.donors_ = Table(schema, columns)

    def _work(self) -> Work:
        gaps = [(n, int((~self.donors_.column(n).known).sum())) for n in self._chosen]
        distance = Step(
            "d²(a, b)", r"\frac{p}{p'} \sum_j d_j^2", note="over the p' of p columns that both rows know"
        )
        rows = plural(len(self.donors_), "training row")
        end = f"The {self.n_neighbors} nearest of {rows} are asked for each cell."
        return Work(
            "KNNImputer: missing cells", (distance, Grid("columns", ("column", "missing"), gaps)), end
        )

    def _work_row(self, X: Table) -> Work:
        after, own = self._prepared(X), X.select(self._compared)
        lacking = [name for name in self._chosen if not own.column(name).known[0]]
        end = "" if lacking else "No cell is missing: the row stays as it is."
        donors = KnownPoints(self.encoding_, self.donors_)
        squared = KnownPoints(self.encoding_, own).distances(slice(0, 1), donors)
        return Work("KNNImputer: one row", tuple(self._asked(name, squared, after) for name in lacking), end)

    def _asked(self, name: str, squared: np.ndarray, after: Table) -> Work:
        """Which rows were asked for a cell, and what follows from their answers."""
        (rows,), (distances,), (weights,) = self._nearest(name, squared)
        answers = self.donors_.column(name)
        lines = [
            (int(row), distance, weight, answers[row])
            for row, distance, weight in zip(rows, distances.tolist(), weights.tolist(), strict=True)
        ]
        filled = after.column(name)
        known = not filled.missing[0]
        end = f"It becomes {cell(filled[0])}." if known else "No row knows it: it stays missing."
        how = "most frequent value" if isinstance(filled.attribute, Nominal) else "mean"
        grid = Grid("the nearest rows that know it", ("row", "distance", "weight", "cell"), lines)
        return Work(f"{name}: the {how} by weight", (grid,), end)


class NoisyRows(Declared, RowFilter):
    """Leave out training rows that their neighbours contradict: Wilson's editing.

    Parameters
    ----------
    n_neighbors : int, default=3
        The number of neighbours.
    columns : list of str or None, default=None
        The columns that define distances; None for all but texts.

    Attributes
    ----------
    kept_ : ndarray of shape (n_rows,)
        Whether each training row was kept.
    dropped_ : int
        How many were left out.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read({"x": [1.0, 1.1, 1.2, 1.3, 5.0, 5.1, 5.2, 5.3]})
    >>> NoisyRows().fit(table, ["a", "a", "b", "a", "b", "b", "b", "b"]).kept_.tolist()
    [True, True, False, True, True, True, True, True]
    """

    n_neighbors: int = 3
    columns: list[str] | None = None

    _changes = (Numeric, Nominal, Ordinal)
    _changes_dates = True
    _asks_target = _needs_target = True

    def _learn(self, rows: TrainingTable) -> None:
        assert rows.y is not None
        table = rows.X.select(self._chosen)
        encoding = Encoding.of(Rows.in_memory(table, np.zeros(len(table)), rows.w)).without_gaps()
        asked = _asked(len(table))
        points, others = KnownPoints(encoding, table), KnownPoints(encoding, table.take(asked))
        near = np.empty((len(table), min(self.n_neighbors, max(len(asked) - 1, 1))), dtype=np.intp)
        for span in _spans(len(table)):
            squared = points.distances(span, others)
            squared[asked[None, :] == np.arange(span.start, span.stop)[:, None]] = (
                np.inf
            )  # not the row itself
            near[span] = asked[np.argsort(squared, axis=1, kind="stable")[:, : near.shape[1]]]
        self.kept_ = self._agrees(rows.y, near, rows.n_classes)
        if not self.kept_.any():
            self.kept_[:] = True  # every row would be noise: none is
        self.dropped_ = int((~self.kept_).sum())

    def _agrees(self, y: np.ndarray, near: np.ndarray, n_classes: int) -> np.ndarray:
        if len(y) < 2:
            return np.ones(len(y), dtype=bool)
        if n_classes:
            agrees = 2 * (y[near] == y[:, None]).sum(axis=1) >= near.shape[1]
            sizes, lost = np.bincount(y), np.bincount(y, ~agrees)
            return np.asarray(agrees | (2 * lost > sizes)[y])  # a rare class is rare, not wrong
        left = y - y[near].mean(axis=1)
        spread = 1.4826 * float(np.median(np.abs(left - np.median(left))))
        return (
            np.abs(left - np.median(left)) <= _ROBUST * spread if spread > 0 else np.ones(len(y), dtype=bool)
        )

    def _arrays(self) -> Mapping[str, np.ndarray]:
        return {"dropped": np.array([self.dropped_])}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.dropped_ = int(checked_array(arrays, "dropped", int, (1,))[0])

    def _work(self) -> Work:
        rule = Step(
            "left out", rf"\text{{fewer than half of its {figure(self.n_neighbors)} nearest rows agree}}"
        )
        return Work("NoisyRows", (rule,), self._left_out(self.dropped_))
