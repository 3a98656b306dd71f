"""What stands at the nodes of a model's tree: for rules and pictures.

A model of one tree has `tree_`, `schema_`, `target_` and, where it classifies, `classes_`.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from openbook.data import Schema
from openbook.data.attributes import as_text
from openbook.tree.engine.nodes import Tree
from openbook.tree.show.conditions import condition, settled, word
from openbook.words.numbers import figure
from openbook.work.formula import printable

__all__ = ["Reading", "reading"]


@dataclass(frozen=True)
class Reading:
    """A tree with the names of its columns, its target and its classes (None where it predicts numbers)."""

    tree: Tree
    schema: Schema
    target: str
    classes: tuple[Any, ...] | None

    def condition(self, node, branch):
        return condition(self.schema, self.tree, node, branch)

    def settled(self):
        """The same with missing cells on one branch at every test."""
        return replace(self, tree=settled(self.tree))

    def winners(self):
        """The code of each node's most probable class, the first of them."""
        return np.argmax(self.tree.value, axis=1)

    def prediction(self, node):
        """The label or the number that a node predicts."""
        if self.classes is None:
            return float(self.tree.value[node, 0])
        return self.classes[np.argmax(self.tree.value[node])]

    def said(self, prediction):
        """A prediction in words."""
        return figure(prediction) if self.classes is None else printable(word(as_text(prediction)))

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


def reading(model):
    """The reading of a fitted model of one tree."""
    if getattr(model, "tree_", None) is None:
        msg = f"{type(model).__name__} has no tree_; pass one fitted decision tree"
        raise TypeError(msg)
    classes = getattr(model, "classes_", None)
    labels = None if classes is None else tuple(np.asarray(classes).tolist())
    return Reading(model.tree_, model.schema_, model.target_, labels)
