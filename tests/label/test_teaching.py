"""Co-training and tri-training: rounds, formulas and conditions by hand, views, files and refusals."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import openbook as ob
from openbook.data import read
from openbook.errors import DataError, ParameterError
from openbook.label import CoTraining, TriTraining, unlabelled_effect
from openbook.label.co_training import CoTrainingRound, found_views
from openbook.label.tri_training import TriTrainingRound, error_where_agreed, rows_to_teach


class ByValue(ClassifierMixin, BaseEstimator):
    """P(class 1) is the cell of the one column, whatever it was taught."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        one = np.asarray(X.column(X.names[0]), dtype=float)
        return np.column_stack([1 - one, one])

    def predict(self, X):
        return (self.predict_proba(X)[:, 1] > 0.5).astype(int)


def test_each_view_labels_what_it_is_surest_of_and_a_quarrel_waits():
    # prior 1/2 each, k_best 2: a view labels its surest row of each class
    X = {"a": [0.1, 0.9, 0.05, 0.6, 0.99, 0.45], "b": [0.2, 0.8, 0.5, 0.95, 0.02, 0.40]}
    model = CoTraining(ByValue(), views=[["a"], ["b"]], k_best=2, max_iter=1)
    model.fit(X, [0, 1, np.nan, np.nan, np.nan, np.nan])
    # view a: row 2 is surest of 0 and row 4 of 1; view b: row 4 of 0 and row 3 of 1. Row 4 waits.
    assert model.transduction_.tolist() == [0, 1, 0, 1, -1, -1]
    # they differ on row 4 alone: 0.5 is class 0 for view b, too
    assert model.rounds_ == [CoTrainingRound(1, 1, 4, 0.25)]
    assert model.termination_condition_ == "max_iter"


def test_the_answer_is_the_product_of_both_views_over_the_prior():
    X = {"a": [0.1, 0.2, 0.9, 0.8], "b": [0.3, 0.1, 0.7, 0.6]}
    model = CoTraining(ByValue(), views=[["a"], ["b"]]).fit(X, [0, 0, 0, 1])
    no, yes = 0.2 * 0.4 / (3 / 4), 0.8 * 0.6 / (1 / 4)
    expected = yes / (no + yes)
    row = {"a": 0.8, "b": 0.6}
    assert model.predict_proba([row])[0, 1] == pytest.approx(expected)
    assert model.work(row)["P(class = 1 | x)"].result == pytest.approx(expected)
    # views that are sure of different classes leave no class: the mean
    assert model.predict_proba({"a": [1.0], "b": [0.0]})[0].tolist() == [0.5, 0.5]


def two_views(n, labelled, seed):
    """Columns a and b tell the class, independently given the class; a2 and b2 are noisy copies."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    a, b = (rng.normal(3 * y, 1.0) for _ in range(2))
    X = {"b2": b + rng.normal(0, 0.3, n), "a": a, "a2": a + rng.normal(0, 0.3, n), "b": b}
    return X, np.where(np.arange(n) < labelled, y, np.nan), y


def test_views_are_found():
    X, labels, _ = two_views(600, 60, 0)
    codes = np.where(np.isnan(labels), -1, labels).astype(int)
    assert set(found_views(read(X), codes, np.ones(600))) == {("a", "a2"), ("b2", "b")}


def test_independent_views_teach_one_another():
    X, labels, y = two_views(1000, 20, 1)
    model = CoTraining(GaussianNB(), views=[["a"], ["b"]], random_state=0).fit(X, labels)
    assert (model.predict(X) == y).mean() > 0.97  # Bayes: Φ(3 / √2) = 0.983
    assert model.work()["rounds"].header[-1] == "views disagree"
    assert unlabelled_effect(model, X, labels, repeats=1).assumption.verdict == "cannot be determined"


def test_two_learners_teach_the_third_by_the_papers_conditions():
    assert rows_to_teach(0.2, 0.2, 50, 10) == 0  # e < e′ is missed
    assert rows_to_teach(0.1, 0.3, 10, 10) == 0  # no more rows than last time
    assert rows_to_teach(0.1, 0.3, 29, 10) == 29  # 0.1 · 29 < 0.3 · 10
    assert rows_to_teach(0.1, 0.3, 30, 10) == 29  # 3 < 3 is missed; ⌈0.3 · 10 / 0.1 - 1⌉
    assert rows_to_teach(0.25, 0.5, 7, 0) == 3  # l′ = ⌊0.25 / 0.25 + 1⌋ = 2; 2 > 1: ⌈0.5 · 2 / 0.25 - 1⌉
    assert rows_to_teach(0.4, 0.5, 7, 3) == 0  # 3 > 0.4 / 0.1 is missed
    assert rows_to_teach(0.0, 0.5, 7, 0) == 7
    y, w = np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 1.0, 4.0])
    assert error_where_agreed(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), y, w) == pytest.approx(6 / 7)
    assert error_where_agreed(np.array([0, 1]), np.array([1, 0]), y[:2], w[:2]) == 0.5


def test_rounds_of_tri_training():
    # of the ten labelled rows the learners, all alike, take one wrong: e = 0.1, l′ = ⌊0.1 / 0.4 + 1⌋ = 1,
    # and ⌈0.5 · 1 / 0.1 - 1⌉ = 4 rows of six are drawn; in the second round e < e′ is missed
    X = {"a": [0.1, 0.2, 0.3, 0.4, 0.9, 0.6, 0.7, 0.8, 0.9, 1.0, 0.0, 0.1, 0.2, 0.7, 0.8, 0.9]}
    y = [0] * 5 + [1] * 5 + [np.nan] * 6
    model = TriTraining(ByValue(), random_state=0).fit(X, y)
    assert model.rounds_ == [
        TriTrainingRound(*(pytest.approx(0.1), 4) * 3),
        TriTrainingRound(*(pytest.approx(0.1), 0) * 3),
    ]
    assert model.termination_condition_ == "no_change"
    assert model.transduction_.tolist() == [0] * 5 + [1] * 5 + [0, 0, 0, 1, 1, 1]
    assert TriTraining(ByValue()).fit(X, [0, 1] * 8).termination_condition_ == "all_labeled"


@pytest.mark.parametrize("learner", [CoTraining(random_state=0), TriTraining(random_state=0)])
def test_typed_columns_and_the_file(learner, tmp_path):
    X, y = ob.load("credit", rows=150, random_state=1).split("default")
    labels = [label if i % 2 else None for i, label in enumerate(y.tolist())]
    model = learner.fit(X, labels)
    assert set(model.transduction_.tolist()) <= {"no", "yes", None}
    opened = ob.open_model(ob.save(model, tmp_path / "m.openbook"))
    assert opened.transduction_.tolist() == model.transduction_.tolist()
    assert opened.rounds_ == model.rounds_
    assert str(opened.work()) == str(model.work())
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()


def test_what_is_refused():
    X, y = {"a": [0.0, 1.0], "b": [0.0, 1.0]}, [0, 1]
    with pytest.raises(ParameterError, match=r"views must be two lists of columns"):
        CoTraining(views=["a", "b"]).fit(X, y)
    with pytest.raises(ParameterError, match=r"views name 'c', which is no column"):
        CoTraining(views=[["a"], ["c"]]).fit(X, y)
    with pytest.raises(ParameterError, match="each view needs a column"):
        CoTraining(views=[["a"], []]).fit(X, y)
    with pytest.raises(DataError, match="needs two columns, one for each view"):
        CoTraining().fit([[0.0], [1.0]], y)
