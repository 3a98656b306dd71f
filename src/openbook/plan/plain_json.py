"""The results of a study as plain JSON and back, by the declared types of their fields.

    dataclass, named tuple     {"is": its name, field: …}; one of a subclass where the type is a base class
    tuple, list                a list
    mapping                    a list of pairs
    array                      {"dtype": …, "shape": …, "data": base64 of its bytes}
    float                      a number; "nan", "inf" and "-inf" as {"float": …}
    an object that is known    its name: metrics, measures and evaluations are not written

The file names no class that the declared type does not allow, so nothing but these values can be built from
it, and a value of another type is a DataError. A result is read back before it is used, so a resumed study
uses exactly the same values as the first run.
"""

import base64
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from inspect import isabstract
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from openbook.data.attributes import Attribute
from openbook.errors import DataError
from openbook.judge.errors.segments import Segment
from openbook.work.conditions import Condition, Is, Within

#: Objects that are written by their name, by type and name.
Known = Mapping[type, Mapping[str, Any]]

#: Kinds of numpy arrays that are plain numbers.
_NUMBERS = "biuf"


def to_plain(value: Any, known: Known) -> Any:
    """A value as JSON."""
    if type(value) in known:
        return next(name for name, one in known[type(value)].items() if one is value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": str(float(value))}
    if isinstance(value, np.ndarray):
        return _array_to_plain(value)
    kind: Any = type(value)
    if names := _field_names(kind):
        return {"is": kind.__name__} | {name: to_plain(getattr(value, name), known) for name in names}
    if isinstance(value, Mapping):
        return [[to_plain(key, known), to_plain(item, known)] for key, item in value.items()]
    if isinstance(value, Sequence):
        return [to_plain(item, known) for item in value]
    raise TypeError(f"a study cannot keep {type(value).__name__}")


def _array_to_plain(array: np.ndarray) -> dict[str, Any]:
    if array.dtype.kind not in _NUMBERS:
        return {"shape": list(array.shape), "cells": [to_plain(cell, {}) for cell in array.ravel().tolist()]}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": data}


def from_plain(plain: Any, kind: Any, known: Known) -> Any:
    """The value of this type that JSON holds; DataError where it holds another."""
    if kind in known:
        _check(isinstance(plain, str) and plain in known[kind], plain, kind)
        return known[kind][plain]
    origin = get_origin(kind)
    if kind is Any:
        return _to_plain_cell(plain)
    if origin in (Union, types.UnionType):
        return _one_of(plain, get_args(kind), known)
    if origin is Literal:
        _check(plain in get_args(kind), plain, kind)
        return plain
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(plain, get_args(kind), known)
    if origin is not None and issubclass(origin, Sequence):
        return _sequence(plain, kind, known)
    if kind is np.ndarray:
        return _array(plain)
    if kind in _SCALARS:
        return _SCALARS[kind](plain)
    return _record(plain, kind, known)


def _check(right: bool, plain: Any, kind: Any) -> None:
    if not right:
        name = getattr(kind, "__name__", str(kind))
        raise DataError(f"{str(plain)[:40]!r} is no {name}")


def _scalar(kind: type) -> Callable[[Any], Any]:
    def read(plain: Any) -> Any:
        _check(type(plain) is kind, plain, kind)
        return plain

    return read


def _float(plain: Any) -> float:
    if isinstance(plain, dict) and set(plain) == {"float"} and plain["float"] in ("nan", "inf", "-inf"):
        return float(plain["float"])
    _check(type(plain) in (int, float), plain, float)
    return float(plain)


#: The reader of plain values of each type.
_SCALARS: dict[Any, Callable[[Any], Any]] = {kind: _scalar(kind) for kind in (bool, int, str, type(None))}
_SCALARS[float] = _float


def _to_plain_cell(plain: Any) -> Any:
    """A cell of a table, or a tuple of cells: only these are written without a type."""
    if isinstance(plain, list):
        return tuple(map(_to_plain_cell, plain))
    if isinstance(plain, dict):
        return _float(plain)
    return plain


def _one_of(plain: Any, kinds: tuple[Any, ...], known: Known) -> Any:
    """The value, read as one of several types; a whole number is an int if that is one of them."""
    if type(plain) in kinds:
        return plain
    for kind in kinds:
        if (plain is None) != (kind is type(None)):
            continue
        try:
            return from_plain(plain, kind, known)
        except DataError:
            continue
    raise DataError(f"{str(plain)[:40]!r} is none of {len(kinds)} types")


def _mapping(plain: Any, kinds: tuple[Any, ...], known: Known) -> dict[Any, Any]:
    pairs = isinstance(plain, list) and all(isinstance(p, list) and len(p) == 2 for p in plain)
    _check(pairs, plain, Mapping)
    return {from_plain(key, kinds[0], known): from_plain(item, kinds[1], known) for key, item in plain}


def _sequence(plain: Any, kind: Any, known: Known) -> Any:
    _check(isinstance(plain, list), plain, kind)
    parts = get_args(kind)
    if get_origin(kind) is tuple and parts[-1] is not ...:
        _check(len(plain) == len(parts), plain, kind)
        return tuple(from_plain(item, part, known) for item, part in zip(plain, parts, strict=True))
    return tuple(from_plain(item, parts[0], known) for item in plain)


def _array(plain: Any) -> np.ndarray:
    _check(isinstance(plain, dict) and isinstance(plain.get("shape"), list), plain, np.ndarray)
    shape = tuple(_SCALARS[int](size) for size in plain["shape"])
    try:
        if "cells" in plain:
            cells = np.array([_to_plain_cell(cell) for cell in plain["cells"]])
            return cells.reshape(shape)
        dtype = np.dtype(_SCALARS[str](plain["dtype"]))
        _check(dtype.kind in _NUMBERS, plain, np.ndarray)
        data = base64.b64decode(_SCALARS[str](plain["data"]), validate=True)
        return np.frombuffer(data, dtype).reshape(shape).copy()
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"not an array: {error}") from None


def _record(plain: Any, kind: type, known: Known) -> Any:
    _check(isinstance(plain, dict), plain, kind)
    cls = _allowed(kind).get(plain.get("is"))
    if cls is None or set(plain) != {"is", *_field_names(cls)}:
        raise DataError(f"not a {kind.__name__}")
    hints = _hints(cls)
    try:
        return cls(**{name: from_plain(plain[name], hints[name], known) for name in _field_names(cls)})
    except (TypeError, ValueError, LookupError) as error:  # what the class itself checks
        raise DataError(f"not a {kind.__name__}: {error}") from None


@cache
def _allowed(kind: Any) -> dict[str, type]:
    """The type and its subclasses, by name: the types that a value of this type may have."""
    found = {} if isabstract(kind) or not _field_names(kind) else {kind.__name__: kind}
    for one in kind.__subclasses__():
        found |= _allowed(one)
    return found


#: The types of fields that are declared as Any where they are defined.
_DECLARED: dict[type, dict[str, Any]] = {
    Segment: {"conditions": tuple[Condition, ...]},
    Within: {"attribute": Attribute},
    Is: {"attribute": Attribute},
}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind) | _DECLARED.get(kind, {})


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass or named tuple; none for other types."""
    if is_dataclass(kind):
        return tuple(each.name for each in fields(kind) if each.init)
    return tuple(getattr(kind, "_fields", ()))
