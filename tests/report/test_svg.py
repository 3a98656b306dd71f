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


ROWS = [
    svg.ScoreLine("good", 0.8, 0.7, 0.9, "chosen"),
    svg.ScoreLine("base", 0.5, 0.5, 0.5, "baseline"),
    svg.ScoreLine(HOSTILE, 0.6, 0.4, 0.8, "other"),
]


def test_dots_and_whiskers_stand_at_their_figures():
    root = parsed(svg.interval_chart(ROWS, axis="Accuracy", reference=0.5))
    groups = root.findall("g")
    dots = [percent(g.find("circle").get("cx")) for g in groups]
    whiskers = [(percent(g.find("line").get("x1")), percent(g.find("line").get("x2"))) for g in groups]
    ticks = {t.text: percent(t.get("x")) for t in root.findall("text") if t.text in ("0.4", "0.9")}
    # The axis is linear: two ticks fix it, and everything else must lie on the same line.
    slope = (ticks["0.9"] - ticks["0.4"]) / 0.5
    for row, dot, (low, high) in zip(ROWS, dots, whiskers, strict=True):
        for value, x in ((row.mean, dot), (row.low, low), (row.high, high)):
            assert x == pytest.approx(ticks["0.4"] + slope * (value - 0.4), abs=0.01)
    reference = next(line for line in root.findall("line") if line.get("class") == "reference")
    assert percent(reference.get("x1")) == dots[1]
    assert [g.get("class") for g in groups] == ["chosen", "baseline", "other"]


def test_bars_are_as_long_as_their_counts():
    root = parsed(svg.value_bars("Values", [("a", 40), ("b", 10)], rest=3))
    widths = [percent(rect.get("width")) for rect in root.findall("rect")]
    assert widths[0] == pytest.approx(4 * widths[1])
    assert "… and 3 more" in texts(svg.value_bars("Values", [("a", 40), ("b", 10)], rest=3))


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
        svg.interval_chart(ROWS, axis=HOSTILE),
        svg.value_bars(HOSTILE, [(HOSTILE, 3)]),
        svg.histogram(HOSTILE, [1, 2], [0.0, 0.5, 1.0]),
        svg.curve(HOSTILE, [(1, 0.0), (2, 0.0)], axis=HOSTILE),
    ],
    ids=["intervals", "bars", "histogram", "curve"],
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


def test_a_far_baseline_does_not_squeeze_the_leading_learners():
    leaders = [
        svg.ScoreLine(f"learner {i}", 0.98 - i / 100, 0.95 - i / 100, 1 - i / 100, "other") for i in range(4)
    ]
    far = svg.ScoreLine("0R", 0.4, 0.36, 0.44, "baseline")
    root = parsed(svg.interval_chart([*leaders, far], axis="Accuracy", reference=0.4, focus=True))
    ticks = [float(t.text) for t in root.iter() if t.get("class") == "tick middle" and t.text != "Accuracy"]
    assert min(ticks) >= 0.85
    assert sum(each.tag.endswith("polygon") for each in root.iter()) == 1  # the arrow at the edge
    assert sum(each.get("class") == "reference" for each in root.iter()) == 0
    assert any(text.text.startswith("0.400") for text in root.iter() if text.get("class") == "figures end")
    whole = parsed(svg.interval_chart([*leaders, far], axis="Accuracy", reference=0.4))
    assert sum(each.tag.endswith("polygon") for each in whole.iter()) == 0


def test_scores_that_are_all_the_same_are_drawn():
    rows = [svg.ScoreLine(name, 0.0, 0.0, 0.0, "other") for name in ("a", "b")]
    ET.fromstring(svg.interval_chart(rows, axis="drop", reference=0.0))
