"""The readable twin of a tree: how it was grown, and the path of a row.

`derive_model` has a nested work for each node whose candidates were recorded, each before those below it,
titled by the tests on its path: "root", "outlook = sunny", "outlook = sunny, humidity = high". Labels:

    H(play)                  the impurity of the node: H, Gini or MSE; for numbers also mean(price)
    H(play | outlook)        the mean impurity of the attribute's branches
    gain(outlook)            what its split gains; with missing cells also known(outlook), the share of known
                             cells, and H(play | outlook known)
    split info(outlook), gain ratio(outlook), charge(temperature), average gain
                             where the criterion is the gain ratio; cuts are charged for
    decrease(outlook), pessimistic error(outlook), chi-squared(outlook)
                             where the winner has to pass them

So `work["gain(outlook)"]` is the root's, the first; of another node, ask its own work among `work.parts`.

`derive_row` has a step for each test, labelled by its attribute, and P(play = yes) for each class, or the
target for a number; where cells are missing, the share of each branch and the sum over the leaves.
"""

from openbook.tree.derive.nodes import NodeDescriber
from openbook.tree.derive.pruning import work_of_decision
from openbook.tree.engine.nodes import LEAF, depths
from openbook.tree.engine.prune import PRUNING_RULES, Decision
from openbook.tree.show.named_tree import named_tree
from openbook.work import Grid, Work

#: So many decisions of pruning are worked out, and so many listed.
WORKED_OUT, LISTED = 8, 40


def derive_model(model) -> Work:
    """How the tree was grown, node by node, and cut back."""
    describer = NodeDescriber(model, named_tree(model))
    tree, recorded = model.tree_, describer.record_of
    nodes = [node for node in describer.named_tree.depth_first() if node in recorded or node == 0]
    parts = [describer.work(node) for node in nodes]
    if describer.is_best_first and tree.size > 1:
        parts.append(describer.best_first())
    if len(model.pruning_.rule):
        parts.append(_pruning(model))
    end = f"Leaves: {tree.n_leaves}; depth: {int(depths(tree).max())}."
    not_derived = sum(node not in recorded for node in range(tree.size) if tree.attribute[node] != LEAF)
    if not_derived:
        end += f" {not_derived} splits are not derived: their candidates were not stored."
    return Work(f"{type(model).__name__} for {model.target_}: how it was grown", tuple(parts), end)


def _pruning(model) -> Work:
    """What was decided at each test, from the leaves up."""
    pruning = model.pruning_
    rules = [PRUNING_RULES[rule] for rule in pruning.rule.tolist()]
    names = [model.schema_.attributes[j].name for j in pruning.attribute.tolist()]
    figures = list(
        zip(
            pruning.weight.tolist(),
            pruning.leaves.tolist(),
            pruning.before.tolist(),
            pruning.after.tolist(),
            pruning.pruned.tolist(),
            strict=True,
        )
    )
    alpha = getattr(
        model, "ccp_alpha_", model.ccp_alpha
    )  # as it was chosen, where that was left to the learner
    parts: list[Work | Grid] = []
    for rule in dict.fromkeys(rules):
        mine = [(name, *row) for name, row, r in zip(names, figures, rules, strict=True) if r == rule]
        parameter = {"pessimistic": model.penalty, "cost_complexity": alpha}.get(rule, 0.0)
        parts += [
            work_of_decision(
                Decision(-1, leaves, before, after, pruned, rule), parameter, f"the test of {name}"
            )
            for name, _, leaves, before, after, pruned in mine[:WORKED_OUT]
        ]
        rows = [(*row[:-1], "a leaf" if row[-1] else "stays") for row in mine[:LISTED]]
        note = f"{len(mine) - LISTED} of the {len(mine)} splits are not shown" if len(mine) > LISTED else ""
        header = ("test", "rows", "leaves", "cost of the subtree", "cost of a leaf", "so")
        parts.append(Grid(rule.replace("_", " "), header, rows, note))
    cut, n = sum(pruning.pruned.tolist()), len(rules)
    return Work("Pruning", tuple(parts), f"{cut} of the {n} decisions replaced a test by a leaf.")
