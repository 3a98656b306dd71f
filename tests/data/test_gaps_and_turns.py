"""Why cells are missing, and columns that the target follows in a U shape: found where they are."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, mannwhitneyu

from openbook import describe, load, read
from openbook.data.adjustments import holm
from openbook.data.findings.gaps import _by_ranks, _by_values, gap_findings
from openbook.data.findings.turning import turn_findings, turning_point

RNG = np.random.default_rng(0)
N = 400


def found(table, kind, target=None):
    return [one for one in describe(table, target).findings if one.kind == kind]


def test_gaps_that_go_with_the_target_are_told():
    y = np.repeat(["no", "yes"], N // 2)
    income = RNG.normal(50, 10, N)
    missing = RNG.random(N) < np.where(y == "yes", 0.4, 0.1)
    income[missing] = np.nan
    (one,) = found(read({"income": income, "y": y}), "gaps", "y")
    shares = [missing[y == c].mean() for c in ("yes", "no")]
    assert one.columns == ("income", "y")
    assert one.severity == "warn"
    assert any(
        f"{a:.0%} of the rows with 'y' '{c}', and in {b:.0%}" in one.message
        for c, a, b in (("yes", *shares), ("no", *shares[::-1]))
    )
    assert 'the step "indicate income"' in one.message
    table = [[(missing & (y == c)).sum(), (~missing & (y == c)).sum()] for c in ("no", "yes")]
    assert chi2_contingency(table, correction=False).pvalue < 0.001


def test_gaps_that_go_with_another_column_are_told():
    age = RNG.uniform(18, 80, N)
    income = np.where(RNG.random(N) < (80 - age) / 100, np.nan, 1.0 + age)
    (one,) = found(read({"age": age, "income": income}), "gaps")
    gone = np.isnan(income)
    assert mannwhitneyu(age[gone], age[~gone]).pvalue < 0.001
    assert one.columns == ("income", "age")
    assert one.severity == "note"
    assert f"{np.median(age[gone]):.2f}"[:4] in one.message


def test_where_both_medians_are_the_same_the_means_are_told():
    # of a hundred rows without a cabin 20 survived, of a hundred with one 45
    survived = np.r_[np.ones(20), np.zeros(80), np.ones(45), np.zeros(55)]
    cabin = np.r_[np.full(100, np.nan), np.arange(100.0)]
    (one,) = found(read({"cabin": cabin, "survived": survived}), "gaps", "survived")
    assert "the mean of 'survived' is 0.2 where it is missing, and 0.45 elsewhere" in one.message


def test_the_withheld_incomes_of_credit_are_found():
    # 25% of those who earn less than 15 withhold their income; the amount of a loan does not tell that
    (one,) = found(load("credit", rows=3000), "gaps", "default")
    assert one.columns[0] == "income"


def test_gaps_at_random_are_rarely_told():
    alarms = 0
    for _ in range(20):
        columns = {name: RNG.normal(size=120) for name in "abcd"}
        for values in columns.values():
            values[RNG.random(120) < 0.2] = np.nan
        alarms += any(gap_findings(read({**columns, "y": RNG.choice(["u", "v"], 120)}), "y"))
    assert alarms <= 3  # 1 is expected; 4 or more has a probability of 1.6%


def test_tests_as_scipy():
    x, code = RNG.integers(0, 30, N).astype(float), RNG.integers(0, 4, N)
    gone = np.column_stack([RNG.random(N) < 0.3, RNG.random(N) < 0.2])
    expected = [mannwhitneyu(x[part], x[~part], method="asymptotic").pvalue for part in gone.T]
    np.testing.assert_allclose(_by_ranks(gone.astype(float), x), expected, rtol=1e-9)
    tables = [[np.bincount(code[part], minlength=4) for part in (column, ~column)] for column in gone.T]
    expected = [chi2_contingency(table, correction=False).pvalue for table in tables]
    np.testing.assert_allclose(_by_values(gone.astype(float), code), expected, rtol=1e-9)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).tolist() == []


def test_a_u_shape_is_found_and_a_line_is_not():
    x = RNG.uniform(20, 80, N)
    noise = RNG.normal(0, 5, N)
    table = read({"x": x, "z": RNG.normal(size=N), "y": (x - 45) ** 2 / 20 + noise})
    (one,) = found(table, "turning point", "y")
    assert one.columns == ("x",)
    assert "falls and then rises" in one.message
    assert 'the step "turn x"' in one.message
    assert turning_point(x, table["y"].data).at == pytest.approx(45, abs=1)
    assert found(read({"x": x, "y": x + noise}), "turning point", "y") == []
    assert found(read({"x": x, "y": np.log(x) + noise / 50}), "turning point", "y") == []


def test_a_u_shape_of_classes():
    x = RNG.uniform(0, 10, N)
    sick = RNG.random(N) < np.where(np.abs(x - 5) > 3, 0.8, 0.1)
    (one,) = found(read({"dose": x, "state": np.where(sick, "sick", "well")}), "turning point", "state")
    assert "the share of 'state' 'well' rises and then falls" in one.message


def test_a_class_between_others_is_no_u_shape():
    """Of linear log odds, the share of a middle class rises and falls; none can fall and rise."""
    x = np.arange(N) * 9 / N
    size = np.array(["s", "m", "l"])[(x // 3).astype(int)]
    assert found(read({"x": x, "size": size}), "turning point", "size") == []
    ends = np.where(size == "l", "s", size)
    both = np.where((ends == "s") & (np.arange(N) % 2 == 0), "t", ends)
    assert "falls and then rises" in found(read({"x": x, "size": both}), "turning point", "size")[0].message


def test_noise_is_no_u_shape():
    alarms = sum(
        any(turn_findings(read({"x": RNG.normal(size=150), "y": RNG.normal(size=150)}), "y"))
        for _ in range(40)
    )
    assert alarms <= 2
