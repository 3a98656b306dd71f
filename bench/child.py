"""One contestant in a process of its own: prints what it measured as one line of JSON.

Peak memory is the kernel's own high-water mark of the resident set (VmHWM), set back just before the step;
where there is none (not Linux), the resident set is sampled every millisecond. "Above the input" subtracts
the resident set just before the step, when the input is made and the code compiled. What was used and freed
until then is first handed back to the system, else the step could go into it unseen. Memory is taken in the
first run, whose time counts like any other. What works in another process (`Reported`) tells its own time,
and its memory is not known.
"""

import ctypes
import gc
import json
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import psutil

from bench.workload import Reported, discover

__all__ = ["peak_of", "size"]

_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")


def main(name: str, label: str, rows: int, seed: int, threads: int, runs: int) -> dict[str, Any]:
    workload = discover()[name]
    contestant = workload.contestants[label]
    with joblib.parallel_config(backend="threading", n_jobs=threads):
        if workload.warm_rows:
            given = contestant.prepare(workload.make(min(rows, workload.warm_rows), seed))
            model = contestant.fit(given)
            if contestant.predict is not None:
                contestant.predict(model, given)
            del given, model
        given = contestant.prepare(workload.make(rows, seed))
        measured: dict[str, Any] = {"input": size(given), "steps": {}}
        model = _measure(measured, "fit", runs, lambda: contestant.fit(given))
        predicted = None
        if contestant.predict is not None:
            predicted = _measure(measured, "predict", runs, lambda: contestant.predict(model, given))
        if contestant.quality is not None:
            measured["quality"] = dict(contestant.quality(model, given, predicted))
    return measured


def _measure(measured: dict[str, Any], step: str, runs: int, work: Any) -> Any:
    """Run, time, and note; gives the last result."""
    seconds, memory, result = [], None, None
    for _ in range(runs):
        result = None  # so that two results are never held at once
        gc.collect()
        if memory is None:
            (result, spent), memory = peak_of(lambda: _timed(work))
        else:
            result, spent = _timed(work)
        seconds.append(result.seconds if isinstance(result, Reported) else spent)
    measured["steps"][step] = {"seconds": seconds}
    if isinstance(result, Reported):
        return result.result
    measured["steps"][step] |= {"above": memory[0], "peak": memory[1]}
    return result


def _timed(work: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def peak_of(work: Any) -> tuple[Any, tuple[int, int]]:
    """The result, and peak memory: above what was resident before, and of the whole process."""
    _hand_back()
    before = psutil.Process().memory_info().rss
    if _clear_peak():
        result = work()
        peak = _high_water()
    else:
        result, peak = _sampled(work)
    return result, (max(peak - before, 0), peak)


def _hand_back() -> None:
    """Give memory that the allocator keeps for later back to the system, where it is glibc's."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _clear_peak() -> bool:
    try:
        _CLEAR.write_text("5")
    except OSError:
        return False
    return True


def _high_water() -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def _sampled(work: Any) -> tuple[Any, int]:
    process, done, peak = psutil.Process(), threading.Event(), [0]

    def watch() -> None:
        while not done.wait(0.001):
            peak[0] = max(peak[0], process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        result = work()
    finally:
        done.set()
        watcher.join()
    return result, max(peak[0], process.memory_info().rss)


def size(given: Any) -> int:
    """Bytes of the arrays and tables of an input, each counted once."""
    arrays: dict[int, int] = {}

    def add(part: Any) -> None:
        if isinstance(part, tuple | list):
            for item in part:
                add(item)
        elif isinstance(part, np.ndarray) or hasattr(part, "nbytes"):
            arrays[id(part)] = int(part.nbytes)
        elif hasattr(part, "indptr"):
            add([part.data, part.indices, part.indptr])

    add(given)
    return sum(arrays.values())


if __name__ == "__main__":
    name, label, *numbers = sys.argv[1:]
    # the line that counts comes last, whatever else is printed
    print("\n" + json.dumps(main(name, label, *map(int, numbers))))
