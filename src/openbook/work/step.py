"""The parts of a derivation: a step, a grid of figures.

Formulas are LaTeX, from the small vocabulary that `openbook.work.formula` reads; everything else is plain text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Grid", "Step", "figure"]

Result = float | int | str | None


@dataclass(frozen=True)
class Step:
    r"""One line of a derivation: what is computed, by which formula, with which numbers, and what comes out.

    >>> step = Step("P(No)", r"\frac{N_c}{N}", r"\frac{7}{10}", 0.7)
    >>> step.result
    0.7
    """

    label: str
    formula: str = ""
    numbers: str = ""
    result: Result = None
    note: str = ""


@dataclass(frozen=True)
class Grid:
    """A small table of figures inside a derivation."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


def figure(value: Result, digits: int = 6) -> str:
    """A number as it stands in a derivation: so many significant digits, whole numbers without a point.

    >>> figure(0.0071922953), figure(110.0), figure(1.2151765699646572e-09), figure(None)
    ('0.0071923', '110', '1.21518e-09', 'undefined')
    """
    if value is None:
        return "undefined"
    if isinstance(value, str):
        return value
    return f"{value:.{digits}g}"
