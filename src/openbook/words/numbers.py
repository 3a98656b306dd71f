"""Numbers as people read them: in derivations, in tables of scores, in sentences.

    figure         0.0071922953 -> 0.0071923      six significant digits, for derivations
    signed         -2.5 -> (-2.5)                 a negative number as a term or a factor
    short          12345.6 -> 12,346              few characters, for descriptions
    shown   0.9533 -> 0.953                three decimals, for scores
    shown_p       0.0004 -> < 0.001              for p-values

A number that is missing or NaN is "undefined".
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

Shown = float | int | str | None

#: A longer vector shows its first figures and its last.
_SHOWN_OF_VECTOR = 6
#: The level by which differences are called significant.
_LEVEL = 0.05


def figure(value: Shown, digits: int = 6) -> str:
    """A number in a derivation: six significant digits; whole numbers in full.

    A number that is not whole gets up to nine digits, so that it does not look whole: a probability near 1 is
    not certainty.

    Parameters
    ----------
    value : float, int, str or None
        The number; text stays as it is.
    digits : int, default=6
        Significant digits.

    Returns
    -------
    str

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
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


def signed(value: float) -> str:
    r"""A number as a term or a factor of a formula: in brackets if negative, so that signs do not meet.

    >>> signed(2.5), signed(-2.5), signed(-math.inf)
    ('2.5', '(-2.5)', '(-\\infty)')
    """
    if value == -math.inf:
        return r"(-\infty)"
    return f"({figure(float(value))})" if value < 0 else figure(float(value))


def fraction(above: Shown, below: Shown) -> str:
    r"""A fraction in LaTeX, of numbers by their figures or of text.

    >>> fraction(0.5, 14), fraction("a b", 2)
    ('\\frac{0.5}{14}', '\\frac{a b}{2}')
    """
    return rf"\frac{{{figure(above)}}}{{{figure(below)}}}"


def times(factor: float) -> str:
    """A factor as it stands before a letter of a formula: 1 is left out.

    >>> times(2.5), times(1)
    ('2.5 ', '')
    """
    return "" if factor == 1 else f"{figure(float(factor))} "


def cell(value: Any) -> str:
    """A value in a grid.

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


def short(x: float) -> str:
    """A number in few characters.

    >>> [short(x) for x in (5.843333, 120000.0, 0.0, 0.012345, 1.5e-7, 12345678901.0, math.inf)]
    ['5.843', '120,000', '0', '0.0123', '1.5e-07', '1.235e+10', '∞']
    """
    if math.isinf(x):
        return figure(x)
    if 1e4 <= abs(x) < 1e9:
        return f"{x:,.0f}"
    return f"{x:.4g}" if abs(x) >= 1 else f"{x:.3g}"


def shown(value: float, size: float | None = None, sign: str = "") -> str:
    """A score as a reader wants it: three decimals, fewer if it (or `size`) is large, "undefined" for NaN.

    >>> [shown(value) for value in (0.9533, 1234.56, 98765.4, 0.00012345, 0.0, math.inf)]
    ['0.953', '1,234.6', '98,765', '0.000123', '0.000', '∞']

    A difference between scores is rounded as they are, and what is rounded to 0 has no sign:

    >>> shown(-0.0004, size=0.95), shown(-0.0006, size=0.95), shown(-1e-17, size=0.95, sign="+")
    ('0.000', '-0.001', '+0.000')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value) if size is None else size
    if 0 < size < 0.001:
        return f"{value:{sign}.3g}"
    places = 3 if size < 100 else 1 if size < 10_000 else 0
    return f"{value:{sign}z,.{places}f}"


def shown_p(p: float) -> str:
    """A p-value in a table.

    >>> shown_p(0.0004), shown_p(0.0312), shown_p(math.nan)
    ('< 0.001', '0.031', 'undefined')

    A p-value that would round to 0.05 gets as many digits as distinguish it from 0.05.

    >>> shown_p(0.0504), shown_p(0.04998), shown_p(0.05)
    ('0.0504', '0.04998', '0.050')
    """
    if p < 0.001:
        return "< 0.001"
    if p != _LEVEL and shown(p) == shown(_LEVEL):
        return next((text for d in range(4, 8) if float(text := f"{p:.{d}f}") != _LEVEL), shown(p))
    return shown(p)


def p_words(p: float) -> str:
    """A p-value in a sentence, after the letter p.

    >>> p_words(0.0312), p_words(1e-9)
    ('= 0.031', '< 0.001')
    """
    return shown_p(p) if p < 0.001 else f"= {shown_p(p)}"


def interval_names(cuts: Iterable[float]) -> tuple[str, ...]:
    """The intervals between cuts, in words that differ.

    >>> interval_names([0.8, 1.75])
    ('<= 0.8', '(0.8, 1.75]', '> 1.75')
    """
    numbers, digits = [float(cut) for cut in cuts], 6
    while len(set(edges := [figure(cut, digits) for cut in numbers])) < len(numbers) and digits < 17:
        digits += 1
    return interval_words(edges)


def interval_words(edges: Sequence[str]) -> tuple[str, ...]:
    """The intervals between edges that are words already."""
    if not edges:
        return ("any number",)
    between = [f"({low}, {high}]" for low, high in pairwise(edges)]
    return (f"<= {edges[0]}", *between, f"> {edges[-1]}")
