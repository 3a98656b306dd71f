"""Notable predictions of a learner: a typical one, the least certain one, the most confident mistake.

They are taken from test rows, each once: those of the first fold if it tests at least 50, so that one model
predicts them all, else those of the first round of folds. For numbers there is no probability, so they are
the one with the median error and those farthest above and below the truth. Of several labels, a set is as
probable as the product of the probabilities of its labels, and the worst mistake is that with most wrong
labels. Of equals, the first; each row occurs once, and missing kinds, such as a mistake, are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.splits import TINY
from openbook.judge.scores.metrics import Predictions
from openbook.words.sentences import plural


@dataclass(frozen=True)
class NotablePrediction:
    """A prediction, and the kind that it is an example of.

    Attributes
    ----------
    kind : str
        The kind of example: "typical", "doubtful" or "wrong"; of numbers "typical", "too high" or "too low".
    words : str
        The kind with its figures.
    row : int
        The position of the row.
    fold : int
        The number of the fold that tested it.

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> first = notable_predictions(ob.evaluate(NaiveBayes(), *ob.load("weather").split("play")))[0]
    >>> first.kind, first.row
    ('typical', 9)
    """

    kind: str
    words: str
    row: int
    fold: int


def notable_predictions(evaluation: Evaluation) -> tuple[NotablePrediction, ...]:
    """The predictions that are most instructive.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of a learner, as `evaluate` makes it.

    Returns
    -------
    tuple of NotablePrediction

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> from openbook.judge import evaluate
    >>> for each in notable_predictions(evaluate(NaiveBayes(), *load("weather").split("play"))):
    ...     print(f"row {each.row}, {each.words}")
    row 9, typical: predicted correctly, with the median probability 0.768
    row 11, the least certain: the two most probable classes have 0.501 and 0.499
    row 5, the most confident mistake: predicted with a probability of 0.944
    """
    folds = evaluation.first_round
    folds = folds[:1] if folds[0].n_test >= TINY else folds
    rows = np.concatenate([fold.rows for fold in folds])
    of = np.repeat([fold.index for fold in folds], [fold.n_test for fold in folds])
    found: dict[int, tuple[str, str]] = {}
    for i, kind, words in _notable(replace(evaluation, folds=folds).predictions):
        found.setdefault(i, (kind, words))
    return tuple(
        NotablePrediction(kind, words, int(rows[i]), int(of[i])) for i, (kind, words) in found.items()
    )


def _notable(p: Predictions) -> Iterator[tuple[int, str, str]]:
    """The position, kind and words of each notable prediction."""
    if not p.n_classes:
        return _numbers(p)
    if p.truth.ndim > 1:
        return _sets(p)
    return _labels(p) if p.proba is None else _probabilities(p, p.proba)


def _probabilities(p: Predictions, proba: np.ndarray) -> Iterator[tuple[int, str, str]]:
    sure = proba[np.arange(len(p.truth)), p.predicted]
    right, wrong = np.flatnonzero(p.truth == p.predicted), np.flatnonzero(p.truth != p.predicted)
    if len(right):
        middle = _middle(right, sure)
        words = f"typical: predicted correctly, with the median probability {sure[middle]:.3g}"
        yield middle, "typical", words
    if p.n_classes > 1:
        second, first = np.sort(proba, axis=1)[:, -2:].T
        closest = int(np.argmin(first - second))
        shares = f"{first[closest]:.3g} and {second[closest]:.3g}"
        yield closest, "doubtful", f"the least certain: the two most probable classes have {shares}"
    if len(wrong):
        worst = int(wrong[np.argmax(sure[wrong])])
        yield worst, "wrong", f"the most confident mistake: predicted with a probability of {sure[worst]:.3g}"


def _middle(rows: np.ndarray, values: np.ndarray) -> int:
    """The row with the median value; of an even number, the lower one."""
    return int(rows[np.argsort(values[rows], kind="stable")[(len(rows) - 1) // 2]])


def _labels(p: Predictions) -> Iterator[tuple[int, str, str]]:
    hit = p.truth == p.predicted
    if hit.any():
        yield int(np.argmax(hit)), "typical", "typical: the first correct prediction"
    if not hit.all():
        yield int(np.argmin(hit)), "wrong", "wrong: the first mistake"


def _sets(p: Predictions) -> Iterator[tuple[int, str, str]]:
    wrong = (p.truth != p.predicted).sum(axis=1)
    right = np.flatnonzero(wrong == 0)
    given = p.predicted.astype(float) if p.proba is None else np.where(p.predicted, p.proba, 1 - p.proba)
    sure = given.prod(axis=1)
    if len(right):
        words = "typical: every label predicted correctly, with the median probability"
        yield _middle(right, sure), "typical", words
    if p.proba is not None:
        doubt = np.abs(p.proba - 0.5).min(axis=1)
        closest = int(np.argmin(doubt))
        share = p.proba[closest, np.argmin(np.abs(p.proba[closest] - 0.5))]
        yield closest, "doubtful", f"the least certain: a label has the probability {share:.3g}"
    if wrong.any():
        most = np.flatnonzero(wrong == wrong.max())
        worst = int(most[np.argmax(sure[most])])
        yield worst, "wrong", f"the worst mistake: {plural(int(wrong[worst]), 'wrong label')}"


def _numbers(p: Predictions) -> Iterator[tuple[int, str, str]]:
    over = p.predicted - p.truth
    middle = _middle(np.arange(len(over)), np.abs(over))
    yield middle, "typical", f"typical: its error, {over[middle]:+.4g}, has the median size"
    highest, lowest = int(np.argmax(over)), int(np.argmin(over))
    if over[highest] > 0:
        yield highest, "too high", f"the largest overestimate: by {over[highest]:.4g}"
    if over[lowest] < 0:
        yield lowest, "too low", f"the largest underestimate: by {-over[lowest]:.4g}"
