r"""The readable twin of votes and means: the neighbours, their distances term by term, and their votes.

The rows themselves come from the index; distances, votes and ties are worked out here again in plain Python.
"""

import math

import numpy as np

from openbook.data.attributes import as_text
from openbook.neighbors.votes import EPS, ROUNDING
from openbook.neighbors.windows import KERNELS, kernel_formula, kernel_weights
from openbook.spaces.derive import compared, metric_parts
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import joined, plural
from openbook.work import Grid, Step, Work

#: The terms of so many neighbours are shown.
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
    rows = len(model.statistics_)
    how = Work(
        "votes",
        (
            Step("k", result=model.n_neighbors),
            Step(
                "vote of a neighbour",
                _formula(model.weights),
                note=_bandwidth(model),
            ),
        ),
    )
    title = f"{plural(model.n_neighbors, 'nearest neighbour')} for {model.target_}: how it was fitted"
    return Work(title, (*distance_parts(model), how), f"The model is its {rows:,} rows.")


def distance_parts(model):
    """The distance and what it goes by, for how a model was learnt."""
    steps, goes_by = metric_parts(model.space_)
    return [Work("distance", (Step("rows kept", result=len(model.statistics_)), *steps)), *goes_by]


def derive_vote(model, X) -> Work:
    """How the class of a one-row table was found."""
    most = 2 * model.n_neighbors if model.ties == "extend" else model.n_neighbors
    near = _neighbours(model, X, most)
    title = f"{plural(model.n_neighbors, 'nearest neighbour')} for {model.target_}: one prediction"
    return derive_votes(model, near, title, lambda: model.classes_.tolist().index(model.predict(X)[0]))


def derive_votes(model, near, title, drawn) -> Work:
    """How the neighbours decided: `near` are row, Compared and weight of each; `drawn` a class by chance.

    Of the model it takes what says how to vote, and the class of each row.
    """
    k, most = model.n_neighbors, 2 * model.n_neighbors if model.ties == "extend" else model.n_neighbors
    labels = [as_text(label) for label in model.classes_.tolist()]
    said = [model.statistics_.targets[row] for row, _, _ in near]
    scores, tried = _scores(model, near, said, k, len(labels)), k
    stories = []
    while len(leaders := _leaders(scores)) > 1:
        following = {"smaller_k": tried - 1, "extend": tried + 1}.get(model.ties, 0)
        if not 0 < following <= most:
            break
        names = " and ".join(labels[c] for c in leaders)
        stories.append(f"With k = {tried} {names} tie; k = {following} is tried.")
        tried = following
        scores = _scores(model, near, said, tried, len(labels))
    winner = leaders[0] if len(leaders) == 1 else _broken(model, leaders, said, drawn)
    if len(leaders) > 1:
        names = " and ".join(labels[c] for c in leaders)
        stories.append(f"{names} tie; {_RULES[model.ties]}.")
    shown = [f"{model.target_} = {labels[c]}" for c in said]
    votes = [vote for vote, _ in _votes(model, near, tried)]
    total = math.fsum(scores)
    counting = []
    for c, label in enumerate(labels):
        own = [v for v, s in zip(votes, said, strict=True) if s == c and v]
        numbers = joined(own, " + ") if len(own) > 1 else ""
        counting.append(Step(f"votes for {label}", r"\sum_{i: y_i = c} v_i", numbers, scores[c]))
    shares = [
        Step(
            f"P({label} | x)",
            r"\frac{\sum_{y_i = c} v_i}{\sum_i v_i}",
            fraction(s, total),
            s / total,
        )
        for label, s in zip(labels, scores, strict=True)
    ]
    parts = (*_shown(model, near, shown, tried), Work("votes by class", (*counting, *shares)))
    return Work(title, parts, " ".join([*stories, f"The most votes: {labels[winner]}."]))


def derive_mean(model, X) -> Work:
    """How the number of a one-row table was found."""
    near = _neighbours(model, X, model.n_neighbors)
    targets = [float(model.statistics_.targets[row]) for row, _, _ in near]
    votes = [vote for vote, _ in _votes(model, near, model.n_neighbors)]
    total = math.fsum(v * t for v, t in zip(votes, targets, strict=True))
    mean = total / math.fsum(votes)
    products = " + ".join(
        rf"{figure(v)} \cdot {figure(t)}" for v, t in list(zip(votes, targets, strict=True))[:_SHOWN] if v
    )
    more = r" + \dots" if len(votes) > _SHOWN else ""
    step = Step(
        f"{model.target_} of x",
        r"\frac{\sum_i v_i y_i}{\sum_i v_i}",
        rf"\frac{{{products}{more}}}{{{figure(math.fsum(votes))}}}",
        mean,
    )
    shown = [f"{model.target_} = {figure(target)}" for target in targets]
    title = f"{plural(model.n_neighbors, 'nearest neighbour')} for {model.target_}: one prediction"
    return Work(
        title,
        (*_shown(model, near, shown, model.n_neighbors), Work("mean", (step,))),
        f"The prediction: {figure(mean)}.",
    )


def _neighbours(model, X, most):
    """Row, distance and weight of each of the nearest, of that weight in total, and one more for kernels."""
    ballots = model._ballots(X, model._needed(most))  # noqa: SLF001 (its twin)
    rows, weights = ballots.rows[0].tolist(), ballots.weights[0].tolist()
    return [(row, compared(model.space_, X, row), weight) for row, weight in zip(rows, weights, strict=True)]


def _shown(model, near, said, k):
    """The neighbours one by one, and the grid of all that vote."""
    votes = _votes(model, near, k)
    counted = [v for v in zip(near, said, votes, strict=True) if v[2][1]]
    works = [
        Work(f"{i + 1}. row {row}: {label}", found.parts)
        for i, ((row, found, _), label, _) in enumerate(counted[:_SHOWN])
        if found.parts
    ]
    rows = [
        (i + 1, row, found.distance, label, vote)
        for i, ((row, found, _), label, (vote, _)) in enumerate(counted)
    ]
    rule = Step("vote v", _formula(model.weights), note=_bandwidth(model))
    return (
        *works,
        Work("votes", (rule, Grid("neighbours", ("", "row", "distance d", "says", "vote v"), rows))),
    )


def _formula(weights):
    """The vote as LaTeX."""
    return VOTES.get(weights) or kernel_formula(weights) or "f(d)"


def _votes(model, near, k):
    """The vote of each, and the weight with which it counts, where k are counted."""
    counted, before = [], 0.0
    for _, _, weight in near:
        counted.append(min(max(k - before, 0.0), weight))
        before += weight
    distances = [found.distance for _, found, _ in near]
    voting = [d for d, share in zip(distances, counted, strict=True) if share > 0]
    reached, beyond = 0.0, distances[-1]
    for d, (_, _, weight) in zip(distances, near, strict=True):
        reached += weight
        if reached > k:
            beyond = d
            break
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


def _bandwidth(model):
    if model.weights in KERNELS and model.weights != "uniform":
        return "u = d / h, where h is the distance of row k + 1"
    return {
        "inverse": f"ε = {EPS}",
        "distance": "if a row is at distance 0, only such rows vote",
        "inverse_square": "if a row is at distance 0, only such rows vote",
        "inverse_linear": "1 where all are equally far",
    }.get(model.weights, "")


def _scores(model, near, said, k, n_classes):
    votes = [vote for vote, _ in _votes(model, near, k)]
    return [math.fsum(v for v, s in zip(votes, said, strict=True) if s == c) for c in range(n_classes)]


def _leaders(scores):
    return [c for c, score in enumerate(scores) if score >= max(scores) * (1 - ROUNDING)]


_RULES = {
    "smaller_k": "the larger prior decides",
    "extend": "the larger prior decides",
    "prior": "the larger prior decides",
    "nearest": "the nearest neighbour decides",
    "random": "one of them is drawn at random",
}


def _broken(model, leaders, said, drawn):
    """The class that wins a tie among the leaders."""
    if model.ties == "nearest":
        return next(c for c in said if c in leaders)
    if model.ties == "random":
        return drawn()
    weights = [math.fsum(model.statistics_.weights[model.statistics_.targets == c]) for c in leaders]
    return leaders[weights.index(max(weights))]
