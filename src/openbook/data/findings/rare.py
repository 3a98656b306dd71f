"""Nominal columns with many values: which of them a study pools, by the rule of `openbook.data.rare`.

The rows of the whole table tell here; in a study those of each fold do, so the numbers differ a little.
"""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Categorical, Nominal, Numeric
from openbook.data.findings.finding import Finding
from openbook.data.rare import FEW, LEAST, MOST, Credibility, may_pool
from openbook.data.table import Column, Table
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
    parts = None if target is None else _parts(table.column(target))
    for attribute in table.schema:
        name = attribute.name
        if isinstance(attribute, Nominal) and may_pool(attribute) and name != target and name not in skipped:
            codes = table.data(name)
            counts = np.bincount(codes[codes >= 0], minlength=len(attribute.values))
            if np.count_nonzero(counts) > FEW and (said := _said(codes, counts, parts, target)):
                yield Finding("many values", (name,), "note", said)


def _parts(aim: Column) -> Array | None:
    """The target's parts, (n, m): 0 and 1 for each class, or the number; NaN where missing; None for text."""
    if isinstance(aim.attribute, Categorical):
        parts = (aim.data[:, None] == np.arange(len(aim.attribute.values))).astype(float)
        parts[aim.data < 0] = np.nan
        return parts
    return aim.data.astype(float)[:, None] if isinstance(aim.attribute, Numeric) else None


def _said(codes: Array, counts: Array, parts: Array | None, target: str | None) -> str:
    """What a study does with the values of a column; nothing where it keeps them all."""
    values = plural(int(np.count_nonzero(counts)), "value")
    if parts is None:
        rare = int(((counts > 0) & (counts < _RARE)).sum())
        said = f"{values}, {rare:,} of them in fewer than {_RARE} rows: a study pools the rarest."
        return said if rare else ""
    known = (codes >= 0) & np.isfinite(parts).all(axis=1)
    codes, parts = codes[known], parts[known]
    counts = np.bincount(codes, minlength=len(counts))
    sums = np.stack([np.bincount(codes, part, len(counts)) for part in parts.T], axis=1)
    means = sums / np.maximum(counts, 1)[:, None]
    least = Credibility.of(counts, means, float(((parts - means[codes]) ** 2).sum())).least
    kept = min(int((counts >= max(least, LEAST)).sum()), MOST)
    shown = int(np.count_nonzero(counts))
    if kept == shown:
        return ""
    if not kept:
        return f"{values}, none in enough rows to say more of {target!r} than chance: a study pools them all."
    rows = counts.sum() - np.sort(counts)[::-1][:kept].sum()
    needed = short(max(float(np.ceil(least)), LEAST))
    return (
        f"{values}, of which a study keeps {kept:,}: those in at least {needed} rows. It pools the others,"
        f" {plural(shown - kept, 'value')} in {plural(int(rows), 'row')}, into one."
    )
