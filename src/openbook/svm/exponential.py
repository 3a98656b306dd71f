r"""The exponential of many numbers of at most zero, in place.

    e^x = 2^k e^r,    k = round(x / ln 2),    r = x - k ln 2,    |r| <= ln 2 / 2

e^r by its Taylor series to r^12 / 12!, whose remainder is below 2e-16; 2^k by writing k into the exponent's
bits. The relative error is below 1e-15 + 1e-16 |x|: as large as that of x itself, where x is a sum. There is
no branch, so the compiler takes several at a time. Numbers above 0, which rounding alone can give, count as
0; below -708 they count as -708 (e^-708 is 3e-308).
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from openbook.kernels.jit import jit

_LN2 = 0.6931471805599453


@intrinsic
def _from_bits(_, bits):  # noqa: ARG001 (the types alone matter)
    """The number that has these bits."""

    def generate(context, builder, _signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@jit
def exponentials(numbers):
    """Replace each of the numbers, (n, m), by its exponential."""
    for i in range(numbers.shape[0]):
        for j in range(numbers.shape[1]):
            x = min(max(numbers[i, j], -708.0), 0.0)
            k = np.rint(x * (1 / _LN2))
            r = x - k * _LN2
            series = 1 / 3628800 + r * (1 / 39916800 + r / 479001600)
            series = 1 / 5040 + r * (1 / 40320 + r * (1 / 362880 + r * series))
            series = 1 / 24 + r * (1 / 120 + r * (1 / 720 + r * series))
            series = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * series)))
            numbers[i, j] = series * _from_bits((np.int64(k) + 1023) << 52)  # type: ignore[call-arg]
