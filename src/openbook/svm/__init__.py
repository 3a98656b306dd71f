"""Kernel machines: support vectors for classification and regression, kernel ridge."""

from openbook.svm.kernel_ridge import KernelRidge
from openbook.svm.svc import SVC
from openbook.svm.svr import SVR
from openbook.svm.votes import pairwise_votes, rest_votes

__all__ = ["SVC", "SVR", "KernelRidge", "pairwise_votes", "rest_votes"]
