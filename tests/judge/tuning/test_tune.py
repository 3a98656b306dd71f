"""Tuning: honest, the same as scikit-learn's search where it should be, clear where it fails."""

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier, is_regressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import openbook as ob
from openbook.baseline import OneR, ZeroR
from openbook.bayes import Laplace, NaiveBayes
from openbook.errors import ParameterError
from openbook.judge import FoldError, Tuning, evaluate, protocol, tune
from openbook.judge.chance.intervals import Interval
from openbook.judge.folds.splitters import GroupFolds, TimeOrdered
from openbook.judge.scores.metrics import METRICS
from openbook.judge.tuning.search import Tried, best_setting, knobs_of
from openbook.linear import LinearDiscriminantAnalysis, LinearRegression

IRIS = load_iris(return_X_y=True)
FIVE = StratifiedKFold(5, shuffle=True, random_state=0)


class Guess(ClassifierMixin, BaseEstimator):
    """Guesses by a hash of the row and its seed; of some size."""

    def __init__(self, seed=0, size=1):
        self.seed = seed
        self.size = size

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        bits = (np.asarray(X)[:, 0] * 1e6).astype(int) % 1000
        return self.classes_[np.random.default_rng(self.seed).integers(2, size=1000)[bits]]

    def complexity(self):
        return self.size


def noise(n=90):
    rng = np.random.default_rng(0)
    return rng.random((n, 1)), np.arange(n) % 2


def test_the_score_of_the_luckiest_is_not_reported():
    tuned = tune(Guess(), *noise(60), {"seed": range(40)}, cv=FIVE, inner=FIVE)
    best = max(tried.score for tried in tuned.table)
    assert best > 0.6  # the luckiest of forty guesses
    assert tuned.evaluation.score() < 0.57  # and what its luck is worth on other rows
    assert tuned.optimism == pytest.approx(best - tuned.evaluation.score())
    assert "On rows that neither search nor model had seen: accuracy" in tuned.work().conclusion


@pytest.mark.parametrize(
    ("model", "knobs", "data"),
    [
        (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 20]}, IRIS),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            {"logisticregression__C": [1e-3, 1e-2, 1.0]},
            load_breast_cancer(return_X_y=True),
        ),
    ],
    ids=["tree", "pipeline"],
)
def test_a_grid_is_scored_as_scikit_learn_scores_it(model, knobs, data):
    theirs = GridSearchCV(model, knobs, cv=FIVE, scoring="accuracy").fit(*data)
    ours = Tuning(model, knobs, cv=FIVE).fit(*data)
    by_setting = {tuple(sorted(t.parameters.items())): t.score for t in ours.tried_}
    for setting, score in zip(
        theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"], strict=True
    ):
        assert by_setting[tuple(sorted(setting.items()))] == pytest.approx(score)
    assert max(by_setting.values()) == pytest.approx(theirs.best_score_)
    assert np.array_equal(
        clone(model).set_params(**ours.parameters_).fit(*data).predict(data[0]), ours.predict(data[0])
    )


def test_numbers_are_tuned_by_their_error():
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=0)
    theirs = GridSearchCV(
        Ridge(), {"alpha": [0.1, 1.0, 100.0]}, cv=folds, scoring="neg_root_mean_squared_error"
    )
    ours = Tuning(Ridge(), {"alpha": [0.1, 1.0, 100.0]}, cv=folds).fit(X, y)
    assert ours.metric_.name == "rmse"
    assert ours.parameters_ == theirs.fit(X, y).best_params_
    tuned = tune(Ridge(), X, y, {"alpha": [0.1, 100.0]}, cv=folds)
    assert tuned.optimism == pytest.approx(tuned.evaluation.score() - min(t.score for t in tuned.table))


def test_equals_go_to_the_smallest_model_and_then_to_the_first():
    X, y = noise()
    tuning = Tuning(Guess(), {"size": [3, 1, 2]}).fit(X, y)  # size changes nothing
    assert tuning.parameters_ == {"size": 1}
    assert Tuning(DecisionTreeClassifier(random_state=0), {"min_samples_leaf": [2, 1]}).fit(
        [[0], [1]] * 30, [0, 1] * 30
    ).parameters_ == {"min_samples_leaf": 2}


def tried(score, size, rows=100):
    return Tried({"size": size}, score, Interval(0, 1, 0.95, "none"), size, 0.0, rows)


def test_rounding_makes_no_difference():
    assert best_setting([tried(0.9 + 1e-12, 9), tried(0.9, 2)], METRICS["accuracy"]).complexity == 2
    assert best_setting([tried(0.91, 9), tried(0.9, 2)], METRICS["accuracy"]).complexity == 9
    assert best_setting([tried(0.91, 9), tried(0.9, 2)], METRICS["error"]).complexity == 2
    assert best_setting([tried(0.99, 9, rows=50), tried(0.9, 2)], METRICS["accuracy"]).complexity == 2


def test_the_knobs_of_the_learner_are_tried_unless_others_are_named():
    tuning = Tuning(LinearDiscriminantAnalysis()).fit(*IRIS)
    assert [t.parameters["shrinkage"] for t in tuning.tried_] == [0.0, 0.1, 0.3, 1.0]
    assert knobs_of(LinearDiscriminantAnalysis(shrinkage=0.05))["shrinkage"] == (0.05, 0.0, 0.1, 0.3, 1.0)
    assert knobs_of(NaiveBayes(smoothing=Laplace(1))) == NaiveBayes().knobs()
    assert list(knobs_of(make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()))) == [
        "lineardiscriminantanalysis__shrinkage"
    ]


def test_a_learner_without_knobs_is_fitted_as_it_is():
    tuned = tune(ZeroR(), *IRIS, cv=FIVE)
    assert tuned.parameters == {}
    assert tuned.evaluation.score() == pytest.approx(1 / 3)


# it is a learner like others


def test_it_is_what_its_model_is():
    X, y = IRIS
    tuning = Tuning(LinearDiscriminantAnalysis(), {"shrinkage": [0.0, 0.5]})
    assert is_classifier(tuning)
    assert is_regressor(Tuning(LinearRegression()))
    copy = clone(tuning.set_params(random_state=3, model__variance="sample"))
    assert (copy.random_state, copy.model.variance) == (3, "sample")
    assert not hasattr(copy, "model_")
    copy.fit(X, y)
    assert copy.classes_.tolist() == [0, 1, 2]
    assert copy.predict(X[:3]).tolist() == [0, 0, 0]
    assert copy.predict_proba(X).shape == (150, 3)
    assert copy.decision_function(X).shape == (150, 3)
    assert copy.score(X, y) > 0.97
    assert copy.complexity() == copy.model_.complexity()
    assert copy.n_features_in_ == 4
    assert not hasattr(Tuning(DecisionTreeClassifier()), "decision_function")
    assert cross_val_score(tuning, X, y, cv=FIVE).mean() > 0.95


def test_evaluate_nests_it_on_tables_and_on_arrays():
    X, y = ob.load("iris").split("species")
    tuning = Tuning(OneR(), {"bins": [2, 10]})
    on_table = evaluate(tuning, X, y, cv=FIVE)
    on_frame = evaluate(tuning, X.to_pandas(), y.values, cv=FIVE)
    assert np.array_equal(on_table.scores(), on_frame.scores())
    for train, test in FIVE.split(X, y):
        by_hand = clone(tuning).fit(X.take(train), y.take(train)).predict(X.take(test))
        assert on_table.folds[0].y_pred.shape == by_hand.shape
        assert np.array_equal(on_table.classes[on_table.folds[0].y_pred], by_hand)
        break


def test_the_target_by_name_and_mixed_columns():
    tuned = tune(NaiveBayes(), ob.load("weather"), "play", nested=False)
    assert tuned.evaluation is None
    assert np.isnan(tuned.optimism)
    assert tuned.model.classes_.tolist() == ["No", "Yes"]
    assert tuned.model.target_ == "play"
    assert len(tuned.table) == 3
    assert "with accuracy" in str(tuned)


def test_the_model_can_be_saved(tmp_path):
    tuned = tune(LinearDiscriminantAnalysis(), *IRIS, cv=FIVE, nested=False)
    ob.save(tuned.model, tmp_path / "model.openbook")
    with pytest.raises(
        ParameterError, match=r"Tuning is not a registered learner\. Use its model_, which is\."
    ):
        ob.save(tuned.tuning, tmp_path / "tuning.openbook")
    assert np.array_equal(
        ob.open_model(tmp_path / "model.openbook").predict(IRIS[0]), tuned.model.predict(IRIS[0])
    )


def test_chance_is_the_seeds():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    knobs = {"logisticregression__C": loguniform(1e-3, 1e3)}
    first, again, other = (
        Tuning(model, knobs, search="random", n_iter=4, random_state=seed).fit(*IRIS) for seed in (1, 1, 2)
    )
    assert len(first.tried_) == 4
    assert [t.parameters for t in first.tried_] == [t.parameters for t in again.tried_]
    assert [t.score for t in first.tried_] == [t.score for t in again.tried_]
    assert [t.parameters for t in first.tried_] != [t.parameters for t in other.tried_]
    few = Tuning(OneR(), {"bins": [2, 3]}, search="random", n_iter=9).fit(*IRIS)
    assert len(few.tried_) == 2  # there are no more


# groups and time


class Spy(Guess):
    """Checks what it is fitted and tested on: rows carry their group, or their time, in the first column."""

    seen = []

    def fit(self, X, y):
        self.train_ = np.asarray(X)[:, 0]
        return super().fit(X, y)

    def predict(self, X):
        Spy.seen.append((self.train_, np.asarray(X)[:, 0]))
        return np.full(len(X), self.classes_[0])


def test_inner_folds_keep_groups_together(monkeypatch):
    monkeypatch.setattr(Spy, "seen", [])
    groups = np.repeat(np.arange(40.0), 3)
    y = np.arange(120) % 2
    tune(Spy(), groups[:, None], y, {"size": [1, 2]}, cv=GroupFolds(4), groups=groups)
    assert len(Spy.seen) > 40
    assert not any(set(train) & set(test) for train, test in Spy.seen)


def test_inner_splitters_of_groups_are_given_them():
    groups = np.repeat(np.arange(40), 3)
    tuning = Tuning(Guess(), {"size": [1, 2]}, cv=GroupKFold(4))
    tuning.fit(groups[:, None] + 0.5, np.arange(120) % 2, groups=groups)
    assert tuning.parameters_ == {"size": 1}


@pytest.mark.parametrize("how", ["splitter", "protocol"])
def test_inner_folds_go_by_time_where_outer_ones_do(how, monkeypatch):
    monkeypatch.setattr(Spy, "seen", [])
    time = np.random.default_rng(0).permutation(120)
    y = np.arange(120) % 2
    split = TimeOrdered(3, time=time) if how == "splitter" else protocol(y, time=time, n_splits=3)
    tune(Spy(), time[:, None], y, {"size": [1, 2]}, cv=split)
    assert len(Spy.seen) == 3 * (5 * 2 + 1) + 5 * 2  # outer folds, and all rows
    assert all(train.max() < test.min() for train, test in Spy.seen)


# halving


def test_halving_spends_rows_on_the_best():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)  # 2276 rows
    knobs = {"max_depth": [1, 2, 3, 4, 6, 8, 10, 12, 16]}
    tuning = Tuning(DecisionTreeClassifier(random_state=0), knobs, search="halving").fit(X, y)
    rows = [t.rows for t in tuning.tried_]
    assert rows == [2276] + [758] * 2 + [252] * 6
    assert best_setting(tuning.tried_, tuning.metric_).rows == 2276
    assert tuning.parameters_["max_depth"] > 2
    again = Tuning(DecisionTreeClassifier(random_state=0), knobs, search="halving").fit(X, y)
    assert again.tried_[0].parameters == tuning.tried_[0].parameters
    assert "rows" in str(tuning.work())


def test_halving_keeps_groups_whole_and_kinds():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(500), 4)
    X = ob.read(rng.normal(size=(2000, 2)))
    y = np.where(rng.random(2000) < 0.3, "yes", "no")
    tuning = Tuning(OneR(), search="halving").fit(X, y, groups=groups)
    assert sorted({t.rows for t in tuning.tried_}) == [224, 668, 2000]


def test_few_rows_or_settings_are_not_halved():
    tuning = Tuning(OneR(), {"bins": [2, 5, 10]}, search="halving").fit(*IRIS)
    assert {t.rows for t in tuning.tried_} == {150}


def test_halving_draws_from_distributions():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    knobs = {"logisticregression__C": loguniform(1e-3, 1e3)}
    assert len(Tuning(model, knobs, search="halving", n_iter=4).fit(*IRIS).tried_) == 4


# failures


class Fails(Guess):
    def fit(self, X, y):
        if self.size > 1:
            raise RuntimeError("too large")
        return super().fit(X, y)


def test_a_setting_that_fails_is_told_and_not_chosen():
    X, y = noise()
    tuning = Tuning(Fails(), {"size": [2, 1]}).fit(X, y)
    assert tuning.parameters_ == {"size": 1}
    assert "too large" in tuning.tried_[0].failure
    assert "too large" in str(tuning.work())
    with pytest.raises(FoldError, match="too large"):
        Tuning(Fails(), {"size": [2, 3]}).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"knobs": {"siez": [1]}}, r"Guess has no parameter 'siez'. Did you mean 'size'\?"),
        ({"knobs": {"size": []}}, r"knob 'size' must have values to try, such as \[1, 10\], got \[\]"),
        ({"knobs": {"size": "big"}}, "knob 'size' must have values to try.* got 'big'"),
        ({"knobs": {"size": 3}}, "knob 'size' must have values to try.* got 3"),
        ({"search": "greedy"}, "search must be one of 'grid', 'random', 'halving', got 'greedy'"),
        ({"knobs": {"size": loguniform(1, 9)}}, "knob 'size' is a distribution, of which there is no grid"),
        ({"knobs": {"size": [1]}, "search": "random", "n_iter": 0}, "n_iter must be at least 1, got 0"),
        ({"cv": [([0], [1])]}, "cv must be a number of folds, or a splitter such as"),
        ({"search": "halving", "cv": TimeOrdered(3)}, "use search='grid' or 'random' with splits by time"),
        ({"metric": "log_loss"}, "log loss is undefined for every setting; choose another metric"),
        ({"metric": "rmse"}, "rmse judges regression"),
    ],
)
def test_what_cannot_be_tuned_is_said(options, message):
    with pytest.raises(ParameterError, match=message):
        Tuning(Guess(), **{"knobs": {"size": [1, 2]}, **options}).fit(*noise())


def test_the_work_shows_every_setting():
    tuning = Tuning(LinearDiscriminantAnalysis()).fit(*IRIS)
    text = str(tuning.work())
    assert text.startswith("Tuning of LinearDiscriminantAnalysis")
    assert all(t.interval.ends in text for t in tuning.tried_)
    assert "95%, Wilson for 133 effective rows" in text  # 150 / (1 + (1/4) / 2)
    assert "∴ The best: shrinkage = " in text
    assert "discriminant" in str(tuning.work(IRIS[0][0])).lower()
