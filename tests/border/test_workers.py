"""`n_jobs`: how many workers fit and predict, and that it changes nothing else."""

import joblib
import numpy as np
import pytest

import openbook
from openbook.cluster import DBSCAN
from openbook.ensemble import BaggingClassifier, ExtraTreesRegressor, RandomForestClassifier
from openbook.errors import ParameterError
from openbook.neighbors import KNeighborsClassifier

X, y = openbook.load("iris").split("species")


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(6, random_state=0),
        BaggingClassifier(n_estimators=4, random_state=0),
        KNeighborsClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_workers_change_nothing(model):
    alone = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=2).fit(X, y).predict_proba(X), alone)


def test_learning_and_predicting_have_the_workers(monkeypatch):
    seen = []
    for method in ("_fit", "_proba"):
        own = getattr(RandomForestClassifier, method)

        def noted(self, given, own=own):
            seen.append(joblib.effective_n_jobs(None))
            return own(self, given)

        monkeypatch.setattr(RandomForestClassifier, method, noted)
    RandomForestClassifier(2, random_state=0, n_jobs=2).fit(X, y).predict(X)
    assert seen == [2, 2]
    with joblib.parallel_config(n_jobs=3):
        RandomForestClassifier(2, random_state=0).fit(X, y)
    assert seen[2:] == [3]


def test_no_workers_are_refused():
    with pytest.raises(
        ParameterError, match="DBSCAN: n_jobs must be None or a whole number other than 0, got 0"
    ):
        DBSCAN(n_jobs=0).fit(X)


def test_a_sample_has_the_rows_that_max_samples_says():
    few = RandomForestClassifier(3, max_samples=20, random_state=0).fit(X, y)
    third = RandomForestClassifier(3, max_samples=1 / 3, random_state=0).fit(X, y)
    assert [len(rows) for rows in few.estimators_samples_] == [20, 20, 20]
    assert [len(rows) for rows in third.estimators_samples_] == [50, 50, 50]
    assert BaggingClassifier(n_estimators=1, max_samples=7).fit(X, y).estimators_samples_[0].size == 7


def test_max_samples_needs_samples():
    with pytest.raises(ParameterError, match="max_samples needs bootstrap=True"):
        ExtraTreesRegressor(max_samples=0.5).fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ParameterError, match=r"max_samples must be None or a whole number .*, got 1\.5"):
        RandomForestClassifier(max_samples=1.5).fit(X, y)
