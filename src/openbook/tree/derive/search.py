"""The search for the best split from raw rows, in plain Python: the oracle of the kernels.

A column is a list of cells: numbers, or values of a nominal column; None or NaN where missing. Targets are
classes, or numbers where `classes` is None.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from openbook.tree.derive.splits import (
    EQUAL_RATIO,
    CandidateSplit,
    Classes,
    Group,
    NumberGroup,
    best_groups,
    best_of,
    chance_drop,
)
from openbook.tree.engine.scales import midpoint

#: C4.5 demands at most this weight on each side of a cut, unless min_samples_leaf is larger.
MOST_BESIDE = 25.0


class TargetRows(NamedTuple):
    """The targets of a node's rows, their weights, and the classes (None for numbers)."""

    targets: Sequence
    weights: Sequence[float]
    classes: Sequence | None

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    def group(self, among: Sequence[bool]) -> Group:
        """Some of the rows, as a group."""
        chosen_rows = [(t, w) for t, w, here in zip(self.targets, self.weights, among, strict=True) if here]
        if self.classes is not None:
            return Classes(tuple(math.fsum(w for t, w in chosen_rows if t == c) for c in self.classes))
        total = math.fsum(w for _, w in chosen_rows)
        if total <= 0:
            return NumberGroup(0.0, 0.0, 0.0)
        mean = math.fsum(w * t for t, w in chosen_rows) / total
        return NumberGroup(total, mean, math.fsum(w * (t - mean) ** 2 for t, w in chosen_rows))


class Found(NamedTuple):
    """The best split of a column, and its gain less charges."""

    split: CandidateSplit
    gain: float


def is_missing(cell) -> bool:
    """Whether a cell holds nothing."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def cuts_of(cells: Sequence, rows: TargetRows) -> list[CandidateSplit]:
    """Every cut of a column halfway between neighbouring numbers: x <= cut, x > cut."""
    known = [not is_missing(cell) for cell in cells]
    missing_rows = rows.group([not k for k in known])
    splits = []
    for low, high in pairwise(sorted({cell for cell, k in zip(cells, known, strict=True) if k})):
        below = rows.group([k and cell <= low for cell, k in zip(cells, known, strict=True)])
        above = rows.group([k and cell > low for cell, k in zip(cells, known, strict=True)])
        splits.append(CandidateSplit((("<=", below), (">", above)), missing_rows, float(midpoint(low, high))))
    return splits


def search_column(
    cells: Sequence,
    rows: TargetRows,
    criterion: str,
    nominal: str | None = None,
    min_weight: float = 0.0,
    missing: str = "fractional",
    charged: bool = False,
) -> Found | None:
    """The best split of a column, or None.

    Parameters
    ----------
    nominal : "multiway" or "subset" for a nominal column, None for numbers
    min_weight : the weight that two branches must have
    missing : "branch" where missing cells have a branch of their own
    charged : whether a nominal column has so many values that it is charged for what chance gains
    """
    if all(map(is_missing, cells)):
        return None
    if nominal is None:
        split, charge = _best_cut(cuts_of(cells, rows), rows, criterion, min_weight)
    else:
        split, charge = _best_nominal(cells, rows, criterion, nominal, min_weight, missing), 0.0
    if split is None:
        return None
    if charged:
        groups = [rows.group([cell == value for cell in cells]) for value in set(cells) - {None}]
        values, each = chance_drop(groups, criterion)
        charge = max(values - 2, 0) * each / split.weight
        # with a branch for each value, that of missing cells is one of them
        whole = split.with_missing("missing") if missing == "branch" and nominal == "multiway" else split
        if whole.gain(criterion) <= charge:
            return None
    split = split.with_missing("missing") if missing == "branch" else split
    gain = split.gain(criterion) - charge
    enough = criterion != "gain_ratio" or nominal is not None or gain > EQUAL_RATIO
    return Found(split, gain) if enough else None


def _best_nominal(cells, rows, criterion, nominal, min_weight, missing) -> CandidateSplit | None:
    """A branch for every value, if two of them are heavy enough; or the best two groups of values."""
    missing_rows = rows.group([is_missing(cell) for cell in cells])
    values = sorted({cell for cell in cells if not is_missing(cell)})
    branches = [(value, rows.group([cell == value for cell in cells])) for value in values]
    if nominal == "subset":
        return best_groups(branches, missing_rows, criterion, min_weight)
    weights = [group.weight for _, group in branches] + [missing_rows.weight] * (missing == "branch")
    return (
        CandidateSplit(tuple(branches), missing_rows)
        if sum(w > 0 and w >= min_weight for w in weights) >= 2
        else None
    )


def _best_cut(
    cuts: Sequence[CandidateSplit], rows: TargetRows, criterion: str, min_weight: float
) -> tuple[CandidateSplit | None, float]:
    """The best cut, and what it is charged for.

    By gain ratio, as in C4.5, that is log2(number of cuts) / W for the choice; and a cut must leave a tenth
    of an average class's weight on both sides.
    """
    if not cuts or criterion != "gain_ratio":
        return best_of(cuts, criterion, min_weight), 0.0
    a_tenth = 0.1 * cuts[0].known.weight / rows.n_classes
    min_weight = min(max(a_tenth, min_weight), max(MOST_BESIDE, min_weight))
    allowed = [cut for cut in cuts if min(group.weight for group in cut.groups) >= min_weight]
    return best_of(allowed, criterion), math.log2(max(len(allowed), 1)) / cuts[0].weight
