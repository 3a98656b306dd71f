"""Bayes' rule where the probability of the evidence is given."""

import pytest

from openbook.errors import ParameterError
from openbook.measures import bayes


def test_one_hypothesis_with_the_evidence_given():
    """P(meningitis | stiff neck) = 0.5 / 50000 / 0.05 = 0.0002."""
    rule = bayes({"meningitis": 1 / 50_000}, {"meningitis": 0.5}, evidence=0.05)
    assert rule.posterior["meningitis"] == pytest.approx(0.0002)
    assert rule.work()["P(e)"].note == "given"


def test_evidence_below_the_joint_is_refused():
    with pytest.raises(ParameterError, match=r"P\(e\) must be above 0 and at least"):
        bayes({"a": 0.5}, {"a": 0.5}, evidence=0.2)
    with pytest.raises(ParameterError, match=r"the priors sum to 0\.5, not to one"):
        bayes({"a": 0.5}, {"a": 0.5})
