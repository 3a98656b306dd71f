"""Small pictures as SVG: intervals, bars, a histogram, a curve.

Across, everything is placed in per cent of the picture's width, and down in pixels, so a picture fills a
phone or a page and its letters keep their size. Colours come from the page's stylesheet through classes,
which follow light and dark. Each picture carries a title and a description for those who cannot see it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from openbook.draw.axes import round_ticks
from openbook.draw.letters import clip
from openbook.words.numbers import short, shown
from openbook.work.formula import printable

__all__ = ["ScoreLine", "curve", "histogram", "interval_chart", "value_bars"]

_ROW = 46
_BAR = 24


@dataclass(frozen=True)
class ScoreLine:
    """A learner's mean score between its bounds; `role` is "chosen", "baseline" or "other"."""

    label: str
    mean: float
    low: float
    high: float
    role: str


def interval_chart(
    rows: Sequence[ScoreLine], *, axis: str, reference: float | None = None, focus: bool = False
) -> str:
    """A dot between its bounds for each learner, and a dashed line at the baseline to beat.

    With `focus`, rows stand from the best to the worst, and the axis is drawn for the better half: what is
    far beyond gets an arrow at the edge, so that it does not squeeze the leading learners together.
    """
    near = _near(rows) if focus else list(rows)
    low, high, ticks = round_ticks(min(row.low for row in near), max(row.high for row in near))

    def x(value: float) -> str:
        return _percent(2 + 96 * (min(max(value, low), high) - low) / (high - low or 1))

    bottom = _ROW * len(rows)
    parts = [f'<line class="grid" x1="{x(t)}" x2="{x(t)}" y1="4" y2="{bottom}"/>' for t in ticks]
    sides = {low: "tick", high: "tick end"}  # on a phone, half of the number beside the edge would be cut off
    parts += [_text(x(t), bottom + 16, f"{t:g}", sides.get(t, "tick middle")) for t in ticks]
    parts.append(_text("50%", bottom + 34, axis, "tick middle"))
    if reference is not None and low <= reference <= high:
        parts.append(
            f'<line class="reference" x1="{x(reference)}" x2="{x(reference)}" y1="4" y2="{bottom}"/>'
        )
    for i, row in enumerate(rows):
        top = _ROW * i
        size = max(map(abs, (row.mean, row.low, row.high)))
        figures = f"{shown(row.mean, size)}  [{shown(row.low, size)}, {shown(row.high, size)}]"
        parts += [
            f'<g class="{row.role}">',
            _text("2%", top + 18, clip(row.label, 34), "label"),
            _text("98%", top + 18, figures, "figures end"),
            _whisker(x(row.low), x(row.mean), x(row.high), top + 32)
            if low <= row.mean <= high
            else _arrow(row.mean < low, top + 32),
            "</g>",
        ]
    told = "; ".join(f"{r.label}: {shown(r.mean)}, between {shown(r.low)} and {shown(r.high)}" for r in rows)
    return _picture(f"{axis} of each learner", told, bottom + 42, parts)


def _near(rows: Sequence[ScoreLine]) -> list[ScoreLine]:
    """The better half of the rows, and those whose score is no farther from it than it is wide."""
    leading = rows[: max(3, (len(rows) + 1) // 2)]
    low, high = min(row.low for row in leading), max(row.high for row in leading)
    reach = high - low
    near = [row for row in rows if low - reach <= row.mean <= high + reach]
    least, most = low - 1.5 * reach, high + 1.5 * reach
    return [replace(row, low=max(row.low, least), high=min(row.high, most)) for row in near]


def _whisker(low: str, mean: str, high: str, y: float) -> str:
    line = f'<line class="whisker" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>'
    return f'{line}<circle class="dot" cx="{mean}" cy="{y}" r="5.5"/>'


def _arrow(left: bool, y: float) -> str:
    """A triangle at the edge: the score lies beyond it."""
    x, tip = ("2%", "0,0 9,-6 9,6") if left else ("98%", "0,0 -9,-6 -9,6")
    return f'<svg x="{x}" y="{y}" overflow="visible"><polygon class="dot" points="{tip}"/></svg>'


def value_bars(
    title: str,
    counts: Sequence[tuple[str, float]],
    *,
    rest: int = 0,
    form: str = "{:,}",
    letters: int = 16,
) -> str:
    """A bar for each value, as long as its count; `rest` values more are mentioned."""
    most = max((count for _, count in counts), default=0) or 1
    parts = []
    for i, (value, count) in enumerate(counts):
        top, width = _BAR * i, 46 * count / most
        parts += [
            _text("0%", top + 16, clip(value, letters), "label"),
            f'<rect class="bar" x="36%" y="{top + 4}" width="{_percent(width)}" height="{_BAR - 8}" rx="2"/>',
            _text(_percent(37.5 + width), top + 16, form.format(count), "figures"),
        ]
    height = _BAR * len(counts)
    if rest:
        parts.append(_text("0%", height + 16, f"… and {rest:,} more", "tick"))
        height += _BAR
    told = ", ".join(f"{value} {form.format(count)}" for value, count in counts)
    return _picture(title, told, height, parts)


def histogram(title: str, counts: Sequence[int], edges: Sequence[float], *, height: int = 84) -> str:
    """Bins side by side, as high as their counts; the range is written beneath."""
    most = max(counts) or 1
    width = 100 / len(counts)
    room = height - 22
    parts = [
        f'<rect class="bar" x="{_percent(width * i + 0.4)}" y="{room - room * n / most:.1f}"'
        f' width="{_percent(width - 0.8)}" height="{max(room * n / most, 1):.1f}"><title>'
        f"{short(edges[i])} to {short(edges[i + 1])}: {n:,}</title></rect>"
        for i, n in enumerate(counts)
        if n
    ]
    parts.append(f'<line class="grid" x1="0%" x2="100%" y1="{room}" y2="{room}"/>')
    parts.append(_text("0%", height - 6, short(edges[0]), "tick"))
    parts.append(_text("100%", height - 6, short(edges[-1]), "tick end"))
    told = ", ".join(
        f"{short(a)} to {short(b)}: {n:,}" for a, b, n in zip(edges, edges[1:], counts, strict=False)
    )
    return _picture(title, told, height, parts)


def curve(title: str, points: Sequence[tuple[float, float]], *, axis: str, height: int = 150) -> str:
    """A line through the points, from left to right; `axis` says what is counted across."""
    across = [x for x, _ in points]
    low, high, ticks = round_ticks(min(y for _, y in points), max(y for _, y in points))
    room = height - 34

    def y(value: float) -> float:
        return 6 + room * (high - value) / (high - low)

    parts = []
    for tick in ticks:
        parts.append(f'<line class="grid" x1="12%" x2="98%" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        parts.append(_text("11%", y(tick) + 4, f"{tick:g}", "tick end"))
    # A picture in the picture: only there can a line be placed in shares of the width.
    way = " ".join(
        f"{100 * (x - across[0]) / (across[-1] - across[0]):.2f},{100 * (high - v) / (high - low):.2f}"
        for x, v in points
    )
    parts.append(
        f'<svg x="12%" y="6" width="86%" height="{room}" viewBox="0 0 100 100" preserveAspectRatio="none"'
        ' overflow="visible">'
        f'<polyline class="curve" vector-effect="non-scaling-stroke" points="{way}"/></svg>'
    )
    for place, x, anchor in (("12%", across[0], "tick"), ("98%", across[-1], "tick end")):
        parts.append(_text(place, height - 10, f"{x:g}", anchor))
    parts.append(_text("55%", height - 10, axis, "tick middle"))
    shown = points[:: max(1, len(points) // 10)]
    told = ", ".join(f"after {x:g}: {short(v)}" for x, v in (*shown, points[-1]))
    return _picture(title, told, height, parts)


def _picture(title: str, told: str, height: float, parts: Sequence[str]) -> str:
    head = f"<title>{_safe(title)}</title><desc>{_safe(told)}</desc>"
    size = f'width="100%" height="{height:g}"'
    return f'<svg class="picture" role="img" aria-label="{_safe(title)}" {size}>{head}{"".join(parts)}</svg>'


def _text(x: str, y: float, text: str, classes: str) -> str:
    return f'<text class="{classes}" x="{x}" y="{y:g}">{_safe(text)}</text>'


def _safe(text: str) -> str:
    return escape(printable(text))


def _percent(value: float) -> str:
    return f"{value:.3f}%"
