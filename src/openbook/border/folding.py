"""Learners whose model follows from statistics that add up over rows: fit, learn more, forget.

    fit            statistics = sum of step(chunk) over all chunks
    partial_fit    statistics + those of more rows
    forget         statistics - those of some rows
    without_each   statistics of all parts but one, for one after the other

and then the model is solved from the statistics. The model file holds the statistics, so an opened model can
go on learning. Each statistic defines how it treats missing cells.
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from operator import add
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from openbook.border.base import FromRows
from openbook.border.learner import Classifier, Learner
from openbook.border.rows import UNLABELLED, Chunk, Rows, class_codes, infinite_cell, weighed
from openbook.border.rules import check_parameters
from openbook.data import UNSEEN, Categorical, Column, Datetime, Scan, Schema, Table, TargetMean, Text, read
from openbook.data.rare import may_pool
from openbook.errors import DataError, ParameterError
from openbook.fold import Statistics, all_but_each, each, fold
from openbook.measures.arrays import all_finite
from openbook.text.columns import encoded

Array = npt.NDArray[Any]


class Summing(FromRows):
    """What follows from statistics that add up over rows."""

    statistics_: Any  # the Statistics of the family

    @abstractmethod
    def _step(self) -> Callable[[Chunk], Statistics]:
        """A function, fit to be pickled, from a chunk to its statistics."""

    @abstractmethod
    def _zero(self) -> Statistics:
        """The statistics of no rows; the model file is checked against their shapes."""

    @abstractmethod
    def _solve(self) -> None:
        """The model from `statistics_`."""

    def _folded(self, rows: Rows) -> Statistics:
        statistics = self._summed(rows)
        if not _finite(statistics):
            raise infinite_cell(rows)
        return statistics

    def _summed(self, rows: Rows) -> Statistics:
        with np.errstate(over="ignore", invalid="ignore"):
            return fold(rows.pieces, self._step(), add)

    def _possible(self, statistics: Statistics) -> bool:
        """Whether there can be rows of which these are the statistics."""
        return all((amount >= 0).all() for amount in statistics.amounts())

    def _arrays(self) -> Mapping[str, Array]:
        return self.statistics_.arrays()

    def _restore(self, arrays: Mapping[str, Array]) -> None:
        zero = self._zero()
        if odd := arrays.keys() ^ zero.arrays().keys():
            raise ValueError(f"array {min(odd)!r} is missing or unexpected")
        self.statistics_ = zero.filled(arrays)
        if not _finite(self.statistics_):
            raise ValueError("its statistics are not finite, so the model is not valid")
        if not self._possible(self.statistics_):
            raise ValueError("its statistics are not valid: a weight is negative, or missing")
        self._solve()


class Folding(Summing, Learner):
    """A learner whose model follows from statistics that add up over rows."""

    _streams = True

    @property
    def one_pass(self) -> bool:
        """Whether a pass over the rows, in whatever parts, is all there is to learning."""
        return True

    def _announce(self) -> None:
        """Warn of the first of the model's notes, if it has any."""
        if notes := getattr(self, "notes_", ()):
            more = f" (and {len(notes) - 1} more: see notes_)" if len(notes) > 1 else ""
            warnings.warn(f"{type(self).__name__}: {notes[0]}{more}", stacklevel=5)

    def _fit(self, rows: Rows) -> None:
        self._learn(self._folded(rows))

    def _learn(self, statistics: Statistics) -> None:
        self.statistics_ = statistics
        self._solve()
        self._announce()

    def _add(self, rows: Rows) -> None:
        """Learn from more rows, encoded in the columns, values and classes that it has."""
        self._learn(self.statistics_ + self._folded(rows))

    def _possible(self, statistics: Statistics) -> bool:
        return bool(statistics.amounts()[0].any()) and super()._possible(statistics)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, as if they had come with the earlier ones.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        classes : array-like or None, default=None
            All the classes that there will be. Needed in the first call if its rows do not show them all.
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        with self._whole_or_not_at_all():
            if hasattr(self, "statistics_"):
                rows = self._more_rows(X, y, sample_weight, grow=True)
                self._grow(rows.schema)
                self._add(rows)
            elif classes is None or not isinstance(self, Classifier):
                self._fit(self._training_rows(X, y, sample_weight))
            else:
                rows = self._training_rows(read(X) if isinstance(X, Scan) else X, y, sample_weight)
                self._fit(self._with_classes(rows, np.unique(classes)))
        return self

    def _grow(self, schema: Schema) -> None:
        """Take in values that only later rows show."""
        self._remember(schema)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Unlearn rows that were learnt before, as if they had never come; some must be left.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        check_is_fitted(self)
        if means := self.schema_.of(TargetMean):
            msg = f"cannot forget rows: column {means[0]!r} holds means of their targets; fit without them"
            raise DataError(msg)
        rows = self._more_rows(X, y, sample_weight, grow=False)
        for table in rows.tables():
            for name in table.schema.of(Categorical):
                if (table.data(name) == UNSEEN).any():
                    msg = f"cannot forget these rows: column {name!r} has a value not seen in training"
                    raise DataError(msg)
        left = self.statistics_ - self._folded(rows)
        if not self._possible(left):
            msg = "cannot forget these rows: they were not in the training data, or none would be left"
            raise DataError(msg)
        with self._whole_or_not_at_all():
            self._learn(left)
        return self

    def without_each(self, X: Table, y: Column, parts: Sequence[Array]) -> Iterator[Self]:
        """Models of all rows but those of each part: to rounding what `fit` makes of the others.

        Where `one_pass` holds, each row is met once and not once a model, as the statistics of the parts are
        added up in other ways. Nothing is subtracted, so no digits are lost.

        Parameters
        ----------
        X : Table
        y : Column
        parts : sequence of arrays
            Positions of rows. Every row is in one of two or more parts.

        Yields
        ------
        a fitted learner for each part
        """
        if not self._parts_add_up(X):
            rests = (np.setdiff1d(np.arange(len(X)), part) for part in parts)
            return (clone(self).fit(X.take(rest), y.take(rest)) for rest in rests)
        learner = clone(self)
        sums = learner._sums_of_parts(X, y, parts)  # noqa: SLF001 (its own)
        return learner._learnt_without_each(X, y, parts, sums)  # noqa: SLF001 (its own)

    def _parts_add_up(self, X: Table) -> bool:
        """Whether the statistics of parts make those of all rows; not where what is rare, and which words or
        parts of dates say most, is for each model's own rows to tell.
        """
        prepared = X.schema.of(Datetime) or any(map(may_pool, X.schema))
        return not (X.schema.of(Text) or (self._pools and prepared))

    def _sums_of_parts(self, X: Table, y: Column, parts: Sequence[Array]) -> list[Statistics]:
        check_parameters(self, self._rules)
        return list(each(parts, partial(self._sum_of_part, *self._encoded_rows(X, y))))

    def _sum_of_part(self, table: Table, targets: Array, part: Array) -> Statistics:
        return self._summed(Rows.in_memory(table.take(part), targets[part]))

    def _learnt_without_each(
        self, X: Table, y: Column, parts: Sequence[Array], sums: list[Statistics]
    ) -> Iterator[Self]:
        for part, others in zip(parts, all_but_each(sums), strict=True):
            if isinstance(self, Classifier) and not others.amounts()[0].all():
                # some class has no row left, so that classes_ and all shapes are others
                rest = np.setdiff1d(np.arange(len(X)), part)
                yield clone(self).fit(X.take(rest), y.take(rest))
                continue
            if not _finite(others):
                raise infinite_cell(Rows.in_memory(X, np.zeros(len(X))))
            model = copy(self)
            model._learn(others)  # noqa: SLF001 (its own)
            yield model

    def _more_rows(self, X: Any, y: Any, sample_weight: Any, *, grow: bool) -> Rows:
        """Rows in the codes of the fitted schema, which `grow` lets take in new values."""
        table = read(X, getattr(self, "kinds", None))
        if isinstance(y, str):
            table, y = table.split(y)
        table = encoded(table, self.schema_, type(self).__name__, grow=grow)
        targets = self._known_target(y)
        check_consistent_length(table, targets)
        return weighed(table, targets, sample_weight)

    def _known_target(self, y: Any) -> Array:
        if not isinstance(self, Classifier):
            return self._target(y)[1]
        _, labels, codes = class_codes(y)
        return self._known_classes(labels)[codes]

    def _known_classes(self, labels: Array) -> Array:
        """The codes of these labels in `classes_`."""
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        if new := [label for label in labels.tolist() if label not in known]:
            raise ParameterError(
                f"class {new[0]!r} was not in the first batch; name all classes there:"
                " partial_fit(X, y, classes=[…])"
            )
        return np.array([known[label] for label in labels.tolist()])

    def _with_classes(self, rows: Rows, classes: Array) -> Rows:
        assert isinstance(self, Classifier)
        found, self.classes_ = self.classes_, classes
        codes = np.append(self._known_classes(found), UNLABELLED)  # which is -1: the last
        return Rows(rows.schema, [Chunk(X, codes[y], w) for X, y, w in rows.pieces], rows.whole)


def _finite(statistics: Statistics) -> bool:
    return all_finite(*statistics.arrays().values())
