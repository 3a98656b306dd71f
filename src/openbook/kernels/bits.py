"""Sets of small whole numbers as bits: a word has room for 64.

put(bits, 70)                        # bits : uint64 (n_words,)
while word: code = lowest(word); word = without_lowest(word)
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from openbook.kernels.jit import inner


@intrinsic
def _trailing_zeros(_typing, word):
    def generate(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate if word == types.uint64 else None


@inner
def lowest(word):
    """The lowest number in a word that has one."""
    return np.int64(_trailing_zeros(word))


@inner
def without_lowest(word):
    """The word without its lowest number."""
    return word & (word - np.uint64(1))


@inner
def put(bits, number):
    """Add a number to the set."""
    bits[number >> 6] |= np.uint64(1) << np.uint64(number & 63)
