r"""Does one column carry the model? The variance that it explains alone, and that of the model.

    explained = 1 - Σ |t - p|² / Σ |t - mean t|²

t is the number, or for classes the row (0, …, 1, …, 0) with 1 for its class, or for each of its labels; p is
the prediction, a number or probabilities, for rows outside the training part. For one column, p is the mean
of t among the rows of its value in the other folds, shrunk towards the mean of all by one row. Numbers are
cut into tenths (of all rows, regardless of the target); missing is a value of its own; text is left out. The
folds are those of the evaluation's first round.

For a learner without probabilities, the predicted class has probability 1, also for the column.
"""

from dataclasses import dataclass

import numpy as np

from openbook.data import Categorical, Column, Numeric
from openbook.data.findings.repeats import sample_rows
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.examples import Examples
from openbook.judge.folds.first_round import FirstRound
from openbook.judge.risk.proxies import binned

#: A column carries the model if it explains this share of what the model explains, and the model explains
#: this.
_CARRIES, _SOMETHING = 0.9, 0.1
_FOLDS = 5
#: The most rows that are used.
_SAMPLE = 20_000


@dataclass(frozen=True)
class Carrier:
    """A column, the share of the target's variance that it explains alone, and that of the whole model."""

    column: str
    share: float
    model: float


def carrier(examples: Examples, evaluation: Evaluation) -> Carrier | None:
    """The column that alone explains nearly as much as the model does, or None."""
    schema = examples.table.schema
    names = [a.name for a in schema if isinstance(a, Numeric | Categorical)]
    round_ = FirstRound.of(evaluation, examples.table)
    rows = sample_rows(len(round_.rows), _SAMPLE)
    predicted = round_.predictions
    target = _target(predicted.truth[rows], evaluation.n_classes)
    sure = predicted.proba is None
    given = _target(predicted.predicted, evaluation.n_classes) if sure else predicted.proba
    assert given is not None
    model = _explained(target, given[rows])
    if len(schema) < 2 or not model >= _SOMETHING:
        return None
    folds = round_.fold[rows]
    if folds.max() == 0:
        folds = np.arange(len(folds)) % _FOLDS
    table = round_.table.take(np.arange(len(round_.rows))[rows])
    made = (_out_of_fold(table.column(name), target, folds, sure=sure) for name in names)
    shares = [_explained(target, predicted) for predicted in made]
    best = int(np.argmax(shares)) if shares else -1
    if best < 0 or shares[best] < _CARRIES * model:
        return None
    return Carrier(names[best], shares[best], model)


def _target(values: np.ndarray, n_classes: int) -> np.ndarray:
    """Numbers as a column, or classes as rows of 0 with a 1, or with one for each label."""
    if values.ndim > 1:
        return values.astype(float)
    return np.eye(n_classes)[values] if n_classes else np.asarray(values, dtype=float)[:, None]


def _explained(target: np.ndarray, predicted: np.ndarray) -> float:
    total = float(((target - target.mean(axis=0)) ** 2).sum())
    return 1 - float(((target - predicted) ** 2).sum()) / total if total else 0.0


def _out_of_fold(column: Column, target: np.ndarray, folds: np.ndarray, *, sure: bool) -> np.ndarray:
    """The predictions from the column alone, for each row by the rows of the other folds."""
    values = binned(column)
    width, n_folds = int(values.max()) + 1, int(folds.max()) + 1
    cells = folds * width + values
    rows = np.bincount(cells, minlength=n_folds * width).reshape(n_folds, width)
    others = rows.sum(axis=0) - rows
    predicted = np.empty_like(target)
    for k in range(target.shape[1]):
        sums = np.bincount(cells, target[:, k], n_folds * width).reshape(n_folds, width)
        rest = sums.sum(axis=0) - sums
        means = rest.sum(axis=1, keepdims=True) / np.maximum(others.sum(axis=1, keepdims=True), 1)
        predicted[:, k] = ((rest + means) / (others + 1))[folds, values]
    if sure and target.shape[1] > 1:
        return np.eye(target.shape[1])[predicted.argmax(axis=1)]
    return predicted
