"""Hand-written rules as data: read from a text, and bound to the columns of a table.

    if outlook = sunny and humidity > 75 then No
    if outlook in {overcast, rain} and windy is not missing then play = Yes
    else Yes

A rule a line, or several with ; between them; "else" may follow on the line. From # on a line is a comment.

    condition    column = value    column != value    column < 3.5    <=    >    >=
                 column in {a, b}    column not in {a, b}    column is missing    column is not missing
                 text contains refund    text contains "money back"    text does not contain refund

Names and values with spaces need no quotes; those with and, then or a sign do. Upper and lower case matter
only where two names differ by nothing else. A missing cell, or an unseen value, meets no condition but "is
missing". Ordinal values compare in their order. A text contains a word, or several words that follow each
other, whatever their case; parts of words do not count. Nothing is executed: a rule is read, never evaluated.
"""

import math
import operator
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data import Categorical, Numeric, Ordinal, Schema, Text, read
from openbook.data.conform import conform
from openbook.errors import OpenbookError, ParameterError, UnknownColumn, did_you_mean
from openbook.text.tokens import containing
from openbook.work.conditions import literal, number_literal, quoted, word

_EQUAL, _ORDERED = {"=": operator.eq, "!=": operator.ne}, {"<": operator.lt, "<=": operator.le}
SIGNS = {**_EQUAL, **_ORDERED, ">": operator.gt, ">=": operator.ge}
_SAME = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}
#: Texts between quotes stay whole; an apostrophe inside a word is no quote.
_QUOTED = re.compile(r"(?<!\w)(?:\"[^\"]*\"|'[^']*'|`[^`]*`)(?!\w)")
_COMMENT, _END = re.compile(r"(?:^|\s)#"), re.compile(";")
#: Where "else" follows a rule on its line.
_OR_ELSE = re.compile(r"(?<=\S)\s*,?\s+(?=(?:else|otherwise)\s)", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_RULE = re.compile(r"(?:if\s+)?(.+?)\s+then\s+(.+)", re.IGNORECASE)
_ELSE = re.compile(r"(?:else|otherwise|default|always)[:,]?\s+(.+)", re.IGNORECASE)
_MISSING = re.compile(r"(.+?)\s+is\s+(not\s+)?missing", re.IGNORECASE)
_AMONG = re.compile(r"(.+?)\s+(not\s+)?in\s+[{(\[](.*)[})\]]", re.IGNORECASE)
_CONTAINS = re.compile(r"(.+?)\s+(contains|does\s+not\s+contain)\s+(.+)", re.IGNORECASE)
_SIGNED = re.compile(r"(.+?)\s*(<=|>=|!=|<>|==|=|<|>|≠|≤|≥)\s*(.+)")


@dataclass(frozen=True)
class WrittenTest:
    """What a rule asks of a column, as it was written: a sign and values; no value for "is missing"."""

    column: str
    sign: str
    values: tuple[str, ...] = ()

    def __str__(self):
        if self.sign in SIGNS or "contain" in self.sign:
            return f"{self.column} {self.sign} {word(self.values[0])}"
        among = f" {{{', '.join(map(word, self.values))}}}" if self.values else ""
        return f"{self.column} {self.sign}{among}"


@dataclass(frozen=True)
class WrittenRule:
    """A rule as it was written: its conditions, and the class that it says; none for the last, "else …".

    Attributes
    ----------
    tests : tuple of WrittenTest
        What must hold.
    label : str
        The class that is predicted.
    line : int
        The number of its line.
    """

    tests: tuple[WrittenTest, ...]
    label: str
    line: int

    def class_of(self, target, known):
        """The position of the class that it says among those known; None if it is not among them.

        Parameters
        ----------
        target : str
            The name of the target.
        known : list of str
            The classes.

        Returns
        -------
        int or None
        """
        label = self.label
        if (found := _SIGNED.fullmatch(label)) and _plain(found[1]).lower() == target.lower():
            label = _plain(found[3])
        name = _found(label, known)
        return None if name is None else known.index(name)

    def __str__(self):
        return (
            f"if {' and '.join(map(str, self.tests))} then {self.label}"
            if self.tests
            else f"else {self.label}"
        )


@dataclass(frozen=True)
class Bound:
    """A test that knows its column: numbers, or codes; a condition of `openbook.work.rules`."""

    attribute: Any
    sign: str
    cells: tuple[float, ...]
    test: WrittenTest

    def holds(self, data):
        """Whether the cells of a column meet it, bool (n,)."""
        if isinstance(self.attribute, Text):
            known = np.array([cell is not None for cell in data], dtype=bool)
        else:
            known = data >= 0 if isinstance(self.attribute, Categorical) else ~np.isnan(data)
        if self.sign in ("is missing", "is not missing"):
            return known if "not" in self.sign else ~known
        if isinstance(self.attribute, Text):
            return known & (containing(data.tolist(), self.test.values[0]) == (self.sign == "contains"))
        if self.sign in ("in", "not in"):
            return known & (np.isin(data, self.cells) == (self.sign == "in"))
        return known & SIGNS[self.sign](data, self.cells[0])

    def __str__(self):
        return str(self.test)

    def to_json(self):
        return {"attribute": self.attribute.name, "sign": self.sign, "values": list(self.test.values)}

    def sql(self, quote='"'):
        name = quoted(self.attribute.name, quote)
        if "contain" in self.sign:
            msg = f"SQL knows no words, so the rule on {self.attribute.name!r} cannot be written in it"
            raise ParameterError(msg)
        if not self.cells:
            return f"{name} IS {'NOT ' if 'not' in self.sign else ''}NULL"
        if isinstance(self.attribute, Numeric):
            values = [number_literal(self.attribute, cell) for cell in self.cells]
        else:  # an order is written as the values that have it
            codes = [c for c in range(len(self.attribute.values)) if self.holds(np.array([c]))[0]]
            among = ", ".join(literal(self.attribute.values[c]) for c in codes)
            return f"{name} IN ({among})" if codes else "1 = 0"
        if self.sign in ("in", "not in"):
            return f"{name} {self.sign.upper()} ({', '.join(values)})"
        return f"{name} {'<>' if self.sign == '!=' else self.sign} {values[0]}"


def read_rules(text):
    """The rules in a text.

    >>> for rule in read_rules("if size > 3 and 'the colour' in {red, blue} then big  # a guess"):
    ...     print(rule)
    if size > 3 and the colour in {red, blue} then big
    """
    if isinstance(text, list | tuple) and all(isinstance(rule, str) for rule in text):
        text = "\n".join(text)
    if not isinstance(text, str):
        msg = f"RuleClassifier: text must be rules as a text, one a line, got {type(text).__name__}"
        raise ParameterError(msg)
    found = []
    for n, line in enumerate(text.splitlines(), 1):
        for rule in _split(_END, _COMMENT.split(line, maxsplit=1)[0]):
            found += [_written(part.strip(), n) for part in _split(_OR_ELSE, rule) if part.strip()]
    for rule in found[:-1]:
        if not rule.tests:
            msg = f"RuleClassifier: line {rule.line}: 'else' must be the last rule; move it to the end"
            raise ParameterError(msg)
    return tuple(found)


def _written(text, line):
    if found := _ELSE.fullmatch(text):
        return WrittenRule((), _plain(found[1]), line)
    if (found := _RULE.fullmatch(text)) is None:
        raise ParameterError(
            f"RuleClassifier: line {line}: {text!r} is not a rule; write one such as"
            " 'if outlook = sunny and humidity > 75 then No', or 'else Yes'"
        )
    return WrittenRule(tuple(_test(part, line) for part in _split(_AND, found[1])), _plain(found[2]), line)


def _split(sign, text):
    """The parts of a text between signs; what stands between quotes stays whole."""
    held = iter(_QUOTED.findall(text))
    parts = sign.split(_QUOTED.sub("\0", text))
    return [re.sub("\0", lambda _: next(held), part) for part in parts]


def _test(text, line):
    text = text.strip()
    if found := _MISSING.fullmatch(text):
        return WrittenTest(_plain(found[1]), "is not missing" if found[2] else "is missing")
    if found := _AMONG.fullmatch(text):
        values = tuple(_plain(value) for value in found[3].split(",") if value.strip())
        return WrittenTest(_plain(found[1]), "not in" if found[2] else "in", values)
    if found := _CONTAINS.fullmatch(text):
        sign = "contains" if found[2].lower() == "contains" else "does not contain"
        return WrittenTest(_plain(found[1]), sign, (_plain(found[3]),))
    if found := _SIGNED.fullmatch(text):
        return WrittenTest(_plain(found[1]), _SAME.get(found[2], found[2]), (_plain(found[3]),))
    raise ParameterError(
        f"RuleClassifier: line {line}: {text!r} is not a condition; write one such as"
        " 'humidity > 75', 'outlook in {sunny, rain}', 'review contains refund' or 'humidity is missing'"
    )


def _plain(text):
    """A name or a value without spaces and quotes around it."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`" else text


def _found(name, known):
    """The one among them that is meant: the same, or the same but for upper and lower case; else None."""
    if name in known:
        return name
    same = [one for one in known if one.lower() == name.lower()]
    return same[0] if len(same) == 1 else None


def bound_tests(rule, schema):
    """The tests of a rule for the columns of a table."""
    return [_bound_test(test, rule.line, schema) for test in rule.tests]


def _bound_test(test, line, schema):
    if (name := _found(test.column, schema.names)) is None:
        raise UnknownColumn(test.column, schema.names)
    attribute = schema[name]
    if isinstance(attribute, Text) != ("contain" in test.sign) and test.values:
        ask = "ask what it contains" if isinstance(attribute, Text) else "only texts contain words; use ="
        raise ParameterError(f"line {line}: {name} is {attribute.kind}: {ask}")
    cells: list[float] = []
    if isinstance(attribute, Categorical):
        if test.sign in ("<", "<=", ">", ">=") and not isinstance(attribute, Ordinal):
            msg = f"line {line}: {name} is nominal, so its values have no order; use = or in {{…}}"
            raise ParameterError(msg)
        for value in test.values:
            if (own := _found(value, attribute.values)) is None:
                msg = f"line {line}: {name} has no value {value!r}. {did_you_mean(value, attribute.values)}"
                raise ParameterError(msg)
            cells.append(float(attribute.values.index(own)))
    elif isinstance(attribute, Numeric):
        cells = [_number(attribute, value, line) for value in test.values]
    return Bound(attribute, test.sign, tuple(cells), WrittenTest(name, test.sign, test.values))


def _number(attribute, value, line):
    """A number as its column has it: a date in days, an amount in the column's unit."""
    schema = Schema((attribute,))
    try:
        table = read([{attribute.name: value}], schema)
        cell = float(conform(table, schema).data(attribute.name)[0])
    except (OpenbookError, ValueError):
        cell = math.nan
    if math.isnan(cell):
        kind = attribute.kind
        raise ParameterError(f"line {line}: {attribute.name} is {kind}, and {value!r} is not a {kind} value")
    return cell
