"""Names of columns: distinct, and with a note on each that is made up."""

from collections.abc import Sequence
from itertools import count


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
