"""Fit and evaluate the points of a curve, fold by fold.

Every fold's training part is ordered such that each first part of it is stratified, up to one row. A point is
fitted to a first part, so a larger size contains all rows of the smaller one, and the curve shows the effect
of added rows, not of another sample. Folds go through `openbook.fold`: results do not depend on the number of
workers. A size at which the learner cannot be fitted is NaN, with a remark; if it cannot be fitted to the
whole training part, this is an error.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from openbook.errors import ParameterError
from openbook.fold import each
from openbook.judge.curves.curve import Curve, Kind
from openbook.judge.folds.examples import Examples, RowsOfFold, Split, model_task
from openbook.judge.folds.fit_folds import FoldError, complexity_of, label_codes, predicted_by, refuse_frozen
from openbook.judge.folds.splits import TINY, protocol, splitter_of
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.judge.scores.metrics import Metric, Predictions, metric

#: The default metric: an error, since curves are about errors.
_USUAL = {"classification": "error", "regression": "rmse", "multilabel": "hamming_loss"}
#: Five folds, twice; once where there are many rows.
_FOLDS, _TWICE, _MANY = 5, 2, 10_000
#: The most training rows that are predicted; of more, a stratified part.
_MOST_TRAINING = 10_000
#: The most classes that a note names.
_NAMED = 3


class CurvePoint(NamedTuple):
    """A model to fit, and on how much of the training part: a number of rows, or a share."""

    model: Any
    size: float = 1.0


@dataclass
class _Fold:
    """A fold's scores and model sizes at every point; the classes that a point lacks, and its failures."""

    baseline: float
    training: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    complexity: list[int | None] = field(default_factory=list)
    lacking: list[tuple[int, str]] = field(default_factory=list)
    remarks: list[tuple[int, str]] = field(default_factory=list)

    def add(self, training: list[float], validation: list[float], complexity: int | None) -> None:
        self.training += training
        self.validation += validation
        self.complexity += [complexity] * len(training)


@dataclass(frozen=True)
class CurveRun:
    """The rows, folds and metric of all points of a curve; `apart` is passed to `fold.each`."""

    label: str
    examples: Examples
    splits: list[Split]
    metric: Metric
    random_state: int
    words: str
    apart: bool = False

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        y: Any,
        cv: Any,
        which: str | Metric | None,
        random_state: int,
        name: str | None,
        groups: Any,
        weights: Any,
    ) -> "CurveRun":
        task = model_task([model])
        function = metric(which or _USUAL[task], task)
        refuse_frozen(model)
        examples = Examples.of(X, y, task, weights, groups)
        if cv is None:
            cv = usual_split(examples, random_state)
        cv = splitter_of(cv, examples.column, examples.task, random_state, examples.groups)
        splits = list(examples.splits(cv))
        if not splits:
            raise ParameterError("cv gives no folds")
        words = str(cv) if hasattr(cv, "split") else ""
        return cls(name or type(model).__name__, examples, splits, function, random_state, words)

    def curve(
        self,
        kind: Kind,
        axis: str,
        across: Sequence[Any],
        points: list[CurvePoint],
        stages: Sequence[int] | None = None,
        own: int | None = None,
    ) -> Curve:
        """Evaluate the points in every fold; with `stages`, the stages of the only point."""
        folds = list(each(self.splits, partial(_judge, self, points, stages), apart=self.apart))
        training, validation, sizes, baseline = (
            np.array([getattr(one, name) for one in folds], dtype=float).T
            for name in ("training", "validation", "complexity", "baseline")
        )
        rows = np.mean([(split.n_train, len(split.test)) for split in self.splits], axis=0).tolist()
        complexity = tuple(None if math.isnan(size) else size for size in np.median(sizes, axis=1).tolist())
        scores = (training, validation, baseline)
        notes = tuple(_notes(across, folds))
        shared = (*rows, complexity, own, self.words, notes)
        return Curve(kind, self.label, axis, tuple(across), self.metric, *scores, *shared)


def rows_of_size(size: float, n: int) -> int:
    """The number of rows that a size stands for: a whole number itself, or a share of n, at least one."""
    return size if isinstance(size, int) else max(1, round(size * n))


def usual_split(examples: Examples, random_state: int) -> Any:
    """Folds; fewer than 50 rows are split at random 20 times, since a curve needs more than one test row."""
    n = len(examples)
    if n >= TINY or examples.groups is not None:
        times = 1 if n >= _MANY else _TWICE
        return protocol(examples.column, examples.task, random_state, _FOLDS, times, examples.groups)
    if n < 4:
        raise ParameterError(f"{n} rows make no curve; give at least four")
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    rows = np.bincount(examples.strata)
    test = max(n // 4, len(rows))
    each_class = len(rows) > 1 and rows.min() > 1 and n - test >= len(rows)
    splitter = StratifiedShuffleSplit if each_class else ShuffleSplit
    words = f"20 random splits that test {test} of {n} rows" + (", stratified" if each_class else "")
    return _DescribedSplitter(splitter(20, test_size=test, random_state=random_state), words)


@dataclass(frozen=True)
class _DescribedSplitter:
    """A splitter and its description."""

    splitter: Any
    words: str

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        return self.splitter.split(X, y, groups)

    def __str__(self) -> str:
        return self.words


def _judge(run: CurveRun, points: list[CurvePoint], stages: Sequence[int] | None, split: Split) -> _Fold:
    """Fit and judge every point in one fold."""
    order = _balanced(run.examples, split.train, [run.random_state, split.index])
    fold = _Fold(baseline=_scores(run, _fitted(run, _baseline(run), split.train), split.test)[0])
    for i, point in enumerate(points):
        rows = order[: rows_of_size(point.size, len(order))]
        fold.lacking += [(i, label) for label in _lacking(run.examples, rows, order)]
        try:
            with collected_warnings():
                model = _fitted(run, point.model, np.sort(rows))
                training = _scores(run, model, rows[:_MOST_TRAINING], stages)
                size = complexity_of(model) if stages is None else None
                fold.add(training, _scores(run, model, split.test, stages), size)
        except Exception as error:
            what = f"{run.label} failed: {type(error).__name__}: {error}"
            if len(rows) == len(order):
                raise FoldError(f"fold {split.index}, {len(rows)} training rows: {what}") from error
            fold.add([math.nan], [math.nan], None)
            fold.remarks.append((i, what))
    return fold


def _baseline(run: CurveRun) -> Any:
    from openbook.baseline import ZeroLabels, ZeroR, ZeroRegressor

    if run.examples.task == "multilabel":
        return ZeroLabels("f1")
    return ZeroRegressor() if run.examples.classes is None else ZeroR()


def _fitted(run: CurveRun, model: Any, rows: np.ndarray) -> Any:
    learner = clone(model)
    cut = RowsOfFold(run.examples, Split(0, rows, rows))
    return learner.fit(*cut.training(learner), **cut.arguments(learner))


def _scores(run: CurveRun, model: Any, rows: np.ndarray, stages: Sequence[int] | None = None) -> list[float]:
    """The score on some rows, or that of every stage; after an early stop, of the last stage."""
    X, examples = RowsOfFold(run.examples, Split(0, rows, rows)).testing(model), run.examples
    if stages is None:
        made = [predicted_by(model, X, examples)]
    else:
        staged = model.staged_predict_proba if run.metric.needs_proba else model.staged_predict
        every = list(staged(X))
        made = [_decoded(model, every[min(stage, len(every)) - 1], examples) for stage in stages]
    truth, k = examples.target[rows], 0 if examples.classes is None else len(examples.classes)
    return [run.metric(Predictions(truth, predicted, proba, k)) for predicted, proba in made]


def _decoded(model: Any, stage: Any, examples: Examples) -> tuple[np.ndarray, np.ndarray | None]:
    """The predictions of a stage in the form of `predicted_by`: codes, probabilities of all classes,
    numbers.
    """
    given = np.asarray(stage)
    if examples.classes is None:
        return given.astype(float).ravel(), None
    names = examples.names(model)
    if given.ndim == 1:
        return label_codes(given, names), None
    proba = np.zeros((len(given), len(names)))
    proba[:, label_codes(np.asarray(model.classes_), names)] = given
    return proba.argmax(axis=1), proba


def _balanced(examples: Examples, train: np.ndarray, random_state: list[int]) -> np.ndarray:
    """The rows in a random order in which each class has its share of the first k rows, to within a row."""
    rows = np.random.default_rng(random_state).permutation(train)
    codes = examples.strata[rows]
    position = np.empty(len(rows))
    for c in np.unique(codes):
        own = np.flatnonzero(codes == c)
        position[own] = (np.arange(len(own)) + 0.5) / len(own)
    return rows[np.argsort(position, kind="stable")]


def _lacking(examples: Examples, rows: np.ndarray, whole: np.ndarray) -> list[str]:
    """The classes of the whole training part that are absent from some of its rows."""
    if examples.classes is None or len(rows) == len(whole):
        return []
    if examples.task == "multilabel":
        lacking = examples.target[whole].any(axis=0) & ~examples.target[rows].any(axis=0)
        return [str(label) for label in examples.classes[lacking]]
    return [str(examples.classes[c]) for c in np.setdiff1d(examples.target[whole], examples.target[rows])]


def _notes(across: Sequence[Any], folds: list[_Fold]) -> Iterator[str]:
    """The failures and the missing classes at each size, and in how many folds they occur."""
    failed = Counter(remark for fold in folds for remark in fold.remarks)
    lacking = dict.fromkeys(lack for fold in folds for lack in fold.lacking)
    for point, value in enumerate(across):
        labels = [repr(label) for at, label in lacking if at == point]
        if labels:
            times = sum(any(at == point for at, _ in fold.lacking) for fold in folds)
            named = ", ".join(labels[:_NAMED])
            more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
            where = f"{value:,} rows: in {times} of {len(folds)} folds"
            yield f"{where} a class is lacking ({named}{more}), which cannot be predicted then"
        for (at, what), times in failed.items():
            if at == point:
                yield f"{value:,} rows: {what} (in {times} of {len(folds)} folds)"
