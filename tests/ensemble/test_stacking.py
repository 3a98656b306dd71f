"""Stacking: always out of fold, the blend of least squares, and a final learner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import StackingClassifier as TheirClassifier
from sklearn.ensemble import StackingRegressor as TheirRegressor
from sklearn.linear_model import LinearRegression, Perceptron, Ridge
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from openbook import load, open_model, read, save
from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.border.rows import Chunk
from openbook.ensemble import StackingClassifier, StackingRegressor
from openbook.ensemble.stacking import blend, dealt_folds
from openbook.errors import DataError, ParameterError
from openbook.linear import LogisticRegression

X, Y = load("weather").split("play")
IRIS, SPECIES = load("iris").split("species")


class Rote(ClassifierMixin, BaseEstimator):
    """Knows the rows it was shown by heart, and is wrong about every other."""

    def fit(self, X, y):
        self.classes_ = np.array(["a", "b"])
        self.known_ = {tuple(row): label for row, label in zip(np.asarray(X).tolist(), y, strict=True)}
        return self

    def predict(self, X):
        # labels alternate with the parity of the number, and a stranger gets the other parity's
        return np.array(
            [self.known_.get(tuple(r), "b" if r[0] % 2 == 0 else "a") for r in np.asarray(X).tolist()]
        )


def test_what_is_known_by_heart_is_no_evidence():
    x = np.arange(20.0)[:, None]
    y = np.array(["a", "b"] * 10)
    model = StackingClassifier([("rote", Rote()), ("0R", ZeroR())]).fit(x, y)
    assert (model.estimators_[0].predict(x) == y).all()
    assert model.blend_.tolist() == [0, 1]


def test_out_of_fold_answers_are_those_of_cross_validation():
    team = [("bayes", NaiveBayes()), ("1R", OneR())]
    model = StackingClassifier(team, OneR(), cv=4).fit(IRIS, SPECIES)
    folds = PredefinedSplit(dealt_folds(np.searchsorted(model.classes_, SPECIES.values.astype(str)), 4))
    parts = [cross_val_predict(one, IRIS, SPECIES, cv=folds, method="predict_proba") for _, one in team]
    table = model._second_table(np.stack(parts), IRIS)
    assert table.names[:3] == ("bayes: P(setosa)", "1R: P(setosa)", "bayes: P(versicolor)")
    assert len(table.names) == 6
    assert model.final_.work().text() == OneR().fit(table, SPECIES).work().text()


def test_the_blend_by_hand():
    """Truth 1 and 0; one member says 0.8 and 0, the other 0.5 and 0.5: the second only takes away."""
    outside = np.array([[[0.8], [0.0]], [[0.5], [0.5]]])
    assert blend(outside, np.array([[1.0], [0.0]]), np.ones(2)) == pytest.approx([1, 0])
    middle = np.array([[[1.0], [0.0]], [[0.0], [1.0]]])  # truth 3 and 1: as 3 to 1
    assert blend(middle, np.array([[3.0], [1.0]]), np.ones(2)) == pytest.approx([0.75, 0.25])
    assert blend(-middle, np.array([[3.0], [1.0]]), np.ones(2)).tolist() == [0.5, 0.5]  # none is any good


@given(st.integers(0, 10_000))
def test_the_blend_is_that_of_the_whole_system(seed):
    rng = np.random.default_rng(seed)
    outside, ideal, w = rng.random((3, 9, 2)), rng.random((9, 2)), rng.integers(1, 4, 9)
    rows = np.repeat(np.arange(9), w)
    shares = nnls(outside[:, rows].reshape(3, -1).T, ideal[rows].ravel())[0]
    np.testing.assert_allclose(blend(outside, ideal, w), shares / shares.sum(), atol=1e-9)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(2, 5))
def test_folds_share_the_classes_out(y, n_folds):
    folds = dealt_folds(np.array(y), n_folds)
    sizes = np.bincount(folds, minlength=n_folds)
    assert sizes.max() - sizes.min() <= 1
    for label in set(y):
        in_fold = np.bincount(folds[np.array(y) == label], minlength=n_folds)
        assert in_fold.max() - in_fold.min() <= 1


def test_the_vote_has_the_weights_of_the_blend():
    model = StackingClassifier([("0R", ZeroR()), ("bayes", NaiveBayes())], cv=3).fit(X, Y)
    assert model.blend_.sum() == pytest.approx(1)
    parts = [NaiveBayes().fit(X, Y), ZeroR().fit(X, Y)]
    expected = model.blend_[1] * parts[0].predict_proba(X) + model.blend_[0] * parts[1].predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)
    assert [row[1] for row in model.work(X.row(0)).parts[0].rows] == model.blend_.tolist()


def test_numbers_and_a_final_learner_of_another_house():
    table, y = load("diabetes").split("progression")
    x = table.block(table.names)
    team = [("line", LinearRegression()), ("mean", ZeroRegressor())]
    blended = StackingRegressor(team).fit(x, y)
    assert blended.blend_[0] > 0.9
    final = StackingRegressor(team, LinearRegression()).fit(x, y)
    assert final.final_.n_features_in_ == 2
    assert final.score(x, y) == pytest.approx(
        LinearRegression().fit(x, np.asarray(y)).score(x, np.asarray(y)), abs=0.01
    )
    assert final.work(x[0])["progression"].result == final.predict(x[:1])[0]


def test_a_final_learner_through_a_file(tmp_path):
    model = StackingClassifier([("0R", ZeroR()), ("1R", OneR())], NaiveBayes(), cv=3).fit(X, Y)
    assert model.final_.schema_.names == ("0R: P(Yes)", "1R: P(Yes)")  # of two classes, one says it all
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()
    assert opened.work(X.row(0)).text() == model.work(X.row(0)).text()
    assert opened.work().text() == model.work().text()
    assert opened.complexity() == model.complexity() == 1 + 3 + model.final_.complexity()


def test_passing_x_through(tmp_path):
    """The final learner sees the members' answers, and beside them the typed columns, gaps included."""
    gaps = [{**X.row(i), "outlook": None if i == 3 else X.row(i)["outlook"]} for i in range(14)]
    model = StackingClassifier([("1R", OneR())], NaiveBayes(), cv=3, passthrough=True).fit(gaps, Y)
    assert model.final_.schema_.names == ("1R: P(Yes)", *X.names)
    alone = StackingClassifier([("1R", OneR())], NaiveBayes(), cv=3).fit(gaps, Y)
    table = model._second_table(alone._out_of_fold(_chunk(gaps)), read(gaps))
    np.testing.assert_array_equal(
        model.final_.predict_proba(table), NaiveBayes().fit(table, Y).predict_proba(table)
    )
    assert [step.label for step in model.work(gaps[0]).steps()][:3] == [
        "1R: P(Yes)",
        "outlook",
        "temperature",
    ]
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert (opened.predict_proba(gaps) == model.predict_proba(gaps)).all()


def _chunk(rows):
    table = read(rows)
    return Chunk(table, np.searchsorted(["No", "Yes"], np.asarray(Y).astype(str)), np.ones(len(table)))


def test_passthrough_agrees_with_scikit_learn():
    table, y = load("diabetes").split("progression")
    x, y = table.block(table.names), np.asarray(y)
    folds = PredefinedSplit(dealt_folds(y, 5))
    theirs = TheirRegressor([("ridge", Ridge())], LinearRegression(), cv=folds, passthrough=True).fit(x, y)
    ours = StackingRegressor([("ridge", Ridge())], LinearRegression(), passthrough=True).fit(x, y)
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-9)


def test_passthrough_alone_takes_the_usual_final_learner(tmp_path):
    model = StackingClassifier([("1R", OneR())], passthrough=True).fit(X, Y)
    given = StackingClassifier([("1R", OneR())], LogisticRegression(), passthrough=True).fit(X, Y)
    assert (model.predict_proba(X) == given.predict_proba(X)).all()
    assert model.final_.schema_.names[1:] == X.names
    save(model, tmp_path / "stack.openbook")
    assert (open_model(tmp_path / "stack.openbook").predict_proba(X) == model.predict_proba(X)).all()
    x = np.arange(20.0)[:, None]
    numbers = StackingRegressor([("ridge", Ridge())], passthrough=True).fit(x, x[:, 0] ** 2)
    assert type(numbers.final_).__name__ == "LinearRegression"


def test_what_it_needs():
    with pytest.raises(DataError, match="StackingClassifier needs at least 2 rows for its folds"):
        StackingClassifier([("1R", OneR())]).fit(X.head(1), Y[:1])
    with pytest.raises(ParameterError, match="needs a classifier, and LinearRegression is not one"):
        StackingClassifier([("1R", OneR())], LinearRegression()).fit(X, Y)
    with pytest.raises(ParameterError, match="GaussianNB has no complexity"):
        StackingClassifier([("1R", OneR())], GaussianNB()).fit(X, Y).complexity()


def test_stack_method_says_what_members_are_asked_for():
    """As scikit-learn's on two classes, where a decision is 0 or 1 and a probability the second one's."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=120) > 0).astype(int)
    team = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    for method in ("predict_proba", "predict"):
        ours = StackingClassifier(team, GaussianNB(), stack_method=method).fit(X, y)
        theirs = TheirClassifier(team, GaussianNB(), stack_method=method).fit(X, y)
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)
        assert ours.named_estimators_.bayes is ours.estimators_[0]
        assert ours.final_estimator_ is ours.final_


def test_a_member_without_probabilities_is_refused_where_they_are_asked_for():
    team = [("tree", DecisionTreeClassifier()), ("perceptron", Perceptron())]
    with pytest.raises(ParameterError, match="Perceptron has no predict_proba; use stack_method='auto'"):
        StackingClassifier(team, stack_method="predict_proba").fit([[0.0], [1.0]], [0, 1])
