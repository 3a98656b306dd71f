"""A rough estimate of the time and memory of a study, from its rows and columns."""

import math
import os
from pathlib import Path

from openbook.plan.rows import StudyRows
from openbook.registry.costs import Shape, fit_bytes

#: Inner folds by which knobs are tuned.
_INNER = 5
#: The analyses take about as long as this many folds of the choice, and with the report this many seconds
#: and this many for each column.
_LOOKS, _REPORT, _COLUMN = 12, 1.5, 5e-3
#: Files with the bytes that a container may use, and uses.
_CONTAINERS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def _shape(rows: StudyRows, label: str) -> Shape:
    """The shape of the largest training part of a fold."""
    classes = 1 if rows.classes is None else len(rows.classes)
    return Shape.of(rows.inputs(label), max(fold.n_train for fold in rows.folds), classes)


def seconds_of(rows: StudyRows, label: str) -> float:
    """The estimated seconds of one fold of a contestant on one core, with tuning."""
    candidate = rows.plan.contestant(label).candidate
    settings = math.prod(map(len, candidate.values().values()))
    tries = 1 + (_INNER * settings if settings > 1 else 0)
    return tries * candidate.seconds(_shape(rows, label))


def bytes_of(rows: StudyRows, label: str) -> float:
    """The estimated memory of one fit of a contestant."""
    candidate = rows.plan.contestant(label).candidate
    return fit_bytes((candidate.inner or candidate).learner, _shape(rows, label))


def after_folds(fold: float, columns: int) -> float:
    """The estimated seconds of everything after the folds, given those of a fold of the chosen learner."""
    return _LOOKS * fold + _REPORT + _COLUMN * columns


def estimate_words(seconds: float) -> str:
    """The estimate as people say it.

    >>> estimate_words(3.2), estimate_words(47), estimate_words(400), estimate_words(9000)
    ('about 5 seconds', 'about 45 seconds', 'about 7 minutes', 'about 2.5 hours')
    """
    if seconds < 95:
        return f"about {max(5, 5 * round(seconds / 5))} seconds"
    if seconds < 95 * 60:
        return f"about {round(seconds / 60)} minutes"
    return f"about {seconds / 3600:.1f} hours".replace(".0 hours", " hours")


def available_bytes() -> float | None:
    """The memory that is available to a process; None if it is unknown."""
    limits = (_system_bytes(), _address_bytes(), *(_container_bytes(*files) for files in _CONTAINERS))
    return min((free for free in limits if free), default=None)


def _system_bytes() -> float | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("MemAvailable"))
        return 1024.0 * int(kilobytes)
    except (OSError, StopIteration, ValueError):
        pass
    try:  # no more than the machine has
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return None


def _address_bytes() -> float | None:
    """What `ulimit -v` leaves to this process."""
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):
        return None
    left = most - pages * resource.getpagesize()
    return None if most == resource.RLIM_INFINITY else float(max(left, 1))


def _container_bytes(most: str, now: str) -> float | None:
    try:
        return float(Path(most).read_text(encoding="ascii")) - float(Path(now).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
