"""Pictures of projections: what each component explains, rows by two of them, and columns as arrows."""

import numpy as np

from openbook.draw import Marks, Numbers, Picture
from openbook.draw.columns import Groups, rows_drawn
from openbook.draw.plot import Plot
from openbook.errors import DataError

#: The most arrows.
_MOST_ARROWS = 10

#: The length of the longest arrow, as a share of the axes; shorter arrows than this share of it are left out.
_REACH, _SHORT = 0.85, 0.25


def draw_scree(model) -> Picture:
    """The share of the variance that each component explains, and that of all up to it."""
    shares = model.explained_variance_ratio_
    n = len(shares)
    at, so_far = np.arange(n, dtype=float), np.cumsum(shares)
    across = Marks("component", tuple(str(c + 1) for c in range(n)), at)
    plot = Plot(across, Numbers.between("share of the variance", 0, 1))
    captions = [f"component {c + 1}: {share:.1%}" for c, share in enumerate(shares)]
    plot.line(at, shares, "c0", "each")
    plot.line(at, so_far, "c1 dashed", "cumulative")
    plot.dots(at, shares, "dot c0", captions)
    plot.dots(at, so_far, "dot c1", [f"the first {c + 1}: {share:.1%}" for c, share in enumerate(so_far)])
    note = f"{n} components explain {so_far[-1]:.1%} of the variance."
    return plot.picture("Scree plot", (note,), "; ".join([*captions, note]))


def draw_biplot(model, X, y=None, title="Biplot of the principal components") -> Picture:
    """Rows by their first two components, and the columns as arrows: their loadings, drawn out."""
    ratios = model.explained_variance_ratio_[:2]
    names = [f"component {c} ({share:.1%})" for c, share in enumerate(ratios, start=1)]
    return draw_rows(title, names, model.transform(X), y, _Arrows(model))


class _Arrows:
    """The columns of the largest loadings on the first two components."""

    def __init__(self, model):
        sizes = np.hypot(*model.components_[:2]) if len(model.components_) > 1 else np.zeros(0)
        order = np.argsort(-sizes, kind="stable")
        chosen = [j for j in order[:_MOST_ARROWS] if sizes[j] >= _SHORT * sizes[order[0]]]
        self.loadings = model.components_[:2, chosen]
        self.names = [model.encoding_.names[j] for j in chosen]
        self.left_out = len(sizes) - len(chosen)

    def onto(self, plot):
        """The arrows from the middle, the longest as long as the frame allows, each with its name."""
        low, high = np.array([plot.across.span, plot.up.span]).T[:, :, None]
        factors = np.where(self.loadings > 0, high, -low) / np.maximum(np.abs(self.loadings), 1e-12)
        tips = _REACH * factors.min(initial=np.inf) * self.loadings
        for a, b in tips.T:
            plot.arrow([0, a], [0, b], "c5")
        plot.labels(*tips, self.names)


def draw_rows(title, names, scores, y=None, arrows=None) -> Picture:
    """Rows by their first two scores, coloured by classes, or in one colour."""
    if scores.shape[1] < 2:
        raise DataError("there is one component, and a scatter plot needs two; see draw_scree, or the scores")
    groups = Groups.none(len(scores)) if y is None else Groups.of(y.tolist() if hasattr(y, "tolist") else y)
    if len(groups.codes) != len(scores):
        raise DataError(f"y has {len(groups.codes)} values for {len(scores)} rows")
    plot = Plot(Numbers(names[0], scores[:, 0]), Numbers(names[1], scores[:, 1]))
    some = groups.dots(plot, scores[:, 0], scores[:, 1])
    notes = [f"{rows_drawn(some, len(scores))}."]
    if arrows is not None:
        arrows.onto(plot)
        left = f" The {len(arrows.names)} longest of {len(arrows.names) + arrows.left_out}."
        notes.append("Arrows: the loadings of the columns." + left * (arrows.left_out > 0))
    return plot.picture(title, notes, f"{names[1]} over {names[0]}. " + " ".join(notes))
