"""The readable twin of the mixture: the log-likelihood of EM, and the responsibilities of a row.

It works in units of the columns, one component after the other, and solves its own equations, so tests
compare it with the model.
"""

import math

import numpy as np

from openbook.data import MISSING, UNSEEN, Categorical, Nominal, Numeric
from openbook.words.numbers import figure, fraction, signed
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work, escape_text

#: The most lines of a table, iterations at its end, and columns of a matrix that are shown.
_SHOWN_LINES, _SHOWN_LAST = 60, 2
_SHOWN_COLUMNS = 8


def derive_model(model) -> Work:
    """How the model was learnt: EM round by round, the components at the end, BIC."""
    parts = (_rules(), _likelihoods(model), *_course(model), *_components(model), _bic(model))
    settled = "converged" if model.converged_ else "was stopped"
    end = f"EM {settled} after {plural(model.n_iter_, 'iteration')}."
    title = f"Mixture of {model.n_components} normal distributions: how it was fitted"
    return Work(title, parts, " ".join([end, *(f"{note[0].upper()}{note[1:]}." for note in model.notes_)]))


def _rules():
    steps = (
        Step("E-step", r"r_{ik} = \frac{w_k N(x_i; \mu_k, S_k)}{\sum_j w_j N(x_i; \mu_j, S_j)}"),
        Step("weights", r"w_k = \frac{N_k}{N}, N_k = \sum_i r_{ik}"),
        Step("means", r"\mu_k = \frac{1}{N_k} \sum_i r_{ik} x_i"),
        Step("covariances", r"S_k = \frac{1}{N_k} \sum_i r_{ik} (x_i - \mu_k)(x_i - \mu_k)^\top"),
    )
    return Work("each round", steps)


def _shown(iterations, lines):
    """The iterations that are shown, each of a number of lines, and a note of those left out."""
    first = max(_SHOWN_LINES // max(lines, 1) - _SHOWN_LAST, 1)
    if iterations <= first + _SHOWN_LAST:
        return list(range(iterations)), ""
    last = iterations - _SHOWN_LAST
    return [*range(first), *range(last, iterations)], f"iterations {first + 1} to {last} are not shown"


def _likelihoods(model):
    trace = model.trace_.tolist()
    rows = [[t + 1, value, None if t == 0 else value - trace[t - 1]] for t, value in enumerate(trace)]
    note = "with the parameters at the start of each iteration"
    return Grid("log-likelihood", ["iteration", "log-likelihood", "gain"], rows, note)


def _course(model):
    """Weights and means at the beginning of each round, and whose the first rows were."""
    (weights, means), typed = model._course, model._typed  # noqa: SLF001 (its twin)
    (shift, scale), names = typed.units, typed.names
    shown, left_out = _shown(*weights.shape)
    wide = list(names[:_SHOWN_COLUMNS])
    rows = []
    for t in shown:
        for k, (weight, mean) in enumerate(zip(weights[t].tolist(), means[t] * scale + shift, strict=True)):
            rows.append([t + 1, k, weight, *map(model.schema_.told, wide, mean.tolist())])
    header = ["iteration", "component", "weight", *(f"mean of {name}" for name in wide)]
    more = f"{len(names) - len(wide)} more columns" if len(names) > len(wide) else ""
    yield Grid("weights and means", header, rows, "; ".join(note for note in (left_out, more) if note))
    first = model._first  # noqa: SLF001
    shown, left_out = _shown(len(first), first.shape[1])
    rows = [[t + 1, i, *first[t, i].tolist()] for t in shown for i in range(first.shape[1])]
    header = ["iteration", "row", *(f"component {k}" for k in range(first.shape[2]))]
    yield Grid("responsibilities of the first rows", header, rows, left_out)


def _components(model):
    """The covariances at the end, if they are small enough to show, and the probabilities."""
    names = model._typed.names  # noqa: SLF001
    if 0 < len(names) <= _SHOWN_COLUMNS:
        matrices = model.component_covariances_.tolist()
        for k, matrix in enumerate(matrices[:1] if model.covariance_type == "tied" else matrices):
            title = "covariance of all" if model.covariance_type == "tied" else f"covariance of component {k}"
            yield Grid(title, ["", *names], [[n, *row] for n, row in zip(names, matrix, strict=True)])
    for name, by_value in model.probabilities_.items():
        header = [name, *(f"component {k}" for k in range(model.n_components))]
        rows = [[value, *probabilities.tolist()] for value, probabilities in by_value.items()]
        note = "smoothed by one extra row with the overall shares"
        yield Grid(f"probabilities of {name}", header, rows, note)


def _bic(model):
    L, p, N = model.log_likelihood_, model.complexity(), model._weight  # noqa: SLF001
    numbers = rf"-2 \cdot {signed(L)} + {p} \ln {figure(N)}"
    steps = (
        Step("L", r"\sum_i \ln \sum_k w_k N(x_i; \mu_k, S_k)", result=L, note="with the last parameters"),
        Step("BIC", r"-2 L + p \ln N", numbers, -2 * L + p * math.log(N), f"p = {p} parameters"),
    )
    return Work("Bayesian information criterion", steps)


def derive_row(model, X) -> Work:
    """How much of a row belongs to each component."""
    x, values = _known(model, X)
    at = [j for j, name in enumerate(model._typed.names) if name in x]  # noqa: SLF001
    number = np.array([x[model._typed.names[j]] for j in at])  # noqa: SLF001
    joints, works = [], []
    for k in range(model.n_components):
        joint, steps = _component(model, k, at, number, values)
        joints.append(joint)
        works.append(Work(f"component {k}", tuple(steps)))
    lower = [joint - max(joints) for joint in joints]
    powers = [math.exp(less) for less in lower]
    whole = math.fsum(powers)
    formula, notes = (
        r"\frac{e^{\delta_k}}{\sum_j e^{\delta_j}}",
        [f"less the largest: {figure(x)}" for x in lower],
    )
    shares = [
        Step(f"r({k})", formula, fraction(power, whole), power / whole, note)
        for k, (power, note) in enumerate(zip(powers, notes, strict=True))
    ]
    numbers = [(name, model.schema_.told(name, value)) for name, value in x.items()]
    grid = Grid("row", ["column", "value"], [*numbers, *values.items()], _left_out(model, x, values))
    end = f"The largest: component {powers.index(max(powers))}."
    return Work("Mixture: one row", (grid, *works, Work("responsibilities", tuple(shares))), end)


def _known(model, X):
    """The numbers and the values that are known of a row."""
    numbers, values = {}, {}
    for attribute in model.schema_:
        cell = X.data(attribute.name)[0]
        if isinstance(attribute, Numeric):
            if math.isfinite(cell):
                numbers[attribute.name] = float(cell)
        elif cell not in {MISSING, UNSEEN}:
            value = attribute.values[cell]
            if not isinstance(attribute, Nominal):
                numbers[attribute.name] = int(cell) / max(len(attribute.values) - 1, 1)
            elif value in model.probabilities_[attribute.name]:
                values[attribute.name] = value
    return numbers, values


def _left_out(model, x, values):
    unknown = [name for name in model.schema_.names if name not in x and name not in values]
    ranks = [a.name for a in model.schema_ if isinstance(a, Categorical) and a.name in x]
    notes = [f"missing, and left out: {', '.join(unknown)}"] if unknown else []
    if ranks:
        notes.append(f"by rank, from 0 to 1: {', '.join(ranks)}")
    return "; ".join(notes)


def _component(model, k, at, x, values):
    """Log weight and log density of a row in a component, and the steps to it."""
    weight = float(model.weights_[k])
    mean = model.means_[k][at]
    covariance = model.component_covariances_[k][np.ix_(at, at)]
    gap = x - mean
    distance = float(gap @ np.linalg.solve(covariance, gap)) if at else 0.0
    size = float(np.linalg.slogdet(covariance)[1]) if at else 0.0
    factors = {name: float(model.probabilities_[name][value][k]) for name, value in values.items()}
    log_weight = math.log(weight) if weight > 0 else -math.inf
    log_values = math.fsum(map(math.log, factors.values()))
    constant = len(at) * math.log(2 * math.pi)
    joint = log_weight - 0.5 * (constant + size + distance) + log_values
    half = r"\frac{1}{2}"
    inner = rf"{figure(constant)} + {signed(size)} + {figure(distance)}"
    numbers = rf"\ln {figure(weight)} - {half} ({inner})"
    formula = rf"\ln w_k - {half} (d \ln 2 \pi + \ln |S_k| + D^2)"
    if factors:
        formula += r" + \sum_j \ln \theta_{kj}"
        numbers += f" + {signed(log_values)}"
    steps = [
        Step(f"D²({k})", r"(x - \mu_k)^\top S_k^{-1} (x - \mu_k)", result=distance),
        Step(f"ln |S({k})|", r"\ln |S_k|", result=size),
        *(
            Step(f"θ({name} = {values[name]})", rf"P({escape_text(values[name])} \mid k)", result=factor)
            for name, factor in factors.items()
        ),
        Step(f"δ({k})", formula, numbers, joint),
    ]
    return joint, steps
