"""Linear models: regression, logistic regression, discriminants, perceptron, Rocchio."""

from openbook.elsewhere import look_elsewhere
from openbook.linear.basis import Polynomial, Radial, Sigmoid
from openbook.linear.discriminant import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from openbook.linear.elastic_net import ElasticNet
from openbook.linear.lasso import Lasso
from openbook.linear.linear_regression import LinearRegression
from openbook.linear.logistic import LogisticRegression
from openbook.linear.perceptron import Perceptron
from openbook.linear.proportional_odds import ProportionalOdds
from openbook.linear.ridge import Ridge
from openbook.linear.rocchio import Rocchio

__all__ = [
    "ElasticNet",
    "Lasso",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LogisticRegression",
    "Perceptron",
    "Polynomial",
    "ProportionalOdds",
    "QuadraticDiscriminantAnalysis",
    "Radial",
    "Ridge",
    "Rocchio",
    "Sigmoid",
]

__getattr__ = look_elsewhere(__name__)
