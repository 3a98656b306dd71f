"""A file of answers: what people said of rows, a line for each answer, written before the next question.

    row,label,how,predicted,check
    17,yes,asked,,1f3c9a02
    17,,,,1f3c9a02
    40,no,drawn,yes,77ab0e15

The last line of a row counts, and an empty label takes the label back. `how` says whether the row was asked
for on purpose or drawn at random. `predicted` is what the classifier, if there was one, said of a row drawn
at random before it knew the label: these rows tell its accuracy. `check` is the CRC-32 of the row's cells, so
that answers are never given to another row: a file whose rows have moved is refused. A last line that was cut
off, by a power cut or `kill -9`, is no answer, and goes.

row : position in the table, from 0
"""

import csv
import os
import zlib
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import numpy as np

from openbook.data import Column, Table
from openbook.data.attributes import as_text
from openbook.errors import DataError

_HEADER = ("row", "label", "how", "predicted", "check")
_ASKED, _DRAWN = "asked", "drawn"


def asked_column(target: str) -> str:
    """The column of a labelled table that says whether each label was asked for.

    >>> asked_column("spam")
    'spam_asked'
    """
    return f"{target}_asked"


def asked_rows(column: Column) -> np.ndarray:
    """Which rows a column says were asked for: yes, true or 1; no, false, 0 and missing cells say no.

    >>> from openbook.data import Nominal
    >>> asked_rows(Column(Nominal("spam_asked", ("no", "yes")), np.array([1, 0, -1])))
    array([ True, False, False])
    """
    said = [
        "" if gap else as_text(cell).lower()
        for cell, gap in zip(column.tolist(), column.missing.tolist(), strict=True)
    ]
    if odd := set(said) - {"", *_SAID}:
        msg = f"column {column.name!r} says whether a row was asked for, yes or no, and not {min(odd)!r}"
        raise DataError(msg)
    return np.array([_SAID.get(word, False) for word in said], dtype=bool)


def written_by_label(table: Table, target: str) -> str | None:
    """The column in which `openbook label` says which labels were asked for, if the table has it.

    >>> from openbook import load
    >>> written_by_label(load("weather"), "play") is None
    True
    """
    name = asked_column(target)
    if name not in table.schema:
        return None
    try:
        asked_rows(table.column(name))
    except DataError:  # it has the name, and says something else
        return None
    return name


_SAID = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class AnswerFile:
    """The answers of a file, which need not exist yet; each new one is on the disk when `add` returns.

    Parameters
    ----------
    path : Path
        The file.
    table : Table
        The rows, without the target.
    classes : sequence of str
        The labels that an answer may have.

    Attributes
    ----------
    lines : list of tuple
        Row, label, "asked" or "drawn", and prediction of every line; "" where a label was taken back or
        nothing was predicted.

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> import openbook as ob
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp(), "labels.csv")
    >>> weather = ob.load("weather").drop("play")
    >>> answers = AnswerFile(file, weather, ("yes", "no"))
    >>> answers.add(3, "yes")
    >>> answers.add(5, "no", drawn=True)
    >>> answers.add(5, "")
    >>> again = AnswerFile(file, weather, ("yes", "no"))
    >>> again.labels, again.asked
    ({3: 'yes'}, [3])
    """

    def __init__(self, path: Path, table: Table, classes: tuple[str, ...]) -> None:
        self.path, self._table = path, table
        self.lines: list[tuple[int, str, str, str]] = []
        if not path.exists():
            return
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        self.lines = list(self._checked(whole, classes))
        if len(whole) < len(content):
            os.truncate(path, len(whole))

    @property
    def labels(self) -> dict[int, str]:
        """The label of each row that has one, in the order of the last answers."""
        return {row: label for row, (label, *_) in self._last().items()}

    @property
    def asked(self) -> list[int]:
        """The rows with a label that were asked for on purpose, not drawn at random."""
        return [row for row, (_, how, _) in self._last().items() if how == _ASKED]

    @property
    def checked(self) -> list[bool]:
        """Of the rows that were drawn at random, whether the prediction was right."""
        return [label == predicted for label, _, predicted in self._last().values() if predicted]

    def _last(self) -> dict[int, tuple[str, str, str]]:
        found: dict[int, tuple[str, str, str]] = {}
        for row, label, how, predicted in self.lines:
            found.pop(row, None)
            if label:
                found[row] = label, how, predicted
        return found

    def add(self, row: int, label: str, predicted: str = "", *, drawn: bool = False) -> None:
        """Write an answer, and see it onto the disk.

        Parameters
        ----------
        row : int
        label : str
            One of the classes, or "" to take a label back.
        predicted : str, default=""
            Of a row drawn at random, what was predicted.
        drawn : bool, default=False
            Whether the row was drawn at random.
        """
        how = "" if not label else _DRAWN if drawn else _ASKED
        line = _line((row, label, how, predicted, self._check(row)))
        with self.path.open("ab") as file:
            file.write((line if file.tell() else _line(_HEADER) + line).encode())
            file.flush()
            os.fsync(file.fileno())
        self.lines.append((row, label, how, predicted))

    def _check(self, row: int) -> str:
        cells = "\x1f".join(as_text(cell) for cell in self._table.row(row).values())
        return f"{zlib.crc32(cells.encode(errors='replace')):08x}"

    def _checked(self, content: bytes, classes: tuple[str, ...]) -> Iterator[tuple[int, str, str, str]]:
        try:
            lines = list(csv.reader(StringIO(content.decode(), newline="")))
        except (UnicodeDecodeError, csv.Error):
            lines = []
        name = self.path.name
        if not lines or tuple(lines[0]) != _HEADER:
            msg = f"{name} is not a file of answers; name another with --answers"
            raise DataError(msg)
        for number, line in enumerate(lines[1:], 2):
            if len(line) != len(_HEADER) or not line[0].isdecimal() or int(line[0]) >= len(self._table):
                msg = f"{name}, line {number}: no answer for a row of this table; correct or delete the line"
                raise DataError(msg)
            row, (label, how, predicted, check) = int(line[0]), line[1:]
            if (how in (_ASKED, _DRAWN)) != bool(label):
                msg = f"{name}, line {number}: a label is {_ASKED!r} or {_DRAWN!r}, not {how!r}"
                raise DataError(msg)
            if odd := {label, predicted} - {"", *classes}:
                msg = f"{name}, line {number}: {min(odd)!r} is none of the classes {', '.join(classes)}"
                raise DataError(msg)
            if check != self._check(row):
                msg = (
                    f"{name}, line {number}: row {row} has changed since it was labelled; restore the table,"
                    " or name another file with --answers"
                )
                raise DataError(msg)
            yield row, label, how, predicted


def _line(cells: tuple[object, ...]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
