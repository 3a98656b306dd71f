"""The heat map of a confusion table, with few classes and with many."""

import xml.etree.ElementTree as ET

import numpy as np

from openbook.judge import Confusion

SVG = "{http://www.w3.org/2000/svg}"


def elements(picture, tag):
    return list(ET.fromstring(picture.svg()).iter(SVG + tag))


def cells(picture):
    return [box for box in elements(picture, "rect") if box.get("class") != "paper"]


def written(picture):
    return [text.text for text in elements(picture, "text") if "figure" in (text.get("class") or "")]


def test_two_classes():
    picture = Confusion([[120, 20], [15, 45]], ["healthy", "ill <50"]).draw()
    boxes = cells(picture)
    assert [box.get("class") for box in boxes] == ["c0", "c5", "c5", "c0"]
    shades = [float(box.get("fill-opacity")) for box in boxes]
    assert shades[0] > shades[3] > shades[2] > shades[1]  # 120/140, 45/60, 15/60, 20/140
    assert written(picture) == ["120", "86%", "20", "14%", "15", "25%", "45", "75%"]
    assert boxes[1][0].text == "truth healthy, predicted ill <50: 20"
    assert picture.notes[0] == "200 rows; accuracy 0.825 [0.766, 0.871] (95%, Wilson)."
    assert "truly ill <50: 15 predicted healthy, 45 predicted ill <50" in picture.told


def test_twenty_classes_stay_legible():
    rng = np.random.default_rng(0)
    counts = np.diag(rng.integers(40, 300, 20)) + (rng.random((20, 20)) < 0.1)
    counts[3, 3] = 12_345
    picture = Confusion(counts, [f"a long name of class {i}" for i in range(20)]).draw()
    assert picture.width < 900
    assert picture.height < 900
    boxes = cells(picture)
    assert min(float(box.get("width")) for box in boxes) >= 28
    assert "0" not in written(picture)  # blank, so that the others are seen
    assert "12k" in written(picture)
    slanted = [t.text for t in elements(picture, "text") if "rotate(-45)" in (t.get("transform") or "")]
    assert len(slanted) == 20
    assert slanted[0] == "a long name of …"


def test_a_class_without_rows_is_blank():
    picture = Confusion([[3, 0], [0, 0]], ["a", "b"]).draw()
    assert [box.get("class") for box in cells(picture)] == ["c0", "none", "none", "none"]
