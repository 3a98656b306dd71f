"""The words of how a network was learnt: columns, layers, the rule of the weights, the training curve."""

from itertools import pairwise

import numpy as np

from openbook.neural.derive import Numbering, first_and_last
from openbook.neural.outputs import CrossEntropy
from openbook.work import Grid, Step, Work

SPEED = r", \quad v \gets \mu v - \eta g"
RULES = {
    "sgd": (r"w - \eta g", "descent"),
    "momentum": ("w + v" + SPEED, "descent with momentum"),
    "nesterov": (r"w + \mu v - \eta g" + SPEED, "descent with Nesterov's momentum"),
    "lbfgs": (r"w - \eta H g", "L-BFGS; H, the inverse Hessian as the last gradients show it"),
    "adam": (r"w - \eta \frac{\hat{m}}{\sqrt{\hat{v}} + \varepsilon}", "Adam"),
}
#: Networks of no more parameters than these are written out.
WRITTEN = 60


def derive_model(model, network, what):
    """How a network was learnt; `what` it is for, in words."""
    sizes = model._sizes()  # noqa: SLF001 (the model's other half)
    numbering = Numbering(sizes)
    parts = [model.encoding_.work(), _layers(network, sizes, numbering), *_rules(model, network)]
    parts.append(_curve(model))
    if sum(a * b + b for a, b in pairwise(sizes)) <= WRITTEN:
        parts.append(_weights(model, numbering))
    if len(model.trace_):
        parts.append(_updates("after every update", model.trace_, model, sizes, numbering))
    if len(model.gradients_):
        parts.append(_updates("gradient of every update", model.gradients_, model, sizes, numbering))
    epochs = len(model.loss_curve_)
    kept = f", and the weights of epoch {model.best_epoch_} were kept" if len(model.validation_curve_) else ""
    end = f"Training ended after {epochs} epochs: {model.ending_}{kept}."
    if epochs > 1 and model.loss_curve_[-1] > 2.0 * model.loss_curve_[0]:
        end += " The loss rose during training: take smaller steps, by a lower learning_rate_init."
    shape = "-".join(map(str, sizes))
    return Work(f"Network {shape} for {what}: how it was fitted", tuple(parts), end)


def _layers(network, sizes, numbering):
    rows = [("inputs", sizes[0], _span(numbering, 0, sizes), None, None, None)]
    for i, weights in enumerate(network.weights):
        last = i == len(network.weights) - 1
        activation = network.output.activation if last else network.activations[i]
        name = "output" if last else f"hidden {i + 1}"
        units = _span(numbering, i + 1, sizes)
        rows.append((name, sizes[i + 1], units, network.integrations[i].name, activation.name, weights.size))
    return Grid("layers", ("layer", "units", "numbered", "integration", "activation", "weights"), rows)


def _span(numbering, layer, sizes):
    first, size = numbering.unit(layer, 0), sizes[layer]
    return str(first) if size == 1 else f"{first} to {first + size - 1}"


def _rules(model, network):
    """The steps that state the objective and how it is minimised."""
    loss = r"\frac{1}{2 n} \sum_i \| o_i - t_i \|^2"
    if isinstance(network.output, CrossEntropy):
        loss = r"-\frac{1}{n} \sum_i \ln P(y_i \mid x_i)"
    if model.alpha:
        loss += r" + \frac{\lambda}{2 n} \sum w^2"
        yield Step("λ", result=float(model.alpha), note="the penalty, alpha; n rows in a batch")
    huber = getattr(network.output, "delta", np.inf) < np.inf
    note = "Huber loss: linear for errors above 1" if huber else ""
    yield Step("objective", loss, note=note)
    moving = model.solver == "sgd" and model.momentum > 0
    formula, note = RULES[("momentum", "nesterov")[model.nesterovs_momentum] if moving else model.solver]
    yield Step("w after an update", formula, note=note)
    if model.solver != "lbfgs":
        note = f"the learning rate, {model.learning_rate}"
        yield Step("η", result=float(model.learning_rate_init_), note=note)


def _curve(model):
    validation = model.validation_curve_.tolist()
    losses = model.loss_curve_.tolist()
    rows = [(epoch + 1, loss, *validation[epoch : epoch + 1]) for epoch, loss in enumerate(losses)]
    every = max(1, -(-len(rows) // 24))
    shown = [row for i, row in enumerate(rows) if i % every == 0 or i == len(rows) - 1]
    header = ("epoch", "loss", "loss of the held-out rows")[: 3 if validation else 2]
    return Grid("training curve", header, [row for row in shown if len(row) == len(header)])


def _weights(model, numbering):
    rows = []
    for i, (weights, biases) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        for k in range(weights.shape[1]):
            rows += [(numbering.weight(i + 1, j, k), float(w)) for j, w in enumerate(weights[:, k])]
            if model.fit_intercept:
                rows.append((f"b{numbering.unit(i + 1, k)}", float(biases[k])))
    return Grid("weights", ("weight", "value"), rows)


def _updates(title, numbers, model, sizes, numbering):
    """A number for each weight and update: few of them, or they were not kept."""
    names = [
        numbering.weight(i + 1, j, k) for i, w in enumerate(model.coefs_) for j, k in np.ndindex(w.shape)
    ]
    if model.fit_intercept:
        names += [f"b{numbering.unit(i + 1, k)}" for i in range(len(sizes) - 1) for k in range(sizes[i + 1])]
    per_epoch = max(len(numbers) // max(len(model.loss_curve_), 1), 1)
    figures = enumerate(numbers[:, : len(names)].tolist())
    rows = [(update // per_epoch + 1, update + 1, *values) for update, values in figures]
    return Grid(title, ("epoch", "update", *names), first_and_last(rows))
