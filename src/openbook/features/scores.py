"""Attribute scores: how informative each attribute of a table is about the target.

Attributes come the best first, by absolute value where a score can be negative; of equals the one that comes
first in the table. An undefined score is NaN, with its reason, and comes last. p-values are adjusted for the
number of attributes tested (Holm). Missing cells leave their row out for that attribute alone.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from openbook.border.rules import Whole
from openbook.data import Attribute, Numeric, SparseTable, Text, read
from openbook.data.adjustments import holm
from openbook.draw import Categories, Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import DataError, ParameterError, UnknownColumn, did_you_mean
from openbook.features.evidence import AttributeCounts, Evidence
from openbook.features.gather import Bins, Target, gather_evidence, target_task
from openbook.features.measures import IndependenceTest, Measure, measure_named
from openbook.judge.folds.examples import Examples
from openbook.words.numbers import p_words, shown, shown_p
from openbook.words.parameters import documented
from openbook.words.sentences import listed
from openbook.work import Grid, ShowsWork, Work

#: Classes beyond this many have no column of their own in the table of scores.
_FEW = 6

#: More bars than these would be too thin to read.
_MOST_BARS = 20


@dataclass(frozen=True, eq=False)
class AttributeScore:
    """The score of an attribute, its test and its evidence.

    Attributes
    ----------
    attribute : str
        Its name.
    kind : str
        The kind of the attribute: "numeric", "nominal", "ordinal" or "text".
    measure : Measure
        The measure.
    score : float
        The score; NaN if it is undefined.
    test : IndependenceTest
        Whether the attribute could be independent of the target.
    p_adjusted : float
        The test's p-value, adjusted for all attributes (Holm).
    evidence : Evidence or None
        The counts or moments of the rows in which the attribute is known; None if there are none.
    classes : tuple of str
        The classes that single scores are for.
    why : str, default=""
        Why the score is undefined; empty if it is not.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> best = score_attributes(load("weather"), "play").rows[0]
    >>> best.attribute, round(best.score, 4)
    ('outlook', 0.2467)
    """

    attribute: str
    kind: str
    measure: Measure
    score: float
    test: IndependenceTest
    p_adjusted: float
    evidence: Evidence | None
    classes: tuple[str, ...]
    why: str = ""

    @property
    def p_value(self) -> float:
        return self.test.p_value

    @property
    def known(self) -> int:
        """In how many rows the attribute is known."""
        return int(self.evidence.n) if self.evidence is not None else 0

    @cached_property
    def per_class(self) -> dict[str, float]:
        """The score for each class against all others; empty if the target has no classes."""
        if self.evidence is None:
            return dict.fromkeys(self.classes, math.nan)
        return {label: self.measure.of_class(self.evidence, c) for c, label in enumerate(self.classes)}

    def work(self) -> Work:
        """Derive the score from the counts or moments."""
        from openbook.features.derive import derive_score

        return derive_score(self)


@dataclass(frozen=True, repr=False, eq=False)
class AttributeScores(ShowsWork):
    """The scores of all attributes, the best first.

    Attributes
    ----------
    rows : tuple of AttributeScore
        The score of each attribute.
    measure : Measure
        How they were scored.
    target : str
        Its name.
    classes : tuple of str
        The classes with their own scores; empty if there are none.
    n : int
        How many rows there are.
    bins : Bins
        How numbers were cut.
    quarters : bool, default=False
        Whether the classes are quarters of a numeric target.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> scores = score_attributes(load("weather"), "play", "gain_ratio")
    >>> scores.names[0], scores.n
    ('outlook', 14)
    """

    rows: tuple[AttributeScore, ...]
    measure: Measure
    target: str
    classes: tuple[str, ...]
    n: int
    bins: Bins
    quarters: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.attribute for row in self.rows)

    def __getitem__(self, attribute: str) -> AttributeScore:
        for row in self.rows:
            if row.attribute == attribute:
                return row
        raise UnknownColumn(attribute, self.names)

    def __iter__(self) -> Iterator[AttributeScore]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def for_class(self, label: Any) -> dict[str, float]:
        """The scores of the attributes for one class against all others, the best first.

        Parameters
        ----------
        label : label
            The class.

        Returns
        -------
        dict of str to float
        """
        if str(label) not in self.classes:
            raise ParameterError(f"no class {label!r}. {did_you_mean(str(label), self.classes)}")
        scores = {row.attribute: row.per_class[str(label)] for row in self.rows}
        return dict(sorted(scores.items(), key=lambda item: _rank(item[1])))

    def work(self, attribute: str | None = None) -> Work:
        """The table of scores; or, for an attribute, how its score came about.

        Parameters
        ----------
        attribute : str or None, default=None
            The name of the attribute; None for the table of all scores.

        Returns
        -------
        Work
        """
        if attribute is not None:
            return self[attribute].work()
        by_class = self.classes if self._tells_classes else ()
        header = ("attribute", "kind", self.measure.words, *by_class, "known", "p", "p (Holm)")
        cells = [self._cells(row, by_class) for row in self.rows]
        parts = [Grid("", header, cells, self._note())]
        if remarks := [(row.attribute, why) for row in self.rows if (why := row.why or row.test.warning)]:
            parts.append(Grid("Remarks", ("attribute", ""), remarks))
        return Work(f"{self.measure.words} with {self.target}".capitalize(), tuple(parts))

    @property
    def _tells_classes(self) -> bool:
        """Whether the table has a column for each class; of two, both often say the same."""
        return 1 < len(self.classes) <= _FEW and (len(self.classes) > 2 or self.measure.name == "pmi")

    def _cells(self, row: AttributeScore, by_class: tuple[str, ...]) -> tuple[str, ...]:
        classes = [shown(row.per_class[label]) for label in by_class]
        ps = [p_cell(row.p_value), p_cell(row.p_adjusted)]
        return (row.attribute, row.kind, shown(row.score), *classes, f"{row.known:,}", *ps)

    def _note(self) -> str:
        tests = " and ".join(sorted({row.test.name for row in self.rows if row.test.name}))
        notes = [f"{self.n:,} rows"] + ([f"p from the {tests} test"] if tests else [])
        if self.quarters:
            notes.append(f"{self.target} cut into quarters of equal frequency")
        if self.bins == "mdl" and any(_is_cut(row) for row in self.rows):
            notes.append("numbers cut by MDL; the cuts were chosen by the classes, so their p is too small")
        elif self.measure.of_counts and any(row.kind == "numeric" for row in self.rows):
            notes.append(f"numbers cut into {self.bins} intervals of equal frequency")
        return "; ".join(notes) + "."

    def draw(self) -> Picture:
        """The scores as bars, the best on top."""
        finite = [row for row in self.rows if math.isfinite(row.score)]
        drawn = finite[:_MOST_BARS][::-1]  # the axis goes up
        ends = np.array([row.score for row in drawn])
        low, high = min(0.0, ends.min(initial=0.0)), max(ends.max(initial=0.0), 0.0)
        across = Numbers.between(self.measure.words, low, high if high > low else 1.0)
        plot = Plot(across, Categories("", tuple(row.attribute for row in drawn)))
        sure = [row.p_adjusted <= 0.05 for row in drawn]
        tooltips = [f"{row.attribute}: {shown(row.score)}{_p_words(row.p_adjusted)}" for row in drawn]
        plot.bars(ends, ["c0" if yes else "c0 pale" for yes in sure], tooltips)
        if any(sure):
            plot.named("c0", "p (Holm) at most 0.05")
        if not all(sure):
            plot.named("c0 pale", "not significant")
        notes = [f"{self.measure.words.capitalize()} of each attribute, {self.n:,} rows."]
        if len(finite) > _MOST_BARS:
            notes.append(f"The best {_MOST_BARS} of {len(self)} attributes.")
        elif absent := [row for row in self.rows if not math.isfinite(row.score)]:
            texts = [row.attribute for row in absent if row.kind == Text.kind]
            others = [row.attribute for row in absent if row.kind != Text.kind]
            notes += [f"Texts are not scored: {listed(texts)}."] if texts else []
            notes += [f"No finite score, and no bar: {listed(others)}."] if others else []
        return plot.picture(f"Attribute scores for {self.target}", notes, " ".join(tooltips[::-1]))


@documented
def score_attributes(
    table: Any, target: Any, measure: str = "mutual_information", bins: Bins = "mdl"
) -> AttributeScores:
    """Score how informative every attribute is about the target.

    Parameters
    ----------
    table : table-like
        The rows, with or without the column of the target.
    target : str or array-like
        The name of a column of the table, or an array, Series or Column. Labels are classes, and so are up to
        ten different whole numbers in an array.
    measure : str, default="mutual_information"
    bins : {"mdl"} or int, default="mdl"
        How numbers are cut for a measure of counts: by the classes (Fayyad and Irani), or into this number of
        intervals of equal frequency, which keeps p-values valid. A numeric target is cut into quarters.

    Returns
    -------
    AttributeScores

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> scores = score_attributes(load("weather"), "play")
    >>> scores.names
    ('outlook', 'humidity', 'windy', 'temperature')
    >>> round(scores["outlook"].score, 4)
    0.2467
    """
    if isinstance(target, str):
        table, target = read(table).split(target)
    return score_examples(Examples.of(table, target, target_task(target)), measure, bins)


def score_examples(examples: Examples, measure: "str | Measure", bins: Bins) -> AttributeScores:
    """The scores of rows that are read already."""
    how, inputs, aim = measure_named(measure), examples.table, Target.of(examples)
    check_bins(bins)
    if isinstance(inputs, SparseTable):
        raise DataError("attributes of sparse data cannot be scored one by one; pass X.toarray()")
    quarters = how.of_counts and aim.classes is None
    if quarters:
        aim = aim.as_classes()
    found = gather_evidence(inputs, aim, how, bins)
    scored = [_scored(attribute, how, aim, found.get(attribute.name)) for attribute in inputs.schema]
    adjusted = holm([row.p_value for row in scored])
    rows = [replace(row, p_adjusted=float(p)) for row, p in zip(scored, adjusted, strict=True)]
    rows.sort(key=lambda row: _rank(row.score))
    return AttributeScores(tuple(rows), how, aim.name, aim.classes or (), len(inputs), bins, quarters)


def check_bins(bins: Any) -> None:
    if bins != "mdl" and not Whole(at_least=2).allows(bins):
        raise ParameterError(f"bins must be 'mdl' or {Whole(at_least=2).demand()}, got {bins!r}")


def _scored(attribute: Attribute, how: Measure, aim: Target, evidence: Evidence | None) -> AttributeScore:
    score, test, why = math.nan, IndependenceTest("", math.nan, (), math.nan), ""
    if isinstance(attribute, Text):
        why = "text: convert it to counts first"
    elif evidence is None:
        why = f"{how.words} needs a number on one side; chi_squared is for categories"
    elif not evidence.n:
        evidence, why = None, "never known"
    else:
        score, test = how(evidence), how.test(evidence)
        if math.isnan(score):
            why = "undefined: one of the two does not vary, or there are too few rows"
    return AttributeScore(
        attribute.name, attribute.kind, how, score, test, math.nan, evidence, aim.classes or (), why
    )


def _rank(score: float) -> float:
    """What to sort by; scores that differ by rounding are equal."""
    return math.inf if math.isnan(score) else -float(f"{abs(score):.12g}")


def _is_cut(row: AttributeScore) -> bool:
    return isinstance(row.evidence, AttributeCounts) and row.kind == Numeric.kind


def p_cell(p: float) -> str:
    """A p-value as it stands in a table; nothing if there is none."""
    return "" if math.isnan(p) else shown_p(p)


def _p_words(p: float) -> str:
    return "" if math.isnan(p) else f", p {p_words(p)}"
