r"""Naive Bayes from labelled and unlabelled rows, by expectation maximisation (EM).

    E step   r_ic = P(c | x_i) under the present model, for each unlabelled row i
    M step   naive Bayes of the labelled rows, and of every unlabelled row λ r_ic times in each class c

from the model of the labelled rows alone. Hard EM puts r_ic = 1 for the most probable class. Soft EM never
lowers

    L + log prior,   L = Σ_labelled log P(x_i, c_i) + λ Σ_unlabelled log Σ_c P(x_i, c)

(hard EM: max_c in place of Σ_c), where the prior is what smoothing stands for: Laplace and the m-estimate are
Dirichlet priors. `Epsilon`, a sample variance and kernel densities do not maximise anything, so with them it
may fall. Missing cells are left out, as in naive Bayes.

r : float64 (n_unlabelled, n_classes)
"""

import warnings
from copy import copy
from functools import partial, reduce
from operator import add
from typing import Annotated, Any

import numpy as np
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from openbook.bayes.naive import NaiveBayes, evidence, normalised
from openbook.bayes.redundant import twin_columns
from openbook.border.learner import most_probable
from openbook.border.rows import Chunk, infinite_cell, none_labelled
from openbook.border.rules import Number, OneOf
from openbook.damage import checked_array, under
from openbook.fold import each, fold
from openbook.label.assumptions import components_suffice
from openbook.label.derive_em import derive_em
from openbook.spaces.rows import StoredRows

#: Rounds, and unlabelled rows, that are kept for the derivation.
NOTED_ROUNDS, NOTED_ROWS = 2, 10


class NaiveBayesEM(NaiveBayes):
    r"""Naive Bayes from labelled and unlabelled rows, by expectation maximisation (EM).

    The model of the labelled rows gives every unlabelled row the probabilities of its classes, and the next
    model counts that row in each class by so much; and so on. It helps where naive Bayes is a good model of
    the rows of each class, and can hurt where it is not.

    `partial_fit` and `forget` take labelled rows; the unlabelled ones keep the classes that they have.

    Parameters
    ----------
    smoothing : NoSmoothing, Epsilon, Laplace or MEstimate, default=Laplace(alpha=1.0)
        From counts to probabilities, for categories and events.
    variance : {"mle", "sample"}, default="mle"
        Whether the variance of a Gaussian divides by N or by N - 1.
    priors : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None for the shares of the classes.
    distributions : str, mapping of column to str, or None, default=None
        As in `NaiveBayes`.
    kinds : mapping of column to kind, or None, default=None
    unlabelled_weight : float, default=1.0
        λ: how many labelled rows an unlabelled row counts for, from 0 to 1. Where unlabelled rows are many,
        a small weight keeps them from overruling the labels.
    assignment : {"soft", "hard"}, default="soft"
        Whether an unlabelled row counts in each class by its probability, or in the most probable alone.
    max_iter : int, default=200
        The most rounds.
    tol : float, default=1e-06
        EM ends when a round raises the objective by no more than this for each row.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    prior_ : ndarray of shape (n_classes,)
        P(c), the prior probability of each class.
    likelihoods_ : list
        The columns in groups of one distribution each, with their estimates of P(x | c).
    numeric_ : str
        The distribution that numbers have unless named.
    statistics_ : ClassEvidence
        The counts and moments that the estimates follow from, unlabelled rows included.
    trace_ : ndarray of shape (n_iter_,)
        The log-likelihood L of the rows: under the model of the labelled rows, and after each round.
    objective_ : ndarray of shape (n_iter_,)
        L plus the log of the prior that smoothing stands for: what EM climbs.
    n_iter_ : int
        The number of models: that of the labelled rows, and one for each round.
    n_unlabelled_ : int
        The number of unlabelled rows.
    converged_ : bool
        Whether it came to rest within `max_iter` rounds.
    rounds_ : tuple of ClassEvidence
        The statistics of the first rounds, for the derivation.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    References
    ----------
    Nigam, McCallum, Thrun and Mitchell (2000), Text classification from labeled and unlabeled documents
    using EM.

    Examples
    --------
    >>> X = [["s", "h"], ["s", "n"], ["r", "n"], ["r", "h"], ["s", "h"], ["r", "n"], ["r", "n"]]
    >>> model = NaiveBayesEM(max_iter=2, tol=0.0).fit(X, ["no", "yes", "yes", "no", None, None, None])
    >>> model.trace_.round(3).tolist()
    [-10.855, -10.576, -10.478]
    """

    _takes_unlabelled = True
    _assumes = "model"
    one_pass = False  # a pass for each round

    unlabelled_weight: Annotated[float, Number(at_least=0, at_most=1)] = 1.0
    assignment: Annotated[str, OneOf("soft", "hard")] = "soft"
    max_iter: int = 200
    tol: float = 1e-6

    def knobs(self):
        return {**super().knobs(), "unlabelled_weight": (0.1, 0.3, 1.0)}

    def _fit(self, rows):
        self._twins = twin_columns(rows)
        labelled, unlabelled = rows.apart()
        of_labelled: Any = self._folded(labelled)
        if not of_labelled.classes.any():
            raise none_labelled(self.target_)
        self._become(of_labelled)
        self.n_unlabelled_ = sum(each(unlabelled.pieces, _size))
        self._noted = _first_rows(unlabelled)
        learns = self.n_unlabelled_ > 0 and self.unlabelled_weight > 0
        rounds, trace, objective, self.converged_ = [of_labelled], [], [], not learns
        while True:
            likelihood, weight = fold(labelled.pieces, partial(_labelled_likelihood, self), _sums)
            if learns:
                expected, of_unlabelled, more = fold(unlabelled.pieces, partial(_expected, self), _sums)
                likelihood, weight = likelihood + of_unlabelled, weight + more
            trace.append(likelihood)
            objective.append(likelihood + sum(part.log_prior() for part in self.likelihoods_))
            self.converged_ |= len(trace) > 1 and objective[-1] - objective[-2] <= self.tol * weight
            if self.converged_ or len(trace) > self.max_iter:
                break
            if not all(np.isfinite(array).all() for array in expected.arrays().values()):
                raise infinite_cell(rows)
            self._become(of_labelled + expected)
            rounds += [self.statistics_] if len(rounds) <= NOTED_ROUNDS else []
        self.trace_, self.objective_ = np.array(trace), np.array(objective)
        self.n_iter_, self.rounds_ = len(trace), tuple(rounds)
        self._announce()
        if not self.converged_ and self.tol > 0:
            msg = f"NaiveBayesEM did not converge in {self.max_iter} rounds; raise max_iter or tol"
            warnings.warn(msg, ConvergenceWarning, stacklevel=3)

    def _evidence(self, rows):
        return components_suffice(rows)

    def _become(self, statistics):
        self.statistics_ = statistics
        self._solve()

    def _at_round(self, t):
        """The model after round t, of those that are kept."""
        model = copy(self)
        model._become(self.rounds_[t])  # noqa: SLF001 (its own)
        return model

    def _work(self):
        return derive_em(self)

    def _arrays(self):
        rounds = {
            f"round_{t}_{name}": array
            for t, statistics in enumerate(self.rounds_)
            for name, array in statistics.arrays().items()
        }
        noted = {} if self._noted is None else self._noted.arrays()
        return {
            **super()._arrays(),
            **rounds,
            **{f"noted_{name}": array for name, array in noted.items()},
            "em_trace": self.trace_,
            "em_objective": self.objective_,
            "em_facts": np.array([self.n_unlabelled_, self.converged_], dtype=np.int64),
        }

    def _restore(self, arrays):
        n = len(arrays["em_trace"])
        self.trace_, self.objective_ = (
            checked_array(arrays, f"em_{name}", float, (n,), finite=False) for name in ("trace", "objective")
        )
        facts = checked_array(arrays, "em_facts", np.int64, (2,)).tolist()
        self.n_iter_, self.n_unlabelled_, self.converged_ = n, facts[0], bool(facts[1])
        noted = under("noted_", arrays)
        self._noted = StoredRows.from_arrays(self.schema_, noted, None) if noted else None
        own = ("em_", "round_", "noted_")
        super()._restore({name: array for name, array in arrays.items() if not name.startswith(own)})
        rounds = (under(f"round_{t}_", arrays) for t in range(NOTED_ROUNDS + 1))
        self.rounds_ = tuple(self._zero().filled(statistics) for statistics in rounds if statistics)
        if n < len(self.rounds_) or not self.rounds_ or (self.n_unlabelled_ > 0) != bool(noted):
            raise ValueError("its rounds do not fit together")


def _sums(one, other):
    return tuple(map(add, one, other))


def _labelled_likelihood(model, chunk):
    """The log-likelihood of labelled rows with their classes, and their weight."""
    joint = model._log_joint(chunk.X)  # noqa: SLF001 (its own)
    return float(chunk.w @ joint[np.arange(len(chunk.y)), chunk.y]), float(chunk.w.sum())


def _expected(model, chunk):
    """The evidence of unlabelled rows, each in every class by its probability, their log-likelihood, and
    their weight.
    """
    n_classes, w = len(model.classes_), chunk.w * model.unlabelled_weight
    joint = model._log_joint(chunk.X)  # noqa: SLF001 (its own)
    if model.assignment == "soft":
        likelihood = logsumexp(joint, axis=1)
        shares = normalised(joint, model.prior_)
    else:
        likelihood = joint.max(axis=1)
        shares = np.eye(n_classes)[most_probable(normalised(joint, model.prior_))]
    by_class = (Chunk(chunk.X, np.full(len(w), c), w * shares[:, c]) for c in range(n_classes))
    parts = (evidence(model.likelihoods_, n_classes, part) for part in by_class)
    return reduce(add, parts), float(w @ likelihood), float(w.sum())


def _size(chunk):
    return len(chunk.y)


def _first_rows(rows):
    """The first rows, for the derivation; None if there is none."""
    for piece in rows.pieces:
        chunk = piece if isinstance(piece, Chunk) else piece.load()
        if len(chunk.y):
            some = slice(0, NOTED_ROWS)
            first = Chunk(chunk.X.take(some), np.zeros(len(chunk.y[some])), chunk.w[some])
            return StoredRows.joined([StoredRows.of(first)])
    return None
