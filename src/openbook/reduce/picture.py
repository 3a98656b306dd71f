"""Pictures of projections: what each component explains, rows by two of them, and columns as arrows."""

import numpy as np

from openbook.data.attributes import as_text
from openbook.draw import Marks, Numbers, Picture
from openbook.draw.colours import COLOURS, RARE
from openbook.draw.letters import clip, text, width_of
from openbook.draw.plot import FRAME, dots, framed, legend, line
from openbook.errors import DataError

__all__ = ["draw_biplot", "draw_rows", "draw_scree"]

#: Rows and arrows that can be looked at.
_MOST_DOTS, _MOST_ARROWS = 2000, 10

#: How far the longest arrow reaches, as a share of the axes; and of it, what is too short to be drawn.
_REACH, _SHORT = 0.85, 0.25

#: More dots than these shine through.
_FEW_DOTS = 200


def draw_scree(model) -> Picture:
    """The share of the variance that each component explains, and that of all up to it."""
    shares = model.explained_variance_ratio_
    n = len(shares)
    across = Marks("component", tuple(str(c + 1) for c in range(n)), np.arange(n, dtype=float))
    so_far = np.cumsum(shares)
    up = Numbers("share of the variance", np.linspace(0.0, 1.0, 50))
    x = across.place(np.arange(n, dtype=float))
    told = [f"component {c + 1}: {share:.1%}" for c, share in enumerate(shares)]
    sums = [f"the first {c + 1}: {share:.1%}" for c, share in enumerate(so_far)]
    inside = line(x, up.place(shares), "c0") + line(x, up.place(so_far), "c1 dashed")
    inside += "".join(dots(x, up.place(shares), ["dot c0"] * n, told))
    inside += "".join(dots(x, up.place(so_far), ["dot c1"] * n, sums))
    key, tall = legend([("c0", "each"), ("c1", "cumulative")])
    body, width, height = framed(across, up, inside, key, tall)
    note = f"{n} components explain {so_far[-1]:.1%} of the variance."
    return Picture("Scree plot", "; ".join([*told, note]), (note,), body, width, height)


def draw_biplot(model, X, y=None) -> Picture:
    """Rows by their first two components, and the columns as arrows: their loadings, drawn out."""
    names = [
        f"component {c + 1} ({share:.1%})" for c, share in enumerate(model.explained_variance_ratio_[:2])
    ]
    return draw_rows("Biplot of the principal components", names, model.transform(X), y, _Arrows(model))


class _Arrows:
    """The columns of the largest loadings on the first two components."""

    def __init__(self, model):
        sizes = np.hypot(*model.components_[:2]) if len(model.components_) > 1 else np.zeros(0)
        order = np.argsort(-sizes, kind="stable")
        chosen = [j for j in order[:_MOST_ARROWS] if sizes[j] >= _SHORT * sizes[order[0]]]
        self.loadings = model.components_[:2, chosen]
        self.names = [model.encoding_.names[j] for j in chosen]
        self.left_out = len(sizes) - len(chosen)

    def svg(self, across, up):
        """The arrows from the middle, the longest as long as there is room, each with its name."""
        ends = np.array([across.span, up.span])
        room = np.where(self.loadings > 0, ends[:, 1:], -ends[:, :1]) / np.maximum(
            np.abs(self.loadings), 1e-12
        )
        drawn_out = _REACH * room.min(initial=np.inf)
        arrows, labels = [], []
        taken: list[tuple[float, float, float]] = []
        for name, (a, b) in zip(self.names, self.loadings.T * drawn_out, strict=True):
            x, y = across.place(np.array([0.0, a])), up.place(np.array([0.0, b]))
            arrows.append(line(x, y, "c5") + _tip(x, y))
            labels.append(_label(name, x, y, taken))
        return "".join(arrows + labels)


def _tip(x, y):
    """The head of an arrow."""
    start, end = (np.array([x[i] * FRAME[0], (1 - y[i]) * FRAME[1]]) for i in (0, 1))
    along = (end - start) / (np.hypot(*(end - start)) or 1.0)
    aside = np.array([-along[1], along[0]])
    corners = [end, end - 9 * along + 4 * aside, end - 9 * along - 4 * aside]
    return f'<polygon class="c5" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}"/>'


def _label(name, x, y, taken):
    """The name at the end of an arrow, inside the frame, and below those that stand there."""
    words = clip(name, 24)
    wide = width_of(words, 13)
    left = x[1] * FRAME[0] + (6 if x[1] >= x[0] else -6 - wide)
    left = min(max(left, 4.0), FRAME[0] - wide - 4)
    top = min(max((1 - y[1]) * FRAME[1] + 4, 14.0), FRAME[1] - 6)
    while any(abs(top - other) < 15 and left < end and start < left + wide for other, start, end in taken):
        top += 15
    taken.append((top, left, left + wide))
    behind = f'x="{left - 2:.1f}" y="{top - 12:.1f}" width="{wide + 4:.1f}" height="16" rx="3"'
    return f'<rect class="paper" fill-opacity=".78" {behind}/>{text(left, top, words, "")}'


def draw_rows(title, names, scores, y=None, arrows=None) -> Picture:
    """Rows by their first two scores, coloured by classes, or in one colour."""
    if scores.shape[1] < 2:
        raise DataError("there is one component, and a scatter plot needs two; see draw_scree, or the scores")
    some = np.unique(np.linspace(0, len(scores) - 1, min(len(scores), _MOST_DOTS)).round().astype(np.intp))
    across, up = Numbers(names[0], scores[:, 0]), Numbers(names[1], scores[:, 1])
    look = "many" if len(some) > _FEW_DOTS else "dot"
    looks, key, told = [f"{look} c0"] * len(some), [], None
    if y is not None:
        classes, codes = _classes(y, len(scores))
        colour = [f"c{k}" if k < COLOURS else RARE for k in range(len(classes))]
        looks = [f"{look} {colour[k]}" for k in codes[some]]
        told = [classes[k] for k in codes[some]]
        key = [(colour[k], name) for k, name in enumerate(classes[:COLOURS])]
        key += [(RARE, "others")] if len(classes) > COLOURS else []
    inside = "".join(dots(across.place(scores[some, 0]), up.place(scores[some, 1]), looks, told))
    notes = [
        f"{len(scores):,} rows." if len(some) == len(scores) else f"{len(some):,} of {len(scores):,} rows."
    ]
    if arrows is not None:
        inside += arrows.svg(across, up)
        left = f" The {len(arrows.names)} longest of {len(arrows.names) + arrows.left_out}."
        notes.append("Arrows: the loadings of the columns." + left * (arrows.left_out > 0))
    above, tall = legend(key)
    body, width, height = framed(across, up, inside, above, tall)
    return Picture(
        title, f"{names[1]} over {names[0]}. " + " ".join(notes), tuple(notes), body, width, height
    )


def _classes(y, n):
    """The classes in order of frequency, and the code of each row."""
    labels = [as_text(label) for label in (y.tolist() if hasattr(y, "tolist") else list(y))]
    if len(labels) != n:
        raise DataError(f"y has {len(labels)} values for {n} rows")
    values, codes, counts = np.unique(
        np.array(labels, dtype=object).astype(str), return_inverse=True, return_counts=True
    )
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(values), dtype=np.intp)
    rank[order] = np.arange(len(values))
    return values[order].tolist(), rank[codes]
