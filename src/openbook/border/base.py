"""The border of every estimator: inputs are checked and encoded here once.

    X  ->  Table  ->  Rows  ->  _fit  ->  fitted arrays + schema_

`X` is anything that `openbook.read` takes, or an `openbook.scan`. A family writes `_fit(rows)`, `_work()` and
`_work_row(X)`, and sees only clean tables: columns in the order of `schema_`, codes, NaN, MISSING and UNSEEN.
Learners with a target are in `learner.py`, those without in `unsupervised.py`.
"""

import inspect
import warnings
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache, partial
from operator import add
from typing import Any, ClassVar, NamedTuple, Self, final

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from openbook.border.class_weight import CLASS_WEIGHT
from openbook.border.not_taken import KnownParameters, declared_rules
from openbook.border.priors import PRIORS
from openbook.border.profile import Profile, Unlike
from openbook.border.rows import Rows, in_rows
from openbook.border.rules import WORKERS, Anything, Flag, Maybe, Names, Number, ParameterRule, Whole
from openbook.border.shown import shown_row, with_prepared
from openbook.damage import blamed_on_its_file
from openbook.data import Attribute, Nominal, Numeric, Ordinal, Scan, Schema, SparseTable, Table, Text, read
from openbook.data.conform import conform
from openbook.errors import DataError, RefusalError, UnknownColumn
from openbook.fold import fold
from openbook.measures.arrays import stacked
from openbook.text.columns import encoded
from openbook.words.parameters import documented
from openbook.work import Passage, Work

Array = npt.NDArray[Any]


#: The rules of parameters that most classes share; one whose rule differs has its own.
_SHARED_RULES: dict[str, ParameterRule] = {
    "C": Number(above=0, unlimited=True),
    "allow_large": Flag(),
    "alpha": Number(at_least=0),
    "bootstrap": Flag(),
    "class_weight": CLASS_WEIGHT,
    "columns": Maybe(Names()),
    "fit_intercept": Flag(),
    "max_iter": Whole(at_least=1),
    "n_clusters": Whole(at_least=1),
    "n_components": Whole(at_least=1),
    "n_estimators": Whole(at_least=1),
    "n_init": Whole(at_least=1),
    "n_jobs": WORKERS,
    "n_neighbors": Whole(at_least=1),
    "oob_score": Flag(),
    "priors": PRIORS,
    "random_state": Anything("None, a whole number or a RandomState"),
    "scale": Flag(),
    "tol": Number(at_least=0),
}


class Saved(NamedTuple):
    """A fitted model as the model file holds it: JSON, arrays, and the models it is made of."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, Array]
    members: Mapping[str, Any] = {}


class Estimator(KnownParameters):
    """The border that all share, with a target or without."""

    #: The rule of each parameter that has one: see `declared_rules`.
    _rules: ClassVar[Mapping[str, ParameterRule]] = {}
    #: The kinds of column it can use.
    _accepts: ClassVar[tuple[type[Attribute], ...]] = (Numeric, Nominal, Ordinal)
    #: Whether it compares weights with numbers of rows, such as `min_samples_leaf` or `n_neighbors`; `fit`
    #: then reads weights as numbers of rows (`rows.in_rows`), so that their scale does not matter.
    _counts_rows: ClassVar[bool] = False
    #: Fitted attributes that the model file holds as JSON beside the arrays, without their last "_", by type.
    _saved_facts: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    #: Why rows of different weights are refused; "" where they are not.
    _refuses_weights: ClassVar[str] = ""
    #: Whether it fits a scan without holding its rows, or with a byte a cell.
    _streams: ClassVar[bool] = False
    #: Whether it takes sparse columns, beside others or alone, and never makes them dense.
    _takes_sparse: ClassVar[bool] = False

    schema_: Schema
    n_features_in_: int

    def __init__(self) -> None:
        """No parameters, unless a subclass has some."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        documented(cls)
        parameters = inspect.signature(cls).parameters
        shared = {name: rule for name, rule in _SHARED_RULES.items() if name in parameters}
        cls._rules = shared | declared_rules(cls)

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """The names of the parameters; to read them off the signature each time takes longer than a stump."""
        return super()._get_param_names()

    def __dir__(self) -> list[str]:
        """What completion offers: parameters, fitted attributes and methods, not what the class fixes."""
        parameters = self._get_param_names()

        def shown(name: str) -> bool:
            if name.startswith("_") or name.endswith("_") or name in parameters:
                return True
            return callable(getattr(type(self), name, None)) and not name.endswith("_request")

        return [name for name in super().__dir__() if shown(name)]

    def _workers(self) -> AbstractContextManager[Any]:
        """The workers of `n_jobs`, or those that are set outside."""
        n_jobs = getattr(self, "n_jobs", None)
        return nullcontext() if n_jobs is None else joblib.parallel_config(n_jobs=n_jobs)

    @contextmanager
    def _whole_or_not_at_all(self, X: Any = None) -> Iterator[None]:
        """Where learning fails, stay what it was: half a new model would read beyond its tables.

        As long as the caller keeps the training rows X, `unlike` finds them; the model does not keep them.
        """
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise
        self.__dict__.pop("_rows_in_use", None)
        with suppress(TypeError):  # lists, which nothing can refer to weakly
            self._rows_in_use = weakref.ref(X)

    def __getstate__(self) -> Any:
        return {name: value for name, value in super().__getstate__().items() if name != "_rows_in_use"}

    @abstractmethod
    def _fit(self, rows: Rows) -> None:
        """Learn from encoded rows."""

    @abstractmethod
    def _work(self) -> Work: ...

    @abstractmethod
    def _work_row(self, X: Table) -> Work: ...

    @abstractmethod
    def _arrays(self) -> Mapping[str, Array]:
        """The arrays that make up the fitted model, for the model file."""

    @abstractmethod
    def _restore(self, arrays: Mapping[str, Array]) -> None:
        """Become the fitted model of these arrays; raise ValueError or KeyError where they do not fit."""

    def _saved(self) -> Saved:
        facts = {name: getattr(self, f"{name}_") for name in self._saved_facts}
        return Saved({"schema": self.schema_.to_json(), **facts}, dict(self._arrays()))

    def _opened(self, saved: Saved) -> None:
        schema = Schema.from_json(saved.facts["schema"])
        if self._reads_texts and (texts := schema.of(Text)):
            raise ValueError(f"it has no words of the text column {texts[0]!r}")
        for name, kind in self._saved_facts.items():
            setattr(self, f"{name}_", kind(saved.facts[name]))
        self._remember(schema)
        self._restore(saved.arrays)

    def refusal(self, schema: Schema) -> str | None:
        """Why this learner cannot fit a table of this schema, before any work is done.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the target.

        Returns
        -------
        str or None
            The reason, which also says what to do; None if it can.
        """
        accepts = (*self._accepts, Text) if self._reads_texts else self._accepts
        if len(schema.of(*accepts)) < len(schema):
            odd = next(a for a in schema if not isinstance(a, accepts))
            return f"cannot use the {odd.kind} column {odd.name!r}; drop it or turn it into counts first"
        return None

    @property
    def _reads_texts(self) -> bool:
        """Whether it derives words from columns of texts."""
        return False

    def work(self, row: Any = None) -> Work:
        """Show the work: how the model was learnt or, for a row, how its prediction was made.

        Parameters
        ----------
        row : mapping, Series, table, frame or sequence, default=None
            One row to predict. A column left out of a mapping counts as missing. None shows how the model was
            learnt.

        Returns
        -------
        Work
            The derivation: print it, or ask for `html()`, `latex()` or `json()`.
        """
        check_is_fitted(self)
        if row is None:
            with blamed_on_its_file(self):
                return with_prepared(self._work(), self.schema_)
        given = self._given_row(row)
        X = encoded(given, self.schema_, type(self).__name__)
        with blamed_on_its_file(self):
            work = self._work_row(X)
            means = shown_row(self.schema_, given)
            return replace(work, parts=(*means, *work.parts, *self._shaded(given)))

    def unlike(self, X: Any, training: Any = None) -> Unlike:
        """Whether new rows look like those that the model was trained on, per column and jointly.

        Parameters
        ----------
        X : table-like
            New rows.
        training : table-like or None, default=None
            The training rows. None takes those that `fit` was given, as long as they are still in use, or the
            profile in the model's file, which `openbook.save(model, path, training=X)` and studies write.

        Returns
        -------
        Unlike
            The tests of each column and of all together, adjusted for their number; the rows that are unlike
            any training row; and how this may affect the predictions.
        """
        check_is_fitted(self)
        model = self if hasattr(self, "predict") and hasattr(self, "target_") else None
        profile = getattr(self, "training_profile_", None)
        if training is None and profile is None:
            training = getattr(self, "_rows_in_use", lambda: None)()
        if training is not None:
            profile = Profile.of(self._with_texts(training), model)
        if profile is None:
            raise DataError(
                f"{type(self).__name__} does not know its training rows; pass them, as in model.unlike(X,"
                " training=X_train), or save the model with openbook.save(model, path, training=X_train)"
            )
        return profile.compare(self._with_texts(X), model)

    def _with_texts(self, X: Any) -> Table:
        """The rows in the columns and codes of `schema_`, with texts instead of their words."""
        return conform(read(X, self.schema_), self.schema_.unworded, type(self).__name__)

    def _shaded(self, given: Table) -> tuple[Passage, ...]:  # noqa: ARG002 (there is nothing to predict)
        """The texts of a row, as the model weighs their words."""
        return ()

    def _one_row(self, row: Any) -> Table:
        """A row as a table in the columns and codes of `schema_`."""
        return encoded(self._given_row(row), self.schema_, type(self).__name__)

    def _given_row(self, row: Any) -> Table:
        """A row as a table in the columns that it was given in."""
        if isinstance(row, list) and len(row) == 1 and isinstance(row[0], Mapping):  # as `predict` takes it
            row = row[0]
        if np.ndim(row) == 1 and hasattr(row, "keys"):  # a Series
            row = dict(row)
        if isinstance(row, Mapping):
            names = self.schema_.given.names
            if odd := [name for name in row if name not in names]:
                raise UnknownColumn(odd[0], names)
            table = read([{name: row.get(name) for name in names}], self.schema_)
        else:
            rows = np.asarray(row, dtype=object)[None, :] if np.ndim(row) == 1 else row
            table = read(rows, self.schema_)
        if len(table) != 1:
            raise DataError(f"work takes one row, got {len(table)}; pick one, as in table.take([3])")
        return table

    def _accept(self, table: Table) -> None:
        """Refuse what cannot be fitted; remember the schema of what can."""
        if isinstance(table, SparseTable) and not self.__sklearn_tags__().input_tags.sparse:
            raise TypeError(f"{type(self).__name__} cannot use sparse data; pass X.toarray()")
        self._remember(table.schema)

    def _remember(self, schema: Schema) -> None:
        if (reason := self.refusal(schema)) is not None:
            raise RefusalError(f"{type(self).__name__} {reason}")
        for name in ("_file", "training_profile_", "_rows_in_use"):  # it becomes another model
            self.__dict__.pop(name, None)
        self.schema_ = schema
        self.n_features_in_ = len(schema.given)
        if schema.named:
            self.feature_names_in_ = np.array(schema.given.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _in_scale(self, sample_weight: Any) -> Any:
        """The weights that `fit` was given, on the scale that this learner needs."""
        return in_rows(sample_weight) if self._counts_rows and sample_weight is not None else sample_weight

    def _encode(self, X: Any) -> Table:
        """The rows to predict, in the columns and codes of `schema_`."""
        table = read(X, self.schema_)
        self._warn_of_names(table.schema)
        return encoded(table, self.schema_, type(self).__name__)

    def _warn_of_names(self, schema: Schema) -> None:
        name = type(self).__name__
        if schema.named and not self.schema_.named:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names", stacklevel=4)
        if self.schema_.named and not schema.named:
            warnings.warn(
                f"X does not have valid feature names, but {name} was fitted with feature names", stacklevel=4
            )

    def _each(self, X: Any, method: Callable[[Table], Array]) -> Array:
        """Apply a method to the encoded chunks of X, side by side, and stack what comes back."""
        if not hasattr(self, "schema_") or hasattr(self, "__sklearn_is_fitted__"):
            check_is_fitted(self)  # which takes as long as to predict a few rows
        if isinstance(X, Scan):
            pieces: Sequence[Any] = X.pieces
            method = partial(_on_encoded, self, method)
        else:
            pieces = list(self._encode(X).chunks())
        with blamed_on_its_file(self), self._workers():
            return stacked(fold(pieces, partial(_listed, method), add))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._takes_sparse
        return tags


class FromRows(Estimator):
    """What learns from encoded rows, with a target or without: `fit`, written once."""

    @final
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : table-like or Scan
        y : array-like, str or None, default=None
            The target: an array, a Series, a Column, or the name of a column of X. What learns without a
            target ignores it.
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        with self._whole_or_not_at_all(X):
            rows = self._training_rows(X, y, self._in_scale(sample_weight))
            with self._workers():
                self._fit(rows)
        return self

    @abstractmethod
    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Check and encode everything that `fit` is given; sets schema_ and the feature names."""

    def _unweighted(self, sample_weight: Any) -> None:
        """Refuse weights of rows that are read from files."""
        if sample_weight is not None:
            raise DataError("sample_weight needs rows in memory; read the file instead of scanning it")


def _on_encoded(estimator: Estimator, method: Callable[[Table], Array], table: Table) -> Array:
    return method(encoded(table, estimator.schema_))


def _listed(method: Callable[[Table], Array], table: Table) -> list[Array]:
    return [method(table)]
