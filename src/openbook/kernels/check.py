"""Which compiler the kernels have that only kernels call: our quick one (see `linked`), or numba's own.

The quick compiler halves the time to compile, but depends on numba's internals. So before a process compiles
its first kernel, it compiles a small one, and so does numba's own. If that raises an error, or it gives
another result than numba's own or Python, all kernels are compiled by numba's own compiler, with one warning.
`OPENBOOK_PLAIN_NUMBA=1` asks for that.
"""

import os
import warnings
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from openbook.kernels.bundle import bundle
from openbook.kernels.linked import Linked, Plain


def compile_linked(*given: Any) -> Any:
    """The compiler for a kernel that only kernels call."""
    return (Linked if is_quick_safe() else Plain)(*given)


def is_plain() -> bool:
    """Whether the environment asks for numba's own compiler."""
    return os.environ.get("OPENBOOK_PLAIN_NUMBA", "0") not in {"", "0"}


@cache
def is_quick_safe() -> bool:
    """Whether kernels of the quick compiler give what numba's own and Python give; once in a process."""
    if is_plain():
        return False
    try:
        quick = sums_by(Linked)
        safe = all(np.array_equal(quick, other) for other in (sums_by(Plain), sums_by_python()))
    except Exception:  # noqa: BLE001 (a new numba may raise anything)
        safe = False
    if not safe:
        warnings.warn(
            f"openbook's quick compiler does not work with numba {numba.__version__}. "
            "Kernels are compiled by numba's own compiler, which takes about twice as long.",
            stacklevel=2,
        )
    return safe


@bundle
class Sample(NamedTuple):
    """What the small kernel reads: a matrix of one layout or another, a number, and nothing."""

    matrix: Any
    shift: Any
    nothing: Any


def add_row(sample: Any, i: int, sums: Any) -> None:
    """Add row i, from the last column to the first, and mark the sum with a negative index."""
    if sample.nothing is not None:
        sums[0] = sample.nothing[0]
    for j in range(1, sample.matrix.shape[1] + 1):
        sums[i - sums.shape[0]] += sample.matrix[i, -j] * j + sample.shift


SAMPLE = Sample(np.arange(12.0).reshape(3, 4) ** 2, 0.5, None)


def sums_by_python() -> Any:
    """The sums that the small kernel gives when nothing compiles it."""
    sums = np.zeros(3)
    for i in range(len(sums)):
        add_row(SAMPLE, i, sums)
    return sums


def sums_by(compiler: Any) -> Any:
    """The sums that the small kernel gives when this compiler has compiled what only kernels call."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": False}
    add = numba.njit(**(options | {"pipeline_class": compiler, "no_cpython_wrapper": True}))(add_row)

    @numba.njit(pipeline_class=Plain, **options)
    def add_rows(sample: Any, sums: Any) -> None:
        for i in range(sums.shape[0]):
            add(sample, i, sums)

    sums = np.zeros(3)
    add_rows(SAMPLE, sums)
    return sums
