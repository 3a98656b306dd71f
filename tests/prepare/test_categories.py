"""Categories as numbers and back, by hand and beside scikit-learn."""

import numpy as np
import pytest
from sklearn import preprocessing

from openbook import load, read
from openbook.data import Nominal, Ordinal
from openbook.errors import RefusalError
from openbook.prepare import ChangeKind, OneHotEncoder, OrdinalEncoder

TOWNS = read({"town": ["Ulm", "Bonn", "Kiel", "Bonn"], "n": [1.0, 2.0, 3.0, 4.0]})


def test_one_hot_as_scikit_learn():
    cells = [["Ulm"], ["Bonn"], ["Kiel"], ["Bonn"]]
    for drop in (None, "first"):
        theirs = preprocessing.OneHotEncoder(drop=drop, sparse_output=False).fit_transform(cells)
        ours = OneHotEncoder(drop=drop).fit_transform(TOWNS.drop("n"))
        np.testing.assert_array_equal(ours.block(ours.names), theirs)
    assert OneHotEncoder().fit_transform(TOWNS).names == ("town = Bonn", "town = Kiel", "town = Ulm", "n")


def test_missing_is_missing_and_unseen_is_nothing():
    out = OneHotEncoder(columns=["town"]).fit(TOWNS).transform(read({"town": [None, "Rom"], "n": [1.0, 2.0]}))
    np.testing.assert_array_equal(out.block(out.names[:3]), [[np.nan] * 3, [0, 0, 0]])


def test_values_are_scored_one_by_one():
    # weather: overcast alone tells 0.226 bits of play (4 of 14 rows, all yes), sunny 0.102, rain 0.003
    X, y = load("weather").split("play")
    encoder = OneHotEncoder(k=1, columns=["outlook"]).fit(X, y)
    scores = dict(zip(X.schema["outlook"].values, encoder.scores_, strict=True))
    assert encoder.categories_ == [("overcast",)]
    rest = 10 / 14  # five of ten are yes: one bit
    whole = -(9 / 14 * np.log2(9 / 14) + 5 / 14 * np.log2(5 / 14))
    assert scores["overcast"] == pytest.approx(whole - rest)
    with pytest.raises(RefusalError, match="k needs a target"):
        OneHotEncoder(k=1).fit(X)


def test_values_are_scored_by_the_variance_of_numbers():
    X = read({"a": ["u", "u", "v", "w"]})
    y = np.array([1.0, 1.0, 4.0, 6.0])  # u: mean 1 against 5; total variance 4.5, between 4
    assert OneHotEncoder().fit(X, y).scores_[0] == pytest.approx(4 / 4.5)


def test_ranks_of_ordinal_values_and_back():
    sizes = read({"size": ["m", "l", None]}, kinds={"size": ["s", "m", "l"]})
    encoder = OrdinalEncoder().fit(sizes)
    ranks = encoder.transform(sizes)
    np.testing.assert_array_equal(ranks["size"].data, [1, 2, np.nan])
    assert encoder.inverse_transform(ranks)["size"].tolist() == ["m", "l", None]
    assert encoder.inverse_transform(read({"size": [0.4, 9.0]}))["size"].tolist() == ["s", "l"]


def test_integers_of_a_nominal_column_mislead_and_it_is_said():
    with pytest.warns(UserWarning, match=r"have no order.*Bonn is 0.*takes the last for 2 times the second"):
        out = OrdinalEncoder(columns=["town"]).fit_transform(TOWNS)
    assert out["town"].tolist() == [2.0, 0.0, 1.0, 0.0]


def test_numbers_as_values_and_ordinal_as_nominal():
    rooms = read({"rooms": [3.0, 1.0, 1.5, None]})
    step = ChangeKind().fit(rooms)
    assert step.transform(rooms).schema["rooms"] == Ordinal("rooms", ("1", "1.5", "3"))
    assert step.transform(read({"rooms": [2.0, 3.0, None]}))["rooms"].tolist() == [None, "3", None]
    sizes = read({"size": ["m", "s"]}, kinds={"size": ["s", "m"]})
    assert ChangeKind("nominal").fit_transform(sizes).schema["size"] == Nominal("size", ("s", "m"))
    with pytest.raises(RefusalError, match='cut them into bins: "bins x"'):
        ChangeKind().fit(read({"x": np.arange(2000.0)}))
