"""A belief network as a picture: parents above children, the table of each node in its box.

The layout is Sugiyama's. A node is one level below its lowest parent, and a node without parents one above
its highest child. An edge that passes a level has a bend there, which takes room as nodes do, so that no edge
runs behind a box. Levels are ordered, and then placed, by the means of the neighbours above and below, in
turn; places keep the order and the gaps, and are otherwise as near to those means as can be (least squares).
A long table shows its first lines.
"""

from collections import defaultdict
from itertools import accumulate, pairwise, product

import numpy as np
from sklearn.isotonic import isotonic_regression

from openbook.draw.letters import clip, text, width_of
from openbook.draw.picture import Picture
from openbook.words.sentences import plural

LINES, LETTERS, VALUES = 8, 16, 5
ROW, PAD, APART, BELOW = 17, 10, 26, 54
#: Times that the levels are gone through, down and up again.
SWEEPS = 8


def draw_network(network):
    """The picture of a network; see the module."""
    graph = network.graph_
    boxes = {node.name: _lines(network, node) for node in network.nodes_}
    sizes = {name: _size(lines) for name, lines in boxes.items()}
    routes, levels = _routes(graph)
    sizes |= {item: (0.0, 0.0) for items in levels for item in items if item not in sizes}
    heights = [max(sizes[item][1] for item in items) for items in levels]
    tops = list(accumulate(heights, lambda y, high: y + high + BELOW, initial=0.0))
    middle, width = _placed(routes, levels, sizes)
    spans = {item: (tops[k], heights[k]) for k, items in enumerate(levels) for item in items}
    body = "".join(
        _arrow([(middle[item], *spans[item], sizes[item][1]) for item in route]) for route in routes
    )
    for name, lines in boxes.items():
        body += _box((middle[name] - sizes[name][0] / 2, spans[name][0]), sizes[name], lines)
    given = {name: f" given {', '.join(above)}" if above else "" for name, above in graph.parents.items()}
    description = f"{plural(len(boxes), 'node')}: " + "; ".join(name + given[name] for name in graph.order)
    marks = (
        '<defs><marker id="ob-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
        ' orient="auto"><path class="c8" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
    )
    return Picture("Belief network", description, (), marks + body, width, tops[-1] - BELOW + 4)


def _lines(network, node):
    """The lines of a box: name, header, and the rows of the table, each as a list of cells."""
    by_name = {a.name: a for a in network.nodes_}
    above = [by_name[p] for p in network.graph_.parents[node.name]]
    if node.name in network.normals_:
        mean, variance = network.normals_[node.name]
        figures, heads = np.stack([mean, np.sqrt(variance)], axis=-1), ["mean", "sd"]
    else:
        many = len(node.values) > VALUES
        shown = node.values[: VALUES - 1] if many else node.values
        figures = network.tables_[node.name][..., : len(shown)]
        heads = [*(f"P({clip(v, LETTERS)})" for v in shown), *["…"] * many]
    header = [*(clip(a.name, LETTERS) for a in above), *heads]
    rows = []
    combinations = list(product(*(range(len(a.values)) for a in above)))
    for codes in combinations[:LINES]:
        given = [clip(a.values[c], LETTERS) for a, c in zip(above, codes, strict=True)]
        row = [*given, *(f"{p:.3g}" for p in figures[codes].tolist())]
        rows.append([*row, *["…"] * (len(header) - len(row))])
    if len(combinations) > LINES:
        rows.append([f"{len(combinations) - LINES:,} more", *([""] * (len(header) - 1))])
    return [[clip(node.name, 2 * LETTERS)], header, *rows]


def _columns(lines):
    """The width of each column of the table."""
    return [max(width_of(line[i], 12) for line in lines[1:]) + 14 for i in range(len(lines[1]))]


def _size(lines):
    wide = max(sum(_columns(lines)), width_of(lines[0][0], 15) + 8) + 2 * PAD
    return wide, ROW * len(lines) + 2 * PAD


def _routes(graph):
    """Each edge as the items that it passes, level by level, and the items of each level: nodes and bends."""
    level: dict[str, int] = {}
    for name in graph.order:
        level[name] = 1 + max((level[p] for p in graph.parents[name]), default=-1)
    for name in graph.order:
        if not graph.parents[name] and graph.children[name]:
            level[name] = min(level[child] for child in graph.children[name]) - 1
    levels = [[n for n in graph.order if level[n] == k] for k in range(max(level.values()) + 1)]
    routes = []
    for parent, child in graph.edges:
        bends = [(parent, child, k) for k in range(level[parent] + 1, level[child])]
        for bend in bends:
            levels[bend[-1]].append(bend)
        routes.append([parent, *bends, child])
    return routes, levels


def _placed(routes, levels, sizes):
    """The middle of each item, from left to right, and the width of all; the levels become ordered."""
    above, below = defaultdict(list), defaultdict(list)
    for route in routes:
        for one, other in pairwise(route):
            below[one].append(other)
            above[other].append(one)
    sweeps = [*((k, above) for k in range(len(levels))), *((k, below) for k in reversed(range(len(levels))))]
    at = {item: (i + 0.5) / len(items) for items in levels for i, item in enumerate(items)}
    for k, near in SWEEPS * sweeps:
        levels[k].sort(key=lambda item, near=near: _mean(at, near[item] or [item]))
        at |= {item: (i + 0.5) / len(levels[k]) for i, item in enumerate(levels[k])}
    starts = []
    for items in levels:
        half = np.array([sizes[item][0] / 2 for item in items])
        starts.append(np.concatenate([[0.0], np.cumsum(half[:-1] + half[1:] + APART)]))
        at |= dict(zip(items, starts[-1] - starts[-1][-1] / 2, strict=True))
    for k, near in SWEEPS * sweeps:
        wish = np.array([_mean(at, near[item] or [item]) for item in levels[k]])
        at |= dict(zip(levels[k], starts[k] + isotonic_regression(wish - starts[k]), strict=True))
    left = min(at[item] - sizes[item][0] / 2 for item in at)
    right = max(at[item] + sizes[item][0] / 2 for item in at)
    return {item: x - left for item, x in at.items()}, right - left


def _mean(at, items):
    return sum(at[item] for item in items) / len(items)


def _box(corner, size, lines):
    (x, y), (wide, high) = corner, size
    frame = f'<rect class="paper" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="6"/>'
    frame += f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="6"/>'
    drawn = [text(x + PAD, y + PAD + 13, lines[0][0], "head")]
    columns = _columns(lines)
    for i, line in enumerate(lines[1:], 1):
        at = x + PAD
        for cell, column in zip(line, columns, strict=True):
            drawn.append(text(at, y + PAD + ROW * i + 12, cell, "soft" if i == 1 else "small figure"))
            at += column
    return frame + "".join(drawn)


def _arrow(route):
    """An edge past its items, each as its middle, the top and height of its level, and its own height."""
    (x, top, high, height), *later = route
    drawn, y = [f"M{x:.1f} {top + height:.1f} V{top + high:.1f}"], top + high
    for i, (to, top, high, _) in enumerate(later, 1):
        end = top - 2 if i == len(later) else top
        bend = (end - y) / 2
        drawn.append(f"C{x:.1f} {y + bend:.1f} {to:.1f} {end - bend:.1f} {to:.1f} {end:.1f}")
        if i < len(later):
            drawn.append(f"V{top + high:.1f}")
        x, y = to, top + high
    return f'<path class="c8 line" d="{" ".join(drawn)}" marker-end="url(#ob-arrow)"/>'
