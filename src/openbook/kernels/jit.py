"""The one decorator for kernels, and its compiler flags.

NaN means missing, so the flags that assume no NaN and no infinity (nnan, ninf) stay off: with `fastmath=True`
a kernel counts no NaN at all. The flags here let the compiler vectorise sums and fuse multiply and add, which
changes a result by rounding only.
"""

import gc
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
from numba.core import event

from openbook.kernels.cache import KernelCache
from openbook.kernels.notice import clock

FLAGS = {"nsz", "arcp", "contract", "reassoc"}

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": FLAGS,
    "no_cfunc_wrapper": True,
}


def jit(function: Callable[..., Any] | None = None, *, cache: bool = True, **options: Any) -> Any:
    """Compile a kernel when it is first called, and cache it on disk; options are those of `numba.njit`."""
    if function is None:
        return partial(jit, cache=cache, **options)
    kernel = numba.njit(**(OPTIONS | options))(function)
    if cache:
        kernel._cache = KernelCache(function)  # noqa: SLF001 (numba's enable_caching, with our cache)
    return kernel


class OnClock(event.Listener):
    """Runs the clock while numba compiles, which it does under a lock of its own."""

    def on_start(self, event: Any) -> None:  # noqa: ARG002 (numba's signature)
        clock.begin()

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        clock.end()


class Uncollected(event.Listener):
    """Pauses the search for garbage while numba compiles: it takes a tenth of the time to find little."""

    def __init__(self) -> None:
        self._depth, self._was_on = 0, False

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        if self._depth == 0:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        self._depth -= 1
        if self._depth == 0 and self._was_on:
            gc.enable()


event.register("numba:compile", OnClock())
event.register("numba:compile", Uncollected())


#: For kernels that only kernels call: Python cannot call them. They count no references, so they must not
#: return arrays. `inline="always"` compiles one as a part of its caller, which saves optimising everything
#: that it calls once more: for long kernels that are called in one place and take no argument that may be
#: None.
inner: Any = partial(jit, cache=False, no_cpython_wrapper=True, _nrt=False)

#: The same, rounded as written. With the flags, a sum may be rounded in one way where numba has just compiled
#: a kernel, which then calls the inner kernels one by one, and in another where it is read from the cache, in
#: which they are a part of it. For sums that the first run of a process must not change.
exact: Any = partial(inner, fastmath=False)
