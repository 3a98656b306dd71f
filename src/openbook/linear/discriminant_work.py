"""The readable twin of the discriminants: from priors, means and covariances to the probabilities of a row.

It works in units of the columns and solves its own equations, so tests compare it with the model.
"""

import math

import numpy as np

from openbook.border.learner import class_names
from openbook.border.priors import prior_steps
from openbook.linear.held_out import SHRINKAGES
from openbook.linear.logistic_work import softmax_steps
from openbook.words.numbers import figure, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: Columns of a matrix that can be looked at, rows of a table, terms of a sum.
_SHOWN_COLUMNS = 8
_SHOWN_ROWS = 40
_SHOWN_TERMS = 5


def derive_model(model) -> Work:
    """How the model was learnt: priors, means, covariances and, if they are linear, the discriminants."""
    parts = [_priors(model), model.encoding_.work(), _means(model), *_shrinkages(model), *_covariances(model)]
    if hasattr(model, "coef_"):
        lines = [_line(model, c) for c in range(len(model.classes_))]
        rows = [list(row) for row in zip(["1", *_names(model)], *lines, strict=True)]
        parts.append(_cut("discriminants", ["column", *class_names(model)], rows, "a sum of columns each"))
    title = f"{_name(model)} for {model.target_}: how it was fitted"
    return Work(title, tuple(parts), "; ".join(model.notes_))


def _name(model):
    return "Linear discriminant" if hasattr(model, "coef_") else "Quadratic discriminant"


def _names(model):
    return [model.encoding_.names[j] for j in model.used_]


def _priors(model):
    return Work(
        "prior", tuple(prior_steps(model, class_names(model), model.statistics_.weight, model.priors_))
    )


def _means(model):
    return _cut("means", ["column", *class_names(model)], _by_column(model, *model.means_.tolist()), "")


def _by_column(model, *rows):
    """Rows of numbers as lines of a grid, one for each column."""
    lines = zip(_names(model), *rows, strict=True)
    return [[name, *(model.schema_.told(name, number) for number in line)] for name, *line in lines]


def _covariances(model):
    """The matrices, where they are small enough to be looked at."""
    names = _names(model)
    if len(names) > _SHOWN_COLUMNS:
        size = f"{len(names)} by {len(names)} figures"
        return [Step("covariance", r"S = \frac{1}{N} \sum_i (x_i - \mu)(x_i - \mu)^\top", note=size)]
    if not hasattr(model, "covariances_"):  # of each class
        matrices = {"covariance of all classes": model.covariance_}
    else:
        titles = [f"covariance of {label}" for label in class_names(model)]
        matrices = dict(zip(titles, model.covariances_, strict=True))
    divisor = {"mle": "divided by the rows", "sample": "divided by rows minus classes"}[model.variance]
    shrinkage = getattr(model, "shrinkage_", model.shrinkage)
    note = divisor + (f"; shrinkage {figure(shrinkage)}" if shrinkage else "")
    return [
        Grid(title, ["", *names], [[n, *row] for n, row in zip(names, m.tolist(), strict=True)], note)
        for title, m in matrices.items()
    ]


def _shrinkages(model):
    """The likelihood of held-out rows under each shrinkage, where it was chosen by that."""
    if model.shrinkage != "cv":
        return []
    rows = [[figure(s), float(log)] for s, log in zip(SHRINKAGES, model.likelihoods_, strict=True)]
    note = f"the likeliest: {figure(model.shrinkage_)}"
    return [Grid("shrinkage", ["shrinkage", "log-likelihood of held-out rows"], rows, note)]


def _line(model, c):
    """The constant and the coefficients of a class's linear discriminant, from means and covariance."""
    mean, prior = model.means_[c], float(model.priors_[c])
    slope = np.linalg.solve(model.covariance_, mean)
    constant = (math.log(prior) if prior > 0 else -math.inf) - 0.5 * float(mean @ slope)
    return [constant, *slope.tolist()]


def derive_row(model, X) -> Work:
    """How the prediction of a one-row table was made."""
    encoding, used, labels = model.encoding_, model.used_, class_names(model)
    x = encoding(X)[0][used] * encoding.scale[used] + encoding.shift[used]
    rows = _by_column(model, x.tolist(), *model.means_.tolist())
    grid = _cut("row", ["column", "x", *(f"mean of {label}" for label in labels)], rows, "")
    derive = _linear if hasattr(model, "coef_") else _quadratic
    scores, works = [], []
    for c, label in enumerate(labels):
        score, steps = derive(model, c, x)
        scores.append(score)
        works.append(Work(f"if {label}", tuple(steps)))
    posterior, shares = softmax_steps(labels, scores, r"\frac{e^{\delta_c}}{\sum_k e^{\delta_k}}")
    end = f"The largest: {model.target_} = {labels[shares.index(max(shares))]}."
    title = f"{_name(model)} for {model.target_}: one prediction"
    return Work(title, (_priors(model), grid, *works, Work("posterior", posterior)), end)


def _linear(model, c, x):
    """The discriminant as a sum over the columns, and the step that shows it."""
    constant, *slope = _line(model, c)
    score = constant + math.fsum(b * v for b, v in zip(slope, x.tolist(), strict=True))
    terms = [figure(constant), *(rf"{signed(b)} \cdot {signed(v)}" for b, v in zip(slope, x, strict=True))]
    formula = r"\ln P(c) - \frac{1}{2} \mu_c^\top S^{-1} \mu_c + \sum_j (S^{-1} \mu_c)_j x_j"
    return score, [_discriminant(class_names(model)[c], formula, joined(terms, most=_SHOWN_TERMS + 1), score)]


def _quadratic(model, c, x):
    """The discriminant, and the steps to it: the distance to the mean, the size of the covariance."""
    label, prior = class_names(model)[c], float(model.priors_[c])
    covariance, gap = model.covariances_[c], x - model.means_[c]
    distance = float(gap @ np.linalg.solve(covariance, gap))
    size = float(np.linalg.slogdet(covariance)[1])
    log_prior = math.log(prior) if prior > 0 else -math.inf
    score = log_prior - 0.5 * size - 0.5 * distance
    half = r"\frac{1}{2}"
    numbers = rf"{signed(log_prior)} - {half} \cdot {signed(size)} - {half} \cdot {figure(distance)}"
    formula = rf"\ln P(c) - {half} \ln |S_c| - {half} d^2"
    return score, [
        Step(f"d²({label})", r"(x - \mu_c)^\top S_c^{-1} (x - \mu_c)", result=distance),
        Step(f"ln |S({label})|", r"\ln |S_c|", result=size),
        _discriminant(label, formula, numbers, score),
    ]


def _discriminant(label, formula, numbers, score):
    if score == -math.inf:
        return Step(f"δ({label})", result="minus infinity", note="no row is of this class")
    return Step(f"δ({label})", formula, numbers, score)


def _cut(title, header, rows, note):
    """A table, no longer than can be looked at."""
    if len(rows) > _SHOWN_ROWS:
        note = f"{note}; " if note else ""
        note += f"{len(rows) - _SHOWN_ROWS} more columns"
        rows = rows[:_SHOWN_ROWS]
    return Grid(title, header, rows, note)
