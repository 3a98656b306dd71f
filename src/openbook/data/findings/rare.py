"""Nominal columns with many values: how a study treats them, by the rules of `openbook.data.rare`.

Here the whole table counts; in a study the rows of each fold do, so the numbers differ slightly.
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
from openbook.words.numbers import p_words, short
from openbook.words.sentences import plural

#: Without a target, a value of fewer rows may be pooled.
_RARE = 10

Array = npt.NDArray[Any]


def many_values(table: Table, target: str | None, skipped: Collection[str] = ()) -> Iterator[Finding]:
    """One finding for each nominal column with many values.

    Parameters
    ----------
    target : the name of the target, which tells how many rows a value needs; None if there is none
    skipped : columns that a study leaves out
    """
    outcome = None if target is None else table.column(target)
    for attribute in table.schema:
        name = attribute.name
        if isinstance(attribute, Nominal) and may_pool(attribute) and name != target and name not in skipped:
            codes = table.data(name)
            counts = np.bincount(codes[codes >= 0], minlength=len(attribute.values))
            if np.count_nonzero(counts) > FEW:
                yield Finding("many values", (name,), "note", _message(codes, counts, outcome))


def _message(codes: Array, counts: Array, outcome: Column | None) -> str:
    """How a study treats the values of a column."""
    values = plural(int(np.count_nonzero(counts)), "value")
    if outcome is None or not isinstance(outcome.attribute, Categorical | Numeric):
        rare = int(((counts > 0) & (counts < _RARE)).sum())
        return (
            f"{values}, {rare:,} of them in fewer than {_RARE} rows: a study pools the rarest, or uses the"
            " mean of the target for each value."
        )
    of_classes = isinstance(outcome.attribute, Categorical)
    known = (codes >= 0) & outcome.known
    codes, targets = codes[known].astype(np.intp), outcome.data[known]
    credibility = Credibility.of_classes if of_classes else Credibility.of_numbers
    found = credibility(codes, targets, len(counts))
    kept = _kept_and_pooled(np.bincount(codes, minlength=len(counts)), found.least)
    if not found.tells:
        if not kept:
            return f"{values}, whose differences in {outcome.name!r} may be chance: a study pools them all."
        used = f"leave them out, as the differences may be chance (p {p_words(found.p_value)})"
    elif of_classes:
        shares = f"the share of each class of {outcome.name!r} for each value"
        used = f"use {shares}, shrunk towards the overall share"
    else:
        used = f"use the mean of {outcome.name!r} for each value, shrunk towards the overall mean"
    kept = kept or "pool them all"
    high = found.tells and found.is_high
    keepers = "Trees, naive Bayes" + (
        ", linear regression and networks" if high else " and linear regression"
    )
    return f"{values}. {keepers} {kept}; other learners {used}."


def _kept_and_pooled(counts: Array, least: float) -> str:
    """Which values are kept and which pooled, if each needs `least` rows; empty if all are pooled."""
    kept, shown = min(int((counts >= max(least, LEAST)).sum()), MOST), int(np.count_nonzero(counts))
    if not kept or kept == shown:
        return "keep them all" if kept else ""
    rows = counts.sum() - np.sort(counts)[::-1][:kept].sum()
    needed = short(max(float(np.ceil(least)), LEAST))
    which = f"the {kept:,} in at least {needed} rows" if kept < MOST else f"the {MOST} most frequent"
    return f"keep {which} and pool the others, {plural(shown - kept, 'value')} in {plural(int(rows), 'row')}"
