r"""Derivations of a belief network: a query answered by the sum and product rules, as in a textbook.

    chain rule       P(x_1, …, x_d) = Π_i P(x_i | parents(x_i))
    sum rule         P(q, e) = Σ_h P(q, e, h)
    product rule     P(q | e) = P(q, e) / P(e)

This is the plain twin of `elimination.py`. Nodes that are neither asked for, nor observed, nor above such a
node sum to one, and are left out first. Where few combinations of the hidden nodes are left, all of them are
listed. Otherwise hidden nodes are summed out one after the other, and each sum is a factor of its own, f1,
f2, …, with its numbers. The entry of a numeric leaf is the density of its number; a leaf that is asked for
is a mixture of normals over its parents. Soft evidence is a factor L, the likelihood of each value.
"""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from openbook.errors import RefusalError
from openbook.network.elimination import largest, min_fill, planned
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import joined, listed
from openbook.work import Grid, Step, Work, escape_text

#: Combinations of hidden nodes that are listed, cells of a factor at most, lines of a table that are shown.
LISTED, MOST, LINES = 16, 1 << 17, 64
#: Nodes that a formula names, and terms of a sum that are written out.
SHOWN = 8


class Term(NamedTuple):
    """A factor of a product: its name, the nodes that are free in it, and its number for their codes."""

    words: str
    formula: str
    free: tuple[str, ...]
    number: Callable[[Mapping[str, Any]], float]


def derive_query(network, targets, given, likely=None):
    """The derivation of P(targets | given).

    targets : nodes, or one leaf;  given : codes of values, of leaves numbers;  likely : the likelihoods of
    soft evidence
    """
    graph, likely = network.graph_, likely or {}
    is_leaf = targets[0] in network.normals_
    asked = [name for name in graph.parents[targets[0]] if name not in given] if is_leaf else list(targets)
    wanted = {*asked, *given, *likely}
    kept, barren = _relevant(graph, wanted)
    hidden = [name for name in kept if name not in {*asked, *given}]
    findings = [_finding(network, name, cell) for name, cell in given.items()]
    findings += [_soft_finding(network, name, likelihoods) for name, likelihoods in likely.items()]
    evidence = ", ".join(findings)
    terms = [_family_term(network, name, given) for name in kept]
    terms += [_soft_term(name, likelihoods) for name, likelihoods in likely.items()]
    parts = [_chain(network), *_left_out(network, [name for name in barren if name not in targets])]
    parts += [_densities(network, name, given) for name in given if name in network.normals_]
    combinations, events, sums = [()], [""], [1.0]
    if asked:
        rule = "sum rule over the hidden nodes" if hidden else "chain rule: no node is hidden"
        note = f"{rule}; e: {evidence}" if evidence else rule
        parts.append(Step(_joint(", ".join(asked), evidence), _summed(terms, hidden), note=note))
        terms, cut, hidden = _few_hidden(network, terms, hidden)
        parts += cut
        combinations, events, sums = list(product(*(_codes(network, name) for name in asked))), [], []
        for codes in combinations:
            fixed, values = dict(zip(asked, codes, strict=True)), _values_shown(network, asked, codes)
            events.append(", ".join(f"{name} = {value}" for name, value in zip(asked, values, strict=True)))
            part, total = _sum_of_products(network, _joint(events[-1], evidence), terms, fixed, hidden)
            parts.append(part)
            sums.append(total)
    names = ", ".join(targets)
    question = f"({names} | {evidence})" if evidence else f"({names})"
    if is_leaf:
        parts += (components := _mixture(network, targets[0], given, asked, combinations, sums))
        mean, variance = (step.result for step in components[-2:])
        end = f"Mean {figure(mean)}, standard deviation {figure(math.sqrt(variance))}."
        return Work(f"p{question}, step by step", tuple(parts), end)
    values = [", ".join(_values_shown(network, asked, codes)) for codes in combinations]
    parts += _ending(names, events, values, sums, evidence) if evidence else []
    best = events[int(np.argmax(sums))]
    return Work(f"P{question}, step by step", tuple(parts), f"The most probable: {best}.")


def derive_probability(network, cells):
    """The probability of a row by the chain rule; missing nodes are summed out."""
    kept, barren = _relevant(network.graph_, cells)
    hidden = [name for name in kept if name not in cells]
    terms = [_family_term(network, name, cells) for name in kept]
    parts: list[Any] = [_chain(network), *_left_out(network, barren)]
    for name in kept if not hidden else ():
        above = ", ".join(_finding(network, p, cells[p]) for p in network.graph_.parents[name])
        head = f"{_finding(network, name, cells[name])}{' | ' if above else ''}{above}"
        sign = "p" if name in network.normals_ else "P"
        parts.append(Step(f"{sign}({head})", "", "", _entry(network, name, cells)))
    terms, cut, hidden = _few_hidden(network, terms, hidden)
    part, p = _sum_of_products(network, "P(row)", terms, {}, hidden)
    return Work("The probability of a row", (*parts, *cut, part), f"P(row) = {figure(p)}.")


def _relevant(graph, wanted):
    """The nodes that are wanted or above such a node, and the others, parents first."""
    relevant = set(wanted) | graph.ancestors(tuple(wanted))
    return tuple([name for name in graph.order if (name in relevant) == side] for side in (True, False))


def _left_out(network, barren):
    """The step by which nodes below all that matters are left out, if there are any."""
    if not barren:
        return []
    families = [_family_term(network, name, {}) for name in barren]
    note = f"sum rule: nothing asked or observed depends on {listed(barren)}"
    return [Step("left out", rf"\sum_{{{_names(barren)}}} {_product(families)} = 1", note=note)]


# --- products and sums ------------------------------------------------------------------------------------


def _sum_of_products(network, label, terms, fixed, hidden):
    """The product of terms, summed over hidden nodes: each summand, and the sum."""
    rows, products = [], []
    for codes in product(*(_codes(network, name) for name in hidden)):
        cells = {**fixed, **dict(zip(hidden, codes, strict=True))}
        numbers = [term.number(cells) for term in terms]
        products.append(math.prod(numbers))
        rows.append([*_values_shown(network, hidden, codes), *numbers])
    total = math.fsum(products)
    if not hidden:
        return Step(label, _product(terms), joined(rows[0], r" \cdot "), total, "the numbers put in"), total
    rows = [[*row, one] for row, one in zip(rows, products, strict=True)]
    grid = Grid("terms", [*hidden, *(term.words for term in terms), "product"], rows)
    step = Step(label, r"\sum \text{ product}", joined(products), total, "sum rule")
    return Work(label, (grid, step)), total


def _few_hidden(network, terms, hidden):
    """The terms, where hidden nodes have too many combinations to be listed without these: each summed out.

    Also the steps of it, and the nodes that are still hidden.
    """
    if math.prod(len(_codes(network, name)) for name in hidden) <= LISTED:
        return terms, [], hidden
    numbers = {node.name: i for i, node in enumerate(network.nodes_)}
    sizes, scopes = network.families_.sizes, [[numbers[name] for name in term.free] for term in terms]
    eliminated = {numbers[name] for name in hidden}
    order = min_fill(scopes, eliminated, sizes)
    if (cells := largest(planned(scopes, order, eliminated)[0], sizes)[0]) > MOST:
        msg = f"a derivation would list {cells:,} products; query(…) gives the answer without it"
        raise RefusalError(msg)
    parts: list[Any] = []
    for name in (network.nodes_[v].name for v in order):
        factors = [term for term in terms if name in term.free]
        part, term = _summed_out(network, factors, name, len(parts) + 1)
        terms = [*(other for other in terms if name not in other.free), term]
        parts.append(part)
    return terms, parts, []


def _summed_out(network, factors, name, k):
    """One node summed out of the product of the terms that hold it: the step, and the sum as a term."""
    free = tuple(dict.fromkeys(v for term in factors for v in term.free if v != name))
    table, rows = {}, []
    for codes in product(*(_codes(network, v) for v in free)):
        cells = dict(zip(free, codes, strict=True))
        numbers = [[term.number({**cells, name: code}) for term in factors] for code in _codes(network, name)]
        table[codes] = math.fsum(map(math.prod, numbers))
        products = [" · ".join(map(figure, row)) for row in numbers[:SHOWN]] + ["…"] * (len(numbers) > SHOWN)
        rows.append([*_values_shown(network, free, codes), " + ".join(products), table[codes]])
    words = f"f{k}({', '.join(free)})" if free else f"f{k}"
    formula = f"f_{{{k}}}({_names(free)})" if free else f"f_{{{k}}}"
    step = Step(words, _summed(factors, [name]), note="sum rule")
    header = [*free, " · ".join(term.words for term in factors), f"f{k}"]
    grid = Grid(f"numbers of f{k}, summed over {name} = {_values(network, name)}", header, *_cut(rows))
    term = Term(words, formula, free, lambda cells: table[tuple(cells[v] for v in free)])
    return Work(f"{name} summed out", (step, grid)), term


def _family_term(network, name, given):
    """P(name | parents) as a term, in which what is given is fixed."""
    above = network.graph_.parents[name]
    free = tuple(v for v in (*above, name) if v not in given and v not in network.normals_)
    formula = rf"P({escape_text(name)} \mid {_names(above)})" if above else f"P({escape_text(name)})"
    words = _family(network.graph_, name)
    return Term(words, formula, free, lambda cells: _entry(network, name, {**given, **cells}))


def _soft_term(name, likely):
    return Term(f"L({name})", f"L({escape_text(name)})", (name,), lambda cells: float(likely[cells[name]]))


def _entry(network, name, codes):
    """P(name = its code | the codes of its parents); of a leaf the density of its number."""
    codes_of_parents = tuple(codes[above] for above in network.graph_.parents[name])
    if name in network.normals_:
        mean, variance = (float(part[codes_of_parents]) for part in network.normals_[name])
        return _density(codes[name], mean, math.sqrt(variance))
    return float(network.tables_[name][(*codes_of_parents, codes[name])])


def _ending(names, events, values, sums, evidence):
    """Two hypotheses by their numerators alone, then normalisation."""
    parts: list[Step] = []
    total = math.fsum(sums)
    numerators = [f"P({escape_text(event)}, e)" for event in events]
    order = sorted(range(len(sums)), key=lambda i: -sums[i])[:2]
    if len(order) == 2 and sums[order[1]] > 0:
        a, b = order
        formula, numbers = fraction(numerators[a], numerators[b]), fraction(sums[a], sums[b])
        note = "the numerators decide; P(e) is not needed to compare them"
        parts.append(Step(f"{values[a]} against {values[b]}", formula, numbers, sums[a] / sums[b], note))
    formula = rf"\sum_{{{escape_text(names)}}} P({escape_text(names)}, e)"
    parts.append(Step("P(e)", formula, joined(sums), total, f"sum rule over {names}; e: {evidence}"))
    for event, numerator, joint in zip(events, numerators, sums, strict=True):
        numbers, result = fraction(joint, total), joint / total if total else None
        rule = fraction(numerator, "P(e)")
        parts.append(Step(f"P({event} | e)", rule, numbers, result, "product rule, normalised"))
    return parts


# --- numeric leaves ---------------------------------------------------------------------------------------


def _densities(network, name, given):
    """The density of the number of a leaf for each combination of its parents' values."""
    above = network.graph_.parents[name]
    x, (mean, variance) = given[name], network.normals_[name]
    rows = []
    for codes in product(*(range(size) for size in mean.shape)):
        if any(given.get(parent, code) != code for parent, code in zip(above, codes, strict=True)):
            continue
        mu, sd = float(mean[codes]), math.sqrt(variance[codes])
        rows.append([*_values_shown(network, above, codes), mu, sd, _density(x, mu, sd)])
    header = [*above, "μ", "σ", f"N({figure(x)}; μ, σ)"]
    shown, cut = _cut(rows)
    note = "N(x; μ, σ) = 1/√(2πσ²) · e^(-(x - μ)²/(2σ²))"
    return Grid(f"p({name} = {figure(x)} | …)", header, shown, cut or note)


def _density(x, mean, sd):
    return math.exp(-((x - mean) ** 2) / (2 * sd**2)) / math.sqrt(2 * math.pi * sd**2)


def _mixture(network, target, given, asked, combinations, sums):
    """The mean and the variance of a leaf: the normals of its parents' values, weighted."""
    total = math.fsum(sums)
    rows = []
    for codes, joint in zip(combinations, sums, strict=True):
        cells = {**given, **dict(zip(asked, codes, strict=True))}
        at = tuple(cells[name] for name in network.graph_.parents[target])
        mean, variance = (float(part[at]) for part in network.normals_[target])
        posterior = joint / total if total else math.nan
        rows.append([*_values_shown(network, asked, codes), joint, posterior, mean, math.sqrt(variance)])
    header = [*asked, "P(q, e)", "P(q | e)", "μ", "σ"]
    weights, means, sds = zip(*(row[-3:] for row in rows), strict=True)
    centre = math.fsum(w * m for w, m in zip(weights, means, strict=True))
    variance = math.fsum(w * (s**2 + (m - centre) ** 2) for w, m, s in zip(weights, means, sds, strict=True))
    centres = joined(rf"{figure(w)} \cdot {figure(m)}" for w, m in zip(weights, means, strict=True))
    spreads = joined(
        rf"{figure(w)} ({figure(s)}^2 + ({figure(m)} - {figure(centre)})^2)"
        for w, m, s in zip(weights, means, sds, strict=True)
    )
    formulas = r"\sum_q P(q \mid e) \mu_q", r"\sum_q P(q \mid e) (\sigma_q^2 + (\mu_q - \mu)^2)"
    sd = f"standard deviation {figure(math.sqrt(variance))}"
    return [
        Grid(f"components of {target}: q are the values of its parents", header, *_cut(rows)),
        Step(f"mean of {target}", formulas[0], centres, centre, "sum rule: the mean of a mixture"),
        Step(f"variance of {target}", formulas[1], spreads, variance, sd),
    ]


# --- how it was made -------------------------------------------------------------------------------------


def derive_network(network):
    """The edges, and the table of each node with the counts behind it where it was learnt."""
    graph = network.graph_
    attributes = {a.name: a for a in network.nodes_}
    edges = [[name, ", ".join(graph.parents[name]) or "none"] for name in graph.order]
    parts = [_chain(network), Grid("edges", ["node", "parents"], edges)]
    statistics = network.statistics_
    counts = dict(zip(attributes, statistics.tables, strict=True)) if statistics is not None else None
    for name in graph.order:
        above = [attributes[p] for p in graph.parents[name]]
        is_leaf = name in network.normals_
        heads = ["mean", "standard deviation"] if is_leaf else [f"P({v})" for v in attributes[name].values]
        rows = []
        for i, codes in enumerate(product(*(range(len(a.values)) for a in above))):
            given = [a.values[c] for a, c in zip(above, codes, strict=True)]
            if is_leaf:
                mean, variance = (float(part[codes]) for part in network.normals_[name])
                cells, seen = [mean, math.sqrt(variance)], counts and float(counts[name].weight[i, 0])
            else:
                cells = network.tables_[name][codes].tolist()
                seen = counts and float(counts[name][codes].sum())
            rows.append([*given, *cells, *([seen] if counts else [])])
        header = [*graph.parents[name], *heads, *(["rows"] if counts else [])]
        parts.append(Grid(_family(graph, name), header, *_cut(rows)))
    if network.trace_:
        rounds = _cut([[i, v] for i, v in enumerate(network.trace_)])
        parts.append(Grid("expectation-maximisation", ["round", "log-likelihood"], *rounds))
    end = f"{len(graph.edges)} edges between {len(graph.parents)} nodes."
    return Work("Belief network", tuple(parts), end)


# --- words and formulas -----------------------------------------------------------------------------------


def _attribute(network, name):
    return next(a for a in network.nodes_ if a.name == name)


def _codes(network, name):
    """The codes of the values of a node."""
    return range(len(_attribute(network, name).values))


def _value_shown(network, name, cell):
    """The value of a code, or the number of a leaf, in words."""
    return figure(cell if name in network.normals_ else _attribute(network, name).values[cell])


def _values_shown(network, names, codes):
    return [_value_shown(network, name, code) for name, code in zip(names, codes, strict=True)]


def _values(network, name):
    return listed(_attribute(network, name).values, most=SHOWN)


def _finding(network, name, cell):
    """What a node shows: smoker = yes, age > 55.5, age in (37.5, 44.5]."""
    shown = _value_shown(network, name, cell)
    if name not in network.cuts_:
        return f"{name} = {shown}"
    return f"{name} in {shown}" if shown.startswith("(") else f"{name} {shown}"


def _soft_finding(network, name, likely):
    """What soft evidence says of a node: L(smoke) = 0.8 (yes), 0.1 (no)."""
    values = _attribute(network, name).values
    shown = (f"{figure(float(x))} ({value})" for value, x in zip(values, likely, strict=True))
    return f"L({name}) = {', '.join(shown)}"


def _chain(network):
    """The chain rule over the graph, as a step."""
    names = network.graph_.order
    label = f"P({', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''})"
    terms = [_family_term(network, name, {}) for name in names]
    return Step(label, _product(terms), note="chain rule over the graph")


def _joint(what, evidence):
    return f"P({what}, e)" if evidence else f"P({what})"


def _summed(terms, hidden):
    over = rf"\sum_{{{_names(hidden)}}} " if hidden else ""
    return f"{over}{_product(terms)}"


def _product(terms):
    shown = [term.formula for term in terms[:SHOWN]]
    return r" \cdot ".join([*shown, r"\dots"] if len(terms) > SHOWN else shown)


def _names(names):
    """Names from the data in a formula, the first few of many."""
    return ", ".join(escape_text(name) for name in names[:SHOWN]) + (r", \dots" if len(names) > SHOWN else "")


def _family(graph, name):
    """A family in words, as a header."""
    above = graph.parents[name]
    return f"P({name} | {', '.join(above)})" if above else f"P({name})"


def _cut(rows):
    """The first of many lines, and how many more there are."""
    return rows[:LINES], f"{len(rows) - LINES:,} more lines not shown" if len(rows) > LINES else ""
