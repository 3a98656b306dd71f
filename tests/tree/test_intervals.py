"""A branch for every interval of a number: by hand, beside steps of preparation, in SQL and in files."""

import json
import sqlite3
import zipfile

import numpy as np
import pytest

from openbook import evaluate, load, open_model, read, save
from openbook.data import Datetime, Intervals, Numeric
from openbook.ensemble import AdaBoostClassifier, BaggingClassifier
from openbook.errors import DataError, ModelFileError
from openbook.prepare import Prepared
from openbook.tree import C45, ID3, DecisionTreeClassifier

LOAN = load("loan")
IRIS = load("iris")
FLOWERS = IRIS.drop("species")


def test_the_gain_of_three_intervals_by_hand():
    """Six rows in three pairs: yes yes, no no, yes no, so the gain is 1 - 1/3 bit."""
    rows = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "y": ["yes", "yes", "no", "no", "yes", "no"]}
    model = ID3(numeric="multiway", bins=3).fit(rows, "y")
    assert model.schema_["x"].values == ("<= 2.5", "(2.5, 4.5]", "> 4.5")
    assert model.work()["gain(x)"].result == pytest.approx(2 / 3)
    assert model.predict_proba([{"x": 9.0}]).tolist() == [[0.5, 0.5]]
    assert str(model.rules()[1]) == "if x in (2.5, 4.5] then y = no"
    # of the known rows a third each: shares of a row without a number
    assert model.predict_proba([{"x": None}])[0].tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(("step", "bins"), [("bins mdl", None), ("bins 4", 4)])
def test_the_same_tree_as_by_steps(step, bins):
    direct = C45(numeric="multiway", bins=bins).fit(IRIS, "species")
    steps = Prepared(C45(), [step, "nominal"]).fit(IRIS, "species")
    assert (direct.predict_proba(FLOWERS) == steps.predict_proba(FLOWERS)).all()
    assert direct.get_n_leaves() == steps.estimator_.get_n_leaves()


def test_missing_cells_and_dates():
    rows = {"day": [f"2024-01-{d:02d}" for d in range(1, 21)], "n": [None, *range(19)]}
    table = read(rows | {"y": ["a"] * 10 + ["b"] * 10})
    model = DecisionTreeClassifier(numeric="multiway", rare_values="keep").fit(table, "y")
    assert model.schema_["day"].values == ("<= 2024-01-10 12:00", "> 2024-01-10 12:00")
    assert "day <= 2024-01-10 12:00" in str(model.draw())
    assert model.score(table, "y") == 1.0
    assert model.predict([{"day": "2024-02-01", "n": None}]).tolist() == ["b"]


@pytest.mark.parametrize("settings", [{}, {"nominal": "subset"}, {"missing": "majority"}], ids=str)
def test_sql_says_what_predict_says(settings):
    model = DecisionTreeClassifier(numeric="multiway", bins=4, max_depth=2, **settings).fit(IRIS, "species")
    frame = FLOWERS.to_pandas()
    with sqlite3.connect(":memory:") as database:
        frame.to_sql("t", database, index=False)
        said = [row[-1] for row in database.execute(model.to_sql("t"))]
    assert said == model.predict(FLOWERS).tolist()


def test_files_folds_and_ensembles(tmp_path):
    model = C45(numeric="multiway").fit(LOAN, "cheat")
    path = save(model, tmp_path / "m.openbook", LOAN.drop("cheat"))
    opened = open_model(path)
    assert opened.schema_ == model.schema_
    assert str(opened.work()) == str(model.work())
    assert opened.unlike(LOAN.drop("cheat")).different == ()
    assert evaluate(C45(numeric="multiway"), IRIS, "species", cv=3).score("accuracy") > 0.9
    for around in (BaggingClassifier, AdaBoostClassifier):
        team = around(C45(numeric="multiway"), n_estimators=3, random_state=0).fit(IRIS, "species")
        again = open_model(save(team, tmp_path / "team.openbook"))
        assert (again.predict(FLOWERS) == team.predict(FLOWERS)).all()
        assert team.score(IRIS, "species") > 0.9


def test_a_file_with_cuts_that_fall(tmp_path):
    path = save(ID3(numeric="multiway", bins=3).fit(LOAN, "cheat"), tmp_path / "m.openbook")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    record = json.loads(members["model.json"])
    cuts = record["model"]["facts"]["schema"]["attributes"][-1]["cuts"]
    assert cuts == [87.5, 110.0]
    cuts.reverse()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (members | {"model.json": json.dumps(record).encode()}).items():
            archive.writestr(name, content)
    with pytest.raises(ModelFileError, match="cuts finite numbers in ascending order"):
        open_model(path)


def test_what_is_refused():
    with pytest.raises(DataError, match="infin"):
        ID3(numeric="multiway").fit([[np.inf], [1.0]], ["a", "b"])


def test_spans_of_neighbours_are_joined():
    ages = Intervals.of(Numeric("age"), [18, 40, 65])
    assert ages.spans(ages.values[:2]) == [(-np.inf, 40.0)]
    assert ages.spans((ages.values[0], ages.values[2])) == [(-np.inf, 18.0), (40.0, 65.0)]
    assert Intervals.of(Datetime("day"), [19000]).values == ("<= 2022-01-08", "> 2022-01-08")
