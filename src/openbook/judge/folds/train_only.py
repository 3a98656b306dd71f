"""Rows that are only for training.

    folds of the rows that may be tested     | train         | test |
    the same folds among all rows            | train + only  | test |

A classifier requests labels of rows that it is unsure of. Scores on such rows measure its performance on hard
rows, not on typical ones. So only the other rows are tested, with models that are also fitted to these rows.
A model that tests a group is fitted to none of its rows, and one that tests rows of some time to none of that
time or later.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data import Column
from openbook.errors import DataError
from openbook.judge.folds.splitters import Split, TestGroups, group_codes, time_codes


@dataclass(frozen=True, eq=False)
class TrainOnly:
    """Which rows may be tested, and which only train.

    Parameters
    ----------
    tested, only : positions, in rising order
    groups : of every row, where a group must not both train and test; else None
    time : of every row, its rank; None without a time
    """

    tested: np.ndarray
    only: np.ndarray
    groups: np.ndarray | None = None
    time: np.ndarray | None = None

    @classmethod
    def of(cls, mask: Any, n: int, groups: Any, time: Any, test_groups: TestGroups) -> "TrainOnly":
        """From a mask of the rows that only train, and what divides the rows."""
        only = np.asarray(mask)
        if only.dtype != bool or only.shape != (n,):
            raise DataError(f"train_only must be True or False for each of {n} rows, got {only.shape}")
        known = groups is None or (time is not None and test_groups == "known")
        group = None if known else group_codes(groups, n)[1]
        when = None if time is None else time_codes(time, n)
        return cls(np.flatnonzero(~only), np.flatnonzero(only), group, when)

    def among_all(self, split: Split) -> Split:
        """A split of the rows that may be tested, as a split of all rows.

        >>> rows = TrainOnly(np.array([0, 2, 3]), np.array([1, 4]))
        >>> [part.tolist() for part in rows.among_all((np.array([0, 2]), np.array([1])))]
        [[0, 1, 3, 4], [2]]
        """
        train, test = (self.tested[rows] for rows in split)
        more = self.only
        if len(test) and self.groups is not None:
            more = more[~np.isin(self.groups[more], self.groups[test])]
        if len(test) and self.time is not None:
            more = more[self.time[more] < self.time[test].min()]
        return np.sort(np.concatenate([train, more])), test


def taken(values: Any, rows: np.ndarray) -> Any:
    """The values of some rows; None stays None."""
    if values is None or isinstance(values, Column):
        return None if values is None else values.take(rows)
    return np.asarray(values)[rows]
