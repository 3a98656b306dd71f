"""The column of a labelled table that marks labels requested by a classifier, which are not a fair test."""

import numpy as np

from openbook.data.attributes import as_text
from openbook.data.column import Column
from openbook.data.table import Table
from openbook.errors import DataError

_SAID = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def asked_column(target: str) -> str:
    """The column of a labelled table that says whether each label was asked for.

    >>> asked_column("spam")
    'spam_asked'
    """
    return f"{target}_asked"


def asked_rows(column: Column) -> np.ndarray:
    """Which rows a column says were asked for: yes, true or 1; no, false, 0 and missing cells say no.

    >>> from openbook.data import Nominal
    >>> asked_rows(Column(Nominal("spam_asked", ("no", "yes")), np.array([1, 0, -1])))
    array([ True, False, False])
    """
    answers = [
        "" if gap else as_text(cell).lower()
        for cell, gap in zip(column.tolist(), column.missing.tolist(), strict=True)
    ]
    if odd := set(answers) - {"", *_SAID}:
        msg = f"column {column.name!r} says whether a row was asked for, yes or no, and not {min(odd)!r}"
        raise DataError(msg)
    return np.array([_SAID.get(word, False) for word in answers], dtype=bool)


def written_by_label(table: Table, target: str) -> str | None:
    """The column in which `openbook label` says which labels were asked for, if the table has it.

    >>> from openbook import load
    >>> written_by_label(load("weather"), "play") is None
    True
    """
    name = asked_column(target)
    if name not in table.schema:
        return None
    try:
        asked_rows(table.column(name))
    except DataError:  # it has the name, and says something else
        return None
    return name
