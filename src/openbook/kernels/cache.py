"""Compiled kernels on disk, for processes that may compile at the same time.

numba numbers the files of a kernel 1, 2, … and writes into an index which of them holds which types, before
the file is there. Two processes that start together can both take 1: then the index leads from the types of
one to the code of the other, which reads memory that is not there. Here a file has a name that no other ever
had. Where two write the index at once, one entry is lost, and compiled anew when it is asked for.
"""

from collections.abc import Callable
from secrets import randbits
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

__all__ = ["KernelCache"]


class OwnNames(IndexDataCacheFile):
    """numba's index and files, each file with a name of its own."""

    def _data_name(self, number: int) -> str:  # noqa: ARG002 (how many there are may have changed meanwhile)
        name: str = super()._data_name(randbits(63))
        return name


class KernelCache(FunctionCache):
    """numba's cache of a function, with such files."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = OwnNames(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )
