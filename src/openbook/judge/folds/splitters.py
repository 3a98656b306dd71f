r"""Splitters that scikit-learn lacks.

    Bootstrap632    n rows drawn with replacement train, 63.2% of all rows in the mean; those not drawn test
    GroupFolds      a group's rows stay together, and every fold gets its share of every class
    TimeOrdered     | train | gap | test |              every model is tested on what came after its rows
                    |        train        | gap | test |

Groups over time (a panel: the same patients, year after year) are tested in one of two ways:

    known    train on the past of all groups, test their future: how well is a known patient predicted?
    new      the same, without tested groups in training: how well is a new patient predicted?

Positions count from 0. Groups and times must be known in every row.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from openbook.border.rows import class_codes
from openbook.data import MISSING, Categorical, Column, Numeric, Ordinal
from openbook.data.attributes import as_text
from openbook.data.distinct import distinct_codes
from openbook.errors import DataError, ParameterError
from openbook.words.parameters import documented

Split = tuple[np.ndarray, np.ndarray]

#: Whether groups that are tested may also train, by their earlier rows.
TestGroups = Literal["new", "known"]

#: Where groups that are tested must not train, at most this share of the earlier rows is given up for it.
_GIVEN_UP = 0.2


class RepeatedSplits:
    """A splitter that divides the rows `repeats` times, each time into `n_splits` tests."""

    n_splits: int = 1
    repeats: int = 1

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """The number of pairs of training and test rows.

        Parameters
        ----------
        X, y, groups : object, default=None
            Ignored, taken as scikit-learn passes them.

        Returns
        -------
        int
        """
        return self.n_splits * self.repeats


@documented
@dataclass(eq=False)
class Bootstrap632(RepeatedSplits):
    """Train on rows drawn with replacement, test on those left out; the .632 estimate corrects the score.

    A model of a draw has seen only 63.2% of the rows. So `evaluate` also measures a model of all rows on
    those same rows (resubstitution), and combines the two: .632 is 0.632 out-of-bag + 0.368 resubstitution.
    That is optimistic for a learner that memorises its rows; the more it overfits, the more weight .632+
    gives to the out-of-bag score.

    Parameters
    ----------
    repeats : int, default=50
        How often rows are drawn.
    random_state : int, default=0
    stratified : bool, default=False
        Whether every class keeps its number of rows.
    plus : bool, default=True
        Whether the score to report is .632+, or plain .632.

    Notes
    -----
    Given groups, whole groups are drawn.

    Guide: docs/guide/judging.md

    References
    ----------
    Efron (1983), Estimating the error rate of a prediction rule. Efron and Tibshirani (1997), Improvements on
    cross-validation: the .632+ bootstrap method.

    Examples
    --------
    >>> train, test = next(Bootstrap632(repeats=3).split(range(8)))
    >>> len(train), set(train.tolist()) & set(test.tolist())
    (8, set())
    """

    repeats: int = 50
    random_state: int = 0
    stratified: bool = False
    plus: bool = True

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Each draw: the positions of the rows that train, and of those that were not drawn.

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
        n = n_rows(X)
        pools, members = self._pools(n, y, groups)
        rng = np.random.default_rng(self.random_state)
        for _ in range(self.repeats):
            left_out = np.zeros(n, dtype=bool)
            while not left_out.any():
                train = np.concatenate([pool[rng.integers(len(pool), size=len(pool))] for pool in pools])
                if members is not None:
                    train = np.concatenate([members[group] for group in train])
                left_out[:] = True
                left_out[train] = False
            yield np.sort(train), np.flatnonzero(left_out)

    def _pools(self, n: int, y: Any, groups: Any) -> tuple[list[np.ndarray], list[np.ndarray] | None]:
        """The pools to draw from: rows, in strata or all together; or groups, with the rows of each."""
        if self.repeats < 1:
            raise ParameterError(f"Bootstrap632: repeats must be at least 1, got {self.repeats}")
        if groups is not None:
            if self.stratified:
                what = "Bootstrap632 draws whole groups, so it cannot also keep the size of every class"
                raise ParameterError(f"{what}; leave out stratified, or the groups")
            labels, codes = group_codes(groups, n)
            if len(labels) < 2:
                raise ParameterError("Bootstrap632: all rows are of one group, so none would be left to test")
            return [np.arange(len(labels))], _members(codes)
        if not self.stratified:
            pools = [np.arange(n)]
        elif y is None:
            raise ParameterError("Bootstrap632: stratified draws need the classes; pass y")
        else:
            pools = _members(class_codes(y)[2])
        if all(len(pool) < 2 for pool in pools):
            what = "classes of one row each" if n > 1 else f"{n} rows"
            raise ParameterError(f"Bootstrap632 cannot draw from {what} and leave some out")
        return pools, None

    def __str__(self) -> str:
        return (
            f"bootstrap{', stratified' if self.stratified else ''}: {self.repeats} draws with replacement,"
            f" tested on the rows left out; .632{'+' if self.plus else ''} estimate"
        )


@documented
@dataclass(eq=False)
class GroupFolds(RepeatedSplits):
    """Cross-validation that keeps a group's rows together and gives each fold its share of every class.

    Parameters
    ----------
    n_splits : int, default=10
        Number of folds.
    repeats : int, default=1
        How often all rows are divided anew.
    random_state : int, default=0

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> patients = ["Ann", "Ann", "Bob", "Bob", "Cem", "Cem"]
    >>> for train, test in GroupFolds(n_splits=3).split(range(6), [0, 1] * 3, patients):
    ...     print(train, test)
    [0 1 2 3] [4 5]
    [2 3 4 5] [0 1]
    [0 1 4 5] [2 3]
    """

    n_splits: int = 10
    repeats: int = 1
    random_state: int = 0

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
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
        if groups is None:
            raise ParameterError("GroupFolds needs to know the group of every row; pass groups")
        n = n_rows(X)
        labels, codes = group_codes(groups, n)
        if self.n_splits < 2:
            raise ParameterError(f"GroupFolds: n_splits must be at least 2, got {self.n_splits}")
        if len(labels) < self.n_splits:
            raise ParameterError(
                f"GroupFolds: {self.n_splits} folds need as many groups, and there are {len(labels)};"
                f" ask for {len(labels)} folds or fewer"
            )
        strata = np.zeros(n, dtype=np.intp) if y is None else class_codes(y)[2]
        counts = group_counts(codes, strata)
        rng = np.random.default_rng(self.random_state)
        for _ in range(self.repeats):
            fold = dealt(counts, np.full(self.n_splits, 1 / self.n_splits), rng)[codes]
            for i in range(self.n_splits):
                yield np.flatnonzero(fold != i), np.flatnonzero(fold == i)


@documented
@dataclass(eq=False)
class TimeOrdered:
    """Expanding windows: test the rows block by block, each with a model of the rows before it.

    The earliest block only trains. Rows of the same time stay together. Training rows come in order of time.

    Parameters
    ----------
    n_splits : int, default=5
        How many blocks are tested.
    gap : int, default=0
        The number of rows left out just before each tested block, since they may leak information about it.
    time : array-like or str or None, default=None
        The time of each row, numbers or dates; None takes rows in the order in which they come.
    test_groups : "new" or "known"; it matters only where `split` is given groups, default="new"
        "new": no group is in both training and test. Where the groups of a block have many earlier rows, the
        block is tested in parts, so that each part's model still trains on four fifths of the earlier rows. A
        part is left out if no other group has earlier rows. "known": earlier rows of the tested groups are in
        training too.
    first : int or None, default=None
        The least number of rows before the first tested block. None makes it about as large as the tested
        blocks.
    random_state : int, for which groups are tested together, default=0

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> for train, test in TimeOrdered(n_splits=3, gap=1).split(range(8)):
    ...     print(train, test)
    [0] [2 3]
    [0 1 2] [4 5]
    [0 1 2 3 4] [6 7]

    Two patients in three years: a model of Ann tests Bob, and the other way round.

    >>> for train, test in TimeOrdered(n_splits=2).split(range(6), groups=["Ann", "Bob"] * 3):
    ...     print(train, test)
    [1] [2]
    [0] [3]
    [1 3] [4]
    [0 2] [5]
    """

    n_splits: int = 5
    gap: int = 0
    time: Any = None
    test_groups: TestGroups = "new"
    first: int | None = None
    random_state: int = 0

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        """Each tested block: the positions of the rows that train, and of those that test.

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
        self._check()
        n = n_rows(X)
        group = None if groups is None or self.test_groups == "known" else group_codes(groups, n)[1]
        rng, tested = np.random.default_rng(self.random_state), False
        for train, test in self._blocks(n):
            for pair in [(train, test)] if group is None else apart(train, test, group, _GIVEN_UP, rng):
                tested = True
                yield pair
        if not tested:
            raise ParameterError(
                "TimeOrdered: no row can be tested by a model of earlier rows of other groups; test known"
                " groups instead (test_groups='known'), or split by groups alone"
            )

    def _check(self) -> None:
        if self.n_splits < 1 or self.gap < 0:
            raise ParameterError(
                "TimeOrdered: n_splits must be at least 1 and gap at least 0,"
                f" got {self.n_splits} and {self.gap}"
            )
        check_test_groups(self.test_groups)

    def _blocks(self, n: int) -> Iterator[Split]:
        """The rows before each tested block, and the block, in order of time."""
        when = np.arange(n) if self.time is None else time_codes(self.time, n)
        order = np.argsort(when, kind="stable")
        starts = self._starts(when[order])
        for i, (start, end) in enumerate(zip(starts, [*starts[1:], n], strict=True)):
            train = order[: max(start - self.gap, 0)]
            if len(train) == 0:
                raise ParameterError(
                    f"TimeOrdered: a gap of {self.gap} rows leaves none of the {start} before fold {i} to"
                    " train; make the gap shorter, or ask for fewer folds"
                )
            yield train, order[start:end]

    def _starts(self, when: np.ndarray) -> list[int]:
        """The first row of each tested block: the first of its time, with blocks as even as possible."""
        n, possible = len(when), 1 + np.flatnonzero(np.diff(when))
        if self.first is not None:
            possible = possible[possible >= self.first]
        if (spare := len(possible) - self.n_splits) < 0:
            raise ParameterError(
                f"TimeOrdered: {self.n_splits} folds need {self.n_splits + 1} blocks one after the other, and"
                f" {n} rows at {len(np.unique(when))} different times do not give them; ask for fewer folds"
            )
        size, last, starts = min(n // (self.n_splits + 1), (n - (self.first or 0)) // self.n_splits), -1, []
        for i in range(self.n_splits):
            nearest = int(np.argmin(np.abs(possible - (n - size * (self.n_splits - i)))))
            last = min(max(nearest, last + 1), i + spare)
            starts.append(int(possible[last]))
        return starts

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many pairs `split` gives; new groups may be tested in several parts of a block.

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
        if groups is None or self.test_groups == "known":
            return self.n_splits
        return sum(1 for _ in self.split(X, y, groups))

    def __str__(self) -> str:
        gap = f", {self.gap} rows before it left out" if self.gap else ""
        each = f"each predicted by a model of the rows before it{gap}"
        return f"time-ordered evaluation on {self.n_splits} blocks, {each}"


def check_test_groups(given: Any) -> None:
    if given not in get_args(TestGroups):
        raise ParameterError(f"test_groups must be 'new' or 'known', got {given!r}")


def apart(
    train: np.ndarray, test: np.ndarray, groups: np.ndarray, given_up: float, rng: np.random.Generator
) -> Iterator[Split]:
    """Parts of the test rows, each with the training rows of other groups.

    There are as few parts as lose at most the share `given_up` of the training rows. Parts without training
    rows are left out.

    train, test : positions;  groups : codes, of every row
    """
    names, codes = np.unique(groups[test], return_inverse=True)
    both = train[np.isin(groups[train], names)]
    earlier = np.searchsorted(names, groups[both])
    rows = np.column_stack([np.bincount(each, minlength=len(names)) for each in (earlier, codes)])
    wanted = math.ceil(len(both) / (given_up * len(train)) - 1e-9)
    parts = min(max(wanted, 1), len(names))
    part = dealt(rows, np.full(parts, 1 / parts), rng)[codes]
    for i in range(parts):
        tested = test[part == i]
        others = train[~np.isin(groups[train], groups[tested])]
        if len(tested) and len(others):
            yield others, tested


def dealt(counts: np.ndarray, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The part of each group, such that each part gets about its share of every class.

    Large groups come first, and groups of about equal size in random order. Each goes to the part where it
    adds least to sum_parts sum_classes (rows of the class in the part / rows of the class)² / share, which is
    least if all shares are met.

    counts : (n_groups, n_classes), rows;  shares : (n_parts,), with sum 1
    """
    sizes = counts.sum(axis=1)
    shuffled = rng.permutation(len(counts))
    order = shuffled[np.argsort(-np.floor(np.log2(sizes[shuffled])), kind="stable")]
    total = counts.sum(axis=0)
    counts = counts / np.where(total > 0, total, 1)
    have, rows = np.zeros((len(shares), counts.shape[1])), np.zeros(len(shares))
    part = np.empty(len(counts), dtype=np.intp)
    for group in order:
        cost = (2 * have + counts[group]) @ counts[group] / shares
        cheapest = np.flatnonzero(cost <= cost.min() * (1 + 1e-9))
        part[group] = chosen = cheapest[np.argmin(rows[cheapest] / shares[cheapest])]
        have[chosen] += counts[group]
        rows[chosen] += sizes[group]
    return part


def group_counts(groups: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """How many rows of each stratum each group has, (n_groups, n_strata)."""
    width = int(strata.max()) + 1
    return np.bincount(groups * width + strata, minlength=(int(groups.max()) + 1) * width).reshape(-1, width)


def group_codes(groups: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The labels of the groups, and each row's code."""
    return _codes(groups, n, "group")


def time_codes(time: Any, n: int) -> np.ndarray:
    """The rank of each row's time, equal times sharing one.

    >>> time_codes(["2024-05-10", "2024-05-09", "2024-05-10"], 3)
    array([1, 0, 1])
    """
    values, codes = _codes(time, n, "time")
    if isinstance(time, Column) and isinstance(time.attribute, Ordinal):
        return codes
    if values.dtype.kind == "U":
        values = _moments(values)
    return distinct_codes(values)[1][codes]


def _moments(texts: np.ndarray) -> np.ndarray:
    """The numbers or dates that texts stand for; in alphabetical order 9 would come after 10."""
    for kind in ("float64", "datetime64[us]"):
        try:
            return texts.astype(kind)
        except ValueError:
            continue
    odd = next(text for text in texts.tolist() if not _is_moment(text))
    raise DataError(f"time {odd!r} is neither a number nor a date such as 2024-05-31; write it as one")


def _is_moment(text: str) -> bool:
    try:
        np.datetime64(text)
    except ValueError:
        return False
    return True


def _codes(values: Any, n: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values, and each row's code: one value for each row, and none missing."""
    column = isinstance(values, Column) and isinstance(values.attribute, Categorical)
    numbers = isinstance(values, Column) and isinstance(values.attribute, Numeric)
    cells = values.data if column or numbers else np.asarray(values)
    if cells.shape != (n,):
        raise DataError(f"{what}s must be one for each of the {n} rows, got shape {cells.shape}")
    if cells.dtype.kind == "O":
        missing = np.fromiter((cell is None or cell != cell for cell in cells.tolist()), bool, n)  # noqa: PLR0124 (NaN is not itself)
    else:
        missing = cells == MISSING if column else _is_nan(cells)
    if missing.any():
        raise DataError(
            f"the {what} of row {int(missing.argmax())} is missing, and {int(missing.sum()) - 1} more;"
            " fill them in, or leave those rows out"
        )
    if cells.dtype.kind == "O":
        cells = np.array([as_text(cell) for cell in cells.tolist()])
    distinct, codes = distinct_codes(cells)
    return np.array(values.attribute.values)[distinct] if column else distinct, codes


def _is_nan(cells: np.ndarray) -> np.ndarray:
    return cells != cells  # noqa: PLR0124 (NaN and NaT are not themselves)


def _members(codes: np.ndarray) -> list[np.ndarray]:
    """The rows of each code."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes))[:-1])


def n_rows(X: Any) -> int:
    """How many rows there are, in whatever form."""
    return X.shape[0] if hasattr(X, "shape") else len(X)
