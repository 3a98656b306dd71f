r"""The work of a belief network: a question answered by the sum and product rules, as in a textbook.

    chain rule       P(x_1, …, x_d) = Π_i P(x_i | parents(x_i))
    sum rule         P(q, e) = Σ_h P(q, e, h)
    product rule     P(q | e) = P(q, e) / P(e)

This is the plain twin of `elimination.py`: it goes through every combination of the hidden nodes. Nodes that
are neither asked for, nor observed, nor above such a node sum to one, and are left out first. Where there
are too many combinations, the terms of each value are summed without being listed. The entry of a numeric
leaf is the density of its number; a leaf that is asked for is a mixture of normals over its parents.
"""

import math
from itertools import product

import numpy as np

from openbook.words.numbers import figure
from openbook.words.sentences import joined, listed
from openbook.work import Grid, Step, Work
from openbook.work.formula import escape_text

__all__ = ["derive_network", "derive_probability", "derive_query"]

#: Terms of a sum that are listed, combinations that are gone through, and lines of a table that are shown.
LISTED, MOST, LINES = 16, 20_000, 32
#: Nodes that a formula names.
SHOWN = 8


def derive_query(network, target, given):
    """The derivation of P(target | given) for one target, and evidence in codes, of leaves numbers."""
    graph = network.graph_
    attributes = {a.name: a for a in network.nodes_}
    is_leaf = target in network.normals_
    asked = [name for name in graph.parents[target] if name not in given] if is_leaf else [target]
    wanted = {*asked, *given}
    relevant = wanted | graph.ancestors(tuple(wanted))
    kept = [name for name in graph.order if name in relevant]
    barren = [name for name in graph.order if name not in relevant and name != target]
    hidden = [name for name in kept if name not in wanted]
    evidence = ", ".join(_finding(network, name, cell) for name, cell in given.items())
    parts = [_chain(graph)]
    if barren:
        out = f"sum rule: nothing asked or observed lies below {listed(barren)}, so they sum to 1"
        parts.append(Step("left out", rf"\sum_{{{_names(barren)}}} {_product(graph, barren)} = 1", note=out))
    parts += [_densities(network, name, given) for name in given if name in network.normals_]
    combinations = list(product(*(range(len(attributes[name].values)) for name in asked)))
    if asked:
        rule = "sum rule over the hidden nodes" if hidden else "product rule: no node is hidden"
        note = f"{rule}; e: {evidence}" if evidence else rule
        label = _joint_words(", ".join(asked), "", evidence)
        parts.append(Step(label, _summed(graph, kept, hidden), note=note))
    sums = []
    for codes in combinations if asked else ():
        what, value = _asked_words(network, asked, codes)
        label = _joint_words(what, value, evidence)
        part, total = _numerator(
            network, label, {**given, **dict(zip(asked, codes, strict=True))}, kept, hidden
        )
        parts.append(part)
        sums.append(total)
    question = f"P({target} | {evidence})" if evidence else f"P({target})"
    if is_leaf:
        parts += (components := _mixture(network, target, given, asked, combinations, sums or [1.0]))
        mean, variance = (step.result for step in components[-2:])
        told = f"Mean {figure(mean)}, standard deviation {figure(math.sqrt(variance))}."
        return Work(f"{question.replace('P', 'p', 1)}, step by step", tuple(parts), told)
    values = attributes[target].values
    parts += _ending(target, values, sums, evidence)
    best = values[int(np.argmax(sums))]
    return Work(f"{question}, step by step", tuple(parts), f"The most probable: {target} = {best}.")


def _plain(network, name, cell):
    """The value of a code, or the number of a leaf."""
    if name in network.normals_:
        return cell
    return next(a for a in network.nodes_ if a.name == name).values[cell]


def _told(network, name, cell):
    """The value of a code, or the number of a leaf, in words."""
    return figure(_plain(network, name, cell))


def _finding(network, name, cell):
    """What a node shows: smoker = yes, age > 55.5, age in (37.5, 44.5]."""
    told = _told(network, name, cell)
    if name not in network.cuts_:
        return f"{name} = {told}"
    return f"{name} in {told}" if told.startswith("(") else f"{name} {told}"


def _asked_words(network, asked, codes):
    """The names of nodes, and their values, as _joint_words takes them."""
    told = [_told(network, name, code) for name, code in zip(asked, codes, strict=True)]
    if len(asked) == 1:
        return asked[0], told[0]
    return ", ".join(f"{name} = {value}" for name, value in zip(asked, told, strict=True)), ""


def _densities(network, name, given):
    """The density of the number of a leaf for each combination of its parents' values."""
    above = network.graph_.parents[name]
    x, (mean, variance) = given[name], network.normals_[name]
    rows = []
    for codes in product(*(range(size) for size in mean.shape)):
        if any(given.get(parent, code) != code for parent, code in zip(above, codes, strict=True)):
            continue
        told = [_told(network, parent, code) for parent, code in zip(above, codes, strict=True)]
        sd = math.sqrt(variance[codes])
        rows.append([*told, float(mean[codes]), sd, _density(x, float(mean[codes]), sd)])
    more = f"{len(rows) - LINES:,} more lines not shown" if len(rows) > LINES else ""
    note = "N(x; μ, σ) = 1/√(2πσ²) · e^(-(x - μ)²/(2σ²))"
    header = [*above, "μ", "σ", f"N({figure(x)}; μ, σ)"]
    return Grid(f"p({name} = {figure(x)} | …)", header, rows[:LINES], more or note)


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
        told = [_told(network, name, code) for name, code in zip(asked, codes, strict=True)]
        rows.append([*told, joint, joint / total if total else math.nan, mean, math.sqrt(variance)])
    header = [*asked, "P(q, e)", "P(q | e)", "μ", "σ"]
    more = f"{len(rows) - LINES:,} more lines not shown" if len(rows) > LINES else ""
    weights, means, sds = zip(*(row[-3:] for row in rows), strict=True)
    centre = math.fsum(w * m for w, m in zip(weights, means, strict=True))
    variance = math.fsum(w * (s**2 + (m - centre) ** 2) for w, m, s in zip(weights, means, sds, strict=True))
    return [
        Grid(f"components of {target}: q are the values of its parents", header, rows[:LINES], more),
        Step(
            f"mean of {target}",
            r"\sum_q P(q \mid e) \mu_q",
            _shown_terms(rf"{figure(w)} \cdot {figure(m)}" for w, m in zip(weights, means, strict=True)),
            centre,
            "sum rule: the mean of a mixture",
        ),
        Step(
            f"variance of {target}",
            r"\sum_q P(q \mid e) (\sigma_q^2 + (\mu_q - \mu)^2)",
            _shown_terms(
                rf"{figure(w)} ({figure(s)}^2 + ({figure(m)} - {figure(centre)})^2)"
                for w, m, s in zip(weights, means, sds, strict=True)
            ),
            variance,
            f"standard deviation {figure(math.sqrt(variance))}",
        ),
    ]


def _shown_terms(terms):
    terms = list(terms)
    return " + ".join([*terms[:SHOWN], r"\dots"] if len(terms) > SHOWN else terms)


def _chain(graph):
    """The chain rule over the graph, as a step."""
    names = graph.order
    label = f"P({', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''})"
    return Step(label, _product(graph, names), note="chain rule over the graph")


def _joint_words(target, value, evidence):
    is_value = f" = {value}" if value else ""
    return f"P({target}{is_value}, e)" if evidence else f"P({target}{is_value})"


def _summed(graph, kept, hidden):
    over = rf"\sum_{{{_names(hidden)}}} " if hidden else ""
    return f"{over}{_product(graph, kept)}"


def _product(graph, names):
    shown = [_formula(graph, name) for name in names[:SHOWN]]
    return r" \cdot ".join([*shown, r"\dots"] if len(names) > SHOWN else shown)


def _formula(graph, name):
    """A family as a formula: P(node | parents)."""
    above = graph.parents[name]
    return rf"P({escape_text(name)} \mid {_names(above)})" if above else f"P({escape_text(name)})"


def _names(names):
    """Names from the data in a formula, the first few of many."""
    return ", ".join(escape_text(name) for name in names[:SHOWN]) + (r", \dots" if len(names) > SHOWN else "")


def _family(graph, name):
    """A family in words, as a header."""
    above = graph.parents[name]
    return f"P({name} | {', '.join(above)})" if above else f"P({name})"


def _numerator(network, label, fixed, kept, hidden):
    """P(target = value, evidence) with its terms, and the sum of them."""
    graph = network.graph_
    attributes = {a.name: a for a in network.nodes_}
    combinations = math.prod(len(attributes[name].values) for name in hidden)
    if combinations > MOST:
        total = network.probability({name: _plain(network, name, c) for name, c in fixed.items()})
        return Step(
            label, _summed(graph, kept, hidden), "", total, f"{combinations:,} terms, not listed"
        ), total
    rows, terms = [], []
    for codes in product(*(range(len(attributes[name].values)) for name in hidden)):
        factors = [_entry(network, name, {**fixed, **dict(zip(hidden, codes, strict=True))}) for name in kept]
        terms.append(math.prod(factors))
        words = [attributes[name].values[c] for name, c in zip(hidden, codes, strict=True)]
        rows.append([*words, *factors, terms[-1]])
    total = math.fsum(terms)
    if not hidden:
        return Step(label, _product(graph, kept), joined(rows[0][:-1], r" \cdot "), total), total
    header = [*hidden, *(_family(graph, name) for name in kept), "product"]
    more = f"{len(rows) - LISTED:,} more terms not shown" if len(rows) > LISTED else ""
    grid = Grid("terms", header, rows[:LISTED], more)
    return Work(label, (grid, Step(label, r"\sum \text{ product}", joined(terms), total))), total


def _entry(network, name, codes):
    """P(name = its code | the codes of its parents); of a leaf the density of its number."""
    place = tuple(codes[above] for above in network.graph_.parents[name])
    if name in network.normals_:
        mean, variance = (float(part[place]) for part in network.normals_[name])
        return _density(codes[name], mean, math.sqrt(variance))
    return float(network.tables_[name][(*place, codes[name])])


def _ending(target, values, sums, evidence):
    """Two hypotheses by their numerators alone, then normalisation."""
    parts: list[Step] = []
    total = math.fsum(sums)
    if not evidence:
        return parts
    order = sorted(range(len(sums)), key=lambda i: -sums[i])[:2]
    if len(order) == 2 and sums[order[1]] > 0:
        a, b = order
        parts.append(
            Step(
                f"{values[a]} against {values[b]}",
                rf"\frac{{{_with_evidence(target, values[a])}}}{{{_with_evidence(target, values[b])}}}",
                rf"\frac{{{figure(sums[a])}}}{{{figure(sums[b])}}}",
                sums[a] / sums[b],
                "the numerators decide; P(e) is not needed to compare them",
            )
        )
    parts.append(
        Step(
            "P(e)",
            rf"\sum_{{{escape_text(target)}}} P({escape_text(target)}, e)",
            joined(sums),
            total,
            f"e: {evidence}",
        )
    )
    parts += [
        Step(
            f"P({target} = {value} | e)",
            rf"\frac{{{_with_evidence(target, value)}}}{{P(e)}}",
            rf"\frac{{{figure(one)}}}{{{figure(total)}}}",
            one / total if total else None,
            "product rule, normalised" if i == 0 else "",
        )
        for i, (value, one) in enumerate(zip(values, sums, strict=True))
    ]
    return parts


def _with_evidence(target, value):
    return f"P({escape_text(f'{target} = {value}')}, e)"


def derive_probability(network, cells):
    """The probability of a row by the chain rule; missing nodes are summed out."""
    names = [name for name in network.graph_.order if name in cells]
    known = {name: cells[name] for name in names}
    if len(names) < len(network.nodes_):
        p = network.probability({name: _plain(network, name, c) for name, c in known.items()})
        gone = [name for name in network.graph_.order if name not in known]
        step = Step("P(row)", r"\sum \prod_i P(x_i | \text{parents})", "", p, f"summed over {listed(gone)}")
        return Work("The probability of a row", (step,), f"P(row) = {figure(p)}.")
    factors = [_entry(network, name, known) for name in names]
    steps = []
    for name, factor in zip(names, factors, strict=True):
        above = ", ".join(_finding(network, p, known[p]) for p in network.graph_.parents[name])
        head = f"{_finding(network, name, known[name])}{' | ' if above else ''}{above}"
        steps.append(Step(f"{'p' if name in network.normals_ else 'P'}({head})", "", "", factor))
    p = math.prod(factors)
    chain = Step("P(row)", r"\prod_i P(x_i | \text{parents})", joined(factors, r" \cdot "), p, "chain rule")
    return Work("The probability of a row", (*steps, chain), f"P(row) = {figure(p)}.")


def derive_network(network):
    """The edges, and the table of each node with the counts behind it where it was learnt."""
    graph = network.graph_
    attributes = {a.name: a for a in network.nodes_}
    edges = Grid(
        "edges",
        ["node", "parents"],
        [[name, ", ".join(graph.parents[name]) or "none"] for name in graph.order],
    )
    parts = [_chain(graph), edges]
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
        more = f"{len(rows) - LINES:,} more lines not shown" if len(rows) > LINES else ""
        parts.append(Grid(_family(graph, name), header, rows[:LINES], more))
    if network.trace_:
        parts.append(
            Grid(
                "expectation-maximisation",
                ["round", "log-likelihood"],
                [[i, v] for i, v in enumerate(network.trace_)][:LINES],
            )
        )
    return Work(
        "Belief network", tuple(parts), f"{len(graph.edges)} edges between {len(graph.parents)} nodes."
    )
