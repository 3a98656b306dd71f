"""Measures: pure functions of counts, probabilities and arrays.

information     entropy, cross_entropy, gini, conditional_entropy, information_gain, split_information,
gain_ratio, symmetrical_uncertainty, pointwise_mutual_information, mutual_information, chi_squared
associations    pearson, spearman: how two columns go together
joint           Joint: marginal, given, conditional, independent, either, expectation, variance, sample,
chain_rule, addition_rule, work
full_joint      full_joint: how many rows the full joint distribution would need
bayes_rule      bayes: prior and likelihood to posterior, with the work
distributions   Bernoulli, Binomial, Categorical: pmf, cdf, interval, sample, expectation, fit, fit_map, work
multinomial     Multinomial: the same of rows of counts
gaussian        Gaussian, MultivariateGaussian: the same with pdf
beta            Beta: what is known of a probability after some trials
descent         gradient_descent: the steps downhill on any function
scores          self_information, odds, logit, sigmoid, softmax, hinge_loss, zero_one_loss, logistic_loss
decisions       cost_matrix, expected_risk, risk_threshold
distances       euclidean, squared_euclidean, manhattan, minkowski, chebyshev, cosine, correlation,
mahalanobis, kl_divergence, pairwise
matching        hamming, simple_matching, jaccard, gower, normalized_ranks
"""

from openbook.measures.associations import pearson, spearman
from openbook.measures.bayes_rule import BayesRule, bayes
from openbook.measures.beta import Beta
from openbook.measures.decisions import cost_matrix, expected_risk, risk_threshold
from openbook.measures.descent import DescentPath, gradient_descent
from openbook.measures.distances import (
    chebyshev,
    correlation,
    cosine,
    euclidean,
    kl_divergence,
    mahalanobis,
    manhattan,
    minkowski,
    pairwise,
    squared_euclidean,
)
from openbook.measures.distributions import Bernoulli, Binomial, Categorical
from openbook.measures.full_joint import FullJoint, full_joint
from openbook.measures.gaussian import Gaussian, MultivariateGaussian
from openbook.measures.information import (
    ChiSquared,
    chi_squared,
    conditional_entropy,
    cross_entropy,
    draw_impurity,
    entropy,
    gain_ratio,
    gini,
    information_gain,
    mutual_information,
    pointwise_mutual_information,
    split_information,
    symmetrical_uncertainty,
)
from openbook.measures.joint import Joint
from openbook.measures.matching import gower, hamming, jaccard, normalized_ranks, simple_matching
from openbook.measures.multinomial import Multinomial
from openbook.measures.scores import (
    hinge_loss,
    logistic_loss,
    logit,
    odds,
    self_information,
    sigmoid,
    softmax,
    zero_one_loss,
)

__all__ = [
    "BayesRule",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "ChiSquared",
    "DescentPath",
    "FullJoint",
    "Gaussian",
    "Joint",
    "Multinomial",
    "MultivariateGaussian",
    "bayes",
    "chebyshev",
    "chi_squared",
    "conditional_entropy",
    "correlation",
    "cosine",
    "cost_matrix",
    "cross_entropy",
    "draw_impurity",
    "entropy",
    "euclidean",
    "expected_risk",
    "full_joint",
    "gain_ratio",
    "gini",
    "gower",
    "gradient_descent",
    "hamming",
    "hinge_loss",
    "information_gain",
    "jaccard",
    "kl_divergence",
    "logistic_loss",
    "logit",
    "mahalanobis",
    "manhattan",
    "minkowski",
    "mutual_information",
    "normalized_ranks",
    "odds",
    "pairwise",
    "pearson",
    "pointwise_mutual_information",
    "risk_threshold",
    "self_information",
    "sigmoid",
    "simple_matching",
    "softmax",
    "spearman",
    "split_information",
    "squared_euclidean",
    "symmetrical_uncertainty",
    "zero_one_loss",
]
