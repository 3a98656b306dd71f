r"""Baum and Welch's algorithm: expectation-maximisation of a hidden Markov model, a fold over sequences.

    E-step   expected counts of first states, transitions and shown values, by forward–backward
    M-step   π_i = (n_i + a) / Σ,   a_ij = (n_ij + a) / Σ_j,   emissions: see `emissions.py`

a is what the smoothing adds; a probability that starts as zero stays zero. A labelled row is in the state of
its label: the other states cannot show it. Where all rows are labelled, the expected counts are counts. The
trace is the log-likelihood plus ln of the smoothing's prior (Π θ^a); it never falls.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import add
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from openbook.bayes.smoothing import Smoothing
from openbook.errors import DataError
from openbook.fold import Statistics, each, fold
from openbook.kernels.normals import shared_moments
from openbook.sequence.chain import filtered, posteriors, scaled
from openbook.sequence.chain_kernels import add_shown
from openbook.sequence.emissions import Emissions
from openbook.sequence.scanned import SequenceFile

#: Rows, about, among which the first means are drawn.
_SAMPLE = 10_000


class CodedSequences(NamedTuple):
    """Some whole sequences: numbers (d, n), codes (columns, n), labels (n,), -1 for none, and the end and
    weight of each sequence.
    """

    x: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    ends: np.ndarray
    w: np.ndarray

    @property
    def row_weights(self):
        return np.repeat(self.w, np.diff(self.ends, prepend=0))


class Chain(NamedTuple):
    """The parameters: P(first state), (K,), P(next | state), (K, K), and what states show."""

    start: np.ndarray
    transitions: np.ndarray
    emissions: Emissions

    def log_likelihoods(self, sequences: CodedSequences) -> np.ndarray:
        """The logarithm of b, (n, K); a labelled row can be shown by its own state only."""
        log_b = self.emissions.log_likelihoods(sequences.x, sequences.codes)
        known = sequences.labels >= 0
        if known.any():
            log_b[known[:, None] & (np.arange(len(self.start)) != sequences.labels[:, None])] = -np.inf
        return log_b

    def likelihoods(self, sequences: CodedSequences, log_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scaled by the largest of each row, or without numbers by 1: then tables give them as they are."""
        if self.emissions.numbers:
            return scaled(log_b)
        b = self.emissions.probabilities(sequences.codes)
        if (sequences.labels >= 0).any():
            b[log_b == -np.inf] = 0.0
        return b, np.zeros(len(b))


@dataclass(frozen=True)
class ChainLikelihood(Statistics):
    """The log-likelihood, (1,)."""

    log_likelihood: np.ndarray


@dataclass(frozen=True)
class ChainCounts(ChainLikelihood):
    """The expected counts: of first states (K,), transitions (K, K), moments of numbers (K, d + 1, d + 1),
    values (K, V) of each column; and the log-likelihood, (1,).
    """

    start: np.ndarray
    transitions: np.ndarray
    moments: np.ndarray
    values: tuple[np.ndarray, ...]


def _log_likelihood(chain, sequences):
    return ChainLikelihood(np.array([sequences.row_weights @ filtered(chain, sequences).log_scale]))


def _counted(chain, sequences):
    found, transitions = posteriors(chain, sequences)
    weights = sequences.row_weights
    shares = np.multiply(found.states, weights[:, None], out=found.states)
    firsts = np.concatenate([[0], sequences.ends[:-1]])
    moments, values = _shown(chain.emissions, sequences, shares)
    log_likelihood = np.array([weights @ found.log_scale])
    return ChainCounts(log_likelihood, shares[firsts].sum(axis=0), transitions, moments, values)


def _shown(emissions, sequences, shares):
    """Moments of numbers and counts of values, where each state has these shares of the rows, (n, K)."""
    counts = tuple(np.zeros((len(table), table.shape[1] - 1)) for table in emissions.tables)
    for codes, counts_of_column in zip(sequences.codes, counts, strict=True):
        add_shown(codes, shares, counts_of_column)
    if not emissions.numbers:
        return np.zeros((shares.shape[1], 1, 1)), counts
    return shared_moments(emissions.normals, sequences.x, shares), counts


@dataclass(frozen=True)
class MStep:
    """From expected counts to parameters, and the prior that belongs to it."""

    smoothing: Smoothing
    states: Sequence[str]
    covariance_type: str
    min_covar: float

    def __call__(self, counts: ChainCounts, before: Chain) -> Chain:
        return Chain(
            self._shares(counts.start, before.start),
            self._shares(counts.transitions, before.transitions),
            self.emissions(counts.moments, counts.values, before.emissions),
        )

    def emissions(self, moments, values, before: Emissions) -> Emissions:
        """What the states show."""
        return before.maximised(
            moments, values, self.smoothing, self.states, self.min_covar, self.covariance_type
        )

    def _added(self, allowed):
        """What the smoothing adds to each count that may be above zero."""
        return self.smoothing.imagined(allowed / allowed.sum(axis=-1, keepdims=True)) * allowed

    def _shares(self, counts, before):
        counts = counts + self._added(before > 0)
        total = counts.sum(axis=-1, keepdims=True)
        return np.where(total > 0, counts / np.where(total > 0, total, 1.0), before)

    def log_prior(self, chain: Chain) -> float:
        """The logarithm of the prior."""
        log_prior = sum(float(xlogy(self._added(p > 0), p).sum()) for p in (chain.start, chain.transitions))
        return log_prior + chain.emissions.log_prior(self.smoothing, self.states)


def baum_welch(pieces, chain: Chain, maximise: MStep, *, tol: float, max_iter: int):
    """The chain at the end, the log-likelihood with the prior of each round, and whether it has settled."""
    trace: list[float] = []
    least = tol * sum(map(_rows, pieces))
    while True:
        last = len(trace) == max_iter  # of which only the log-likelihood is needed
        found = fold(pieces, partial(_log_likelihood if last else _counted, chain), add)
        trace.append(float(found.log_likelihood[0]) + maximise.log_prior(chain))
        if not np.isfinite(trace[-1]):
            raise DataError(
                "some rows are impossible: no state that can be reached shows them; check the zeros of"
                " transitions_init and start_init against the labels, or use smoothing"
            )
        if len(trace) > 1 and trace[-1] - trace[-2] < least:
            return chain, trace, True
        if last:
            return chain, trace, False
        chain = maximise(found, chain)


def _rows(piece):
    """The number of rows of a piece, which may still be in its file."""
    return piece.rows if isinstance(piece, SequenceFile) else len(piece.labels)


def spread_start(pieces, chain: Chain, maximise: MStep, rng: np.random.Generator, labelled: bool) -> Chain:
    """Where Baum–Welch starts: means at rows far from one another, tables drawn at random.

    Where rows are labelled, states that they show start from these rows.
    """
    emissions, K = chain.emissions, len(chain.start)
    tables = tuple(
        np.hstack([rng.dirichlet(np.ones(table.shape[1] - 1), K), np.ones((K, 1))])
        for table in emissions.tables
    )
    normals = emissions.normals
    if emissions.numbers:
        normals = replace(normals, means=_far_apart(_every_so_many(pieces), K, rng))
    emissions = replace(emissions, normals=normals, tables=tables)
    if labelled:
        moments, values = fold(pieces, partial(_labelled, emissions), _both_sums)
        emissions = maximise.emissions(moments, values, emissions)
    return chain._replace(emissions=emissions)


def _every_so_many(pieces):
    """Numbers of rows that are evenly spaced, some thousands of them, (d, m)."""
    step = max(sum(map(_rows, pieces)) // _SAMPLE, 1)
    places, at = [], 0
    for piece in pieces:
        places.append((piece, -at % step))
        at += _rows(piece)
    return np.hstack(list(each(places, partial(_some_rows, step))))


def _some_rows(step, place):
    """The numbers of every `step`-th row of a piece, from a first one on."""
    piece, first = place
    return (piece.load() if isinstance(piece, SequenceFile) else piece).x[:, first::step]


def _far_apart(x, K, rng):
    """Rows as means, (K, d), each drawn by its squared distance from those before (k-means++)."""
    x = np.nan_to_num(x[:, rng.permutation(x.shape[1])])
    distance = np.ones(x.shape[1])
    chosen: list[int] = []
    for k in range(K):
        total = distance.sum()
        which = int(
            rng.choice(len(distance), p=distance / total) if total > 0 else rng.integers(len(distance))
        )
        squares = ((x - x[:, [which]]) ** 2).sum(axis=0)
        distance = squares if k == 0 else np.minimum(distance, squares)
        chosen.append(which)
    return x[:, chosen].T.copy()


def _labelled(emissions, piece):
    shares = (piece.labels[:, None] == np.arange(len(emissions.normals.means))) * piece.row_weights[:, None]
    return _shown(emissions, piece, shares)


def _both_sums(a, b):
    return a[0] + b[0], tuple(map(add, a[1], b[1]))
