r"""ARFF files, as WEKA and OpenML write them.

    numeric real integer    numeric
    {a, b, c}               nominal, with the declared values in their order
    string                  text
    date, relational        refused: convert the column first

Names, values and cells may stand in single or double quotes, with a backslash before a quote inside. `?` is
missing, and so are the other missing tokens unless they are declared as values. Lines that start with % are
comments. In a sparse row {1 x, 3 0.5} what is left out is 0, the first declared value, or, in a text column,
missing; a file of sparse rows whose columns are all numeric becomes a `SparseTable`.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.data.arrays import object_cells, table_of
from openbook.data.attributes import Attribute, Categorical, Nominal, Numeric, Text
from openbook.data.cells import spell
from openbook.data.guess import Decided, RequestedKind, decide_cells, requested_kinds
from openbook.data.packed import text_of
from openbook.data.reading import Reading
from openbook.data.schema import Schema
from openbook.data.sparse_table import SparseTable
from openbook.data.table import Table
from openbook.data.written_numbers import number_of_text
from openbook.errors import DataError

# Possessive quantifiers (++, *+): a hostile line costs no more than its length.
_QUOTED = r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)\""""
_CELL = rf"""(?:(?:{_QUOTED})\s*+|((?!['"])[^,]*+))(,|$)"""
_FIELD = re.compile(rf"\s*+{_CELL}", re.DOTALL)
_ENTRY = re.compile(rf"\s*+(\d{{1,9}})\s++{_CELL}", re.DOTALL)
_DECLARATION = re.compile(rf"(?:{_QUOTED}|([^\s{{]+))\s*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_NUMERIC = {"numeric", "real", "integer"}

Array = npt.NDArray[Any]
Sparse = dict[int, str]


class _Row(NamedTuple):
    """A data line: its number, and all its cells or those that are not zero."""

    line: int
    cells: "list[str] | Sparse"


def read_arff(path: Path, how: Reading) -> Table:
    """A table from an ARFF file."""
    lines = enumerate(text_of(path, how).split("\n"), start=1)
    kept = ((i, line.strip()) for i, line in lines)
    meaningful = ((i, line) for i, line in kept if line and line[0] != "%")
    try:
        schema = Schema(tuple(_declared(meaningful)))
        rows = list(_rows(meaningful, len(schema)))
        asked = requested_kinds(how.kinds, schema.names)
        if (
            not asked
            and not how.missing_in
            and all(isinstance(row.cells, dict) for row in rows)
            and not schema.of(Categorical, Text)
        ):
            return _sparse(schema, rows, how.missing)
        columns = _columns(schema, rows)
        return table_of([_column(a, next(columns), asked.get(a.name), how, rows) for a in schema])
    except _Wrong as wrong:
        raise DataError(f"{path}: {wrong}") from None


class _Wrong(Exception):  # noqa: N818 (becomes a DataError that names the file)
    def __init__(self, line: int | None, what: str) -> None:
        super().__init__(what if line is None else f"line {line:,}: {what}")


def _declared(lines: Iterator[tuple[int, str]]) -> Iterator[Attribute]:
    """The attributes of the header; stops after @data."""
    for i, line in lines:
        word, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        keyword = word.lower()
        if keyword == "@data":
            return
        if keyword == "@attribute":
            yield _attribute(i, rest.strip())
        elif keyword != "@relation":
            raise _Wrong(i, f"@relation, @attribute or @data expected, got {line[:40]!r}")
    raise _Wrong(None, "there is no @data line; is this an ARFF file?")


def _attribute(i: int, declaration: str) -> Attribute:
    match = _DECLARATION.fullmatch(declaration)
    if not match:
        raise _Wrong(i, f"cannot read the attribute {declaration[:40]!r}; write @attribute name type")
    single, double, bare, kind = match.groups()
    name = (bare or _unescaped(single, double)).strip()
    if kind.startswith("{") and kind.rstrip().endswith("}"):
        values = tuple(map(spell, _fields(i, kind.rstrip()[1:-1])))
        if len(set(values)) < len(values):
            raise _Wrong(i, f"attribute {name!r} lists a value twice")
        return Nominal(name, values)
    word = kind.split()[0].lower() if kind.split() else ""
    if word in _NUMERIC:
        return Numeric(name)
    if word == "string":
        return Text(name)
    if word in {"date", "relational"}:
        raise _Wrong(
            i, f"attribute {name!r} is of type {word}, which is not supported; convert or remove it first"
        )
    raise _Wrong(i, f"attribute {name!r} has the unknown type {kind[:40]!r}; use numeric, string or {{a, b}}")


def _rows(lines: Iterator[tuple[int, str]], width: int) -> Iterator[_Row]:
    i = 0
    for i, line in lines:
        yield _Row(i, _cells(i, line, width))
    if not i:
        raise _Wrong(None, "there are no rows after @data")


def _cells(i: int, line: str, width: int) -> "list[str] | Sparse":
    if line[0] == "{":
        return _entries(i, line, width)
    fields = _fields(i, line)
    if len(fields) != width:
        raise _Wrong(i, f"{len(fields):,} cells, but {width:,} attributes are declared")
    return fields


def _fields(i: int, line: str) -> list[str]:
    """The fields between commas, out of their quotes."""
    if "'" not in line and '"' not in line:
        return [field.strip() for field in line.split(",")]
    fields, at = [], 0
    while True:
        match = _FIELD.match(line, at)
        if not match:
            raise _Wrong(i, f"a quote is not closed, or text follows it: {line[at : at + 40]!r}")
        single, double, bare, comma = match.groups()
        fields.append(bare.strip() if bare is not None else _unescaped(single, double))
        at = match.end()
        if not comma:
            return fields


def _entries(i: int, line: str, width: int) -> Sparse:
    """A sparse row: the position and cell of each entry."""
    if line[-1] != "}":
        raise _Wrong(i, "a sparse row must end with }")
    cells: Sparse = {}
    inner, at, comma = line[1:-1], 0, line[1:-1].strip()
    while comma:
        match = _ENTRY.match(inner, at)
        if not match:
            raise _Wrong(i, f"a sparse row is a list of 'position value', not {inner[at : at + 40]!r}")
        position, single, double, bare, comma = match.groups()
        if int(position) >= width or int(position) in cells:
            what = "is given twice" if int(position) in cells else f"is not among the {width:,} attributes"
            raise _Wrong(i, f"position {int(position)} {what} (positions count from 0)")
        cells[int(position)] = bare.strip() if bare is not None else _unescaped(single, double)
        at = match.end()
    return cells


def _unescaped(single: str | None, double: str | None) -> str:
    text = single if single is not None else double or ""
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text) if "\\" in text else text


def _columns(schema: Schema, rows: list[_Row]) -> Iterator[Any]:
    """The cells column by column; what a sparse row leaves out is filled in."""
    left_out = [_left_out(attribute) for attribute in schema]
    full = (
        [row.cells.get(j, left_out[j]) for j in range(len(schema))]
        if isinstance(row.cells, dict)
        else row.cells
        for row in rows
    )
    return zip(*full, strict=True)


def _left_out(attribute: Attribute) -> str:
    if isinstance(attribute, Categorical) and attribute.values:
        return attribute.values[0]
    return "0" if isinstance(attribute, Numeric) else ""


def _column(
    attribute: Attribute, values: Sequence[str], requested: RequestedKind, how: Reading, rows: list[_Row]
) -> Decided:
    own = set(attribute.values) if isinstance(attribute, Categorical) else set()
    gaps = {"?"} | (set(how.missing) - own) | set(how.missing_in.get(attribute.name, ()))
    if (
        isinstance(attribute, Numeric)
        and requested is None
        and (numbers := _numbers(values, gaps)) is not None
    ):
        return Decided(attribute, numbers, "numeric, as the file declares it")
    cells = object_cells(values).cleaned(replace(how, missing=tuple(gaps)))
    if isinstance(attribute, Categorical):
        odd = [value not in attribute.codes for value in cells.values]
    else:
        odd = [isinstance(attribute, Numeric) and number_of_text(value) is None for value in cells.values]
    if first := cells.first(odd):
        row, value = first
        what = "a number" if isinstance(attribute, Numeric) else "among the declared values"
        raise _Wrong(rows[row].line, f"column {attribute.name!r} holds {value!r}, which is not {what}")
    if requested is not None:
        return decide_cells(attribute.name, cells, requested, how)
    decided = decide_cells(attribute.name, cells, attribute)
    return decided._replace(why=f"{attribute.kind}, as the file declares it")


def _numbers(values: Sequence[str], gaps: Collection[str]) -> Array | None:
    """The cells as numbers, or None if one of them is something else."""
    import polars as pl

    texts = pl.Series(values, dtype=pl.String)
    missing = texts.is_in([token.strip() for token in gaps] + [""])
    numbers = texts.cast(pl.Float64, strict=False)
    return None if (numbers.is_null() & ~missing).any() else numbers.set(missing, None).to_numpy()


def _sparse(schema: Schema, rows: list[_Row], missing: Collection[str]) -> SparseTable:
    """All rows sparse, all columns numeric: the zeros stay unwritten."""
    import scipy.sparse as sp

    gaps = {token.strip() for token in missing} | {"", "?"}
    starts, positions, numbers = [0], [], []
    for row in rows:
        assert isinstance(row.cells, dict)
        for position, text in sorted(row.cells.items()):
            value = np.nan if text.strip() in gaps else number_of_text(text.strip())
            if value is None:
                raise _Wrong(
                    row.line, f"column {schema.names[position]!r} holds {text!r}, which is not a number"
                )
            positions.append(position)
            numbers.append(value)
        starts.append(len(numbers))
    matrix = sp.csr_array((numbers, positions, starts), shape=(len(rows), len(schema)), dtype=np.float64)
    return SparseTable(schema, matrix, why=dict.fromkeys(schema.names, "numeric, as the file declares it"))
