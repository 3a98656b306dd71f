"""scikit-learn's own checks, over every registered learner and the parameters that studies give it."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from openbook import registry

#: Checks that a learner may fail, with the reason: {learner: {check: reason}}.
DENSE, SPARSE = (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
WEIGHTS = (DENSE, SPARSE, "check_sample_weights_not_overwritten")
SHUFFLED = "the check shuffles the rows, and a seed draws other rows of another order"
FOLDS = "a row that is there twice can fall into two folds"
APPROACHED = "sparse rows that are alike stay apart, and two searches agree to the tolerance alone"
ONLINE = "the check shuffles the rows, and they are learnt from one by one, in their order"
LIGHT = "a full-grown tree has leaves of one row, however little it weighs"
EVEN = "the check expects the more probable of two classes, and a tuned threshold decides otherwise"
ROUNDS = "check_non_transformer_estimators_n_iter"
LABELLED = "no round where every row has a label"
TURNED = "transform: in directions of which none varies, the floor makes any turn of them as good"

EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "random_forest": {DENSE: SHUFFLED},
    "random_forest_regressor": {DENSE: SHUFFLED},
    "bagging": {DENSE: SHUFFLED, SPARSE: SHUFFLED},
    "cart": {DENSE: FOLDS},
    "cart_regressor": {DENSE: FOLDS},
    "perceptron": {DENSE: ONLINE, SPARSE: ONLINE},
    "svc": {SPARSE: FOLDS},
    "linear_svc": {SPARSE: APPROACHED},
    "linear_svr": {SPARSE: APPROACHED},
    "linear_discriminant": {DENSE: TURNED},
    "decision_tree": {"check_class_weight_classifiers": LIGHT},
    "tuned_threshold": {DENSE: FOLDS, SPARSE: FOLDS, "check_classifiers_train": EVEN},
    "self_training": {ROUNDS: LABELLED},
    "co_training": {ROUNDS: LABELLED},
    "tri_training": {ROUNDS: LABELLED},
    "cluster_then_label": {DENSE: SHUFFLED},
    "stacking": {DENSE: FOLDS},
    "stacking_regressor": {DENSE: FOLDS},
}


def expected_failures(learner):
    """The checks that a learner may fail; one that refuses weights says why."""
    reason = getattr(learner, "_refuses_weights", "")
    refused = dict.fromkeys(WEIGHTS, reason) if reason else {}
    drawn = {DENSE: SHUFFLED} if getattr(learner, "subsample", 1.0) < 1 else {}
    return {**refused, **drawn, **EXPECTED_FAILURES.get(registry.name_of(learner), {})}


def every_learner():
    for entry in registry.learners():
        yield few_members(entry.make())
        yield from (
            few_members(entry.make(**variant.parameters)) for variant in entry.study if variant.parameters
        )


def few_members(learner):
    has_members = "n_estimators" in learner.get_params(deep=False)
    return learner.set_params(n_estimators=10) if has_members else learner


@pytest.mark.filterwarnings("ignore")  # the checks feed columns that do not vary, and say so
@parametrize_with_checks(
    list(every_learner()),
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
