"""Pictures of clusters: regions over two columns, rows, centres; and the iterations of a fit.

Two columns vary, and the others stay at their mean or mode. A row that belongs to no cluster is grey, and so
is the part of the plane that belongs to none.
"""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from openbook.data import Numeric
from openbook.draw import Numbers
from openbook.draw.colours import colour_of
from openbook.draw.columns import Groups, drawn_rows, rows_drawn
from openbook.draw.plot import FRAME, Plot, panels
from openbook.draw.sweep import Sweep
from openbook.errors import DataError
from openbook.reduce import PCA
from openbook.words.numbers import figure
from openbook.words.sentences import plural

_SMALL, _PANELS, _MOST_DOTS = (250, 200), 6, 500
_ELLIPSES = "Ellipses: one and two standard deviations of each component."


def two_columns(table, columns):
    """The two columns to draw by, or None if they must be found otherwise."""
    if columns is not None:
        return Sweep.over_two(table, columns)
    if len(table.names) == 2 and table.schema.of(Numeric) == table.names:
        return Sweep(table, table.names)
    return None


def means_in(encoding, means, names):
    """Means of encoded columns in two columns of numbers, in their units; None if one is no number."""
    known = encoding.names
    if not set(names) <= set(known):
        return None
    at = [known.index(name) for name in names]
    return means[:, at] * encoding.scale[at] + encoding.shift[at]


def cluster_groups(labels):
    """A colour for each cluster, in the order of their numbers."""
    names = [None if label < 0 else f"cluster {label}" for label in labels.tolist()]
    return Groups.of(names, [f"cluster {c}" for c in range(labels.max(initial=-1) + 1)], "no cluster")


class _Scene:
    """Rows over two columns, drawn again for each model or step."""

    def __init__(self, sweep):
        self.sweep, self.axes = sweep, tuple(own.axis for own in sweep.columns)
        self.rows = drawn_rows(len(sweep.table), _MOST_DOTS)
        self.some = sweep.table.take(self.rows)
        self.at = [own.values(self.some) for own in sweep.columns]

    def plot(self, label, centres, size, *, regions=True):
        """Rows, regions by the cluster that `label` gives a table, and centres, (k, 2) or None."""
        plot = Plot(self.axes[0], self.axes[1], size)
        groups = cluster_groups(label(self.some))
        if regions:
            codes = self.sweep.codes(label)
            unseen = range(len(groups.looks), codes.max(initial=-1) + 1)
            plot.regions(codes, [*groups.looks, *("c8" for _ in unseen)])
        groups.dots(plot, *self.at, aside=True, size=4 if size == FRAME else 3)
        if centres is not None:
            captions = [f"centre of cluster {c}" for c in range(len(centres))]
            (x, y), large = centres.T, size == FRAME
            plot.dots(x, y, "halo", size=8 if large else 5.5)
            plot.dots(x, y, "ink", captions, size=5 if large else 3)
            plot.named("ink", "centre")
        return plot

    def notes(self):
        return [f"{rows_drawn(len(self.rows), len(self.sweep.table))}.", *self.sweep.note()]


def draw_regions(model, sweep, centres):
    """The clusters of a fitted model over two columns."""
    scene = _Scene(sweep)
    return scene.plot(model.predict, centres, FRAME).picture(_title(model, scene.some), scene.notes())


def draw_components(model, table):
    """The clusters of rows by their first two principal components."""
    scores, groups = PCA(2).fit_transform(table), cluster_groups(model.predict(table))
    x, y = scores.T
    plot = Plot(Numbers("first principal component", x), Numbers("second principal component", y))
    drawn = groups.dots(plot, x, y)
    return plot.picture(_title(model, table), [f"{rows_drawn(drawn, len(table))}."])


def _title(model, table):
    labels = model.predict(table)
    return f"{plural(len(set(labels[labels >= 0].tolist())), 'cluster')} of {type(model).__name__}"


def draw_prototype_steps(model, sweep):
    """The start and the first iterations of k-means and its variants: centres move, rows change."""
    course = model.history_.course
    centres = [means_in(model.encoding_, prototypes.means, sweep.names) for prototypes in course]
    scene, plots, names = _Scene(sweep), [], []
    for t in drawn_rows(len(course), _PANELS).tolist():

        def label(table, prototypes=course[t]):
            return model.space_.labels(model.space_.encode_table(table), prototypes)

        plot = scene.plot(label, centres[t], _SMALL)
        if t and centres[t] is not None:
            for before, after in zip(centres[t - 1], centres[t], strict=True):
                plot.line(*np.column_stack([before, after]), "ink")
        plots.append(plot)
        cost = f": {model.cost} {figure(model.history_.costs[t], 4)}"
        names.append(("start" if t == 0 else f"after {t}") + cost)
    notes = [*scene.notes(), "A line leads from where a centre was one iteration before."]
    return panels(plots, names, 3, f"{model.n_iter_} iterations of {model.method}", notes)


def draw_mixture(model, sweep):
    """Rows by the most probable component, and the components as ellipses."""
    scene = _Scene(sweep)
    plot = _mixture(scene, model, FRAME)
    return plot.picture(_title(model, scene.some), [*scene.notes(), _ELLIPSES])


def draw_mixture_steps(model, sweep):
    """The iterations of EM, the first ones closest together."""
    scene, plots, names = _Scene(sweep), [], []
    seed = model.random_state if isinstance(model.random_state, int) else 0
    rounds = np.unique(np.geomspace(1, model.n_iter_, _PANELS).round().astype(int)).tolist()
    for t in rounds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            step = clone(model).set_params(max_iter=t, n_init=1, random_state=seed).fit(sweep.table)
        plots.append(_mixture(scene, step, _SMALL))
        names.append(f"after {t}: ln L {figure(step.log_likelihood_, 5)}")
    return panels(plots, names, 3, f"{rounds[-1]} iterations of EM", [*scene.notes(), _ELLIPSES])


def _mixture(scene, model, size):
    known, names = list(model._typed.names), scene.sweep.names  # noqa: SLF001 (its other half)
    if not set(names) <= set(known):
        raise DataError(f"ellipses need two columns of numbers: {known}, got {list(names)}")
    at = [known.index(name) for name in names]
    plot = scene.plot(model.predict, model.means_[:, at], size, regions=False)
    components = zip(model.means_[:, at], model.component_covariances_[:, at][:, :, at], strict=True)
    for k, (mean, covariance) in enumerate(components):
        look = colour_of(k)
        plot.ellipse(mean, covariance, 1, look)
        plot.ellipse(mean, covariance, 2, f"{look} dashed")
    return plot
