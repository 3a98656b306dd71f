"""Learning is a fold: one way to pass over rows, on threads, processes or a cluster.

    fold(pieces, step, merge) = merge(… merge(merge(step(p0), step(p1)), step(p2)) …)

Results are merged in the order of the pieces as they arrive, so the number of workers and the backend change nothing,
bit for bit; other piece sizes agree to rounding. How many workers there are, and where, is joblib's to say:

    with joblib.parallel_config(backend="threading", n_jobs=8): model.fit(X, y)
    with joblib.parallel_config(backend="dask"): model.fit(openbook.scan("s3-mount/*.parquet"), "label")

One worker is the default, as everywhere in scikit-learn's world; threads are preferred, since kernels release the lock.
"""

from collections.abc import Callable, Iterable, Sized
from functools import reduce
from typing import Any, Protocol, TypeVar, runtime_checkable

import joblib

__all__ = ["Piece", "fold"]

State = TypeVar("State")


@runtime_checkable
class Piece(Protocol):
    """Rows that are still to be fetched; the worker that handles them loads them itself."""

    def load(self) -> Any: ...


def fold(
    pieces: Iterable[Any],
    step: Callable[[Any], State],
    merge: Callable[[State, State], State],
) -> State:
    """Merge step(piece) over all pieces, in order, on whatever joblib backend is active.

    Parameters
    ----------
    pieces : iterable
        Chunks of rows, or `Piece`s that a worker loads.
    step : callable of a piece
        Adds up the piece's statistics. It must pickle where the backend is not threads.
    merge : callable of two states
        Joins the statistics of earlier pieces with those of the next.

    Examples
    --------
    >>> from operator import add
    >>> fold([range(3), range(3, 5)], sum, add)
    10
    """
    if isinstance(pieces, Sized) and len(pieces) == 1:
        return _step_on(step, next(iter(pieces)))
    parallel = joblib.Parallel(prefer="threads", return_as="generator")
    return reduce(merge, parallel(joblib.delayed(_step_on)(step, piece) for piece in pieces))


def _step_on(step: Callable[[Any], State], piece: Any) -> State:
    return step(piece.load() if isinstance(piece, Piece) else piece)
