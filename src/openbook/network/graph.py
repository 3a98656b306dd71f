"""The graph of a belief network: which node depends on which, and what that makes independent.

A graph is a mapping of node -> its parents. An edge goes from parent to child, and no path along edges leads
back to its start (a directed acyclic graph).

    Markov blanket        parents, children, and the children's other parents
    local Markov          a node is independent of its non-descendants, given its parents
    d-separation          a path is blocked by an observed node, unless arrows meet there (a collider); a
                          collider blocks it unless it or a descendant is observed

Where several orders would do, nodes come in the order in which they are listed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from openbook.errors import DataError, did_you_mean


@dataclass(frozen=True)
class Separation:
    """Whether two nodes are d-separated, and if not, a path along which they influence each other.

    It counts as true if they are separated: `if network.d_separated("a", "b", given=["c"]): …`.
    """

    a: str
    b: str
    given: tuple[str, ...]
    path: tuple[str, ...]
    #: The path with its arrows, and why each node on it lets influence through.
    shown: str

    def __bool__(self) -> bool:
        return not self.path

    def __str__(self) -> str:
        condition = f" given {', '.join(self.given)}" if self.given else ""
        if not self.path:
            return f"{self.a} and {self.b} are independent{condition}: every path between them is blocked."
        return f"{self.a} and {self.b} may be dependent{condition}: {self.shown}"

    __repr__ = __str__


class Graph:
    """A directed acyclic graph of named nodes.

    Parameters
    ----------
    parents : mapping of node to its parents, in order
    """

    def __init__(self, parents: Mapping[str, Sequence[str]]) -> None:
        self.parents = {node: tuple(above) for node, above in parents.items()}
        self.children: dict[str, list[str]] = {node: [] for node in self.parents}
        for node, above in self.parents.items():
            if odd := [parent for parent in above if not isinstance(parent, str)]:
                raise DataError(f"node {node!r}: the name of a parent must be text, got {odd[0]!r}")
            if len(set(above)) < len(above):
                raise DataError(f"node {node!r} lists a parent twice: {', '.join(above)}")
            for parent in above:
                if parent not in self.children:
                    hint = did_you_mean(parent, tuple(self.parents))
                    raise DataError(f"node {node!r} has the unknown parent {parent!r}. {hint}")
                self.children[parent].append(node)
        self.order = self._parents_first()

    def _parents_first(self) -> tuple[str, ...]:
        """The nodes, each after its parents; an error names a cycle."""
        waiting = {node: len(above) for node, above in self.parents.items()}
        ready = [node for node, count in waiting.items() if not count]
        order = []
        while ready:
            node = ready.pop(0)
            order.append(node)
            for child in self.children[node]:
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        if len(order) < len(self.parents):
            msg = f"the edges go in a circle: {' → '.join(self._circle(order))}; remove one of them"
            raise DataError(msg)
        return tuple(order)

    def _circle(self, order: Sequence[str]) -> list[str]:
        left = set(self.parents) - set(order)
        walk = [next(node for node in self.parents if node in left)]
        while walk[-1] not in walk[:-1]:
            walk.append(next(parent for parent in self.parents[walk[-1]] if parent in left))
        return walk[walk.index(walk[-1]) :][::-1]

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Pairs of parent and child."""
        return [(parent, node) for node, above in self.parents.items() for parent in above]

    def known(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names as a tuple, all of which must be nodes."""
        names = tuple(names) if isinstance(names, Iterable) and not isinstance(names, str) else (names,)
        for name in names:
            if name not in self.parents:
                raise DataError(f"no node {name!r}. {did_you_mean(str(name), tuple(self.parents))}")
        return names

    def ancestors(self, names: Iterable[str]) -> set[str]:
        """Every node from which a path of edges leads to one of these; they themselves are not counted."""
        return self._reached(names, self.parents)

    def descendants(self, names: Iterable[str]) -> set[str]:
        """Every node to which a path of edges leads from one of these; they themselves are not counted."""
        return self._reached(names, self.children)

    def _reached(self, names: Iterable[str], neighbours: Mapping[str, Collection[str]]) -> set[str]:
        start = self.known(names)
        found: set[str] = set()
        ahead = [near for name in start for near in neighbours[name]]
        while ahead:
            node = ahead.pop()
            if node not in found:
                found.add(node)
                ahead += neighbours[node]
        return found

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents, in the order of the nodes."""
        (name,) = self.known(name)
        near = {*self.parents[name], *self.children[name]}
        near.update(parent for child in self.children[name] for parent in self.parents[child])
        return tuple(node for node in self.parents if node in near - {name})

    def separation(self, a: str, b: str, given: Iterable[str] = ()) -> Separation:
        """Whether a and b are d-separated: a shortest active path is looked for, breadth first.

        A trail is followed edge by edge. It may go through a node that it enters from a child ("up") or from
        a parent ("down"): past an observed node only where two arrows meet, past others unless they meet.
        """
        (a, b), given = self.known((a, b)), self.known(given)
        if a == b or {a, b} & set(given):
            raise DataError(f"d-separation needs two different nodes that are not given, got {a!r} and {b!r}")
        observed, open_colliders = set(given), set(given) | self.ancestors(given)
        start = (a, "up")
        before: dict[tuple[str, str], tuple[str, str] | None] = {start: None}
        ahead = [start]
        while ahead:
            visit = node, direction = ahead.pop(0)
            if node == b:
                path = _traced(before, visit)
                return Separation(a, b, given, tuple(path), self._shown(path, observed))
            up = direction == "up" and node not in observed
            steps = [(parent, "up") for parent in self.parents[node] if up]
            passes = node not in observed
            steps += [(child, "down") for child in self.children[node] if passes]
            if direction == "down" and node in open_colliders:
                steps += [(parent, "up") for parent in self.parents[node]]
            for step in steps:
                if step not in before:
                    before[step] = visit
                    ahead.append(step)
        return Separation(a, b, given, (), "")

    def _shown(self, path: Sequence[str], observed: set[str]) -> str:
        words = [path[0]]
        reasons = []
        for i, node in enumerate(path[1:], 1):
            words += ["→" if path[i - 1] in self.parents[node] else "←", node]
            if i < len(path) - 1 and {path[i - 1], path[i + 1]} <= set(self.parents[node]):
                below = {node} & observed or self.descendants(node) & observed
                seen = next(n for n in self.order if n in below)
                reasons.append(f"arrows meet at {node}, and {seen} is observed")
        return " ".join(words) + (f" ({'; '.join(reasons)})" if reasons else "")


def _traced(
    before: Mapping[tuple[str, str], tuple[str, str] | None], visit: tuple[str, str] | None
) -> list[str]:
    path = []
    while visit is not None:
        path.append(visit[0])
        visit = before[visit]
    return path[::-1]
