"""Which rows train and which test.

The default is stratified 10-fold cross-validation, repeated five times. Repeats average out the luck of the
partition, not that of the sample: the corrected variance s² (1/k + 1/9) falls from 0.211 s² (once) to 0.131
s² (five times), and only to 0.121 s² with ten. From ten thousand rows on that luck is small, and one round
does. Under fifty rows a fold of a tenth tests too little, so every row is left out once. Where rows belong
together, their group trains or tests as a whole; where they have a time, no model is tested on rows from
before its own. Row positions count from 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from openbook.data import Categorical, Column, read
from openbook.errors import ParameterError
from openbook.judge.metrics import Task
from openbook.judge.splitters import (
    Bootstrap632,
    GroupFolds,
    Split,
    TimeOrdered,
    dealt,
    group_codes,
    group_counts,
    time_codes,
)
from openbook.rows import class_codes

__all__ = [
    "TINY",
    "Bootstrap632",
    "GroupFolds",
    "Protocol",
    "TimeOrdered",
    "lock_away",
    "protocol",
    "some_rows",
    "task_of",
]

#: Fewer rows than this are left out one by one, and none are locked away.
TINY = 50
#: From here on one round of cross-validation does.
_MANY = 10_000
#: A block of time tests at least so many rows.
_BLOCK = 5

Kind = Literal[
    "leave-one-out",
    "cross-validation",
    "repeated cross-validation",
    "leave-one-group-out",
    "time-ordered",
]


@dataclass(frozen=True)
class Protocol:
    """A splitter, made for the rows of one target, and what to say about it; a splitter itself.

    Parameters
    ----------
    splitter : a splitter of scikit-learn's or ours
    words : what it does, and what it cannot show
    kind : str
    strata : of each row, what folds are to have equal shares of
    groups : of each row, its group, if rows belong together
    """

    splitter: Any
    words: str
    kind: Kind
    strata: np.ndarray
    groups: np.ndarray | None = None

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002 (scikit-learn's manners)
        n = len(self.strata)
        if (rows := X.shape[0] if hasattr(X, "shape") else len(X)) != n:
            raise ParameterError(f"this protocol is for {n} rows, and here are {rows}; make one for them")
        yield from self.splitter.split(np.zeros((n, 1)), self.strata, self.groups)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        return int(self.splitter.get_n_splits(self.strata, self.strata, self.groups))

    def __str__(self) -> str:
        return self.words


def protocol(
    y: Any,
    task: Task | None = None,
    seed: int = 0,
    folds: int = 10,
    repeats: int | None = None,
    groups: Any = None,
    time: Any = None,
) -> Protocol:
    """The protocol that suits a target.

    Parameters
    ----------
    y : labels, class codes, numbers or a Column
    task : "classification" or "regression"; None goes by what y holds
    seed : int
    folds : int
        Fewer are used where the rarest class has fewer rows, or is found in fewer groups.
    repeats : int, optional
        None repeats five times, and once from 10,000 rows on.
    groups : the group of each row, optional
        A group's rows train or test together: a patient's, a customer's. Where there are no more groups than
        folds, each is left out once.
    time : the time of each row, optional: numbers, dates, or an ordinal Column
        Every block of rows is tested with a model of those before it, once; `repeats` has no say.

    Examples
    --------
    >>> print(protocol(["no"] * 40 + ["yes"] * 60))
    stratified 10-fold cross-validation, repeated 5 times
    >>> protocol([1.5] * 30).kind
    'leave-one-out'
    >>> print(protocol([0, 1] * 40, groups=[i // 4 for i in range(80)]))
    stratified 10-fold cross-validation, repeated 5 times, a group's rows always together (20 groups)
    """
    n = len(y)
    task = task or task_of(y)
    if n < 2:
        raise ParameterError(f"cannot split {n} rows into training and test; give at least two")
    if folds < 2:
        raise ParameterError(f"folds must be at least 2, got {folds}")
    group = None if groups is None else group_codes(groups, n)
    if time is not None:
        return _time_ordered(n, folds, group, time)
    repeats = repeats or (1 if n >= _MANY else 5)
    if group is not None:
        return _grouped(y, task, seed, folds, repeats, group)
    return _ungrouped(y, task, seed, folds, repeats)


def _ungrouped(y: Any, task: Task, seed: int, folds: int, repeats: int) -> Protocol:
    from sklearn.model_selection import LeaveOneOut, RepeatedKFold, RepeatedStratifiedKFold

    n = len(y)
    if n < TINY:
        words = _LEAVE_ONE_OUT.format(n=n) + _even_classes(y, task)
        return Protocol(LeaveOneOut(), words, "leave-one-out", np.zeros(n))
    if task == "regression":
        splitter = RepeatedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
        return Protocol(
            splitter, f"{folds}-fold cross-validation{_again(repeats)}", _kind(repeats), np.zeros(n)
        )
    labels, codes = _codes(y)
    rows = np.bincount(codes, minlength=len(labels))
    folds, remarks = _fewer_folds(labels, rows, folds)
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    words = f"stratified {folds}-fold cross-validation{_again(repeats)}{remarks}"
    # no fold can be stratified by a lone row, and scikit-learn would warn of it in every repeat
    strata = np.where(rows[codes] == 1, rows.argmax(), codes)
    return Protocol(splitter, words, _kind(repeats), strata)


def _grouped(
    y: Any, task: Task, seed: int, folds: int, repeats: int, group: tuple[np.ndarray, np.ndarray]
) -> Protocol:
    """Folds of whole groups."""
    from sklearn.model_selection import LeaveOneGroupOut

    (names, codes), n = group, len(y)
    if len(names) < 2:
        raise ParameterError(
            f"all rows are of group {str(names[0])!r}, so none can be tested without it; give other groups,"
            " or none"
        )
    remarks, strata = "", _tenths(np.asarray(y, dtype=float)) if task == "regression" else _codes(y)[1]
    if task == "classification":
        labels = _codes(y)[0]
        found = (group_counts(codes, strata) > 0).sum(axis=0)  # in how many groups each class is found
        remarks = _lone_groups(labels, found, names, codes, strata)
        if 2 <= (fewest := found[found > 1].min()) < min(folds, len(names)):
            rarest = str(labels[found == fewest][0])
            remarks = f" ({fewest} folds, not {folds}, as class {rarest!r} is in {fewest} groups){remarks}"
            folds = int(fewest)
    if n < TINY or len(names) <= folds:
        words = f"leave-one-group-out: each of the {len(names)} groups is predicted by a model of the others"
        return Protocol(LeaveOneGroupOut(), words + remarks, "leave-one-group-out", strata, codes)
    words = (
        f"stratified {folds}-fold cross-validation{_again(repeats)}, a group's rows always together"
        f" ({len(names)} groups){remarks}"
    )
    return Protocol(GroupFolds(folds, repeats, seed), words, _kind(repeats), strata, codes)


def _lone_groups(
    labels: np.ndarray, found: np.ndarray, names: np.ndarray, codes: np.ndarray, strata: np.ndarray
) -> str:
    """What to say of classes that one group alone has."""
    lone = np.flatnonzero(found == 1)
    if len(lone) == len(labels):
        raise ParameterError(
            "every class is found in one group only, so no model could have seen the class that it is"
            " tested on; were the groups made from the target?"
        )
    if len(lone) == 0:
        return ""
    others = f" (and {len(lone) - 1} more classes)" if len(lone) > 1 else ""
    name = str(names[codes[strata == lone[0]][0]])
    return (
        f"; class {str(labels[lone[0]])!r}{others} is in group {name!r} only, and cannot both train and test"
    )


def _time_ordered(n: int, folds: int, group: tuple[np.ndarray, np.ndarray] | None, time: Any) -> Protocol:
    """Expanding windows; fewer than asked for, where blocks would be tiny or times are few."""
    when = time_codes(time, n)
    most = max(1, min(n // _BLOCK, int(when.max()) + 1) - 1)
    splitter = TimeOrdered(min(folds, most), time=when)
    words = str(splitter)
    if most < folds:
        words += f" ({most} blocks, not {folds}, as there are {n} rows at {int(when.max()) + 1} times)"
    if group is not None:
        words += f"; rows of groups that are tested do not train ({len(group[0])} groups)"
    return Protocol(splitter, words, "time-ordered", np.zeros(n), None if group is None else group[1])


def _kind(repeats: int) -> Kind:
    return "repeated cross-validation" if repeats > 1 else "cross-validation"


def _again(repeats: int) -> str:
    return f", repeated {repeats} times" if repeats > 1 else ""


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
    X: Any,
    y: Any,
    share: float = 0.2,
    seed: int = 0,
    task: Task | None = None,
    groups: Any = None,
    time: Any = None,
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
    groups : the group of each row, optional
        Whole groups are locked away, as many as come nearest to the share.
    time : the time of each row, optional
        The last rows are locked away. With groups too, earlier rows of theirs are in neither part.
    """
    if not 0 < share < 1:
        raise ParameterError(f"share must lie between 0 and 1, got {share}")
    if isinstance(y, str):
        y = read(X).column(y)
    n = len(y)
    group = None if groups is None else group_codes(groups, n)
    when = None if time is None else time_codes(time, n)
    if n < TINY:
        return np.arange(n), np.arange(0)
    if when is not None:
        locked = _last(when, share)
    else:
        classify = (task or task_of(y)) == "classification"
        strata = _codes(y)[1] if classify else _tenths(np.asarray(y, dtype=float))
        rng = np.random.default_rng(seed)
        locked = some_rows(strata, share, rng) if group is None else _some_groups(strata, group, share, rng)
    kept = ~locked
    if group is not None:
        kept &= ~np.isin(group[1], group[1][locked])
    if not kept.any():
        raise ParameterError("every group goes on to the end of time, so no row is left to work with")
    return np.flatnonzero(kept), np.flatnonzero(locked)


def some_rows(strata: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A mask of some rows: of every stratum the share, to within a row, and none of a stratum of one row."""
    n = len(strata)
    shuffled = rng.permutation(n)
    by_stratum = shuffled[np.argsort(strata[shuffled], kind="stable")]
    by_stratum = by_stratum[np.bincount(strata)[strata[by_stratum]] > 1]
    # Walking along the strata, a row is locked away each time another whole row is due.
    due = np.floor(np.arange(len(by_stratum) + 1) * share + 0.5)
    locked = np.zeros(n, dtype=bool)
    locked[by_stratum[np.diff(due) > 0]] = True
    return locked


def _some_groups(
    strata: np.ndarray, group: tuple[np.ndarray, np.ndarray], share: float, rng: np.random.Generator
) -> np.ndarray:
    """Which rows are locked away: those of some groups."""
    names, codes = group
    part = dealt(group_counts(codes, strata), np.array([1 - share, share]), rng)
    if part.all() or not part.any():
        rows = np.bincount(codes)
        raise ParameterError(
            f"no choice of whole groups comes to {share:.0%} of the rows: there are {len(names)} groups, the"
            f" smallest of {rows.min()} of {len(codes)} rows; ask for another share, or lock nothing away"
        )
    return part[codes] == 1


def _last(when: np.ndarray, share: float) -> np.ndarray:
    """Which rows are locked away: the last, those of the same time together."""
    if when.max() == 0:
        raise ParameterError("all rows have the same time, so none of them are the last")
    later = np.arange(1, when.max() + 1)
    rows = len(when) - np.searchsorted(np.sort(when), later)  # that are locked away if one starts there
    return when >= later[np.argmin(np.abs(rows - share * len(when)))]


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
