r"""Derivations of a conditional random field: the weights, and the best path against the runner-up.

    s(y, x) = Σ_t (Σ_i w_i(y_t) x_ti + T(y_{t-1}, y_t)),    P(y | x) = e^{s(y, x)} / Z(x)

`label_scores` is the plain twin of the kernels that add up the weights of features.
"""

import math
from typing import Any

from openbook.data import Categorical, Numeric
from openbook.sequence.derive import BACKWARD, FORWARD, cell_shown, grid_of_rows, viterbi_grid
from openbook.sequence.features import FORMS, OFFSETS, PLACES, Feature
from openbook.work import Grid, Step, Work

#: Weights of each label, and iterations, that are shown.
STRONGEST, ITERATIONS = 8, 20


def shown_features(model, X) -> list[list[tuple[Feature, float]]]:
    """The features of each row that training showed, with their values: 1, or a number in standard units."""
    space, n = model.features_, len(X)
    rows = []
    for t in range(n):
        places = zip(PLACES, (True, t == 0, t == n - 1), strict=True)
        found = [(Feature("", position), 1.0) for position, holds in places if holds]
        for offset, by in OFFSETS.items():
            if 0 <= t + by < n:
                names = space.schema.names if not offset else space.neighbours[offset]
                for attribute in space.schema:
                    if attribute.name in names:
                        found += _cell_features(space, X, t + by, offset, attribute)
        rows.append([(feature, value) for feature, value in found if feature in space.index])
    return rows


def _cell_features(space, X, t, offset, attribute):
    name, cell = attribute.name, X.data(attribute.name)[t]
    if isinstance(attribute, Numeric):
        j = space.schema.of(Numeric).index(name)
        known = not math.isnan(cell)
        return [(Feature(offset, name), float((cell - space.shift[j]) / space.scale[j]))] if known else []
    if isinstance(attribute, Categorical):
        return [(Feature(offset, name, "", attribute.values[cell]), 1.0)] if cell >= 0 else []
    if cell is None:
        return []
    forms = [Feature(offset, name, form, of(cell)) for form, of in FORMS.items()]
    return [(feature, 1.0) for feature in (Feature(offset, name, "", cell), *forms)]


def label_scores(model, X) -> list[list[float]]:
    """The score of each label by the features of each row."""
    index, labels = model.features_.index, range(len(model.classes_))
    return [
        [math.fsum(float(model.coef_[k, index[f]]) * value for f, value in row) for k in labels]
        for row in shown_features(model, X)
    ]


def best_two(scores, pairs) -> list[tuple[float, tuple[int, ...]]]:
    """The two paths of the largest score, with it; one if there is but one."""
    labels = range(len(pairs))
    ends = [[(scores[0][j], (j,))] for j in labels]
    for row in scores[1:]:
        ends = [
            _largest((s + pairs[i][j] + row[j], (*path, j)) for i in labels for s, path in ends[i])
            for j in labels
        ]
    return _largest(end for terms in ends for end in terms)


def _largest(paths):
    return sorted(paths, key=lambda end: -end[0])[:2]


def derive_field(model) -> Work:
    """How the weights were learnt, and the strongest of them."""
    names = [str(label) for label in model.classes_.tolist()]
    score = Step("score", r"s(y, x) = \sum_t (\sum_i w_i(y_t) x_{ti} + T(y_{t-1}, y_t))")
    parts: list[Any]
    if model.solver == "perceptron":
        note = "where the best path is wrong: its features lose what those of the true path gain;"
        note += " in the end θ is the mean over all sequences met"
        parts = [score, Step("update", r"\theta + f(y, x) - f(\hat{y}, x)", note=note)]
        what = "share of wrong rows"
    else:
        loss = r"-\sum \ln P(y \mid x) + \frac{1 - r}{2C} \sum \theta^2 + \frac{r}{C} \sum |\theta|"
        settings = f"C = {model.C:g}, r = {model.l1_ratio:g}; below, per row"
        parts = [
            score,
            Step("probability", r"P(y \mid x) = \frac{e^{s(y, x)}}{Z(x)}"),
            Step("minimised", loss, note=settings),
            Step("gradient", r"E(f_i) - f_i", note="expected under the model, less what the rows show"),
        ]
        what = "loss per row"
    trace = [[i, value] for i, value in enumerate(model.trace_, model.solver == "perceptron")]
    note = f"the last {ITERATIONS} of {len(trace)}" if len(trace) > ITERATIONS else ""
    parts.append(Grid("learning", ["iteration", what], trace[-ITERATIONS:], note))
    rows = [[name, *row] for name, row in zip(names, model.transitions_.tolist(), strict=True)]
    parts.append(Grid("weights of a label (column) after a label (row)", ["after", *names], rows))
    features = model.features_.features
    for k, name in enumerate(names):
        order = (-abs(model.coef_[k])).argsort(kind="stable")[:STRONGEST].tolist()
        strongest = [[str(features[i]), float(model.coef_[k, i])] for i in order if model.coef_[k, i]]
        parts.append(Grid(f"largest weights of {name}", ["feature", "weight"], strongest))
    settled = "converged" if model.converged_ else "was stopped"
    end = f"Learning {settled} after {model.n_iter_} iterations; {model.complexity():,} weights are not 0."
    return Work(f"Conditional random field of {len(names)} labels", tuple(parts), end)


def derive_labels(model, X, tables) -> Work:
    """How the labels of one sequence are found, and by what the best path beats the runner-up."""
    names = [str(label) for label in model.classes_.tolist()]
    cells = [[cell_shown(X, a, t) for a in model.schema_] for t in range(len(X))]
    rows = [[t + 1, *cells[t], *scores] for t, scores in enumerate(tables.log_b)]
    header = ["row", *model.schema_.names, *(f"w·x({name})" for name in names)]
    paths = best_two(tables.log_b, model.transitions_.tolist())
    log_z = math.fsum(tables.log_c)
    parts = [
        Grid("rows, and what their features say of each label", header, rows),
        *([_against(model, X, names, paths, log_z)] if len(paths) > 1 else []),
        Work(
            "forward–backward: P(label | sequence)",
            (
                Step("b_t(j)", r"e^{w(j) \cdot x_t}", note="a_ij = e^T(i, j), and π_j = 1"),
                Step("f_t(j)", FORWARD, note="c_t is the sum over j"),
                grid_of_rows("forward", "f", names, tables.forward),
                Step("ln Z(x)", r"\sum_t \ln c_t", result=log_z),
                Step("g_t(i)", BACKWARD),
                grid_of_rows("backward", "g", names, tables.backward),
                grid_of_rows("marginals: forward times backward", "P", names, tables.posterior),
            ),
        ),
        Work(
            "Viterbi: the most probable path",
            (
                Step("v_t(j)", r"w(j) \cdot x_t + \max_i (v_{t-1}(i) + T(i, j))", note="with a pointer to i"),
                viterbi_grid(names, tables),
            ),
        ),
    ]
    path = ", ".join(names[k] for k in paths[0][1])
    return Work("Conditional random field: one sequence", tuple(parts), f"The most probable path: {path}.")


def _against(model, X, names, paths, log_z):
    """The score of the best path against the runner-up, feature by feature."""
    (best, first), (second, other) = paths
    index, pairs = model.features_.index, model.transitions_
    lines: list[list[Any]] = []
    for t, row in enumerate(shown_features(model, X)):
        if first[t] != other[t]:
            for feature, value in row:
                ours, theirs = (value * float(model.coef_[p[t], index[feature]]) for p in (first, other))
                if ours or theirs:
                    lines.append([t + 1, str(feature), ours, theirs, ours - theirs])
        if t and (first[t - 1], first[t]) != (other[t - 1], other[t]):
            ours, theirs = (float(pairs[path[t - 1], path[t]]) for path in (first, other))
            moves = [f"{names[path[t]]} after {names[path[t - 1]]}" for path in (first, other)]
            lines.append([t + 1, " or ".join(dict.fromkeys(moves)), ours, theirs, ours - theirs])
    lines.append([None, "sum", *(math.fsum(line[j] for line in lines) for j in (2, 3, 4))])
    paths_shown = [
        [what, *(names[k] for k in path)] for what, path in (("best", first), ("runner-up", other))
    ]
    header = ["row", "feature or transition", "best", "runner-up", "difference"]
    note = "the differences add up to that of the scores"
    return Work(
        "the best path against the runner-up",
        (
            Grid("paths", ["path", *(str(t + 1) for t in range(len(first)))], paths_shown),
            Step("s(best)", r"\sum_t (w(y_t) \cdot x_t + T(y_{t-1}, y_t))", result=best),
            Step("s(runner-up)", "", result=second),
            Grid("where they differ, feature by feature", header, lines, note),
            Step("P(best | x)", r"e^{s - \ln Z}", result=math.exp(best - log_z)),
            Step("P(runner-up | x)", r"e^{s - \ln Z}", result=math.exp(second - log_z)),
        ),
    )
