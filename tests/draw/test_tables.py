"""Tables as pictures: what is drawn is what is counted, kinds are kept, and missing cells are told."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import openbook as ob
from openbook.draw import (
    Dates,
    draw_boxes,
    draw_correlations,
    draw_histograms,
    draw_parallel,
    draw_pixels,
    draw_scatter,
    draw_scatter_3d,
    draw_scatter_matrix,
    draw_table,
)
from openbook.errors import DataError, ParameterError, UnknownColumn

SVG = "{http://www.w3.org/2000/svg}"
IRIS, WEATHER, LOAN = (ob.load(name) for name in ("iris", "weather", "loan"))
GAPS = ob.read(
    [{"a": 1.0, "b": 10.0, "c": "x"}, {"a": 2.0, "b": None, "c": "y"}, {"a": None, "b": 30.0, "c": None}]
    + [{"a": float(i), "b": 10.0 * i, "c": "xy"[i % 2]} for i in range(3, 8)]
)


def marks(picture, tag, look=""):
    found = ET.fromstring(picture.svg()).iter(SVG + tag)
    return [e for e in found if look in (e.get("class") or "").split() or not look]


def inside(picture, look="dot"):
    """The dots that are not of the legend."""
    return [c for c in marks(picture, "circle", look) if c.get("r") != "5"]


def test_a_scatter_plot_has_a_dot_for_each_row_in_the_colour_of_its_class():
    picture = draw_scatter(IRIS, "petal length (cm)", "petal width (cm)", "species")
    assert len(inside(picture)) == 150
    assert [len(inside(picture, f"c{c}")) for c in range(3)] == [50, 50, 50]
    assert [c[0].text for c in inside(picture, "c1")] == ["versicolor"] * 50


def test_rows_without_a_value_are_left_out_and_told():
    picture = draw_scatter(GAPS, "a", "b", "c")
    assert len(inside(picture)) == 6
    assert picture.notes == ("6 rows. 2 rows without a value in one of the columns.",)
    coloured = draw_scatter(GAPS, "b", "b", "c")
    assert "missing" in [t.text for t in marks(coloured, "text")]


def test_categories_have_bands_and_numbers_colour_by_fifths():
    picture = draw_scatter(IRIS, "species", "petal width (cm)", "sepal width (cm)")
    thirds = np.histogram([float(c.get("cx")) for c in inside(picture)], [0, 560 / 3, 1120 / 3, 560])[0]
    assert thirds.tolist() == [50, 50, 50]
    keys = [t.text for t in marks(picture, "text") if t.text.startswith(("up to", "above"))]
    assert keys == ["up to 2.7", "up to 3", "up to 3.1", "up to 3.4", "above 3.4"]
    widths = IRIS.data("sepal width (cm)")
    assert len(inside(picture, "s5")) == (widths <= 2.7).sum()


def test_histograms_are_as_high_as_the_counts_of_each_class():
    """Outlook: sunny 3 no and 2 yes, overcast 4 yes, rain 2 no and 3 yes."""
    picture = draw_histograms(WEATHER, "outlook", by="play")
    told = sorted(r[0].text for r in marks(picture, "rect") if len(r))
    assert told == ["No: 2", "No: 3", "Yes: 2", "Yes: 3", "Yes: 4"]
    heights = {r[0].text: float(r.get("height")) for r in marks(picture, "rect") if len(r)}
    assert heights["Yes: 4"] == pytest.approx(2 * heights["No: 2"], abs=0.2)


def test_bins_of_numbers():
    rows = [[value] for value in (1, 1, 2, 3, 3, 3, 6)]
    dice = [int(r[0].text.split(": ")[1]) for r in marks(draw_histograms(rows), "rect") if len(r)]
    assert dice == [2, 1, 3, 1]  # a bin around each whole number, and none where there is nothing
    two = [int(r[0].text.split(": ")[1]) for r in marks(draw_histograms(rows, bins=2), "rect") if len(r)]
    assert two == [6, 1]
    with pytest.raises(ParameterError, match="bins must be a whole number of at least 1, got 0"):
        draw_histograms(rows, bins=0)
    constant = draw_histograms([[2.0], [2.0]], ["x0"])
    assert [r[0].text for r in marks(constant, "rect") if len(r)] == ["rows: 2"]


def test_a_box_by_hand():
    """1 to 9 and 30: quartiles 3.25, 5.5 and 7.75; whiskers at most 1.5 times 4.5 beyond, so 30 is a dot."""
    rows = [[float(value)] for value in [*range(1, 10), 30]]
    picture = draw_boxes(rows)
    (box,) = marks(picture, "rect", "pale")
    assert box[0].text == "10 rows: median 5.5, half in 3.25 to 7.75, whiskers 1 to 9"
    assert [c[0].text for c in inside(picture)] == ["30"]
    assert picture.told == "x0: median 5.5."
    many = draw_boxes(IRIS, by="species")
    assert len(marks(many, "rect", "pale")) == 12
    with pytest.raises(DataError, match="column 'species' is nominal, and a box plot needs numbers"):
        draw_boxes(IRIS, "species")


def test_correlations_by_hand():
    """r of 1 2 3 and 2 4 6 is 1; η of groups (1, 2) and (3): between 1.5 of total 2; V of a table 2 x 2."""
    rows = [
        {"x": 1, "y": -2, "g": "a", "h": "p"},
        {"x": 2, "y": -4, "g": "a", "h": "p"},
        {"x": 3, "y": -6, "g": "b", "h": "q"},
    ]
    written = [t.text for t in marks(draw_correlations(rows), "text", "figure")]
    grid = np.array(written, dtype=float).reshape(4, 4)
    eta = round(np.sqrt(1.5 / 2), 2)
    assert grid[0].tolist() == [1.0, -1.0, eta, eta]
    assert grid[2, 3] == 1.0
    assert (grid == grid.T).all()
    looks = {r[0].text: r.get("class") for r in marks(draw_correlations(rows), "rect") if len(r)}
    assert looks["x,  y: -1.00"] == "c5"
    assert looks["x,  x: 1.00"] == "c0"


def test_a_pair_is_measured_on_the_rows_that_know_both():
    found = draw_correlations(GAPS, ["a", "b"])
    assert found.told == "a and b: 1."
    with pytest.raises(DataError, match="needs two columns that vary; there are 1"):
        draw_correlations([[1.0, 2.0], [1.0, 3.0]])


def test_parallel_lines_go_through_every_column_and_stop_at_gaps():
    picture = draw_parallel(IRIS, colour="species")
    lines = [e for e in marks(picture, "polyline", "thin") if len(e)]
    assert len(lines) == 150
    assert all(len(line.get("points").split()) == 4 for line in lines)
    broken = draw_parallel(GAPS, ["a", "b", "a"])
    assert broken.notes[-1] == "A line is interrupted where a cell is missing."


def test_a_matrix_has_every_pair():
    picture = draw_scatter_matrix(IRIS, colour="species")
    assert len(inside(picture)) == 12 * 150
    assert len(marks(picture, "rect", "frame")) == 16
    names = [t.text for t in marks(picture, "text")]
    assert all(names.count(name) == 2 for name in IRIS.names[1:4])


def test_in_three_dimensions_the_places_are_in_the_marks(tmp_path):
    picture = draw_scatter_3d(IRIS, *IRIS.names[:3], colour="species")
    dots = [c for c in marks(picture, "circle", "dot") if c.get("data-at")]
    assert len(dots) == 150
    at = np.array([c.get("data-at").split() for c in dots], dtype=float)
    assert np.abs(at).max() <= 1
    length = IRIS.data(IRIS.names[0])
    assert at[:, 0].min() == pytest.approx(-at[:, 0].max(), abs=0.01)  # as much room on both sides
    assert np.corrcoef(np.sort(at[:, 0]), np.sort(length))[0, 1] > 0.99999
    page = picture.save(tmp_path / "iris.html").read_text(encoding="utf-8")
    assert page.count("<script>") == 1
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert picture._repr_html_() in page
    assert "<script" not in picture.save(tmp_path / "iris.svg").read_text(encoding="utf-8")
    with pytest.raises(DataError, match=r"must end in \.svg"):
        picture.save(tmp_path / "iris.png")
    gaps = draw_scatter_3d(GAPS, "a", "b", "c")
    assert gaps.notes[1] == "2 rows without a value in one of the columns."


def test_pixels_are_as_dark_as_their_numbers():
    picture = draw_pixels([[0.0, 16.0, 8.0, np.nan]], names=["one"])
    looks = {p.get("class").split()[-1]: p.get("d") for p in marks(picture, "path", "region")}
    assert looks["s16"].startswith("M48.00 0.00")  # the second pixel: the upper right
    assert looks["s8"].startswith("M0.00 48.00")
    assert looks["c5"].startswith("M48.00 48.00")  # missing
    assert "one" in [t.text for t in marks(picture, "text")]
    with pytest.raises(DataError, match=r"3 columns are not a square; give shape=\(lines, columns\)"):
        draw_pixels([[1, 2, 3]])
    assert draw_pixels([[1, 2, 3]], shape=(1, 3)).told == "1 image of 1 x 3 pixels."
    with pytest.raises(ParameterError, match="there are 1 images, but 2 names"):
        draw_pixels([[1, 2, 3, 4]], names=["a", "b"])


def test_the_picture_that_suits_what_is_asked():
    titles = {
        "petal width (cm) by petal length (cm)": ("petal length (cm)", "petal width (cm)"),
        "Histogram of petal length (cm)": ("petal length (cm)",),
        "5 columns by each other": (),
    }
    for title, columns in titles.items():
        assert draw_table(IRIS, *columns).title == title
    assert draw_table(IRIS, *IRIS.names[:3]).title.startswith("petal length (cm) by")
    assert draw_table(LOAN, picture="boxes", colour="cheat").title == "Box plot of income by cheat"
    assert draw_table(LOAN, picture="parallel").title == "Parallel coordinates"
    with pytest.raises(ParameterError, match=r"no picture 'boxs' of a table\. Did you mean 'boxes'"):
        draw_table(LOAN, picture="boxs")
    with pytest.raises(ParameterError, match="give x before y"):
        draw_table(LOAN, y="income")
    with pytest.raises(UnknownColumn, match="no column 'incme'"):
        draw_table(LOAN, "incme")


def test_hostile_names_are_escaped_everywhere():
    name = '<script>alert("x")</script>'
    rows = ob.read([{name: float(i % 5), "&": "<b>" if i % 2 else "</svg>"} for i in range(20)])
    for picture in (
        draw_scatter(rows, name, "&", "&"),
        draw_histograms(rows, by="&"),
        draw_boxes(rows, by="&"),
        draw_correlations(rows),
        draw_parallel(rows),
        draw_scatter_3d(rows, name, "&", name, "&"),
    ):
        ET.fromstring(picture.svg())
        assert "<script>" not in picture.svg()


def test_dates_stay_dates():
    """Ten days from 2024-03-01 on, of which the middle lies between the 5th and the 6th."""
    rows = ob.read([{"day": f"2024-03-{i:02d}", "n": float(i)} for i in range(1, 11)])
    texts = [t.text for t in marks(draw_scatter(rows, "day", "n"), "text")]
    assert [text for text in texts if text.startswith("2024")] == [
        "2024-03-02",
        "2024-03-04",
        "2024-03-06",
        "2024-03-08",
        "2024-03-10",
    ]
    assert not any("19," in text for text in texts)
    assert draw_boxes(rows, "day").told == "day: median 2024-03-05 12:00."
    assert draw_histograms(rows, "day").told == "day: 10 rows from 2024-03-01 to 2024-03-10."
    coloured = [t.text for t in marks(draw_scatter(rows, "n", "n", "day"), "text")]
    assert any(text.startswith("up to 2024-03-") for text in coloured)


@pytest.mark.parametrize(
    ("first", "last", "word"),
    [
        ("2024-03-01", "2024-03-01T05", "2024-03-01 03:00"),
        ("2020-02-01", "2024-02-01", "2022"),
        ("1800", "2020", "1900"),
        ("1970-01-01T01", "1970-01-01T22", "12:00"),  # times of day
    ],
)
def test_ticks_of_dates_are_where_the_calendar_turns(first, last, word):
    start = np.datetime64("1970-01-01", "s")
    days = [(np.datetime64(end, "s") - start).astype(float) / 86_400 for end in (first, last)]
    ticks = Dates("t", np.array(days)).ticks
    assert word in [words for _, words in ticks]
    assert 2 <= len(ticks) <= 6
    assert all(0 <= place <= 1 for place, _ in ticks)
