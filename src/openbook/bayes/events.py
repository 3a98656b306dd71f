r"""Columns that count events: words of a document, clicks of a visitor. Dense or sparse.

    multinomial   P(x | c) proportional to prod_j p_cj^x_j
                  p_cj = smoothed share of event j among all events of class c
    Bernoulli     P(x | c) = prod_j p_cj^[x_j > 0] (1 - p_cj)^[x_j = 0]
                  p_cj = smoothed share of the rows of class c that show event j, a number above 0 or as asked
    complement    P(x | c) taken as proportional to prod_j q_cj^-x_j
                  q_cj = smoothed share of event j among all events of the *other* classes

The complement form (Rennie et al., 2003) estimates from more events, and so suits classes of unequal size.

The multinomial coefficient, which is the same for every class, is left out. Counts must not be negative. A
missing cell is left out (of a multinomial: no event).

events : float64 (n_classes, n_columns), events, or rows that show the event
known : float64 (n_classes, n_columns), Bernoulli only: rows in which the column is known
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import scipy.sparse as sp

from openbook.bayes.kernels import FEW, add_few, add_sparse_counts
from openbook.bayes.likelihood import ApartColumns, Factor, Likelihood, given, left_out
from openbook.data import Categorical, Numeric, SparseTable
from openbook.errors import DataError, ParameterError
from openbook.fold import Statistics, less
from openbook.kernels.counts import class_weights
from openbook.words.numbers import figure
from openbook.work import Step, Work

#: Events that the derivation of a row shows one by one.
_SHOWN_EVENTS = 20

#: What an event can do.
_ABSENT_PRESENT = ("0", "1")


@dataclass(frozen=True)
class Events(Statistics):
    """How often each column's event happened, and among how many rows or events."""

    events: np.ndarray
    known: np.ndarray


class EventColumns(Likelihood):
    """What the two share: counting and scoring by matrix products, over dense or sparse rows."""

    needs = "counts, or two values"

    def __init__(self, schema, smoothing):
        super().__init__(schema)
        self.smoothing = smoothing

    @classmethod
    def usable(cls, schema):
        many = {name for name in schema.of(Categorical) if len(schema[name].values) > 2}
        names = schema.of(Numeric, Categorical)
        return tuple(name for name in names if name not in many) if many else names

    def zero(self, n_classes):
        return Events(*np.zeros((2, n_classes, len(self.schema))))

    def statistics(self, X, y, w, n_classes):
        x = self._events(X)
        if isinstance(x, sp.csr_array):
            events = np.zeros((n_classes, x.shape[1]))
            add_sparse_counts(x.indptr, x.indices, x.data, y, w, events)
            rows = class_weights(y, w, n_classes)[:, None]
            return Events(events, np.repeat(rows, x.shape[1], axis=1))
        weights = np.zeros((n_classes, len(y)))
        weights[y, np.arange(len(y))] = w
        missing = np.isnan(x)
        return Events(weights @ np.where(missing, 0.0, x), weights @ ~missing)

    def _in_matrix(self, X):
        """Whether the columns are those of a sparse matrix; others may stand before them."""
        return isinstance(X, SparseTable) and X.schema.position(self.schema.names[0]) >= len(X.columns)

    def _events(self, X):
        """The columns as counts, checked: CSR where they are sparse, else (n, d) with NaN where missing."""
        if self._in_matrix(X):
            x = X.cells(self.schema.names)
            least = x.data.min(initial=0.0)  # NaN if any cell is: one pass for both questions
            if np.isnan(least):
                x = self._without_gaps(x)
            if not least >= 0:
                self._refuse_negative(x.data, x.indices)
            return x
        columns = [X.data(name).astype(float) for name in self.schema.names]
        for attribute, column in zip(self.schema, columns, strict=True):
            if isinstance(attribute, Categorical):
                column[column < 0] = np.nan
        x = np.stack(columns, axis=1)
        cells = np.flatnonzero((x < 0) & np.isfinite(x))  # infinity is named where rows are added up
        self._refuse_negative(x.ravel()[cells], cells % x.shape[1])
        return x

    def _without_gaps(self, x):
        """Sparse rows whose missing cells are no events."""
        return sp.csr_array((np.nan_to_num(x.data), x.indices, x.indptr), shape=x.shape)

    def _refuse_negative(self, counts, columns):
        if (counts < 0).any():
            k = int(np.argmax(counts < 0))
            name = self.schema.names[int(columns[k])]
            msg = f"column {name!r} holds {counts[k]:g}, but {self.name} columns count events, none below 0"
            raise DataError(f"Negative values in data: {msg}")

    def learnt(self):
        cells = product(range(len(self.labels)), range(len(self.schema)))
        steps = tuple(step for c, j in cells for step in self._shares(j, c))
        yield Work(f"{len(self.schema)} columns of events ({self.name})", steps)

    def counted(self):
        for j, name in enumerate(self.schema.names):
            shares = [list(self._shares(j, c))[-1].result for c in range(len(self.labels))]
            yield name, "events", self._happened()[:, j].tolist(), shares

    @abstractmethod
    def _happened(self):
        """How often each column's event happened in each class, (n_classes, n_columns)."""

    @abstractmethod
    def _shares(self, j, c):
        """The estimates of a column in a class, by hand, as steps."""


class MultinomialColumns(EventColumns):
    """All columns together share out the events of a row: one table whose values are the columns."""

    name = "multinomial"

    def _solve(self, statistics):
        self.counts = statistics.events
        self.rows = statistics.known.max(axis=1, initial=0.0)
        self.guesses = [self.smoothing.guess(label, "events", self.schema.names) for label in self.labels]
        shares = self.smoothing.table(self.counts, self.labels, "events", self.schema.names)[:, :-1]
        self.logs = np.ascontiguousarray(_finite_log(shares).T)
        self.impossible = shares == 0

    def add_scores(self, X, scores):
        if self._in_matrix(X) and scores.shape[1] <= FEW and not self.impossible.any():
            x = X.cells(self.schema.names)
            if add_few(x.indptr, x.indices, x.data, self.logs, scores):  # checks and sums in one pass
                self._refuse_negative(x.data, x.indices)
            return
        x = self._events(X)
        x = x if isinstance(x, sp.csr_array) else np.nan_to_num(x, posinf=0.0)
        scores += x @ self.logs
        if self.impossible.any():
            scores[x @ self.impossible.T.astype(float) > 0] = -np.inf

    def log_prior(self):
        imagined = self.smoothing.imagined(np.stack(self.guesses)[:, :-1])
        return float((imagined * self.logs.T).sum())

    def factor(self, X, name, c):
        x = float(np.nan_to_num(X.data(name).astype(float)[0]))
        (share,) = self._shares(self.schema.position(name), c)
        log = x * math.log(share.result) if share.result > 0 else (-math.inf if x > 0 else 0.0)
        if x == 1:
            return Factor(share, log)
        head = given(f"{name} × {figure(x)}", self.truths[c])
        numbers = rf"\left({share.numbers}\right)^{{{figure(x)}}}"
        return Factor(Step(head, rf"\left({share.formula}\right)^x", numbers, share.result**x), log)

    def factors(self, X, c):
        """Only events that happened are factors: those that say most first, and the rest as one."""
        happened = sorted(self.happened(X), key=lambda event: -event[1] * float(np.ptp(self.logs[event[0]])))
        names = [self.schema.names[j] for j, _ in happened]
        for name in names[:_SHOWN_EVENTS]:
            yield self.factor(X, name, c)
        if rest := names[_SHOWN_EVENTS:]:
            logs = [self.factor(X, name, c).log for name in rest]
            head = given(f"{len(rest)} others", self.truths[c])
            yield Factor(Step(head, r"\prod_j p_j^{x_j}", "", math.exp(math.fsum(logs))), math.fsum(logs))

    def happened(self, X):
        """The events of a one-row table: the column of each, and how often it happened."""
        x = self._events(X)
        x = x if isinstance(x, sp.csr_array) else sp.csr_array(np.nan_to_num(x))
        return [(j, n) for j, n in zip(x.indices.tolist(), x.data.tolist(), strict=True) if n > 0]

    def _shares(self, j, c):
        n, V, p = float(self.counts[c, j]), len(self.schema), float(self.guesses[c][j])
        N = math.fsum(self.counts[c].tolist())
        head = given(self.schema.names[j], self.truths[c])
        if N == 0:
            yield Step(head, r"\frac{1}{V}", rf"\frac{{1}}{{{V}}}", 1 / V, "this class has no counts")
            return
        estimate = float(self.smoothing(n, N, V, p))
        yield Step(head, self.smoothing.formula, self.smoothing.numbers(n, N, V, p), estimate)

    def _happened(self):
        return self.counts

    def sampled(self, classes, rng):
        """As many events in a row as the rows of its class have on average."""
        shares = np.exp(self.logs.T) * ~self.impossible
        average = self.counts.sum(axis=1) / np.maximum(self.rows, 1.0)
        cells = np.empty((len(classes), len(self.schema)))
        for i, c in enumerate(classes.tolist()):
            cells[i] = rng.multinomial(round(float(average[c])), shares[c] / shares[c].sum())
        yield from zip(self.schema.names, cells.T, strict=True)

    def size(self):
        return len(self.labels) * (len(self.schema) - 1)


class ComplementColumns(MultinomialColumns):
    """The complement: an event is evidence against a class if the other classes show it often."""

    name = "complement"

    def _solve(self, statistics):
        others = statistics.events.sum(axis=0) - statistics.events
        super()._solve(Events(others, statistics.known))
        self.own = statistics.events
        if self.impossible.any():
            j = int(np.argwhere(self.impossible)[0, 1])
            msg = (
                f"{self.schema.names[j]!r} never occurs outside one of the classes, so the complement form"
                " needs smoothing: NaiveBayes(smoothing=Laplace())"
            )
            raise ParameterError(msg)
        self.logs = -self.logs

    def factor(self, X, name, c):
        x = float(np.nan_to_num(X.data(name).astype(float)[0]))
        (share,) = self._shares(self.schema.position(name), c)
        head = f"1 / {share.label}" if x == 1 else f"1 / {share.label} × {figure(x)}"
        formula = rf"\left({share.formula}\right)^{{-x}}"
        numbers = rf"\left({share.numbers}\right)^{{-{figure(x)}}}"
        return Factor(Step(head, formula, numbers, share.result**-x), -x * math.log(share.result))

    def _shares(self, j, c):
        for step in super()._shares(j, c):
            yield replace(step, label=given(self.schema.names[j], f"not {self.truths[c]}"))

    def _happened(self):
        return self.own

    def sampled(self, classes, rng):  # noqa: ARG002
        msg = "the complement form does not say how rows come about; sample with 'multinomial'"
        raise ParameterError(msg)


class BernoulliColumns(EventColumns, ApartColumns):
    """Each column is whether its event happened; its absence counts as well."""

    name = "bernoulli"

    def __init__(self, schema, smoothing, binarize=None):
        super().__init__(schema, smoothing)
        self.binarize = binarize

    def _refuse_negative(self, counts, columns):
        if self.binarize is None:  # else any number may lie above or below
            super()._refuse_negative(counts, columns)

    def _solve(self, statistics):
        self.seen = statistics
        happened, known = statistics.events, statistics.known
        guesses = self.smoothing.guesses(self.labels, self.schema.names, _ABSENT_PRESENT)
        with np.errstate(invalid="ignore"):
            shares = [
                np.where(known > 0, self.smoothing(n, known, 2, guesses[..., value]), 0.5)
                for value, n in ((0, less(known, happened)), (1, happened))
            ]
        self.absent, self.present = (_finite_log(share) for share in shares)
        self.impossible = [share == 0 for share in shares]

    def _events(self, X):
        x, least = super()._events(X), self.binarize or 0.0
        if isinstance(x, sp.csr_array):
            if not x.has_canonical_format:  # a cell may be stored in parts, and it is one event
                x = x.copy()
                x.sum_duplicates()
            return sp.csr_array(((x.data > least).astype(float), x.indices, x.indptr), shape=x.shape)
        return np.where(np.isfinite(x), x > least, x)

    def _without_gaps(self, x):
        name = self.schema.names[int(x.indices[np.argmax(np.isnan(x.data))])]
        msg = f"column {name!r} has missing cells; sparse bernoulli columns can have none: pass X.toarray()"
        raise DataError(msg)

    def add_scores(self, X, scores):
        self._add(self._events(X), slice(None), scores)

    def add_column(self, X, name, scores):
        j = self.schema.position(name)
        self._add(self._events(X)[:, [j]], [j], scores)

    def _add(self, x, columns, scores):
        """Add the scores of the events of some columns."""
        absent, present = self.absent[:, columns], self.present[:, columns]
        not_absent, not_present = (impossible[:, columns] for impossible in self.impossible)
        if isinstance(x, sp.csr_array):
            scores += x @ (present - absent).T + absent.sum(axis=1)
            if not_absent.any() or not_present.any():
                without = not_absent.T.astype(float)
                ruled_out = x @ (not_present.T - without) + without.sum(axis=0)
                scores[ruled_out > 0.5] = -np.inf
            return
        for happens, logs, impossible in ((x == 0, absent, not_absent), (x == 1, present, not_present)):
            scores += happens @ logs.T
            if impossible.any():
                scores[(happens @ impossible.T.astype(float)) > 0] = -np.inf

    def log_prior(self):
        guesses = self.smoothing.guesses(self.labels, self.schema.names, _ABSENT_PRESENT)
        logs = np.stack([self.absent, self.present], axis=-1)
        return float((self.smoothing.imagined(guesses[..., :-1]) * logs).sum())

    def factor(self, X, name, c):
        x = self._events(X)[:, [self.schema.position(name)]]
        value = float((x.toarray() if isinstance(x, sp.csr_array) else x)[0, 0])
        if math.isnan(value):
            return left_out(name, self.truths[c], "missing")
        step = list(self._shares(self.schema.position(name), c))[int(value)]
        return Factor(step, math.log(step.result) if step.result > 0 else -math.inf)

    def _shares(self, j, c):
        happened, N = float(self.seen.events[c, j]), float(self.seen.known[c, j])
        p = self.smoothing.guess(self.labels[c], self.schema.names[j], _ABSENT_PRESENT)
        for value, n in ((0, float(less(N, happened))), (1, happened)):
            head = given(f"{self.schema.names[j]} = {value}", self.truths[c])
            if N == 0:
                yield Step(head, r"\frac{1}{2}", r"\frac{1}{2}", 0.5, "the column never occurs in this class")
                continue
            numbers = self.smoothing.numbers(n, N, 2, float(p[value]))
            yield Step(head, self.smoothing.formula, numbers, float(self.smoothing(n, N, 2, float(p[value]))))

    def _happened(self):
        return self.seen.events

    def sampled(self, classes, rng):
        for j, attribute in enumerate(self.schema):
            chance = np.exp(self.present[:, j]) * ~self.impossible[1][:, j]
            happens = rng.random(len(classes)) < chance[classes]
            kind = attribute.dtype if isinstance(attribute, Categorical) else np.float64
            yield attribute.name, happens.astype(kind)

    def size(self):
        return len(self.labels) * len(self.schema)


def _finite_log(shares):
    """The logarithm, and 0 instead of minus infinity: products with counts of 0 must stay 0."""
    possible = np.where(shares > 0, shares, 1.0)
    return np.log(possible, out=possible)
