"""Gradient boosting: by hand, beside scikit-learn, on typed columns, and what `work` says of it."""

import math
import warnings

import numpy as np
import pytest
from sklearn import ensemble

import openbook as ob
from openbook.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

X, Y = ob.load("weather").split("play")


def theirs(cls, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(random_state=0, **given)


# --- by hand


def test_one_round_of_classes():
    """Overcast: 4 of 4 play; else 5 of 10. p = 9/14, so r is 5/14 or -9/14, and |r|(1 - |r|) = 45/196."""
    model = GradientBoostingClassifier(n_estimators=1, max_depth=1, learning_rate=0.5).fit(X, Y)
    start, others, overcast = math.log(9 / 5), (-20 / 14) / (450 / 196), (20 / 14) / (180 / 196)
    assert model.start_ == pytest.approx([start])
    rows = [{"outlook": "sunny"}, {"outlook": "overcast"}]
    rows = [{**dict.fromkeys(X.names), **row} for row in rows]
    scores = [start + 0.5 * others, start + 0.5 * overcast]
    assert model.decision_function(rows) == pytest.approx(scores)
    assert model.predict_proba(rows)[:, 1] == pytest.approx([1 / (1 + math.exp(-f)) for f in scores])


def test_one_round_of_numbers():
    model = GradientBoostingRegressor(n_estimators=2, max_depth=1, learning_rate=0.5)
    model.fit([[1.0], [2.0], [3.0], [4.0]], [0.0, 2.0, 6.0, 8.0])
    # mean 4; leaves -3 and 3; F = 2.5 and 5.5; residuals -2.5, -0.5, 0.5, 2.5; leaves -1.5 and 1.5
    assert model.predict([[1.0], [2.0], [4.0]]).tolist() == [1.75, 1.75, 6.25]
    assert model.train_score_[0] == pytest.approx((2.5**2 + 0.5**2) * 2 / 4)


def test_medians_of_the_absolute_error():
    model = GradientBoostingRegressor("absolute_error", n_estimators=1, max_depth=1, learning_rate=1.0)
    model.fit([[1.0], [2.0], [3.0], [4.0], [5.0]], [0.0, 1.0, 2.0, 10.0, 50.0])
    # median 2; signs -1, -1, 0, 1, 1: the cut after the second leaves -1 and 2/3, as good as that after the
    # third, and the first wins; the medians of y - 2 are -1.5 and 8
    assert model.start_.tolist() == [2.0]
    assert model.predict([[1.0], [5.0]]) == pytest.approx([0.5, 10.0])


# --- beside scikit-learn


def test_numbers_as_scikit_learn():
    X, y = ob.load("diabetes").split("progression")
    matrix = X.block(X.names)
    ours = GradientBoostingRegressor(n_estimators=30, bins=500).fit(matrix, y)
    other = theirs(ensemble.GradientBoostingRegressor, n_estimators=30).fit(matrix, y.data)
    assert ours.predict(matrix) == pytest.approx(other.predict(matrix), rel=1e-10)
    assert ours.train_score_ == pytest.approx(other.train_score_, rel=1e-10)


def test_two_classes_as_scikit_learn():
    X, y = ob.load("breast_cancer").split("diagnosis")
    matrix, codes = X.block(X.names), (y.data == y.data[0]).astype(int)
    ours = GradientBoostingClassifier(n_estimators=30, bins=600).fit(matrix, codes)
    other = theirs(ensemble.GradientBoostingClassifier, n_estimators=30).fit(matrix, codes)
    assert ours.predict_proba(matrix) == pytest.approx(other.predict_proba(matrix), abs=1e-10)
    assert ours.decision_function(matrix) == pytest.approx(other.decision_function(matrix), rel=1e-9)


def test_several_classes_as_scikit_learn():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(300, 4))
    codes = np.digitize(matrix[:, 0] + matrix[:, 1] ** 2 + rng.normal(size=300), [0.0, 1.5])
    ours = GradientBoostingClassifier(n_estimators=10, max_depth=2, bins=500).fit(matrix, codes)
    other = theirs(ensemble.GradientBoostingClassifier, n_estimators=10, max_depth=2).fit(matrix, codes)
    assert ours.predict_proba(matrix) == pytest.approx(other.predict_proba(matrix), abs=1e-10)
    for mine, their in zip(ours.staged_predict(matrix), other.staged_predict(matrix), strict=True):
        assert (mine == their).all()


def without_ties():
    """Rows, numbers with some far off, and weights: no two splits gain the same."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(601, 5))
    y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3] + rng.standard_t(2, size=601)
    return X, y, 1 + rng.random(601)


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "huber"},
        {"loss": "huber", "alpha": 0.6},
        {"loss": "quantile"},
        {"loss": "quantile", "alpha": 0.2},
        {"loss": "absolute_error"},
        {"init": "zero"},
    ],
    ids=str,
)
def test_losses_of_numbers_as_scikit_learn(settings, tmp_path):
    matrix, y, w = without_ties()
    ours = GradientBoostingRegressor(n_estimators=12, bins=1000, **settings).fit(matrix, y, sample_weight=w)
    other = theirs(ensemble.GradientBoostingRegressor, n_estimators=12, **settings)
    other.fit(matrix, y, sample_weight=w)
    assert ours.predict(matrix) == pytest.approx(other.predict(matrix), rel=1e-9)
    assert ours.train_score_ == pytest.approx(other.train_score_, rel=1e-9)
    ob.save(ours, tmp_path / "boosted.openbook")
    opened = ob.open_model(tmp_path / "boosted.openbook")
    assert str(opened.work()) == str(ours.work())
    assert opened.work(matrix[:1])["F"].result == pytest.approx(other.predict(matrix[:1])[0])


@pytest.mark.parametrize(
    "settings", [{"loss": "exponential"}, {"init": "zero"}, {"loss": "exponential", "init": "zero"}], ids=str
)
def test_losses_of_classes_as_scikit_learn(settings):
    matrix, y, w = without_ties()
    codes = (y > 0.5).astype(int)
    ours = GradientBoostingClassifier(n_estimators=12, bins=1000, **settings)
    other = theirs(ensemble.GradientBoostingClassifier, n_estimators=12, **settings)
    ours.fit(matrix, codes, sample_weight=w)
    other.fit(matrix, codes, sample_weight=w)
    assert ours.predict_proba(matrix) == pytest.approx(other.predict_proba(matrix), rel=1e-10)
    assert ours.decision_function(matrix) == pytest.approx(other.decision_function(matrix), rel=1e-9)
    told = ours.work(matrix[:1])
    assert [told[f"P({c} | x)"].result for c in (0, 1)] == pytest.approx(ours.predict_proba(matrix[:1])[0])


def test_the_exponential_loss_by_hand():
    """P = 9/14: F = ln(9/5) / 2, and a leaf is the sum of r over that of |r|, as r = e^-F or -e^F."""
    model = GradientBoostingClassifier("exponential", n_estimators=1, max_depth=1).fit(X, Y)
    yes, no = math.sqrt(5 / 9), math.sqrt(9 / 5)
    assert model.start_ == pytest.approx([math.log(9 / 5) / 2])
    first = model.work()["γ of the first leaf"].result  # 5 of 10 play unless it is overcast
    assert first == pytest.approx((5 * yes - 5 * no) / (5 * yes + 5 * no))
    iris, species = ob.load("iris").split("species")
    with pytest.raises(
        ob.errors.ParameterError, match="for two classes, and 'species' has 3; use 'log_loss'"
    ):
        model.fit(iris, species)


def test_noise_is_not_learnt_by_heart_where_it_may_stop():
    rng = np.random.default_rng(1)
    matrix, codes = rng.normal(size=(600, 5)), rng.integers(0, 2, 600)
    model = GradientBoostingClassifier(n_iter_no_change=3, random_state=0).fit(matrix, codes)
    assert model.n_estimators_ < 30
    assert len(model.validation_score_) == model.n_estimators_ == len(model.estimators_)
    assert "It stopped" in str(model.work())


# --- typed columns


def mixed(n, seed=0):
    rng = np.random.default_rng(seed)
    town, size = rng.choice(["Ulm", "Bonn", "Kiel"], n), rng.normal(size=n)
    y = np.where(town == "Bonn", 3.0, 0.0) + size
    return {"town": np.where(rng.random(n) < 0.1, None, town), "size": np.where(size > 1, np.nan, size)}, y


@pytest.mark.parametrize(("missing", "least"), [("majority", 0.75), ("branch", 0.93)])
def test_missing_cells_and_unseen_values(missing, least):
    table, y = mixed(400)  # sizes above 1 are missing, which only a branch of their own can tell
    model = GradientBoostingRegressor(missing=missing).fit(table, y)
    assert model.score(table, y) > least
    unseen = [{"town": "Rome", "size": 0.0}, {"town": None, "size": 0.0}]
    assert np.ptp(model.predict(unseen)) == 0


def test_weights_are_repeated_rows():
    table, y = mixed(60)
    weights = np.random.default_rng(2).integers(0, 4, 60)
    rows = ob.read(table)
    again = np.repeat(np.arange(60), weights)
    weighed = GradientBoostingRegressor(n_estimators=10, min_samples_leaf=3).fit(rows, y, weights)
    repeated = GradientBoostingRegressor(n_estimators=10, min_samples_leaf=3).fit(rows.take(again), y[again])
    assert weighed.predict(rows) == pytest.approx(repeated.predict(rows), rel=1e-9)


def test_samples_of_rows_are_those_of_the_random_state():
    table, y = mixed(200)
    one, same, other = (
        GradientBoostingRegressor(subsample=0.5, n_estimators=5, random_state=seed).fit(table, y)
        for seed in (0, 0, 1)
    )
    assert (one.predict(table) == same.predict(table)).all()
    assert (one.predict(table) != other.predict(table)).any()


# --- work and the file


@pytest.mark.parametrize("name", ["weather", "iris"])
def test_the_work_of_a_row_is_its_prediction(name):
    X, y = ob.load(name).split({"weather": "play", "iris": "species"}[name])
    model = GradientBoostingClassifier(n_estimators=7).fit(X, y)
    for row in (0, len(X) - 1):
        work, proba = model.work(X.take([row])), model.predict_proba(X.take([row]))[0]
        told = [work[f"P({label} | x)"].result for label in model.classes_.tolist()]
        assert told == pytest.approx(proba.tolist(), rel=1e-12)


def test_the_work_derives_the_first_rounds():
    X, y = ob.load("iris").split("species")
    model = GradientBoostingClassifier(n_estimators=3, max_depth=1).fit(X, y)
    work = model.work()["Round 1"]
    leaves = work["tree of the residuals of F(setosa)"]
    # 50 rows of each class: p = 1/3, so r = 2/3 or -1/3, and |r|(1 - |r|) = 2/9
    assert [row[1:] for row in leaves.rows] == [
        pytest.approx([50, 100 / 3, 100 / 9, 2.0]),
        pytest.approx([100, -100 / 3, 200 / 9, -1.0]),
    ]


@pytest.mark.parametrize(
    ("name", "change", "complaint"),
    [
        ("start_", [1.0, 2.0], "start_"),
        ("train_score_", [1.0], "train_score_"),
        ("validation_score_", [1.0], "do not match its rounds"),
        ("first_sums", [[1.0, 1.0]], "first_sums"),
        ("more", [1.0], "unexpected array"),
    ],
)
def test_arrays_that_do_not_match_the_trees(name, change, complaint):
    model = GradientBoostingClassifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match=complaint):
        model._restore({**model._arrays(), name: np.array(change)})
