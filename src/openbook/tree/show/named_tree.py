"""The content of the nodes of a model's tree, for rules and pictures.

A model of one tree has `tree_`, `schema_`, `target_` and, where it classifies, `classes_`; a model tree has
`line_at(node)`, the linear model by which a node predicts.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from openbook.data import Nominal, Schema
from openbook.data.attributes import as_text
from openbook.tree.engine.nodes import SPREAD, Tree
from openbook.words.numbers import figure
from openbook.words.sentences import printable
from openbook.work.conditions import Is, Within, word


@dataclass(frozen=True)
class NamedTree:
    """A tree with the names of its columns, its target and its classes (None if it predicts numbers).

    line_at : the linear model of a node, where nodes predict by one; None if they predict a constant
    """

    tree: Tree
    schema: Schema
    target: str
    classes: tuple[Any, ...] | None
    line_at: Callable[[int], Any] | None = None

    def condition(self, node, branch):
        return condition(self.schema, self.tree, node, branch)

    def settled(self):
        """The same with missing cells on one branch at every test."""
        return replace(self, tree=settled(self.tree))

    def winners(self):
        """The code of each node's most probable class, the first of them."""
        return np.argmax(self.tree.value, axis=1)

    def prediction(self, node):
        """The label, the number or the linear model that a node predicts."""
        if self.line_at is not None:
            return self.line_at(node)
        if self.classes is None:
            return float(self.tree.value[node, 0])
        return self.classes[np.argmax(self.tree.value[node])]

    def said(self, prediction):
        """A prediction in words."""
        if self.classes is not None:
            return printable(word(as_text(prediction)))
        return figure(prediction) if self.line_at is None else printable(str(prediction))

    def behind(self, node):
        """The training rows behind a node's prediction: "3 of 4" are of that class, or "5" for numbers."""
        weight = figure(float(self.tree.weight[node]), 4)
        if self.classes is None:
            return weight
        return f"{figure(float(self.tree.value[node].max()), 4)} of {weight}" if weight != "0" else "no rows"

    def depth_first(self):
        """Every node, each before what is below it, from left to right."""
        order, ahead = [], [0]
        while ahead:
            node = ahead.pop()
            order.append(node)
            ahead.extend(reversed(self.tree.children(node)))
        return order


def named_tree(model):
    """The tree of a fitted model, with the names of its columns, target and classes."""
    if getattr(model, "tree_", None) is None:
        raise TypeError(f"{type(model).__name__} has no tree_; pass one fitted decision tree")
    classes = getattr(model, "classes_", None)
    labels = None if classes is None else tuple(np.asarray(classes).tolist())
    return NamedTree(model.tree_, model.schema_, model.target_, labels, getattr(model, "line_at", None))


def condition(schema, tree, node, branch):
    """What a node's branch says.

    A branch that takes missing cells says so, and names the values that had no training row at the node and
    so go there too. Where missing cells are spread over the branches, none of them says so.
    """
    attribute = schema.attributes[tree.attribute[node]]
    missing = bool(tree.missing[node] == branch)
    if isinstance(attribute, Nominal):
        routes = tree.routes[tree.route[node] :][: len(attribute.values)]
        here = (routes == branch) | ((routes < 0) & missing)
        return Is(attribute, tuple(np.array(attribute.values, dtype=object)[here]), missing=missing)
    if branch == 2:
        return Within(attribute, math.inf, -math.inf, missing=True)
    cut = float(tree.cut[node])
    return Within(attribute, *((-math.inf, cut), (cut, math.inf))[branch], missing=missing)


def settled(tree):
    """The tree with missing cells sent down the heaviest branch, the first of them, where they were spread.

    For what knows no shares, such as SQL.
    """
    heaviest = tree.missing.copy()
    for node in np.flatnonzero((tree.missing == SPREAD) & (tree.branches > 0)):
        heaviest[node] = np.argmax(tree.weight[tree.children(node)])
    return tree._replace(missing=heaviest)
