"""A shallow tree that is grown on some rows and tested on others, with its leaves as readable rules.

Numbers are cut at round numbers, a hundred or more within a standard deviation. A missing cell may be
informative, so a column with missing cells can also be split into missing and known; rows with a missing cell
go down a separate branch. Nominal values are divided into two groups. Columns of text are left out.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from openbook.border.rules import Whole, check_value
from openbook.data import Attribute, Categorical, Nominal, Numeric, Schema, Table
from openbook.errors import DataError
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor
from openbook.tree.engine.nodes import LEAF
from openbook.tree.show.named_tree import named_tree
from openbook.tree.show.ruleset import rules
from openbook.words.sentences import plural
from openbook.work.conditions import Condition, Is, Within, simplified

#: The fewest rows that a segment is found on, and their least share of a half; half as many can judge it.
_FEWEST, _SHARE = 10, 0.05

_YES = "yes"


@dataclass(frozen=True)
class Leaf:
    """A rule, and masks of the rows that it was grown on and of those that judge it."""

    rule: str
    conditions: tuple[Condition, ...]
    grown: np.ndarray
    judged: np.ndarray


def honest_leaves(
    table: Table,
    values: np.ndarray,
    halves: tuple[np.ndarray, np.ndarray],
    max_depth: int = 2,
    min_rows: int | None = None,
) -> tuple[list[Leaf], str]:
    """The leaves of a tree over values, grown on the first half of the rows, and what was left out, in words.

    Parameters
    ----------
    table : the rows
    values : a number for each row, which the tree predicts
    halves : masks of the rows to grow on, and to judge by
    max_depth, min_rows : as for `worst_segments`
    """
    for name, given, least in (("max_depth", max_depth, 1), ("min_rows", min_rows, 2)):
        if given is not None:
            check_value(name, given, Whole(at_least=least))
    grow, judge = halves
    fewest = min_rows or max(_FEWEST, math.ceil(_SHARE * min(grow.sum(), judge.sum())))
    names = [a.name for a in table.schema if isinstance(a, Numeric | Categorical)]
    if not names:
        raise DataError("X has no column to define segments by; give numbers or categories")
    notes = []
    if texts := [name for name in table.names if name not in names]:
        notes.append(f"Columns of text are left out: {', '.join(texts)}.")
    if min(grow.sum(), judge.sum()) < 2 * fewest:
        what = f"find segments of {fewest} rows on one half and judge them on the other"
        return [], f"{plural(len(values), 'row')} are too few to {what}."
    listed = [
        leaf
        for leaf in _leaves(table.select(names), values, grow, judge, max_depth, fewest)
        if leaf.grown.sum() >= fewest and 2 * leaf.judged.sum() >= fewest
    ]
    if len(listed) < 2:
        return [], " ".join(["The tree found no split.", *notes])
    small = len(values) - sum(int(leaf.grown.sum() + leaf.judged.sum()) for leaf in listed)
    if small:
        notes.append(f"{plural(small, 'row')} in smaller segments are among the rest.")
    return listed, " ".join(notes)


def _leaves(
    table: Table, values: np.ndarray, grow: np.ndarray, judge: np.ndarray, max_depth: int, fewest: int
) -> Iterator[Leaf]:
    """Every leaf of the tree, whatever its size."""
    decimals = {a.name: _decimals(table.data(a.name)) for a in table.schema if isinstance(a, Numeric)}
    gaps = {a.name: a for a in table.schema if table.column(a.name).missing.any()}
    flags = {_free(f"{name} is known", table): attribute for name, attribute in gaps.items()}
    inputs = _with_flags(table, flags)
    columns = [
        np.round(inputs.data(name), decimals[name]) if name in decimals else inputs.data(name)
        for name in inputs.names
    ]
    # for 0 and 1 Gini is twice their variance, and a study of classes has compiled it already
    learner = DecisionTreeClassifier if np.isin(values, (0, 1)).all() else DecisionTreeRegressor
    tree = learner(nominal="subset", missing="branch", max_depth=max_depth, min_samples_leaf=fewest)
    tree.fit(Table(inputs.schema, columns).take(grow), values[grow])
    for node in np.flatnonzero(np.isfinite(tree.tree_.cut)):
        name = inputs.names[tree.tree_.attribute[node]]
        if name in decimals:  # a cut is halfway between two round numbers: one more decimal
            tree.tree_.cut[node] = np.round(tree.tree_.cut[node], decimals[name] + 1)
    at = tree.apply(inputs)
    nodes = [node for node in named_tree(tree).depth_first() if tree.tree_.attribute[node] == LEAF]
    for node, rule in zip(nodes, rules(tree), strict=True):
        conditions = simplified(_condition_words(each, flags, gaps) for each in rule.conditions)
        words = " and ".join(map(str, conditions)) or "anything"
        yield Leaf(words, conditions, grow & (at == node), judge & (at == node))


def _decimals(numbers: np.ndarray) -> int:
    """The decimal places that leave a hundred or more round numbers within a standard deviation."""
    known = numbers[np.isfinite(numbers)]
    spread = float(known.std()) if len(known) else 0.0
    return 2 - math.floor(math.log10(spread)) if spread > 0 else 0


def _with_flags(table: Table, flags: dict[str, Attribute]) -> Table:
    """The table and, for each column with gaps, one that says where they are."""
    attributes = [Nominal(flag, ("no", _YES)) for flag in flags]
    codes = [(~table.column(attribute.name).missing).astype(np.int8) for attribute in flags.values()]
    return Table(Schema((*table.schema.attributes, *attributes)), [*table.columns, *codes])


def _free(name: str, table: Table) -> str:
    while name in table.names:
        name += "?"
    return name


def _condition_words(condition: Condition, flags: dict[str, Attribute], gaps: Collection[str]) -> Condition:
    """The condition for readers: on the column itself, and on missing cells only if it has some."""
    attribute = condition.attribute
    if attribute.name in flags:
        return _whether(flags[attribute.name], known=condition.values == (_YES,))
    return condition if attribute.name in gaps else replace(condition, missing=False)


def _whether(attribute: Any, *, known: bool) -> Condition:
    if isinstance(attribute, Nominal):
        return Is(attribute, attribute.values if known else (), missing=not known)
    return Within(attribute) if known else Within(attribute, math.inf, -math.inf, missing=True)
