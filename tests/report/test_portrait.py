"""What is shown of a model: as much of a tree as can be looked at, and no more than is true."""

import numpy as np

import openbook as ob
from openbook.ensemble import AdaBoostClassifier, ExtraTreesClassifier, RandomForestClassifier
from openbook.report.blocks import Paragraph
from openbook.report.portrait import legible, portrait
from openbook.tree import CART, ID3, DecisionTreeClassifier, ModelTreeRegressor

X, Y = ob.load("weather").split("play")


def steps(n):
    """A number and a class that changes with every number: a tree of n leaves."""
    return [[float(i)] for i in range(n)], ["ab"[i % 2] for i in range(n)]


def test_a_small_tree_is_drawn_whole():
    drawing = legible(ID3().fit(X, Y))
    assert sum(not place.children for place in drawing.places) == 5


def test_a_big_tree_is_drawn_as_deep_as_it_is_legible_and_says_what_is_hidden():
    model = DecisionTreeClassifier().fit(*steps(200))
    shown = portrait(model, None)
    ends = [place for place in legible(model).places if not place.children]
    hidden = sum(place.hidden for place in ends)
    assert 2 < len(ends) <= 30
    assert hidden + sum(not place.hidden for place in ends) == 200  # every leaf is drawn or counted
    words, drawing, rules = shown
    assert words.words.startswith(
        "A tree with 200 leaves. It splits on the only column. The drawing stops at depth "
    )
    assert words.words.endswith(f": {hidden} leaves are hidden.")
    assert "<svg" in drawing.picture
    assert len(rules.rows) == 10
    assert rules.note.endswith("190 more rules cover the other 95.0%.")


def test_rules_stand_in_order_of_what_they_cover():
    rules = portrait(ID3().fit(X, Y), X)[-1]
    assert [row.cells[2] for row in rules.rows] == ["4", "3", "3", "2", "2"]
    assert rules.rows[0].cells == ("outlook = overcast", "play = Yes", "4", "28.6%", "100.0%")
    assert rules.header == ("if", "then", "rows", "share", "confidence")


def test_a_single_leaf_is_said_and_not_drawn():
    words = "A tree with a single leaf: no split improves it, so all rows get the same prediction."
    assert portrait(CART().fit(X, Y), X) == [Paragraph(words)]


def test_a_model_tree_shows_its_lines():
    """y = x / 2 below 20, and 90 - 2 x from there on."""
    x = [[float(i)] for i in range(40)]
    model = ModelTreeRegressor(smoothing=False).fit(x, [i / 2 if i < 20 else 90 - 2 * i for i in range(40)])
    words, _, lines = portrait(model, X)
    assert "Each leaf has a linear model" in words.words
    assert [row.cells[1] for row in lines.rows] == ["target = 0.5 × x0", "target = 90 - 2 × x0"]
    words, _ = portrait(ModelTreeRegressor().fit(x, [float(i) for i in range(40)]), X)  # and no drawing
    assert words.words.endswith("so one linear model predicts all rows.")


def test_a_forest_shows_how_it_grew_and_what_it_looks_at():
    model = RandomForestClassifier(n_estimators=30, random_state=0).fit(X, Y)
    words, shares, curve = portrait(model, X)
    assert words.words.startswith("30 trees of ")
    assert f"{model.oob_error_:.3g} at the end" in curve.caption
    assert "<polyline" in curve.picture
    heaviest = X.names[int(np.argmax(model.feature_importances_))]
    assert f"{heaviest} {model.feature_importances_.max():.1%}, " in shares.picture


def test_extra_trees_have_no_curve_and_adaboost_has_one():
    _, shares = portrait(ExtraTreesClassifier(n_estimators=5, random_state=0).fit(X, Y), X)
    assert "share of the gain" in shares.caption
    _, shares, rounds, curve = portrait(AdaBoostClassifier(n_estimators=5).fit(X, Y), X)
    assert "share of the gain" in shares.caption
    assert rounds.header[0] == "round"
    assert curve.caption.startswith("Training error of the vote by the number of rounds: ")
