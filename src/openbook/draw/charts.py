"""Charts that many models share: bars with names, the largest on top; and lines over a common axis."""

from collections.abc import Mapping, Sequence

import numpy as np

from openbook.draw.axes import Categories, Numbers
from openbook.draw.colours import COLOURS, colour_of
from openbook.draw.picture import Picture
from openbook.draw.plot import FRAME, Plot
from openbook.words.numbers import figure

#: More bars than these would be too thin to read; scores make the chart higher instead.
_MOST, _MOST_SCORES = 20, 60
#: The width of a frame with names on its left that a phone shows in legible letters.
ON_PHONE = 240


def named_bars(
    title: str, axis: str, names: Sequence[str], values: np.ndarray, notes: tuple[str, ...] = ()
) -> Picture:
    """A bar for each name, the largest on top, to the right of 0 or to the left; of many the largest."""
    order = np.argsort(-np.abs(values), kind="stable")[:_MOST][::-1]  # the axis goes up
    ends, drawn = np.asarray(values, dtype=float)[order], [names[i] for i in order]
    low, high = min(0.0, ends.min(initial=0.0)), max(0.0, ends.max(initial=0.0))
    across = Numbers.between(axis, low, high if high > low else low + 1.0)
    captions = [f"{name}: {figure(float(end), 4)}" for name, end in zip(drawn, ends, strict=True)]
    plot = Plot(across, Categories("", tuple(drawn)))
    plot.bars(ends, ["c0" if end >= 0 else "c1" for end in ends], captions)
    if len(names) > _MOST:
        notes = (*notes, f"The largest {_MOST} of {len(names):,}.")
    return plot.picture(title, notes, "; ".join(captions[::-1]))


def stacked_bars(
    title: str,
    axis: str,
    names: Sequence[str],
    parts: Sequence[str],
    counts: np.ndarray,
    notes: tuple[str, ...] = (),
) -> Picture:
    """A bar for each name, from the lowest up, made of parts: counts is (parts, names)."""
    ends = np.vstack([np.zeros(len(names)), np.cumsum(counts, axis=0)])
    plot = Plot(Numbers.between(axis, 0.0, float(ends.max(initial=1.0))), Categories("", tuple(names)))
    bars: list[list[str]] = [[] for _ in names]
    for i, part in enumerate(parts):
        look, rows = colour_of(i), np.flatnonzero(counts[i])
        words = [figure(float(n), 4) for n in counts[i]]
        captions = [f"{names[k]}, {part}: {words[k]}" for k in rows.tolist()]
        plot.boxes((ends[i][rows], ends[i + 1][rows]), (rows - 0.32, rows + 0.32), look, captions)
        plot.named(look, part if i < COLOURS else "others")
        for bar, word in zip(bars, words, strict=True):
            bar.append(f"{part} {word}")
    described = [f"{name}: {', '.join(bar)}" for name, bar in zip(names, bars, strict=True)]
    return plot.picture(title, notes, "; ".join(described[::-1]))


def score_chart(
    title: str,
    axis: str,
    rows: Sequence[tuple[str, float, float, float]],
    reference: float | None = None,
    notes: tuple[str, ...] = (),
    *,
    looks: Mapping[str, str] | None = None,
    focus: bool = False,
    wide: int = FRAME[0],
) -> Picture:
    """A dot between the ends of its interval for each (name, value, low, high), the first on top.

    A dashed line marks the reference, and `looks` has other colours than the first for some names. What has
    no interval is a dot alone; NaN is left out. With `focus`, rows stand from the best to the worst, and the
    axis is drawn for the better half: what is far beyond is a triangle at the edge. The frame is so `wide`.
    """
    drawn = [row for row in rows if np.isfinite(row[1])][:_MOST_SCORES][::-1]  # the axis goes up
    values = np.array([row[1:] for row in drawn], dtype=float).reshape(-1, 3)
    values[:, 1:] = np.where(np.isfinite(values[:, 1:]), values[:, 1:], values[:, :1])
    shown = np.r_[values.ravel(), [] if reference is None else [reference]]
    shown = _leading(values[::-1]) if focus else shown
    across = Numbers.between(axis, shown.min(initial=np.inf), shown.max(initial=-np.inf))
    high = min(FRAME[1], 24 + 34 * len(drawn)) if len(drawn) <= _MOST else 20 * len(drawn)
    plot = Plot(across, Categories("", tuple(row[0] for row in drawn)), (wide, high))
    captions = [f"{row[0]}: {_scored(row)}" for row in drawn]
    if reference is not None:
        plot.up_at(reference)
    for i, (name, *_) in enumerate(drawn):
        look = (looks or {}).get(name, "c0")
        plot.line(values[i, 1:], [i, i], look)
        plot.dots(values[i, :1], [i], f"dot {look}", [captions[i]], size=5)
    if len(rows) > _MOST_SCORES:
        notes = (*notes, f"The first {_MOST_SCORES} of {len(rows):,}.")
    return plot.picture(title, notes, "; ".join(captions[::-1]))


def _scored(row: tuple[str, float, float, float]) -> str:
    _, value, low, high = row
    ends = f" [{figure(low, 4)}, {figure(high, 4)}]" if np.isfinite([low, high]).all() else ""
    return figure(value, 4) + ends


def _leading(values: np.ndarray) -> np.ndarray:
    """The intervals of the better half, and of rows whose score is no farther from it than it is wide."""
    leading = values[: max(3, (len(values) + 1) // 2)]
    low, high = leading[:, 1].min(initial=np.inf), leading[:, 2].max(initial=-np.inf)
    reach = high - low
    near = values[(values[:, 0] >= low - reach) & (values[:, 0] <= high + reach)]
    return np.clip(near.ravel(), low - 1.5 * reach, high + 1.5 * reach)


def line_chart(
    title: str,
    axes: tuple[str, str],
    lines: Mapping[str, tuple[np.ndarray, np.ndarray]],
    notes: tuple[str, ...] = (),
) -> Picture:
    """A line for each name through its points x, y; a legend where there are several."""
    xs, ys = (np.concatenate([np.asarray(pair[k], dtype=float) for pair in lines.values()]) for k in (0, 1))
    plot = Plot(Numbers.between(axes[0], xs.min(), xs.max()), Numbers.between(axes[1], ys.min(), ys.max()))
    for i, (name, (x, y)) in enumerate(lines.items()):
        plot.line(x, y, f"c{i % 9}", name if len(lines) > 1 else "")
    ends = {name: [figure(float(y[k]), 4) for k in (0, -1)] for name, (_, y) in lines.items()}
    described = "; ".join(f"{name}: {' to '.join(both)}" for name, both in ends.items())
    return plot.picture(title, notes, described)
