"""Base of sequence models: rows in order, predictions of a chain, the derivation of one short sequence.

    X  ->  OrderedRows  ->  pieces of whole sequences, in codes  ->  answers of a chain  ->  rows as in X

A family writes `_chain`, `_piece` and `_tags`. Long sequences are handled as a whole; pieces of several
sequences are folded over, so that threads and clusters share them.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY
from functools import partial
from typing import Annotated, Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from openbook.bayes.smoothing import Laplace, MEstimate, NoSmoothing
from openbook.border.base import Estimator
from openbook.border.learner import Classifier
from openbook.border.not_taken import Declared
from openbook.border.rows import refuse_infinity
from openbook.border.rules import Anything, Maybe, Number, OneOf, ValueOf, check_parameters
from openbook.damage import blamed_on_its_file, checked_array
from openbook.data import Scan, Schema, Table
from openbook.data.conform import conform
from openbook.errors import DataError
from openbook.fold import each
from openbook.sequence.chain import AnyChain, best_path, posteriors
from openbook.sequence.derive import cell_shown
from openbook.sequence.ordered import OrderedRows, ordered, weights_of_sequences, without_labels
from openbook.sequence.scanned import ScannedSequences, scanned
from openbook.sequence.trellis import TrellisTables, draw_trellis, trellis_tables
from openbook.words.numbers import cell
from openbook.work import Work

#: The most rows of a sequence that a derivation or a picture shows, and the columns below a picture.
_MOST_SHOWN, _COLUMNS_SHOWN = 50, 3


class HiddenMarkovParameters(Declared):
    """The parameters of hidden Markov models, with labels or without; see `HiddenMarkov`."""

    _: KW_ONLY
    sequence: Annotated[str | None, Maybe(Anything("the name of a column"))] = None
    covariance_type: Annotated[str, OneOf("diag", "spherical", "full")] = "diag"
    smoothing: Annotated[Any, ValueOf(NoSmoothing, Laplace, MEstimate)] = Laplace(1.0)
    decode: Annotated[str, OneOf("viterbi", "posterior")] = "viterbi"
    min_covar: Annotated[float, Number(above=0)] = 1e-3


class SequenceModel(Estimator):
    """States or labels of the rows of sequences, by a chain."""

    sequence: str | None
    decode: str
    trace_: list[float]
    converged_: bool

    def _ending(self) -> dict[str, np.ndarray]:
        """How learning ended, for the model file."""
        return {"trace": np.array(self.trace_, dtype=float), "converged": np.array([self.converged_])}

    def _known_ending(self, arrays: Mapping[str, np.ndarray]) -> tuple[list[float], bool]:
        """The trace of a model file, and whether learning converged."""
        trace = checked_array(arrays, "trace", float, (len(arrays["trace"]),))
        return trace.tolist(), bool(checked_array(arrays, "converged", bool, (1,))[0])

    @property
    @abstractmethod
    def _chain(self) -> AnyChain:
        """The chain, see `chain.py`."""

    @property
    @abstractmethod
    def _tags(self) -> np.ndarray:
        """The states or labels, in the order of their codes."""

    @abstractmethod
    def _piece(self, table: Table, ends: np.ndarray) -> Any:
        """Whole sequences in codes: a named tuple with ends, labels (-1) and weights (1)."""

    def _ends(self, ids: np.ndarray) -> np.ndarray:
        """Where sequences end, of rows whose sequences stand together, by the name of each row's."""
        return np.append(np.flatnonzero(ids[1:] != ids[:-1]) + 1, len(ids))

    def _file_sequences(
        self, scan: Scan, y: Any, sample_weight: Any, kinds: Callable[[Schema], Schema] | None = None
    ) -> ScannedSequences:
        """The sequences of files, and the columns remembered."""
        self._unweighted(sample_weight)
        if y is not None and not isinstance(y, str):
            raise DataError("with a scan, y must be the name of one of its columns")
        found = scanned(scan, self.sequence, y, kinds)
        self._remember(found.schema)
        return found

    def _pieces(self, rows: OrderedRows, labels: np.ndarray | None = None, w: np.ndarray | None = None):
        """The rows in codes, in pieces of whole sequences."""
        found = []
        for span, numbers in rows.spans():
            piece = self._piece(rows.table.take(span), rows.ends[numbers] - span.start)
            if labels is not None and w is not None:
                piece = piece._replace(labels=labels[span], w=w[numbers])
            found.append(piece)
        return found

    def _in_order(self, X: Any, kinds: Any = None, *, needed: bool = False) -> OrderedRows:
        """The rows of X sequence by sequence."""
        return ordered(X, self.sequence, kinds, needed=needed)

    def _conformed(self, X: Any) -> OrderedRows:
        """The rows of X sequence by sequence, in the columns and codes of the model."""
        check_is_fitted(self)
        rows = self._in_order(X, self.schema_)
        self._warn_of_names(rows.table.schema)
        table = conform(rows.table, self.schema_, type(self).__name__)
        refuse_infinity(table)
        return rows._replace(table=table)

    def _answers(self, X: Any, method: Callable[[AnyChain, Any], np.ndarray]) -> np.ndarray:
        """The answer of a method for each row, in their order in X."""
        rows = self._conformed(X)
        with blamed_on_its_file(self):
            found = np.concatenate(list(each(self._pieces(rows), partial(method, self._chain))))
        answers = np.empty_like(found)
        answers[rows.places] = found
        return answers

    def predict(self, X: Any) -> np.ndarray:
        """What each row is: by the most probable path, or the row by itself (`decode`).

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        if self.decode == "posterior":
            return self._tags[self.predict_proba(X).argmax(axis=1)]
        return self._tags[self._answers(X, best_path)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each state or label at each row, given the whole sequence (forward–backward).

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_states)
        """
        return self._answers(X, _posterior)

    def work(self, row: Any = None) -> Work:
        """Show the work: how the model was learnt or, for a short sequence, how its path is found.

        Parameters
        ----------
        row : table-like, mapping or None, default=None
            The rows of one sequence, or a single row. None shows how the model was learnt.

        Returns
        -------
        Work
            The derivation: print it, or ask for `html()`, `latex()` or `json()`.
        """
        if row is None:
            return super().work()
        X = self._short(row, "work")
        with blamed_on_its_file(self):
            return self._work_row(X)

    def _short(self, rows: Any, what: str) -> Table:
        """The rows of one short sequence, in the codes of the model."""
        check_is_fitted(self)
        if _is_row(rows):
            return self._one_row(rows)
        found = self._conformed(rows)
        if len(found.ends) > 1 or not 0 < len(found.table) <= _MOST_SHOWN:
            raise DataError(
                f"{what} takes one sequence of at most {_MOST_SHOWN} rows, got {len(found.table)} rows in"
                f" {len(found.ends)}; pick some, as in table.head(10)"
            )
        return found.table

    @abstractmethod
    def _log_shown(self, X: Table) -> list[list[float]]:
        """The twin of `log_likelihoods`, of one short sequence, in plain Python."""

    def _trellis(self, X: Table) -> TrellisTables:
        """Every table of one short sequence."""
        chain = self._chain
        return trellis_tables(chain.start.tolist(), chain.transitions.tolist(), self._log_shown(X))

    def draw(self, X: Any):
        """A picture of the trellis of a short sequence: states by rows, the most probable path marked.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        Picture
            Save it with `.save("trellis.svg")`; a notebook shows it.
        """
        table = self._short(X, "draw")
        cells = [
            [cell(cell_shown(table, a, t)) for a in tuple(self.schema_)[:_COLUMNS_SHOWN]]
            for t in range(len(table))
        ]
        with blamed_on_its_file(self):
            return draw_trellis([str(tag) for tag in self._tags.tolist()], self._trellis(table), cells)


class SequenceClassifier(SequenceModel, Classifier):
    """Labels of the rows of sequences, learnt from rows that all have one."""

    def _apart(self, X, y):
        return without_labels(X, y) if isinstance(y, str) else (X, y)

    def _with_words(self, schema: Schema) -> Schema:
        """The schema, with columns of words as text, where words are looked into."""
        return schema

    def _training_rows(self, X, y, sample_weight):
        check_parameters(self, self._rules)
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if isinstance(X, Scan):
            return self._file_labels(X, y, sample_weight)
        X, y = self._apart(X, y)
        rows = self._in_order(X, needed=True)
        table = conform(rows.table, self._with_words(rows.table.schema))
        self._accept(table)
        refuse_infinity(table)
        self.target_, labels = self._target(y)
        check_consistent_length(table, labels)
        rows = rows._replace(table=table)
        return rows, labels[rows.places], weights_of_sequences(sample_weight, rows)

    def _file_labels(self, scan, y, sample_weight):
        found = self._file_sequences(scan, y, sample_weight, self._with_words)
        if not found.complete:
            raise DataError(f"column {y!r} has no label in some rows; fill them in, or leave the rows out")
        self.target_ = y
        self._nominal_target(scan.schema[y])
        return found

    @property
    def _tags(self):
        return self.classes_

    def _proba(self, X):
        raise NotImplementedError  # rows are not judged one by one


def _is_row(rows):
    """Whether it is a single row: a mapping, a Series, or a list of cells."""
    return isinstance(rows, Mapping) or (
        np.ndim(rows) == 1 and not (isinstance(rows, list | tuple) and isinstance(rows[0], Mapping | Table))
    )


def _posterior(chain, piece):
    return posteriors(chain, piece)[0].states
