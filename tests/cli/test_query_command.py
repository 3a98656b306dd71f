"""Questions to a belief network on the command line."""

import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.network import BeliefNetworkClassifier, burglary


@pytest.fixture(scope="module")
def alarm(tmp_path_factory):
    path = tmp_path_factory.mktemp("query") / "alarm.openbook"
    ob.save(burglary(), path)
    return path


def test_an_answer(alarm, good):
    told = good("query", alarm, "--ask", "burglary", "--given", "john calls=yes", "--given", "mary calls=yes")
    assert told.splitlines()[1].split() == ["yes", "0.284172"]
    assert told.splitlines()[-1] == "P(findings) = 0.0020841"


def test_a_derivation_in_every_format(alarm, good):
    assert "chain rule" in good("query", alarm, "--ask", "alarm", "--work")
    assert good("query", alarm, "--ask", "alarm", "--format", "html").startswith("<!doctype html>")


def test_a_classifier_is_asked_through_its_network(tmp_path, good):
    X, y = ob.load("weather").split("play")
    ob.save(BeliefNetworkClassifier().fit(X, y), tmp_path / "m.openbook")
    told = good("query", tmp_path / "m.openbook", "--ask", "play", "--given", "outlook=overcast")
    assert told.startswith("play")


def test_complaints_are_one_line(alarm, tmp_path, complaint):
    assert "no node 'fire'" in complaint("query", alarm, "--ask", "fire")
    assert "write it as NODE=VALUE" in complaint("query", alarm, "--ask", "alarm", "--given", "burglary")
    assert "has no value 'perhaps'" in complaint(
        "query", alarm, "--ask", "alarm", "--given", "burglary=perhaps"
    )
    X, y = ob.load("weather").split("play")
    ob.save(NaiveBayes().fit(X, y), tmp_path / "nb.openbook")
    assert "is not a belief network" in complaint("query", tmp_path / "nb.openbook", "--ask", "play")
