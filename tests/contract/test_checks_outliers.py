"""scikit-learn's own checks, over every registered detector of outliers, and any number of workers."""

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from openbook import load, registry

#: Checks that a detector may fail, with the reason.
NONE = "by its own threshold none of the check's rows is an outlier, and the check wants some"
COUNTS = "it counts rows: weights other than 0 must be the same for all"
WEIGHTED = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_not_overwritten",
)
WEIGH = ("z_score", "mahalanobis", "likelihood_mixture", "naive_bayes_surprise")
SURE = ("z_score", "box_fences", "grubbs", "mahalanobis", "likelihood_mixture")


def expected(name):
    failures = {}
    if name not in WEIGH:
        failures |= dict.fromkeys(WEIGHTED, COUNTS)
    if name in SURE:
        failures |= dict.fromkeys(("check_outliers_train", "check_outliers_fit_predict"), NONE)
    if name == "collective":
        failures["check_methods_subset_invariance"] = "the rows of a run are judged together"
        failures["check_methods_sample_order_invariance"] = "a run is rows in their order"
    return failures


def every_detector():
    """All of them, with few trees."""
    for entry in registry.learners("outliers"):
        yield entry.make(n_estimators=10) if entry.name.startswith("isolation_") else entry.make()


@pytest.mark.filterwarnings("ignore")  # the checks feed columns that do not vary, and say so
@parametrize_with_checks(
    list(every_detector()),
    expected_failed_checks=lambda detector: expected(registry.name_of(detector)),
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("detector", list(every_detector()), ids=registry.name_of)
def test_workers_change_no_bit(detector, chunk_rows):
    X, _ = load("iris").split("species")
    chunk_rows(37)
    seeds = [name for name in detector.get_params() if name.endswith("random_state")]
    detector = clone(detector).set_params(**dict.fromkeys(seeds, 0))
    alone = clone(detector).fit(X).score_samples(X)
    for backend, workers in (("threading", 2), ("threading", 4), ("loky", 2)):
        with joblib.parallel_config(backend=backend, n_jobs=workers):
            again = clone(detector).fit(X).score_samples(X)
        np.testing.assert_array_equal(again, alone, err_msg=f"{backend}, {workers}")
