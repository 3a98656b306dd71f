"""Held-out rows: some rows train, the others test, once or several times; and no held-out rows at all.

    Holdout         | train | test |      each class, or each tenth of a numeric target, gives its share
    OnTraining    | train = test |      the training error, which is too optimistic

Repeated, a holdout is random subsampling (Monte Carlo cross-validation): draws are independent, so a row may
be tested several times, or never. Given groups, whole groups are held out, those of numbers by chance.
Positions count from 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.border.rules import Number, Whole, check_value
from openbook.errors import ParameterError
from openbook.judge.folds.splitters import RepeatedSplits, Split, dealt, group_codes, group_counts, n_rows
from openbook.words.parameters import documented


@documented
@dataclass(eq=False)
class Holdout(RepeatedSplits):
    """Train on a share of the rows, test on the others; repeated, this is random subsampling.

    Parameters
    ----------
    train_size : float, default=0.8
        The share of the rows that trains.
    repeats : int, default=1
    random_state : int, default=0

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> (train, test), *_ = Holdout(0.75, repeats=3).split(range(8), [0, 0, 0, 0, 1, 1, 1, 1])
    >>> len(train), len(test), sorted((test // 4).tolist())
    (6, 2, [0, 1])
    """

    train_size: float = 0.8
    repeats: int = 1
    random_state: int = 0

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Each draw: the positions of the rows that train, and of those that test.

        Parameters
        ----------
        X : table-like
            The rows, or anything of their number.
        y : array-like or None, default=None
            The target, by which draws are stratified.
        groups : array-like or None, default=None
            The group of each row.

        Returns
        -------
        iterator of Split
        """
        if not Number(above=0).allows(self.train_size) or self.train_size >= 1:
            raise ParameterError(f"train_size must lie between 0 and 1, got {self.train_size!r}")
        check_value("repeats", self.repeats, Whole(at_least=1))
        n = n_rows(X)
        share, strata = 1 - self.train_size, _strata(y, n, grouped=groups is not None)
        group = None if groups is None else group_codes(groups, n)
        for i in range(self.repeats):
            rng = np.random.default_rng([self.random_state, i])
            tests = some_rows(strata, share, rng) if group is None else some_groups(strata, group, share, rng)
            if tests.all() or not tests.any():
                what = (
                    f"of {n} rows, a train_size of {self.train_size:g} leaves none to train or none to test"
                )
                raise ParameterError(f"{what}; choose another share")
            yield np.flatnonzero(~tests), np.flatnonzero(tests)

    def __str__(self) -> str:
        parts = f"{self.train_size:.3g} of the rows train, the others test"
        return parts if self.repeats == 1 else f"random subsampling, {self.repeats} times: {parts}"


class OnTraining(RepeatedSplits):
    """Test the model on its own training rows: an optimistic score, to compare with an honest one."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:  # noqa: ARG002
        every = np.arange(n_rows(X))
        yield every, every

    def __str__(self) -> str:
        return "tested on the training rows: too good, and the interval does not hold for new rows"


def some_rows(strata: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A mask of some rows: of every stratum the share, to within a row, and none of a stratum of one row."""
    n = len(strata)
    shuffled = rng.permutation(n)
    by_stratum = shuffled[np.argsort(strata[shuffled], kind="stable")]
    by_stratum = by_stratum[np.bincount(strata)[strata[by_stratum]] > 1]
    # along the strata, a row is held out each time the sum of shares reaches another whole row
    due = np.floor(np.arange(len(by_stratum) + 1) * share + 0.5)
    held_out = np.zeros(n, dtype=bool)
    held_out[by_stratum[np.diff(due) > 0]] = True
    return held_out


def some_groups(
    strata: np.ndarray, group: tuple[np.ndarray, np.ndarray], share: float, rng: np.random.Generator
) -> np.ndarray:
    """A mask of the rows of some groups, as many as come nearest to the share."""
    names, codes = group
    part = dealt(group_counts(codes, strata), np.array([1 - share, share]), rng)
    if part.all() or not part.any():
        rows = np.bincount(codes)
        raise ParameterError(
            f"no choice of whole groups comes to {share:.0%} of the rows: there are {len(names)} groups, the"
            f" smallest of {rows.min()} of {len(codes)} rows; ask for another share, or lock nothing away"
        )
    return part[codes] == 1


def numeric_strata(numbers: np.ndarray, grouped: bool) -> np.ndarray:
    """The strata of a numeric target: tenths, by rank. Whole groups are not stratified, as in folds."""
    if grouped:
        return np.zeros(len(numbers), dtype=np.intp)
    ranks = np.empty(len(numbers), dtype=np.intp)
    ranks[np.argsort(numbers, kind="stable")] = np.arange(len(numbers))
    return ranks * 10 // len(numbers)


def _strata(y: Any, n: int, grouped: bool) -> np.ndarray:
    """The strata of a target: classes, sets of labels, or tenths of numbers."""
    if y is None:
        return np.zeros(n, dtype=np.intp)
    values = np.asarray(y)
    if values.dtype.kind == "f":
        return numeric_strata(values, grouped)
    return np.unique(values, axis=0, return_inverse=True)[1].ravel()  # of several labels, by whole sets
