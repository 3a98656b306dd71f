"""The model file: what it keeps, and how it is written."""

import io
import json
import stat
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import GaussianNB

from openbook import load, open_model, save
from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import Epsilon, Laplace, MEstimate, NaiveBayes, NoSmoothing
from openbook.data import Nominal, Ordinal
from openbook.decide import MinimumRisk
from openbook.errors import ModelFileError, ParameterError
from openbook.store import digest

WEATHER = load("weather_numeric")
X, Y = WEATHER.split("play")
COSTS = {"Yes": {"No": 9}, "No": {"Yes": 1}}

LEARNERS = {
    "nothing asked": NaiveBayes(),
    "no smoothing": NaiveBayes(smoothing=NoSmoothing(), variance="sample"),
    "epsilon": NaiveBayes(smoothing=Epsilon(1e-4)),
    "alpha": NaiveBayes(smoothing=Laplace(0.5)),
    "a guess for each class": NaiveBayes(smoothing=MEstimate(2, {"Yes": 0.3, "No": 0.4})),
    "a guess for each value": NaiveBayes(
        smoothing=MEstimate(
            2.5,
            {
                label: {
                    "outlook": {"sunny": 0.5, "overcast": 0.3, "rain": 0.2},
                    "windy": {"true": 0.5, "false": 0.5},
                }
                for label in ("Yes", "No")
            },
        )
    ),
    "priors in order": NaiveBayes(priors=[0.25, 0.75]),
    "priors as an array": NaiveBayes(priors=np.array([0.25, 0.75])),
    "priors by name": NaiveBayes(priors={"Yes": 0.1, "No": 0.9}),
    "distributions by name": NaiveBayes(distributions={"humidity": "kernel", "windy": "bernoulli"}),
    "kinds by name": NaiveBayes(kinds={"temperature": "nominal"}),
    "kinds as attributes": NaiveBayes(kinds={"windy": Nominal("windy", ("true", "false", "gusty"))}),
    "kinds as lists": NaiveBayes(kinds={"outlook": ["rain", "overcast", "sunny"]}),
    "one rule": OneR(bins=3),
    "majority": ZeroR(),
    "drawn": ZeroR("prior", random_state=3),
    "risk": MinimumRisk(NaiveBayes(variance="sample"), costs=COSTS),
    "risk with a way out": MinimumRisk(OneR(), costs=[[0, 1.5], [2.5, 0]], reject=0.25),
    "risk of a risk": MinimumRisk(MinimumRisk(NaiveBayes(priors={"Yes": 0.5, "No": 0.5}), costs=COSTS)),
}


@pytest.fixture
def saved(tmp_path):
    """A small good file, to be damaged."""
    return save(NaiveBayes().fit(X, Y), tmp_path / "play.openbook")


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS.keys())
def test_a_model_comes_back(learner, tmp_path):
    model = learner.fit(X, Y)
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert type(opened) is type(model)
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()
    assert opened.predict(X).tolist() == model.predict(X).tolist()
    for row in (None, X.row(2), {}):
        assert opened.work(row).text() == model.work(row).text()
    assert opened.complexity() == model.complexity()
    again = open_model(save(opened, tmp_path / "again.openbook"))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    refitted = opened.fit(X, Y)  # with the parameters that came back
    assert (refitted.predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.parametrize("strategy", ["mean", "median"])
def test_a_model_of_numbers_comes_back(strategy, tmp_path):
    inputs, y = load("diabetes").split("progression")
    model = ZeroRegressor(strategy).fit(inputs, y)
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert opened.constant_ == model.constant_
    assert opened.partial_fit(inputs, y).constant_ == model.partial_fit(inputs, y).constant_


def test_a_sparse_model_comes_back(tmp_path):
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.3, (40, 12)))
    y = np.arange(40) % 3
    for learner in (NaiveBayes(), NaiveBayes(distributions="bernoulli")):
        model = learner.fit(counts, y)
        opened = open_model(save(model, tmp_path / "model.openbook"))
        assert (opened.predict_proba(counts) == model.predict_proba(counts)).all()
        assert opened.numeric_ == "multinomial"


@pytest.mark.parametrize(
    "labels",
    [[1, 2], [1.0, 2.0], [True, False], ["ja", "nein"], [np.int8(3), np.int8(-100)], ["learner", "格"]],
    ids=repr,
)
def test_labels_of_any_type_come_back(labels, tmp_path):
    y = np.array(labels * 3)
    rows = np.array([[1.0], [5.0], [2.0], [6.0], [3.0], [9.0]])
    prior = {label: 0.5 for label in labels}  # noqa: C420 (a mapping keyed by the labels themselves)
    costs = {a: {b: 2.0 for b in labels if b != a} for a in labels}
    model = MinimumRisk(NaiveBayes(priors=prior), costs=costs).fit(rows, y)
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert opened.classes_.dtype == model.classes_.dtype
    assert opened.predict(rows).tolist() == model.predict(rows).tolist()
    assert (opened.predict_proba(rows) == model.predict_proba(rows)).all()


def test_columns_by_position_come_back(tmp_path):
    rows = [[1.0, 3.0], [2.0, 3.5], [1.0, 4.0], [2.0, 5.0]]
    kinds = {0: "nominal", 1: Ordinal("x1", ("3", "3.5", "4", "5"))}
    model = NaiveBayes(kinds=kinds).fit(rows, [0, 0, 1, 1])
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert opened.kinds == kinds
    assert opened.partial_fit(rows, [0, 1, 1, 1]).schema_ == model.schema_


def test_a_class_without_values_comes_back(tmp_path):
    rows = [[1.0], [2.0], [np.nan], [np.nan], [4.0]]
    with pytest.warns(UserWarning, match="always missing in class b; its overall values are used"):
        model = NaiveBayes(distributions="kernel").fit(rows, ["a", "a", "b", "b", "a"])
    opened = open_model(save(model, tmp_path / "model.openbook"))  # what was said once is not said again
    assert opened.notes_ == model.notes_
    assert (opened.predict_proba(rows) == model.predict_proba(rows)).all()


def test_the_file_is_plain(saved):
    with zipfile.ZipFile(saved) as archive:
        record = json.loads(archive.read("model.json"))
        names = set(archive.namelist())
        for name in names - {"model.json"}:
            np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
    assert record["format"] == 1
    assert record["model"]["learner"] == "naive_bayes"
    assert record["model"]["parameters"]["smoothing"] == {"type": "Laplace", "alpha": 1.0}
    assert "arrays/classes_.npy" in names


def test_the_file_has_the_usual_rights(saved, tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


# saving


def test_only_fitted_learners_of_ours_are_saved(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="not fitted"):
        save(NaiveBayes(), tmp_path / "m")
    numbers = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ParameterError, match="GaussianNB is not a registered learner"):
        save(GaussianNB().fit(numbers, [0, 0, 1, 1]), tmp_path / "m")
    with pytest.raises(ParameterError, match="GaussianNB is not a registered learner"):
        save(MinimumRisk(GaussianNB()).fit(numbers, [0, 0, 1, 1]), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_what_a_file_cannot_hold_is_named(tmp_path):
    drawn = ZeroR("prior", random_state=np.random.RandomState(3)).fit(X, Y)
    with pytest.raises(
        ParameterError, match=r"parameter random_state=.* cannot be saved: only numbers, text"
    ):
        save(drawn, tmp_path / "m")
    days = np.array(["2020-01-01", "2020-01-02"] * 2, dtype="datetime64[D]")
    with pytest.raises(ParameterError, match=r"labels such as .* cannot be saved; use text or numbers"):
        save(ZeroR().fit([[0.0]] * 4, days), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_a_place_that_is_not_there_is_named(tmp_path):
    model = ZeroR().fit(X, Y)
    with pytest.raises(ModelFileError, match=r"cannot save m: there is no folder '.*nowhere'"):
        save(model, tmp_path / "nowhere" / "m")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ModelFileError, match=r"cannot save .*folder: "):
        save(model, tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_failed_save_keeps_the_old_file(saved, monkeypatch):
    old = saved.read_bytes()
    wrote = []

    def fail(self, name, *args, **kwargs):
        wrote.append(name)
        if len(wrote) == 3:
            raise KeyboardInterrupt
        write(self, name, *args, **kwargs)

    write = zipfile.ZipFile.writestr
    monkeypatch.setattr(zipfile.ZipFile, "writestr", fail)
    with pytest.raises(KeyboardInterrupt):
        save(ZeroRegressor().fit([[0.0]] * 3, [1.0, 2.0, 3.0]), saved)
    assert saved.read_bytes() == old
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_full_disk_is_said(saved, monkeypatch):
    old = saved.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(ModelFileError, match=r"cannot save .*play.openbook: No space left on device"):
        save(ZeroR().fit(X, Y), saved)
    assert saved.read_bytes() == old
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


# opening


def test_the_digest_is_that_of_the_model_and_not_of_its_note(tmp_path):
    model = OneR().fit(X, Y)
    plain = digest(save(model, tmp_path / "plain.openbook"))
    model.note_ = "doubtful"
    assert digest(save(model, tmp_path / "noted.openbook", X)) == plain
    assert digest(save(ZeroR().fit(X, Y), tmp_path / "other.openbook")) != plain
    assert digest(tmp_path / "none.openbook") == ""
    (tmp_path / "text.openbook").write_text("no zip")
    assert digest(tmp_path / "text.openbook") == ""
