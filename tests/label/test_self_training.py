"""Self-training: scikit-learn's without moving back; rounds, the stopping rule and files by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.semi_supervised import SelfTrainingClassifier as Theirs

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError
from openbook.label import SelfTrainingClassifier


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    hidden = np.random.default_rng(3).random(len(y)) > 0.1
    return X, np.where(hidden, -1, y)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"threshold": 0.99}, {"criterion": "k_best", "k_best": 7, "max_iter": 4}, {"max_iter": None}],
)
def test_without_moving_back_it_is_scikit_learns(iris, parameters):
    ours = SelfTrainingClassifier(GaussianNB(), move_back=False, **parameters).fit(*iris)
    theirs = Theirs(GaussianNB(), **parameters).fit(*iris)
    assert ours.termination_condition_ == theirs.termination_condition_
    np.testing.assert_array_equal(ours.transduction_, theirs.transduction_)
    np.testing.assert_array_equal(ours.labeled_iter_, theirs.labeled_iter_)
    np.testing.assert_allclose(ours.predict_proba(iris[0]), theirs.predict_proba(iris[0]), atol=1e-12)


class Fickle(GaussianNB):
    """Sure of class 1 above 5, until it has seen a row above 5 under that label; then of nothing."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = bool(((np.asarray(X)[:, 0] > 5) & (np.asarray(y) == 1)).any())
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        above = np.asarray(X)[:, 0] > 5
        one = np.where(above & (not self.seen_), 0.9, 0.5)
        return np.column_stack([1 - one, one])


def test_a_doubted_row_is_moved_back_and_a_cycle_is_noticed():
    X, y = [[0.0], [1.0], [2.0], [9.0], [4.0]], [0, 1, 0, np.nan, np.nan]
    model = SelfTrainingClassifier(Fickle()).fit(X, y)
    assert [(r.added, r.moved_back) for r in model.rounds_] == [(1, 0), (0, 1), (1, 0)]
    assert model.termination_condition_ == "repeated"
    kept = SelfTrainingClassifier(Fickle(), move_back=False).fit(X, y)
    assert kept.termination_condition_ == "no_change"
    assert kept.transduction_.tolist() == [0, 1, 0, 1, -1]


def test_given_labels_are_never_moved_back(iris):
    X, y = iris
    model = SelfTrainingClassifier(threshold=1.0).fit(X, y)
    assert (model.transduction_[y >= 0] == y[y >= 0]).all()
    assert model.termination_condition_ == "no_change"
    assert (model.labeled_iter_ == np.where(y >= 0, 0, -1)).all()


def test_rounds_are_a_table_with_the_accuracy_on_held_out_rows(iris):
    X, y = iris[0], np.where(np.arange(150) % 3, -1, np.repeat([0, 1, 2], 50))
    model = SelfTrainingClassifier(validation_fraction=0.3, random_state=0).fit(X, y)
    assert len(model.transduction_) == len(y) - int(0.3 * (y >= 0).sum())
    grid = model.work()["rounds"]
    assert grid.header[-1] == "accuracy on held-out rows"
    assert [tuple(row[1:4]) for row in grid.rows] == [r[:3] for r in model.rounds_]
    assert "Training stopped: " in model.work().conclusion


def test_typed_columns_and_the_file(tmp_path):
    X, y = ob.load("credit", rows=150, random_state=1).split("default")
    labels = [label if i % 2 else None for i, label in enumerate(y.tolist())]
    model = SelfTrainingClassifier().fit(X, labels)
    assert set(model.transduction_.tolist()) <= {"no", "yes", None}
    ob.save(model, tmp_path / "m.openbook")
    opened = ob.open_model(tmp_path / "m.openbook")
    assert opened.transduction_.tolist() == model.transduction_.tolist()
    assert str(opened.work()) == str(model.work())
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()


class FromScratch(NaiveBayes):
    """Naive Bayes that is fitted anew in each round."""

    one_pass = False


@pytest.mark.parametrize("move_back", [True, False])
def test_rows_that_are_added_to_a_model_are_as_good_as_a_new_fit(move_back):
    X, y = ob.load("credit", rows=300, random_state=1).split("default")
    labels = [label if i % 2 == 0 else None for i, label in enumerate(y.tolist())]
    added, anew = (
        SelfTrainingClassifier(learner(), criterion="k_best", k_best=20, move_back=move_back).fit(X, labels)
        for learner in (NaiveBayes, FromScratch)
    )
    assert added.rounds_ == anew.rounds_
    assert added.transduction_.tolist() == anew.transduction_.tolist()
    np.testing.assert_allclose(added.predict_proba(X), anew.predict_proba(X), rtol=1e-9)


def test_what_is_refused(iris):
    from sklearn.svm import LinearSVC

    with pytest.raises(ParameterError, match="needs probabilities, and LinearSVC has no predict_proba"):
        SelfTrainingClassifier(LinearSVC()).fit(*iris)
    with pytest.raises(DataError, match="lower validation_fraction, or label more rows"):
        SelfTrainingClassifier(validation_fraction=0.9, random_state=0).fit(*iris)
