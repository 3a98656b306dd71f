"""Pictures of linear models: lines where the weights say, ellipses around the means, paths."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import openbook as ob
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.linear import (
    LinearDiscriminantAnalysis,
    LinearRegression,
    Perceptron,
    QuadraticDiscriminantAnalysis,
)

IRIS = ob.load("iris")
SVG = "{http://www.w3.org/2000/svg}"
SQUARE = [[1, 1], [1, 2], [0, 0], [-1, 0]]
SIDES = [1, 1, -1, -1]


def lines(picture, look):
    found = ET.fromstring(picture.svg()).iter(f"{SVG}polyline")
    return [e for e in found if e.get("class") == f"line {look}"]


def test_the_line_of_a_perceptron_moves_at_every_mistake():
    """The example of the class: updates 1, 2 and 0, from weights 0, which have no line."""
    model = Perceptron().fit(SQUARE, SIDES)
    picture = model.draw_steps(SQUARE, SIDES)
    assert picture.notes[0] == "3 changes in 3 epochs."
    (last,) = lines(picture, "ink")
    assert len(ET.fromstring(picture.svg()).findall(f".//{SVG}circle[@r='4']")) == 4
    # theta = (-2, 2, 2): the line x0 + x1 = 1 falls by as much as it goes right, in units of the axes
    ends = np.array([pair.split(",") for pair in last.get("points").split()], dtype=float)
    assert ends[0][0] < ends[-1][0] or ends[0][0] > ends[-1][0]
    slope = (ends[-1][1] - ends[0][1]) / (ends[-1][0] - ends[0][0])
    assert slope > 0  # downwards in pixels


def test_a_moving_line_needs_two_classes_and_the_rows_it_learnt():
    model = Perceptron(keep="pocket").fit(IRIS, "species")
    with pytest.raises(ParameterError, match="a line parts two classes, and there are 3"):
        model.draw_steps(IRIS, "species")
    with pytest.raises(DataError, match="y has a class that the model does not know"):
        Perceptron().fit(SQUARE, SIDES).draw_steps(SQUARE, [1, 1, 2, 2])
    assert "largest |weight| of any class" in model.draw().svg()
    assert Perceptron().fit(SQUARE, SIDES).draw().told == "x0: 2; x1: 2"
    assert Perceptron().fit(SQUARE, SIDES).draw(SQUARE, SIDES).title == "class by x0 and x1"


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()])
def test_classes_of_a_discriminant_are_ellipses(learner):
    model = learner.fit(IRIS, "species")
    picture = model.draw()
    assert tuple(re.findall(r"<title>mean of (\w+)</title>", picture.svg())) == IRIS.schema["species"].values
    assert sum(len(lines(picture, f"c{c}")) for c in range(3)) == 3
    assert "petal length (cm)" in picture.body
    assert "petal width (cm)" in picture.body
    other = model.draw(columns=("sepal length (cm)", "sepal width (cm)"))
    assert "petal" not in other.body
    with pytest.raises(UnknownColumn, match="no column 'petal'"):
        model.draw(columns=("petal", "sepal width (cm)"))
    with pytest.raises(ParameterError, match="columns must be two different columns"):
        model.draw(columns=("sepal width (cm)",))
    assert "by" in model.draw(IRIS, "species").title


def test_one_column_has_densities():
    picture = LinearDiscriminantAnalysis().fit(IRIS[["petal length (cm)", "species"]], "species").draw()
    assert "prior times density" in picture.body
    assert len(ET.fromstring(picture.svg()).findall(f".//{SVG}polyline")) == 3


def test_paths_begin_without_a_column_and_end_with_all():
    path = LinearRegression().fit(ob.load("diabetes"), "progression").path(n=20)
    picture = path.draw()
    assert picture.notes == (
        f"From no column on the right to {np.count_nonzero(path.coef[-1])} of 10 on the left.",
    )
    drawn = ET.fromstring(picture.svg()).findall(f".//{SVG}polyline")
    assert len(drawn) == 10 + 1  # a line for each column, and that of 0
    assert "2 smaller ones" in picture.body
