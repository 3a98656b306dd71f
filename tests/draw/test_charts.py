"""Charts of models: what is drawn is what the model holds."""

import re

import numpy as np
import pytest

import openbook
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.draw.charts import line_chart, named_bars, score_chart
from openbook.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor, RandomForestClassifier
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.linear import LinearRegression, LogisticRegression
from openbook.neural import MLPClassifier, draw_activations
from openbook.svm import SVC

IRIS = openbook.load("iris")
WEATHER = openbook.load("weather")


def test_bars_go_right_and_left_of_zero_the_largest_on_top():
    picture = named_bars("t", "effect", ["small", "negative", "large"], np.array([1.0, -2.0, 4.0]))
    assert picture.told == "large: 4; negative: -2; small: 1"
    assert re.findall(r'<rect class="(c\d)" x="([\d.]+)"', picture.svg())[1][0] == "c1"  # the negative one
    many = named_bars("t", "effect", [f"x{i}" for i in range(30)], np.arange(30.0))
    assert many.notes == ("The largest 20 of 30.",)


def test_a_line_for_each_name():
    picture = line_chart("t", ("x", "y"), {"a": ([0, 1], [1.0, 2.0]), "b": ([0, 1], [2.0, 0.5])})
    assert picture.told == "a: 1 to 2; b: 2 to 0.5"
    assert picture.svg().count("<polyline") == 2


def test_effects_of_a_line_by_hand():
    """y = 2 x0 - x1 with standard deviations 1 and 3: effects 2 and -3."""
    x = np.array([[1.0, 3.0], [-1.0, 3.0], [1.0, -3.0], [-1.0, -3.0]])
    model = LinearRegression().fit(x, x @ [2.0, -1.0])
    assert model.draw().told == "x1: -3; x0: 2"


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (LogisticRegression(), "petal"),
        (SVC(kernel="linear", calibrate=None), "petal"),
        (RandomForestClassifier(n_estimators=5, random_state=0), "petal"),
        (AdaBoostClassifier(n_estimators=5), "vote: "),
        (MLPClassifier(hidden_layer_sizes=(2,), max_iter=5, random_state=0), "training rows: "),
        (NaiveBayes(), "setosa: "),
    ],
    ids=lambda one: type(one).__name__ if hasattr(one, "fit") else "",
)
def test_models_draw_themselves(learner, words):
    picture = learner.fit(IRIS, "species").draw()
    assert words in picture.told
    assert picture.svg().startswith("<svg")


def test_two_classes_and_a_label():
    model = LogisticRegression().fit(WEATHER, "play")
    yes, no = model.draw("Yes"), model.draw("No")
    assert yes.title == "Logistic regression for play = Yes"
    assert yes.told.replace("-", "") == no.told.replace("-", "") != yes.told  # the same, with other signs
    with pytest.raises(DataError, match="no class 'Perhaps'"):
        model.draw("Perhaps")


def test_what_has_no_picture_says_so():
    with pytest.raises(ParameterError, match=r"no weights of columns; draw its rows by draw\(X, y\)"):
        SVC(calibrate=None).fit(IRIS, "species").draw()
    with pytest.raises(ParameterError, match="no epoch was trained"):
        MLPClassifier(max_iter=0).fit(IRIS, "species").draw()
    with pytest.raises(UnknownColumn):
        NaiveBayes().fit(WEATHER, "play").draw("sky")
    assert "sunny | No: " in NaiveBayes().fit(WEATHER, "play").draw("outlook").told


def test_the_rule_of_one_r_has_the_rows_of_each_class():
    """Outlook: overcast 4 yes, rain 3 yes and 2 no, sunny 2 yes and 3 no: 4 errors of 14."""
    picture = OneR().fit(WEATHER, "play").draw()
    assert picture.told == "overcast: Yes: No 0, Yes 4; rain: Yes: No 2, Yes 3; sunny: No: No 3, Yes 2"
    assert picture.notes[1] == "4 of 14 training rows are predicted wrong."


def test_a_network_has_a_line_for_each_weight():
    model = MLPClassifier(hidden_layer_sizes=(3,), max_iter=1, random_state=0).fit(IRIS, "species")
    picture = model.draw_network()
    assert picture.title == "Network of 4 - 3 - 3 units"
    assert picture.body.count("<line ") == 4 * 3 + 3 * 3
    assert picture.body.count("<circle ") == 4 + 3 + 3
    assert "setosa" in picture.body
    wide = MLPClassifier(hidden_layer_sizes=(25,), max_iter=1, random_state=0).fit(IRIS, "species")
    assert "… 15 more" in wide.draw_network().body


def test_activations_and_slopes_by_hand():
    picture = draw_activations(("logistic", "tanh"))
    assert picture.told == "logistic: slope at most 0.25; tanh: slope at most 1."
    with pytest.raises(ParameterError, match="no activation 'softmax' of a single unit"):
        draw_activations(["softmax"])


def test_members_stand_beside_the_ensemble():
    petals = IRIS[["petal length (cm)", "petal width (cm)", "species"]]
    model = BaggingClassifier(n_estimators=8, random_state=0).fit(petals, "species")
    picture = model.draw(petals, "species")
    assert picture.body.count('class="frame"') == 5 + 1
    assert "together: The model says" in picture.told
    numbers = [[float(i), float(i % 3)] for i in range(12)]
    lines = BaggingRegressor(n_estimators=2, random_state=0).fit(numbers, np.arange(12.0))
    curves = lines.draw(numbers, np.arange(12.0))
    assert curves.body.count("<polyline") == 3


def test_names_have_room_for_the_letters_of_a_phone():
    """Names end 8 pixels left of the frame; letters of 15 pixels are about 0.6 of that wide on average."""
    name = "tree-augmented naive Bayes"
    picture = score_chart("Accuracy", "accuracy", [(name, 0.9, 0.8, 1.0)], wide=240)
    assert picture.width - 240 >= 8 + 0.5 * 15 * len(name)
    assert f">{name}</text>" in picture.body
