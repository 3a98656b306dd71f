"""The groups of a sensitive attribute: its values, or the quarters of a number."""

import numpy as np

from openbook.data import Categorical, Column, Numeric
from openbook.errors import DataError
from openbook.words.numbers import interval_words, short

#: Numbers of so few values are groups as they are; others are cut at their quartiles.
_FEW = 5


def group_rows(column: Column) -> tuple[np.ndarray, tuple[str, ...], str]:
    """The group of each row (-1 where it is missing), the groups' names, and how they were made."""
    attribute = column.attribute
    if isinstance(attribute, Categorical):
        return np.maximum(column.data, -1).astype(np.intp), attribute.values, ""
    if not isinstance(attribute, Numeric):
        raise DataError(
            f"{column.name!r} is free text; if its values are groups, read it with"
            f" kinds={{{column.name!r}: 'nominal'}}"
        )
    known = column.data[~column.missing]
    distinct = np.unique(known)
    if len(distinct) <= _FEW:
        codes = np.searchsorted(distinct, column.data)
        names, rule = tuple(short(value) for value in distinct.tolist()), ""
    else:
        cuts = np.unique(np.quantile(known, (0.25, 0.5, 0.75)))
        codes = np.searchsorted(cuts, column.data)
        names = interval_words([short(cut) for cut in cuts.tolist()])
        rule = f"{column.name} is a number, cut at its quartiles."
    return np.where(column.missing, -1, codes), names, rule
