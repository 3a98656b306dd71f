"""Jobs done by threads, until all are done or time is up."""

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, Queue
from time import monotonic
from typing import Any, TypeVar

import joblib

from openbook.fold import each
from openbook.judge.folds.thread_warnings import collected_warnings

__all__ = ["done_by"]

Job = TypeVar("Job")
Found = TypeVar("Found")


def done_by(
    deadline: float | None, jobs: Sequence[Job], work: Callable[[Job], Found], workers: int
) -> Iterator[Found]:
    """What each job finds, as soon as it is there; nothing that comes after the deadline.

    Parameters
    ----------
    deadline : the time on the monotonic clock, or None
        A job that is still under way then is left to itself: its thread ends when it is done, or with the
        process.
    jobs, work : what there is to do, and how
    workers : threads; -1 for one a core
    """
    with (
        collected_warnings(),
        joblib.parallel_config(backend="threading", n_jobs=workers),
    ):  # joblib warns if interrupted
        if deadline is None:
            yield from each(jobs, work, in_order=False)
            return
        threads = joblib.effective_n_jobs(None)
    yield from _until(deadline, jobs, work, threads)


def _until(
    deadline: float, jobs: Sequence[Job], work: Callable[[Job], Found], threads: int
) -> Iterator[Found]:
    waiting, found, over = iter(jobs), Queue[Any](), threading.Event()
    lock = threading.Lock()

    def worker() -> None:
        while not over.is_set():
            with lock:
                job = next(waiting, _NONE)
            if job is _NONE:
                return
            try:
                found.put((work(job), None))
            except BaseException as error:  # noqa: BLE001 (raised again by the one who waits)
                found.put((None, error))

    for _ in range(min(threads, len(jobs))):
        threading.Thread(target=worker, daemon=True).start()
    try:
        for _ in jobs:
            if (left := deadline - monotonic()) <= 0:
                return
            try:
                result, error = found.get(timeout=left)
            except Empty:
                return
            if error is not None:
                raise error
            yield result
    finally:
        over.set()


_NONE: Any = object()
