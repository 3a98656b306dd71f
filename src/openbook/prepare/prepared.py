"""Steps of preparation and a learner as one model.

    fit        rows -> step 1 -> … -> step k -> learner        each fitted to what the one before it gives
    predict    rows -> the same steps, as they were fitted -> learner

The model takes rows as they come: its `schema_` is that of the rows before the first step. So the steps are
fitted inside each fold, belong to the model file, and are part of the work of a prediction. A step that
changes rows, leaves some out or makes new ones, does so in training only. Missing cells are the steps' and
the learner's affair.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from openbook.border.base import Estimator, Saved
from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED, codes_where_labelled, weighed
from openbook.data import Column, Schema, Table, read
from openbook.data.combine import stacked_rows
from openbook.draw import draw_predictions
from openbook.errors import OpenbookError, ParameterError, RefusalError
from openbook.prepare.steps import parse_step
from openbook.prepare.transformer import RowChange
from openbook.work import Work


def _has(name: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), name))


class Prepared(Declared, MetaEstimatorMixin, Estimator):
    """Steps of preparation before a learner: one model, fitted, judged, saved and explained as one.

    Parameters
    ----------
    estimator : estimator
        The learner behind the steps.
    steps : sequence of str or transformer or None, default=None
        The steps in order: as text ("log income", "impute age median"; `openbook.prepare.VERBS` lists the
        verbs), or transformers of openbook. None for no step.

    Attributes
    ----------
    steps_ : list of transformer
        The fitted steps.
    estimator_ : estimator
        The learner, fitted to prepared rows.
    schema_ : Schema
        The columns before the first step.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("loan").split("cheat")
    >>> model = Prepared(NaiveBayes(), ["log income"]).fit(X, y)
    >>> model.predict([{"owner": "No", "status": "Married", "income": 120}]).tolist()
    ['No']
    """

    estimator: Any
    steps: Sequence[Any] | None = None

    #: Judging gives it Tables and named classes, as it does openbook's learners.
    takes_tables: ClassVar[bool] = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the steps, one after the other, and the learner to what they give.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        with self._whole_or_not_at_all(X):
            table = read(X)
            if isinstance(y, str):
                table, y = table.split(y)
            if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
                raise ParameterError(f"{type(self.estimator).__name__} takes no sample_weight")
            self._accept(table)
            weighed(table, np.zeros(len(table)), sample_weight)  # says what is wrong with weights
            unlabelled = self._takes_unlabelled
            steps, table, y, weights = fitted_steps(
                self.steps or (), table, y, sample_weight, unlabelled=unlabelled
            )
            if weights is not None and not has_fit_parameter(self.estimator, "sample_weight"):
                raise ParameterError(
                    f"{type(self.estimator).__name__} takes no sample_weight, so no step can weigh rows"
                )
            self.steps_, self.estimator_ = steps, clone(self.estimator).fit(table, y, **_weights(weights))
        return self

    @property
    def _takes_unlabelled(self) -> bool:
        """Whether the learner learns from rows without a target, too; then the steps do."""
        return bool(getattr(self.estimator, "_takes_unlabelled", False))

    #: What the prepared learner says about rows, over the columns before preparation.
    draw: ClassVar[Callable[..., Any]] = draw_predictions

    def refusal(self, schema: Schema) -> str | None:
        """Why the learner cannot fit a table of this schema; with steps, that shows once they are fitted.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the target.

        Returns
        -------
        str or None
        """
        if self.steps or not hasattr(self.estimator, "refusal"):
            return None
        reason: str | None = self.estimator.refusal(schema)
        return reason

    def prepared(self, X: Any) -> Table:
        """The rows as the learner sees them.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        Table
        """
        check_is_fitted(self, "estimator_")
        table = self._encode(X)
        for one in self.steps_:
            table = _as_table(one.transform(table))
        return table

    @property
    def classes_(self) -> npt.NDArray[Any]:
        return self.estimator_.classes_

    @property
    def target_(self) -> str:
        return self.estimator_.target_

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """What the learner predicts for the prepared rows.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        table = self.prepared(X)  # which refuses a model that is not fitted
        return self.estimator_.predict(table)

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> npt.NDArray[Any]:
        """The probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        table = self.prepared(X)  # which refuses a model that is not fitted
        return self.estimator_.predict_proba(table)

    @_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> npt.NDArray[Any]:
        """The natural logarithm of the probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        table = self.prepared(X)  # which refuses a model that is not fitted
        return self.estimator_.predict_log_proba(table)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The learner's own score of the prepared rows: accuracy or R squared.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        sample_weight : array-like or None, default=None

        Returns
        -------
        float
        """
        if isinstance(y, str):
            X, y = read(X).split(y)
        table = self.prepared(X)
        return float(self.estimator_.score(table, y, sample_weight))

    @_has("complexity")
    def complexity(self) -> int:
        """The size of the learner's model.

        Returns
        -------
        int
        """
        check_is_fitted(self, "estimator_")
        return int(self.estimator_.complexity())

    def knobs(self) -> dict[str, Sequence[Any]]:
        """The parameters of the learner worth tuning, each with a few values.

        Returns
        -------
        dict of str to sequence
        """
        own = self.estimator.knobs() if hasattr(self.estimator, "knobs") else {}
        return {f"estimator__{name}": values for name, values in own.items()}

    # showing the work

    def _work(self) -> Work:
        return Work(
            "The steps, then the learner", (*(one.work() for one in self.steps_), self.estimator_.work())
        )

    def _work_row(self, X: Table) -> Work:
        works, table = [], X
        for one in self.steps_:
            works.append(one.work(table))
            table = _as_table(one.transform(table))
        last = self.estimator_.work(table)
        return Work("The steps, then the prediction", (*works, last), last.conclusion)

    # the model file

    def _saved(self) -> Saved:
        steps = {f"step {i}": one for i, one in enumerate(self.steps_, start=1)}
        return Saved({"schema": self.schema_.to_json()}, {}, {**steps, "estimator": self.estimator_})

    def _opened(self, saved: Saved) -> None:
        self._remember(Schema.from_json(saved.facts["schema"]))
        members = dict(saved.members)
        self.estimator_ = members.pop("estimator")
        self.steps_ = [members[f"step {i}"] for i in range(1, len(members) + 1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type, tags.target_tags = inner.estimator_type, inner.target_tags
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        return tags


class PreparedRows(NamedTuple):
    """Steps fitted one after the other, and what became of the training rows."""

    steps: list[Any]
    table: Table
    y: Any
    weights: Any

    def take(self, some: npt.NDArray[Any]) -> "PreparedRows":
        weights = None if self.weights is None else np.asarray(self.weights)[some]
        return PreparedRows(self.steps, self.table.take(some), _taken(self.y, some), weights)

    def through(self, step: Any) -> "PreparedRows":
        """What a fitted step makes of them."""
        return self._replace(table=_as_table(step.transform(self.table)))

    def changed(self, step: RowChange) -> "PreparedRows":
        """The rows that a step leaves, draws or makes of them."""
        weights = None if self.weights is None else np.asarray(self.weights)[step.rows_]
        if step.weights_ is not None:
            weights = step.weights_ if weights is None else weights * step.weights_
        return PreparedRows(self.steps, step.resampled(self.table), _taken(self.y, step.rows_), weights)

    def above(self, others: "PreparedRows") -> "PreparedRows":
        """These rows, and others below them."""
        both, weights = (self, others), None
        if self.weights is not None or others.weights is not None:
            weights = np.concatenate([_known(one) for one in both])
        named = isinstance(self.y, Column)
        targets = np.concatenate([one.y.data if named else one.y for one in both])
        y = Column(self.y.attribute, targets) if named else targets
        return PreparedRows(self.steps, stacked_rows([self.table, others.table]), y, weights)


def fitted_steps(
    steps: Sequence[Any], table: Table, y: Any, weights: Any = None, *, unlabelled: bool = False
) -> PreparedRows:
    """Fit each step to what the one before it gives; an error names the step.

    Where rows may be `unlabelled`, a step that asks for the target or changes rows is fitted to the others.
    """
    fitted: list[Any] = []
    if weights is not None and not (some := np.asarray(weights) > 0).all():  # a row of weight 0 is no row
        table, y, weights = table.take(some), _taken(y, some), np.asarray(weights)[some]
    rows, free = PreparedRows(fitted, table, y, weights), None  # with labels, and without
    if unlabelled and (gaps := codes_where_labelled(y)[2] == UNLABELLED).any():
        rows, free = rows.take(~gaps), rows.take(gaps)
    for given in steps:
        one = clone(parse_step(given))
        asks = getattr(one, "_asks_target", True) or isinstance(one, RowChange)
        seen = rows if free is None or asks else rows.above(free)
        try:
            own = _weights(seen.weights) if has_fit_parameter(one, "sample_weight") else {}
            if seen is rows and not isinstance(one, RowChange):
                rows = rows._replace(table=_as_table(one.fit_transform(rows.table, rows.y, **own)))
            else:
                rows = rows.through(one.fit(seen.table, seen.y, **own))
            free = None if free is None else free.through(one)
        except OpenbookError as error:
            raise RefusalError(f"step {given!r}: {error}") from error
        if isinstance(one, RowChange):
            rows = rows.changed(one)
        fitted.append(one)
    return rows if free is None else rows.above(free)


def _weights(weights: Any) -> dict[str, Any]:
    return {} if weights is None else {"sample_weight": weights}


def _known(rows: PreparedRows) -> npt.NDArray[Any]:
    """The weights of rows, 1 if none are given."""
    return np.ones(len(rows.table)) if rows.weights is None else np.asarray(rows.weights)


def _as_table(rows: Any) -> Table:
    return rows if isinstance(rows, Table) else read(rows)


def _taken(y: Any, rows: npt.NDArray[Any]) -> Any:
    return y.take(rows) if isinstance(y, Column) else np.asarray(y)[rows]
