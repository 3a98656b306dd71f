"""Evaluate every contestant in every fold; one that fails drops out, and the study continues.

A contestant drops out if a fold fails for any reason, or if it would need more memory than is available. The
log records this, so a resumed study does the same.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from threading import Lock
from time import monotonic
from typing import Any

import joblib
import numpy as np

from openbook.fold import each_until
from openbook.judge.folds.examples import RowsOfFold, Split
from openbook.judge.folds.fit_folds import Fitted, FoldError, adds_up, fitted_together, fold_result, rounds
from openbook.judge.folds.results import FoldResult
from openbook.judge.folds.splits import TINY
from openbook.plan.estimate import after_folds, available_bytes, bytes_of, seconds_of
from openbook.plan.log import Log
from openbook.plan.rows import StudyRows
from openbook.words.sentences import plural

#: A contestant and the number of a fold.
Job = tuple[str, int]

#: With few rows, processes are used instead of threads if the fits take more seconds than this.
_WORTH_PROCESSES = 1.0
#: Folds whose rows are in memory at a time, for each set of columns.
_CUTS = 4

#: The share of the available memory that a fit may take.
_MEMORY = 0.8
#: The most characters of a reason in the log.
_MOST_WORDS = 300
_GIB = 2**30
#: A choice is fitted once more, on a few more rows than in a fold, and tested.
_FINAL_FITS = 1.3


@dataclass
class Judging:
    """All folds of all contestants that are not in the log yet.

    Parameters
    ----------
    rows, log : of the study
    workers : threads, or processes where rows are few
    deadline : the time on the monotonic clock after which no fold counts, or None
    done : called after each fold
    end : the time at which the chosen learner must have been tested and fitted on all rows, or None
    """

    rows: StudyRows
    log: Log
    workers: int
    deadline: float | None
    done: Callable[[], None]
    end: float | None = None
    _took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @cached_property
    def labels(self) -> list[str]:
        return [each.label for each in self.rows.plan.contestants]

    @property
    def jobs(self) -> list[Job]:
        """Fold by fold, all contestants in each, so that they can be compared if the time limit ends the run.

        Under a time limit the fastest contestants come first.
        """
        labels = self.labels if self.deadline is None else self._fastest_first
        return [(label, i) for i in range(len(self.rows.folds)) for label in labels]

    @property
    def _fastest_first(self) -> list[str]:
        return sorted(self.labels, key=self._estimates.__getitem__)

    @property
    def _least(self) -> list[Job]:
        """The jobs that are done however short the time: the baselines and the fastest other learner, in one
        fold, or in all folds of few rows.
        """
        baselines = self.rows.plan.baselines
        others = [label for label in self._fastest_first if label not in baselines]
        labels = {*baselines, *others[:1]}
        folds = 1 if len(self.rows.train) >= TINY else len(self.rows.folds)
        return [job for job in self.left if job[0] in labels and job[1] < folds]

    @property
    def left(self) -> list[Job]:
        """The jobs that are still to be done."""
        return [job for job in self.jobs if not self._done(job)]

    def _done(self, job: Job) -> bool:
        return job[0] in self.log.skipped or ("folds", *job) in self.log.results

    @cached_property
    def _estimates(self) -> dict[str, float]:
        """The estimated seconds of a fold of each contestant."""
        return {label: seconds_of(self.rows, label) for label in self.labels}

    @property
    def seconds(self) -> float:
        """The estimated seconds of the rest of the study."""
        folds = sum(self._estimates[label] for label, _ in self.left)
        usual = float(np.mean(list(self._estimates.values())))
        return folds / joblib.effective_n_jobs(self.workers) + after_folds(usual, len(self.rows.X.names))

    def run(self) -> None:
        """Do the remaining jobs, and put the log in order."""
        self._drop_too_large()
        runner = StudyFolds(self.rows)
        if self.deadline is not None:
            self._take(self._least, runner, deadline=None)
        left = self.left
        few = self.rows.few
        if few and left:  # in this process first, so that kernels are compiled before processes share them
            first = [job for job in left if job[1] == left[0][1]]
            self._take(self._in_time(first), runner, self.deadline)
            left = self.left
        expected = sum(self._expected(label) for label, _ in left)
        alone = few and self.deadline is None and expected < _WORTH_PROCESSES
        self._take(self._in_time(left), runner, self.deadline, 1 if alone else self.workers, apart=few)
        self.log.settle(self.labels)

    def _take(
        self,
        jobs: Iterable[Job],
        runner: "StudyFolds",
        deadline: float | None,
        workers: int = 1,
        *,
        apart: bool = False,
    ) -> None:
        """Do these jobs, and log their results."""
        for (label, i), found in each_until(deadline, jobs, runner.attempt, workers, apart=apart):
            if isinstance(found, FoldResult):
                self._took[label].append(found.fit_seconds + found.predict_seconds)
                self.log.append("folds", label, found)
            else:
                self.log.skip(label, i, f"fold {i + 1} of {len(self.rows.folds)} failed: {found}")
            self.done()

    def _in_time(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """The jobs that can be expected to end in time, of contestants that have not dropped out."""
        for job in jobs:
            if not self._done(job) and self._has_time(job[0]):
                yield job
            else:
                self.done()

    def _drop_too_large(self) -> None:
        """Contestants that need more memory than there is do not start."""
        if (most := available_bytes()) is None:
            return
        for label in dict.fromkeys(label for label, _ in self.left):
            if (needed := bytes_of(self.rows, label)) > _MEMORY * most:
                width = plural(self.rows.width(label), "column")
                memory = f"{needed / _GIB:.1f} GiB of memory, and {most / _GIB:.1f} GiB are available"
                self.log.skip(label, -1, f"on {width} after encoding it needs about {memory}")

    def _has_time(self, label: str) -> bool:
        """Whether a fold can be expected to end in time, and a fit on all rows after it."""
        if self.deadline is None:
            return True
        expected = self._expected(label)
        after = monotonic() + expected
        return after < self.deadline and (self.end is None or after + _FINAL_FITS * expected < self.end)

    def _expected(self, label: str) -> float:
        """The estimated seconds of a fold of a contestant.

        The first fold may include the compilation of kernels, so alone it counts at most three times the
        estimate.
        """
        took, estimate = self._took[label], self._estimates[label]
        return min(took) if len(took) > 1 else min([*took, 3 * estimate]) if took else estimate


class StudyFolds:
    """The contestants of a study in its folds; work that folds and contestants share is done once.

    The rows of a fold are taken from the table once for all contestants with the same columns, and learners
    whose statistics add up pass over them once a round: see `judge.folds.fit_folds`.
    """

    def __init__(self, rows: StudyRows) -> None:
        self.rows = rows
        self._lock = Lock()
        self._together: dict[tuple[str, int], dict[int, Fitted]] = {}
        self._model = cache(rows.model)
        self._examples = cache(rows.to_judge.select)
        self._cut = lru_cache(_CUTS)(lambda names, i: RowsOfFold(self._examples(names), rows.folds[i]))

    def __reduce__(self) -> tuple[type["StudyFolds"], tuple[StudyRows]]:
        """A worker of a cluster gets the plan and the table, and makes the rest from them."""
        return StudyFolds, (replace(self.rows),)

    def attempt(self, job: Job) -> tuple[Job, FoldResult | str]:
        """The result of a contestant in a fold, or why it failed."""
        try:
            return job, self.result(*job)
        except Exception as error:  # noqa: BLE001 (whatever it is, the others go on)
            return job, failure_words(error)

    def result(self, label: str, i: int) -> FoldResult:
        """The result of a contestant in a fold; rows are positions among all that have a target."""
        model, cut = self._model(label), self._cut(self.rows.columns[label], i)
        found = fold_result(label, model, cut, self._ready(label, model, cut))
        return replace(found, rows=self.rows.train[found.rows])

    @cached_property
    def _rounds(self) -> dict[int, list[Split]]:
        """The round of each fold that is one of a round that tests every row."""
        every = rounds(self.rows.folds, len(self.rows.train))
        return {fold.index: batch for batch in every if isinstance(batch, list) for fold in batch}

    def _ready(self, label: str, model: Any, cut: RowsOfFold) -> Fitted | None:
        """The model of a fold, if those of its round are fitted in one pass."""
        i = cut.split.index
        if not adds_up(model, cut.examples) or i not in self._rounds:
            return None
        batch = self._rounds[i]
        with self._lock:
            key = label, batch[0].index
            if i not in self._together.get(key, {}):
                fitted = fitted_together(label, model, cut.examples, batch)
                self._together[key] = {fold.index: one for fold, one in zip(batch, fitted, strict=True)}
            return self._together[key].pop(i)


def failure_words(error: BaseException) -> str:
    """The error in one line."""
    cause = error.__cause__ if isinstance(error, FoldError) and error.__cause__ else error
    text = " ".join(str(cause).split()) or type(cause).__name__
    if isinstance(cause, MemoryError):
        text = f"out of memory ({text})"
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]}…"
