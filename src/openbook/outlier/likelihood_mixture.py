r"""Likelihood mixture: rows are normal (M) or anomalous (A); a row moves to A if the likelihood gains enough.

    M   a product of independent columns, estimated from its rows (`independent`)
    A   a uniform distribution: 1/range for numbers, 1/(number of values) for categories
    LL  = Σ_{x in M} ln((1 - λ) M(x)) + Σ_{x in A} ln(λ A(x))

All rows begin in M. A row moves to A if that raises LL by more than c; then M is estimated again from the
rows that remain, until no row moves, or half of the rows would be gone. The score is the gain at the end, for
training rows and new rows alike:

    score = ln λ - ln(1 - λ) + Σ_j (ln A(x_j) - ln M(x_j))

A missing cell is left out of both products. Beyond the range of training A stays what it is.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from openbook.border.rows import Chunk, Rows
from openbook.border.rules import Number
from openbook.damage import checked_floats
from openbook.data import Numeric
from openbook.fold import each, loaded
from openbook.outlier.columns import column_ends
from openbook.outlier.detector import Account, Detector
from openbook.outlier.independent import Independent, known_cells
from openbook.work import Grid, Step, Work

#: The most passes.
_PASSES = 100


class LikelihoodMixture(Detector):
    """Likelihood mixture: how much the log-likelihood increases if the row is called an outlier.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    share : float, default=0.05
        Λ, the share of rows that are expected to be outliers.
    c : float, default=0.0
        The gain above which a row moves.
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold c.
    top : int or None, default=None

    Attributes
    ----------
    trace_ : ndarray of shape (n_passes, 3)
        For each pass, the rows in M before it, those that moved, and the log-likelihood before it.
    moved_ : int
        How many rows moved.
    threshold_ : float

    References
    ----------
    Eskin (2000), Anomaly detection over noisy data using learned probability distributions.

    Examples
    --------
    >>> temperatures = [[x] for x in (24.0, 28.9, 28.9, 29.0, 29.1, 29.1, 29.2, 29.2, 29.3, 29.4)]
    >>> model = LikelihoodMixture().fit(temperatures)
    >>> model.predict([[24.0], [28.9]]).tolist(), model.moved_
    ([-1, 1], 1)
    """

    share: Annotated[float, Number(above=0, at_most=0.5)] = 0.05
    c: Annotated[float, Number(at_least=0)] = 0.0

    def _learn(self, rows):
        self._natural = (float(self.c), "c: moving the row increases the log-likelihood")
        self._uniform = _uniform(rows)
        sizes, trace = rows.sizes(), []
        cuts, in_normal = np.cumsum(sizes)[:-1], np.ones(sum(sizes), dtype=bool)
        log_normal, log_anomalous = math.log1p(-self.share), math.log(self.share)
        for _ in range(_PASSES):
            kept = zip(rows.pieces, np.split(in_normal, cuts), strict=True)
            subsets = [_RowSubset(piece, part) for piece, part in kept if part.any()]
            self._columns = Independent(self.schema_).learn(Rows(rows.schema, subsets))
            normal, uniform = np.hstack(list(each(rows.pieces, self._logs_of_chunk)))
            stay = in_normal & ~(log_anomalous - log_normal + uniform - normal > self.c)
            logs = np.where(in_normal, normal + log_normal, uniform + log_anomalous)
            likelihood = math.fsum(part.sum() for part in np.split(logs, cuts))
            before, after = int(in_normal.sum()), int(stay.sum())
            most_stay = 2 * after >= len(stay)
            trace.append((before, before - after if most_stay else 0, likelihood))
            if after == before or not most_stay:
                break
            in_normal = stay
        self.trace_ = np.array(trace, dtype=float)
        self.moved_ = int(self.trace_[:, 1].sum())

    def _logs_of_chunk(self, chunk):
        return self._logs(chunk.X)

    def _logs(self, X):
        """The logarithms of M and of A of each row, without λ."""
        return self._columns.logs(X).sum(axis=1), known_cells(X) @ self._uniform

    def _scores(self, X):
        normal, uniform = self._logs(X)
        return self._log_prior_odds + uniform - normal

    @property
    def _log_prior_odds(self):
        return math.log(self.share) - math.log1p(-self.share)

    def _account(self, X):
        rows, shares, parts, known = [], [], [], known_cells(X)[0]
        for j, name in enumerate(self.schema_.names):
            step, normal = self._columns.factor(X, name)
            odd = float(self._uniform[j]) if known[j] else 0.0
            shares.append(odd - normal)
            rows.append((name, normal, odd, shares[-1]))
            parts.append(step)
        prior = self._log_prior_odds
        score = math.fsum([prior, *shares])
        grid = Grid("logarithms", ("column", "ln M", "ln A", "gain"), rows)
        formula = r"\ln \lambda - \ln (1 - \lambda) + \sum_j (\ln A(x_j) - \ln M(x_j))"
        step, rest = Step("score", formula, "", score), ("share of outliers λ", prior)
        meaning = "Increase of the log-likelihood when the row moves to A; the score is the sum."
        return Account(score, shares, (*parts, grid), (step,), meaning, (rest,))

    def _learnt(self):
        rows = [(int(a), int(b), c) for a, b, c in self.trace_.tolist()]
        passes = Grid("passes", ("rows in M", "moved to A", "log-likelihood before"), rows)
        logs = list(zip(self.schema_.names, self._uniform.tolist(), strict=True))
        uniform = Grid("A", ("column", "ln A"), logs)
        return (Work("passes", (passes,)), Work("M", self._columns.learnt()), Work("A, uniform", (uniform,)))

    def _arrays(self):
        return {"trace": self.trace_, "uniform": self._uniform, **self._columns.arrays()}

    def _restore(self, arrays):
        self._natural = (float(self.c), "c")
        shapes = {"trace": (len(arrays["trace"]), 3), "uniform": (len(self.schema_),)}
        self.trace_, self._uniform = checked_floats(arrays, **shapes)
        self.moved_ = int(self.trace_[:, 1].sum())
        self._columns = Independent(self.schema_).restore(arrays)


@dataclass(frozen=True)
class _RowSubset:
    """Some of the rows of a piece."""

    piece: Any
    kept: np.ndarray

    def load(self) -> Chunk:
        X, y, w = loaded(self.piece)
        return Chunk(X.take(self.kept), y[self.kept], w[self.kept])


def _uniform(rows):
    """Log A of a known cell of each column: 0 if it did not vary."""
    low, high = column_ends(rows)
    sizes = [
        high[j] - low[j] if isinstance(attribute, Numeric) else len(attribute.values)
        for j, attribute in enumerate(rows.schema)
    ]
    return np.array([-math.log(size) if 0 < size < math.inf else 0.0 for size in sizes])
