"""Classes by the widest margin: by hand, against LIBSVM, probabilities, many classes, errors, the file."""

import math
import warnings

import numpy as np
import pytest
import sklearn.svm
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from openbook import load
from openbook.errors import DataError, InterruptedFit, ParameterError
from openbook.svm import SVC, learner, newton, pairwise_votes, rest_votes, smo, solve
from openbook.svm.platt import deal
from openbook.svm.training import MachineRows

SQUARE = [[0, 0], [0, 2], [2, 0], [2, 2]]


def points(rows, columns, n_classes=2, seed=0):
    """Classes around centres of their own, overlapping."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, rows)
    return rng.normal(size=(rows, columns)) + 1.2 * rng.normal(size=(n_classes, columns))[y], y


# -- by hand


def test_a_square():
    """The classes are columns of a square of side 2: the boundary is x0 = 1, its margin 2 wide."""
    model = SVC(C=math.inf, kernel="linear", scale=False, calibrate=None).fit(SQUARE, [-1, -1, 1, 1])
    assert model.coef_.tolist() == [[1.0, 0.0]]
    assert model.intercept_.tolist() == [-1.0]
    assert model.margin_.tolist() == [2.0]
    assert model.slacks_.max() == 0.0
    assert model.dual_gap_.tolist() == [0.0]
    assert model.decision_function([[3, 7], [1, 0]]).tolist() == [2.0, 0.0]
    assert model.predict([[3, 7], [-1, 0]]).tolist() == [1, -1]


def test_slack_by_hand():
    """Points 0 | 1 3 with C = 1/4: the dual 2s - s²/2 is largest where 0 and 1 spend all they have.

    So w = 1/4. Rows 0 and 1 allow b up to 3/4, row 3 no less than 1/4: the middle is 1/2, and the slacks are
    1 + 1/2 and 1 - 3/4.
    """
    model = SVC(C=0.25, kernel="linear", scale=False, calibrate=None).fit([[0], [1], [3]], ["a", "b", "b"])
    assert model.support_.tolist() == [0, 1]
    assert model.dual_coef_.tolist() == [[-0.25, 0.25]]
    assert model.coef_.tolist() == [[0.25]]
    assert model.intercept_.tolist() == [0.5]
    assert model.slacks_.tolist() == [[1.5, 0.25]]
    assert model.margin_.tolist() == [8.0]
    assert model.objective_.tolist() == [1 / 32 + 7 / 16]
    assert model.dual_gap_.tolist() == [0.0]


def test_coefficients_are_in_units_of_the_columns():
    X, y = points(80, 3)
    X = X * [1.0, 100.0, 0.01] + [5.0, -300.0, 0.0]
    model = SVC(kernel="linear", calibrate=None).fit(X, y)
    assert model.decision_function(X) == pytest.approx((X @ model.coef_.T + model.intercept_)[:, 0], rel=1e-9)
    with pytest.raises(AttributeError, match="kernel 'rbf' has no coefficients of columns"):
        _ = SVC().fit(X, y).coef_


# -- against LIBSVM and LIBLINEAR

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": "auto", "C": 10.0},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": lambda A, B: (1 + A @ B.T) ** 2},
]


@pytest.mark.parametrize("options", KERNELS)
@pytest.mark.parametrize("rows", [80, 300])
def test_decisions_are_those_of_libsvm(options, rows):
    X, y = points(rows, 4, seed=1)
    weights = np.random.default_rng(2).uniform(0.5, 2, rows)
    options = {"gamma": 0.2, **options}
    penalty = {"C": options.get("C", 1.0) * weights.mean()}  # ours scales the weights to the mean 1
    ours = SVC(**{**options, **penalty}, scale=False, calibrate=None).fit(X, y, weights)
    theirs = sklearn.svm.SVC(**options, tol=1e-7).fit(X, y, weights)
    scale = np.abs(theirs.decision_function(X)).max()
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=2e-5 * scale)
    assert set(ours.support_) == set(theirs.support_)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_many_rows_too(monkeypatch):
    """In working sets, and to LIBSVM's own tolerance."""
    monkeypatch.setattr(smo, "WORKING", 64)
    monkeypatch.setattr(solve, "CACHED_ROWS", 0)
    X, y = points(1000, 5, seed=3)
    ours, theirs = SVC(scale=False, calibrate=None).fit(X, y), sklearn.svm.SVC().fit(X, y)
    assert ours.n_iter_[0] > 5
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=5e-3)


def test_the_objective_of_liblinear():
    """It penalises the constant too, so its optimum is a little higher."""
    X, y = points(2000, 6, seed=4)
    for loss, power in (("hinge", 1), ("squared_hinge", 2)):
        ours = SVC(kernel="linear", loss=loss, scale=False, calibrate=None).fit(X, y)
        theirs = sklearn.svm.LinearSVC(loss=loss, max_iter=100_000, tol=1e-5, random_state=0).fit(X, y)
        w, b = theirs.coef_[0], theirs.intercept_[0]
        f = (2 * y - 1) * (X @ w + b)
        objective = 0.5 * w @ w + (np.maximum(0, 1 - f) ** power).sum()
        assert ours.objective_[0] <= objective * (1 + 1e-9)
        assert ours.objective_[0] == pytest.approx(objective, rel=1e-3)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_weights_of_classes(kernel):
    X, y = points(150, 3, 3, seed=5)
    for given_weights in ("balanced", {0: 3.0, 2: 0.5}):
        ours = SVC(kernel=kernel, multiclass="ovo", class_weight=given_weights, scale=False, calibrate=None)
        theirs = sklearn.svm.SVC(
            kernel=kernel, class_weight=given_weights, tol=1e-7, decision_function_shape="ovo"
        )
        f = theirs.fit(X, y).decision_function(X)
        assert ours.fit(X, y)._decisions(ours._encode(X)) == pytest.approx(f, abs=1e-4)


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_many_classes(multiclass):
    X, y = points(200, 3, 4, seed=6)
    ours = SVC(multiclass=multiclass, scale=False, calibrate=None).fit(X, y)
    if multiclass == "ovo":
        theirs = sklearn.svm.SVC(tol=1e-7).fit(X, y).decision_function(X)
    else:
        machines = [sklearn.svm.SVC(tol=1e-7).fit(X, y == c) for c in range(4)]
        theirs = np.column_stack([machine.decision_function(X) for machine in machines])
    assert ours.decision_function(X) == pytest.approx(theirs, abs=1e-4)
    assert (ours.predict(X) == theirs.argmax(axis=1)).all()


# -- votes


def test_votes_of_one_against_the_rest(golden):
    for name in ("ovr_votes.three_class", "ovr_votes.own_four_class_tie"):
        record = golden(name)
        votes, expected = rest_votes(record["data"]["outputs"]), record["expected"]
        assert votes.by_machine.tolist() == expected["votes_by_classifier"]
        assert votes.totals.tolist() == expected["totals"]
        assert votes.first == (expected["tied"] or [expected["winner"]])


def test_the_largest_decision_is_among_the_most_votes():
    for f in np.random.default_rng(7).normal(size=(200, 4)):
        assert int(np.argmax(f)) in rest_votes(f).first


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_the_work_counts_the_votes(multiclass):
    X, y = load("iris").split("species")
    model = SVC(multiclass=multiclass).fit(X, y)
    for i in (0, 70, 140):
        row = X.take([i])
        f = model._decisions(row)[0]
        votes = rest_votes(f) if multiclass == "ovr" else pairwise_votes(f, 3)
        work = model.work(row)
        grid = next(part for part in work.parts if getattr(part, "title", "") == "votes")
        assert grid.rows[-1] == ("total", *votes.totals.tolist())
        assert [row[1:] for row in grid.rows[:-1]] == [tuple(row) for row in votes.by_machine.tolist()]
        assert str(model.predict(row)[0]) in work.conclusion


# -- probabilities


@settings(max_examples=25)
@given(
    seed=st.integers(0, 1000),
    rows=st.integers(8, 60),
    n_classes=st.integers(2, 4),
    kernel=st.sampled_from(["linear", "rbf"]),
    multiclass=st.sampled_from(["ovr", "ovo"]),
    calibrate=st.sampled_from([None, 3]),
)
def test_probabilities_never_contradict_predictions(seed, rows, n_classes, kernel, multiclass, calibrate):
    X, y = points(rows, 2, n_classes, seed)
    y[:n_classes] = range(n_classes)
    X = np.round(X)  # ties, and rows that are alike
    model = SVC(kernel=kernel, multiclass=multiclass, calibrate=calibrate).fit(X, y)
    proba, f = model.predict_proba(X), model.decision_function(X)
    assert (model.predict(X) == proba.argmax(axis=1)).all()
    scores = np.column_stack([-f, f]) if n_classes == 2 else f
    apart = np.sort(scores)[:, -1] - np.sort(scores)[:, -2] > 1e-9
    assert (model.predict(X)[apart] == scores.argmax(axis=1)[apart]).all()


def test_calibration_pays():
    X, y = points(600, 2, seed=9)
    flipped = np.where(np.random.default_rng(9).random(600) < 0.2, 1 - y, y)
    raw, fitted = (SVC(C=100, calibrate=folds).fit(X[:400], flipped[:400]) for folds in (None, 5))
    assert not raw.calibrated_
    assert fitted.calibrated_
    losses = [log_loss(flipped[400:], model.predict_proba(X[400:])) for model in (raw, fitted)]
    assert losses[1] < losses[0]
    assert (raw.predict(X) == fitted.predict(X)).all()


def test_folds_know_no_order():
    X, y = points(60, 3, seed=10)
    order = np.random.default_rng(0).permutation(60)
    dealt = deal(X, y, 5)
    assert (deal(X[order], y[order], 5) == dealt[order]).all()
    for c in (0, 1):
        counts = np.bincount(dealt[y == c], minlength=5)
        assert counts.max() - counts.min() <= 1


def test_a_class_too_small_for_folds_is_noted():
    X, y = points(20, 2, seed=11)
    y[:] = 0
    y[3] = 1
    model = SVC().fit(X, y)
    assert model.notes_ == ["probabilities are not calibrated: a class is too small for folds"]
    assert model.sharpness_.tolist() == [1.0, 1.0]
    assert "Probabilities are not calibrated" in model.work().conclusion


# -- rows


def test_rows_that_are_alike_are_one():
    X, y = np.array([[0.0, 1], [2, 3], [0, 1], [0, 1]]), np.array([0, 1, 0, 1])
    joined = MachineRows(X, y, np.array([1.0, 2, 3, 4]), np.arange(4)).joined()
    assert joined.X.tolist() == [[0, 1], [2, 3], [0, 1]]
    assert joined.w.tolist() == [4.0, 2.0, 4.0]
    assert joined.number.tolist() == [0, 1, 3]


def test_without_a_look_for_them_it_is_the_same_model(monkeypatch):
    X, y = points(300, 2, seed=12)
    X = np.round(X)
    joined = SVC(kernel="linear", calibrate=None).fit(X, y)
    monkeypatch.setattr(learner, "_MANY", 10)
    apart = SVC(kernel="linear", calibrate=None).fit(X, y)
    assert len(apart.support_) > len(joined.support_)
    assert apart.coef_ == pytest.approx(joined.coef_, rel=1e-7)


# -- what is said


def test_a_hard_margin_that_there_is_none_of():
    X = np.array([[0.0], [1], [2], [3]])
    with pytest.raises(
        DataError, match="rows 1, 2 are on the wrong side; use a finite C, which allows slack"
    ):
        SVC(C=math.inf, kernel="linear").fit(X, [0, 1, 0, 1])
    assert SVC(C=math.inf, gamma=1.0).fit(X, [0, 1, 0, 1]).predict(X).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "SVC: C must be a number above 0, or math.inf, got 0."),
        ({"C": math.nan}, "SVC: C must be a number above 0, or math.inf, got nan."),
        (
            {"kernel": "cubic"},
            "SVC: kernel must be 'linear', 'poly', 'rbf' or a function of two matrices, got",
        ),
        ({"gamma": "small"}, "SVC: gamma must be 'scale', 'auto' or a number above 0, got 'small'."),
        ({"calibrate": 1}, "SVC: calibrate must be None or a whole number of at least 2, got 1."),
        ({"class_weight": {"x": 1}}, "class_weight: no class 'x'"),
        ({"C": math.inf, "loss": "squared_hinge"}, "the hard margin, which has no slack to square"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        SVC(**options).fit(SQUARE, [0, 1, 0, 1])


def test_one_class_is_none():
    with pytest.raises(DataError, match="SVC needs at least two classes, and there is only one class: a"):
        SVC().fit(SQUARE, ["a"] * 4)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_cap_is_said(kernel, monkeypatch):
    monkeypatch.setattr(smo, "WORKING", 16)
    monkeypatch.setattr(solve, "CACHED_ROWS", 0)
    X, y = points(400, 3, seed=13)
    with pytest.warns(
        ConvergenceWarning, match=r"SVC: the search reached max_iter=2; this is the best model so far"
    ):
        model = SVC(kernel=kernel, max_iter=2).fit(X, y)
    assert not model.converged_
    assert not model.calibrated_
    assert model.score(X, y) > 0.6
    assert "times its minimum above the minimum" in model.notes_[0]
    assert model.notes_[1] == "probabilities are not calibrated: the search ended early"
    best = SVC(kernel=kernel).fit(X, y)
    assert best.objective_[0] <= model.objective_[0] <= best.objective_[0] + model.dual_gap_[0]
    assert "The search reached max_iter=2" in model.work().conclusion


@pytest.mark.parametrize(("multiclass", "held"), [("ovr", 0), ("ovo", 0), ("ovr", 2048)])
def test_an_interrupt_is_said_and_leaves_a_model(multiclass, held, monkeypatch):
    monkeypatch.setattr(smo, "WORKING", 16)
    monkeypatch.setattr(solve, "CACHED_ROWS", held)
    X, y = points(300, 3, 3, seed=14)
    real, calls = smo.pair_steps, []

    def pressed(*args):
        calls.append(1)
        if len(calls) == (2 if held else 20):
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(smo, "pair_steps", pressed)
    with pytest.warns(
        InterruptedFit, match=r"SVC: the search was interrupted; this is the best model so far"
    ):
        model = SVC(multiclass=multiclass).fit(X, y)
    assert len(calls) < 30
    assert model.score(X, y) > 0.4
    assert (model.predict(X) == model.predict_proba(X).argmax(axis=1)).all()


def test_an_interrupt_in_newtons_method(monkeypatch):
    X, y = points(500, 3, seed=15)
    real, calls = newton._curvature, []

    def pressed(*args):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(newton, "_curvature", pressed)
    with pytest.warns(InterruptedFit, match="the search was interrupted"):
        model = SVC(kernel="linear").fit(X, y)
    assert model.score(X, y) > 0.6


# -- the work


@pytest.mark.parametrize("options", [*KERNELS, {"multiclass": "ovo"}, {"loss": "squared_hinge"}])
def test_the_work_is_the_twin_of_the_machines(options):
    X, y = points(40, 3, 3, seed=16)
    model = SVC(**options).fit(X, y)
    for i in (0, 9, 21):
        work = model.work(X[i])
        f = [step.result for step in work.steps() if step.label == "f(x)"]
        assert f == pytest.approx(
            model._decisions(model._encode(X[i : i + 1]))[0].tolist(), rel=1e-9, abs=1e-12
        )
        proba = [work[f"P(class = {c} | x)"].result for c in range(3)]
        assert proba == pytest.approx(model.predict_proba(X[i : i + 1])[0].tolist(), rel=1e-9)
    learnt = model.work()
    margins = [step.result for step in learnt.steps() if step.label == "margin"]
    assert margins == pytest.approx(model.margin_.tolist(), rel=1e-9)
    constants = [step.result for step in learnt.steps() if step.label == "b"]
    assert constants == pytest.approx(model.bias_.tolist(), rel=1e-7, abs=1e-9)


def test_the_work_of_a_square():
    model = SVC(C=math.inf, kernel="linear", scale=False).fit(SQUARE, [-1, -1, 1, 1])
    work = model.work()
    assert work["w of x0"].result == 1.0
    assert work["w of x1"].result == 0.0
    assert work["b"].result == -1.0
    assert work["margin"].result == 2.0
    assert work["sum"].result == 0.0
    assert work.conclusion == "2 support vectors."


def test_no_warning_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, target in (("weather", "play"), ("iris", "species"), ("loan", "cheat")):
            X, y = load(name).split(target)
            for kernel in ("linear", "poly", "rbf"):
                assert SVC(kernel=kernel).fit(X, y).converged_
