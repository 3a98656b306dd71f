"""Pictures of a perceptron: its weights as bars, and the line between two classes as it moved.

The line is where theta . x = 0 over two columns; the others stay at their mean or mode. Of many changes the
first, the last and some between are drawn, the later the darker.
"""

import numpy as np

from openbook.border.learner import class_names
from openbook.draw.charts import named_bars
from openbook.draw.columns import Groups, drawn_rows
from openbook.draw.plot import Plot
from openbook.draw.sweep import Sweep, example_rows
from openbook.errors import DataError, ParameterError
from openbook.linear.perceptron_work import replayed
from openbook.words.sentences import plural

_MOST_LINES, _MOST_ROWS = 8, 2000


def draw_weights(model):
    """The weights of the encoded columns; of several classes, the largest of any."""
    weights = np.atleast_2d(model.weights_)[:, 1:]
    return weight_bars(model, f"Perceptron for {model.target_}", weights, "class")


def weight_bars(model, title, weights, unit):
    """Weights of encoded columns, (units, d), as bars; of several units, such as classes, the largest."""
    several = len(weights) > 1
    sizes = np.abs(weights).max(axis=0) if several else weights[0]
    words = f"largest |weight| of any {unit}" if several else "weight"
    note = "Columns in standard units." if model.scale else "Columns as they are."
    return named_bars(title, words, model.encoding_.names, sizes, (note,))


def draw_moving_line(model, X, y, columns):
    """The picture; see the module."""
    if len(model.classes_) != 2:
        msg = f"a line parts two classes, and there are {len(model.classes_)}; draw(X, y) shows the regions"
        raise ParameterError(msg)
    table, target, labels = example_rows(model, X, y)
    if len(table) > _MOST_ROWS:
        slow = f"{len(table):,} rows take long to go through one by one"
        raise DataError(f"{slow}; fit at most {_MOST_ROWS:,} to draw them")
    classes = class_names(model)
    groups = Groups.of(labels, classes)
    if not (groups.codes < 2).all():
        raise DataError("y has a class that the model does not know; pass the rows it learnt")
    epochs = replayed(model, model.encoding_(table), groups.codes, np.ones(len(table)))
    changes = [m.theta[0] for epoch in epochs for m in epoch if m.predicted != m.truth]
    lines = [model._first_weights()[0], *changes]  # noqa: SLF001 (its other half)
    sweep = Sweep.over_two(table, columns, model.predict)
    across, up = sweep.columns
    plot = Plot(across.axis, up.axis)
    chosen, numbers = drawn_rows(len(lines), _MOST_LINES).tolist(), []
    for position, t in enumerate(chosen):
        theta = np.array(lines[t])

        def score(rows, theta=theta):
            return model.encoding_(rows) @ theta[1:] + theta[0]

        last = t == len(lines) - 1
        look = "ink" if last else f"c5 t{2 + round(7 * position / len(chosen))}"
        for line in plot.contour(*sweep.surface(score), 0.0, look):
            x, y = line[np.argmax(line[:, 1])]
            numbers.append((x, y, str(t)))
    plot.named("c5", "earlier lines, numbered")
    plot.named("ink", f"after {plural(len(changes), 'change')}")
    groups.dots(plot, across.values(table), up.values(table), aside=True)
    x, y, words = zip(*numbers[::-1], strict=True) if numbers else ((), (), ())  # the last one has its number
    plot.labels(x, y, words, move=False)
    notes = [f"{plural(len(changes), 'change')} in {plural(model.n_iter_, 'epoch')}.", *sweep.note()]
    if len(chosen) < len(lines):
        notes[0] += f" {len(chosen)} of {len(lines)} lines are drawn."
    return plot.picture(f"The moving line of a perceptron for {target or 'class'}", notes)
