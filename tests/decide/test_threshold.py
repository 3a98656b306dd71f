"""A threshold tuned on training rows: by hand, on a rare class, and as a learner like any other."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from openbook import load, open_model, save
from openbook.bayes import NaiveBayes
from openbook.decide import TunedThresholdClassifierCV
from openbook.decide.threshold import best_threshold
from openbook.errors import ParameterError
from openbook.judge import evaluate


def rare(n, seed):
    """One row in fifty is of the class 1, where two columns are 1.3 larger: AUC Φ(1.3) = 0.90."""
    random = np.random.default_rng(seed)
    y = (random.random(n) < 0.02).astype(int)
    return random.normal(size=(n, 2)) + 1.3 * y[:, None], y


def test_the_best_threshold_by_hand():
    """From 0.3 on both positives are found, with one false alarm of three: (2/2 + 2/3) / 2."""
    positive = np.array([True, True, False, False, False])
    proba = np.array([0.3, 0.9, 0.4, 0.1, 0.2])
    assert best_threshold(positive, proba, np.ones(5)) == pytest.approx((0.25, 5 / 6))
    # F1 from 0.3 on: 2·2 / (2·2 + 1) = 0.8; from 0.9 on: 2·1 / (2·1 + 0 + 1) = 0.667
    assert best_threshold(positive, proba, np.ones(5), "f1") == pytest.approx((0.25, 0.8))
    # a false alarm that weighs ten: only 0.9 is worth calling, (1/2 + 1) / 2
    weights = np.array([1, 1, 10, 1, 1])
    assert best_threshold(positive, proba, weights) == pytest.approx((0.65, 0.75))


def test_of_equally_good_thresholds_the_nearest_to_a_half():
    assert best_threshold([False, True], [0.2, 0.6], [1, 1]) == pytest.approx((0.4, 1.0))
    assert best_threshold([False, True], [0.0, 1.0], [1, 1])[0] == 0.5
    threshold, _ = best_threshold([True, False, False], [1.0, 1.0, 1.0], [1, 1, 1])  # nothing to tell
    assert threshold in (0.5, np.nextafter(1.0, 2.0))
    assert best_threshold([True, True], [0.3, 0.4], [1, 1])[0] == 0.5


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_best_of_all_thresholds_on_rows_not_seen(seed):
    """By brute force over scikit-learn's own predictions of the same inner folds."""
    X, y = rare(800, seed)
    model = TunedThresholdClassifierCV(LogisticRegression()).fit(X, y)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    proba = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")[:, 1]
    best = max(balanced_accuracy_score(y, proba >= t) for t in proba)
    assert model.best_score_ == pytest.approx(best)
    assert balanced_accuracy_score(y, proba >= model.best_threshold_) == pytest.approx(best)
    f1 = TunedThresholdClassifierCV(LogisticRegression(), scoring="f1").fit(X, y)
    assert f1.best_score_ == pytest.approx(max(f1_score(y, proba >= t) for t in proba))


def test_a_rare_class_is_found_in_rows_not_seen():
    X, y = rare(3000, 0)
    plain = evaluate(NaiveBayes(), X, y)
    tuned = evaluate(TunedThresholdClassifierCV(NaiveBayes()), X, y)
    assert plain.score("balanced_accuracy") < 0.6
    assert tuned.score("balanced_accuracy") > 0.75  # the best possible is Φ(0.919) = 0.82
    assert tuned.score("roc_auc") == pytest.approx(plain.score("roc_auc"))  # the probabilities are the same


def test_rows_of_one_group_stay_together():
    """Every row is there ten times, so folds by rows would see each test row in training."""
    random = np.random.default_rng(0)
    y = np.repeat((random.random(60) < 0.3).astype(int), 10)
    X = np.repeat(random.normal(size=(60, 1)), 10, axis=0)
    from openbook.neighbors import KNeighborsClassifier

    by_rows = TunedThresholdClassifierCV(KNeighborsClassifier(n_neighbors=1)).fit(X, y)
    by_groups = TunedThresholdClassifierCV(KNeighborsClassifier(n_neighbors=1)).fit(
        X, y, groups=np.repeat(range(60), 10)
    )
    assert by_rows.best_score_ == pytest.approx(1.0)
    assert by_groups.best_score_ < 0.8


def test_where_there_is_nothing_to_tune():
    X, y = load("iris").split("species")
    several = TunedThresholdClassifierCV(NaiveBayes()).fit(X, y)
    assert math.isnan(several.best_threshold_)
    assert (several.predict(X) == NaiveBayes().fit(X, y).predict(X)).all()
    one = TunedThresholdClassifierCV(NaiveBayes()).fit([["x"], ["x"], ["z"]], ["a", "a", "b"])
    assert one.best_threshold_ == 0.5


def test_it_is_saved_and_shows_its_threshold(tmp_path):
    X, y = load("credit").split("default")
    model = TunedThresholdClassifierCV(NaiveBayes()).fit(X, y)
    opened = open_model(save(model, tmp_path / "m.openbook", training=X.to_pandas()))
    assert opened.unlike(X).different == ()
    assert opened.best_threshold_ == model.best_threshold_
    assert (opened.predict(X) == model.predict(X)).all()
    given = float(model.predict_proba(X.take([0]))[0, 1])
    assert model.work()["threshold"].result == model.best_threshold_
    assert model.work(X.take([0]))["P(yes | x)"].result == pytest.approx(given)


def test_what_it_needs():
    with pytest.raises(
        ParameterError, match="TunedThresholdClassifierCV needs probabilities, and Perceptron"
    ):
        TunedThresholdClassifierCV(Perceptron()).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match="scoring must be"):
        TunedThresholdClassifierCV(NaiveBayes(), scoring="accuracy").fit([[0.0], [1.0]], [0, 1])
