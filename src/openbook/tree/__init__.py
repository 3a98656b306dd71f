"""Decision trees: ID3, C4.5 and CART in one engine; rules and pictures of them."""

from openbook.tree.drawing import Drawing, draw
from openbook.tree.ruleset import Disjunction, Rule, Rules, rules

__all__ = ["Disjunction", "Drawing", "Rule", "Rules", "draw", "rules"]
