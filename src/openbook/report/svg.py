"""Small pictures as SVG: bars, a histogram, a curve.

Horizontal positions are per cent of the picture's width, vertical ones pixels, so a picture fills a phone or
a page and its letters keep their size. Colours come from the page's stylesheet through classes, which follow
light and dark. Each picture has a title and a description for those who cannot see it.
"""

from collections.abc import Sequence
from html import escape

from openbook.draw.axes import round_ticks
from openbook.draw.letters import clip
from openbook.words.numbers import short
from openbook.words.sentences import printable

_BAR = 24


def value_bars(
    title: str, counts: Sequence[tuple[str, float]], *, rest: int = 0, form: str = "{:,}", letters: int = 13
) -> str:
    """A bar for each value, as long as its count; `rest` is the number of further values.

    Labels take 42% of the width: in a card of 236 pixels, 13 `letters`.
    """
    most = max((count for _, count in counts), default=0) or 1
    parts = []
    for i, (value, count) in enumerate(counts):
        top, width = _BAR * i, 40 * count / most
        parts += [
            _text("0%", top + 16, clip(value, letters), "label"),
            f'<rect class="bar" x="42%" y="{top + 4}" width="{_percent(width)}" height="{_BAR - 8}" rx="2"/>',
            _text(_percent(43.5 + width), top + 16, form.format(count), "figures"),
        ]
    height = _BAR * len(counts)
    if rest:
        parts.append(_text("0%", height + 16, f"… and {rest:,} more", "tick"))
        height += _BAR
    words = ", ".join(f"{value} {form.format(count)}" for value, count in counts)
    return _picture(title, words, height, parts)


def histogram(title: str, counts: Sequence[int], edges: Sequence[float], *, height: int = 84) -> str:
    """Bins side by side, as high as their counts; the range is written beneath."""
    most = max(counts) or 1
    width = 100 / len(counts)
    base = height - 22
    words = [f"{short(a)} to {short(b)}: {n:,}" for a, b, n in zip(edges, edges[1:], counts, strict=False)]
    parts = [
        f'<rect class="bar" x="{_percent(width * i + 0.4)}" y="{base - base * n / most:.1f}"'
        f' width="{_percent(width - 0.8)}" height="{max(base * n / most, 1):.1f}"><title>'
        f"{words[i]}</title></rect>"
        for i, n in enumerate(counts)
        if n
    ]
    parts.append(f'<line class="grid" x1="0%" x2="100%" y1="{base}" y2="{base}"/>')
    parts.append(_text("0%", height - 6, short(edges[0]), "tick"))
    parts.append(_text("100%", height - 6, short(edges[-1]), "tick end"))
    return _picture(title, ", ".join(words), height, parts)


def curve(title: str, points: Sequence[tuple[float, float]], *, axis: str, height: int = 150) -> str:
    """A line through the points, from left to right; `axis` is the title of the horizontal axis."""
    across = [x for x, _ in points]
    low, high, ticks = round_ticks(min(y for _, y in points), max(y for _, y in points))
    tall = height - 34

    def y(value: float) -> float:
        return 6 + tall * (high - value) / (high - low)

    parts = []
    for tick in ticks:
        parts.append(f'<line class="grid" x1="12%" x2="98%" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        parts.append(_text("11%", y(tick) + 4, f"{tick:g}", "tick end"))
    # an inner picture, since only there can a line be given in shares of the width
    line = " ".join(
        f"{100 * (x - across[0]) / (across[-1] - across[0]):.2f},{100 * (high - v) / (high - low):.2f}"
        for x, v in points
    )
    parts.append(
        f'<svg x="12%" y="6" width="86%" height="{tall}" viewBox="0 0 100 100" preserveAspectRatio="none"'
        ' overflow="visible">'
        f'<polyline class="curve" vector-effect="non-scaling-stroke" points="{line}"/></svg>'
    )
    for left, x, anchor in (("12%", across[0], "tick"), ("98%", across[-1], "tick end")):
        parts.append(_text(left, height - 10, f"{x:g}", anchor))
    parts.append(_text("55%", height - 10, axis, "tick middle"))
    shown = points[:: max(1, len(points) // 10)]
    words = ", ".join(f"after {x:g}: {short(v)}" for x, v in (*shown, points[-1]))
    return _picture(title, words, height, parts)


def _picture(title: str, words: str, height: float, parts: Sequence[str]) -> str:
    head = f"<title>{_safe(title)}</title><desc>{_safe(words)}</desc>"
    size = f'width="100%" height="{height:g}"'
    return f'<svg class="picture" role="img" aria-label="{_safe(title)}" {size}>{head}{"".join(parts)}</svg>'


def _text(x: str, y: float, text: str, classes: str) -> str:
    return f'<text class="{classes}" x="{x}" y="{y:g}">{_safe(text)}</text>'


def _safe(text: str) -> str:
    return escape(printable(text))


def _percent(value: float) -> str:
    return f"{value:.3f}%"
