"""Curves: nested sizes, what a fold sees, stages, verdicts beside the best, notes, errors, pictures."""

from xml.etree import ElementTree as ET

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from openbook import load
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError
from openbook.judge import (
    METRICS,
    Curve,
    FoldError,
    complexity_curve,
    evaluate,
    iteration_curve,
    learning_curve,
)
from openbook.judge.curves.run import _balanced
from openbook.judge.folds.examples import Examples

IRIS = load_iris(return_X_y=True)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=1)
SEEN: list[tuple[int, set[int]]] = []


class Spy(ClassifierMixin, BaseEstimator):
    """Notes the rows it is given, which are numbered in their first column, and says the first class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        SEEN.append((len(X), set(X[:, 0].astype(int).tolist())))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def hand_made(training, validation, kind="complexity", across=(1, 3, 9), metric="error", **more):
    folds = len(validation[0])
    return Curve(
        kind,
        "polynomial",
        "order",
        across,
        METRICS[metric],
        training,
        validation,
        [0.5] * folds,
        75,
        25,
        **more,
    )


def test_sizes_double_and_end_with_the_whole_training_part():
    curve = learning_curve(NaiveBayes(), *IRIS, cv=FOLDS)
    assert curve.across == (8, 15, 30, 60, 120)
    evaluation = evaluate(NaiveBayes(), *IRIS, cv=FOLDS)
    assert curve.validation[-1].tolist() == evaluation.scores("error").tolist()
    assert (curve.n_train, curve.n_test) == (120, 30)


def test_the_last_point_is_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(4, shuffle=True, random_state=0)
    curve = learning_curve(LinearRegression(), X, y, cv=folds, metric="r2")
    assert curve.validation[-1] == pytest.approx(
        cross_val_score(LinearRegression(), X, y, cv=folds), rel=1e-12
    )


def test_the_training_score_is_of_the_rows_learnt_from():
    """One neighbour knows its own rows, however few; three rows of two classes are not all known to zero."""
    curve = learning_curve(KNeighborsClassifier(1), *IRIS, cv=FOLDS)
    assert not curve.training.any()
    assert (curve.validation.mean(axis=1) > 0).all()


def test_sizes_are_nested_and_stay_in_the_training_part():
    SEEN.clear()
    X = np.column_stack([np.arange(150), IRIS[0]])
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    learning_curve(Spy(), X, IRIS[1], sizes=[10, 25, 75], cv=[(train, test)])
    assert [n for n, _ in SEEN] == [10, 25, 75]
    small, middle, large = (rows for _, rows in SEEN)
    assert small < middle < large == set(train.tolist())


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(0, 5))
def test_each_class_has_its_share_of_any_beginning(codes, seed):
    target = np.array(codes)
    examples = Examples(None, target, np.array(list("abcd")), "y")
    order = _balanced(examples, np.arange(len(codes)), [seed])
    assert sorted(order.tolist()) == list(range(len(codes)))
    for m in range(1, len(codes) + 1):
        counts = np.bincount(target[order[:m]], minlength=4)
        shares = np.bincount(target, minlength=4) * m / len(codes)
        assert (np.abs(counts - shares) <= 2).all()  # each is within a row of a share that is within a row


def test_the_same_seed_gives_the_same_curve_on_any_number_of_workers():
    curves = [learning_curve(OneR(), *IRIS, random_state=3)]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        curves.append(learning_curve(OneR(), *IRIS, random_state=3))
    other = learning_curve(OneR(), *IRIS, random_state=4)
    assert np.array_equal(curves[0].validation, curves[1].validation)
    assert np.array_equal(curves[0].training, curves[1].training)
    assert not np.array_equal(curves[0].validation, other.validation)


def test_a_class_that_a_size_lacks_is_said():
    y = np.array([0] * 60 + [1] * 37 + [2] * 3)
    X = np.column_stack([y + 0.01 * np.arange(100), np.ones(100)])
    curve = learning_curve(NaiveBayes(), X, y, sizes=[6, 1.0], cv=StratifiedKFold(3))
    assert curve.notes == (
        "6 rows: in 3 of 3 folds a class is lacking ('2'), which cannot be predicted then",
    )
    assert not np.isnan(curve.validation).any()


def test_many_classes_that_a_size_lacks():
    y = np.arange(60) % 10
    curve = learning_curve(NaiveBayes(), np.column_stack([y, y]), y, sizes=[1, 1.0], cv=StratifiedKFold(3))
    (note,) = curve.notes
    assert note.startswith("1 rows: in 3 of 3 folds a class is lacking (")
    assert note.endswith(" and 7 more), which cannot be predicted then")


def test_a_size_at_which_a_learner_cannot_be_fitted_is_undefined():
    """scikit-learn's logistic regression wants two classes, and one row has only one."""
    curve = learning_curve(LogisticRegression(), *IRIS, sizes=[1, 1.0], cv=FOLDS)
    assert np.isnan(curve.mean(0))
    assert curve.mean(1) < 0.1
    assert any("1 rows: LogisticRegression failed: ValueError" in note for note in curve.notes)
    assert "undefined" in curve.work().text()
    assert curve.best == 1
    assert "<polyline" in curve.draw().svg()


def test_a_learner_that_cannot_be_fitted_at_all_is_an_error():
    X = np.where(np.arange(600).reshape(150, 4) == 7, np.nan, IRIS[0])
    with pytest.raises(FoldError, match=r"fold \d, 120 training rows: LogisticRegression failed: ValueError"):
        learning_curve(LogisticRegression(), X, IRIS[1], cv=FOLDS)


def test_few_rows_are_split_time_and_again():
    X, y = load("weather").split("play")
    curve = learning_curve(NaiveBayes(), X, y)
    assert curve.across == (3, 6, 11)
    assert curve.words == "20 random splits that test 3 of 14 rows, stratified"
    assert curve.validation.shape == (3, 20)


def test_groups_stay_together():
    groups = np.arange(150) // 3
    curve = learning_curve(NaiveBayes(), *IRIS, groups=groups)
    assert "a group's rows always together (50 groups)" in curve.words


def test_weights_count():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]] * 20), np.array([0, 1, 0, 1] * 20)
    split = [(np.arange(60), np.arange(60, 80))]
    heavy = learning_curve(NaiveBayes(), X, y, [1.0], split, sample_weight=np.where(y == 1, 5.0, 1.0))
    assert heavy.validation.item() == 0.5
    light = learning_curve(
        NaiveBayes(),
        X,
        y,
        [1.0],
        [(np.arange(60), np.flatnonzero(y[60:]) + 60)],
        sample_weight=np.where(y == 1, 5.0, 1.0),
    )
    assert light.validation.item() == 0.0  # all rows tested are of the heavier class


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], "sizes is empty"),
        ([500], "500 is neither a share, a float above 0 and up to 1, nor a number of rows from 1 to 120"),
        ([1.5], "1.5 is neither a share"),
        ([0], "0 is neither a share"),
        ([True], "True is neither a share"),
    ],
)
def test_sizes_that_cannot_be(sizes, message):
    with pytest.raises(ParameterError, match=message):
        learning_curve(NaiveBayes(), *IRIS, sizes=sizes, cv=FOLDS)


def test_other_errors():
    with pytest.raises(ParameterError, match="cv gives no folds"):
        learning_curve(NaiveBayes(), *IRIS, cv=[])
    with pytest.raises(ParameterError, match="3 rows make no curve; give at least four"):
        learning_curve(LinearRegression(), np.ones((3, 1)), [1.0, 2.5, 3.0])
    with pytest.raises(ParameterError, match="stays as it was fitted"):
        learning_curve(make_pipeline(FrozenEstimator(StandardScaler().fit(IRIS[0])), NaiveBayes()), *IRIS)
    with pytest.raises(
        ParameterError, match=r"NaiveBayes has no parameter 'smoothin'. Did you mean 'smoothing'\?"
    ):
        complexity_curve(NaiveBayes(), *IRIS, "smoothin", [1])
    with pytest.raises(ParameterError, match="has no list of values for max_depth; give values="):
        complexity_curve(DecisionTreeClassifier(), *IRIS, "max_depth")
    with pytest.raises(ParameterError, match="values is empty; give at least one value of max_depth"):
        complexity_curve(DecisionTreeClassifier(), *IRIS, "max_depth", [])
    with pytest.raises(ParameterError, match="NaiveBayes has no parameter that counts iterations"):
        iteration_curve(NaiveBayes(), *IRIS)
    with pytest.raises(ParameterError, match="max_iter is None, not a number of iterations; give values="):
        iteration_curve(LogisticRegression(max_iter=None), *IRIS)
    with pytest.raises(ParameterError, match="values must be whole numbers of at least 1"):
        iteration_curve(LogisticRegression(), *IRIS, values=[0, 4])
    with pytest.raises(DataError, match="3 points and 2 folds need scores of that shape"):
        hand_made([[1, 2]] * 3, [[1, 2]] * 2)


def test_a_knob_takes_the_learners_own_values():
    X, y = load("iris").split("species")
    curve = complexity_curve(OneR(), X, y, "bins", cv=FOLDS)
    assert list(curve.across) == sorted(OneR().knobs()["bins"])
    assert curve.across[curve.own] == OneR().bins
    assert curve.complexity == tuple(sorted(curve.complexity))


def test_values_that_are_no_numbers_keep_their_order():
    curve = complexity_curve(
        DecisionTreeClassifier(random_state=0), *IRIS, "max_depth", [1, 3, None], cv=FOLDS
    )
    assert curve.across == (1, 3, None)
    assert curve.own == 2
    words = [e.text for e in ET.fromstring(curve.draw().svg()).iter() if e.tag.endswith("text")]
    assert [word for word in words if word in ("1", "3", "None")] == ["1", "3", "None"]


def test_a_pipelines_knob_and_iterations():
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=4, random_state=0))
    assert complexity_curve(model, *IRIS, "logisticregression__C", [100, 0.01], cv=FOLDS).across == (
        0.01,
        100,
    )
    curve = iteration_curve(model, *IRIS, cv=FOLDS)
    assert curve.axis == "logisticregression__max_iter"
    assert curve.across == (1, 2, 4)


def test_stages_are_models_of_fewer_rounds():
    """Asked for its stages once, and fitted anew with so many rounds, AdaBoost says the same."""
    from openbook.ensemble import AdaBoostClassifier

    model = AdaBoostClassifier(OneR(), n_estimators=8)
    staged = iteration_curve(model, *IRIS, cv=FOLDS, values=[1, 2, 5, 8])
    anew = complexity_curve(model, *IRIS, "n_estimators", [1, 2, 5, 8], cv=FOLDS)
    assert np.array_equal(staged.validation, anew.validation)
    assert np.array_equal(staged.training, anew.training)
    by_proba = iteration_curve(model, *IRIS, cv=FOLDS, values=[2], metric="log_loss")
    assert by_proba.validation == pytest.approx(
        complexity_curve(model, *IRIS, "n_estimators", [2], cv=FOLDS, metric="log_loss").validation,
        rel=1e-12,
    )


def test_stages_of_numbers():
    X, y = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(n_estimators=30, random_state=0)
    folds = KFold(3, shuffle=True, random_state=0)
    curve = iteration_curve(model, X, y, cv=folds, metric="r2")
    assert (curve.across[0], curve.across[-1]) == (1, 30)
    assert curve.validation[-1] == pytest.approx(cross_val_score(model, X, y, cv=folds), rel=1e-12)
    assert curve.mean(-1, "training") > curve.mean(0, "training")


def test_a_learner_that_ends_early_stays_as_it_is():
    """One stump is enough for two points, so there is one stage to ask for."""
    from openbook.ensemble import AdaBoostClassifier

    X, y, stump = np.array([[0.0], [1.0]] * 8), np.array([0, 1] * 8), DecisionTreeClassifier(max_depth=1)
    curve = iteration_curve(AdaBoostClassifier(stump, n_estimators=16), X, y, cv=StratifiedKFold(2))
    assert not curve.validation.any()
    assert len(curve) > 3


def test_stages_of_one_run_need_one_seed():
    """Without a seed of its own, a forest is given the curve's: its trees are the first of a larger one's."""
    one, two = (iteration_curve(RandomForestClassifier(4), *IRIS, cv=FOLDS, random_state=7) for _ in range(2))
    assert np.array_equal(one.validation, two.validation)
    assert one.across == (1, 2, 4)


def test_the_difference_and_its_band_are_the_corrected_t():
    """Mean 0.03, s 0.0183, sqrt(1/4 + 1/3) and t = 3.18 give 0.03 ± 0.0444."""
    folds = [0.02, 0.05, 0.01, 0.04]
    curve = hand_made([[0.0] * 4] * 3, [folds] * 3)
    assert curve.gap(0).interval.ends == "[-0.014, 0.074]"
    assert curve.interval(0).ends == "[0.000, 0.074]"  # no error is below 0
    assert curve.interval(0).method == "corrected resampled t"
    assert curve.over_baseline(0).difference == pytest.approx(-0.47)
    assert curve.change(0, 1).difference == 0


def test_settings_beside_the_best():
    noise = np.array([-0.01, 0.01, -0.01, 0.01, 0.0])
    validation = np.array([[0.3], [0.1], [0.101], [0.25]]) + noise * np.array([[1], [-1], [1], [2]])
    training = np.array([[0.3], [0.08], [0.05], [0.0]]) + 0 * noise
    curve = hand_made(training, validation, across=(1, 2, 3, 4))
    assert curve.best == 1
    assert curve.verdicts() == ["under-fitting", "best", "not worse", "over-fitting"]
    more_is_better = hand_made(1 - training, 1 - validation, across=(1, 2, 3, 4), metric="accuracy")
    assert more_is_better.verdicts() == curve.verdicts()


def test_what_is_printed_names_method_and_level():
    text = str(learning_curve(NaiveBayes(), *IRIS, name="naive Bayes"))
    assert "Learning curve of naive Bayes" in text
    assert "intervals: 95%, corrected resampled t; baseline 0.667" in " ".join(text.split())
    assert "stratified 5-fold cross-validation, repeated 2 times" in text
    one = learning_curve(NaiveBayes(), *IRIS, cv=[(np.arange(0, 150, 2), np.arange(1, 150, 2))])
    assert "intervals: none for one fold" in " ".join(str(one).split())
    assert "undefined" in str(one)
    knob = complexity_curve(OneR(), *IRIS, "bins", [3, 10], cv=FOLDS)
    assert "`tune` evaluates a choice on other rows" in " ".join(str(knob).split())
    assert "<table" in knob._repr_html_()


def test_the_picture():
    curve = complexity_curve(KNeighborsClassifier(), *IRIS, "n_neighbors", [1, 5, 100], cv=FOLDS)
    picture = curve.draw()
    root = ET.fromstring(picture.svg())
    lines = [e.get("class") for e in root.iter() if e.tag.endswith("polyline")]
    bands = [e.get("class") for e in root.iter() if e.tag.endswith("polygon")]
    assert lines == ["line c8 dashed", "line c1", "line c0"]
    assert bands == ["band c1", "band c0"]
    words = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert {"training", "validation", "baseline 0.667", "1", "5", "100", "n_neighbors"} <= set(words)
    assert "Bands: 95%, corrected resampled t over 5 folds." in picture.notes
    assert curve.draw(level=0.8).notes[-1].startswith("Bands: 80%")


def test_a_baseline_far_off_is_named_instead_of_drawn():
    scores = np.linspace(0.01, 0.02, 6)[:, None] + np.zeros(2)
    curve = Curve(
        "size",
        "model",
        "training rows",
        (1, 2, 4, 8, 16, 32),
        METRICS["error"],
        scores,
        scores,
        [0.5] * 2,
        8,
        2,
    )
    assert "baseline 0.500, not shown" in curve.draw().svg()


def test_a_change_that_is_a_rounding_error_is_shown_as_none():
    before, now = [0.2, 0.1, 0.3], [0.1, 0.3, 0.2 + 1e-16]
    curve = hand_made([before, now], [before, now], "size", (100, 200))
    assert "From 100 rows on it changed by +0.000 [" in curve.work().conclusion
