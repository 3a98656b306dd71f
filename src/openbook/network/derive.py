r"""The work of a belief network: a question answered by the sum and product rules, as in a textbook.

    chain rule       P(x_1, …, x_d) = Π_i P(x_i | parents(x_i))
    sum rule         P(q, e) = Σ_h P(q, e, h)
    product rule     P(q | e) = P(q, e) / P(e)

This is the plain twin of `elimination.py`: it goes through every combination of the hidden nodes. Nodes that
are neither asked for, nor observed, nor above such a node sum to one, and are left out first. Where there
are too many combinations, the terms of each value are summed without being listed.
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
    """The derivation of P(target | given) for one target, and evidence in codes."""
    graph = network.graph_
    attributes = {a.name: a for a in network.nodes_}
    wanted = {target, *given}
    relevant = wanted | graph.ancestors(tuple(wanted))
    kept = [name for name in graph.order if name in relevant]
    barren = [name for name in graph.order if name not in relevant]
    hidden = [name for name in kept if name not in wanted]
    evidence = ", ".join(f"{name} = {attributes[name].values[code]}" for name, code in given.items())
    parts = [_chain(graph)]
    if barren:
        out = f"sum rule: nothing asked or observed lies below {listed(barren)}, so they sum to 1"
        parts.append(Step("left out", rf"\sum_{{{_names(barren)}}} {_product(graph, barren)} = 1", note=out))
    rule = "sum rule over the hidden nodes" if hidden else "product rule: no node is hidden"
    note = f"{rule}; e: {evidence}" if evidence else rule
    parts.append(Step(_joint_words(target, "", evidence), _summed(graph, kept, hidden), note=note))
    values = attributes[target].values
    sums = []
    for code, value in enumerate(values):
        label = _joint_words(target, value, evidence)
        part, total = _numerator(network, label, {**given, target: code}, kept, hidden)
        parts.append(part)
        sums.append(total)
    parts += _ending(target, values, sums, evidence)
    question = f"P({target} | {evidence})" if evidence else f"P({target})"
    best = values[int(np.argmax(sums))]
    return Work(f"{question}, step by step", tuple(parts), f"The most probable: {target} = {best}.")


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
        total = network.probability({name: attributes[name].values[c] for name, c in fixed.items()})
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
    """P(name = its code | the codes of its parents)."""
    place = tuple(codes[above] for above in network.graph_.parents[name])
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


def derive_probability(network, codes):
    """The probability of a row by the chain rule; missing nodes are summed out."""
    names = [name for name in network.graph_.order if codes.get(name, -1) >= 0]
    attributes = {a.name: a for a in network.nodes_}
    known = {name: codes[name] for name in names}
    if len(names) < len(network.nodes_):
        p = network.probability({name: attributes[name].values[c] for name, c in known.items()})
        gone = [name for name in network.graph_.order if name not in known]
        step = Step("P(row)", r"\sum \prod_i P(x_i | \text{parents})", "", p, f"summed over {listed(gone)}")
        return Work("The probability of a row", (step,), f"P(row) = {figure(p)}.")
    factors = [_entry(network, name, known) for name in names]
    steps = [
        Step(
            f"P({name} = {attributes[name].values[known[name]]}"
            + "".join(
                f"{' | ' if i == 0 else ', '}{above} = {attributes[above].values[known[above]]}"
                for i, above in enumerate(network.graph_.parents[name])
            )
            + ")",
            "",
            "",
            factor,
        )
        for name, factor in zip(names, factors, strict=True)
    ]
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
        rows = []
        for codes in product(*(range(len(a.values)) for a in above)):
            given = [a.values[c] for a, c in zip(above, codes, strict=True)]
            cells = network.tables_[name][codes].tolist()
            rows.append([*given, *cells, *([float(counts[name][codes].sum())] if counts else [])])
        header = [
            *graph.parents[name],
            *(f"P({v})" for v in attributes[name].values),
            *(["rows"] if counts else []),
        ]
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
