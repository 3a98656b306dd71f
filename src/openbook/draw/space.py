"""A scatter plot in three dimensions, which can be rotated: drag it, or use the arrow keys.

Rows stand in a cube; what is nearer is drawn later. As an SVG file it stands still; as a page (.html), or in
a notebook, a script of its own turns it. The script needs no network: it reads places from the marks.

    right = x cos a + y sin a,    deep = y cos a - x sin a,    up = z cos b + deep sin b    (turn a, tilt b)
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from openbook.data import read
from openbook.draw.columns import MOST_DOTS, ColumnAxis, Groups, drawn_rows, rows_drawn
from openbook.draw.letters import clip, safe
from openbook.draw.picture import Picture
from openbook.draw.plot import FRAME, Plot, legend
from openbook.words.sentences import plural

_TURN, _TILT, _SIZE = -0.6, 0.42, 150.0


@dataclass(frozen=True)
class Turnable(Picture):
    """A picture that turns under the hand in a page; as SVG it stands still.

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
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> Turnable("A cube", "", (), "", 10, 10).html().count("<script>")
    1
    """

    def html(self) -> str:
        """The picture and the script that turns it."""
        script = files("openbook.draw").joinpath("space.js").read_text(encoding="utf-8")
        script = script.replace("TURN", str(_TURN)).replace("TILT", str(_TILT)).replace("SIZE", str(_SIZE))
        return f"{self.svg()}<script>{script}</script>"

    def save(self, path: str | Path) -> Path:
        """Write it to a file, whose name ends in .html, where it turns, or in .svg.

        Parameters
        ----------
        path : str or Path
            Where to write it.

        Returns
        -------
        Path
        """
        path = Path(path)
        if path.suffix.lower() not in {".html", ".htm"}:
            return super().save(path)
        scheme = '<meta name="color-scheme" content="light dark">'
        head = f'<meta charset="utf-8"><title>{safe(self.title)}</title>{scheme}'
        page = f"<!doctype html><html><head>{head}</head><body>{self.html()}</body></html>\n"
        path.write_text(page, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        return self.html()


def draw_scatter_3d(table: Any, x: str, y: str, z: str, colour: str | None = None) -> Turnable:
    """Scatter plot in three dimensions, which can be turned by hand in a page or a notebook.

    Parameters
    ----------
    table : table-like
        The rows.
    x, y, z : str
        The columns: to the right, to the back and up.
    colour : str or None, default=None
        The column that colours the dots.

    Returns
    -------
    Turnable
        A picture: `save("name.html")` writes a page in which it turns; in a .svg file it stands still.

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> names = ("petal length (cm)", "petal width (cm)", "sepal length (cm)")
    >>> draw_scatter_3d(load("iris"), *names, colour="species").notes[0]
    '150 rows. In a page, drag the picture to turn it.'
    """
    rows = read(table)
    axes = [ColumnAxis.of(rows, name) for name in (x, y, z)]
    groups = Groups.none(len(rows)) if colour is None else Groups.of_column(rows, colour)
    at = np.array([2 * own.axis.jittered(own.values(rows)) - 1 for own in axes]).T
    known = np.flatnonzero(np.isfinite(at).all(axis=1))
    some = known[drawn_rows(len(known), MOST_DOTS)]
    order = some[np.argsort(-_turned(at[some])[:, 2], kind="stable")]
    parts = [*_cube(axes), *(_dot(at[i], groups, int(groups.codes[i])) for i in order)]
    gaps = len(rows) - len(known)
    note = f"{rows_drawn(len(some), len(known))}. In a page, drag the picture to turn it."
    notes = [note] + [f"{plural(gaps, 'row')} without a value in one of the columns."] * (gaps > 0)
    named = Plot(axes[0].axis, axes[1].axis)
    groups.legend(named)
    above, tall = legend(named.key)
    scene = f'<g class="scene" transform="translate({FRAME[0] / 2} {tall + 250:.1f})">{"".join(parts)}</g>'
    return Turnable(f"{z} by {x} and {y}", " ".join(notes), tuple(notes), above + scene, FRAME[0], tall + 500)


def _turned(at: np.ndarray) -> np.ndarray:
    """Right, up and deep, as seen."""
    x, y, z = at.T
    deep = y * np.cos(_TURN) - x * np.sin(_TURN)
    right = x * np.cos(_TURN) + y * np.sin(_TURN)
    up, far = z * np.cos(_TILT) + deep * np.sin(_TILT), deep * np.cos(_TILT) - z * np.sin(_TILT)
    return np.column_stack([right, up, far])


def _written(at: np.ndarray) -> str:
    return " ".join(f"{value:.3g}" for value in at)


def _seen(at: np.ndarray) -> tuple[float, float]:
    right, up, _ = _turned(np.atleast_2d(at))[0]
    return _SIZE * right, -_SIZE * up


def _dot(at: np.ndarray, groups: Groups, code: int) -> str:
    x, y = _seen(at)
    words = f"<title>{safe(groups.names[code])}</title>" if groups.names[code] else ""
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="4" data-at="{_written(at)}"'
    return f'<circle class="dot {groups.looks[code]}" {place}>{words}</circle>'


def _cube(axes: list[ColumnAxis]) -> list[str]:
    """The edges of the cube, the ends of each axis and its name."""
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)
    edges = [(a, b) for a in corners for b in corners if (b > a).sum() == 1 and (a == b).sum() == 2]
    parts = []
    for a, b in edges:
        (x1, y1), (x2, y2) = _seen(a), _seen(b)
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        parts.append(f'<line class="grid" {ends} data-from="{_written(a)}" data-to="{_written(b)}"/>')
    middles = np.array([[0, -1.28, -1], [1.28, 0, -1], [-1.2, 1.2, 0]])
    names = np.array([[0, -1.28, -1], [1.28, 0, -1], [-1, 1, 1.12]])
    for way, (own, middle, at_name) in enumerate(zip(axes, middles, names, strict=True)):
        parts.append(_label(at_name, clip(own.attribute.name, 22), "middle"))
        ticks = own.axis.ticks
        for place, word in {ticks[0][0]: ticks[0], ticks[-1][0]: ticks[-1]}.values():
            at = middle.copy()
            at[way] = 2 * place - 1
            at[:2] = np.where(np.arange(2) == way, at[:2], 0.88 * at[:2])
            parts.append(_label(at, clip(word, 12), "soft middle"))
    return parts


def _label(at: np.ndarray, words: str, look: str) -> str:
    x, y = _seen(at)
    return f'<text class="{look}" x="{x:.1f}" y="{y:.1f}" data-at="{_written(at)}">{safe(words)}</text>'
