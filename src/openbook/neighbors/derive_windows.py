r"""The readable twin of Parzen windows: the rows in the window, their weights, and the prediction.

Which rows are near, and how far, comes from the index, for a window may hold very many; the distances of the
heaviest are derived term by term, and weights and sums worked out here in plain Python.
"""

import math

from openbook.data.attributes import as_text
from openbook.neighbors.derive import distance_parts
from openbook.neighbors.windows import kernel_formula, kernel_weights
from openbook.spaces.derive import compared
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: The terms of so many rows are shown, and so many rows in the grid.
_SHOWN = 3
_LISTED = 20
#: Beyond so many radii a Gaussian's weights are given over that of the nearest row.
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
    labels = [as_text(label) for label in model.classes_.tolist()]
    near = _window(model, X)
    said = [int(model.statistics_.targets[row]) for row, _, _ in near]
    sums = [
        math.fsum(w for (_, _, w), c in zip(near, said, strict=True) if c == k) for k in range(len(labels))
    ]
    weights = [float(weight) for weight in model.class_weights_]
    prior = [float(p) for p in model.prior_]
    joint = [p * s / w if w else 0.0 for p, s, w in zip(prior, sums, weights, strict=True)]
    steps = [
        Step(
            f"P({label}) p(x | {label})",
            r"P(c) \frac{1}{W_c} \sum_{i: y_i = c} w_i K(d_i / h)",
            rf"{figure(p)} \cdot \frac{{{figure(s)}}}{{{figure(w)}}}",
            j,
            "the volume of the window is the same for all classes and cancels",
        )
        for label, p, s, w, j in zip(labels, prior, sums, weights, joint, strict=True)
    ]
    total = math.fsum(joint)
    posterior = [j / total for j in joint] if total > 0 else [p / math.fsum(prior) for p in prior]
    numbers = [fraction(j, total) if total > 0 else figure(p) for j, p in zip(joint, prior, strict=True)]
    steps += [
        Step(
            f"P({label} | x)",
            r"\frac{P(c) p(x \mid c)}{\sum_c P(c) p(x \mid c)}" if total > 0 else "P(c)",
            number,
            p,
        )
        for label, number, p in zip(labels, numbers, posterior, strict=True)
    ]
    winner = labels[posterior.index(max(posterior))]
    end = f"Most probable: {winner}."
    if not total > 0:
        end = f"No row lies in the window, so the prior decides: {winner}."
    shown = [f"{model.target_} = {labels[c]}" for c in said]
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
    points = model.space_.place(X)
    _, rows, distances = model.space_.index.within(points, model._reach)  # noqa: SLF001 (its twin)
    u = (distances / model.radius_).tolist()
    if model.kernel == "gaussian" and min(u) > _FAR:  # too small to be written as numbers: over the nearest
        kernel = [math.exp(-0.5 * (each - min(u)) * (each + min(u))) for each in u]
    else:
        kernel = [float(kernel_weights(each, model.kernel)) for each in u]
    weights = model.statistics_.weights[rows].tolist()
    near = list(
        zip(
            rows.tolist(),
            distances.tolist(),
            (w * k for w, k in zip(weights, kernel, strict=True)),
            strict=True,
        )
    )
    return sorted(near, key=lambda item: -item[2])


def _shown(model, X, near, said):
    works = [
        Work(f"{i + 1}. row {row}: {label}", compared(model.space_, X, row).parts)
        for i, ((row, _, _), label) in enumerate(zip(near[:_SHOWN], said, strict=False))
    ]
    rows = [(row, d, label, weight) for (row, d, weight), label in zip(near[:_LISTED], said, strict=False)]
    note = f"{len(near):,} rows lie in the window; the {_LISTED} with the largest weights are shown."
    rule = Step(
        "weight w K",
        rf"w \cdot {kernel_formula(model.kernel) or 'K(u)'}",
        note=f"u = d / {figure(model.radius_)}",
    )
    header = ("row", "distance d", "says", "w K")
    grid = Grid("rows in the window", header, rows, note if len(near) > _LISTED else "")
    return (*works, Work("window", (rule, grid)))
