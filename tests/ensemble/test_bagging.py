"""Bagging: samples, the errors outside of them, what members are told, and what cannot be a member."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron
from sklearn.metrics import r2_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from openbook import load, open_model, save
from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.ensemble import BaggingClassifier, BaggingRegressor
from openbook.ensemble.bagging import drawn
from openbook.errors import ParameterError

X, Y = load("weather").split("play")
IRIS, SPECIES = load("iris").split("species")


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=12).filter(any), st.integers(0, 99), st.integers(1, 30)
)
def test_a_weight_draws_like_so_many_rows(weights, seed, size):
    weights = np.array(weights, dtype=float)
    times = drawn(np.random.RandomState(seed), weights, size)
    assert times.sum() == size
    assert not times[weights == 0].any()
    rows = np.repeat(np.arange(len(weights)), weights.astype(int))
    of_rows = drawn(np.random.RandomState(seed), np.ones(len(rows)), size)
    assert times.tolist() == np.bincount(rows, weights=of_rows, minlength=len(weights)).tolist()


@pytest.mark.parametrize("how", [{}, {"bootstrap": False, "max_samples": 0.5}], ids=str)
def test_a_member_is_what_its_recorded_rows_make_of_it(how, tmp_path):
    model = BaggingClassifier(NaiveBayes(), 3, random_state=0, **how).fit(IRIS, SPECIES)
    samples = model.estimators_samples_
    assert [len(rows) for rows in samples] == ([75] * 3 if how else [150] * 3)
    for member, rows in zip(model.estimators_, samples, strict=True):
        again = NaiveBayes().fit(IRIS.take(rows), SPECIES.take(rows))
        np.testing.assert_allclose(member.predict_proba(IRIS), again.predict_proba(IRIS), rtol=1e-9)
    opened = open_model(save(model, tmp_path / "model.openbook"))
    np.testing.assert_array_equal(opened.estimators_samples_, samples)


def test_rows_of_no_weight_are_not_drawn_and_damaged_samples_are_refused():
    model = BaggingClassifier(ZeroR(), 3, random_state=0).fit(X, Y, sample_weight=[2.0, 0.0] * 7)
    assert [len(rows) for rows in model.estimators_samples_] == [14] * 3  # a weight of 2 is two rows
    assert max(rows.max() for rows in model.estimators_samples_) < 7  # counted among those with a weight
    sound = model._arrays()
    for name, array in [("seeds", sound["seeds"][:2]), ("weights", -sound["weights"]), ("n_rows", [1.5])]:
        with pytest.raises(ValueError, match="its samples do not match its members"):
            model._restore({**sound, name: np.array(array)})


def test_rows_are_drawn_in_proportion_to_their_weights():
    times = drawn(np.random.RandomState(0), np.array([0.1, 0.3, 0.6]), 100_000)
    np.testing.assert_allclose(times / 100_000, [0.1, 0.3, 0.6], atol=0.01)  # six standard errors


def test_the_error_outside_the_sample_by_hand():
    """Of the numbers 0 and 10 a sample holds one twice, and is 10 off on the other, or it holds both."""
    model = BaggingRegressor(ZeroRegressor(), n_estimators=20, random_state=1).fit([[0], [0]], [0.0, 10.0])
    for member, error in zip(model.estimators_, model.oob_errors_, strict=True):
        if member.constant_ == 5:
            assert math.isnan(error)
        else:
            assert member.constant_ in {0, 10}
            assert error == 100
    assert {member.constant_ for member in model.estimators_} == {0, 5, 10}
    assert model.oob_error_ == model.oob_curve_[-1] == 100
    assert model.predict([[0]])[0] == pytest.approx(
        np.mean([m.constant_ for m in model.estimators_]), rel=1e-14
    )


def test_the_vote_outside_the_samples_row_by_row():
    """Each row once more in plain Python, from the samples of the same seeds."""
    weights = np.arange(1, 15) / 7
    model = BaggingClassifier(OneR(), n_estimators=6, random_state=3).fit(X, Y, sample_weight=weights)
    samples = [model._sampled(np.random.RandomState(seed), weights) for seed in model._seeds()]
    for n in range(1, 7):
        wrong = heard = 0.0
        for i in range(14):
            outside = [m for m, times in zip(model.estimators_[:n], samples, strict=False) if times[i] == 0]
            if outside:
                shares = sum(m.predict_proba(X.take([i]))[0] for m in outside)
                heard += weights[i]
                wrong += weights[i] * (model.classes_[shares.argmax()] != Y[i])
        assert model.oob_curve_[n - 1] == pytest.approx(wrong / heard, rel=1e-12)
    outside = samples[2] == 0
    own = np.average((model.estimators_[2].predict(X) != Y.values)[outside], weights=weights[outside])
    assert model.oob_errors_[2] == pytest.approx(own, rel=1e-12)


def test_a_member_is_the_learner_on_its_sample():
    model = BaggingClassifier(NaiveBayes(), n_estimators=3, random_state=0).fit(IRIS, SPECIES)
    for member, seed in zip(model.estimators_, model._seeds(), strict=True):
        times = model._sampled(np.random.RandomState(seed), np.ones(150))
        rows = np.repeat(np.arange(150), times)
        alone = NaiveBayes().fit(IRIS.take(rows), SPECIES[rows])
        np.testing.assert_allclose(member.predict_proba(IRIS), alone.predict_proba(IRIS), rtol=1e-9)
    mean = np.mean([member.predict_proba(IRIS) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(IRIS), mean, rtol=1e-13)


def test_more_members_begin_with_the_same():
    few, many = (BaggingClassifier(OneR(), n, random_state=2).fit(X, Y) for n in (2, 5))
    assert many.oob_errors_[:2].tolist() == few.oob_errors_.tolist()
    assert many.oob_curve_[:2].tolist() == few.oob_curve_.tolist()


def test_without_the_bootstrap():
    everything = BaggingClassifier(NaiveBayes(), 2, bootstrap=False).fit(X, Y)
    assert math.isnan(everything.oob_error_)
    np.testing.assert_allclose(
        everything.predict_proba(X), NaiveBayes().fit(X, Y).predict_proba(X), rtol=1e-12
    )
    half = BaggingClassifier(ZeroR(), 4, max_samples=0.5, bootstrap=False, random_state=0).fit(X, Y)
    assert [member.statistics_.classes.sum() for member in half.estimators_] == [7] * 4
    assert np.isfinite(half.oob_errors_).all()


def test_fewer_rows_a_member():
    model = BaggingClassifier(ZeroR(), 3, max_samples=0.3, random_state=0).fit(X, Y)
    assert [member.statistics_.classes.sum() for member in model.estimators_] == [round(0.3 * 14)] * 3


def test_members_speak_of_the_target_and_its_labels():
    member = BaggingClassifier(OneR(), 2, random_state=0).fit(X, Y).estimators_[0]
    assert member.target_ == "play"
    assert member.classes_.tolist() == ["No", "Yes"]
    assert member.schema_ == X.schema
    assert member.work().title == "1R for play"


@pytest.mark.parametrize("labels", [[3, 1], [True, False], ["b", "a"], [2.0, 0.0]], ids=repr)
def test_labels_stay_what_they_are(labels):
    y = np.array([labels[i % 2] for i in range(14)])
    model = BaggingClassifier(NaiveBayes(), 3, random_state=0).fit(X, y)
    assert model.estimators_[0].classes_.tolist() == model.classes_.tolist() == sorted(labels)
    assert set(model.predict(X).tolist()) <= set(labels)


def test_a_learner_without_weights_gets_rows_repeated():
    numbers = IRIS.block(IRIS.names)
    model = BaggingClassifier(KNeighborsClassifier(1), 4, random_state=0).fit(numbers, SPECIES)
    for member, seed in zip(model.estimators_, model._seeds(), strict=True):
        times = model._sampled(np.random.RandomState(seed), np.ones(150))
        assert member.n_samples_fit_ == 150
        assert member._fit_X.tolist() == numbers[np.repeat(np.arange(150), times)].tolist()
    assert model.oob_error_ < 0.1
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no sample_weight"):
        BaggingClassifier(KNeighborsClassifier(1), bootstrap=False).fit(
            numbers, SPECIES, np.linspace(0.5, 1.6, 150)
        )


def test_a_class_that_a_sample_lacks():
    """A learner that gets rows, not weights, knows nothing of a class of which none was drawn."""
    x, y = np.array([[0.0], [0.1], [0.2], [5.0]]), np.array(["a", "a", "a", "b"])
    model = BaggingClassifier(KNeighborsClassifier(1), 10, random_state=0).fit(x, y)
    assert {len(member.classes_) for member in model.estimators_} == {1, 2}
    know = np.mean([len(member.classes_) == 2 for member in model.estimators_])
    assert model.predict_proba([[5.0]])[0] == pytest.approx([1 - know, know])


def test_a_learner_that_only_decides():
    numbers = IRIS.block(IRIS.names)
    model = BaggingClassifier(Perceptron(random_state=0), 4, random_state=0).fit(numbers, SPECIES)
    votes = np.array([member.predict(numbers[:1])[0] for member in model.estimators_])
    expected = [np.mean(votes == label) for label in model.classes_]
    assert model.predict_proba(numbers[:1])[0].tolist() == expected


def test_members_of_others_have_no_size():
    model = BaggingClassifier(GaussianNB(), 2, random_state=0).fit(IRIS.block(IRIS.names), SPECIES)
    assert "GaussianNB" in model.work().text()
    with pytest.raises(
        ParameterError, match="GaussianNB has no complexity; put openbook's learners into BaggingClassifier"
    ):
        model.complexity()


def test_the_members_own_draws_differ_and_repeat():
    model, again = (
        BaggingClassifier(ZeroR("prior"), 3, random_state=np.random.RandomState(4)).fit(X, Y)
        for _ in range(2)
    )
    states = [member.random_state for member in model.estimators_]
    assert len(set(states)) == 3
    assert states == [member.random_state for member in again.estimators_]
    assert BaggingClassifier(ZeroR("prior"), 3).fit(X, Y).estimator.random_state is None


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            BaggingClassifier(ZeroRegressor()),
            "BaggingClassifier needs a classifier, and ZeroRegressor is not one",
        ),
        (BaggingRegressor(OneR()), "BaggingRegressor needs a regressor, and OneR is not one"),
        (BaggingClassifier(OneR), r"<class .*OneR'> is not a learner; pass one such as NaiveBayes\(\)"),
        (BaggingClassifier("a tree"), "BaggingClassifier: 'a tree' is not a learner"),
    ],
)
def test_what_cannot_be_a_member(model, message):
    with pytest.raises(ParameterError, match=message):
        model.fit([[1.0], [2.0]], [0, 1])


def test_the_work_shows_votes_and_their_mean():
    model = BaggingClassifier(OneR(), 3, random_state=0).fit(X, Y)
    work, row = model.work(X.row(0)), X.take([0])
    grid = work.parts[0]
    assert [list(line[2:]) for line in grid.rows] == [
        m.predict_proba(row)[0].tolist() for m in model.estimators_
    ]
    for label, p in zip(model.classes_, model.predict_proba(row)[0], strict=True):
        assert work[f"P({label})"].result == pytest.approx(p, rel=1e-14)
    roll = model.work().parts[0]
    assert [line[3] for line in roll.rows] == model.oob_errors_.tolist()
    long = BaggingClassifier(ZeroR(), 33, random_state=0).fit(X, Y).work().parts[0]
    assert len(long.rows) == 30
    assert long.note == "3 more rows"


# --- what scikit-learn's users ask for


def outside_by_hand(model, X, answers):
    """The mean of what members say of the rows that they did not see."""
    sums, votes = 0.0, np.zeros(len(X))
    for member, rows, columns in zip(
        model.estimators_, model.estimators_samples_, model.estimators_features_, strict=True
    ):
        outside = np.setdiff1d(np.arange(len(X)), rows)
        own = np.zeros((len(X), *answers(member, X[:1, columns]).shape[1:]))
        own[outside] = answers(member, X[np.ix_(outside, columns)])
        sums, votes = sums + own, votes + np.isin(np.arange(len(X)), outside)
    return (sums.T / votes).T


@pytest.mark.parametrize("max_features", [1.0, 0.5, 2])
def test_oob_score_keeps_what_members_say_of_rows_they_did_not_see(max_features, tmp_path):
    X = IRIS.block(IRIS.names)
    model = BaggingClassifier(n_estimators=25, max_features=max_features, oob_score=True, random_state=0).fit(
        X, SPECIES
    )
    proba = outside_by_hand(model, X, lambda member, rows: member.predict_proba(rows))
    np.testing.assert_allclose(model.oob_decision_function_, proba, rtol=1e-12)
    right = model.classes_[proba.argmax(axis=1)] == np.asarray(SPECIES)
    assert model.oob_score_ == pytest.approx(right.mean()) == pytest.approx(1 - model.oob_error_)
    assert {len(columns) for columns in model.estimators_features_} == {4 if max_features == 1.0 else 2}
    save(model, tmp_path / "bag.openbook")
    opened = open_model(tmp_path / "bag.openbook")
    assert opened.oob_score_ == model.oob_score_
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()
    assert str(opened.work()) == str(model.work())


def test_oob_score_of_numbers_is_r_squared():
    X, y = IRIS.block(IRIS.names[:3]), IRIS.data(IRIS.names[3])
    model = BaggingRegressor(n_estimators=40, oob_score=True, random_state=0).fit(X, y)
    predicted = outside_by_hand(model, X, lambda member, rows: member.predict(rows))
    np.testing.assert_allclose(model.oob_prediction_, predicted, rtol=1e-12)
    assert model.oob_score_ == pytest.approx(r2_score(y, predicted))
    assert model.work()["out-of-bag score"].result == model.oob_score_


def test_columns_drawn_with_replacement_are_there_once():
    model = BaggingClassifier(n_estimators=20, max_features=1.0, bootstrap_features=True, random_state=0).fit(
        IRIS, SPECIES
    )
    widths = [len(columns) for columns in model.estimators_features_]
    assert max(widths) <= 4
    assert min(widths) < 4
    names = [tuple(np.array(IRIS.names)[columns]) for columns in model.estimators_features_]
    assert [tuple(member.schema_.names) for member in model.estimators_] == names
    assert "columns" in model.work()["members"].header


def test_oob_score_needs_rows_outside():
    with pytest.raises(ParameterError, match="oob_score needs samples; every member saw all rows"):
        BaggingClassifier(bootstrap=False, oob_score=True).fit(X, Y)
