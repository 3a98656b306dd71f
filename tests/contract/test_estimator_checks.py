"""scikit-learn's own checks, over every registered learner and the parameters that studies give it."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from openbook import registry

#: Checks that a learner may fail, with the reason: {learner: {check: reason}}.
EXPECTED_FAILURES: dict[str, dict[str, str]] = {}


def every_learner():
    for entry in registry.learners():
        yield entry.make()
        yield from (entry.make(**variant.parameters) for variant in entry.study if variant.parameters)


@pytest.mark.filterwarnings("ignore")  # the checks feed columns that do not vary, and say so
@parametrize_with_checks(
    list(every_learner()),
    expected_failed_checks=lambda learner: EXPECTED_FAILURES.get(registry.name_of(learner), {}),
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
