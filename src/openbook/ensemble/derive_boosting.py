"""The readable twin of gradient boosting: the first rounds step by step, and the sum behind a prediction.

It adds up the values of a row's leaves in plain Python, without the code that the learner uses to predict.
"""

import math

import numpy as np

from openbook.data.attributes import as_text
from openbook.ensemble.boosting_losses import LOSSES
from openbook.ensemble.members import shortened
from openbook.tree.engine.nodes import LEAF, cells, leaves_of
from openbook.tree.show.named_tree import named_tree
from openbook.words.numbers import figure, signed
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: The rounds that are derived step by step.
DERIVED = 2
#: The rounds that are listed behind a prediction; the others are summed up.
_LISTED = 10

_STARTS = {
    "squared_error": r"\frac{\sum_i w_i y_i}{\sum_i w_i}",
    "absolute_error": r"\operatorname{median}(y_i)",
    "huber": r"\operatorname{median}(y_i)",
    "quantile": r"Q_\alpha(y_i)",
}
_RESIDUALS = {
    "squared_error": "r = y - F",
    "absolute_error": "r = sign(y - F)",
    "huber": "r = y - F, at most δ = {bound} either way",
    "quantile": "r = α = {alpha} where y >= F, else α - 1",
    "log_loss": "r = y - p, where p follows from F",
    "exponential": "r = exp(-F) where y is 1, else -exp(F)",
}


def derive_model(model) -> Work:
    """How the model was fitted."""
    n_rounds = len(model.train_score_)
    columns = {"training": model.train_score_, "held out": model.validation_score_}
    known = {name: scores for name, scores in columns.items() if len(scores)}
    losses = [[t, *row] for t, row in enumerate(np.column_stack([*known.values()]).tolist(), start=1)]
    curve = shortened(f"mean {_loss(model).name}", ["round", *known], losses)
    end = f"{plural(n_rounds, 'round')}, {plural(len(model.trees_), 'tree')}."
    if n_rounds < model.n_estimators:
        waited = plural(model.n_iter_no_change, "round")
        end += f" It stopped as the loss of the rows held out had not fallen for {waited}."
    rounds = (_round(model, t) for t in range(min(DERIVED, n_rounds)))
    return Work(f"Gradient boosting for {model.target_}", (*_start(model), *rounds, curve), end)


def _loss(model, t=0):
    """The loss in round t."""
    loss = LOSSES[model.loss](len(model.start_), model.alpha)
    if model.loss == "huber":
        loss.bound = float(model.bounds_[t])
    return loss


def _scores(model):
    """What derivations call the score of each output."""
    if len(model.start_) == 1:
        return ["F"]
    return [f"F({as_text(label)})" for label in model.classes_.tolist()]


def _start(model):
    """F before the first round."""
    names, starts = _scores(model), model.start_.tolist()
    if model.init == "zero":
        return [Step(f"{name}, at first", result=0.0) for name in names]
    if model.loss in _STARTS:
        return [Step("F, at first", _STARTS[model.loss], result=starts[0])]
    if len(names) > 1:
        steps = zip(names, starts, strict=True)
        return [Step(f"{name}, at first", r"\ln P(c)", rf"\ln {figure(math.exp(f))}", f) for name, f in steps]
    times, half = (2, r"\frac{1}{2} ") if model.loss == "exponential" else (1, "")
    share = 1 / (1 + math.exp(-times * starts[0]))
    numbers = rf"{half}\ln \frac{{{figure(share)}}}{{{figure(1 - share)}}}"
    note = f"P is the share of {as_text(model.classes_.tolist()[1])}"
    return [Step("F, at first", rf"{half}\ln \frac{{P}}{{1 - P}}", numbers, starts[0], note=note)]


def _round(model, t):
    """The derivation of a round: residuals of the first rows, a tree for each score, and F after it."""
    names, parts = _scores(model), []
    y, F = model.first_rounds_.y, model.first_rounds_.F
    loss = _loss(model, t)
    r = loss.residuals(y, F[t])
    note = _RESIDUALS[model.loss].format(bound=figure(loss.bound), alpha=figure(model.alpha))
    for k, name in enumerate(names):
        of = "" if len(names) == 1 else f" of {name}"
        figures = np.column_stack([y[:, k], F[t][:, k], r[:, k]]).tolist()
        rows = [[i, *row] for i, row in enumerate(figures)]
        parts.append(shortened(f"residuals{of}", ["row", "y", name, "r"], rows, note))
        parts += _leaves(model, t * len(names) + k, of)
    after = [[i, *row] for i, row in enumerate(F[t + 1].tolist())]
    note = f"F + ν γ, ν = {figure(model.learning_rate)}"
    return Work(f"Round {t + 1}", (*parts, shortened("F after the round", ["row", *names], after, note)))


def _leaves(model, index, of):
    """The leaves of the tree at this place, and the value of the first one written out."""
    learner, tree = model.estimators_.ravel()[index], model.trees_[index]
    before = sum(each.size for each in model.trees_[:index])
    sums = model.first_rounds_.sums[before : before + tree.size].tolist()
    order = [node for node in named_tree(learner).depth_first() if tree.attribute[node] == LEAF]
    is_ratio = not math.isnan(sums[order[0]][0])
    rows = [
        [
            rule.premise,
            float(tree.weight[node]),
            *(sums[node] if is_ratio else ()),
            float(tree.value[node, 0]),
        ]
        for rule, node in zip(learner.rules(), order, strict=True)
    ]
    numbers, factor = "", len(model.start_)
    if is_ratio:
        numbers = r"\frac{{{}}}{{{}}}".format(*map(figure, sums[order[0]]))
        if factor > 1:
            numbers = rf"\frac{{{factor - 1}}}{{{factor}}} \cdot {numbers}"
    header = ["leaf", "rows", *(("sum of r", "divided by") if is_ratio else ()), "γ"]
    return (
        shortened(f"tree of the residuals{of}", header, rows),
        Step(f"γ of the first leaf{of}", _loss(model).leaf, numbers, rows[0][-1]),
    )


def derive_row(model, X) -> Work:
    """How the prediction of a one-row table was made: the start, and what each tree adds."""
    names, k = _scores(model), len(model.start_)
    steps = [model.learning_rate * _leaf_value(tree, X) for tree in model.trees_]
    rows: list[list[object]] = [[t + 1, *steps[t * k : (t + 1) * k]] for t in range(_LISTED)]
    rows = rows[: len(steps) // k]
    if rest := steps[_LISTED * k :]:
        rows.append([f"{_LISTED + 1} to {len(steps) // k}", *(math.fsum(rest[c::k]) for c in range(k))])
    F = [start + math.fsum(steps[c::k]) for c, start in enumerate(model.start_.tolist())]
    sums = [
        Step(name, r"F_0 + \sum_t \nu \gamma_t", f"{figure(start)} + {signed(math.fsum(steps[c::k]))}", F[c])
        for c, (name, start) in enumerate(zip(names, model.start_.tolist(), strict=True))
    ]
    added = Grid("what the trees add", ["round", *names], rows, "ν γ of the row's leaf")
    title = f"Gradient boosting for {model.target_}: one prediction"
    if model.loss in _STARTS:
        return Work(title, (added, *sums), f"{model.target_} = {figure(F[0])}.")
    probabilities = _sigmoid(model, F[0]) if k == 1 else _softmax(model, F)
    winner = max(range(len(probabilities)), key=lambda c: probabilities[c].result)
    end = f"Most probable: {model.target_} = {as_text(model.classes_.tolist()[winner])}."
    return Work(title, (added, *sums, *probabilities), end)


def _leaf_value(tree, X):
    """γ of the leaf to which the row comes."""
    leaf = np.empty(1, dtype=np.intp)
    leaves_of(tree, cells(X), leaf)
    return float(tree.value[leaf[0], 0])


def _sigmoid(model, F):
    """The probabilities of two classes."""
    labels, times = model.classes_.tolist(), 2 if model.loss == "exponential" else 1
    steps, symbol = [], "2F" if times == 2 else "F"
    for label, sign in zip(labels, (1, -1), strict=True):
        power = sign * times * F
        formula = rf"\frac{{1}}{{1 + e^{{{'-' * (sign < 0)}{symbol}}}}}"
        numbers = rf"\frac{{1}}{{1 + e^{{{figure(power)}}}}}"
        steps.append(Step(f"P({as_text(label)} | x)", formula, numbers, 1 / (1 + math.exp(power))))
    return steps


def _softmax(model, F):
    """The probabilities of several classes."""
    powers = [math.exp(f - max(F)) for f in F]
    total = " + ".join(f"e^{{{figure(f)}}}" for f in F)
    return [
        Step(
            f"P({as_text(label)} | x)",
            r"\frac{e^{F_c}}{\sum_k e^{F_k}}",
            rf"\frac{{e^{{{figure(f)}}}}}{{{total}}}",
            power / math.fsum(powers),
        )
        for label, f, power in zip(model.classes_.tolist(), F, powers, strict=True)
    ]
