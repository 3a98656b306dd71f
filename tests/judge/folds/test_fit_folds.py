"""Folds: one pass where it does, groups and weights passed on, nothing fitted outside, progress told."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from openbook.baseline import ZeroR
from openbook.bayes import NaiveBayes
from openbook.border.folding import Folding
from openbook.errors import DataError, OpenbookError, ParameterError
from openbook.judge import FoldError, GroupFolds, compare, evaluate, evaluate_fold
from openbook.judge.folds.splitters import Bootstrap632, TimeOrdered
from openbook.linear import LinearRegression

IRIS = load_iris(return_X_y=True)


def large(n=1200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@pytest.fixture
def passes(monkeypatch):
    """How many parts each pass met."""
    counts = []
    original = Folding.without_each

    def counted(self, X, y, parts):
        counts.append(len(parts))
        return original(self, X, y, parts)

    monkeypatch.setattr(Folding, "without_each", counted)
    return counts


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        (KFold(4, shuffle=True, random_state=0), [4]),
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), [3, 3]),
        (ShuffleSplit(3, test_size=0.25, random_state=0), []),
        (TimeOrdered(3), []),
        (Bootstrap632(3), []),
        ([(range(600), range(600, 1200))], []),
    ],
    ids=["k-fold", "repeated", "shuffled", "time", "bootstrap", "held out"],
)
def test_rounds_take_one_pass_and_say_what_single_folds_say(split, expected, passes):
    X, y = large()
    result = evaluate(NaiveBayes(), X, y, cv=split)
    assert passes == expected
    pairs = split.split(X, y) if hasattr(split, "split") else split
    for i, ((train, test), fold) in enumerate(zip(pairs, result.folds, strict=True)):
        if isinstance(split, Bootstrap632):
            single = NaiveBayes().fit(X[train], y[train]).predict_proba(X[test])
        else:
            single = evaluate_fold(NaiveBayes(), X, y, train, test).proba
        assert fold.index == i
        assert fold.n_train == len(set(train))
        assert fold.proba == pytest.approx(single, rel=1e-9)
        assert fold.fit_seconds > 0


def test_leaving_out_many_rows_one_by_one_holds_no_thousand_models(passes):
    X, y = large(1001)
    test = np.arange(1001)
    pairs = ((np.delete(test, i), [i]) for i in range(150))
    assert len(evaluate(ZeroR(), X, y, cv=pairs).folds) == 150
    assert passes == []


def test_several_learners_share_the_folds(passes):
    X, y = large()
    split = KFold(4)
    comparison = compare({"naive": NaiveBayes(), "nearest": KNeighborsClassifier()}, X, y, cv=split)
    assert passes == [4, 4]  # naive Bayes, and 0R beside it
    for name, model in {"naive": NaiveBayes(), "nearest": KNeighborsClassifier()}.items():
        alone = evaluate(model, X, y, cv=split)
        assert np.array_equal(comparison[name].scores(), alone.scores())


def test_regression_in_one_pass(passes):
    X, _ = large()
    y = X @ [1.0, 2.0, 3.0] + 0.1
    assert evaluate(LinearRegression(), X, y, cv=KFold(5)).mean("rmse") == pytest.approx(0, abs=1e-9)
    assert passes == [5]


def test_small_tables_and_weighed_rows_go_fold_by_fold(passes):
    evaluate(NaiveBayes(), *IRIS, cv=KFold(5, shuffle=True))
    evaluate(NaiveBayes(), *large(), cv=KFold(5), sample_weight=np.ones(1200))
    assert passes == []


def test_a_failure_in_the_pass_says_where():
    X, y = large()
    X[700, 1] = np.inf
    with pytest.raises(
        FoldError, match=r"NaiveBayes failed in fold 0 \(900 training.*holds infinity.*row 700"
    ):
        evaluate(NaiveBayes(), X, y, cv=KFold(4))
    with pytest.raises(FoldError, match="variance must be"):
        evaluate(NaiveBayes(variance="none"), *large(), cv=KFold(4))


def test_warnings_of_the_pass_stay_with_their_folds():
    X, y = large()
    X[:, 2] = 7.0  # a column that does not vary
    result = evaluate(NaiveBayes(), X, y, cv=KFold(4))
    assert list(result.warnings.values()) == [4]


# nothing is fitted outside


def test_a_fitted_scaler_is_forgotten_and_fitted_anew():
    X, y = IRIS
    fresh = make_pipeline(StandardScaler(), LogisticRegression())
    fitted = clone(fresh).fit(X * 1000 + 5, y)
    a, b = (evaluate(model, X, y, cv=KFold(5, shuffle=True, random_state=0)) for model in (fresh, fitted))
    assert np.array_equal(a.predictions.proba, b.predictions.proba)


def test_a_frozen_part_is_refused():
    X, y = IRIS
    scaler = FrozenEstimator(StandardScaler().fit(X))
    message = "Pipeline, frozenestimator: FrozenEstimator.* stays as it was fitted, and may have seen rows"
    with pytest.raises(ParameterError, match=message):
        evaluate(make_pipeline(scaler, LogisticRegression()), X, y)
    with pytest.raises(ParameterError, match=r"FrozenEstimator.* stays as it was fitted"):
        evaluate(FrozenEstimator(GaussianNB().fit(X, y)), X, y)
    with pytest.raises(ParameterError, match="stays as it was fitted"):
        evaluate_fold(make_pipeline(scaler, GaussianNB()), X, y, range(100), range(100, 150))


# groups


def test_groups_decide_the_split_and_a_column_that_names_them_is_no_input():
    X, y = large(200)
    frame = pl.DataFrame({"a": X[:, 0], "patient": np.arange(200) // 5, "ill": np.where(y, "yes", "no")})

    class Columns(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            assert X.columns == ["a"]
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.where(X["a"].to_numpy() > 0, "yes", "no")

    result = evaluate(Columns(), frame, "ill", groups="patient")
    assert "a group's rows always together (40 groups)" in result.words
    for fold in result.folds:
        assert len(np.unique(fold.rows // 5)) * 5 == fold.n_test
    by_array = evaluate(Columns(), frame.drop("patient"), "ill", groups=np.arange(200) // 5)
    assert np.array_equal(by_array.scores(), result.scores())


@pytest.mark.parametrize(
    ("split", "groups", "message"),
    [
        (KFold(5), np.arange(150) % 7, "split 0: group '0' both trains and tests; split by groups"),
        (GroupKFold(5), None, "GroupKFold.* cannot split these rows: .*groups.*; pass groups"),
        (GroupFolds(5), None, "GroupFolds needs to know the group of every row; pass groups"),
        (GroupKFold(9), np.arange(150) % 7, "cannot split these rows: .*n_splits=9.*number of groups: 7"),
        (KFold(200), None, "cannot split these rows: .*n_splits=200 greater than the number of samples"),
        (None, np.arange(149), "groups must be one for each of the 150 rows"),
    ],
)
def test_a_split_that_cannot_be_made_says_why(split, groups, message):
    with pytest.raises(OpenbookError, match=message):
        evaluate(GaussianNB(), *IRIS, cv=split, groups=groups)


class Asks(ClassifierMixin, BaseEstimator):
    """Wants to know the groups and weights of its rows."""

    def fit(self, X, y, sample_weight=None, groups=None):
        assert np.array_equal(groups, X[:, 0] % 10)
        assert np.array_equal(sample_weight, X[:, 0])
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("model", [Asks(), make_pipeline("passthrough", Asks())], ids=["alone", "pipeline"])
def test_who_asks_is_given_the_groups_and_weights_of_the_training_rows(model):
    rows = np.arange(100.0)
    evaluate(model, rows[:, None], rows % 2, cv=GroupFolds(5), groups=rows % 10, sample_weight=rows)


def test_weights_for_a_learner_that_takes_none():
    with pytest.raises(FoldError, match="KNeighborsClassifier takes no sample_weight; judge it without"):
        evaluate(KNeighborsClassifier(), *IRIS, cv=KFold(5, shuffle=True), sample_weight=np.ones(150))


# progress, times, and every prediction


def test_progress_is_told_fold_by_fold():
    told = []
    evaluate(GaussianNB(), *IRIS, cv=KFold(3, shuffle=True), progress=lambda *at: told.append(at))
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    evaluate(GaussianNB(), *IRIS, cv=LeaveOneOut(), progress=lambda *at: told.append(at))
    assert told[-1] == (150, 150)
    told.clear()
    evaluate(GaussianNB(), *IRIS, cv=Bootstrap632(2), progress=lambda *at: told.append(at))
    assert told == [(1, 3), (2, 3), (3, 3)]  # and one model of all rows
    told.clear()
    pairs = iter([(range(0, 150, 2), range(1, 150, 2))])
    evaluate(GaussianNB(), *IRIS, cv=pairs, progress=lambda *at: told.append(at))
    assert told == [(1, 1)]


def test_a_bar_does_not_disturb(capfd):
    evaluate(GaussianNB(), *IRIS, cv=KFold(3, shuffle=True), progress=True)
    assert capfd.readouterr() == ("", "")  # no terminal


def test_times_of_every_fold():
    times = evaluate(GaussianNB(), *IRIS, cv=KFold(3, shuffle=True)).times
    assert {name: len(seconds) for name, seconds in times.items()} == {"fit": 3, "predict": 3}
    assert (times["fit"] > 0).all()


def test_every_prediction_in_a_frame():
    X, y = IRIS
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    result = evaluate(GaussianNB(), X, y, cv=KFold(3, shuffle=True, random_state=0))
    frame = result.to_polars()
    assert frame.columns == [
        "fold",
        "row",
        "truth",
        "predicted",
        "P(setosa)",
        "P(versicolor)",
        "P(virginica)",
    ]
    assert frame.height == 150
    assert frame["truth"].to_list() == y[frame["row"].to_numpy()].tolist()
    accuracies = frame.group_by("fold", maintain_order=True).agg(
        (pl.col("truth") == pl.col("predicted")).mean()
    )
    assert accuracies["truth"].to_numpy() == pytest.approx(result.scores("accuracy"))
    numbers = evaluate(LinearRegression(), X[:, :2], X[:, 2], cv=KFold(3)).to_polars()
    assert numbers.columns == ["fold", "row", "truth", "predicted"]


def test_it_says_whether_scores_are_means_or_of_all_rows():
    once = evaluate(GaussianNB(), *IRIS, cv=KFold(3, shuffle=True))
    twice = evaluate(GaussianNB(), *IRIS, cv=RepeatedKFold(n_splits=3, n_repeats=2))
    by_rows = evaluate(GaussianNB(), *IRIS, cv=LeaveOneOut())
    assert once.averaging == by_rows.averaging == "scores are of all rows together"
    assert twice.averaging == "scores are means over 2 rounds"
    assert all(each.averaging in " ".join(str(each).split()) for each in (once, twice, by_rows))


def test_x_and_groups_of_other_lengths():
    with pytest.raises(DataError, match="groups must be one for each of the 150 rows"):
        evaluate_fold(GaussianNB(), *IRIS, range(100), range(100, 150), groups=[1, 2])
