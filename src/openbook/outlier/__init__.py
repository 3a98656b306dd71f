"""Outlier detection: a score for each row, and the reasons for it."""

from openbook.elsewhere import look_elsewhere
from openbook.outlier.box_fences import BoxFences
from openbook.outlier.centroid_distance import CentroidDistance
from openbook.outlier.collective import Collective
from openbook.outlier.contextual import Contextual
from openbook.outlier.detector import Detector
from openbook.outlier.evaluation import OutlierEvaluation, evaluate_outliers
from openbook.outlier.grubbs import Grubbs
from openbook.outlier.inverse_density import InverseDensity
from openbook.outlier.isolation_forest import IsolationForest
from openbook.outlier.isolation_limits import IsolationLimits
from openbook.outlier.likelihood_mixture import LikelihoodMixture
from openbook.outlier.lof import LocalOutlierFactor
from openbook.outlier.mahalanobis import Mahalanobis
from openbook.outlier.naive_bayes_surprise import NaiveBayesSurprise
from openbook.outlier.neighbour_distance import NeighbourDistance
from openbook.outlier.objective_gain import ObjectiveGain
from openbook.outlier.oddest import Oddest, oddest
from openbook.outlier.radius_count import RadiusCount
from openbook.outlier.reasons import Reasons
from openbook.outlier.relative_density import RelativeDensity
from openbook.outlier.simple import simple_outliers
from openbook.outlier.small_clusters import SmallClusters
from openbook.outlier.synthetic import SyntheticEvaluation, evaluate_synthetic, synthetic_outliers
from openbook.outlier.z_score import ZScore

__all__ = [
    "BoxFences",
    "CentroidDistance",
    "Collective",
    "Contextual",
    "Detector",
    "Grubbs",
    "InverseDensity",
    "IsolationForest",
    "IsolationLimits",
    "LikelihoodMixture",
    "LocalOutlierFactor",
    "Mahalanobis",
    "NaiveBayesSurprise",
    "NeighbourDistance",
    "ObjectiveGain",
    "Oddest",
    "OutlierEvaluation",
    "RadiusCount",
    "Reasons",
    "RelativeDensity",
    "SmallClusters",
    "SyntheticEvaluation",
    "ZScore",
    "evaluate_outliers",
    "evaluate_synthetic",
    "oddest",
    "simple_outliers",
    "synthetic_outliers",
]

__getattr__ = look_elsewhere(__name__)
