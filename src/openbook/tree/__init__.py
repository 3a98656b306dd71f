"""Decision trees: ID3, C4.5 and CART in one engine; rules and pictures of them."""

from openbook.elsewhere import look_elsewhere
from openbook.tree.c45 import C45
from openbook.tree.cart import CART, CARTRegressor
from openbook.tree.classifier import DecisionTreeClassifier
from openbook.tree.derive.cuts import Cut, Cuts, candidate_cuts
from openbook.tree.id3 import ID3
from openbook.tree.model_tree import ModelTreeRegressor
from openbook.tree.oblivious import ObliviousTreeClassifier
from openbook.tree.regressor import DecisionTreeRegressor
from openbook.tree.show.drawing import Drawing, draw
from openbook.tree.show.ruleset import Disjunction, Rules, rules
from openbook.work.rules import Rule, RuleList

__all__ = [
    "C45",
    "CART",
    "ID3",
    "CARTRegressor",
    "Cut",
    "Cuts",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Disjunction",
    "Drawing",
    "ModelTreeRegressor",
    "ObliviousTreeClassifier",
    "Rule",
    "RuleList",
    "Rules",
    "candidate_cuts",
    "draw",
    "rules",
]

__getattr__ = look_elsewhere(__name__)
