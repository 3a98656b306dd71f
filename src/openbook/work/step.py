"""The parts of a derivation: a step, a grid of figures, a text with weighed words.

Formulas are LaTeX, from the small vocabulary that `openbook.work.formula` reads; all else is plain text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

from openbook.words.numbers import Shown, figure

Result = float | int | str | None

#: What a number multiplies: another number or π before it, but not a subscript.
_FACTOR = re.compile(r"(?:(?<![_\d.])[\d.]+|\\pi|\)) +$")


@dataclass(frozen=True)
class Step:
    r"""One line of a derivation: what is computed, by which formula, with which numbers, and what comes out.

    A result of None reads "undefined", except where a formula stands alone: that step only states the rule.

    Attributes
    ----------
    label : str
        What is computed.
    formula : str, default=""
        The formula, in LaTeX.
    numbers : str, default=""
        The formula with the numbers substituted, in LaTeX; `Step.of` substitutes them.
    result : float, int, str or None, default=None
        What comes out.
    note : str, default=""
        A remark.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> step = Step("P(No)", r"\frac{N_c}{N}", r"\frac{7}{10}", 0.7)
    >>> step.result
    0.7
    >>> print(step)
    P(No) = N_c/N = 7/10 = 0.7
    """

    label: str
    formula: str = ""
    numbers: str = ""
    result: Result = None
    note: str = ""

    @classmethod
    def of(
        cls, label: str, formula: str, numbers: Mapping[str, Shown], result: Result = None, note: str = ""
    ) -> Self:
        r"""A step whose numbers are substituted for the symbols of its formula.

        A negative number is put in brackets where it would meet another sign, and a factor gets its dot.

        Parameters
        ----------
        label : str
            What is computed.
        formula : str
            The formula, in LaTeX.
        numbers : mapping of str to float
            The number of each symbol of the formula.
        result : float, int, str or None, default=None
            What comes out.
        note : str, default=""
            A remark.

        Returns
        -------
        Step

        Examples
        --------
        >>> Step.of("z", r"\frac{x - \mu}{2 s}", {"x": 3, r"\mu": -1.5, "s": 0.5}, 4.5).numbers
        '\\frac{3 - (-1.5)}{2 \\cdot 0.5}'
        """
        return cls(label, formula, substituted(formula, numbers), result, note)

    @property
    def states_rule(self) -> bool:
        """Whether there is a formula only, so that no result is to be shown."""
        return self.result is None and not self.numbers and bool(self.formula)

    def __str__(self) -> str:
        from openbook.work.text import part_text

        return part_text(self)


def substituted(formula: str, numbers: Mapping[str, Shown]) -> str:
    """The formula with numbers instead of its symbols."""
    names = "|".join(re.escape(name) for name in sorted(numbers, key=len, reverse=True))
    parts, done = [], 0
    for found in re.finditer(rf"(?<![\\A-Za-z_])(?<!_\{{)(?:{names})(?![A-Za-z_])", formula):
        before, behind = formula[: found.start()].rstrip(), formula[found.end() :]
        shown = figure(numbers[found[0]]).replace("∞", r"\infty").replace("undefined", r"\text{undefined}")
        first = not before or before[-1] in "{(="
        if shown.startswith("-") and (not first or behind.startswith("^")):
            shown = f"({shown})"
        parts.append(formula[done : found.start()])
        if _FACTOR.search("".join(parts)):
            shown = rf"\cdot {shown}"
        parts.append(shown)
        done = found.end()
    return "".join(parts) + formula[done:]


@dataclass(frozen=True)
class Grid:
    """A small table of figures inside a derivation; None is an empty cell, a tuple of numbers a vector.

    The header may be empty; otherwise every row is as long as it.

    Attributes
    ----------
    title : str
        What the table shows.
    header : sequence of str
        The names of the columns; empty for none.
    rows : sequence of sequence
        The cells.
    note : str, default=""
        A remark below it.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> grid = Grid("counts", ("value", "rows"), [("sunny", 5), ("rain", 5)])
    >>> print(grid)
    counts
      value  rows
      ─────  ────
      sunny     5
      rain      5
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
        """Whether the column holds figures, which stand on the right.

        Parameters
        ----------
        column : int
            The position of the column.

        Returns
        -------
        bool
        """
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and all(isinstance(value, Real) for value in cells)

    def __str__(self) -> str:
        from openbook.work.text import part_text

        return part_text(self)


@dataclass(frozen=True)
class Passage:
    """A text whose pieces are weighed: HTML shades them, and other forms leave the passage out.

    Attributes
    ----------
    title : str
        Whose text it is.
    pieces : sequence of (str, float)
        The text in pieces, each with its weight; 0 is not shaded.
    note : str, default=""
        The meaning of the weights.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> Passage("review", [("Good", 1.5), (" film", 0.0)], "Shading: what speaks for it.").largest
    1.5
    """

    title: str
    pieces: Sequence[tuple[str, float]]
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pieces", tuple((str(text), float(weight)) for text, weight in self.pieces))

    @property
    def largest(self) -> float:
        """The largest weight, whatever its sign."""
        return max((abs(weight) for _, weight in self.pieces), default=0.0)
