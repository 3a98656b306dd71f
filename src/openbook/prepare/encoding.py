r"""How the columns of a table become numbers, for learners that compute with sums and products.

    numeric    (x - mean) / sd, or x as it is; a standard deviation of 0 counts as 1
    ordinal    r / (m - 1): the rank of the value, from 0 for the lowest to 1 for the highest
    nominal    a 0/1 column for each value that training showed, or for each but the first (`reference`)

Mean and standard deviation are those of the known cells, by weight, with N in the denominator. A cell that is
missing, or a value that training never showed, counts as the training mean of its encoded columns. A column
with gaps in training has one more 0/1 column, "x missing", unless it had nothing but gaps. Training refuses
an infinite cell by name; later it counts as missing.

Sparse columns stand behind the others. They are taken as they are, in their own units, and encoded rows are
then a CSR matrix: to centre them would make them dense. They have no missing cells.

mean, shift, scale : float64 (d,), one figure for each encoded column: its mean before it is scaled, and what
is taken off and divided by: encoded = (raw - shift) / scale, where raw is x, the rank or 0/1.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from openbook.border.rows import Chunk, Rows, finite_sums
from openbook.damage import checked_array, placed_under, under
from openbook.data import (
    MISSING,
    Attribute,
    Categorical,
    Datetime,
    Nominal,
    Numeric,
    Ordinal,
    Schema,
    SparseTable,
    Table,
    TargetMean,
    Word,
)
from openbook.errors import RefusalError
from openbook.fold import Statistics, each, less
from openbook.kernels.moments import Moments
from openbook.measures.arrays import all_finite, stacked
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Work

#: Rows encoded at a time, and cells of a matrix: few enough to stay in the cache between two operations.
_BLOCK_ROWS, _BLOCK_CELLS = 2048, 2**15
#: A nominal column of more values is refused: as many columns of numbers would fill the memory.
_MOST_VALUES = 5000


def encoded_rows(rows: Rows, encoding: "Encoding", dtype: Any = np.float64) -> tuple[Any, Any, Any]:
    """All rows in memory: encoded, (n, d) or a CSR matrix, which may be a view; their targets and weights."""
    parts, y, w = map(list, zip(*each(rows.pieces, partial(_encoded, encoding, dtype)), strict=True))
    X = sp.vstack(parts, format="csr") if encoding.sparse else stacked(parts)
    return X, np.concatenate(y), np.concatenate(w)


def _encoded(encoding: "Encoding", dtype: Any, chunk: Chunk) -> tuple[Any, Any, Any]:
    return encoding(chunk.X, dtype=dtype), chunk.y, chunk.w


@dataclass(frozen=True)
class ColumnSums(Statistics):
    """What an encoding is found from, added up over rows.

    numbers : the moments of the numeric columns, (1, n_numeric)
    values : for each other column the weight of its missing cells and of each value, (1 + n_values,)
    total : the weight of all rows, (1,)
    cells : the sums of the sparse columns, (n_sparse,)
    """

    numbers: Moments
    values: tuple[np.ndarray, ...]
    total: np.ndarray
    cells: np.ndarray = field(default_factory=partial(np.zeros, 0))

    @classmethod
    def of(cls, schema: Schema, chunk: Chunk) -> "ColumnSums":
        """The sums of a chunk."""
        X, _, w = chunk
        cells = np.zeros(0)
        if isinstance(X, SparseTable):
            cells, schema = w @ X.sparse, _dense_part(schema, X.sparse.shape[1])
        values = tuple(
            np.bincount(X.data(a.name).astype(np.intp) + 1, w, 1 + len(a.values))
            for a in schema.select(schema.of(Categorical))
            if isinstance(a, Categorical)
        )
        one_class = np.zeros(len(X), dtype=np.intp)
        numbers = Moments.of(X.block(schema.of(Numeric)), one_class, w, 1)
        return cls(numbers, values, np.array([w.sum()]), cells)


class _EncodedColumn(NamedTuple):
    """Where a column is encoded: in these encoded columns, and its gaps in one of their own."""

    attribute: Attribute
    codes: np.ndarray  # of a nominal column, the values that training showed
    columns: slice
    gap: int | None


@dataclass(frozen=True, eq=False)
class Encoding:
    """A fitted encoding: called with a table of its schema, it gives float64 (n, d), row after row.

    Where there are sparse columns, that is a CSR matrix.

    Attributes
    ----------
    schema : Schema
        The columns that are encoded.
    mean : ndarray
        The mean of each encoded column, which a missing cell counts as.
    shift, scale : ndarray
        The number subtracted from each encoded column, and its divisor.
    seen : tuple of ndarray
        For each column the codes that occur in training; empty if it is not nominal.
    gaps : ndarray
        For each column, whether it has a 0/1 column for its missing cells.
    reference : bool, default=False
        Whether the first value of a nominal column goes without a column of its own.
    sparse : int, default=0
        How many of the columns, the last ones, are sparse.

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("loan").split("cheat")
    >>> encoding = Encoding.of(Rows.in_memory(X, y.data))
    >>> encoding.names[:4]
    ('owner = No', 'owner = Yes', 'status = Divorced', 'status = Married')
    >>> encoding(X.head(1)).round(3).tolist()
    [[0.0, 1.0, 0.0, 0.0, 1.0, 0.485]]
    """

    schema: Schema
    mean: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    seen: tuple[np.ndarray, ...]
    gaps: np.ndarray
    reference: bool = False
    sparse: int = 0

    @classmethod
    def of(cls, rows: Rows, *, scale: bool = True, reference: bool = False) -> "Encoding":
        """Find the encoding of these rows, in one fold.

        Parameters
        ----------
        rows : Rows
            The training rows.
        scale : bool, default=True
            Whether numbers are divided by their standard deviation.
        reference : bool, default=False
            Whether the first value of a nominal column goes without a column of its own.

        Returns
        -------
        Encoding
        """
        refuse_many_values(rows.schema)
        step: Callable[[Chunk], ColumnSums] = partial(ColumnSums.of, rows.schema)
        return cls.from_sums(rows.schema, finite_sums(rows, step), scale=scale, reference=reference)

    @classmethod
    def from_sums(
        cls, schema: Schema, sums: ColumnSums, *, scale: bool = True, reference: bool = False
    ) -> "Encoding":
        """The encoding of the rows that were added up.

        Parameters
        ----------
        schema : Schema
            The columns that are encoded.
        sums : ColumnSums
            Sums over the rows.
        scale : bool, default=True
            Whether numbers are divided by their standard deviation.
        reference : bool, default=False
            Whether the first value of a nominal column goes without a column of its own.

        Returns
        -------
        Encoding
        """
        total = float(sums.total[0])
        moments = sums.numbers
        deviations = np.sqrt(moments.scatter[0] / np.where(moments.weight[0] > 0, moments.weight[0], 1.0))
        for own in schema.directions.values():  # one unit for all of a text: the leading ones weigh most
            of_text = [schema.of(Numeric).index(one.name) for one in own]
            deviations[of_text] = deviations[of_text].max()
        gaps_of_numbers = less(total, moments.weight[0])
        plain = schema.of(Numeric) == schema.names and not len(sums.cells)
        if plain and not gaps_of_numbers.any():  # thousands of columns at once
            mean, units = moments.mean[0].copy(), np.where(deviations > 0, deviations, 1.0)
            shift, units = (mean.copy(), units) if scale else (np.zeros_like(mean), np.ones_like(mean))
            seen = (np.zeros(0, dtype=np.intp),) * len(schema)
            return cls(schema, mean, shift, units, seen, np.zeros(len(schema), dtype=bool), reference)
        numbers = zip(moments.weight[0], gaps_of_numbers, moments.mean[0], deviations, strict=True)
        weights = iter(sums.values)
        figures, codes_seen, gaps, taken = [], [], [], set(schema.names)
        for attribute in _dense_part(schema, len(sums.cells)):
            codes = np.zeros(0, dtype=np.intp)
            if isinstance(attribute, Numeric):
                known, missing, mean, sd = next(numbers)
                figures.append((mean, mean if scale else 0.0, sd if scale and sd > 0 else 1.0))
            else:
                missing, *by_value = next(weights).tolist()
                known = sum(by_value)
                share = np.array(by_value) / (known or 1.0)
                if isinstance(attribute, Nominal):
                    codes = np.flatnonzero(share)
                    figures += [(mean, 0.0, 1.0) for mean in share[codes[int(reference) :]]]
                else:
                    figures.append((float(share @ _ranks(attribute)), 0.0, 1.0))
            codes_seen.append(codes)
            # a table with a MissingIndicator has such a column already, and means of one column share one
            gaps.append(missing > 0 and known > 0 and _gap_name(attribute) not in taken)
            if gaps[-1]:
                taken.add(_gap_name(attribute))
                figures.append((missing / total, 0.0, 1.0))
        cells = np.column_stack([sums.cells / total, np.zeros(len(sums.cells)), np.ones(len(sums.cells))])
        mean, shift, scales = np.vstack([np.array(figures, dtype=float).reshape(-1, 3), cells]).T.copy()
        seen, has_gaps = tuple(codes_seen), np.array(gaps, dtype=bool)
        return cls(schema, mean, shift, scales, seen, has_gaps, reference, len(cells))

    @cached_property
    def _dense(self) -> Schema:
        """The columns that are not sparse."""
        return _dense_part(self.schema, self.sparse)

    @cached_property
    def _layout(self) -> tuple[_EncodedColumn, ...]:
        layout, start = [], 0
        for attribute, codes, gap in zip(self._dense, self.seen, self.gaps, strict=True):
            width = max(len(codes) - self.reference, 0) if isinstance(attribute, Nominal) else 1
            stop = start + width
            layout.append(_EncodedColumn(attribute, codes, slice(start, stop), stop if gap else None))
            start = stop + bool(gap)
        return tuple(layout)

    @property
    def gap_columns(self) -> tuple[int, ...]:
        """The positions of the encoded columns for missing cells."""
        layout = self._layout if self.gaps.any() else ()
        return tuple(encoded.gap for encoded in layout if encoded.gap is not None)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the encoded columns: "age", "age missing", "outlook = sunny"."""
        if self._plain:
            return self.schema.names
        names: list[str] = []
        for attribute, codes, _, gap in self._layout:
            if isinstance(attribute, Nominal):
                names += [f"{attribute.name} = {attribute.values[v]}" for v in codes[int(self.reference) :]]
            else:
                names.append(attribute.name)
            if gap is not None:
                names.append(_gap_name(attribute))
        return (*names, *self.schema.names[len(self._dense) :])

    @cached_property
    def words(self) -> frozenset[str]:
        """The columns of which derivations list only the cells that are not 0: words, and sparse ones."""
        return frozenset(self.schema.of(Word)) | frozenset(self.schema.names[len(self._dense) :])

    @cached_property
    def columns(self) -> np.ndarray:
        """The position in the schema of the column behind each encoded one."""
        if self._plain:
            return np.arange(len(self.schema))
        sizes = [one.columns.stop - one.columns.start + (one.gap is not None) for one in self._layout]
        return np.repeat(np.arange(len(self.schema)), sizes + [1] * self.sparse)

    @cached_property
    def _fill(self) -> np.ndarray:
        """What stands in each encoded column where the cell is missing."""
        return (self.mean - self.shift) / self.scale

    @cached_property
    def _plain(self) -> bool:
        """Whether every column is a number without gaps."""
        numbers = self.schema.of(Numeric) == self.schema.names and not self.gaps.any()
        return len(self.mean) > 0 and numbers and not self.sparse

    def __len__(self) -> int:
        """How many encoded columns there are."""
        return len(self.mean)

    def __call__(self, table: Table, out: np.ndarray | None = None, dtype: Any = np.float64) -> Any:
        """The rows as numbers, (n, d); into `out` if it is given, else perhaps a view of the table.

        Where there are sparse columns, a CSR matrix; `out` is not written to then.
        """
        if self.sparse:
            return self._sparse_rows(table)
        if out is None:
            if (as_it_is := self._as_it_is(table, dtype)) is not None:
                return as_it_is
            out = np.empty((len(table), len(self)), dtype)
        for span in _spans(table):
            self._write(table.take(span), out[span])
        return out

    def row(self, table: Table) -> np.ndarray:
        """The first row as numbers, (d,).

        Parameters
        ----------
        table : Table
            Rows of the schema.

        Returns
        -------
        ndarray
        """
        encoded = self(table)
        return encoded[[0]].toarray()[0] if self.sparse else encoded[0]

    def _sparse_rows(self, table: Table) -> sp.csr_array:
        """The other columns, encoded, beside the sparse ones."""
        names = self.schema.names[len(self._dense) :]
        cells = table.sparse if isinstance(table, SparseTable) else sp.csr_array(table.block(names))
        if not np.isfinite(cells.data).all():  # not so in training
            finite = np.nan_to_num(cells.data, posinf=0.0, neginf=0.0)
            cells = sp.csr_array((finite, cells.indices, cells.indptr), shape=cells.shape)
        if not len(self._dense):
            return cells
        out = np.empty((len(table), len(self) - self.sparse))
        self._write(table, out)
        return sp.hstack([sp.csr_array(out), cells], format="csr")

    def _as_it_is(self, table: Table, dtype: Any) -> np.ndarray | None:
        """The matrix behind the table, where it is its own encoding."""
        matrix = table.matrix
        if not self._plain or matrix is None or matrix.dtype != dtype or not matrix.flags.c_contiguous:
            return None
        if self.shift.any() or (self.scale != 1).any():
            return None
        return matrix if all(all_finite(matrix[span]) for span in _spans(table)) else None

    def _write(self, table: Table, out: np.ndarray) -> None:
        if self._plain:
            np.subtract(table.block(self.schema.names), self.shift, out=out)
            np.divide(out, self.scale, out=out)
        else:
            self._write_numbers(table, out)
            for encoded in self._layout:
                if not isinstance(encoded.attribute, Numeric):
                    self._write_codes(encoded, table.data(encoded.attribute.name), out)
        if not all_finite(out):
            np.copyto(out, self._fill[: out.shape[1]], where=~np.isfinite(out))

    def _write_numbers(self, table: Table, out: np.ndarray) -> None:
        """Write the columns of numbers, and which cells are missing, all at once."""
        layout = [encoded for encoded in self._layout if isinstance(encoded.attribute, Numeric)]
        if not layout:
            return
        cells = table.block([encoded.attribute.name for encoded in layout])
        missing, at = ~np.isfinite(cells), [encoded.columns.start for encoded in layout]
        numbers = np.where(missing, self.mean[at], cells)
        numbers -= self.shift[at]
        numbers /= self.scale[at]
        out[:, at] = numbers
        gaps = {encoded.gap: j for j, encoded in enumerate(layout) if encoded.gap is not None}
        out[:, list(gaps)] = missing[:, list(gaps.values())]

    def _write_codes(self, encoded: _EncodedColumn, data: np.ndarray, out: np.ndarray) -> None:
        attribute, codes, columns, gap = encoded
        coded, fill = out[:, columns], self._fill[columns]
        if isinstance(attribute, Ordinal):
            ranks = np.append(_ranks(attribute), [fill, fill])  # the last two answer -2 and -1
            coded[:, 0] = ranks[data]
        else:
            coded[:] = data[:, None] == codes[int(self.reference) :]
            coded[~np.isin(data, codes)] = fill
        if gap is not None:
            out[:, gap] = data == MISSING

    def original(self, coef: Any, intercept: Any) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of the encoded columns, (…, d), in units of the columns; and their intercepts, (…).

        Parameters
        ----------
        coef : array-like
            Coefficients of the encoded columns.
        intercept : array-like
            Their intercepts.

        Returns
        -------
        tuple of (ndarray, ndarray)
        """
        own = np.asarray(coef) / self.scale
        return own, np.asarray(intercept) - own @ self.shift

    def without_gaps(self) -> "Encoding":
        """The same encoding without columns for missing cells."""
        if not self.gaps.any():
            return self
        keep = np.ones(len(self), dtype=bool)
        keep[list(self.gap_columns)] = False
        mean, shift, scale = self.mean[keep], self.shift[keep], self.scale[keep]
        return replace(self, mean=mean, shift=shift, scale=scale, gaps=np.zeros_like(self.gaps))

    def shrinkage(self) -> np.ndarray:
        """The roots R, (m, d), of a ridge penalty β'R'Rβ on the coefficients of columns with pooled values.

        Those of a column are drawn towards their mean, by as much as n0 more rows of each value would do that
        lie there (`openbook.data.rare`): n0 sum_v (β_v - mean of β)², where the first value has β = 0 if it
        has no column of its own. In a linear model these are random effects, with the variance of the errors
        over n0.

        Returns
        -------
        ndarray
        """
        roots = [np.zeros((0, len(self)))]
        if not self.schema.of(Nominal):
            return roots[0]
        for attribute, codes, columns, _ in self._layout:
            if isinstance(attribute, Nominal) and attribute.needed > 0:
                deviations = np.eye(len(codes)) - 1 / len(codes)
                own = np.zeros((len(codes), len(self)))
                own[:, columns] = math.sqrt(attribute.needed) * deviations[:, int(self.reference) :]
                roots.append(own)
        return np.vstack(roots)

    def decoded(self, numbers: np.ndarray) -> Table:
        """Encoded rows, (n, d), as a table: the nearest rank, the value whose column is the largest.

        Parameters
        ----------
        numbers : ndarray
            Encoded rows.

        Returns
        -------
        Table
        """
        raw = numbers.astype(np.float64) * self.scale + self.shift
        columns = []
        for attribute, codes, span, _ in self._layout:
            values = raw[:, span]
            if isinstance(attribute, Numeric):
                columns.append(values[:, 0])
            elif isinstance(attribute, Nominal):
                if self.reference and len(codes):  # the first value is what the others leave
                    values = np.column_stack([1 - values.sum(axis=1), values])
                best = codes[values.argmax(axis=1)] if len(codes) else np.full(len(raw), MISSING)
                columns.append(best.astype(attribute.dtype))
            else:
                assert isinstance(attribute, Ordinal)
                ranks = np.rint(values[:, 0] * (len(attribute.values) - 1))
                columns.append(np.clip(ranks, 0, len(attribute.values) - 1).astype(attribute.dtype))
        return Table(self.schema, [*columns, *raw[:, len(self) - self.sparse :].T])

    def work(self) -> Work:
        """Show how each column is encoded."""
        rows = []
        for attribute, codes, columns, gap in self._layout:
            for k in range(columns.start, columns.stop):
                if isinstance(attribute, Nominal):
                    value = attribute.values[codes[int(self.reference) + k - columns.start]]
                    rule = f"1 if {value}, else 0"
                elif isinstance(attribute, Ordinal):
                    rule = f"rank / {len(attribute.values) - 1}" if len(attribute.values) > 1 else "0"
                else:
                    rule = _rule(attribute, float(self.shift[k]), float(self.scale[k]))
                rows.append((self.names[k], rule, float(self._fill[k])))
            if gap is not None:
                rows.append((self.names[gap], "1 if missing, else 0", 1))
        note = "A value not seen in training counts as missing, except in the indicator columns."
        if self.sparse:
            note += f" {plural(self.sparse, 'sparse column')} are taken as they are."
        return Work("Encoding", (Grid("columns", ("column", "is", "where missing"), rows, note),))

    def arrays(self, prefix: str = "") -> dict[str, np.ndarray]:
        """The encoding as arrays, for the model file, whose names begin so.

        Parameters
        ----------
        prefix : str, default=""
            The prefix of the names.

        Returns
        -------
        dict of str to ndarray
        """
        shown = [np.zeros(0, dtype=bool)]
        for attribute, codes in zip(self._dense, self.seen, strict=True):
            if isinstance(attribute, Nominal):
                shown.append(np.isin(np.arange(len(attribute.values)), codes))
        arrays = {
            **({"sparse": np.array([self.sparse])} if self.sparse else {}),
            "mean": self.mean,
            "shift": self.shift,
            "scale": self.scale,
            "seen": np.concatenate(shown),
            "gaps": self.gaps,
            "reference": np.array([self.reference]),
        }
        return placed_under(prefix, arrays)

    @classmethod
    def from_arrays(cls, schema: Schema, arrays: Mapping[str, np.ndarray], prefix: str = "") -> "Encoding":
        """The encoding behind `arrays`; raises KeyError or ValueError where they do not fit the schema.

        Parameters
        ----------
        schema : Schema
            The columns that are encoded.
        arrays : mapping of str to ndarray
            The arrays of a model file.
        prefix : str, default=""
            The prefix of the names of the encoding's arrays.

        Returns
        -------
        Encoding
        """
        arrays = under(prefix, arrays)
        sparse = int(checked_array({"sparse": np.zeros(1, int), **arrays}, "sparse", int, (1,))[0])
        if not 0 <= sparse <= len(schema) or not all(
            isinstance(a, Numeric) for a in schema.attributes[len(schema) - sparse :]
        ):
            raise ValueError("an encoding's sparse columns must be the last ones, and numbers")
        dense = _dense_part(schema, sparse)
        sizes = [len(a.values) if isinstance(a, Nominal) else 0 for a in dense]
        gaps = checked_array(arrays, "gaps", bool, (len(dense),))
        shown = checked_array(arrays, "seen", bool, (sum(sizes),))
        reference = bool(checked_array(arrays, "reference", bool, (1,))[0])
        seen = tuple(map(np.flatnonzero, np.split(shown, np.cumsum(sizes, dtype=int))[:-1]))
        nothing = np.zeros(0)
        empty = cls(schema, nothing, nothing, nothing, seen, gaps, reference, sparse)
        d = len(empty.names)
        mean, shift, scale = (checked_array(arrays, n, float, (d,)) for n in ("mean", "shift", "scale"))
        if not (scale > 0).all():
            raise ValueError("an encoding's scales must be above zero")
        return cls(schema, mean, shift, scale, seen, gaps, reference, sparse)


def _gap_name(attribute: Attribute) -> str:
    """What the column of a column's gaps is called."""
    return f"{attribute.by.name if isinstance(attribute, TargetMean) else attribute.name} missing"


def _dense_part(schema: Schema, sparse: int) -> Schema:
    """The columns before those that are sparse."""
    return Schema(schema.attributes[: len(schema) - sparse], schema.named) if sparse else schema


def _spans(table: Table) -> list[slice]:
    """The rows encoded at a time; columns that are no matrix, if thousands, take longer to part than that."""
    rows = _BLOCK_ROWS if table.matrix is None else max(_BLOCK_CELLS // len(table.schema), 1)
    return [slice(start, start + rows) for start in range(0, len(table), rows)]


def refuse_many_values(schema: Schema) -> None:
    """Refuse a nominal column whose values would be too many columns of numbers."""
    for attribute in schema if schema.of(Nominal) else ():
        if isinstance(attribute, Nominal) and len(attribute.values) > _MOST_VALUES:
            raise RefusalError(
                f"column {attribute.name!r} has {len(attribute.values):,} values, each of which would be a"
                " column of numbers; pool the rare ones by openbook.prepare.RareValues, or leave it out"
            )


def _ranks(attribute: Attribute) -> np.ndarray:
    """The normalised rank of each value of an ordinal column."""
    assert isinstance(attribute, Ordinal)
    m = len(attribute.values)
    return np.arange(m) / max(m - 1, 1)


def _rule(attribute: Attribute, shift: float, scale: float) -> str:
    """A number's encoding in words."""
    if isinstance(attribute, Datetime):
        return f"days since {attribute.shown(shift)}" + (f" / {figure(scale)}" if scale != 1 else "")
    if not shift and scale == 1:
        return "x"
    off = f"x - {figure(shift)}" if shift >= 0 else f"x + {figure(-shift)}"
    return f"({off}) / {figure(scale)}"
