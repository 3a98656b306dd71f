"""The likelihood of rows that were held out, by which the shrinkage of a discriminant is chosen.

    L(s) = sum_i w_i ln max(P_s(y_i | x_i), 1e-6)

where P_s is the model with shrinkage s of the rows in the other four of five folds than row i's. One pass
over the rows takes the statistics of each fold; then each model computes the likelihood of its held-out fold.
No row counts for more than ln 1e6, so that one that lies far off does not decide alone.
"""

from collections.abc import Callable, Iterator
from functools import partial
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.border.cross_fitted import FOLDS, drawn_folds
from openbook.border.rows import Chunk, Rows
from openbook.fold import Statistics, all_but_each, fold

Array = npt.NDArray[Any]

#: The shrinkages of which the likeliest is chosen; of equally likely ones, the first.
SHRINKAGES = (1.0, 0.6, 0.3, 0.1, 0.03)
_LEAST = 1e-6


def held_out_likelihoods(
    rows: Rows, step: Callable[[Chunk], Statistics], models: Callable[[Statistics], Iterator[Any]]
) -> Array:
    """The likelihood of all rows under each of the models that are made of the statistics of other rows."""
    pieces = rows.numbered()
    sums = fold(pieces, partial(_by_fold, step), _added)
    of_parts = [
        [fold(pieces, partial(_likelihood, model, part), add) for model in models(others)]
        for part, others in enumerate(all_but_each(sums))
    ]
    return np.sum(of_parts, axis=0)


def _by_fold(step: Callable[[Chunk], Statistics], numbered: tuple[int, Chunk]) -> list[Statistics]:
    return [step(_in_fold(part, *numbered)) for part in range(FOLDS)]


def _added(one: list[Statistics], other: list[Statistics]) -> list[Statistics]:
    return [a + b for a, b in zip(one, other, strict=True)]


def _likelihood(model: Any, part: int, numbered: tuple[int, Chunk]) -> float:
    """The log-likelihood of the rows of a fold."""
    X, y, w = _in_fold(part, *numbered)
    proba = model._proba(X)[np.arange(len(y)), y]  # noqa: SLF001 (clean rows)
    return float(w @ np.log(np.maximum(proba, _LEAST)))


def _in_fold(part: int, start: int, chunk: Chunk) -> Chunk:
    """The rows of a fold."""
    drawn = np.flatnonzero(drawn_folds(start, len(chunk.y)) == part)
    return Chunk(chunk.X.take(drawn), chunk.y[drawn], chunk.w[drawn])
