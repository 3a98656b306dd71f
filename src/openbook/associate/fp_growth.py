"""Frequent itemsets by FP-growth (Han, Pei and Yin 2000): transactions as a tree, mined item by item.

    order    the frequent items of a transaction, the most frequent first; ties: in their order
    tree     transactions that begin alike share a path, and a node counts those that pass it
    base     of an item: the paths that lead to its nodes, each with the count of the node
    mine     the base is a list of transactions again: what is frequent in it is frequent with the item

Items are numbers, sets are tuples of them in rising order. No candidate is made that no transaction holds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Path = tuple[tuple[int, ...], int]


@dataclass(eq=False)
class PrefixNode:
    """An item on a path of the tree, how many transactions pass it, and the node before it."""

    item: int
    parent: "PrefixNode | None" = None
    count: int = 0
    children: dict[int, "PrefixNode"] = field(default_factory=dict)

    def path(self) -> tuple[int, ...]:
        """The items that lead to it, from the root on."""
        above: list[int] = []
        node = self.parent
        while node is not None and node.parent is not None:
            above.insert(0, node.item)
            node = node.parent
        return tuple(above)


class FPTree:
    """The tree of weighted transactions.

    order : the frequent items, the most frequent first, with their counts
    ordered : the frequent items of each transaction in that order, with its weight
    nodes : the nodes of each item
    """

    def __init__(self, paths: Sequence[Path], least: int) -> None:
        counts: Counter[int] = Counter()
        for items, weight in paths:
            counts.update(dict.fromkeys(items, weight))
        frequent = sorted((item for item in counts if counts[item] >= least), key=lambda i: (-counts[i], i))
        self.order = {item: counts[item] for item in frequent}
        place = {item: k for k, item in enumerate(frequent)}
        self.root = PrefixNode(-1)
        self.nodes: dict[int, list[PrefixNode]] = {item: [] for item in frequent}
        self.ordered: list[Path] = []
        for items, weight in paths:
            kept = tuple(sorted((item for item in items if item in place), key=place.__getitem__))
            self.ordered.append((kept, weight))
            self._add(kept, weight)

    def _add(self, items: tuple[int, ...], weight: int) -> None:
        node = self.root
        for item in items:
            if item not in node.children:
                node.children[item] = PrefixNode(item, node)
                self.nodes[item].append(node.children[item])
            node = node.children[item]
            node.count += weight

    def base(self, item: int) -> list[Path]:
        """The paths that lead to an item, each with the count of its node."""
        return [(node.path(), node.count) for node in self.nodes[item]]

    def walk(self) -> Iterator[tuple[int, PrefixNode]]:
        """Each node with its depth, a path at a time."""
        pile = [(0, node) for node in reversed(self.root.children.values())]
        while pile:
            depth, node = pile.pop()
            yield depth, node
            pile += [(depth + 1, child) for child in reversed(node.children.values())]


def grown_sets(
    paths: Sequence[Path], least: int, longest: int | None = None, suffix: tuple[int, ...] = ()
) -> Iterator[Path]:
    """The frequent sets and their counts, from the rarest item on.

    >>> sorted(grown_sets([((0, 1), 1), ((0, 1, 2), 1), ((2,), 1)], 2))
    [((0,), 2), ((0, 1), 2), ((1,), 2), ((2,), 2)]
    """
    if longest is not None and len(suffix) >= longest:
        return
    tree = FPTree(paths, least)
    for item, count in reversed(tree.order.items()):
        found = tuple(sorted((item, *suffix)))
        yield found, count
        yield from grown_sets(tree.base(item), least, longest, found)
