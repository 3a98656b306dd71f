"""Encoded rows, the way `_fit` sees them: chunks of inputs, targets and weights.

    X : Table in the columns and codes of the schema
    y : class codes (n,), or numbers (n,)
    w : float64 (n,), weights

Targets must be known: a missing one is an error that names its row. Only semi-supervised learners take them,
with the class code UNLABELLED.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from openbook.border.cross_fitted import CrossFitted, drawn_folds
from openbook.data import (
    CHUNK_ROWS,
    MISSING,
    Attribute,
    Categorical,
    Column,
    Nominal,
    Numeric,
    Schema,
    SparseTable,
    Table,
    Word,
)
from openbook.data.arrays import object_cells, words_of
from openbook.data.attributes import as_text
from openbook.data.cells import Cells
from openbook.data.distinct import distinct_codes
from openbook.data.scan import Piece, Scan
from openbook.errors import DataError
from openbook.fold import each, fold, shares_memory
from openbook.measures.arrays import all_finite
from openbook.text.columns import encoded
from openbook.text.terms import Counted
from openbook.words.sentences import plural

Array = npt.NDArray[Any]

#: The class code of a row without a label.
UNLABELLED = MISSING
#: The number that stands for no label, as in scikit-learn.
NO_LABEL = -1

#: Rows that are checked at a time: their cells stay in the cache from column to column.
_LOOKED_AT = 4096


#: Rows of files that take no more bytes are kept in memory by learners that pass over them many times.
HELD_BYTES = 2**29

#: A mean weight this close to 1 is 1.
_ROUNDING = 1e-12


class Chunk(NamedTuple):
    """Some encoded rows: inputs, class codes or target numbers, and weights."""

    X: Table
    y: Array
    w: Array

    def under(
        self,
        schema: Schema,
        crossed: CrossFitted | None = None,
        start: int = 0,
        terms: Mapping[str, Counted] | None = None,
    ) -> "Chunk":
        """The rows in the columns and codes of another schema.

        crossed : the cells of columns of means, of rows that are numbered from `start` on
        terms : those of columns of texts, where they are known; they are lost
        """
        X = encoded(self.X, schema, counted=terms)
        if crossed is not None:
            X = crossed.cross_fitted(X, self.X, self.y, drawn_folds(start, len(self.y)))
        return Chunk(X, self.y, self.w)


class Rows(NamedTuple):
    """All encoded rows: the pieces to fold over, the schema of the inputs, and where they are in memory, they
    themselves in one piece.
    """

    schema: Schema
    pieces: Sequence[Any]
    whole: Table | None = None

    @classmethod
    def in_memory(cls, X: Table, y: Array, w: Array | None = None) -> "Rows":
        spans = [slice(start, start + CHUNK_ROWS) for start in range(0, len(X), CHUNK_ROWS)]
        ones = np.ones(min(len(X), CHUNK_ROWS))  # shared by all chunks of rows that weigh 1
        if len(spans) == 1:
            return cls(X.schema, [Chunk(X, y, ones if w is None else w)], X)
        return cls(
            X.schema, [Chunk(X.take(s), y[s], ones[: len(y[s])] if w is None else w[s]) for s in spans], X
        )

    @property
    def sparse(self) -> bool:
        """Whether the rows are those of a SparseTable."""
        words = (self.schema[name] for name in self.schema.of(Word)[:1])
        return isinstance(self.whole, SparseTable) or any(isinstance(a, Word) and a.sparse for a in words)

    @property
    def chunk(self) -> Chunk:
        """All rows as one chunk, where they are in memory."""
        assert self.whole is not None
        y, w = (np.concatenate([getattr(chunk, part) for chunk in self.pieces]) for part in ("y", "w"))
        return Chunk(self.whole, y, w)

    def under(
        self,
        schema: Schema,
        counted: "Sequence[CountedChunk] | None" = None,
        crossed: CrossFitted | None = None,
    ) -> "Rows":
        """The rows in the columns and codes of another schema.

        counted : the rows, where the terms of their texts are known
        crossed : the cells of columns of means
        """
        if counted is None and self.whole is None:
            numbered = zip(self.pieces, self.starts(), strict=True)
            return Rows(schema, [replace(p, schema=schema, crossed=crossed, start=at) for p, at in numbered])
        starts = self.starts() if self.whole is None else [0]
        parts: Sequence[CountedChunk | Chunk] = [self.chunk] if counted is None else counted
        chunks = [part.under(schema, crossed, at) for part, at in zip(parts, starts, strict=True)]
        return Rows(schema, chunks) if self.whole is None else Rows.in_memory(*chunks[0])

    def apart(self) -> "tuple[Rows, Rows]":
        """The labelled rows, and the unlabelled ones; either may have no pieces."""
        return self.part("labelled"), self.part("unlabelled")

    def part(self, which: str) -> "Rows":
        """The "labelled" rows, or the "unlabelled" ones; they may have no pieces."""
        if self.whole is None:
            return Rows(self.schema, [_part(piece, which) for piece in self.pieces])
        if all((chunk.y != UNLABELLED).all() for chunk in self.pieces):
            return self if which == "labelled" else Rows(self.schema, [])
        return Rows.in_memory(*_part(self.chunk, which))

    def held(self) -> "Rows":
        """The rows of files as chunks in memory, for many passes, where they fit and the workers see them;
        else they stay in their files.
        """
        n_bytes = 8 * sum(self.sizes()) * len(self.schema)
        if self.whole is not None or self.sparse or n_bytes > HELD_BYTES or not shares_memory():
            return self
        return Rows(self.schema, list(each(self.pieces, _loaded)))

    def sizes(self) -> list[int]:
        """How many rows each piece has; nothing is loaded."""
        return [len(piece.y) if isinstance(piece, Chunk) else len(piece.piece) for piece in self.pieces]

    def starts(self) -> list[int]:
        """The number of the first row of each piece."""
        return [0, *accumulate(self.sizes()[:-1])]

    def numbered(self) -> "list[Numbered]":
        """The pieces, each with the number of its first row."""
        return [Numbered(*each) for each in zip(self.pieces, self.starts(), strict=True)]

    def tables(self) -> Iterator[Table]:
        """The inputs, chunk by chunk; for the rare look at the rows themselves."""
        for piece in self.pieces:
            yield (piece if isinstance(piece, Chunk) else piece.load()).X


@dataclass(frozen=True)
class Numbered:
    """A piece of rows that knows the number of the first."""

    piece: "Chunk | FileChunk"
    start: int

    def load(self) -> tuple[int, Chunk]:
        return self.start, self.piece if isinstance(self.piece, Chunk) else self.piece.load()


class CountedChunk(NamedTuple):
    """Some rows, with the terms of their columns of texts."""

    rows: Chunk
    terms: Mapping[str, Counted]

    @property
    def nbytes(self) -> int:
        matrices = (counted.counts for counted in self.terms.values())
        return self.rows.X.nbytes + sum(one.data.nbytes + one.indices.nbytes for one in matrices)

    def under(self, schema: Schema, crossed: CrossFitted | None = None, start: int = 0) -> Chunk:
        """The rows in the columns and codes of another schema; the terms are lost. See `Chunk.under`."""
        return self.rows.under(schema, crossed, start, self.terms)


def _part(piece: "Chunk | FileChunk", part: str) -> Any:
    """The labelled or the unlabelled rows of a piece."""
    if not isinstance(piece, Chunk):
        return replace(piece, keeps=part)
    kept = (piece.y == UNLABELLED) == (part == "unlabelled")
    return Chunk(piece.X.take(kept), piece.y[kept], piece.w[kept])


def _loaded(chunk: Chunk) -> Chunk:
    """The chunk itself, which `each` has read."""
    return chunk


@dataclass(frozen=True)
class FileChunk:
    """A chunk that the worker reads from its file; without a target, every row's is 0.

    classes : the labels of a target of numbers, in order; a row with another number has none
    keeps : which rows are kept where labels may be missing: "every", "labelled" or "unlabelled"; by default
        a missing target is refused
    crossed : the cells of columns of means, of rows that are numbered from `start` on
    """

    piece: Piece
    schema: Schema
    target: Attribute | None = None
    classes: Array | None = None
    keeps: str | None = None
    crossed: CrossFitted | None = None
    start: int = 0

    def load(self) -> Chunk:
        table = self.piece.load()
        if self.target is None:
            return Chunk(encoded(table, self.schema), np.zeros(len(table), np.intp), np.ones(len(table)))
        y = self._in_codes(table.column(self.target.name))
        folds = None if self.crossed is None else drawn_folds(self.start, len(table))
        if self.keeps in ("labelled", "unlabelled"):
            kept = y.missing == (self.keeps == "unlabelled")
            table, y = table.take(kept), y.take(kept)
            folds = None if folds is None else folds[kept]
        elif self.keeps is None and y.missing.any():
            raise _missing_target(y.name, y.missing, self.piece.first_row)
        targets = y.data.astype(np.intp, copy=False) if isinstance(y.attribute, Categorical) else y.data
        assert_all_finite(targets, input_name="y")
        X = encoded(table, self.schema)
        if self.crossed is not None and folds is not None:
            X = self.crossed.cross_fitted(X, table, targets, folds)
        return Chunk(X, targets, np.ones(len(table)))

    def _in_codes(self, y: Column) -> Column:
        """A target of numbers that are labels as their codes; any other as it is."""
        if self.classes is None:
            return y
        labels = Nominal(y.name, tuple(map(as_text, self.classes.tolist())))
        codes = np.searchsorted(self.classes, y.data)
        return Column(labels, np.where(np.isin(y.data, self.classes), codes, UNLABELLED))


def weighed(table: Table, targets: Array, sample_weight: Any) -> Rows:
    """Rows in memory with their weights; a row of weight 0 is no row."""
    if sample_weight is None:
        return Rows.in_memory(table, targets)
    weights = np.asarray(sample_weight, dtype=float)
    if weights.ndim == 0:
        weights = np.full(len(table), float(weights))
    if weights.shape != (len(table),):
        raise DataError(f"sample_weight.shape == {weights.shape}, expected {(len(table),)}!")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        i = int(np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))[0])
        raise DataError(f"sample_weight must be finite and not negative, but row {i} has {weights[i]}")
    some = weights > 0
    if not some.any():
        raise DataError("every sample_weight is zero; give at least one row a weight")
    if some.all():
        return Rows.in_memory(table, targets, weights)
    return Rows.in_memory(table.take(some), targets[some], weights[some])


class RowWeights(np.ndarray[Any, Any]):
    """Weights that are numbers of rows already, whatever their scale: what an ensemble gives its members."""


def in_rows(sample_weight: Any) -> Any:
    """Weights as numbers of rows.

    Whole numbers are numbers of equal rows, and stay. Other weights have no unit: their mean becomes 1, so
    that w and c w are the same. Weights that `weighed` will refuse stay, too.

    >>> in_rows([2, 2, 6]).tolist(), in_rows([0.5, 0.5]).tolist(), in_rows([1.5, 2.5]).tolist()
    ([2.0, 2.0, 6.0], [1.0, 1.0], [0.75, 1.25])
    """
    if isinstance(sample_weight, RowWeights):
        return sample_weight
    weights = np.asarray(sample_weight, dtype=float)
    some = weights[weights > 0]
    refused = not (some.size and np.isfinite(weights).all() and (weights >= 0).all())
    if refused or (some == np.rint(some)).all() or abs(some.mean() - 1) < _ROUNDING:
        return weights
    if (some == some[0]).all():
        return np.where(weights > 0, 1.0, 0.0)
    return weights / some.mean()


def refuse_infinity(table: Table) -> None:
    """Refuse an infinite number, and name its cell."""
    names = table.schema.of(Numeric)
    if isinstance(table, SparseTable):
        parts: Iterator[Array] = iter([table.sparse.data])
    elif table.matrix is not None and len(names) == len(table.schema):
        parts = (table.matrix[at : at + _LOOKED_AT] for at in range(0, len(table), _LOOKED_AT))
    else:
        parts = (some.data(name) for some in table.chunks(_LOOKED_AT) for name in names)
    if any(np.isinf(part).any() for part in parts):
        raise infinite_cell(Rows.in_memory(table, np.zeros(len(table))))


def infinite_cell(rows: Rows) -> DataError:
    """Name the first infinite cell."""
    start = 0
    for table in rows.tables():
        if isinstance(table, SparseTable) and not np.isfinite(table.sparse.data).all():
            return _odd_cell(table, start)
        names = table.names[: len(table.columns)] if isinstance(table, SparseTable) else table.names
        for name in table.schema.select(names).of(Numeric):
            if (infinite := np.isinf(table.data(name))).any():
                first = int(np.argmax(infinite))
                token = as_text(float(table.data(name)[first]))
                return DataError(
                    f"column {name!r} holds infinity (the first in row {start + first}); put a number there,"
                    " or NaN for a missing value. If it means missing in a file, read with"
                    f" missing=[…, {token!r}]"
                )
        start += len(table)
    return DataError(
        "the sums over the rows are not finite: some numbers are too large to be squared; rescale them"
    )


def finite_sums(rows: Rows, step: Callable[[Chunk], Any]) -> Any:
    """The statistics of all rows, added up; an infinite cell is refused by its name."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = fold(rows.pieces, step, add)
    if not all_finite(*sums.arrays().values()):
        raise infinite_cell(rows)
    return sums


def _odd_cell(table: SparseTable, start: int) -> DataError:
    """Name the first infinite or missing cell of sparse rows; the first row has the number `start`."""
    cells = table.sparse
    infinite = np.isinf(cells.data)
    at = int(np.argmax(infinite if infinite.any() else np.isnan(cells.data)))
    row = start + int(np.searchsorted(cells.indptr, at, side="right")) - 1
    name = table.names[len(table.columns) + int(cells.indices[at])]
    if infinite.any():
        return DataError(f"column {name!r} holds infinity (the first in row {row}); put a number there")
    return DataError(
        f"column {name!r} lacks a number in row {row}; sparse columns must have no missing cells here: leave"
        " out what is empty, or pass X.toarray()"
    )


def class_codes(y: Any, *, declared: bool = False) -> tuple[str, Array, Array]:
    """The target's name, its labels in order, and each row's code.

    Labels keep the order of a nominal column's values, and are sorted otherwise. Only those that occur count
    or, with `declared`, every value of such a column.
    """
    name = name_of_target(y)
    if isinstance(y, Column) and isinstance(y.attribute, Categorical):
        if y.missing.any():
            raise _missing_target(name, y.missing)
        if declared:
            return name, np.array(y.attribute.values), y.data.astype(np.intp)
        occurs = np.bincount(y.data, minlength=len(y.attribute.values)) > 0
        codes = np.cumsum(occurs) - 1
        return name, np.array(y.attribute.values)[occurs], codes[y.data]
    if (words := _words(y)) is not None:
        if (missing := words.codes == MISSING).any():
            raise _missing_target(name, missing)
        labels = np.array(
            sorted(words.values), dtype=str if isinstance(y, list) else getattr(y.dtype, "str", object)
        )
        code_of = {label: code for code, label in enumerate(labels.tolist())}
        return name, labels, np.array([code_of[label] for label in words.values], dtype=np.intp)[words.codes]
    labels = one_column(y)
    check_known(name, labels)
    if labels.dtype.kind in "fO":
        check_classification_targets(labels)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    return name, *distinct_codes(labels)


def codes_where_labelled(y: Any, *, declared: bool = False) -> tuple[str, Array, Array]:
    """`class_codes` of a target that some rows lack: their code is UNLABELLED.

    A row lacks it where it is missing or, among numbers, where it is -1, as in scikit-learn; beside a single
    other number, -1 is a label: the classes are -1 and 1.
    """
    cells = y.values if isinstance(y, Column) else one_column(y)
    gaps = y.missing if isinstance(y, Column) else _gaps(cells)
    numbers = np.array(cells[~gaps].tolist()) if cells.dtype == object else cells[~gaps]
    if numbers.dtype.kind in "if" and NO_LABEL not in labels_among(numbers):
        gaps[~gaps] = numbers == NO_LABEL
    if not gaps.any():
        return class_codes(y, declared=declared)
    if gaps.all():
        raise none_labelled(name_of_target(y))
    known = y.take(~gaps) if isinstance(y, Column) else np.array(cells[~gaps].tolist())
    codes = np.full(len(gaps), UNLABELLED, np.intp)
    _, labels, codes[~gaps] = class_codes(known, declared=declared)
    return name_of_target(y), labels, codes


def labels_among(numbers: Array) -> Array:
    """The distinct labels among numbers, in order: -1 is none beside two or more others."""
    others = np.unique(numbers[numbers != NO_LABEL])
    return others if len(others) > 1 else np.unique(numbers)


def distinct_numbers(scan: Scan, name: str) -> Array:
    """The distinct numbers of a column of files, in order; gaps are left out."""
    numbers: Array = fold(scan.select([name]).pieces, _distinct_numbers, np.union1d)
    if not len(numbers):
        raise none_labelled(name)
    return numbers


def _distinct_numbers(column: Table) -> Array:
    numbers = column.columns[0]
    return np.unique(numbers[~np.isnan(numbers)])


def none_labelled(target: str) -> DataError:
    """What is said where no row has a label."""
    return DataError(f"target {target!r} is missing in every row; label some rows of each class first")


def _words(y: Any) -> Cells | None:
    """The labels as texts and gaps, hashed; None if they are something else."""
    dtype = str(getattr(y, "dtype", ""))
    texts = dtype in ("object", "str", "string") or dtype.startswith("<U")
    return words_of(y) if isinstance(y, list) or (texts and y.ndim == 1) else None


def name_of_target(y: Any, unnamed: str = "class") -> str:
    """The name that a target has, or what to call one without a name."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else unnamed


def one_column(y: Any) -> Array:
    """A target as an array of one dimension; one of two with a single column is taken, with a warning."""
    cells = np.asarray(y)
    return cells if cells.ndim == 1 and cells.dtype.kind != "c" else column_or_1d(cells, warn=True)


def check_known(name: str, targets: Array) -> None:
    """Refuse targets that are missing: NaN, None and what pandas has for them."""
    if (missing := _gaps(targets)).any():
        raise _missing_target(name, missing)


def _gaps(targets: Array) -> npt.NDArray[np.bool_]:
    """Where targets are missing."""
    if targets.dtype == object:
        return object_cells(targets.tolist()).codes == MISSING
    return np.isnan(targets) if targets.dtype.kind == "f" else np.zeros(len(targets), dtype=bool)


def _missing_target(name: str, missing: Array, first_row: int = 0) -> DataError:
    rows = np.flatnonzero(missing)
    return DataError(
        f"target {name!r} is missing in {plural(len(rows), 'row')} (the first is row {first_row + rows[0]});"
        f" leave them out: table.drop_missing({name!r}), or learn from them, too: openbook.label"
    )
