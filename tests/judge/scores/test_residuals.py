"""The picture of residuals: rows at their place, the line at 0, the curve, and rows beyond the frame."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import openbook as ob
from openbook.baseline import ZeroR, ZeroRegressor
from openbook.draw import Numbers
from openbook.draw.plot import FRAME
from openbook.errors import ParameterError
from openbook.judge.scores.residuals import beside_truth, residuals
from openbook.report import draw_residuals

SVG = "{http://www.w3.org/2000/svg}"
WIDE, HIGH = FRAME


def find(picture, tag, look):
    return [e for e in ET.fromstring(picture.svg()).iter(SVG + tag) if look in (e.get("class") or "").split()]


def way(picture, look):
    """The points of the one line of this look."""
    (line,) = find(picture, "polyline", look)
    return np.array([pair.split(",") for pair in line.get("points").split()], dtype=float)


def test_rows_are_at_their_place():
    truth, predicted = np.array([3.0, 1.0, 6.0, 2.0]), np.array([1.0, 2.0, 4.0, 3.0])
    picture = residuals("y", truth, predicted)
    off = truth - predicted
    across, up = Numbers("", predicted), Numbers("", np.r_[off, 0.0])
    at = [(float(c.get("cx")), float(c.get("cy"))) for c in find(picture, "circle", "dot")]
    expected = np.column_stack([WIDE * across.position(predicted), HIGH * (1 - up.position(off))])
    np.testing.assert_allclose(at, expected, atol=0.06)
    level = HIGH * (1 - up.position(np.zeros(1))[0])
    np.testing.assert_allclose(way(picture, "dashed"), [(0, level), (WIDE, level)], atol=0.06)
    assert find(picture, "circle", "dot")[2][0].text == "predicted 4, truth 6"
    assert picture.notes == ("4 rows; half of the residuals lie between -1 and 2.",)
    assert not find(picture, "polyline", "c5")  # too few rows for a mean


def test_the_curve_shows_what_was_not_learnt():
    """A constant is off by x - mean: residuals of a line through a parabola bend the same way."""
    x = np.linspace(-1, 1, 300)
    picture = residuals("y", x**2, 0 * x + x / 10)
    points = way(picture, "c5")
    middle = points[len(points) // 2, 1]
    assert points[0, 1] < middle - 50  # higher up in the picture
    assert points[-1, 1] < middle - 50
    assert (np.diff(points[:, 0]) > 0).all()


def test_truth_beside_prediction_has_the_line_where_they_are_the_same():
    truth, predicted = np.array([3.0, 1.0, 6.0, 2.0]), np.array([1.0, 2.0, 4.0, 3.0])
    picture = beside_truth("y", truth, predicted)
    across, up = Numbers("", predicted), Numbers("", truth)
    at = [(float(c.get("cx")), float(c.get("cy"))) for c in find(picture, "circle", "dot")]
    expected = np.column_stack([WIDE * across.position(predicted), HIGH * (1 - up.position(truth))])
    np.testing.assert_allclose(at, expected, atol=0.06)
    ends = HIGH * (1 - up.position(np.array(across.span)))
    np.testing.assert_allclose(way(picture, "dashed"), [(0, ends[0]), (WIDE, ends[1])], atol=0.06)


def test_a_far_row_does_not_squeeze_the_others():
    truth = np.r_[np.linspace(-1, 1, 50), 1000.0]
    picture = residuals("y", truth, np.linspace(0, 1, 51))
    assert picture.notes[-1] == "1 row beyond the frame, shown as triangles at its edge."
    assert len(find(picture, "path", "dot")) == 1
    heights = [float(c.get("cy")) for c in find(picture, "circle", "dot")]
    assert max(heights) - min(heights) > 0.8 * HIGH


def test_equal_predictions_have_no_curve_and_many_rows_are_thinned():
    rng = np.random.default_rng(0)
    picture = residuals("y", rng.normal(size=5000), np.zeros(5000))
    assert not find(picture, "polyline", "c5")
    assert picture.notes[0].startswith("1,000 of 5,000 rows; ")
    assert len(find(picture, "circle", "many")) <= 1000


def test_models_of_any_house():
    X, y = ob.load("diabetes").split("progression")
    picture = draw_residuals(ZeroRegressor().fit(X, y), X, y)
    assert picture.title == "Residuals of progression"
    block = X.block(X.names)
    theirs = draw_residuals(LinearRegression().fit(block, y.data), block, y.data)
    assert theirs.title == "Residuals of target"
    by_name = draw_residuals(ZeroRegressor().fit(X, y), ob.load("diabetes"), "progression")
    assert by_name.svg() == picture.svg()
    with pytest.raises(ParameterError, match=r"ZeroR\(\) predicts classes; draw_boundary shows those"):
        draw_residuals(ZeroR().fit([[1.0]], ["a"]), [[1.0]], ["a"])


def test_both_are_at_the_top():
    assert ob.draw_residuals is draw_residuals
    assert ob.draw_boundary.__name__ == "draw_boundary"
