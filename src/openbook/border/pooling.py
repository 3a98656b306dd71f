"""Rare values of columns with many values, pooled at the border by the rows that a learner is fitted to.

The rule is that of `openbook.data.rare`. One fold counts the rows of each value and takes the moments of the
target among them; where no column has many values, there is nothing to pass over. What is kept is part of the
schema, so that `conform` pools the rows of later tables, and the model file holds it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.border.cross_fitted import drawn_folds
from openbook.border.rows import UNLABELLED, Chunk, Rows
from openbook.data import Nominal, Schema
from openbook.data.rare import FEW, LEAST, Credibility, class_shares, may_pool, with_rest
from openbook.fold import fold
from openbook.kernels.moments import Moments

Array = npt.NDArray[Any]


def pooled(rows: Rows, n_classes: int) -> Schema:
    """The schema of the rows with the rare values of columns of many values pooled.

    n_classes : how many classes the targets are codes of; 0 for numbers
    """
    few = {}
    for attribute, counts, found in credibilities(rows, n_classes):
        fewer = pooled_values(attribute, counts, found)
        if len(fewer.values) <= found.values:
            few[attribute.name] = fewer
    if not few:
        return rows.schema
    return Schema(tuple(few.get(a.name, a) for a in rows.schema), rows.schema.named)


def pooled_values(attribute: Nominal, counts: Array, found: Credibility) -> Nominal:
    """The attribute with its rare values pooled."""
    return with_rest(attribute, counts, max(found.least, LEAST), needed=found.least)


def credibilities(rows: Rows, n_classes: int, few: int = FEW) -> list[tuple[Nominal, Array, Credibility]]:
    """Each column of more than a few values, the rows of each value, and how informative the values are."""
    nominal = (rows.schema[name] for name in rows.schema.of(Nominal))
    columns = [a for a in nominal if isinstance(a, Nominal) and may_pool(a, few)]
    found = []
    for attribute, its in zip(columns, value_moments(rows, columns, n_classes), strict=True):
        counts = its.weight[:, 0]
        if np.count_nonzero(counts) > few:
            found.append((attribute, counts, Credibility.of(counts, its.mean, float(its.scatter.sum()))))
    return found


def value_moments(rows: Rows, columns: Sequence[Nominal], n_classes: int, n_folds: int = 1) -> list[Moments]:
    """For each column the moments of the target's parts among the rows of each value, (k n_folds, n_parts).

    n_folds : to how many the rows are dealt; the moments of a value stand together, fold after fold
    """
    if not columns:
        return []
    return fold(rows.numbered(), partial(_by_value, columns, n_classes, n_folds), _added)


def _by_value(
    columns: Sequence[Nominal], n_classes: int, n_folds: int, numbered: tuple[int, Chunk]
) -> list[Moments]:
    """The moments of the target's parts among the rows of each value and fold, a row of any weight being one;
    rows without a label are left out.
    """
    (start, chunk), moments = numbered, []
    own = drawn_folds(start, len(chunk.y), n_folds) if n_folds > 1 else 0
    labelled = chunk.y != UNLABELLED if n_classes else True
    for attribute in columns:
        codes = chunk.X.data(attribute.name)
        known = (codes >= 0) & labelled
        groups, n_groups = (codes.astype(np.intp) * n_folds + own)[known], len(attribute.values) * n_folds
        y = chunk.y[known]
        if n_classes:
            counts, shares = class_shares(groups, y, n_groups, n_classes)
            rows = np.broadcast_to(counts[:, None].astype(float), shares.shape)
            moments.append(Moments(rows, shares, rows * shares * (1 - shares)))
        else:
            moments.append(Moments.of(y.reshape(len(y), -1), groups, np.ones(len(y)), n_groups))
    return moments


def _added(one: list[Moments], other: list[Moments]) -> list[Moments]:
    return [a + b for a, b in zip(one, other, strict=True)]
