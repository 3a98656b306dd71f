r"""A hidden Markov model: states that follow one another, and rows that they show.

    P(rows, states) = π(s_1) b(x_1 | s_1) Π_t a(s_{t-1}, s_t) b(x_t | s_t)

The states are learnt from rows without labels (`baum_welch.py`), from labelled rows, or from rows of which
some have labels. What a state shows may be numeric, nominal, ordinal or mixed (`emissions.py`); missing cells
are summed out. States are found by forward–backward or Viterbi (`chain_kernels.py`).

start_ : float64 (K,);  transitions_ : float64 (K, K), each row sums to one
"""

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY
from functools import partial
from typing import Annotated, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.rows import refuse_infinity
from openbook.border.rules import Anything, Whole, check_parameters, check_value
from openbook.border.unsupervised import Unsupervised
from openbook.damage import checked_floats, require
from openbook.data import Categorical, Scan, Schema, Table
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.measures.arrays import drawn_codes
from openbook.sequence.baum_welch import Chain, CodedSequences, MStep, baum_welch, spread_start
from openbook.sequence.chain import drawn_path, filtered
from openbook.sequence.derive import derive_chain, derive_sequence, log_shown
from openbook.sequence.emissions import Emissions, check_distributions
from openbook.sequence.forecast import Forecast, look_ahead
from openbook.sequence.given import given_array, given_emissions, given_table
from openbook.sequence.ordered import ordered, some_labels, weights_of_sequences, without_labels
from openbook.sequence.scanned import ScannedSequences, moments_of
from openbook.sequence.sequence_model import HiddenMarkovParameters, SequenceModel


class HiddenMarkov(HiddenMarkovParameters, SequenceModel, Unsupervised):
    """Hidden Markov model: sequences of rows, each shown by a hidden state that depends on the one before.

    `fit(X)` learns the states from the rows alone. `fit(X, y)` takes the state of each row as `y`; where a
    label is missing (None or NaN), the state is inferred. A labelled row keeps its state.

    Parameters
    ----------
    n_components : int, default=2
        The number of states. With labels, each label is a state; if rows are unlabelled, further states are
        learnt up to this number.
    sequence : str or None, default=None
        The column that names the sequence to which each row belongs; rows of a sequence are in order. None,
        or a table without this column: all rows are one sequence. X may also be a list of tables, one for
        each sequence. In files (`scan`) the rows of a sequence stand together.
    covariance_type : "diag", "spherical" or "full", default="diag"
        How numeric columns vary within a state: each by itself, all alike, or together.
    smoothing : NoSmoothing(), Laplace(alpha) or MEstimate(m, p), default=Laplace(alpha=1.0)
        From (expected) counts of values, first states and transitions to probabilities.
    decode : "viterbi" or "posterior", default="viterbi"
        What `predict` gives: the most probable path, or the most probable state of each row by itself.
    min_covar : float, default=0.001
        The least variance within a state, as a share of the column's own.
    transitions_init : "left_to_right", array-like of shape (n_states, n_states) or None, default=None
        The transitions to start from; a zero stays zero. "left_to_right" allows a state to stay or to go on
        to the next, and starts in the first. None allows all.
    start_init : array-like of shape (n_states,) or None, default=None
        The probabilities of the first state to start from; a zero stays zero.
    n_init : int, default=1
        The number of random starts; the most likely result is kept.
    max_iter : int, default=100
    tol : float, default=1e-06
        Learning ends when the log-likelihood per row rises by less.
    random_state : int, default=0

    Attributes
    ----------
    states_ : ndarray
        The states: the labels, or numbers from 0.
    start_ : ndarray of shape (n_states,)
        The probability of each first state.
    transitions_ : ndarray of shape (n_states, n_states)
        The probability of each next state (columns) given the state (rows).
    emissions_ : Emissions
        What each state shows; see also `probabilities_`, `means_` and `covariances_`.
    trace_ : list of float
        The log-likelihood, with the prior of the smoothing, at the start and after each iteration.
    n_iter_ : int
        The number of iterations.
    converged_ : bool
        Whether learning ended before `max_iter`.

    Notes
    -----
    Guide: docs/guide/sequences.md

    References
    ----------
    Baum, Petrie, Soules and Weiss (1970). Viterbi (1967). Rabiner (1989), A tutorial on hidden Markov models.

    Examples
    --------
    >>> days = [{"umbrella": "yes"}, {"umbrella": "yes"}, {"umbrella": "no"}, {"umbrella": "yes"}]
    >>> model = HiddenMarkov().fit(days, ["rain", "rain", "dry", None])
    >>> model.states_.tolist(), model.predict([{"umbrella": "yes"}, {"umbrella": "no"}]).tolist()
    (['dry', 'rain'], ['rain', 'dry'])
    """

    n_components: int = 2
    _: KW_ONLY
    transitions_init: Annotated[Any, Anything("None, 'left_to_right', or an array of probabilities")] = None
    start_init: Annotated[Any, Anything("None, or an array of probabilities")] = None
    n_init: int = 1
    max_iter: int = 100
    tol: float = 1e-6
    random_state: Annotated[int, Whole(at_least=0)] = 0

    @classmethod
    def from_tables(
        cls,
        start: Mapping[str, float],
        transitions: Mapping[str, Mapping[str, float]],
        emissions: Mapping[str, Mapping[str, Any]],
    ) -> Self:
        """Build a model from its probabilities, without learning. What is left out of a table is 0.

        Parameters
        ----------
        start : mapping of state to probability
            P(first state).
        transitions : mapping of state to {state: probability}
            P(next state | state), for every state.
        emissions : mapping of column to {state: distribution}
            For a nominal column, {value: probability}; for numbers, (mean, standard deviation).

        Returns
        -------
        HiddenMarkov
            Ready to predict.

        Examples
        --------
        >>> model = HiddenMarkov.from_tables(
        ...     {"rain": 0.5, "dry": 0.5},
        ...     {"rain": {"rain": 0.7, "dry": 0.3}, "dry": {"rain": 0.3, "dry": 0.7}},
        ...     {"umbrella": {"rain": {"yes": 0.9, "no": 0.1}, "dry": {"yes": 0.2, "no": 0.8}}},
        ... )
        >>> model.predict_proba([{"umbrella": "yes"}, {"umbrella": "yes"}]).round(3).tolist()
        [[0.883, 0.117], [0.883, 0.117]]
        """
        states = [as_text(state) for state in transitions]
        first = given_table("start", [start], states)[0]
        follow = given_table("transitions", list(transitions.values()), states)
        model = cls(len(states))
        emits = given_emissions(emissions, list(transitions))
        model._remember(emits.schema)
        model._become(np.array(states), Chain(first, follow, emits), [], converged=True)
        return model

    # --- learning ----------------------------------------------------------------------------------------

    def _training_rows(self, X, y, sample_weight):
        check_parameters(self, self._rules)
        if isinstance(X, Scan):
            return self._file_sequences(X, y, sample_weight)
        if isinstance(y, str):
            X, y = without_labels(X, y)
        rows = ordered(X, self.sequence, needed=True)
        self._accept(rows.table)
        refuse_infinity(rows.table)
        labels, codes = some_labels(y, len(rows.table)) if y is not None else (np.array([], dtype=str), None)
        codes = np.full(len(rows.table), -1, dtype=np.int64) if codes is None else codes[rows.places]
        return rows, labels, codes, weights_of_sequences(sample_weight, rows)

    def refusal(self, schema: Schema) -> str | None:
        """Why this learner cannot fit a table of this schema, before any work is done.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the one that names the sequence.

        Returns
        -------
        str or None
            The reason, with a remedy; None if it can.
        """
        if empty := [a.name for a in schema if isinstance(a, Categorical) and not a.values]:
            return f"cannot use the column {empty[0]!r} without values; drop it"
        return super().refusal(schema)

    def _fit(self, rows):
        if isinstance(rows, ScannedSequences):
            labels, complete, moments = rows.labels, rows.complete, rows.moments
        else:
            rows, labels, codes, w = rows
            complete, moments = bool((codes >= 0).all()), moments_of(rows.table)
        states = self._all_states(labels, complete=complete)
        kind, names = self.covariance_type, [as_text(state) for state in states.tolist()]
        emissions = self.emissions_ = Emissions.alike(self.schema_, moments, len(states), kind)
        pieces = rows.pieces(self) if isinstance(rows, ScannedSequences) else self._pieces(rows, codes, w)
        start, transitions = self._allowed(len(states))
        chain = Chain(start, transitions, emissions)
        maximise = MStep(self.smoothing, names, kind, self.min_covar)
        rng = np.random.default_rng(self.random_state)
        learn = partial(baum_welch, pieces, maximise=maximise, tol=self.tol, max_iter=self.max_iter)
        starts = (spread_start(pieces, chain, maximise, rng, len(labels) > 0) for _ in range(self.n_init))
        chain, trace, converged = max(map(learn, starts), key=lambda run: run[1][-1])
        self._become(states, chain, trace, converged=converged)

    def _all_states(self, labels, *, complete):
        """The labels, and what to call states without a label."""
        if not len(labels):
            return np.arange(self.n_components)
        more = 0 if complete else max(0, self.n_components - len(labels))
        if not more:
            return labels
        if labels.dtype.kind in "iuf":
            return np.append(labels, labels.max() + 1 + np.arange(more)).astype(labels.dtype)
        return np.array([*labels.tolist(), *(f"state {len(labels) + k + 1}" for k in range(more))])

    def _allowed(self, K):
        """The first state and the transitions to start from; zeros stay zero."""
        start, transitions = np.full(K, 1 / K), np.full((K, K), 1 / K)
        if isinstance(self.transitions_init, str):
            if self.transitions_init != "left_to_right":
                hint = did_you_mean(self.transitions_init, ("left_to_right",))
                msg = f"HiddenMarkov: transitions_init cannot be {self.transitions_init!r}. {hint}"
                raise ParameterError(msg)
            start = np.eye(K)[0]
            transitions = np.eye(K) + np.eye(K, k=1)
            transitions /= transitions.sum(axis=1, keepdims=True)
        elif self.transitions_init is not None:
            transitions = given_array("transitions_init", self.transitions_init, (K, K))
        if self.start_init is not None:
            start = given_array("start_init", self.start_init, (K,))
        return start, transitions

    def _become(self, states, chain, trace, *, converged):
        self.states_ = states
        self.start_, self.transitions_, self.emissions_ = chain
        self.trace_, self.n_iter_, self.converged_ = trace, max(len(trace) - 1, 0), converged

    # --- answers -----------------------------------------------------------------------------------------

    @property
    def _chain(self):
        check_is_fitted(self)
        return Chain(self.start_, self.transitions_, self.emissions_)

    @property
    def _tags(self):
        return self.states_

    def _piece(self, table, ends):
        x, codes = self.emissions_.coded(table)
        return CodedSequences(x, codes, np.full(len(table), -1, dtype=np.int64), ends, np.ones(len(ends)))

    def log_likelihood(self, X: Any) -> float:
        """Log P(rows), summed over the sequences; -inf where some row is impossible.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        float
        """
        return math.fsum(self._answers(X, _log_scale).tolist())

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """The log-likelihood per row.

        Parameters
        ----------
        X : table-like
        y : ignored, default=None
            Taken since pipelines pass it.

        Returns
        -------
        float
        """
        return float(self._answers(X, _log_scale).mean())

    def complexity(self) -> int:
        """The number of free parameters; probabilities that must be zero do not count.

        Returns
        -------
        int
        """
        check_is_fitted(self)
        free = (self.start_ > 0).sum() - 1 + (self.transitions_ > 0).sum() - len(self.start_)
        return int(free) + self.emissions_.complexity(self.covariance_type)

    def bic(self, X: Any) -> float:
        """The Bayesian information criterion of rows, by which numbers of states are compared: the smaller,
        the better.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        float
        """
        scales = self._answers(X, _log_scale)
        return -2 * math.fsum(scales.tolist()) + self.complexity() * math.log(len(scales))

    def forecast(self, X: Any, steps: int = 1) -> Forecast:
        """What to expect of the next rows of a sequence.

        Parameters
        ----------
        X : table-like
            The rows so far, of one sequence.
        steps : int, default=1
            The number of rows to look ahead.

        Returns
        -------
        Forecast
            The probability of each state and value, and means and standard deviations of numbers.
        """
        check_value("HiddenMarkov: steps", steps, Whole(at_least=1))
        rows = self._conformed(X)
        if len(rows.ends) > 1:
            raise DataError("forecast takes the rows of one sequence; filter the table first")
        now = filtered(self._chain, self._piece(rows.table, rows.ends)).states[-1]
        return look_ahead(self._chain, now, steps, [as_text(state) for state in self.states_.tolist()])

    def sample(self, n_samples: int = 1, random_state: int = 0) -> tuple[Table, np.ndarray]:
        """Draw a sequence.

        Parameters
        ----------
        n_samples : int, default=1
            The number of rows.
        random_state : int, default=0

        Returns
        -------
        tuple of Table and ndarray
            The rows, and the state of each.
        """
        if not Whole(at_least=0).allows(n_samples):
            raise ParameterError(f"HiddenMarkov: n_samples must be a whole number, got {n_samples!r}")
        chain, rng = self._chain, np.random.default_rng(random_state)
        path = drawn_path(chain.start, chain.transitions, rng.random(n_samples))
        emissions = chain.emissions
        roots = np.linalg.cholesky(emissions.covariances)
        noise = rng.standard_normal((n_samples, len(emissions.numbers)))
        drawn = emissions.means[path] + np.einsum("nij,nj->ni", roots[path], noise)
        columns: dict[str, Any] = dict(zip(emissions.numbers, drawn.T, strict=True))
        for attribute, table in zip(emissions.attributes, emissions.tables, strict=True):
            columns[attribute.name] = drawn_codes(table[path, :-1], rng).astype(attribute.dtype)
        return Table(self.schema_, [columns[name] for name in self.schema_.names]), self.states_[path]

    # --- looking at it -----------------------------------------------------------------------------------

    @property
    def probabilities_(self) -> dict[str, dict[str, dict[str, float]]]:
        """{column: {state: {value: probability}}} of nominal and ordinal columns."""
        check_is_fitted(self)
        states, found = [as_text(state) for state in self.states_.tolist()], {}
        for a, table in zip(self.emissions_.attributes, self.emissions_.tables, strict=True):
            rows = (dict(zip(a.values, row, strict=True)) for row in table[:, :-1].tolist())
            found[a.name] = dict(zip(states, rows, strict=True))
        return found

    @property
    def means_(self) -> np.ndarray:
        """The means of numeric columns in each state, (n_states, d)."""
        check_is_fitted(self)
        return self.emissions_.means

    @property
    def covariances_(self) -> np.ndarray:
        """The covariances of numeric columns in each state, (n_states, d, d)."""
        check_is_fitted(self)
        return self.emissions_.covariances

    def _work(self):
        return derive_chain(self)

    def _work_row(self, X):
        return derive_sequence(self, X, self._trellis(X))

    def _log_shown(self, X):
        return log_shown(self, X)

    # --- the model file ----------------------------------------------------------------------------------

    def _arrays(self):
        chain = {"states": self.states_, "start": self.start_, "transitions": self.transitions_}
        return {**chain, **self._ending(), **self.emissions_.arrays()}

    def _restore(self, arrays):
        states = arrays["states"]
        K = len(states)
        distinct = states.ndim == 1 and K and len(np.unique(states)) == K
        require(distinct and states.dtype.kind in "iufUb", "its states must be distinct labels")
        start, transitions = checked_floats(arrays, start=(K,), transitions=(K, K))
        check_distributions("start", start)
        check_distributions("transitions", transitions)
        trace, converged = self._known_ending(arrays)
        emissions = Emissions.from_arrays(self.schema_, arrays, K, self.covariance_type)
        self._become(states, Chain(start, transitions, emissions), trace, converged=converged)


def _log_scale(chain, piece):
    return filtered(chain, piece).log_scale
