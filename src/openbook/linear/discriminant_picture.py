"""The classes of a discriminant as ellipses: one and two standard deviations of each normal distribution.

Where there is one column, the densities themselves. Without columns given, those two are drawn whose class
means are farthest apart, measured by the spread within the classes.
"""

import numpy as np

from openbook.border.learner import class_names
from openbook.draw import Numbers
from openbook.draw.charts import line_chart
from openbook.draw.colours import COLOURS, colour_of
from openbook.draw.plot import Plot
from openbook.errors import DataError, ParameterError, UnknownColumn

_PLACES = 200


def draw_normals(model, columns):
    """The picture; see the module."""
    names = [model.encoding_.names[j] for j in model.used_]
    means = model.means_
    quadratic, title = hasattr(model, "covariances_"), f"{type(model).__name__} for {model.target_}"
    covariances = model.covariances_ if quadratic else [model.covariance_] * len(means)
    shape = "A covariance for each class." if quadratic else "One covariance for all classes."
    if not names:
        raise DataError("no column is used, so there is nothing to draw")
    if len(names) == 1:
        return _densities(model, names[0], means[:, 0], np.sqrt([c[0, 0] for c in covariances]), title, shape)
    at = _chosen(names, columns, means, covariances, model.priors_)
    spread = [np.sqrt(np.diag(covariance))[at] for covariance in covariances]
    ends = [np.array([m[at] + s * 2 * d for m, d in zip(means, spread, strict=True)]) for s in (-1, 1)]
    lows, highs = ends[0].min(axis=0), ends[1].max(axis=0)
    across, up = (Numbers.between(names[j], *ends) for j, *ends in zip(at, lows, highs, strict=True))
    plot = Plot(across, up)
    for c, label in enumerate(class_names(model)):
        look = colour_of(c)
        covariance = covariances[c][np.ix_(at, at)]
        plot.ellipse(means[c, at], covariance, 1, look, label if c < COLOURS else "")
        plot.ellipse(means[c, at], covariance, 2, f"{look} dashed")
        plot.dots(means[[c], at[0]], means[[c], at[1]], f"dot {look}", [f"mean of {label}"])
    notes = [f"{shape} Ellipses: one and two standard deviations around the means."]
    return plot.picture(title, notes)


def _densities(model, name, means, spreads, title, shape):
    places = np.linspace((means - 4 * spreads).min(), (means + 4 * spreads).max(), _PLACES)
    lines = {
        label: (places, prior / (s * np.sqrt(2 * np.pi)) * np.exp(-(((places - m) / s) ** 2) / 2))
        for label, prior, m, s in zip(class_names(model), model.priors_, means, spreads, strict=True)
    }
    return line_chart(title, (name, "prior times density"), lines, (shape,))


def _chosen(names, columns, means, covariances, priors):
    """The positions of two columns, as given or the two that tell the classes apart best."""
    if columns is None:
        within = sum(p * np.diag(c) for p, c in zip(priors, covariances, strict=True))
        between = priors @ (means - priors @ means) ** 2
        return np.sort(np.argsort(-between / within, kind="stable")[:2])
    if isinstance(columns, str) or len(columns) != 2 or columns[0] == columns[1]:
        raise ParameterError(f"columns must be two different columns, got {columns!r}")
    for name in columns:
        if name not in names:
            raise UnknownColumn(name, names)
    return np.array([names.index(name) for name in columns])
