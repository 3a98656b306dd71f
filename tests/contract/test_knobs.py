"""Every learner with something to tune says what, and what to try."""

import math
from itertools import chain

import pytest
from sklearn.base import clone

from openbook.bayes import NaiveBayes
from openbook.border.rules import check_parameters
from openbook.decide import MinimumRisk
from openbook.registry import LEARNERS
from openbook.svm import SVC

#: What is judged by a target can be tuned by it.
JUDGED = [name for name, entry in LEARNERS.items() if entry.task in {"classification", "regression"}]
UNTUNED = {
    "zero_r": "a baseline that is the same for all",
    "zero_regressor": "a baseline that is the same for all",
    "rules": "they are written, not tuned",
    "id3": "has no parameters",
    "rocchio": "has no parameters",
    "tri_training": "only its learner has parameters",
    "pretrained": "only its learners have parameters",
    "cluster_then_label": "only its clusterer has parameters",
    "voting_regressor": "only its members have parameters",
    "stacking": "only its members have parameters",
    "stacking_regressor": "only its members have parameters",
}


@pytest.mark.parametrize("name", JUDGED)
def test_knobs_are_parameters_with_their_default_among_a_few_values(name):
    model = LEARNERS[name].make()
    knobs = model.knobs()
    assert bool(knobs) != (name in UNTUNED)
    for knob, values in knobs.items():
        assert model.get_params()[knob] in values
        assert len(values) >= 2
        assert len(set(values)) == len(values)
    assert math.prod(map(len, knobs.values())) <= 24


@pytest.mark.parametrize("name", JUDGED)
def test_every_value_keeps_the_rules(name):
    model = LEARNERS[name].make()
    pairs = chain.from_iterable(((knob, value) for value in values) for knob, values in model.knobs().items())
    for knob, value in pairs:
        tried = clone(model).set_params(**{knob: value})
        check_parameters(tried, type(tried)._rules)


def test_a_wrapper_has_the_knobs_of_what_it_wraps():
    assert list(MinimumRisk(NaiveBayes()).knobs()) == ["estimator__smoothing"]


def test_a_linear_kernel_has_no_width():
    assert "gamma" in SVC().knobs()
    assert "gamma" not in SVC(kernel="linear").knobs()
