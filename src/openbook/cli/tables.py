"""Tables for the commands: files and bundled sets."""

from collections.abc import Mapping
from typing import Any

from openbook.data import Table, load, read
from openbook.plan.source import Source

__all__ = ["default_target", "open_table"]


def open_table(
    source: str, kinds: Any = None, read_with: Mapping[str, Any] | None = None, *, sampled: bool = False
) -> Table:
    """The table of a file or a bundled set; `kinds` may be the schema of a model, to read rows for it.

    sampled : of files larger than memory, a random sample of the rows, as the table's notes then say
    """
    if source == "-":
        return read(source, kinds, **(read_with or {}))
    origin = Source.of(source, kinds if sampled else None, read_with)
    if sampled and origin.sample:
        return origin.read()
    return read(load(origin.set), kinds) if origin.set else read(origin.path, kinds, **origin.read_with)


def default_target(source: str) -> str | None:
    return None if source == "-" else Source.of(source).default_target()
