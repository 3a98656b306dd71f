"""Laws of judging: the corrected test keeps its level on resampled data, where the plain t test does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from openbook.judge import corrected_t_test, holm, lock_away, mcnemar, wald, wilson


@pytest.fixture(scope="module")
def rejections():
    """How often each test, at 0.05, finds a difference between two equally good guesses on 100 rows.

    Each trial draws labels and two learners that know nothing: each predicts the majority class of the
    values of a column of noise, learnt on the training rows, so that it depends on the split as real learners
    do. There are ten random splits in halves.
    """
    rng = np.random.default_rng(2)
    trials, rows, splits = 1500, 100, 10
    corrected = plain = 0
    for _ in range(trials):
        y = rng.integers(0, 2, rows)
        columns = rng.integers(0, 3, (2, rows))
        differences = []
        for _ in range(splits):
            order = rng.permutation(rows)
            train, test = order[:50], order[50:]
            a, b = (_accuracy(column, y, train, test) for column in columns)
            differences.append(a - b)
        if np.ptp(differences) == 0:
            continue
        corrected += corrected_t_test(differences, 50, 50).p_value < 0.05
        plain += stats.ttest_1samp(differences, 0).pvalue < 0.05
    return corrected / trials, plain / trials


def _accuracy(column, y, train, test):
    """That of the majority class of each value, learnt on the training rows."""
    counts = np.bincount(column[train] * 2 + y[train], minlength=6).reshape(3, 2)
    return (counts.argmax(axis=1)[column[test]] == y[test]).mean()


def test_the_corrected_test_keeps_its_level(rejections):
    assert rejections[0] < 0.065  # 0.05 and two and a half standard errors of 1500 trials


def test_the_plain_test_does_not(rejections):
    assert rejections[1] > 0.15


def test_wilson_covers_where_wald_does_not():
    rng = np.random.default_rng(0)
    hits = rng.binomial(20, 0.05, 4000)
    assert np.mean([0.05 in wilson(k, 20) for k in hits]) > 0.9
    assert np.mean([0.05 in wald(k, 20) for k in hits]) < 0.7


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_lowers_a_p_value_and_keeps_the_order(p):
    adjusted = holm(p)
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_mcnemar_is_symmetric_and_its_interval_holds_the_difference(pairs):
    a, b = np.array(pairs).T
    assert mcnemar(a, b) == mcnemar(b, a).negated()
    assert mcnemar(a, a).p_value == 1
    assert 0 <= mcnemar(a, b).p_value <= 1


@given(
    st.lists(st.integers(0, 6), min_size=50, max_size=300),
    st.integers(0, 99),
    st.sampled_from([0.1, 0.2, 0.25]),
)
def test_what_is_locked_away_and_the_rest_are_all_rows_and_every_class_trains(y, seed, share):
    y = np.array(y)
    rest, locked = lock_away(None, y, share=share, seed=seed)
    assert np.array_equal(np.sort(np.concatenate([rest, locked])), np.arange(len(y)))
    assert set(y[rest]) == set(y)
    for label, rows in zip(*np.unique(y, return_counts=True), strict=True):
        assert abs((y[locked] == label).sum() - share * rows) <= 1
