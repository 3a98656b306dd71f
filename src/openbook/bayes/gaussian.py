r"""Numeric columns: a normal curve for each class.

    p(x | c) = 1 / sqrt(2 pi s2) exp(-(x - mu)^2 / (2 s2))

mu and s2 are the mean and variance of the known values of the class; s2 divides by N ("mle") or by N - 1
("sample"). Pooled, all classes share one variance for each column, around their own means:

    s2 = sum_c sum_i (x_i - mu_c)^2 / (N - C)      over the C classes that show the column

Smoothed, a share of the largest variance of any column over all rows is added to every s2.

weight, mean, scatter : float64 (n_classes, n_columns). A missing cell is left out. Two cases have no
variance of their own, and say so in `notes` and in the work:

    the class has a variance of 0, or a single row    a billionth of the column's overall variance stands in
    the class has no known value                      the column's overall mean and variance stand in
    the column is constant over all classes           it is left out
"""

import math
from itertools import compress

import numpy as np

from openbook.bayes.kernels import add_normal
from openbook.bayes.likelihood import Factor, NumberColumns, given, left_out
from openbook.fold import less
from openbook.kernels.moments import Moments
from openbook.words.numbers import figure, fraction
from openbook.work import Step, Work

DENSITY = r"\frac{1}{\sqrt{2 \pi \sigma^2}} e^{-\frac{(x - \mu)^2}{2 \sigma^2}}"

#: The share of the overall variance that replaces a variance of zero.
FLOOR = 1e-9

#: Variances up to this are zero: their inverse, or that of the replacement, would overflow.
LEAST = 1e-298


class GaussianColumns(NumberColumns):
    """Every column has a mean and a variance in each class."""

    name = "gaussian"

    def __init__(self, schema, variance, var_smoothing=0.0):
        super().__init__(schema)
        self.var_smoothing = var_smoothing
        self.pooled = variance == "pooled"
        self.ddof = 0 if variance == "mle" else 1

    def zero(self, n_classes):
        return Moments.zero(n_classes, len(self.schema))

    def statistics(self, X, y, w, n_classes):
        return Moments.of(X.block(self.schema.names), y, w, n_classes)

    def _solve(self, statistics):
        self.moments = statistics
        self.overall = statistics.overall()
        spread = self.overall.variance()
        self.absent = statistics.weight == 0
        variance = statistics.variance(self.ddof)
        if self.pooled:
            rows = less(statistics.weight.sum(axis=0), (~self.absent).sum(axis=0))
            pooled = statistics.scatter.sum(axis=0) / np.where(rows > 0, rows, np.nan)
            variance = np.broadcast_to(pooled, variance.shape)
        self.added = self.var_smoothing * float(np.nanmax(spread, initial=0.0))
        variance = variance + self.added
        self.floored = ~self.absent & ~(variance > LEAST)
        instead = spread if not self.pooled else np.where(variance > LEAST, variance, FLOOR * spread)
        variance = np.where(self.floored, FLOOR * spread, np.where(self.absent, instead, variance))
        self.mean = np.where(self.absent, self.overall.mean, statistics.mean)
        self.variance = variance
        self.useful = spread[0] > LEAST  # not where it is NaN: nothing is known
        self._scored = list(compress(self.schema.names, self.useful))
        # compress keeps rows contiguous, which a mask as index does not
        mean, used = (np.compress(self.useful, a, axis=1) for a in (self.mean, variance))
        self._curves = mean, 0.5 / used, -0.5 * np.log(2 * np.pi * used)
        self.notes = list(self._notes())

    def _notes(self):
        odd = ~self.useful | self.floored.any(axis=0) | self.absent.any(axis=0)
        for j in np.flatnonzero(odd).tolist():
            name = self.schema.names[j]
            if not self.useful[j]:
                yield f"{name} is constant in training and is left out"
                continue
            if classes := ", ".join(compress(self.labels, self.floored[:, j])):
                same = f"{name} is constant among the rows of class {classes}"
                yield f"{same}; {FLOOR:g} of its overall variance is used"
            if classes := ", ".join(compress(self.labels, self.absent[:, j] & self.has_rows)):
                yield f"{name} is always missing in class {classes}; its overall mean and variance are used"

    def add_scores(self, X, scores):
        if self._scored:
            add_normal(X.block(self._scored), *self._curves, scores)

    def add_column(self, X, name, scores):
        if name in self._scored:
            j = self._scored.index(name)
            curves = (np.ascontiguousarray(part[:, j : j + 1]) for part in self._curves)
            add_normal(X.block([name]), *curves, scores)

    def factor(self, X, name, c):
        x, j = float(X.data(name)[0]), self.schema.position(name)
        if math.isnan(x):
            return left_out(name, self.truths[c], "missing")
        if not self.useful[j]:
            return left_out(name, self.truths[c], "constant in training")
        mean, variance, note = self._estimates(j, c)
        s2, mu, value = figure(variance), figure(mean), figure(x)
        numbers = (
            rf"\frac{{1}}{{\sqrt{{2 \pi \cdot {s2}}}}} e^{{-\frac{{({value} - {mu})^2}}{{2 \cdot {s2}}}}}"
        )
        gap, spread = x - mean, 2 * math.pi * variance
        exponent = -gap * gap / (2 * variance)
        density = math.exp(exponent) / math.sqrt(spread)
        head = given(f"{name} = {figure(self.schema.told(name, x))}", self.truths[c], "p")
        return Factor(Step(head, DENSITY, numbers, density, note), exponent - 0.5 * math.log(spread))

    def _estimates(self, j, c):
        """Mean and variance of a column in a class, by hand from its sums; and what stood in, if anything."""
        overall_weight, overall_mean, overall_scatter = _figures(self.overall, 0, j)
        weight, mean, scatter = _figures(self.moments, c, j)
        spread = overall_scatter / overall_weight
        rows = float(less(weight, self.ddof))
        if self.pooled:
            scatter, rows = self._pool(j)
        if weight == 0:
            variance = spread if not self.pooled else max(scatter / rows if rows > 0 else 0.0, FLOOR * spread)
            return overall_mean, variance, "always missing in this class: overall mean and variance"
        variance = (scatter / rows if rows > 0 else 0.0) + self.added
        if variance <= LEAST:
            return mean, FLOOR * spread, f"no variance in this class: {FLOOR:g} of the overall variance"
        return mean, variance, ""

    def _pool(self, j):
        """The squared deviations of all classes from their own means, and N - C."""
        weights, scatters = self.moments.weight[:, j].tolist(), self.moments.scatter[:, j].tolist()
        return math.fsum(scatters), math.fsum(weights) - sum(weight > 0 for weight in weights)

    def learnt(self):
        for j, name in enumerate(self.schema.names):
            classes = range(len(self.labels)) if self.useful[j] else ()
            steps = [step for c in classes for step in self._learnt(j, c)]
            note = "" if self.useful[j] else "constant in training: left out"
            yield Work(f"{name} (numeric, normal distribution)", tuple(steps), note)

    def _learnt(self, j, c):
        weight, mean, scatter = _figures(self.moments, c, j)
        mu, s2, note = self._estimates(j, c)
        truth, N = self.truths[c], figure(weight)
        if note:
            yield Step(f"mean given {truth}", result=mu, note=note)
            yield Step(f"variance given {truth}", result=s2, note=note)
            return
        date = self.schema.told(self.schema.names[j], mu)
        note = date if isinstance(date, str) else ""
        yield Step(f"mean given {truth}", r"\frac{\sum x}{N}", fraction(weight * mean, N), mu, note)
        if self.pooled:
            formula = r"\frac{\sum_c \sum_{i \in c} (x_i - \mu_c)^2}{N - C}"
            numbers = fraction(*self._pool(j))
            yield Step(f"variance given {truth}", formula, numbers, s2, "pooled over the classes")
            return
        divisor, below = ("N - 1", f"{N} - 1") if self.ddof else ("N", N)
        formula, numbers = rf"\frac{{\sum (x - \mu)^2}}{{{divisor}}}", fraction(scatter, below)
        if self.added:
            formula, numbers = rf"{formula} + \epsilon", f"{numbers} + {figure(self.added)}"
        yield Step(f"variance given {truth}", formula, numbers, s2)

    def counted(self):
        for name, weights in zip(self.schema.names, self.moments.weight.T.tolist(), strict=True):
            yield name, "known", weights, [None] * len(weights)

    def sampled(self, classes, rng):
        for j, name in enumerate(self.schema.names):
            spread = np.sqrt(np.maximum(self.variance[classes, j], 0.0)) if self.useful[j] else 0.0
            yield name, self.mean[classes, j] + spread * rng.standard_normal(len(classes))

    def size(self):
        variances = 1 if self.pooled else len(self.labels)
        return (len(self.labels) + variances) * int(self.useful.sum())


def _figures(moments, c, j):
    """Weight, mean and scatter of a column in a class, as floats."""
    return (float(part[c, j]) for part in (moments.weight, moments.mean, moments.scatter))
