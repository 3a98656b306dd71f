r"""The number of rows that the full joint distribution of a table would need, and the saving by independence.

    cells        Π_j m_j            one for each combination of values; m_j values of column j
    parameters   Π_j m_j - 1        as the probabilities sum to one
    naive Bayes  (C - 1) + C Σ_j (m_j - 1)      of C classes, columns independent given the class
    rows         k · cells          for k rows in each cell on average

A numeric column counts as `bins` intervals. Missing values are not counted as values.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openbook.data.attributes import Categorical
from openbook.data.read import read
from openbook.data.schema import Schema
from openbook.errors import UnknownColumn
from openbook.words.numbers import figure
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work


@dataclass(frozen=True)
class FullJoint:
    """The size of the full joint distribution of some columns.

    Attributes
    ----------
    values : dict
        The number of values of each column.
    target : str or None
        The column of the classes, where there is one.
    cells : int
        The number of combinations of values.
    parameters : int
        The probabilities that would have to be estimated: one fewer.
    naive_parameters : int or None
        Those of naive Bayes; None without a target.
    rows : int
        The rows needed for `rows_per_cell` in each cell on average.
    rows_per_cell : int
        The rows that each cell is to have.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> from openbook import load
    >>> size = full_joint(load("weather"), target="play")
    >>> size.values
    {'outlook': 3, 'temperature': 3, 'humidity': 2, 'windy': 2, 'play': 2}
    >>> size.cells, size.parameters, size.naive_parameters, size.rows
    (72, 71, 13, 720)
    """

    values: dict[str, int]
    target: str | None
    cells: int
    parameters: int
    naive_parameters: int | None
    rows: int
    rows_per_cell: int

    def work(self) -> Work:
        """Derive the numbers."""
        sizes, cells = list(self.values.values()), figure(self.cells)
        numbers, note = rf"{self.rows_per_cell} \cdot {cells}", f"k = {self.rows_per_cell} rows a cell"
        note += ", on average; rare cells need far more"
        parts: list[Step | Grid] = [
            Grid("columns", ("column", "values m"), list(self.values.items())),
            Step("cells", r"\prod_j m_j", joined(sizes, r" \cdot "), self.cells),
            Step("parameters of the full joint", r"\prod_j m_j - 1", f"{cells} - 1", self.parameters),
            Step("rows needed", r"k \prod_j m_j", numbers, self.rows, note),
        ]
        conclusion = ""
        if self.target is not None:
            C = self.values[self.target]
            others = [m - 1 for name, m in self.values.items() if name != self.target]
            formula, numbers = r"(C - 1) + C \sum_j (m_j - 1)", rf"{C - 1} + {C} \cdot ({joined(others)})"
            note = f"C = {C} classes of {self.target}"
            parts.append(Step("parameters of naive Bayes", formula, numbers, self.naive_parameters, note))
            conclusion = (
                f"Independence given {self.target} leaves {self.naive_parameters:,} of"
                f" {self.parameters:,} parameters to estimate."
            )
        return Work("How many rows the full joint distribution needs", tuple(parts), conclusion)

    def __repr__(self) -> str:
        return self.work().text()


def full_joint(table: Any, target: str | None = None, rows_per_cell: int = 10, bins: int = 10) -> FullJoint:
    """How many rows the full joint distribution of a table's columns would need.

    Parameters
    ----------
    table : table-like, Schema, mapping of str to int, or list of int
        Its columns are the variables; or how many values each variable has.
    target : str or None, default=None
        The column of the classes, to compare with naive Bayes.
    rows_per_cell : int, default=10
        The rows that each combination of values is to have, on average.
    bins : int, default=10
        The intervals into which a numeric column is cut.

    Returns
    -------
    FullJoint
        With `cells`, `parameters`, `rows` and `work()`.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> from openbook import load
    >>> full_joint(load("loan"), target="cheat").rows  # 10 · (2 · 3 · 10 · 2)
    1200
    >>> full_joint({"fever": 2, "cough": 2, "flu": 2}).parameters
    7
    >>> full_joint([2, 2, 3]).cells
    12
    """
    if isinstance(table, list | tuple) and all(isinstance(m, int) for m in table):
        table = {f"x{j + 1}": m for j, m in enumerate(table)}
    if isinstance(table, Mapping) and all(isinstance(m, int) for m in table.values()):
        values = dict(table)
    else:
        schema = table if isinstance(table, Schema) else read(table).schema
        values = {a.name: len(a.values) if isinstance(a, Categorical) else bins for a in schema}
    if target is not None and target not in values:
        raise UnknownColumn(target, tuple(values))
    cells = math.prod(values.values())
    naive = None
    if target is not None:
        classes = values[target]
        naive = classes - 1 + classes * sum(m - 1 for name, m in values.items() if name != target)
    return FullJoint(values, target, cells, cells - 1, naive, rows_per_cell * cells, rows_per_cell)
