r"""A hidden Markov model as a classifier: labels are the states, and are counted.

    P(rows, labels) = π(y_1) b(x_1 | y_1) Π_t a(y_{t-1}, y_t) b(x_t | y_t)

Every training row has a label, so start, transitions and emissions are smoothed shares, means and variances:
naive Bayes with the label before. Labels of new rows are found as the states of a hidden Markov model are
(`hidden_markov.py`), and missing cells and unseen values are treated as there.
"""

from sklearn.utils.validation import check_is_fitted

from openbook.bayes.smoothing import Laplace
from openbook.damage import require
from openbook.sequence.derive import derive_chain
from openbook.sequence.hidden_markov import HiddenMarkov
from openbook.sequence.scanned import ScannedSequences
from openbook.sequence.sequence_model import HiddenMarkovParameters, SequenceClassifier


class HiddenMarkovClassifier(HiddenMarkovParameters, SequenceClassifier):
    """Hidden Markov model of labelled rows: naive Bayes for sequences, each label depends on the one before.

    `HiddenMarkov` also learns from rows without labels; this is the part of it that can be judged as a
    classifier.

    Parameters
    ----------
    sequence : str or None, default=None
        The column that names the sequence to which each row belongs; rows of a sequence are in order. None,
        or a table without this column: all rows are one sequence. X may also be a list of tables, one for
        each sequence. In files (`scan`) the rows of a sequence stand together.
    covariance_type : "diag", "spherical" or "full", default="diag"
        How numeric columns vary within a state: each by itself, all alike, or together.
    smoothing : NoSmoothing(), Laplace(alpha) or MEstimate(m, p), default=Laplace(alpha=1.0)
        From counts of values, first labels and transitions to probabilities.
    decode : "viterbi" or "posterior", default="viterbi"
        What `predict` gives: the most probable path, or the most probable label of each row by itself.
    min_covar : float, default=0.001
        The least variance within a state, as a share of the column's own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    hidden_markov_ : HiddenMarkov
        The model, with `start_`, `transitions_`, `probabilities_` and `means_`.

    Notes
    -----
    Guide: docs/guide/sequences.md

    References
    ----------
    Rabiner (1989), A tutorial on hidden Markov models.

    Examples
    --------
    >>> days = [{"umbrella": "yes"}, {"umbrella": "yes"}, {"umbrella": "no"}, {"umbrella": "no"}]
    >>> model = HiddenMarkovClassifier().fit(days, ["rain", "rain", "dry", "dry"])
    >>> model.predict([{"umbrella": "yes"}, {"umbrella": "no"}]).tolist()
    ['rain', 'dry']
    """

    def _model(self):
        """The hidden Markov model with these parameters, of these columns."""
        shared = ("sequence", "covariance_type", "smoothing", "min_covar")
        model = HiddenMarkov(**{name: getattr(self, name) for name in shared})
        model._remember(self.schema_)  # noqa: SLF001 (of the same package)
        return model

    def refusal(self, schema):
        return HiddenMarkov().refusal(schema)

    def _fit(self, rows):
        if not isinstance(rows, ScannedSequences):
            ordered, labels, w = rows
            rows = ordered, self.classes_, labels, w
        self.hidden_markov_ = self._model()
        self.hidden_markov_._fit(rows)  # noqa: SLF001 (of the same package)

    @property
    def _chain(self):
        check_is_fitted(self)
        return self.hidden_markov_._chain  # noqa: SLF001 (of the same package)

    def _piece(self, table, ends):
        return self.hidden_markov_._piece(table, ends)  # noqa: SLF001 (of the same package)

    def complexity(self):
        return self.hidden_markov_.complexity()

    def knobs(self):
        return {"smoothing": (Laplace(0.1), Laplace(1.0), Laplace(10.0))}

    def _log_shown(self, X):
        return self.hidden_markov_._log_shown(X)  # noqa: SLF001 (of the same package)

    def _work(self):
        return derive_chain(self.hidden_markov_, counted=True)

    def _work_row(self, X):
        return self.hidden_markov_._work_row(X)  # noqa: SLF001 (of the same package)

    def _arrays(self):
        return self.hidden_markov_._arrays()  # noqa: SLF001 (of the same package)

    def _restore(self, arrays):
        self.hidden_markov_ = self._model()
        self.hidden_markov_._restore(arrays)  # noqa: SLF001 (of the same package)
        same = self.hidden_markov_.states_.tolist() == self.classes_.tolist()
        require(same, "its states are not its classes")
