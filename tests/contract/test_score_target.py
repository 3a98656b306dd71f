"""`score` takes the name of the target, as `fit` does."""

import pytest

from openbook import load
from openbook.baseline import ZeroR, ZeroRegressor


def test_a_classifier_scores_by_the_name_of_the_target():
    table = load("weather")  # 9 of 14 rows are Yes, which 0R predicts
    model = ZeroR().fit(table, "play")
    assert model.score(table, "play") == model.score(*table.split("play")) == pytest.approx(9 / 14)


def test_a_regressor_scores_by_the_name_of_the_target():
    table = load("diabetes")
    name = table.names[-1]
    assert ZeroRegressor().fit(table, name).score(table, name) == pytest.approx(
        0
    )  # the mean explains nothing
