"""A notice that kernels are being compiled: it takes seconds, and happens only once.

    Compiling kernels, once: later runs start at once …
    Compiling kernels: 61 functions after 5 s …

The command line sets `clock.say`; a program that imports openbook hears nothing.
"""

from collections.abc import Callable
from time import monotonic

#: Seconds of compiling before anything is said, and from one line to the next.
PATIENCE, PAUSE = 1.0, 4.0


class Clock:
    """The seconds that compiling has taken so far, and how many functions; functions lie in each other."""

    def __init__(self) -> None:
        self.say: Callable[[str], None] | None = None
        self._functions, self._depth, self._spent, self._start = 0, 0, 0.0, 0.0
        self._next = PATIENCE

    def begin(self) -> None:
        """A function begins to be compiled."""
        if self._depth == 0:
            self._start = monotonic()
        self._depth += 1
        self._functions += 1
        self._tell()

    def end(self) -> None:
        """The function that began last is compiled."""
        self._tell()
        self._depth -= 1
        if self._depth == 0:
            self._spent += monotonic() - self._start

    def _tell(self) -> None:
        spent = self._spent + monotonic() - self._start
        if self.say is None or spent < self._next:
            return
        if self._next == PATIENCE:
            self.say("Compiling kernels, once: later runs start at once …")
        else:
            self.say(f"Compiling kernels: {self._functions} functions after {spent:.0f} s …")
        self._next = spent + PAUSE


#: That of this process.
clock = Clock()
