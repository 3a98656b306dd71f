"""One versus the rest: beside scikit-learn's, by hand, for one and two classes, in files."""

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier as Theirs
from sklearn.naive_bayes import GaussianNB

from openbook import load, open_model, save
from openbook.bayes import NaiveBayes
from openbook.ensemble import OneVsRestClassifier
from openbook.linear import Perceptron

X, Y = load("weather").split("play")
IRIS, SPECIES = load("iris").split("species")


def test_it_says_what_scikit_learn_says():
    cells, labels = np.asarray(IRIS), np.asarray(SPECIES)
    ours, theirs = (kind(GaussianNB()).fit(cells, labels) for kind in (OneVsRestClassifier, Theirs))
    np.testing.assert_allclose(ours.predict_proba(cells), theirs.predict_proba(cells), rtol=1e-12)


def test_a_member_for_each_class_by_hand(tmp_path):
    model = OneVsRestClassifier(NaiveBayes()).fit(IRIS, SPECIES)
    own = [np.where(np.asarray(SPECIES) == c, "1", "0") for c in model.classes_]
    alone = np.column_stack([NaiveBayes().fit(IRIS, y).predict_proba(IRIS)[:, 1] for y in own])
    np.testing.assert_allclose(model.predict_proba(IRIS), alone / alone.sum(axis=1)[:, None], rtol=1e-12)
    work = model.work(IRIS.take([60]))
    assert work["s(versicolor)"].result == pytest.approx(alone[60, 1])
    assert work.conclusion == "The surest: species = versicolor."
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert (opened.predict_proba(IRIS) == model.predict_proba(IRIS)).all()
    with pytest.raises(ValueError, match="not one for each class"):
        model._restore({"code_book_": 1 - model.code_book_})


def test_two_classes_are_the_learner_itself_and_one_is_sure():
    model = OneVsRestClassifier(NaiveBayes()).fit(X, Y)
    assert [member.target_ for member in model.estimators_] == ["play = Yes"]
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes().fit(X, Y).predict_proba(X), rtol=1e-12)
    assert OneVsRestClassifier(NaiveBayes()).fit(X, ["Yes"] * 14).predict_proba(X).tolist() == [[1.0]] * 14


def test_the_largest_score_decides_between_planes():
    """Perceptrons have no probabilities: their scores tell how sure they are, as scikit-learn's do."""
    model = OneVsRestClassifier(Perceptron(keep="average", scale=True)).fit(IRIS, SPECIES)
    scores = np.column_stack([member.decision_function(IRIS) for member in model.estimators_])
    assert (model.predict(IRIS) == model.classes_[scores.argmax(axis=1)]).all()
    assert model.score(IRIS, SPECIES) > 0.85


def test_where_no_member_supports_a_class_all_are_equal():
    model = OneVsRestClassifier(NaiveBayes()).fit(IRIS, SPECIES)
    model._support = lambda X: np.zeros((len(X), 3))
    assert model.predict_proba(IRIS.take([0])).tolist() == [[1 / 3] * 3]
