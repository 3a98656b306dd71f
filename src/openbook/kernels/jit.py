"""The one decorator for kernels, and its compiler flags.

NaN means missing, so the flags that assume NaN and infinity away (nnan, ninf) stay off: with
`fastmath=True` a kernel counts no NaN at all. The flags here let the compiler reorder sums into vector
lanes and fuse multiply and add, which changes a result by rounding only.
"""

from functools import partial
from typing import Any

import numba

from openbook.kernels.linked import Entered, Linked

__all__ = ["FLAGS", "inner", "jit"]

FLAGS = {"nsz", "arcp", "contract", "reassoc"}

jit: Any = partial(
    numba.njit,
    cache=True,
    nogil=True,
    error_model="numpy",
    fastmath=FLAGS,
    no_cfunc_wrapper=True,
    pipeline_class=Entered,
)

#: For kernels that only kernels call: Python cannot call them, so that a caller compiles in half the time.
#: They count no references, so they must not hand arrays back.
inner: Any = partial(jit, cache=False, no_cpython_wrapper=True, _nrt=False, pipeline_class=Linked)
