r"""New columns by formula, columns left out, and training rows that break a rule left out.

    bmi = weight / height^2        age >= 18 where licence = yes

A formula is parsed, never run as code: see `openbook.data.expression` for its grammar and its rule for
missing cells. It learns nothing, and each row is computed by itself.
"""

from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything
from openbook.damage import checked_array
from openbook.data import MISSING, Nominal, Numeric, Ordinal, Table, Text
from openbook.data.expression import Node, columns_in, definition, names_in, rule_columns, violations
from openbook.errors import RefusalError
from openbook.prepare.transformer import Preparation, RowFilter, TrainingTable
from openbook.words.numbers import figure
from openbook.words.sentences import listed
from openbook.work import Grid, Step, Work, escape_text


class FormulaColumn(Declared, Preparation):
    """A new column by formula: ratios, products, dates, paths.

    Parameters
    ----------
    formula : str, default="x2 = 0"
        A name, = and a formula of the columns, as in "bmi = weight / height^2". It may use + - * / ^, log,
        sqrt, exp, abs, min, max, round, floor, the year, month, day, weekday and hour of dates, the depth of
        an address and the length of a text. Comparisons give a column of no and yes.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> people = read({"weight": [80.0, 60.0], "height": [2.0, None]})
    >>> FormulaColumn("bmi = weight / height^2").fit_transform(people)["bmi"].tolist()
    [20.0, nan]
    """

    formula: Annotated[str, Anything("a name, = and a formula")] = "x2 = 0"

    @property
    def makes(self) -> tuple[str, ...]:
        """The name of the new column."""
        return (definition(self.formula)[0],)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the formula cannot do without."""
        return tuple(dict.fromkeys(columns_in(definition(self.formula)[1].tree)))

    def _learn(self, rows: TrainingTable) -> None:
        self._prepared(rows.X)  # says what is wrong

    def _prepared(self, table: Table) -> Table:
        name, formula = definition(self.formula)
        values = formula(table)
        if not formula.is_truth:
            return self._with(table, {name: (Numeric(name), values)})
        attribute = Nominal(name, ("no", "yes"))
        codes = np.where(np.isnan(values), MISSING, values).astype(attribute.dtype)
        return self._with(table, {name: (attribute, codes)})

    def _work(self) -> Work:
        name, formula = definition(self.formula)
        return Work(
            "A column by formula", (Step(name, _tex(formula.tree, {}), note="missing where a part of it is"),)
        )

    def _work_row(self, X: Table) -> Work:
        name, formula = definition(self.formula)
        cells = {column: X.column(column)[0] for column in names_in(formula.tree) if column in X.schema}
        result = self._prepared(X).column(name)[0]
        known = result is not None and not (isinstance(result, float) and np.isnan(result))
        step = Step(name, _tex(formula.tree, {}), _tex(formula.tree, cells), result if known else "missing")
        return Work("A column by formula: one row", (step,))


def _tex(node: Node, cells: dict[str, Any], outer: int = 0) -> str:
    """A formula as LaTeX, with the cells of a row put in where they are given."""
    if node.kind == "number":
        return figure(node.value)
    if node.kind == "name":
        return _cell(cells[node.value]) if node.value in cells else escape_text(node.value)
    if node.kind == "call":
        inside = ", ".join(_tex(part, cells) for part in node.parts)
        if node.value == "sqrt":
            return rf"\sqrt{{{inside}}}"
        return f"{escape_text(node.value)}({inside})"
    if node.kind == "not":
        return rf"\text{{not }} {_tex(node.parts[0], cells, 3)}"
    left, right = node.parts
    if node.kind == "/":
        return rf"\frac{{{_tex(left, cells)}}}{{{_tex(right, cells)}}}"
    if node.kind == "^":
        return f"{_tex(left, cells, 6)}^{{{_tex(right, cells)}}}"
    if node.kind == "-" and left == Node("number", 0.0):
        return f"-{_tex(right, cells, 5)}"
    signs = {
        "*": (r"\cdot", 5),
        "+": ("+", 4),
        "-": ("-", 4),
        "!=": (r"\ne", 3),
        "<=": (r"\le", 3),
        ">=": (r"\ge", 3),
    }
    words = {"and": (r"\text{ and }", 2), "or": (r"\text{ or }", 1)}
    sign, level = {**signs, **words}.get(node.kind, (node.kind, 3))
    text = f"{_tex(left, cells, level)} {sign} {_tex(right, cells, level + (node.kind == '-'))}"
    return f"({text})" if level < outer else text


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return escape_text("?")
    return figure(value) if isinstance(value, float) else escape_text(str(value))


class RowRule(Declared, RowFilter):
    """A rule between columns; training rows that break it are left out.

    A row that misses what the rule compares does not break it. `openbook.describe(table, rules=[…])` and
    `table.violations(rule)` show the rows without leaving any out.

    Parameters
    ----------
    rule : str, default="0 = 0"
        A comparison, and where it must hold: "age >= 18 where licence = yes".

    Attributes
    ----------
    kept_ : ndarray of shape (n_rows,)
        Whether each training row was kept.
    broken_ : int
        How many training rows break the rule.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> people = read({"age": [12, 12, 30], "licence": ["no", "yes", "yes"]})
    >>> RowRule("age >= 18 where licence = yes").fit(people).kept_.tolist()
    [True, False, True]
    """

    rule: Annotated[str, Anything("a comparison, as in age >= 18 where licence = yes")] = "0 = 0"

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the rule cannot do without."""
        return rule_columns(self.rule)

    def _learn(self, rows: TrainingTable) -> None:
        broken = violations(rows.X, self.rule)
        if len(broken) == len(rows.X):
            raise RefusalError(f"RowRule leaves no row: every one breaks {self.rule!r}")
        self.kept_ = ~np.isin(np.arange(len(rows.X)), broken)
        self.broken_ = len(broken)

    def _arrays(self) -> dict[str, np.ndarray]:
        return {"broken": np.array([self.broken_])}

    def _restore(self, arrays: Any) -> None:
        self.broken_ = int(checked_array(arrays, "broken", int, (1,))[0])

    def _work(self) -> Work:
        rule = Step("rule", escape_text(self.rule), note="training rows that break it are left out")
        return Work("A rule between columns", (rule,), self._left_out(self.broken_))


class DropColumns(Declared, Preparation):
    """Leave out columns.

    Parameters
    ----------
    columns : list of str or None, default=None
        The columns that are left out; None for none.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> DropColumns(["b"]).fit_transform(read({"a": [1.0], "b": [2.0]})).names
    ('a',)
    """

    columns: list[str] | None = None

    _changes = (Numeric, Nominal, Ordinal, Text)
    _changes_dates = True

    @property
    def _chosen(self) -> tuple[str, ...]:
        return tuple(self.columns or ())

    def _learn(self, rows: TrainingTable) -> None:
        if len(self._chosen) == len(rows.X.names):
            raise RefusalError("DropColumns leaves no column; name fewer")

    def _prepared(self, table: Table) -> Table:
        return table.drop(*self._chosen) if self._chosen else table

    def _work(self) -> Work:
        return Work("DropColumns", (Grid("left out", ("column",), [(name,) for name in self._chosen]),))

    def _work_row(self, X: Table) -> Work:  # noqa: ARG002 (the same for all rows)
        return Work("DropColumns: one row", (), f"Left out: {listed(self._chosen) or 'nothing'}.")
