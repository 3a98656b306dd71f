"""Targets that are computed from other columns."""

import numpy as np
import pytest

import openbook as ob
from openbook.data.findings.computed import computed_findings
from openbook.judge import leaks

N = 200


@pytest.fixture(scope="module")
def bills():
    rng = np.random.default_rng(0)
    rent, food, travel = (rng.uniform(1, 100, N).round(2) for _ in range(3))
    height, weight = rng.normal(1.75, 0.1, N).round(2), rng.normal(75, 12, N).round(1)
    return {"rent": rent, "food": food, "travel": travel, "height": height, "weight": weight}


def found(columns, **target):
    (name,) = target
    return [(one.columns, one.message) for one in computed_findings(ob.read(columns | target), name)]


def test_a_sum_names_its_terms_and_factors(bills):
    ((columns, message),) = found(bills, spending=bills["rent"] + bills["food"] - 2.5 * bills["travel"] + 7)
    assert columns == ("rent", "food", "travel")
    assert message.startswith("'spending' = rent + food + 7 - 2.5 × travel in 200 rows: it is computed")


def test_a_product_names_its_powers_though_it_is_rounded(bills):
    ((columns, message),) = found(bills, bmi=(bills["weight"] / bills["height"] ** 2).round(1))
    assert columns == ("height", "weight")
    assert message.startswith("'bmi' = weight / height^2 in 200 rows")


def test_noise_of_a_thirtieth_is_no_formula(bills):
    """R² = 1 - 1/900 = 0.9989."""
    spending = bills["rent"] + bills["food"]
    noise = np.random.default_rng(1).normal(size=N) * spending.std() / 30
    assert found(bills, spending=spending + noise) == []


def test_one_column_is_a_leak_of_another_kind(bills):
    assert found(bills, cents=100 * bills["rent"]) == []


def test_few_rows_prove_nothing(bills):
    few = {name: data[:49] for name, data in bills.items()}
    assert found(few, spending=few["rent"] + few["food"]) == []
    assert (
        len(found({n: d[:50] for n, d in bills.items()}, spending=(bills["rent"] + bills["food"])[:50])) == 1
    )


def test_classes_and_few_numbers_are_not_computed(bills):
    assert found(bills, dear=(bills["rent"] > 50).astype(float)) == []
    assert found(bills, word=np.where(bills["rent"] > 50, "a", "b")) == []


def test_columns_with_many_gaps_are_left_out(bills):
    gappy = np.where(np.arange(N) % 5 == 0, np.nan, bills["height"])
    ((columns, _),) = found(bills | {"height": gappy}, spending=bills["rent"] + bills["food"])
    assert columns == ("rent", "food")


def test_a_study_takes_all_of_them_for_suspects(bills):
    found = leaks(ob.read(bills), (bills["rent"] + bills["food"]).round(2))
    assert found.suspects == ("rent", "food")
    assert "= rent + food in 200 rows" in found.why["food"]
