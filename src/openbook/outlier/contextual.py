r"""Contextual outliers: rows that are unusual in their context, though not among all rows.

    score = the score of a detector that learnt from the rows of the same context alone

Some columns are the context, such as a month or a place; the others are scored. Rows with the same values of
all context columns share a context; numbers are cut into `bins` intervals of about equally many rows, and
missing is a value of its own. A context of fewer than `least` rows, or an unseen one, uses the detector of
all rows. The inner detector handles missing cells of the scored columns.
"""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from sklearn.base import clone

from openbook.border.rules import Anything, Whole
from openbook.damage import checked_array, require
from openbook.data import MISSING, Categorical, Nominal, Numeric
from openbook.errors import ParameterError, UnknownColumn
from openbook.outlier.detector import Detector, inner_of
from openbook.outlier.naive_bayes_surprise import NaiveBayesSurprise
from openbook.spaces.rows import StoredRows
from openbook.words.numbers import figure
from openbook.work import Step

#: The key of the detector of all rows.
_ALL = -1


class Contextual(Detector):
    """Contextual outliers: how unusual the row is among the rows of its context.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    detector : Detector or None, default=None
        What judges the other columns; None: NaiveBayesSurprise().
    context : sequence of str or None, default=None
        The columns that are the context; None: the nominal ones, unless all are.
    least : int, default=20
        The fewest rows of a context with its own detector.
    bins : int or str, default=4
        Into how many parts the numbers of a context column are cut.
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" takes the threshold of the detector
        inside, or else 0.1.
    top : int or None, default=None

    Attributes
    ----------
    context_, judged_ : tuple of str
        The columns of the context, and the others.
    detectors_ : dict of int to Detector
        The detector of each large enough context, under its key, and of all rows under -1.
    sizes_ : dict of int to int
        The number of rows of each context.
    threshold_ : float

    Examples
    --------
    >>> from openbook.outlier import ZScore
    >>> usual = {"winter": 0, "summer": 25}
    >>> rows = [{"season": s, "degrees": d + i % 5} for s, d in usual.items() for i in range(30)]
    >>> model = Contextual(ZScore(), context=["season"]).fit(rows)
    >>> model.predict([{"season": "summer", "degrees": 25}, {"season": "winter", "degrees": 25}]).tolist()
    [1, -1]
    """

    detector: Any = None
    context: Annotated[Any, Anything("None or a list of columns")] = None
    least: Annotated[int, Whole(2)] = 20
    bins: Annotated[int, Whole(2)] = 4

    weighs = False

    def refusal(self, schema):
        if (reason := super().refusal(schema)) is not None:
            return reason
        _, judged = self._parted(schema)
        if not judged:
            return "needs columns other than the context"
        return self._inner().refusal(schema.select(judged))

    def _inner(self):
        return inner_of(self, NaiveBayesSurprise())

    def _parted(self, schema):
        """The columns of the context, and the others."""
        if self.context is None:
            nominal = schema.of(Nominal)
            context = nominal if len(nominal) < len(schema) else ()
        elif isinstance(self.context, str) or not all(isinstance(name, str) for name in self.context):
            msg = f"{type(self).__name__}: context must be a list of columns, got {self.context!r}"
            raise ParameterError(msg)
        else:
            context = tuple(self.context)
        if odd := [name for name in context if name not in schema]:
            raise UnknownColumn(odd[0], schema.names)
        return context, tuple(name for name in schema.names if name not in context)

    def _learn(self, rows):
        table = StoredRows.gathered(rows).table(self.schema_)
        self.context_, self.judged_ = self._parted(self.schema_)
        self._cuts = [self._cut_points(table, name) for name in self.context_]
        keys = self._keys(table)
        judged = table.select(self.judged_)
        self.detectors_ = {_ALL: clone(self._inner()).fit(judged)}
        values, counts = np.unique(keys, return_counts=True)
        self.sizes_ = {_ALL: len(table)}
        for key, count in zip(values.tolist(), counts.tolist(), strict=True):
            if count >= self.least and len(self.context_):
                self.detectors_[key] = clone(self._inner()).fit(judged.take(keys == key))
                self.sizes_[key] = count
        self._natural = self.detectors_[_ALL]._natural  # noqa: SLF001 (another detector)

    def _cut_points(self, table, name):
        """Where the numbers of a context column are cut; nowhere for other columns."""
        if not isinstance(table.schema[name], Numeric):
            return np.zeros(0)
        data = table.data(name)
        shares = np.arange(1, self.bins) / self.bins
        known = data[np.isfinite(data)]
        return np.unique(np.quantile(known, shares)) if len(known) else np.zeros(0)

    def _codes(self, X, name, cuts):
        """The value of each row in a context column, 0 where missing, and -1 where never seen."""
        data = X.data(name)
        if isinstance(X.schema[name], Numeric):
            return np.where(np.isfinite(data), np.searchsorted(cuts, data, side="right") + 1, 0)
        return np.where(data >= MISSING, data.astype(np.int64) + 1, -1)

    def _keys(self, X):
        """One number for the context of each row; -1 where a value was never seen."""
        keys = np.zeros(len(X), np.int64)
        seen = np.ones(len(X), dtype=bool)
        for name, cuts in zip(self.context_, self._cuts, strict=True):
            codes, attribute = self._codes(X, name, cuts), self.schema_[name]
            n_codes = 1 + len(attribute.values) if isinstance(attribute, Categorical) else 2 + len(cuts)
            keys = keys * n_codes + codes
            seen &= codes >= 0
        return np.where(seen, keys, _ALL)

    def _scores(self, X):
        keys, judged, scores = self._keys(X), X.select(self.judged_), np.empty(len(X))
        keys = np.where(np.isin(keys, list(self.detectors_)), keys, _ALL)
        for key in np.unique(keys).tolist():
            in_context = keys == key
            scores[in_context] = self.detectors_[key]._scores(judged.take(in_context))  # noqa: SLF001 (encoded)
        return scores

    def _account(self, X):
        key = int(self._keys(X)[0])
        key = key if key in self.detectors_ else _ALL
        inner = self.detectors_[key]._account(X.select(self.judged_))  # noqa: SLF001
        by_name = dict(zip(self.judged_, inner.shares, strict=True))
        shares = [by_name.get(name, 0.0) for name in self.schema_.names]
        note = f"{self.sizes_[key]:,} training rows"
        if key == _ALL and self.context_:
            note = f"unseen, or fewer than {self.least} rows: compared with all {self.sizes_[key]:,}"
        step = Step("context", result=self._described_context(X) or "all rows", note=note)
        return replace(inner, shares=shares, parts=(step, *inner.parts))

    def _described_context(self, X):
        """The context of a one-row table in words."""
        words = []
        for name, cuts in zip(self.context_, self._cuts, strict=True):
            code = int(self._codes(X, name, cuts)[0])
            attribute = self.schema_[name]
            if code <= 0:
                words.append(f"{name} {'missing' if code == 0 else 'never seen'}")
            elif isinstance(attribute, Categorical):
                words.append(f"{name} = {attribute.values[code - 1]}")
            else:
                ends = ["-∞", *(figure(float(cut), 4) for cut in cuts), "∞"]
                words.append(f"{name} from {ends[code - 1]} to {ends[code]}")
        return ", ".join(words)

    def _learnt(self):
        return (
            Step("context", result=", ".join(self.context_) or "none"),
            Step("judged", result=", ".join(self.judged_)),
            Step("contexts with their own detector", result=len(self.detectors_) - 1),
            Step("rows", result=self.sizes_[_ALL]),
            self.detectors_[_ALL].work(),
        )

    def _saved(self):
        members = {str(key): detector for key, detector in self.detectors_.items()}
        return super()._saved()._replace(members=members)

    def _opened(self, saved):
        self.detectors_ = {int(key): member for key, member in saved.members.items()}
        super()._opened(saved)

    def _arrays(self):
        keys = np.array(list(self.detectors_), dtype=np.int64)
        sizes = np.array([self.sizes_[key] for key in keys.tolist()], dtype=np.int64)
        n_cuts = np.array(list(map(len, self._cuts)), dtype=np.int64)
        return {"keys": keys, "sizes": sizes, "cuts": np.concatenate([[], *self._cuts]), "n_cuts": n_cuts}

    def _restore(self, arrays):
        self.context_, self.judged_ = self._parted(self.schema_)
        n_cuts = checked_array(arrays, "n_cuts", np.int64, (len(self.context_),))
        require(n_cuts >= 0, "a context column cannot have fewer than no cuts")
        cuts = checked_array(arrays, "cuts", float, (int(n_cuts.sum()),))
        self._cuts = np.split(cuts, np.cumsum(n_cuts)[:-1]) if len(n_cuts) else []
        shape = (len(self.detectors_),)
        keys, sizes = (checked_array(arrays, name, np.int64, shape) for name in ("keys", "sizes"))
        expected, judged = type(self._inner()), self.schema_.select(self.judged_)
        matching = set(keys.tolist()) == set(self.detectors_) and _ALL in self.detectors_
        in_order = all((np.diff(own) > 0).all() for own in self._cuts)
        require(matching and in_order, "its contexts do not match its detectors, or cuts are out of order")
        sound = all(type(m) is expected and m.schema_ == judged for m in self.detectors_.values())
        require(sound, f"its detectors must be {expected.__name__}s of the judged columns")
        self.sizes_ = dict(zip(keys.tolist(), sizes.tolist(), strict=True))
