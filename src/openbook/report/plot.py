"""A picture with two axes as SVG that stands alone: a frame, ticks, rows as dots, a legend.

Everything is placed in pixels. Colours are in the picture itself, and follow light and dark. Numbers far from
the others (three times the quartiles' distance beyond them) would leave no room for the rest: an axis ends
before them, and dots beyond it are drawn at its edge, as triangles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from openbook.data.findings import short
from openbook.errors import DataError
from openbook.report.svg import clip, round_ticks
from openbook.tree.layouts import safe, text, width_of

__all__ = ["COLOURS", "FRAME", "RARE", "Categories", "Numbers", "Picture", "dots", "framed", "legend"]

#: How many classes have a colour of their own; the rarer ones share a grey.
COLOURS, RARE = 8, "c8"
#: The width and height of what is inside the axes.
FRAME = _WIDTH, _HEIGHT = 560, 400
_MARGIN, _BOTTOM = 18, 46
_LABEL = 18
#: Dots at so few different numbers would hide each other.
_FEW = 12

_LIGHT = ("#0072b2", "#e08a00", "#00916a", "#c2649a", "#4ba9de", "#c94f00", "#6a51a3", "#8c7a2b", "#98a4ad")
_DARK = {0: "#4ba3dd", 4: "#8fd0f5", 6: "#a48fd6"}


def _colour(i: int, hue: str) -> str:
    return f".ob-plot .c{i} {{ fill: {hue}; }} .ob-plot .c{i}.ring {{ stroke: {hue}; }}\n"


_STYLE = f"""
.ob-plot {{ font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }}
.ob-plot {{ max-width: 100%; height: auto; }}
.ob-plot text {{ fill: #1d2630; }}
.ob-plot .paper {{ fill: #ffffff; }}
.ob-plot .head {{ font-size: 15px; font-weight: 650; }}
.ob-plot .soft {{ fill: #5b6772; font-size: 12px; font-variant-numeric: tabular-nums; }}
.ob-plot .middle {{ text-anchor: middle; }}
.ob-plot .last {{ text-anchor: end; }}
.ob-plot .grid {{ stroke: #dfe3e6; }}
.ob-plot .frame {{ fill: none; stroke: #98a4ad; }}
.ob-plot .zero {{ stroke: #5b6772; stroke-dasharray: 5 4; }}
.ob-plot .trend {{ fill: none; stroke: #c94f00; stroke-width: 2; stroke-linejoin: round; }}
.ob-plot .region {{ fill-opacity: .24; shape-rendering: crispEdges; }}
.ob-plot .dot {{ stroke: #ffffff; stroke-width: 1; }}
.ob-plot .many {{ fill-opacity: .45; stroke: none; }}
.ob-plot .ring {{ fill: #ffffff; stroke-width: 2; }}
{"".join(_colour(i, hue) for i, hue in enumerate(_LIGHT))}
.ob-plot .ring.ring {{ fill: #ffffff; }}
@media (prefers-color-scheme: dark) {{
.ob-plot text {{ fill: #e4e9ed; }}
.ob-plot .paper {{ fill: #1a2128; }}
.ob-plot .soft {{ fill: #9dabb6; }}
.ob-plot .grid {{ stroke: #323c46; }}
.ob-plot .frame {{ stroke: #5f6d78; }}
.ob-plot .zero {{ stroke: #9dabb6; }}
.ob-plot .trend {{ stroke: #f0a67c; }}
.ob-plot .region {{ fill-opacity: .34; }}
.ob-plot .dot {{ stroke: #1a2128; }}
{"".join(_colour(i, hue) for i, hue in _DARK.items())}
.ob-plot .many {{ stroke: none; }}
.ob-plot .ring.ring {{ fill: #1a2128; }}
}}
"""


@dataclass(frozen=True)
class Picture:
    """A picture to look at: a notebook shows it, `save` writes it, `svg` is its text.

    Parameters
    ----------
    title : what it shows
    told : the same in words, for those who cannot see it
    notes : lines below the title
    body : SVG elements
    width, height : pixels of the body
    """

    title: str
    told: str
    notes: tuple[str, ...]
    body: str
    width: float
    height: float

    def svg(self) -> str:
        """The picture as SVG, which needs nothing else."""
        top = _MARGIN + 22 + 17 * len(self.notes)
        w, h = round(self.width + 2 * _MARGIN), round(self.height + top + _MARGIN)
        room = w - 2 * _MARGIN
        lines = [text(_MARGIN, _MARGIN + 13, _fitting(self.title, room, 15), "head")]
        lines += [
            text(_MARGIN, _MARGIN + 32 + 17 * i, _fitting(note, room, 12), "soft")
            for i, note in enumerate(self.notes)
        ]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ob-plot" role="img" width="{w}" height="{h}"'
            f' viewBox="0 0 {w} {h}" aria-label="{safe(self.title)}"><style>{_STYLE}</style>'
            f"<title>{safe(self.title)}</title><desc>{safe(self.told)}</desc>"
            f'<rect class="paper" width="{w}" height="{h}" rx="6"/>{"".join(lines)}'
            f'<g transform="translate({_MARGIN} {top + 8})">{self.body}</g></svg>'
        )

    def save(self, path: str | Path) -> Path:
        """Write it to a file, whose name ends in .svg."""
        path = Path(path)
        if path.suffix.lower() != ".svg":
            raise DataError(f"cannot draw to {path.name!r}: the name must end in .svg")
        path.write_text(self.svg() + "\n", encoding="utf-8")
        return path

    def _repr_svg_(self) -> str:
        return self.svg()


@dataclass(frozen=True)
class Numbers:
    """An axis of numbers."""

    name: str
    values: np.ndarray

    @cached_property
    def span(self) -> tuple[float, float]:
        """Where the axis begins and ends: a little beyond the values that are not far from the others."""
        known = self.values[np.isfinite(self.values)]
        if not len(known):
            return 0.0, 1.0
        q1, q3 = np.quantile(known, (0.25, 0.75))
        far = 3 * (q3 - q1) or np.inf
        near = known[(known >= q1 - far) & (known <= q3 + far)]
        low, high = float(near.min()), float(near.max())
        room = 0.04 * (high - low) or 0.1 * abs(low) or 1.0
        if 1 < len(distinct := np.unique(near)) <= _FEW:
            room = max(room, 0.3 * float(np.diff(distinct).min()))
        return low - room, high + room

    def place(self, values: np.ndarray) -> np.ndarray:
        """Shares of the axis, from 0 to 1 unless a value lies beyond it."""
        low, high = self.span
        return (values - low) / (high - low)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places and words of round numbers."""
        low, high = self.span
        _, _, round_ones = round_ticks(low, high)
        inside = [t for t in round_ones if low <= t <= high]
        if len(inside) < 4:
            between = [(a + b) / 2 for a, b in pairwise(round_ones)]
            inside = [t for t in sorted([*round_ones, *between]) if low <= t <= high]
        return [(float(self.place(np.array(t))), short(t)) for t in inside]

    def aside(self, values: np.ndarray) -> np.ndarray:
        """The places of dots: where there are few different numbers, a little beside them."""
        distinct = np.unique(values)
        if not 1 < len(distinct) <= _FEW:
            return self.place(values)
        gap = np.diff(distinct).min() / (self.span[1] - self.span[0])
        return self.place(values) + 0.5 * gap * _spread(len(values), 0.7548776662)


@dataclass(frozen=True)
class Categories:
    """An axis with a band for each value."""

    name: str
    values: tuple[str, ...]

    def aside(self, codes: np.ndarray) -> np.ndarray:
        """The places of dots: around the middle of each code's band, so that they do not hide each other."""
        return (codes + 0.5 + 0.7 * _spread(len(codes), 0.5698402910)) / len(self.values)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        return [((i + 0.5) / len(self.values), value) for i, value in enumerate(self.values)]


def _spread(n: int, turn: float) -> np.ndarray:
    """Numbers from -1/2 to 1/2, evenly spread over any stretch of them; another turn gives others."""
    return np.arange(n) * turn % 1.0 - 0.5


def framed(
    across: Numbers | Categories, up: Numbers | Categories, inside: str, above: str, tall: float
) -> tuple[str, float, float]:
    """What is inside in a frame with ticks and names, below a legend; and the width and height of it all."""
    words = [clip(word, _LABEL) for _, word in up.ticks]
    left = max([width_of(word, 12) for word in words], default=0.0) + 30
    parts = []
    for (place, _), word in zip(up.ticks, words, strict=True):
        y = _HEIGHT * (1 - place)
        parts.append(f'<line class="grid" x1="0" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(text(-8, y + 4, word, "soft last"))
    room = _WIDTH / max(len(across.ticks), 1)
    letters = max(3, int(room / 7.5))
    for place, word in across.ticks:
        x = _WIDTH * place
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{_HEIGHT}"/>')
        parts.append(text(x, _HEIGHT + 17, clip(word, letters), "soft middle"))
    parts.append(text(_WIDTH / 2, _HEIGHT + 38, clip(across.name, 60), "middle"))
    name = safe(clip(up.name, 44))
    parts.append(
        f'<text class="middle" transform="translate({12 - left:.1f} {_HEIGHT / 2}) rotate(-90)">{name}</text>'
    )
    frame = f'<rect class="frame" width="{_WIDTH}" height="{_HEIGHT}"/>'
    body = (
        f'{above}<g transform="translate({left:.1f} {tall:.1f})">{"".join(parts)}'
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" overflow="hidden">{inside}</svg>{frame}</g>'
    )
    return body, left + _WIDTH, tall + _HEIGHT + _BOTTOM


def dots(
    x: np.ndarray, y: np.ndarray, looks: Sequence[str], told: Sequence[str] | None = None
) -> Iterator[str]:
    """A dot for each row, by shares of the axes; what lies beyond the frame is a triangle at its edge."""
    inside = (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)
    left, top = np.clip(x, 0.012, 0.988) * _WIDTH, (1 - np.clip(y, 0.016, 0.984)) * _HEIGHT
    left, top = np.where(inside, x * _WIDTH, left), np.where(inside, (1 - y) * _HEIGHT, top)
    for i, look in enumerate(looks):
        words = f"<title>{safe(told[i])}</title>" if told is not None else ""
        if inside[i]:
            yield f'<circle class="{look}" cx="{left[i]:.1f}" cy="{top[i]:.1f}" r="4">{words}</circle>'
        else:
            tip = f"M{left[i]:.1f} {top[i] - 5:.1f}l5 9h-10z"
            yield f'<path class="{look}" d="{tip}">{words}</path>'


def legend(named: Sequence[tuple[str, str]]) -> tuple[str, float]:
    """A spot and a word for each look, in lines as wide as the frame; and their height."""
    parts, x, y = [], 0.0, 0
    for look, label in named:
        words = clip(label, 26)
        if x and x + 20 + width_of(words, 12) > _WIDTH:
            x, y = 0.0, y + 20
        parts.append(f'<circle class="{look}" cx="{x + 6:.1f}" cy="{y + 7}" r="5"/>')
        parts.append(text(x + 17, y + 11, words, "soft"))
        x += 20 + width_of(words, 12) + 16
    return "".join(parts), y + 28 if named else 4


def _fitting(words: str, room: float, size: float) -> str:
    """As much of a line as there is room for."""
    if width_of(words, size) <= room:
        return words
    while words and width_of(words + "…", size) > room:
        words = words[:-1]
    return words + "…"
