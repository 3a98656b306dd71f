"""A picture as self-contained SVG, with a stylesheet for light and dark mode and a description.

Looks are classes of the stylesheet: a colour "c0" to "c8" or "ink", with "dot", "ring", "many" or "halo" for
dots, "line", "dashed", "thin", "faint" for lines, "band" for bands, "pale" for bars;
shades are "s0" to "s16" for what is filled, "t1" to "t9" for lines.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from openbook.draw.colours import DARK, LIGHT
from openbook.draw.letters import fitting, in_lines, safe, text
from openbook.errors import DataError

_MARGIN = 18

#: Shades of a colour, from none to full.
SHADES = 17
_FADED = " ".join(f".ob-plot .t{i} {{ stroke-opacity: {i / 10:g}; }}" for i in range(1, 10))
_SHADED = " ".join(f".ob-plot .s{i}.s{i} {{ fill-opacity: {i / (SHADES - 1):.3f}; }}" for i in range(SHADES))


def _colour(i: int, hue: str) -> str:
    strokes = f".ob-plot .c{i}.ring, .ob-plot .c{i}.line {{ stroke: {hue}; }}"
    return f".ob-plot .c{i} {{ fill: {hue}; }} {strokes}\n"


def _style() -> str:
    """The stylesheet of picture.css, with a rule for each colour and shade."""
    rules = {
        "colours of a light page": "".join(_colour(i, hue) for i, hue in enumerate(LIGHT)),
        "colours of a dark page": "".join(_colour(i, hue) for i, hue in DARK.items()),
        "shades": f"{_SHADED} {_FADED}",
    }
    style = files("openbook.draw").joinpath("picture.css").read_text(encoding="utf-8")
    for comment, rule in rules.items():
        style = style.replace(f"/* {comment} */", rule)
    return style


#: What every picture needs; a page of several needs it once.
STYLE = _style()


@dataclass(frozen=True)
class Picture:
    """A picture to look at: a notebook shows it, `save` writes it, `svg` is its text.

    Attributes
    ----------
    title : str
        What the picture shows.
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
        width = round(self.width)
        lines = [text(_MARGIN, _MARGIN + 13, fitting(self.title, width, 15), "head")]
        notes = [part for note in self.notes for part in in_lines(note, width, 11)]
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
            The file to write.

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
