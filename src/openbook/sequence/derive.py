"""Derivations of a hidden Markov model: the rules of an iteration, and one sequence with its trellis.

Every table of a sequence is shown whole. How its cells are computed is written out for the first few rows, of
the backward table for the last few.
"""

import math
from typing import Any

import numpy as np

from openbook.data import MISSING, UNSEEN, Categorical, Datetime, Numeric
from openbook.sequence.trellis import SMALLEST, log_or_minus_infinity
from openbook.words.numbers import figure, fraction, signed
from openbook.work import Grid, Step, Work

FORWARD = r"\frac{b_t(j) \sum_i f_{t-1}(i) a_{ij}}{c_t}"
BACKWARD = r"\frac{\sum_j a_{ij} b_{t+1}(j) g_{t+1}(j)}{c_{t+1}}"

#: Lines of a table that are shown; cells of it that are written out, and terms of a sum of them.
LINES, CELLS, WRITTEN = 40, 12, 6


def log_shown(model, X) -> list[list[float]]:
    """The logarithm of the probability or density of each row in each state."""
    return [[_log_shown(model, X, t, k) for k in range(len(model.states_))] for t in range(len(X))]


def _log_shown(model, X, t, k):
    """The logarithm of the probability or density of row t in state k, column by column."""
    emissions = model.emissions_
    total = 0.0
    known = [j for j, name in enumerate(emissions.numbers) if not math.isnan(X.data(name)[t])]
    if known:
        gap = np.array([X.data(emissions.numbers[j])[t] for j in known]) - emissions.means[k][known]
        covariance = emissions.covariances[k][np.ix_(known, known)]
        distance = float(gap @ np.linalg.solve(covariance, gap))
        size = float(np.linalg.slogdet(covariance)[1])
        total -= 0.5 * (len(known) * math.log(2 * math.pi) + size + distance)
    for attribute, table in zip(emissions.attributes, emissions.tables, strict=True):
        code = int(X.data(attribute.name)[t])
        if code != MISSING:
            total += log_or_minus_infinity(float(table[k, -1 if code == UNSEEN else code]))
    return total


# --- how the model was made -------------------------------------------------------------------------------


def derive_chain(model, *, counted: bool = False) -> Work:
    """How the model was learnt: the rules of a round, the trace, and the tables at the end.

    `counted` says that every row had a label, so that nothing was inferred.
    """
    names = _names(model)
    parts: list[Any] = []
    if counted:
        parts = [Work("counts", tuple(_rules(counted=True)))]
    elif model.trace_:
        parts = [Work("each round", tuple(_rules(counted=False))), _trace(model)]
    first = list(zip(names, model.start_.tolist(), strict=True))
    parts.append(Grid("P(first state)", ["state", "probability"], first))
    rows = [[name, *row] for name, row in zip(names, model.transitions_.tolist(), strict=True)]
    parts.append(Grid("P(next state | state)", ["state", *names], rows))
    emissions = model.emissions_
    for attribute, table in zip(emissions.attributes, emissions.tables, strict=True):
        rows = [[value, *table[:, v].tolist()] for v, value in enumerate(attribute.values[:LINES])]
        unlisted = len(attribute.values) - len(rows)
        notes = [f"{unlisted} more values"] if unlisted else []
        if model.trace_:
            notes.append("a value never seen: " + ", ".join(map(figure, table[:, -1].tolist())))
        note = "; ".join(notes)
        parts.append(Grid(f"P({attribute.name} | state)", [attribute.name, *names], rows, note))
    if emissions.numbers:
        deviations = np.sqrt(np.diagonal(emissions.covariances, axis1=1, axis2=2))
        rows = [
            [number, name, float(emissions.means[k, j]), float(deviations[k, j])]
            for j, number in enumerate(emissions.numbers[:LINES])
            for k, name in enumerate(names)
        ]
        together = "columns vary together within a state: see covariances_"
        note = "" if emissions.normals.diagonal else together
        header = ["column", "state", "mean", "standard deviation"]
        parts.append(Grid("normal distributions", header, rows, note))
    end = "Every row has a label, so the labels are counted." if counted else ""
    if model.trace_ and not counted:
        settled = "converged" if model.converged_ else "was stopped"
        end = f"Baum–Welch {settled} after {model.n_iter_} iterations."
    return Work(f"Hidden Markov model of {len(names)} states", tuple(parts), end)


def _rules(*, counted):
    """How the tables follow from the labels, or in each round from the inferred states."""
    shares = r"a_{ij} = \frac{n_{ij} + \alpha}{\sum_k (n_{ik} + \alpha)}"
    if counted:
        pairs = r"n_{ij} = \sum_t \gamma_t(i) \gamma_{t+1}(j)"
        yield Step("rows", r"\gamma_t(i) = 1", note="where i is the label of row t, otherwise 0")
        yield Step("transitions", pairs, note="how often j follows i")
        yield Step("shares", shares, note="of first labels likewise")
    else:
        pairs = r"n_{ij} = \sum_t \frac{f_t(i) a_{ij} b_{t+1}(j) g_{t+1}(j)}{c_{t+1}}"
        inferred = "P(state i at row t | sequence), see work(rows)"
        yield Step("E-step", r"\gamma_t(i) = f_t(i) g_t(i)", note=inferred)
        yield Step("transitions", pairs)
        yield Step("M-step", shares, note="zeros stay zero")
    yield Step("values", r"n_{i}(v) = \sum_{t: x_t = v} \gamma_t(i)", note="smoothed as in naive Bayes")
    yield Step("means", r"\mu_i = \frac{\sum_t \gamma_t(i) x_t}{\sum_t \gamma_t(i)}")
    variance = r"\sigma_i^2 = \frac{\sum_t \gamma_t(i) (x_t - \mu_i)^2}{\sum_t \gamma_t(i)}"
    yield Step("variances", variance)


def _trace(model):
    trace = model.trace_
    rows = [[t, value, None if t == 0 else value - trace[t - 1]] for t, value in enumerate(trace)]
    shown = rows if len(rows) <= LINES else [*rows[: LINES - 2], *rows[-2:]]
    note = "" if shown is rows else f"{len(rows) - LINES} iterations are not shown"
    prior = "with the prior that the smoothing stands for"
    header = ["iteration", "log-likelihood", "gain"]
    return Grid("log-likelihood", header, shown, "; ".join(filter(None, [prior, note])))


# --- one sequence -----------------------------------------------------------------------------------------


def derive_sequence(model, X, tables) -> Work:
    """How the states of one sequence are found: forward, backward and Viterbi, row by row."""
    names = _names(model)
    cells = [[cell_shown(X, a, t) for a in model.schema_] for t in range(len(X))]
    head = [f"b({name})" for name in names]
    shown = [[t + 1, *cells[t], *tables.b[t]] for t in range(len(X))]
    header = ["row", *model.schema_.names, *head]
    parts = [
        Grid("rows, and their probability in each state", header, shown, _note(tables)),
        _forward_work(model, names, tables),
        _backward_work(model, names, tables),
        grid_of_rows("posterior: forward times backward", "P", names, tables.posterior),
        _viterbi_work(model, names, tables),
    ]
    total = math.fsum(tables.log_c) if -math.inf not in tables.log_c else -math.inf
    parts.append(Step("ln P(rows)", r"\sum_t \ln c_t", result=total))
    parts.append(_update_work(model, X, names, tables))
    path = ", ".join(names[k] for k in tables.path)
    return Work("Hidden Markov model: one sequence", tuple(parts), f"The most probable path: {path}.")


def _forward_work(model, names, tables):
    """The forward table: P(state | rows so far)."""
    steps = []
    for t, forward in enumerate(tables.forward[: _rows_written(names)]):
        for j, name in enumerate(names):
            b, formula = figure(tables.b[t][j]), FORWARD
            if t == 0:
                formula, numbers = r"\frac{b_1(j) \pi_j}{c_1}", rf"{b} \cdot {figure(float(model.start_[j]))}"
            else:
                terms = zip(tables.forward[t - 1], model.transitions_[:, j].tolist(), strict=True)
                numbers = f"{b} ({_sum_of_products(terms)})"
            steps.append(_divided(f"f_{t + 1}({name})", formula, numbers, tables.log_c[t], forward[j]))
    table = grid_of_rows("forward", "f", names, tables.forward)
    return Work("forward: P(state | rows so far)", (*steps, table))


def _rows_written(names):
    """The rows of a table that are written out: fewer, where states are many."""
    return max(CELLS // len(names), 2)


def _backward_work(model, names, tables):
    """The backward table: how well each state explains the rows after it."""
    n = len(tables.backward)
    steps = [Step(f"g_{n}", "g_n(i) = 1", note="after the last row there is nothing to explain")]
    for t in range(n - 2, max(n - 2 - _rows_written(names), -1), -1):
        for i, name in enumerate(names):
            terms = zip(model.transitions_[i].tolist(), tables.b[t + 1], tables.backward[t + 1], strict=True)
            numbers, label = _sum_of_products(terms), f"g_{t + 1}({name})"
            steps.append(_divided(label, BACKWARD, numbers, tables.log_c[t + 1], tables.backward[t][i]))
    table = grid_of_rows("backward", "g", names, tables.backward)
    return Work("backward: the rows to come, given the state", (*steps, table))


def _sum_of_products(terms):
    """A sum of products in numbers, the first terms of many."""
    shown = [r" \cdot ".join(map(figure, factors)) for factors in terms]
    return " + ".join([*shown[:WRITTEN], r"\dots"] if len(shown) > WRITTEN else shown)


def _divided(label, formula, numbers, log_c, result):
    """A step that is divided by the scale of a row, which may be too small to be shown."""
    c = math.exp(log_c) if log_c > SMALLEST else 0.0
    return Step(label, formula, fraction(numbers, c) if c else "", result)


def _update_work(model, X, names, tables):
    """What one round of Baum and Welch would make of this sequence alone."""
    states = range(len(names))
    expected = [[0.0 for _ in states] for _ in states]
    for t in range(1, len(X)):
        later = [b * g for b, g in zip(tables.b[t], tables.backward[t], strict=True)]
        pair = [
            [tables.forward[t - 1][i] * float(model.transitions_[i, j]) * later[j] for j in states]
            for i in states
        ]
        c = math.fsum(map(math.fsum, pair))
        for i in states if c else ():
            for j in states:
                expected[i][j] += pair[i][j] / c
    sums = [math.fsum(row) for row in expected]
    shares = [[n / sums[i] if sums[i] else math.nan for n in expected[i]] for i in states]
    rule = r"n_{ij} = \sum_t \frac{f_t(i) a_{ij} b_{t+1}(j) g_{t+1}(j)}{c_{t+1}}"
    moves = [[names[i], *expected[i], sums[i]] for i in states]
    parts: list[Any] = [
        Step("expected transitions", rule, note="E-step"),
        Grid("n", ["from", *(f"to {name}" for name in names), "sum"], moves),
        Step("new transitions", r"a_{ij} = \frac{n_{ij}}{\sum_k n_{ik}}", note="M-step"),
        Grid("a", ["from", *(f"to {name}" for name in names)], [[names[i], *shares[i]] for i in states]),
    ]
    posteriors = [[line[i] for line in tables.posterior] for i in states]
    parts += [_new_emissions(X, attribute, names, posteriors) for attribute in model.schema_]
    note = "The new start is the posterior of row 1. `fit` sums over all sequences, smooths and bounds them."
    return Work("one round of Baum–Welch on these rows", tuple(parts), note)


def _new_emissions(X, attribute, names, posteriors):
    """The new probabilities of a column's values, or its moments: rows count by P(state | rows)."""
    data = X.data(attribute.name).tolist()
    if isinstance(attribute, Categorical):
        known = [math.fsum(w for w, code in zip(p, data, strict=True) if code >= 0) for p in posteriors]
        rows = []
        for v, value in enumerate(attribute.values[:LINES]):
            of = [math.fsum(w for w, code in zip(p, data, strict=True) if code == v) for p in posteriors]
            shares = (n / total if total else math.nan for n, total in zip(of, known, strict=True))
            rows.append([value, *shares])
        note = "sum of P(state | rows) over the rows with the value / over all rows in which it is known"
        return Grid(f"new P({attribute.name} | state)", [attribute.name, *names], rows, note)
    means, variances = [], []
    for p in posteriors:
        pairs = [(w, x) for w, x in zip(p, data, strict=True) if not math.isnan(x)]
        total = math.fsum(w for w, _ in pairs)
        mean = math.fsum(w * x for w, x in pairs) / total if total else math.nan
        means.append(mean)
        variances.append(math.fsum(w * (x - mean) ** 2 for w, x in pairs) / total if total else math.nan)
    note = "of x and of (x - mean)²: sum of P(state | rows) times it / sum of P(state | rows)"
    rows = [["mean", *means], ["variance", *variances]]
    return Grid(f"new mean and variance of {attribute.name}", ["", *names], rows, note)


def _viterbi_work(model, names, tables):
    """Viterbi's table, with the pointers from which the path is read."""
    rule = "the pointer says which state came before; the path is read from the last row back"
    steps = [Step("v_t(j)", r"\ln b_t(j) + \max_i (v_{t-1}(i) + \ln a_{ij})", note=rule)]
    logs = [[log_or_minus_infinity(a) for a in row] for row in model.transitions_.tolist()]
    for t in range(1, min(len(tables.best), _rows_written(names))):
        for j, name in enumerate(names):
            terms = [f"{figure(v)} + {signed(logs[i][j])}" for i, v in enumerate(tables.best[t - 1])]
            terms = [*terms[:WRITTEN], r"\dots"] if len(terms) > WRITTEN else terms
            numbers = rf"{figure(tables.log_b[t][j])} + \max({', '.join(terms)})"
            before = f"from {names[tables.pointers[t][j]]}"
            steps.append(Step(f"v_{t + 1}({name})", "", numbers, tables.best[t][j], before))
    last = Step("best end", r"\max_j v_n(j)", result=max(tables.best[-1]), note=names[tables.path[-1]])
    return Work("Viterbi: the most probable path", (*steps, viterbi_grid(names, tables), last))


def viterbi_grid(names, tables):
    """The best score of each state at each row, the state before it, and the best path."""
    rows = []
    for t, (best, backwards) in enumerate(zip(tables.best, tables.pointers, strict=True)):
        finite = ["-inf" if score == -math.inf else score for score in best]
        rows.append([t + 1, *finite, *(names[i] if t else "" for i in backwards), names[tables.path[t]]])
    header = ["row", *(f"v({name})" for name in names), *(f"before {name}" for name in names), "best path"]
    return Grid("v and pointers", header, rows)


def grid_of_rows(title, letter, names, lines):
    rows = [[t + 1, *line] for t, line in enumerate(lines)]
    return Grid(title, ["row", *(f"{letter}({name})" for name in names)], rows)


def _note(tables):
    odd = [str(t + 1) for t, c in enumerate(tables.log_c) if c == -math.inf]
    return f"no reachable state can show row {', '.join(odd)}: it says nothing" if odd else ""


def cell_shown(X, attribute, t):
    """A cell as a derivation shows it."""
    value = X.data(attribute.name)[t]
    if isinstance(attribute, Categorical):
        return "?" if value == MISSING else "unseen" if value == UNSEEN else attribute.values[value]
    if isinstance(attribute, Numeric) and math.isnan(value):
        return "?"
    if isinstance(attribute, Datetime):
        return attribute.shown(value)
    if isinstance(attribute, Numeric):
        return float(value)
    return "?" if value is None else value


def _names(model):
    return [str(state) for state in model.states_.tolist()]
