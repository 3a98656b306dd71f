"""A tree as a drawing: text, SVG, DOT.

In text, a line a node, and behind a leaf's prediction how many of its training rows are of that class:

    play (14 rows)
    ├── outlook = overcast: Yes (4 of 4)
    └── outlook = sunny (5)
        ├── humidity = high: No (3 of 3)
        └── …

Below `max_depth` tests the drawing stops: the node there stands as a leaf, with the number of leaves hidden.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from openbook.errors import DataError, ParameterError
from openbook.tree.engine.nodes import LEAF, depths
from openbook.tree.show.named_tree import NamedTree, named_tree
from openbook.words.numbers import figure
from openbook.words.sentences import printable
from openbook.work.conditions import Condition


def draw(model, max_depth=None):
    """The drawing of a fitted tree: text for `print`, a picture for a notebook.

    Parameters
    ----------
    model : fitted tree
        A model with `tree_`.
    max_depth : int or None, default=None
        How many tests are drawn one below the other; None for all.

    Returns
    -------
    Drawing

    Notes
    -----
    The same as `model.draw()`. Guide: docs/guide/trees.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import ID3
    >>> print(draw(ID3().fit(*load("weather").split("play")), max_depth=1))
    play (14 rows)
    ├── outlook = overcast: Yes (4 of 4)
    ├── outlook = rain: Yes (3 of 5), … 2 leaves hidden
    └── outlook = sunny: No (3 of 5), … 2 leaves hidden
    """
    if max_depth is not None and (not isinstance(max_depth, int | np.integer) or max_depth < 0):
        msg = f"draw: max_depth must be a whole number of at least 0, or None, got {max_depth!r}"
        raise ParameterError(msg)
    return Drawing(named_tree(model), None if max_depth is None else int(max_depth))


@dataclass(frozen=True)
class Place:
    """A node as it is drawn.

    Parameters
    ----------
    node : its number in the tree
    children : the places below it, as numbers in `Drawing.places`
    depth : how many tests lie above it
    condition : what the branch to it says; None for the root
    name : the attribute it tests; "" where the drawing ends
    hidden : how many leaves below it are not drawn
    """

    node: int
    children: tuple[int, ...]
    depth: int
    condition: Condition | None
    name: str
    hidden: int


@dataclass(frozen=True)
class Drawing:
    """A decision tree to look at; `print` shows it as text, a notebook as a picture. See `draw`.

    Parameters
    ----------
    read : NamedTree
        The tree with the names of its columns, target and classes.
    max_depth : int or None, default=None
        How many tests are drawn one below the other; None for all.

    Attributes
    ----------
    places : list of Place
        The nodes that are drawn, from left to right.

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import ID3
    >>> drawing = ID3().fit(*load("weather").split("play")).draw()
    >>> drawing.svg()[:4], drawing.dot().splitlines()[0]
    ('<svg', 'digraph tree {')
    """

    read: NamedTree
    max_depth: int | None = None

    @cached_property
    def places(self):
        """The nodes drawn, each before what is below it, from left to right."""
        tree = self.read.tree
        depth, below = depths(tree), _leaves_below(tree)
        deepest = depth.max() if self.max_depth is None else self.max_depth
        order = [node for node in self.read.depth_first() if depth[node] <= deepest]
        at = {node: i for i, node in enumerate(order)}
        said = {
            child: self.read.condition(node, branch)
            for node in order
            for branch, child in enumerate(tree.children(node))
            if child in at
        }
        places = []
        for node in order:
            ends = depth[node] == deepest or tree.attribute[node] == LEAF
            name = "" if ends else printable(self.read.schema.attributes[tree.attribute[node]].name)
            hidden = int(below[node]) if ends and tree.attribute[node] != LEAF else 0
            children = () if ends else tuple(at[child] for child in tree.children(node))
            places.append(Place(node, children, int(depth[node]), said.get(node), name, hidden))
        return places

    def text(self):
        """The tree as text: a line for each node, with box-drawing signs.

        Returns
        -------
        str
        """
        root = self.places[0]
        lines = [f"{printable(self.read.target)} ({figure(self._weight(root))} rows){self._outcome(root)}"]
        ahead = [(i, "") for i in reversed(root.children)]
        last = {place.children[-1] for place in self.places if place.children}
        while ahead:
            i, indent = ahead.pop()
            place = self.places[i]
            count = f" ({figure(self._weight(place))})" if place.name else ""
            sign, deeper = ("└── ", "    ") if i in last else ("├── ", "│   ")
            lines.append(f"{indent}{sign}{place.condition}{count}{self._outcome(place)}")
            ahead += [(j, indent + deeper) for j in reversed(place.children)]
        return "\n".join(lines)

    def svg(self):
        """The tree as an SVG picture that follows light and dark and needs nothing else.

        Returns
        -------
        str
        """
        from openbook.tree.show.picture import picture

        return picture(self.read, self.places)

    def dot(self):
        """The tree in Graphviz's language.

        Returns
        -------
        str
        """
        lines = [
            "digraph tree {",
            '  node [shape=box, fontname="sans-serif"]',
            '  edge [fontname="sans-serif"]',
        ]
        for i, place in enumerate(self.places):
            count = figure(self._weight(place))
            words = f"{place.name}\n{count}" if place.name else self._outcome(place).removeprefix(": ")
            shape = "" if place.name else ", style=rounded"
            lines.append(f"  {i} [label={_dot_text(words)}{shape}]")
            lines += [
                f"  {i} -> {j} [label={_dot_text(printable(self.places[j].condition.branch))}]"
                for j in place.children
            ]
        return "\n".join([*lines, "}"])

    def written(self, name):
        """The drawing as a file of that name holds it.

        Parameters
        ----------
        name : str or Path
            The name of the file, which must end in .svg, .dot or .txt.

        Returns
        -------
        str
        """
        ways = {".svg": self.svg, ".dot": self.dot, ".txt": self.text}
        path = Path(name)
        if path.suffix.lower() not in ways:
            raise DataError(f"cannot draw to {path.name!r}: the name must end in {', '.join(ways)}")
        return ways[path.suffix.lower()]() + "\n"

    def save(self, path):
        """Write the drawing to a file, in the format that its name asks for.

        Parameters
        ----------
        path : str or Path
            The file; its name must end in .svg, .dot or .txt.
        """
        Path(path).write_text(self.written(path), encoding="utf-8")

    def __str__(self):
        return self.text()

    def _repr_svg_(self):
        return self.svg()

    def _weight(self, place):
        return float(self.read.tree.weight[place.node])

    def _outcome(self, place):
        """What is predicted where the drawing ends, and what stands behind it."""
        if place.name:
            return ""
        hidden = f", … {place.hidden} leaves hidden" if place.hidden else ""
        return (
            f": {self.read.said(self.read.prediction(place.node))} ({self.read.behind(place.node)}){hidden}"
        )


def _leaves_below(tree):
    """How many leaves lie at or below each node."""
    count = (tree.attribute == LEAF).astype(np.intp)
    for node in reversed(range(tree.size)):  # children stand behind their parents
        count[node] += count[tree.first[node] :][: tree.branches[node]].sum()
    return count


def _dot_text(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
