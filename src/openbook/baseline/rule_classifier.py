"""A classifier of hand-written rules, so that people can compete with the learners.

    if outlook = sunny and humidity > 75 then No
    else Yes

The first rule whose conditions all hold decides; if none holds, the last line "else …" decides, or without
one the most frequent class of the training rows. Training changes no rule: it counts the rows that each
decides, and the classes among them. For the syntax of rules and their treatment of missing cells, see
`written_rules`.

counts : float64 (n_rules + 1, n_classes), the rows that each rule decides, those of no rule last
"""

import math
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from openbook.baseline.written_rules import bound_tests, read_rules
from openbook.border.folding import Folding
from openbook.border.learner import Classifier, class_names
from openbook.border.not_taken import Declared
from openbook.border.rows import refuse_infinity
from openbook.border.rules import Anything
from openbook.data import Nominal, Numeric, Ordinal, Text
from openbook.data.attributes import as_text
from openbook.errors import ParameterError, UnknownColumn, did_you_mean
from openbook.fold import Statistics
from openbook.words.numbers import figure
from openbook.work import Grid, Work
from openbook.work.rules import Rule, RuleList


@dataclass(frozen=True)
class RuleCounts(Statistics):
    """The weight of each class among the rows that each rule decides, (n_rules + 1, n_classes)."""

    counts: np.ndarray


class RuleClassifier(Declared, Folding, Classifier):
    """Hand-written rules as a classifier: the first rule that holds decides.

    It is evaluated like any learner, so people can compete with the machine: `openbook study weather --rules
    rules.txt`.

    Parameters
    ----------
    text : str or list of str, default=""
        The rules, one a line, such as "if outlook = sunny and humidity > 75 then No"; the last may be "else
        Yes". Without rules it predicts the most frequent class.

    Attributes
    ----------
    rules_ : tuple of WrittenRule
        The rules as they were read.
    classes_ : ndarray
        The classes.
    statistics_ : RuleCounts
        The classes of the training rows that each rule decides.

    Notes
    -----
    Rules decide and know no probabilities: `predict_proba` is 1 for the predicted class and 0 for the
    others. Guide: docs/guide/baselines.md

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> model = RuleClassifier("if outlook = sunny and humidity = high then no; else yes").fit(X, y)
    >>> print(model.rules())
    covers  share  confidence  rule
         3  21.4%      100.0%  if outlook = sunny and humidity = high then play = No
        11  78.6%       81.8%  always play = Yes
    """

    _accepts = (Numeric, Nominal, Ordinal, Text)

    text: Annotated[Any, Anything("rules as a text, one a line")] = ""
    _scores_poorly = True  # it learns nothing

    @property
    def _pools(self):
        return False  # rules name values, rare or not

    def refusal(self, schema):
        """Why the rules cannot be applied to a table of this schema, or None.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the target.

        Returns
        -------
        str or None
        """
        try:
            for rule in read_rules(self.text):
                bound_tests(rule, schema)
        except (ParameterError, UnknownColumn) as error:
            return f"cannot apply its rules: {error}"
        return super().refusal(schema)

    def _step(self):
        self._bind()
        return partial(_rule_counts, self._tests, len(self.classes_))

    def _bind(self):
        """The rules for these columns and classes."""
        self.rules_ = read_rules(self.text)
        self._tests = [bound_tests(rule, self.schema_) for rule in self.rules_]
        known = class_names(self)
        self._rule_codes = [rule.class_of(self.target_, known) for rule in self.rules_]

    def _zero(self):
        return RuleCounts(np.zeros((len(read_rules(self.text)) + 1, len(self.classes_))))

    def _solve(self):
        self._bind()
        most = int(self.statistics_.counts.sum(axis=0).argmax())
        self._codes = np.array([*(most if code is None else code for code in self._rule_codes), most])

    def _announce(self):
        known = class_names(self)
        for rule, code in zip(self.rules_, self._rule_codes, strict=True):
            if code is None:
                unknown = f"{rule.label!r}, which no training row is. {did_you_mean(rule.label, known)}"
                warnings.warn(f"RuleClassifier: line {rule.line} predicts {unknown}", stacklevel=6)

    def _predict(self, X):
        return self._codes[_deciding(self._tests, X)]

    def _proba(self, X):
        return np.eye(len(self.classes_))[self._predict(X)]

    def complexity(self):
        return 1 + sum(len(tests) + 1 for tests in self._tests)

    def rules(self):
        """The rules with the training rows that each decides, and how many of them are of its class.

        Returns
        -------
        RuleList
            In the order in which they are tried; `sql()` writes them as a query.
        """
        counts = self.statistics_.counts
        total, tests = float(counts.sum()), [*self._tests, []]
        if self._tests and not self._tests[-1]:
            tests.pop()  # its "else" leaves nothing over
        return RuleList([self._rule(tuple(t), k, total) for k, t in enumerate(tests)], self.target_)

    def _rule(self, tests, k, total):
        counts, code = self.statistics_.counts[k], int(self._codes[k])
        weight = float(counts.sum())
        label = self.classes_.tolist()[code]
        confidence = float(counts[code] / weight) if weight else math.nan
        return Rule(tests, label, weight, weight / total, confidence, f"{self.target_} = {as_text(label)}")

    def _work(self):
        rows = [[k + 1, str(rule), rule.weight, rule.confidence] for k, rule in enumerate(self.rules())]
        grid = Grid("rules", ["", "rule", "rows it decides", "share it gets right"], rows)
        counts = self.statistics_.counts
        right, total = (figure(float(n.sum())) for n in (counts[np.arange(len(counts)), self._codes], counts))
        end = f"The first rule that holds decides: {right} of {total} training rows are right."
        return Work(f"Hand-written rules for {self.target_}", (grid,), end)

    def _work_row(self, X):
        decides, rows = int(_deciding(self._tests, X)[0]), []
        for k, tests in enumerate(self._tests[: decides + 1]):
            for bound in tests:
                name = bound.attribute.name
                verdict = "holds" if bound.holds(X.data(name))[0] else "fails"
                cell = "missing" if X.column(name).missing[0] else X.column(name)[0]
                rows.append([k + 1, str(bound), cell, verdict])
        grid = Grid("tried in order", ["rule", "condition", "cell", ""], rows)
        answer = as_text(self.classes_.tolist()[self._codes[decides]])
        none = "No rule holds: the most frequent class"
        why = f"Rule {decides + 1} decides" if decides < len(self._tests) else none
        return Work(f"Hand-written rules for {self.target_}: one prediction", (grid,), f"{why}: {answer}.")


def _deciding(rules, X):
    """The number of the first rule that holds for each row; that of no rule where none does."""
    decides = np.full(len(X), len(rules), dtype=np.intp)
    for k in reversed(range(len(rules))):
        holds = np.ones(len(X), dtype=bool)
        for bound in rules[k]:
            holds &= bound.holds(X.data(bound.attribute.name))
        decides[holds] = k
    return decides


def _rule_counts(rules, n_classes, chunk):
    """What a chunk adds."""
    X, y, w = chunk
    refuse_infinity(X)
    places = _deciding(rules, X) * n_classes + y
    counts = np.bincount(places, w, minlength=(len(rules) + 1) * n_classes)
    return RuleCounts(counts.reshape(-1, n_classes))
