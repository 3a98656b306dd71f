"""The words of a network's work: one row forward, unit by unit, and its error back, delta by delta.

Units are numbered through, as in textbooks: the inputs first, then layer after layer; w13 leads from unit 1
to unit 3. The figures come from the twin. Of large layers the first units are derived, and the others listed.
"""

from itertools import accumulate

from openbook.neural import twin
from openbook.neural.outputs import CrossEntropy
from openbook.words.numbers import figure, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: The most units of a layer, terms of a sum, and weights of a layer that are derived in full.
UNITS, TERMS, WEIGHTS = 4, 8, 12
#: The most rows of a grid.
ROWS = 30


class Numbering:
    """The numbers of the units: inputs first, then layer after layer."""

    def __init__(self, sizes):
        self.starts = [1, *accumulate(sizes, initial=1)][1:]
        self.comma = "," if sum(sizes) > 9 else ""

    def unit(self, layer, k):
        """The number of a layer's k-th unit; layer 0 are the inputs."""
        return self.starts[layer] + k

    def weight(self, layer, j, k):
        """The name of the weight from unit j of the layer before to unit k."""
        return f"w{self.unit(layer - 1, j)}{self.comma}{self.unit(layer, k)}"


def derive_row(model, network, numbers, target, what):
    """How a prediction was made and, where the target is known (else None), how the error would go back.

    `numbers` are the row's encoded cells; `target` what each output unit should say; `what` is predicted.
    """
    numbering = Numbering(model._sizes())  # noqa: SLF001 (the model's other half)
    layers = twin.forward(network, numbers)
    named = enumerate(zip(model.encoding_.names, numbers, strict=True))
    cells = [(numbering.unit(0, j), name, x) for j, (name, x) in named]
    parts: list[Grid | Work] = [Grid("inputs", ("unit", "column", "value"), first_and_last(cells))]
    for i, layer in enumerate(layers):
        last = i == len(layers) - 1
        title = "output" if last else f"hidden layer {i + 1}"
        parts.append(Work(title, tuple(_answers(network, i, layer, numbering, "o" if last else "h"))))
    steps, end = model._decided(layers[-1].answers)  # noqa: SLF001
    parts.append(Work("answer", tuple(steps)))
    if target is not None:
        parts += _corrections(model, network, layers, target, numbering)
    return Work(f"Network {_shape(model)} for {what}: one prediction", tuple(parts), end)


def _shape(model):
    return "-".join(map(str, model._sizes()))  # noqa: SLF001


def _answers(network, i, layer, numbering, letter):
    """The steps of a layer's first units, and a grid of all where there are more."""
    integration = network.integrations[i]
    activation = network.output.activation if letter == "o" else network.activations[i]
    with_bias = bool(network.biases[i].any())
    formula = integration.formula if with_bias else integration.formula.removesuffix(" + b_k")
    for k, (z, a) in enumerate(zip(layer.sums, layer.answers, strict=True)):
        if k == UNITS:
            break
        unit = numbering.unit(i + 1, k)
        terms = _terms(integration.name, layer.inputs, network.weights[i][:, k].tolist())
        if with_bias:
            terms.append(signed(float(network.biases[i][k])))
        yield Step(f"z{unit}", formula, joined(terms), z)
        yield Step(f"{letter}{unit}", activation.formula, _activated(activation, z, layer.sums), a)
    if len(layer.sums) > UNITS:
        yield _all_units(numbering, i + 1, {"z": layer.sums, letter: layer.answers})


def _terms(integration, x, w):
    """What a unit adds up, with the numbers put in."""
    squared_gap = r"\frac{{({x} - {w})^2}}{{{d}}}"
    shapes = {"sum": r"{w} \cdot {x}", "quadratic": r"{w} \cdot {x}^2", "spherical": squared_gap}
    return [shapes[integration].format(w=signed(b), x=signed(a), d=len(x)) for a, b in zip(x, w, strict=True)]


def _activated(activation, z, sums):
    inside, z = signed(z), figure(z)
    steep = "" if activation.steepness == 1 else rf"{figure(activation.steepness)} \cdot "
    return {
        "step": rf"[{z} \ge 0]",
        "sign": rf"\operatorname{{sign}}({z})",
        "logistic": rf"\frac{{1}}{{1 + e^{{-{steep}{inside}}}}}",
        "tanh": rf"\tanh({z})",
        "relu": rf"\max(0, {z})",
        "identity": z,
        "softmax": rf"\frac{{e^{{{z}}}}}{{{joined([f'e^{{{figure(s)}}}' for s in sums])}}}",
    }[activation.name]


def _corrections(model, network, layers, target, numbering):
    """The loss, the error of every unit, and the update that this row alone would make."""
    deltas = twin.backward(network, layers, target)
    step = model.learning_rate_init_
    errors = _output_errors(network, layers[-1], target, deltas[-1], numbering)
    yield Work("error of the output", tuple(errors))
    for i in reversed(range(1, len(layers))):
        steps = _hidden_errors(network, i, layers[i], deltas[i], deltas[i - 1], numbering)
        yield Work(f"error passed back to hidden layer {i}", tuple(steps))
    chains = tuple(_chains(network, layers, target, deltas, numbering))
    yield Work("the same as a chain of partial derivatives", chains)
    updates = _updates(model, network, layers, deltas, numbering, step)
    yield Work(f"update by this row alone, with steps of {figure(step)}", tuple(updates))


def _output_errors(network, layer, target, deltas, numbering):
    output, last = network.output, len(network.weights)
    answers = layer.answers
    errors = [t - o for o, t in zip(answers, target, strict=True)]
    if isinstance(output, CrossEntropy):
        formula = r"-\sum_k (t_k \ln o_k + (1 - t_k) \ln(1 - o_k))"
        if output.activation.name == "softmax":
            formula = r"-\sum_k t_k \ln o_k"
    else:
        formula = r"\frac{1}{2} \sum_k (t_k - o_k)^2"
    yield Step("loss", formula, "", twin.loss(output, layer, target), _off_line(output, *errors))
    if not isinstance(output, CrossEntropy) and output.activation.name != "softmax":
        yield Step("f'(z)", output.activation.slope_formula)
    for k, (o, t, delta) in enumerate(zip(answers, target, deltas, strict=True)):
        if k == UNITS:
            yield _all_units(numbering, last, {"target": target, "o": answers, "δ": deltas})
            break
        unit = numbering.unit(last, k)
        difference = rf"{signed(t)} - {signed(o)}"
        if isinstance(output, CrossEntropy):
            yield Step(f"δ{unit}", "t_k - o_k", difference, delta)
            continue
        yield Step(f"e{unit}", "t_k - o_k", difference, t - o)
        if output.activation.name == "softmax":
            yield Step(f"δ{unit}", r"o_k (e_k - \sum_m o_m e_m)", "", delta)
        else:
            numbers = rf"{signed(t - o)} \cdot {signed(twin.activation_slope(output.activation, o))}"
            yield Step(f"δ{unit}", r"e_k \cdot f'(z_k)", numbers, delta, _off_line(output, t - o))


def _hidden_errors(network, i, layer, deltas, below, numbering):
    """The errors of the units that feed layer i."""
    integration = network.integrations[i]
    yield Step("f'(z)", network.activations[i - 1].slope_formula)
    for j, (a, delta) in enumerate(zip(layer.inputs, below, strict=True)):
        if j == UNITS:
            yield _all_units(numbering, i, {"h": layer.inputs, "δ": below})
            break
        weights = network.weights[i][j].tolist()
        terms = [
            rf"{signed(twin.by_input(integration.name, a, w, len(layer.inputs)))} \cdot {signed(d)}"
            for d, w in zip(deltas, weights, strict=True)
        ]
        numbers = rf"{signed(twin.activation_slope(network.activations[i - 1], a))} \cdot ({joined(terms)})"
        label = f"δ{numbering.unit(i, j)}"
        yield Step(label, rf"f'(z_j) \cdot {integration.back_formula}", numbers, delta)


def _chains(network, layers, target, deltas, numbering):
    """∂E/∂w of the first weight of each layer, link by link, from the loss back."""
    last = len(layers) - 1
    for i in reversed(range(len(layers))):
        layer, unit, below = layers[i], numbering.unit(i + 1, 0), numbering.unit(i, 0)
        letter = "o" if i == last else "h"
        answer, z, weight = f"{letter}{unit}", f"z{unit}", numbering.weight(i + 1, 0, 0)
        if i == last:
            links = _from_the_loss(network.output, layer, target, deltas[last], answer, z)
        else:
            kind, d = network.integrations[i + 1].name, len(layers[i + 1].inputs)
            by_unit = zip(deltas[i + 1], network.weights[i + 1][0].tolist(), strict=True)
            factors = [(-delta, twin.by_input(kind, layer.answers[0], w, d)) for delta, w in by_unit]
            numbers = joined([rf"{signed(by_sum)} \cdot {signed(by_input)}" for by_sum, by_input in factors])
            total = sum(by_sum * by_input for by_sum, by_input in factors)
            formula = r"\sum_k \frac{\partial E}{\partial z_k} \cdot \frac{\partial z_k}{\partial h}"
            slope = twin.activation_slope(network.activations[i], layer.answers[0])
            links = [
                Step(f"∂E/∂{answer}", formula, numbers, total),
                Step(f"∂{answer}/∂{z}", network.activations[i].slope_formula, "", slope),
            ]
        w = float(network.weights[i][0, 0])
        own = twin.by_weight(network.integrations[i].name, layer.inputs[0], w, len(layer.inputs))
        note = f"what unit {below} says" if i else "the input"
        links.append(Step(f"∂{z}/∂{weight}", result=own, note=note))
        chain = r" \cdot ".join(signed(step.result) for step in links)
        product = Step(f"∂E/∂{weight}", "", chain, -deltas[i][0] * own, "the product of the links")
        yield Work(f"weight {weight}, to {_name(i, len(layers))}", (*links, product))


def _from_the_loss(output, layer, target, deltas, answer, z):
    """The links from the loss to the sum of the first output unit."""
    o, t = layer.answers[0], target[0]
    if output.activation.name == "softmax":
        return [Step(f"∂E/∂{z}", "o - t" if isinstance(output, CrossEntropy) else "", "", -deltas[0])]
    slope = twin.activation_slope(output.activation, o)
    step = Step(f"∂{answer}/∂{z}", output.activation.slope_formula.replace("a", "o"), "", slope)
    if isinstance(output, CrossEntropy):
        by_answer = -deltas[0] / slope if slope else None
        numbers = rf"\frac{{{signed(o)} - {signed(t)}}}{{{signed(o)} (1 - {signed(o)})}}"
        return [Step(f"∂E/∂{answer}", r"\frac{o - t}{o (1 - o)}", numbers, by_answer), step]
    by_answer = -max(-output.delta, min(output.delta, t - o))
    return [Step(f"∂E/∂{answer}", "o - t", f"{signed(o)} - {signed(t)}", by_answer), step]


def _off_line(output, *errors):
    """What to note of Huber's loss where it is no square."""
    if isinstance(output, CrossEntropy) or max(map(abs, errors)) <= output.delta:
        return ""
    return f"Huber loss: an error above {figure(output.delta)} counts as that value"


def _updates(model, network, layers, deltas, numbering, step):
    """The new weights of the first units; biases where there are any."""
    for i, (layer, errors) in enumerate(zip(layers, deltas, strict=True)):
        integration, d = network.integrations[i], len(layer.inputs)
        steps = []
        for k, delta in enumerate(errors[:WEIGHTS]):
            for j, x in enumerate(layer.inputs[:WEIGHTS]):
                w = float(network.weights[i][j, k])
                change = twin.by_weight(integration.name, x, w, d)
                numbers = rf"{figure(w)} + {figure(step)} \cdot {signed(delta)} \cdot {signed(change)}"
                new = w + step * delta * change
                steps.append(Step(numbering.weight(i + 1, j, k), integration.update_formula, numbers, new))
            if model.fit_intercept:
                b = float(network.biases[i][k])
                numbers = rf"{figure(b)} + {figure(step)} \cdot {signed(delta)}"
                unit = numbering.unit(i + 1, k)
                steps.append(Step(f"b{unit}", r"b_k + \eta \delta_k", numbers, b + step * delta))
        more = network.weights[i].size > WEIGHTS
        parts = (*steps[:WEIGHTS], Step("and so on", integration.update_formula)) if more else tuple(steps)
        yield Work(f"weights to {_name(i, len(layers))}", parts)


def _all_units(numbering, layer, figures):
    """A grid of figures of each unit of a layer, by name."""
    rows = [(numbering.unit(layer, k), *row) for k, row in enumerate(zip(*figures.values(), strict=True))]
    return Grid("all units", ("unit", *figures), first_and_last(rows))


def _name(i, n_layers):
    return "the output" if i == n_layers - 1 else f"hidden layer {i + 1}"


def first_and_last(rows):
    """The rows of a grid, the middle left out where they are many."""
    if len(rows) <= ROWS:
        return rows
    gap = ["…", *(None for _ in rows[0][1:])]
    return [*rows[: ROWS - 2], gap, rows[-1]]
