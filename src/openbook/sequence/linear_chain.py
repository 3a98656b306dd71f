r"""A linear chain of weights, and the objective by which they are learnt.

    s(y, x) = Σ_t (w(y_t) · x_t + T(y_{t-1}, y_t)),    P(y | x) = e^{s(y, x)} / Z(x)
    minimised: -Σ ln P(y | x) + (1 - r) / (2 C) Σ θ² + r / C Σ |θ|,    θ = (w, T),  r = l1_ratio

The gradient is the expected count of each feature and transition less the observed one: a fold over
sequences. Forward–backward is that of the hidden Markov model, with e^T for the transitions and e^{w · x} for
what a state shows; its scales multiply to Z.

ids, x : see `features.py`;  w : float64 (F, K);  T : float64 (K, K), the label before first
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np

from openbook.fold import Statistics, fold
from openbook.kernels.jit import jit
from openbook.sequence.chain import best_path, posteriors, scaled


class FeatureSequences(NamedTuple):
    """Some whole sequences: ids (n, m), numbers (n, d), labels (n,), and end and weight of each sequence."""

    ids: np.ndarray
    x: np.ndarray
    labels: np.ndarray
    ends: np.ndarray
    w: np.ndarray


class LinearChain(NamedTuple):
    """The weights of features, (F, K), and of transitions, (K, K)."""

    weights: np.ndarray
    pairs: np.ndarray

    @classmethod
    def of(cls, theta: np.ndarray, K: int) -> "LinearChain":
        """From one array of all weights, those of transitions last."""
        table = theta.reshape(-1, K)
        return cls(table[:-K], table[-K:])

    @property
    def start(self) -> np.ndarray:
        return np.ones(len(self.pairs))

    @property
    def transitions(self) -> np.ndarray:
        return np.exp(self.pairs)

    def log_likelihoods(self, sequences: FeatureSequences) -> np.ndarray:
        """The score of each label by the features of each row, (n, K)."""
        numbers = sequences.x.shape[1]
        scores = sequences.x @ self.weights[len(self.weights) - numbers :]
        add_feature_weights(sequences.ids, self.weights, scores)
        return scores

    def likelihoods(self, _: FeatureSequences, log_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return scaled(log_b)


@jit
def add_feature_weights(ids, weights, scores):
    """Add to scores (n, K) the weights of the features of each row."""
    for t in range(ids.shape[0]):
        for m in range(ids.shape[1]):
            i = ids[t, m]
            if i >= 0:
                for k in range(weights.shape[1]):
                    scores[t, k] += weights[i, k]


@jit
def add_slopes(ids, slopes, gradient):
    """Add the slopes of each row, (n, K), to the gradient (F, K) of its features."""
    for t in range(ids.shape[0]):
        for m in range(ids.shape[1]):
            i = ids[t, m]
            if i >= 0:
                for k in range(slopes.shape[1]):
                    gradient[i, k] += slopes[t, k]


@dataclass(frozen=True)
class LossSums(Statistics):
    """-Σ ln P(y | x), (1,), and its gradient: of features (F, K), transitions (K, K)."""

    loss: np.ndarray
    weights: np.ndarray
    pairs: np.ndarray


def loss_sums(chain: LinearChain, sequences: FeatureSequences) -> LossSums:
    """The loss of some sequences and its gradient."""
    labels, ends = sequences.labels, sequences.ends
    found, pairs = posteriors(chain, sequences)
    row_weights = np.repeat(sequences.w, np.diff(ends, prepend=0))
    rows = np.arange(len(labels))
    inside = np.ones(len(labels), dtype=bool)
    inside[np.concatenate([[0], ends[:-1]])] = False  # rows that have a label before them
    before, after = labels[:-1][inside[1:]], labels[inside]
    shown = found.log_b[rows, labels]
    shown[inside] += chain.pairs[before, after]
    slopes = found.states
    slopes[rows, labels] -= 1.0
    slopes *= row_weights[:, None]
    gradient = np.zeros_like(chain.weights)
    add_slopes(sequences.ids, slopes, gradient)
    numbers = sequences.x.shape[1]
    gradient[len(gradient) - numbers :] += sequences.x.T @ slopes
    np.subtract.at(pairs, (before, after), row_weights[inside])
    return LossSums(np.array([row_weights @ (found.log_scale - shown)]), gradient, pairs)


class ChainLoss:
    """The loss with the penalty on squares, as `openbook.linear.solvers` take it."""

    def __init__(self, pieces: Sequence[Any], K: int, l2: float) -> None:
        self.pieces, self.K, self.l2 = pieces, K, l2

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        sums = fold(self.pieces, partial(loss_sums, LinearChain.of(theta, self.K)), add)
        gradient = np.concatenate([sums.weights.ravel(), sums.pairs.ravel()])
        gradient += self.l2 * theta
        return float(sums.loss[0]) + 0.5 * self.l2 * float(theta @ theta), gradient


def averaged_perceptron(pieces, chain: LinearChain, *, max_iter: int, random: np.random.Generator):
    """Collins's perceptron: sequences one by one, the weights moved from the path found to the true one.

    Gives the mean of the weights over all sequences met, the share of wrong rows in each epoch, and whether
    the last epoch was without mistakes. Like all that learns row by row it is no fold.
    """
    places = [(piece, s) for piece in pieces for s in range(len(piece.ends))]
    drift = LinearChain(np.zeros_like(chain.weights), np.zeros_like(chain.pairs))
    clock = 1.0
    trace: list[float] = []
    while len(trace) < max_iter and (not trace or trace[-1] > 0):
        wrong = rows = 0
        for at in random.permutation(len(places)).tolist():
            one = _one_sequence(*places[at])
            path = best_path(chain, one)
            mistakes = int((path != one.labels).sum())
            if mistakes:
                _move(chain, one, path, one.w[0])
                _move(drift, one, path, clock * one.w[0])
            wrong, rows, clock = wrong + mistakes, rows + len(path), clock + 1.0
        trace.append(wrong / rows)
    mean = LinearChain(chain.weights - drift.weights / clock, chain.pairs - drift.pairs / clock)
    return mean, trace, trace[-1] == 0


def _one_sequence(piece, s):
    span = slice(piece.ends[s - 1] if s else 0, piece.ends[s])
    ends = np.array([piece.ends[s] - span.start])
    return FeatureSequences(piece.ids[span], piece.x[span], piece.labels[span], ends, piece.w[s : s + 1])


def _move(chain, one, path, amount):
    """Add to the weights along the true path, and subtract as much from those along the path found."""
    K = len(chain.pairs)
    slopes = amount * (np.eye(K)[one.labels] - np.eye(K)[path])
    add_slopes(one.ids, slopes, chain.weights)
    numbers = one.x.shape[1]
    chain.weights[len(chain.weights) - numbers :] += one.x.T @ slopes
    np.add.at(chain.pairs, (one.labels[:-1], one.labels[1:]), amount)
    np.add.at(chain.pairs, (path[:-1], path[1:]), -amount)
