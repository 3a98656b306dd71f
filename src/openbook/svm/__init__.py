"""Kernel machines: support vectors for classification and regression, kernel ridge."""

from openbook.elsewhere import look_elsewhere
from openbook.svm.feature_map import PolynomialMap, polynomial_map
from openbook.svm.kernel_ridge import KernelRidge
from openbook.svm.linear_svc import LinearSVC
from openbook.svm.linear_svr import LinearSVR
from openbook.svm.separators import Separators, separators
from openbook.svm.svc import SVC
from openbook.svm.svr import SVR
from openbook.svm.votes import pairwise_votes, rest_votes

__all__ = [
    "SVC",
    "SVR",
    "KernelRidge",
    "LinearSVC",
    "LinearSVR",
    "PolynomialMap",
    "Separators",
    "pairwise_votes",
    "polynomial_map",
    "rest_votes",
    "separators",
]

__getattr__ = look_elsewhere(__name__)
