"""The decisions of pruning, derived: the cost of the subtree, the cost of a leaf, and the decision."""

from typing import NamedTuple

from openbook.tree.engine.prune import EXPECTED, MADE
from openbook.words.numbers import figure
from openbook.work import Step, Work


class _Words(NamedTuple):
    """A rule in words, and the cost of a subtree and of a leaf in formulas."""

    title: str
    subtree: str
    leaf: str


_WORDS = {
    "pessimistic": _Words("pessimistic error", r"e(T) + k \cdot \ell(T)", "e(t) + k"),
    "collapse": _Words("training errors", "e(T)", "e(t)"),
    "confidence": _Words(
        "errors expected at the confidence bound",
        r"\sum_{i \in T} \left( e_i + \Delta_{CF}(n_i, e_i) \right)",
        r"e(t) + \Delta_{CF}(n, e)",
    ),
    "reduced_error": _Words("errors on the validation part", r"e_{v}(T)", r"e_{v}(t)"),
    "best_first": _Words("errors on the validation part, the best cut first", r"e_{v}(T)", r"e_{v}(t)"),
    "adjusted_error": _Words("adjusted error of linear models", "e'(T)", "e'(t)"),
    "cost_complexity": _Words("cost complexity", r"R(T) + \alpha \cdot \ell(T)", r"R(t) + \alpha"),
}


def work_of_decision(decision, parameter=0.0, name=None):
    """Derive a decision: the cost of the subtree, of the leaf, and what follows.

    Parameters
    ----------
    parameter : float
        The penalty k or α that a leaf pays; other rules have none.
    name : str
        What to call the node.

    Examples
    --------
    >>> from openbook.tree.engine.prune import Decision
    >>> print(work_of_decision(Decision(3, 4, 11.0, 10.5, True, "pessimistic"), 0.5))
    Pruning at node 3: pessimistic error
    ════════════════════════════════════
      subtree = e(T) + k · ℓ(T) = 9 + 0.5 · 4 = 11
      leaf    = e(t) + k = 10 + 0.5 = 10.5
    <BLANKLINE>
      ∴ 10.5 does not exceed 11: the subtree of 4 leaves becomes a leaf.
    """
    words = _WORDS[decision.rule]
    subtree = leaf = ""
    if decision.rule in ("pessimistic", "cost_complexity"):
        bare = figure(decision.before - parameter * decision.leaves), figure(decision.after - parameter)
        subtree = rf"{bare[0]} + {figure(parameter)} \cdot {decision.leaves}"
        leaf = f"{bare[1]} + {figure(parameter)}"
    steps = (
        Step("subtree", words.subtree, subtree, decision.before),
        Step("leaf", words.leaf, leaf, decision.after),
    )
    where = name or f"node {decision.node}"
    return Work(f"Pruning at {where}: {words.title}", steps, _verdict(decision))


def _verdict(decision):
    allowance = {"confidence": EXPECTED, "collapse": MADE}.get(decision.rule)
    before = figure(decision.before) + (f" + {allowance:g}" if allowance else "")
    subtree = f"the subtree of {decision.leaves} leaves"
    if decision.pruned:
        return f"{figure(decision.after)} does not exceed {before}: {subtree} becomes a leaf."
    return f"{figure(decision.after)} exceeds {before}: {subtree} is kept."
