"""The readable twin of the perceptron: every row that it meets, by hand, and the tables that show it.

theta is a list of weights, bias first, for two classes, and a list of such lists, one for each class, for
more. The twin uses nothing that the kernel uses, so tests compare the two.
"""

import math
from itertools import islice
from typing import Any, NamedTuple

from openbook.border.learner import class_names
from openbook.text.columns import telling_words
from openbook.words.numbers import figure, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: Meetings that are shown one by one; rows of a table of epochs, of weights, of terms; figures of a vector.
_SHOWN_MEETINGS = 60
_SHOWN_ROWS = 40
_SHOWN_FIGURES = 6


class Meeting(NamedTuple):
    """A row as it was met: its position, scores, predicted and true class, its weight, and theta after it."""

    row: int
    scores: list[float]
    predicted: int
    truth: int
    weight: float
    theta: list[list[float]]


def met(rows, order, theta, step, one=1.0):
    """One epoch: each row in turn, again and again while it is wrong and some of its weight is left.

    `one` stands before every row, for the bias; 0 if there is none.
    """
    for i in order:
        x, truth, left = rows[i]
        while left > 0:
            scores = scores_of(theta, x)
            predicted = perceptron_answer(scores)
            if predicted == truth:
                yield Meeting(i, scores, predicted, truth, left, theta)
                break
            share = min(left, 1.0)
            theta = _changed(theta, [one, *x], truth, predicted, step * share)
            yield Meeting(i, scores, predicted, truth, share, theta)
            left -= share


def scores_of(theta, x):
    """The scores theta . (1, x) of each class, or of the one plane between two."""
    return [math.fsum(t * v for t, v in zip(weights, [1.0, *x], strict=True)) for weights in theta]


def perceptron_answer(scores):
    """The code of the class that is predicted."""
    return int(scores[0] >= 0) if len(scores) == 1 else scores.index(max(scores))


def _changed(theta, x, truth, predicted, step):
    """Theta + step (y - answer) x."""
    if len(theta) == 1:
        gains = [2 * (truth - predicted)]
    else:
        gains = [(c == truth) - (c == predicted) for c in range(len(theta))]
    return [
        [t + step * gain * v for t, v in zip(weights, x, strict=True)]
        for weights, gain in zip(theta, gains, strict=True)
    ]


def replay(rows, orders, theta, step, one=1.0):
    """The meetings of each epoch."""
    for order in orders:
        epoch = list(met(rows, order, theta, step, one))
        theta = epoch[-1].theta
        yield epoch


def average(meetings):
    """The mean of the weights after each meeting."""
    total = math.fsum(meeting.weight for meeting in meetings)
    size, planes = len(meetings[0].theta[0]), len(meetings[0].theta)
    return [
        [math.fsum(m.weight * m.theta[c][j] for m in meetings) / total for j in range(size)]
        for c in range(planes)
    ]


def derive_model(model) -> Work:
    """How the model was learnt: the rule, the epochs row by row where the rows were kept, the weights."""
    parts = [*_rule(model), *_encoding(model)]
    epochs = list(replayed(model, *model.rows_))
    shown = 0
    for i, epoch in enumerate(epochs, start=1):
        if (shown := shown + len(epoch)) <= _SHOWN_MEETINGS:
            parts.append(_epoch_grid(model, i, epoch))
    parts += [_epochs_grid(model, epochs), _weights_grid(model)]
    return Work(f"Perceptron for {model.target_}: how it was fitted", tuple(parts), _outcome(model))


def _rule(model):
    labels, eta = class_names(model), figure(model.eta0)
    first = "x begins with a 1 for the bias" if model.fit_intercept else "x begins with a 0: there is no bias"
    if len(labels) == 2:
        signs = "sign(0) = +1" if labels == ["-1", "1"] else f"sign(0) = +1 is {labels[1]}, -1 is {labels[0]}"
        yield Step("answer", r"\hat{y} = \operatorname{sign}(\theta \cdot x)", note=signs)
        note = f"at every mistake; η = {eta}; {first}"
    else:
        yield Step("answer", r"\hat{y} = \arg\max_c \theta_c \cdot x", note="ties: the first class")
        note = f"at every mistake; η = {eta}; y and ŷ are 1 for their class; {first}"
    yield Step("change", r"\theta \gets \theta + \eta (y - \hat{y}) x", note=note)


def _encoding(model):
    """How columns became numbers, where they are not simply numbers."""
    if model.encoding_.names != model.schema_.names or model.scale:
        yield model.encoding_.work()


def replayed(model, x, y, w):
    """The meetings of each epoch of a fitted model with these encoded rows, their classes and weights."""
    rows = list(zip(x.tolist(), y.tolist(), w.tolist(), strict=True))
    if not rows:
        return iter(())
    orders = (range(len(rows)) if order is None else order.tolist() for order in model._orders(len(rows)))  # noqa: SLF001 (its twin)
    start = model._first_weights().tolist()  # noqa: SLF001 (the learner's own twin)
    return replay(rows, islice(orders, model.n_iter_), start, model.eta0, float(model.fit_intercept))


def _epoch_grid(model, number, epoch):
    """An epoch, row by row."""
    labels, two = class_names(model), len(model.classes_) == 2
    xs = model.rows_[0].tolist()
    rows = []
    for meeting in epoch:
        wrong = meeting.predicted != meeting.truth
        x = (float(model.fit_intercept), *xs[meeting.row])
        if two:
            predicted, truth = (("-1", "+1")[code] for code in (meeting.predicted, meeting.truth))
            score, changed = meeting.scores[0], [0]
        else:
            predicted, truth = labels[meeting.predicted], labels[meeting.truth]
            score, changed = tuple(meeting.scores), [meeting.truth, meeting.predicted]
        after = [tuple(meeting.theta[c]) if wrong else None for c in changed]
        rows.append([meeting.row, x, score, predicted, truth, *after])
    wrong = sum(meeting.predicted != meeting.truth for meeting in epoch)
    note = f"{wrong} of {len(epoch)} wrong" if wrong else "no mistake"
    heads = ["θ after the change"] if two else ["θ of y after the change", "θ of ŷ after the change"]
    return Grid(f"epoch {number}", ["row", "x", "θ · x", "ŷ", "y", *heads], rows, note)


def _epochs_grid(model, epochs):
    """The changes of every epoch and, where the rows were kept, the weights after it."""
    two = len(model.classes_) <= 2
    rows: list[list[Any]] = [[i, int(count)] for i, count in enumerate(model.updates_, start=1)]
    header = ["epoch", "changes"]
    if epochs and two:
        header.append("θ")
        rows = [[*row, tuple(epoch[-1].theta[0])] for row, epoch in zip(rows, epochs, strict=True)]
    note = "" if epochs else "rows are shown only for small tables"
    if len(rows) > _SHOWN_ROWS:
        note = f"{note}; " if note else ""
        note += f"{len(rows) - _SHOWN_ROWS} epochs before the last are left out"
        rows = [*rows[: _SHOWN_ROWS - 1], rows[-1]]
    return Grid("epochs", header, rows, note)


def _weights_grid(model):
    """The weights that became the model, in units of the columns."""
    names = ["bias", *model.encoding_.names]
    by_plane = [[b, *row] for b, row in zip(model.intercept_.tolist(), model.coef_.tolist(), strict=True)]
    heads = ["θ"] if len(by_plane) == 1 else [f"θ({label})" for label in class_names(model)]
    rows = [list(row) for row in zip(names, *by_plane, strict=True)]
    which = {
        "last": "the last weights",
        "pocket": "the weights with the fewest errors on the training rows, of those tried",
        "average": "the average of the weights after each row",
    }[model.keep]
    note = which + (", in units of the columns" if model.scale else "")
    if len(rows) > _SHOWN_ROWS:
        note += f"; {len(rows) - _SHOWN_ROWS} more columns"
        rows = rows[:_SHOWN_ROWS]
    return Grid("weights", ["column", *heads], rows, note)


def _outcome(model):
    n = model.n_iter_
    if n == 0:
        return "No epochs were requested: the weights are those given."
    if model.converged_:
        return f"Converged: epoch {n} had no mistakes."
    wrong = f"Not converged: {model.updates_[-1]} mistakes in epoch {n}, the last one."
    if model.cycle_:
        first, again = model.cycle_
        wrong += f" The weights after epoch {again} are those after epoch {first}, so training"
        wrong += " repeats itself: no plane separates the classes."
    return wrong


def derive_row(model, X) -> Work:
    """How the prediction of a one-row table was made."""
    labels = class_names(model)
    x = model.encoding_.row(X).tolist()
    theta = model.weights_.reshape(-1, len(x) + 1).tolist()
    scores = scores_of(theta, x)
    names = ["bias", *model.encoding_.names]
    heads = [""] if len(theta) == 1 else [f" ({label})" for label in labels]
    header = ["column", "x", *(f"θ{head}" for head in heads)]
    rows: list[Any] = [list(row) for row in zip(names, [1.0, *x], *theta, strict=True)]
    if words := model.encoding_.words:
        header += [f"θ x{head}" for head in heads]
        with_terms = [(*row, *(weight * row[1] for weight in row[2:])) for row in rows]
        rows = telling_words(words, with_terms, len(theta))
    left_out = f"{len(rows) - _SHOWN_ROWS} more columns" if len(rows) > _SHOWN_ROWS else ""
    grid = Grid("terms", header, rows[:_SHOWN_ROWS], left_out)
    steps = [
        Step(f"θ · x{head}", r"\sum_j \theta_j x_j", _terms(weights, [1.0, *x]), score)
        for head, weights, score in zip(heads, theta, scores, strict=True)
    ]
    if len(labels) == 1:
        predicted, why = labels[0], "There is only one class"
    elif len(theta) == 1:
        predicted = labels[perceptron_answer(scores)]
        why = f"θ · x is {'at least' if scores[0] >= 0 else 'below'} 0"
    else:
        predicted, why = labels[perceptron_answer(scores)], "The largest θ · x decides"
    title = f"Perceptron for {model.target_}: one prediction"
    return Work(title, (grid, *steps), f"{why}: {model.target_} = {predicted}.")


def _terms(weights, x):
    """The products that a score adds up, the middle left out where they are many."""
    products = (rf"{signed(t)} \cdot {signed(v)}" for t, v in zip(weights, x, strict=True))
    return joined(products, most=_SHOWN_FIGURES)
