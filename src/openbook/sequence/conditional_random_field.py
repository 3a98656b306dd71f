r"""A conditional random field, linear chain: labels of rows in order, by features and by the label before.

    P(y | x) = e^{s(y, x)} / Z(x),    s(y, x) = Σ_t (Σ_i w_i(y_t) x_ti + T(y_{t-1}, y_t))

Unlike a hidden Markov model it does not explain the rows, only the labels given the rows, so features may
overlap. What rows show: `features.py`; learning: `linear_chain.py`; forward–backward and Viterbi:
`chain_kernels.py`. A missing cell and an unseen value have no feature.

coef_ : float64 (n_classes, n_features);  transitions_ : float64 (n_classes, n_classes), label before × label
"""

from collections.abc import Collection
from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, Number, OneOf, Whole
from openbook.damage import checked_floats, require
from openbook.data import Nominal, Numeric, Ordinal, Schema, Table, Text
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.linear.solvers import lbfgs
from openbook.sequence.derive_field import derive_field, derive_labels, label_scores
from openbook.sequence.features import FeatureSpace
from openbook.sequence.linear_chain import ChainLoss, FeatureSequences, LinearChain, averaged_perceptron
from openbook.sequence.scanned import ScannedSequences, shift_and_scale
from openbook.sequence.sequence_model import SequenceClassifier

#: A nominal column of more values is read as words, unless told otherwise.
_MANY_VALUES = 50


class ConditionalRandomField(Declared, SequenceClassifier):
    """Conditional random field: labels of the rows of sequences, each judged with those beside it.

    Parameters
    ----------
    sequence : str or None, default=None
        The column that identifies the sequence of each row; rows of a sequence are in order. None, or a table
        without this column: all rows are one sequence. X may also be a list of tables, one for each sequence.
        In a `scan` the rows of a sequence must be adjacent.
    previous : "all", list of str or None, default="all"
        The columns whose cells in the row before are features of a row.
    next : "all", list of str or None, default="all"
        The columns whose cells in the row after are features of a row.
    alone : bool, default=False
        True predicts each row on its own, without neighbours and the previous label: a baseline without the
        chain.
    words : "auto" or list of str, default="auto"
        Nominal columns to be read as words: their lower case, first and last letters and shape are features
        too. "auto" takes those of more than 50 values. Text columns always are words.
    C : float, default=1.0
        The inverse of the strength of the penalty: the smaller, the stronger. math.inf for no penalty.
    l1_ratio : float, default=0.0
        The share of the penalty that is on sizes |w| (L1) rather than squares (L2); L1 sets weights to 0.
    solver : "lbfgs" or "perceptron", default="lbfgs"
        "lbfgs" maximises the penalised likelihood. "perceptron" is Collins's averaged perceptron: quick, and
        without a penalty; its probabilities mean little.
    decode : "viterbi" or "posterior", default="viterbi"
        What `predict` gives: the most probable path, or the most probable label of each row by itself.
    max_iter : int, default=100
        The most iterations, of the perceptron epochs.
    tol : float, default=0.0001
        L-BFGS ends when no slope of the mean loss per row is larger.
    random_state : int, default=0
        The order in which the perceptron meets the sequences.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_ : ndarray of shape (n_classes, n_features)
        The weight of each feature for each label; see also `weights_`.
    transitions_ : ndarray of shape (n_classes, n_classes)
        The weight of each label (columns) after each label (rows).
    features_ : FeatureSpace
        The features, one for each column of `coef_`.
    trace_ : list of float
        The mean loss per row with the penalty, at the start and after each iteration; of the perceptron the
        share of wrong rows in each epoch.
    n_iter_ : int
        The number of iterations.
    converged_ : bool
        Whether learning ended before `max_iter`.

    Notes
    -----
    Guide: docs/guide/sequences.md

    References
    ----------
    Lafferty, McCallum and Pereira (2001), Conditional random fields. Collins (2002), Discriminative training
    methods for hidden Markov models. Andrew and Gao (2007), Scalable training of L1-regularized log-linear
    models.

    Examples
    --------
    >>> words = "the cat sat | the dog ran | a cat ran".split(" | ")
    >>> rows = [{"sentence": i, "word": word} for i, line in enumerate(words) for word in line.split()]
    >>> model = ConditionalRandomField(sequence="sentence", words=["word"])
    >>> model = model.fit(rows, ["det", "noun", "verb"] * 3)
    >>> model.predict([{"word": "a"}, {"word": "bat"}, {"word": "sat"}]).tolist()
    ['det', 'noun', 'verb']
    """

    _: KW_ONLY
    sequence: Annotated[str | None, Maybe(Anything("the name of a column"))] = None
    previous: Annotated[Any, Anything("'all', a list of columns or None")] = "all"
    next: Annotated[Any, Anything("'all', a list of columns or None")] = "all"
    alone: bool = False
    words: Annotated[Any, Anything("'auto' or a list of columns")] = "auto"
    C: float = 1.0
    l1_ratio: Annotated[float, Number(at_least=0, at_most=1)] = 0.0
    solver: Annotated[str, OneOf("lbfgs", "perceptron")] = "lbfgs"
    decode: Annotated[str, OneOf("viterbi", "posterior")] = "viterbi"
    max_iter: int = 100
    tol: float = 1e-4
    random_state: Annotated[int, Whole(at_least=0)] = 0

    _accepts = (Numeric, Nominal, Ordinal, Text)

    # --- learning ----------------------------------------------------------------------------------------

    def _file_labels(self, scan, y, sample_weight):
        if self.solver == "perceptron":
            raise DataError(
                "solver='perceptron' learns sequence by sequence, so they must be in memory; read the files,"
                " or use solver='lbfgs'"
            )
        return super()._file_labels(scan, y, sample_weight)

    def _ends(self, ids):
        return np.arange(1, len(ids) + 1) if self.alone else super()._ends(ids)

    def _in_order(self, X, kinds=None, *, needed=False):
        rows = super()._in_order(X, kinds, needed=needed)
        return rows._replace(ends=np.arange(1, len(rows.table) + 1)) if self.alone else rows

    def _with_words(self, schema):
        """The schema, with columns of words as text, so that the forms of new words can be found."""
        if self.words == "auto":
            many = [a for a in schema if isinstance(a, Nominal) and len(a.values) > _MANY_VALUES]
            words: Collection[str] = [a.name for a in many]
        else:
            words = _columns("words", self.words, schema)
        as_words = tuple(Text(a.name) if a.name in words else a for a in schema)
        return Schema(as_words, schema.named)

    def _neighbours(self, schema):
        found = dict.fromkeys(("previous ", "next "), ())
        for name in () if self.alone else ("previous", "next"):
            given = getattr(self, name)
            every = isinstance(given, str) and given == "all"
            found[f"{name} "] = schema.names if every else _columns(name, given, schema)
        return found

    def _fit(self, rows):
        neighbours = self._neighbours(self.schema_)
        if isinstance(rows, ScannedSequences):
            n, units = rows.n_rows, shift_and_scale(rows.moments)
            self.features_ = FeatureSpace(self.schema_, rows.words, *units, neighbours)
            pieces = rows.pieces(self)
        else:
            rows, labels, w = rows
            n = len(labels)
            self.features_ = FeatureSpace.of(rows.table, neighbours)
            pieces = self._pieces(rows, labels, w)
        K = len(self.classes_)
        start = np.zeros((len(self.features_) + K) * K)
        if self.solver == "perceptron":
            random = np.random.default_rng(self.random_state)
            chain, trace, converged = averaged_perceptron(
                pieces, LinearChain.of(start, K), max_iter=self.max_iter, random=random
            )
        else:
            loss = ChainLoss(pieces, K, (1 - self.l1_ratio) / self.C)
            l1 = np.full(len(start), self.l1_ratio / self.C) if self.l1_ratio else None
            limits = {"tol": self.tol * n, "max_iter": self.max_iter, "l1": l1}
            theta, points, converged = lbfgs(loss, start, **limits, keep_gradients=False)
            chain, trace = LinearChain.of(theta, K), [float(point.value) / n for point in points]
        self._become(chain, trace, converged=converged)

    def _become(self, chain, trace, *, converged):
        self.coef_, self.transitions_ = chain.weights.T, chain.pairs
        epochs = len(trace) if self.solver == "perceptron" else len(trace) - 1
        self.trace_, self.n_iter_, self.converged_ = trace, epochs, bool(converged)

    # --- answers: see SequenceModel ----------------------------------------------------------------------

    @property
    def _chain(self):
        check_is_fitted(self)
        return LinearChain(np.ascontiguousarray(self.coef_.T), self.transitions_)

    def _piece(self, table, ends):
        ids, x = self.features_.encoded(table, ends)
        return FeatureSequences(ids, x, np.full(len(table), -1, dtype=np.intp), ends, np.ones(len(ends)))

    def complexity(self):
        check_is_fitted(self)
        return int(np.count_nonzero(self.coef_) + np.count_nonzero(self.transitions_))

    def knobs(self):
        return {"C": (0.1, 1.0, 10.0)}

    # --- looking at it -----------------------------------------------------------------------------------

    @property
    def weights_(self) -> Table:
        """A table of the features, with the weight of each for each label; features without weight are not
        listed.
        """
        check_is_fitted(self)
        used = np.flatnonzero(self.coef_.any(axis=0))
        names = [str(self.features_.features[i]) for i in used.tolist()]
        return self._table_of("feature", names, self.coef_[:, used])

    @property
    def transition_weights_(self) -> Table:
        """A table of the weights of transitions: a row for the label before, a column for the label after."""
        check_is_fitted(self)
        return self._table_of("after", [str(label) for label in self.classes_.tolist()], self.transitions_.T)

    def _table_of(self, first, names, columns):
        labels = [str(label) for label in self.classes_.tolist()]
        schema = Schema((Text(first), *(Numeric(label) for label in labels)))
        return Table(schema, [np.array(names, dtype=object), *columns])

    def _log_shown(self, X):
        return label_scores(self, X)

    def _work(self):
        return derive_field(self)

    def _work_row(self, X):
        return derive_labels(self, X, self._trellis(X))

    # --- the model file ----------------------------------------------------------------------------------

    def _arrays(self):
        features = self.features_
        words = {f"words.{j}": np.array(words, dtype=str) for j, words in enumerate(features.words.values())}
        weights = {"coef": self.coef_, "transitions": self.transitions_}
        return {**weights, "shift": features.shift, "scale": features.scale, **self._ending(), **words}

    def _restore(self, arrays):
        K, numbers = len(self.classes_), len(self.schema_.of(Numeric))
        shift, scale = checked_floats(arrays, shift=(numbers,), scale=(numbers,))
        require(scale > 0, "its scales must be above zero")
        words = {}
        for j, name in enumerate(self.schema_.of(Text)):
            stored = arrays[f"words.{j}"]
            distinct = stored.ndim == 1 and stored.dtype.kind == "U" and len(np.unique(stored)) == len(stored)
            require(distinct, f"the words of {name!r} must be distinct texts")
            words[name] = tuple(stored.tolist())
        self.features_ = FeatureSpace(self.schema_, words, shift, scale, self._neighbours(self.schema_))
        coef, transitions = checked_floats(arrays, coef=(K, len(self.features_)), transitions=(K, K))
        trace, converged = self._known_ending(arrays)
        self._become(LinearChain(np.ascontiguousarray(coef.T), transitions), trace, converged=converged)


def _columns(parameter, given, schema):
    """The columns that a parameter lists, which must be there."""
    if isinstance(given, str):
        raise ParameterError(f"ConditionalRandomField: {parameter} must be a list of columns, got {given!r}")
    for name in (names := tuple(given or ())):
        if name not in schema:
            raise UnknownColumn(name, schema.names)
    return names
