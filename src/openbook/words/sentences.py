"""Plurals, lists and text from data, for sentences and formulas."""

import unicodedata
from collections.abc import Iterable, Sequence

from openbook.words.numbers import signed


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "row"), plural(1200, "row"), plural(2, "class")
    ('1 row', '1,200 rows', '2 classes')
    """
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{ending}"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence; of many, the first and how many more.

    >>> listed(["a", "b"]), listed(list("abcdefgh"), most=3)
    ('a, b', 'a, b, c and 5 more')
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def joined(terms: Iterable[float | str], sign: str = " + ", most: int = 8, empty: str = "0") -> str:
    r"""Terms of a formula with a sign between them, the middle left out where they are many.

    >>> joined([1.0, -2.5]), joined(range(9), r" \cdot ", most=3)
    ('1 + (-2.5)', '0 \\cdot 1 \\cdot \\dots \\cdot 8')
    """
    shown = [term if isinstance(term, str) else signed(term) for term in terms]
    if len(shown) > most:
        shown = [*shown[: most - 1], r"\dots", shown[-1]]
    return sign.join(shown) or empty


def aligned_cells(rows: Sequence[Sequence[str]]) -> str:
    r"""Rows of cells as lines, in columns.

    >>> aligned_cells([["a", "P"], ["yes", "0.3"]])
    'a    P\nyes  0.3'
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def printable(text: str) -> str:
    r"""Text on one line that cannot command a terminal: line breaks and tabs as spaces, other controls as �.

    >>> printable("New\nYork\x1b[2J")
    'New York�[2J'
    """
    if text.isprintable():
        return text
    return "".join(" " if sign.isspace() else "�" if _controls(sign) else sign for sign in text)


def _controls(sign: str) -> bool:
    """Whether a sign acts instead of being shown; joiners stay, since emoji and scripts need them."""
    if sign in "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}":
        return False
    return unicodedata.category(sign) in {"Cc", "Cf", "Cs"}
