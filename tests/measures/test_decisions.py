"""Expected risk: hand-worked values and every refusal."""

import math

import numpy as np
import pytest

from openbook.errors import ParameterError
from openbook.measures import cost_matrix, expected_risk, risk_threshold

LABELLED = {"well": {"sick": 10}, "sick": {"well": 1}}


def test_labelled_costs_follow_the_order_of_the_classes():
    assert cost_matrix(LABELLED, ["well", "sick"]).tolist() == [[0, 10], [1, 0]]
    assert cost_matrix(LABELLED, ["sick", "well"]).tolist() == [[0, 1], [10, 0]]


def test_costs_of_correct_decisions_and_gains_are_kept():
    costs = {"treat": {"treat": 2, "wait": 3}, "wait": {"treat": 9, "wait": -1}}
    assert cost_matrix(costs, ["treat", "wait"]).tolist() == [[2, 3], [9, -1]]


def test_labels_match_by_their_spelling():
    costs = {"0": {"1": 5}, "1": {"0": 1}}
    assert cost_matrix(costs, np.array([0, 1])).tolist() == [[0, 5], [1, 0]]
    assert cost_matrix({True: {False: 1}, False: {True: 2}}, ["false", "true"]).tolist() == [[0, 2], [1, 0]]


def test_rows_of_risk():
    risk = expected_risk([[0.9, 0.1], [0.95, 0.05]], [[0, 10], [1, 0]])
    assert risk == pytest.approx(np.array([[1.0, 0.9], [0.5, 0.95]]))
    assert expected_risk(np.empty((0, 2)), [[0, 10], [1, 0]]).shape == (0, 2)


def test_labelled_risk():
    assert expected_risk([0.1, 0.9], LABELLED, classes=["sick", "well"]) == pytest.approx([0.9, 1.0])


def test_single_precision_probabilities_are_accepted():
    proba = np.array([[1 / 3, 1 / 3, 1 / 3]], dtype=np.float32)
    assert expected_risk(proba, 1 - np.eye(3)) == pytest.approx(np.array([[2 / 3] * 3]), rel=1e-6)


def test_threshold_with_costs_of_correct_decisions():
    # Deciding 1: 4 (1 - p) + 1 p; deciding 0: 2 (1 - p) + 7 p. Equal where 2 (1 - p) = 6 p, p = 1/4.
    assert risk_threshold([[2, 7], [4, 1]]) == 0.25
    assert expected_risk([0.75, 0.25], [[2, 7], [4, 1]]) == pytest.approx([3.25, 3.25])


def test_threshold_is_for_the_second_class():
    assert risk_threshold(LABELLED, ["well", "sick"]) == pytest.approx(1 / 11)
    assert risk_threshold(LABELLED, ["sick", "well"]) == pytest.approx(10 / 11)


def refusal(match):
    return pytest.raises(ParameterError, match=match)


class TestRefusals:
    def test_unknown_class(self):
        with refusal(r"costs name the class 'sik', which is not there\. Did you mean 'sick'\?"):
            cost_matrix({"well": {"sik": 1}}, ["well", "sick"])
        with refusal("costs name the class 'maybe'"):
            cost_matrix({**LABELLED, "maybe": {}}, ["well", "sick"])

    def test_absent_cost(self):
        with refusal("what deciding 'sick' costs when the truth is 'well'"):
            cost_matrix({"well": {"sick": 10}}, ["well", "sick"])

    def test_row_that_is_no_mapping(self):
        with refusal(r"costs\['well'\] must map each true class to a cost, got 10"):
            cost_matrix({"well": 10}, ["well", "sick"])

    def test_shape(self):
        with refusal(r"one row and one column per class: \(3, 3\), got \(2, 2\)"):
            cost_matrix([[0, 1], [1, 0]], ["a", "b", "c"])

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_finite(self, bad):
        with refusal(f"costs must be finite, got {bad} for deciding 'b' when it is 'a'"):
            cost_matrix([[0, 1], [bad, 0]], ["a", "b"])

    def test_numbers(self):
        with refusal("costs must be numbers"):
            cost_matrix({"well": {"sick": "dear"}, "sick": {"well": 1}}, ["well", "sick"])

    def test_labelled_costs_without_classes(self):
        with refusal("the costs are labelled: say classes="):
            expected_risk([0.5, 0.5], LABELLED)
        with refusal("the costs are labelled: say classes="):
            risk_threshold(LABELLED)

    @pytest.mark.parametrize("row", [[0.33, 0.33, 0.33], [1.5, -0.5, 0], [math.nan, 0.5, 0.5]])
    def test_probabilities(self, row):
        with refusal("row 1 of proba must be probabilities that sum to one"):
            expected_risk([[1, 0, 0], row], 1 - np.eye(3))

    def test_shape_of_proba(self):
        with refusal(r"proba must have the shape .* got \(\)"):
            expected_risk(0.5, [[0, 1], [1, 0]])

    def test_threshold_needs_two_classes(self):
        with refusal("a threshold needs two classes, got 3"):
            risk_threshold(1 - np.eye(3), ["a", "b", "c"])

    def test_threshold_where_one_decision_is_always_better(self):
        with refusal("no threshold: when the truth is '0', the wrong decision costs 0 and the right one 0"):
            risk_threshold([[0, 10], [0, 0]])
