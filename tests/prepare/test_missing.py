"""Missing cells, by hand and beside scikit-learn."""

import numpy as np
import pytest
from sklearn import impute

from openbook import read
from openbook.errors import ParameterError, RefusalError
from openbook.prepare import DropMissing, MissingIndicator, SimpleImputer
from openbook.prepare.quantiles import weighted_quantiles

TABLE = read(
    [
        {"age": 20.0, "town": "Ulm", "size": "s"},
        {"age": None, "town": "Bonn", "size": None},
        {"age": 30.0, "town": None, "size": "l"},
        {"age": 70.0, "town": "Bonn", "size": "l"},
    ],
    kinds={"size": ["s", "m", "l"]},
)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("mean", [40.0, "Bonn", "l"]),  # 120 / 3; the ranks 0, 2, 2 have the median 2
        ("median", [30.0, "Bonn", "l"]),
        ("most_frequent", [20.0, "Bonn", "l"]),  # of equals the smallest
        ("constant", [0.0, "missing", "missing"]),
        ("category", [30.0, "missing", "missing"]),
    ],
)
def test_what_fills_a_gap(strategy, expected):
    imputer = SimpleImputer(strategy=strategy).fit(TABLE)
    out = imputer.transform(TABLE)
    assert imputer.statistics_ == expected
    assert [out["age"][1], out["town"][2], out["size"][1]] == expected
    assert out["age"].tolist()[0] == 20.0


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_as_scikit_learn(strategy):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, (60, 4)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    theirs = impute.SimpleImputer(strategy=strategy, add_indicator=True)
    np.testing.assert_allclose(
        SimpleImputer(strategy=strategy, add_indicator=True).fit_transform(X), theirs.fit_transform(X)
    )


def test_weights_count_rows():
    x = read([{"x": 1.0}, {"x": 2.0}, {"x": 9.0}, {"x": None}])
    for strategy, expected in (("mean", (1 + 3 * 2 + 9) / 5), ("median", 2.0), ("most_frequent", 2.0)):
        assert SimpleImputer(strategy=strategy).fit(x, sample_weight=[1, 3, 1, 1]).statistics_ == [expected]
    rng = np.random.default_rng(1)
    numbers, weights = rng.normal(size=20), rng.integers(1, 4, 20)
    shares = [0.1, 0.25, 0.5, 0.9]
    np.testing.assert_allclose(
        weighted_quantiles(numbers, weights.astype(float), shares),
        np.quantile(np.repeat(numbers, weights), shares),
    )


def test_a_column_of_gaps_stays_unless_a_value_is_given():
    empty = read([{"x": None, "y": 1.0}, {"x": None, "y": 2.0}], kinds={"x": "numeric"})
    assert np.isnan(SimpleImputer().fit_transform(empty)["x"].tolist()).all()
    assert SimpleImputer(strategy="constant", fill_value=3).fit_transform(empty)["x"].tolist() == [3.0, 3.0]


def test_a_number_cannot_be_filled_with_a_word():
    with pytest.raises(ParameterError, match="fill_value must be a number for 'age'"):
        SimpleImputer(strategy="constant", fill_value="none").fit(TABLE)


def test_an_unseen_value_is_not_filled():
    new = (
        SimpleImputer(strategy="category")
        .fit(TABLE)
        .transform(read([{"age": 1.0, "town": "Kiel", "size": "m"}]))
    )
    assert new["town"].tolist() == [None]


def test_indicators_for_columns_with_gaps_only():
    table = read([{"a": 1.0, "b": None}, {"a": 2.0, "b": 3.0}])
    assert MissingIndicator().fit(table).transform(table).names == ("a", "b", "b missing")
    assert MissingIndicator(features="all").fit(table).features_ == ("a", "b")


def test_columns_with_too_many_gaps():
    table = read([{"a": 1.0, "b": None, "c": None}, {"a": 2.0, "b": 3.0, "c": None}], kinds={"c": "numeric"})
    assert DropMissing(axis="columns", threshold=0.5).fit_transform(table).names == ("a", "b")
    assert DropMissing(axis="columns").fit(table).dropped_ == ("b", "c")
    with pytest.raises(RefusalError, match="leaves no row"):
        DropMissing().fit(table)
