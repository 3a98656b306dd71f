"""Tables grouped, joined, typed in by hand and drawn."""

import numpy as np
import pytest

from openbook import load, read
from openbook.data import Ordinal
from openbook.errors import DataError, ParameterError, UnknownColumn

PEOPLE = read(
    {
        "town": ["Ulm", "Bonn", "Ulm", "Ulm", None],
        "income": [10.0, 20.0, None, 40.0, 50.0],
        "size": ["s", "l", "l", "l", "s"],
    },
    kinds={"size": ["s", "m", "l"]},
)


def test_a_row_for_each_group_with_its_figures():
    towns = PEOPLE.group_by(
        "town", mean="mean(income)", known="count(income)", rows="count()", usual="mode(size)"
    )
    assert towns["town"].tolist() == ["Ulm", "Bonn", None]
    assert towns["mean"].tolist() == [25.0, 20.0, 50.0]
    assert towns["known"].tolist() == [2.0, 1.0, 1.0]
    assert towns["rows"].tolist() == [3.0, 1.0, 1.0]
    assert towns["usual"].tolist() == ["l", "l", "s"]
    assert towns.schema["usual"] == Ordinal("usual", ("s", "m", "l"))
    assert PEOPLE.group_by("town", d="distinct(size)", s="std(income)")["d"].tolist() == [2.0, 1.0, 1.0]


def test_columns_of_another_table_beside_these():
    rivers = read({"town": ["Ulm", "Kiel"], "river": ["Danube", "Eider"]})
    out = PEOPLE.join(rivers, on="town")
    assert out.names == ("town", "income", "size", "river")
    assert out["river"].tolist() == ["Danube", None, "Danube", "Danube", None]
    assert out.schema["size"] == PEOPLE.schema["size"]
    assert PEOPLE.join(rivers, "town", how="inner")["income"].data[0] == 10
    means = PEOPLE.group_by("town", usual="mean(income)")
    np.testing.assert_array_equal(PEOPLE.join(means, ["town"])["usual"].data[:4], [25, 20, 25, 25])


def test_what_is_wrong_is_said():
    with pytest.raises(UnknownColumn, match="twon"):
        PEOPLE.group_by("twon")
    with pytest.raises(ParameterError, match="must be a figure of a column"):
        PEOPLE.group_by("town", a="avg(income)")
    with pytest.raises(DataError, match="mean is of numbers, and 'size' is ordinal"):
        PEOPLE.group_by("town", a="mean(size)")
    with pytest.raises(DataError, match="both tables have a column 'income'"):
        PEOPLE.join(PEOPLE, "town")
    with pytest.raises(DataError, match="'income' is numeric here and nominal there"):
        PEOPLE.join(read({"income": ["a"]}), "income")
    with pytest.raises(ParameterError, match="how must be one of"):
        PEOPLE.join(PEOPLE, "town", how="outer")


def test_columns_typed_by_hand():
    table = read({"a": [1, 2], "b": ("x", None)})
    assert (table.names, table.shape) == (("a", "b"), (2, 2))
    assert read({"a": 1, "b": "x"}).shape == (1, 2)  # a mapping without lists is one row
    with pytest.raises(DataError, match="'b' has 1 cell, and 'a' has 2"):
        read({"a": [1, 2], "b": [1]})
    with pytest.raises(DataError, match="'b' is one cell"):
        read({"a": [1, 2], "b": 1})


@pytest.mark.parametrize(
    ("name", "classes"), [("ring", 2), ("moons", 2), ("xor", 2), ("blobs", 3), ("spirals", 2)]
)
def test_shapes_are_drawn_with_noise_and_seed(name, classes):
    table = load(name, rows=60, random_state=3)
    assert table.shape == (60, 3)
    assert np.bincount(table["class"].data).tolist() == [60 // classes] * classes
    np.testing.assert_array_equal(table["x1"].data, load(name, rows=60, random_state=3)["x1"].data)
    assert (table["x1"].data != load(name, rows=60, random_state=4)["x1"].data).any()
    exact = load(name, rows=60, noise=0)
    x, y, c = exact["x1"].data, exact["x2"].data, exact["class"].data
    told = {
        "ring": lambda: (np.hypot(x, y) > 1.5) == c,
        "xor": lambda: (x * y < 0) == c,
        "moons": lambda: np.isclose(np.where(c == 0, np.hypot(x, y), np.hypot(x - 1, y - 0.5)), 1),
        "blobs": lambda: np.isclose(np.hypot(x - [0, 4, 2] * 20, y - [0, 0, 3.5] * 20), 0),
        "spirals": lambda: np.isclose(
            np.cos(np.arctan2(y, x) - np.pi * c), np.cos(1.5 * np.pi * (np.hypot(x, y) - 0.2))
        ),
    }[name]()
    assert told.all()


def test_a_noisy_polynomial():
    exact = load("polynomial", noise=0, degree=2)
    np.testing.assert_allclose(exact["y"].data, 2 * exact["x"].data ** 2 - 1, atol=1e-12)
    with pytest.raises(ParameterError, match=r"'polynomial' has no option 'nois'. Did you mean 'noise'"):
        load("polynomial", nois=1)
    with pytest.raises(ParameterError, match="noise must be at least 0"):
        load("moons", noise=-1)
