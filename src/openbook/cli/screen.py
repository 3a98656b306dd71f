"""The output of commands: headings, text, tables; wrapped between words at the width of the terminal.

Rich colours the output where the terminal supports it, and heeds NO_COLOR. Output to a file or a pipe has no
colour, and is as wide as COLUMNS says, or 110.
"""

import os
import textwrap
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from openbook.data.describe import Description
from openbook.data.describe_render import description_text
from openbook.draw.letters import clip
from openbook.errors import for_command_line
from openbook.words.sentences import printable

#: The most columns of a full description; the report has it for more.
_MOST_COLUMNS = 15

#: The width of output to a file or a pipe.
_WIDTH = 110

#: The most letters of a cell.
_MOST_LETTERS = 160

#: The most width of derivations and descriptions.
_READABLE = 100


def console() -> Console:
    screen = Console(highlight=False)
    if screen.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return screen
    return Console(highlight=False, width=_WIDTH)


def readable(screen: Console) -> int:
    """The width of preformatted text on this screen."""
    return min(screen.width, _READABLE)


def say(screen: Console, text: str, style: str = "", hang: int = 0) -> None:
    """Print text; long lines are wrapped, with `hang` more spaces of indentation."""
    for line in text.split("\n"):
        for part in wrapped(for_command_line(line), screen.width, hang):
            look = style or ("yellow" if part.startswith("  ! ") else "")
            screen.print(Text(part, style=look), no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)


def wrapped(line: str, width: int, hang: int = 0) -> list[str]:
    """A line in parts of at most this width, broken between words, with the indentation of the line.

    >>> wrapped("  · one two three", 12)
    ['  · one two', '    three']
    >>> wrapped("Best  one two three", 14, hang=6)
    ['Best  one two', '      three']
    """
    line = printable(line)
    if cell_len(line) <= width:
        return [line]
    body = line.lstrip(" ·!→")
    indent = len(line) - len(body)
    whole: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    rest = " " * (indent + hang)
    return textwrap.wrap(body, width, initial_indent=line[:indent], subsequent_indent=rest, **whole)


def heading(screen: Console, text: str) -> None:
    say(screen, f"\n{text}", "bold cyan")


def notes(screen: Console, lines: Sequence[str]) -> None:
    for line in lines:
        say(screen, f"· {line}")


def short_description(description: Description, width: int = _READABLE) -> str:
    """The description; of a wide table only the headline and the findings."""
    text = description_text(description.for_command_line(), width)
    if len(description.columns) <= _MOST_COLUMNS:
        return text
    first, *others = text.split("\n\n")
    return "\n\n".join([first, *(block for block in others if block.startswith(("Changed", "Findings")))])


def print_description(description: Description) -> None:
    screen = console()
    say(screen, description_text(description.for_command_line(), readable(screen)))


def columns(screen: Console, rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Rows without a header: the last cell is wrapped, the others never."""
    grid = Grid.grid(padding=(0, 2), pad_edge=False)
    last = len(rows[0]) - 1
    for i in range(last + 1):
        style = "cyan" if i == 0 else ""
        grid.add_column(justify="right" if i in right else "left", no_wrap=i < last, style=style)
    for row in rows:
        grid.add_row(*(Text(printable(cell)) for cell in row))
    screen.print(grid)


def figures(
    screen: Console,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    spare: Sequence[int] = (),
    strong: Sequence[int] = (),
    left: Sequence[int] = (0,),
    most: int | None = _MOST_LETTERS,
) -> None:
    """A table of figures; on a narrow screen, without its spare columns.

    Parameters
    ----------
    spare : columns that may be left out, in this order
    strong : rows to highlight
    left : columns of words, which wrap; the others are figures, which never do
    most : the most letters of a cell; None for all
    """
    kept = list(range(len(head)))
    cells = [[clip(printable(cell), most or len(cell)) for cell in row] for row in (head, *rows)]
    for column in spare:
        if _least(cells, kept, left) <= screen.width:
            break
        kept.remove(column)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in kept:
        words = column in left
        justify = "left" if words else "right"
        grid.add_column(Text(cells[0][column]), justify=justify, no_wrap=not words, overflow="fold")  # type: ignore[arg-type]
    for i, row in enumerate(cells[1:]):
        grid.add_row(*(Text(row[column]) for column in kept), style="bold green" if i in strong else "")
    screen.print(grid)


def _least(cells: Sequence[Sequence[str]], kept: Sequence[int], left: Sequence[int]) -> int:
    """The least width of a table: columns of words are as wide as their longest word."""
    widths = []
    for column in kept:
        parts = [row[column] for row in cells]
        parts = [word for part in parts for word in part.split()] if column in left else parts
        widths.append(max(map(cell_len, parts), default=0))
    return sum(widths) + 3 * (len(kept) - 1)
