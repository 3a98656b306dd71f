"""Pictures of models: the regions are what the model says, every row is where it belongs, all is escaped."""

import re
import xml.etree.ElementTree as ET
from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

import openbook as ob
from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.draw import Categories, Numbers, Picture
from openbook.draw.columns import drawable
from openbook.draw.plot import FRAME
from openbook.draw.regions import draw_boundary
from openbook.errors import DataError, ParameterError, RefusalError, UnknownColumn
from openbook.linear import Perceptron
from openbook.neighbors import KNeighborsClassifier
from openbook.svm import SVC

SVG = "{http://www.w3.org/2000/svg}"
WIDE, HIGH = FRAME
X, Y = ob.load("weather").split("play")


def parsed(picture):
    return ET.fromstring(picture.svg())


def areas(picture):
    """The share of the frame of each look, from its rectangles."""
    found = {}
    for path in parsed(picture).iter(f"{SVG}path"):
        look = path.get("class").split()
        if look[0] == "region":
            boxes = re.findall(r"M[\d.]+ [\d.]+h([\d.]+)v([\d.]+)h-[\d.]+z", path.get("d"))
            found[look[1]] = sum(float(w) * float(h) for w, h in boxes) / (WIDE * HIGH)
    return found


def spots(picture, kind):
    """The dots or rings inside the frame, without those of the legend."""
    return [c for c in parsed(picture).iter(f"{SVG}circle") if kind in c.get("class") and c.get("r") == "4"]


def test_regions_are_what_the_model_says():
    """A plane from corner to corner parts the frame into halves; dots lie where their numbers are."""
    X = [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.2, 0.8], [0.8, 0.2]]
    y = ["up", "down", "down", "up", "up", "down"]
    model = Perceptron(coef_init=[-1.0, 1.0], max_iter=0).fit(X[:2], y[:2])  # up where x1 >= x0
    assert model.classes_.tolist() == ["down", "up"]
    picture = draw_boundary(model, X, y, ("x0", "x1"))
    assert areas(picture)["c0"] == pytest.approx(0.5, abs=0.01)
    assert sum(areas(picture).values()) == pytest.approx(1, abs=1e-3)
    at = {(float(c.get("cx")), float(c.get("cy"))) for c in spots(picture, "dot")}
    assert len(at) == 5
    low, high = Numbers("x0", np.array(X)[:, 0]).span
    x, y_ = WIDE * (0.2 - low) / (high - low), HIGH * (1 - (0.8 - low) / (high - low))
    assert any(abs(a - x) < 40 and abs(b - y_) < 40 for a, b in at)
    (ring,) = spots(picture, "ring")  # (0, 0) lies on the plane, and is said to be up
    assert ring.find(f"{SVG}title").text == "down, predicted wrong"


def test_the_grid_is_fine_where_classes_meet():
    """A circle: its share of the frame is right to less than the coarse grid could tell."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = np.hypot(*X.T) < 0.6

    class Disc(ZeroR):
        def predict(self, X):
            block = ob.read(X).block(("x0", "x1"))
            return np.hypot(*block.T) < 0.6

    model = Disc().fit(X, y)
    picture = draw_boundary(model, X, y)
    (a, b), (c, d) = Numbers("", X[:, 0]).span, Numbers("", X[:, 1]).span
    assert areas(picture)["c1"] == pytest.approx(np.pi * 0.36 / ((b - a) * (d - c)), rel=0.005)


def test_categories_have_bands_and_the_others_are_held():
    """Mild has six of 14 rows and false eight: those are the modes of temperature and windy."""
    model = NaiveBayes().fit(X, Y)
    picture = draw_boundary(model, X, Y, ("outlook", "humidity"))
    cells = product(("overcast", "rain", "sunny"), ("high", "normal"))
    rows = [{"outlook": o, "humidity": h, "temperature": "mild", "windy": "false"} for o, h in cells]
    share = np.mean(model.predict(rows) == "No")
    assert 0 < share < 1
    assert areas(picture)["c0"] == pytest.approx(share, abs=1e-3)
    assert picture.notes == (
        "Others at their mean or mode: temperature = mild, windy = false.",
        "Dots: 14 rows, coloured by their class.",
    )
    words = [t.text for t in parsed(picture).iter(f"{SVG}text")]
    assert {"overcast", "rain", "sunny", "high", "normal", "outlook", "humidity", "No", "Yes"} <= set(words)


def test_numbers_meet_categories():
    loan = ob.load("loan")
    inputs, y = loan.split("cheat")
    mixed = draw_boundary(NaiveBayes().fit(inputs, y), inputs, y, ("income", "status"))
    assert "owner = No" in mixed.notes[0]
    assert len(spots(mixed, "dot")) + len(spots(mixed, "ring")) == 10
    held = draw_boundary(NaiveBayes().fit(inputs, y), inputs, y, ("owner", "status"))
    assert held.notes[0] == f"Others at their mean or mode: income = {np.mean(inputs.data('income')):.4g}."


def test_the_two_columns_that_matter_most_are_chosen():
    X, y = ob.load("iris").split("species")
    picture = draw_boundary(NaiveBayes().fit(X, y), X, y)
    assert set(re.findall(r"petal \w+ \(cm\)", picture.title)) == {"petal width (cm)", "petal length (cm)"}
    one = OneR().fit(X, y)
    assert one.attribute_ in draw_boundary(one, X, y).title


def test_missing_cells_are_not_drawn_and_far_rows_stand_at_the_edge():
    x = np.r_[np.linspace(0, 1, 30), 500.0, np.nan]
    X = np.column_stack([x, np.linspace(0, 1, 32)])
    y = ["ab"[i % 2] for i in range(32)]
    picture = draw_boundary(NaiveBayes().fit(X, y), X, y)
    inside = len(spots(picture, "dot")) + len(spots(picture, "ring"))
    edge = [p for p in parsed(picture).iter(f"{SVG}path") if "region" not in p.get("class")]
    assert (inside, len(edge)) == (30, 1)


def test_many_rows_and_many_classes():
    X, y = ob.load("digits").split("digit")
    model = NaiveBayes(distributions="gaussian", variance="mle")
    with pytest.warns(UserWarning, match="NaiveBayes"):
        model.fit(X, y)
    picture = draw_boundary(model, X, y, ("pixel_2_5", "pixel_5_2"))
    assert picture.notes[1].startswith("Dots: 600 of 1,797 rows, coloured by their class.")
    assert "2 rarer classes" in picture.svg()


def test_one_class_everywhere_is_said():
    X, y = ob.load("iris").split("species")
    picture = draw_boundary(ZeroR().fit(X, y), X, y, X.names[:2])
    assert picture.notes[-1].endswith("The model says setosa everywhere in this frame.")
    assert areas(picture) == {"c0": pytest.approx(1.0)}


def test_models_from_elsewhere():
    X, y = ob.load("iris").split("species")
    block = X.block(X.names)
    model = LogisticRegression(max_iter=500).fit(block, np.asarray(y).astype(str))
    picture = draw_boundary(model, block, np.asarray(y).astype(str), ("x2", "x3"))
    assert picture.title == "class by x2 and x3"
    assert len(areas(picture)) == 3


def test_hostile_names_are_escaped():
    name = '<script>alert("x")</script>'
    rows = [{name: float(i), "&amp;": "<b>" if i % 3 else "a\x00b"} for i in range(20)]
    y = ["<i>" if i % 2 else "&" for i in range(20)]
    text = draw_boundary(NaiveBayes().fit(rows, y), rows, y).svg()
    ET.fromstring(text)
    assert "<script>" not in text
    assert "<i>" not in text
    assert "&lt;i&gt;" in text


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (("outlook", "humidty"), UnknownColumn, "no column 'humidty'. Did you mean 'humidity'?"),
        (("outlook", "outlook"), ParameterError, "columns must be two different columns, got"),
        (("outlook",), ParameterError, "columns must be two different columns, got"),
        ("outlook", ParameterError, "columns must be two different columns, got 'outlook'"),
    ],
)
def test_columns_that_cannot_be_drawn(columns, error, message):
    with pytest.raises(error, match=re.escape(message)):
        draw_boundary(ZeroR().fit(X, Y), X, Y, columns)


def test_what_cannot_be_drawn():
    with pytest.raises(ParameterError, match=r"ZeroRegressor\(\) predicts numbers; draw_residuals and"):
        draw_boundary(ZeroRegressor().fit([[1.0]], [2.0]), [[1.0]], [2.0])
    single = X.select(["outlook"])
    with pytest.raises(DataError, match="a boundary needs two columns that vary; there are 1"):
        draw_boundary(ZeroR().fit(single, Y), single, Y)
    words = csr_array(np.eye(3))
    with pytest.raises(RefusalError, match=r"cannot hold sparse columns at a value; pass X\.toarray\(\)"):
        draw_boundary(NaiveBayes().fit(words, list("aba")), words, list("aba"))
    table = ob.read(
        [{"a": 1.0, "b": "long", "c": 2.0}, {"a": 2.0, "b": "text", "c": 5.0}], kinds={"b": "text"}
    )
    with pytest.raises(DataError, match="column 'b' is text, and has no axis"):
        draw_boundary(ZeroR().fit(table, ["x", "y"]), table, ["x", "y"], ("a", "b"))
    assert drawable(table) == ["a", "c"]


def test_a_picture_is_saved_and_shown(tmp_path):
    picture = draw_boundary(ZeroR().fit(X, Y), X, Y, ("outlook", "windy"))
    path = picture.save(tmp_path / "play.svg")
    assert path.read_text(encoding="utf-8") == picture._repr_svg_() + "\n"
    with pytest.raises(DataError, match=r"cannot draw to 'play\.png': the name must end in \.svg"):
        picture.save(tmp_path / "play.png")
    assert "prefers-color-scheme: dark" in picture.svg()
    root = parsed(picture)
    assert root.find(f"{SVG}title").text == "play by outlook and windy"
    assert root.find(f"{SVG}desc").text.startswith("The model says ")


def test_long_words_are_cut():
    picture = Picture("t" * 300, "", ("n" * 300,), "", 400, 100)
    assert "t" * 100 not in picture.svg().split("<style>")[1].split("</title>")[1]
    assert "…" in picture.svg()


@pytest.mark.parametrize(
    "values", [[1.0, 1.0], [0.0, 0.0], [1.0, 2.0], [1e-9, 2e-9, 5e-9], [np.nan], [-5.0, 7e8]]
)
def test_axes_hold_their_values_and_have_ticks(values):
    axis = Numbers("x", np.array(values))
    low, high = axis.span
    assert low < high
    places = [place for place, _ in axis.ticks]
    assert all(0 <= place <= 1 for place in places)
    assert len(places) >= 2
    for value in values:
        assert np.isnan(value) or 0 <= axis.position(np.array(value)) <= 1


def test_dots_of_few_numbers_stay_in_the_frame_and_near_their_number():
    numbers = np.array([0.0, 1.0, 2.0, 3.0] * 50)
    axis = Numbers("n", numbers)
    places = axis.jittered(numbers)
    assert ((places >= 0) & (places <= 1)).all()
    low, high = axis.span
    assert (np.round(low + places * (high - low)) == numbers).all()
    bands = Categories("c", ("a", "b", "c"))
    codes = np.arange(60) % 3
    assert (np.floor(bands.jittered(codes.astype(float)) * 3) == codes).all()


def test_margins_support_vectors_and_their_lines():
    """Two rows at 0 and 2: the plane is x0 = 1, and the margins go through the rows."""
    rows, classes = [[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [2.0, 1.0]], ["a", "b", "a", "b"]
    model = SVC(kernel="linear", C=1e6, scale=False, calibrate=None).fit(rows, classes)
    picture = draw_boundary(model, rows, classes, show=["margin", "support"])
    lines = [p for p in parsed(picture).iter(f"{SVG}polyline") if "ink" in p.get("class")]
    assert [p.get("class") for p in lines] == ["line ink", "line ink dashed", "line ink dashed"]
    low, high = Numbers("", np.array([0.0, 2.0])).span
    at = sorted(low + (high - low) * float(p.get("points").split(",")[0]) / WIDE for p in lines)
    assert at == pytest.approx([0.0, 1.0, 2.0], abs=0.02)
    halos = [c for c in parsed(picture).iter(f"{SVG}circle") if (c.get("class"), c.get("r")) == ("halo", "7")]
    assert len(halos) == len(model.support_)
    with pytest.raises(ParameterError, match="has no margin: that needs two classes"):
        draw_boundary(ZeroR().fit(rows, classes), rows, classes, show=["margin"])
    with pytest.raises(ParameterError, match="has no support vectors among these rows"):
        draw_boundary(ZeroR().fit(rows, classes), rows, classes, show=["support"])


def test_neighbours_and_the_cells_of_the_nearest_rows():
    """Two rows: the border between their cells is in the middle, and a new row is linked to the nearest."""
    rows, classes = [[0.0, 0.0], [2.0, 1.0], [0.0, 1.0], [2.0, 0.0]], ["a", "b", "a", "b"]
    model = KNeighborsClassifier(2, scale=False).fit(rows, classes)
    picture = draw_boundary(model, rows, classes, show=["voronoi"], row={"x0": 0.5, "x1": 0.4})
    links = [p for p in parsed(picture).iter(f"{SVG}polyline") if p.get("class") == "line ink thin"]
    assert len(links) == 2
    (borders,) = (p for p in parsed(picture).iter(f"{SVG}path") if "faint" in p.get("class"))
    upright = {float(x) for x in re.findall(r"M([\d.]+) [\d.]+v", borders.get("d"))}
    assert upright == {WIDE / 2}
    assert {c[0].text for c in parsed(picture).iter(f"{SVG}circle") if c.get("r") == "6"} == {"new row: a"}
    with pytest.raises(ParameterError, match="has no nearest rows, which 'voronoi' needs"):
        draw_boundary(ZeroR().fit(rows, classes), rows, classes, show=["voronoi"])
    with pytest.raises(ParameterError, match="show must be a list of 'margin', 'support', 'voronoi', got"):
        draw_boundary(model, rows, classes, show=["margins"])


def test_several_classifiers_stand_side_by_side():
    models = {"zero": ZeroR().fit(X, Y), "one": OneR().fit(X, Y)}
    picture = draw_boundary(models, X, Y)
    assert "outlook" in picture.title  # of the last one
    assert picture.told.startswith("zero: The model says Yes in 100% of the frame. one: ")
    assert len([r for r in parsed(picture).iter(f"{SVG}rect") if r.get("class") == "frame"]) == 2
