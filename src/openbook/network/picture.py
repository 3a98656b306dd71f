"""A belief network as a picture: parents above children, the table of each node in its box.

A node is one level below its lowest parent. Within a level, nodes stand near the middle of their parents. A
long table shows its first lines.
"""

from itertools import product

import numpy as np

from openbook.draw.letters import clip, text, width_of
from openbook.draw.picture import Picture
from openbook.words.sentences import plural

__all__ = ["draw_network"]

LINES, LETTERS, VALUES = 8, 16, 5
ROW, PAD, APART, BELOW = 17, 10, 26, 54


def draw_network(network):
    """The picture of a network; see the module."""
    graph = network.graph_
    boxes = {node.name: _lines(network, node) for node in network.nodes_}
    sizes = {name: _size(lines) for name, lines in boxes.items()}
    levels = _levels(graph)
    at, width, height = _placed(levels, sizes)
    edges = "".join(_arrow(at, sizes, parent, child) for parent, child in graph.edges)
    body = edges + "".join(_box(at[name], sizes[name], lines) for name, lines in boxes.items())
    told = f"{plural(len(boxes), 'node')}: " + "; ".join(
        f"{name} given {', '.join(graph.parents[name])}" if graph.parents[name] else name
        for name in graph.order
    )
    marks = (
        '<defs><marker id="ob-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
        ' orient="auto"><path class="c8" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
    )
    return Picture("Belief network", told, (), marks + body, width, height)


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
        figures, heads = (
            network.tables_[node.name][..., : len(shown)],
            [f"P({clip(v, LETTERS)})" for v in shown],
        )
        heads += ["…"] * many
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


def _levels(graph):
    """The nodes of each level, ordered by the mean position of their parents."""
    level: dict[str, int] = {}
    for name in graph.order:
        level[name] = 1 + max((level[p] for p in graph.parents[name]), default=-1)
    levels = [[n for n in graph.order if level[n] == k] for k in range(max(level.values(), default=0) + 1)]
    place: dict[str, float] = {}
    for names in levels:
        middle = {
            n: np.mean([place[p] for p in graph.parents[n]]) if graph.parents[n] else 0.5 for n in names
        }
        names.sort(key=middle.__getitem__)
        for i, name in enumerate(names):
            place[name] = (i + 0.5) / len(names)
    return levels


def _placed(levels, sizes):
    """The upper left corner of each box, and the width and height of all."""
    widths = [sum(sizes[n][0] for n in names) + APART * (len(names) - 1) for names in levels]
    wide = max(widths)
    at, y = {}, 0.0
    for names, own in zip(levels, widths, strict=True):
        x = (wide - own) / 2
        for name in names:
            at[name] = x, y
            x += sizes[name][0] + APART
        y += max(sizes[n][1] for n in names) + BELOW
    return at, wide, y - BELOW + 4


def _box(corner, size, lines):
    (x, y), (wide, high) = corner, size
    frame = f'<rect class="paper" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="6"/>'
    frame += f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="6"/>'
    drawn = [text(x + PAD, y + PAD + 13, lines[0][0], "head")]
    columns = _columns(lines)
    for i, line in enumerate(lines[1:], 1):
        at = x + PAD
        for cell, own in zip(line, columns, strict=True):
            drawn.append(text(at, y + PAD + ROW * i + 12, cell, "soft" if i == 1 else "small figure"))
            at += own
    return frame + "".join(drawn)


def _arrow(at, sizes, parent, child):
    (x1, y1), (x2, y2) = at[parent], at[child]
    start, end = x1 + sizes[parent][0] / 2, x2 + sizes[child][0] / 2
    top, bottom = y1 + sizes[parent][1], y2 - 2
    bend = (bottom - top) / 2
    curve = f"C{start:.1f} {top + bend:.1f} {end:.1f} {bottom - bend:.1f} {end:.1f} {bottom:.1f}"
    way = f"M{start:.1f} {top:.1f} {curve}"
    return f'<path class="c8 line" d="{way}" marker-end="url(#ob-arrow)"/>'
