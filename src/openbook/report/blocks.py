"""The content of a report as data: parts with text, tables, pictures and folded blocks.

A part is built by a file of `openbook.report.sections`, and `html.py` shows every block by the macro of its
name in templates/blocks.html, which escapes all text. Only pictures and derivations are markup, and they
escape their own text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from itertools import chain, count
from typing import Any, Self

from markupsafe import Markup

from openbook.draw import Picture
from openbook.words.numbers import cell
from openbook.work import Grid, Step, Work
from openbook.work.html import to_html

#: The cells that are aligned to the right: numbers (also with a spread or a count), intervals, p-values, and
#: the words in their place.
_NUMBER = r"[+−-]?[\d.,∞]+(e[+-]?\d+)?%?\*?"
_FIGURE = re.compile(rf"{_NUMBER}( ± {_NUMBER}| \({_NUMBER}\))?|< ?0\.\d+|\[.*\]|undefined|–|\?|", re.DOTALL)

#: A derivation of more characters than this is long.
_LONG = 40_000
#: Of more steps in a row, as of thousands of columns, the first and the last are shown.
_MOST_STEPS, _FIRST, _LAST = 1_000, 100, 10


class Block:
    """An element of a part."""


@dataclass(frozen=True)
class Part:
    """A part of the page: its anchor, its title and its blocks."""

    id: str
    title: str
    blocks: tuple[Block, ...]


def section(anchor: str, title: str) -> Callable[[Callable[..., Iterable[Block]]], Callable[..., Part]]:
    """A decorator: a function that yields the blocks of a part returns the part."""

    def decorate(blocks: Callable[..., Iterable[Block]]) -> Callable[..., Part]:
        @wraps(blocks)
        def part(*results: Any) -> Part:
            return Part(anchor, title, tuple(blocks(*results)))

        return part

    return decorate


@dataclass(frozen=True)
class Paragraph(Block):
    """A paragraph; its look is "", "note", "caution" or "verdict"."""

    words: str
    look: str = ""


@dataclass(frozen=True)
class Heading(Block):
    words: str


@dataclass(frozen=True)
class Items(Block):
    """A list of sentences."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Answers(Block):
    """The first lines of a page: a question, its answer and small print each."""

    rows: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Findings(Block):
    """Severity, place and message each."""

    rows: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Card:
    """A column of the data: a name with tags, lines of text and a picture between them."""

    name: str
    tag: str
    words: str
    picture: Markup
    figures: str


@dataclass(frozen=True)
class Cards(Block):
    cards: Sequence[Card]


@dataclass(frozen=True)
class Figure(Block):
    """A picture with its title and caption; its look is "", "narrow", "plot" or "tree".

    number : its number on the page, such as "Figure 3"; see `with_numbers`
    """

    picture: Markup
    title: str
    caption: str
    look: str = ""
    number: str = ""


@dataclass(frozen=True)
class Side(Block):
    """Figures side by side if the page is wide enough."""

    blocks: Sequence[Block]


@dataclass(frozen=True)
class TableLine:
    """A row of a table, its look "", "chosen" or "baseline", and the tags after its first cell."""

    cells: tuple[str, ...]
    look: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sheet(Block):
    """A table of figures.

    Parameters
    ----------
    caption : the title of the table
    header : a name for each column; may be empty
    rows : the lines; the first cell of each is its name
    note : a remark below the table
    stack : whether a narrow screen shows a row as a list of its cells; else the table scrolls
    number : its number on the page, such as "Table 2"; see `with_numbers`
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[TableLine, ...]
    note: str = ""
    stack: bool = True
    number: str = ""

    @classmethod
    def of(cls, grid: Grid, caption: str = "", *, most: int | None = None, stack: bool = True) -> Self:
        """A grid of a derivation; of many rows the first `most`."""
        rows = [TableLine(tuple(cell(value) for value in row)) for row in grid.rows]
        return cls(caption or grid.title, tuple(map(str, grid.header)), tuple(rows[:most]), grid.note, stack)

    @cached_property
    def sides(self) -> list[str]:
        """The class of each column: "n" if it has figures."""
        if not self.rows:
            return [""] * len(self.header)
        columns = zip(*(row.cells for row in self.rows), strict=True)
        return ["n" if all(map(_FIGURE.fullmatch, column)) else "" for column in columns]


@dataclass(frozen=True)
class Fold(Block):
    """Blocks that open with a click."""

    summary: str
    blocks: Sequence[Block]
    open: bool = False


@dataclass(frozen=True)
class Shown(Block):
    """Markup."""

    html: Markup


@dataclass(frozen=True)
class Code(Block):
    text: str


@dataclass(frozen=True)
class DraftText(Block):
    """Text to be copied; the reader fills in what is in [brackets …] with an ellipsis."""

    text: str


def with_numbers(parts: Sequence[Part]) -> list[Part]:
    """The parts with their figures and captioned tables numbered, in reading order."""
    figures, tables = count(1), count(1)

    def numbered(block: Block) -> Block:
        if isinstance(block, Figure):
            return replace(block, number=f"Figure {next(figures)}")
        if isinstance(block, Sheet) and block.caption:
            return replace(block, number=f"Table {next(tables)}")
        if isinstance(block, Fold | Side):
            return replace(block, blocks=[numbered(each) for each in block.blocks])
        return block

    return [replace(part, blocks=tuple(numbered(each) for each in part.blocks)) for part in parts]


def numbers_in(part: Part) -> list[str]:
    """The numbers of the visible figures and tables of a part."""
    beside = (block.blocks if isinstance(block, Side) else [block] for block in part.blocks)
    return [each.number for each in chain(*beside) if isinstance(each, Figure | Sheet) and each.number]


def picture_figure(
    picture: Picture, *captions: str, look: str = "plot", on_phone: Picture | None = None
) -> Figure:
    """A picture as a figure; its notes are the caption unless others are given.

    `on_phone` is shown instead if the page is narrow.
    """
    svg = picture.inline()
    if on_phone is not None:
        svg = f'<div class="broad">{svg}</div><div class="phone">{on_phone.inline()}</div>'
    return Figure(Markup(svg), picture.title, " ".join(captions or picture.notes), look)  # noqa: S704 (escapes)


def sketched(svg: str, title: str, caption: str, look: str = "") -> Figure:
    """A picture of `openbook.report.svg`."""
    return Figure(Markup(svg), title, caption, look)  # noqa: S704 (escapes)


def derived(work: Work) -> Shown | Code:
    """A derivation, formulas and all; a very long one as plain text, which is a tenth as large."""
    work = abridged(work)
    html = to_html(work, level=4, style=False)
    return Shown(Markup(html)) if len(html) <= _LONG else Code(work.text())  # noqa: S704 (escapes)


def abridged(work: Work) -> Work:
    """The derivation without most of its steps where there are thousands of them in a row."""
    parts = [abridged(part) if isinstance(part, Work) else part for part in work.parts]
    if len(parts) > _MOST_STEPS:
        left = f"{len(parts) - _FIRST - _LAST:,} more steps: openbook work shows them"
        parts = [*parts[:_FIRST], Step("…", result=left), *parts[-_LAST:]]
    return replace(work, parts=tuple(parts))


def derivation(work: Work) -> list[Block]:
    """A derivation; a very long one as plain text, after its top-level parts such as shaded texts."""
    how = derived(work)
    brief = replace(work, parts=tuple(part for part in work.parts if not isinstance(part, Work)))
    if isinstance(how, Shown) or not brief.parts:
        return [how]
    return [derived(brief), Fold("All steps", [how])]


def grids(work: Work, *, stack: bool = True) -> list[Sheet]:
    """The tables of a derivation."""
    return [Sheet.of(part, stack=stack) for part in work.parts if isinstance(part, Grid)]
