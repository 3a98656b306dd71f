"""The scale of weights means nothing: w and c w give the same model.

Whole numbers are numbers of equal rows, so that their scale does mean something; they have tests elsewhere.
"""

import numpy as np
import pytest

from openbook import load, registry
from openbook.errors import DataError
from openbook.neighbors import KNeighborsClassifier
from openbook.tree import C45


def weights_of(n):
    return np.random.default_rng(3).uniform(0.2, 3, n)


def test_the_scale_of_weights_means_nothing(case):
    if reason := getattr(case.make(), "_refuses_weights", ""):
        pytest.skip(reason)
    w = weights_of(len(case.X))
    expected = case.answers(case.make().fit(case.X, case.y, sample_weight=w), case.X)
    for scale in (1 / w.sum(), 1000):
        model = case.make().fit(case.X, case.y, sample_weight=w * scale)
        np.testing.assert_allclose(case.answers(model, case.X), expected, rtol=1e-7, atol=1e-9)


#: Bisecting k-means draws by sums of weights, and rounding may move a draw.
WITHOUT_TARGET = [
    e for e in registry.learners("clustering", "density", "outliers") if e.name != "bisecting_k_means"
]


@pytest.mark.parametrize("entry", WITHOUT_TARGET, ids=lambda entry: entry.name)
def test_the_scale_of_weights_means_nothing_without_a_target(entry):
    table = load("weather").drop("play") if entry.name == "k_modes" else load("iris").drop("species")
    w = weights_of(len(table))

    def found(scale):
        model = entry.make()
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model.fit(table, sample_weight=w * scale)
        if entry.task == "clustering":
            return model.labels_
        return model.score_samples(table)

    try:
        expected = found(1)
    except DataError as refused:
        assert "sample_weight must be the same for all" in str(refused)  # noqa: PT017 (it may be taken, too)
        return
    for scale in (1 / w.sum(), 1000):
        np.testing.assert_allclose(found(scale), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("learner", [C45(), KNeighborsClassifier(n_neighbors=5)])
def test_equal_weights_that_sum_to_one_are_no_weights(learner):
    X, y = load("wine").split("cultivar")
    plain = learner.fit(X, y).predict_proba(X)
    weighed = learner.fit(X, y, sample_weight=np.full(len(X), 1 / len(X))).predict_proba(X)
    np.testing.assert_array_equal(weighed, plain)
