"""A bar on standard error: in a terminal or a notebook only, and only once a second has passed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

#: Seconds that pass before anything is shown.
PATIENCE = 1.0


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar; yields a function of the number done and the total."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    hidden = not (console.is_terminal or console.is_jupyter)
    bar = Progress(*columns, console=console, transient=True, disable=hidden)
    task = bar.add_task(what)
    start = monotonic()

    def show(done: int, total: int) -> None:
        if not bar.live.is_started and monotonic() - start > PATIENCE:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield show
    finally:
        bar.stop()
