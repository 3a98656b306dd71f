"""Tables for the commands: files and bundled sets."""

from collections.abc import Mapping
from typing import Any

import typer

from openbook.data import Table
from openbook.plan.source import Source

__all__ = ["default_target", "list_sets", "open_table"]


def open_table(source: str, kinds: Mapping[str, Any] | None = None) -> Table:
    """The table of a file or a bundled set."""
    return Source.of(source, kinds).read()


def default_target(source: str) -> str | None:
    return Source.of(source).default_target()


def list_sets() -> None:
    """Print the bundled sets."""
    from openbook.data.sets import sets

    rows = [(each.name, f"{each.rows:,} rows", each.target, each.description) for each in sets().values()]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for name, size, target, description in rows:
        line = f"{name.ljust(widths[0])}  {size.rjust(widths[1])}  {target.ljust(widths[2])}  {description}"
        typer.echo(line)
