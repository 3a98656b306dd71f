"""Ensembles: votes, bags, forests, boosting, stacks."""

from openbook.ensemble.adaboost import AdaBoostClassifier
from openbook.ensemble.bagging import BaggingClassifier, BaggingRegressor
from openbook.ensemble.output_codes import OutputCodeClassifier
from openbook.ensemble.stacking import StackingClassifier, StackingRegressor
from openbook.ensemble.subspace import RandomSubspaceClassifier, RandomSubspaceRegressor
from openbook.ensemble.voting import VotingClassifier, VotingRegressor

__all__ = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "OutputCodeClassifier",
    "RandomSubspaceClassifier",
    "RandomSubspaceRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
]
