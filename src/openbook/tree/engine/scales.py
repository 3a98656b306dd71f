"""The scales of columns: which numbers the codes or the sorted rows of a column stand for.

    Edges      ordered columns, of ranks or of bins: a code is a range of numbers
    Sorted     columns sorted by their numbers: a row is its number
    nominal    the attribute itself, which lists its values

A cut between two codes or rows that are neighbours in a node falls halfway between their numbers, or at the
nearest edge of a bin.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np


class Edges(NamedTuple):
    """The edges of the codes of an ordered column: code a ends at cuts[a]; its numbers in the
    rows seen are from low[a] to high[a].
    """

    cuts: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, values, cuts):
        """The edges of these sorted distinct numbers with these cuts."""
        if not len(values):
            return cls(cuts, values, values)
        ends = np.searchsorted(values, cuts, side="right")
        low, high = np.empty(len(cuts) + 1), np.empty(len(cuts) + 1)
        low[0], high[-1] = values[0], values[-1]
        low[1:], high[:-1] = values[ends], values[ends - 1]
        return cls(cuts, low, high)


class Sorted(NamedTuple):
    """The numbers of a sorted column, in pieces."""

    pieces: list

    def numbers(self, rows):
        """The numbers of these rows."""
        if len(self.pieces) == 1:
            return self.pieces[0][rows].astype(float)
        starts = np.cumsum([0, *map(len, self.pieces)])
        piece, numbers = np.searchsorted(starts, rows, side="right") - 1, np.empty(len(rows))
        for p in np.unique(piece):
            here = piece == p
            numbers[here] = self.pieces[p][rows[here] - starts[p]]
        return numbers


class Scales(list):
    """The scale of each column (the attribute itself if nominal), and the cuts of tests on them."""

    def cuts(self, column, below, above):
        """The cut of each test, between codes or rows that are neighbours in its node: halfway, or at the
        nearest edge of a bin.

        column, below, above : whole numbers, one a test
        """
        ordered = self._edges.start[column] >= 0
        if ordered.all():
            return self._between_codes(column, below, above)
        low, high = np.zeros((2, len(column)))
        for f in np.unique(column[~ordered]):
            at = np.flatnonzero(column == f)
            low[at], high[at] = self[f].numbers(below[at]), self[f].numbers(above[at])
        cut, at = midpoint(low, high), np.flatnonzero(ordered)
        cut[at] = self._between_codes(column[at], below[at], above[at])
        return cut

    def last_codes(self, column, cut):
        """The last code below each cut; not for sorted columns, which have no codes."""
        return (
            np.searchsorted(self._reach, in_column(column, cut), side="right") - 1 - self._edges.start[column]
        )

    def last_between(self, column, below, above):
        """The last code below the cut of each test, between codes that are neighbours in its node."""
        return self._last(column, below, above, self._halfway(column, below, above))

    def _between_codes(self, column, below, above):
        start, exact = self._edges.start[column], self._edges.exact[column]
        cut = self._halfway(column, below, above)
        if exact.all():
            return cut
        return np.where(exact, cut, self._cuts[start + self._last(column, below, above, cut)])

    def _halfway(self, column, below, above):
        start = self._edges.start[column]
        return midpoint(self._edges.high[start + below], self._edges.low[start + above])

    def _last(self, column, below, above, cut):
        return np.minimum(np.maximum(self.last_codes(column, cut), below), above - 1)

    @cached_property
    def _edges(self):
        """The edges of all ordered columns, one after the other."""
        ordered = [scale for scale in self if isinstance(scale, Edges)]
        at = np.array([f for f, scale in enumerate(self) if isinstance(scale, Edges)], np.intp)
        sizes = np.array([len(scale.low) for scale in ordered], np.intp)
        start, column = np.full(len(self), -1), np.repeat(at, sizes)
        start[at] = np.cumsum(sizes) - sizes
        low, high = (_joined(getattr(scale, name) for scale in ordered) for name in ("low", "high"))
        exact = np.bincount(column, low != high, minlength=len(self)) == 0
        return AllEdges(low, high, start, exact, column)

    @cached_property
    def _cuts(self):
        """The cut above each code; infinity for the last of a column."""
        ordered = (scale for scale in self if isinstance(scale, Edges))
        return _joined(np.append(scale.cuts, np.inf)[: len(scale.low)] for scale in ordered)

    @cached_property
    def _reach(self):
        """The least cut above each code, as `in_column` orders them; a cut never divides a bin."""
        column, before = self._edges.column, np.r_[-np.inf, self._cuts[:-1]][: len(self._cuts)]
        past = np.nextafter(np.where(before < np.inf, before, -np.inf), np.inf)
        return in_column(column, np.where(self._edges.exact[column], self._edges.low, past))


class AllEdges(NamedTuple):
    """The edges of columns one after the other: those of column j begin at start[j], -1 if it has none.

    exact : whether each code is a single number, so that a cut needs no edge
    column : of each code
    """

    low: np.ndarray
    high: np.ndarray
    start: np.ndarray
    exact: np.ndarray
    column: np.ndarray


class DrawnScales(NamedTuple):
    """The scales of columns with random cuts; numbers : as in `TrainingData`."""

    numbers: np.ndarray

    def cuts(self, column, below, above):
        """`Scales.cuts` for columns without codes."""
        return midpoint(self.numbers[column, below], self.numbers[column, above])


def in_column(column, numbers):
    """Numbers of columns as complex ones, which are ordered by column, then by number."""
    both = np.empty(len(numbers), complex)
    both.real, both.imag = column, numbers
    return both


def _joined(arrays):
    return np.concatenate([np.zeros(0), *arrays])


def midpoint(a, b):
    """Halfway from a to b, but never b itself; rounded to fifteen digits if that is still between them.

    >>> float(midpoint(1.57, 1.58)), float(midpoint(1.0, 1.0 + 1e-15)) < 1.0 + 1e-15
    (1.575, True)
    """
    with np.errstate(all="ignore"):  # what cannot be rounded stays unchanged
        half = a + (b - a) / 2
        half = np.where(half < b, half, a)
        unit = 10.0 ** (14 - np.floor(np.log10(np.abs(half))))
        short = np.rint(half * unit) / unit
        return np.where((a <= short) & (short < b), short, half)
