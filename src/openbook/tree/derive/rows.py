r"""The path of a row, in plain Python: from the root to its leaf, or in shares to several.

    share of a branch      share of the node × W_b / sum of the branches' W, where the cell decides nothing
    P(c)                   sum over leaves of share × n_c / n
    number                 sum over leaves of share × mean

A cell decides nothing if it is missing, was never seen in training, or by no row of the node.
"""

import math

from openbook.data import UNSEEN, Categorical, Datetime, Intervals, Nominal
from openbook.data.attributes import as_text
from openbook.tree.derive.formulas import joined_terms
from openbook.tree.derive.nodes import NodeDescriber
from openbook.tree.engine.nodes import LEAF, SPREAD
from openbook.tree.show.named_tree import named_tree
from openbook.words.numbers import figure, signed
from openbook.work import Grid, Step, Work
from openbook.work.conditions import exact_digits, word

#: So many steps on the way, and leaves, of a row that goes several ways are shown.
LISTED = 40


def derive_row(model, X) -> Work:
    """How the prediction of a one-row table was made."""
    describer = NodeDescriber(model, named_tree(model))
    leaves, steps = _descend(describer.named_tree, [column.tolist()[0] for column in X.columns])
    more = f"{len(steps) - LISTED} more steps are not shown." if len(steps) > LISTED else ""
    way = [Work("the path", tuple(steps[:LISTED]), more)] if steps else []
    answers, end = (
        _numbers(describer.named_tree, leaves)
        if describer.named_tree.classes is None
        else _classes(describer.named_tree, leaves)
    )
    title = f"{type(model).__name__} for {model.target_}: one prediction"
    return Work(title, (*way, _reached(describer, leaves), *answers), end)


def _descend(named, cells):
    """The leaves that the row comes to, as (node, share), and the steps on the way."""
    tree = named.tree
    visits, steps = [(0, 1.0)], []
    for node, share in visits:  # grows while it is read
        if tree.attribute[node] == LEAF:
            continue
        children = list(tree.children(node))
        attribute, cell = named.schema.attributes[tree.attribute[node]], cells[tree.attribute[node]]
        words, branch = _decided(tree, node, attribute, cell)
        if branch is None and tree.missing[node] != SPREAD:
            branch = int(tree.missing[node])
            words += ", so no branch is determined"
        if branch is not None:
            rows = figure(float(tree.weight[children[branch]]))
            note = f"branch: {named.condition(node, branch)}, {rows} {'row' if rows == '1' else 'rows'}"
            steps.append(Step(attribute.name, result=words, note=note))
            visits.append((children[branch], share))
            continue
        note = "so down every branch, in proportion to its rows"
        steps.append(Step(attribute.name, result=words, note=note))
        total = sum(float(tree.weight[child]) for child in children)
        for branch, child in enumerate(children):
            weight = float(tree.weight[child])
            if weight > 0:
                visits.append((child, share * weight / total))
                numbers = rf"{figure(share)} \cdot \frac{{{figure(weight)}}}{{{figure(total)}}}"
                label = f"share({named.condition(node, branch)})"
                steps.append(Step(label, r"s \cdot \frac{W_b}{W}", numbers, visits[-1][1]))
    return [visit for visit in visits if tree.attribute[visit[0]] == LEAF], steps


def _decided(tree, node, attribute, cell):
    """A cell in words, and the branch it takes by itself, or None."""
    if isinstance(attribute, Categorical):
        if cell < 0:
            return ("a value not seen in training" if cell == UNSEEN else "missing"), None
        value = attribute.values[cell]
        words = value if isinstance(attribute, Intervals) else word(value)
    else:
        if math.isnan(cell):
            return "missing", None
        words = attribute.shown(cell) if isinstance(attribute, Datetime) else exact_digits(cell)
    if not isinstance(attribute, Nominal):
        return words, 0 if cell <= tree.cut[node] else 1
    branch = int(tree.routes[tree.route[node] + cell])
    return words, branch if branch >= 0 else None


def _reached(describer, leaves):
    """The leaves that the row comes to, and the training rows behind them."""
    named, tree = describer.named_tree, describer.named_tree.tree
    names = (
        [f"{describer.average_name} of {named.target}"]
        if named.classes is None
        else [as_text(label) for label in named.classes]
    )
    rows = []
    for leaf, share in leaves[:LISTED]:
        held = tree.value[leaf].tolist()[: len(names)]
        rows.append((describer.title(leaf), *held, float(tree.weight[leaf]), share))
    notes = []
    if len(leaves) > LISTED:
        notes.append(f"{len(leaves) - LISTED} of the {len(leaves)} leaves are not shown")
    if any(tree.weight[leaf] <= 0 for leaf, _ in leaves):
        notes.append("a leaf without rows has the prediction of its parent")
    return Grid("reached", ("leaf", *names, "rows", "share"), rows, "; ".join(notes))


def _classes(named, leaves):
    """The probability of each class, and the most probable."""
    steps, sums = [], []
    for c, label in enumerate(named.classes):
        terms, total = [], 0.0
        for leaf, share in leaves:
            counts = named.tree.value[leaf].tolist()
            whole = sum(counts)
            total += share * (counts[c] / whole)
            ratio = rf"\frac{{{figure(counts[c])}}}{{{figure(whole)}}}"
            terms.append(ratio if len(leaves) == 1 else rf"{figure(share)} \cdot {ratio}")
        formula = r"\frac{n_c}{n}" if len(leaves) == 1 else r"\sum_l s_l \cdot \frac{n_{lc}}{n_l}"
        steps.append(
            Step(f"P({named.target} = {as_text(label)})", formula, joined_terms(terms, " + "), total)
        )
        sums.append(total)
    return steps, f"Most probable: {as_text(named.classes[sums.index(max(sums))])}."


def _numbers(named, leaves):
    """The number predicted."""
    values = [(share, float(named.tree.value[leaf, 0])) for leaf, share in leaves]
    total = sum(share * value for share, value in values)
    if len(values) == 1:
        return [
            Step(named.target, result=total, note="what the leaf predicts")
        ], f"Predicted: {figure(total)}."
    terms = [rf"{figure(share)} \cdot {signed(value)}" for share, value in values]
    step = Step(named.target, r"\sum_l s_l \cdot \bar{y}_l", joined_terms(terms, " + "), total)
    return [step], f"Predicted: {figure(total)}."
