"""scikit-learn's own checks of models of sequences; without a column that names it, all rows are one."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from openbook import registry

WHOLE = "rows of a sequence have one weight"
ORDER = "rows are judged with their neighbours"
EXPECTED_FAILURES = {
    "check_sample_weights_not_overwritten": WHOLE,
    "check_sample_weight_equivalence_on_dense_data": WHOLE,
    "check_classifiers_one_label_sample_weights": WHOLE,
    "check_methods_sample_order_invariance": ORDER,
    "check_methods_subset_invariance": ORDER,
    "check_classifiers_train": "the best path need not have the most probable label of every row",
}


def _quick(entry):
    """Few iterations, of what iterates."""
    return {"max_iter": 15} if "max_iter" in entry.make().get_params() else {}


@pytest.mark.filterwarnings("ignore")  # the checks feed columns that do not vary, and say so
@parametrize_with_checks(
    [entry.make(**_quick(entry)) for entry in registry.learners("sequence")],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
