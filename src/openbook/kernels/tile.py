"""A tile of a matrix product, added up in the processor's registers.

    tile(rows, registers)  gives  add(a, b, out):   out[i, j] += sum over r of a[i, r] b[r, j]

a : (rows, n), laid out as it may be;  b : (n, at least width), out : (rows, at least width), rows contiguous;
width : what `registers` of the processor's widest registers hold of out's numbers, see `tile_shape`

A compiler keeps numbers in registers but not arrays, and is shy of the widest: so the sums are laid out for
it here. Each number of b that is loaded serves all the rows, each of a all the registers. Nothing is checked.
"""

import math
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

#: Bytes in a line of the cache.
LINE_BYTES = 64

_HAS = llvm.get_host_cpu_features()
_REGISTER_BYTES = 64 if _HAS.get("avx512f") else 32 if _HAS.get("avx") else 16

#: A product and a sum may become one instruction.
_FUSED = ("contract",)


def tile_shape(rows, registers, dtype):
    """The rows and columns of a tile as this processor has them: half the rows, if half the registers."""
    rows = rows if _REGISTER_BYTES == 64 else rows // 2
    return rows, registers * _REGISTER_BYTES // np.dtype(dtype).itemsize


def aligned(shape, dtype):
    """Zeros that begin with a line of the cache, so that no register is loaded from two."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.zeros(size + LINE_BYTES, np.uint8)
    start = -room.ctypes.data % LINE_BYTES
    return room[start : start + size].view(dtype).reshape(shape)


def tile(rows, registers):
    """A function of kernels that adds to a tile with this many registers in each row; see the module."""

    @intrinsic
    def add(_typing, a, b, out):
        n_rows, width = tile_shape(rows, registers, str(out.dtype))
        lanes = width // registers

        def generate(context, builder, _signature, arguments):
            word = context.get_value_type(types.intp)
            vector = ir.VectorType(context.get_value_type(out.dtype), lanes)
            a_at, b_at, out_at = (
                _Cells(context, builder, *given) for given in zip((a, b, out), arguments, strict=True)
            )
            places = [(i, c) for i in range(n_rows) for c in range(registers)]
            sums = {place: cgutils.alloca_once_value(builder, ir.Constant(vector, None)) for place in places}
            with cgutils.for_range(builder, b_at.rows, intp=word) as loop:
                loaded = [b_at.load(loop.index, word(c * lanes), vector) for c in range(registers)]
                factors = [_on_all(builder, a_at.load(word(i), loop.index), vector) for i in range(n_rows)]
                for i, c in places:
                    product = builder.fmul(factors[i], loaded[c], flags=_FUSED)
                    total = builder.fadd(builder.load(sums[i, c]), product, flags=_FUSED)
                    builder.store(total, sums[i, c])
            for i, c in places:
                before = out_at.load(word(i), word(c * lanes), vector)
                out_at.store(word(i), word(c * lanes), builder.fadd(before, builder.load(sums[i, c])))
            return context.get_dummy_value()

        return types.void(a, b, out), generate

    return add


def _fetch(_typing, array, _row, _column):
    """Have the line of the cache with this cell fetched, which will be needed soon; it need not exist."""

    def generate(context, builder, _signature, arguments):
        place = builder.bitcast(_Cells(context, builder, array, arguments[0]).place(*arguments[1:]), _BYTES)
        to_read, second_cache, data = _INT(0), _INT(2), _INT(1)
        kind = ir.FunctionType(ir.VoidType(), [_BYTES, _INT, _INT, _INT])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(prefetch, [place, to_read, second_cache, data])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), generate


fetch: Any = intrinsic(_fetch)

_INT = ir.IntType(32)
_BYTES = ir.IntType(8).as_pointer()


class _Cells:
    """The cells of a matrix, in the code that is generated."""

    def __init__(self, context, builder, kind, matrix):
        self.context, self.builder, self.kind = context, builder, kind
        self.matrix = cgutils.create_struct_proxy(kind)(context, builder, matrix)
        self.rows = builder.extract_value(self.matrix.shape, 0)

    def place(self, i, j):
        shape = cgutils.unpack_tuple(self.builder, self.matrix.shape)
        strides = cgutils.unpack_tuple(self.builder, self.matrix.strides)
        return cgutils.get_item_pointer2(
            self.context, self.builder, self.matrix.data, shape, strides, self.kind.layout, [i, j]
        )

    def load(self, i, j, kind=None):
        """The cell, or as many from there on as a vector has."""
        place = self.place(i, j)
        place = place if kind is None else self.builder.bitcast(place, kind.as_pointer())
        return self.builder.load(place, align=self.kind.dtype.bitwidth // 8)

    def store(self, i, j, vector):
        place = self.builder.bitcast(self.place(i, j), vector.type.as_pointer())
        self.builder.store(vector, place, align=self.kind.dtype.bitwidth // 8)


def _on_all(builder, number, vector):
    """A vector that holds the number everywhere."""
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, _INT(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INT, vector.count), None))
