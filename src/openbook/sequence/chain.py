r"""Predictions of a chain: the states or labels of the rows of sequences, whatever model learnt it.

A chain has `start`, (K,), `transitions`, (K, K), and `log_likelihoods(sequences)`, (n, K): the probabilities
of a hidden Markov model, or e to the weights of a conditional random field. `likelihoods` gives them scaled,
so that they do not underflow. Kernels: `chain_kernels.py`.
"""

from bisect import bisect_right
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np

from openbook.sequence.chain_kernels import backward_pass, best_paths, forward_pass


class AnySequences(Protocol):
    """Some whole sequences: where each ends, (s,), and its weight, (s,)."""

    @property
    def ends(self) -> np.ndarray: ...

    @property
    def w(self) -> np.ndarray: ...


class AnyChain(Protocol):
    """What `filtered`, `posteriors` and `best_path` need of a chain; see the module."""

    @property
    def start(self) -> np.ndarray: ...

    @property
    def transitions(self) -> np.ndarray: ...

    def log_likelihoods(self, sequences: Any) -> np.ndarray: ...

    def likelihoods(self, sequences: Any, log_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """B divided by a scale for each row, (n, K), and the logarithms of the scales, (n,)."""


class Filtered(NamedTuple):
    """P(state | rows so far) of each row, (n, K), ln c of each row, (n,), b / c, (n, K), and ln b, (n, K)."""

    states: np.ndarray
    log_scale: np.ndarray
    b: np.ndarray
    log_b: np.ndarray


def scaled(log_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The likelihoods of each row divided by the largest, (n, K), and the logarithm of that, (n,)."""
    top = np.array(reduce(np.maximum, log_b.T))  # states are few: quicker than max(axis=1)
    top[top == -np.inf] = 0.0
    return np.ascontiguousarray(np.exp(log_b - top[:, None])), top


def filtered(chain: AnyChain, sequences: AnySequences) -> Filtered:
    """The forward pass over sequences."""
    log_b = chain.log_likelihoods(sequences)
    b, top = chain.likelihoods(sequences, log_b)
    states, scale = np.empty_like(b), np.empty(len(b))
    into = np.ascontiguousarray(chain.transitions.T)
    forward_pass(log_b, top, b, sequences.ends, chain.start, into, states, scale)
    return Filtered(states, top + np.log(scale), b, log_b)


def posteriors(chain: AnyChain, sequences: AnySequences) -> tuple[Filtered, np.ndarray]:
    """Forward and backward: `states` is P(state | sequence) of each row; and expected transitions, (K, K)."""
    found = filtered(chain, sequences)
    pairs = np.zeros_like(chain.transitions)
    backward_pass(found.b, sequences.ends, sequences.w, chain.transitions, found.states, pairs)
    return found, pairs * chain.transitions


def drawn_path(start: np.ndarray, transitions: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """States that follow one another, (n,), each drawn by a chance between 0 and 1."""
    below = (np.cumsum(np.vstack([start, transitions]), axis=1)[:, :-1]).tolist()
    path, state = [], -1
    for chance in chances.tolist():
        state = bisect_right(below[state + 1], chance)
        path.append(state)
    return np.array(path, dtype=np.intp)


def best_path(chain: AnyChain, sequences: AnySequences) -> np.ndarray:
    """The most probable states of each sequence, (n,)."""
    log_b = chain.log_likelihoods(sequences)
    path, pointers = np.empty(len(log_b), dtype=np.int64), np.empty(log_b.shape, dtype=np.int32)
    with np.errstate(divide="ignore"):
        best_paths(log_b, sequences.ends, np.log(chain.start), np.log(chain.transitions), pointers, path)
    return path
