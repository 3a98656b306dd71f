r"""The work of a model tree: the line of each leaf, and a row's prediction term by term.

p    the line of the row's leaf, a + sum_j b_j x_j
q    the line of the node above
p'   (n p + k q) / (n + k), n being the rows of the node below; then p' is the next p
"""

import math

from openbook.tree.derive.nodes import NodeDescriber
from openbook.tree.engine.nodes import LEAF, cells, leaf_of
from openbook.tree.show.named_tree import named_tree
from openbook.words.numbers import figure, signed
from openbook.work import Grid, Step, Work

#: So many leaves are listed.
LISTED = 40


def derive_lines(model, grown) -> Work:
    """How the tree was grown, and the lines of its leaves."""
    describer, lines = NodeDescriber(model, named_tree(model)), model.lines_
    leaves = [node for node in describer.named_tree.depth_first() if model.tree_.attribute[node] == LEAF]
    rows = [
        (
            describer.title(leaf),
            float(model.tree_.weight[leaf]),
            _own_line(model, leaf),
            float(lines.error[leaf]),
        )
        for leaf in leaves[:LISTED]
    ]
    note = f"{len(leaves) - LISTED} of the {len(leaves)} leaves are not shown" if len(leaves) > LISTED else ""
    grid = Grid("lines", ("leaf", "rows", model.target_, "adjusted error"), rows, note)
    return Work(grown.title, (*grown.parts, grid), grown.conclusion)


def _own_line(model, node):
    slopes = zip(model.schema_.names, model.lines_.slope[node].tolist(), strict=True)
    return line_words(float(model.lines_.constant[node]), [(name, slope) for name, slope in slopes if slope])


def line_words(constant, slopes):
    """A line as people write it; slopes are pairs of a column's name and its slope.

    >>> line_words(0.0, [("x", -2.0), ("y", 0.5)]), line_words(90.0, []), line_words(1.0, [("x", -2.0)])
    ('-2 × x + 0.5 × y', '90', '1 - 2 × x')
    """
    terms = [f"{'-' if slope < 0 else '+'} {figure(abs(slope))} × {name}" for name, slope in slopes]
    if constant or not terms:
        return " ".join([figure(constant), *terms])
    return " ".join(terms).removeprefix("+ ").replace("- ", "-", 1 if slopes[0][1] < 0 else 0)


def derive_line_row(model, X, k) -> Work:
    """How the prediction of a one-row table was made; k is 0 if nothing is smoothed."""
    describer, tree = NodeDescriber(model, named_tree(model)), model.tree_
    x = cells(X)[0]
    node = int(leaf_of(tree, x))
    terms, step = _on_line(model, node, x.tolist(), "p")
    parts, prediction = [Work(f"the leaf: {describer.title(node)}", (*terms, step))], step.result
    while k and (above := describer.parent[node]) >= 0:
        terms, step = _on_line(model, above, x.tolist(), "q")
        n, q = float(tree.weight[node]), step.result
        numbers = rf"{figure(n)} \cdot {signed(prediction)} + {figure(k)} \cdot {signed(q)}"
        prediction = (n * prediction + k * q) / (n + k)
        smoothed = Step(
            "p'",
            r"\frac{n p + k q}{n + k}",
            rf"\frac{{{numbers}}}{{{figure(n)} + {figure(k)}}}",
            prediction,
            f"n = {figure(n)} rows below",
        )
        parts.append(Work(f"smoothed by the node above: {describer.title(above)}", (*terms, step, smoothed)))
        node = above
    title = f"{type(model).__name__} for {model.target_}: one prediction"
    return Work(title, tuple(parts), f"{model.target_} = {figure(prediction)}.")


def _on_line(model, node, x, label):
    """The terms of a node's line as grids (none, or one), and the step that sums them up."""
    lines = model.lines_
    prediction = float(lines.constant[node])
    rows, sums = [], [figure(prediction)]
    for j, slope in enumerate(lines.slope[node].tolist()):
        if slope:
            cell, so = _cell(lines, node, j, x[j])
            prediction += slope * cell
            rows.append((model.schema_.attributes[j].name, slope, cell, slope * cell, so))
            sums.append(figure(abs(slope * cell)) if slope * cell >= 0 else f"-{figure(abs(slope * cell))}")
    numbers = " + ".join(sums).replace("+ -", "- ") if rows else ""
    formula = r"a + \sum_j b_j x_j" if rows else "a"
    grids = [Grid("terms", ("column", "slope", "cell", "slope × cell", ""), rows)] if rows else []
    return grids, Step(label, formula, numbers, prediction)


def _cell(lines, node, j, cell):
    """The number that stands in the line, and why if it is not the cell's own."""
    if math.isnan(cell):
        return float(lines.mean[node, j]), "missing: the mean of the node's rows"
    low, high = float(lines.low[j]), float(lines.high[j])
    inside = min(max(cell, low), high)
    return inside, "" if inside == cell else f"beyond what was seen: {figure(low)} to {figure(high)}"
