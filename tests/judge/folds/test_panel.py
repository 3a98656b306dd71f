"""Judging a panel, the same groups time after time: folds, tuning inside them, curves."""

import numpy as np
import pytest

from openbook.baseline import ZeroR, ZeroRegressor
from openbook.errors import DataError
from openbook.judge import Tuning, compare, evaluate, evaluate_fold, learning_curve, protocol, tune
from openbook.judge.folds.splitters import TimeOrdered
from openbook.linear import LinearRegression
from openbook.neighbors import KNeighborsClassifier

PATIENTS, YEARS = 30, 5
PATIENT = np.repeat([f"p{i}" for i in range(PATIENTS)], YEARS)
YEAR = np.tile(np.arange(YEARS), PATIENTS)


@pytest.fixture(scope="module")
def panel():
    """Inputs that name the patient, so that only a model that knows the patient can tell the target."""
    rng = np.random.default_rng(0)
    own = np.repeat(rng.permutation(PATIENTS), YEARS).astype(float)
    ill = np.repeat(rng.integers(0, 2, PATIENTS), YEARS)
    return own[:, None], ill


def split_of(y, test_groups):
    return protocol(y, groups=PATIENT, time=YEAR, test_groups=test_groups)


def test_a_model_that_learns_patients_by_heart_is_good_for_known_ones_only(panel):
    X, y = panel
    model = KNeighborsClassifier(n_neighbors=1)
    known = evaluate(model, X, y, split_of(y, "known"), groups=PATIENT)
    new = evaluate(model, X, y, split_of(y, "new"), groups=PATIENT)
    assert known.score("accuracy") == 1.0  # a patient's past tells its future
    assert new.score("accuracy") < 0.75


@pytest.mark.parametrize("cv", [None, 3])
def test_rows_with_a_time_are_tested_by_models_of_earlier_rows(panel, cv):
    X, y = panel
    for found in (evaluate(ZeroR(), X, y, cv, time=YEAR), compare([ZeroR()], X, y, cv, time=YEAR)["ZeroR"]):
        assert found.ordered
        assert all(
            YEAR[np.setdiff1d(np.arange(len(y)), fold.rows)].min() < YEAR[fold.rows].min()
            for fold in found.folds
        )
        assert [fold.n_train for fold in found.folds] == sorted({fold.n_train for fold in found.folds})


def test_the_time_may_be_a_column_which_is_then_no_input():
    rows = [{"day": day, "x": day % 3, "y": float(day)} for day in range(60)]
    model = evaluate(LinearRegression(), rows, "y", time="day")
    # y grows with the day alone: a model that saw the day would make no error
    assert model.ordered
    assert model.score("rmse") > 10


def test_known_groups_must_be_asked_for(panel):
    X, y = panel
    pair = [(np.flatnonzero(YEAR < 3), np.flatnonzero(YEAR == 3))]
    with pytest.raises(DataError, match=r"both trains and tests.*say test_groups='known'"):
        evaluate(ZeroR(), X, y, pair, groups=PATIENT)
    asked = {"groups": PATIENT, "test_groups": "known"}
    assert len(evaluate(ZeroR(), X, y, pair, **asked).folds) == 1
    assert len(compare([ZeroR()], X, y, pair, **asked)["ZeroR"].folds) == 1
    assert len(evaluate_fold(ZeroR(), X, y, *pair[0], **asked).rows) == PATIENTS


@pytest.mark.parametrize("test_groups", ["new", "known"])
def test_knobs_are_tuned_on_a_panel_inside_its_folds(panel, test_groups):
    X, y = panel
    tuned = tune(
        KNeighborsClassifier(), X, y, {"n_neighbors": [1, 9]}, split_of(y, test_groups), groups=PATIENT
    )
    assert tuned.evaluation.score("accuracy") <= 1.0
    if test_groups == "known":
        assert tuned.parameters == {"n_neighbors": 1}  # learning by heart is best where patients are known
    inner = TimeOrdered(3, test_groups=test_groups)
    order = np.argsort(YEAR, kind="stable")
    tuning = Tuning(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, inner)
    tuning.fit(X[order], y[order], groups=PATIENT[order])
    best = max(tried.score for tried in tuning.tried_)
    assert (best == 1.0) == (test_groups == "known")


@pytest.mark.parametrize("test_groups", ["new", "known"])
def test_learning_curves_of_a_panel(panel, test_groups):
    X, y = panel
    curve = learning_curve(
        KNeighborsClassifier(n_neighbors=1), X, y, cv=split_of(y, test_groups), groups=PATIENT
    )
    assert np.isfinite(curve.validation[-1]).all()
    assert (curve.validation[-1].mean() == 0) == (test_groups == "known")  # errors


@pytest.mark.parametrize("test_groups", ["new", "known"])
def test_numbers_of_a_panel(panel, test_groups):
    X, _ = panel
    y = X[:, 0] / 3 + YEAR
    models, split = [ZeroRegressor(), LinearRegression()], split_of(y, test_groups)
    comparison = compare(models, X, y, split, groups=PATIENT)
    assert comparison["LinearRegression"].score("rmse") < comparison["ZeroRegressor"].score("rmse")


def test_evaluations_know_the_groups_and_the_order_of_their_rows(panel):
    X, y = panel
    _, codes = np.unique(PATIENT, return_inverse=True)
    for split in (split_of(y, "known"), TimeOrdered(3, time=YEAR)):
        found = evaluate(ZeroR(), X, y, split, groups=PATIENT)
        assert found.groups.tolist() == codes.tolist()
        assert found.ordered
    grouped = evaluate(ZeroR(), X, y, groups=PATIENT)
    assert (grouped.groups.tolist(), grouped.ordered) == (codes.tolist(), False)
    plain = evaluate(ZeroR(), X, y)
    assert (plain.groups, plain.ordered) == (None, False)
    pair = [(np.flatnonzero(YEAR < 3), np.flatnonzero(YEAR == 3))]
    assert evaluate(ZeroR(), X, y, pair, ordered=True).ordered
