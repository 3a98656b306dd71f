"""What every step of preparation shares: fit, transform, and where it can be done, back.

    fit            statistics of the training rows; of some columns, or of all that have the right kind
    transform      each row by itself, by those statistics: no row of a test tells anything of another
    work           the formula and the figures of each column; for a row, the numbers put in

    Preparation    any step: columns are changed, added or left out
    Summed         a step whose statistics add up over rows: statistics = sum of step(chunk); `partial_fit`
    Transformer    a step that changes numbers: each x becomes forward(x), and backward(forward(x)) = x
    RowChange      a step that changes training rows; rows to predict all stay
    RowFilter      a step that leaves out training rows

Rows come out in the form in which they came: a Table gives a Table, a frame a frame of its own kind, an array
an array where all columns are numbers. Columns that a step does not change pass through. A missing cell stays
missing unless the step is about missing cells. Training refuses an infinite cell by name; later it stays
infinite. A column without a known number in training stays as it is.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from openbook.border.base import FromRows
from openbook.border.folding import Summing
from openbook.border.rows import FileChunk, Rows, class_codes, name_of_target, refuse_infinity, weighed
from openbook.border.rules import check_parameters
from openbook.data import Attribute, Column, Datetime, Nominal, Numeric, Ordinal, Schema, Table, Text
from openbook.data.attributes import as_text
from openbook.data.conform import conform
from openbook.data.forms import in_form_of, replaced, with_rows
from openbook.data.read import read
from openbook.data.scan import Scan
from openbook.errors import DataError, RefusalError, did_you_mean
from openbook.words.numbers import figure, signed
from openbook.words.sentences import listed, plural
from openbook.work import Grid, Step, Work

Floats = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


class TrainingTable(NamedTuple):
    """Training rows in memory; the target is class codes, or numbers where `n_classes` is 0."""

    X: Table
    y: Array | None
    n_classes: int
    w: Floats


def target_codes(y: Any) -> tuple[Array, tuple[str, ...]]:
    """A target as codes of these classes, or as numbers (of no class).

    >>> target_codes(["no", "yes", "no"])[0].tolist(), target_codes([1.5, 2.0])[1]
    ([0, 1, 0], ())
    """
    numeric = isinstance(y.attribute, Numeric) if isinstance(y, Column) else np.asarray(y).dtype.kind in "fiu"
    if numeric:
        return np.asarray(y, dtype=np.float64), ()
    _, labels, codes = class_codes(y)
    return codes, tuple(map(as_text, labels.tolist()))


class Preparation(TransformerMixin, FromRows):
    """A step of preparation: it says what it learns (`_learn`) and what becomes of a table (`_prepared`)."""

    _accepts: ClassVar[tuple[type[Attribute], ...]] = (Numeric, Nominal, Ordinal, Text)
    #: The kinds of column that it changes.
    _changes: ClassVar[tuple[type[Attribute], ...]] = (Numeric,)
    #: Whether it also changes dates, which are numbers of days, where no columns are named.
    _changes_dates: ClassVar[bool] = False
    #: Whether it looks at the target, where there is one.
    _asks_target: ClassVar[bool] = False
    #: Whether it cannot do without one.
    _needs_target: ClassVar[bool] = False
    #: The fitted arrays that the model file holds, and how many dimensions each has.
    _learnt: ClassVar[Mapping[str, int]] = {}

    _meanings: ClassVar[Mapping[str, str]] = {
        "columns": "The columns to change, by name; None for all that have the right kind."
    }

    #: The name of the target, None without one, and its classes.
    _target: str | None = None
    _labels: tuple[str, ...] = ()

    @abstractmethod
    def _learn(self, rows: TrainingTable) -> None:
        """Set the fitted attributes."""

    @abstractmethod
    def _prepared(self, table: Table) -> Table:
        """The rows of a table of `schema_`, prepared."""

    def refusal(self, schema: Schema) -> str | None:
        """Why this step cannot be fitted to a table of this schema, before any work is done.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the target.

        Returns
        -------
        str or None
        """
        named = getattr(self, "columns", None) or ()
        for name in (*named, *getattr(self, "needs", ())):
            if name not in schema:
                return f"finds no column {name!r}. {did_you_mean(name, schema.names)}"
            if name in named and not isinstance(schema[name], self._changes):
                kinds = listed([kind.kind for kind in self._changes])
                return f"is for {kinds} columns, and {name!r} is {schema[name].kind}; leave it out"
        return super().refusal(schema)

    @property
    def _chosen(self) -> tuple[str, ...]:
        """The columns that are changed."""
        if (named := getattr(self, "columns", None)) is not None:
            return tuple(named)
        dates = () if self._changes_dates else self.schema_.of(Datetime)
        return tuple(name for name in self.schema_.of(*self._changes) if name not in dates)

    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Check and encode everything that `fit` is given; sets schema_ and the feature names."""
        check_parameters(self, self._rules)
        self._target, self._labels = None, ()
        if isinstance(X, Scan):
            self._unweighted(sample_weight)
            self._remember(X.schema)
            return Rows(X.schema, [FileChunk(piece, X.schema) for piece in X.pieces])
        table = read(X)
        if isinstance(y, str):
            table, y = table.split(y)
        self._accept(table)
        targets = np.zeros(len(table), dtype=np.intp)
        if self._asks_target and y is not None:
            self._target = name_of_target(y, "target")
            targets, self._labels = target_codes(y)
        return weighed(table, targets, sample_weight)

    def _fit(self, rows: Rows) -> None:
        name = type(self).__name__
        if rows.whole is None:
            raise DataError(f"{name} needs all rows in memory; read the file instead of scanning it")
        refuse_infinity(rows.whole)
        if self._needs_target and self._target is None:
            raise RefusalError(f"{name} requires y to be passed, but the target y is None")
        X, y, w = rows.chunk
        self._learn(TrainingTable(X, None if self._target is None else y, len(self._labels), w))

    def transform(self, X: Any) -> Any:
        """The rows, prepared, in the form that X has.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            A Table for a Table, a frame for a frame, an array for an array where all columns are numbers.
        """
        check_is_fitted(self)
        X = with_rows(X)
        return self._in_its_form(in_form_of(X, self._prepared(self._encode(X))))

    def get_feature_names_out(self, input_features: Any = None) -> Array:  # noqa: ARG002 (as scikit-learn)
        """The names of the columns that come out.

        Parameters
        ----------
        input_features : ignored, default=None
            Taken since pipelines pass it.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.array(self._columns_out().names, dtype=object)

    def _columns_out(self) -> Schema:
        """The columns that come out."""
        kinds = [float if isinstance(a, Numeric) else getattr(a, "dtype", object) for a in self.schema_]
        return self._prepared(Table(self.schema_, [np.zeros(0, kind) for kind in kinds])).schema

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_target
        return tags

    def _in_its_form(self, rows: Any) -> Any:
        """A Table as the frame that `set_output` asks for; other rows as they are."""
        form = _get_output_config("transform", self)["dense"] if isinstance(rows, Table) else "default"
        return {"pandas": Table.to_pandas, "polars": Table.to_polars}.get(form, lambda table: table)(rows)

    # the model file

    def _arrays(self) -> Mapping[str, Array]:
        return {name.rstrip("_"): getattr(self, name) for name in self._learnt}

    def _restore(self, arrays: Mapping[str, Array]) -> None:
        for name, dimensions in self._learnt.items():
            array = arrays[name.rstrip("_")]
            if array.ndim != dimensions or (dimensions and len(array) != len(self._chosen)):
                msg = f"array {name!r} has shape {array.shape}, and there are {len(self._chosen)} columns"
                raise ValueError(msg)
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise ValueError(f"array {name!r} is not valid: a figure is not finite")
            setattr(self, name, array)

    def _with(self, table: Table, columns: Mapping[str, tuple[Attribute, Array]]) -> Table:
        """The table with some columns instead of its own, and new ones behind."""
        own = {a.name: (a, table.data(a.name)) for a in table.schema}
        both = {**own, **columns}.values()
        schema = Schema(tuple(attribute for attribute, _ in both), table.schema.named)
        return Table(schema, [data for _, data in both])

    def _read_back(self, X: Any, made: Mapping[str, Attribute]) -> Table:
        """Rows that this step has changed, in the columns of `schema_`, of which it made some others."""
        return self._read_as(X, Schema(tuple(made.get(a.name, a) for a in self.schema_), self.schema_.named))

    def _read_as(self, X: Any, after: Schema) -> Table:
        """Rows that this step has changed, in the columns that came out."""
        return conform(read(X, after), after, type(self).__name__)

    def _numbers(self, table: Table) -> Floats:
        """The numbers of the columns that are changed, (n, n_chosen)."""
        return np.asarray(table.block(self._chosen), dtype=np.float64)

    # showing the work

    def _work_row(self, X: Table) -> Work:
        after = self._prepared(X)
        rows = [(name, X.column(name)[0], after.column(name)[0]) for name in self._chosen]
        return Work(f"{type(self).__name__}: one row", (Grid("", ("column", "is", "becomes"), rows),))

    def _unchanged(self, X: Table) -> tuple[Grid, ...]:
        """The cells of a row that pass through."""
        passed = [
            (a.name, None if X.column(a.name).missing[0] else X.column(a.name)[0])
            for a in self.schema_
            if a.name not in self._chosen
        ]
        return (Grid("unchanged", ("column", "cell"), passed),) if passed else ()


class Summed(Summing, Preparation):
    """A step whose statistics add up over rows.

    It says what it adds up (`_step`, `_zero`) and what follows from the sums (`_solve`).
    """

    def _fit(self, rows: Rows) -> None:
        self.statistics_ = self._folded(rows)
        self._solve()

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002 (pipelines pass a target)
        """Learn from more rows, as if they had come with the earlier ones.

        Parameters
        ----------
        X : table-like
        y : ignored, default=None
            Taken since pipelines pass it.
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        with self._whole_or_not_at_all():
            if not hasattr(self, "statistics_"):
                self._fit(self._training_rows(X, None, sample_weight))
                return self
            table = conform(read(X), self.schema_, type(self).__name__, grow=True)
            self._remember(table.schema)
            rows = weighed(table, np.zeros(len(table), dtype=np.intp), sample_weight)
            self.statistics_ = self.statistics_ + self._folded(rows)
            self._solve()
        return self


def _goes_back(step: Any) -> bool:
    return step._backward is not None  # noqa: SLF001 (openbook's own)


class Transformer(OneToOneFeatureMixin, Preparation):
    """A step that changes numbers and keeps the columns; see the module.

    It says how a number changes and, unless that loses something, changes back (`_forward`, `_backward`), and
    the steps behind it (`_rule`, `_substituted`).
    """

    #: The inverse of `_forward`; None where there is none.
    _backward: Callable[[Floats], Floats] | None = None

    @abstractmethod
    def _forward(self, x: Floats) -> Floats:
        """Numbers as they come, (n, n_chosen), as they are to be."""

    @abstractmethod
    def _rule(self) -> tuple[str, tuple[str, ...], Floats]:
        """The formula, the names of its figures, and the figures of each column, (n_chosen, k)."""

    @abstractmethod
    def _substituted(self, j: int, x: str) -> str:
        """The formula with the figures of column j and the number x put in."""

    def transform(self, X: Any) -> Any:
        """The rows with their numbers changed, in the form that X has.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            A Table for a Table, a frame for a frame, an array for an array.
        """
        return self._changed(X, self._forward, plain=True)

    @available_if(_goes_back)
    def inverse_transform(self, X: Any) -> Any:
        """The rows with their numbers changed back, in the form that X has.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            A Table for a Table, a frame for a frame, an array for an array.
        """
        assert self._backward is not None
        return self._changed(X, self._backward, plain=False)

    def _changed(self, X: Any, change: Callable[[Floats], Floats], *, plain: bool) -> Any:
        """X with its numbers changed; `plain` numbers have no unit, and are no dates."""
        check_is_fitted(self)
        X = with_rows(X)
        bare = {name: Numeric(name) for name in self._chosen}
        table = self._encode(X) if plain else self._read_back(X, bare)
        attributes = [bare[name] if plain else self.schema_[name] for name in bare]
        changed = change(self._numbers(table))
        return self._in_its_form(replaced(X, self.schema_, attributes, changed, type(self).__name__))

    def _prepared(self, table: Table) -> Table:
        attributes = [Numeric(name) for name in self._chosen]
        changed = self._forward(self._numbers(table))
        return replaced(table, self.schema_, attributes, changed, type(self).__name__)

    # showing the work

    def _work(self) -> Work:
        formula, header, figures = self._rule()
        names = self._chosen
        rows = [[name, *row] for name, row in zip(names, figures.tolist(), strict=True)]
        others = len(self.schema_) - len(names)
        note = f"Unchanged: {plural(others, 'other column')}." if others else ""
        if any(isinstance(self.schema_[name], Datetime) for name in names):
            note = f"Dates are days since 1970-01-01. {note}".strip()
        rule = Step("z", formula, note="missing cells stay missing")
        grid = Grid("columns", ["column", *header], rows, note)
        return Work(f"{type(self).__name__}: how numbers change", (*self._definitions(), rule, grid))

    def _definitions(self) -> tuple[Step, ...]:
        """What the figures of the formula are, where their names do not say it."""
        return ()

    def _work_row(self, X: Table) -> Work:
        formula, _, _ = self._rule()
        numbers = self._numbers(X)
        before, after = numbers[0].tolist(), self._forward(numbers)[0].tolist()
        steps = [
            Step(name, formula, self._substituted(j, signed(before[j])), after[j], self._day(name, before[j]))
            if np.isfinite(before[j])
            else Step(name, result="missing", note="stays missing")
            for j, name in enumerate(self._chosen)
        ]
        return Work(f"{type(self).__name__}: one row", (*steps, *self._unchanged(X)))

    def _day(self, name: str, number: float) -> str:
        attribute = self.schema_[name]
        return f"{attribute.shown(number)} is day {figure(number)}" if isinstance(attribute, Datetime) else ""


class RowChange(Preparation):
    """A step that changes training rows: `_learn` sets `rows_`, where each of the new ones comes from.

    `transform` leaves rows as they are, since every row to predict needs a prediction, so inside
    scikit-learn's `Pipeline` such a step does nothing; `openbook.prepare.Prepared` and `fit_resample`
    change the rows.
    """

    rows_: Any
    #: Factors of the weights of the rows; None where the weights stay.
    weights_: Any = None

    def resampled(self, table: Table) -> Table:
        """The training rows, changed.

        Parameters
        ----------
        table : Table
            The rows that it was fitted to.

        Returns
        -------
        Table
            A row for each of `rows_`.
        """
        return table.take(self.rows_)

    def fit_resample(self, X: Any, y: Any) -> tuple[Table, Any]:
        """The changed rows and their targets; the name is that of imbalanced-learn.

        Parameters
        ----------
        X : table-like
        y : array-like

        Returns
        -------
        tuple of (Table, array-like)
        """
        self.fit(X, y)
        targets = y.take(self.rows_) if isinstance(y, Column) else np.asarray(y)[self.rows_]
        return self.resampled(read(X)), targets

    def transform(self, X: Any) -> Any:
        """The rows as they are.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
        """
        check_is_fitted(self)
        X = with_rows(X)
        self._encode(X)
        return self._in_its_form(X)

    def _prepared(self, table: Table) -> Table:
        return table

    def _work_row(self, X: Table) -> Work:  # noqa: ARG002 (nothing changes)
        return Work(f"{type(self).__name__}: one row", (), "Only training rows change: the row stays.")


class RowFilter(RowChange):
    """A step that leaves out training rows: `_learn` sets `kept_`, whether each of them is kept."""

    kept_: npt.NDArray[np.bool_]

    @property
    def rows_(self) -> npt.NDArray[np.intp]:
        """The training rows that are kept."""
        return np.flatnonzero(self.kept_)

    def _left_out(self, count: int | None = None) -> str:
        """Which training rows were left out, in words; a model file knows only their number."""
        rows = np.flatnonzero(~self.kept_).astype(str).tolist() if hasattr(self, "kept_") else []
        if count is None and not hasattr(self, "kept_"):
            return ""
        which = f": {listed(rows, 10)}" if rows else ""
        return f"{plural(count if count is not None else len(rows), 'training row')} left out{which}."
