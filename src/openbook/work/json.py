"""A derivation as JSON, and back: every figure at full precision.

    {"kind": "work", "title": …, "parts": […], "conclusion": …}
    {"kind": "step", "label": …, "formula": …, "numbers": …, "result": …, "note": …}
    {"kind": "grid", "title": …, "header": […], "rows": [[…], …], "note": …}
    {"kind": "passage", "title": …, "pieces": [[text, weight], …], "note": …}

Numbers are numbers, text is text, None is null. JSON has no infinite or undefined numbers; they are objects,
{"number": "nan"}, {"number": "inf"} or {"number": "-inf"}. A vector in a grid is a list of numbers. Any other
cell is kept as its text.
"""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from openbook.errors import DataError
from openbook.work.step import Grid, Passage, Step
from openbook.work.work import Work

NOT_FINITE = ("nan", "inf", "-inf")

Part = Step | Grid | Passage | Work


def to_json(work: Work) -> dict[str, Any]:
    """The derivation as dictionaries and lists that `json.dumps` takes, even with `allow_nan=False`.

    >>> to_json(Work("t", (Step("a", result=0.5),)))["parts"][0]["result"]
    0.5
    """
    return _record(work)


def from_json(record: dict[str, Any]) -> Work:
    """The derivation that `to_json` recorded; a DataError names what is wrong.

    >>> from_json(to_json(Work("t", conclusion="so"))).conclusion
    'so'
    """
    work = _read(record, "work")
    if not isinstance(work, Work):
        raise DataError(f"a derivation's record has kind 'work', not {record['kind']!r}")
    return work


def _record(part: Part) -> dict[str, Any]:
    record = {field.name: _value(getattr(part, field.name)) for field in fields(part)}
    return {"kind": type(part).__name__.lower(), **record}


def _value(value: Any) -> Any:
    if isinstance(value, Part):
        return _record(value)
    if isinstance(value, tuple):
        return [_value(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()  # NumPy's scalars as Python's
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def _read(record: Any, where: str) -> Part:
    kind = record.get("kind") if isinstance(record, dict) else None
    if not isinstance(kind, str) or kind not in READERS:
        kinds = "an object of kind work, step, grid or passage"
        raise DataError(f"{where}: a part is {kinds}, not {_shown(record)}")
    return READERS[kind](record, where)


def _read_work(record: dict[str, Any], where: str) -> Work:
    parts = enumerate(_list(record, "parts", where))
    read = tuple(_read(part, f"{where}.parts[{i}]") for i, part in parts)
    return Work(_text(record, "title", where), read, _text(record, "conclusion", where))


def _read_step(record: dict[str, Any], where: str) -> Step:
    texts = {field: _text(record, field, where) for field in ("label", "formula", "numbers", "note")}
    return Step(**texts, result=_read_value(record.get("result"), f"{where}.result"))


def _read_grid(record: dict[str, Any], where: str) -> Grid:
    header, rows = (_list(record, field, where) for field in ("header", "rows"))
    if not all(isinstance(name, str) for name in header) or not all(isinstance(row, list) for row in rows):
        raise DataError(f"{where}: a grid has a header of text and rows that are lists")
    cells = [[_read_cell(value, f"{where}.rows[{i}]") for value in row] for i, row in enumerate(rows)]
    try:
        return Grid(_text(record, "title", where), header, cells, _text(record, "note", where))
    except ValueError as error:
        raise DataError(f"{where}: {error}") from error


def _read_passage(record: dict[str, Any], where: str) -> Passage:
    pieces = _list(record, "pieces", where)
    for i, piece in enumerate(pieces):
        if not isinstance(piece, list) or len(piece) != 2 or not isinstance(piece[0], str):
            raise DataError(f"{where}.pieces[{i}]: a piece is a text and its weight, not {_shown(piece)}")
        if not isinstance(_read_value(piece[1], f"{where}.pieces[{i}]"), int | float):
            raise DataError(f"{where}.pieces[{i}]: its weight is a number, not {_shown(piece[1])}")
    weighed = [(text, _read_value(weight, where)) for text, weight in pieces]
    return Passage(_text(record, "title", where), weighed, _text(record, "note", where))


def _read_cell(value: Any, where: str) -> Any:
    if isinstance(value, list):
        return tuple(_read_value(number, where) for number in value)
    return _read_value(value, where)


def _read_value(value: Any, where: str) -> Any:
    if isinstance(value, dict) and value.get("number") in NOT_FINITE:
        return float(value["number"])
    if value is None or isinstance(value, str | int | float):
        return value
    raise DataError(f"{where}: a value is text, a number, null or {{'number': 'nan'}}, not {_shown(value)}")


def _text(record: dict[str, Any], field: str, where: str) -> str:
    return _typed(record, field, where, str, "text")


def _list(record: dict[str, Any], field: str, where: str) -> list[Any]:
    return _typed(record, field, where, list, "a list")


def _typed(record: dict[str, Any], field: str, where: str, kind: type, what: str) -> Any:
    if not isinstance(value := record.get(field), kind):
        raise DataError(f"{where}.{field}: {what} is needed, not {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    return repr(value)[:60]


READERS: dict[str, Callable[[dict[str, Any], str], Part]] = {
    "work": _read_work,
    "step": _read_step,
    "grid": _read_grid,
    "passage": _read_passage,
}
