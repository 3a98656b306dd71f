"""Pictures of dendrograms: leaves one below the other, heights to the right, as SVG or text.

With more than `most` leaves only the last merges are drawn; a branch that ends there shows its number of
rows.
"""

from typing import NamedTuple

import numpy as np

from openbook.border.rules import Whole, check_value
from openbook.draw.axes import round_ticks
from openbook.draw.colours import colour_of
from openbook.draw.letters import clip, fitting, text, width_of
from openbook.draw.picture import Picture
from openbook.words.numbers import figure
from openbook.words.sentences import plural

_LEAF, _WIDTH, _NAMES = 16, 480, 220
#: Box-drawing letters by where their lines lead: left 1, right 2, up 4, down 8.
_BOXES = dict(zip((3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15), "─┘└┐┌│┴┬┤├┼", strict=True)) | {1: "─", 2: "─"}


class _Branches(NamedTuple):
    """What is drawn: leaves from top to bottom, and merges by the place and height of both branches."""

    leaves: list[str]
    merges: "list[_Merge]"
    highest: float


class _Merge(NamedTuple):
    """A merge: the places (0 is the first leaf) and heights of two branches, its own, the rows, a member."""

    places: tuple[float, float]
    starts: tuple[float, float]
    height: float
    rows: int
    member: int


def _tree(dendrogram, most):
    n = len(dendrogram)
    check_value("most", most, Whole(at_least=2))
    last = max(n - int(most), 0)  # merges before this one are not drawn
    labels = dendrogram.cut(min(n, int(most)))
    ends: dict[int, float] = {}  # the place of each branch, by the cluster that it leads to
    leaves: list[str] = []
    sizes = np.bincount(labels)
    for leaf in dendrogram.order.tolist():
        if labels[leaf] not in ends:
            ends[labels[leaf]] = float(len(leaves))
            size = int(sizes[labels[leaf]])
            name = dendrogram.names[leaf]
            leaves.append(name if size == 1 else f"{name} and {size - 1:,} more")
    firsts = dendrogram.firsts
    drawn: dict[int, tuple[float, float]] = {}  # the place and height of each merged cluster
    merges = []
    for t in range(last, n - 1):
        *nodes, height, rows = dendrogram.linkage[t].tolist()
        both = [drawn.get(int(node)) or (ends[labels[firsts[int(node)]]], 0.0) for node in nodes]
        (a, low), (b, other) = sorted(both)
        drawn[n + t] = ((a + b) / 2, height)
        merges.append(_Merge((a, b), (low, other), height, int(rows), firsts[n + t]))
    return _Branches(leaves, merges, max([m.height for m in merges], default=0.0))


def _notes(dendrogram, tree):
    n = len(dendrogram)
    what = "similarity" if dendrogram.top is not None else "height"
    notes = [f"{n:,} rows; to the right, the {what} at which they merge"]
    if len(tree.leaves) < n:
        notes.append(f"The last {len(tree.merges)} of {n - 1:,} merges; a branch may stand for several rows.")
    return what, notes


def draw_dendrogram(dendrogram, k, most):
    """The dendrogram as a Picture."""
    tree = _tree(dendrogram, most)
    what, notes = _notes(dendrogram, tree)
    names = [fitting(clip(name, 40), _NAMES, 12) for name in tree.leaves]
    left = max(width_of(name, 12) for name in names) + 10
    tall = _LEAF * len(tree.leaves)
    span = tree.highest or 1.0
    clusters = dendrogram.cut(k) if k is not None else np.zeros(len(dendrogram), np.intp)
    counts = np.bincount(clusters)

    def x(height):
        return left + _WIDTH * height / span

    def y(place):
        return _LEAF * (place + 0.5)

    parts = list(_ticks(dendrogram, span, x, tall))
    parts += [text(left - 6, y(i) + 4, name, "soft last") for i, name in enumerate(names)]
    for merge in tree.merges:
        (a, b), (low, other) = merge.places, merge.starts
        inside = merge.rows <= counts[clusters[merge.member]]
        colour = "frame" if not inside else f"line {colour_of(clusters[merge.member])}"
        way = f"M{x(low):.1f} {y(a):.1f}H{x(merge.height):.1f}V{y(b):.1f}H{x(other):.1f}"
        caption = f"{merge.rows:,} rows at {figure(dendrogram.shown(merge.height))}"
        parts.append(f'<path class="{colour}" d="{way}"><title>{caption}</title></path>')
    parts.append(text(left + _WIDTH / 2, tall + 38, what, "middle"))
    described = f"A tree of {len(dendrogram):,} rows, merged up to {what} {figure(dendrogram.shown(span))}."
    if k is not None:
        notes.append(f"Cut into {plural(k, 'cluster')}, of {', '.join(f'{c:,}' for c in counts[:12])} rows.")
    return Picture("Dendrogram", described, tuple(notes), "".join(parts), left + _WIDTH + 20, tall + 46)


def _ticks(dendrogram, span, x, tall):
    ends = sorted((dendrogram.shown(0.0), dendrogram.shown(span)))
    for tick in round_ticks(*ends)[2]:
        height = tick if dendrogram.top is None else dendrogram.top - tick
        if -1e-9 * span <= height <= span * (1 + 1e-9):
            at = x(height)
            yield f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{tall}"/>'
            yield text(at, tall + 17, figure(tick), "soft middle")


def write_dendrogram(dendrogram, most, width):
    """The dendrogram in letters, of this width."""
    tree = _tree(dendrogram, most)
    span = tree.highest or 1.0
    canvas = np.zeros((len(tree.leaves), width), np.int64)

    def x(height):
        return round((width - 1) * height / span)

    for merge in tree.merges:
        (a, b), (low, other), at = (*map(int, merge.places),), merge.starts, max(x(merge.height), 1)
        for line, start in ((a, low), (b, other)):
            first = x(start) if start else 0
            if first < at:  # merges so near that they share a column are joined by what leads up or down
                canvas[line, first] |= 2
                canvas[line, first + 1 : at] |= 3
                canvas[line, at] |= 1
        canvas[a, at] |= 8
        canvas[b, at] |= 4
        canvas[a + 1 : b, at] |= 12
    names = [clip(name, 30) for name in tree.leaves]
    left = max(map(len, names))
    lines = [
        f"{name.ljust(left)} " + "".join(_BOXES.get(int(cell), " ") for cell in row)
        for name, row in zip(names, canvas, strict=True)
    ]
    low, high = (figure(dendrogram.shown(height), 4) for height in (0.0, span))
    lines.append(" " * (left + 1) + low + high.rjust(width - len(low)))
    if len(tree.leaves) < len(dendrogram):
        lines.append(_notes(dendrogram, tree)[1][-1])
    return "\n".join(line.rstrip() for line in lines)
