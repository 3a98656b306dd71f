"""A plot: two axes, and marks in their units: dots, lines, bands, bars, regions, contours, arrows, words.

    plot = Plot(across, up)
    plot.line(x, y, "c0", "its name in the legend")
    plot.picture(title, notes)            or   panels([plot, other], titles, …)

Marks are drawn in the order in which they are added, in pixels of the frame. Dots beyond an axis are drawn at
its edge, as triangles; everything else ends there. A missing number has no dot, and interrupts a line.
"""

from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
import numpy.typing as npt

from openbook.draw.axes import Blank, Categories, Marks, Numbers
from openbook.draw.letters import PHONE, clip, fitting, safe, text, width_of
from openbook.draw.picture import Picture

#: The width and height of what is inside the axes.
FRAME = _WIDTH, _HEIGHT = 560, 400
_BOTTOM = 46
_LABEL = 28
#: Pixels farther from the frame than this are not written.
_FAR = 1e4

Places = npt.ArrayLike
Axis = Numbers | Categories | Marks | Blank


class Plot:
    """Axes and marks; `size` is the width and height of the frame."""

    def __init__(self, across: Axis, up: Axis, size: tuple[int, int] = FRAME) -> None:
        self.across, self.up, self.size = across, up, size
        self._marks: list[str] = []
        self.key: list[tuple[str, str]] = []

    def _pixels(self, x: Places, y: Places, *, aside: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The pixels of points in the frame; with `aside`, jittered so that equal ones stay visible."""
        shares = []
        for axis, values in ((self.across, x), (self.up, y)):
            jittered = aside and not isinstance(axis, Marks)
            position = axis.jittered if jittered else axis.position  # type: ignore[union-attr]
            shares.append(position(np.asarray(values, dtype=float)))
        return self.size[0] * shares[0], self.size[1] * (1 - shares[1])

    def named(self, look: str, name: str) -> None:
        """A line of the legend, once."""
        if (look, name) not in self.key:
            self.key.append((look, name))

    def dots(
        self,
        x: Places,
        y: Places,
        looks: str | Sequence[str],
        told: Sequence[str] | None = None,
        *,
        aside: bool = False,
        size: float = 4,
    ) -> None:
        """A dot for each point that is known; what lies beyond the frame is a triangle at its edge."""
        left, top = self._pixels(x, y, aside=aside)
        wide, high = self.size
        looks = [looks] * len(left) if isinstance(looks, str) else looks
        inside = (left >= 0) & (left <= wide) & (top >= 0) & (top <= high)
        edge_x, edge_y = np.clip(left, 7, wide - 7), np.clip(top, 7, high - 7)
        for i in np.flatnonzero(np.isfinite(left) & np.isfinite(top)).tolist():
            caption = _caption("" if told is None else told[i])
            if inside[i]:
                circle = f'cx="{left[i]:.1f}" cy="{top[i]:.1f}" r="{size:g}"'
                self._marks.append(f'<circle class="{looks[i]}" {circle}>{caption}</circle>')
            else:
                triangle = f"M{edge_x[i]:.1f} {edge_y[i] - 5:.1f}l5 9h-10z"
                self._marks.append(f'<path class="{looks[i]}" d="{triangle}">{caption}</path>')

    def line(self, x: Places, y: Places, look: str, name: str = "", told: str = "") -> None:
        """A line through points, from the first to the last, interrupted where one is missing."""
        left, top = self._pixels(x, y)
        known = np.isfinite(left) & np.isfinite(top)
        end = f">{_caption(told)}</polyline>" if told else "/>"
        for is_known, run in groupby(range(len(left)), key=known.__getitem__):
            if is_known:
                points = list(run)
                line = _points(left[points], top[points])
                self._marks.append(f'<polyline class="line {look}" points="{line}"{end}')
        if name:
            self.named(look, name)

    def across_at(self, y: float, look: str = "c8 dashed", name: str = "") -> None:
        """A horizontal line from edge to edge, if it is inside the frame."""
        self._ruled(float(self.up.position(np.array([y]))[0]), look, name, level=True)

    def up_at(self, x: float, look: str = "c8 dashed", name: str = "") -> None:
        """A vertical line from edge to edge, if it is inside the frame."""
        self._ruled(float(self.across.position(np.array([x]))[0]), look, name, level=False)

    def _ruled(self, share: float, look: str, name: str, *, level: bool) -> None:
        wide, high = self.size
        if 0 <= share <= 1:
            y, x = high * (1 - share), wide * share
            ends = f"0.0,{y:.1f} {wide:.1f},{y:.1f}" if level else f"{x:.1f},{high:.1f} {x:.1f},0.0"
            self._marks.append(f'<polyline class="line {look}" points="{ends}"/>')
        if name:
            self.named(look, name)

    def band(self, x: Places, low: Places, high: Places, look: str, name: str = "") -> None:
        """The area between two lines over the same values."""
        x, low, high = (np.asarray(each, dtype=float) for each in (x, low, high))
        left, top = self._pixels(np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]]))
        self._marks.append(f'<polygon class="band {look}" points="{_points(left, top)}"/>')
        if name:
            self.named(look, name)

    def area(self, x: Places, y: Places, look: str, told: str = "") -> None:
        """The area inside a closed line."""
        points = _points(*self._pixels(x, y))
        self._marks.append(f'<polygon class="{look}" points="{points}">{_caption(told)}</polygon>')

    def boxes(
        self,
        x: tuple[Places, Places],
        y: tuple[Places, Places],
        looks: str | Sequence[str],
        told: Sequence[str] | None = None,
    ) -> None:
        """A rectangle for each pair of ends across and up, at least a pixel wide and high."""
        (x0, y0), (x1, y1) = self._pixels(x[0], y[0]), self._pixels(x[1], y[1])
        looks = [looks] * len(x0) if isinstance(looks, str) else looks
        left, top = np.minimum(x0, x1), np.minimum(y0, y1)
        wide, high = np.maximum(abs(x1 - x0), 1), np.maximum(abs(y1 - y0), 1)
        for i, look in enumerate(looks):
            box = f'x="{left[i]:.1f}" y="{top[i]:.1f}" width="{wide[i]:.1f}" height="{high[i]:.1f}"'
            caption = _caption("" if told is None else told[i])
            self._marks.append(f'<rect class="{look}" {box}>{caption}</rect>')

    def bars(
        self, ends: Places, looks: str | Sequence[str], told: Sequence[str], thick: float = 0.64
    ) -> None:
        """A bar from 0 for each category of the axis that goes up."""
        ends, rows = np.asarray(ends, dtype=float), np.arange(len(np.asarray(ends)))
        self.boxes((np.zeros(len(rows)), ends), (rows - thick / 2, rows + thick / 2), looks, told)

    def regions(self, codes: np.ndarray, looks: Sequence[str]) -> None:
        """The frame in equal cells, (up, across) from the lower left; a look for each code, none below 0.

        Equal neighbours are joined: a path for each look, of rectangles.
        """
        (wide, high), (rows, cells) = self.size, codes.shape
        paths: dict[str, list[str]] = {}
        top = 0
        for key, group in groupby(range(rows), key=lambda i: codes[rows - 1 - i].tobytes()):
            size = len(list(group))
            row = np.frombuffer(key, dtype=codes.dtype)
            for start, end in pairwise([0, *(np.flatnonzero(np.diff(row)) + 1).tolist(), cells]):
                if row[start] >= 0:
                    x, w = start * wide / cells, (end - start) * wide / cells
                    box = f"M{x:.2f} {top * high / rows:.2f}h{w:.2f}v{size * high / rows:.2f}h{-w:.2f}z"
                    paths.setdefault(looks[row[start]], []).append(box)
            top += size
        regions = {look: "".join(boxes) for look, boxes in paths.items()}
        self._marks += [f'<path class="region {look}" d="{path}"/>' for look, path in regions.items()]

    def borders(self, codes: np.ndarray, look: str) -> None:
        """Lines between equal cells of the frame, (up, across) from the lower left, that have other codes."""
        (wide, high), (rows, cells) = self.size, codes.shape
        w, h = wide / cells, high / rows
        i, j = np.nonzero(codes[:, 1:] != codes[:, :-1])
        way = [f"M{(b + 1) * w:.1f} {high - a * h:.1f}v{-h:.1f}" for a, b in zip(i, j, strict=True)]
        i, j = np.nonzero(codes[1:] != codes[:-1])
        way += [f"M{b * w:.1f} {high - (a + 1) * h:.1f}h{w:.1f}" for a, b in zip(i, j, strict=True)]
        self._marks.append(f'<path class="line {look}" d="{"".join(way)}"/>')

    def contour(
        self, x: np.ndarray, y: np.ndarray, z: np.ndarray, level: float, look: str, name: str = ""
    ) -> list[np.ndarray]:
        """Where z, over the grid of x across and y up, has this level; the ways, each (points, 2)."""
        ways = _joined(_crossings(x, y, z - level), np.array([np.ptp(x), np.ptp(y)]))
        for way in ways:
            self.line(way[:, 0], way[:, 1], look)
        if name and ways:
            self.named(look, name)
        return ways

    def ellipse(self, mean: Places, covariance: Places, reach: float, look: str, name: str = "") -> None:
        """An ellipse of `reach` standard deviations around a mean, (2,), by the covariance, (2, 2)."""
        values, axes = np.linalg.eigh(np.asarray(covariance, dtype=float))
        turn = np.linspace(0, 2 * np.pi, 73)
        way = reach * axes * np.sqrt(np.maximum(values, 0.0)) @ np.array([np.cos(turn), np.sin(turn)])
        x, y = way + np.asarray(mean, dtype=float)[:, None]
        self.line(x, y, look, name)

    def arrow(self, x: Places, y: Places, look: str) -> None:
        """An arrow from the first of two points to the second."""
        left, top = self._pixels(x, y)
        self.line(x, y, look)
        start, end = np.array([left[0], top[0]]), np.array([left[1], top[1]])
        along = (end - start) / (np.hypot(*(end - start)) or 1.0)
        beside = np.array([-along[1], along[0]])
        corners = np.array([end, end - 9 * along + 4 * beside, end - 9 * along - 4 * beside])
        self._marks.append(f'<polygon class="{look}" points="{_points(*corners.T)}"/>')

    def words(
        self, x: float, y: float, words: str, look: str = "", *, away: tuple[float, float] = (0, 0)
    ) -> None:
        """Words at a point, moved by `away` in pixels; the look sets the alignment."""
        left, top = self._pixels([x], [y])
        self._marks.append(text(left[0] + away[0], top[0] + away[1], words, look))

    def labels(self, x: Places, y: Places, names: Sequence[str], *, move: bool = True) -> None:
        """A name beside each point, on paper, inside the frame.

        One that would cover another stands below it, or without `move` is left out.
        """
        left, top = self._pixels(x, y)
        wide, high = self.size
        taken: list[tuple[float, float, float]] = []
        for name, at, down in zip(names, left.tolist(), top.tolist(), strict=True):
            words = clip(name, 24)
            width = width_of(words, 13)
            start = min(max(at + 6 if at >= wide / 2 else at - 6 - width, 4.0), wide - width - 4)
            base = min(max(down + 4, 14.0), high - 6)
            covered = [other for other, s, e in taken if start < e and s < start + width]
            if not move and any(abs(base - other) < 15 for other in covered):
                continue
            while any(abs(base - other) < 15 for other in covered):
                base += 15
            taken.append((base, start, start + width))
            behind = f'x="{start - 2:.1f}" y="{base - 12:.1f}" width="{width + 4:.1f}" height="16" rx="3"'
            paper = f'<rect class="paper" fill-opacity=".78" {behind}/>'
            self._marks.append(paper + text(start, base, words, ""))

    def framed(self, name: str = "") -> tuple[str, float, float, float]:
        """The frame with its ticks, names and marks; where it starts from the left, its width and height."""
        wide, high = self.size
        words = [clip(word, _LABEL) for _, word in self.up.ticks]
        left = max([width_of(word, PHONE) for word in words], default=0.0) + (32 if words else 12)
        parts = [text(wide / 2, -8, fitting(name, wide, 13), "middle")] if name else []
        for (place, _), word in zip(self.up.ticks, words, strict=True):
            y = high * (1 - place)
            parts.append(f'<line class="grid" x1="0" x2="{wide}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(text(-8, y + 4, word, "soft last"))
        for place, word in _roomy(self.across, wide):
            x = wide * place
            parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{high}"/>')
            parts.append(text(x, high + 17, word, "soft middle"))
        parts.append(text(wide / 2, high + 38, fitting(self.across.name, wide, 13), "middle"))
        if self.up.name:
            turned = f'transform="translate({12 - left:.1f} {high / 2}) rotate(-90)"'
            parts.append(f'<text class="middle" {turned}>{safe(fitting(self.up.name, high, 13))}</text>')
        parts.append(f'<svg width="{wide}" height="{high}" overflow="hidden">{"".join(self._marks)}</svg>')
        parts.append(f'<rect class="frame" width="{wide}" height="{high}"/>')
        tall = high + (_BOTTOM if self.across.name else 24)
        return "".join(parts), left, left + wide, tall

    def picture(self, title: str, notes: Sequence[str] = (), told: str | None = None) -> Picture:
        """The plot below its legend; `told` is for those who cannot see it, and else the notes."""
        above, tall = legend(self.key, self.size[0])
        body, left, width, height = self.framed()
        body = f'{above}<g transform="translate({left:.1f} {tall:.1f})">{body}</g>'
        told = " ".join(notes) if told is None else told
        return Picture(title, told, tuple(notes), body, width, tall + height)


def panels(
    plots: Sequence[Plot],
    names: Sequence[str],
    across: int,
    title: str,
    notes: Sequence[str] = (),
    told: str | None = None,
) -> Picture:
    """Plots under their names, `across` in a row, below a common legend."""
    framed = [plot.framed(name) for plot, name in zip(plots, names, strict=True)]
    key = list(dict.fromkeys(entry for plot in plots for entry in plot.key))
    left, right = max(f[1] for f in framed), max(f[2] - f[1] for f in framed)
    head, high = 24 if any(names) else 4, max(f[3] for f in framed)
    wide, tall = left + right + 14, head + high + 8
    columns = min(across, len(framed))
    width = wide * columns
    above, top = legend(key, round(width))
    parts = [above]
    for i, (body, *_) in enumerate(framed):
        x, y = wide * (i % columns) + left, top + tall * (i // columns) + head
        parts.append(f'<g transform="translate({x:.1f} {y:.1f})">{body}</g>')
    told = " ".join(notes) if told is None else told
    height = top + tall * -(-len(framed) // columns)
    return Picture(title, told, tuple(notes), "".join(parts), width, height)


def legend(named: Sequence[tuple[str, str]], width: float = _WIDTH) -> tuple[str, float]:
    """A spot and a word for each look, in lines of at most this width; and their height."""
    parts, x, y = [], 0.0, 0
    for look, label in named:
        words = clip(label, 32)
        taken = 36 + width_of(words, PHONE)
        if x and x + taken - 16 > width:
            x, y = 0.0, y + 20
        spot = f'<circle class="{look}" cx="{x + 6:.1f}" cy="{y + 7}" r="5"/>'
        if "dashed" in look or "thin" in look:
            spot = f'<line class="line {look}" x1="{x:.1f}" x2="{x + 13:.1f}" y1="{y + 7}" y2="{y + 7}"/>'
        parts += [spot, text(x + 17, y + 11, words, "soft")]
        x += taken
    return "".join(parts), y + 28 if named else 4


def _points(x: np.ndarray, y: np.ndarray) -> str:
    x, y = np.clip(x, -_FAR, _FAR), np.clip(y, -_FAR, _FAR)
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _caption(words: str) -> str:
    return f"<title>{safe(words)}</title>" if words else ""


def _roomy(axis: Axis, wide: float) -> list[tuple[float, str]]:
    """The ticks across with words that fit: of numbers every second or third, of categories clipped ones."""
    ticks = list(axis.ticks)
    if not isinstance(axis, Numbers):
        letters = max(3, int(wide / max(len(ticks), 1) / 7.5))
        return [(place, clip(word, letters)) for place, word in ticks]
    need = max((width_of(word, PHONE) for _, word in ticks), default=0.0) + 8
    step = next((s for s in range(1, len(ticks)) if s * wide * (ticks[1][0] - ticks[0][0]) >= need), 1)
    return ticks[::step]


def _crossings(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Where z is 0 over a grid, (pieces, 2 ends, x and y): a cell is two triangles, in which z is a plane."""
    at = np.stack([*np.meshgrid(x, y), z], axis=-1)
    corners = at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]
    halves = (np.stack([corners[i] for i in three], axis=2) for three in ((0, 1, 2), (0, 2, 3)))
    triangles = np.concatenate([half.reshape(-1, 3, 3) for half in halves])
    above = triangles[:, :, 2] > 0
    crossed = above != np.roll(above, -1, axis=1)  # the sides whose ends lie on different sides of 0
    halved = (crossed.sum(axis=1) == 2) & np.isfinite(triangles[:, :, 2]).all(axis=1)
    starts, stops = triangles[halved], np.roll(triangles[halved], -1, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = starts[:, :, 2] / (starts[:, :, 2] - stops[:, :, 2])
        points = starts[:, :, :2] + share[:, :, None] * (stops[:, :, :2] - starts[:, :, :2])
    return points[crossed[halved]].reshape(-1, 2, 2)


def _joined(pieces: np.ndarray, span: np.ndarray) -> list[np.ndarray]:
    """Pieces of lines, (n, 2 ends, x and y), joined where they meet; each way is (points, 2)."""
    same = np.round(pieces / np.where(span > 0, span, 1.0) * 1e8).astype(np.int64)  # but for rounding
    ends = [[tuple(end) for end in piece] for piece in same.tolist()]
    meeting: dict[tuple[int, ...], list[int]] = {}
    for i, piece in enumerate(ends):
        for end in piece:
            meeting.setdefault(end, []).append(i)
    left = {i: True for i, (start, end) in enumerate(ends) if start != end}  # a corner may touch the level
    ways = []

    def onward(at: tuple[int, ...]) -> list[np.ndarray]:
        way = []
        while (i := next((i for i in meeting[at] if i in left), None)) is not None:
            del left[i]
            other = 1 if ends[i][0] == at else 0
            at = ends[i][other]
            way.append(pieces[i, other])
        return way

    while left:
        i = next(iter(left))
        del left[i]
        before, after = (onward(end) for end in ends[i])
        ways.append(np.array([*before[::-1], *pieces[i], *after]))
    return ways
