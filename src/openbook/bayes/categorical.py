"""Nominal and ordinal columns: a table of probabilities for each column.

    P(a = v | c) = smoothed count of v among the rows of class c in which a is known

counts : float64 (n_classes, n_values) for each column. A missing cell is left out; a value unseen in
training has count 0 and goes through the smoothing, or is left out where there is none.
"""

import math
from itertools import product

import numpy as np
from scipy.special import xlogy

from openbook.bayes.kernels import add_table
from openbook.bayes.likelihood import ApartColumns, Factor, given, left_out
from openbook.data import MISSING, UNSEEN, Categorical
from openbook.kernels.counts import Counts
from openbook.measures.arrays import drawn_codes
from openbook.work import Step, Work


class CategoricalColumns(ApartColumns):
    """Every column has its own table of probabilities."""

    name = "categorical"
    needs = "categories"

    def __init__(self, schema, smoothing):
        super().__init__(schema)
        self.attributes = [a for a in schema if isinstance(a, Categorical)]
        self.smoothing = smoothing

    @classmethod
    def usable(cls, schema):
        return schema.of(Categorical)

    @property
    def _n_values(self):
        return [len(a.values) for a in self.attributes]

    def zero(self, n_classes):
        return Counts.zero(self._n_values, n_classes)

    def statistics(self, X, y, w, n_classes):
        return Counts.of([X.data(name) for name in self.schema.names], self._n_values, y, w, n_classes)

    def _solve(self, statistics):
        self.counts = statistics.tables
        self.tables = []
        for attribute, counts in zip(self.attributes, self.counts, strict=True):
            estimates = self.smoothing.table(counts, self.labels, attribute.name, attribute.values)
            with np.errstate(divide="ignore"):
                logs = np.log(estimates)
            # the order that add_table reads: unseen, missing, then the values
            unseen = np.nan_to_num(logs[:, -1:], nan=0.0, neginf=-np.inf)
            table = np.hstack([unseen, np.zeros_like(unseen), logs[:, :-1]])
            self.tables.append(np.ascontiguousarray(table.T))

    def add_column(self, X, name, scores):
        add_table(X.data(name), self.tables[self.schema.position(name)], scores)

    def log_prior(self):
        guess = self.smoothing.guess
        return sum(
            float(xlogy(self.smoothing.imagined(guess(label, a.name, a.values)[:-1]), np.exp(logs)).sum())
            for a, table in zip(self.attributes, self.tables, strict=True)
            for label, logs in zip(self.labels, table[2:].T, strict=True)
        )

    def factor(self, X, name, c):
        code = int(X.data(name)[0])
        if code == MISSING:
            return left_out(name, self.truths[c], "missing")
        if code == UNSEEN and not self.smoothing.covers_unseen:
            return left_out(name, self.truths[c], "unseen in training, and no smoothing")
        step = self._estimate(self.schema.position(name), c, code)
        return Factor(step, math.log(step.result) if step.result > 0 else -math.inf)

    def learnt(self):
        for j, attribute in enumerate(self.attributes):
            cells = product(range(len(self.labels)), range(len(attribute.values)))
            steps = tuple(self._estimate(j, c, v) for c, v in cells)
            yield Work(f"{attribute.name} ({attribute.kind})", steps)

    def _estimate(self, j, c, code):
        """The estimate of one value in one class, by hand."""
        attribute, label = self.attributes[j], self.labels[c]
        V, row = len(attribute.values), self.counts[j][c].tolist()
        n, N = (row[code] if code >= 0 else 0.0), math.fsum(row)
        p = float(self.smoothing.guess(label, attribute.name, attribute.values)[code if code >= 0 else -1])
        value = attribute.values[code] if code >= 0 else "a value not seen in training"
        head = given(f"{attribute.name} = {value}", self.truths[c])
        if N == 0:
            why = "the attribute is missing in all rows of this class"
            return Step(head, r"\frac{1}{V}", rf"\frac{{1}}{{{max(V, 1)}}}", 1 / max(V, 1), why)
        numbers = self.smoothing.numbers(n, N, V, p)
        return Step(head, self.smoothing.formula, numbers, float(self.smoothing(n, N, V, p)))

    def counted(self):
        for j, attribute in enumerate(self.attributes):
            for code, value in enumerate(attribute.values):
                shares = [self._estimate(j, c, code).result for c in range(len(self.labels))]
                yield attribute.name, value, self.counts[j][:, code].tolist(), shares

    def sampled(self, classes, rng):
        for attribute, table in zip(self.attributes, self.tables, strict=True):
            yield attribute.name, drawn_codes(np.exp(table[2:].T)[classes], rng).astype(attribute.dtype)

    def size(self):
        return sum(len(self.labels) * max(n - 1, 0) for n in self._n_values)
