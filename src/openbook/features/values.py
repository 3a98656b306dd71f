"""Scores of single values: how informative "outlook = overcast" is about the target, and how frequent.

    counts of a value v    rows of each class with v, and with any other value
    score                  a measure of these counts, as if v were an attribute of its own
    frequency              how many rows have v

Values come the best first, of equals the more frequent. p-values are adjusted for the number of values tested
(Holm). Numbers are cut into intervals, and each interval is a value. Missing cells leave their row out for
that attribute alone.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from openbook.data import read
from openbook.data.adjustments import holm
from openbook.errors import ParameterError, check_named, did_you_mean
from openbook.features.derive import derive_counts
from openbook.features.evidence import AttributeCounts
from openbook.features.gather import Bins, Target, gather_evidence, target_task
from openbook.features.measures import MEASURES, Measure, measure_named
from openbook.features.scores import check_bins, p_cell
from openbook.judge.folds.examples import Examples
from openbook.words.numbers import figure, shown
from openbook.work import Grid, ShowsWork, Work

#: Values listed in the table of scores.
_LISTED = 30


@dataclass(frozen=True, eq=False)
class ValueScore:
    """A value's score, and how often it occurs.

    Attributes
    ----------
    attribute, value : str
        The attribute, and its value.
    score : float
        The value of the measure.
    frequency : float
        How many rows have it.
    per_class : dict of str to float
        How many rows of each class have it.
    p_value : float
        Of the test that value and target are independent.
    p_adjusted : float
        The same, adjusted for the number of values (Holm).
    evidence : AttributeCounts
        The rows of each class that have the value, and that have another.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> best = score_values(load("weather"), "play").rows[0]
    >>> best.attribute, best.value, best.frequency, best.per_class
    ('outlook', 'overcast', 4.0, {'No': 0.0, 'Yes': 4.0})
    """

    attribute: str
    value: str
    score: float
    frequency: float
    per_class: dict[str, float]
    p_value: float
    evidence: AttributeCounts
    p_adjusted: float = math.nan


@dataclass(frozen=True, repr=False, eq=False)
class ValueScores(ShowsWork):
    """The scores of all values, the best first.

    Attributes
    ----------
    rows : tuple of ValueScore
        The score of each value.
    measure : Measure
        How they were scored.
    target : str
        The name of the target.
    classes : tuple of str
        The classes.
    n : int
        How many rows there are.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> len(score_values(load("weather"), "play"))
    10
    """

    rows: tuple[ValueScore, ...]
    measure: Measure
    target: str
    classes: tuple[str, ...]
    n: int

    def __iter__(self) -> Iterator[ValueScore]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def most_frequent(self, label: Any = None) -> tuple[ValueScore, ...]:
        """The values by frequency, the most frequent first: among all rows, or among those of one class.

        Parameters
        ----------
        label : label or None, default=None
            The class; None for all rows.

        Returns
        -------
        tuple of ValueScore
        """
        if label is not None and str(label) not in self.classes:
            raise ParameterError(f"no class {label!r}. {did_you_mean(str(label), self.classes)}")
        often = {id(row): row.frequency if label is None else row.per_class[str(label)] for row in self.rows}
        return tuple(sorted(self.rows, key=lambda row: -often[id(row)]))

    def work(self, value: str | None = None) -> Work:
        """The table of scores beside frequencies, or how the score of one value came about.

        Parameters
        ----------
        value : str or None, default=None
            The value, as the table writes it: "outlook = sunny"; None for the table.

        Returns
        -------
        Work
        """
        if value is not None:
            named = {f"{row.attribute} = {row.value}": row for row in self.rows}
            check_named("value", value, named)
            parts = derive_counts(self.measure.name, named[value].evidence)
            return Work(f"{self.measure.words} of {value}".capitalize(), tuple(parts))
        header = ("value", self.measure.words, "rows", "share", *self.classes, "p (Holm)")
        rows = []
        for row in self.rows[:_LISTED]:
            frequency = figure(row.frequency), f"{row.frequency / self.n:.1%}"
            counts = map(figure, row.per_class.values())
            value = f"{row.attribute} = {row.value}"
            rows.append((value, shown(row.score), *frequency, *counts, p_cell(row.p_adjusted)))
        unlisted = len(self.rows) - _LISTED
        note = f"{self.n:,} rows" + (f"; {unlisted:,} more values" if unlisted > 0 else "") + "."
        title = f"{self.measure.words} of values with {self.target}".capitalize()
        return Work(title, (Grid("", header, rows, note),))


def score_values(
    table: Any, target: Any, measure: str = "mutual_information", bins: Bins = "mdl"
) -> ValueScores:
    """Score how informative every value of every attribute is about the target, with its frequency.

    Parameters
    ----------
    table : table-like
        The rows, the target among their columns or beside them.
    target : str or array-like
        The name of a column of the table, or an array, Series or Column. A numeric target is cut into
        quarters.
    measure : str, default="mutual_information"
        A measure of counts: "mutual_information", "information_gain", "gain_ratio", "pmi", "chi_squared" or
        "symmetrical_uncertainty".
    bins : {"mdl"} or int, default="mdl"
        How numbers are cut: by the classes, or into this number of intervals of equal frequency.

    Returns
    -------
    ValueScores

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> best, *_ = score_values(load("weather"), "play")
    >>> f"{best.attribute} = {best.value}", round(best.score, 3), best.frequency
    ('outlook = overcast', 0.226, 4.0)
    """
    if isinstance(target, str):
        table, target = read(table).split(target)
    how = measure_named(measure)
    if not how.of_counts:
        wanted = ", ".join(name for name, one in MEASURES.items() if one.of_counts)
        raise ParameterError(f"{measure!r} is not a measure of counts, and values are counted; use {wanted}")
    check_bins(bins)
    examples = Examples.of(table, target, target_task(target))
    aim = Target.of(examples)
    aim = aim.as_classes() if aim.classes is None else aim
    found = gather_evidence(examples.table, aim, how, bins)
    rows = [row for evidence in found.values() if evidence.n for row in _values_of(evidence, how)]
    adjusted = holm([row.p_value for row in rows]).tolist()
    rows = [replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True)]
    rows.sort(key=lambda row: (-float(f"{row.score:.12g}"), -row.frequency))
    return ValueScores(tuple(rows), how, aim.name, aim.classes or (), len(examples))


def _values_of(evidence: Any, how: Measure) -> Iterator[ValueScore]:
    """The scores of an attribute's values, each against all others."""
    counts: AttributeCounts = evidence
    for v, value in enumerate(counts.values):
        shown = counts.counts[:, v]
        if not shown.any():
            continue
        two = replace(counts, counts=np.column_stack([shown, counts.counts.sum(axis=1) - shown]), splits=())
        two = replace(two, values=(value, "another value"))
        score = how(two)
        if not math.isnan(score):
            often = dict(zip(counts.classes, shown.tolist(), strict=True))
            p = how.test(two).p_value
            yield ValueScore(counts.attribute, value, score, float(shown.sum()), often, p, two)
