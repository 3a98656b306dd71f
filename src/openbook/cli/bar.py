"""Signs of progress on standard error: in a terminal only, and only once a second has passed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from time import monotonic

from rich.console import Console

__all__ = ["progress_bar", "waiting"]

_PATIENCE = 1.0


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar; yields a function of the number done and the number in all."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what)
    start = monotonic()

    def tell(done: int, total: int) -> None:
        if not bar.live.is_started and monotonic() - start > _PATIENCE:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield tell
    finally:
        bar.stop()


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A sign of life for work whose end is not in sight."""
    console = Console(stderr=True)
    status = console.status(what)
    timer = Timer(_PATIENCE, status.start)
    if console.is_terminal:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        status.stop()
