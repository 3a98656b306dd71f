"""Excel workbooks (.xlsx): the cells of a sheet, or of a range in it.

A workbook is a zip of XML: `xl/workbook.xml` names the sheets, each sheet lists its cells, and texts stand in
`xl/sharedStrings.xml`. A cell's style says whether its number is a date; one below 1 is a time of day.
Formulas are read as the values that Excel has stored for them; errors such as #N/A are missing. The first
row of the range has the names; titles above it, and rows without a cell, are left out.

A document type, which XML bombs need, is refused, and so is a part that unpacks to suspiciously much.
"""

import datetime as dt
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
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
#: The rows that are searched for titles above the header.
_LOOKED_AT = 20
_WIDEST, _LONGEST = 16_384, 1_048_576
#: Excel's own formats of dates, by number, and what makes another format one.
_DATE_FORMATS = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
_DATE_LETTERS = re.compile(r"[ymdhs]", re.IGNORECASE)
_NO_LETTERS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')


def read_xlsx(path: Path, how: Reading) -> Table:
    """A table from a sheet of a workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            book = _Workbook(archive, path)
            rows = _rows(book, how.sheet or "")
    except DataError:
        raise
    except (*DAMAGES, ET.ParseError, LookupError, ValueError, OverflowError) as error:
        raise DataError(f"{path} is not an .xlsx workbook, or is damaged ({error})") from None
    words = [["" if cell is None else str(cell).strip() for cell in row] for row in rows[:_LOOKED_AT]]
    titles = titles_above(words)
    above = note_of_titles(words[:titles])
    blank = sum(all(cell is None for cell in row) for row in rows[titles:])
    rows = [row for row in rows[titles:] if any(cell is not None for cell in row)]
    if len(rows) < 2:
        found = f"{path}: the sheet has {'no rows below its header' if rows else 'no cells'}"
        others = f"; sheets: {', '.join(book.sheets)}" if len(book.sheets) > 1 else ""
        raise DataError(found + others)
    names, notes = distinct_names(["" if cell is None else str(cell).strip() for cell in rows[0]])
    notes = (*above, *[f"{plural(blank, 'row')} without a cell left out"] * bool(blank), *notes)
    return table_of_objects(names, map(list, zip(*rows[1:], strict=True)), how, notes)


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
        self.dates = list(self._date_styles())

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

    def _date_styles(self) -> Iterator[bool]:
        """For each style, whether its numbers are dates."""
        if (styles := self.optional("xl/styles.xml")) is None:
            return
        own = {one.get("numFmtId"): one.get("formatCode") or "" for one in styles.iter(f"{_MAIN}numFmt")}
        for style in styles.findall(f"{_MAIN}cellXfs/{_MAIN}xf"):
            code = style.get("numFmtId") or "0"
            letters = _NO_LETTERS.sub("", own.get(code, ""))
            yield bool(_DATE_LETTERS.search(letters)) if code in own else int(code) in _DATE_FORMATS


def _text(item: ET.Element) -> str:
    """The text of an item, its parts of different looks put together; readings of characters left out."""
    parts = [*item.findall(f"{_MAIN}t"), *item.findall(f"{_MAIN}r/{_MAIN}t")]
    return "".join(part.text or "" for part in parts)


def _rows(book: _Workbook, asked: str) -> list[list[Any]]:
    """The cells of the asked range, row by row; rows without a cell at either end are left out."""
    name, _, span = asked.rpartition("!") if "!" in asked else (asked, "", "")
    if not name or (_CELL.fullmatch(name.partition(":")[0]) and name not in book.sheets):
        name, span = next(iter(book.sheets)), span or name
    name = name.strip("'")
    if name not in book.sheets:
        raise DataError(f"{book.path} has no sheet {name!r}. {did_you_mean(name, tuple(book.sheets))}")
    cells = {position: value for position, value in _cells(book, name) if value is not None}
    if span:
        low, high = (_row_and_column(end) for end in (span.partition(":")[0], span.partition(":")[2] or span))
    elif cells:
        low = (min(r for r, _ in cells), min(c for _, c in cells))
        high = (max(r for r, _ in cells), max(c for _, c in cells))
    else:
        return []
    if (high[0] - low[0] + 1) * (high[1] - low[1] + 1) > max(100 * len(cells), 10_000_000):
        msg = f"{book.path}: sheet {name!r} is nearly empty; give the range, as in sheet='{name}!A1:F100'"
        raise DataError(msg)
    return [[cells.get((r, c)) for c in range(low[1], high[1] + 1)] for r in range(low[0], high[0] + 1)]


def _row_and_column(text: str) -> tuple[int, int]:
    """Row and column of a cell's name, from 0."""
    match = _CELL.fullmatch(text)
    if not match:
        msg = f"{text!r} is not a cell; give a range as in sheet='A1:F100' or sheet='Sales!A1:F100'"
        raise DataError(msg)
    column = 0
    for letter in match[1]:
        column = 26 * column + ord(letter) - ord("A") + 1
    if column > _WIDEST or not 1 <= int(match[2]) <= _LONGEST:
        raise DataError(f"{text!r} lies outside of any sheet")
    return int(match[2]) - 1, column - 1


def _cells(book: _Workbook, name: str) -> Iterator[tuple[tuple[int, int], Any]]:
    row = -1
    for line in book.sheet(name).iter(f"{_MAIN}row"):
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
    if style < len(book.dates) and book.dates[style] and 0 <= number < 2_958_466:
        moment = book.start + dt.timedelta(milliseconds=round(number * 86_400_000))
        return moment if number >= 1 else moment.time().isoformat()
    return int(stored) if stored.lstrip("-").isdecimal() else number  # every digit, also those a float lacks
