"""The search for the best split from raw rows, in plain Python: the oracle of the kernels.

A column is a list of cells: numbers, or values of a nominal column; None or NaN where missing. Targets are
classes, or numbers where `classes` is None.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from openbook.tree.derive_splits import (
    EQUAL_RATIO,
    Classes,
    Group,
    Numbers,
    Split,
    best_groups,
    best_of,
    chosen,
)

__all__ = ["Found", "Rows", "cuts_of", "is_missing", "search_column", "search_node"]

#: The most weight that C4.5 asks for beside a cut.
MOST_BESIDE = 25.0


class Rows(NamedTuple):
    """The targets of a node's rows, their weights, and the classes (None for numbers)."""

    targets: Sequence
    weights: Sequence[float]
    classes: Sequence | None

    def group(self, among: Sequence[bool]) -> Group:
        """Some of the rows, as a group."""
        chosen_rows = [(t, w) for t, w, here in zip(self.targets, self.weights, among, strict=True) if here]
        if self.classes is not None:
            return Classes(tuple(math.fsum(w for t, w in chosen_rows if t == c) for c in self.classes))
        total = math.fsum(w for _, w in chosen_rows)
        if total <= 0:
            return Numbers(0.0, 0.0, 0.0)
        mean = math.fsum(w * t for t, w in chosen_rows) / total
        return Numbers(total, mean, math.fsum(w * (t - mean) ** 2 for t, w in chosen_rows))


class Found(NamedTuple):
    """The best split of a column, and what it gains, charges paid."""

    split: Split
    gain: float


def is_missing(cell) -> bool:
    """Whether a cell holds nothing."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def cuts_of(cells: Sequence, rows: Rows) -> list[Split]:
    """Every cut of a column halfway between neighbouring numbers: x <= cut, x > cut."""
    known = [not is_missing(cell) for cell in cells]
    gap = rows.group([not k for k in known])
    splits = []
    for low, high in pairwise(sorted({cell for cell, k in zip(cells, known, strict=True) if k})):
        below = rows.group([k and cell <= low for cell, k in zip(cells, known, strict=True)])
        above = rows.group([k and cell > low for cell, k in zip(cells, known, strict=True)])
        halfway = low + (high - low) / 2
        splits.append(Split((("<=", below), (">", above)), gap, halfway if halfway < high else low))
    return splits


def search_column(
    cells: Sequence, rows: Rows, criterion: str, nominal: str | None = None, least: float = 0.0
) -> Found | None:
    """The best split of a column, or None.

    Parameters
    ----------
    nominal : "multiway" or "subset" for a nominal column, None for numbers
    least : the weight that two branches must have
    """
    if nominal is None:
        return _search_cuts(cuts_of(cells, rows), rows, criterion, least)
    gap = rows.group([is_missing(cell) for cell in cells])
    values = sorted({cell for cell in cells if not is_missing(cell)})
    branches = [(value, rows.group([cell == value for cell in cells])) for value in values]
    if nominal == "subset":
        split = best_groups(branches, gap, criterion, least)
        return split and Found(split, split.gain(criterion))
    if sum(group.weight >= least for _, group in branches) < 2:
        return None
    split = Split(tuple(branches), gap)
    return Found(split, split.gain(criterion))


def _search_cuts(cuts: Sequence[Split], rows: Rows, criterion: str, least: float) -> Found | None:
    """The best cut.

    By gain ratio, as in C4.5, it is charged log2(number of cuts) / W for the choice, and must leave a tenth of
    an average class's weight on both sides.
    """
    if not cuts:
        return None
    if criterion == "gain_ratio":
        a_tenth = 0.1 * cuts[0].known.weight / len(rows.classes or ())
        least = min(max(a_tenth, least), max(MOST_BESIDE, least))
    allowed = [cut for cut in cuts if min(group.weight for group in cut.groups) >= least]
    best = best_of(allowed, criterion)
    if best is None:
        return None
    if criterion != "gain_ratio":
        return Found(best, best.gain(criterion))
    gain = best.gain(criterion) - math.log2(len(allowed)) / best.weight
    return Found(best, gain) if gain > EQUAL_RATIO else None


def search_node(
    columns: Sequence[Sequence],
    nominal: Sequence[str | None],
    rows: Rows,
    criterion: str,
    least: float = 0.0,
    counted: Sequence[bool] | None = None,
) -> tuple[list[Found | None], int | None]:
    """The best split of each column, and which column wins."""
    found = [
        search_column(cells, rows, criterion, kind, least)
        for cells, kind in zip(columns, nominal, strict=True)
    ]
    winner = chosen(
        [f and f.gain for f in found],
        [f and f.split.info for f in found],
        rows.group([True] * len(rows.targets)),
        criterion,
        counted=counted,
    )
    return found, winner
