"""Tables for the commands: files and bundled sets."""

from collections.abc import Mapping
from typing import Any

from openbook.data import Table
from openbook.plan.source import Source

__all__ = ["default_target", "open_table"]


def open_table(source: str, kinds: Mapping[str, Any] | None = None) -> Table:
    """The table of a file or a bundled set."""
    return Source.of(source, kinds).read()


def default_target(source: str) -> str | None:
    return Source.of(source).default_target()
