r"""The readable twin of linkage: merge the nearest pair, write the smaller matrix, and repeat.

It goes by the definitions: what is between two clusters is found anew from all pairs of their rows (single,
complete, average), or from the two that were merged (weighted; and, of squares, Ward, centroid, median: Lance
and Williams).
Clusters are lists of rows, in the order of their first rows; of equally near pairs the first is merged.
"""

import math
from typing import NamedTuple

from openbook.work import Grid, Step, Work

FORMULAS = {  # what is between two clusters
    "single": r"\min_{a \in A, b \in B} d(a, b)",
    "complete": r"\max_{a \in A, b \in B} d(a, b)",
    "average": r"\frac{1}{|A| |B|} \sum_{a \in A} \sum_{b \in B} d(a, b)",
    "weighted": r"\frac{d(A_1, B) + d(A_2, B)}{2}, \quad A = A_1 \cup A_2",
    "ward": r"\sqrt{\frac{2 |A| |B|}{|A| + |B|}} \|c_A - c_B\|",
    "centroid": r"\|c_A - c_B\|",
    "median": r"\|m_A - m_B\|",
}
SIMILAR = {  # the same in similarities: the nearest are the most similar
    "single": r"\max_{a \in A, b \in B} s(a, b)",
    "complete": r"\min_{a \in A, b \in B} s(a, b)",
    "average": r"\frac{1}{|A| |B|} \sum_{a \in A} \sum_{b \in B} s(a, b)",
    "weighted": r"\frac{s(A_1, B) + s(A_2, B)}{2}, \quad A = A_1 \cup A_2",
}
#: The most clusters of a matrix, and the most merges, that are shown.
_SHOWN_CLUSTERS, _SHOWN_MERGES = 12, 30


class Merge(NamedTuple):
    """A merge: two clusters of rows, what is between them, all clusters afterwards, and their matrix."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    height: float
    clusters: list[tuple[int, ...]]
    matrix: list[list[float]]


def merged(matrix, method, *, similar=False, weights=None):
    """The merges by a square matrix of distances or similarities, as lists; weights are the rows'."""
    n = len(matrix)
    weights = [1.0] * n if weights is None else weights
    squared = method in ("ward", "centroid", "median")
    nearest = max if similar else min
    clusters: list[tuple[int, ...]] = [(i,) for i in range(n)]
    now = [[float(cell) ** 2 if squared else float(cell) for cell in row] for row in matrix]
    if method == "ward":  # rows are clusters of their weight
        rows = zip(weights, now, strict=True)
        now = [[2 * v * w / (v + w) * d for w, d in zip(weights, row, strict=True)] for v, row in rows]
    while len(clusters) > 1:
        pairs = [(i, j) for i in range(len(clusters)) for j in range(i + 1, len(clusters))]
        i, j = nearest(pairs, key=lambda pair: now[pair[0]][pair[1]])  # ties: the first
        a, b, height = clusters[i], clusters[j], now[i][j]
        union = tuple(sorted(a + b))
        sizes = [math.fsum(weights[row] for row in cluster) for cluster in clusters]
        for k, c in enumerate(clusters):
            if k in (i, j):
                value = 0.0
            elif method == "weighted":
                value = (now[k][i] + now[k][j]) / 2
            elif squared:
                value = _lance_williams(method, now[k][i], now[k][j], height, sizes[i], sizes[j], sizes[k])
            else:
                value = _between(matrix, method, union, c, weights, similar=similar)
            now[i][k] = now[k][i] = value
        clusters[i] = union
        del clusters[j], now[j]
        for line in now:
            del line[j]
        root = math.sqrt(max(height, 0.0)) if squared else height
        shown = [[math.sqrt(max(cell, 0.0)) if squared else cell for cell in line] for line in now]
        yield Merge(a, b, root, list(clusters), shown)


def _between(matrix, method, a, b, weights, *, similar):
    cells = [(float(matrix[i][j]), weights[i] * weights[j]) for i in a for j in b]
    if method == "average":
        return math.fsum(cell * w for cell, w in cells) / math.fsum(w for _, w in cells)
    smallest = (method == "single") != similar
    return (min if smallest else max)(cell for cell, _ in cells)


def _lance_williams(method, ki, kj, ij, s, r, t):
    """The square between cluster k, of t rows, and i and j merged, of s and r rows."""
    if method == "ward":
        return ((s + t) * ki + (r + t) * kj - t * ij) / (s + r + t)
    if method == "centroid":
        return (s * ki + r * kj) / (s + r) - s * r * ij / ((s + r) * (s + r))
    return 0.5 * ki + 0.5 * kj - 0.25 * ij


def derive_merges(matrix, method, names, *, similar=False, weights=None):
    """The work of all merges: the formula, each nearest pair, and the matrix after it."""
    formula = (SIMILAR if similar else FORMULAS)[method]
    what, extreme = ("similarity", "largest") if similar else ("distance", "smallest")
    first = _grid("at first", [(i,) for i in range(len(names))], matrix, names)
    parts = [Step(f"{what} of two clusters", formula), *first]
    merges = list(merged(matrix, method, similar=similar, weights=weights))
    for t, merge in enumerate(merges[-_SHOWN_MERGES:], max(len(merges) - _SHOWN_MERGES, 0) + 1):
        a, b = (_called(cluster, names) for cluster in (merge.first, merge.second))
        step = Step("height", result=merge.height, note=f"the {extreme} in the matrix: {a} and {b}")
        grid = _grid("after", merge.clusters, merge.matrix, names)
        parts.append(Work(f"merge {t}: {a} with {b}", (step, *grid)))
    return parts


def _grid(title, clusters, matrix, names):
    if not 1 < len(clusters) <= _SHOWN_CLUSTERS:
        return ()
    called = [_called(cluster, names) for cluster in clusters]
    rows = [
        (name, *(float(matrix[i][j]) for j in range(i)), *([None] * (len(called) - i)))
        for i, name in enumerate(called)
    ]
    return (Grid(title, ("", *called), rows),)


def _called(cluster, names):
    """A cluster by its rows: p+q."""
    if len(cluster) > 6:
        return f"{names[cluster[0]]}+…+{names[cluster[-1]]} ({len(cluster)} rows)"
    return "+".join(names[row] for row in cluster)


def merge_table(dendrogram, most=_SHOWN_MERGES):
    """The last merges as a grid, for trees that are too large to derive."""
    n, firsts = len(dendrogram), dendrogram.firsts

    def called(node):
        name = dendrogram.names[firsts[node]]
        return name if node < n else f"merge {node - n + 1}, with {name}"

    rows = []
    for t in range(max(n - 1 - most, 0), n - 1):
        first, second, height, size = dendrogram.linkage[t].tolist()
        rows.append((t + 1, called(int(first)), called(int(second)), dendrogram.shown(height), int(size)))
    note = "" if n - 1 <= most else f"The last {most} of {n - 1:,} merges."
    return Grid("merges", ("merge", "cluster", "with", "height", "rows"), rows, note)
