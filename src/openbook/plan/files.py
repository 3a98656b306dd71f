"""Atomic writing: a file is written completely or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openbook.errors import DataError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A new file beside `path` to write to; it takes its name once the block ends well, else it goes."""
    if path.is_dir():
        raise DataError(f"cannot write {str(path)!r}: it is a folder; name a file")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path.name}: there is no folder {str(path.parent)!r}")
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part{path.suffix}")
    try:
        yield beside
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole."""
    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")
