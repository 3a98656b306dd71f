"""Running learners over folds: honest, the same as scikit-learn where it should be, clear where it fails."""

import json
import math

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.data import read
from openbook.errors import DataError, OpenbookError, ParameterError
from openbook.judge import Evaluation, FoldError, FoldResult, compare, evaluate, evaluate_fold, wilson

IRIS = load_iris(return_X_y=True)
FIVE = StratifiedKFold(5, shuffle=True, random_state=0)
MIXED = pd.DataFrame(
    {
        "colour": ["red", "blue", None, "red", "green", "blue"] * 20,
        "size": [1.5, 2.0, np.nan, 1.0, 3.5, 2.5] * 20,
        "buys": ["yes", "no", "no", "yes", "no", "yes"] * 20,
    }
)


def same_predictions(a, b):
    return len(a.folds) == len(b.folds) and all(
        np.array_equal(x.rows, y.rows)
        and np.array_equal(x.y_pred, y.y_pred)
        and np.array_equal(x.proba, y.proba)
        and x.warnings == y.warnings
        for x, y in zip(a.folds, b.folds, strict=True)
    )


@pytest.mark.parametrize(
    "splitter", [FIVE, RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1), LeaveOneOut()]
)
def test_scores_equal_cross_val_score(splitter):
    theirs = cross_val_score(GaussianNB(), *IRIS, cv=splitter)
    assert evaluate(GaussianNB(), *IRIS, cv=splitter).scores("accuracy") == pytest.approx(theirs)


def test_our_learner_is_judged_as_theirs():
    theirs = cross_val_score(GaussianNB(), *IRIS, cv=FIVE, scoring="neg_log_loss")
    ours = evaluate(NaiveBayes(), *IRIS, cv=FIVE)
    assert ours.scores("accuracy") == pytest.approx(cross_val_score(GaussianNB(), *IRIS, cv=FIVE))
    assert ours.scores("log_loss") == pytest.approx(-theirs, rel=1e-3)  # theirs adds 1e-9 to the variances


def test_regression_equals_cross_val_score():
    X, y = load_diabetes(return_X_y=True)
    splitter = KFold(5, shuffle=True, random_state=0)
    theirs = cross_val_score(LinearRegression(), X, y, cv=splitter, scoring="neg_root_mean_squared_error")
    ours = evaluate(LinearRegression(), X, y, cv=splitter)
    assert ours.scores() == pytest.approx(-theirs)
    assert ours.metric().name == "rmse"
    assert ours.classes is None
    assert evaluate(ZeroRegressor(), X, y, cv=splitter).mean("r2") < 0


class Spy(BaseEstimator):
    """A step that remembers how many rows, and which, it was fitted on."""

    fitted_on = []

    def fit(self, X, y=None):
        self.fitted_on.append(X[:, 0].tolist())
        return self

    def transform(self, X):
        return X


def test_every_step_of_a_pipeline_is_fitted_on_training_rows_only(monkeypatch):
    monkeypatch.setattr(Spy, "fitted_on", [])
    X = np.arange(60.0)[:, None]
    y = np.arange(60) % 2
    result = evaluate(make_pipeline(Spy(), StandardScaler(), GaussianNB()), X, y, cv=FIVE)
    assert len(Spy.fitted_on) == 5
    for seen, fold in zip(Spy.fitted_on, result.folds, strict=True):
        assert sorted([*seen, *fold.rows]) == list(range(60))


def test_a_scaler_fitted_on_all_rows_would_give_other_predictions():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)) * [1, 100, 1], np.arange(60) % 2
    X[0] = 1e4  # an outlier that the scaler must not see while its row is tested
    model = LogisticRegression(C=1e-3)
    honest = evaluate(make_pipeline(StandardScaler(), model), X, y, cv=KFold(5)).folds[0].proba
    leaking = evaluate(model, StandardScaler().fit_transform(X), y, cv=KFold(5)).folds[0].proba
    assert np.abs(honest - leaking).max() > 1e-3


def test_the_model_given_stays_unfitted():
    model = NaiveBayes()
    evaluate(model, *IRIS, cv=FIVE)
    assert not hasattr(model, "schema_")


@pytest.mark.parametrize("model", [NaiveBayes(), GaussianNB()])
@pytest.mark.parametrize(
    "labels",
    [["setosa", "versicolor", "virginica"], [10, -2, 7], [2.0, 1.0, 3.0]],
    ids=["text", "int", "float"],
)
def test_labels_of_any_kind(model, labels):
    X, y = IRIS
    y = np.array(labels)[y]
    result = evaluate(model, X, y, cv=FIVE)
    assert result.classes.tolist() == sorted(labels)
    assert result.mean() > 0.9
    truth = np.concatenate([result.classes[fold.y_true] for fold in result.folds])
    assert np.array_equal(truth, y[np.concatenate([fold.rows for fold in result.folds])])
    assert result.pooled("accuracy") == pytest.approx(np.mean([f.y_true == f.y_pred for f in result.folds]))


@pytest.mark.parametrize("model", [NaiveBayes(), GaussianNB()])
def test_booleans_as_labels(model):
    X, y = load_breast_cancer(return_X_y=True)
    result = evaluate(model, X, y == 0, cv=FIVE)
    assert result.classes.tolist() == [False, True]
    assert result.mean() > 0.9
    assert result.mean("roc_auc") > 0.95


@pytest.mark.parametrize(
    "X",
    [
        MIXED,
        pl.from_pandas(MIXED),
        pl.from_pandas(MIXED).to_arrow(),
        MIXED.replace({np.nan: None}).to_dict("records"),
        read(MIXED),
    ],
    ids=["pandas", "polars", "arrow", "dict rows", "table"],
)
def test_the_target_may_be_a_column(X):
    result = evaluate(NaiveBayes(), X, "buys", cv=FIVE)
    assert sorted(result.classes.tolist()) == ["no", "yes"]
    inputs, target = read(MIXED).split("buys")
    right = [
        NaiveBayes().fit(inputs.take(train), target.take(train)).predict(inputs.take(test))
        == MIXED["buys"][test]
        for train, test in FIVE.split(MIXED, MIXED["buys"])
    ]
    assert result.scores("accuracy") == pytest.approx(np.mean(right, axis=1))


def test_a_foreign_estimator_sees_the_frame_without_the_target():
    class Frames(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            assert list(X.columns) == ["colour", "size"]
            assert set(y) == {"yes", "no"}
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.where(X["size"] < 2, "yes", "no")

    # size < 2: rows 0 and 3 of each six are "yes", rightly; of the others only row 5 should be
    assert evaluate(Frames(), MIXED, "buys", cv=KFold(5)).pooled() == pytest.approx(5 / 6)


def test_a_path_is_read_for_everyone(tmp_path):
    path = tmp_path / "iris.csv"
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.assign(species=np.array(["a", "b", "c"])[y]).to_csv(path, index=False)
    ours = evaluate(NaiveBayes(), path, "species", cv=FIVE)
    theirs = evaluate(GaussianNB(), str(path), "species", cv=FIVE)
    assert ours.scores() == pytest.approx(theirs.scores())


def test_sparse_rows():
    from scipy import sparse

    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    X = sparse.csr_array(rng.poisson(0.3 + y[:, None] * np.array([1, 0, 0, 0.5])))
    assert evaluate(NaiveBayes(), X, y, cv=FIVE).mean() > 0.6


def test_without_probabilities_there_are_labels():
    result = evaluate(LinearSVC(), *IRIS, cv=FIVE)
    assert result.folds[0].proba is None
    assert np.isnan(result.mean("log_loss"))
    assert "log_loss" not in str(result)


def test_a_class_that_training_lacks_gets_probability_zero():
    X, y = np.arange(12.0)[:, None], np.array(["a"] * 5 + ["b"] * 6 + ["c"])
    for model in (NaiveBayes(), GaussianNB()):
        fold = evaluate_fold(model, X, y, train=np.arange(1, 11), test=[11, 0])
        assert fold.proba.shape == (2, 3)
        assert fold.proba[:, 2].tolist() == [0, 0]
        assert fold.y_true.tolist() == [2, 0]
        assert fold.proba.sum(axis=1) == pytest.approx([1, 1])


def test_random_predictions_are_the_learners_own():
    # 0R by "uniform" draws its class, so it must not be judged by its most probable one
    result = evaluate(ZeroR(strategy="uniform", random_state=0), *IRIS, cv=FIVE)
    assert len(np.unique(np.concatenate([fold.y_pred for fold in result.folds]))) == 3


def test_by_default_the_protocol_and_its_words():
    result = evaluate(OneR(), *IRIS)
    assert len(result.folds) == 50
    assert result.words == "stratified 10-fold cross-validation, repeated 5 times"
    assert not same_predictions(result, evaluate(OneR(), *IRIS, random_state=1))


def test_pairs_and_masks_are_splits():
    X, y = IRIS
    test = np.arange(150) % 3 == 0
    (fold,) = evaluate(GaussianNB(), X, y, cv=[(~test, test)]).folds
    assert fold.rows.tolist() == np.flatnonzero(test).tolist()
    assert fold.n_train == 100


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ([([0, 60, 1], [1, 2])], "split 0: row 1 both trains and tests"),
        ([([0, 60], [])], "split 0: training and test rows must each be a list of at least one position"),
        ([([0, 60], [150])], "split 0: positions must be whole numbers from 0 to 149"),
        ([([0, 60], [-1])], "split 0: positions must be"),
        ([(np.array([True, False]), [1])], "split 0: a mask of 2 for 150 rows"),
        ([], "cv gives no folds"),
    ],
)
def test_a_dishonest_split_is_refused(split, message):
    with pytest.raises(OpenbookError, match=message):
        evaluate(GaussianNB(), *IRIS, cv=split)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_change_nothing_and_warnings_stay_with_their_fold(backend):
    hasty = LogisticRegression(max_iter=1)
    alone = evaluate(hasty, *IRIS, cv=FIVE)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        together = evaluate(hasty, *IRIS, cv=FIVE)
    assert same_predictions(alone, together)
    assert all(fold.warnings[0].startswith("ConvergenceWarning: ") for fold in together.folds)
    assert list(together.warnings.values()) == [5]
    assert "ConvergenceWarning" in str(alone)


class Weak(GaussianNB):
    def fit(self, X, y):
        if X[0, 0] != 0:
            msg = "no first row"
            raise ValueError(msg)
        return super().fit(X, y)


def test_a_failure_names_the_learner_and_the_fold():
    X = np.arange(60.0)[:, None]
    with pytest.raises(
        FoldError,
        match=r"my model failed in fold 0 \(48 training and 12 test rows\): ValueError: no first row",
    ) as caught:
        evaluate(Weak(), X, np.arange(60) % 2, cv=KFold(5), name="my model")
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_learner_that_invents_classes_is_caught():
    class Inventor(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), 9)

    with pytest.raises(FoldError, match=r"9.* is not a class of y"):
        evaluate(Inventor(), *IRIS, cv=FIVE)


@pytest.mark.parametrize(
    ("model", "X", "y", "message"),
    [
        (StandardScaler(), *IRIS, "is neither a classifier nor a regressor"),
        (GaussianNB(), IRIS[0], IRIS[1][:10], "X has 150 rows, but y has 10"),
        (LinearRegression(), IRIS[0], ["a"] * 150, "target 'target' does not hold numbers"),
        (LinearRegression(), IRIS[0], [1.0] * 149 + [np.nan], "is nan in row 149; leave such rows out"),
        (LinearRegression(), IRIS[0], IRIS[0], r"must have one dimension, got shape \(150, 4\)"),
        (LinearRegression(), MIXED, "buys", "target 'buys' is nominal, and a regressor predicts numbers"),
        (GaussianNB(), IRIS[0][:0], [], "y is empty"),
    ],
)
def test_what_cannot_be_judged_is_said(model, X, y, message):
    with pytest.raises(OpenbookError, match=message):
        evaluate(model, X, y)


def test_an_unknown_metric_is_named_before_the_work():
    with pytest.raises(ParameterError, match="no metric 'acc'"):
        evaluate(GaussianNB(), *IRIS, metrics=["acc"])


def test_folds_one_by_one_make_the_same_evaluation():
    X, y = IRIS
    whole = evaluate(NaiveBayes(), X, y, cv=FIVE)
    lines = [
        json.dumps(evaluate_fold(NaiveBayes(), X, y, train, test, index).to_json())
        for index, (train, test) in enumerate(FIVE.split(X, y))
    ]
    folds = [FoldResult.from_json(json.loads(line)) for line in lines]
    again = Evaluation("NaiveBayes", "classification", [0, 1, 2], folds)
    assert same_predictions(whole, again)
    assert again.interval("log_loss") == whole.interval("log_loss")


def test_complexity_is_kept_also_from_the_end_of_a_pipeline():
    X, y = IRIS
    assert evaluate(NaiveBayes(), X, y, cv=FIVE).complexity == 3 - 1 + 3 * 4 * 2  # priors, means, variances
    assert evaluate(make_pipeline(StandardScaler(), NaiveBayes()), X, y, cv=FIVE).complexity == 26
    assert evaluate(GaussianNB(), X, y, cv=FIVE).complexity is None


def test_overlapping_test_sets_are_fine():
    result = evaluate(GaussianNB(), *IRIS, cv=ShuffleSplit(4, test_size=0.5, random_state=0))
    # a row that several draws test counts as often, and its errors are summed
    right = np.concatenate([fold.y_true == fold.y_pred for fold in result.folds]).astype(float)
    share, rows = right.mean(), np.concatenate([fold.rows for fold in result.folds])
    moved = np.bincount(rows, right - share)[np.unique(rows)] * len(np.unique(rows)) / len(rows)
    error = moved.std() / math.sqrt(len(moved)) * math.sqrt(1 + 75 / 75 / 2)
    n = share * (1 - share) / error**2
    expected = wilson(share * n, n)
    assert (result.interval().low, result.interval().high) == pytest.approx((expected.low, expected.high))
    assert len(result.one_round.truth) == 75


def test_missing_targets_are_refused():
    with pytest.raises(DataError, match="target 'class' is missing in 1 row"):
        evaluate(NaiveBayes(), IRIS[0], [None, *IRIS[1].astype(object)[1:]])


def test_weights_count_in_learning_and_not_in_the_scores():
    """0R learns the class of the heavy rows; judged row by row, it is right for one row in four."""
    X, y, weights = np.zeros((40, 1)), np.array(["a"] * 30 + ["b"] * 10), np.array([1.0] * 30 + [9.0] * 10)
    heavy = evaluate(ZeroR(), X, y, sample_weight=weights, cv=StratifiedKFold(5))
    assert heavy.score("accuracy") == pytest.approx(0.25)
    assert compare([ZeroR()], X, y, StratifiedKFold(5), sample_weight=weights)["ZeroR"].score() == 0.25
    with pytest.raises(DataError, match=r"sample_weight must be 40 numbers, got shape \(3,\)"):
        evaluate(ZeroR(), X, y, sample_weight=[1, 2, 3])


def test_a_number_of_folds_is_taken_at_its_word_below_fifty_rows():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1], 6)  # 12 rows in 3 stratified folds: 4 tested in each
    folds = evaluate(ZeroR(), X, y, cv=3).folds
    assert [sorted(y[fold.rows]) for fold in folds] == [[0, 0, 1, 1]] * 3
    grouped = evaluate(ZeroR(), X, y, cv=2, groups=np.arange(12) % 6 // 2).folds
    assert len(grouped) == 2
    with pytest.raises(ParameterError, match="cv must be at least 2 folds, got 1"):
        evaluate(ZeroR(), X, y, cv=1)
