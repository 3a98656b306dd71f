"""Cuts: equal frequency and MDL, by hand, by WEKA, and kernel against twin."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openbook
from openbook.border.rows import class_codes
from openbook.data import Numeric
from openbook.prepare.discretise import (
    derive_bins,
    equal_cuts,
    mdl_cuts,
    mdl_splits,
    naive_splits,
)
from openbook.words.numbers import interval_names


def test_mdl_accepts_a_clean_cut_by_hand():
    # 5 + 5 rows: gain 1 bit; bar (log2 9 + log2 7 - 2) / 10 = 0.398
    (split, *_) = mdl_splits(np.arange(10.0), np.repeat([0, 1], 5), 2)
    assert (split.cut, split.below, split.above, split.accepted) == (4.5, (5, 0), (0, 5), True)
    work = derive_bins("x", [split])
    assert work["gain"].result == pytest.approx(1.0)
    assert work["bound"].result == pytest.approx((math.log2(9) + math.log2(7) - 2) / 10)


def test_mdl_refuses_what_does_not_pay_by_hand():
    # a b: the gain is 1 bit, the bar (log2 1 + log2 7 - 2) / 2 = 0.40
    assert mdl_cuts(np.array([1.0, 2.0]), np.array([0, 1]), 2).tolist() == [1.5]
    # a b a b: the best gain is 0.311 bits (1 | 3), the bar (log2 3 + log2 7 - (2 - 0 - 2 * 0.918)) / 4 = 1.06
    values, codes = np.arange(4.0), np.array([0, 1, 0, 1])
    (split,) = mdl_splits(values, codes, 2)
    assert not split.accepted
    assert mdl_cuts(values, codes, 2).tolist() == []
    work = derive_bins("x", [split])
    assert work["gain"].result == pytest.approx(1 - 0.75 * 0.9182958340544896)
    assert work["bound"].result == pytest.approx(
        (math.log2(3) + math.log2(7) - 2 + 2 * 0.9182958340544896) / 4
    )
    assert work.conclusion == "No cut gains enough: one interval."


WEKA = Path(__file__).parent.parent / "peers" / "weka"


@pytest.mark.parametrize(
    "name", ["iris", "wine", "breast_cancer", "credit", "gaps", "loan", "weather_numeric"]
)
def test_cuts_are_wekas(name):
    table = openbook.read(WEKA / f"{name}.arff")
    *inputs, target = table.names
    _, labels, codes = class_codes(table.column(target))
    headers = (WEKA / f"{name}.mdl.txt").read_text().splitlines()
    numbers = 0
    for column, header in zip(inputs, headers, strict=False):
        if isinstance(table.schema[column], Numeric):
            # the upper ends of '(-inf-2.45]' and '(2.45-4.75]', to the six decimals that WEKA prints
            expected = [float(end) for end in re.findall(r"-(\d[\d.]*)\]", header)]
            x = table.data(column)
            known = ~np.isnan(x)
            assert mdl_cuts(x[known], codes[known], len(labels)).tolist() == pytest.approx(expected, abs=1e-6)
            numbers += 1
    assert numbers


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), max_size=60))
def test_search_equals_trying_every_cut(rows):
    values = np.array([float(v) for v, _ in rows])
    codes = np.array([c for _, c in rows], dtype=np.intp)
    assert mdl_splits(values, codes, 3) == naive_splits([(float(v), c) for v, c in rows], 3)


def test_neighbouring_doubles_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    (cut,) = mdl_cuts(np.r_[np.full(9, low), np.full(9, high)], np.repeat([0, 1], 9), 2)
    assert low <= cut < high
    assert len(set(interval_names(np.array([low, high])))) == 3


def test_equal_frequency():
    values, weights = np.array([1.0, 2.0, 3.0, 10.0]), np.array([2.0, 2.0, 2.0, 2.0])
    assert equal_cuts(values, weights, 4).tolist() == [1.5, 2.5, 6.5]
    assert equal_cuts(values, weights, 2).tolist() == [2.5]
    assert equal_cuts(values, weights, 4, least=4).tolist() == [2.5]
    assert equal_cuts(np.array([7.0]), np.array([9.0]), 5).tolist() == []
    assert equal_cuts(np.zeros(0), np.zeros(0), 5).tolist() == []


def test_no_rows_and_one_value_have_no_cut():
    assert mdl_splits(np.zeros(0), np.zeros(0, dtype=np.intp), 2) == []
    assert mdl_splits(np.full(5, 3.0), np.array([0, 1, 0, 1, 1]), 2) == []
    assert interval_names(np.zeros(0)) == ("any number",)


def test_largest_numbers_do_not_overflow():
    top = np.finfo(float).max
    (cut,) = mdl_cuts(np.r_[np.full(9, top / 2), np.full(9, top)], np.repeat([0, 1], 9), 2)
    assert top / 2 < cut < top


def test_a_useless_column_is_seldom_cut():
    rng = np.random.default_rng(0)
    cut = [len(mdl_cuts(rng.normal(size=100), rng.integers(0, 2, 100), 2)) > 0 for _ in range(400)]
    assert np.mean(cut) < 0.05
