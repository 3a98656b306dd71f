"""Contingency table or moments of an attribute and the target: the input of the measures.

    Contingency    two categories: how often each value goes with each class
    Groups         a number and a category: weight, mean and scatter of the number in each group
    Pairs          two numbers: their means, scatters and joint scatter

Only rows in which both are known are in them. `against(c)` is the same with every class but one taken
together: the information of the attribute about that class.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from openbook.prepare.discretise import BinSplit

#: A scatter of less than this share of the whole is rounding.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class AttributeCounts:
    """Counts of values by class.

    Parameters
    ----------
    attribute, target : str
    counts : float64 (n_classes, n_values)
    classes, values : of the rows and of the columns
    splits : how a number was cut into the values; empty if it was not, or not by the classes
    """

    attribute: str
    target: str
    counts: np.ndarray
    classes: tuple[str, ...]
    values: tuple[str, ...]
    splits: tuple[BinSplit, ...] = ()

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    def against(self, c: int) -> "AttributeCounts":
        rest = np.delete(self.counts, c, axis=0).sum(axis=0)
        return replace(self, counts=np.vstack([self.counts[c], rest]), classes=(self.classes[c], "other"))


@dataclass(frozen=True, eq=False)
class ClassGroups:
    """A number in each of several groups.

    Parameters
    ----------
    number, group : the names of the column of numbers and of the one that parts the rows
    labels : the names of the groups
    weight, mean, scatter : float64 (n_groups,)
    """

    number: str
    group: str
    labels: tuple[str, ...]
    weight: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray

    @property
    def n(self) -> float:
        return float(self.weight.sum())

    @property
    def grand_mean(self) -> float:
        return float(self.weight @ self.mean / self.n)

    @property
    def between(self) -> float:
        """The scatter of the group means around the mean of all rows."""
        return float(self.weight @ (self.mean - self.grand_mean) ** 2)

    @property
    def within(self) -> float:
        """The scatter of the rows around the means of their groups; 0 if it is rounding."""
        within = float(self.scatter.sum())
        return within if within > _ROUNDING * self.between else 0.0

    @property
    def n_groups(self) -> int:
        """How many groups have a row."""
        return int((self.weight > 0).sum())

    def against(self, c: int) -> "ClassGroups":
        rest = np.delete(np.arange(len(self.labels)), c)
        others = replace(self, weight=self.weight[rest], mean=self.mean[rest], scatter=self.scatter[rest])
        mean, scatter = (others.grand_mean, others.between + others.within) if others.n else (0.0, 0.0)
        return replace(
            self,
            labels=("other", self.labels[c]),
            weight=np.array([others.n, self.weight[c]]),
            mean=np.array([mean, self.mean[c]]),
            scatter=np.array([scatter, self.scatter[c]]),
        )


@dataclass(frozen=True)
class NumberPairs:
    """Two numbers x and y: n, means, scatters and joint scatter Σ (x - mean)(y - mean)."""

    x: str
    y: str
    n: float
    mean_x: float
    mean_y: float
    scatter_x: float
    scatter_y: float
    joint: float

    @classmethod
    def of(cls, x_name: str, y_name: str, x: np.ndarray, y: np.ndarray) -> "NumberPairs":
        """From numbers in which none is missing."""
        if not len(x):
            return cls(x_name, y_name, 0.0, math.nan, math.nan, 0.0, 0.0, 0.0)
        mean_x, mean_y = float(x.mean()), float(y.mean())
        dx, dy = x - mean_x, y - mean_y
        return cls(
            x_name, y_name, float(len(x)), mean_x, mean_y, float(dx @ dx), float(dy @ dy), float(dx @ dy)
        )

    @property
    def r(self) -> float:
        """Pearson's correlation; NaN if one of the two does not vary."""
        spread = math.sqrt(self.scatter_x) * math.sqrt(self.scatter_y)
        return min(1.0, max(-1.0, self.joint / spread)) if spread > 0 else math.nan


Evidence = AttributeCounts | ClassGroups | NumberPairs
