"""Nearest neighbours and Parzen windows."""

from openbook.elsewhere import look_elsewhere
from openbook.neighbors.given import Vote, vote
from openbook.neighbors.knn import KNeighborsClassifier, KNeighborsRegressor
from openbook.neighbors.parzen import ParzenClassifier, ParzenRegressor
from openbook.neighbors.similar import SimilarDocument, similar

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "ParzenClassifier",
    "ParzenRegressor",
    "SimilarDocument",
    "Vote",
    "similar",
    "vote",
]

__getattr__ = look_elsewhere(__name__)
