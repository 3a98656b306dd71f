"""Drawings of trees made by hand: text, DOT, and SVG in which nothing overlaps."""

import random
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from openbook import load
from openbook.data import Nominal, Numeric, Schema
from openbook.errors import DataError, ParameterError
from openbook.tree import DecisionTreeClassifier
from openbook.tree.show.drawing import draw
from openbook.tree.show.ruleset import rules

SVG = "{http://www.w3.org/2000/svg}"


def parsed(drawing):
    """The picture's root; that it can be parsed at all is half the test."""
    return ET.fromstring(drawing.svg())


def boxes(root):
    """Left, top, right, bottom of every node's frame."""
    found = []
    for rect in root.iter(f"{SVG}rect"):
        if {"test", "end"} & set(rect.get("class").split()):
            x, y, w, h = (float(rect.get(a)) for a in ("x", "y", "width", "height"))
            found.append((x, y, x + w, y + h))
    return found


def words(root):
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def random_tree(by_hand, leaves, seed, letters=8):
    """A classifier's tree of so many leaves, its names so long."""
    rng = random.Random(seed)
    names = ["".join(rng.choices("abcdefgh_WM", k=letters)) for _ in range(4)]
    schema = Schema((*map(Numeric, names), Nominal("n" * letters, ("one", "two", "v" * letters))))

    def grown(n):
        if n == 1:
            return [rng.randint(1, 50), rng.randint(0, 50), rng.randint(0, 50)]
        if n > 2 and rng.random() < 0.3:
            parts = [grown(1), grown(rng.choice([1, n - 2]) if n == 3 else n - 2), grown(1)]
            return by_hand.split("n" * letters, *parts, groups=[[v] for v in schema.attributes[4].values])
        left = rng.randint(max(1, n // 4), n - max(1, n // 4))
        return by_hand.split(rng.choice(names), grown(left), grown(n - left), cut=rng.gauss(0, 1))

    return by_hand.classifier(schema, grown(leaves), "y", ["a", "b", "c"])


def test_the_weather_as_text(weather):
    assert draw(weather).text().splitlines() == [
        "play (14 rows)",
        "├── outlook = overcast: Yes (4 of 4)",
        "├── outlook = rain (5)",
        "│   ├── windy = false: Yes (3 of 3)",
        "│   └── windy = true: No (2 of 2)",
        "└── outlook = sunny (5)",
        "    ├── humidity = high: No (3 of 3)",
        "    └── humidity = normal: Yes (2 of 2)",
    ]
    assert str(draw(weather)) == draw(weather).text()


def test_what_lies_too_deep_is_counted(weather, prices):
    assert draw(weather, max_depth=1).text().splitlines() == [
        "play (14 rows)",
        "├── outlook = overcast: Yes (4 of 4)",
        "├── outlook = rain: Yes (3 of 5), … 2 leaves hidden",
        "└── outlook = sunny: No (3 of 5), … 2 leaves hidden",
    ]
    mean = (100 * 3 + 250.5 * 2 + 180 * 5) / 10
    assert draw(prices, max_depth=np.int64(0)).text() == f"price (10 rows): {mean} (10), … 3 leaves hidden"
    assert draw(weather, 2).text() == draw(weather, 99).text() == draw(weather).text()


def test_an_empty_leaf_says_so(by_hand):
    schema = Schema((Numeric("x"),))
    model = by_hand.classifier(schema, by_hand.split("x", [2, 1], [0, 0], cut=0.5), "y", ["a", "b"])
    assert draw(model).text().splitlines()[2] == "└── x > 0.5: a (no rows)"
    assert "ano rows" in words(parsed(draw(model)))


def test_as_dot(by_hand):
    schema = Schema((Nominal('the "x"', ("a\\b", "c")),))
    root = by_hand.split('the "x"', [2, 1], [0, 3], groups=[["a\\b"], ["c"]])
    assert draw(by_hand.classifier(schema, root, "y", ["n", "p"])).dot().splitlines()[3:] == [
        r'  0 [label="the \"x\"\n6"]',
        r'  0 -> 1 [label="a\\b"]',
        '  0 -> 2 [label="c"]',
        '  1 [label="n (2 of 3)", style=rounded]',
        '  2 [label="p (3 of 3)", style=rounded]',
        "}",
    ]


def test_the_weather_as_a_picture(weather):
    root = parsed(draw(weather))
    said = words(root)
    assert {"overcast", "rain", "sunny", "high", "normal", "false", "true"} <= set(said)
    assert "Yes4 of 4" in said  # a name and, at a distance, its rows
    assert len(boxes(root)) == 8
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert "outlook = rain\n5 of 14 training rows (35.7%)\nYes 3, No 2\ntests windy" in titles
    assert "humidity = high\n3 of 14 training rows (21.4%)\nNo 3\npredicts No" in titles


def test_the_bars_are_the_classes_shares(loans):
    (frame, *bars) = next(
        list(group.iter(f"{SVG}rect"))
        for group in parsed(draw(loans)).iter(f"{SVG}g")
        if (title := group.find(f"{SVG}title")) is not None and "low 5, middle 1" in title.text
    )
    assert frame.get("class") == "end c0"
    assert [bar.get("class") for bar in bars] == ["c0", "c1"]
    low, middle = (float(bar.get("width")) for bar in bars)
    assert low / (low + middle) == pytest.approx(5 / 6, abs=1e-3)


def test_a_gauge_shows_where_a_mean_lies(prices):
    gauges = [r for r in parsed(draw(prices)).iter(f"{SVG}rect") if r.get("class") in ("track", "c0")]
    pairs = zip(gauges[::2], gauges[1::2], strict=True)
    shares = [float(part.get("width")) / float(full.get("width")) for full, part in pairs]
    means = [170.1, 100, (2 * 250.5 + 5 * 180) / 7, 250.5, 180]
    assert shares == pytest.approx([(mean - 100) / 150.5 for mean in means], abs=1e-3)


@pytest.mark.parametrize(("leaves", "letters"), [(2, 40), (5, 8), (9, 30), (12, 4), (16, 8), (25, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_no_box_lies_on_another_or_outside(by_hand, leaves, letters, seed):
    root = parsed(draw(random_tree(by_hand, leaves, seed, letters)))
    found = boxes(root)
    if not found:  # an outline, which has lines for boxes
        assert float(root.get("width")) < 1300
        return
    for i, (left, top, right, bottom) in enumerate(found):
        assert left >= -0.1
        assert right <= float(root.get("width")) - 39
        assert bottom <= float(root.get("height"))
        for other in found[:i]:
            assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]


@pytest.mark.parametrize("letters", [6, 60])
def test_fifty_leaves_are_no_wider_than_a_page(by_hand, letters):
    model = random_tree(by_hand, 50, 1, letters)
    root = parsed(draw(model))
    lines = [row for row in root.iter(f"{SVG}rect") if row.get("class") == "row"]
    assert len(lines) == model.tree_.size
    assert float(root.get("width")) < 1300


def test_a_very_deep_tree_can_be_drawn(by_hand):
    root = [1, 0]
    for cut in range(1500):  # deeper than Python recurses
        root = by_hand.split("x", root, [0, 1], cut=float(cut))
    model = by_hand.classifier(Schema((Numeric("x"),)), root, "y", ["a", "b"])
    assert len(parsed(draw(model)).findall(f".//{SVG}g/{SVG}title")) == 3001
    assert draw(model).text().splitlines()[-1] == "└── x > 1499: b (1 of 1)"
    assert len(rules(model)) == 1501
    assert str(rules(model)[1]) == "if 0 < x <= 1 then y = b"


def test_long_thresholds_are_cut_in_the_picture_and_whole_in_the_tooltip(by_hand):
    model = by_hand.classifier(
        Schema((Numeric("x"),)), by_hand.split("x", [1, 0], [0, 1], cut=0.1 + 0.2), "y", ["a", "b"]
    )
    svg = draw(model).svg()
    assert "≤ 0.3…" in svg
    assert "x &lt;= 0.30000000000000004\n" in svg
    assert "0.30000000000000004" in draw(model).text()


def test_hidden_leaves_are_told_in_the_picture(weather):
    said = words(parsed(draw(weather, max_depth=1)))
    assert "14 training rows; 4 leaves hidden below the last tests" in said
    assert "Yes3 of 5, … 2 leaves" in said


def test_rare_classes_share_a_grey(by_hand):
    counts = list(range(12, 0, -1))
    model = by_hand.classifier(
        Schema((Numeric("x"),)),
        by_hand.split("x", counts, [0] * 11 + [1], cut=0.5),
        "y",
        list("abcdefghijkl"),
    )
    root = parsed(draw(model))
    assert "4 rarer classes" in words(root)
    assert "i" not in words(root)
    assert "end c8" in {rect.get("class") for rect in root.iter(f"{SVG}rect")}


def test_hostile_names_stay_names(by_hand):
    bad = "</svg><script>alert('\"&\x1b')</script>"
    schema = Schema((Nominal(bad, (bad, "b")),))
    model = by_hand.classifier(
        schema, by_hand.split(bad, [1, 0], [0, 1], groups=[[bad], ["b"]]), bad, [bad, "ok"]
    )
    drawing = draw(model)
    assert not list(parsed(drawing).iter(f"{SVG}script"))
    assert "<script" not in drawing.svg()
    assert "\x1b" not in drawing.svg() + drawing.text() + drawing.dot()


def test_light_and_dark_have_the_same_colours_to_fill(weather):
    style = parsed(draw(weather)).find(f"{SVG}style").text
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    for look in ("text", ".paper", ".soft", ".way", ".said", ".test", ".track"):
        assert re.search(rf"\.ob-tree {re.escape(look)} ", light)
        assert re.search(rf"\.ob-tree {re.escape(look)} ", dark)


def test_it_is_saved_by_the_name_of_the_file(weather, tmp_path):
    drawing = draw(weather)
    for suffix, text in ((".svg", drawing.svg()), (".DOT", drawing.dot()), (".txt", drawing.text())):
        drawing.save(tmp_path / f"tree{suffix}")
        assert (tmp_path / f"tree{suffix}").read_text(encoding="utf-8") == text + "\n"
    assert drawing._repr_svg_() == drawing.svg()
    with pytest.raises(
        DataError, match=r"cannot draw to 'tree\.png': the name must end in \.svg, \.dot, \.txt"
    ):
        drawing.save(tmp_path / "tree.png")


@pytest.mark.parametrize("depth", [-1, 1.5, "2"])
def test_a_depth_is_a_whole_number(weather, depth):
    with pytest.raises(ParameterError, match="max_depth must be a whole number of at least 0, or None, got"):
        draw(weather, max_depth=depth)


def test_only_a_tree_can_be_drawn():
    with pytest.raises(TypeError, match="Schema has no tree_; pass one fitted decision tree"):
        draw(Schema(()))


def test_a_fitted_tree_draws_itself():
    X, y = load("weather").split("play")
    model = DecisionTreeClassifier().fit(X, y)
    assert model.draw().text() == draw(model).text()
    assert model.draw(max_depth=1).text() == draw(model, 1).text()
