"""Measures of information: hand-worked values and every refusal."""

import math

import numpy as np
import pytest

from openbook.errors import ParameterError
from openbook.measures import (
    chi_squared,
    conditional_entropy,
    entropy,
    gain_ratio,
    gini,
    information_gain,
    mutual_information,
    pointwise_mutual_information,
    split_information,
    symmetrical_uncertainty,
)

ON_TABLES = [
    information_gain,
    split_information,
    gain_ratio,
    pointwise_mutual_information,
    mutual_information,
    chi_squared,
    symmetrical_uncertainty,
]


def test_entropy_of_powers_of_two_is_exact():
    assert entropy([4, 2, 1, 1]) == 1.75


def test_entropy_takes_the_last_axis():
    nodes = np.array([[[1, 1], [2, 0]], [[3, 1], [0, 0]]])
    assert entropy(nodes).shape == (2, 2)
    assert entropy(nodes)[1, 0] == pytest.approx(2 - 0.75 * math.log2(3))
    assert entropy(nodes)[1, 1] == 0  # an empty branch


def test_a_pure_node_has_no_negative_zero():
    assert math.copysign(1, entropy([0, 6])) == 1


def test_entropy_in_other_bases():
    assert entropy([1, 1], base=math.e) == pytest.approx(math.log(2))
    assert entropy([1] * 10, base=10) == pytest.approx(1)


@pytest.mark.parametrize("base", [0, -2, 1, math.inf, math.nan])
def test_base_is_checked(base):
    with pytest.raises(ParameterError, match="base must be a positive number other than 1"):
        entropy([1, 2], base=base)


def test_gini():
    assert gini([1, 1, 2]) == 1 - (1 / 16 + 1 / 16 + 1 / 4)
    assert gini([[5, 0], [0, 0]]).tolist() == [0, 0]


def test_counts_may_be_weights():
    assert entropy([0.5, 0.5]) == 1
    assert information_gain([[0.25, 0], [0, 0.25]]) == 1


def test_class_values_are_rows():
    # Four values, two classes: the attribute has 2 bits, the class has 1.
    counts = [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert split_information(counts) == 2
    assert information_gain(counts) == 1
    assert gain_ratio(counts) == 0.5
    assert split_information(np.transpose(counts)) == 1


def test_gain_in_nats():
    assert information_gain([[3, 0], [0, 3]], base=math.e) == pytest.approx(math.log(2))
    assert split_information([[3, 0], [0, 3]], base=math.e) == pytest.approx(math.log(2))


def test_gain_ratio_of_a_single_value_is_zero():
    assert gain_ratio([[3], [4]]) == 0
    assert gain_ratio([[3, 0], [4, 0]]) == 0


def test_pmi_of_an_empty_cell_is_nan_and_adds_nothing():
    pmi = pointwise_mutual_information([[4, 0], [2, 2]])
    assert pmi[0, 0] == pytest.approx(math.log2((4 / 8) / (4 / 8 * 6 / 8)))
    assert math.isnan(pmi[0, 1])
    by_hand = 4 / 8 * math.log2(8 / 6) + 2 / 8 * math.log2(4 / 6) + 2 / 8 * math.log2(2)
    assert mutual_information([[4, 0], [2, 2]]) == pytest.approx(by_hand)


def test_chi_squared_leaves_empty_rows_and_columns_out():
    full = chi_squared([[10, 20], [30, 5]])
    gaps = chi_squared([[10, 0, 20], [0, 0, 0], [30, 0, 5]])
    assert gaps.statistic == pytest.approx(full.statistic)
    assert (gaps.dof, full.dof) == (1, 1)
    assert gaps.p_value == pytest.approx(full.p_value)
    assert gaps.expected[1].tolist() == [0, 0, 0]


def test_chi_squared_without_a_degree_of_freedom():
    assert chi_squared([[3, 4]])[:3] == (0, 0, 1)


@pytest.mark.parametrize("measure", ON_TABLES)
def test_a_table_of_zeros_is_refused(measure):
    with pytest.raises(ParameterError, match=r"every count of the 2 × 3 table is 0"):
        measure(np.zeros((2, 3)))


@pytest.mark.parametrize("measure", ON_TABLES)
def test_a_table_has_two_axes(measure):
    with pytest.raises(ParameterError, match=r"shape \(n_classes, n_values\), got \(3,\)"):
        measure([1, 2, 3])


@pytest.mark.parametrize("measure", [*ON_TABLES, entropy, gini])
@pytest.mark.parametrize("bad", [-1, math.nan, math.inf])
def test_bad_counts_are_named(measure, bad):
    with pytest.raises(ParameterError, match=rf"not negative, got {bad:g} at position \[1, 0\]"):
        measure([[1, 2], [bad, 3]])


@pytest.mark.parametrize("counts", [[["a", "b"]], [[1, 2], [3]], None])
def test_what_is_no_number_is_refused(counts):
    with pytest.raises(ParameterError, match="counts must be"):
        entropy(counts)


@pytest.mark.parametrize("counts", [5, [], [[], []]])
def test_at_least_one_count(counts):
    with pytest.raises(ParameterError, match="at least one number"):
        entropy(counts)


def test_symmetrical_uncertainty_by_hand():
    # gain 1 - 3/4 H(1, 2) of H(class) = 1 and H(attribute) = H(1, 3)
    h = 2 - 0.75 * math.log2(3)
    gain = 1 - 0.75 * (math.log2(3) - 2 / 3)
    assert symmetrical_uncertainty([[2, 0], [1, 1]]) == pytest.approx(2 * gain / (1 + h))
    assert symmetrical_uncertainty([[2, 1], [0, 1]]) == pytest.approx(2 * gain / (1 + h))  # either way round
    assert symmetrical_uncertainty([[4], [0]]) == 0


def test_conditional_entropy_by_hand():
    """Half the rows have the first value, three of one class to one of the other; the rest are pure."""
    left = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    assert conditional_entropy([[3, 4], [1, 0]]) == pytest.approx(left / 2)
    assert conditional_entropy([[2, 2], [2, 2]], base=4) == pytest.approx(0.5)
