"""Which rows train and which test.

The default is stratified 10-fold cross-validation, repeated five times. Repeats average out the luck of the
partition, not that of the sample: the corrected variance s² (1/k + 1/9) falls from 0.211 s² (once) to 0.131
s² (five times), and only to 0.121 s² with ten. From ten thousand rows on that luck is small, and one round
does. Under fifty rows a fold of a tenth tests too little, so every row is left out once. Row positions
count from 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from openbook.data import Categorical, Column, read
from openbook.errors import ParameterError
from openbook.judge.metrics import Task
from openbook.rows import class_codes

__all__ = ["TINY", "Protocol", "lock_away", "protocol", "task_of"]

#: Fewer rows than this are left out one by one, and none are locked away.
TINY = 50
#: From here on one round of cross-validation does.
_MANY = 10_000

Kind = Literal["leave-one-out", "cross-validation", "repeated cross-validation"]
Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Protocol:
    """A splitter and what to say about it; a splitter itself.

    Parameters
    ----------
    splitter : a splitter of scikit-learn's
    words : what it does, and what it cannot show
    kind : str
    lone_rows : whether some classes have a single row, which then goes with the commonest class
    """

    splitter: Any
    words: str
    kind: Kind
    lone_rows: bool = False

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        if self.lone_rows:  # no fold can be stratified by them, and scikit-learn would warn in every repeat
            _, codes = _codes(y)
            rows = np.bincount(codes)
            y = np.where(rows[codes] == 1, rows.argmax(), codes)
        yield from self.splitter.split(X, y, groups)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return int(self.splitter.get_n_splits(X, y, groups))

    def __str__(self) -> str:
        return self.words


def protocol(
    y: Any, task: Task | None = None, seed: int = 0, folds: int = 10, repeats: int | None = None
) -> Protocol:
    """The protocol that suits a target.

    Parameters
    ----------
    y : labels, class codes, numbers or a Column
    task : "classification" or "regression"; None goes by what y holds
    seed : int
    folds : int
        Fewer are used where the rarest class has fewer rows.
    repeats : int, optional
        None repeats five times, and once from 10,000 rows on.

    Examples
    --------
    >>> print(protocol(["no"] * 40 + ["yes"] * 60))
    stratified 10-fold cross-validation, repeated 5 times
    >>> protocol([1.5] * 30).kind
    'leave-one-out'
    """
    from sklearn.model_selection import LeaveOneOut, RepeatedKFold, RepeatedStratifiedKFold

    n = len(y)
    task = task or task_of(y)
    if n < 2:
        raise ParameterError(f"cannot split {n} rows into training and test; give at least two")
    if folds < 2:
        raise ParameterError(f"folds must be at least 2, got {folds}")
    if n < TINY:
        return Protocol(LeaveOneOut(), _LEAVE_ONE_OUT.format(n=n) + _even_classes(y, task), "leave-one-out")
    repeats = repeats or (1 if n >= _MANY else 5)
    kind: Kind = "repeated cross-validation" if repeats > 1 else "cross-validation"
    again = f", repeated {repeats} times" if repeats > 1 else ""
    if task == "regression":
        splitter = RepeatedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
        return Protocol(splitter, f"{folds}-fold cross-validation{again}", kind)
    labels, codes = _codes(y)
    rows = np.bincount(codes, minlength=len(labels))
    folds, remarks = _fewer_folds(labels, rows, folds)
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    words = f"stratified {folds}-fold cross-validation{again}{remarks}"
    return Protocol(splitter, words, kind, lone_rows=bool((rows == 1).any()))


_LEAVE_ONE_OUT = (
    "leave-one-out: each of the {n} rows is predicted by a model of the others. With so few rows it cannot"
    " show how much the score would change with another sample, whether a small difference between learners"
    " is real, or how a learner does on rows unlike these"
)


def _even_classes(y: Any, task: Task) -> str:
    """A row left out makes its class one smaller: where classes are even, the majority is always another."""
    if task == "regression":
        return ""
    _, codes = _codes(y)
    rows = np.sort(np.bincount(codes))
    if len(rows) < 2 or rows[-1] - rows[-2] > 1:
        return ""
    return "; and as the largest classes are even, it makes the majority class look worse than it is"


def _fewer_folds(labels: np.ndarray, rows: np.ndarray, folds: int) -> tuple[int, str]:
    """As many folds as the rarest class has rows, and why; a class of a single row has no say."""
    several = np.flatnonzero(rows > 1)
    if len(several) == 0:
        raise ParameterError(
            "every class has one row only, so nothing can be learnt and tested; is y the right column?"
        )
    remarks = ""
    rarest = several[np.argmin(rows[several])]
    if rows[rarest] < folds:
        fewer = int(rows[rarest])
        remarks = f" ({fewer} folds, not {folds}, as class {str(labels[rarest])!r} has {fewer} rows)"
        folds = fewer
    if lone := [str(label) for label in labels[rows == 1]]:
        others = f" (and of {len(lone) - 1} more classes)" if len(lone) > 1 else ""
        remarks += f"; of class {lone[0]!r}{others} there is one row only, which cannot both train and test"
    return folds, remarks


def lock_away(
    X: Any, y: Any, share: float = 0.2, seed: int = 0, task: Task | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The rows to work with, and those to lock away until the end: positions, each in rising order.

    Each class, or each tenth of a numeric target, gives its share, to within a row. A class of a single row
    is not locked away; of fewer than 50 rows none are.

    Parameters
    ----------
    X : whatever `openbook.read` takes; needed where y is the name of one of its columns
    y : labels, numbers, a Column, or the name of a column of X
    share : the part of the rows to lock away
    seed : int
    task : "classification" or "regression"; None goes by what y holds
    """
    if not 0 < share < 1:
        raise ParameterError(f"share must lie between 0 and 1, got {share}")
    if isinstance(y, str):
        y = read(X).column(y)
    n = len(y)
    if n < TINY:
        return np.arange(n), np.arange(0)
    strata = _codes(y)[1] if (task or task_of(y)) == "classification" else _tenths(np.asarray(y, dtype=float))
    shuffled = np.random.default_rng(seed).permutation(n)
    by_stratum = shuffled[np.argsort(strata[shuffled], kind="stable")]
    by_stratum = by_stratum[np.bincount(strata)[strata[by_stratum]] > 1]
    # Walking along the strata, a row is locked away each time another whole row is due.
    due = np.floor(np.arange(len(by_stratum) + 1) * share + 0.5)
    locked = np.zeros(n, dtype=bool)
    locked[by_stratum[np.diff(due) > 0]] = True
    return np.flatnonzero(~locked), np.flatnonzero(locked)


def _tenths(numbers: np.ndarray) -> np.ndarray:
    ranks = np.empty(len(numbers), dtype=np.intp)
    ranks[np.argsort(numbers, kind="stable")] = np.arange(len(numbers))
    return ranks * 10 // len(numbers)


def task_of(y: Any) -> Task:
    """What to do with a target: classify labels, booleans and whole numbers, or predict other numbers."""
    from sklearn.utils.multiclass import type_of_target

    if isinstance(y, Column):
        return "classification" if isinstance(y.attribute, Categorical) else "regression"
    return "regression" if type_of_target(np.asarray(y)).startswith("continuous") else "classification"


def _codes(y: Any) -> tuple[np.ndarray, np.ndarray]:
    _, labels, codes = class_codes(y)
    return labels, codes
