"""Ways to divide rows by a readable value, and the experiment on evaluation itself."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from openbook import compare, evaluate, load, read
from openbook.baseline import ZeroR
from openbook.bayes import NaiveBayes
from openbook.errors import ParameterError
from openbook.judge import Holdout, evaluation_bias
from openbook.linear import LinearRegression

IRIS, SPECIES = load("iris").split("species")
CELLS, LABELS = np.asarray(IRIS), np.asarray(SPECIES)


@pytest.mark.parametrize(
    ("cv", "n_test", "folds"), [("holdout", 30, 1), (0.9, 15, 1), ("subsampling", 30, 20)]
)
def test_a_share_of_every_class_is_held_out(cv, n_test, folds):
    evaluation = evaluate(NaiveBayes(), IRIS, SPECIES, cv=cv, metrics="accuracy")
    assert len(evaluation.folds) == folds
    for fold in evaluation.folds:
        assert np.bincount(fold.y_true).tolist() == [n_test // 3] * 3
    first = evaluation.folds[0]
    rest = np.setdiff1d(np.arange(150), first.rows)
    model = NaiveBayes().fit(IRIS.take(rest), SPECIES.take(rest))
    own = model.score(IRIS.take(first.rows), SPECIES.take(first.rows))
    assert evaluation.scores()[0] == pytest.approx(own)
    if folds > 1:
        assert len({tuple(fold.rows) for fold in evaluation.folds}) == folds


def test_the_training_rows_themselves():
    evaluation = evaluate(KNeighborsClassifier(1), CELLS, LABELS, cv="training", metrics="accuracy")
    assert evaluation.score() == 1
    assert "tested on the training rows: too good" in repr(evaluation)


def test_leaving_one_out_as_scikit_learn_does():
    evaluation = evaluate(GaussianNB(), CELLS, LABELS, cv="leave_one_out", metrics="accuracy")
    assert evaluation.score() == cross_val_score(GaussianNB(), CELLS, LABELS, cv=LeaveOneOut()).mean()
    assert "With so few rows" not in repr(evaluation)  # 150 are not so few
    groups = np.arange(150) % 6
    assert len(evaluate(NaiveBayes(), IRIS, SPECIES, cv="leave_one_out", groups=groups).folds) == 6


def test_the_bootstrap_and_a_number_of_folds():
    assert ".632+" in repr(evaluate(ZeroR(), IRIS, SPECIES, cv="bootstrap", metrics="accuracy"))
    assert len(evaluate(ZeroR(), IRIS, SPECIES, cv=5).folds) == 5


def test_numbers_are_held_out_by_tenths_and_groups_whole():
    X, y = load("diabetes").split("progression")
    (fold,) = evaluate(LinearRegression(), X, y, cv=0.8).folds
    tenth = np.argsort(np.argsort(np.asarray(y), kind="stable")) * 10 // len(y)
    shares = np.bincount(tenth[fold.rows]) / np.bincount(tenth)
    assert shares == pytest.approx(0.2, abs=0.03)
    groups = np.arange(len(y)) // 20
    ((train, test),) = Holdout(0.8).split(X, np.asarray(y), groups)
    assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ("leave-one-out", "got 'leave-one-out'. Did you mean 'leave_one_out'"),
        (1.5, "a share of the rows to train on between 0 and 1.*got 1.5"),
        (True, "cv must be a number of folds.*got True"),
        (1, "cv must be at least 2 folds, got 1; or a share of the rows.*'leave_one_out'"),
        ((5, 10), r"cv must be a number of folds.*got \(5, 10\)"),
        (Holdout(1.0), "train_size must lie between 0 and 1, got 1.0"),
        (Holdout(0.8, repeats=0), "repeats must be a whole number"),
        (0.999, "leaves none to train or none to test"),
    ],
    ids=str,
)
def test_what_is_no_way_to_divide_rows(cv, words):
    with pytest.raises(ParameterError, match=words):
        evaluate(ZeroR(), IRIS, SPECIES, cv=cv)


def test_evaluations_of_one_learner():
    """One nearest neighbour knows its rows by heart, so its training score is 1 whatever the truth."""
    found = evaluation_bias(
        KNeighborsClassifier(1), CELLS, LABELS, cv=[0.2, 0.8, "training"], n_train=40, repeats=30
    )
    assert (found.estimates[:, 2] == 1).all()
    assert found.bias[2] == pytest.approx(1 - found.truth.mean())
    assert found.error[2] == pytest.approx(np.sqrt(np.mean((1 - found.truth) ** 2)))
    assert found.bias[0] < found.bias[1] < found.bias[2]  # a model of 8 rows is worse than one of 32
    assert found.deviation[1] > found.deviation[2] == 0
    assert found.work().parts[0].rows[2][:2] == ("training", "1.000")
    assert "training: 1" in found.draw().svg()
    with pytest.raises(ParameterError, match="samples of 200 rows need a table of at least 400"):
        evaluation_bias(ZeroR(), IRIS, SPECIES)


def test_the_truth_is_told_by_the_rows_outside():
    found = evaluation_bias(NaiveBayes(), IRIS, SPECIES, ["training"], n_train=50, repeats=2, random_state=3)
    rows = np.random.default_rng([3, 1]).permutation(150)
    model = NaiveBayes().fit(IRIS.take(rows[:50]), SPECIES.take(rows[:50]))
    assert found.truth[1] == pytest.approx(model.score(IRIS.take(rows[50:]), SPECIES.take(rows[50:])))
    assert found.estimates[1, 0] == pytest.approx(model.score(IRIS.take(rows[:50]), SPECIES.take(rows[:50])))


def test_split_is_another_word_for_cv():
    by_cv, by_split = (evaluate(NaiveBayes(), IRIS, SPECIES, **way) for way in ({"cv": 0.8}, {"split": 0.8}))
    assert by_split.scores().tolist() == by_cv.scores().tolist()
    assert len(compare([NaiveBayes()], IRIS, SPECIES, split="holdout")["NaiveBayes"].folds) == 1
    with pytest.raises(TypeError, match="split is another word for cv; give one of them"):
        evaluate(NaiveBayes(), IRIS, SPECIES, cv=5, split=5)


def test_classes_in_order_are_judged_by_scores_that_know_it():
    grades = read(
        {"x": range(12), "grade": ["poor", "fair", "good"] * 4}, kinds={"grade": ["poor", "fair", "good"]}
    )
    assert evaluate(ZeroR(), grades, "grade", cv=2).metrics[0] == "rank_error"
    assert evaluate(ZeroR(), IRIS, SPECIES, cv=2).metrics[0] == "accuracy"
