"""The most confident mistakes: the right rows in the right order, with their cells."""

import numpy as np
import pytest

from openbook.data import Nominal, Numeric, Schema, Table
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.judge import confident_mistakes

TABLE = Table(
    Schema((Numeric("age"), Nominal("sky", ("grey", "blue")))),
    [np.array([30.0, np.nan, 41.0, 25.0]), np.array([0, 1, -1, 0])],
)


def test_wrong_rows_by_the_probability_of_what_was_predicted(judged):
    proba = [[0.2, 0.8], [0.05, 0.95], [0.6, 0.4], [0.1, 0.9]]
    found = confident_mistakes(judged([0, 0, 1, 1], [1, 1, 0, 1], proba), TABLE)
    assert [(one.row, one.truth, one.predicted, one.proba) for one in found] == [
        (1, "no", "yes", 0.95),
        (0, "no", "yes", 0.8),
        (2, "yes", "no", 0.6),
    ]
    assert found[0].proba_truth == pytest.approx(0.05)
    assert found[2].cells == {"age": 41.0, "sky": None}
    assert (found.n_wrong, found.n_rows) == (3, 4)
    assert "3 rows of 4 predicted wrongly, 1 of them with a probability of 0.9 or more." in repr(found)


def test_of_the_rows_that_are_not_listed_nothing_is_said(judged):
    proba = [[0.2, 0.8], [0.05, 0.95], [0.6, 0.4], [0.1, 0.9]]
    found = confident_mistakes(judged([0, 0, 1, 1], [1, 1, 0, 1], proba), TABLE, n=2)
    assert "of the 2 most confident, 1 has a probability of 0.9 or more." in repr(found)


def test_numbers_by_the_size_of_the_residual(judged):
    evaluation = judged([1.0, 2.0, 3.0, 4.0], [1.0, 5.0, 2.0, 4.0], classes=None)
    found = confident_mistakes(evaluation, TABLE, n=2)
    assert [(one.row, one.residual) for one in found] == [(1, -3.0), (2, 1.0)]
    assert found.rmse == pytest.approx(np.sqrt(10 / 4))
    assert "-3.000" in repr(found)
    assert "1.9" in repr(found)  # 3 / 1.58


def test_rows_keep_their_positions_where_folds_mix_them(judged):
    from openbook.judge import Evaluation, FoldResult

    rows = [np.array([3, 1]), np.array([0, 2])]
    folds = [
        FoldResult(
            i, at, np.array([0, 0]), np.array([1, 0]), np.array([[0.3, 0.7], [0.8, 0.2]]), 2, 0, 0, None, ()
        )
        for i, at in enumerate(rows)
    ]
    found = confident_mistakes(Evaluation("m", "classification", ["no", "yes"], folds), TABLE)
    assert [one.row for one in found] == [3, 0]
    assert found[0].cells["age"] == 25.0


def test_columns_are_shown_by_name_and_all_are_kept(judged):
    proba = [[0.2, 0.8], [0.05, 0.95], [0.6, 0.4], [0.1, 0.9]]
    evaluation = judged([0, 0, 1, 1], [1, 1, 0, 1], proba)
    found = confident_mistakes(evaluation, TABLE, columns=["sky"])
    assert found.columns == ("sky",)
    assert "1 more column in `cells`" in repr(found)
    assert "age" in found[0].cells
    with pytest.raises(UnknownColumn, match="no column 'sly'"):
        confident_mistakes(evaluation, TABLE, columns=["sly"])


def test_no_mistakes(judged):
    found = confident_mistakes(judged([0, 1], [0, 1], [[0.9, 0.1], [0.2, 0.8]]), TABLE)
    assert len(found) == 0
    assert "0 rows of 2 predicted wrongly" in repr(found)


def test_bad_requests_are_refused(judged):
    with pytest.raises(ParameterError, match="gave no probabilities"):
        confident_mistakes(judged([0, 1], [1, 1]), TABLE)
    with pytest.raises(ParameterError, match="n must be"):
        confident_mistakes(judged([0, 1], [1, 1], [[0.5, 0.5]] * 2), TABLE, n=0)
    with pytest.raises(DataError, match="tested on row 5, and X has 4 rows"):
        confident_mistakes(judged([0] * 6, [1] * 6, [[0.5, 0.5]] * 6), TABLE)
