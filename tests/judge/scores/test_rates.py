"""The delta method against textbook formulas, and intervals that cover, where plain ones do not."""

import math
from functools import partial

import numpy as np
import pytest

from openbook.judge.scores.rates import (
    FISHER,
    LOG,
    LOGIT,
    Rate,
    cohens_kappa,
    delta,
    f_beta,
    mcc,
    mean_over_classes,
)

TABLE = np.array([[120, 20], [15, 45]])
Z = 1.959963984540054


def half_width(interval, scale):
    return (scale.there(interval.high) - scale.there(interval.low)) / 2


def test_kappas_error_is_that_of_fleiss_cohen_and_everitt():
    """1969: Large sample standard errors of kappa and weighted kappa."""
    table = np.array([[44, 5, 1], [7, 20, 3], [9, 5, 6]])
    p = table / table.sum()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    po, pe = np.trace(p), rows @ columns
    diagonal = sum(p[i, i] * ((1 - pe) - (rows[i] + columns[i]) * (1 - po)) ** 2 for i in range(3))
    others = (1 - po) ** 2 * sum(
        p[i, j] * (columns[i] + rows[j]) ** 2 for i in range(3) for j in range(3) if i != j
    )
    variance = (diagonal + others - (po * pe - 2 * pe + po) ** 2) / (table.sum() * (1 - pe) ** 4)
    value = cohens_kappa(table)
    assert value == pytest.approx((po - pe) / (1 - pe), rel=1e-12)
    on_scale = math.sqrt(variance) / (1 - value**2)
    assert half_width(delta(cohens_kappa, table, FISHER, value), FISHER) == pytest.approx(
        Z * on_scale, rel=1e-9
    )


@pytest.mark.parametrize(
    "statistic",
    [
        cohens_kappa,
        mcc,
        partial(mean_over_classes, what="f1"),
        partial(mean_over_classes, what="recall", weighted=True),
    ],
)
def test_many_classes_ask_few_cells_and_find_the_slopes_of_all(statistic):
    counts = np.random.default_rng(0).integers(0, 9, (7, 7)) + np.diag([30] * 7)
    asked = []

    def counted(table):
        asked.append(table)
        return statistic(table)

    interval = delta(counted, counts, FISHER, statistic(counts))
    assert len(asked) < 4 * 7
    step, variance = 1e-4, 0.0
    for at in np.ndindex(counts.shape):
        up, down = counts.astype(float), counts.astype(float)
        up[at] += step
        down[at] -= step
        slope = (math.atanh(statistic(up)) - math.atanh(statistic(down))) / (2 * step)
        variance += counts[at] * slope**2
    assert half_width(interval, FISHER) == pytest.approx(Z * math.sqrt(variance), rel=1e-6)


def test_ratios_have_the_log_method():
    """Simel, Samsa and Matchar (1991) for LR+; Woolf (1955) for the odds ratio."""
    simel = math.sqrt(1 / 45 - 1 / 60 + 1 / 20 - 1 / 140)
    plus = delta(lambda c: c[1, 1] / c[1].sum() * c[0].sum() / c[0, 1], TABLE, LOG, 5.25)
    assert (plus.low, plus.high) == pytest.approx((5.25 * math.exp(-Z * simel), 5.25 * math.exp(Z * simel)))
    woolf = math.sqrt(1 / 120 + 1 / 20 + 1 / 15 + 1 / 45)
    odds = delta(lambda c: c[1, 1] * c[0, 0] / (c[0, 1] * c[1, 0]), TABLE, LOG, 18.0)
    assert (odds.low, odds.high) == pytest.approx((18 * math.exp(-Z * woolf), 18 * math.exp(Z * woolf)))
    assert plus.method == odds.method == "log"


def test_f1_is_a_function_of_one_share():
    """F1 = 2q/(1 + q) with q = TP/(TP + FP + FN), and logit F1 = ln(2 TP/(FP + FN))."""
    interval = delta(lambda c: f_beta(c, 1), TABLE, LOGIT, 0.72)
    assert half_width(interval, LOGIT) == pytest.approx(Z * math.sqrt(1 / 45 + 1 / 35), rel=1e-9)


def test_a_statistic_at_its_end_has_an_interval_all_the_same():
    perfect = np.array([[5, 0], [0, 5]])
    interval = delta(cohens_kappa, perfect, FISHER, 1.0)
    assert interval.method == "delta on artanh, ½ added to each cell"
    assert 0 < interval.low < 0.9
    assert interval.high == 1.0
    three = delta(cohens_kappa, np.diag([5, 5, 5]), FISHER, 1.0)
    assert three.method == "delta on artanh, 1/3 added to each cell"


def test_an_interval_derives_itself():
    steps = {
        step.label: step.result for step in delta(cohens_kappa, TABLE, FISHER, cohens_kappa(TABLE)).steps
    }
    cells = [120, 20, 15, 45]
    slopes = [steps[f"g_{i}{j}"] for i in (1, 2) for j in (1, 2)]
    assert math.sqrt(sum(n * g * g for n, g in zip(cells, slopes, strict=True))) == pytest.approx(steps["se"])
    assert math.tanh(steps["y"] - Z * steps["se"]) == pytest.approx(steps["low"])
    assert sum(n * g for n, g in zip(cells, slopes, strict=True)) == pytest.approx(0, abs=1e-12)


def test_slopes_are_derivatives():
    rng = np.random.default_rng(0)
    table = rng.integers(1, 30, (4, 4)).astype(float)
    for statistic in (mcc, cohens_kappa, lambda c: mean_over_classes(c, "f1_of_means", weighted=True)):
        steps = delta(statistic, table, FISHER, float(statistic(table))).steps
        h = 1e-5
        slopes = []
        for at in np.ndindex(4, 4):
            up, down = table.copy(), table.copy()
            up[at] += h
            down[at] -= h
            slopes.append((math.atanh(statistic(up)) - math.atanh(statistic(down))) / (2 * h))
        by_differences = math.sqrt(float(table.ravel() @ np.square(slopes)))
        (error,) = [step.result for step in steps if step.label == "se"]
        assert error == pytest.approx(by_differences, rel=1e-6)


@pytest.mark.parametrize(
    ("statistic", "scale"), [(lambda c: f_beta(c, 1), LOGIT), (cohens_kappa, FISHER), (mcc, FISHER)]
)
def test_intervals_cover(statistic, scale):
    """On 40 rows with an accuracy of 0.9: the plain interval ± z s falls short, ours does not."""
    shares = np.array([[0.45, 0.05], [0.05, 0.45]])
    truth = float(statistic(shares))
    tables = np.random.default_rng(1).multinomial(40, shares.ravel(), 600).reshape(-1, 2, 2)
    ours, plain = 0, 0
    for table in tables:
        value = float(statistic(table))
        interval = delta(statistic, table, scale, value)
        ours += truth in interval
        steps = {step.label: step.result for step in interval.steps}
        slope = value * (1 - value) if scale is LOGIT else 1 - value**2
        plain += abs(value - truth) <= Z * steps["se"] * slope
    assert ours / 600 >= 0.94
    assert plain / 600 < 0.93


def test_a_rate_says_why():
    rate = Rate.undefined("no row is truly ill", "tpr", 0.95)
    assert math.isnan(float(rate))
    assert math.isnan(rate.interval.low)
    assert str(rate) == "undefined: no row is truly ill"
