"""Scaling, by hand and beside scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn import preprocessing

from openbook import read
from openbook.prepare import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler
from openbook.prepare.scaling import Extremes

INCOME = [125.0, 100.0, 70.0, 120.0, 95.0, 60.0, 220.0, 85.0, 75.0, 90.0]


def column(scaler, numbers):
    return scaler.fit_transform(read([{"x": x} for x in numbers]))["x"].tolist()


def test_min_max_by_hand():
    assert column(MinMaxScaler(), [10, 20, 50]) == [0.0, 0.25, 1.0]
    assert column(MinMaxScaler((-1, 1)), [10, 20, 50]) == [-1.0, -0.5, 1.0]


def test_z_scores_by_hand():
    # mean 104; the sum of squares is divided by 10 or by 9
    squares = sum((x - 104) ** 2 for x in INCOME)
    assert squares == 18740
    assert column(StandardScaler(), INCOME)[0] == pytest.approx(21 / np.sqrt(18740 / 10))
    assert column(StandardScaler(ddof=1), INCOME)[0] == pytest.approx(21 / np.sqrt(18740 / 9))


def test_what_does_not_vary_goes_to_the_start_of_the_range_and_to_zero():
    assert column(MinMaxScaler((2, 3)), [7, 7]) == [2.0, 2.0]
    assert column(StandardScaler(), [7, 7]) == [0.0, 0.0]
    assert column(StandardScaler(ddof=1), [7]) == [0.0]


def test_a_column_without_a_known_number_stays_as_it_is():
    rows = read([{"x": None, "y": 1.0}, {"x": None, "y": 2.0}], kinds={"x": "numeric"})
    for scaler in (MinMaxScaler(), MaxAbsScaler(), StandardScaler()):
        scaler.fit(rows)
        assert scaler.transform(read([{"x": 5.0, "y": 1.0}]))["x"].tolist() == [5.0]


def test_new_numbers_beyond_the_range_are_clipped_if_asked():
    for clip, expected in ((False, 2.0), (True, 1.0)):
        scaler = MinMaxScaler(clip=clip).fit([[0.0], [10.0]])
        assert scaler.transform([[20.0]]).tolist() == [[expected]]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (MinMaxScaler((-2, 5)), preprocessing.MinMaxScaler((-2, 5))),
        (MaxAbsScaler(), preprocessing.MaxAbsScaler()),
        (StandardScaler(), preprocessing.StandardScaler()),
        (StandardScaler(with_mean=False), preprocessing.StandardScaler(with_mean=False)),
        (StandardScaler(with_std=False), preprocessing.StandardScaler(with_std=False)),
    ],
)
def test_as_scikit_learn(ours, theirs):
    rng = np.random.default_rng(0)
    X = rng.normal([0, 1e6, -5], [1, 3, 1e-3], size=(500, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    np.testing.assert_allclose(ours.fit_transform(X), theirs.fit_transform(X), rtol=1e-9, atol=1e-8)
    for name in (
        "scale_",
        "max_abs_",
        "min_",
        "data_min_",
        "data_max_",
        "data_range_",
        "mean_",
        "var_",
        "n_samples_seen_",
    ):
        if hasattr(theirs, name) and hasattr(ours, name) and getattr(theirs, name) is not None:
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9)


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_rows_have_the_length_that_scikit_learn_gives_them(norm):
    X = np.random.default_rng(0).normal(size=(50, 3)) * [[1, 10, 100]]
    X[0] = 0.0
    theirs = preprocessing.Normalizer(norm=norm).transform(X)
    np.testing.assert_allclose(Normalizer(norm).fit_transform(X), theirs)


def test_a_missing_cell_adds_nothing_to_the_length_of_its_row():
    table = read([{"a": 3.0, "b": 4.0, "c": None, "d": "x"}, {"a": 1.0, "b": None, "c": 1.0, "d": "y"}])
    scaler = Normalizer().fit(table)
    assert scaler.transform(table)["b"].tolist() == [0.8, pytest.approx(np.nan, nan_ok=True)]
    work = scaler.work({"a": 3.0, "b": 4.0})
    assert (work["|row|"].result, work["a"].result, work["c"].result) == (5.0, 0.6, "missing")


def test_the_largest_size_may_be_below_zero():
    scaler = MaxAbsScaler(clip=True).fit(read([{"x": -4}, {"x": 2}, {"x": 0}]))
    assert scaler.max_abs_.tolist() == [4.0]
    assert scaler.transform(read([{"x": 8}, {"x": 1}]))["x"].tolist() == [1.0, 0.25]
    assert scaler.work({"x": 2.0})["x"].result == 0.5
    assert column(MaxAbsScaler(), [0, 0]) == [0.0, 0.0]


def test_weights_count_rows():
    X = [[1.0], [2.0], [6.0], [9.0]]
    for scaler in (MinMaxScaler(), StandardScaler(ddof=1)):
        weighed = scaler.fit(X, sample_weight=[2, 1, 1, 0]).transform(X)
        repeated = scaler.fit([[1.0], [1.0], [2.0], [6.0]]).transform(X)
        np.testing.assert_allclose(weighed, repeated)


def test_units_go_with_scaling_and_come_back():
    table = read([{"price": "$10"}, {"price": "$30"}])
    scaler = MinMaxScaler().fit(table)
    scaled = scaler.transform(table)
    assert scaled.schema["price"].is_plain
    assert scaler.inverse_transform(scaled).schema == table.schema


def test_dates_become_numbers_and_dates_again():
    table = read([{"sold": "2024-01-01"}, {"sold": "2024-01-03"}, {"sold": "2024-01-11"}])
    scaler = MinMaxScaler().fit(table)
    scaled = scaler.transform(table)
    assert scaled["sold"].tolist() == [0.0, 0.2, 1.0]
    back = scaler.inverse_transform(scaled)
    assert back.schema == table.schema
    assert back["sold"].tolist() == table["sold"].tolist()
    frame = table.to_pandas()
    pd.testing.assert_frame_equal(scaler.inverse_transform(scaler.transform(frame)), frame, check_dtype=False)


def test_extremes_of_parts_are_those_of_the_whole():
    x = np.array([[3.0, np.nan], [1.0, np.nan], [2.0, 5.0]])
    whole = Extremes.of(x, np.ones(3))
    parts = Extremes.of(x[:2], np.ones(2)) + Extremes.of(x[2:], np.ones(1))
    for one, other in zip(whole.arrays().values(), parts.arrays().values(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_work_substitutes_the_numbers():
    scaler = StandardScaler(ddof=1).fit(read([{"x": x} for x in (10, 20, 30)]))
    step = scaler.work({"x": 30})["x"]
    assert step.numbers == r"\frac{30 - 20}{10}"
    assert step.result == 1.0
    assert scaler.work()["s"].formula.endswith(r"{N - 1}}")
