"""Decisions of minimum risk: costs by name, rejection, and any classifier inside."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from openbook import load, open_model, save
from openbook.bayes import NaiveBayes
from openbook.data import Column, Nominal
from openbook.decide import MinimumRisk
from openbook.errors import ParameterError
from openbook.judge import evaluate
from openbook.linear import Rocchio

X, Y = load("weather").split("play")
NUMBERS, LABELS = np.array([[1.0], [2.0], [3.0], [6.0], [7.0], [9.0]]), np.array(["no"] * 3 + ["yes"] * 3)


def test_without_costs_it_is_the_most_probable_class():
    model, plain = MinimumRisk(NaiveBayes()).fit(X, Y), NaiveBayes().fit(X, Y)
    assert (model.predict(X) == plain.predict(X)).all()
    assert model.costs_.tolist() == [[0, 1], [1, 0]]


def test_costs_by_name_or_in_order():
    named = MinimumRisk(NaiveBayes(), costs={"Yes": {"No": 9}, "No": {"Yes": 1}}).fit(X, Y)
    ordered = MinimumRisk(NaiveBayes(), costs=[[0, 1], [9, 0]]).fit(X, Y)  # the classes are No, Yes
    assert named.classes_.tolist() == ["No", "Yes"]
    assert named.costs_.tolist() == ordered.costs_.tolist() == [[0, 1], [9, 0]]
    proba = named.predict_proba(X)
    np.testing.assert_allclose(named.risk(X), np.stack([proba[:, 1], 9 * proba[:, 0]], axis=1))
    assert (named.predict(X) == np.where(proba[:, 1] <= 9 * proba[:, 0], "No", "Yes")).all()


def test_rejecting_where_even_the_least_risk_is_too_great():
    model = MinimumRisk(NaiveBayes(), reject=0.2).fit(NUMBERS, LABELS)
    middle = [[1.0], [4.2], [9.0]]
    least = model.risk(middle).min(axis=1)
    assert least[1] > 0.2 > least[[0, 2]].max()
    assert model.predict(middle).tolist() == ["no", None, "yes"]
    work = model.work([4.2])
    assert work.conclusion == "Rejecting costs 0.2, less than any decision: rejected."
    assert model.work([1.0]).conclusion == "Lowest expected cost: no."
    assert work["R(no | x)"].result == pytest.approx(model.risk(middle)[1, 0])


def test_what_a_fitted_learner_knows_is_passed_on():
    model = MinimumRisk(NaiveBayes()).fit(X, Y)
    assert model.schema_ == X.schema
    assert model.target_ == "play"
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(X.names)
    with pytest.raises(AttributeError, match="'MinimumRisk' object has no attribute 'colour'"):
        model.colour  # noqa: B018 (asked for)
    with pytest.raises(AttributeError, match="no attribute 'schema_'"):
        MinimumRisk(NaiveBayes()).schema_  # noqa: B018 (asked for)


def test_any_classifier_with_probabilities_will_do():
    model = MinimumRisk(GaussianNB(), costs=[[0, 1], [5, 0]]).fit(NUMBERS, LABELS)
    assert model.predict(NUMBERS).tolist() == ["no"] * 3 + ["yes"] * 3
    assert model.refusal(X.schema) is None
    for ability in (model.work, model.complexity):
        with pytest.raises(
            ParameterError, match=r"GaussianNB has no .*; put one of openbook's learners into MinimumRisk"
        ):
            ability()


def test_what_it_needs():
    with pytest.raises(
        ParameterError, match="MinimumRisk needs probabilities, and Perceptron has no predict_proba"
    ):
        MinimumRisk(Perceptron()).fit(NUMBERS, LABELS)
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no sample_weight"):
        MinimumRisk(KNeighborsClassifier()).fit(NUMBERS, LABELS, sample_weight=np.ones(6))
    with pytest.raises(ParameterError, match="costs name the class 'Maybe', which is not there"):
        MinimumRisk(NaiveBayes(), costs={"Yes": {"Maybe": 1}}).fit(X, Y)
    with pytest.raises(
        ParameterError, match="costs must say what deciding 'No' costs when the truth is 'Yes'"
    ):
        MinimumRisk(NaiveBayes(), costs={"Yes": {"No": 1}}).fit(X, Y)
    with pytest.raises(ParameterError, match="costs"):
        MinimumRisk(NaiveBayes(), costs=[[0, 1, 2]]).fit(X, Y)


def test_bad_costs_leave_it_unfitted():
    model = MinimumRisk(NaiveBayes(), costs=[[0, 1, 2]])
    with pytest.raises(ParameterError):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_weights_are_passed_on():
    weights = np.arange(14) % 3
    model = MinimumRisk(NaiveBayes()).fit(X, Y, sample_weight=weights)
    plain = NaiveBayes().fit(X, Y, sample_weight=weights)
    assert (model.predict_proba(X) == plain.predict_proba(X)).all()


def test_a_decision_within_a_decision():
    model = MinimumRisk(MinimumRisk(NaiveBayes()), costs=[[0, 1], [9, 0]]).fit(X, Y)
    assert model.work(X.row(0)).parts[-1].result == pytest.approx(model.risk(X)[0, 1])  # R(Yes | x)


THREE = Column(Nominal("grade", ("low", "mid", "top")), np.array([0, 0, 0, 1, 1, 1], dtype=np.int8))
GRADES = {"low": {"mid": 1, "top": 7}, "mid": {"low": 4, "top": 7}, "top": {"low": 2, "mid": 2}}


@pytest.mark.parametrize("costs", [GRADES, [[0, 1, 7], [4, 0, 7], [2, 2, 0]]])
def test_a_declared_class_without_rows_can_be_decided(costs, tmp_path):
    model = MinimumRisk(NaiveBayes(), costs=costs).fit(NUMBERS, THREE)
    assert model.classes_.tolist() == ["low", "mid", "top"]
    low, mid, top = model.predict_proba(NUMBERS).T
    assert not top.any()
    np.testing.assert_allclose(model.risk(NUMBERS), np.stack([mid, 4 * low, 2 * low + 2 * mid], axis=1))
    opened = open_model(save(model, tmp_path / "m.openbook"))
    assert (opened.predict(NUMBERS) == model.predict(NUMBERS)).all()
    assert opened.costs_.tolist() == [[0, 1, 7], [4, 0, 7], [2, 2, 0]]


def test_costs_need_not_name_a_class_that_the_learner_leaves_out():
    model = MinimumRisk(Rocchio(), costs={"low": {"mid": 1}, "mid": {"low": 4}}).fit(NUMBERS, THREE)
    assert model.costs_.tolist() == [[0, 1], [4, 0]]
    with pytest.raises(ParameterError, match="what deciding 'low' costs when the truth is 'top'"):
        MinimumRisk(NaiveBayes(), costs={"low": {"mid": 1}, "mid": {"low": 4}}).fit(NUMBERS, THREE)


def test_a_fold_that_lacks_a_class_of_the_costs_is_judged_all_the_same():
    y = np.array(["a", "a", "b", "b", "b", "c"])
    costs = {d: {t: 1 for t in "abc" if t != d} for d in "abc"}
    halves = [(np.arange(5), np.array([5])), (np.array([0, 2, 3, 5]), np.array([1, 4]))]
    evaluation = evaluate(MinimumRisk(NaiveBayes(), costs=costs), NUMBERS, y, halves)
    assert evaluation.folds[0].proba.tolist()[0][2] == 0
    assert evaluation.folds[0].y_pred.tolist() == [1]  # c was never seen, and 9 is nearest to b
