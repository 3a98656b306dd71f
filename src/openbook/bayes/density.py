r"""Numeric columns of any shape: a kernel density for each class.

    p(x | c) = 1 / (W h) sum_i w_i phi((x - x_i) / h),   phi the standard normal curve,   h = s W^(-1/5)

over the known values x_i of the class, with weights w_i that sum to W; s is their sample standard deviation (Scott's rule). A missing
cell is left out. Where the values of a class do not vary, s is the standard deviation of the column over all classes; a
column that is constant over all classes is left out. The statistics are the values themselves, so the model grows with the
data and scoring a row takes time in proportion to it.
"""

import math
from dataclasses import dataclass

import numpy as np

from openbook.bayes.gaussian import GaussianColumns
from openbook.bayes.kernels import add_density
from openbook.bayes.likelihood import Factor, Likelihood, given, left_out
from openbook.errors import DataError
from openbook.fold import Statistics
from openbook.work import Step, Work, figure

__all__ = ["KernelColumns", "Samples"]

DENSITY = r"\frac{1}{W h} \sum_{i} \frac{w_i}{\sqrt{2 \pi}} e^{-\frac{(x - x_i)^2}{2 h^2}}"


@dataclass(frozen=True)
class Samples(Statistics):
    """The distinct values of each column and class, in order, and their weights; columns of class 0 come first."""

    values: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]

    def _joined(self, other, join):
        pairs = [
            _distinct(np.concatenate([a, b]), np.concatenate([v, join(0.0, w)]))
            for a, v, b, w in zip(self.values, self.weights, other.values, other.weights, strict=True)
        ]
        return Samples(*zip(*pairs, strict=True))

    def filled(self, arrays):
        names = [[f"{part}.{i}" for i in range(len(self.values))] for part in ("values", "weights")]
        values, weights = (tuple(arrays[name] for name in group) for group in names)
        for v, w in zip(values, weights, strict=True):
            if v.ndim != 1 or v.shape != w.shape or v.dtype != np.float64 or w.dtype != np.float64:
                msg = "the values and weights of a kernel density must be float64 arrays of one length"
                raise ValueError(msg)
            if not (np.isfinite(v).all() and (w > 0).all()):
                msg = "the values of a kernel density must be finite, and their weights above 0"
                raise ValueError(msg)
        return Samples(values, weights)


def _distinct(values, weights):
    """Distinct values in order with their weights added up; weights that cancel out vanish."""
    distinct, which = np.unique(values, return_inverse=True)
    total = np.bincount(which, weights, minlength=len(distinct))
    if (total < -1e-9).any():
        msg = f"cannot forget the value {distinct[total < -1e-9][0]:g}: it was never learnt"
        raise DataError(msg)
    kept = total > 1e-9
    return distinct[kept], total[kept]


class KernelColumns(Likelihood):
    """Every column keeps its values."""

    name = "kernel"

    def __init__(self, schema):
        super().__init__(schema)
        GaussianColumns(schema, "mle")  # the same demand: numbers

    def zero(self, n_classes):
        empty = tuple(np.zeros(0) for _ in range(n_classes * len(self.schema)))
        return Samples(empty, empty)

    def statistics(self, X, y, w, n_classes):
        x = X.block(self.schema.names).astype(float, copy=False)
        known = ~np.isnan(x)
        cells = [(y == c) & known[:, j] for c in range(n_classes) for j in range(x.shape[1])]
        columns = [j for _ in range(n_classes) for j in range(x.shape[1])]
        pairs = [_distinct(x[cell, j], w[cell]) for cell, j in zip(cells, columns, strict=True)]
        return Samples(*zip(*pairs, strict=True))

    def solve(self, statistics, labels):
        self.samples = statistics
        self.labels = labels
        d = len(self.schema)
        overall = [_deviation(*self._all(j)) for j in range(d)]
        self.useful = np.array([s > 0 for s in overall])
        self.deviations = np.zeros((len(labels), d))
        self.bandwidths = np.zeros((len(labels), d))
        self.notes = [
            f"{name} has a single value in training and is left out"
            for name, useful in zip(self.schema.names, self.useful, strict=True)
            if not useful
        ]
        for c in range(len(labels)):
            for j in np.flatnonzero(self.useful):
                values, weights = self._points(c, j)
                own = _deviation(values, weights)
                if own == 0:
                    name = self.schema.names[j]
                    self.notes.append(f"{name} does not vary in class {labels[c]}; its overall deviation stands in")
                self.deviations[c, j] = own or overall[j]
                self.bandwidths[c, j] = self.deviations[c, j] * weights.sum() ** -0.2

    def _cell(self, c, j):
        k = c * len(self.schema) + j
        return self.samples.values[k], self.samples.weights[k]

    def _all(self, j):
        cells = [self._cell(c, j) for c in range(len(self.labels))]
        return _distinct(*(np.concatenate(part) for part in zip(*cells, strict=True)))

    def _points(self, c, j):
        """The values of a class; all values together where it shows none."""
        values, weights = self._cell(c, j)
        return (values, weights) if len(values) else self._all(j)

    def add_scores(self, X, scores):
        for j, name in enumerate(self.schema.names):
            if self.useful[j]:
                x = X.data(name).astype(float, copy=False)
                for c in range(len(self.labels)):
                    add_density(x, *self._points(c, j), self.bandwidths[c, j], c, scores)

    def factor(self, X, name, c):
        x, j = float(X.data(name)[0]), self.schema.position(name)
        if math.isnan(x):
            return left_out(name, self.labels[c], "missing")
        if not self.useful[j]:
            return left_out(name, self.labels[c], "a single value in training")
        values, weights = (part.tolist() for part in self._points(c, j))
        h, W = float(self.bandwidths[c, j]), math.fsum(weights)
        exponents = [-((x - value) ** 2) / (2 * h * h) for value in values]
        top = max(exponents)
        total = math.fsum(w * math.exp(e - top) for w, e in zip(weights, exponents, strict=True))
        log = math.log(total) + top - math.log(W * h * math.sqrt(2 * math.pi))
        numbers = rf"\frac{{1}}{{{figure(W)} \cdot {figure(h)}}} \sum_{{i=1}}^{{{len(values)}}} \dots"
        return Factor(Step(given(f"{name} = {figure(x)}", self.labels[c], "p"), DENSITY, numbers, math.exp(log)), log)

    def learnt(self):
        for j, name in enumerate(self.schema.names):
            steps = tuple(self._bandwidth(c, j) for c in range(len(self.labels))) if self.useful[j] else ()
            yield Work(f"{name} (numeric, kernel density)", steps)

    def _bandwidth(self, c, j):
        s, W = figure(float(self.deviations[c, j])), figure(float(self._points(c, j)[1].sum()))
        h = float(self.bandwidths[c, j])
        return Step(f"h given {self.labels[c]}", r"s \cdot W^{-1/5}", rf"{s} \cdot {W}^{{-1/5}}", h)

    def size(self):
        return sum(len(values) for values in self.samples.values)


def _deviation(values, weights):
    """The sample standard deviation of weighted values; 0 where there are too few."""
    total = weights.sum()
    if total <= 1:
        return 0.0
    mean = np.average(values, weights=weights)
    return math.sqrt((weights * (values - mean) ** 2).sum() / (total - 1))
