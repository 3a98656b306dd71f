"""The one decorator for kernels, and its compiler flags.

NaN means missing, so the flags that assume NaN and infinity away (nnan, ninf) stay off: with
`fastmath=True` a kernel counts no NaN at all. The flags here let the compiler reorder sums into vector
lanes and fuse multiply and add, which changes a result by rounding only.
"""

from functools import partial
from typing import Any

import numba

__all__ = ["FLAGS", "jit"]

FLAGS = {"nsz", "arcp", "contract", "reassoc"}

jit: Any = partial(numba.njit, cache=True, nogil=True, error_model="numpy", fastmath=FLAGS)
