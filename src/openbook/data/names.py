"""Names of columns: made distinct, with a note on each invented one."""

import re
from collections.abc import Sequence
from itertools import count, takewhile

from openbook.data.lines import bare_fields, sniff
from openbook.data.written_numbers import number_of_text
from openbook.words.sentences import plural

#: The fewest names of a header that has titles above it, and the most lines of titles.
_FEWEST_NAMES, _MOST_TITLES = 3, 10
_SEPARATOR = re.compile(r"sep=([,;|\t])", re.IGNORECASE)


def titles_above(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows are titles above the header.

    At most half as many of their cells are filled as of the fullest row, and the first other row lacks one
    cell at most and starts with a name, not with a number.

    >>> titles_above([["Sales of 2024", "", ""], ["", "", ""], ["shop", "day", "sold"], ["A", "Mon", "3"]])
    2
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    width = max(filled, default=0)
    n = sum(1 for _ in takewhile(lambda cells: 2 * cells <= width, filled))
    if not 0 < n < min(len(rows) - 1, _MOST_TITLES) or filled[n] < max(_FEWEST_NAMES, width - 1):
        return 0
    first = next(cell.strip() for cell in rows[n] if cell.strip())
    return n if number_of_text(first) is None else 0


def remarks_above(lines: Sequence[str]) -> tuple[str, list[list[str]]]:
    """The separator, where the first line says it, as Excel has it; and that line, or the comments on top.

    A last comment with as many fields as the line below it is the header.

    >>> remarks_above(["sep=;", "a;b", "1;2"]), remarks_above(["# by X", "#a,b", "1,2"])
    ((';', [['sep=;']]), ('', [['# by X']]))
    """
    if found := _SEPARATOR.fullmatch(lines[0].strip(" \r\n")):
        return found[1], [[lines[0].strip()]]
    n = sum(1 for _ in takewhile(lambda line: line.startswith("#") or not line.strip(), lines))
    if not n or n >= len(lines):
        return "", []
    separator = sniff(lines[n:])
    comment, below = lines[n - 1 : n + 1]
    alike = len(bare_fields(comment, separator)) == len(bare_fields(below, separator))
    return "", [[line.strip()] for line in lines[: n - (alike and comment.startswith("#"))]]


def note_of_titles(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A note on the titles above a header that were left out, if there are any."""
    if not rows:
        return ()
    words = ", ".join(filter(None, (" ".join(filter(None, map(str.strip, row))) for row in rows)))
    return (f"{plural(len(rows), 'line')} above the header left out{words and ': '}{words}",)


def distinct_names(given: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Distinct names, and a note on each that was empty or taken.

    >>> distinct_names(["a", "", "a"])[0]
    ('a', 'column_2', 'a_3')
    """
    names: dict[str, None] = {}
    notes: list[str] = []
    taken = set(given)
    for i, own in enumerate(given, start=1):
        name = own or f"column_{i}"
        if name in names:
            name = next(
                other for k in count(i) if (other := f"{own or 'column'}_{k}") not in taken | names.keys()
            )
            notes.append(f"column {i} is called {name}: the name {own} is taken")
        elif not own:
            notes.append(f"column {i} is called {name}: it has no name in the file")
        names[name] = None
    return tuple(names), tuple(notes)
