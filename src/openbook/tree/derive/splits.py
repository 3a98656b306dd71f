r"""The search for the best split in plain Python: the twin of the kernels, and the source of the work.

    impurity       entropy -sum_c p_c log2 p_c, Gini 1 - sum_c p_c^2, or the mean squared error
    gain           share of known cells × (impurity of the known rows - mean impurity of the branches)
    split info     -sum_b (W_b / W) log2 (W_b / W), missing cells being one branch more
    gain ratio     gain / split info
    chance         (k - 2) × impurity / W, or (k - 2) (classes - 1) / (2 ln 2 W) bits: what k values gain on
                   average if they mean nothing; taken off the gain of columns of many values

Rows come in groups: `Classes` of so much weight each, or a `NumberGroup` of a weight, a mean and a squared
error. A `CandidateSplit` is what one test would make of a node's rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from openbook.data.rare import FEW

#: Gains that differ by less than this share are equal but for rounding.
ROUNDING = 1e-12
#: C4.5's: how far below the average a gain may lie; which ratios are equal.
NEAR_AVERAGE, EQUAL_RATIO = 1e-3, 1e-6


@dataclass(frozen=True)
class Classes:
    """Rows of so much weight in each class."""

    weights: tuple[float, ...]

    @property
    def weight(self) -> float:
        return math.fsum(self.weights)

    def impurity(self, criterion: str) -> float:
        """Entropy in bits, or Gini impurity; 0 without rows."""
        total = self.weight
        shares = [w / total for w in self.weights if w > 0]
        if criterion == "gini":
            return 1.0 - math.fsum(p * p for p in shares) if shares else 0.0
        return 0.0 - math.fsum(p * math.log2(p) for p in shares)

    @property
    def errors(self) -> float:
        """The weight that is not of the most frequent class."""
        return self.weight - max(self.weights)

    def times(self, share: float) -> "Classes":
        return Classes(tuple(share * w for w in self.weights))

    def __add__(self, other: "Classes") -> "Classes":
        return Classes(tuple(map(add, self.weights, other.weights)))


@dataclass(frozen=True)
class NumberGroup:
    """Rows of so much weight whose target has this mean, and this weighed sum of squares around it."""

    weight: float
    mean: float
    error: float

    def impurity(self, _criterion: str) -> float:
        """The mean squared error; 0 without rows."""
        return self.error / self.weight if self.weight > 0 else 0.0

    def times(self, share: float) -> "NumberGroup":
        return NumberGroup(share * self.weight, self.mean, share * self.error)

    def __add__(self, other: "NumberGroup") -> "NumberGroup":
        weight = self.weight + other.weight
        if weight <= 0:
            return self
        difference = other.mean - self.mean
        return NumberGroup(
            weight,
            self.mean + difference * other.weight / weight,
            self.error + other.error + difference * difference * self.weight * other.weight / weight,
        )


#: Classes or NumberGroup; the groups of a tree are all of one kind.
Group = Any


@dataclass(frozen=True)
class CandidateSplit:
    """What a test would make of a node's rows.

    branches : pairs of what leads to a branch and its rows
    missing_rows : the rows whose cell is missing
    together : the rows of all branches as one group, if it does not follow from theirs: a median does not
    """

    branches: tuple[tuple[Any, Group], ...]
    missing_rows: Group
    cut: float = math.nan
    together: Group = None

    @property
    def groups(self) -> list[Group]:
        return [group for _, group in self.branches]

    @property
    def known(self) -> Group:
        return reduce(add, self.groups) if self.together is None else self.together

    @property
    def weight(self) -> float:
        return self.known.weight + self.missing_rows.weight

    @property
    def share(self) -> float:
        """The share of known cells."""
        return self.known.weight / self.weight

    def mean_impurity(self, criterion: str) -> float:
        """The branches' impurity, weighed by their rows."""
        return math.fsum(g.weight * g.impurity(criterion) for g in self.groups) / self.known.weight

    def gain(self, criterion: str) -> float:
        """How much the impurity falls, never below 0 but for rounding."""
        fall = self.known.impurity(criterion) - self.mean_impurity(criterion)
        return self.share * max(fall, 0.0)

    @property
    def info(self) -> float:
        """The split information."""
        return Classes(tuple(g.weight for g in (*self.groups, self.missing_rows))).impurity("entropy")

    def with_missing(self, test: Any) -> "CandidateSplit":
        """The same with missing cells in a branch of their own, if there are any."""
        if self.missing_rows.weight <= 0:
            return self
        return CandidateSplit(
            (*self.branches, (test, self.missing_rows)), self.missing_rows.times(0.0), self.cut
        )

    def children(self, missing: str) -> list[Group]:
        """What the branches come to hold, by the policy for missing cells."""
        groups, weights = self.groups, [g.weight for g in self.groups]
        if missing == "fractional":
            known = self.known.weight
            return [group + self.missing_rows.times(group.weight / known) for group in groups]
        heaviest = weights.index(max(weights))
        return [group + self.missing_rows if b == heaviest else group for b, group in enumerate(groups)]


def best_of(
    splits: Sequence[CandidateSplit], criterion: str, min_weight: float = 0.0
) -> CandidateSplit | None:
    """The split of the highest gain that leaves the least weight on both sides, the first of equals."""
    best, top = None, 0.0
    for split in splits:
        gain = split.gain(criterion)
        allowed = min(g.weight for g in split.groups) >= min_weight
        if allowed and gain > top + gain_tolerance(split.known, criterion):
            best, top = split, gain
    return best


def best_groups(
    branches: Sequence[tuple[Any, Group]], missing_rows: Group, criterion: str, min_weight: float = 0.0
):
    """The best two groups of a nominal column's values, a split with tuples of values; None if there is none.

    In the order of a class's share, or of the mean target, the best groups of all are a cut: exact for two
    classes and for numbers. For more classes, the best cut over the orders by each class.
    """
    filled = [(value, group) for value, group in branches if group.weight > 0]
    if len(filled) < 2:
        return None
    n_orders = (
        1
        if isinstance(missing_rows, NumberGroup) or len(missing_rows.weights) <= 2
        else len(missing_rows.weights)
    )
    splits = []
    for o in range(n_orders):
        order = sorted(filled, key=lambda branch: _sort_key(branch[1], o, n_orders))
        for at in range(1, len(order)):
            sides = order[:at], order[at:]
            named = tuple((tuple(v for v, _ in side), reduce(add, [g for _, g in side])) for side in sides)
            splits.append(CandidateSplit(named, missing_rows))
    return best_of(splits, criterion, min_weight)


def _sort_key(group: Group, order: int, n_orders: int) -> float:
    """The key to sort values by: the mean target, or the share of a class (of two classes, the last)."""
    if isinstance(group, NumberGroup):
        return group.mean
    return group.weights[-1 if n_orders == 1 else order] / group.weight


def chance_drop(groups: Sequence[Group], criterion: str) -> tuple[int, float]:
    """How many values have rows, and what each beyond two lowers the cost by on average if it means nothing.

    groups : the rows of each value of a column, missing cells aside
    """
    filled = [group for group in groups if group.weight > 0]
    known = reduce(add, filled)
    if criterion in ("entropy", "gain_ratio"):
        return len(filled), (sum(w > 0 for w in known.weights) - 1) / (2 * math.log(2))
    return len(filled), known.impurity(criterion)


def free_values(model) -> int:
    """The most values that a nominal column can have and not be charged for what chance gains."""
    return FEW if model.rare_values == "pool" and model.criterion != "absolute_error" else 2**31


def min_leaf_weight(model, total: float) -> float:
    """The weight that two branches must have in a tree of this weight, by a model's `min_samples_leaf` and
    `min_weight_fraction_leaf`, rounding aside, as in J48.
    """
    rows, share = rows_or_share(model.min_samples_leaf, total), model.min_weight_fraction_leaf * total
    asks_nothing = rows == 1 and model.criterion != "gain_ratio"
    return max(0.0 if asks_nothing else rows - 1e-6, share * (1 - ROUNDING))


def min_split_weight(model, total: float) -> float:
    """The weight that a node must have to be split by a model's `min_samples_split`, rounding aside.

    2, the default, asks for nothing: rows, and parts of them, may weigh less.
    """
    rows = max(rows_or_share(model.min_samples_split, total), 2)
    return 0.0 if rows == 2 else rows - 1e-6


def rows_or_share(wanted: float, total: float) -> float:
    """A number of rows, or from a share below 1 that part of all, rounded up."""
    return wanted if wanted >= 1 else math.ceil(wanted * total - 1e-6)


def least_gain(model, rows: Group, total: float) -> float:
    """The gain that a split of these rows must exceed in a tree of this weight.

    `min_impurity_decrease` asks for a share of the whole: W_t / W × gain reaches it.
    """
    reached = model.min_impurity_decrease * total / rows.weight
    return max(model.min_gain, reached - gain_tolerance(rows, model.criterion))


def gain_tolerance(group: Group, criterion: str) -> float:
    """The size of a rounding error in the gains of such a node."""
    if isinstance(group, NumberGroup):
        return ROUNDING * group.impurity(criterion) + (ROUNDING * group.mean) ** 2
    return ROUNDING * (1.0 if criterion == "gini" else 1.0 + math.log2(max(group.weight, 1.0)))


def chosen(gains, infos, node: Group, criterion: str, min_gain: float = 0.0, counted=None) -> int | None:
    """The position of the winner, or None.

    It has the highest gain, or the highest gain ratio among those of at min_weight average gain.

    Parameters
    ----------
    gains, infos : of each column, None if it has no split
    counted : which gains the average is taken of; all by default
    """
    tolerance = gain_tolerance(node, criterion)
    enough = max(min_gain, tolerance)
    with_split = [j for j, gain in enumerate(gains) if gain is not None]
    if criterion != "gain_ratio":
        return _first_highest([(j, gains[j]) for j in with_split if gains[j] > enough], tolerance)
    average = average_gain(gains, counted)
    return _first_highest(
        [
            (j, gains[j] / infos[j])
            for j in with_split
            if gains[j] > enough and gains[j] >= average - NEAR_AVERAGE and infos[j] > 0
        ],
        EQUAL_RATIO,
    )


def average_gain(gains, counted=None) -> float:
    """The average of the gains that count; 0 if none does."""
    own = [gain for j, gain in enumerate(gains) if gain is not None and (counted is None or counted[j])]
    return math.fsum(own) / len(own) if own else 0.0


def _first_highest(scores, tolerance):
    """The position of the highest score; of those that differ by no more than rounding, the first."""
    best, top = None, 0.0
    for j, score in scores:
        if score > top + tolerance:
            best, top = j, score
    return best
