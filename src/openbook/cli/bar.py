"""Signs of progress on standard error: in a terminal only, and only once a second has passed."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console

from openbook.judge.folds.progress import PATIENCE


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A spinner for work of unknown duration."""
    console = Console(stderr=True)
    status = console.status(what)
    timer = Timer(PATIENCE, status.start)
    if console.is_terminal:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        status.stop()
