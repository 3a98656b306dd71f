"""Decision rules as data: one after the other, as text, HTML, JSON and SQL.

    if outlook = sunny and humidity = high then play = No

A rule covers the training rows that meet its conditions, by weight; its confidence is the share of the
predicted class among them. Rules of one model exclude each other, so their order does not matter.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.work.conditions import Condition, literal, quoted


@documented
@dataclass(frozen=True)
class Rule:
    """A decision rule: if all conditions hold, this is predicted.

    Parameters
    ----------
    conditions : tuple of Condition
        What must hold, at most one condition for each attribute.
    prediction : label, number or expression
        The prediction. An expression, such as the line of a model tree, writes itself as SQL.
    weight : float
        The weight of the training rows that the rule covers.
    share : float
        Their share of all training rows, by weight.
    confidence : float or None
        The share of the predicted class among the rows that the rule covers; None for numbers.
    outcome : str
        The prediction in words, such as "play = No".

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import ID3
    >>> model = ID3().fit(*load("weather").split("play"))
    >>> rule = model.rules()[0]
    >>> print(rule)
    if outlook = overcast then play = Yes
    >>> rule.weight, rule.confidence
    (4.0, 1.0)
    >>> print(rule.sql())
    "outlook" = 'overcast'
    """

    conditions: tuple[Condition, ...]
    prediction: Any
    weight: float
    share: float
    confidence: float | None
    outcome: str

    @property
    def premise(self) -> str:
        """All that must hold, in words."""
        return " and ".join(map(str, self.conditions)) or "anything"

    def sql(self, quote: str = '"') -> str:
        """All that must hold, as an SQL condition.

        Parameters
        ----------
        quote : str, default='"'

        Returns
        -------
        str
        """
        return " AND ".join(each.sql(quote) for each in self.conditions) or "1 = 1"

    def to_json(self) -> dict[str, Any]:
        """The rule as JSON values, every number in full.

        Returns
        -------
        dict
        """
        then = self.prediction.to_json() if hasattr(self.prediction, "to_json") else self.prediction
        figures = {"weight": self.weight, "share": self.share, "confidence": self.confidence}
        return {"if": [each.to_json() for each in self.conditions], "then": then, **figures}

    def __str__(self) -> str:
        return f"if {self.premise} then {self.outcome}" if self.conditions else f"always {self.outcome}"


@documented
class RuleList(Sequence[Rule]):
    """The decision rules of a model. `print` shows a table, a notebook too.

    Parameters
    ----------
    rules : iterable of Rule
        The rules.
    target : str
        The name of the target.
    sql_rules : iterable of Rule or None, default=None
        The rules to write as SQL, if they differ; None for the rules themselves.
    note : str, default=''
        A comment in front of the SQL query.

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.baseline import OneR
    >>> print(OneR().fit(*load("weather").split("play")).rules())
    covers  share  confidence  rule
         4  28.6%      100.0%  if outlook = overcast then play = Yes
         5  35.7%       60.0%  if outlook = rain then play = Yes
         5  35.7%       60.0%  if outlook = sunny then play = No
         0   0.0%       64.3%  if outlook is missing then play = Yes
    """

    def __init__(
        self, rules: Iterable[Rule], target: str, sql_rules: Iterable[Rule] | None = None, note: str = ""
    ):
        self.rules = tuple(rules)
        self.target = target
        self._sql_rules = self.rules if sql_rules is None else tuple(sql_rules)
        self._note = note

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, key: Any) -> Any:
        return self.rules[key]

    def text(self) -> str:
        """The rules as a table of text: the rows that each covers, their share of all, its confidence.

        Returns
        -------
        str
        """
        rows = [self._head(), *map(_figures, self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = zip(rows, ["rule", *map(str, self)], strict=True)
        return "\n".join("  ".join([*map(str.rjust, row, widths), rule]) for row, rule in lines)

    def sql(self, table: str | None = "t", quote: str = '"') -> str:
        """The rules as an SQL query for the rows of a table and the prediction for each.

        Parameters
        ----------
        table : str or None, default='t'
            The name of the table; None for the CASE expression alone.
        quote : str, default='"'

        Returns
        -------
        str
        """
        predictions = [(rule.sql(quote), _predicted(rule.prediction, quote)) for rule in self._sql_rules]
        cases = [f"WHEN {test} THEN {prediction}" for test, prediction in predictions]
        case = "\n  ".join(["CASE", *cases]) + "\nEND"
        if table is None:
            return case
        name = quoted(f"predicted_{self.target}", quote)
        return f"{self._note}SELECT *, {case} AS {name}\nFROM {quoted(table, quote)}"

    def to_json(self) -> dict[str, Any]:
        """The rules as JSON values, every number in full.

        Returns
        -------
        dict
        """
        return {"target": self.target, "rules": [rule.to_json() for rule in self]}

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _head(self) -> list[str]:
        known = any(rule.confidence is not None for rule in self)
        return ["covers", "share", *(["confidence"] if known else [])]

    def _repr_html_(self) -> str:
        rows = [[*_figures(rule), rule.premise, rule.outcome] for rule in self]
        cells = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
        head = "".join(f"<th>{cell}</th>" for cell in (*self._head(), "if", "then"))
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _figures(rule: Rule) -> list[str]:
    confidence = [] if rule.confidence is None else [f"{rule.confidence:.1%}"]
    return [figure(rule.weight), f"{rule.share:.1%}", *confidence]


def _predicted(prediction: Any, quote: str) -> str:
    """A prediction as SQL: a literal, or an expression that writes itself."""
    return prediction.sql(quote) if hasattr(prediction, "sql") else literal(prediction)
