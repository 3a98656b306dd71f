"""Curves over points: the line is the model's, and the band is the interval of its derivation."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.draw import Numbers, draw_fit, draw_predictions
from openbook.draw.plot import FRAME
from openbook.errors import DataError, ParameterError
from openbook.linear import LinearRegression
from openbook.linear.basis import Polynomial
from openbook.tree import CARTRegressor

SVG = "{http://www.w3.org/2000/svg}"
HOURS = ob.read([{"hours": h, "points": p} for h, p in ((1, 3), (2, 5), (4, 6), (5, 10))])


def points(mark):
    return np.array([pair.split(",") for pair in mark.get("points").split()], dtype=float)


def test_the_line_and_its_band_by_hand():
    """y = 1.5 + 1.5 x; at 3 hours 6, and a new row lies in -0.3637 to 12.3637 (see the guide on lines)."""
    model = LinearRegression().fit(HOURS, "points")
    low, high = model.predict_interval([{"hours": 3}])
    assert [low[0], high[0]] == pytest.approx([-0.363709, 12.3637], rel=1e-5)
    root = ET.fromstring(draw_fit(model, HOURS, "points").svg())
    across, up = Numbers("", np.array([1.0, 2, 4, 5])), Numbers("", np.array([3.0, 5, 6, 10]))
    (line,) = root.iter(f"{SVG}polyline")
    x, y = points(line).T
    (a, b), (c, d) = across.span, up.span
    hours, said = a + (b - a) * x / FRAME[0], c + (d - c) * (1 - y / FRAME[1])
    assert said == pytest.approx(1.5 + 1.5 * hours, abs=0.01)
    assert len([e for e in root.iter(f"{SVG}circle") if e.get("r") == "4"]) == 4


def test_an_interval_needs_more_rows_than_coefficients_and_no_penalty():
    with pytest.raises(ParameterError, match="an interval needs one target"):
        LinearRegression(l2=1.0).fit(HOURS, "points").predict_interval(HOURS)
    with pytest.raises(ParameterError, match="level must lie between 0 and 1, got 2"):
        LinearRegression().fit(HOURS, "points").predict_interval(HOURS, level=2)
    line = draw_fit(LinearRegression(l2=1.0).fit(HOURS, "points"), HOURS, "points")
    assert "band" not in line.body


def test_without_an_intercept_the_interval_is_that_of_the_derivation():
    model = LinearRegression(fit_intercept=False).fit(HOURS, "points")
    row = {"hours": 3}
    shown = str(model.work(row)).partition("interval of a new row")[2]
    low, high = model.predict_interval([row])
    assert f"{low[0]:.4f}"[:6] in shown
    assert f"{high[0]:.4f}"[:6] in shown


def test_several_curves_stand_side_by_side():
    x = np.linspace(0, 1, 12)
    rows = ob.read([{"x": a, "y": b} for a, b in zip(x, np.sin(6 * x), strict=True)])
    models = {f"degree {d}": LinearRegression(basis=Polynomial(d)).fit(rows, "y") for d in (1, 3)}
    picture = draw_fit(models, rows, "y")
    assert picture.body.count("<polyline") == 2
    assert picture.body.count("<circle") == 24
    assert all(name in picture.body for name in models)


def test_the_column_of_the_largest_effect_is_taken_and_the_others_are_held():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = LinearRegression().fit(X, X @ [0.1, 5.0, 0.2])
    picture = draw_fit(model, X, X @ [0.1, 5.0, 0.2])
    assert picture.title == "target by x1"
    assert picture.notes[1].startswith("Others at their mean or mode: x0 = ")


def test_categories_have_a_level_each_and_missing_rows_are_left_out():
    rows = ob.read([{"c": "ab"[i % 2] if i else None, "y": float(i % 2)} for i in range(9)])
    model = CARTRegressor().fit(rows, "y")
    picture = draw_fit(model, rows, "y", "c")
    assert picture.body.count("<polyline") == 2
    assert picture.body.count('r="4"') == 8
    assert picture.notes[0] == "8 of 9 rows."


def test_what_has_no_curve_says_so():
    with pytest.raises(ParameterError, match="predicts classes; draw_boundary shows those"):
        draw_fit(NaiveBayes().fit(ob.load("weather"), "play"), ob.load("weather"), "play")
    with pytest.raises(DataError, match="X has 4 rows, but y has 2"):
        draw_fit(LinearRegression().fit(HOURS, "points"), HOURS.drop("points"), [1.0, 2.0])


def test_any_model_over_rows():
    weather = ob.load("weather")
    assert "play by" in draw_predictions(NaiveBayes().fit(weather, "play"), weather, "play").title
    line = LinearRegression().fit(HOURS, "points")
    assert draw_predictions(line, HOURS, "points", ["hours"]).title == "points by hours"
