"""Derivations of probabilities from a joint distribution: sums of cells, quotients, products."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from openbook.measures.cells import spell_event
from openbook.words.numbers import figure, fraction
from openbook.work import Grid, Step, Work, escape_text

if TYPE_CHECKING:
    from openbook.measures.joint import Joint

_MOST_SHOWN = 40  # cells in a derivation


def derive_either(joint: "Joint", a: Mapping[str, Any], b: Mapping[str, Any]) -> Work:
    """P(a or b) by the addition rule."""
    first, second, both = joint.probability(**a), joint.probability(**b), joint._both(a, b)  # noqa: SLF001 (its own)
    either, intersection = (f"P({spell_event(a)} {word} {spell_event(b)})" for word in ("or", "and"))
    numbers = {"P(A)": first, "P(B)": second, r"P(A \cap B)": both}
    steps = (
        _sum_step(joint, a),
        _sum_step(joint, b),
        Step(intersection, result=both, note="cells in which both hold"),
        Step.of(either, r"P(A) + P(B) - P(A \cap B)", numbers, first + second - both),
    )
    disjoint = "The events exclude each other, so nothing is counted twice." if both == 0 else ""
    return Work(f"Addition rule for {either}", (_grid(joint), *steps), disjoint)


def derive_marginal(joint: "Joint", names: Sequence[str], evidence: Mapping[str, Any]) -> Work:
    """P(names | evidence), or P(names) where there is no evidence."""
    asked = joint.given(**evidence).marginal(*names) if evidence else joint.marginal(*names)
    keys = product(*(attribute.values for attribute in asked.attributes))
    events = [dict(zip(names, key, strict=True)) for key in keys]
    if evidence:
        steps = [_sum_step(joint, evidence), *(_ratio_step(joint, event, evidence) for event in events)]
    else:
        steps = [_sum_step(joint, event) for event in events]
    given = f" | {spell_event(evidence)}" if evidence else ""
    return Work(f"P({', '.join(names)}{given})", (_grid(joint), *steps))


def derive_independence(joint: "Joint", a: Sequence[str], b: Sequence[str], given: Sequence[str]) -> Work:
    """P(a, b) beside P(a) P(b), for each combination of their values, and of those that are given."""
    rows, largest = [], 0.0
    for known in product(*(joint.values(name) for name in given)):
        evidence = dict(zip(given, known, strict=True))
        if joint.probability(**evidence) == 0:
            continue  # nothing can be conditioned on it
        left = joint.given(**evidence) if evidence else joint
        for key in product(*(joint.values(name) for name in (*a, *b))):
            first, second = dict(zip(a, key, strict=False)), dict(zip(b, key[len(a) :], strict=True))
            both = left.probability(**first, **second)
            apart = left.probability(**first) * left.probability(**second)
            rows.append((*known, *key, both, apart))
            largest = max(largest, abs(both - apart))
    if_known = f" | {', '.join(given)}" if given else ""
    header = (*given, *a, *b, f"P({', '.join((*a, *b))}{if_known})", "product of the two")
    more = f"the first {_MOST_SHOWN} of {len(rows)} combinations" if len(rows) > _MOST_SHOWN else ""
    names = f"{', '.join(a)} and {', '.join(b)}", f" given {', '.join(given)}" if given else ""
    independent = joint.independent(a, b, given)
    end = "All agree: {} are independent{}." if independent else "They differ, so {} are dependent{}."
    bar = rf" \mid {_tex(given)}" if given else ""
    both_sides = rf"P({_tex((*a, *b))}{bar}) = P({_tex(a)}{bar}) P({_tex(b)}{bar})"
    grid = Grid("", header, rows[:_MOST_SHOWN], more)
    steps = (Step("to be shown", both_sides), grid, Step("largest difference", result=largest))
    return Work(f"Are {names[0]} independent{names[1]}?", steps, end.format(*names))


def derive_product(joint: "Joint", event: Mapping[str, Any]) -> Work:
    """P(event) by the chain rule, and beside it the joint table's."""
    known: dict[str, Any] = {}
    steps = []
    for name, value in event.items():
        if known and joint.probability(**known) == 0:
            break  # a factor is 0 already, and what it conditions is undefined
        steps.append(_ratio_step(joint, {name: value}, known) if known else _sum_step(joint, {name: value}))
        known[name] = value
    factors = [float(step.result or 0) for step in steps]
    formula = r" \cdot ".join(_factor(name, tuple(event)[:i]) for i, name in enumerate(event))
    numbers = r" \cdot ".join(map(figure, factors))
    product_step = Step(f"P({spell_event(event)})", formula, numbers, math.prod(factors))
    conclusion = f"The joint table gives {figure(joint.probability(**event))} too."
    return Work(f"Chain rule for P({spell_event(event)})", (*steps, product_step), conclusion)


def joint_grid(joint: "Joint") -> Grid:
    """The table with its marginal probabilities where two variables are in it; else the combinations."""
    if len(joint.attributes) != 2:
        return _grid(joint)
    across = joint.attributes[1]
    rows = [
        (value, *line, math.fsum(line))
        for value, line in zip(joint.attributes[0].values, joint.table.tolist(), strict=True)
    ]
    below = (f"P({across.name})", *joint.table.sum(axis=0).tolist(), float(joint.table.sum()))
    header = (f"{joint.names[0]} \\ {across.name}", *across.values, f"P({joint.names[0]})")
    return Grid("", header, [*rows, below])


def _grid(joint: "Joint") -> Grid:
    cells = list(zip(product(*(a.values for a in joint.attributes)), joint.table.flat, strict=True))
    rows = [[*key, float(p)] for key, p in cells[:_MOST_SHOWN]]
    note = f"the first {_MOST_SHOWN} of {len(cells)} combinations" if len(cells) > _MOST_SHOWN else ""
    return Grid("Joint distribution", [*joint.names, "P"], rows, note)


def _sum_step(joint: "Joint", event: Mapping[str, Any]) -> Step:
    """P(event) as the sum of the cells in which it holds."""
    others = [name for name in joint.names if name not in event]
    formula = (rf"\sum_{{{_tex(others)}}} " if others else "") + f"P({_tex(joint.names)})"
    return Step(f"P({spell_event(event)})", formula, _terms(joint, event), joint.probability(**event))


def _ratio_step(joint: "Joint", event: Mapping[str, Any], evidence: Mapping[str, Any]) -> Step:
    """P(event | evidence) as P(event, evidence) / P(evidence)."""
    label, below = f"P({spell_event(event)} | {spell_event(evidence)})", joint.probability(**evidence)
    formula = fraction(f"P({_tex([*event, *evidence])})", f"P({_tex(evidence)})")
    numbers = fraction(_terms(joint, {**event, **evidence}), below)
    return Step(label, formula, numbers, joint.probability(**event, **evidence) / below)


def _terms(joint: "Joint", event: Mapping[str, Any]) -> str:
    cells = joint.table[joint._cells(event)].ravel()  # noqa: SLF001 (its own)
    more = [r"\dots"] if cells.size > _MOST_SHOWN else []
    return " + ".join([*(figure(float(p)) for p in cells[:_MOST_SHOWN]), *more])


def _tex(names: Iterable[str]) -> str:
    return ", ".join(escape_text(name) for name in names)


def _factor(name: str, given: Sequence[str]) -> str:
    return f"P({_tex([name])} \\mid {_tex(given)})" if given else f"P({_tex([name])})"
