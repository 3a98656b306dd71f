r"""The work of support vector machines, in plain Python from multipliers, support vectors and constants.

    w = sum_i alpha_i y_i x_i,    b = y_i - sum_j alpha_j y_j K(x_j, x_i) for any i on the margin
    f(x) = sum_i alpha_i y_i K(x_i, x) + b

It computes every kernel and every sum by itself, so tests hold the machines to it.
"""

import math

from openbook.border.learner import class_names
from openbook.data.attributes import as_text
from openbook.svm.votes import pairs, pairwise_votes, rest_votes
from openbook.text.columns import telling_words
from openbook.words.numbers import figure, fraction, signed
from openbook.words.sentences import joined, plural
from openbook.work import Grid, Step, Work

#: The most support vectors, columns or terms that are listed.
LISTED = 20
#: A row with no more slack than this is on its margin.
ON_MARGIN = 1e-6


def kernel_of(model, x, z):
    """The kernel of two rows, each a list of numbers."""
    if callable(model.kernel):
        import numpy as np

        return float(np.asarray(model.kernel(np.array([x]), np.array([z])))[0, 0])
    product = math.fsum(a * b for a, b in zip(x, z, strict=True))
    if model.kernel == "linear":
        return product
    if model.kernel == "poly":
        return (model.gamma_ * product + model.coef0) ** model.degree
    return math.exp(-model.gamma_ * math.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


KERNELS = {
    "linear": r"x \cdot z",
    "poly": r"(\gamma x \cdot z + r)^p",
    "rbf": r"\exp(-\gamma \lVert x - z \rVert^2)",
}


class Machine:
    """One machine of a model, in lists: its support vectors and multipliers."""

    def __init__(self, model, k):
        self.model, self.k = model, k
        support = [i for i, beta in enumerate(model.dual_coef_[k].tolist()) if beta]
        self.numbers = [int(model.support_[i]) for i in support]
        kept = model.support_vectors_  # none of sparse rows
        self.vectors = [] if kept is None else [kept[i].tolist() for i in support]
        self.beta = [float(model.dual_coef_[k, i]) for i in support]
        self.slack = [float(model.slacks_[k, i]) for i in support]
        self.bias = float(model.bias_[k])
        self.names = model.encoding_.names

    def products(self, x):
        """beta_i K(x_i, x) of each support vector."""
        rows = zip(self.beta, self.vectors, strict=True)
        return [beta * kernel_of(self.model, vector, x) for beta, vector in rows]

    def weights(self):
        """The weights of a linear machine."""
        if self.vectors and all(state == 0 for state in self.model.states_.tolist()):
            columns = range(len(self.names))
            rows = list(zip(self.beta, self.vectors, strict=True))
            return [math.fsum(beta * vector[j] for beta, vector in rows) for j in columns]
        return self.model.weights_[self.k].tolist()  # found before they were the sum of the multipliers

    def square(self):
        """|w|²."""
        if self.model.weights_ is not None:
            return math.fsum(weight * weight for weight in self.weights())
        sums = map(sum, map(self.products, self.vectors))
        return math.fsum(beta * total for beta, total in zip(self.beta, sums, strict=True))


def derive_classifier(model) -> Work:
    """How the model was learnt: each machine's support vectors, weights, constant and margin."""
    parts = []
    for k, name in enumerate(_machine_names(model)):
        machine = Machine(model, k)
        sign = ["+1" if beta > 0 else "-1" for beta in machine.beta]
        grid = _support_grid(machine, ("y", "α"), sign, [abs(beta) for beta in machine.beta])
        parts.append(Work(name, (grid, *_sums(machine), *_margin(machine), *_objective(model, k))))
    before = (model.encoding_.work(), *_kernel_steps(model))
    slopes = list(zip(map(as_text, model.classes_.tolist()), model.sharpness_.tolist(), strict=True))
    note = "fitted to the scores of rows held out" if model.calibrated_ else "not calibrated"
    grid = Grid("slope a for each winning class", ("class", "a"), slopes, note)
    return Work(_learnt(model), (*before, *parts, grid), _end(model))


def derive_regressor(model) -> Work:
    """How the model was learnt: the rows outside the tube, the weights and the constant."""
    machine = Machine(model, 0)
    grid = _support_grid(machine, ("β",), machine.beta)
    parts = [model.encoding_.work(), *_kernel_steps(model), *_target_steps(model), grid, *_sums(machine)]
    return Work(_learnt(model), (*parts, *_objective(model, 0)), _end(model))


def derive_decision(model, X) -> Work:
    """How the class of a one-row table was decided."""
    x = model.encoding_.row(X).tolist()
    names = _machine_names(model)
    works = [_evaluated(Machine(model, k), x, name) for k, name in enumerate(names)]
    f = [work["f(x)"].result for work in works]
    labels = class_names(model)
    scores, counted = _scores(model, f, labels, names)
    winner = scores.index(max(scores))
    a = float(model.sharpness_[winner])
    shares = [math.exp(a * (score - max(scores))) for score in scores]
    whole = math.fsum(shares)
    steps = []
    for label, score, share in zip(labels, scores, shares, strict=True):
        name, numbers = f"P({model.target_} = {label} | x)", rf"e^{{{figure(a)} \cdot {signed(score)}}}"
        formula = r"\frac{e^{a s_c}}{\sum_j e^{a s_j}}"
        steps.append(Step(name, formula, fraction(numbers, r"\dots"), share / whole))
    proba = Work("probabilities", tuple(steps), f"a = {figure(a)} where {labels[winner]} wins.")
    title = f"{type(model).__name__} for {model.target_}: one prediction"
    end = f"The class of the highest score: {labels[winner]}."
    return Work(title, (_row_grid(model, x), *works, *counted, proba), end)


def derive_prediction(model, X) -> Work:
    """How the number of a one-row table was predicted."""
    x = model.encoding_.row(X).tolist()
    work = _evaluated(Machine(model, 0), x, "decision")
    parts, predicted = [_row_grid(model, x), work], work["f(x)"].result
    if model.scale:
        center, spread = model.center_, model.spread_
        numbers = rf"{signed(center)} + {figure(spread)} \cdot {signed(predicted)}"
        predicted = center + spread * predicted
        parts.append(Step(model.target_, r"\bar{y} + s f(x)", numbers, predicted))
    title = f"{type(model).__name__} for {model.target_}: one prediction"
    return Work(title, tuple(parts), f"{model.target_} = {figure(predicted)}.")


def _learnt(model):
    return f"{type(model).__name__} for {model.target_}: how it was fitted"


def _end(model):
    notes = (note[0].upper() + note[1:] + "." for note in model.notes_)
    n = len(model.support_)
    return " ".join([f"{n} support vector{'s' if n != 1 else ''}.", *notes])


def _machine_names(model):
    labels = class_names(model)
    if len(labels) == 2:
        return [f"{labels[1]} (+1) against {labels[0]} (-1)"]
    if model.multiclass == "ovr":
        return [f"{label} (+1) against the rest (-1)" for label in labels]
    return [f"{labels[a]} (+1) against {labels[b]} (-1)" for a, b in pairs(len(labels))]


def _kernel_steps(model):
    if model.weights_ is not None:
        return []
    note = [] if callable(model.kernel) else [f"γ = {figure(model.gamma_)}"]
    if model.kernel == "poly":
        note += [f"r = {figure(float(model.coef0))}", f"p = {model.degree}"]
    formula = KERNELS.get(model.kernel, r"\text{a function given by the user}")
    return [Step("K(x, z)", formula, note=", ".join(note))]


def _target_steps(model):
    if not model.scale:
        return []
    numbers = rf"\frac{{y - {signed(model.center_)}}}{{{figure(model.spread_)}}}"
    return [Step("t", rf"\frac{{y - \bar{{y}}}}{{s}} = {numbers}", note="the target in standard units")]


def _support_grid(machine, names, *figures):
    order = sorted(range(len(machine.beta)), key=lambda i: (-abs(machine.beta[i]), machine.numbers[i]))
    shown = min(len(machine.names), 6) if machine.vectors else 0
    rows = []
    for i in order[:LISTED]:
        cells = machine.vectors[i][:shown] if shown else ()
        rows.append((machine.numbers[i], *cells, *(column[i] for column in figures), machine.slack[i]))
    more = [
        plural(len(order) - LISTED, "more row") if len(order) > LISTED else "",
        f"{len(machine.names) - shown} more columns" if len(machine.names) > shown else "",
    ]
    note = "; ".join(filter(None, more))
    header = ("row", *machine.names[:shown], *names, "slack ξ")
    return Grid("support vectors", header, rows, f"{note} not shown" if note else "")


def _sums(machine):
    """Sum of the multipliers, the weights, the constant."""
    total, note = _rounded(machine.beta), "β = α y; must be 0"
    steps = [Step("sum", r"\sum_i \beta_i", joined(machine.beta), total, note)]
    if machine.model.weights_ is not None and not machine.vectors:
        most = sorted(zip(machine.names, machine.weights(), strict=True), key=lambda pair: -abs(pair[1]))
        left = f"{len(most) - LISTED} more not shown" if len(most) > LISTED else ""
        return [*steps, Grid("largest weights", ("column", "w"), most[:LISTED], left), _constant(machine)]
    if machine.model.weights_ is not None:
        for j, weight in list(enumerate(machine.weights()))[:LISTED]:
            terms = [beta * vector[j] for beta, vector in zip(machine.beta, machine.vectors, strict=True)]
            steps.append(Step(f"w of {machine.names[j]}", r"\sum_i \beta_i x_{ij}", joined(terms), weight))
        if len(machine.names) > LISTED:
            steps.append(Step("more weights", note=f"{len(machine.names) - LISTED} not shown", result=""))
    return [*steps, _constant(machine)]


def _rounded(values):
    """A sum of zero but for rounding is zero."""
    total = math.fsum(values)
    return 0.0 if abs(total) <= 1e-9 * math.fsum(map(abs, values)) else total


def _constant(machine):
    """b, from the row on its margin that weighs most, if there is one; classes have ±1 for a target there."""
    model = machine.model
    on = [i for i, slack in enumerate(machine.slack) if slack <= ON_MARGIN]
    if hasattr(model, "classes_") and model.loss == "hinge" and on and machine.vectors:
        i = max(on, key=lambda i: abs(machine.beta[i]))
        y = math.copysign(1.0, machine.beta[i])
        rest = math.fsum(machine.products(machine.vectors[i]))
        numbers = rf"{signed(y)} - {signed(rest)}"
        note = f"row {machine.numbers[i]} is on its margin"
        return Step("b", r"y_i - \sum_j \beta_j K(x_j, x_i)", numbers, y - rest, note)
    return Step("b", result=machine.bias, note="from the optimality conditions of all rows")


def _margin(machine):
    square = machine.square()
    length = math.sqrt(max(square, 0.0))
    squares = joined(w * w for w in machine.weights()) if machine.model.weights_ is not None else ""
    formula = r"\sum_j w_j^2" if squares else r"\sum_i \sum_j \beta_i \beta_j K(x_i, x_j)"
    numbers, width = fraction(2, length), 2.0 / length if length else None
    return [
        Step("|w|²", formula, squares, square),
        Step("margin", r"\frac{2}{\lVert w \rVert}", numbers, width),
    ]


def _objective(model, k):
    loss = r"\xi_i^2" if getattr(model, "loss", "hinge") == "squared_hinge" else r"\xi_i"
    formula = rf"\frac{{1}}{{2}} \lVert w \rVert^2 + \sum_i C_i {loss}"
    gap, note = float(model.dual_gap_[k]), "upper bound of the distance to the minimum"
    return [
        Step("objective", formula, "", float(model.objective_[k])),
        Step("dual gap", result=gap, note=note),
    ]


def _row_grid(model, x):
    words = model.encoding_.words
    named = zip(model.encoding_.names, x, strict=True)
    shown = [(name, cell) for name, cell in named if cell or name not in words]
    note = f"{len(shown) - LISTED} more columns not shown" if len(shown) > LISTED else ""
    return Grid("the row, encoded", ("column", "x"), shown[:LISTED], note)


def _evaluated(machine, x, title):
    """A machine's decision about a row."""
    if machine.model.weights_ is not None:
        weights = machine.weights()
        terms = [w * cell for w, cell in zip(weights, x, strict=True)]
        rows = list(zip(machine.names, x, weights, terms, strict=True))
        header, formula = ("column", "x", "w", "w x"), r"\sum_j w_j x_j + b"
    else:
        terms = machine.products(x)
        kernels = [term / beta for term, beta in zip(terms, machine.beta, strict=True)]
        rows = list(zip(machine.numbers, machine.beta, kernels, terms, strict=True))
        header, formula = ("row", "β", "K(x_i, x)", "β K"), r"\sum_i \beta_i K(x_i, x) + b"
    words = machine.model.encoding_.words if machine.model.weights_ is not None else set()
    others = [row for row in rows if row[0] not in words]
    listed = sorted(others, key=lambda row: -abs(row[-1]))[:LISTED]
    left = len(others) - len(listed)
    listed += telling_words(words, [row for row in rows if row[0] in words])
    name, note = ("largest terms", f"{left} more not shown") if left else ("terms", "")
    grid = Grid(name, header, listed, note)
    total = math.fsum(terms)
    f = Step("f(x)", formula, rf"{signed(total)} + {signed(machine.bias)}", total + machine.bias)
    return Work(title, (grid, f))


def _scores(model, f, labels, names):
    """The score of each class, and how it came about."""
    if len(labels) == 2:
        first = Step(f"s of {labels[0]}", r"-\frac{f(x)}{2}", result=-f[0] / 2)
        second = Step(f"s of {labels[1]}", r"\frac{f(x)}{2}", result=f[0] / 2)
        return [-f[0] / 2, f[0] / 2], [Work("scores", (first, second))]
    one_to_one = model.multiclass == "ovo"
    votes = pairwise_votes(f, len(labels)) if one_to_one else rest_votes(f)
    rows = [(name, *row) for name, row in zip(names, votes.by_machine.tolist(), strict=True)]
    totals = votes.totals.tolist()
    note = "a tie: the scores decide" if len(votes.first) > 1 else ""
    grid = Grid("votes", ("machine", *labels), [*rows, ("total", *totals)], note)
    if not one_to_one:
        decisions = zip(labels, f, strict=True)
        steps = [Step(f"s of {label}", "f_c(x)", result=value) for label, value in decisions]
        return list(f), [grid, Work("scores", tuple(steps))]
    sums = [0.0] * len(labels)
    for value, (a, b) in zip(f, pairs(len(labels)), strict=True):
        sums[a] += value
        sums[b] -= value
    rule, note = r"v_c + \frac{d_c}{3(\lvert d_c \rvert + 1)}", "v_c its votes, d_c the sum of its decisions"
    scores, steps = [], []
    for label, total, value in zip(labels, totals, sums, strict=True):
        numbers = rf"{total} + \frac{{{figure(value)}}}{{3({figure(abs(value))} + 1)}}"
        scores.append(total + value / (3 * (abs(value) + 1)))
        steps.append(Step(f"s of {label}", rule, numbers, scores[-1], note))
    return scores, [grid, Work("scores", tuple(steps))]
