"""The texts of a polars column as they lie in memory: sixteen bytes each, nothing copied.

    length      4 bytes
    text        12 bytes, zeros behind it; of a longer text its first 4 bytes, and where the whole is found

Two texts of at most twelve bytes are therefore alike if and only if their views are. The view of a missing
text may be anything. Polars hands its memory out through Arrow's C stream interface, a chunk at a time; the
structures are declared here as Arrow's documents on that interface and on the view layout describe them.
"""

import ctypes
from collections.abc import Iterator
from ctypes import c_char_p, c_int, c_int64, c_void_p
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import polars as pl

#: Two words of 64 bits for each text.
Views = npt.NDArray[np.uint64]
#: Whether each text is known; None where all are.
Known = npt.NDArray[np.bool_] | None

_LONGEST = 12
_TEXT_VIEWS = b"vu"  # Arrow's name for this layout
_BLOCK = 1 << 14  # rows whose views fit a processor's cache

_Release = ctypes.CFUNCTYPE(None, c_void_p)
_address_in = ctypes.pythonapi.PyCapsule_GetPointer
_address_in.restype, _address_in.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class _Schema(ctypes.Structure):
    _fields_ = [
        *((name, c_char_p) for name in ("format", "name", "metadata")),
        *((name, c_int64) for name in ("flags", "n_children")),
        *((name, c_void_p) for name in ("children", "dictionary")),
        ("release", _Release),
        ("private_data", c_void_p),
    ]


class _Array(ctypes.Structure):
    _fields_ = [
        *((name, c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
        ("buffers", ctypes.POINTER(c_void_p)),
        *((name, c_void_p) for name in ("children", "dictionary")),
        ("release", _Release),
        ("private_data", c_void_p),
    ]


class _Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(c_int, c_void_p, ctypes.POINTER(_Schema))),
        ("get_next", ctypes.CFUNCTYPE(c_int, c_void_p, ctypes.POINTER(_Array))),
        *((name, c_void_p) for name in ("get_last_error", "release", "private_data")),
    ]


class _Memory:
    """Memory that numpy may look at, but does not own."""

    def __init__(self, address: int, size: int, dtype: type[np.generic]) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "shape": (size,),
            "typestr": np.dtype(dtype).str,
        }


def views_of(series: "pl.Series") -> Iterator[tuple[Views, Known]]:
    """Block by block, the views of a column of texts, to be read while the column is there.

    Nothing comes where polars keeps its texts in another layout.
    """
    capsule = series.__arrow_c_stream__()
    address = _address_in(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    schema = _Schema()
    if stream.get_schema(address, schema):
        return
    layout = schema.format
    schema.release(ctypes.addressof(schema))
    if layout != _TEXT_VIEWS:
        return
    while not stream.get_next(address, array := _Array()) and array.release:
        try:
            yield from _blocks(array)
        finally:
            array.release(ctypes.addressof(array))


def _blocks(array: _Array) -> Iterator[tuple[Views, Known]]:
    begin, end = array.offset, array.offset + array.length
    if begin == end:
        return
    views = np.asarray(_Memory(array.buffers[1], 2 * end, np.uint64)).reshape(-1, 2)
    known: Known = None
    if array.null_count:
        bits = np.asarray(_Memory(array.buffers[0], (end + 7) // 8, np.uint8))
        known = np.unpackbits(bits, count=end, bitorder="little").view(np.bool_)
    for at in range(begin, end, _BLOCK):
        rows = slice(at, min(at + _BLOCK, end))
        yield views[rows], None if known is None else known[rows]


def texts_of(views: Views) -> list[str] | None:
    """The texts themselves; None if one of them is too long to stand in its view."""
    lengths = views.view(np.uint32).reshape(-1, 4)[:, 0].tolist()
    if max(lengths, default=0) > _LONGEST:
        return None
    content = views.view(np.uint8).reshape(-1, 16)[:, 4:]
    return [row[:length].tobytes().decode() for row, length in zip(content, lengths, strict=True)]
