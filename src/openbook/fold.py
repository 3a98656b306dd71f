"""Learning is a fold: one way to pass over rows, on threads, processes or a cluster.

    fold(pieces, step, merge) = merge(… merge(merge(step(p0), step(p1)), step(p2)) …)

Results are merged in the order of the pieces as they arrive, so the number of workers and the backend
change nothing, bit for bit; other piece sizes agree to rounding. joblib sets the number of workers and their
place:

    with joblib.parallel_config(backend="threading", n_jobs=8): model.fit(X, y)
    with joblib.parallel_config(backend="dask"): model.fit(openbook.scan("s3-mount/*.parquet"), "label")

One worker is the default, as everywhere in scikit-learn's world; threads are preferred, since kernels
release the lock.

`each_until` is for long work under a time limit: on threads; on processes if pieces are so small that Python
code dominates, and threads would wait for each other; or on the workers of a cluster.

Processes are forked, so they share the memory of this one, but not its other threads. Code that needs these
threads, such as polars, would wait for ever. So it raises an error at once, and the piece is done in this
process instead.
"""

import multiprocessing
import pickle
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import fields
from functools import reduce
from itertools import accumulate, chain
from multiprocessing.connection import wait
from operator import add
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

import joblib
import numpy as np
import numpy.typing as npt

#: The share of a weight that may remain after forgetting and counts as rounding.
ROUNDING = 1e-11

State = TypeVar("State")


@runtime_checkable
class Piece(Protocol):
    """Rows that are not loaded yet; the worker that handles them loads them."""

    def load(self) -> Any: ...


def fold(
    pieces: Iterable[Any], step: Callable[[Any], State], merge: Callable[[State, State], State]
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


def each(
    pieces: Iterable[Any], step: Callable[[Any], State], *, in_order: bool = True, apart: bool = False
) -> Iterator[State]:
    """The results of step(piece) as they come, in the order of the pieces: a fold that is not merged yet.

    With `in_order=False` each result is yielded as soon as it is ready. With `apart=True` processes are
    forked where threads would be used, as by `each_until`, and the first result comes when all are there.
    """
    if apart and worker_count() > 1 and shares_memory() and _may_fork():

        def numbered(one: tuple[int, Any]) -> tuple[int, State]:
            return one[0], _step_on(step, one[1])

        found = dict(_in_processes(None, enumerate(pieces), numbered, worker_count()))
        yield from (found[i] for i in range(len(found)))
        return
    if (isinstance(pieces, Sized) and len(pieces) == 1) or (worker_count() == 1 and shares_memory()):
        for piece in pieces:
            yield _step_on(step, piece)
        return
    parallel = joblib.Parallel(prefer="threads", return_as="generator" if in_order else "generator_unordered")
    results = parallel(joblib.delayed(_step_on)(step, piece) for piece in pieces)
    try:
        yield from results
    finally:
        with warnings.catch_warnings():  # joblib counts the pieces under way that an interruption loses
            warnings.filterwarnings("ignore", message=r"\d+ tasks ", category=UserWarning)
            results.close()


def loaded(piece: Any) -> Any:
    """The rows of a piece, loaded if it is a `Piece`; a check by its type would be slow."""
    return piece.load() if hasattr(piece, "load") else piece


def _step_on(step: Callable[[Any], State], piece: Any) -> State:
    return step(loaded(piece))


def each_until(
    deadline: float | None,
    pieces: Iterable[Any],
    step: Callable[[Any], State],
    workers: int = 1,
    *,
    apart: bool = False,
) -> Iterator[State]:
    """The results of step(piece), each as soon as it is ready; none after the deadline.

    Parameters
    ----------
    deadline : the time on the monotonic clock, or None
        A piece that is not done then is abandoned: its thread ends when it is done, or with the process; a
        forked process is killed.
    pieces : the pieces; the next one is taken when a worker is free
    step : the function of a piece
    workers : the number of pieces at a time; -1 for one per core
    apart : whether to use forked processes, so that only pieces and results are sent; if the system cannot
        fork, threads are used

    Examples
    --------
    >>> sorted(each_until(None, [1, 2, 3], lambda piece: piece**2, workers=2))
    [1, 4, 9]
    """
    if deadline is not None and monotonic() >= deadline:
        return
    if _on_a_cluster():
        for found in each(pieces, step, in_order=False):
            if deadline is not None and monotonic() >= deadline:
                return
            yield found
        return
    workers = joblib.effective_n_jobs(workers)
    if deadline is None and workers == 1:
        yield from map(step, pieces)
    elif apart and _may_fork():
        yield from _in_processes(deadline, pieces, step, workers)
    else:
        yield from _on_threads(deadline, pieces, step, workers)


def shares_memory() -> bool:
    """Whether the workers of joblib's active backend see the memory of this process, as threads do."""
    backend, _ = joblib.parallel.get_active_backend(prefer="threads")
    return getattr(backend, "supports_sharedmem", False)


def worker_count() -> int:
    """How many workers joblib's active backend has."""
    return int(joblib.effective_n_jobs(None))


def _on_a_cluster() -> bool:
    """Whether joblib's active backend is not one of its own, which all work on this machine."""
    backend, _ = joblib.parallel.get_active_backend()
    return not type(backend).__module__.startswith("joblib._parallel_backends")


_END: Any = object()


def _on_threads(
    deadline: float | None, pieces: Iterable[Any], step: Callable[[Any], State], workers: int
) -> Iterator[State]:
    waiting, found, over, lock = iter(pieces), SimpleQueue[Any](), threading.Event(), threading.Lock()

    def work() -> None:
        while not over.is_set():
            try:
                with lock:
                    piece = next(waiting, _END)
                if piece is _END:
                    break
                found.put((step(piece), None))
            except BaseException as error:  # noqa: BLE001 (raised again by the one who waits)
                found.put((None, error))
        found.put((_END, None))

    for _ in range(workers):
        threading.Thread(target=work, daemon=True).start()
    at_work = workers
    try:
        while at_work and (left := _left(deadline)) != 0:
            result, error = found.get(timeout=left)
            if error is not None:
                raise error
            if result is _END:
                at_work -= 1
            else:
                yield result
    except Empty:
        return
    finally:
        over.set()


def _left(deadline: float | None) -> float | None:
    """The seconds until the deadline; None without one."""
    return None if deadline is None else max(0.0, deadline - monotonic())


def _may_fork() -> bool:
    """Whether processes may be forked here: only on Linux do system libraries allow it."""
    main = threading.current_thread() is threading.main_thread()
    return sys.platform == "linux" and main and not multiprocessing.current_process().daemon


def _in_processes(
    deadline: float | None, pieces: Iterable[Any], step: Callable[[Any], State], workers: int
) -> Iterator[State]:
    waiting = iter(pieces)
    crew: dict[Any, _Worker] = {}
    try:
        for _ in range(workers):
            worker = _Worker(step, list(crew))
            crew[worker.pipe] = worker
        for _ in range(2 if deadline is None else 1):  # a second piece, so that none waits for the next
            for worker in crew.values():
                worker.give(waiting)
        while busy := [pipe for pipe, worker in crew.items() if worker.given]:
            ready = wait(busy, _left(deadline))
            if not ready or _left(deadline) == 0:
                return
            for pipe in ready:
                yield from crew[pipe].answer()
                crew[pipe].give(waiting)
    finally:
        for worker in crew.values():
            worker.end()


class _Worker:
    """A forked process for pieces; `given` are those without a result yet."""

    def __init__(self, step: Callable[[Any], Any], earlier: Iterable[Any]) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.step, self.given = step, deque[Any]()
        self.process = context.Process(target=_serve, args=(step, theirs, [*earlier, self.pipe]), daemon=True)
        with warnings.catch_warnings():  # of threads, of which none is at work now
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        theirs.close()

    def give(self, waiting: Iterator[Any]) -> None:
        if (piece := next(waiting, _END)) is not _END:
            self.given.append(piece)
            with suppress(OSError):  # it was killed, which is seen when it should answer
                self.pipe.send(piece)

    def answer(self) -> Iterator[Any]:
        """The result of its next piece. A piece that needs threads is done in this process; so are all its
        pieces if it was killed, for example for lack of memory.
        """
        try:
            status, found = self.pipe.recv()
        except (EOFError, OSError):
            lost, self.given = self.given, deque()
            yield from map(self.step, lost)
            return
        piece = self.given.popleft()
        if status == "failed":
            raise found
        yield self.step(piece) if status == "needs threads" else found

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(step: Callable[[Any], Any], pipe: Any, of_parent: Iterable[Any]) -> None:
    """Do pieces until the other end of the pipe is closed, which must be open in the parent only."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interruptions
    for other in of_parent:
        other.close()
    _refuse_lost_threads()
    with suppress(EOFError, OSError):
        while True:
            piece = pipe.recv()
            try:
                pipe.send(("found", step(piece)))
            except _NeedsThreads:
                pipe.send(("needs threads", None))
            except Exception as error:  # noqa: BLE001 (raised by the parent)
                pipe.send(("failed", _sendable(error)))


class _NeedsThreads(BaseException):
    """Raised by code that needs threads which a forked process lacks: not an error of a learner."""


def _refuse_lost_threads() -> None:
    """Make every use of a polars frame raise an error, if polars has started threads in the parent."""
    if (polars := sys.modules.get("polars")) is None:
        return

    def refused(*_: Any, **__: Any) -> Any:
        raise _NeedsThreads

    for frame, inner in ((polars.Series, "_s"), (polars.DataFrame, "_df"), (polars.LazyFrame, "_ldf")):
        setattr(frame, inner, property(refused, refused))
    for reader in [name for name in vars(polars) if name.startswith("read_")]:
        setattr(polars, reader, refused)


def _sendable(error: Exception) -> Exception:
    """The error, or its type and message if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (of our own)
    except Exception:  # noqa: BLE001 (whatever its constructor wants)
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def all_but_each(parts: Sequence[State], merge: Callable[[State, State], State] = add) -> Iterator[State]:
    """For each of two or more parts, all other parts merged in order.

    >>> list(all_but_each([1, 10, 100, 1000]))
    [1110, 1101, 1011, 111]
    """
    before = accumulate(parts[:-1], merge)
    after = list(accumulate(reversed(parts[1:]), lambda later, earlier: merge(earlier, later)))
    yield after.pop()
    for earlier in before:
        yield merge(earlier, after.pop()) if after else earlier


class Statistics:
    """Sums over rows: a frozen dataclass of arrays, and of tuples of them, with + and -.

    Every array is a sum over rows unless a subclass defines + and - itself. An array that lacks the last
    columns of the other (values that came later) counts as zero there.
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
        """Every array by name, for the model file."""
        named = (_named(field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return dict(chain.from_iterable(named))

    def filled(self, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Statistics of the same shapes with the arrays of a model file; ValueError if a shape differs."""
        return type(self)(*(_filled(field.name, getattr(self, field.name), arrays) for field in fields(self)))  # type: ignore[arg-type]


def less(a: Any, b: Any) -> Any:
    """Take b from a: 0 if no more than rounding is left of a weight."""
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
        prefix = f"{name}."
        own = {key: array for key, array in arrays.items() if key.startswith(prefix)}
        return part.filled({key.removeprefix(prefix): array for key, array in own.items()})
    if isinstance(part, tuple):
        return tuple(_filled(f"{name}.{i}", item, arrays) for i, item in enumerate(part))
    array = arrays[name]
    if array.shape != part.shape or array.dtype != part.dtype:
        raise ValueError(f"array {name!r} is {array.dtype}{array.shape}, expected {part.dtype}{part.shape}")
    return array
