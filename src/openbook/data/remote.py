"""Files in object storage, through fsspec: addresses such as s3://bucket/part-*.parquet.

A file is copied to this machine when it is first needed, and read from the copy. A worker elsewhere makes a
copy of its own. The copies go when the process ends.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from openbook.data.reading import SCANNED
from openbook.errors import DataError

_copying = Lock()


def is_address(source: Any) -> bool:
    """Whether this is an address, and not a path.

    >>> is_address("s3://bucket/part-0.parquet"), is_address("parts/part-0.parquet")
    (True, False)
    """
    return isinstance(source, str) and "://" in source


def found_at(address: str) -> list[str]:
    """The addresses of the files of an address, a folder or a pattern, in the order of their names."""
    system, path = _opened(address)
    with _reaching(address):
        if any(sign in path for sign in "*?["):
            found = sorted(system.glob(path))
        elif system.isdir(path):
            inside = sorted(system.ls(path, detail=False))
            found = [each for each in inside if PurePosixPath(each).suffix.lower() in SCANNED]
        else:
            found = [path]
        present = [system.unstrip_protocol(each) for each in found if system.isfile(each)]
    if not present:
        raise DataError(
            f"there is no file at {address}; a folder may hold files that end in {' '.join(SCANNED)}"
        )
    return present


def remote_stamp(address: str) -> tuple[int, int]:
    """The size of a file, and a number that changes with it."""
    system, path = _opened(address)
    with _reaching(address):
        key = sha256(str(system.ukey(path)).encode()).digest()
        return int(system.info(path)["size"]), int.from_bytes(key[:8], "big")


def local_copy(address: str, stamp: tuple[int, int]) -> Path:
    """The file as it was at this stamp, on this machine."""
    system, path = _opened(address)
    name = sha256(f"{address} {stamp}".encode()).hexdigest()[:16]
    copy = Path(_folder().name, name, path.rsplit("/", 1)[-1])
    with _copying:
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            part = copy.with_name(f"{copy.name}.part")
            with _reaching(address):
                system.get_file(path, str(part))
            part.rename(copy)
    return copy


@cache
def _folder() -> "TemporaryDirectory[str]":
    return TemporaryDirectory(prefix="openbook-")


def _opened(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    try:
        from fsspec.core import url_to_fs

        with _reaching(address):
            system, path = url_to_fs(address)
    except ImportError as error:  # fsspec itself, or what it needs for this kind of address
        need = "pip install 'openbook[cluster]'" if error.name == "fsspec" else str(error)
        raise DataError(f"{address} cannot be opened without another package: {need}") from None
    return system, path


@contextmanager
def _reaching(address: str) -> Iterator[None]:
    """What goes wrong on the way to an address, as an error that names it."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise DataError(f"{address} cannot be opened ({error})") from None
