"""Try settings of a model on folds, and choose the best.

    grid      every combination of the values
    random    some of them, or draws from distributions
    halving   every combination on a few rows, the best third of them on three times as many, and so on, until
              the last few are compared on all rows (Jamieson and Talwalkar 2016)

All settings are judged on the same folds. The best is the one with the best mean score; of equals, the one
whose models are smallest, and then the first. A setting that fails, or whose score is undefined, is not
chosen.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from openbook.errors import ParameterError, did_you_mean
from openbook.judge.chance.intervals import Interval
from openbook.judge.folds.evaluate import judged
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.examples import Examples, takes_tables
from openbook.judge.folds.fit_folds import FoldError
from openbook.judge.folds.holdout import some_rows
from openbook.judge.folds.splits import protocol, splitter_of
from openbook.judge.folds.splitters import TimeOrdered
from openbook.judge.scores.metrics import Metric

SEARCHES = ("grid", "random", "halving")
#: In halving, one in three settings goes on to the next round, which has three times as many rows.
FACTOR = 3
#: The fewest rows on which settings are compared.
_FEWEST = 200
#: Scores that differ by no more, relative to their size, are equal.
_EQUAL = 1e-9


@dataclass(frozen=True)
class Tried:
    """A setting and its score.

    Parameters
    ----------
    parameters : mapping of knob to value
    score, interval : by the metric that decides, on the inner folds
    complexity : the median size of its models; None if they have none
    seconds : the mean time of a fit
    rows : the number of rows that it was evaluated on
    failure : why it could not be evaluated; empty if it was
    """

    parameters: Mapping[str, Any]
    score: float
    interval: Interval
    complexity: float | None
    seconds: float
    rows: int
    failure: str = ""


@dataclass(frozen=True)
class SettingsSearch:
    """The model that is tuned, and the rows, folds and metric by which all settings are compared."""

    model: Any
    examples: Examples
    cv: Any
    metric: Metric
    random_state: int

    def all_at_once(self, settings: Sequence[Mapping[str, Any]]) -> list[Tried]:
        """Every setting, on all rows."""
        return self._tried(settings, self.examples)

    def by_halving(self, settings: Sequence[Mapping[str, Any]]) -> list[Tried]:
        """Every setting on a few rows, the best ones on more; each with its last score."""
        if isinstance(self.cv, TimeOrdered):
            what = "halving tries settings on random rows, which are not in order of time"
            raise ParameterError(f"{what}; use search='grid' or 'random' with splits by time")
        rng = np.random.default_rng(self.random_state)
        final: list[Tried] = []
        for rows in self._rungs(len(settings)):
            examples = self.examples if rows == len(self.examples) else self._subsample(rows, rng)
            tried = self._tried(settings, examples)
            order = ranked(tried, self.metric) or list(range(len(tried)))  # if none has a score yet, any
            going_on = [] if examples is self.examples else order[: math.ceil(len(tried) / FACTOR)]
            final = [t for i, t in enumerate(tried) if i not in going_on] + final
            settings = [tried[i].parameters for i in sorted(going_on)]
        return final

    def _rungs(self, n_settings: int) -> Iterator[int]:
        """The numbers of rows, growing until all are there."""
        n = len(self.examples)
        rounds = math.ceil(math.log(n_settings, FACTOR)) if n_settings > 1 else 0
        for left in range(rounds, 0, -1):
            if (rows := n // FACTOR**left) >= _FEWEST:
                yield rows
        yield n

    def _subsample(self, rows: int, rng: np.random.Generator) -> Examples:
        """A stratified sample of this many rows; or whole groups with about as many rows."""
        examples = self.examples
        if examples.groups is not None:
            names, codes = np.unique(examples.groups, return_inverse=True)
            order = rng.permutation(len(names))
            before = np.cumsum(np.bincount(codes)[order]) - np.bincount(codes)[order]
            chosen = np.isin(codes, order[before < rows])
        else:
            chosen = some_rows(examples.strata, rows / len(examples), rng)
        return examples.take(np.flatnonzero(chosen), tables=takes_tables(self.model))

    def _tried(self, settings: Sequence[Mapping[str, Any]], examples: Examples) -> list[Tried]:
        cv = self.cv
        if cv is None:
            cv = protocol(examples.column, examples.task, self.random_state, 5, 1, groups=examples.groups)
        cv = splitter_of(cv, examples.column, examples.task, self.random_state, examples.groups)
        models = {str(i): clone(self.model).set_params(**setting) for i, setting in enumerate(settings)}
        outcomes = _judged_or_failed(models, examples, cv, self.metric)
        return [
            self._outcome(setting, outcomes[label], len(examples))
            for label, setting in zip(models, settings, strict=True)
        ]

    def _outcome(self, setting: Mapping[str, Any], outcome: Evaluation | FoldError, rows: int) -> Tried:
        if isinstance(outcome, FoldError):
            nothing = Interval(math.nan, math.nan, 0.95, "undefined")
            return Tried(setting, math.nan, nothing, None, math.nan, rows, str(outcome.__cause__ or outcome))
        # the mean over the folds, as in scikit-learn's searches
        score, seconds = outcome.mean(self.metric), float(outcome.times["fit"].mean())
        return Tried(setting, score, outcome.interval(self.metric), outcome.complexity, seconds, rows)


def _judged_or_failed(
    models: Mapping[str, Any], examples: Examples, cv: Any, metric: Metric
) -> dict[str, Evaluation | FoldError]:
    """The evaluation of each model on the same folds; if some fail, of each by itself."""
    try:
        return dict(judged(models, examples, cv, metric))
    except FoldError as error:
        if len(models) == 1:
            raise
        first = error
    outcomes: dict[str, Evaluation | FoldError] = {}
    for label, model in models.items():
        try:
            outcomes |= judged({label: model}, examples, cv, metric)
        except FoldError as error:
            outcomes[label] = error
    if all(isinstance(outcome, FoldError) for outcome in outcomes.values()):
        raise first
    return outcomes


def ranked(tried: Sequence[Tried], metric: Metric) -> list[int]:
    """The positions of the settings that have a score, the best first, of equals the smallest."""
    sign = -1 if metric.greater_is_better else 1
    known = [i for i, t in enumerate(tried) if not math.isnan(t.score)]
    known.sort(key=lambda i: sign * tried[i].score)
    rank = dict.fromkeys(known, 0)
    for before, i in pairwise(known):
        equal = math.isclose(tried[before].score, tried[i].score, rel_tol=_EQUAL, abs_tol=_EQUAL)
        rank[i] = rank[before] + (not equal)
    sizes = [math.inf if t.complexity is None else t.complexity for t in tried]
    return sorted(known, key=lambda i: (rank[i], sizes[i], i))


def best_setting(tried: Sequence[Tried], metric: Metric) -> Tried:
    """The best of the settings that were evaluated on most rows."""
    most = max(t.rows for t in tried)
    finalists = [t for t in tried if t.rows == most]
    order = ranked(finalists, metric)
    if not order:
        raise ParameterError(f"{metric.words} is undefined for every setting; choose another metric")
    return finalists[order[0]]


def knobs_of(model: Any) -> dict[str, Sequence[Any]]:
    """The knobs of a learner, or of the steps of a pipeline, each with the value that it has now."""
    if isinstance(model, Pipeline):
        return {
            f"{name}__{knob}": values for name, step in model.steps for knob, values in knobs_of(step).items()
        }
    knobs = model.knobs() if hasattr(model, "knobs") else {}
    now = model.get_params() if knobs else {}
    return {name: values if now[name] in values else (now[name], *values) for name, values in knobs.items()}


def settings_to_try(
    model: Any, knobs: Mapping[str, Any], search: str, n_iter: int, random_state: int
) -> list[dict[str, Any]]:
    """The settings to try; a knob has values, or a distribution to draw them from, such as SciPy's."""
    if search not in SEARCHES:
        raise ParameterError(f"search must be one of {', '.join(map(repr, SEARCHES))}, got {search!r}")
    known = tuple(model.get_params())
    for name, values in knobs.items():
        if name not in known:
            what = f"{type(model).__name__} has no parameter {name!r}"
            raise ParameterError(f"{what}. {did_you_mean(name, known)}")
        if not hasattr(values, "rvs") and not _listed(values):
            raise ParameterError(f"knob {name!r} must have values to try, such as [1, 10], got {values!r}")
    drawn = [name for name, values in knobs.items() if hasattr(values, "rvs")]
    if drawn and search == "grid":
        what = f"knob {drawn[0]!r} is a distribution, of which there is no grid"
        raise ParameterError(f"{what}; give values, or search='random'")
    if search == "grid" or (search == "halving" and not drawn):
        return [dict(zip(knobs, values, strict=True)) for values in product(*knobs.values())]
    if n_iter < 1:
        raise ParameterError(f"n_iter must be at least 1, got {n_iter}")
    from sklearn.model_selection import ParameterSampler

    most = n_iter if drawn else min(n_iter, math.prod(len(values) for values in knobs.values()))
    drawn_settings = ParameterSampler(dict(knobs), most, random_state=random_state)
    return [{name: _plain(value) for name, value in setting.items()} for setting in drawn_settings]


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _listed(values: Any) -> bool:
    return not isinstance(values, str) and hasattr(values, "__len__") and len(values) > 0
