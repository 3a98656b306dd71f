r"""Two folds left out at once: how much the scores of two folds go together.

A row is tested once in a round, but it also trains the models that test the rows of other folds. So the
scores of two folds I and J go together, and rows that are taken for independent show too little variance. Let
D_I be what chance adds to the score of fold I: the losses of its rows minus the expected loss of its model.
Whatever the other rows are, its mean is 0. Had a model without J tested I, chance would have added D_I',
which does not depend on J. So E[D_I' D_J] = 0, and likewise E[D_I D_J'] = E[D_I' D_J'] = 0:

    E[D_I D_J] = E[(D_I - D_I') (D_J - D_J')] ≈ Cov(B_IJ, B_JI)

    B : float64 (n_folds, n_folds); B_IJ is the score of the round minus its score where fold I is predicted
        by a model that was trained without fold J, too; NaN for folds that no model left out together

A model without I and J gives both B_IJ and B_JI. Every fold is left out with the next two. Bates, Hastie and
Tibshirani (2023), Cross-validation: what does it estimate and how well does it do it?, leave out two folds
for the same reason, and call that nested cross-validation.
"""

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

from openbook.judge.folds.examples import Split
from openbook.judge.folds.results import FoldResult
from openbook.judge.scores.metrics import Metric, Predictions

#: Of so many rows and more, little variance is missing, and a rule of thumb adds it.
_ENOUGH = 500
#: With how many of the folds that follow it a fold is left out.
_NEXT = 2


def two_out_splits(folds: Sequence[Split], n: int, n_tested: int | None = None) -> list[Split]:
    """Splits that leave out two folds of the first round of n rows; none where rows are many, or folds few.

    They are numbered after the folds. `n_tested` is the number of rows that a round tests, where some only
    train.

    >>> thirds = [np.arange(2), np.arange(2, 4), np.arange(4, 6)]
    >>> folds = [Split(i, np.setdiff1d(np.arange(6), test), test) for i, test in enumerate(thirds)]
    >>> [(split.index, split.train.tolist()) for split in two_out_splits(folds, 6)]
    [(3, [4, 5]), (4, [2, 3]), (5, [0, 1])]
    """
    n_tested = n if n_tested is None else n_tested
    tested = np.cumsum([len(fold.test) for fold in folds])
    k = 1 + int(np.searchsorted(tested, n_tested))
    whole = k <= len(folds) and all(fold.n_train + len(fold.test) == n for fold in folds[:k])
    if n_tested >= _ENOUGH or not whole or not 3 <= k <= n_tested / 2:
        return []
    pairs = sorted(
        {(min(i, j), max(i, j)) for i in range(k) for j in ((i + s) % k for s in range(1, _NEXT + 1))}
    )
    return [
        Split(
            len(folds) + number,
            np.intersect1d(folds[i].train, folds[j].train),
            np.concatenate([folds[i].test, folds[j].test]),
        )
        for number, (i, j) in enumerate(pairs)
    ]


def score_changes(
    folds: Sequence[FoldResult], two_out: Sequence[FoldResult], function: Metric, n_classes: int
) -> np.ndarray:
    """B of a metric, for the folds of a round and the results of models that left out two of them."""
    change = (
        _by_fold(folds, function, n_classes)
        if function.within_folds
        else _of_round(folds, function, n_classes)
    )
    place = np.zeros(1 + max(int(fold.rows.max()) for fold in folds), dtype=np.intp)
    for i, fold in enumerate(folds):
        place[fold.rows] = i
    changes = np.full((len(folds), len(folds)), np.nan)
    for result in two_out:
        found, of = result.predictions(n_classes), place[result.rows]
        for i, j in permutations(np.unique(of), 2):
            changes[i, j] = change(i, found.take(of == i))
    return changes


#: From a fold and other predictions of its rows to what they change about the score of the round.
_Change = Callable[[int, Predictions], float]


def _by_fold(folds: Sequence[FoldResult], function: Metric, n_classes: int) -> _Change:
    """Of a score that is the mean over folds; NaN for a fold in which it is undefined."""
    own = np.array([function(fold.predictions(n_classes)) for fold in folds])
    count = np.count_nonzero(~np.isnan(own))
    return lambda i, found: (own[i] - function(found)) / count


def _of_round(folds: Sequence[FoldResult], function: Metric, n_classes: int) -> _Change:
    """Of a score of all rows together."""
    parts = [fold.predictions(n_classes) for fold in folds]
    score = function(Predictions.joined(parts))
    return lambda i, found: score - function(Predictions.joined([*parts[:i], found, *parts[i + 1 :]]))
