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

from openbook.data import Table
from openbook.data.attributes import as_text
from openbook.errors import DataError

_HEADER = ("row", "label", "how", "predicted", "check")
_ASKED, _DRAWN = "asked", "drawn"


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
            raise DataError(f"{name} is not a file of answers; name another with --answers")
        for number, line in enumerate(lines[1:], 2):
            if len(line) != len(_HEADER) or not line[0].isdecimal() or int(line[0]) >= len(self._table):
                msg = f"{name}, line {number}: no answer for a row of this table; correct or delete the line"
                raise DataError(msg)
            row, (label, how, predicted, check) = int(line[0]), line[1:]
            if (how in (_ASKED, _DRAWN)) != bool(label):
                raise DataError(f"{name}, line {number}: a label is {_ASKED!r} or {_DRAWN!r}, not {how!r}")
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
