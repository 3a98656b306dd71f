r"""The columns of least squares: how rows become numbers in one pass, and how they are encoded afterwards.

During the pass neither the means that replace missing cells nor the set of values is known. So the pass
collects more than the model needs: every number, whether it is missing, and a 0/1 entry for each value of a
category and for its gaps. An encoded column is a linear combination of these entries, hence so are its mean
and its scatter: with the coefficients T, (K, d), the encoded scatter is T'ST.

    encoded                from the entries of its column
    (x - shift) / scale    1 / scale for x
    x missing              1 for x missing
    r / (m - 1)            each value's rank for the value; the mean for missing
    sky = rainy            1 for rainy; the mean for missing
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from openbook.data import MISSING, Categorical, Numeric, Schema, Table
from openbook.kernels.moments import Moments
from openbook.linear.basis import Basis
from openbook.linear.joint_scatter import JointScatter, cleared
from openbook.prepare.encoding import ColumnSums, Encoding, refuse_many_values

#: A matrix of weights with at least this many entries is sparse.
SPARSE = 1 << 16


@dataclass(frozen=True)
class RawColumns:
    """The entries of a table: numbers, whether each is missing, and categories; see the module."""

    schema: Schema

    def __post_init__(self) -> None:
        refuse_many_values(self.schema)

    @cached_property
    def numbers(self) -> int:
        return len(self.schema.of(Numeric))

    @cached_property
    def categories(self) -> list[Categorical]:
        attributes = self.schema if self.schema.of(Categorical) else ()
        return [attribute for attribute in attributes if isinstance(attribute, Categorical)]

    @cached_property
    def width(self) -> int:
        return self.numbers + sum(1 + len(a.values) for a in self.categories)

    @property
    def size(self) -> int:
        """How many entries there are, with those for missing numbers."""
        return self.numbers + self.width

    def rows(self, table: Table) -> np.ndarray | None:
        """The numbers as they lie in memory, row after row, where they do."""
        matrix = table.matrix
        plain = matrix is not None and self.numbers == len(self.schema) and matrix.flags.c_contiguous
        return matrix if plain else None

    def write(self, table: Table, span: slice, shift: np.ndarray, z: np.ndarray) -> None:
        """Set z, (width, n), to the entries of n rows but those for missing numbers; see `JointScatter`."""
        if table.matrix is not None and self.numbers == len(self.schema):
            np.subtract(table.matrix[span].T, shift[:, None], out=z)
            return
        for j, name in enumerate(self.schema.of(Numeric)):
            np.subtract(table.data(name)[span], shift[j], out=z[j])
        start = self.numbers
        for attribute in self.categories:
            codes = np.arange(-1, len(attribute.values))  # the gaps come first
            z[start : start + len(codes)] = table.data(attribute.name)[span] == codes[:, None]
            start += len(codes)

    def places(self) -> list[slice]:
        """Where the entries of each category stand."""
        ends = accumulate((1 + len(a.values) for a in self.categories), initial=2 * self.numbers)
        return [slice(start, end) for start, end in pairwise(ends)]

    def encoding(self, statistics: JointScatter, *, scale: bool, reference: bool) -> Encoding:
        """The encoding of the rows that were added up."""
        P = self.numbers
        weight, known, mean = statistics.weight, statistics.known, statistics.mean
        moments = Moments(known[None], mean[None, :P], statistics.gram.diagonal()[None, :P])
        values = tuple(mean[column] * weight for column in self.places())
        sums = ColumnSums(moments, values, weight)
        return Encoding.from_sums(self.schema, sums, scale=scale, reference=reference)

    def weights(self, encoding: Encoding, targets: int = 0) -> Any:
        """The weights T of the entries in each encoded column, (size, d); behind them targets as they are.

        An array, or a sparse one where there are many.
        """
        P, d = self.numbers, len(encoding)
        ends = np.searchsorted(encoding.columns, np.arange(len(self.schema) + 1))
        numeric = np.ones(len(self.schema), dtype=bool)
        numeric[self.schema.positions(a.name for a in self.categories)] = False
        first, last = ends[:-1][numeric], ends[1:][numeric] - 1
        gaps, intercepts = np.flatnonzero(last > first), np.arange(targets)
        parts = [
            (np.arange(P), first, 1 / encoding.scale[first]),
            (P + gaps, last[gaps], np.ones(len(gaps))),
            (self.size + intercepts, d + intercepts, np.ones(targets)),
        ]
        if self.categories:
            rows = encoding(self._one_row_an_entry())
            for span, start, end in zip(self.places(), ends[:-1][~numeric], ends[1:][~numeric], strict=True):
                block = rows[span.start - 2 * P : span.stop - 2 * P, start:end]
                entry, column = np.nonzero(block)
                parts.append((span.start + entry, start + column, block[entry, column]))
        entries, columns, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        shape = self.size + targets, d + targets
        if shape[0] * shape[1] >= SPARSE:
            return csc_array((values, (entries, columns)), shape)
        weights = np.zeros(shape)
        weights[entries, columns] = values
        return weights

    def encoded(self, state: JointScatter, encoding: Encoding, targets: int) -> JointScatter:
        """The weight, mean and scatter of the encoded columns and the targets, from those of the entries."""
        into = self.weights(encoding, targets)
        mean = np.append((encoding.mean - encoding.shift) / encoding.scale, state.mean[self.size :])
        # the largest possible variance of a sum of entries, plus the rounding error of means of 16 digits
        most = (abs(into).T @ np.sqrt(state.gram.diagonal())) ** 2
        most += 1e-16 * state.weight * (abs(into).T @ np.abs(state.mean)) ** 2
        return JointScatter(state.weight, state.known, mean, cleared(state.gram.turned(into), most))

    def _one_row_an_entry(self) -> Table:
        """A table with a row for each entry of a category, and nothing else in it."""
        start, n = 2 * self.numbers, self.width - self.numbers
        columns, places = [], iter(self.places())
        for attribute in self.schema:
            if isinstance(attribute, Numeric):
                columns.append(np.full(n, np.nan))
            else:
                span = next(places)
                columns.append(np.full(n, MISSING))
                columns[-1][span.start - start : span.stop - start] += np.arange(span.stop - span.start)
        return Table(self.schema, columns)

    def grown(self, statistics: JointScatter, schema: Schema) -> JointScatter:
        """The statistics with room for the values that only the new schema has."""
        new = RawColumns(schema)
        targets = len(statistics.mean) - self.size
        old_places = [np.arange(2 * self.numbers)]
        for before, after in zip(self.places(), new.places(), strict=True):
            old_places.append(np.arange(after.start, after.start + before.stop - before.start))
        old_places.append(new.size + np.arange(targets))
        places = np.concatenate(old_places)
        into = np.zeros((len(statistics.mean), new.size + targets))
        into[np.arange(len(places)), places] = 1.0
        return replace(statistics, mean=statistics.mean @ into, gram=statistics.gram.turned(into))


@dataclass(frozen=True)
class EncodedColumns:
    """The functions of a basis, on columns whose encoding was found in a pass before."""

    encoding: Encoding
    basis: Basis
    centres: np.ndarray

    numbers = 0

    @property
    def width(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        return len(self.basis.names(self.encoding, self.centres))

    def rows(self, table: Table) -> None:
        """Functions lie nowhere before they are computed."""

    def write(self, table: Table, span: slice, shift: np.ndarray, z: np.ndarray) -> None:  # noqa: ARG002
        """Set z, (width, n), to the functions of n rows; no number is missing, and none far off."""
        z[:] = self(table.take(span)).T

    def __call__(self, table: Table) -> np.ndarray:
        """The functions of each row, (n, size)."""
        return self.basis(self.encoding(table), self.encoding, self.centres)
