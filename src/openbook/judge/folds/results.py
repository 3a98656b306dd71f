"""The result of a fold, as data: every prediction is stored, so any score can be computed later.

    rows          : intp (n_test,), positions of the test rows
    y_true, y_pred: intp class codes, or float64 for regression, (n_test,); of several labels at once, bool
                    (n_test, n_labels)
    proba         : float64 (n_test, n_classes), or None if the learner gives none

As JSON, floats keep every digit; those that JSON has no number for are the words "nan", "inf" and "-inf".
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.errors import DataError
from openbook.judge.scores.metrics import Predictions


@dataclass(frozen=True, eq=False)
class FoldResult:
    """A fold's predictions and figures.

    Attributes
    ----------
    index : int
        The fold's number, from 0.
    rows : ndarray
        The positions of the test rows.
    y_true, y_pred : ndarray
        The truth and the prediction for each test row: class codes, numbers, or whether it has each label.
    proba : ndarray or None
        The probability of each class for each test row; None if the learner gives none.
    n_train : int
        How many rows it was trained on.
    fit_seconds, predict_seconds : float
        The time it took to train and to predict.
    complexity : int or None
        The size of the fitted model; None if the learner has no `complexity`.
    warnings : tuple of str
        The warnings of the learner.

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import ZeroR
    >>> fold = ob.evaluate(ZeroR(), *ob.load("weather").split("play"), cv=2).folds[0]
    >>> fold.index, fold.n_train, len(fold.rows)
    (0, 7, 7)
    """

    index: int
    rows: np.ndarray
    y_true: np.ndarray
    y_pred: np.ndarray
    proba: np.ndarray | None
    n_train: int
    fit_seconds: float
    predict_seconds: float
    complexity: int | None
    warnings: tuple[str, ...]

    @property
    def n_test(self) -> int:
        return len(self.rows)

    def predictions(self, n_classes: int) -> Predictions:
        """The predictions, for the metrics.

        Parameters
        ----------
        n_classes : int
            The number of classes, or of labels; 0 for numbers.

        Returns
        -------
        Predictions
        """
        return Predictions(self.y_true, self.y_pred, self.proba, n_classes)

    def to_json(self) -> dict[str, Any]:
        """The result as plain lists, numbers and text, which `from_json` reads."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        plain = {name: _listed(array) for name, array in arrays.items()}
        return {**vars(self), **plain, "warnings": list(self.warnings)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "FoldResult":
        """Rebuild a result from `to_json`, checking what it is given.

        Parameters
        ----------
        record : mapping
            What `to_json` gave.

        Returns
        -------
        FoldResult
        """
        try:
            result = cls(
                index=int(record["index"]),
                rows=np.array(record["rows"], dtype=np.intp),
                y_true=_array(record["y_true"]),
                y_pred=_array(record["y_pred"]),
                proba=None if record["proba"] is None else np.array(record["proba"], dtype=float),
                n_train=int(record["n_train"]),
                fit_seconds=float(record["fit_seconds"]),
                predict_seconds=float(record["predict_seconds"]),
                complexity=None if record["complexity"] is None else int(record["complexity"]),
                warnings=tuple(str(text) for text in record["warnings"]),
            )
        except KeyError as absent:
            raise DataError(f"not the result of a fold: {absent} is missing") from None
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"not the result of a fold: {error}") from None
        n = len(result.rows)
        shapes = [result.y_true.shape, result.y_pred.shape]
        wanted = (n, *shapes[0][1:2])  # of several labels, as many columns
        proba_fits = result.proba is None or (result.proba.ndim == 2 and len(result.proba) == n)
        if result.rows.shape != (n,) or shapes != [wanted, wanted] or not proba_fits:
            what = f"{n} rows, but {shapes[0]} truths and {shapes[1]} predictions"
            raise DataError(f"not the result of a fold: {what}")
        return result


def _listed(array: np.ndarray) -> list[Any]:
    values: list[Any] = (array.astype(int) if array.dtype == bool else array).tolist()
    return values if array.dtype.kind != "f" or np.isfinite(array).all() else _spelt(values)


def _spelt(value: Any) -> Any:
    if isinstance(value, list):
        return [_spelt(each) for each in value]
    return value if math.isfinite(value) else str(value)


def _array(values: Any) -> np.ndarray:
    """Class codes where all are whole numbers, whether rows have labels where all are lists; else floats."""
    if len(values) and all(isinstance(value, list) for value in values):
        cells = np.array(values)
        if not np.isin(cells, (0, 1)).all():
            raise ValueError("labels must be 0 or 1")
        return cells.astype(bool)
    codes = all(type(value) is int for value in values)
    return np.array(values, dtype=np.intp if codes else float)
