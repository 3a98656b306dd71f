r"""The base of every outlier detector: a score, a threshold, and the reasons for the score.

    oddness(X)             the score, float64 (n,): the higher, the more unusual
    predict(X)             -1 where the score lies above `threshold_`, else 1
    score_samples(X)       -oddness, as in scikit-learn: the lower, the more abnormal
    decision_function(X)   threshold_ - oddness = score_samples - offset_, below 0 for outliers
    reasons(row)           the share of each attribute in the score

The threshold is fixed while learning, so a row's score and verdict are the same whatever rows it comes with:

    threshold       as given
    contamination   at most this share of the training rows, by weight, lies above it
    top             at most this many training rows lie above it
    none of them    the method's own threshold, if it has one; else a contamination of 0.1

A threshold between two scores is their midpoint; rows tied at the threshold are not outliers. A
contamination of 0 is for rows that are all known to be normal: only rows with a higher score than any of
them are outliers. The target is ignored, so a detector can be fitted on mixed rows or on normal rows alone.

A detector writes `_learn(rows)`, `_scores(X)`, `_account(X)` and `_learnt()`. The account is the readable
twin of the score, of one row and in plain Python: `work(row)` shows it, and tests compare the two.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from openbook.border.base import Saved
from openbook.border.not_taken import Declared
from openbook.border.rows import Chunk, Rows
from openbook.border.rules import Auto, Maybe, Number, Whole
from openbook.border.unsupervised import Unsupervised
from openbook.damage import blamed_on_its_file, checked_array
from openbook.data import Table
from openbook.draw import Picture
from openbook.errors import DataError, ParameterError
from openbook.fold import each
from openbook.outlier.reasons import Reason, Reasons, cell_of, outlier_verdict
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

#: What these parameters mean, and what is known after fitting.
DETECTOR_MEANINGS = {
    "threshold": "The score above which a row is an outlier. Give at most one of `threshold`,"
    " `contamination` and `top`.",
    "contamination": 'The share of the training rows that are outliers. "auto" takes the method\'s own'
    " threshold where it has one, else 0.1.",
    "top": "The number of training rows that are outliers.",
    "detector": "The detector that judges; None for the usual one.",
    "threshold_": "The score above which a row is an outlier.",
    "scores_": "The scores of the training rows.",
    "random_state": "Random seed. The same seed gives the same result, whatever the number of workers.",
    "encoding_": "How columns became numbers.",
}

#: The default contamination.
_CONTAMINATION = 0.1


@dataclass(frozen=True)
class Account:
    """The derivation of the score of one row.

    Parameters
    ----------
    score : the score
    shares : what each attribute accounts for, in the order of the schema
    parts : the derivation, down to the shares
    joined : the steps from the shares to the score
    meaning : what a share is, in words
    rest : what no attribute accounts for, under its name
    """

    score: float
    shares: Sequence[float]
    parts: "tuple[Step | Grid | Work, ...]"
    joined: tuple[Step, ...]
    meaning: str
    rest: tuple[tuple[str, float], ...] = ()


class Detector(Declared, OutlierMixin, Unsupervised):
    """An outlier detector: a score for each row, a threshold, and the reasons for the score.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
    top : int or None, default=None

    Examples
    --------
    >>> from openbook.outlier import Detector, ZScore
    >>> isinstance(ZScore(), Detector)
    True
    """

    _: KW_ONLY
    threshold: Annotated[float | None, Maybe(Number())] = None
    contamination: Annotated[float | str, Auto(Number(at_least=0, at_most=0.5))] = "auto"
    top: Annotated[int | None, Maybe(Whole(1))] = None

    #: Whether a row's weight means something; where it does not, all must be the same.
    weighs: ClassVar[bool] = True
    #: What the method itself takes for odd, and why, if it says; may be found while learning.
    _natural = cast("tuple[float, str] | None", None)

    _meanings: ClassVar[dict[str, str]] = DETECTOR_MEANINGS

    @abstractmethod
    def _learn(self, rows: Rows) -> None:
        """Learn from rows, all but the threshold; may set `scores_` and `_natural`."""

    @abstractmethod
    def _scores(self, X: Table) -> Floats:
        """The score of each encoded row."""

    @abstractmethod
    def _account(self, X: Table) -> Account:
        """How the score of a one-row table comes about."""

    @abstractmethod
    def _learnt(self) -> "tuple[Step | Grid | Work, ...]":
        """How it was learnt, but for the threshold."""

    def oddness(self, X: Any) -> Floats:
        """The score of each row: the higher, the more unusual.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n,)
        """
        return self._each(X, self._scores)

    def score_samples(self, X: Any) -> Floats:
        """The negative oddness of each row, as in scikit-learn: the lower, the more abnormal.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n,)
        """
        return np.negative(self.oddness(X))

    @property
    def offset_(self) -> float:
        """The negative threshold: a row whose `score_samples` is below it is an outlier."""
        return -self.threshold_

    def decision_function(self, X: Any) -> Floats:
        """The threshold less the score: below 0 for outliers.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n,)
        """
        scores = self.oddness(X)  # which refuses a detector that is not fitted
        return self.threshold_ - scores

    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """-1 for outliers, 1 for other rows.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of int of shape (n,)
        """
        return self._labels(self.oddness(X))

    def fit_predict(self, X: Any, y: Any = None) -> npt.NDArray[np.intp]:  # noqa: ARG002 (not looked at)
        """Fit to the rows, and score them.

        Parameters
        ----------
        X : rows
        y : object, default=None
            Not used; pipelines pass a target.

        Returns
        -------
        array of int of shape (n,)
        """
        self.fit(X)
        return self._labels(self.scores_) if hasattr(self, "scores_") else self.predict(X)

    def draw(self, X: Any) -> Picture:
        """The scores of rows in descending order; those above the threshold are highlighted.

        Parameters
        ----------
        X : rows

        Returns
        -------
        Picture
        """
        from openbook.outlier.oddest import oddest

        return oddest(self, X).draw()

    def reasons(self, row: Any) -> Reasons:
        """How much of a row's score each attribute accounts for.

        Parameters
        ----------
        row : mapping or sequence

        Returns
        -------
        Reasons

        Examples
        --------
        >>> from openbook.outlier import ZScore
        >>> ZScore().fit([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]]).reasons([9.0, 6.0]).ranked[0].attribute
        'x0'
        """
        check_is_fitted(self)
        X = self._one_row(row)
        with blamed_on_its_file(self):
            account = self._account(X)
        cells = zip(self.schema_.names, self._values(X), account.shares, strict=True)
        parts = [Reason(name, value, float(share)) for name, value, share in cells]
        parts += [Reason(name, None, float(share)) for name, share in account.rest]
        name, steps = type(self).__name__, account.joined
        return Reasons(name, account.score, self.threshold_, tuple(parts), steps, account.meaning)

    def _values(self, X: Table) -> list[Any]:
        """What stands beside each attribute in the reasons: its cell."""
        return [cell_of(X.column(name)) for name in self.schema_.names]

    def _labels(self, scores: Floats) -> npt.NDArray[np.intp]:
        return np.where(scores > self.threshold_, -1, 1)

    def _fit(self, rows: Rows) -> None:
        given = [
            name
            for name in ("threshold", "contamination", "top")
            if getattr(self, name) not in (None, "auto")
        ]
        if len(given) > 1:
            raise ParameterError(f"{type(self).__name__}: give {given[0]} or {given[1]}, not both")
        if not rows.pieces:
            raise DataError(f"{type(self).__name__} needs training rows: there are 0 sample(s)")
        if not self.weighs:
            self._check_even(rows)
        self.__dict__.pop("scores_", None)
        self._learn(rows)
        self.threshold_, self._why = self._cut(rows)

    def _check_even(self, rows: Rows) -> None:
        weights = [piece.w for piece in rows.pieces if isinstance(piece, Chunk)]
        if weights and np.ptp(np.concatenate(weights)) > 0:
            raise DataError(
                f"{type(self).__name__} counts rows: sample_weight must be the same for all, or 0"
            )

    def _cut(self, rows: Rows) -> tuple[float, str]:
        """The threshold, and where it comes from."""
        if self.threshold is not None:
            return float(self.threshold), "as given"
        if self.contamination == "auto" and self.top is None and self._natural is not None:
            return self._natural
        scored = list(each(rows.pieces, partial(_scored, None if hasattr(self, "scores_") else self)))
        weights = np.concatenate([w for _, w in scored])
        scores = self.scores_ if hasattr(self, "scores_") else np.concatenate([s for s, _ in scored])
        if not np.isfinite(scores).all():
            msg = f"the score of row {int(np.argmin(np.isfinite(scores)))} is not finite; rescale its numbers"
            raise DataError(msg)
        if self.top is not None:
            cut = cut_above(scores, np.ones(len(scores)), self.top)
            return cut, f"the {self.top} most unusual rows are above"
        share = _CONTAMINATION if self.contamination == "auto" else float(self.contamination)
        cut = cut_above(scores, weights, share * weights.sum())
        return cut, f"a share of {figure(share)} of the rows is above"

    def _work(self) -> Work:
        step = Step("threshold", result=self.threshold_, note=self._why)
        title = f"{type(self).__name__}: how it was fitted"
        return Work(title, (*self._learnt(), step), "A row with a higher score is an outlier.")

    def _work_row(self, X: Table) -> Work:
        account = self._account(X)
        verdict = outlier_verdict(account.score, self.threshold_)
        return Work(f"{type(self).__name__}: one row", (*account.parts, *account.joined), verdict)

    def _saved(self) -> Saved:
        saved = super()._saved()
        return saved._replace(
            facts={**saved.facts, "why": self._why},
            arrays={**saved.arrays, "threshold_": np.array([self.threshold_])},
        )

    def _opened(self, saved: Saved) -> None:
        self.threshold_ = float(checked_array(saved.arrays, "threshold_", float, (1,))[0])
        self._why = str(saved.facts["why"])
        super()._opened(saved._replace(arrays={n: a for n, a in saved.arrays.items() if n != "threshold_"}))


def inner_of(outer: Any, usual: Detector) -> Detector:
    """The detector given to another one, or its default."""
    inner = usual if outer.detector is None else outer.detector
    if not isinstance(inner, Detector):
        msg = f"{type(outer).__name__}: detector must be one of openbook.outlier, got {inner!r}"
        raise ParameterError(msg)
    return inner


def cut_above(scores: Array, weights: Array, weight: float) -> float:
    """The threshold with rows of at most that weight above it: a midpoint, and tied rows stay below it.

    >>> cut_above(np.array([1.0, 5.0, 3.0, 2.0]), np.ones(4), 2)
    2.5
    >>> cut_above(np.array([1.0, 3.0, 3.0, 3.0]), np.ones(4), 2)
    3.0
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    reached = np.cumsum(weights[order])
    above = int(np.searchsorted(reached, weight * (1 + 1e-9), side="right"))
    if above == len(ranked):
        return float(np.nextafter(ranked[-1], -np.inf))
    inside = float(ranked[above])
    above = int(np.searchsorted(-ranked, -inside))  # none of those that tie
    return inside if above == 0 else (inside + float(ranked[above - 1])) / 2


def _scored(detector: "Detector | None", chunk: Chunk) -> tuple[Array, Array]:
    """The scores of a chunk, if a detector is to find them, and its weights."""
    return detector._scores(chunk.X) if detector is not None else np.zeros(0), chunk.w  # noqa: SLF001
