r"""The readable twin of votes and means: the neighbours, their distances term by term, and their votes.

The index gives the rows; distances, votes and ties are computed here again in plain Python.
"""

import math

import numpy as np

from openbook.border.learner import class_names
from openbook.neighbors.votes import EPS, ROUNDING
from openbook.neighbors.windows import KERNELS, kernel_formula, kernel_weights
from openbook.spaces.derive import compared, metric_parts
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import joined, plural
from openbook.work import Grid, Step, Work

#: The number of neighbours whose terms are shown.
_SHOWN = 10

VOTES = {
    "uniform": "1",
    "distance": r"\frac{1}{d}",
    "inverse": r"\frac{1}{d + \varepsilon}",
    "inverse_square": r"\frac{1}{d^2}",
    "inverse_linear": r"\frac{d_k - d}{d_k - d_1}",
}


def derive_model(model) -> Work:
    """What the model keeps, and how it will compare and vote."""
    rule = Step("vote of a neighbour", _formula(model.weights), note=_note(model))
    votes = Work("votes", (Step("k", result=model.n_neighbors), rule))
    conclusion = f"The model is its {len(model.statistics_):,} rows."
    return Work(_title(model, "how it was fitted"), (*distance_parts(model), votes), conclusion)


def _title(model, what):
    return f"{plural(model.n_neighbors, 'nearest neighbour')} for {model.target_}: {what}"


def distance_parts(model):
    """The distance and its scales, for how a model was learnt."""
    steps, scales = metric_parts(model.space_)
    return [Work("distance", (Step("rows kept", result=len(model.statistics_)), *steps)), *scales]


def derive_vote(model, X) -> Work:
    """How the class of a one-row table was found."""
    most = 2 * model.n_neighbors if model.ties == "extend" else model.n_neighbors
    near, title = _neighbours(model, X, most), _title(model, "one prediction")
    return derive_votes(model, near, title, lambda: model.classes_.tolist().index(model.predict(X)[0]))


def derive_votes(model, near, title, drawn) -> Work:
    """How the neighbours decided: `near` are row, Compared and weight of each; `drawn` draws a class.

    `model` has the voting parameters, and the class of each row.
    """
    k, most = model.n_neighbors, 2 * model.n_neighbors if model.ties == "extend" else model.n_neighbors
    labels = class_names(model)
    classes = [model.statistics_.targets[row] for row, _, _ in near]
    tied = []
    while len(leaders := _leaders(scores := _scores(model, near, classes, k, len(labels)))) > 1:
        names = " and ".join(labels[c] for c in leaders)
        following = {"smaller_k": k - 1, "extend": k + 1}.get(model.ties, 0)
        if not 0 < following <= most:
            tied.append(f"{names} tie; {_RULES[model.ties]}.")
            break
        tied.append(f"With k = {k} {names} tie; k = {following} is tried.")
        k = following
    winner = leaders[0] if len(leaders) == 1 else _tie_winner(model, leaders, classes, drawn)
    shown = [f"{model.target_} = {labels[c]}" for c in classes]
    votes = [vote for vote, _ in _votes(model, near, k)]
    total = math.fsum(scores)
    counts, shares = [], []
    for c, (label, score) in enumerate(zip(labels, scores, strict=True)):
        votes_for = [v for v, s in zip(votes, classes, strict=True) if s == c and v]
        numbers = joined(votes_for) if len(votes_for) > 1 else ""
        counts.append(Step(f"votes for {label}", r"\sum_{i: y_i = c} v_i", numbers, score))
        share = fraction(score, total), score / total
        shares.append(Step(f"P({label} | x)", r"\frac{\sum_{y_i = c} v_i}{\sum_i v_i}", *share))
    parts = (*_shown(model, near, shown, k), Work("votes by class", (*counts, *shares)))
    return Work(title, parts, " ".join([*tied, f"The most votes: {labels[winner]}."]))


def derive_mean(model, X) -> Work:
    """How the number of a one-row table was found."""
    near = _neighbours(model, X, model.n_neighbors)
    targets = [float(model.statistics_.targets[row]) for row, _, _ in near]
    votes = [vote for vote, _ in _votes(model, near, model.n_neighbors)]
    pairs, total = list(zip(votes, targets, strict=True)), math.fsum(votes)
    mean = math.fsum(v * t for v, t in pairs) / total
    products = " + ".join(rf"{figure(v)} \cdot {figure(t)}" for v, t in pairs[:_SHOWN] if v)
    more = r" + \dots" if len(votes) > _SHOWN else ""
    numbers = fraction(f"{products}{more}", total)
    step = Step(f"{model.target_} of x", r"\frac{\sum_i v_i y_i}{\sum_i v_i}", numbers, mean)
    shown = [f"{model.target_} = {figure(target)}" for target in targets]
    parts = (*_shown(model, near, shown, model.n_neighbors), Work("mean", (step,)))
    return Work(_title(model, "one prediction"), parts, f"The prediction: {figure(mean)}.")


def _neighbours(model, X, most):
    """Row, distance and weight of each of the nearest, of that weight in total, and one more for kernels."""
    ballots = model._ballots(X, model._needed(most))  # noqa: SLF001 (its twin)
    rows, weights = ballots.rows[0].tolist(), ballots.weights[0].tolist()
    return [(row, compared(model.space_, X, row), weight) for row, weight in zip(rows, weights, strict=True)]


def _shown(model, near, labels, k):
    """The neighbours one by one, and the grid of all that vote."""
    rows, works = list[tuple](), []
    for (row, found, _), label, (vote, weight) in zip(near, labels, _votes(model, near, k), strict=True):
        if weight:
            rows.append((len(rows) + 1, row, found.distance, label, vote))
            works.append(Work(f"{len(rows)}. row {row}: {label}", found.parts))
    rule = Step("vote v", _formula(model.weights), note=_note(model))
    grid = Grid("neighbours", ("", "row", "distance d", "says", "vote v"), rows)
    return (*(work for work in works[:_SHOWN] if work.parts), Work("votes", (rule, grid)))


def _formula(weights):
    """The vote as LaTeX."""
    return VOTES.get(weights) or kernel_formula(weights) or "f(d)"


def _votes(model, near, k):
    """The vote of each, and the weight with which it counts, where k are counted."""
    counted, reached, beyond = [], 0.0, None
    for _, found, weight in near:
        counted.append(min(max(k - reached, 0.0), weight))
        reached += weight
        if reached > k and beyond is None:
            beyond = found.distance
    distances = [found.distance for _, found, _ in near]
    beyond = distances[-1] if beyond is None else beyond
    voting = [d for d, share in zip(distances, counted, strict=True) if share > 0]
    raw = [_vote(model.weights, d, voting, beyond) for d in voting] + [0.0] * (len(near) - len(voting))
    if not sum(raw) > 0:
        raw = [1.0] * len(near)
    return [(vote * share, share) for vote, share in zip(raw, counted, strict=True)]


def _vote(scheme, d, voting, beyond):
    nearest, farthest = min(voting), max(voting)
    if scheme == "uniform":
        return 1.0
    if scheme == "inverse":
        return 1 / (d + EPS)
    if scheme in ("distance", "inverse_square"):
        return float(d == 0) if nearest == 0 else 1 / (d if scheme == "distance" else d**2)
    if scheme == "inverse_linear":
        span = farthest - nearest
        return (farthest - d) / span if span > ROUNDING * farthest else 1.0
    if callable(scheme):
        return float(scheme(np.array([voting]))[0, voting.index(d)])
    u = d / (beyond or 1.0)
    return float(kernel_weights(1.0 if abs(u - 1) <= ROUNDING else u, scheme))


def _note(model):
    if model.weights in KERNELS and model.weights != "uniform":
        return "u = d / h, where h is the distance of row k + 1"
    return {
        "inverse": f"ε = {EPS}",
        "distance": "if a row is at distance 0, only such rows vote",
        "inverse_square": "if a row is at distance 0, only such rows vote",
        "inverse_linear": "1 where all are equally far",
    }.get(model.weights, "")


def _scores(model, near, classes, k, n_classes):
    votes = [vote for vote, _ in _votes(model, near, k)]
    return [math.fsum(v for v, s in zip(votes, classes, strict=True) if s == c) for c in range(n_classes)]


def _leaders(scores):
    return [c for c, score in enumerate(scores) if score >= max(scores) * (1 - ROUNDING)]


_RULES = {
    **dict.fromkeys(("smaller_k", "extend", "prior"), "the larger prior decides"),
    "nearest": "the nearest neighbour decides",
    "random": "one of them is drawn at random",
}


def _tie_winner(model, leaders, classes, drawn):
    """The class that wins a tie among the leaders."""
    if model.ties == "nearest":
        return next(c for c in classes if c in leaders)
    if model.ties == "random":
        return drawn()
    weights = [math.fsum(model.statistics_.weights[model.statistics_.targets == c]) for c in leaders]
    return leaders[weights.index(max(weights))]
