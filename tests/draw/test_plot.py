"""Marks are where their numbers are, whatever the size of the frame; what is missing is not drawn."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from openbook.draw import Blank, Categories, Marks, Numbers
from openbook.draw.plot import Plot, panels

SVG = "{http://www.w3.org/2000/svg}"


def marks(picture, tag):
    return list(ET.fromstring(picture.svg()).iter(SVG + tag))


def way(mark):
    return np.array([pair.split(",") for pair in mark.get("points").split()], dtype=float)


def square(size=(100, 100)):
    return Plot(Blank(0, 10), Blank(0, 10), size)


def test_dots_are_at_their_places_and_those_beyond_at_the_edge():
    plot = square()
    plot.dots([1, 5, np.nan, 20], [2, 5, 5, 5], "dot c0", ["a", "b", "c", "d"])
    picture = plot.picture("t")
    assert [(c.get("cx"), c.get("cy")) for c in marks(picture, "circle")] == [
        ("10.0", "80.0"),
        ("50.0", "50.0"),
    ]
    (edge,) = marks(picture, "path")
    assert edge.get("d").startswith("M93.0 45.0")
    assert edge[0].text == "d"


def test_a_line_is_interrupted_where_a_number_is_missing():
    plot = square()
    plot.line([0, 1, 2, 3, 4], [0, 0, np.nan, 5, 5], "c0", "y")
    first, second = marks(plot.picture("t"), "polyline")
    assert way(first).tolist() == [[0, 100], [10, 100]]
    assert way(second).tolist() == [[30, 50], [40, 50]]


def test_the_contour_of_a_circle_is_one_closed_way():
    x = y = np.linspace(-2, 2, 81)
    z = x**2 + y[:, None] ** 2
    plot = Plot(Blank(-2, 2), Blank(-2, 2), (400, 400))
    (found,) = plot.contour(x, y, z, 1.0, "ink dashed", "r = 1")
    assert np.hypot(*found.T) == pytest.approx(np.ones(len(found)), abs=0.01)
    assert found[0] == pytest.approx(found[-1])
    assert len(marks(plot.picture("t"), "polyline")) == 1
    assert plot.contour(x, y, z, 100.0, "ink") == []


def test_a_contour_with_holes_in_the_surface():
    x = y = np.arange(5.0)
    z = np.add.outer(y, x)
    z[2, 2] = np.nan
    ways = square().contour(x, y, z, 3.5, "ink")
    assert all(point.sum() == pytest.approx(3.5) for each in ways for point in each)


def test_an_ellipse_lies_one_standard_deviation_around():
    covariance = np.array([[4.0, 1.0], [1.0, 1.0]])
    plot = square((1000, 1000))
    plot.ellipse([5, 5], covariance, 1, "c0")
    points = way(marks(plot.picture("t"), "polyline")[0]) / 100
    off = np.column_stack([points[:, 0] - 5, 5 - points[:, 1]])
    distances = np.einsum("ij,jk,ik->i", off, np.linalg.inv(covariance), off)
    assert distances == pytest.approx(np.ones(len(off)), abs=0.01)


def test_regions_fill_the_frame_and_borders_lie_between():
    plot = square()
    codes = np.array([[0, 0, 1], [0, 1, 1], [-1, 1, 1]])
    plot.regions(codes, ["c0", "c1"])
    plot.borders(codes, "ink thin")
    *filled, lines = marks(plot.picture("t"), "path")
    areas = {
        path.get("class"): sum(
            float(w) * float(h) for w, h in re.findall(r"h([\d.]+)v([\d.]+)h-", path.get("d"))
        )
        for path in filled
    }
    assert areas == {
        "region c0": pytest.approx(3 / 9 * 100**2, rel=0.01),
        "region c1": pytest.approx(5 / 9 * 100**2, rel=0.01),
    }
    assert lines.get("d").count("M") == 3 + 2  # three upright ones, two level ones


def test_bars_start_at_zero_and_are_as_long_as_their_numbers():
    plot = Plot(Numbers.between("", -4, 4), Categories("", ("a", "b")), (600, 200))
    plot.bars([2, -4], ["c0", "c1"], ["two", "minus four"])
    right, left = (r for r in marks(plot.picture("t"), "rect") if r.get("class") in ("c0", "c1"))
    assert float(left.get("width")) == pytest.approx(2 * float(right.get("width")), abs=0.2)
    assert float(left.get("x")) + float(left.get("width")) == pytest.approx(float(right.get("x")), abs=0.2)


def test_plots_side_by_side_share_a_legend():
    plots = [square() for _ in range(4)]
    for plot in plots:
        plot.line([0, 1], [0, 1], "c0", "the line")
    picture = panels(plots, ["one", "two", "three", "four"], 3, "t")
    texts = [t.text for t in marks(picture, "text")]
    assert texts.count("the line") == 1
    assert {"one", "two", "three", "four"} <= set(texts)
    assert len(marks(picture, "polyline")) == 4
    places = [g.get("transform") for g in marks(picture, "g")]
    assert len(set(places)) == len(places)


def test_ticks_that_would_meet_are_left_out():
    wide, narrow = (
        [
            t.text
            for t in marks(
                Plot(Numbers.between("", 10_000, 70_000), Blank(0, 1), (w, 50)).picture("t"), "text"
            )
        ]
        for w in (600, 120)
    )
    assert len(narrow) < len(wide)


def test_a_logarithmic_axis_has_powers_of_ten():
    axis = Marks.powers("λ", 0.02, 300)
    assert axis.words == ("0.01", "0.1", "1", "10", "100", "1,000")
    places = axis.position(np.log10([0.01, 0.1, 1.0]))
    assert np.diff(places)[0] == pytest.approx(np.diff(places)[1])


def test_an_arrow_ends_in_its_head():
    plot = square()
    plot.arrow([0, 5], [0, 0], "c5")
    (head,) = marks(plot.picture("t"), "polygon")
    assert way(head)[0].tolist() == [50, 100]
    assert (way(head)[1:, 0] == 41).all()


def test_labels_stay_inside_and_apart():
    plot = square((200, 100))
    plot.labels([10, 10, 0], [5, 5, 0], ["right", "right too", "left"])
    boxes = [
        (float(t.get("x")), float(t.get("y"))) for t in marks(plot.picture("t"), "text") if t.text != "t"
    ]
    assert all(0 <= x <= 200 and 0 <= y <= 100 for x, y in boxes)
    assert abs(boxes[0][1] - boxes[1][1]) >= 15
