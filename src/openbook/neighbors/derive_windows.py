r"""The readable twin of Parzen windows: the rows in the window, their weights, and the prediction.

The index gives the rows in the window and their distances, since a window may hold very many; the distances
of the heaviest rows are derived term by term, and weights and sums are computed here in plain Python.
"""

import math

from openbook.border.learner import class_names
from openbook.neighbors.derive import distance_parts
from openbook.neighbors.windows import kernel_formula, kernel_weights
from openbook.spaces.derive import compared
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: The number of rows whose terms are shown, and of rows in the grid.
_SHOWN, _LISTED = 3, 20
#: Beyond this distance in radii, a Gaussian's weights are relative to that of the nearest row.
_FAR = 30


def derive_windows(model) -> Work:
    """What the model keeps, and how wide its window is."""
    rule = "the mean distance of a row to its √W-th nearest row"
    if model.kernel == "gaussian":
        rule = f"a third of {rule}"
    note = rule if model.radius is None else "given"
    steps = (
        Step("radius h", result=model.radius_, note=note),
        Step("kernel K(u)", kernel_formula(model.kernel) or "K(u)", note="u = d / h"),
    )
    title = f"Parzen window for {model.target_}: how it was fitted"
    end = f"The model is its {len(model.statistics_):,} rows."
    return Work(title, (*distance_parts(model), Work("window", steps)), end)


def derive_density(model, X) -> Work:
    """How the class of a one-row table was found."""
    labels = class_names(model)
    near = _window(model, X)
    classes = [int(model.statistics_.targets[row]) for row, _, _ in near]
    steps, joint, prior = [], [], model.prior_.tolist()
    formula = r"P(c) \frac{1}{W_c} \sum_{i: y_i = c} w_i K(d_i / h)"
    note = "the volume of the window is the same for all classes and cancels"
    for c, (label, p, w) in enumerate(zip(labels, prior, model.class_weights_.tolist(), strict=True)):
        s = math.fsum(weight for (_, _, weight), k in zip(near, classes, strict=True) if k == c)
        joint.append(p * s / w if w else 0.0)
        product = rf"{figure(p)} \cdot {fraction(s, w)}"
        steps.append(Step(f"P({label}) p(x | {label})", formula, product, joint[-1], note))
    total = math.fsum(joint)
    formula = r"\frac{P(c) p(x \mid c)}{\sum_c P(c) p(x \mid c)}" if total > 0 else "P(c)"
    posterior = [j / total for j in joint] if total > 0 else [p / math.fsum(prior) for p in prior]
    numbers = [fraction(j, total) if total > 0 else figure(p) for j, p in zip(joint, prior, strict=True)]
    shares = zip(labels, numbers, posterior, strict=True)
    steps += [Step(f"P({label} | x)", formula, number, p) for label, number, p in shares]
    winner = labels[posterior.index(max(posterior))]
    end = f"Most probable: {winner}."
    if not total > 0:
        end = f"No row lies in the window, so the prior decides: {winner}."
    shown = [f"{model.target_} = {labels[c]}" for c in classes]
    title = f"Parzen window for {model.target_}: one prediction"
    return Work(title, (*_shown(model, X, near, shown), Work("posterior", tuple(steps))), end)


def derive_local_mean(model, X) -> Work:
    """How the number of a one-row table was found."""
    near = _window(model, X)
    targets = [float(model.statistics_.targets[row]) for row, _, _ in near]
    total = math.fsum(w for _, _, w in near)
    if total > 0:
        products = [w * t for (_, _, w), t in zip(near, targets, strict=True)]
        mean = math.fsum(products) / total
        numbers = fraction(joined(products, " + "), total)
        step = Step(f"{model.target_} of x", r"\frac{\sum_i w_i K_i y_i}{\sum_i w_i K_i}", numbers, mean)
        end = f"The prediction: {figure(mean)}."
    else:
        step = Step(f"{model.target_} of x", result=model.mean_, note="the mean of all rows")
        end = f"No row lies in the window, so the mean of all rows is predicted: {figure(model.mean_)}."
    shown = [f"{model.target_} = {figure(target)}" for target in targets]
    title = f"Parzen window for {model.target_}: one prediction"
    return Work(title, (*_shown(model, X, near, shown), Work("mean", (step,))), end)


def _window(model, X):
    """Row, distance and weight w K(d / h) of every row in the window, the heaviest first."""
    points = model.space_.coordinates(X)
    _, rows, distances = model.space_.index.within(points, model._window_radius)  # noqa: SLF001 (its twin)
    u = (distances / model.radius_).tolist()
    if model.kernel == "gaussian" and min(u) > _FAR:  # too small to be written as numbers: over the nearest
        kernel = [math.exp(-0.5 * (each - min(u)) * (each + min(u))) for each in u]
    else:
        kernel = [float(kernel_weights(each, model.kernel)) for each in u]
    weights = [w * k for w, k in zip(model.statistics_.weights[rows].tolist(), kernel, strict=True)]
    near = zip(rows.tolist(), distances.tolist(), weights, strict=True)
    return sorted(near, key=lambda item: -item[2])


def _shown(model, X, near, labels):
    rows = [(row, d, label, weight) for (row, d, weight), label in zip(near[:_LISTED], labels, strict=False)]
    works = [
        Work(f"{i}. row {row}: {label}", compared(model.space_, X, row).parts)
        for i, (row, _, label, _) in enumerate(rows[:_SHOWN], start=1)
    ]
    note = f"{len(near):,} rows lie in the window; the {_LISTED} with the largest weights are shown."
    weight = rf"w \cdot {kernel_formula(model.kernel) or 'K(u)'}"
    rule = Step("weight w K", weight, note=f"u = d / {figure(model.radius_)}")
    header = ("row", "distance d", "says", "w K")
    grid = Grid("rows in the window", header, rows, note if len(near) > _LISTED else "")
    return (*works, Work("window", (rule, grid)))
