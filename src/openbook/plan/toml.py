"""Write plain values as TOML; `tomllib` of the standard library reads them back.

    tables      a mapping inside the document      [name]
    records     a list of mappings                 [[name]]
    anything deeper stands on one line             key = { type = "Laplace", alpha = 1.0 }

TOML has no null: a key whose value is None is left out.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from openbook.errors import PlanError

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def to_toml(document: Mapping[str, Any]) -> str:
    r"""The document as TOML: plain keys first, then tables, then records, each in the mapping's order.

    >>> document = {"format": 1, "roles": {"target": "play"}, "learners": [{"label": "0R"}, {"label": "1R"}]}
    >>> print(to_toml(document))
    format = 1
    <BLANKLINE>
    [roles]
    target = "play"
    <BLANKLINE>
    [[learners]]
    label = "0R"
    <BLANKLINE>
    [[learners]]
    label = "1R"
    <BLANKLINE>
    """
    tables = {key: part for key, part in document.items() if isinstance(part, Mapping)}
    records = {key: part for key, part in document.items() if _is_records(part)}
    plain = {key: part for key, part in document.items() if key not in tables and key not in records}
    blocks = [_lines(plain)]
    blocks += [[f"[{_key(key)}]", *_lines(part)] for key, part in tables.items()]
    blocks += [[f"[[{_key(key)}]]", *_lines(record)] for key, part in records.items() for record in part]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _is_records(part: Any) -> bool:
    return isinstance(part, list | tuple) and bool(part) and all(isinstance(item, Mapping) for item in part)


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value, key)}" for key, value in _known(table)]


def _known(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((key, value) for key, value in table.items() if value is not None)


def _key(key: str) -> str:
    return key if key and _BARE.issuperset(key) else _string(key)


def _value(value: Any, key: str) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool | int | float):
        return repr(value).lower()  # true; inf and nan are words of TOML, too
    if isinstance(value, Mapping):
        items = ", ".join(f"{_key(k)} = {_value(v, k)}" for k, v in _known(value))
        return f"{{ {items} }}" if items else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item, key) for item in value) + "]"
    what = f"{key}: {value!r} cannot be written to a plan"
    raise PlanError(f"{what}; use text, numbers, lists or tables of them")


def _string(text: str) -> str:
    """A basic string, whose escapes are those of JSON; but DEL must be escaped, too."""
    if half := re.search("[\ud800-\udfff]", text):
        what = f"half a character (U+{ord(half[0]):04X}) cannot be written to a plan"
        raise PlanError(f"{what}; rename the column or value")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
