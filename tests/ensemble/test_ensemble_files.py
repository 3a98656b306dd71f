"""Model files of ensembles: nested members come back whole, and what does not fit together is refused."""

import json
import zipfile

import numpy as np
import pytest

from openbook import load, open_model, save
from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.decide import MinimumRisk
from openbook.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    OutputCodeClassifier,
    RandomSubspaceClassifier,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from openbook.errors import ModelFileError, ParameterError

X, Y = load("weather").split("play")
TEAM = [("0R", ZeroR()), ("1R", OneR(bins=3))]


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(AdaBoostClassifier(OneR(), 2), 2, random_state=0),
        BaggingClassifier(MinimumRisk(NaiveBayes(), costs=[[0, 1], [5, 0]]), 2, random_state=0),
        VotingClassifier([("bag", BaggingClassifier(OneR(), 2, random_state=1)), *TEAM], "soft", [1, 2, 3]),
        StackingClassifier([("vote", VotingClassifier(TEAM)), *TEAM], cv=2),
        MinimumRisk(BaggingClassifier(NaiveBayes(), 2, random_state=0)),
        BaggingClassifier(OneR(), 2, bootstrap=False),  # out-of-bag errors that are NaN
        AdaBoostClassifier(ZeroR(), 4),  # a member that was thrown away
        BaggingClassifier(
            NaiveBayes(kinds={"windy": ["true", "false"]}), 2, random_state=0
        ),  # kinds of its own
    ],
    ids=lambda model: type(model).__name__,
)
def test_members_of_members(model, tmp_path):
    model.fit(X, Y)
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert repr(opened) == repr(model)
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()
    assert opened.work().text() == model.work().text()
    assert opened.work(X.row(3)).text() == model.work(X.row(3)).text()


def test_the_figures_of_the_rounds_come_back(tmp_path):
    model = AdaBoostClassifier(OneR(), 3).fit(X, Y)
    opened = open_model(save(model, tmp_path / "model.openbook"))
    for name in ("errors_", "alphas_", "z_", "vote_errors_", "weights_"):
        assert (getattr(opened, name) == getattr(model, name)).all()
    bag = BaggingClassifier(OneR(), 3, random_state=0).fit(X, Y)
    opened = open_model(save(bag, tmp_path / "bag.openbook"))
    assert opened.oob_error_ == bag.oob_error_


def test_others_learners_cannot_be_saved(tmp_path):
    from sklearn.naive_bayes import GaussianNB

    iris, species = load("iris").split("species")
    model = BaggingClassifier(GaussianNB(), 2).fit(iris, species)
    with pytest.raises(ParameterError, match="GaussianNB is not a registered learner"):
        save(model, tmp_path / "model.openbook")


def changed(path, change, arrays=None):
    """The file with its record changed, and these arrays in place of its own."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    record = json.loads(members["model.json"])
    change(record["model"])
    members["model.json"] = json.dumps(record).encode()
    for name, array in (arrays or {}).items():
        with (path.parent / "array.npy").open("wb") as file:
            np.save(file, array)
        members[f"arrays/{name}.npy"] = (path.parent / "array.npy").read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def nothing(record):
    pass


def drop_members(record):
    record["members"] = {}


def drop_a_member(record):
    del record["members"]["1"]


def another_schema(record):
    record["members"]["0"]["facts"]["schema"]["attributes"].reverse()


def a_final_learner(record):
    record["members"]["final"] = record["members"]["0"]


def bad_weights(record):
    record["parameters"]["weights"] = [1, -1]


BAG, VOTE, STACK = (
    BaggingClassifier(OneR(), 2, random_state=0),
    VotingClassifier(TEAM),
    StackingClassifier(TEAM, cv=2),
)
BOOST, SPACE = AdaBoostClassifier(OneR(), 2), RandomSubspaceClassifier(NaiveBayes(), 2, random_state=0)
FINAL = {"final/classes_": np.array(["No", "Yes"]), "final/classes": np.array([5.0, 9.0])}
CODE = OutputCodeClassifier(NaiveBayes(), random_state=0)


@pytest.mark.parametrize(
    ("model", "change", "arrays", "message"),
    [
        (VOTE, drop_members, {}, "it has no members"),
        (VOTE, drop_a_member, {}, "it does not have one member for each learner"),
        (VOTE, bad_weights, {}, "weights must be 2 numbers"),
        (VOTE, another_schema, {}, "member 0 was fitted on another table"),
        (BAG, nothing, {"0/classes_": np.array(["No", "Perhaps"])}, "member 0 knows a class 'Perhaps'"),
        (BAG, nothing, {"oob_curve_": np.zeros(3)}, "its out-of-bag errors do not match its members"),
        (BAG, nothing, {"oob_errors_": np.array([0.1, -1])}, "its out-of-bag errors do not match"),
        (BAG, nothing, {"extra": np.zeros(1)}, "array 'extra' is unexpected"),
        (SPACE, nothing, {"columns": np.array([[0, 1]])}, "its subspaces do not match its members"),
        (SPACE, nothing, {"columns": np.array([[0, 9], [0, 1]])}, "damaged or not a model file"),
        (SPACE, nothing, {"columns": np.array([[0, -1], [0, 1]])}, "its subspaces do not match"),
        (BOOST, nothing, {"alphas_": np.array([1.0, 0.0])}, "it does not have one alpha for each member"),
        (BOOST, nothing, {"z_": np.ones(3)}, "array 'z_' does not have one number for each round"),
        (
            BOOST,
            nothing,
            {"alphas_": np.array([1.0, np.inf])},
            "'alphas_' does not have one number for each round",
        ),
        (BOOST, nothing, {"weights_": np.ones((2, 14))}, "its weights do not match its rounds"),
        (STACK, nothing, {"blend_": np.array([-1.0, 2.0])}, "its weights do not match its members"),
        (STACK, nothing, {"blend_": np.zeros(2)}, "its weights do not match its members"),
        (STACK, a_final_learner, FINAL, "its weights do not match its members"),
        (
            STACK,
            a_final_learner,
            {**FINAL, "blend_": np.zeros(0)},
            "its final learner does not match its members",
        ),
        (
            CODE,
            nothing,
            {"code_book_": np.array([[0], [2]], dtype=np.int8)},
            "its code book is not one of its",
        ),
        (CODE, nothing, {"code_book_": np.array([[0, 1]], dtype=np.int8)}, "its code book is not one of its"),
    ],
)
def test_files_that_do_not_fit_together(model, change, arrays, message, tmp_path):
    path = save(model.fit(X, Y), tmp_path / "model.openbook")
    with pytest.raises(ModelFileError, match=message):
        open_model(changed(path, change, arrays))


def test_a_classifier_among_regressors():
    model = VotingRegressor([("mean", ZeroRegressor())]).fit(X, np.arange(14.0))
    saved = model._saved()._replace(members={"0": ZeroR().fit(X, Y)})
    with pytest.raises(ValueError, match="member 0 was fitted on another table"):
        model._opened(saved)
