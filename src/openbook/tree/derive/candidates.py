"""The candidates of a node, from the counts that the engine recorded, and which of them wins.

`candidates_` holds the rows in each branch. All else is derived from them in plain Python.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from openbook.data import Nominal
from openbook.measures import chi_squared
from openbook.tree.derive.splits import (
    CandidateSplit,
    Classes,
    Group,
    NumberGroup,
    best_groups,
    chance_drop,
    chosen,
    free_values,
    least_gain,
    min_leaf_weight,
)
from openbook.tree.engine.prune import worth_expanding
from openbook.words.numbers import figure
from openbook.work import Step
from openbook.work.conditions import Is, Within

#: A gain below this is rounding.
_ZERO = 1e-14


@dataclass(frozen=True)
class ColumnCandidate:
    """A column at a node: its best split and the gain of that less charges; None if there is no split.

    counted : whether its gain counts for the average
    why : why there is no split
    chance : if the column is charged for what chance gains, the number of values and how much each beyond two
        lowers the cost; else None
    """

    attribute: Any
    split: Any
    gain: Any
    counted: bool
    why: str = ""
    chance: tuple[int, float] | None = None

    @property
    def name(self):
        return self.attribute.name

    @property
    def info(self):
        return None if self.split is None else self.split.info

    @property
    def ratio(self):
        """The gain ratio; None if the split information is 0."""
        return self.gain / self.info if self.info else None

    def cuts(self, criterion):
        """Among how many cuts this one was chosen, worked out from the charge; None if there is no charge."""
        if criterion != "gain_ratio" or isinstance(self.attribute, Nominal):
            return None
        return round(2 ** ((self.split.gain(criterion) - self.gain) * self.split.weight))

    def charge(self, criterion):
        """The step that is subtracted from the gain, for the choice among cuts or for chance; or None."""
        weight, cuts = self.split.weight, self.cuts(criterion)
        label, of_all = f"charge({self.name})", rf"}}{{{figure(weight)}}}"
        if cuts is not None:
            formula, charge = r"\frac{\log_2 k}{W}", math.log2(cuts) / weight
            return Step(label, formula, rf"\frac{{\log_2 {cuts}{of_all}", charge)
        if self.chance is None:
            return None
        values, each = self.chance
        by_bits = criterion in ("entropy", "gain_ratio")
        formula = r"\frac{(k - 2) (c - 1)}{2 \ln 2 \cdot W}" if by_bits else r"\frac{(k - 2) \cdot I}{W}"
        numbers = rf"\frac{{({values} - 2) \cdot {figure(each)}{of_all}"
        note = f"what chance alone gains on average with k = {values} values"
        return Step(label, formula, numbers, max(values - 2, 0) * each / weight, note)


@dataclass(frozen=True)
class Search:
    """A node's rows, its candidates column by column, and the winner among them (or None)."""

    rows: Group
    found: list[ColumnCandidate]
    winner: Any

    @property
    def with_split(self):
        """The candidates that have a split."""
        return [candidate for candidate in self.found if candidate.split is not None]

    def errors(self, model):
        """The errors as a leaf, the errors of the winner's branches, and how many branches have rows."""
        filled = [group for group in self.winner.split.children(model.missing) if group.weight > 0]
        return self.rows.errors, math.fsum(group.errors for group in filled), len(filled)

    def fails_pessimistic_test(self, model):
        """Whether the winner does not lower the pessimistic error."""
        leaf, below, branches = self.errors(model)
        return not worth_expanding(leaf, below, branches, model.penalty)

    def chi_squared(self, model):
        """The test of independence of the winner's branches and the classes."""
        return chi_squared([group.weights for group in self.winner.split.children(model.missing)])


def group_at(model, node) -> Group:
    """The training rows of a node; an empty one has none, whatever it says."""
    weight, value = float(model.tree_.weight[node]), model.tree_.value[node].tolist()
    if not hasattr(model, "classes_"):
        return NumberGroup(weight, value[0], value[1] if weight > 0 else 0.0)
    return Classes(tuple(value if weight > 0 else [0.0] * len(value)))


def search_at(model, k) -> Search:
    """The search at the k-th recorded node."""
    rows = group_at(model, model.candidates_.node[k])
    found = _candidates(model, k)
    best = chosen(
        [c.gain for c in found],
        [c.info for c in found],
        rows,
        model.criterion,
        least_gain(model, rows, model.tree_.weight[0]),
        [c.counted for c in found],
    )
    return Search(rows, found, None if best is None else found[best])


def _candidates(model, k) -> list[ColumnCandidate]:
    recorded, start, found = model.candidates_, 0, []
    for j, attribute in enumerate(model.schema_):
        end = start + (len(attribute.values) if isinstance(attribute, Nominal) else 2) + 1
        *groups, missing_rows = (_group(model, stats) for stats in recorded.stats[k, start:end].tolist())
        start = end
        many = isinstance(attribute, Nominal) and len(groups) > free_values(model)
        chance = chance_drop(groups, model.criterion) if many and any(g.weight for g in groups) else None
        gain, cut = float(recorded.gain[k, j]), float(recorded.cut[k, j])
        counted = bool(recorded.counted[k, j])
        gain = 0.0 if abs(gain) < _ZERO else gain
        why = _why_no_split(attribute, groups, missing_rows, gain, cut, chance)
        split = None if why else _split(model, attribute, groups, missing_rows, cut)
        if split is not None and model.criterion == "absolute_error":
            split = _with_deviation(split, gain)
        if not why and split is None and model.criterion == "absolute_error":
            found.append(ColumnCandidate(attribute, None, gain, counted, "its two groups are not stored"))
        elif split is None:
            found.append(ColumnCandidate(attribute, None, None, counted, why or "no gain with two groups"))
        else:
            found.append(ColumnCandidate(attribute, split, gain, counted, chance=chance))
    return found


def _why_no_split(attribute, groups, missing_rows, gain, cut, chance) -> str:
    """Why a column has no split, or nothing."""
    filled = sum(group.weight > 0 for group in groups)
    if not filled and missing_rows.weight <= 0:
        return "not drawn"
    if not math.isnan(gain):
        return ""
    if not filled:
        return "all cells are missing"
    if isinstance(attribute, Nominal):
        if filled > 1 and chance is not None:
            return f"no gain beyond what chance gives {filled} values"
        return "one value only" if filled < 2 else "no split has a gain"
    return "no cut has a gain" if math.isnan(cut) else "the gain does not exceed the penalty"


def _group(model, stats) -> Group:
    return Classes(tuple(stats)) if hasattr(model, "classes_") else NumberGroup(*stats)


def _split(model, attribute, groups, missing_rows, cut) -> CandidateSplit | None:
    """The split of a column with these rows at each value, or on both sides of the cut."""
    branches: list = []
    if not isinstance(attribute, Nominal):
        tests = (Within(attribute, high=cut), Within(attribute, low=cut))
        branches += zip(tests, groups, strict=True)
    elif model.nominal == "multiway":
        filled = [(v, group) for v, group in zip(attribute.values, groups, strict=True) if group.weight > 0]
        branches += ((Is(attribute, (value,)), group) for value, group in filled)
    elif model.criterion == "absolute_error":
        return None  # the medians of groups do not follow from those of values
    else:
        min_weight = min_leaf_weight(model, model.tree_.weight[0])
        best = best_groups(list(enumerate(groups)), missing_rows, model.criterion, min_weight)
        if best is None:
            return None
        for codes, group in best.branches:
            values = tuple(attribute.values[code] for code in sorted(codes))
            branches.append((Is(attribute, values), group))
    split = CandidateSplit(tuple(branches), missing_rows, cut)
    return split.with_missing(_missing(attribute)) if model.missing == "branch" else split


def _with_deviation(split, gain) -> CandidateSplit:
    """A split by absolute error with the deviation of its rows together: what the gain was taken from."""
    weight = math.fsum(group.weight for group in split.groups)
    error = gain * (weight + split.missing_rows.weight) + math.fsum(group.error for group in split.groups)
    return replace(split, together=NumberGroup(weight, math.nan, error))


def _missing(attribute):
    """The condition that a cell is missing."""
    if isinstance(attribute, Nominal):
        return Is(attribute, (), missing=True)
    return Within(attribute, math.inf, -math.inf, missing=True)
