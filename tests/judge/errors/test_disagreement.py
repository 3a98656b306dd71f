"""Two models on the same rows: who is right, how far they agree, and where one is better."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from openbook.data import Numeric, Schema, Table
from openbook.errors import DataError
from openbook.judge import disagreement, mcnemar


def numbers(x):
    return Table(Schema((Numeric("x"),)), [np.asarray(x, dtype=float)])


def test_counts_kappa_and_mcnemar_by_hand(judged):
    truth = np.repeat([0, 1, 2], [4, 4, 2])
    a = np.array([0, 0, 0, 1, 1, 1, 0, 2, 2, 0])  # right: 0 1 2 4 5 8
    b = np.array([0, 1, 0, 1, 1, 0, 0, 1, 2, 1])  # right: 0 2 4 7 8
    names = ("red", "green", "blue")
    both = disagreement(
        judged(truth, a, classes=names, name="A"),
        judged(truth, b, classes=names, name="B"),
        numbers(range(10)),
    )
    assert both.counts.tolist() == [[4, 2], [1, 3]]
    assert both.only_first.tolist() == [1, 5]
    assert both.only_second.tolist() == [7]
    assert (both.same, both.same_wrong) == (6, 2)  # rows 3 and 6 alike, 9 not
    assert both.kappa == pytest.approx(cohen_kappa_score(a, b))
    assert both.test == mcnemar(truth == a, truth == b)
    assert both.test.p_value == pytest.approx(stats.binomtest(1, 3).pvalue)
    assert "Only A is right on 2 rows, only B on 1" in both.work().conclusion


def test_each_model_has_its_own_ground(judged):
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 400)
    wrong_a, wrong_b = (
        (rng.random(400) < np.where(x > 6, 0.5, 0.1)),
        (rng.random(400) < np.where(x > 6, 0.1, 0.3)),
    )
    a = judged(np.zeros(400, int), wrong_a.astype(int), name="A")
    b = judged(np.zeros(400, int), wrong_b.astype(int), name="B")
    both = disagreement(a, b, numbers(x), max_depth=1)
    rules = {one.rule.split()[1]: one for one in both.segments}
    above = rules[">"]
    assert abs(float(above.rule.split()[2]) - 6) < 0.5
    inside = (x > float(above.rule.split()[2])) & (np.arange(400) >= 200)  # the second fold judges
    assert above.n == inside.sum()
    assert above.losses == (wrong_a[inside].mean(), wrong_b[inside].mean())
    assert above.only == ((wrong_b & ~wrong_a & inside).sum(), (wrong_a & ~wrong_b & inside).sum())
    raw = mcnemar(~wrong_a[inside], ~wrong_b[inside]).p_value
    assert above.test.p_value in (pytest.approx(raw), pytest.approx(2 * raw))  # Holm, of two
    assert "B is better where x > " in both.work().conclusion
    assert "A is better where x <= " in both.work().conclusion


def test_numbers_are_compared_by_who_is_closer(judged):
    truth = np.zeros(6)
    a, b = np.array([1.0, -1, 2, 0, 3, 1]), np.array([2.0, 1, 1, 0, 4, 2])
    both = disagreement(judged(truth, a, classes=None), judged(truth, b, classes=None), numbers(range(6)))
    # closer: a, tie, b, tie, a, a
    assert both.counts.tolist() == [[2, 3], [1, 0]]
    assert both.test.p_value == pytest.approx(stats.binomtest(1, 4).pvalue)
    assert both.kappa == pytest.approx(np.corrcoef(-a, -b)[0, 1])
    assert "equally close counts as both" in repr(both)


def test_residuals_that_do_not_vary_have_no_correlation(judged):
    flat = judged(np.zeros(4), np.ones(4), classes=None)
    assert math.isnan(disagreement(flat, flat, numbers(range(4))).kappa)


def test_only_like_is_compared_with_like(judged):
    x = numbers(range(4))
    one = judged([0, 1, 0, 1], [0, 0, 0, 0], name="A")
    with pytest.raises(DataError, match="A and B do not predict the same"):
        disagreement(one, judged([0, 1, 0, 1], [0, 0, 0, 0], classes=("a", "b"), name="B"), x)
    with pytest.raises(DataError, match="A and B were judged by different targets"):
        disagreement(one, judged([0, 1, 1, 1], [0, 0, 0, 0], name="B"), x)
    with pytest.raises(DataError, match="not tested on the same rows; evaluate both with the same split"):
        disagreement(one, judged([0, 1], [0, 0], name="B"), x)
