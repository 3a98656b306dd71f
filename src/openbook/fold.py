"""Learning is a fold: one way to pass over rows, on threads, processes or a cluster.

    fold(pieces, step, merge) = merge(… merge(merge(step(p0), step(p1)), step(p2)) …)

Results are merged in the order of the pieces as they arrive, so the number of workers and the backend
change nothing, bit for bit; other piece sizes agree to rounding. How many workers there are, and where, is
joblib's to say:

    with joblib.parallel_config(backend="threading", n_jobs=8): model.fit(X, y)
    with joblib.parallel_config(backend="dask"): model.fit(openbook.scan("s3-mount/*.parquet"), "label")

One worker is the default, as everywhere in scikit-learn's world; threads are preferred, since kernels
release the lock.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import fields
from functools import reduce
from itertools import accumulate, chain
from operator import add
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

import joblib
import numpy as np
import numpy.typing as npt

__all__ = ["ROUNDING", "Piece", "Statistics", "all_but_each", "each", "fold", "less"]

#: What is left of a weight after forgetting, as a share of it, and still counts as nothing.
ROUNDING = 1e-11

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
    return reduce(merge, each(pieces, step))


def each(pieces: Iterable[Any], step: Callable[[Any], State], *, in_order: bool = True) -> Iterator[State]:
    """The results of step(piece) as they come, in the order of the pieces: a fold that is not merged yet.

    With `in_order=False` each result comes as soon as it is there.
    """
    if isinstance(pieces, Sized) and len(pieces) == 1:
        yield _step_on(step, next(iter(pieces)))
        return
    parallel = joblib.Parallel(prefer="threads", return_as="generator" if in_order else "generator_unordered")
    results = parallel(joblib.delayed(_step_on)(step, piece) for piece in pieces)
    try:
        yield from results
    finally:
        with warnings.catch_warnings():  # joblib counts the pieces under way that an interruption loses
            warnings.filterwarnings("ignore", message=r"\d+ tasks ", category=UserWarning)
            results.close()


def _step_on(step: Callable[[Any], State], piece: Any) -> State:
    return step(piece.load() if isinstance(piece, Piece) else piece)


def all_but_each(parts: Sequence[State], merge: Callable[[State, State], State] = add) -> Iterator[State]:
    """Merge all parts but each, in order, for two parts or more: what came before it and what comes after.

    >>> list(all_but_each([1, 10, 100, 1000]))
    [1110, 1101, 1011, 111]
    """
    before = accumulate(parts[:-1], merge)
    after = list(accumulate(reversed(parts[1:]), lambda later, earlier: merge(earlier, later)))
    yield after.pop()
    for earlier in before:
        yield merge(earlier, after.pop()) if after else earlier


class Statistics:
    """What is added up over rows: a frozen dataclass of arrays, and of tuples of them, with + and -.

    Every array is a sum over rows unless a subclass says how its own join and part. An array that lacks the
    last columns of the other (values that came later) counts as zero there.
    """

    def __add__(self, other: Self) -> Self:
        return self._joined(other, add)

    def __sub__(self, other: Self) -> Self:
        return self._joined(other, less)

    def _joined(self, other: Self, join: Callable[[Any, Any], Any]) -> Self:
        return type(self)(*(_both(a, b, join) for a, b in zip(self._parts(), other._parts(), strict=True)))

    def _parts(self) -> list[Any]:
        return [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]

    def amounts(self) -> list[npt.NDArray[Any]]:
        """The arrays that cannot fall below zero, the weight of the rows themselves first."""
        return list(chain.from_iterable(map(_amounts, self._parts())))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Every array under a name of its own, for the model file."""
        named = (_named(field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return dict(chain.from_iterable(named))

    def filled(self, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """These statistics' like with the arrays of a model file; ValueError where a shape is not as here."""
        return type(self)(*(_filled(field.name, getattr(self, field.name), arrays) for field in fields(self)))  # type: ignore[arg-type]


def less(a: Any, b: Any) -> Any:
    """Take b from a: 0 where no more than rounding is left of a weight."""
    rest = a - b
    return rest if isinstance(rest, Statistics) else np.where(np.abs(rest) <= ROUNDING * np.abs(a), 0.0, rest)


def _amounts(part: Any) -> list[npt.NDArray[Any]]:
    if isinstance(part, Statistics):
        return part.amounts()
    return list(chain.from_iterable(map(_amounts, part))) if isinstance(part, tuple) else [part]


def _both(a: Any, b: Any, join: Callable[[Any, Any], Any]) -> Any:
    if isinstance(a, tuple):
        return tuple(_both(x, y, join) for x, y in zip(a, b, strict=True))
    if isinstance(a, Statistics):
        return join(a, b)  # by its own + and -: not every statistic is a plain sum
    if a.shape != b.shape:
        width = max(a.shape[-1], b.shape[-1])
        a, b = _widened(a, width), _widened(b, width)
    return join(a, b)


def _widened(a: npt.NDArray[Any], width: int) -> npt.NDArray[Any]:
    return np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, width - a.shape[-1])])


def _named(name: str, part: Any) -> Iterable[tuple[str, npt.NDArray[Any]]]:
    if isinstance(part, Statistics):
        for own, array in part.arrays().items():
            yield f"{name}.{own}", array
    elif isinstance(part, tuple):
        for i, item in enumerate(part):
            yield from _named(f"{name}.{i}", item)
    else:
        yield name, part


def _filled(name: str, part: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    if isinstance(part, Statistics):
        start = f"{name}."
        return part.filled(
            {key.removeprefix(start): array for key, array in arrays.items() if key.startswith(start)}
        )
    if isinstance(part, tuple):
        return tuple(_filled(f"{name}.{i}", item, arrays) for i, item in enumerate(part))
    array = arrays[name]
    if array.shape != part.shape or array.dtype != part.dtype:
        msg = f"array {name!r} is {array.dtype}{array.shape}, expected {part.dtype}{part.shape}"
        raise ValueError(msg)
    return array
