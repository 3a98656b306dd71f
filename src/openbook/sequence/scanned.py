"""Sequences in files: pieces of whole sequences, each read by the worker that handles it.

Rows of a sequence stand together, in order; a sequence may reach over the end of a piece of the scan. Then
the piece in which it begins reads the rest from the pieces that follow, and these leave it out. One pass
finds where sequences end, the moments of numbers, the words of texts, and which rows have labels.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple

import numpy as np

from openbook.border.rows import refuse_infinity
from openbook.data import Categorical, Numeric, Schema, Table, Text
from openbook.data.combine import stacked_rows
from openbook.data.conform import conform
from openbook.data.scan import Piece, Scan
from openbook.errors import DataError, UnknownColumn
from openbook.fold import each
from openbook.kernels.moments import Moments


def moments_of(table: Table) -> Moments:
    """The moments of the known cells of the numeric columns of a table, (1, d)."""
    names, one_class = table.schema.of(Numeric), np.zeros(len(table), dtype=np.intp)
    if not names:
        return Moments.zero(1, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        moments = Moments.of(table.block(names).astype(float), one_class, np.ones(len(table)), 1)
    if not np.isfinite(moments.scatter).all():
        name = names[int(np.argmin(np.isfinite(moments.scatter[0])))]
        raise DataError(f"column {name!r}: its numbers are too large to be squared; rescale them")
    return moments


def shift_and_scale(moments: Moments) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the standard deviation of each column, (d,); 1 if it does not vary."""
    spread = np.sqrt(np.nan_to_num(moments.variance()[0]))
    return moments.mean[0], np.where(spread > 0, spread, 1.0)


@dataclass(frozen=True)
class SequenceFile:
    """Whole sequences of a file, still to be read: the rows after `skip`, and `extra` rows that follow."""

    pieces: tuple[Piece, ...]
    skip: int
    extra: int
    sequence: str
    target: str | None
    model: Any

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.pieces[0].rows - self.skip + self.extra

    def load(self):
        tables = [piece.load() for piece in self.pieces]
        table = stacked_rows(tables).take(slice(self.skip, self.pieces[0].rows + self.extra))
        ids = table.data(self.sequence)
        conformed = conform(table, self.model.schema_)
        piece = self.model._piece(conformed, self.model._ends(ids))  # noqa: SLF001 (of the same package)
        if self.target is None:
            return piece
        codes = table.data(self.target).astype(np.int64)
        return piece._replace(labels=np.where(codes < 0, -1, codes))


class ScannedSequences(NamedTuple):
    """The findings of one pass over files; `complete` if all rows have a label."""

    schema: Schema
    moments: Moments
    words: dict[str, tuple[str, ...]]
    labels: np.ndarray
    complete: bool
    cuts: list[tuple[tuple[Piece, ...], int, int]]
    sequence: str
    target: str | None

    @property
    def n_rows(self) -> int:
        return sum(pieces[0].rows - skip + extra for pieces, skip, extra in self.cuts)

    def pieces(self, model: Any) -> list[SequenceFile]:
        """The pieces to fold over, in the codes of a model."""
        return [SequenceFile(*cut, self.sequence, self.target, model) for cut in self.cuts]


class _PieceSummary(NamedTuple):
    """Of a piece: the sequence of each run of rows, its length, moments, words, and the number of labels."""

    ids: np.ndarray
    lengths: np.ndarray
    moments: Moments
    words: dict[str, set[str]]
    labelled: int


def scanned(
    scan: Scan, sequence: str | None, target: str | None, kinds: Callable[[Schema], Schema] | None = None
) -> ScannedSequences:
    """Look through files for their sequences; `kinds` declares columns of another kind."""
    if sequence is None:
        raise DataError("sequences of files are told apart by a column; name it with sequence=…")
    for name in (sequence, target):
        if name is not None and name not in scan.schema:
            raise UnknownColumn(name, scan.names)
    labels = np.array([], dtype=str)
    if target is not None:
        attribute = scan.schema[target]
        if not isinstance(attribute, Categorical):
            msg = f"labels {target!r} are {attribute.kind}; scan with kinds={{{target!r}: 'nominal'}}"
            raise DataError(msg)
        labels = np.array(attribute.values)
    schema = scan.schema.select(name for name in scan.names if name not in (sequence, target))
    schema = kinds(schema) if kinds else schema
    summaries = list(each(scan.pieces, partial(_summary, schema, sequence, target)))
    moments = reduce(add, (s.moments for s in summaries))
    words = {a: tuple(sorted(set().union(*(s.words[a] for s in summaries)))) for a in schema.of(Text)}
    complete = target is not None and sum(s.labelled for s in summaries) == len(scan)
    cuts = _cuts(scan.pieces, summaries)
    return ScannedSequences(schema, moments, words, labels, complete, cuts, sequence, target)


def whole_sequences(chunks: Iterable[Table], sequence: str) -> Iterator[Table]:
    """The rows of chunks in parts of whole sequences; where no column names them, all are one sequence."""
    held: list[Table] = []  # of a sequence that may go on
    last, met = None, set[Any]()
    for chunk in filter(len, chunks):
        ids = chunk.data(sequence) if sequence in chunk.schema else np.zeros(len(chunk))
        starts = _starts(ids)
        goes_on = bool(held) and ids[0] == last
        _register(met, ids[starts][int(goes_on) :])
        if starts[-1] or (held and not goes_on):
            yield stacked_rows([*held, chunk.take(slice(0, starts[-1]))])
            held = []
        held.append(chunk.take(slice(starts[-1], None)))
        last = ids[-1]
    if held:
        yield stacked_rows(held)


def _starts(ids):
    """Where runs of rows of one sequence begin."""
    return np.append(0, np.flatnonzero(ids[1:] != ids[:-1]) + 1)


def _register(met, ids):
    """Add sequences to those met; none may come twice."""
    if len(set(ids.tolist())) < len(ids) or met & set(ids.tolist()):
        raise DataError("rows of a sequence must stand together in files; sort them by the sequence first")
    met.update(ids.tolist())


def _summary(schema, sequence, target, table):
    column = table.column(sequence)
    if column.missing.any():
        raise DataError(f"column {sequence!r} names the sequence of each row, but a row has none")
    ids = column.data
    starts = _starts(ids)
    labelled = 0 if target is None else int((~table.column(target).missing).sum())
    conformed = conform(table, schema)
    refuse_infinity(conformed)
    lengths = np.diff(np.append(starts, len(ids)))
    return _PieceSummary(ids[starts], lengths, moments_of(conformed), text_words(conformed), labelled)


def text_words(table: Table) -> dict[str, set[str]]:
    """The words of each text column."""
    return {name: {w for w in table.data(name) if w is not None} for name in table.schema.of(Text)}


def _cuts(pieces: Sequence[Piece], summaries: Sequence[_PieceSummary]):
    """For each piece in which a sequence begins: the pieces it needs, the rows to skip, and those to add."""
    goes_on = [False, *(b.ids[0] == a.ids[-1] for a, b in pairwise(summaries))]
    skips = [int(one.lengths[0]) if on else 0 for one, on in zip(summaries, goes_on, strict=True)]
    met: set[Any] = set()
    for one, on in zip(summaries, goes_on, strict=True):
        _register(met, one.ids[int(on) :])
    found = []
    for i, piece in enumerate(pieces):
        if skips[i] == piece.rows:  # all of it belongs to a sequence that began before
            continue
        skipped, last = 0, i
        while last + 1 < len(pieces) and skips[last + 1]:
            last += 1
            skipped += skips[last]
            if skips[last] < pieces[last].rows:
                break
        found.append((tuple(pieces[i : last + 1]), skips[i], skipped))
    return found
