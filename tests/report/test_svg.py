"""The pictures: every figure is in them, also for those who cannot see, and they are well-formed."""

import math
import xml.etree.ElementTree as ET

import pytest

from openbook.draw.axes import round_ticks
from openbook.report import svg

HOSTILE = "<script>alert(1)</script>&\"'\x1b[2J\n"


def parsed(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def texts(picture: str) -> list[str]:
    return [element.text for element in parsed(picture).iter("text")]


def percent(value: str) -> float:
    return float(value.removesuffix("%"))


def test_bars_are_as_long_as_their_counts():
    root = parsed(svg.value_bars("Values", [("a", 40), ("b", 10)], rest=3))
    widths = [percent(rect.get("width")) for rect in root.findall("rect")]
    assert widths[0] == pytest.approx(4 * widths[1])
    assert "… and 3 more" in texts(svg.value_bars("Values", [("a", 40), ("b", 10)], rest=3))


def test_labels_end_before_the_bars_begin():
    """A card has 236 pixels inside, and bars begin at 42% of them; wide letters have 7.5 pixels."""
    assert "no checking …" in texts(svg.value_bars("Values", [("no checking account", 394)]))
    assert 7.5 * len("no checking …") < 0.42 * 236


def test_a_histogram_is_as_high_as_its_counts_and_says_its_range():
    picture = svg.histogram("Ages", [2, 0, 8], [10.0, 20.0, 30.0, 40.0])
    heights = [float(rect.get("height")) for rect in parsed(picture).findall("rect")]
    assert len(heights) == 2  # an empty bin has no bar
    assert heights[1] == pytest.approx(4 * heights[0], rel=0.01)
    assert texts(picture) == ["10", "40"]
    assert "20 to 30: 0" in parsed(picture).find("desc").text


def test_a_curve_falls_where_its_values_fall():
    picture = svg.curve("Error", [(1, 0.4), (2, 0.2), (5, 0.0)], axis="trees")
    (line,) = parsed(picture).iter("polyline")
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    assert points == [(0, 0), (25, 50), (100, 100)]  # across from 1 to 5; down from 0.4 to 0
    assert {"1", "5", "trees", "0", "0.4"} <= set(texts(picture))
    assert "after 2: 0.2" in parsed(picture).find("desc").text


def test_bars_of_shares_are_written_as_shares():
    assert "25.0%" in texts(svg.value_bars("Shares", [("a", 0.75), ("b", 0.25)], form="{:.1%}"))


@pytest.mark.parametrize(
    "picture",
    [
        svg.value_bars(HOSTILE, [(HOSTILE, 3)]),
        svg.histogram(HOSTILE, [1, 2], [0.0, 0.5, 1.0]),
        svg.curve(HOSTILE, [(1, 0.0), (2, 0.0)], axis=HOSTILE),
    ],
    ids=["bars", "histogram", "curve"],
)
def test_a_picture_is_well_formed_and_told_whatever_the_names(picture):
    root = parsed(picture)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert root.find("title").text
    assert root.find("desc").text
    assert not list(root.iter("script"))
    assert "\x1b" not in picture


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (0.5, 0.5), (0.0, 0.0), (-3.0, 700.0), (1e-9, 2e-9), (0.94, 0.97)]
)
def test_the_axis_holds_its_values_with_few_round_ticks(low, high):
    start, end, ticks = round_ticks(low, high)
    assert start <= low
    assert end >= high
    assert start < end
    assert 2 <= len(ticks) <= 8
    assert all(math.isfinite(tick) for tick in ticks)
