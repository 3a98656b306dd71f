"""The border of learners with a target: it is checked and coded, and labels are decoded on the way out.

    X, y  ->  Rows, columns prepared for the target  ->  _fit  ->  _proba, _predict  ->  labels

`y` is an array, a Series, a Column, or the name of a column of `X`. Columns of many values are pooled or
replaced, parts of dates and words derived, by the training rows alone; `schema_` keeps how. A classifier
writes `_proba(X)`, a regressor `_predict(X)`. Only semi-supervised learners take a missing target.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import assert_all_finite, check_consistent_length

from openbook.border.base import FromRows, Saved
from openbook.border.cross_fitted import CrossFitted
from openbook.border.date_parts import derived_parts
from openbook.border.passages import model_score, shaded_texts
from openbook.border.pooling import pooled
from openbook.border.rows import (
    FileChunk,
    Rows,
    check_known,
    class_codes,
    codes_where_labelled,
    distinct_numbers,
    labels_among,
    name_of_target,
    one_column,
    weighed,
)
from openbook.border.rules import check_parameters
from openbook.border.target_means import with_means
from openbook.border.words import with_words
from openbook.data import Attribute, Categorical, Column, Numeric, Scan, Schema, Table, Text, read
from openbook.data.attributes import as_text
from openbook.draw.fits import draw_fit
from openbook.draw.regions import draw_boundary
from openbook.errors import DataError
from openbook.measures.arrays import all_finite
from openbook.work import Passage

Array = npt.NDArray[Any]


class Learner(FromRows):
    """What every learner of a target shares; see `Classifier` and `Regressor`."""

    #: Whether means of the target replace the values of nominal columns with many values. Learners that
    #: compute with numbers use them; those that count or split values pool the rare ones instead.
    _takes_means: ClassVar[bool] = False
    #: Whether the values stay, as 0/1 columns, where they have rows enough and differ much.
    _takes_clear_values: ClassVar[bool] = False
    #: Whether a part of a date is derived only if it is informative about the target.
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
    def _file_target(self, scan: Scan, name: str) -> Array | None:
        """Prepare for a target that is a column of files; gives the labels where they are numbers."""

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
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
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

    @property
    def _wants_telling_words(self) -> bool:
        """Whether words have to say something of the target beyond chance, where it does not take all."""
        return self._takes_means

    def _prepared(self, rows: Rows) -> Rows:
        """The rows with rare values pooled or replaced, parts of dates and words derived; `schema_` tells."""
        n_classes, evident = len(getattr(self, "classes_", ())), self._wants_evidence
        labelled = rows.part("labelled") if self._takes_unlabelled else rows
        schema, crossed = self._few_values(rows, labelled) if self._pools else (rows.schema, None)
        if self._pools and (parts := derived_parts(schema, labelled, n_classes, evident=evident)):
            dated = Schema((*schema, *parts), schema.named)
            schema = dated if self.refusal(dated) is None else schema
        counted = None
        if self._reads_texts and schema.of(Text):
            every, telling = self._takes_all_words(schema), self._wants_telling_words
            schema, counted = with_words(schema, rows, n_classes, every=every, telling=telling)
        if schema is rows.schema:
            return rows
        self._remember(schema)
        return rows.under(schema, counted, crossed)

    def _few_values(self, rows: Rows, labelled: Rows) -> tuple[Schema, CrossFitted | None]:
        """The schema with columns of many values replaced or pooled, and the cells of training rows."""
        classes = getattr(self, "classes_", None)
        if self._takes_means:
            schema, crossed = with_means(rows, self.target_, classes, clear=self._takes_clear_values)
            if crossed is None or self.refusal(schema) is None:
                return schema, crossed
        return pooled(labelled, 0 if classes is None else len(classes)), None

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
            raise DataError("with a scan, y must be the name of one of its columns")
        self._unweighted(sample_weight)
        if getattr(self, "kinds", None) is not None:
            raise DataError("with a scan, kinds are the scan's affair: openbook.scan(…, kinds=…)")
        target = scan.schema[y]
        schema = scan.schema.select(name for name in scan.names if name != y)
        self._remember(schema)
        self.target_ = y
        numbers = self._file_target(scan, y)
        keeps = "every" if self._takes_unlabelled else None
        return Rows(schema, [FileChunk(piece, schema, target, numbers, keeps) for piece in scan.pieces])


class Classifier(ClassifierMixin, Learner):
    """A learner of classes. Ties go to the class that comes first in `classes_`."""

    #: Whether a class that a nominal target declares is learnt without a row of it; what needs rows of each
    #: class leaves it out.
    _counts_declared: ClassVar[bool] = True
    #: Whether it may be wrong where other classifiers are right, for which scikit-learn has a tag.
    _scores_poorly: ClassVar[bool] = False

    classes_: Array

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._scores_poorly
        return tags

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

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
            Minus infinity if a probability is 0.
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
            raise ValueError("its classes must be a list of distinct labels")
        self.classes_ = classes
        super()._opened(saved._replace(arrays={n: a for n, a in saved.arrays.items() if n != "classes_"}))

    def _target(self, y: Any) -> tuple[str, Array]:
        encode = codes_where_labelled if self._takes_unlabelled else class_codes
        name, self.classes_, codes = encode(y, declared=self._counts_declared)
        return name, codes

    def _file_target(self, scan: Scan, name: str) -> Array | None:
        attribute = scan.schema[name]
        if isinstance(attribute, Numeric):
            numbers = distinct_numbers(scan, name)
            if (numbers == np.trunc(numbers)).all():
                self.classes_ = labels_among(numbers) if self._takes_unlabelled else numbers
                return self.classes_
        self._nominal_target(attribute)
        return None

    def _nominal_target(self, attribute: Attribute) -> None:
        if not isinstance(attribute, Categorical):
            raise DataError(
                f"target {attribute.name!r} is {attribute.kind}; to classify,"
                f" scan with kinds={{{attribute.name!r}: 'nominal'}}"
            )
        self.classes_ = np.array(attribute.values)


def class_names(model: Any) -> list[str]:
    """The labels of the classes as texts, in the order of `classes_`."""
    return [as_text(label) for label in model.classes_.tolist()]


def class_statements(model: Any) -> list[str]:
    """What a decision for each class says: play = yes."""
    return [f"{model.target_} = {name}" for name in class_names(model)]


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

    def _file_target(self, scan: Scan, name: str) -> Array | None:
        attribute = scan.schema[name]
        if not isinstance(attribute, Numeric):
            msg = f"target {attribute.name!r} is {attribute.kind}, and {type(self).__name__} predicts numbers"
            raise DataError(msg)
        return None
