"""Formulas over the columns of a table: parsed here, never run as code.

    formula      =  either ("or" either)*        either  =  test ("and" test)*     test = "not"? comparison
    comparison   =  sum (("=" | "!=" | "<" | "<=" | ">" | ">=") sum)?
    sum, product =  + - * /                          power   =  atom ("^" power)?
    atom         =  number | name | "quoted name" | function(formula, …) | (formula)
    rule         =  formula ("where" formula)?       definition = name "=" formula

    "weight / height^2"        "age >= 18 where licence = yes"        'depth(url) + "old value" > 3'

A name is a column where the table has one, else a value to compare with. Dates are days, and compare with
numbers of days. Ordinal columns compare by rank. Missing cells make the result missing; so do a division by 0
and the logarithm or root of a number that has none. A truth is 1, 0 or missing: "and" is 0 if one side is.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Categorical, Datetime, Numeric, Ordinal
from openbook.data.table import Table
from openbook.errors import DataError, ParameterError, UnknownColumn, did_you_mean

Floats = npt.NDArray[np.float64]

#: Longer formulas are refused: they are data, not programs.
_LONGEST = 1000
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
_SAME = {"==": "=", "<>": "!=", "**": "^", "≤": "<=", "≥": ">=", "≠": "!="}
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)(?![^\W\d])
    |(?P<quoted>"[^"]*"|'[^']*'|`[^`]*`)
    |(?P<name>[^\W\d][\w.]*)
    |(?P<sign>\*\*|<=|>=|==|!=|<>|[-+*/^()<>=,≤≥≠]))""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Node:
    """A part of a formula: a number, a name, or an operation on parts.

    Attributes
    ----------
    kind : str
        "number", "name", "call" or the sign of an operation.
    value : object
        The number, the name, or the name of the function.
    parts : tuple of Node
        What it is made of.
    """

    kind: str
    value: Any = None
    parts: tuple["Node", ...] = ()


@dataclass(frozen=True)
class Formula:
    """A formula as it was written, and its parts.

    Attributes
    ----------
    text : str
        The formula as it was written.
    tree : Node
        Its parts.
    """

    text: str
    tree: Node

    def __call__(self, table: Table) -> Floats:
        """The value of each row; NaN if it is missing."""
        with np.errstate(all="ignore"):
            values = np.broadcast_to(_value(self.tree, table, self.text), (len(table),)).astype(np.float64)
        return np.where(np.isfinite(values), values, np.nan)

    @property
    def is_truth(self) -> bool:
        """Whether its values are yes and no."""
        return self.tree.kind in (*_COMPARE, "and", "or", "not")


def formula(text: str) -> Formula:
    """The formula of a text.

    >>> from openbook.data.schema import Schema
    >>> formula("2 * (1 + x)^2")(Table(Schema((Numeric("x"),)), [np.array([0.0, 2.0])])).tolist()
    [2.0, 18.0]
    """
    reader = _Reader(text)
    tree = reader.either()
    reader.end()
    return Formula(text, tree)


def definition(text: str) -> tuple[str, Formula]:
    """The name and the formula of "name = formula"."""
    reader = _Reader(text)
    name = reader.take()
    if not name or name[0] not in ("name", "quoted") or reader.take() != ("sign", "="):
        raise ParameterError(f"{text!r} must be a new name, = and a formula, as in bmi = weight / height^2")
    tree = reader.either()
    reader.end()
    return _unquoted(name[1]), Formula(text, tree)


def rule(text: str) -> tuple[Formula, Formula | None]:
    """What a rule demands, and where; None for everywhere."""
    reader = _Reader(text)
    demand, where = reader.either(), None
    if reader.peek() == ("name", "where"):
        reader.take()
        where = Formula(text, reader.either())
    reader.end()
    found = Formula(text, demand)
    for part in (found, where):
        if part is not None and not part.is_truth:
            raise ParameterError(f"{text!r} must compare something, as in age >= 18 where licence = yes")
    return found, where


def rule_columns(text: str) -> tuple[str, ...]:
    """The names in a rule that must be columns, each once."""
    parts = [part for part in rule(text) if part is not None]
    return tuple(dict.fromkeys(name for part in parts for name in columns_in(part.tree)))


def violations(table: Table, text: str) -> npt.NDArray[np.intp]:
    """The positions of the rows that break a rule; what is missing breaks none."""
    demand, where = rule(text)
    broken = demand(table) == 0
    if where is not None:
        broken &= where(table) == 1
    return np.flatnonzero(broken)


def names_in(tree: Node) -> Iterator[str]:
    """The names in a formula, of columns and of values that they are compared with."""
    if tree.kind == "name":
        yield tree.value
    for part in tree.parts:
        yield from names_in(part)


def columns_in(tree: Node) -> Iterator[str]:
    """The names that must be columns: all but a side of a comparison that may be a value."""
    if tree.kind == "name":
        yield tree.value
    elif tree.kind in _COMPARE and all(part.kind == "name" for part in tree.parts):
        yield tree.parts[0].value  # of two names the second may be a value
    else:
        for part in tree.parts:
            yield from columns_in(part)


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise ParameterError(f"a formula has at most {_LONGEST:,} characters, and this has {len(text):,}")
        self.text, self.at, self.tokens = text, 0, []
        start = 0
        while start < len(text.rstrip()):
            found = _TOKEN.match(text, start)
            if found is None:
                raise ParameterError(f"{text!r}: cannot read {text[start:].strip()[:20]!r}")
            kind = str(found.lastgroup)
            self.tokens.append((kind, _SAME.get(found[kind], found[kind])))
            start = found.end()

    def peek(self) -> tuple[str, str] | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> tuple[str, str]:
        token = self.peek()
        if token is None:
            raise ParameterError(f"{self.text!r} ends too early; something is missing at its end")
        self.at += 1
        return token

    def end(self) -> None:
        if (token := self.peek()) is not None:
            raise ParameterError(f"{self.text!r}: {token[1]!r} does not belong there")

    def either(self) -> Node:
        return self._chain(self.both, ("name", "or"))

    def both(self) -> Node:
        return self._chain(self.test, ("name", "and"))

    def test(self) -> Node:
        if self.peek() == ("name", "not"):
            self.take()
            return Node("not", None, (self.test(),))
        left = self.sum()
        token = self.peek()
        if token is not None and token[0] == "sign" and token[1] in _COMPARE:
            return Node(self.take()[1], None, (left, self.sum()))
        return left

    def sum(self) -> Node:
        return self._chain(self.product, ("sign", "+"), ("sign", "-"))

    def product(self) -> Node:
        return self._chain(self.signed, ("sign", "*"), ("sign", "/"))

    def _chain(self, part: Callable[[], Node], *signs: tuple[str, str]) -> Node:
        node = part()
        while self.peek() in signs:
            node = Node(self.take()[1], None, (node, part()))
        return node

    def signed(self) -> Node:
        if self.peek() == ("sign", "-"):
            self.take()
            return Node("-", None, (Node("number", 0.0), self.signed()))
        return self.power()

    def power(self) -> Node:
        base = self.atom()
        if self.peek() == ("sign", "^"):
            self.take()
            return Node("^", None, (base, self.signed()))
        return base

    def atom(self) -> Node:
        kind, text = self.take()
        if kind == "number":
            return Node("number", float(text))
        if kind == "quoted":
            return Node("name", _unquoted(text))
        if kind == "name":
            return self._call(text) if self.peek() == ("sign", "(") else Node("name", text)
        if text == "(":
            node = self.either()
            if self.take() != ("sign", ")"):
                raise ParameterError(f"{self.text!r}: a bracket is not closed")
            return node
        raise ParameterError(f"{self.text!r}: {text!r} does not belong there")

    def _call(self, name: str) -> Node:
        if name not in FUNCTIONS:
            raise ParameterError(
                f"{self.text!r}: there is no function {name!r}. {did_you_mean(name, tuple(FUNCTIONS))}"
            )
        self.take()
        parts = [self.either()]
        while (token := self.take()) == ("sign", ","):
            parts.append(self.either())
        if token != ("sign", ")"):
            raise ParameterError(f"{self.text!r}: a bracket is not closed")
        if (len(parts) > 1) != (name in _OF_SEVERAL):
            takes = "two or more parts" if name in _OF_SEVERAL else "one part"
            raise ParameterError(f"{self.text!r}: {name} takes {takes}")
        return Node("call", name, tuple(parts))


def _unquoted(text: str) -> str:
    return text[1:-1] if text[:1] in "\"'`" else text


# values


def _value(node: Node, table: Table, text: str) -> Any:
    """The value of a part for each row, or one number for all."""
    if node.kind == "number":
        return node.value
    if node.kind == "name":
        return _column(node.value, table, text)
    if node.kind == "call":
        if node.value in _OF_TEXT or node.value in _OF_DATES:
            return _of_cells(node, table, text)
        return FUNCTIONS[node.value](*(_value(part, table, text) for part in node.parts))
    if node.kind in _COMPARE:
        return _compared(node, table, text)
    values = [_value(part, table, text) for part in node.parts]
    if node.kind == "not":
        return 1.0 - np.asarray(values[0])
    if node.kind in ("and", "or"):
        decides = 0.0 if node.kind == "and" else 1.0
        a, b = map(np.asarray, values)
        return np.where((a == decides) | (b == decides), decides, a + b - (a + b) + (1.0 - decides))
    return _ARITHMETIC[node.kind](*values)


def _column(name: str, table: Table, text: str) -> Any:
    if name not in table.schema:
        raise UnknownColumn(name, table.names)
    attribute = table.schema[name]
    if not isinstance(attribute, Numeric):
        raise DataError(f"{text!r}: {name!r} is {attribute.kind}, and numbers are needed there")
    return table.data(name)


def _compared(node: Node, table: Table, text: str) -> Any:
    """1, 0 or missing: numbers with numbers, the values of a column with a word, ranks with ranks."""
    left, right = node.parts
    if left.kind == "name" and left.value in table.schema.of(Categorical):
        return _with_word(node.kind, left.value, right, table, text)
    a, b = (np.asarray(_value(part, table, text), dtype=float) for part in node.parts)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, _COMPARE[node.kind](a, b))


def _with_word(sign: str, name: str, right: Node, table: Table, text: str) -> Any:
    attribute, codes = table.schema[name], table.data(name)
    assert isinstance(attribute, Categorical)
    if right.kind not in ("name", "number"):
        raise DataError(f"{text!r}: {name!r} is {attribute.kind}, and is compared with one of its values")
    word = f"{right.value:g}" if right.kind == "number" else right.value
    if sign not in ("=", "!=") and not isinstance(attribute, Ordinal):
        raise DataError(f"{text!r}: the values of {name!r} have no order; only = and != can compare them")
    if word not in attribute.codes:
        raise DataError(f"{text!r}: {name!r} has no value {word!r}. {did_you_mean(word, attribute.values)}")
    return np.where(codes < 0, np.nan, _COMPARE[sign](codes, attribute.codes[word]))


def _of_cells(node: Node, table: Table, text: str) -> Floats:
    """A number of each cell of a column: the depth of a path, the year of a date."""
    name = node.parts[0].value
    if node.parts[0].kind != "name" or name not in table.schema:
        raise UnknownColumn(str(name), table.names)
    column, attribute = table.column(name), table.schema[name]
    if node.value in _OF_DATES:
        if not isinstance(attribute, Datetime):
            raise DataError(f"{text!r}: {name!r} is {attribute.kind}, and {node.value} is of dates")
        moments = attribute.on_clock(column.data)
        return np.where(np.isnat(moments), np.nan, _OF_DATES[node.value](moments).astype(float))
    of = _OF_TEXT[node.value]
    return np.array([np.nan if cell is None else of(str(cell)) for cell in column.tolist()], dtype=float)


def _depth(path: str) -> int:
    """How many parts the path of an address has.

    >>> _depth("https://example.org/a/b/index.html?q=1"), _depth("/"), _depth("example.org/a")
    (3, 0, 1)
    """
    rest = re.sub(r"^[a-zA-Z][\w+.-]*://", "", path)
    rest = re.split(r"[?#]", rest)[0]
    parts = [part for part in rest.split("/") if part]
    host = bool(parts) and not rest.startswith("/") and (rest != path or "." in parts[0])
    return len(parts) - host


#: Numbers of texts, and of dates on their clock.
_OF_TEXT: dict[str, Callable[[str], float]] = {"depth": _depth, "length": len}
_OF_DATES: dict[str, Callable[[Any], Any]] = {
    "year": lambda d: d.astype("datetime64[Y]").astype(np.int64) + 1970,
    "month": lambda d: d.astype("datetime64[M]").astype(np.int64) % 12 + 1,
    "day": lambda d: (d.astype("datetime64[D]") - d.astype("datetime64[M]")).astype(np.int64) + 1,
    "weekday": lambda d: (d.astype("datetime64[D]").astype(np.int64) + 3) % 7,
    "hour": lambda d: d.astype("datetime64[h]").astype(np.int64) % 24,
}
_OF_SEVERAL: dict[str, Callable[..., Any]] = {
    "min": lambda *parts: np.minimum.reduce(np.broadcast_arrays(*parts)),
    "max": lambda *parts: np.maximum.reduce(np.broadcast_arrays(*parts)),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("log", "log1p", "exp", "sqrt", "abs", "round", "floor")},
    **_OF_SEVERAL,
    **_OF_TEXT,
    **_OF_DATES,
}
