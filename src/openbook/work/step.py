"""The parts of a derivation: a step, a grid of figures.

Formulas are LaTeX, from the small vocabulary that `openbook.work.formula` reads; all else is plain text.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

__all__ = ["Grid", "Result", "Step", "cell", "figure"]

Result = float | int | str | None

#: A longer vector shows its first figures and its last.
_SHOWN_OF_VECTOR = 6


@dataclass(frozen=True)
class Step:
    r"""One line of a derivation: what is computed, by which formula, with which numbers, and what comes out.

    A result of None reads "undefined", except where a formula stands alone: that step only states the rule.

    >>> step = Step("P(No)", r"\frac{N_c}{N}", r"\frac{7}{10}", 0.7)
    >>> step.result
    0.7
    """

    label: str
    formula: str = ""
    numbers: str = ""
    result: Result = None
    note: str = ""

    @property
    def states_rule(self) -> bool:
        """Whether there is a formula only, so that no result is to be shown."""
        return self.result is None and not self.numbers and bool(self.formula)


@dataclass(frozen=True)
class Grid:
    """A small table of figures inside a derivation; None is an empty cell, a tuple of numbers a vector.

    The header may be empty; otherwise every row is as long as it.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "header", tuple(self.header))
        object.__setattr__(self, "rows", tuple(tuple(row) for row in self.rows))
        for i, row in enumerate(self.rows):
            if len(row) != self.width:
                raise ValueError(f"grid {self.title!r}: row {i} has {len(row)} cells, not {self.width}")

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.header or next(iter(self.rows), ()))

    def numeric(self, column: int) -> bool:
        """Whether the column holds figures, which stand on the right."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and all(isinstance(value, Real) for value in cells)


def figure(value: Result, digits: int = 6) -> str:
    """A number as it stands in a derivation: so many significant digits; whole numbers in full.

    What is not whole takes up to nine digits so as not to read whole: a probability near one is no certainty.

    >>> figure(0.0071922953), figure(110.0), figure(1.2151765699646572e-09), figure(None)
    ('0.0071923', '110', '1.21518e-09', 'undefined')
    >>> figure(1234567), figure(float("-inf")), figure(float("nan"))
    ('1234567', '-∞', 'undefined')
    >>> figure(0.9999999652), figure(0.1 * 30)
    ('0.99999997', '3')
    """
    if isinstance(value, str):
        return value
    if value is None or math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    whole = value == int(value)
    if isinstance(value, Integral) or (whole and abs(value) < 1e15):
        return str(int(value))
    shown = f"{value:.{digits}g}"
    while not whole and float(shown).is_integer() and digits < 9:
        digits += 1
        shown = f"{value:.{digits}g}"
    return shown


def cell(value: Any) -> str:
    """A value as it stands in a grid.

    >>> cell(0.5), cell("Married"), cell(None), cell(True), cell((1.0, 0.5, -2.0))
    ('0.5', 'Married', '–', 'True', '(1, 0.5, -2)')
    """
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return _vector(value)
    if isinstance(value, Real) and not isinstance(value, Integral):
        return figure(float(value))
    return str(value)


def _vector(numbers: tuple[Any, ...]) -> str:
    shown = [cell(number) for number in numbers]
    if len(shown) > _SHOWN_OF_VECTOR:
        shown = [*shown[: _SHOWN_OF_VECTOR - 1], "…", shown[-1]]
    return f"({', '.join(shown)})"
