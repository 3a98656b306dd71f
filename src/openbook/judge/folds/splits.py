"""Which rows train and which test.

The default is stratified 10-fold cross-validation, repeated five times below 2,000 rows, twice below 5,000
and once from there on. Repeats average out the luck of the partition, not that of the sample. Each row is
tested once in a round, and intervals come from the rows: so more rounds make a score steadier, but its
interval hardly narrower. The luck of the partition falls with the number of rows, while the time of a round
rises at least as fast. Five rounds of 10,000 rows would take longer than one of 100,000. Under fifty rows a
fold of a tenth tests too little, so every row is left out once. Rows of a group stay together in training or
test. With a time, no model is tested on rows earlier than its training rows. With both (a panel), either the
tested groups are new to the model, or their past is in training (`splitters`). Row positions count from 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from openbook.border.rows import class_codes
from openbook.data import Categorical, Column
from openbook.data.label_sets import label_sets
from openbook.errors import ParameterError, did_you_mean
from openbook.judge.folds.holdout import Holdout, OnTraining
from openbook.judge.folds.label_folds import IterativeStratification
from openbook.judge.folds.splitters import (
    Bootstrap632,
    GroupFolds,
    Split,
    TestGroups,
    TimeOrdered,
    check_test_groups,
    group_codes,
    group_counts,
    n_rows,
    time_codes,
)
from openbook.judge.folds.train_only import TrainOnly, taken
from openbook.judge.scores.metrics import Task
from openbook.words.parameters import documented
from openbook.words.sentences import plural

#: Fewer rows than this are left out one by one, and none are locked away.
TINY = 50
#: Numbers of rows, and the rounds of cross-validation for fewer rows than that; one round for more.
_ROUNDS = ((2_000, 5), (5_000, 2))
#: The least rows that a block of time tests, and the rows before the first block, or half of all.
_BLOCK, _FIRST = 5, 50

Kind = Literal[
    "leave-one-out", "cross-validation", "repeated cross-validation", "leave-one-group-out", "time-ordered"
]


@dataclass(frozen=True)
class Protocol:
    """A splitter for the rows of one target, with its description; it is itself a splitter.

    Attributes
    ----------
    splitter : splitter
        A splitter of scikit-learn's or ours.
    words : str
        A description of the protocol, and of what it cannot show.
    kind : Kind
        The kind of division.
    strata : ndarray
        The stratum of each row: every fold gets its share of each.
    groups : ndarray or None, default=None
        The group of each row; None without groups.
    test_groups : TestGroups, default="new"
        "new" if no group is in both training and test, "known" if its past may train and its future test.
    train_only : TrainOnly or None, default=None
        The rows that train and are never tested; the splitter divides the others. None without such rows.

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> found = protocol([0, 1] * 40)
    >>> found.kind, found.get_n_splits()
    ('repeated cross-validation', 50)
    """

    splitter: Any
    words: str
    kind: Kind
    strata: np.ndarray
    groups: np.ndarray | None = None
    test_groups: TestGroups = "new"
    train_only: TrainOnly | None = None

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002 (scikit-learn's methods)
        """Each fold: the positions of the rows that train, and of those that test.

        Parameters
        ----------
        X : table-like
            The rows, or anything of their number.
        y : array-like or None, default=None
            The target, by which folds are stratified.
        groups : array-like or None, default=None
            The group of each row.

        Returns
        -------
        iterator of Split
        """
        n = self.n_tested + (0 if self.train_only is None else len(self.train_only.only))
        if (rows := n_rows(X)) != n:
            raise ParameterError(f"this protocol is for {n} rows, and here are {rows}; make one for them")
        pairs = self.splitter.split(np.zeros((self.n_tested, 1)), self.strata, self.groups)
        yield from pairs if self.train_only is None else map(self.train_only.among_all, pairs)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """The number of folds of all repeats.

        Parameters
        ----------
        X : table-like or None, default=None
            The rows, or anything of their number.
        y : array-like or None, default=None
            The target, by which folds are stratified.
        groups : array-like or None, default=None
            The group of each row.

        Returns
        -------
        int
        """
        return int(self.splitter.get_n_splits(self.strata, self.strata, self.groups))

    @property
    def n_tested(self) -> int:
        """How many rows may be tested: all but those that only train."""
        return len(self.strata)

    def __str__(self) -> str:
        return self.words


@documented
def protocol(
    y: Any,
    task: Task | None = None,
    random_state: int = 0,
    n_splits: int = 10,
    repeats: int | None = None,
    groups: Any = None,
    time: Any = None,
    test_groups: TestGroups = "new",
    train_only: Any = None,
) -> Protocol:
    """The protocol that suits a target.

    Parameters
    ----------
    y : array-like or str
        Labels, class codes, numbers or a Column.
    task : "classification", "regression" or "multilabel"; None goes by what y holds, default=None
    random_state : int, default=0
    n_splits : int, default=10
        Number of folds. Fewer are used if the rarest class has fewer rows or groups.
    repeats : int or None, default=None
        None repeats five times below 2,000 rows, twice below 5,000, and has one round from there on.
    groups : array-like or str or None, default=None
        The group of each row, such as a patient or customer; its rows stay together in training or test. If
        there are no more groups than folds, each is left out once.
    time : array-like or str or None, default=None
        The time of each row, optional: numbers, dates, or an ordinal Column. Every block of rows is tested
        once, with a model of earlier rows; `repeats` is ignored.
    test_groups : {"new", "known"}, default="new"
        Only with both groups and time, see `TimeOrdered`. "new" evaluates predictions for groups that the
        model has never seen: no group is in both training and test. "known" evaluates predictions for the
        future of groups whose past is in training.
    train_only : array-like of bool or None, default=None
        True for rows that are only for training, such as those that an `Asker` requested: they are harder
        than the others and do not represent them. The protocol is made for the remaining rows.

    Returns
    -------
    Protocol

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> print(protocol(["no"] * 40 + ["yes"] * 60))
    stratified 10-fold cross-validation, repeated 5 times
    >>> protocol([1.5] * 30).kind
    'leave-one-out'
    >>> print(protocol([0, 1] * 80, groups=[i // 4 for i in range(160)]))
    stratified 10-fold cross-validation, repeated 5 times, a group's rows always together (40 groups)
    """
    n = len(y)
    task = task or task_of(y)
    if train_only is not None:
        rows = TrainOnly.of(train_only, n, groups, time, test_groups)
        y, groups, time = (taken(values, rows.tested) for values in (y, groups, time))
        found = protocol(y, task, random_state, n_splits, repeats, groups, time, test_groups)
        words = f"{found.words}. {plural(len(rows.only), 'row')} more only train, and are never tested"
        return replace(found, words=words, train_only=rows)
    if n < 2:
        raise ParameterError(f"cannot split {n} rows into training and test; give at least two")
    if n_splits < (least := 2 if time is None else 1):
        raise ParameterError(f"n_splits must be at least {least}, got {n_splits}")
    check_test_groups(test_groups)
    if time is not None:
        return _time_ordered(y, task, random_state, n_splits, groups, time, test_groups)
    return _folds(y, task, random_state, n_splits, repeats or usual_rounds(n), groups)


def usual_rounds(n: int) -> int:
    """The usual number of rounds of cross-validation for n rows."""
    return next((rounds for most, rounds in _ROUNDS if n < most), 1)


#: Ways to divide rows that have a name.
NAMED = ("holdout", "subsampling", "leave_one_out", "bootstrap", "training")
#: How often "subsampling" draws.
_SUBSAMPLES = 20


def splitter_of(cv: Any, y: Any, task: Task, random_state: int, groups: Any = None) -> Any:
    """The splitter that `cv` stands for; splitters and pairs of positions stay as they are.

    5 is a number of folds, 0.8 the share of rows that trains once, and NAMED lists the names.
    """
    if isinstance(cv, str):
        return _named(cv, y, task, random_state, groups)
    if isinstance(cv, float | np.floating) and 0 < cv < 1:
        return Holdout(float(cv), random_state=random_state)
    if isinstance(cv, bool | np.bool_) or not isinstance(cv, int | np.integer):
        pairs = np.iterable(cv) and not (isinstance(cv, Sequence) and any(map(np.isscalar, cv)))
        if hasattr(cv, "split") or pairs:
            return cv
        raise ParameterError(f"{_WANTED}, got {cv!r}")
    if cv < 2:
        raise ParameterError(f"cv must be at least 2 folds, got {cv}; or {_OTHERWISE}")
    return _folds(y, task, random_state, int(cv), 1, groups, tiny=0)


_OTHERWISE = (
    "a share of the rows to train on between 0 and 1, a splitter, pairs of (training, test) positions, or"
    f" one of {', '.join(map(repr, NAMED))}"
)
_WANTED = f"cv must be a number of folds, {_OTHERWISE}"


def _named(name: str, y: Any, task: Task, random_state: int, groups: Any) -> Any:
    """The splitter of that name."""
    if name == "leave_one_out":
        return _folds(y, task, random_state, 2, 1, groups, tiny=len(y) + 1)
    splitters = {
        "holdout": Holdout(random_state=random_state),
        "subsampling": Holdout(repeats=_SUBSAMPLES, random_state=random_state),
        "bootstrap": Bootstrap632(random_state=random_state),
        "training": OnTraining(),
    }
    if name not in splitters:
        raise ParameterError(f"{_WANTED}, got {name!r}. {did_you_mean(name, NAMED)}")
    return splitters[name]


def _folds(
    y: Any, task: Task, random_state: int, folds: int, repeats: int, groups: Any, tiny: int = TINY
) -> Protocol:
    """Folds of rows, or of whole groups; below `tiny` rows, each row or group is left out once."""
    n = len(y)
    if groups is not None:
        return _grouped(y, task, random_state, folds, repeats, groups, tiny)
    from sklearn.model_selection import LeaveOneOut, RepeatedKFold, RepeatedStratifiedKFold

    if n < tiny:
        few = _FEW_ROWS if n < TINY else ""
        words = _LEAVE_ONE_OUT.format(n=n) + few + _even_classes(y, task)
        return Protocol(LeaveOneOut(), words, "leave-one-out", np.zeros(n))
    if task == "regression":
        splitter = RepeatedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
        words = f"{folds}-fold cross-validation{_again(repeats)}"
        return Protocol(splitter, words, _kind(repeats), np.zeros(n))
    if task == "multilabel":
        by_label = IterativeStratification(folds, random_state, repeats)
        words = f"{folds}-fold cross-validation, stratified over labels{_again(repeats)}"
        return Protocol(by_label, words, _kind(repeats), label_sets(y).cells)
    labels, codes = _codes(y)
    rows = np.bincount(codes, minlength=len(labels))
    folds, remarks = _fewer_folds(labels, rows, folds)
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
    words = f"stratified {folds}-fold cross-validation{_again(repeats)}{remarks}"
    # no fold can be stratified by a lone row, and scikit-learn would warn of it in every repeat
    strata = np.where(rows[codes] == 1, rows.argmax(), codes)
    return Protocol(splitter, words, _kind(repeats), strata)


def _grouped(
    y: Any, task: Task, random_state: int, folds: int, repeats: int, groups: Any, tiny: int
) -> Protocol:
    """Folds of whole groups; below `tiny` rows, each group is left out once."""
    from sklearn.model_selection import LeaveOneGroupOut

    n = len(y)
    names, codes = group_codes(groups, n)
    if len(names) < 2:
        raise ParameterError(
            f"all rows are of group {str(names[0])!r}, so none can be tested without it; give other groups,"
            " or none"
        )
    # folds with equal shares of numbers would have the mean of their training rows: too good a prediction
    remarks, strata = "", np.zeros(n, dtype=np.intp) if task == "regression" else _codes(y)[1]
    if task == "classification":
        labels = _codes(y)[0]
        found = (group_counts(codes, strata) > 0).sum(axis=0)  # in how many groups each class is found
        remarks = _lone_groups(labels, found, names, codes, strata)
        if 2 <= (fewest := found[found > 1].min()) < min(folds, len(names)):
            rarest = str(labels[found == fewest][0])
            remarks = f" ({fewest} folds, not {folds}, as class {rarest!r} is in {fewest} groups){remarks}"
            folds = int(fewest)
    if n < tiny or len(names) <= folds:
        words = f"leave-one-group-out: each of the {len(names)} groups is predicted by a model of the others"
        splitter, kind = LeaveOneGroupOut(), cast(Kind, "leave-one-group-out")
    else:
        stratified = "" if task == "regression" else "stratified "
        words = f"{stratified}{folds}-fold cross-validation{_again(repeats)}, a group's rows always together"
        words += f" ({len(names)} groups)"
        splitter, kind = GroupFolds(folds, repeats, random_state), _kind(repeats)
    return Protocol(splitter, words + remarks, kind, strata, codes)


def _lone_groups(
    labels: np.ndarray, found: np.ndarray, names: np.ndarray, codes: np.ndarray, strata: np.ndarray
) -> str:
    """A remark on the classes that occur in one group only."""
    lone = np.flatnonzero(found == 1)
    if len(lone) == len(labels):
        raise ParameterError(
            "every class is found in one group only, so no model could have seen the class that it is"
            " tested on; were the groups made from the target?"
        )
    if len(lone) == 0:
        return ""
    named = repr(str(labels[lone[0]])) + (f" (and {len(lone) - 1} more classes)" if len(lone) > 1 else "")
    group = str(names[codes[strata == lone[0]][0]])
    return f"; class {named} is in group {group!r} only, and cannot both train and test"


def _time_ordered(
    y: Any, task: Task, random_state: int, folds: int, groups: Any, time: Any, test_groups: TestGroups
) -> Protocol:
    """Expanding windows; fewer than asked for if blocks would be tiny or there are few times."""
    n = len(y)
    group, when = None if groups is None else group_codes(groups, n), time_codes(time, n)
    classes = _codes(y) if task == "classification" else None
    first, remarks = _first_tested(when, classes)
    starts = np.unique(np.searchsorted(np.sort(when), when))  # the first row of each time
    most = max(1, min((n - first) // _BLOCK, int((starts >= first).sum())))
    splitter = TimeOrdered(min(folds, most), 0, when, test_groups, first, random_state)
    codes = None if group is None else group[1]
    pairs = list(splitter.split(when, groups=codes))
    words = str(splitter)
    if most < folds:
        words += f" ({most} blocks, not {folds}, as there are {n} rows at {len(starts)} times)"
    if group is not None:
        words += f". {_TEST_GROUPS[test_groups]} ({len(group[0]):,} groups)"
        later = sum(len(block) for _, block in splitter.split(when))
        if missed := later - sum(len(test) for _, test in pairs):
            words += f"; {missed:,} rows are not tested, as no other group has rows before them"
    words += remarks + _never_seen(pairs, classes)
    return Protocol(splitter, words, "time-ordered", np.zeros(n), codes, test_groups)


def _first_tested(when: np.ndarray, classes: tuple[np.ndarray, np.ndarray] | None) -> tuple[int, str]:
    """The row, in order of time, at which testing begins, and the reason if it is late.

    About fifty rows come before it, or half of all rows; among them five that are not of the earliest class,
    if there are so many before the last time.
    """
    order = np.argsort(when, kind="stable")
    starts = 1 + np.flatnonzero(np.diff(when[order]))
    if len(starts) == 0:
        raise ParameterError("all rows have the same time, so none can be tested by a model of earlier ones")
    first = int(starts[np.argmin(np.abs(starts - min(len(when) // 2, _FIRST)))])
    if classes is None:
        return first, ""
    labels, codes = classes
    earliest = codes[order[0]]
    others = np.cumsum(codes[order] != earliest)[starts - 1]  # rows of other classes before each start
    if not others[-1]:
        raise ParameterError(
            f"all rows before the last time are of class {str(labels[earliest])!r}, so no model could have"
            " learnt another; split without the time, or give rows of more times"
        )
    late = int(starts[np.argmax(others >= min(_BLOCK, others[-1]))])
    if late <= first:
        return first, ""
    return late, f"; the first {late:,} rows only train, as nearly all rows before are of one class"


def _never_seen(pairs: list[Split], classes: tuple[np.ndarray, np.ndarray] | None) -> str:
    """A remark on the test rows of a class that their model has not seen."""
    if classes is None:
        return ""
    labels, codes = classes
    unseen = np.concatenate([codes[test][~np.isin(codes[test], codes[train])] for train, test in pairs])
    named = ", ".join(repr(str(labels[code])) for code in np.unique(unseen))
    words = f"{len(unseen):,} rows are of a class that their model has not seen ({named})"
    return f"; {words}, so it cannot predict it" if len(unseen) else ""


_TEST_GROUPS: dict[TestGroups, str] = {
    "new": "The groups that are tested are new to the model: none of their rows train",
    "known": "The groups that are tested are known to the model: their earlier rows train too",
}


def _kind(repeats: int) -> Kind:
    return "repeated cross-validation" if repeats > 1 else "cross-validation"


def _again(repeats: int) -> str:
    return f", repeated {repeats} times" if repeats > 1 else ""


_LEAVE_ONE_OUT = "leave-one-out: each of the {n} rows is predicted by a model of the others"
_FEW_ROWS = (
    ". With so few rows, this cannot show how much the score would change with another sample, whether a"
    " small difference between learners is real, or how a learner performs on different rows"
)


def _even_classes(y: Any, task: Task) -> str:
    """A remark on classes of even size: leaving out a row makes another class the majority."""
    if task != "classification":
        return ""
    _, codes = _codes(y)
    rows = np.sort(np.bincount(codes))
    if len(rows) < 2 or rows[-1] - rows[-2] > 1:
        return ""
    return (
        "; and as the largest classes differ by at most one row, leaving one out can change the majority, so"
        " that 0R may look worse than it is"
    )


def _fewer_folds(labels: np.ndarray, rows: np.ndarray, folds: int) -> tuple[int, str]:
    """At most as many folds as the rarest class has rows, and why; a class of a single row does not count."""
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


def task_of(y: Any) -> Task:
    """What to do with a target: classify labels, booleans and whole numbers, or predict other numbers."""
    from sklearn.utils.multiclass import type_of_target

    if isinstance(y, Column):
        return "classification" if isinstance(y.attribute, Categorical) else "regression"
    return "regression" if type_of_target(np.asarray(y)).startswith("continuous") else "classification"


def _codes(y: Any) -> tuple[np.ndarray, np.ndarray]:
    _, labels, codes = class_codes(y)
    return labels, codes
