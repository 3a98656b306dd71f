"""Ensembles: voting, bagging, forests, boosting, stacking."""

from openbook.elsewhere import look_elsewhere
from openbook.ensemble.adaboost import AdaBoostClassifier
from openbook.ensemble.bagging import BaggingClassifier, BaggingRegressor
from openbook.ensemble.diversity import (
    Diversity,
    disagreement,
    diversity,
    kappa,
    member_predictions,
    q_statistic,
)
from openbook.ensemble.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from openbook.ensemble.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from openbook.ensemble.one_vs_rest import OneVsRestClassifier
from openbook.ensemble.output_codes import OutputCodeClassifier
from openbook.ensemble.random_forest import RandomForestClassifier, RandomForestRegressor
from openbook.ensemble.stacking import StackingClassifier, StackingRegressor
from openbook.ensemble.subspace import RandomSubspaceClassifier, RandomSubspaceRegressor
from openbook.ensemble.votes import IndependentVote, independent_vote_error, majority_right
from openbook.ensemble.voting import VotingClassifier, VotingRegressor

__all__ = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "Diversity",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "IndependentVote",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomSubspaceClassifier",
    "RandomSubspaceRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "disagreement",
    "diversity",
    "independent_vote_error",
    "kappa",
    "majority_right",
    "member_predictions",
    "q_statistic",
]

__getattr__ = look_elsewhere(__name__)
