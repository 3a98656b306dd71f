r"""Rows as a product of independent columns: P(x) = Π_j P(x_j), naive Bayes without classes.

Numbers have a normal curve or a kernel density, categories their smoothed shares: the likelihoods of
`bayes`, with all rows in one class. A missing cell is left out, log P(x_j) = 0, and so is an infinite one,
and a number whose column did not vary in training. An unseen category gets its smoothed probability.

logs : float64 (n, d), log P(x_j), one for each column
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from openbook.bayes.categorical import CategoricalColumns
from openbook.bayes.density import KernelColumns
from openbook.bayes.gaussian import GaussianColumns
from openbook.bayes.smoothing import Laplace
from openbook.border.rows import finite_sums
from openbook.damage import require
from openbook.data import MISSING, Categorical, Numeric, Schema
from openbook.fold import Statistics
from openbook.measures.arrays import all_finite

#: As improbable as anything gets: its negative still leaves room for sums.
_LEAST = -1e300


@dataclass(frozen=True)
class ColumnEvidence(Statistics):
    """The statistics of each likelihood."""

    parts: tuple


class Independent:
    """The distribution of each column by itself."""

    def __init__(self, schema: Schema, numbers: str = "gaussian", smoothing=None) -> None:
        self.schema = schema
        self.likelihoods: list = []
        if names := schema.of(Numeric):
            numeric = schema.select(names)
            kernel = numbers == "kernel"
            self.likelihoods.append(KernelColumns(numeric) if kernel else GaussianColumns(numeric, "mle"))
        if names := schema.of(Categorical):
            self.likelihoods.append(CategoricalColumns(schema.select(names), smoothing or Laplace(1.0)))

    def learn(self, rows) -> "Independent":
        """Learn from rows, in one fold."""
        return self._solved(finite_sums(rows, partial(_evidence, self.likelihoods)))

    def _solved(self, evidence):
        self.evidence = evidence
        for likelihood, statistics in zip(self.likelihoods, evidence.parts, strict=True):
            likelihood.solve(statistics, ["normal"], "row", np.array([True]))
        return self

    def logs(self, X):
        """Log P(x_j) of every cell; 0 if it is left out."""
        logs = np.zeros((len(self.schema), len(X), 1))
        with np.errstate(over="ignore", invalid="ignore"):
            for likelihood in self.likelihoods:
                for name in likelihood.schema.names:
                    j = self.schema.position(name)
                    likelihood.add_column(X, name, logs[j])
                    if isinstance(self.schema[name], Numeric):
                        logs[j, ~np.isfinite(X.data(name))] = 0.0
        return np.maximum(logs[:, :, 0].T, _LEAST)

    def factor(self, X, name):
        """The same of one cell of a one-row table, by hand: a step, and the logarithm."""
        if isinstance(self.schema[name], Numeric) and np.isinf(X.data(name)[0]):
            X = X.take([0]).select([name])
            X.columns[0][0] = np.nan
        own = next(likelihood for likelihood in self.likelihoods if name in likelihood.schema)
        step, log = own.factor(X, name, 0)
        return step, max(log, _LEAST)

    def learnt(self):
        """How it was learnt, a work for each column."""
        by_name: dict = {}
        for likelihood in self.likelihoods:
            by_name |= zip(likelihood.schema.names, likelihood.learnt(), strict=True)
        return tuple(by_name[name] for name in self.schema.names)

    def arrays(self):
        return self.evidence.arrays()

    def restore(self, arrays) -> "Independent":
        """Restore from the arrays of a model file, after checking them."""
        zero = ColumnEvidence(tuple(likelihood.zero(1) for likelihood in self.likelihoods))
        evidence = zero.filled(arrays)
        finite = all(map(all_finite, evidence.arrays().values()))
        require(finite and all((part >= 0).all() for part in evidence.amounts()), "its sums are not valid")
        return self._solved(evidence)


def known_cells(X):
    """Whether each cell is known, (n, d); an infinite one is not."""
    known = np.empty((len(X), len(X.schema)), dtype=bool)
    for j, attribute in enumerate(X.schema):
        data = X.data(attribute.name)
        known[:, j] = np.isfinite(data) if isinstance(attribute, Numeric) else data != MISSING
    return known


def _evidence(likelihoods, chunk):
    y = np.zeros(len(chunk.X), np.intp)
    return ColumnEvidence(tuple(likelihood.statistics(chunk.X, y, chunk.w, 1) for likelihood in likelihoods))
