r"""Clusters against classes that were not used to find them: purity, entropy, Rand index.

    purity   Σ_c max_j n_cj / n                  entropy  Σ_c n_c/n · H(classes in c), in bits
    adjusted Rand  (R - E) / (M - E),   R = Σ_cj C(n_cj, 2),  E = Σ_c C(n_c, 2) Σ_j C(n_j, 2) / C(n, 2),
                                        M = ½ (Σ_c C(n_c, 2) + Σ_j C(n_j, 2))

n_cj rows of cluster c are of class j. Purity grows with the number of clusters, whatever they are; adjusted
Rand is 0 on average for groups made at random. Rows of cluster -1 are counted as a cluster of their own, and
rows whose class is missing are left out.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.border.rows import name_of_target
from openbook.cluster.quality import checked_labels
from openbook.data import Categorical, Column, Nominal
from openbook.data.arrays import object_cells
from openbook.errors import DataError
from openbook.measures import entropy
from openbook.words.numbers import figure, fraction
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Step, Work

_ALIKE = "the share of pairs that clusters and classes treat alike"
_BY_CHANCE = "pairs together in both by chance"


@dataclass(frozen=True, repr=False, eq=False)
class Contingency(ShowsWork):
    """Contingency table of clusters and classes: purity, entropy, adjusted Rand.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    counts : array
        The number of rows of each cluster and class, (k, n_classes).
    clusters : tuple
        Labels of the clusters, -1 for rows of none.
    classes : tuple
        The names of the classes.
    name : str, default='class'
        The name of the classes.
    left_out : int, default=0
        The number of rows without a class.

    Examples
    --------
    >>> contingency([0, 0, 0, 1, 1], ["a", "a", "b", "b", "b"]).purity
    0.8
    """

    counts: np.ndarray
    clusters: tuple[int, ...]
    classes: tuple[str, ...]
    name: str = "class"
    left_out: int = 0

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    @property
    def sizes(self) -> np.ndarray:
        return self.counts.sum(axis=1)

    @property
    def purities(self) -> np.ndarray:
        """Of each cluster: the share of its most frequent class."""
        return self.counts.max(axis=1) / self.sizes

    @property
    def entropies(self) -> np.ndarray:
        """Of each cluster, in bits."""
        return np.array([entropy(row) for row in self.counts])

    @property
    def purity(self) -> float:
        return float(self.counts.max(axis=1).sum() / self.n)

    @property
    def entropy(self) -> float:
        return float(self.sizes @ self.entropies / self.n)

    @property
    def adjusted_rand(self) -> float:
        """1 for the same groups, 0 on average for groups at random; NaN if neither says anything."""
        together, expected, most = self._pairs()
        return (together - expected) / (most - expected) if most != expected else math.nan

    def _pairs(self) -> tuple[float, float, float]:
        """Pairs together in both, how many chance would give, and how many there could be."""
        tables = (self.counts, self.sizes, self.counts.sum(axis=0))
        together, rows, columns = map(_pairs, tables)
        return together, rows * columns / max(math.comb(self.n, 2), 1), (rows + columns) / 2

    def work(self) -> Work:
        """The table, and the figures from it."""
        names = ("none" if c < 0 else c for c in self.clusters)
        columns = (self.counts.tolist(), self.sizes.tolist(), self.purities.tolist(), self.entropies.tolist())
        rows = [(name, *counts, *figures) for name, counts, *figures in zip(names, *columns, strict=True)]
        note = f"{plural(self.left_out, 'row')} of unknown {self.name} left out." if self.left_out else ""
        grid = Grid("", ("cluster", *self.classes, "rows", "purity", "entropy"), rows, note)
        together, expected, most = self._pairs()
        grouped, classed, pairs = _pairs(self.sizes), _pairs(self.counts.sum(axis=0)), math.comb(self.n, 2)
        R, A, B, E, M = map(figure, (together, grouped, classed, expected, most))
        alike = rf"{pairs} + 2 \cdot {R} - {A} - {B}"
        rand = (pairs + 2 * together - grouped - classed) / pairs if pairs else None
        adjusted = None if math.isnan(self.adjusted_rand) else self.adjusted_rand
        largest = " + ".join(map(str, self.counts.max(axis=1).tolist()[:12]))
        parts = [
            rf"\frac{{{size}}}{{{self.n}}} \cdot {figure(float(bits))}"
            for size, bits in zip(self.sizes.tolist()[:6], self.entropies, strict=False)
        ]
        more = " + …" if len(self.sizes) > 6 else ""
        steps = (
            Step("purity", r"\sum_c \frac{\max_j n_{cj}}{n}", fraction(largest, self.n), self.purity),
            Step("entropy", r"\sum_c \frac{n_c}{n} H_c", " + ".join(parts) + more, self.entropy, "in bits"),
            Step("R", r"\sum_{cj} \binom{n_{cj}}{2}", "", together, "pairs together in both"),
            Step("A", r"\sum_c \binom{n_c}{2}", "", grouped, "pairs in one cluster"),
            Step("B", r"\sum_j \binom{n_j}{2}", "", classed, "pairs of one class"),
            Step("P", r"\binom{n}{2}", rf"\binom{{{self.n}}}{{2}}", pairs, "all pairs"),
            Step("Rand", r"\frac{P + 2 R - A - B}{P}", fraction(alike, pairs), rand, _ALIKE),
            Step("E", r"\frac{A B}{P}", fraction(rf"{A} \cdot {B}", pairs), expected, _BY_CHANCE),
            Step("M", r"\frac{A + B}{2}", fraction(f"{A} + {B}", 2), most),
            Step("adjusted Rand", r"\frac{R - E}{M - E}", fraction(f"{R} - {E}", f"{M} - {E}"), adjusted),
        )
        return Work(f"Clusters and {self.name}", (grid, *steps))


@documented
def contingency(labels: Any, classes: Any) -> Contingency:
    """Set clusters beside classes.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    labels : sequence of int
    classes : sequence
        The class of each row: a Column, or any sequence of labels.

    Returns
    -------
    Contingency

    Examples
    --------
    >>> table = contingency([0, 0, 0, 1, 1], ["a", "a", "b", "b", "b"])
    >>> table.counts.tolist(), table.purity
    ([[2, 1], [0, 2]], 0.8)
    """
    column = classes if isinstance(classes, Column) else _column(classes)
    if not isinstance(column.attribute, Categorical):
        raise DataError(f"{column.name!r} is {column.attribute.kind}, and classes are categories")
    labels = checked_labels(labels, len(column))
    known = ~column.missing
    if not known.any():
        raise DataError(f"no row has a known {column.name}")
    clusters, rows = np.unique(labels[known], return_inverse=True)
    counts = np.zeros((len(clusters), len(column.attribute.values)), dtype=np.intp)
    np.add.at(counts, (rows, column.data[known]), 1)
    occurs = counts.sum(axis=0) > 0
    names = tuple(value for value, seen in zip(column.attribute.values, occurs, strict=True) if seen)
    return Contingency(counts[:, occurs], tuple(clusters.tolist()), names, column.name, int((~known).sum()))


def _column(classes: Any) -> Column:
    cells = object_cells(list(classes))
    attribute = Nominal(name_of_target(classes), tuple(cells.values))
    return Column(attribute, cells.codes.astype(attribute.dtype))


def _pairs(counts: np.ndarray) -> float:
    counts = counts.astype(float)
    return float((counts * (counts - 1) / 2).sum())
