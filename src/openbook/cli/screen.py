"""What studies say on the screen: headings, text, the data in short."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from openbook.data.describe import Description
from openbook.work.formula import printable

__all__ = ["console", "heading", "notes", "say", "short"]

#: Tables of more columns are told in short: the report has them whole.
_MOST_COLUMNS = 15

#: The width of what is written to a file or a pipe.
_WIDTH = 110


def console() -> Console:
    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=_WIDTH)


def say(screen: Console, text: str, style: str = "") -> None:
    screen.print(Text("\n".join(printable(line) for line in text.split("\n")), style=style))


def heading(screen: Console, text: str) -> None:
    say(screen, f"\n{text}", "bold cyan")


def notes(screen: Console, lines: Sequence[str]) -> None:
    for line in lines:
        say(screen, f"· {line}")


def short(description: Description) -> str:
    """The description; of a wide table only the headline and the findings."""
    blocks = str(description).split("\n\n")
    if len(description.columns) <= _MOST_COLUMNS:
        return "\n\n".join(blocks)
    return "\n\n".join([blocks[0], *(block for block in blocks[1:] if block.startswith("Worth a look"))])
