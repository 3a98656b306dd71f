"""1R: one rule on one attribute, the one with the fewest errors.

    rule(v)    = the most frequent class among the rows with value v; ties: the first
    errors(a)  = sum over the values v of a of the rows that the rule gets wrong

The attribute with the fewest errors wins, the first in the table among equals. Numeric attributes are cut
into intervals of about equal frequency, of six rows or more, at the midpoint of two neighbouring values;
neighbours with the same class are joined, which changes no error. Missing is a value of its own. An unseen
value, or a missing one if training had none, gets the most frequent class of all.

counts : float64 (n_classes, n_values) for each attribute
"""

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.folding import Folding
from openbook.border.learner import Classifier, class_names
from openbook.border.not_taken import Declared
from openbook.border.rules import Whole
from openbook.data import UNSEEN, Categorical, Numeric
from openbook.draw.charts import stacked_bars
from openbook.fold import ROUNDING, Statistics
from openbook.kernels.counts import Counts, class_weights
from openbook.kernels.samples import Samples
from openbook.prepare.discretise import equal_cuts
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import printable
from openbook.work import Grid, Step, Work
from openbook.work.conditions import Condition, Is, Within
from openbook.work.rules import Rule, RuleList

#: Fewer rows than these make no interval of their own (Holte's smallest bucket).
SMALL = 6


@dataclass(frozen=True)
class RuleEvidence(Statistics):
    """The weight of each class, counts of the categories, samples and gaps of the numbers."""

    classes: np.ndarray
    counts: Counts
    samples: Samples
    gaps: np.ndarray


class AttributeRule(NamedTuple):
    """The rule of one attribute: what to say for each value, and how often that is wrong."""

    name: str
    values: tuple[str, ...]
    cuts: np.ndarray
    counts: np.ndarray
    errors: float


class OneR(Declared, Folding, Classifier):
    """One rule on the best single attribute (Holte, 1993).

    Parameters
    ----------
    bins : int, default=10
        The most intervals of about equal frequency into which a numeric attribute is cut.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    attribute_ : str
        The attribute of the rule.
    rule_ : dict
        The class that the rule predicts for each value of the attribute.
    errors_ : dict
        The training errors of the rule of every attribute.
    statistics_ : RuleEvidence
        The counts that the rules were made from.

    Notes
    -----
    Guide: docs/guide/baselines.md

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = OneR().fit(X, y)
    >>> model.attribute_, model.errors_["outlook"], model.rule_["sunny"]
    ('outlook', 4.0, 'No')
    """

    _counts_rows = True

    bins: Annotated[int, Whole(at_least=2)] = 10
    _scores_poorly = True  # a baseline

    def knobs(self):
        return {"bins": (3, 5, 10, 20)}

    def _step(self):
        return partial(_rule_evidence, self.schema_, len(self.classes_))

    def _zero(self):
        k, n_numeric = len(self.classes_), len(self.schema_.of(Numeric))
        counts = Counts.zero([len(a.values) for a in self.schema_ if isinstance(a, Categorical)], k)
        return RuleEvidence(np.zeros(k), counts, Samples.zero(k, n_numeric), np.zeros((k, n_numeric)))

    def _solve(self):
        self._labels = class_names(self)
        self._candidates = self._rules_of_all()
        self.errors_ = {rule.name: rule.errors for rule in self._candidates}
        fewest = min(rule.errors for rule in self._candidates)
        even = fewest + ROUNDING * float(self.statistics_.classes.sum())  # the order of sums decides nothing
        self._best = next(rule for rule in self._candidates if rule.errors <= even)
        self.attribute_ = self._best.name
        winners = self.classes_[self._best.counts.argmax(axis=0)].tolist()
        lines = zip(self._best.values, winners, self._best.counts.any(axis=0), strict=True)
        self.rule_ = {value: label for value, label, seen in lines if seen}
        default = self.statistics_.classes
        shares = np.vstack([default, self._best.counts[:, -1], self._best.counts[:, :-1].T])
        shares[~shares.any(axis=1)] = default  # nothing was seen there: the most frequent class of all
        self._shares = shares / shares.sum(axis=1, keepdims=True)

    def _rules_of_all(self):
        """The rule of every attribute, in the table's order."""
        tables = zip(self.statistics_.counts.tables, self.statistics_.counts.missing, strict=True)
        rules, n_numeric = [], 0
        for attribute in self.schema_:
            if isinstance(attribute, Categorical):
                counts = np.hstack(next(tables))
                rules.append(_rule(attribute.name, (*attribute.values, "missing"), np.zeros(0), counts))
            else:
                rules.append(self._numeric_rule(attribute, n_numeric))
                n_numeric += 1
        return rules

    def _numeric_rule(self, attribute, j):
        values, weights = self.statistics_.samples.overall(j)
        cuts = equal_cuts(values, weights, self.bins, SMALL)
        winners = self._counts_between(cuts, j).argmax(axis=0)
        cuts = cuts[winners[:-1] != winners[1:]]  # neighbours of one class are one interval
        counts = np.hstack([self._counts_between(cuts, j), self.statistics_.gaps[:, [j]]])
        return _rule(attribute.name, (*attribute.interval_names(cuts), "missing"), cuts, counts)

    def _counts_between(self, cuts, j):
        """The class weights in the intervals of a column, (n_classes, n_cuts + 1)."""
        counts = np.zeros((len(self.classes_), len(cuts) + 1))
        for c in range(len(counts)):
            values, weights = self.statistics_.samples.cell(c, j)
            np.add.at(counts[c], np.searchsorted(cuts, values), weights)
        return counts

    def _proba(self, X):
        data = X.data(self.attribute_)
        if isinstance(self.schema_[self.attribute_], Numeric):
            data = np.where(np.isnan(data), -1, np.searchsorted(self._best.cuts, data))
        return self._shares[data.astype(np.intp) + 2]  # unseen, missing, then the values

    def complexity(self):
        return len(self.rule_)

    def rules(self):
        """The decision rules, one for each value or interval of the attribute.

        Returns
        -------
        RuleList
            `print` shows them; `sql()` and `to_json()` write them in other ways. The last one is for what
            training has not shown; unseen values and missing cells share a rule.
        """
        check_is_fitted(self)
        counts, shares = self._best.counts, self._shares
        seen = counts.any(axis=0)
        lines = [(c, counts[:, v]) for v, c in enumerate(self._conditions()) if seen[v] and v < len(seen) - 1]
        missing = shares[1] if seen[-1] else shares[0]
        attribute, note = self.schema_[self.attribute_], ""
        if isinstance(attribute, Categorical):
            unseen = tuple(v for v, n in zip(self._best.values[:-1], seen[:-1], strict=True) if not n)
            other: Condition = Is(attribute, unseen, missing=True)
            if seen[-1] and missing.argmax() != shares[0].argmax():
                note = "-- values not seen in training count as NULL\n"
        else:
            other = Within(attribute, math.inf, -math.inf, missing=True)
        lines.append((other, missing * counts[:, -1].sum()))
        return RuleList([self._rule(*line, missing) for line in lines], self.target_, note=note)

    def draw(self):
        """The rule as bars: how many rows of each class each value of the attribute has.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        seen = np.flatnonzero(self._best.counts.any(axis=0))[::-1]  # the axis goes up
        counts = self._best.counts[:, seen]
        lines = [f"{self._best.values[v]}: {self._labels[self._best.counts[:, v].argmax()]}" for v in seen]
        title = f"1R for {self.target_}: {self.attribute_}"
        wrong = f"{figure(self._best.errors)} of {figure(counts.sum())} training rows are predicted wrong."
        notes = ("Beside each value: the prediction.", wrong)
        return stacked_bars(title, "rows", lines, self._labels, counts, notes)

    def _conditions(self):
        """What each value but missing asks of the attribute."""
        attribute = self.schema_[self.attribute_]
        if isinstance(attribute, Categorical):
            return [Is(attribute, (value,)) for value in attribute.values]
        return [Within(attribute, *bounds) for bounds in pairwise([-math.inf, *self._best.cuts, math.inf])]

    def _rule(self, condition, counts, otherwise):
        winner = int(np.argmax(counts if counts.any() else otherwise))
        weight, total = float(counts.sum()), float(self.statistics_.classes.sum())
        confidence = float(counts[winner] / weight) if weight else float(otherwise[winner])
        outcome = f"{printable(self.target_)} = {self._labels[winner]}"
        label = self.classes_[winner : winner + 1].tolist()[0]
        return Rule((condition,), label, weight, weight / total, confidence, outcome)

    def to_sql(self, table="t", quote='"'):
        """The rule as an SQL query for the rows of a table and the prediction for each.

        Parameters
        ----------
        table : str or None, default="t"
            The name of the table; None for the CASE expression alone.
        quote : str, default='"'

        Returns
        -------
        str
        """
        return self.rules().sql(table, quote)

    def _work(self):
        grids = [self._grid(rule) for rule in self._candidates]
        lines = [[r.name, r.errors, r.counts.sum()] for r in self._candidates]
        errors = Grid("errors", ["attribute", "errors", "of"], lines)
        end = f"The fewest errors: {self.attribute_} ({figure(self._best.errors)})."
        return Work(f"1R for {self.target_}", (*grids, errors), end)

    def _grid(self, rule):
        rows = [
            [value, *counts, self._labels[int(np.argmax(counts))], sum(counts) - max(counts)]
            for value, counts in zip(rule.values, rule.counts.T.tolist(), strict=True)
            if any(counts)
        ]
        return Grid(rule.name, ["value", *self._labels, "rule", "errors"], rows)

    def _work_row(self, X):
        shown, counts = self._rows_alike(X)
        note = ""
        if not any(counts):
            counts = self.statistics_.classes.tolist()
            note = "no such row in training: the class shares of all rows"
        total, given = sum(counts), f"{self.attribute_} {shown}"
        names = [f"P({self.target_} = {label} | {given})" for label in self._labels]
        steps = tuple(
            Step(name, r"\frac{n_c}{n}", fraction(n, total), n / total, note)
            for name, n in zip(names, counts, strict=True)
        )
        answer = self._labels[counts.index(max(counts))]
        end = f"{self.attribute_} {shown}, so: {self.target_} = {answer}."
        return Work(f"1R for {self.target_}: one prediction", steps, end)

    def _rows_alike(self, X):
        """The attribute's value in a one-row table, in words, and the classes of the training rows alike."""
        value, code = X.column(self.attribute_)[0], X.data(self.attribute_)[0]
        if value is None or math.isnan(code):
            unseen = code == UNSEEN
            counts = np.zeros(len(self._labels)) if unseen else self._best.counts[:, -1]
            return "is an unseen value" if unseen else "is missing", counts.tolist()
        if isinstance(self.schema_[self.attribute_], Categorical):
            return f"= {value}", self._best.counts[:, code].tolist()
        interval = int(np.searchsorted(self._best.cuts, code))
        shown = value if isinstance(value, str) else figure(value)  # a date is written as a text
        return f"= {shown}", self._best.counts[:, interval].tolist()


def _rule_evidence(schema, n_classes, chunk):
    """What a chunk adds."""
    X, y, w = chunk
    nominal = [a for a in schema if isinstance(a, Categorical)]
    counts = Counts.of([X.data(a.name) for a in nominal], [len(a.values) for a in nominal], y, w, n_classes)
    numeric = schema.of(Numeric)
    x = X.block(numeric).astype(float, copy=False) if numeric else np.zeros((len(y), 0))
    gaps = np.zeros((n_classes, len(numeric)))
    np.add.at(gaps, y, w[:, None] * np.isnan(x))
    return RuleEvidence(class_weights(y, w, n_classes), counts, Samples.of(x, y, w, n_classes), gaps)


def _rule(name, values, cuts, counts):
    return AttributeRule(name, values, cuts, counts, float(counts.sum() - counts.max(axis=0).sum()))
