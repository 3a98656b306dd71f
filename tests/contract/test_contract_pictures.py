"""Every learner draws itself, or the list says why not; what it draws is a picture that stands alone."""

import inspect
import warnings
import xml.etree.ElementTree as ET

import pytest

import openbook as ob
from openbook.registry import LEARNERS

#: Tasks and learners without a picture, and why.
WITHOUT = {
    "multilabel": "each label has a picture of its own: estimators_[0].draw(X)",
    "preparation": "a step changes a table: draw_table draws what comes out",
    "text": "texts become a table of words, and it is a table that is drawn",
}

IRIS = ob.load("iris").take(slice(0, 150, 3))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_draws_itself_or_there_is_a_reason(name):
    reason = WITHOUT.get(name) or WITHOUT.get(LEARNERS[name].task)
    assert (reason is not None) != callable(getattr(LEARNERS[name].make(), "draw", None))


def needed(model):
    """The rows that `draw` asks for."""
    wanted = [p.name for p in inspect.signature(model.draw).parameters.values() if p.default is p.empty]
    return {"X": IRIS.drop("species"), "y": IRIS["species"]}, wanted


#: Some of each way to draw: over rows, members side by side, and a picture of its own.
DRAWN = ("k_neighbors", "one_r", "linear_discriminant", "perceptron", "bagging", "prepared", "minimum_risk")


@pytest.mark.parametrize("name", DRAWN)
def test_the_picture_of_a_classifier_stands_alone(name):
    model = LEARNERS[name].make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(IRIS, "species")
    rows, wanted = needed(model)
    picture = model.draw(*(rows[each] for each in wanted))
    root = ET.fromstring(picture.svg())
    assert root.get("role") == "img"
    assert root.find("{http://www.w3.org/2000/svg}desc").text
