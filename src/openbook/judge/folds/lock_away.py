"""Rows that are held out until the end, for one final test."""

from typing import Any

import numpy as np

from openbook.border.rows import class_codes
from openbook.data import read
from openbook.data.label_sets import label_sets
from openbook.errors import ParameterError
from openbook.judge.folds.holdout import numeric_strata, some_groups, some_rows
from openbook.judge.folds.label_folds import dealt_labels
from openbook.judge.folds.splits import TINY, task_of
from openbook.judge.folds.splitters import TestGroups, apart, check_test_groups, group_codes, time_codes
from openbook.judge.folds.train_only import TrainOnly, taken
from openbook.judge.scores.metrics import Task
from openbook.words.parameters import documented

#: If the final test is of new groups, at most this share of the earlier rows is lost for training.
_GIVEN_UP = 1 / 3


@documented
def lock_away(
    X: Any,
    y: Any,
    share: float = 0.2,
    random_state: int = 0,
    task: Task | None = None,
    groups: Any = None,
    time: Any = None,
    test_groups: TestGroups = "new",
    train_only: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The rows to work with, and those to lock away until the end: positions, each in rising order.

    Each class, each label or each tenth of a numeric target gives its share, to within a row. A class of a
    single row is not held out; of fewer than 50 rows none are.

    Parameters
    ----------
    X : table-like
        Anything that `openbook.read` takes; needed if y is the name of one of its columns.
    y : array-like or str
        Labels, numbers, a Column, or the name of a column of X.
    share : float, default=0.2
        The part of the rows to lock away.
    random_state : int, default=0
    task : "classification", "regression" or "multilabel"; None goes by what y holds, default=None
    groups : array-like or str or None, default=None
        The group of each row. Whole groups are held out, as many as come nearest to the share; those of
        a numeric target by chance.
    time : array-like or str or None, default=None
        The time of each row. The last rows are held out.
    test_groups : {"new", "known"}, default="new"
        Only with both groups and time. "new" holds out the last rows of some groups, such that at least two
        thirds of the earlier rows belong to other groups. Earlier rows of these groups, and last rows of the
        others, are in neither part. "known" holds out the last rows of all groups.
    train_only : array-like of bool or None, default=None
        True for rows that are never tested, such as those that an `Asker` requested; none of them is held
        out.

    Returns
    -------
    tuple of (ndarray, ndarray)

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> work, test = lock_away(None, [0, 1] * 50)
    >>> len(work), len(test)
    (80, 20)
    """
    if not 0 < share < 1:
        raise ParameterError(f"share must lie between 0 and 1, got {share}")
    check_test_groups(test_groups)
    if isinstance(y, str):
        y = read(X).column(y)
    n = len(y)
    if train_only is not None:
        rows = TrainOnly.of(train_only, n, groups, time, test_groups)
        y, groups, time = (taken(values, rows.tested) for values in (y, groups, time))
        return rows.among_all(lock_away(None, y, share, random_state, task, groups, time, test_groups))
    group = None if groups is None else group_codes(groups, n)
    when = None if time is None else time_codes(time, n)
    if n < TINY:
        return np.arange(n), np.arange(0)
    rng = np.random.default_rng(random_state)
    if when is not None:
        locked = _last(when, share)
        if group is not None and test_groups == "new":
            return _last_of_new_groups(locked, group[1], rng)
    else:
        task = task or task_of(y)
        numbers = np.asarray(y, dtype=float) if task == "regression" else None
        strata = _classes(y) if numbers is None else numeric_strata(numbers, group is not None)
        if group is not None:
            locked = some_groups(strata, group, share, rng)
        elif task == "multilabel":
            locked = dealt_labels(label_sets(y).cells, np.array([1 - share, share]), rng) == 1
        else:
            locked = some_rows(strata, share, rng)
    return np.flatnonzero(~locked), np.flatnonzero(locked)


def _classes(y: Any) -> np.ndarray:
    """The class of each row, numbered as they occur, whatever the order of a column's values."""
    _, labels, codes = class_codes(y)
    first = np.array([np.argmax(codes == code) for code in range(len(labels))])
    return np.argsort(np.argsort(first))[codes]


def _last(when: np.ndarray, share: float) -> np.ndarray:
    """The mask of the last rows, which are held out; rows of the same time stay together."""
    if when.max() == 0:
        raise ParameterError("all rows have the same time, so none of them are the last")
    later = np.arange(1, when.max() + 1)
    rows = len(when) - np.searchsorted(np.sort(when), later)  # that are locked away if one starts there
    return when >= later[np.argmin(np.abs(rows - share * len(when)))]


def _last_of_new_groups(
    last: np.ndarray, codes: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The last rows of some groups, and the rows of other groups before them."""
    pairs = list(apart(np.flatnonzero(~last), np.flatnonzero(last), codes, _GIVEN_UP, rng))
    if not pairs:
        raise ParameterError(
            "no other group has rows before the last ones, so none can be tested as new; test known groups"
            " instead (test_groups='known'), or lock nothing away"
        )
    return max(pairs, key=lambda pair: len(pair[1]))
