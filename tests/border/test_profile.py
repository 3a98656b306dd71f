"""New rows beside those of training: every difference is found, chance is not, and files keep no row."""

import gc
import json
import pickle
import zipfile

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from openbook import load, open_model, read, save
from openbook.bayes import NaiveBayes
from openbook.border.profile import GRID, Profile, _chi_squared, _ks
from openbook.errors import DataError, ModelFileError
from openbook.linear import LinearRegression
from openbook.sequence import HiddenMarkov

RNG = np.random.default_rng(0)
CREDIT = load("credit", rows=800, random_state=3)
X, Y = CREDIT.split("default")
TRAIN, NEW = X.take(slice(0, 500)), X.take(slice(500, 800))
MODEL = NaiveBayes().fit(TRAIN, Y.take(np.arange(500)))


def changed(name, change):
    frame = NEW.to_polars()
    return read(frame.with_columns(change(frame[name]).alias(name)), X.schema)


def test_rows_like_those_of_training():
    found = MODEL.unlike(NEW, training=TRAIN)
    assert found.different == ()
    assert {line.name for line in found.columns} == {*X.names, "all columns together"}
    assert "Nothing differs by more than chance" in repr(found)
    assert "in training." in found.effect


def test_the_training_rows_are_found_as_long_as_they_are_in_use():
    rows = TRAIN.to_pandas()
    model = NaiveBayes().fit(rows, Y.take(np.arange(500)))
    told = MODEL.unlike(NEW, training=TRAIN)
    assert [line.p_value for line in model.unlike(NEW).columns] == [line.p_value for line in told.columns]
    with pytest.raises(DataError, match="does not know its training rows; pass them"):
        pickle.loads(pickle.dumps(model)).unlike(NEW)
    del rows
    gc.collect()
    with pytest.raises(DataError, match="does not know its training rows"):
        model.unlike(NEW)
    more = NaiveBayes().fit(TRAIN, Y.take(np.arange(500))).partial_fit(NEW, Y.take(np.arange(500, 800)))
    with pytest.raises(DataError, match="does not know its training rows"):  # it has seen more than those
        more.unlike(NEW)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("income", lambda column: column * 1.5, "outside of training"),
        ("income", lambda column: column.scatter(range(0, 300, 3), None), "missing in "),
        ("purpose", lambda column: column.scatter(range(0, 300, 2), "yacht"), "a value never seen: 5"),
        (
            "purpose",
            lambda column: column.scatter(range(30, 300), "car").scatter(range(15), "yacht"),
            "in training; a value never seen: 5.0%",
        ),
    ],
    ids=["shifted", "missing", "unseen", "frequent"],
)
def test_what_differs_is_named(name, change, words):
    found = MODEL.unlike(changed(name, change), training=TRAIN)
    assert name in found.different
    assert words in next(line.words for line in found.columns if line.name == name)
    assert "may not hold for these rows" in found.effect


def test_a_new_combination_of_usual_values():
    """Each column keeps its distribution; only their correlation is gone."""
    x = RNG.normal(size=400)
    seen = np.column_stack([x, x + 0.2 * RNG.normal(size=400)])
    new = np.column_stack([seen[:, 0], RNG.permutation(seen[:, 1])])
    assert LinearRegression().fit(seen, x).unlike(new, training=seen).different == ("all columns together",)


def test_false_alarms_are_rare_however_many_columns():
    """At a level of 5% for all tests together, more than 8 of 60 tables would be a chance of a thousandth."""
    alarms = 0
    for _ in range(60):
        cells = RNG.normal(size=(160, 15))
        model = LinearRegression().fit(cells[:80], cells[:80, 0])
        alarms += bool(model.unlike(cells[80:], training=cells[:80]).different)
    assert alarms <= 8


def test_statistics_beside_scipy():
    a, b = RNG.normal(size=2000), RNG.normal(0.1, 1, size=500)
    ours, theirs = _ks(np.quantile(a, GRID), 2000, b), ks_2samp(a, b, method="asymp").pvalue
    assert theirs <= ours <= theirs * 3 + 0.05  # quantiles show at most 1% less of a difference
    counts = np.array([[30, 50, 20], [10, 60, 40]])
    assert _chi_squared(*counts.astype(float)) == pytest.approx(chi2_contingency(counts).pvalue)
    assert np.isnan(_chi_squared(np.array([3.0, 0.0]), np.array([2.0, 0.0])))


def test_a_file_keeps_figures_and_no_row(tmp_path):
    path = save(MODEL, tmp_path / "model.openbook", TRAIN)
    opened = open_model(path)
    expected = MODEL.unlike(NEW, training=TRAIN)
    found = opened.unlike(NEW)
    assert [line.name for line in found.columns] == [line.name for line in expected.columns]
    assert (found.rows == expected.rows).all()
    record = json.loads(zipfile.ZipFile(path).read("model.json"))
    assert len(record["profile"]["columns"]["income"]) == 2 + len(GRID)
    again = open_model(save(opened, tmp_path / "again.openbook"))
    assert again.unlike(NEW).effect == found.effect
    refitted = opened.fit(TRAIN, Y.take(np.arange(500)))
    assert not hasattr(refitted, "training_profile_")


@pytest.mark.parametrize(
    "damage",
    [
        lambda profile: profile["columns"]["income"].pop(),
        lambda profile: profile["columns"].update(nothing=[1, 2, 3]),
        lambda profile: profile["together"][2].pop(),
        lambda profile: profile["together"].__setitem__(1, (-np.eye(len(profile["together"][0]))).tolist()),
    ],
    ids=["quantiles", "column", "distances", "covariance"],
)
def test_a_damaged_profile_is_refused(tmp_path, damage):
    path = save(MODEL, tmp_path / "model.openbook", TRAIN)
    with zipfile.ZipFile(path) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    record = json.loads(parts["model.json"])
    damage(record["profile"])
    parts["model.json"] = json.dumps(record).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(ModelFileError):
        open_model(path)


def test_few_rows_and_wide_tables_are_not_looked_at_together():
    few = Profile.of(TRAIN.head(10))
    assert not len(few.distances)
    assert all(line.name in X.names for line in few.compare(NEW).columns)


def test_a_model_of_sequences_says_its_labels(tmp_path):
    labels = Y.take(np.arange(500))
    opened = open_model(save(HiddenMarkov().fit(TRAIN, labels), tmp_path / "model.openbook", TRAIN))
    assert set(opened.training_profile_.predicted) <= {"no", "yes"}
    assert opened.unlike(NEW).different == ()
