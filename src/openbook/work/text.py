"""A derivation as plain text, and as a renderable for rich terminals.

One step a line, `label = formula = numbers = result`, neighbouring labels aligned; a step that is too long
for the line breaks before its equals signs.
"""

import sys
import textwrap
import unicodedata
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from openbook.words.numbers import cell
from openbook.words.sentences import printable
from openbook.work.formula import terms
from openbook.work.step import Grid, Step
from openbook.work.unicode import broken, to_unicode
from openbook.work.work import Work

if TYPE_CHECKING:
    from rich.console import RenderableType

LABEL_WIDTH = 36  # a longer label stands on a line of its own
INDENT = "  "


def to_text(work: Work, width: int = 100, *, wrap_grids: bool = False) -> str:
    r"""The derivation as lines of at most `width` columns, grids and single words aside.

    A grid that is too wide stays so in a file; on a terminal its words are wrapped: `wrap_grids`.

    >>> step = Step("P(No)", r"\frac{N_c}{N}", r"\frac{7}{10}", 0.7)
    >>> print(to_text(Work("How often No?", (step,), "No leads.")))
    How often No?
    ═════════════
      P(No) = N_c/N = 7/10 = 0.7
    <BLANKLINE>
      ∴ No leads.
    """
    return "\n".join(line.rstrip() for line in _work(work, width, "═", wrap_grids))


def part_text(part: Step | Grid, width: int = 100) -> str:
    """One step or grid of a derivation as plain text."""
    lines = _steps([part], width) if isinstance(part, Step) else _grid(part, width, wrap=False)
    return "\n".join(lines)


def to_rich(work: Work, width: int = 100) -> "RenderableType":
    """The derivation for `rich.print`: nested panels, with the results set off; `width` is the terminal's."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.text import Text

    body: list[RenderableType] = []
    for block in work.blocks():
        if isinstance(block, Work):
            body.append(to_rich(block, width - 4))
        elif isinstance(block, Grid):
            body.append(_rich_grid(block))
        else:
            body.append(_rich_steps(block, width - 4))
    if work.conclusion:
        body.append(Text(f"∴ {printable(work.conclusion)}", style="bold"))
    title = Text(printable(work.title), style="bold")
    return Panel(Group(*body), title=title, title_align="left", border_style="dim", width=width)


def _rich_steps(steps: list[Step], width: int) -> "RenderableType":
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    table.add_column(max_width=LABEL_WIDTH, overflow="fold")
    table.add_column(overflow="fold")
    left = width - min(LABEL_WIDTH, max(_columns(step.label) for step in steps)) - 1
    for step in steps:
        shown = [to_unicode(term) for term in terms(step)]
        joint = " " if sum(_columns(term) + 3 for term in shown) <= left else "\n"
        line = Text()
        for i, term in enumerate(shown):
            is_result = i == len(shown) - 1 and not step.states_rule
            line.append(f"{joint if i else ''}= ", style="dim")
            line.append(term, style="bold green" if is_result else "")
        if step.note:
            line.append(f"\n{printable(step.note)}", style="dim italic")
        table.add_row(Text(printable(step.label), style="cyan"), line)
    return table


def _rich_grid(grid: Grid) -> "RenderableType":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    title, caption = (Text(printable(words)) if words else None for words in (grid.title, grid.note))
    table = Table(title=title, caption=caption, box=box.SIMPLE_HEAD, show_header=bool(grid.header))
    table.title_justify = table.caption_justify = "left"
    for column, name in enumerate(grid.header or [""] * grid.width):
        table.add_column(Text(printable(name)), justify="right" if grid.numeric(column) else "left")
    for row in grid.rows:
        table.add_row(*(Text(printable(cell(value))) for value in row))
    return table


def _work(work: Work, width: int, rule: str, wrap_grids: bool) -> Iterator[str]:
    title = _wrap(printable(work.title), width, "")
    yield from title
    yield rule * max(map(_columns, title), default=0)
    inner = width - len(INDENT)
    for i, block in enumerate(work.blocks()):
        if i:
            yield ""
        if isinstance(block, Work):
            lines = _work(block, inner, "─", wrap_grids)
        elif isinstance(block, Grid):
            lines = _grid(block, inner, wrap_grids)
        else:
            lines = _steps(block, inner)
        yield from (INDENT + line for line in lines)
    if work.conclusion:
        yield ""
        yield from _wrap(f"∴ {printable(work.conclusion)}", width, INDENT)


def _steps(steps: list[Step], width: int) -> Iterator[str]:
    labels = [printable(step.label) for step in steps]
    column = max((_columns(label) for label in labels if _columns(label) <= LABEL_WIDTH), default=0)
    for step, label in zip(steps, labels, strict=True):
        lines = list(_equation(step, width - column - 1))
        if step.note:
            lines.extend(_wrap(printable(step.note), width - column - 3, INDENT))
        if _columns(label) > LABEL_WIDTH:
            yield from _wrap(label, width, "")
        else:
            yield _pad(label, column) + " " + (lines.pop(0) if lines else "")
        yield from (" " * max(column + 1, len(INDENT)) + line for line in lines)


def _equation(step: Step, width: int) -> Iterator[str]:
    """What follows the label: on one line if it fits, else each term on its own, broken before its signs."""
    line = " ".join(f"= {to_unicode(term)}" for term in terms(step))
    if _columns(line) <= width:
        yield line
        return
    wrapper = textwrap.TextWrapper(width, subsequent_indent=INDENT * 2, break_on_hyphens=False)
    wrapper.break_long_words = False
    for term in terms(step):
        first, *others = (to_unicode(part) for part in broken(term, width - 4))
        for part in (f"= {first}", *(f"{INDENT * 2}{other}" for other in others)):
            yield from wrapper.wrap(part)


def _grid(grid: Grid, width: int, wrap: bool) -> Iterator[str]:
    if grid.title:
        yield from _wrap(printable(grid.title), width, "")
    rows = [[printable(cell(value)) for value in row] for row in grid.rows]
    lines = [[printable(name) for name in grid.header], *rows] if grid.header else rows
    numeric = [grid.numeric(column) for column in range(grid.width)]
    widths = _widths(lines, width - len(INDENT) if wrap else sys.maxsize, numeric)
    for i, line in enumerate(lines):
        parts = [_broken(text, size) for text, size in zip(line, widths, strict=True)]
        for texts in zip_longest(*parts, fillvalue=""):
            cells = zip(texts, widths, numeric, strict=True)
            yield INDENT + "  ".join(_pad(text, size, right=right) for text, size, right in cells)
        if grid.header and i == 0:
            yield INDENT + "  ".join("─" * size for size in widths)
    if grid.note:
        yield from _wrap(printable(grid.note), width, INDENT)


def _widths(lines: list[list[str]], width: int, numeric: list[bool]) -> list[int]:
    """The widths of columns; if they exceed the width, the widest of words wrap, but no word is broken."""
    columns = list(zip(*lines, strict=True))
    widths = [max(map(_columns, column)) for column in columns]
    least = [
        size if number else max((_columns(word) for text in column for word in text.split()), default=0)
        for column, size, number in zip(columns, widths, numeric, strict=True)
    ]
    while sum(widths) + 2 * (len(widths) - 1) > width and widths != least:
        widest = max((i for i, size in enumerate(widths) if size > least[i]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _broken(text: str, columns: int) -> list[str]:
    """A cell in lines of at most `columns` columns, broken between words."""
    if _columns(text) <= columns:
        return [text]
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        lines = [*lines[:-1], longer] if _columns(longer) <= columns else [*lines, word]
    return lines


def _wrap(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False)


def _pad(text: str, columns: int, *, right: bool = False) -> str:
    space = " " * (columns - _columns(text))
    return space + text if right else text + space


def _columns(text: str) -> int:
    """The columns that a text takes up: wide characters two, those that combine with another none."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )
