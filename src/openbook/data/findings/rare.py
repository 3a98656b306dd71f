"""Nominal columns with many values: which of them a study pools, by the rule of `openbook.data.rare`.

The rows of the whole table tell here; in a study those of each fold do, so the numbers differ a little.
"""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Categorical, Nominal, Numeric
from openbook.data.column import Column
from openbook.data.findings.finding import Finding
from openbook.data.rare import FEW, LEAST, MOST, Credibility, may_pool
from openbook.data.table import Table
from openbook.words.numbers import short
from openbook.words.sentences import plural

__all__ = ["many_values"]

#: Without a target, a value of fewer rows may be pooled.
_RARE = 10

Array = npt.NDArray[Any]


def many_values(table: Table, target: str | None, skipped: Collection[str] = ()) -> Iterator[Finding]:
    """One finding for each nominal column whose rare values a study pools.

    Parameters
    ----------
    target : the name of the target, which tells how many rows a value needs; None if there is none
    skipped : columns that a study leaves out
    """
    aim = None if target is None else table.column(target)
    for attribute in table.schema:
        name = attribute.name
        if isinstance(attribute, Nominal) and may_pool(attribute) and name != target and name not in skipped:
            codes = table.data(name)
            counts = np.bincount(codes[codes >= 0], minlength=len(attribute.values))
            if np.count_nonzero(counts) > FEW and (said := _said(codes, counts, aim)):
                yield Finding("many values", (name,), "note", said)


def _said(codes: Array, counts: Array, aim: Column | None) -> str:
    """What a study does with the values of a column; nothing where it keeps them all."""
    values = plural(int(np.count_nonzero(counts)), "value")
    if aim is None or not isinstance(aim.attribute, Categorical | Numeric):
        rare = int(((counts > 0) & (counts < _RARE)).sum())
        said = f"{values}, {rare:,} of them in fewer than {_RARE} rows: a study pools the rarest."
        return said if rare else ""
    of_classes = isinstance(aim.attribute, Categorical)
    known = (codes >= 0) & (aim.data >= 0 if of_classes else np.isfinite(aim.data))
    codes, targets = codes[known].astype(np.intp), aim.data[known]
    credibility = Credibility.of_classes if of_classes else Credibility.of_numbers
    least = credibility(codes, targets, len(counts)).least
    counts = np.bincount(codes, minlength=len(counts))
    kept = min(int((counts >= max(least, LEAST)).sum()), MOST)
    shown = int(np.count_nonzero(counts))
    if kept == shown:
        return ""
    if not kept:
        return (
            f"{values}, none in enough rows to say more of {aim.name!r} than chance: a study pools them all."
        )
    rows = counts.sum() - np.sort(counts)[::-1][:kept].sum()
    needed = short(max(float(np.ceil(least)), LEAST))
    which = f"{kept:,}: those in at least {needed} rows" if kept < MOST else f"the {MOST} most frequent"
    return (
        f"{values}, of which a study keeps {which}. It pools the others,"
        f" {plural(shown - kept, 'value')} in {plural(int(rows), 'row')}, into one."
    )
