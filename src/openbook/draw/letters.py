"""Text in a picture: escaped for SVG, measured, clipped."""

from html import escape
from unicodedata import east_asian_width

from openbook.words.sentences import printable

#: The size of quiet letters on a phone, where a page enlarges them (report.css): pictures leave room for it.
PHONE = 15


def text(
    x: float, y: float, words: str, look: str, more: str = "", anchor: str = "", later: str = "soft"
) -> str:
    """Words at a place, and more of them behind, wherever the first end."""
    if not words:
        return ""
    behind = f'<tspan class="{later}" dx="8">{safe(more)}</tspan>' if more else ""
    at = f'x="{x:.1f}" y="{y:.1f}"'
    if not behind:
        return f'<text class="{look}" {at}>{safe(words)}</text>'
    return f'<text class="{anchor}" {at}><tspan class="{look}">{safe(words)}</tspan>{behind}</text>'


def safe(words: str) -> str:
    """Text as it may stand in SVG, its lines kept."""
    return escape("\n".join(map(printable, words.split("\n"))))


def width_of(words: str, size: float) -> float:
    """About how wide a text of this size is, rather too wide than too narrow."""
    return size * sum(map(_letter, words))


def _letter(sign: str) -> float:
    if east_asian_width(sign) in "WF":
        return 1.02
    if sign in "iljtf.,:;'|!()[] I":
        return 0.38
    return 0.95 if sign in "mwMW@%…—" else 0.73 if sign.isupper() else 0.62


def clip(text: str, length: int) -> str:
    """The first letters of a text, the last an ellipsis if it is longer than `length`."""
    return text if len(text) <= length else text[: length - 1] + "…"


def in_lines(words: str, room: float, size: float) -> list[str]:
    """A text in lines no wider than the room; a word that is wider itself is cut."""
    lines: list[str] = []
    for word in words.split(" "):
        if lines and width_of(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [fitting(line, room, size) for line in lines]


def fitting(words: str, room: float, size: float) -> str:
    """As much of a line as there is room for."""
    if width_of(words, size) <= room:
        return words
    while words and width_of(words + "…", size) > room:
        words = words[:-1]
    return words + "…"
