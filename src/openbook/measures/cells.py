"""The cells of a joint table: how values are spelt, ordered and checked."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from openbook.data.attributes import Categorical, Nominal, as_text
from openbook.errors import ParameterError, did_you_mean
from openbook.measures.arrays import Floats

MOST_CELLS = 10_000_000  # 80 MB


def tabulate(names: Sequence[str], cells: Iterable[tuple[Any, Any]]) -> tuple[tuple[Nominal, ...], Floats]:
    """Variables with their values in order of appearance, and the cells as an array with an axis for each."""
    spelt: dict[tuple[str, ...], float] = {}
    for key, weight in cells:
        values = tuple(as_text(value) for value in as_tuple(key))
        where = f"({', '.join(values)})"
        if len(values) != len(names) or None in as_tuple(key):
            raise ParameterError(f"the cell {where} must hold a value of each of {', '.join(names)}")
        if values in spelt:
            raise ParameterError(f"the cell {where} is there twice; keep one")
        try:
            spelt[values] = float(weight)
        except (TypeError, ValueError):
            raise ParameterError(f"the cell {where} needs a number, got {weight!r}") from None
    axes = zip(*spelt, strict=True) if spelt else [()] * len(names)
    attributes = tuple(Nominal(name, tuple(dict.fromkeys(on))) for name, on in zip(names, axes, strict=True))
    table = np.zeros(shape_of(attributes))
    for values, weight in spelt.items():
        table[tuple(a.codes[value] for a, value in zip(attributes, values, strict=True))] = weight
    return attributes, table


def shape_of(attributes: Sequence[Categorical]) -> tuple[int, ...]:
    shape = tuple(len(attribute.values) for attribute in attributes)
    if math.prod(shape) > MOST_CELLS:
        names = ", ".join(attribute.name for attribute in attributes)
        msg = f"the joint table of {names} would have {math.prod(shape):,} cells; take fewer variables"
        raise ParameterError(msg)
    return shape


def check_weights(attributes: Sequence[Categorical], table: Floats, what: str) -> None:
    bad = ~(np.isfinite(table) & (table >= 0))
    if bad.any():
        cell = tuple(np.argwhere(bad)[0])
        event = {a.name: a.values[code] for a, code in zip(attributes, cell, strict=True)}
        msg = f"the {what} of {spell_event(event)} must be finite and not negative, got {table[cell]:g}"
        raise ParameterError(msg)


def value_code(attribute: Categorical, value: Any) -> int:
    code = attribute.encode(value)
    if code < 0:
        msg = f"{attribute.name!r} has no value {value!r}. {did_you_mean(as_text(value), attribute.values)}"
        raise ParameterError(msg)
    return code


def as_tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def value_codes(attribute: Categorical, wanted: Any) -> list[int]:
    """The codes of a value, or of each value of a set, in their order."""
    return sorted({value_code(attribute, value) for value in _several(wanted)})


def spell_event(event: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_spelt(wanted)}" for name, wanted in event.items())


def _several(wanted: Any) -> list[Any]:
    """The values of a set, or the one value."""
    several = list(wanted) if isinstance(wanted, set | frozenset | list | tuple) else [wanted]
    if not several:
        raise ParameterError("an event needs at least one value; the empty set has probability 0")
    return several


def _spelt(wanted: Any) -> str:
    values = sorted(as_text(value) for value in _several(wanted))
    return f"= {values[0]}" if len(values) == 1 else f"in {{{', '.join(values)}}}"


def as_number(value: str) -> float:
    """A value that is a number; NaN if it is none."""
    try:
        return float(value)
    except ValueError:
        return math.nan
