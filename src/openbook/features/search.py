"""Wrapper selection: the base of all searches for the best subset.

Subsets are judged by cross-validation inside the training rows, all on the same folds, so the same seed walks
the same path. Of equal scores the attribute that comes first in the table wins. The score of the subset that
was chosen is too good to be true, for it was chosen by it: judge the selection itself, in a pipeline.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, OneOf, Whole
from openbook.errors import ParameterError
from openbook.features.selector import Selector
from openbook.features.subsets import Judge, judge_of, without_attributes
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.examples import Examples, model_task, takes_tables
from openbook.judge.folds.splits import protocol, splitter_of
from openbook.judge.scores.metrics import DEFAULTS, METRICS, Metric, metric
from openbook.words.numbers import shown
from openbook.words.sentences import plural
from openbook.work import Grid, Work

#: Scores that differ by less are equal.
SAME = 1e-12

FOLDS = 5


@dataclass(frozen=True)
class TriedAttribute:
    """An attribute that could be added or dropped, and how the learner would do."""

    attribute: str
    evaluation: Evaluation
    score: float


@dataclass(frozen=True)
class SelectionStep:
    """A step of the path.

    Parameters
    ----------
    candidates : all that could be added or dropped, in the order of the table
    chosen : the one that was; None if the search stopped instead
    attributes : those kept after the step
    score : of them
    gain : in score over the step before; above 0 is better, whatever the metric
    """

    candidates: tuple[TriedAttribute, ...]
    chosen: str | None
    attributes: tuple[str, ...]
    score: float
    gain: float


class SubsetSearch(Declared, Selector):
    """A search for the attributes that a learner does best with.

    A subclass walks (`_walk`) and says why it stopped (`stop_`).
    """

    estimator: Any
    _: KW_ONLY
    metric: Annotated[Any, Maybe(OneOf(*METRICS))] = None
    cv: Annotated[Any, Anything("None, a number of folds, a splitter, or pairs of row positions")] = None
    random_state: Annotated[Any, Whole()] = 0

    #: What a step does, in words.
    verb = "added"

    @property
    def takes_tables(self) -> bool:
        """Whether the learner is one of openbook's."""
        return takes_tables(self.estimator)

    def _task(self, y: Any) -> Any:  # noqa: ARG002 (the learner says it)
        return model_task([self.estimator])

    def _select(self, examples: Examples) -> Sequence[str]:
        task = examples.task
        self.metric_ = metric(self.metric or DEFAULTS[task][0], task)
        if self.metric_.needs_proba and not hasattr(self.estimator, "predict_proba"):
            raise ParameterError(
                f"{self.metric_.name} needs probabilities, but {self.estimator!r} has none;"
                " use another metric"
            )
        cv = self.cv
        if cv is None:
            cv = protocol(examples.column, task, self.random_state, n_splits=FOLDS, repeats=1)
        cv = splitter_of(cv, examples.column, task, self.random_state)
        self.words_ = str(cv) if hasattr(cv, "split") else "the pairs given"
        splits = list(examples.splits(cv))
        if not splits:
            raise ParameterError("cv gives no folds")
        judge = judge_of(self.estimator, examples, splits, self.metric_)
        self.baseline_ = self._score(without_attributes(examples, splits, self.metric_))
        return self._walk(examples.table.names, judge)

    @abstractmethod
    def _walk(self, names: tuple[str, ...], judge: Judge) -> Sequence[str]:
        """The columns to keep; remembers `path_` and `stop_`."""

    def _score(self, evaluation: Evaluation) -> float:
        return evaluation.score(self.metric_)

    def _judged(self, attribute: str, names: Sequence[str], judge: Judge) -> TriedAttribute:
        evaluation = judge(names)
        return TriedAttribute(attribute, evaluation, self._score(evaluation))

    def _work(self) -> Work:
        """The path: every step with its candidates, and why it ended."""
        words = self.metric_.words
        note = f"Without any attribute: {words} {shown(self.baseline_)}. Folds: {self.words_}."
        path = Grid("Path", ("step", self.verb, words, "gain", "attributes"), self._rows(), note)
        tables = [self._grid(i, move) for i, move in enumerate(self.path_, 1)]
        end = f"{self.stop_} Kept {plural(len(self.selected_), 'attribute')}: {', '.join(self.selected_)}."
        title = f"{type(self).__name__} with {type(self.estimator).__name__}"
        return Work(title, (path, *tables), end)

    def _rows(self) -> list[tuple[Any, ...]]:
        return [
            (i, move.chosen, shown(move.score), shown(move.gain, sign="+"), ", ".join(move.attributes))
            for i, move in enumerate(self.path_, 1)
            if move.chosen is not None
        ]

    def _grid(self, i: int, move: SelectionStep) -> Grid:
        rows = [
            (one.attribute, shown(one.score), self.verb if one.attribute == move.chosen else "")
            for one in move.candidates
        ]
        return Grid(f"Step {i}", ("candidate", self.metric_.words, ""), rows)


def gain(function: Metric, new: float, old: float) -> float:
    """How much better the new score is; an undefined one is worst."""
    if math.isnan(new):
        return -math.inf
    if math.isnan(old):
        return math.inf
    return new - old if function.greater_is_better else old - new


def best_candidate(function: Metric, candidates: Sequence[TriedAttribute]) -> TriedAttribute:
    """The candidate of the best score, the first of equals."""
    best = candidates[0]
    for one in candidates[1:]:
        if gain(function, one.score, best.score) > SAME:
            best = one
    return best
