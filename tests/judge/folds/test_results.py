"""A fold's result, there and back."""

import json
import math

import numpy as np
import pytest

from openbook.errors import DataError
from openbook.judge import FoldResult


def classified():
    return FoldResult(
        index=3,
        rows=np.array([4, 9]),
        y_true=np.array([0, 2]),
        y_pred=np.array([1, 2]),
        proba=np.array([[0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3]]),
        n_train=18,
        fit_seconds=0.1,
        predict_seconds=1e-5,
        complexity=7,
        warnings=("UserWarning: few rows",),
    )


def there_and_back(result):
    return FoldResult.from_json(json.loads(json.dumps(result.to_json(), allow_nan=False)))


def test_json_keeps_every_digit():
    result = classified()
    back = there_and_back(result)
    for name in ("rows", "y_true", "y_pred", "proba"):
        assert np.array_equal(getattr(back, name), getattr(result, name))
        assert getattr(back, name).dtype == getattr(result, name).dtype
    plain = ("index", "n_train", "fit_seconds", "predict_seconds", "complexity", "warnings")
    assert all(getattr(back, name) == getattr(result, name) for name in plain)


def test_numbers_without_a_json_number_are_words():
    truth, odd = np.array([1.0, 2.0, 0.1 + 0.2]), np.array([math.nan, math.inf, -math.inf])
    result = FoldResult(0, np.array([0, 1, 2]), truth, odd, None, 5, 0.0, 0.0, None, ())
    assert result.to_json()["y_pred"] == ["nan", "inf", "-inf"]
    back = there_and_back(result)
    assert np.array_equal(back.y_pred, result.y_pred, equal_nan=True)
    assert np.array_equal(back.y_true, result.y_true)
    assert back.y_true.dtype == float
    assert back.proba is None
    assert back.complexity is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": None}, "not the result of a fold"),
        ({"rows": [1, 2, 3]}, r"3 rows, but \(2,\) truths"),
        ({"rows": [[1, 2]]}, "not the result of a fold"),
        ({"y_pred": [1]}, r"\(1,\) predictions"),
        ({"y_pred": ["one", 2]}, "could not convert string"),
        ({"proba": [0.5, 0.5]}, "not the result of a fold"),
        ({"n_train": "many"}, "not the result of a fold"),
        ({"warnings": 3}, "not the result of a fold"),
    ],
)
def test_a_damaged_record_is_refused(change, message):
    with pytest.raises(DataError, match=message):
        FoldResult.from_json({**classified().to_json(), **change})


def test_an_incomplete_record_is_refused():
    record = classified().to_json()
    del record["y_true"]
    with pytest.raises(DataError, match="not the result of a fold: 'y_true' is missing"):
        FoldResult.from_json(record)
