"""Names of columns: where they stand, distinct, and with a note on each that is made up."""

from collections.abc import Sequence
from itertools import count, takewhile

from openbook.data.written import number_of_text
from openbook.words.sentences import plural

#: A title stands above a header of so many names at least, within so many lines.
_FEWEST_NAMES, _MOST_TITLES = 3, 10


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


def note_of_titles(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A note on the titles above a header that were left out, if there are any."""
    if not rows:
        return ()
    words = (" ".join(filter(None, map(str.strip, row))) for row in rows)
    return (f"{plural(len(rows), 'line')} above the header left out: {', '.join(filter(None, words))}",)


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
