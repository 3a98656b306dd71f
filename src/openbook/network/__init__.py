"""Belief networks: graphs of probability tables, asked questions and learnt from rows."""

from openbook.network.belief_network import BeliefNetwork
from openbook.network.bif import read_bif, write_bif
from openbook.network.classifier import BeliefNetworkClassifier
from openbook.network.examples import burglary, heart_disease, random_network
from openbook.network.query_answer import QueryAnswer

__all__ = [
    "BeliefNetwork",
    "BeliefNetworkClassifier",
    "QueryAnswer",
    "burglary",
    "heart_disease",
    "random_network",
    "read_bif",
    "write_bif",
]
