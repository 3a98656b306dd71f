"""The rows that an evaluation tested in its first round, each once, with their predictions.

Later rounds of a repeated cross-validation test the same rows again; counting a row several times would make
every interval too narrow.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from openbook.data import Table, read
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError, check_returned_by
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.scores.label_metrics import right_sets, wrong_cells
from openbook.judge.scores.metrics import Predictions, surprise


@dataclass(frozen=True)
class FirstRound:
    """Rows and predictions of one round.

    Parameters
    ----------
    rows : positions in X
    table : those rows of X
    predictions : of those rows
    fold : the number of each row's fold, in the round
    """

    rows: np.ndarray
    table: Table
    predictions: Predictions
    fold: np.ndarray

    @classmethod
    def of(cls, evaluation: Evaluation, X: Any) -> "FirstRound":
        check_returned_by("evaluate", Evaluation, evaluation=evaluation)
        folds = evaluation.first_round
        rows = np.concatenate([fold.rows for fold in folds])
        table = read(X)
        if (last := int(rows.max())) >= len(table):
            raise DataError(
                f"{evaluation.name} was tested on row {last}, and X has {len(table)} rows;"
                " pass the X that was evaluated"
            )
        fold = np.repeat(np.arange(len(folds)), [each.n_test for each in folds])
        return cls(rows, table.take(rows), evaluation.one_round, fold)

    def halves(self, random_state: int) -> tuple[np.ndarray, np.ndarray]:
        """Two halves of the rows, as masks: every other fold, or random rows if folds have one row each."""
        n_folds = int(self.fold[-1]) + 1
        if 1 < n_folds <= len(self.fold) / 2:
            first = self.fold % 2 == 0
        else:
            first = np.random.default_rng(random_state).permutation(len(self.rows)) % 2 == 0
        return first, ~first


class Decisions(NamedTuple):
    """Decisions: the class of each row or, of several labels, whether it has each label.

    row : the row, by its position in the round
    truth, predicted : codes of the names
    sure, doubt : the probabilities of the prediction and of the truth; NaN if there are none
    names : classes; of labels, "not sport" and "sport"
    """

    row: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    sure: np.ndarray
    doubt: np.ndarray
    names: list[str]

    @property
    def wrong(self) -> np.ndarray:
        return self.truth != self.predicted


def all_decisions(evaluation: Evaluation) -> Decisions:
    """The decisions of the first round, by a learner of classes or of labels."""
    p, labels = evaluation.one_round, [as_text(label) for label in evaluation.classes.tolist()]  # type: ignore[union-attr]
    truth, predicted, proba, names = p.truth, p.predicted, p.proba, labels
    row = np.arange(len(truth))
    if evaluation.task == "multilabel":
        n, k = truth.shape
        first = np.tile(2 * np.arange(k), n)
        truth, predicted = (first + cells.ravel() for cells in (truth, predicted))
        row, names = np.repeat(row, k), [name for label in labels for name in (f"not {label}", label)]
        if proba is not None:
            proba = np.stack([1 - proba, proba], axis=2).reshape(n, 2 * k)
    if proba is None:
        none = np.full(len(row), np.nan)
        return Decisions(row, truth, predicted, none, none, names)
    return Decisions(row, truth, predicted, proba[row, predicted], proba[row, truth], names)


def row_losses(evaluation: Evaluation, loss: str | None) -> tuple[str, np.ndarray]:
    """The name of the loss, None for the usual one, and its value for each row of the first round."""
    check_returned_by("evaluate", Evaluation, evaluation=evaluation)
    p = evaluation.one_round
    if evaluation.task == "classification":
        known = {"wrong": lambda: (p.truth != p.predicted).astype(float), "log_loss": lambda: _surprise(p)}
    elif evaluation.task == "multilabel":
        known = {"hamming": lambda: wrong_cells(p), "wrong": lambda: 1 - right_sets(p)}
    else:
        known = {
            "absolute": lambda: np.abs(p.truth - p.predicted),
            "squared": lambda: (p.truth - p.predicted) ** 2,
        }
    loss = loss or next(iter(known))
    if loss not in known:
        raise ParameterError(f"loss must be one of {', '.join(known)} for {evaluation.task}, got {loss!r}")
    return loss, known[loss]()


def _surprise(p: Predictions) -> np.ndarray:
    """-ln P(truth) of each row; a probability of 0 counts as 2^-52, as in the metric."""
    if p.proba is None:
        raise ParameterError("log_loss needs probabilities, and this learner gave none; use loss='wrong'")
    return surprise(p)
