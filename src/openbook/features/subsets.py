"""The score of a learner on a subset of the attributes: cross-validation inside the training rows.

Every subset is judged on the same folds. A learner is fitted anew for each, unless its scores add up over
columns: with

    column_scores(X)    float64 (n_columns, n_rows, n_classes), and
    proba_of(scores)    the probabilities that a sum of some columns' scores stands for,

it is fitted once a fold, on all columns, and a subset costs a sum over its columns. Naive Bayes has them: its
log-likelihood is a sum over attributes, each from counts of its own. Both ways come to the same, to rounding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from openbook.baseline import ZeroR, ZeroRegressor
from openbook.border.learner import most_probable
from openbook.data.forms import picked
from openbook.judge.folds.evaluate import evaluate
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.examples import Examples, RowsOfFold, Split, takes_tables
from openbook.judge.folds.fit_folds import label_codes
from openbook.judge.folds.results import FoldResult
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.judge.scores.metrics import Metric

#: Judges a learner on the columns of these names.
Judge = Callable[[Sequence[str]], Evaluation]

#: Column scores of more bytes are not kept; the learner is fitted anew instead.
MOST_BYTES = 1 << 30


def judge_of(estimator: Any, examples: Examples, splits: Sequence[Split], metric: Metric) -> Judge:
    """The quickest way to judge this learner on subsets of the columns."""
    return _Sums.of(estimator, examples, splits, metric) or _Refits(estimator, examples, splits, metric)


def without_attributes(examples: Examples, splits: Sequence[Split], metric: Metric) -> Evaluation:
    """The evaluation without any attribute: the most frequent class, or the mean."""
    zero = ZeroR() if examples.classes is not None else ZeroRegressor()
    return _Refits(zero, examples, splits, metric)(examples.table.names)


@dataclass(frozen=True)
class _Refits:
    """Fits the learner anew, fold by fold, on the columns alone."""

    estimator: Any
    examples: Examples
    splits: Sequence[Split]
    metric: Metric

    def __call__(self, names: Sequence[str]) -> Evaluation:
        examples = self.examples
        X: Any = examples.table.select(names)
        y: Any = examples.column
        if not takes_tables(self.estimator):
            X = picked(examples.given, examples.table.schema, names, type(self.estimator).__name__)
            y = examples.labels
        pairs = [(split.train, split.test) for split in self.splits]
        return evaluate(self.estimator, X, y, pairs, self.metric)


@dataclass(frozen=True)
class _Fold:
    """A model of all columns, and each column's scores of the rows it is tested on."""

    split: Split
    model: Any
    codes: np.ndarray  # of the model's classes among all
    scores: np.ndarray


@dataclass(frozen=True)
class _Sums:
    """Adds up the columns' scores, which were computed once."""

    examples: Examples
    folds: Sequence[_Fold]
    metric: Metric
    places: dict[str, int]

    @classmethod
    def of(
        cls, estimator: Any, examples: Examples, splits: Sequence[Split], metric: Metric
    ) -> "_Sums | None":
        """None if the learner's scores do not add up over columns, or take too much room."""
        if not hasattr(estimator, "column_scores") or examples.classes is None:
            return None
        table = examples.table
        tested = sum(len(split.test) for split in splits)
        if tested * len(table.schema) * len(examples.classes) * 8 > MOST_BYTES:
            return None
        folds = []
        for split in splits:
            cut = RowsOfFold(examples, split)
            with collected_warnings():
                model = clone(estimator).fit(*cut.training(estimator))
                scores = model.column_scores(cut.testing(model))
            if scores is None:
                return None
            codes = label_codes(np.asarray(model.classes_), examples.names(model))
            folds.append(_Fold(split, model, codes, scores))
        return cls(examples, folds, metric, {name: i for i, name in enumerate(table.names)})

    def __call__(self, names: Sequence[str]) -> Evaluation:
        places = sorted(self.places[name] for name in names)
        classes = self.examples.classes
        results = [self._result(fold, places) for fold in self.folds]
        name = type(self.folds[0].model).__name__
        return Evaluation(name, "classification", classes, tuple(results), (self.metric,))

    def _result(self, fold: _Fold, places: list[int]) -> FoldResult:
        total = fold.scores[places[0]].copy(order="K")
        for position in places[1:]:
            total += fold.scores[position]
        given = fold.model.proba_of(total)
        proba = None
        if self.metric.needs_proba:
            proba = np.zeros((len(given), len(self.examples.classes)))  # type: ignore[arg-type]
            proba[:, fold.codes] = given
        return FoldResult(
            index=fold.split.index,
            rows=fold.split.test,
            y_true=self.examples.target[fold.split.test],
            y_pred=fold.codes[most_probable(given)],
            proba=proba,
            n_train=len(fold.split.train),
            fit_seconds=0.0,
            predict_seconds=0.0,
            complexity=None,
            warnings=(),
        )
