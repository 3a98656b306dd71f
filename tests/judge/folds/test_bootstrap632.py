"""The .632 estimate, by hand."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from openbook.baseline import ZeroR
from openbook.bayes import NaiveBayes
from openbook.errors import DataError
from openbook.judge import Bootstrap632, FoldResult, compare, evaluate, wilson
from openbook.judge.folds.bootstrap632 import BootstrapEvaluation


def fold(index, rows, y_true, y_pred, n_train=7):
    return FoldResult(
        index, np.array(rows), np.array(y_true), np.array(y_pred), None, n_train, 0, 0, None, ()
    )


#: Errors: out of bag 1/2 and 1/4, resubstitution 1/10. Of the truths half are 1, of the predictions 6 of 10,
#: so that chance is wrong in 0.5 · 0.4 + 0.5 · 0.6 = 0.5 of all pairs.
DRAWS = [fold(0, [0, 5], [0, 1], [1, 1]), fold(1, [1, 2, 6, 7], [0, 0, 1, 1], [0, 0, 1, 0])]
OWN = fold(2, range(10), [0] * 5 + [1] * 5, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1], n_train=10)


def evaluation(plus):
    return BootstrapEvaluation("b", "classification", [0, 1], DRAWS, ("error",), "", OWN, plus)


def test_632_by_hand():
    found = evaluation(plus=False).estimate("error")
    assert found[:3] == pytest.approx((0.375, 0.1, 0.368 * 0.1 + 0.632 * 0.375))
    assert evaluation(plus=False).score("error") == found.plain
    assert evaluation(plus=False).score("accuracy") == pytest.approx(1 - found.plain)


def test_632_plus_by_hand():
    overfitting = (0.375 - 0.1) / (0.5 - 0.1)
    weight = 0.632 / (1 - 0.368 * overfitting)
    found = evaluation(plus=True).estimate("error")
    assert found[3:] == pytest.approx((overfitting, (1 - weight) * 0.1 + weight * 0.375))
    assert evaluation(plus=True).score("error") == found.plus
    assert evaluation(plus=True).score("accuracy") == pytest.approx(1 - found.plus)


def test_the_interval_is_that_of_the_draws_about_the_estimate():
    plain = evaluation(plus=False)
    interval = plain.interval("error", level=0.2)
    # of the 6 rows left out 2 are wrong; a draw tests 3 and trains on 7 rows
    p, error2 = plain.score("error"), (1 / 3) * (2 / 3) / 6 * (1 + 0.5 * 3 / 7)
    rows = p * (1 - p) / error2
    spread = wilson(p * rows, rows, level=0.2)
    assert (interval.low, interval.high) == pytest.approx((spread.low, spread.high))
    assert interval.method == "Wilson for 4 effective rows, about the .632 estimate"


def test_it_shows_how_the_estimate_comes_about():
    text = str(evaluation(plus=True))
    assert "scores combine those of the draws with that of a model of all rows" in " ".join(text.split())
    assert "about the .632+ estimate" in text
    assert "How the estimates are computed" in text
    assert "error   0.375       0.100           0.274  0.688        0.333" in text  # as by hand above


def test_without_a_model_of_all_rows_there_is_no_estimate():
    with pytest.raises(DataError, match=r"the \.632 estimate needs the predictions of a model of all rows"):
        BootstrapEvaluation("b", "classification", [0, 1], DRAWS)


def noise(n=80):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 4)), rng.integers(0, 2, n)


def test_evaluate_measures_draws_and_all_rows():
    X, y = noise()
    result = evaluate(NaiveBayes(), X, y, Bootstrap632(20, random_state=1, plus=False), metrics="error")
    assert len(result.folds) == 20
    fitted = NaiveBayes().fit(X, y)
    resub = (fitted.predict(X) != y).mean()
    left_out = [
        (NaiveBayes().fit(X[train], y[train]).predict(X[test]) != y[test]).mean()
        for train, test in Bootstrap632(20, random_state=1).split(X)
    ]
    assert result.scores() == pytest.approx(left_out)
    assert result.score() == pytest.approx(0.368 * resub + 0.632 * np.mean(left_out))
    assert all(fold.n_train < 80 for fold in result.folds)  # different rows
    assert "bootstrap: 20 draws with replacement" in result.words


def test_632_flatters_a_learner_that_knows_its_rows_by_heart_and_632_plus_does_not():
    X, y = noise(200)
    by_heart = KNeighborsClassifier(1)
    plain, plus = (
        evaluate(by_heart, X, y, Bootstrap632(30, plus=plus), metrics="error").score()
        for plus in (False, True)
    )
    assert plain < 0.36  # 0.632 of about a half: the labels are noise
    assert plus > 0.45


def test_regression_and_comparisons():
    X, _ = noise()
    y = X[:, 0] * 2
    result = evaluate(KNeighborsRegressor(), X, y, Bootstrap632(10, plus=True))
    resub = KNeighborsRegressor().fit(X, y).predict(X)
    assert result.estimate("mse").resubstitution == pytest.approx(((resub - y) ** 2).mean())
    assert result.estimate("mse").resubstitution < result.score("mse") <= result.mean("mse")
    X, y = noise()
    comparison = compare({"zero": ZeroR(), "naive": NaiveBayes()}, X, y, Bootstrap632(5))
    assert comparison["naive"].score() == pytest.approx(evaluate(NaiveBayes(), X, y, Bootstrap632(5)).score())
