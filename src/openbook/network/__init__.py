"""Belief networks: graphs of probability tables, asked questions and learnt from rows."""

from openbook.network.belief_network import BeliefNetwork
from openbook.network.bif import read_bif, write_bif
from openbook.network.classifier import BeliefNetworkClassifier
from openbook.network.examples import burglary, heart_disease, random_network
from openbook.network.query_answer import MixtureAnswer, QueryAnswer
from openbook.network.special_cases import (
    dynamic_network,
    markov_chain,
    network_of_hidden_markov,
    network_of_naive_bayes,
)

__all__ = [
    "BeliefNetwork",
    "BeliefNetworkClassifier",
    "MixtureAnswer",
    "QueryAnswer",
    "burglary",
    "dynamic_network",
    "heart_disease",
    "markov_chain",
    "network_of_hidden_markov",
    "network_of_naive_bayes",
    "random_network",
    "read_bif",
    "write_bif",
]
