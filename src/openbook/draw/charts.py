"""Charts that many models share: bars with names, the largest on top; and lines over a common axis."""

from collections.abc import Mapping, Sequence

import numpy as np

from openbook.draw.axes import Categories, Numbers
from openbook.draw.plot import Picture, bars, dots, framed, legend, line
from openbook.words.numbers import figure

__all__ = ["line_chart", "named_bars", "score_chart"]

#: More bars than these would be too thin to read.
_MOST = 20


def named_bars(
    title: str, axis: str, names: Sequence[str], values: np.ndarray, notes: tuple[str, ...] = ()
) -> Picture:
    """A bar for each name, the largest on top, to the right of 0 or to the left; of many the largest."""
    order = np.argsort(-np.abs(values), kind="stable")[:_MOST][::-1]  # the axis goes up
    ends, drawn = np.asarray(values, dtype=float)[order], [names[i] for i in order]
    low, high = min(0.0, ends.min(initial=0.0)), max(0.0, ends.max(initial=0.0))
    # evenly between its ends, so that no bar counts as far from the others
    across = Numbers(axis, np.linspace(low, high if high > low else low + 1.0, 25))
    up = Categories("", tuple(drawn))
    told = [f"{name}: {figure(float(end), 4)}" for name, end in zip(drawn, ends, strict=True)]
    middles = np.array([place for place, _ in up.ticks])
    zero = across.place(np.zeros(len(drawn)))
    looks = ["c0" if end >= 0 else "c1" for end in ends]
    inside = "".join(bars(middles, 0.64 / max(len(drawn), 1), zero, across.place(ends), looks, told))
    body, width, height = framed(across, up, inside, "", 4)
    if len(names) > _MOST:
        notes = (*notes, f"The largest {_MOST} of {len(names):,}.")
    return Picture(title, "; ".join(told[::-1]), notes, body, width, height)


def score_chart(
    title: str,
    axis: str,
    rows: Sequence[tuple[str, float, float, float]],
    reference: float | None = None,
    notes: tuple[str, ...] = (),
) -> Picture:
    """A dot between the ends of its interval for each (name, value, low, high), the first on top.

    A dashed line marks the reference. What has no interval is a dot alone; NaN is left out.
    """
    drawn = [row for row in rows if np.isfinite(row[1])][:_MOST][::-1]  # the axis goes up
    values = np.array([row[1:] for row in drawn], dtype=float).reshape(-1, 3)
    values[:, 1:] = np.where(np.isfinite(values[:, 1:]), values[:, 1:], values[:, :1])
    marks = np.r_[values.ravel(), [] if reference is None else [reference]]
    across = Numbers(axis, np.linspace(marks.min(initial=np.inf), marks.max(initial=-np.inf), 25))
    up = Categories("", tuple(row[0] for row in drawn))
    at = np.array([place for place, _ in up.ticks])
    x = across.place(values)
    told = [f"{row[0]}: {figure(row[1], 4)}" for row in drawn]
    parts = [line(x[i, 1:], at[[i, i]], "c0") for i in range(len(drawn))]
    if reference is not None:
        parts.append(line(across.place(np.array([reference] * 2)), np.array([0.0, 1.0]), "c8 dashed"))
    parts += dots(x[:, 0], at, ["dot c0"] * len(drawn), told)
    body, width, height = framed(across, up, "".join(parts), "", 4)
    if len(rows) > _MOST:
        notes = (*notes, f"The first {_MOST} of {len(rows):,}.")
    return Picture(title, "; ".join(told[::-1]), notes, body, width, height)


def line_chart(
    title: str,
    axes: tuple[str, str],
    lines: Mapping[str, tuple[np.ndarray, np.ndarray]],
    notes: tuple[str, ...] = (),
) -> Picture:
    """A line for each name through its points x, y; a legend where there are several."""
    xs, ys = (np.concatenate([np.asarray(pair[k], dtype=float) for pair in lines.values()]) for k in (0, 1))
    across = Numbers(axes[0], np.linspace(xs.min(), xs.max(), 50))
    up = Numbers(axes[1], np.linspace(ys.min(), ys.max(), 50))
    inside = "".join(
        line(across.place(np.asarray(x, dtype=float)), up.place(np.asarray(y, dtype=float)), f"c{i % 9}")
        for i, (x, y) in enumerate(lines.values())
    )
    above, tall = legend([(f"c{i % 9}", name) for i, name in enumerate(lines)] if len(lines) > 1 else [])
    body, width, height = framed(across, up, inside, above, tall)
    ends = {name: (float(y[0]), float(y[-1])) for name, (_, y) in lines.items()}
    told = "; ".join(f"{name}: {figure(a, 4)} to {figure(b, 4)}" for name, (a, b) in ends.items())
    return Picture(title, told, notes, body, width, height)
