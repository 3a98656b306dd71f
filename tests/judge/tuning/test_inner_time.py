"""Settings and thresholds are tuned on the past of the training rows: by time, not by the place of a row."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from openbook.decide import TunedThresholdClassifierCV
from openbook.judge import TimeOrdered, Tuning

#: Training and test rows that the classifier has seen; its only column is the time.
SEEN = []


class Recorder(ClassifierMixin, BaseEstimator):
    """Says the shares of the classes, and notes what it is given."""

    def __init__(self, knob=1):
        self.knob = knob

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_, self.rows_ = counts / counts.sum(), np.asarray(X)
        return self

    def predict_proba(self, X):
        SEEN.append((self.rows_, np.asarray(X)))
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture
def rows():
    """Twelve times of four rows each, in any order: the column is the time, then the group."""
    SEEN.clear()
    rng = np.random.default_rng(3)
    time = rng.permutation(np.repeat(np.arange(12), 4))
    groups = rng.integers(0, 6, 48)
    return np.column_stack([time, groups]).astype(float), rng.permutation(["a", "b"] * 24), time, groups


def models(model):
    return {
        "threshold": TunedThresholdClassifierCV(model),
        "tuning": Tuning(model, {"knob": [1, 2]}, TimeOrdered(), "log_loss"),
        "both": TunedThresholdClassifierCV(Tuning(model, {"knob": [1, 2]}, TimeOrdered(), "log_loss")),
    }


@pytest.mark.parametrize("which", ["threshold", "tuning", "both"])
def test_rows_of_one_time_stay_together_and_the_past_trains(rows, which):
    X, y, time, _ = rows
    models(Recorder())[which].fit(X, y, time=time)
    assert len(SEEN) >= 5
    for train, test in SEEN:
        assert train[:, 0].max() < test[:, 0].min()


def test_groups_that_are_tested_do_not_train(rows):
    X, y, time, groups = rows
    TunedThresholdClassifierCV(Recorder()).fit(X, y, groups=groups, time=time)
    assert len(SEEN) >= 5
    for train, test in SEEN:
        assert train[:, 0].max() < test[:, 0].min()
        assert not set(train[:, 1]) & set(test[:, 1])


def test_one_time_only_leaves_folds_by_chance(rows):
    X, y, time, _ = rows
    model = TunedThresholdClassifierCV(Recorder()).fit(X, y, time=np.zeros_like(time))
    assert len(SEEN) == 5
    assert 0 <= model.best_threshold_ <= 1
