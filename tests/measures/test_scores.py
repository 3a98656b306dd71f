"""Scores and losses: values worked by hand, extremes, and refusals."""

import math

import numpy as np
import pytest

from openbook.errors import ParameterError
from openbook.measures import (
    hinge_loss,
    logistic_loss,
    logit,
    odds,
    self_information,
    sigmoid,
    softmax,
    zero_one_loss,
)


def test_self_information():
    assert self_information(1 / 8) == 3
    assert self_information([1, 0]).tolist() == [0, math.inf]
    assert self_information(1 / math.e, base=math.e) == pytest.approx(1)


def test_odds_and_logit():
    assert odds([0.2, 0.5]).tolist() == [0.25, 1]
    assert odds(1) == math.inf
    assert logit([0.5, 0, 1]).tolist() == [0, -math.inf, math.inf]
    assert logit(0.8) == pytest.approx(math.log(4))


def test_sigmoid_is_the_way_back():
    assert sigmoid(logit([0.1, 0.7])) == pytest.approx([0.1, 0.7])
    assert sigmoid([-1e9, 1e9]).tolist() == [0, 1]
    assert math.isnan(sigmoid(math.nan))
    assert sigmoid(2, steepness=3) == pytest.approx(1 / (1 + math.exp(-6)))


def test_single_precision_stays():
    assert sigmoid(np.zeros(3, np.float32)).dtype == np.float32


def test_softmax_along_the_last_axis():
    assert softmax([[0, 0], [0, math.log(3)]]) == pytest.approx(np.array([[0.5, 0.5], [0.25, 0.75]]))
    assert softmax([1000.0, 1000.0]).tolist() == [0.5, 0.5]


def test_losses():
    y, z = [1, 1, -1, -1], [2, 0, 0.5, -0.5]
    assert zero_one_loss(y, z).tolist() == [0, 1, 1, 0]
    assert hinge_loss(y, z).tolist() == [0, 1, 1.5, 0.5]
    assert logistic_loss(y, z) == pytest.approx([math.log(1 + math.exp(-m)) for m in (2, 0, -0.5, 0.5)])
    assert logistic_loss(-1, 2000) == 2000


@pytest.mark.parametrize("loss", [zero_one_loss, hinge_loss, logistic_loss])
def test_a_missing_score_has_no_loss(loss):
    assert math.isnan(loss(1, math.nan))


def test_refusals():
    with pytest.raises(ParameterError, match="from 0 to 1, got 2"):
        odds(2)
    with pytest.raises(ParameterError, match="base must be a positive number other than 1, got 1"):
        self_information(0.5, base=1)
    with pytest.raises(ParameterError, match=r"y must be \+1 or -1, got 0"):
        hinge_loss([0, 1], [1, 1])
