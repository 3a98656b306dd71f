"""What a benchmark is made of. A file in `bench/workloads/` with a `Workload` in it is found by itself.

    data      = workload.make(rows, seed)            the same for every contestant
    given     = contestant.prepare(data)             in the form that suits the contestant best; not timed
    model     = contestant.fit(given)                timed
    predicted = contestant.predict(model, given)     timed
    quality   = contestant.quality(model, given, predicted)

Quality must agree between the contestants, or their times cannot be compared.
"""

import importlib
import os
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["OURS", "Contestant", "Goal", "Reported", "Workload", "discover", "folder"]

OURS = "openbook"


@dataclass(frozen=True)
class Reported:
    """What a contestant gives that works in a process of its own, and tells the time that the work took."""

    result: Any
    seconds: float


@dataclass(frozen=True)
class Contestant:
    """One way to do the work."""

    prepare: Callable[[Any], Any]
    fit: Callable[[Any], Any]
    predict: Callable[[Any, Any], Any] | None = None
    #: Numbers by name, or lists of them; None where there is nothing to compare.
    quality: Callable[[Any, Any, Any], Mapping[str, Any]] | None = None
    #: The module it cannot do without, or a function that says what is missing, or None.
    needs: str | Callable[[], str | None] = "openbook"
    #: Bytes of memory it takes per row; it is left out, and said to be, where they are not free.
    bytes_per_row: int = 0

    def absence(self, rows: int) -> str | None:
        """Why it cannot take part, or None."""
        if callable(self.needs):
            missing = self.needs()
        else:
            missing = None if find_spec(self.needs) else f"{self.needs} is not installed"
        if missing:
            return missing
        import psutil

        wanted, free = self.bytes_per_row * rows, psutil.virtual_memory().available
        return f"needs {wanted / 1e9:.1f} GB, {free / 1e9:.1f} GB are free" if wanted > free else None


@dataclass(frozen=True)
class Goal:
    """What is to be reached.

    measure : "times" as fast as the fastest of `peers`; at most so many "seconds"; at most so many times as
        long as the fastest of `peers` ("growth"); peak memory above the input, at most this "share" of the
        input, or so many times ("memory") that of the most frugal of `peers`; peak memory of the whole
        process, at most so many "bytes"
    """

    step: str
    measure: str
    limit: float
    peers: tuple[str, ...] = ()
    contestant: str = OURS


@dataclass(frozen=True)
class Workload:
    """Data, contestants, and what is to be reached."""

    name: str
    title: str
    rows: int
    make: Callable[[int, int], Any]
    contestants: Mapping[str, Contestant]
    goals: tuple[Goal, ...]
    #: Qualities may differ by this much,
    tolerance: float = 1e-6
    #: and, where chance decides, by this much more over the square root of the rows.
    noise: float = 0.0
    #: Fresh processes of each contestant, and runs in each.
    rounds: int = 3
    runs: int = 3
    #: What stands for all runs: "best", or "median" where a user feels every one of them.
    typical: str = "best"
    #: Rows of the unmeasured first run, which compiles; 0 for none.
    warm_rows: int = 2000


def discover() -> dict[str, Workload]:
    """All workloads, by name."""
    from bench import workloads

    modules = [
        importlib.import_module(f"bench.workloads.{m.name}") for m in pkgutil.iter_modules(workloads.__path__)
    ]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Workload)]
    return {workload.name: workload for workload in found}


def folder() -> Path:
    """A folder for the files of this run; the runner makes it and removes it."""
    return Path(os.environ["BENCH_FOLDER"])
