r"""Means of the target instead of columns with many values, by the rows that a learner is fitted to.

    cell = (n mean + n0 overall) / (n + n0)

where n training rows have the cell's value, with that mean of the target; `overall` is the mean of all rows,
and n0 = σ² / τ² (`openbook.data.rare`). For classes there is such a column for each but the first, with its
share of the rows.

No training row is encoded by its own target: its cell is the mean over the rows of the other four of five
folds (`cross_fitted`). Later rows have the means of all training rows. Where the means of the values differ
no more than chance makes them (F test, at 5%), the column is not replaced: all its values are pooled. Nor do
networks replace it if its credibility is high: they have a 0/1 column for each value that is not rare.
Missing cells stay missing, and an unseen value has the mean of all rows. The means are part of the schema, so
that `conform` finds the cells of later tables, and the model file holds them.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.border.cross_fitted import FOLDS, CrossFitted
from openbook.border.pooling import pooled_values, value_moments
from openbook.border.rows import Rows
from openbook.data import Nominal, Schema, TargetMean
from openbook.data.attributes import as_text
from openbook.data.derived import shrunken
from openbook.data.rare import FEW, MOST_CLASSES, Credibility, may_pool, with_rest
from openbook.kernels.moments import Moments

Array = npt.NDArray[Any]

#: The most values of a column that have a mean of their own; the most frequent are kept.
MOST_MEANS = 10_000


def with_means(
    rows: Rows, target: str, classes: Array | None, *, clear: bool = False
) -> tuple[Schema, CrossFitted | None]:
    """The schema of the rows with means instead of the values of columns with many; and the cells of these
    rows, None if no column is replaced.

    classes : the labels that the targets are codes of; None for numbers
    clear : whether columns whose credibility is high keep their values, but rare ones
    """
    some = rows.schema if rows.schema.of(Nominal) else ()  # thousands of words have none
    columns = [a for a in some if isinstance(a, Nominal) and may_pool(a)]
    if not columns:
        return rows.schema, None
    labels = None if classes is None else [as_text(label) for label in classes.tolist()]
    moments = value_moments(rows, columns, len(labels or ()), FOLDS)
    replaced: dict[str, list[Any]] = {a.name: [a] for a in rows.schema}
    tables = {}
    for attribute, folds in zip(columns, moments, strict=True):
        found = ValueMeans.of(attribute, folds)
        credibility = found.credibility
        if credibility.values > FEW and credibility.tells and clear and credibility.is_high:
            replaced[attribute.name] = [pooled_values(attribute, found.counts, credibility)]
        elif credibility.values > FEW and credibility.tells:
            names = mean_names(attribute.name, target, labels, rows.schema)
            means = found.columns(names, credibility.least)
            replaced[attribute.name] = [mean for mean, _ in means]
            tables.update({mean.name: table for mean, table in means})
        elif credibility.values > FEW:
            replaced[attribute.name] = [with_rest(attribute, found.counts, math.inf)]
    if all(own[0] is a for own, a in zip(replaced.values(), rows.schema, strict=True)):
        return rows.schema, None
    schema = Schema(tuple(a for own in replaced.values() for a in own), rows.schema.named)
    return schema, CrossFitted(tables, of_classes=classes is not None) if tables else None


def mean_names(column: str, target: str, labels: Sequence[str] | None, schema: Schema) -> list[str]:
    """What the means of a column are called; the share of the first class follows from the others.

    labels : of the classes; None for numbers

    >>> mean_names("town", "price", None, Schema(()))
    ['town: mean price']
    >>> mean_names("town", "cheat", ["no", "yes"], Schema(()))
    ['town: share of yes']
    """
    parts = [f"mean {target}"]
    if labels is not None:
        shown = [*labels[: MOST_CLASSES - 1], "other classes"] if len(labels) > MOST_CLASSES else labels
        parts = [f"share of {label}" for label in shown[1:]]
    names = [f"{column}: {part}" for part in parts]
    while any(name in schema for name in names):
        names = [f"{name}…" for name in names]
    return names


class ValueMeans(NamedTuple):
    """The rows and sums of the target of each value of a column: outside each fold, and over all rows.

    rows, sums : float64 (n_folds + 1, k, n_parts), of each value the rows and the sum over them of the
        target's parts less their means over all rows; the last are those of all folds
    overall : those means, (n_parts,)
    within : the sum of squares around the means of the values
    """

    attribute: Nominal
    rows: Array
    sums: Array
    overall: Array
    within: float

    @classmethod
    def of(cls, attribute: Nominal, folds: Moments) -> "ValueMeans":
        """From the moments of the target's parts among the rows of each value and fold, value by value."""
        shape = (len(attribute.values), -1, folds.mean.shape[1])
        n, mean = (array.reshape(shape).swapaxes(0, 1) for array in (folds.weight, folds.mean))
        overall = (n * mean).sum(axis=(0, 1)) / max(float(n[:, :, 0].sum()), 1.0)
        away = n * (mean - overall)
        rows, sums = (np.concatenate([each.sum(axis=0) - each, each.sum(axis=0)[None]]) for each in (n, away))
        own = overall + np.divide(sums[-1], rows[-1], out=np.zeros_like(sums[-1]), where=rows[-1] > 0)
        within = float(folds.scatter.sum() + (n * (mean - own) ** 2).sum())
        return cls(attribute, rows, sums, overall, within)

    @property
    def counts(self) -> Array:
        """The rows of each value."""
        return self.rows[-1, :, 0]

    @property
    def means(self) -> Array:
        """The means of the target's parts among the rows of each value, (k, n_parts)."""
        return self.overall + self.sums[-1] / np.maximum(self.rows[-1], 1.0)

    @property
    def credibility(self) -> Credibility:
        return Credibility.of(self.counts, self.means, self.within)

    def columns(self, names: Sequence[str], needed: float) -> list[tuple[TargetMean, Array]]:
        """The columns of means of these names, for the last parts of the target, and the cells of rows in
        each fold and of no fold.

        needed : the rows n0 that the mean of all rows counts for
        """
        by, kept, counts = self.attribute, np.arange(len(self.counts)), self.counts
        if len(kept) > MOST_MEANS:
            kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_MEANS])
            by = Nominal(by.name, tuple(by.values[code] for code in kept))
        found, means = [], self.means
        for j, name in enumerate(names, len(self.overall) - len(names)):
            rows, sums = self.rows[:, :, j], self.sums[:, :, j]
            overall = self.overall[j] + sums.sum(axis=1) / np.maximum(rows.sum(axis=1), 1.0)
            own = sums[:, kept] + rows[:, kept] * self.overall[j]
            mean = TargetMean(
                name,
                by=by,
                rows=tuple(counts[kept].tolist()),
                means=tuple(means[kept, j].tolist()),
                needed=needed,
                overall=float(self.overall[j]),
            )
            found.append((mean, shrunken(rows[:, kept], own, needed, overall[:, None])))
        return found
