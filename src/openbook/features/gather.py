"""From a table and a target to the contingency table or moments of every attribute.

    class target      categories are counted; numbers are cut into intervals and counted, or averaged by class
    numeric target    its quarters (equal frequency) are the classes where a measure is of counts; otherwise
                      it is averaged by value, or paired with the attribute's numbers

An ordinal attribute is its rank where a measure takes numbers. A missing cell leaves its row out for that
attribute alone. Counting goes through `openbook.fold`, and columns are cut side by side.

codes : intp (n,), the class of each row
"""

import math
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any

import numpy as np

from openbook.border.rows import Chunk, Rows, refuse_infinity
from openbook.data import Categorical, Column, Nominal, Numeric, Ordinal, Schema, Table, Text
from openbook.data.attributes import as_text
from openbook.data.distinct import distinct_codes
from openbook.features.evidence import AttributeCounts, ClassGroups, Evidence, NumberPairs
from openbook.features.measures import Measure
from openbook.fold import each, fold
from openbook.judge.folds.examples import Examples
from openbook.judge.folds.splits import task_of
from openbook.judge.scores.metrics import Task
from openbook.kernels.counts import Counts
from openbook.kernels.moments import Moments
from openbook.kernels.samples import distinct
from openbook.prepare.discretise import BinSplit, equal_cuts, mdl_splits
from openbook.words.numbers import interval_names

#: "mdl" cuts by the classes (Fayyad and Irani), a number into that many intervals of equal frequency.
Bins = str | int

#: Into how many parts a numeric target is cut where a measure needs classes.
QUARTERS = 4

#: More different whole numbers than these are no classes, unless their column is nominal.
FEW_CLASSES = 10


@dataclass(frozen=True)
class Target:
    """The target: class codes and the classes' names, or numbers and None."""

    name: str
    values: np.ndarray
    classes: tuple[str, ...] | None

    @classmethod
    def of(cls, examples: Examples) -> "Target":
        classes = None if examples.classes is None else tuple(as_text(label) for label in examples.classes)
        return cls(examples.name, examples.target, classes)

    def as_classes(self) -> "Target":
        """Itself, or the quarters of its numbers."""
        if self.classes is not None:
            return self
        cuts = _equal(self.values, QUARTERS)
        return Target(self.name, np.searchsorted(cuts, self.values), interval_names(cuts))


def target_task(y: Any) -> Task:
    """What the target is: labels, and up to ten different whole numbers, are classes."""
    if isinstance(y, Column) or (labels := np.asarray(y)).dtype.kind not in "iuf":
        return task_of(y)
    few = len(distinct_codes(labels.ravel())[0]) <= FEW_CLASSES
    whole = labels.dtype.kind != "f" or bool((labels == np.floor(labels)).all())
    return "classification" if few and whole else "regression"


@dataclass(frozen=True)
class Discrete:
    """A table of categories only, and how each number was cut, by name."""

    table: Table
    splits: dict[str, tuple[BinSplit, ...]]


def discrete(table: Table, target: Target, bins: Bins) -> Discrete:
    """The attributes as categories: numbers are cut, text is left out."""
    assert target.classes is not None
    refuse_infinity(table)
    names = [a.name for a in table.schema if not isinstance(a, Text)]
    cut = partial(_cut, target.values, len(target.classes), bins)
    columns = list(each([table.column(name) for name in names], cut))
    found = [column for column, _ in columns]
    schema = Schema(tuple(column.attribute for column in found))
    splits = {column.name: splits for column, splits in columns}
    return Discrete(Table(schema, [column.data for column in found]), splits)


def _cut(
    codes: np.ndarray, n_classes: int, bins: Bins, column: Column
) -> tuple[Column, tuple[BinSplit, ...]]:
    """A column as categories, and the cuts that were tried."""
    if isinstance(column.attribute, Categorical):
        return column, ()
    assert isinstance(column.attribute, Numeric)
    known = ~np.isnan(column.data)
    x = column.data[known]
    splits: tuple[BinSplit, ...] = ()
    if bins == "mdl":
        splits = tuple(mdl_splits(x, codes[known], n_classes))
        cuts = np.array(sorted(split.cut for split in splits if split.accepted))
    else:
        cuts = _equal(x, int(bins))
    attribute = Ordinal(column.name, column.attribute.interval_names(cuts.tolist()))
    cells = np.full(len(known), -1, dtype=attribute.dtype)
    cells[known] = np.searchsorted(cuts, x)
    return Column(attribute, cells), splits


def _equal(numbers: np.ndarray, bins: int) -> np.ndarray:
    values, weights = distinct(numbers, np.ones(len(numbers)))
    return equal_cuts(values, weights, bins)


def gather_evidence(table: Table, target: Target, measure: Measure, bins: Bins) -> dict[str, Evidence]:
    """The evidence of every attribute that has some, by name; text has none."""
    if measure.of_counts:
        return _counted(table, target.as_classes(), bins)
    refuse_infinity(table)
    if target.classes is None:
        columns = [table.column(a.name) for a in table.schema if not isinstance(a, Text)]
        return {column.name: _with_numbers(column, target) for column in columns}
    numbers = [a.name for a in table.schema if isinstance(a, Numeric | Ordinal)]
    found: dict[str, Evidence] = dict(zip(numbers, _by_class(table, numbers, target), strict=True))
    nominal = table.schema.of(Nominal)
    if nominal and measure.name == "correlation":
        found |= _counted(table.select(nominal), target, bins)
    return found


def _counted(table: Table, target: Target, bins: Bins) -> dict[str, Evidence]:
    assert target.classes is not None
    categories = discrete(table, target, bins)
    if not len(categories.table.schema):
        return {}
    rows = Rows.in_memory(categories.table, target.values)
    counts = fold(rows.pieces, partial(_counts, len(target.classes)), add)
    found: dict[str, Evidence] = {}
    attributes = (a for a in categories.table.schema if isinstance(a, Categorical))
    for a, cells in zip(attributes, counts.tables, strict=True):
        splits = categories.splits[a.name]
        found[a.name] = AttributeCounts(a.name, target.name, cells, target.classes, a.values, splits)
    return found


def _counts(n_classes: int, chunk: Chunk) -> Counts:
    n_values = [len(a.values) for a in chunk.X.schema if isinstance(a, Categorical)]
    return Counts.of(chunk.X.columns, n_values, chunk.y, chunk.w, n_classes)


def _by_class(table: Table, names: list[str], target: Target) -> list[ClassGroups]:
    """The moments of numbers and ranks in each class."""
    assert target.classes is not None
    rows = Rows.in_memory(table, target.values)
    moments = fold(rows.pieces, partial(_moments, names, len(target.classes)), add)
    parts = zip(moments.weight.T, moments.mean.T, moments.scatter.T, strict=True)
    named = zip(names, parts, strict=True)
    return [ClassGroups(name, target.name, target.classes, *statistics) for name, statistics in named]


def _moments(names: list[str], n_classes: int, chunk: Chunk) -> Moments:
    if chunk.X.schema.of(Numeric) == tuple(names):
        block = chunk.X.block(names) if names else np.zeros((len(chunk.y), 0))
    else:
        block = np.stack([_numbers(chunk.X.column(name)) for name in names], axis=1)
    return Moments.of(block, chunk.y, chunk.w, n_classes)


def _with_numbers(column: Column, target: Target) -> Evidence:
    """The evidence of an attribute about a numeric target."""
    known = ~column.missing
    y = target.values[known]
    if not isinstance(column.attribute, Nominal):
        return NumberPairs.of(column.name, target.name, _numbers(column)[known], y)
    values = column.attribute.values
    moments = Moments.of(y[:, None], column.data[known].astype(np.intp), np.ones(len(y)), len(values))
    parts = (part[:, 0] for part in (moments.weight, moments.mean, moments.scatter))
    return ClassGroups(target.name, column.name, values, *parts)


def _numbers(column: Column) -> np.ndarray:
    """Numbers, or the ranks of an ordinal column; NaN where missing."""
    if isinstance(column.attribute, Numeric):
        return column.data.astype(float, copy=False)
    return np.where(column.missing, math.nan, column.data.astype(float))
