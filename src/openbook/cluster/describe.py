r"""Description of clusters: the columns in which the rows of a cluster differ most from all others.

    numbers, ranks   d = (mean inside - mean outside) / s,   s the standard deviation of all rows
    categories       the value whose share inside lies farthest from that outside, and how far

Columns are sorted by their difference: |d| / 2 for numbers, about how far apart the shares of rows above the
middle are, and for categories the difference of the shares. Tests: Welch's t for means, Fisher's exact for
shares; p-values are adjusted by Holm's method over all clusters and columns. Where clusters were made from
the same columns, they differ there by construction and p-values are too small: use the differences. For
columns that were not used, the tests are valid. Missing cells are left out, column by column; so are rows of
cluster -1. Texts are described by the directions of their words.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from openbook.border.directions import in_directions
from openbook.cluster.quality import checked_labels
from openbook.data import Column, Datetime, Nominal, Numeric, Ordinal, read
from openbook.data.adjustments import holm
from openbook.errors import DataError
from openbook.judge.chance.means import welch
from openbook.judge.chance.shares import Share, fisher
from openbook.words.numbers import figure, shown_p
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

#: Traits of a cluster that are shown.
_SHOWN = 5


@dataclass(frozen=True)
class Trait:
    """How a cluster differs from the rest in one column.

    Parameters
    ----------
    column : its name
    value : of a category, the value that is more or less frequent inside; None for numbers
    inside, outside : the two means, or the two shares of the value
    difference : in standard deviations, or of the shares
    p_value : adjusted for the number of clusters and columns
    date : the column, where its numbers are days
    """

    column: str
    value: str | None
    inside: float
    outside: float
    difference: float
    p_value: float
    date: Datetime | None = None

    @property
    def size(self) -> float:
        """The effect size, by which numbers and categories are sorted together."""
        size = abs(self.difference) / (2 if self.value is None else 1)
        return -1.0 if math.isnan(size) else size

    @property
    def means(self) -> tuple[float | str, float | str]:
        """The mean or share inside and outside; of dates, the date."""
        both = (self.inside, self.outside)
        return both if self.date is None else (self.date.shown(both[0]), self.date.shown(both[1]))

    def __str__(self) -> str:
        if self.value is None:
            words = ("lower", "higher") if self.date is None else ("earlier", "later")
            inside, outside = (figure(mean, 3) for mean in self.means)
            return f"{words[self.difference > 0]} {self.column} ({inside} against {outside})"
        more = "more often" if self.difference > 0 else "less often"
        return f"{more} {self.column} = {self.value} ({self.inside:.0%} against {self.outside:.0%})"


@dataclass(frozen=True, repr=False, eq=False)
class ClusterDescription(ShowsWork):
    """The description of each cluster, largest difference first.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    traits : mapping
        Of each cluster to its Traits, a column each.
    sizes : mapping
        Of each cluster to the number of its rows.
    used : tuple or None, default=None
        Columns that the clusters were made from, if it is known.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> describe_clusters(X, y.data).sizes
    {0: 50, 1: 50, 2: 50}
    """

    traits: dict[int, tuple[Trait, ...]]
    sizes: dict[int, int]
    used: tuple[str, ...] | None = None

    def __getitem__(self, cluster: int) -> tuple[Trait, ...]:
        if cluster not in self.traits:
            raise DataError(f"there is no cluster {cluster}; there are {', '.join(map(str, self.traits))}")
        return self.traits[cluster]

    def sentence(self, cluster: int) -> str:
        """The cluster in a line.

        >>> from openbook import load
        >>> X, y = load("iris").split("species")
        >>> describe_clusters(X, y.data).sentence(0)
        '50 rows: lower petal length (cm) (1.46 against 4.91), lower petal width (cm) (0.246 against 1.68), \
lower sepal length (cm) (5.01 against 6.26)'

        Parameters
        ----------
        cluster : int
            The label of the cluster.

        Returns
        -------
        str
        """
        traits = [str(trait) for trait in self[cluster] if trait.p_value < 0.05][:3]
        return f"{plural(self.sizes[cluster], 'row')}: {', '.join(traits) or 'like the rest in every column'}"

    def work(self) -> Work:
        """A table for each cluster, to print or to show."""
        header, grids = ("column", "inside", "outside", "difference", "p (Holm)"), []
        for cluster, traits in self.traits.items():
            title = f"cluster {cluster}, {plural(self.sizes[cluster], 'row')}"
            more = f"{len(traits) - _SHOWN} more columns." if len(traits) > _SHOWN else ""
            grids.append(Grid(title, header, [_cells(trait) for trait in traits[:_SHOWN]], more))
        return Work("What describes the clusters", tuple(grids), self._remark())

    def _remark(self) -> str:
        shown = {t.column for one in self.traits.values() for t in one}
        if self.used is not None and shown.isdisjoint(self.used):
            return "None of these columns was used for the clusters, so the tests are valid."
        return (
            "Differences of numbers are in standard deviations, of categories between shares. Clusters differ"
            " by construction in the columns they were made from: there, use the differences, not p."
        )


@documented
def describe_clusters(X: Any, labels: Any, used: Sequence[str] | None = None) -> ClusterDescription:
    """In which columns does each cluster differ most from the rest?

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    X : rows
    labels : sequence of int
    used : sequence of str or None, default=None
        The columns from which the clusters were made, to mark them in the output.

    Returns
    -------
    ClusterDescription

    Examples
    --------
    >>> described = describe_clusters([[1.0], [1.2], [0.9], [5.0], [5.1], [5.3]], [0, 0, 0, 1, 1, 1])
    >>> described.sentence(1)
    '3 rows: higher x0 (5.13 against 1.03)'
    """
    table = in_directions(read(X))
    labels = checked_labels(labels, len(table))
    clusters = np.unique(labels[labels >= 0]).tolist()
    if len(clusters) < 2:
        raise DataError(f"{plural(len(clusters), 'cluster')}: to compare clusters, give at least two")
    names = [a.name for a in table.schema if isinstance(a, Numeric | Nominal | Ordinal)]
    found = []
    for c in clusters:
        inside, outside = labels == c, (labels >= 0) & (labels != c)
        found += [_trait(table.column(name), inside, outside) for name in names]
    adjusted = holm([trait.p_value for trait in found]).tolist()
    tested = (replace(trait, p_value=p) for trait, p in zip(found, adjusted, strict=True))
    traits = {c: tuple(sorted(islice(tested, len(names)), key=lambda trait: -trait.size)) for c in clusters}
    sizes = {c: int((labels == c).sum()) for c in clusters}
    return ClusterDescription(traits, sizes, None if used is None else tuple(used))


def _trait(column: Column, inside: np.ndarray, outside: np.ndarray) -> Trait:
    known = ~column.missing
    inside, outside = inside & known, outside & known
    if isinstance(column.attribute, Nominal):
        return _share_trait(column, inside, outside)
    numbers = column.data.astype(float)
    a, b = numbers[inside], numbers[outside]
    date = column.attribute if isinstance(column.attribute, Datetime) else None
    if min(len(a), len(b)) < 2:
        return Trait(column.name, None, _mean(a), _mean(b), math.nan, math.nan, date)
    spread = float(numbers[inside | outside].std())
    gap = _mean(a) - _mean(b)
    return Trait(column.name, None, _mean(a), _mean(b), gap / spread if spread else 0.0, welch(a, b), date)


def _share_trait(column: Column, inside: np.ndarray, outside: np.ndarray) -> Trait:
    values = column.attribute.values  # type: ignore[attr-defined]  # it is nominal
    a, b = (np.bincount(column.data[rows], minlength=len(values)) for rows in (inside, outside))
    n, m = int(inside.sum()), int(outside.sum())
    if not (n and m):
        return Trait(column.name, values[0] if values else "", math.nan, math.nan, math.nan, math.nan)
    best = int(np.abs(a / n - b / m).argmax())
    p = fisher(Share(int(a[best]), n), Share(int(b[best]), m))
    p = min(1.0, p * len(values))  # the best of the values
    return Trait(column.name, values[best], a[best] / n, b[best] / m, float(a[best] / n - b[best] / m), p)


def _mean(numbers: np.ndarray) -> float:
    return float(numbers.mean()) if len(numbers) else math.nan


def _cells(trait: Trait) -> tuple[Any, ...]:
    name = trait.column if trait.value is None else f"{trait.column} = {trait.value}"
    means = (mean if isinstance(mean, str) else float(f"{mean:.4g}") for mean in trait.means)
    return name, *means, float(f"{trait.difference:+.3g}"), shown_p(trait.p_value)
