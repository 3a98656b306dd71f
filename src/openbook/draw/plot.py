"""A picture with two axes as SVG that stands alone: a frame, ticks, dots, lines and bands, a legend.

    framed(across, up, inside, above, tall)     axes around what is inside, which is placed by shares of them

Everything is placed in pixels. Colours are in the picture itself, and follow light and dark. Dots beyond an
axis are drawn at its edge, as triangles; lines and bands end there. Looks are classes of the stylesheet: a
colour "c0" to "c8", with "dot", "ring", "many" for dots, "line", "dashed" for lines, "band" for bands and
"pale" for bars.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from openbook.draw.axes import Categories, Marks, Numbers
from openbook.draw.colours import DARK, LIGHT
from openbook.draw.letters import clip, fitting, safe, text, width_of
from openbook.errors import DataError

__all__ = ["FRAME", "STYLE", "Picture", "band", "bars", "dots", "framed", "legend", "line"]

#: The width and height of what is inside the axes.
FRAME = _WIDTH, _HEIGHT = 560, 400
_MARGIN, _BOTTOM = 18, 46
_LABEL = 18


def _colour(i: int, hue: str) -> str:
    strokes = f".ob-plot .c{i}.ring, .ob-plot .c{i}.line {{ stroke: {hue}; }}"
    return f".ob-plot .c{i} {{ fill: {hue}; }} {strokes}\n"


#: What every picture needs; a page of several needs it once.
STYLE = f"""
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
{"".join(_colour(i, hue) for i, hue in enumerate(LIGHT))}
.ob-plot .ring.ring {{ fill: #ffffff; }}
.ob-plot .line.line {{ fill: none; stroke-width: 2; stroke-linejoin: round; }}
.ob-plot .dashed {{ stroke-dasharray: 5 4; }}
.ob-plot .band {{ fill-opacity: .16; }}
.ob-plot .pale {{ fill-opacity: .35; }}
.ob-plot .figure {{ font-variant-numeric: tabular-nums; }}
.ob-plot .small {{ font-size: 11px; }}
.ob-plot .none {{ fill: #98a4ad; fill-opacity: .09; }}
.ob-plot .over-c0, .ob-plot .over-c5 {{ fill: #ffffff; }}
@media (prefers-color-scheme: dark) {{
.ob-plot text {{ fill: #e4e9ed; }}
.ob-plot .paper {{ fill: #1a2128; }}
.ob-plot .soft {{ fill: #9dabb6; }}
.ob-plot .grid {{ stroke: #323c46; }}
.ob-plot .frame {{ stroke: #5f6d78; }}
.ob-plot .zero {{ stroke: #9dabb6; }}
.ob-plot .trend {{ stroke: #f0a67c; }}
.ob-plot .region {{ fill-opacity: .34; }}
.ob-plot .band {{ fill-opacity: .26; }}
.ob-plot .dot {{ stroke: #1a2128; }}
{"".join(_colour(i, hue) for i, hue in DARK.items())}
.ob-plot .many {{ stroke: none; }}
.ob-plot .ring.ring {{ fill: #1a2128; }}
.ob-plot .over-c0 {{ fill: #0d1318; }}
}}
"""


@dataclass(frozen=True)
class Picture:
    """A picture to look at: a notebook shows it, `save` writes it, `svg` is its text.

    Attributes
    ----------
    title : str
        What it shows.
    told : str
        The same in words, for those who cannot see it.
    notes : tuple of str
        Lines below the title.
    body : str
        SVG elements.
    width, height : float
        Pixels of the body.

    Notes
    -----
    Guide: docs/guide/work.md

    Examples
    --------
    >>> picture = Picture("A dot", "One dot.", (), '<circle cx="5" cy="5" r="2"/>', 10, 10)
    >>> picture.svg().startswith("<svg")
    True
    """

    title: str
    told: str
    notes: tuple[str, ...]
    body: str
    width: float
    height: float

    def svg(self) -> str:
        """The picture as SVG, which needs nothing else."""
        room = round(self.width)
        lines = [text(_MARGIN, _MARGIN + 13, fitting(self.title, room, 15), "head")]
        lines += [
            text(_MARGIN, _MARGIN + 32 + 17 * i, fitting(note, room, 12), "soft")
            for i, note in enumerate(self.notes)
        ]
        top = _MARGIN + 22 + 17 * len(self.notes)
        return self._page(f"<style>{STYLE}</style>", "".join(lines), _MARGIN, top + 8)

    def inline(self) -> str:
        """The picture alone, for a page that has `STYLE` and says title and notes itself."""
        return self._page("", "", 4, 4)

    def _page(self, style: str, head: str, margin: int, top: int) -> str:
        w, h = round(self.width + 2 * margin), round(self.height + top + 10)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ob-plot" role="img" width="{w}" height="{h}"'
            f' viewBox="0 0 {w} {h}" aria-label="{safe(self.title)}">{style}'
            f"<title>{safe(self.title)}</title><desc>{safe(self.told)}</desc>"
            f'<rect class="paper" width="{w}" height="{h}" rx="6"/>{head}'
            f'<g transform="translate({margin} {top})">{self.body}</g></svg>'
        )

    def save(self, path: str | Path) -> Path:
        """Write it to a file, whose name ends in .svg.

        Parameters
        ----------
        path : str or Path
            Where to write it.

        Returns
        -------
        Path
        """
        path = Path(path)
        if path.suffix.lower() != ".svg":
            raise DataError(f"cannot draw to {path.name!r}: the name must end in .svg")
        path.write_text(self.svg() + "\n", encoding="utf-8")
        return path

    def _repr_svg_(self) -> str:
        return self.svg()


def framed(
    across: Numbers | Categories | Marks, up: Numbers | Categories, inside: str, above: str, tall: float
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


def bars(
    middles: np.ndarray,
    thick: float,
    starts: np.ndarray,
    ends: np.ndarray,
    looks: Sequence[str],
    told: Sequence[str],
) -> Iterator[str]:
    """A bar across for each row, by shares of the axes, from one place to another, to the left or right."""
    left, right = np.minimum(starts, ends) * _WIDTH, np.maximum(starts, ends) * _WIDTH
    for i, look in enumerate(looks):
        y, high = _HEIGHT * (1 - middles[i] - thick / 2), _HEIGHT * thick
        place = f'x="{left[i]:.1f}" y="{y:.1f}" width="{max(right[i] - left[i], 1):.1f}" height="{high:.1f}"'
        yield f'<rect class="{look}" {place}><title>{safe(told[i])}</title></rect>'


def line(x: np.ndarray, y: np.ndarray, look: str) -> str:
    """A line through points given by shares of the axes, from the first to the last."""
    return f'<polyline class="line {look}" points="{_way(x, y)}"/>'


def band(x: np.ndarray, low: np.ndarray, high: np.ndarray, look: str) -> str:
    """What lies between two lines over the same places, all by shares of the axes."""
    way = _way(np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]]))
    return f'<polygon class="band {look}" points="{way}"/>'


def _way(x: np.ndarray, y: np.ndarray) -> str:
    return " ".join(f"{_WIDTH * a:.1f},{_HEIGHT * (1 - b):.1f}" for a, b in zip(x, y, strict=True))


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
