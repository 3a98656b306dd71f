"""The readable twin of Lloyd's algorithm, and its derivation.

Rows are (numbers, codes, weight) and prototypes (means, modes), all of them lists. The twin uses nothing that
the kernels use, so tests compare the two.
"""

import math
from itertools import islice
from operator import ne
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from openbook.cluster.clusterer import were_found
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

#: The most iterations, and columns of a row, that are shown.
_SHOWN_ITERATIONS, _SHOWN_COLUMNS = 10, 6

#: The term of a column, and the centre of a cluster, by metric.
METRICS = {
    "euclidean": ("(x_j - c_j)^2", "mean", r"\frac{1}{N_c} \sum_{x \in c} x"),
    "cosine": ("(x_j - c_j)^2", "direction", r"\frac{\sum_{x \in c} x}{\| \sum_{x \in c} x \|}"),
    "manhattan": ("|x_j - c_j|", "median", r"\text{the median of each column}"),
}


class Iteration(NamedTuple):
    """One iteration: t of each row to each prototype, the nearest, the cost, what comes of it."""

    distances: list[list[float]]
    labels: list[int]
    cost: float
    taken: list[tuple[int, int]]  # clusters that were empty, and the rows that they took
    prototypes: list
    cost_after: float | None


def distance(row, prototype, gamma, metric="euclidean"):
    """The distance t of a row to a prototype: squared gaps, and γ for each category that differs."""
    numbers, codes, _ = row
    means, modes = prototype
    power = 1 if metric == "manhattan" else 2
    gaps = sum(abs(x - c) ** power for x, c in zip(numbers, means, strict=True))
    return gaps + gamma * sum(v != m or v < 0 for v, m in zip(codes, modes, strict=True))


def replay_lloyd(rows, prototypes, gamma, max_iter, tol=0.0, *, metric="euclidean", tol_changes=0.0):
    """The iterations from these prototypes until the assignments repeat, or the cost hardly falls."""
    before, cost_before = None, None
    for _ in range(max_iter):
        one = iteration(rows, prototypes, gamma, metric)
        yield one
        hardly = cost_before is not None and cost_before - one.cost < tol * cost_before and not one.taken
        changes = sum(map(ne, one.labels, before or ()))
        few = before is not None and changes <= tol_changes * len(rows) and not one.taken
        if one.labels == before or hardly or few:
            return
        before, cost_before, prototypes = one.labels, one.cost, one.prototypes


def iteration(rows, prototypes, gamma, metric="euclidean"):
    """One iteration."""
    distances = [[distance(row, prototype, gamma, metric) for prototype in prototypes] for row in rows]
    labels = [near.index(min(near)) for near in distances]
    nearest = [near[label] for near, label in zip(distances, labels, strict=True)]
    cost = sum(weight * t for (_, _, weight), t in zip(rows, nearest, strict=True))
    taken = []
    candidates = sorted(range(len(rows)), key=lambda i: (-nearest[i], i))
    for empty in sorted(set(range(len(prototypes))) - set(labels)):
        while candidates:
            i = candidates.pop(0)
            if nearest[i] > 0 and labels.count(labels[i]) > 1:
                labels[i] = empty
                taken.append((empty, i))
                break
    pairs = list(zip(rows, labels, strict=True))
    members = [[row for row, label in pairs if label == c] for c in range(len(prototypes))]
    after = [middle(own, prototype, metric) for own, prototype in zip(members, prototypes, strict=True)]
    cost_after = sum(row[2] * distance(row, after[label], gamma, metric) for row, label in pairs)
    return Iteration(distances, labels, cost, taken, after, cost_after)


def middle(members, before, metric="euclidean"):
    """The means, directions or medians, and the modes of the members; without any, where it was before."""
    if not members:
        return before
    total = sum(weight for _, _, weight in members)
    means = [sum(w * x[j] for x, _, w in members) / total for j in range(len(before[0]))]
    if metric == "manhattan":
        means = [median([(x[j], w) for x, _, w in members], total) for j in range(len(before[0]))]
    elif metric == "cosine" and any(means):
        means = [mean / math.hypot(*means) for mean in means]
    return means, [mode(members, j) for j in range(len(before[1]))]


def median(pairs, total):
    """The number with half of the weight on either side; midway between two, where both have."""
    reached, found = 0.0, []
    for number, weight in sorted(pairs):
        before, reached = reached, reached + weight
        if before <= total / 2 * (1 + 1e-12) and reached >= total / 2 * (1 - 1e-12):
            found.append(number)
    return (found[0] + found[-1]) / 2


def mode(members, j):
    """The heaviest known value of a column, ties: the first; -1 if none is known."""
    weights: dict[int, float] = {}
    for _, codes, weight in members:
        if codes[j] >= 0:
            weights[codes[j]] = weights.get(codes[j], 0.0) + weight
    return min(weights, key=lambda value: (-weights[value], value)) if weights else -1


def derive_model(model) -> Work:
    """How the clusters were found: the rule, every iteration, the cost; of large tables the first rows."""
    space, name = model.space_, model.method
    parts = [*_rules(model)]
    if len(space.encoding) and (space.encoding.names != space.encoding.schema.names or model.scale):
        parts.append(space.encoding.work())
    if model.history_.course:
        parts.append(_prototype_grid(model, "seeds", _lists(model.history_.course[0])))
        parts += [_iteration_work(model, t, one) for t, one in enumerate(_iterations(model), start=1)]
    parts.append(_cost_grid(model))
    final = _lists(model.prototypes_)
    parts.append(_prototype_grid(model, "final prototypes", final, model.weights_.tolist()))
    return Work(f"{name}: how {were_found(len(final))}", tuple(parts), _outcome(model))


def _rules(model):
    space = model.space_
    gaps, centre, centre_formula = METRICS[space.metric]
    numbers, modes = rf"\sum_j {gaps}", r"\sum_j [v_j \ne m_j]"
    weighed = modes if space.gamma == 1 else rf"\gamma {modes}"
    terms = [*([numbers] if len(space.encoding) else []), *([weighed] if len(space.nominal) else [])]
    note = "ties: the first" if space.gamma == 1 else f"γ = {figure(space.gamma)}; ties: the first"
    yield Step("cluster of a row", rf"\arg\min_c t(x, c), \quad t(x, c) = {' + '.join(terms)}", note=note)
    if len(space.encoding):
        yield Step(f"{centre} of a cluster", centre_formula)
    if len(space.nominal):
        yield Step("mode of a cluster", r"\arg\max_v N_{cv}", note="ties: the first")


def _iterations(model):
    """The first iterations, of the rows that were kept; from the record where these are not all."""
    rows = _rows(model.history_.rows)
    if len(rows) == model.history_.n:
        seeds, gamma = _lists(model.history_.course[0]), model.space_.gamma
        how = {"metric": model.space_.metric, "tol_changes": model.tol_changes}
        replayed = replay_lloyd(rows, seeds, gamma, model.max_iter, model.tol, **how)
        return list(islice(replayed, _SHOWN_ITERATIONS))
    shown: list[Iteration] = []
    for before, after in zip(model.history_.course, model.history_.course[1:], strict=False):
        one = iteration(rows, _lists(before), model.space_.gamma, model.space_.metric)
        cost = float(model.history_.costs[len(shown)])
        labels = [near.index(min(near)) for near in one.distances]
        shown.append(Iteration(one.distances, labels, cost, [], _lists(after), None))
    return shown


def _iteration_work(model, number, one):
    columns, cells = _columns(model, _rows(model.history_.rows))
    k = len(one.prototypes)
    header = ("row", *columns, *(f"t to {c}" for c in range(k)), "cluster")
    lines = enumerate(zip(cells, one.distances, one.labels, strict=True))
    rows = [(i, *row, *near, label) for i, (row, near, label) in lines]
    more = model.history_.n - len(rows)
    grid = Grid("assignment", header, rows, f"And {more:,} more rows." if more else "")
    parts: list[Step | Grid] = [grid, Step(model.cost, r"\sum t", result=one.cost)]
    for cluster, row in one.taken:
        takes = f"takes row {row}, the farthest from its prototype"
        parts.append(Step(f"cluster {cluster} was empty", result=takes))
    parts.append(_prototype_grid(model, "moved to", one.prototypes))
    if one.cost_after is not None:
        parts.append(Step(f"{model.cost} after moving", r"\sum t", result=one.cost_after))
    return Work(f"Iteration {number}", tuple(parts))


def _cost_grid(model):
    costs = model.history_.costs.tolist()
    rows: list[tuple] = list(enumerate(costs[:-1], start=1))
    if len(rows) > 2 * _SHOWN_ITERATIONS:
        rows = [*rows[:_SHOWN_ITERATIONS], ("…", None), *rows[-_SHOWN_ITERATIONS:]]
    title = f"{model.cost} of each iteration"
    return Grid(title, ("iteration", model.cost), rows, "Before the prototypes move.")


def _outcome(model):
    costs = model.history_.costs
    ending = "the assignments are stable" if model.converged_ else "the assignments still change"
    stays = [f"Cluster {cluster} stays empty." for _, cluster, row in model.history_.taken if row < 0]
    outcome = f"After {len(costs) - 1} iterations {ending}: {model.cost} {figure(float(costs[-1]))}."
    return " ".join([outcome, *dict.fromkeys(stays)])


def derive_row(model, X) -> Work:
    """Why a row belongs to its cluster."""
    space = model.space_
    row = _rows(space.encode_table(X))[0]
    prototypes = _lists(model.prototypes_)
    columns, cells = _columns(model, [row])
    _, middles = _columns(model, [(means, modes, 1.0) for means, modes in prototypes])
    distances = [distance(row, prototype, space.gamma, space.metric) for prototype in prototypes]
    nearest = distances.index(min(distances))
    rows = [("the row", *cells[0], None), *((c, *middles[c], t) for c, t in enumerate(distances))]
    grid = Grid("the row and the prototypes", ("cluster", *columns, "t"), rows)
    parts = (*_rules(model), grid, Step("nearest", r"\min_c t(x, c)", result=distances[nearest]))
    return Work(f"{model.method}: which cluster", parts, f"Cluster {nearest} is the nearest.")


def _prototype_grid(model, title, prototypes, weights=None):
    columns, cells = _columns(model, [(means, modes, 1.0) for means, modes in prototypes])
    if weights is None:
        return Grid(title, ("cluster", *columns), [(c, *row) for c, row in enumerate(cells)])
    rows = [(c, *row, weight) for c, (row, weight) in enumerate(zip(cells, weights, strict=True))]
    return Grid(title, ("cluster", *columns, "rows"), rows)


def _columns(model, rows):
    """The names of the columns, and the cells of rows as a reader would write them; of many, the first.

    Of sparse columns, those by which the prototypes differ most come first.
    """
    space = model.space_
    names = [*space.encoding.names, *space.nominal.names]
    cells = [
        [*numbers, *(a.decode(v) if v >= 0 else None for a, v in zip(space.nominal, codes, strict=True))]
        for numbers, codes, _ in rows
    ]
    if len(names) <= _SHOWN_COLUMNS:
        return names, cells
    order = np.arange(_SHOWN_COLUMNS)
    if space.encoding.sparse:
        order = np.argsort(-np.ptp(model.prototypes_.means, axis=0), kind="stable")[:_SHOWN_COLUMNS]
    shown = order.tolist()
    return [*(names[j] for j in shown), "…"], [[*(row[j] for j in shown), "…"] for row in cells]


def _rows(encoded):
    if issparse(encoded.numbers):
        encoded = encoded._replace(numbers=encoded.numbers.toarray())
    numbers, weights = (part.astype(float).tolist() for part in (encoded.numbers, encoded.weights))
    return list(zip(numbers, encoded.codes.tolist(), weights, strict=True))


def _lists(prototypes):
    return list(zip(prototypes.means.tolist(), prototypes.modes.tolist(), strict=True))
