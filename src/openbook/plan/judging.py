"""Judge every contestant in every fold; one that cannot go on drops out, and the study continues.

A contestant drops out where a fold fails, whatever the reason, or where it would need more memory than there
is. The log keeps that, so that a study that goes on does the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import joblib
import numpy as np

from openbook.judge import FoldResult, evaluate_fold
from openbook.judge.folds.fit_folds import FoldError
from openbook.plan.estimate import after_folds, available_bytes, bytes_of, seconds_of
from openbook.plan.jobs import done_by
from openbook.plan.log import Log
from openbook.plan.rows import StudyRows
from openbook.words.sentences import plural

__all__ = ["Judging", "failure_words", "judge_fold"]

#: The share of the memory at hand that a fit may take.
_MEMORY = 0.8
#: A reason of more characters is cut: a log that is read by people is no place for pages.
_MOST_WORDS = 300
_GIB = 2**30
#: A choice is tested and then fitted, each time on a few more rows than in a fold.
_FINAL_FITS = 2.5


@dataclass
class Judging:
    """All folds of all contestants, as far as the log does not hold them yet.

    Parameters
    ----------
    rows, log : of the study
    workers : threads
    deadline : the time on the monotonic clock after which no fold counts, or None
    tell : called after each fold
    end : the time at which the chosen learner must have been tested and fitted on all rows, or None
    """

    rows: StudyRows
    log: Log
    workers: int
    deadline: float | None
    tell: Callable[[], None]
    end: float | None = None
    _took: dict[str, float] = field(default_factory=dict)

    @property
    def jobs(self) -> list[tuple[str, int]]:
        """Fold by fold, all contestants in each, so that what a time limit leaves can be compared."""
        labels = [each.label for each in self.rows.plan.contestants]
        return [(label, i) for i in range(len(self.rows.splits)) for label in labels]

    @property
    def left(self) -> list[tuple[str, int]]:
        """The jobs that are still to be done."""
        log = self.log
        return [
            (label, i)
            for label, i in self.jobs
            if label not in log.skipped and ("folds", label, i) not in log.results
        ]

    @property
    def seconds(self) -> float:
        """About how long the rest of the study takes."""
        per_fold = {label: seconds_of(self.rows, label) for label in {label for label, _ in self.jobs}}
        folds = sum(per_fold[label] for label, _ in self.left) / joblib.effective_n_jobs(self.workers)
        return folds + after_folds(max(per_fold.values()))

    def run(self) -> None:
        """Do what is left to do, and put the log in order."""
        self._drop_too_large()
        for (label, i), found in done_by(self.deadline, self.left, self._one, self.workers):
            if isinstance(found, FoldResult):
                self.log.append("folds", label, found)
            elif found is not None:
                self.log.skip(label, i, f"fold {i + 1} of {len(self.rows.splits)} failed: {found}")
            self.tell()
        self.log.settle([each.label for each in self.rows.plan.contestants])

    def _drop_too_large(self) -> None:
        """Contestants that need more memory than there is do not start."""
        if (most := available_bytes()) is None:
            return
        for label in dict.fromkeys(label for label, _ in self.left):
            if (needed := bytes_of(self.rows, label)) > _MEMORY * most:
                width = plural(self.rows.width(label), "column")
                reason = (
                    f"on {width} after encoding it needs about {needed / _GIB:.1f} GiB of memory,"
                    f" and {most / _GIB:.1f} GiB are available"
                )
                self.log.skip(label, -1, reason)

    def _one(self, job: tuple[str, int]) -> tuple[tuple[str, int], FoldResult | str | None]:
        """The result of a fold, or why it failed; None where it is not begun."""
        label, i = job
        if label in self.log.skipped or not self._in_time(label):
            return job, None
        start = monotonic()
        try:
            result = judge_fold(self.rows, self.rows.model(label), label, *self.rows.splits[i], i)
        except Exception as error:  # noqa: BLE001 (whatever it is, the others go on)
            return job, failure_words(error)
        self._took[label] = max(self._took.get(label, 0.0), monotonic() - start)
        return job, result

    def _in_time(self, label: str) -> bool:
        """Whether a fold can be expected to end in time: by the longest so far, else by the estimate."""
        if self.deadline is None:
            return True
        expected = self._took.get(label) or seconds_of(self.rows, label)
        after = monotonic() + expected
        return after < self.deadline and (self.end is None or after + _FINAL_FITS * expected < self.end)


def judge_fold(
    rows: StudyRows, model: Any, label: str, train: np.ndarray, test: np.ndarray, index: int = 0
) -> FoldResult:
    """The result of a contestant in one fold."""
    X, y, more = rows.inputs(label), rows.y, rows.arguments
    return evaluate_fold(model, X, y, train, test, index=index, name=label, **more)


def failure_words(error: BaseException) -> str:
    """What went wrong, in one line."""
    cause = error.__cause__ if isinstance(error, FoldError) and error.__cause__ else error
    text = " ".join(str(cause).split()) or type(cause).__name__
    if isinstance(cause, MemoryError):
        text = f"out of memory ({text})"
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]}…"
