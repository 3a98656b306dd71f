"""A network as a schematic: units in layers, weights as lines; and activations with their slopes.

A line is as thick as its weight is large, blue where it is positive and orange where it is negative. Where
there are few, the weights stand on the lines and the biases in the units. A wide layer shows its first units.
"""

from itertools import pairwise

import numpy as np

from openbook.data.attributes import as_text
from openbook.draw import Numbers, Picture
from openbook.draw.letters import clip, fitting, safe, text, width_of
from openbook.draw.plot import Plot, panels
from openbook.errors import ParameterError
from openbook.neural.activations import ACTIVATIONS, HIDDEN
from openbook.words.numbers import figure
from openbook.words.sentences import plural

#: Units of a layer that are drawn; lines with their weights beside them.
_MOST_UNITS, _FEW_LINES = 10, 30
_APART, _DOWN, _RADIUS = 250, 68, 18


def draw_layers(model):
    """The picture of a fitted network."""
    names = _unit_names(model)
    drawn = [min(len(layer), _MOST_UNITS) for layer in names]
    tall = _DOWN * max(drawn)
    left, right = (
        max(width_of(clip(name, 24), 13) for name in names[end][:_MOST_UNITS]) + _RADIUS + 14
        for end in (0, -1)
    )
    at = [
        np.column_stack([np.full(n, left + _APART * i), tall / 2 + _DOWN * (np.arange(n) - (n - 1) / 2)])
        for i, n in enumerate(drawn)
    ]
    few = sum(a * b for a, b in pairwise(drawn)) <= _FEW_LINES
    parts = [*_lines(model, at, few=few), *_units(model, at, names, few=few)]
    notes = "Blue: positive weights, orange: negative; the thicker, the larger." + " In units: biases." * few
    title = f"Network of {' - '.join(str(len(layer)) for layer in names)} units"
    description = (
        f"{plural(len(model.coefs_), 'layer')} of weights, {model.complexity():,} weights and biases."
    )
    width = max(left + _APART * (len(at) - 1) + right, 420)
    return Picture(title, description, (notes,), "".join(parts), width, tall + 30)


def _unit_names(model):
    """Names of the units of each layer: the encoded columns, nothing, and the classes or the target."""
    names = [list(model.encoding_.names), *([""] * len(biases) for biases in model.intercepts_)]
    labels = [as_text(label) for label in getattr(model, "classes_", ())] or [getattr(model, "target_", "")]
    if len(labels) == 2 and len(names[-1]) == 1:
        labels = labels[1:]  # one unit is the probability of the second class
    if len(labels) == len(names[-1]):
        names[-1] = labels
    return names


def _lines(model, at, *, few):
    """The weights as lines, and then as numbers, where they are few."""
    largest = max(float(np.abs(weights).max(initial=0.0)) for weights in model.coefs_) or 1.0
    written = []
    for weights, starts, ends in zip(model.coefs_, at, at[1:], strict=False):
        for j, end in enumerate(ends):
            for i, start in enumerate(starts):
                weight = float(weights[i, j])
                yield _line(start, end, weight, largest)
                x, y = start + (0.2 + 0.5 * j / max(len(ends) - 1, 1)) * (end - start)  # they do not meet
                written.append(text(x, y + 4, figure(weight, 3), "small figure middle tag"))
    yield from written if few else ()


def _units(model, at, names, *, few):
    for layer, (places, words) in enumerate(zip(at, names, strict=True)):
        for k, (x, y) in enumerate(places):
            yield _unit(x, y, float(model.intercepts_[layer - 1][k]) if layer else None, few=few)
            side, look = (-1, "last") if layer == 0 else (1, "")
            yield text(x + side * (_RADIUS + 6), y + 4, clip(words[k], 24), look)
        if len(words) > len(places):
            yield text(places[-1][0], places[-1][1] + 34, f"… {len(words) - len(places)} more", "soft middle")


def _line(start, end, weight, largest):
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    thick = f'style="stroke-width: {0.4 + 4 * abs(weight) / largest:.2f}"'
    title = f"<title>{figure(weight, 4)}</title>"
    return f'<line class="line {"c0" if weight >= 0 else "c5"}" {thick} {ends}>{title}</line>'


def _unit(x, y, bias, *, few):
    circle = f'<circle class="ring c8" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}"/>'
    if bias is None:
        return circle
    words = fitting(figure(bias, 2), 2 * _RADIUS - 4, 11)
    return circle + (text(x, y + 4, words, "small figure middle") if few else f"<title>{safe(words)}</title>")


def draw_activations(names=None):
    """Activation functions and their slopes, side by side.

    Parameters
    ----------
    names : sequence of str or None, default=None
        The activations, as the networks' parameter `activation` has them; None for all.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/networks.md

    Examples
    --------
    >>> draw_activations(("logistic", "relu")).told
    'logistic: slope at most 0.25; relu: slope at most 1.'
    """
    names = HIDDEN if names is None else names
    if odd := [name for name in names if name not in HIDDEN]:
        raise ParameterError(f"no activation {odd[0]!r} of a single unit; choose from {', '.join(HIDDEN)}")
    z = np.linspace(-4, 4, 401)
    plots, descriptions = [], []
    for name in names:
        answer, slope = z[:, None].copy(), np.ones((len(z), 1))
        ACTIVATIONS[name].apply(answer)
        ACTIVATIONS[name].slope(answer, slope)
        low, high = min(float(answer.min()), 0.0), max(float(answer.max()), 1.0)
        plot = Plot(Numbers.between("z", -4, 4), Numbers.between("", low, high), (230, 170))
        plot.line(z, slope[:, 0], "c1 dashed", "slope")
        jumps = np.abs(np.diff(answer[:, 0])) > 0.5
        plot.line(z, np.where(np.r_[jumps, False], np.nan, answer[:, 0]), "c0", "activation")
        plots.append(plot)
        descriptions.append(f"{name}: slope at most {figure(float(slope.max()), 4)}")
    steps = [name for name in names if name in ("sign", "step")]
    note = f"{' and '.join(steps)}: the slope is 0; training takes it for 1, so that errors pass."
    notes = (note,) if steps else ()
    return panels(plots, list(names), 3, "Activations and their slopes", notes, f"{'; '.join(descriptions)}.")
