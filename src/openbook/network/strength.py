"""How sure an edge is: the share of bootstrap samples in which a structure search finds it.

    strength     samples with an edge between the two nodes, in either direction / all samples
    direction    samples with the edge in this direction / samples with an edge

Intervals of the strength are Wilson's.
"""

from collections import Counter
from typing import NamedTuple

from openbook.judge import wilson


class EdgeStrength(NamedTuple):
    """An edge in its more frequent direction: its strength, the interval of it, and the direction's share."""

    parent: str
    child: str
    strength: float
    low: float
    high: float
    direction: float

    def __str__(self) -> str:
        return (
            f"{self.parent} → {self.child}: in {self.strength:.0%} of the samples"
            f" [{self.low:.0%}, {self.high:.0%}], of which {self.direction:.0%} have this direction"
        )


def strengths(found, repeats):
    """The strength of each edge, the strongest first; `found` are the edges of each sample."""
    directed = Counter(edge for edges in found for edge in edges)
    pairs = {tuple(sorted(edge)) for edge in directed}
    out = []
    for a, b in sorted(pairs):
        there, back = directed[a, b], directed[b, a]
        both = there + back
        ends = wilson(both, repeats)
        parent, child = (a, b) if there >= back else (b, a)
        out.append(EdgeStrength(parent, child, both / repeats, ends.low, ends.high, max(there, back) / both))
    return sorted(out, key=lambda edge: (-edge.strength, edge.parent, edge.child))
