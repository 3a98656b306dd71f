"""The bytes of text files: unpacked, and as UTF-8, whatever they are packed and encoded as.

    .gz .bz2 .xz .zst    one packed file
    .zip                 an archive with one data file in it
    encoding             as given; else UTF-16 if there is its byte order mark, and UTF-8 otherwise

Unpacking stops where a file of normal data would not go: beyond `MOST_BYTES`, or, from `_SUSPECT` on, beyond
`_MOST_TIMES` its packed size. So a bomb costs no more than that.
"""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import numpy as np

from openbook.data.lines import not_utf8
from openbook.data.reading import Reading
from openbook.errors import DataError

#: Bytes that a packed file may unpack to.
MOST_BYTES = 1 << 33
_SUSPECT, _MOST_TIMES = 1 << 28, 200
_BLOCK = 1 << 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


#: The errors that damaged archives raise.
DAMAGES = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    RuntimeError,  # a password is needed
    NotImplementedError,
)


def _zstd(handle: BinaryIO) -> Any:
    try:
        import zstandard
    except ImportError:
        raise DataError("a .zst file needs zstandard: pip install 'openbook[files]'") from None
    return zstandard.ZstdDecompressor().stream_reader(handle)


_OPENERS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": lambda handle: gzip.GzipFile(fileobj=handle),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _zstd,
}
PACKED = (*_OPENERS, ".zip")


def inner_name(path: Path) -> str:
    """The name of the file inside: without the ending that says how it is packed."""
    if path.suffix.lower() in _OPENERS:
        return path.stem
    if path.suffix.lower() == ".zip":
        with _damage(path), zipfile.ZipFile(path) as archive:
            return _member(path, archive).filename
    return path.name


def text_bytes(path: Path, how: Reading) -> bytes | None:
    """The text of a file as UTF-8; None if the file itself is that, as far as its first bytes tell."""
    packed = path.suffix.lower() in PACKED
    with path.open("rb") as handle:
        marked = handle.read(2) in _UTF16
    if not packed and how.encoding is None and not marked:
        return None
    content = unpacked(path) if packed else path.read_bytes()
    encoding = how.encoding or ("utf-16" if content[:2] in _UTF16 else None)
    if encoding is None:
        return content
    try:
        return content.decode(encoding).encode("utf-8")
    except LookupError:
        msg = f"there is no encoding {encoding!r}; use one that Python knows, such as latin-1 or cp1252"
        raise DataError(msg) from None
    except UnicodeError as error:
        raise DataError(f"{path} is not {encoding} ({error})") from None


def text_of(path: Path, how: Reading) -> str:
    """The text of a file."""
    content = text_bytes(path, how)
    content = path.read_bytes() if content is None else content
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: {not_utf8(np.frombuffer(content, np.uint8))}") from None


def unpacked(path: Path) -> bytes:
    """The bytes of a packed file."""
    size = path.stat().st_size
    with _damage(path):
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive, archive.open(_member(path, archive)) as stream:
                return bounded(stream, size, path)
        with path.open("rb") as handle, _OPENERS[path.suffix.lower()](handle) as stream:
            return bounded(stream, size, path)


def bounded(stream: Any, packed_size: int, path: Path) -> bytes:
    """All that a stream unpacks to, if it is not suspiciously much."""
    out = io.BytesIO()
    while block := stream.read(_BLOCK):
        out.write(block)
        size = out.tell()
        if size > MOST_BYTES or (size > _SUSPECT and size > _MOST_TIMES * packed_size):
            raise DataError(f"{path} unpacks to more than {size:,} bytes; unpack it yourself if you trust it")
    return out.getvalue()


def _member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The one data file of an archive."""
    files = [
        info
        for info in archive.infolist()
        if not info.is_dir()
        and not PurePosixPath(info.filename).name.startswith((".", "_"))
        and not info.filename.startswith("__MACOSX")
    ]
    if len(files) == 1:
        return files[0]
    names = ", ".join(info.filename for info in files[:5]) or "none"
    raise DataError(f"{path} must hold one data file, but holds {len(files):,} ({names}); unpack it first")


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    try:
        yield
    except DataError:
        raise
    except DAMAGES as error:
        kind = {".gz": "gzip"}.get(path.suffix.lower(), path.suffix.lower().lstrip("."))
        raise DataError(f"{path} is not a {kind} file, or is damaged ({error})") from None
    except Exception as error:  # zstandard has an error of its own
        if type(error).__module__.partition(".")[0] == "zstandard":
            raise DataError(f"{path} is not a zst file, or is damaged ({error})") from None
        raise
