"""Compiled kernels on disk: never stale, and safe for processes that compile at the same time.

numba keeps a compiled kernel for as long as the kernel's own file stays the same. But the code of a kernel
holds the kernels that it calls, and they may be in other files. Here a kernel is kept for as long as all the
kernel sources of its package, and of this one, stay the same.

numba numbers the files of a kernel 1, 2, … and writes into an index which of them holds which types, before
the file is there. Two processes that start together can both take 1: then the index leads from the types of
one to the code of the other, which reads memory that is not there. Here a file has a name that no other ever
had. Where two write the index at once, one entry is lost, and compiled anew when it is asked for.
"""

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from secrets import randbits
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

#: What a file names that has kernels, the compiler's settings, or a tuple that a kernel may be given: two
#: fields of one type that change places would leave compiled code reading one for the other.
NAMES = (b"openbook.kernels.jit", b"numba", b"NamedTuple")


def kernel_sources(package: Path) -> dict[Path, bytes]:
    """The files in a package's folder that kernels depend on, and their text, in the order of their paths."""
    texts = {path: path.read_bytes() for path in sorted(package.rglob("*.py"))}
    return {path: text for path, text in texts.items() if any(name in text for name in NAMES)}


@cache
def sources_stamp(package: Path) -> str:
    """A digest of the kernel sources, and of their paths; read once in a process."""
    digest = blake2b(digest_size=16)
    for path, text in kernel_sources(package).items():
        digest.update(str(path).encode() + b"\0" + text + b"\0")
    return digest.hexdigest()


def package_of(file: Path) -> Path | None:
    """The folder of the outermost package with this file; None if it is in none."""
    inside = [folder for folder in file.parents if (folder / "__init__.py").exists()]
    return inside[-1] if inside else None


class OwnNames(IndexDataCacheFile):
    """numba's index and files, each file with a name of its own.

    The stamp is part of the version, which numba compares before it reads on: the rest of an index of other
    sources may name classes that have moved since, and could not be read.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._version = (self._version, source_stamp)

    def _data_name(self, number: int) -> str:  # noqa: ARG002 (how many there are may have changed meanwhile)
        name: str = super()._data_name(randbits(63))
        return name


class KernelCache(FunctionCache):
    """numba's cache of a function, with such files and stamps."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        own = package_of(Path(function.__code__.co_filename).resolve())
        packages = {package_of(Path(__file__).resolve()), own} - {None}
        stamp = self._impl.locator.get_source_stamp(), *sorted(sources_stamp(package) for package in packages)
        self._cache_file = OwnNames(self._cache_path, self._impl.filename_base, stamp)
