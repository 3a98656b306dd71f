"""Excel workbooks (.xlsx): the cells of a sheet, or of a range in it.

A workbook is a zip of XML: `xl/workbook.xml` names the sheets, each sheet lists its cells, and texts stand in
`xl/sharedStrings.xml`. A cell's style says whether its number is a date; one below 1 is a time of day. A span
of time, in a format such as [h]:mm, is hours, and a percentage the share that Excel computes with: 0.133 for
13.3%. Formulas are read as the values that Excel has stored for them; errors such as #N/A are missing. The
first row of the range has the names; titles above it, and rows and columns without a cell, are left out. The
value of cells merged over several rows counts for each of these rows.

A document type, which XML bombs need, is refused, and so is a part that unpacks to suspiciously much.
"""

import datetime as dt
import re
import zipfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from openbook.data.arrays import table_of_objects
from openbook.data.names import distinct_names, note_of_titles, titles_above
from openbook.data.packed import DAMAGES, bounded
from openbook.data.reading import Reading
from openbook.data.table import Table
from openbook.errors import DataError, did_you_mean
from openbook.words.sentences import plural

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_COLUMNS = re.compile(r"\$?[A-Z]{1,3}:\$?[A-Z]{1,3}", re.IGNORECASE)
_RANGE = re.compile(rf"{_CELL.pattern}(?::.*)?|{_COLUMNS.pattern}", re.IGNORECASE)
#: The rows that are searched for titles above the header.
_LOOKED_AT = 20
_WIDEST, _LONGEST = 16_384, 1_048_576
#: Excel's own formats of percentages, dates and spans of time, by number, and what makes another format one.
_FORMATS = {9: "0%", 10: "0.00%"} | dict.fromkeys((*range(14, 23), *range(27, 37), *range(50, 59)), "y")
_FORMATS |= {45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0"}
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_DATE_LETTERS = re.compile(r"[ymdhs]", re.IGNORECASE)
_DATE_OR_HOUR = re.compile(r"[ydh]", re.IGNORECASE)
_NO_LETTERS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')


def read_xlsx(path: Path, how: Reading) -> Table:
    """A table from a sheet of a workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            book = _Workbook(archive, path)
            sheet = _asked(book, how.sheet or "")
    except DataError:
        raise
    except (*DAMAGES, ET.ParseError, LookupError, ValueError, OverflowError) as error:
        raise DataError(f"{path} is not an .xlsx workbook, or is damaged ({error})") from None
    words = [["" if cell is None else str(cell).strip() for cell in row] for row in sheet.rows[:_LOOKED_AT]]
    titles = titles_above(words)
    above = note_of_titles(words[:titles])
    kept = [i for i, row in enumerate(sheet.rows) if i >= titles and any(cell is not None for cell in row)]
    repeated = _repeat_merged(sheet, kept)
    if len(kept) < 2:
        found = f"{path}: the sheet has {'no rows below its header' if kept else 'no cells'}"
        others = f"; sheets: {', '.join(book.sheets)}" if len(book.sheets) > 1 else ""
        raise DataError(found + others)
    header, *rows = (sheet.rows[i] for i in kept)
    names, named = distinct_names(["" if cell is None else str(cell).strip() for cell in header])
    blank = len(sheet.rows) - titles - len(kept)
    notes = [*sheet.notes, *above, *[f"{plural(blank, 'row')} without a cell left out"] * bool(blank), *named]
    notes += [f"{names[i]}: percentages are read as shares: {share}" for i, share in sheet.shares.items()]
    notes += [
        f"{names[i]}: the value of merged cells is repeated in {plural(n, 'row')}"
        for i, n in repeated.items()
    ]
    return table_of_objects(names, map(list, zip(*rows, strict=True)), how, notes)


class _Sheet(NamedTuple):
    """The asked cells of a sheet.

    Attributes
    ----------
    rows : list of list
        The cells, row by row.
    merged : list of (int, int, int)
        The first row, the last row and the column of cells that are merged into one.
    shares : dict of int to str
        An example of each column with percentages.
    notes : list of str
        Which sheet it is, where there are others.
    """

    rows: list[list[Any]]
    merged: list[tuple[int, int, int]]
    shares: dict[int, str]
    notes: list[str]


def _repeat_merged(sheet: _Sheet, kept: Sequence[int]) -> Counter[int]:
    """Give each row its value of cells merged over several rows; the number of such rows by column."""
    repeated: Counter[int] = Counter()
    for first, last, column in sheet.merged:
        if kept and first > kept[0] and (value := sheet.rows[first][column]) is not None:
            for i in kept[bisect_right(kept, first) : bisect_right(kept, last)]:
                if sheet.rows[i][column] is not None:
                    break
                sheet.rows[i][column] = value
                repeated[column] += 1
    return repeated


class _Share(float):
    """A number that is shown as a percentage."""


class _Workbook:
    """The parts of a workbook."""

    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        self.archive, self.path = archive, path
        book = self.part("xl/workbook.xml")
        properties = book.find(f"{_MAIN}workbookPr")
        later = properties is not None and properties.get("date1904") in ("1", "true")
        self.start = dt.datetime(1904, 1, 1) if later else dt.datetime(1899, 12, 30)  # noqa: DTZ001 (no zone)
        targets = {one.get("Id"): one.get("Target") or "" for one in self.part("xl/_rels/workbook.xml.rels")}
        self.sheets = {
            str(sheet.get("name")): targets[sheet.get(_RELATION)] for sheet in book.iter(f"{_MAIN}sheet")
        }
        self.texts = [_text(item) for item in self.optional("xl/sharedStrings.xml") or ()]
        self.styles = list(self._styles())

    def part(self, name: str) -> ET.Element:
        with self.archive.open(name) as handle:
            content = bounded(handle, self.archive.getinfo(name).compress_size, self.path)
        if b"<!" in content.replace(b"<![CDATA[", b"").replace(b"<!--", b"") or b"\0" in content[:100]:
            raise DataError(f"{self.path}: {name} declares a document type, which no workbook needs")
        return ET.fromstring(content)  # noqa: S314 (no document type, bounded size)

    def optional(self, name: str) -> ET.Element | None:
        return self.part(name) if name in self.archive.namelist() else None

    def sheet(self, name: str) -> ET.Element:
        target = self.sheets[name]
        return self.part(target.lstrip("/") if target.startswith("/") else f"xl/{target}")

    def _styles(self) -> Iterator[str]:
        """What the numbers of each style are: a moment, a span of time, a share or a plain number."""
        if (styles := self.optional("xl/styles.xml")) is None:
            return
        own = {one.get("numFmtId"): one.get("formatCode") or "" for one in styles.iter(f"{_MAIN}numFmt")}
        for style in styles.findall(f"{_MAIN}cellXfs/{_MAIN}xf"):
            code = style.get("numFmtId") or "0"
            yield _meaning(own.get(code) or _FORMATS.get(int(code), ""))


def _meaning(code: str) -> str:
    """What the numbers in a format are.

    >>> [_meaning(code) for code in ("dd/mm/yyyy", "[h]:mm", "0.0%", '0 "days"')]
    ['moment', 'span', 'share', '']
    """
    if _ELAPSED.search(code):
        return "span"
    letters = _NO_LETTERS.sub("", code)
    if _DATE_LETTERS.search(letters):
        return "moment" if _DATE_OR_HOUR.search(letters) or "s" not in letters.lower() else "span"
    return "share" if "%" in letters else ""


def _text(item: ET.Element) -> str:
    """The text of an item, its parts of different looks put together; readings of characters left out."""
    parts = [*item.findall(f"{_MAIN}t"), *item.findall(f"{_MAIN}r/{_MAIN}t")]
    return "".join(part.text or "" for part in parts)


def _asked(book: _Workbook, asked: str) -> _Sheet:
    """The cells of the asked range; columns without a cell are left out."""
    name, _, span = asked.rpartition("!") if "!" in asked else (asked, "", "")
    notes = []
    if not name or (_RANGE.fullmatch(name) and name not in book.sheets):
        name, span = next(iter(book.sheets)), span or name
        if len(book.sheets) > 1:
            other = [*book.sheets][1]
            count = f"the first of {len(book.sheets)}"
            notes = [f"this is sheet {name!r}, {count}; for another, read with sheet={other!r}"]
    name = name.strip("'")
    if name not in book.sheets:
        raise DataError(f"{book.path} has no sheet {name!r}. {did_you_mean(name, tuple(book.sheets))}")
    sheet = book.sheet(name)
    cells = {position: value for position, value in _cells(book, sheet) if value not in (None, "")}
    if not cells:
        return _Sheet([], [], {}, [])
    low = (min(r for r, _ in cells), min(c for _, c in cells))
    high = (max(r for r, _ in cells), max(c for _, c in cells))
    if span:
        low, high = _ends(span, low[0], high[0])
    if (high[0] - low[0] + 1) * (high[1] - low[1] + 1) > max(100 * len(cells), 10_000_000):
        msg = f"{book.path}: sheet {name!r} is nearly empty; give the range, as in sheet='{name}!A1:F100'"
        raise DataError(msg)
    cells = {(r, c): value for (r, c), value in cells.items() if _within(r, c, low, high)}
    columns = {c: j for j, c in enumerate(sorted({c for _, c in cells}))}
    if empty := high[1] - low[1] + 1 - len(columns) if columns else 0:
        notes.append(f"{plural(empty, 'column')} without a cell left out")
    rows = [[cells.get((r, c)) for c in columns] for r in range(low[0], high[0] + 1)]
    merged = [
        (top - low[0], min(bottom, high[0]) - low[0], columns[column])
        for (top, column), (bottom, _) in _merged(sheet)
        if (top, column) in cells
    ]
    shares = {
        columns[c]: f"{100 * value:.10g}% as {value:.10g}"
        for (_, c), value in cells.items()
        if isinstance(value, _Share) and value
    }
    return _Sheet(rows, merged, dict(sorted(shares.items())), notes)


def _within(row: int, column: int, low: tuple[int, int], high: tuple[int, int]) -> bool:
    return low[0] <= row <= high[0] and low[1] <= column <= high[1]


def _merged(sheet: ET.Element) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The first and the last cell of each range that is merged into one."""
    for one in sheet.iter(f"{_MAIN}mergeCell"):
        first, _, last = (one.get("ref") or "").partition(":")
        yield _row_and_column(first), _row_and_column(last or first)


def _ends(span: str, top: int, bottom: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last cell of a range; one of whole columns goes from the row `top` to `bottom`."""
    first, _, last = span.partition(":")
    if _COLUMNS.fullmatch(span):
        first, last = f"{first}{top + 1}", f"{last}{bottom + 1}"
    return _row_and_column(first), _row_and_column(last or first)


def _row_and_column(text: str) -> tuple[int, int]:
    """Row and column of a cell's name, from 0."""
    match = _CELL.fullmatch(text.upper())
    if not match:
        msg = f"{text!r} is not a cell; give a range as in sheet='A1:F100' or sheet='Sales!A1:F100'"
        raise DataError(msg)
    column = 0
    for letter in match[1]:
        column = 26 * column + ord(letter) - ord("A") + 1
    if column > _WIDEST or not 1 <= int(match[2]) <= _LONGEST:
        raise DataError(f"{text!r} lies outside of any sheet")
    return int(match[2]) - 1, column - 1


def _cells(book: _Workbook, sheet: ET.Element) -> Iterator[tuple[tuple[int, int], Any]]:
    row = -1
    for line in sheet.iter(f"{_MAIN}row"):
        row = int(line.get("r") or row + 2) - 1
        column = -1
        for cell in line.iter(f"{_MAIN}c"):
            reference = cell.get("r")
            row, column = _row_and_column(reference) if reference else (row, column + 1)
            yield (row, column), _value(book, cell)


def _value(book: _Workbook, cell: ET.Element) -> Any:
    kind, stored = cell.get("t", "n"), cell.findtext(f"{_MAIN}v")
    if kind == "inlineStr":
        return _text(cell.find(f"{_MAIN}is") or cell)
    if not stored or kind == "e":
        return None
    if kind == "s":
        return book.texts[int(stored)]
    if kind == "b":
        return stored == "1"
    if kind != "n":
        return stored
    style, number = int(cell.get("s", "0")), float(stored)
    meaning = book.styles[style] if style < len(book.styles) else ""
    if meaning == "share":
        return _Share(number)
    if meaning and 0 <= number < 2_958_466:
        span = dt.timedelta(milliseconds=round(number * 86_400_000))
        if meaning == "span":
            return span
        moment = book.start + span
        return moment if number >= 1 else moment.time().isoformat()
    return int(stored) if stored.lstrip("-").isdecimal() else number  # every digit, also those a float lacks
