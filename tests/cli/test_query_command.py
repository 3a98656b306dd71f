"""Questions to a belief network on the command line."""

import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.network import BeliefNetwork, BeliefNetworkClassifier, burglary, write_bif


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
    good("draw", tmp_path / "m.openbook", "-o", tmp_path / "net.svg")
    assert "P(Yes)" in (tmp_path / "net.svg").read_text()


def test_numbers_and_bif_files(tmp_path, good, complaint):
    rows = [{"age": float(age), "ill": "yes" if age > 60 else "no"} for age in range(30, 90)]
    ob.save(BeliefNetwork([("age", "ill")]).fit(rows), tmp_path / "m.openbook")
    told = good("query", tmp_path / "m.openbook", "--ask", "ill", "--given", "age=85", "--work")
    assert "ill | age > 77.5" in told
    ob.save(BeliefNetwork([("ill", "age")], gaussian="all").fit(rows), tmp_path / "g.openbook")
    told = good("query", tmp_path / "g.openbook", "--ask", "age", "--given", "ill=no")
    assert told.splitlines()[1].split()[:2] == ["1", "45"]  # the mean of 30 … 60
    write_bif(burglary(), tmp_path / "alarm.bif")
    told = good("query", tmp_path / "alarm.bif", "--ask", "alarm", "--given", "burglary=yes")
    assert told.splitlines()[1].split() == ["yes", "0.94002"]  # 0.002 · 0.95 + 0.998 · 0.94
    good("draw", tmp_path / "alarm.bif", "-o", tmp_path / "alarm.svg")
    assert "john calls" in (tmp_path / "alarm.svg").read_text()
    assert "without rows" in complaint("draw", tmp_path / "alarm.bif", "--data", "weather", "-o", "a.svg")


def test_a_network_is_learnt_from_a_data_file_with_gaps(tmp_path, openbook, good):
    rows = ["a,b", *["x,p"] * 40, *["y,q"] * 40, "x,", ",q"]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    asked = ("--ask", "b", "--given", "a=x")
    told = openbook("query", tmp_path / "rows.csv", *asked, "--save", tmp_path / "net.openbook")
    assert told.stdout == good("query", tmp_path / "net.openbook", *asked)
    assert told.stderr == "Network learnt from 82 rows (hill climbing, BIC): a → b\n"
    # by hand: the gap of x is filled with p, all but the smoothing, so P(p | x) is about (41 + 1) / (41 + 2)
    network = ob.open_model(tmp_path / "net.openbook")
    assert network.query("b", given={"a": "x"})["p"] == pytest.approx(42 / 43, abs=0.002)


def test_complaints_are_one_line(alarm, tmp_path, complaint):
    assert "no node 'fire'" in complaint("query", alarm, "--ask", "fire")
    assert "write it as NODE=VALUE" in complaint("query", alarm, "--ask", "alarm", "--given", "burglary")
    twice = ("--given", "burglary=yes", "--given", "burglary=no")
    assert "burglary is given twice" in complaint("query", alarm, "--ask", "alarm", *twice)
    assert "has no value 'perhaps'" in complaint(
        "query", alarm, "--ask", "alarm", "--given", "burglary=perhaps"
    )
    X, y = ob.load("weather").split("play")
    ob.save(NaiveBayes().fit(X, y), tmp_path / "nb.openbook")
    assert "is not a belief network" in complaint("query", tmp_path / "nb.openbook", "--ask", "play")
