"""A tree as rules: one a leaf, or a disjunction for a class; as text, JSON and SQL.

    if outlook = sunny and humidity = high then play = No

The conditions of a path are joined to one an attribute. A rule covers the training rows of its leaf, by
weight; its confidence is the share of the predicted class among them.

Where a test spreads missing cells over its branches (and with them values never seen), no rule speaks of
them: such a row follows several rules, in shares. SQL knows no shares; there such a row takes the heaviest
branch, as it does in `openbook.tree.conditions.settled`. Elsewhere SQL and `predict` agree on every row.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from html import escape
from operator import or_
from typing import Any

from openbook.damage import blamed_on_its_file
from openbook.errors import DataError, did_you_mean
from openbook.tree.engine.nodes import LEAF, SPREAD
from openbook.tree.show.conditions import Condition, literal, quoted, simplified
from openbook.tree.show.reading import reading
from openbook.words.numbers import figure
from openbook.work.formula import printable

__all__ = ["Disjunction", "Rule", "Rules", "rules"]

_MIXED = -1
_SPREAD_NOTE = (
    "-- NULL and unseen values take the branch with the most rows; predict splits them over all branches\n"
)


def rules(model):
    """The rules of a fitted model of one tree, its leaves from left to right."""
    with blamed_on_its_file(model):
        return Rules(reading(model))


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, this is predicted.

    Parameters
    ----------
    conditions : tuple of Condition, at most one an attribute
    prediction : label or number
    weight : of the training rows that it covers
    share : of all training rows, by weight
    confidence : share of the predicted class among the rows it covers; None for numbers
    outcome : the prediction in words, as in "play = No"
    """

    conditions: tuple[Condition, ...]
    prediction: Any
    weight: float
    share: float
    confidence: float | None
    outcome: str

    @property
    def premise(self):
        """All that must hold, in words."""
        return " and ".join(map(str, self.conditions)) or "anything"

    def sql(self, quote='"'):
        """All that must hold, in SQL."""
        return " AND ".join(each.sql(quote) for each in self.conditions) or "1 = 1"

    def to_json(self):
        return {
            "if": [each.to_json() for each in self.conditions],
            "then": self.prediction,
            "weight": self.weight,
            "share": self.share,
            "confidence": self.confidence,
        }

    def __str__(self):
        return f"if {self.premise} then {self.outcome}" if self.conditions else f"always {self.outcome}"


class _List(Sequence):
    """Rules in order, as `listed(reading)` gives them."""

    def __init__(self, read, listed):
        self._read = read
        self._listed = listed
        self.rules = tuple(listed(read))

    def __len__(self):
        return len(self.rules)

    def __getitem__(self, key):
        return self.rules[key]

    @abstractmethod
    def text(self):
        """The rules in words."""

    def to_json(self):
        """The rules as JSON values, every figure in full."""
        return {"target": self._read.target, "rules": [rule.to_json() for rule in self]}

    def _for_sql(self):
        """The rules without shares, and a comment where that makes a difference."""
        tree = self._read.tree
        spread = ((tree.missing == SPREAD) & (tree.attribute != LEAF)).any()
        return self._listed(self._read.settled()), _SPREAD_NOTE if spread else ""

    def __str__(self):
        return self.text()

    def __repr__(self):
        return self.text()

    def _repr_html_(self):
        classes = self._read.classes is not None
        head = ["covers", "share", *(["confidence"] if classes else []), "if", "then"]
        rows = [[*_figures(rule), rule.premise, rule.outcome] for rule in self]
        cells = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        top = "".join(f"<th>{cell}</th>" for cell in head)
        return f"<table><thead><tr>{top}</tr></thead><tbody>{cells}</tbody></table>"


class Rules(_List):
    """One rule a leaf; see `rules`."""

    def __init__(self, read):
        super().__init__(read, _of_leaves)

    def text(self):
        """A line a rule, behind the rows it covers, their share of all, and its confidence."""
        head = ["covers", "share", *([] if self._read.classes is None else ["confidence"])]
        rows = [head, *map(_figures, self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        said = ["rule", *map(str, self)]
        return "\n".join(
            "  ".join([*map(str.rjust, row, widths), words]) for row, words in zip(rows, said, strict=True)
        )

    def sql(self, table="t", quote='"'):
        """A query for the rows of a table and what is predicted for each; only the CASE if table is None."""
        listed, note = self._for_sql()
        cases = "".join(f"\n  WHEN {rule.sql(quote)} THEN {literal(rule.prediction)}" for rule in listed)
        case = f"CASE{cases}\nEND"
        if table is None:
            return case
        name = quoted(f"predicted_{self._read.target}", quote)
        return f"{note}SELECT *, {case} AS {name}\nFROM {quoted(table, quote)}"

    def for_class(self, label):
        """All ways to a class, where branches of one test that lead to it are taken together."""
        classes = self._read.classes
        if classes is None:
            msg = f"{self._read.target!r} is a number and has no classes; print the rules instead"
            raise DataError(msg)
        if label not in classes:
            msg = f"no class {label!r}. {did_you_mean(str(label), [str(c) for c in classes])}"
            raise DataError(msg)
        return Disjunction(self._read, classes.index(label))


class Disjunction(_List):
    """The rules of one class, of which one must hold; see `Rules.for_class`."""

    def __init__(self, read, code):
        super().__init__(read, lambda each: _of_class(each, code))
        self.label = read.classes[code]

    def text(self):
        """The class, and a line for each way to it."""
        said = f"{printable(self._read.target)} = {self._read.said(self.label)}"
        if not self:
            return f"{said} nowhere"
        return f"{said} where\n     " + "\n  or ".join(rule.premise for rule in self)

    def sql(self, quote='"'):
        """What must hold, as for WHERE."""
        listed, _ = self._for_sql()
        return " OR ".join(f"({rule.sql(quote)})" for rule in listed) or "1 = 0"


def _of_leaves(read):
    """A rule for each leaf, from left to right."""
    paths = [()] * read.tree.size
    for node in read.depth_first():
        if read.tree.attribute[node] == LEAF:
            yield _rule(read, paths[node], read.prediction(node), [node])
        for branch, child in enumerate(read.tree.children(node)):
            paths[child] = simplified((*paths[node], read.condition(node, branch)))


def _of_class(read, code):
    """A rule for each way to a class, from left to right."""
    tree, whole = read.tree, _agreed(read)
    ahead = [((), [0])]  # a path, and the nodes at its end
    while ahead:
        path, nodes = ahead.pop()
        if whole[nodes[0]] == code:
            yield _rule(read, path, read.classes[code], nodes)
            continue
        children = tree.children(nodes[0])
        agreeing = [b for b, child in enumerate(children) if whole[child] == code]
        mixed = [[b] for b, child in enumerate(children) if whole[child] == _MIXED]
        for branches in sorted([agreeing, *mixed] if agreeing else mixed, reverse=True):
            told = reduce(or_, (read.condition(nodes[0], b) for b in branches))
            ahead.append((simplified((*path, told)), [children[b] for b in branches]))


def _agreed(read):
    """The class that every leaf below a node predicts, or _MIXED."""
    tree, agreed = read.tree, read.winners()
    for node in reversed(range(tree.size)):  # children stand behind their parents
        if tree.attribute[node] != LEAF:
            below = agreed[tree.first[node] :][: tree.branches[node]]
            agreed[node] = below[0] if (below == below[0]).all() else _MIXED
    return agreed


def _rule(read, path, prediction, nodes):
    """The rule of the nodes at the end of a path."""
    tree = read.tree
    weight = float(tree.weight[nodes].sum())
    confidence = None
    if read.classes is not None:
        values = tree.value[nodes].sum(axis=0)
        confidence = float(values[read.classes.index(prediction)] / (values.sum() or 1.0))
    outcome = f"{printable(read.target)} = {read.said(prediction)}"
    return Rule(path, prediction, weight, weight / float(tree.weight[0]), confidence, outcome)


def _figures(rule):
    confidence = [] if rule.confidence is None else [f"{rule.confidence:.1%}"]
    return [figure(rule.weight), f"{rule.share:.1%}", *confidence]
