"""Measures: pure functions of counts, probabilities and arrays.

information     entropy, gini, conditional_entropy, information_gain, split_information, gain_ratio,
symmetrical_uncertainty, pointwise_mutual_information, mutual_information, chi_squared
joint           Joint: marginal, given, conditional, independent, expectation, variance, chain_rule, work
bayes_rule      bayes: prior and likelihood to posterior, with the work
distributions   Bernoulli, Binomial, Categorical, Multinomial: pmf, fit, fit_map
gaussian        Gaussian, MultivariateGaussian: pdf, fit, fit_map
decisions       cost_matrix, expected_risk, risk_threshold
distances       euclidean, squared_euclidean, manhattan, minkowski, chebyshev, cosine, correlation,
mahalanobis, kl_divergence, pairwise
matching        hamming, simple_matching, jaccard, gower, normalized_ranks
"""

from openbook.measures.bayes_rule import BayesRule, bayes
from openbook.measures.decisions import cost_matrix, expected_risk, risk_threshold
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
from openbook.measures.distributions import Bernoulli, Binomial, Categorical, Multinomial
from openbook.measures.gaussian import Gaussian, MultivariateGaussian
from openbook.measures.information import (
    ChiSquared,
    chi_squared,
    conditional_entropy,
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

__all__ = [
    "BayesRule",
    "Bernoulli",
    "Binomial",
    "Categorical",
    "ChiSquared",
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
    "entropy",
    "euclidean",
    "expected_risk",
    "gain_ratio",
    "gini",
    "gower",
    "hamming",
    "information_gain",
    "jaccard",
    "kl_divergence",
    "mahalanobis",
    "manhattan",
    "minkowski",
    "mutual_information",
    "normalized_ranks",
    "pairwise",
    "pointwise_mutual_information",
    "risk_threshold",
    "simple_matching",
    "split_information",
    "squared_euclidean",
    "symmetrical_uncertainty",
]
