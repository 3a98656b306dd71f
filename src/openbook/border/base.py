"""The border of every learner: inputs are checked and encoded here once, and labels decoded on the way out.

    X, y  ->  Table, codes  ->  Rows  ->  _fit  ->  fitted arrays + schema_  ->  _proba  ->  labels

`X` is anything that `openbook.read` takes, or an `openbook.scan`; `y` is an array, a Series, a Column, or
the name of a column of `X`. A family writes `_fit(rows)`, `_proba(X)` or `_predict(X)`, `_work()` and
`_work_row(X)`, and sees only clean tables: columns in the order of `schema_`, codes, NaN, MISSING and
UNSEEN. What needs no target shares the same border (`unsupervised.py`).
"""

import warnings
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial, reduce
from operator import add
from typing import Any, ClassVar, NamedTuple, Self, final

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import assert_all_finite, check_consistent_length, check_is_fitted

from openbook.border.cross_fitted import CrossFitted
from openbook.border.date_parts import derived_parts
from openbook.border.passages import model_score, shaded_texts
from openbook.border.pooling import pooled
from openbook.border.profile import Profile, Unlike
from openbook.border.rows import (
    FileChunk,
    Rows,
    check_known,
    class_codes,
    codes_where_labelled,
    in_rows,
    name_of_target,
    one_column,
    weighed,
)
from openbook.border.rules import ParameterRule, check_parameters
from openbook.border.shown import shown_row, with_prepared
from openbook.border.target_means import with_means
from openbook.border.words import with_words
from openbook.damage import blamed_on_its_file
from openbook.data import (
    Attribute,
    Categorical,
    Column,
    Nominal,
    Numeric,
    Ordinal,
    Schema,
    SparseTable,
    Table,
    Text,
)
from openbook.data.conform import conform
from openbook.data.read import read
from openbook.data.scan import Scan
from openbook.draw.fits import draw_fit
from openbook.draw.regions import draw_boundary
from openbook.errors import DataError, RefusalError, UnknownColumn
from openbook.fold import fold
from openbook.measures.arrays import all_finite, stacked
from openbook.text.columns import encoded
from openbook.words.parameters import documented
from openbook.work import Passage, Work

__all__ = ["Classifier", "Estimator", "FromRows", "Learner", "Regressor", "Saved", "most_probable"]

Array = npt.NDArray[Any]


class Saved(NamedTuple):
    """A fitted model as the model file holds it: JSON, arrays, and the models it is made of."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, Array]
    members: Mapping[str, Any] = {}


class Estimator(BaseEstimator):
    """The border that all share, with a target or without."""

    #: The rule of each parameter that has one.
    _rules: ClassVar[Mapping[str, ParameterRule]] = {}
    #: The kinds of column it can use.
    _accepts: ClassVar[tuple[type[Attribute], ...]] = (Numeric, Nominal, Ordinal)
    #: Whether it compares weights with numbers of rows, such as `min_samples_leaf` or `n_neighbors`; `fit`
    #: then reads weights as numbers of rows (`rows.in_rows`), so that their scale does not matter.
    _counts_rows: ClassVar[bool] = False
    #: Why rows of different weights are refused; "" where they are not.
    _refuses_weights: ClassVar[str] = ""
    #: Whether it fits a scan without holding its rows, or with a byte a cell.
    _streams: ClassVar[bool] = False
    #: Whether it takes sparse columns, beside others or alone, and never makes them dense.
    _takes_sparse: ClassVar[bool] = False

    schema_: Schema
    n_features_in_: int

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        documented(cls)

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
        return Saved({"schema": self.schema_.to_json()}, dict(self._arrays()))

    def _opened(self, saved: Saved) -> None:
        schema = Schema.from_json(saved.facts["schema"])
        if self._reads_texts and (texts := schema.of(Text)):
            msg = f"it has no words of the text column {texts[0]!r}"
            raise ValueError(msg)
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
            msg = (
                f"{type(self).__name__} does not know its training rows; pass them, as in model.unlike(X,"
                " training=X_train), or save the model with openbook.save(model, path, training=X_train)"
            )
            raise DataError(msg)
        return profile.compare(self._with_texts(X), model)

    def _with_texts(self, X: Any) -> Table:
        """The rows in the columns and codes of `schema_`, with texts in place of their words."""
        return conform(read(X, self.schema_), self.schema_.unworded, type(self).__name__)

    def _shaded(self, given: Table) -> tuple[Passage, ...]:  # noqa: ARG002 (there is nothing to predict)
        """The texts of a row, as the model weighs their words."""
        return ()

    def _one_row(self, row: Any) -> Table:
        """A row as a table in the columns and codes of `schema_`."""
        return encoded(self._given_row(row), self.schema_, type(self).__name__)

    def _given_row(self, row: Any) -> Table:
        """A row as a table in the columns that it was given in."""
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
            msg = f"work takes one row, got {len(table)}; pick one, as in table.take([3])"
            raise DataError(msg)
        return table

    def _accept(self, table: Table) -> None:
        """Refuse what cannot be fitted; remember the schema of what can."""
        if isinstance(table, SparseTable) and not self.__sklearn_tags__().input_tags.sparse:
            msg = f"{type(self).__name__} cannot use sparse data; pass X.toarray()"
            raise TypeError(msg)
        self._remember(table.schema)

    def _remember(self, schema: Schema) -> None:
        if (reason := self.refusal(schema)) is not None:
            msg = f"{type(self).__name__} {reason}"
            raise RefusalError(msg)
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
        check_is_fitted(self)
        if isinstance(X, Scan):
            pieces: Sequence[Any] = X.pieces
            method = partial(_on_encoded, self, method)
        else:
            pieces = list(self._encode(X).chunks())
        with blamed_on_its_file(self):
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
            self._fit(self._training_rows(X, y, self._in_scale(sample_weight)))
        return self

    @abstractmethod
    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Check and encode everything that `fit` is given; sets schema_ and the feature names."""

    def _unweighted(self, sample_weight: Any) -> None:
        """Refuse weights of rows that are read from files."""
        if sample_weight is not None:
            msg = "sample_weight needs rows in memory; read the file instead of scanning it"
            raise DataError(msg)


class Learner(FromRows):
    """What every learner of a target shares; see `Classifier` and `Regressor`."""

    #: Whether means of the target take the place of the values of nominal columns with many: what computes
    #: with numbers has use for them, while what counts or parts values takes those that are not rare.
    _takes_means: ClassVar[bool] = False
    #: Whether a part of a date has to tell something of the target to be derived.
    _wants_evidence: ClassVar[bool] = False
    #: Whether it also learns from rows without a label, whose class code is then UNLABELLED.
    _takes_unlabelled: ClassVar[bool] = False

    target_: str

    def _apart(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Inputs and target, where y may be the name of a column of X."""
        return read(X, getattr(self, "kinds", None)).split(y) if isinstance(y, str) else (X, y)

    def _shaded(self, given: Table) -> tuple[Passage, ...]:
        words = self.schema_.words
        if not words or any(text not in given.names for text in words):  # members see words, not texts
            return ()
        return shaded_texts(words, self._with_texts(given), partial(model_score, self))

    @abstractmethod
    def _target(self, y: Any) -> tuple[str, Array]:
        """The target's name and its codes or numbers."""

    @abstractmethod
    def _file_target(self, attribute: Attribute) -> None:
        """Prepare for a target that is a column of files."""

    @abstractmethod
    def complexity(self) -> int:
        """How big the fitted model is: the number of figures that it had to learn.

        Studies prefer the smaller of two models that do equally well.

        Returns
        -------
        int
        """

    def knobs(self) -> dict[str, Sequence[Any]]:
        """The parameters worth tuning, each with a few values, its default among them.

        Returns
        -------
        dict of str to sequence
        """
        return {}

    def _saved(self) -> Saved:
        saved = super()._saved()
        return saved._replace(facts={**saved.facts, "target": self.target_})

    def _opened(self, saved: Saved) -> None:
        self.target_ = str(saved.facts["target"])
        super()._opened(saved)

    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Check and encode everything that `fit` is given; sets schema_, target_ and the feature names."""
        check_parameters(self, self._rules)
        if y is None:
            msg = f"{type(self).__name__} requires y to be passed, but the target y is None"
            raise DataError(msg)
        if isinstance(X, Scan):
            rows = self._file_rows(X, y, sample_weight)
        else:
            rows = weighed(*self._encoded_rows(X, y), sample_weight)
        return self._prepared(rows)

    @property
    def _pools(self) -> bool:
        """Whether columns with many values are replaced or pooled, and parts of dates derived."""
        return True

    @property
    def _reads_texts(self) -> bool:
        return Numeric in self._accepts and Text not in self._accepts

    def _takes_all_words(self, schema: Schema) -> bool:
        """Whether it learns from every word of texts, in sparse rows; if not, from those that say most."""
        alone = len(schema.of(Text)) == len(schema) and self.__sklearn_tags__().input_tags.sparse
        return self._takes_sparse or alone

    def _prepared(self, rows: Rows) -> Rows:
        """The rows with rare values pooled or replaced, parts of dates and words derived; `schema_` tells."""
        n_classes, evident = len(getattr(self, "classes_", ())), self._wants_evidence
        told = rows.part("labelled") if self._takes_unlabelled else rows  # the rows that tell something of it
        schema, crossed = self._few_values(rows, told) if self._pools else (rows.schema, None)
        if self._pools and (parts := derived_parts(schema, told, n_classes, evident=evident)):
            dated = Schema((*schema, *parts), schema.named)
            schema = dated if self.refusal(dated) is None else schema
        counted = None
        if self._reads_texts and schema.of(Text):
            schema, counted = with_words(schema, rows, n_classes, every=self._takes_all_words(schema))
        if schema is rows.schema:
            return rows
        self._remember(schema)
        return rows.under(schema, counted, crossed)

    def _few_values(self, rows: Rows, told: Rows) -> tuple[Schema, CrossFitted | None]:
        """The schema with columns of many values replaced or pooled, and the cells of training rows."""
        classes = getattr(self, "classes_", None)
        if self._takes_means:
            schema, crossed = with_means(rows, self.target_, classes)
            if crossed is None or self.refusal(schema) is None:
                return schema, crossed
        return pooled(told, 0 if classes is None else len(classes)), None

    def _encoded_rows(self, X: Any, y: Any) -> tuple[Table, Array]:
        """The inputs and the codes or numbers of the target, where all are in memory."""
        table = read(X, getattr(self, "kinds", None))
        if isinstance(y, str):
            table, y = table.split(y)
        self._accept(table)
        self.target_, targets = self._target(y)
        if len(table) != len(targets):
            check_consistent_length(table, targets)  # which says so
        return table, targets

    def _file_rows(self, scan: Scan, y: Any, sample_weight: Any) -> Rows:
        if not isinstance(y, str):
            msg = "with a scan, y must be the name of one of its columns"
            raise DataError(msg)
        self._unweighted(sample_weight)
        if getattr(self, "kinds", None) is not None:
            msg = "with a scan, kinds are the scan's affair: openbook.scan(…, kinds=…)"
            raise DataError(msg)
        target = scan.schema[y]
        schema = scan.schema.select(name for name in scan.names if name != y)
        self._remember(schema)
        self.target_ = y
        self._file_target(target)
        keeps = "every" if self._takes_unlabelled else None
        return Rows(schema, [FileChunk(piece, schema, target, keeps) for piece in scan.pieces])


def _on_encoded(estimator: Estimator, method: Callable[[Table], Array], table: Table) -> Array:
    return method(encoded(table, estimator.schema_))


def _listed(method: Callable[[Table], Array], table: Table) -> list[Array]:
    return [method(table)]


class Classifier(ClassifierMixin, Learner):
    """A learner of classes. Ties go to the class that comes first in `classes_`."""

    #: Whether a class that a nominal target declares is learnt without a row of it; what needs rows of each
    #: class leaves it out.
    _counts_declared: ClassVar[bool] = True

    classes_: Array

    @abstractmethod
    def _proba(self, X: Table) -> Array:
        """The probability of each class for each row, (n_rows, n_classes)."""

    def predict(self, X: Any) -> Array:
        """The most probable class of each row; ties go to the class that comes first in `classes_`.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        codes = self._each(X, self._predict)
        return self.classes_[codes]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on these rows: the share whose class is predicted.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        sample_weight : array-like or None, default=None

        Returns
        -------
        float
        """
        return float(super().score(*self._apart(X, y), sample_weight))

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, in the order of `classes_`; rows sum to one.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return self._each(X, self._proba)

    def predict_log_proba(self, X: Any) -> Array:
        """The natural logarithm of the probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Minus infinity where a probability is 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    #: Decision regions over rows; families with a picture of their own have that instead.
    draw: ClassVar[Callable[..., Any]] = draw_boundary

    def _predict(self, X: Table) -> Array:
        return most_probable(self._proba(X))

    def _saved(self) -> Saved:
        saved = super()._saved()
        return saved._replace(arrays={**saved.arrays, "classes_": self.classes_})

    def _opened(self, saved: Saved) -> None:
        classes = saved.arrays["classes_"]
        if classes.ndim != 1 or not len(classes) or len(set(classes.tolist())) != len(classes):
            msg = "its classes must be a list of distinct labels"
            raise ValueError(msg)
        self.classes_ = classes
        super()._opened(saved._replace(arrays={n: a for n, a in saved.arrays.items() if n != "classes_"}))

    def _target(self, y: Any) -> tuple[str, Array]:
        encode = codes_where_labelled if self._takes_unlabelled else class_codes
        name, self.classes_, codes = encode(y, declared=self._counts_declared)
        return name, codes

    def _file_target(self, attribute: Attribute) -> None:
        if not isinstance(attribute, Categorical):
            msg = (
                f"target {attribute.name!r} is {attribute.kind}; to classify,"
                f" scan with kinds={{{attribute.name!r}: 'nominal'}}"
            )
            raise DataError(msg)
        self.classes_ = np.array(attribute.values)


def most_probable(proba: Array) -> Array:
    """The first of the largest in each row; class by class is quicker than `argmax`, unless they are many."""
    if proba.shape[1] > 6 and proba.flags.c_contiguous:
        return proba.argmax(axis=1)
    top = reduce(np.maximum, proba.T)
    winner = np.zeros(len(proba), dtype=np.intp)
    below = np.ones(len(proba), dtype=bool)  # so far, every class: the winner is as many as that lasts
    for c in range(proba.shape[1] - 1):
        below &= proba[:, c] < top
        winner += below
    return winner


class Regressor(RegressorMixin, Learner):
    """A learner of numbers."""

    @abstractmethod
    def _predict(self, X: Table) -> Array:
        """The predicted number of each row."""

    def predict(self, X: Any) -> Array:
        """The predicted number of each row.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._each(X, self._predict)

    #: The fitted curve over rows; families with a picture of their own have that instead.
    draw: ClassVar[Callable[..., Any]] = draw_fit

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared on these rows: the share of the target's variation that the predictions explain.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        sample_weight : array-like or None, default=None

        Returns
        -------
        float
        """
        return float(super().score(*self._apart(X, y), sample_weight))

    def _target(self, y: Any) -> tuple[str, Array]:
        name = name_of_target(y, "target")
        if isinstance(y, Column) and y.attribute.kind != "numeric":
            msg = f"target {name!r} is {y.attribute.kind}, and {type(self).__name__} predicts numbers"
            raise DataError(msg)
        numbers = one_column(y)
        check_known(name, numbers)
        numbers = numbers.astype(float)
        if not all_finite(numbers):
            assert_all_finite(numbers, input_name="y")  # which says what it found
        return name, numbers

    def _file_target(self, attribute: Attribute) -> None:
        if not isinstance(attribute, Numeric):
            msg = f"target {attribute.name!r} is {attribute.kind}, and {type(self).__name__} predicts numbers"
            raise DataError(msg)
