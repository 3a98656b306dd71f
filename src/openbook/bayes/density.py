r"""Numeric columns of any shape: a kernel density for each class.

    p(x | c) = 1 / (W h) sum_i w_i phi((x - x_i) / h),   phi the standard normal curve,   h = s W^(-1/5)

over the known values x_i of the class, with weights w_i that sum to W; s is their sample standard deviation
(Scott's rule). A missing cell is left out. Where the values of a class do not vary, s is the standard
deviation of the column over all classes; if a class has no values, those of all classes are used; a column
that is constant over all classes is left out. The statistics are the values themselves, so the model grows
with the data and scoring a row takes time in proportion to it.
"""

import math
from itertools import compress

import numpy as np

from openbook.bayes.kernels import add_density
from openbook.bayes.likelihood import Factor, NumberColumns, given, left_out
from openbook.fold import less
from openbook.kernels.samples import Samples
from openbook.words.numbers import figure
from openbook.work import Step, Work

DENSITY = r"\frac{1}{W h} \sum_{i} \frac{w_i}{\sqrt{2 \pi}} e^{-\frac{(x - x_i)^2}{2 h^2}}"


class KernelColumns(NumberColumns):
    """Every column keeps its values."""

    name = "kernel"

    def zero(self, n_classes):
        return Samples.zero(n_classes, len(self.schema))

    def statistics(self, X, y, w, n_classes):
        return Samples.of(X.block(self.schema.names).astype(float, copy=False), y, w, n_classes)

    def _solve(self, statistics):
        self.samples = statistics
        d = len(self.schema)
        overall = [_deviation(*statistics.overall(j)) for j in range(d)]
        self.useful = np.array([s > 0 for s in overall])
        self.deviations = np.zeros((len(self.labels), d))
        self.bandwidths = np.zeros((len(self.labels), d))
        constant = compress(self.schema.names, ~self.useful)
        self.notes = [f"{name} is constant in training and is left out" for name in constant]
        for c in range(len(self.labels)):
            for j in np.flatnonzero(self.useful):
                name, label = self.schema.names[j], self.labels[c]
                values, weights = self._points(c, j)
                deviation = _deviation(values, weights)
                if self.has_rows[c] and not len(self.samples.cell(c, j)[0]):
                    note = f"{name} is always missing in class {label}; its overall values are used"
                    self.notes.append(note)
                elif deviation == 0:
                    note = f"{name} is constant in class {label}; its overall standard deviation is used"
                    self.notes.append(note)
                self.deviations[c, j] = deviation or overall[j]
                self.bandwidths[c, j] = self.deviations[c, j] * weights.sum() ** -0.2

    def _points(self, c, j):
        """The values of a class and their weights; those of all classes where it shows none."""
        values, weights = self.samples.cell(c, j)
        return (values, weights) if len(values) else self.samples.overall(j)

    def add_column(self, X, name, scores):
        j = self.schema.position(name)
        if self.useful[j]:
            x = X.data(name).astype(float, copy=False)
            for c in range(len(self.labels)):
                add_density(x, *self._points(c, j), self.bandwidths[c, j], c, scores)

    def factor(self, X, name, c):
        x, j = float(X.data(name)[0]), self.schema.position(name)
        if math.isnan(x):
            return left_out(name, self.truths[c], "missing")
        if not self.useful[j]:
            return left_out(name, self.truths[c], "constant in training")
        values, weights = (part.tolist() for part in self._points(c, j))
        h, W = float(self.bandwidths[c, j]), math.fsum(weights)
        gaps = [(x - value) / h for value in values]
        exponents = [-0.5 * gap * gap for gap in gaps]
        log = top = max(exponents)
        if top > -math.inf:
            total = math.fsum(w * math.exp(e - top) for w, e in zip(weights, exponents, strict=True))
            log += math.log(total) - math.log(W * h * math.sqrt(2 * math.pi))
        numbers = rf"\frac{{1}}{{{figure(W)} \cdot {figure(h)}}} \sum_{{i=1}}^{{{len(values)}}} \dots"
        head = given(f"{name} = {figure(self.schema.told(name, x))}", self.truths[c], "p")
        return Factor(Step(head, DENSITY, numbers, math.exp(log)), log)

    def learnt(self):
        for j, name in enumerate(self.schema.names):
            steps = tuple(self._bandwidth(c, j) for c in range(len(self.labels))) if self.useful[j] else ()
            yield Work(f"{name} (numeric, kernel density)", steps)

    def _bandwidth(self, c, j):
        s, W = figure(float(self.deviations[c, j])), figure(float(self._points(c, j)[1].sum()))
        h = float(self.bandwidths[c, j])
        return Step(f"h given {self.truths[c]}", r"s \cdot W^{-1/5}", rf"{s} \cdot {W}^{{-1/5}}", h)

    def counted(self):
        for j, name in enumerate(self.schema.names):
            weights = [float(self.samples.cell(c, j)[1].sum()) for c in range(len(self.labels))]
            yield name, "known", weights, [None] * len(weights)

    def sampled(self, classes, rng):
        for j, name in enumerate(self.schema.names):
            cells = np.empty(len(classes))
            for c in np.unique(classes).tolist():
                members = classes == c
                values, weights = self._points(c, j)
                centres = rng.choice(values, members.sum(), p=weights / weights.sum())
                cells[members] = centres + self.bandwidths[c, j] * rng.standard_normal(members.sum())
            yield name, cells

    def size(self):
        return sum(len(values) for columns in self.samples.values for values in columns)


def _deviation(values, weights):
    """The sample standard deviation of weighted values; 0 if there are too few."""
    rows = less(weights.sum(), 1)
    if rows <= 0:
        return 0.0
    mean = np.average(values, weights=weights)
    return math.sqrt((weights * (values - mean) ** 2).sum() / rows)
