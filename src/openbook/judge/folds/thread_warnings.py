"""Collect the warnings of a thread.

`warnings.catch_warnings` swaps a setting of the whole process, so folds on parallel threads would overwrite
each other's. Here the first listener installs one hook, the hook passes every warning to the thread that
raised it, and the last listener restores the setting. A fit that was interrupted by hand is not evaluated:
the listener stops too.
"""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from openbook.errors import InterruptedFit

_lock = threading.Lock()
_own = threading.local()
_listeners = 0
_outside: warnings.catch_warnings | None = None


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """The distinct warnings that this thread raises in the meantime, which are not shown.

    >>> with collected_warnings() as messages:
    ...     warnings.warn("too few rows", stacklevel=1)
    >>> messages
    ['UserWarning: too few rows']
    """
    messages: list[str] = []
    before = getattr(_own, "messages", None)
    _enter()
    _own.messages = messages
    try:
        yield messages
    finally:
        _own.messages = before
        _leave()


def _enter() -> None:
    global _listeners, _outside  # noqa: PLW0603 (the warnings module is one per process, and so is this)
    with _lock:
        if _listeners == 0:
            _outside = warnings.catch_warnings()
            _outside.__enter__()
            show = warnings.showwarning

            def give(message: Any, category: type[Warning], *rest: Any, **named: Any) -> None:
                messages = getattr(_own, "messages", None)
                if messages is not None and issubclass(category, InterruptedFit):
                    raise KeyboardInterrupt
                if messages is None:
                    show(message, category, *rest, **named)
                elif (text := f"{category.__name__}: {message}") not in messages:
                    messages.append(text)

            warnings.showwarning = give
            warnings.simplefilter("always")
        _listeners += 1


def _leave() -> None:
    global _listeners  # noqa: PLW0603
    with _lock:
        _listeners -= 1
        if _listeners == 0 and _outside is not None:
            _outside.__exit__(None, None, None)
