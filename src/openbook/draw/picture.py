"""A picture as SVG that stands alone: its stylesheet follows light and dark, and words tell what it shows.

Looks are classes of the stylesheet: a colour "c0" to "c8" or "ink", with "dot", "ring", "many" or "halo" for
dots, "line", "dashed", "thin", "faint" for lines, "band" for bands, "pale" for bars;
shades are "s0" to "s16" for what is filled, "t1" to "t9" for lines.
"""

from dataclasses import dataclass
from pathlib import Path

from openbook.draw.colours import DARK, LIGHT
from openbook.draw.letters import fitting, in_lines, safe, text
from openbook.errors import DataError

__all__ = ["SHADES", "STYLE", "Picture"]

_MARGIN = 18

#: Shades of a colour, from none to full.
SHADES = 17
_FADED = " ".join(f".ob-plot .t{i} {{ stroke-opacity: {i / 10:g}; }}" for i in range(1, 10))
_SHADED = " ".join(f".ob-plot .s{i}.s{i} {{ fill-opacity: {i / (SHADES - 1):.3f}; }}" for i in range(SHADES))


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
.ob-plot .region {{ fill-opacity: .24; shape-rendering: crispEdges; }}
.ob-plot .dot {{ stroke: #ffffff; stroke-width: 1; }}
.ob-plot .many {{ fill-opacity: .45; stroke: none; }}
.ob-plot .ring {{ fill: #ffffff; stroke-width: 2; }}
{"".join(_colour(i, hue) for i, hue in enumerate(LIGHT))}
{_SHADED} {_FADED}
.ob-plot .tag {{ paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }}
.ob-plot .ink {{ fill: #1d2630; }} .ob-plot .ink.line {{ stroke: #1d2630; }}
.ob-plot .thin.thin {{ stroke-width: 1; }}
.ob-plot .faint {{ stroke-opacity: .35; }}
.ob-plot .halo {{ fill: none; stroke: #1d2630; stroke-width: 1.4; }}
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
.ob-plot .region {{ fill-opacity: .34; }}
.ob-plot .band {{ fill-opacity: .26; }}
.ob-plot .dot {{ stroke: #1a2128; }}
{"".join(_colour(i, hue) for i, hue in DARK.items())}
.ob-plot .ink {{ fill: #e4e9ed; }} .ob-plot .ink.line {{ stroke: #e4e9ed; }}
.ob-plot .halo {{ stroke: #e4e9ed; }}
.ob-plot .tag {{ stroke: #1a2128; }}
.ob-plot .many {{ stroke: none; }}
.ob-plot .ring.ring {{ fill: #1a2128; }}
.ob-plot .over-c0, .ob-plot .over-c5 {{ fill: #0d1318; }}
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
        notes = [part for note in self.notes for part in in_lines(note, room, 11)]
        lines += [text(_MARGIN, _MARGIN + 32 + 17 * i, note, "soft") for i, note in enumerate(notes)]
        top = _MARGIN + 22 + 17 * len(notes)
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
