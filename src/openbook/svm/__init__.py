"""Support vector machines for classification and regression."""

from openbook.svm.svc import SVC
from openbook.svm.svr import SVR
from openbook.svm.votes import pairwise_votes, rest_votes

__all__ = ["SVC", "SVR", "pairwise_votes", "rest_votes"]
