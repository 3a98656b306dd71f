"""The evaluation of a learner: its folds, and the scores, means and intervals that follow from them.

How sure a score is depends on how the rows were split:

    several folds of several rows    mean of the folds' scores; corrected resampled t interval
    one held-out set, leave-one-out  score of all rows together; Wilson for accuracy and error, else bootstrap

Where every fold scores the same, the folds show no spread to go by, and the rows of one round are taken
together instead.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from openbook.errors import DataError
from openbook.judge.intervals import Interval, bootstrap, corrected_t, shown, wilson
from openbook.judge.metrics import DEFAULTS, Metric, Predictions, Task, metric
from openbook.judge.results import FoldResult
from openbook.work import Grid, Work

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Evaluation"]

Which = str | Metric | None


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation:
    """How a learner did, fold by fold.

    Parameters
    ----------
    name : the learner's
    task : "classification" or "regression"
    classes : the labels behind the class codes; None for regression
    folds : FoldResults
    metrics : what is shown, the one that decides first; names or Metrics
    words : how the rows were split

    Wherever a metric is asked for, None means the first of `metrics`.
    """

    name: str
    task: Task
    classes: np.ndarray | None
    folds: tuple[FoldResult, ...]
    metrics: tuple[str | Metric, ...] = ()
    words: str = ""

    def __post_init__(self) -> None:
        if self.classes is not None:
            object.__setattr__(self, "classes", np.asarray(self.classes))
        object.__setattr__(self, "folds", tuple(self.folds))
        object.__setattr__(self, "metrics", tuple(self.metrics) or DEFAULTS[self.task])
        for which in self.metrics:
            metric(which, self.task)
        if not self.folds:
            raise DataError(f"{self.name}: an evaluation needs at least one fold")
        if self.task == "classification":
            for fold in self.folds:
                self._check_codes(fold)

    def _check_codes(self, fold: FoldResult) -> None:
        k = self.n_classes
        for codes in (fold.y_true, fold.y_pred):
            if codes.dtype.kind not in "iu" or (len(codes) and not (codes.min() >= 0 and codes.max() < k)):
                raise DataError(f"{self.name}, fold {fold.index}: not the codes of {k} classes")
        if fold.proba is not None and fold.proba.shape[1] != k:
            raise DataError(
                f"{self.name}, fold {fold.index}: probabilities of {fold.proba.shape[1]} classes, not {k}"
            )

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    @property
    def by_rows(self) -> bool:
        """Whether rows rather than folds show the spread: one held-out set, or leave-one-out."""
        if len(self.folds) == 1:
            return True
        return all(fold.n_test == 1 for fold in self.folds) and len(self._rows) == len(self.folds)

    @cached_property
    def _rows(self) -> np.ndarray:
        """The rows tested, each once."""
        return np.unique(np.concatenate([fold.rows for fold in self.folds]))

    @property
    def n_train(self) -> float:
        """How many rows a fold trains on, in the mean."""
        return float(np.mean([fold.n_train for fold in self.folds]))

    @property
    def n_test(self) -> float:
        """How many rows a fold tests, in the mean."""
        return float(np.mean([fold.n_test for fold in self.folds]))

    @property
    def complexity(self) -> float | None:
        """How big the fitted models are: the median over the folds; None where the learner does not say."""
        sizes = [fold.complexity for fold in self.folds if fold.complexity is not None]
        return float(np.median(sizes)) if sizes else None

    @property
    def warnings(self) -> dict[str, int]:
        """What the learner warned of, and in how many folds."""
        return dict(Counter(text for fold in self.folds for text in fold.warnings))

    def metric(self, which: Which = None) -> Metric:
        """The metric meant."""
        return metric(self.metrics[0] if which is None else which, self.task)

    @cached_property
    def predictions(self) -> Predictions:
        """Those of all folds, one after the other."""
        return self._joined(self.folds)

    def _joined(self, folds: Sequence[FoldResult]) -> Predictions:
        proba = [fold.proba for fold in folds if fold.proba is not None]
        return Predictions(
            np.concatenate([fold.y_true for fold in folds]),
            np.concatenate([fold.y_pred for fold in folds]),
            np.concatenate(proba) if len(proba) == len(folds) else None,
            self.n_classes,
        )

    @cached_property
    def first_round(self) -> tuple[FoldResult, ...]:
        """The first folds, as long as they test rows that no earlier one did."""
        tested = np.zeros(1 + max(int(fold.rows.max()) for fold in self.folds), dtype=bool)
        folds = []
        for fold in self.folds:
            if tested[fold.rows].any():
                break
            tested[fold.rows] = True
            folds.append(fold)
        return tuple(folds)

    @cached_property
    def one_round(self) -> Predictions:
        """The predictions of the first round: each row at most once."""
        return self._joined(self.first_round)

    def scores(self, which: Which = None) -> np.ndarray:
        """The score of each fold; NaN where it is undefined."""
        function = self.metric(which)
        if function not in self._scores:
            scores = [function(fold.predictions(self.n_classes)) for fold in self.folds]
            self._scores[function] = np.array(scores)
        return self._scores[function].copy()

    @cached_property
    def _scores(self) -> dict[Metric, np.ndarray]:
        """Those computed so far."""
        return {}

    def mean(self, which: Which = None) -> float:
        """The mean of the folds' scores; NaN if one of them is undefined."""
        return float(self.scores(which).mean())

    def pooled(self, which: Which = None) -> float:
        """The score of all predictions together, as if one model had made them."""
        return self.metric(which)(self.predictions)

    def score(self, which: Which = None) -> float:
        """The score to report: the mean over folds, or that of all rows together under leave-one-out."""
        return self.pooled(which) if self.by_rows else self.mean(which)

    def interval(self, which: Which = None, level: float = 0.95) -> Interval:
        """The interval of `score`, by the method that suits the split (see above)."""
        function = self.metric(which)
        if (function, level) not in self._intervals:
            interval = self._interval(function, level).within(function.lowest, function.highest)
            self._intervals[function, level] = interval
        return self._intervals[function, level]

    @cached_property
    def _intervals(self) -> dict[tuple[Metric, float], Interval]:
        """Those computed so far: rows that are drawn again and again take their time."""
        return {}

    def _interval(self, function: Metric, level: float) -> Interval:
        if self.by_rows:
            return self._row_interval(function, self.predictions, level)
        scores = self.scores(function)
        if np.ptp(scores) <= 1e-12 * np.abs(scores).max():
            return self._row_interval(function, self.one_round, level)
        return corrected_t(scores, self.n_train, self.n_test, level)

    def _row_interval(self, function: Metric, predictions: Predictions, level: float) -> Interval:
        n = len(predictions.truth)
        if function.name in ("accuracy", "error"):
            right = predictions.truth == predictions.predicted
            return wilson(int((right if function.name == "accuracy" else ~right).sum()), n, level)
        if math.isnan(function(predictions)):
            return Interval(math.nan, math.nan, level, "bootstrap")
        needed = predictions if function.needs_proba else predictions._replace(proba=None)
        return bootstrap(lambda rows: function(needed.take(rows)), n, level)

    @property
    def averaging(self) -> str:
        """How scores come from the folds, in words."""
        if self.by_rows:
            return "scores are of all rows together"
        return f"scores are means over {len(self.folds)} folds"

    @property
    def times(self) -> dict[str, np.ndarray]:
        """The seconds that each fold took: to "fit" and to "predict"."""
        return {
            "fit": np.array([fold.fit_seconds for fold in self.folds]),
            "predict": np.array([fold.predict_seconds for fold in self.folds]),
        }

    def to_polars(self) -> "pl.DataFrame":
        """Every prediction of every fold: fold, row, truth, prediction, and the probability of each class."""
        import polars as pl

        p = self.predictions
        columns = {
            "fold": np.repeat([fold.index for fold in self.folds], [fold.n_test for fold in self.folds]),
            "row": np.concatenate([fold.rows for fold in self.folds]),
            "truth": p.truth if self.classes is None else self.classes[p.truth],
            "predicted": p.predicted if self.classes is None else self.classes[p.predicted],
        }
        if p.proba is not None and self.classes is not None:
            for label, column in zip(self.classes, p.proba.T, strict=True):
                columns[f"P({label})"] = column
        return pl.DataFrame(columns)

    def work(self) -> Work:
        """The scores with their intervals, to print or to show."""
        return Work(f"Evaluation of {self.name}", tuple(self._grids()))

    def _shown(self) -> list[Metric]:
        """The metrics that its predictions allow."""
        has_proba = self.predictions.proba is not None
        metrics = [self.metric(which) for which in self.metrics]
        return [each for each in metrics if has_proba or not each.needs_proba]

    def _grids(self) -> list[Grid]:
        rows = [self._row(each) for each in self._shown()]
        grids = [Grid("", ("metric", "score", "interval", "method"), rows, self._remarks())]
        if self.warnings:
            grids.append(Grid("Warnings", ("of", "folds"), tuple(self.warnings.items())))
        return grids

    def _row(self, function: Metric) -> tuple[str, ...]:
        score, interval = self.score(function), self.interval(function)
        method = f"{100 * interval.level:g}%, {interval.method}"
        if math.isnan(score):
            folds = int(np.isnan(self.scores(function)).sum())
            return function.words, "undefined", "", f"in {folds} of {len(self.folds)} folds"
        return function.words, shown(score), interval.ends, method

    def _remarks(self) -> str:
        folds = f"{len(self.folds)} folds" if len(self.folds) > 1 else "one held-out set"
        return f"{self.words or folds}; {len(self._rows):,} rows tested; {self.averaging}."

    def __repr__(self) -> str:
        return self.work().text()

    def _repr_html_(self) -> str:
        return self.work().html()
