"""Estimates of memory and time for computations that grow with the square of the rows, and their limits.

Too much is more than half of the memory that the machine, its container and `ulimit -v` allow, or an hour.
`allow_large=True` of a learner switches the limits off.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from openbook.errors import RefusalError

_MOST_SECONDS = 3600.0
_SHARE_OF_MEMORY = 0.5
_MEMORY_IF_UNKNOWN = 8 << 30
#: Half a megabyte fits any machine, so that its memory need not be looked up.
_LITTLE = 1 << 19
#: Files that hold the memory limit of a container, in bytes.
_CONTAINERS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def refuse_if_over(what: str, n_bytes: float, seconds: float, remedy: str, *, allow: bool) -> None:
    """Raise a RefusalError of one line if the estimate is above the limits and `allow` is false.

    Parameters
    ----------
    what : the work, as in "complete linkage of 200,000 rows"
    n_bytes, seconds : what it is estimated to take
    remedy : what to do instead, as in "sample the rows, or take linkage='single'"
    allow : the learner's `allow_large`

    Examples
    --------
    >>> refuse_if_over("average linkage of 9 rows", 288, 0.0, "sample the rows", allow=False)
    >>> refuse_if_over("average linkage of 9,000,000 rows", 3.2e14, 6e4, "sample the rows", allow=False)
    Traceback (most recent call last):
    openbook.errors.RefusalError: average linkage of 9,000,000 rows would take about 320 TB ...
    """
    if allow or (n_bytes <= _LITTLE and seconds <= _MOST_SECONDS):
        return
    most = most_bytes()
    if n_bytes <= most and seconds <= _MOST_SECONDS:
        return
    raise RefusalError(
        f"{what} would take about {_size(n_bytes)} and {_time(seconds)}; the limits are {_size(most)} and"
        f" {_time(_MOST_SECONDS)}; {remedy}, or pass allow_large=True to go ahead"
    )


def most_bytes() -> float:
    """The memory that one piece of work may take."""
    return _SHARE_OF_MEMORY * min(_limits(), default=_MEMORY_IF_UNKNOWN)


def _limits() -> Iterator[float]:
    """The memory of the machine, of its container and of the process, where each is known."""
    with suppress(AttributeError, OSError, ValueError):  # Windows does not say
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for file in _CONTAINERS:
        with suppress(OSError, ValueError):  # no container, or "max"
            yield float(Path(file).read_text(encoding="ascii"))
    with suppress(ImportError):
        import resource

        allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
        if allowed != resource.RLIM_INFINITY:
            yield allowed


def _size(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.0f} TB"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:,.0f} hours"
