"""Intervals cover and tests hold their level, on simulated data where the truth is known.

Every method stands beside the one that it replaces, which breaks the bound on the same data: a simulation
that the wrong method would pass shows nothing.
"""

import numpy as np
import pytest
from scipy import stats
from scipy.special import binom

from openbook.judge import (
    OverSets,
    bootstrap,
    corrected_t,
    corrected_t_test,
    correlated_t,
    exact,
    friedman,
    mcnemar,
    paired_bootstrap,
    wald,
    wilcoxon,
    wilson,
)
from openbook.judge.chance import intervals
from openbook.judge.chance.ranks import critical_difference, ranks_of

# ---- shares: coverage needs no simulation, for there are n + 1 outcomes


def coverage(method, n, shares):
    """How often the interval holds the share, for each share."""
    found = [method(k, n) for k in range(n + 1)]
    low, high = np.array([(i.low, i.high) for i in found]).T
    chances = stats.binom.pmf(np.arange(n + 1), n, shares[:, None])
    return (chances * ((low <= shares[:, None]) & (shares[:, None] <= high))).sum(axis=1)


SHARES = np.linspace(0.02, 0.98, 481)


@pytest.mark.parametrize("n", [10, 30, 100])
def test_wilson_covers_in_the_mean_and_exact_always_where_wald_does_neither(n):
    by = {method: coverage(method, n, SHARES) for method in (wald, wilson, exact)}
    assert by[wilson].mean() == pytest.approx(0.95, abs=0.01)
    assert by[wilson].min() > 0.83
    assert by[exact].min() >= 0.95
    assert by[wald].mean() < 0.94
    assert by[wald].min() < 0.9


# ---- resampled scores: two equally good learners, judged by ten-fold cross-validation repeated five times

TRIALS, ROWS, FOLDS, REPEATS = 1000, 100, 10, 5
TESTED, TRAINED = ROWS // FOLDS, ROWS - ROWS // FOLDS


@pytest.fixture(scope="module")
def scores():
    """Accuracies (trials, 2 learners, 50 folds) of nearest centroids, each with ten columns of its own.

    One of the ten tells the class, a standard deviation apart; the others are noise. Folds are stratified.
    """
    rng = np.random.default_rng(0)
    y = np.arange(ROWS) % 2
    X = rng.normal(size=(TRIALS, 2, ROWS, 10)).astype(np.float32)
    X[..., 0] += y - 0.5
    folded = y.reshape(FOLDS, TESTED)
    ones = TRAINED // 2
    found = []
    for _ in range(REPEATS):
        order = rng.random((TRIALS, ROWS // 2, 2)).argsort(axis=1) * 2 + [0, 1]  # classes take turns
        order = order.reshape(TRIALS, 1, ROWS, 1)
        rows = np.take_along_axis(X, order, axis=2).reshape(TRIALS, 2, FOLDS, TESTED, 10)
        second = np.einsum("...rc,...r->...c", rows, folded.astype(np.float32))
        first = rows.sum(axis=3) - second
        means = [(part.sum(axis=2, keepdims=True) - part) / ones for part in (first, second)]
        towards, middle = means[1] - means[0], (means[0] + means[1]) / 2
        said = np.einsum("...rc,...c->...r", rows, towards) > (middle * towards).sum(axis=-1)[..., None]
        found.append((said == folded).mean(axis=-1))
    return np.concatenate(found, axis=-1)


def test_the_corrected_test_keeps_its_level_where_the_plain_one_does_not(scores):
    differences = scores[:, 0] - scores[:, 1]
    corrected = np.array([corrected_t_test(d, TRAINED, TESTED).p_value for d in differences])
    plain = stats.ttest_1samp(differences, 0, axis=1).pvalue
    assert 0.02 < (corrected < 0.05).mean() <= 0.064  # at most two standard errors of 1000 trials above 0.05
    assert (plain < 0.05).mean() > 0.35


def test_the_corrected_interval_covers_where_the_plain_one_does_not(scores):
    truth = scores.mean()  # of 100,000 folds
    own = scores[:, 0]
    assert np.mean([truth in corrected_t(each, TRAINED, TESTED) for each in own]) > 0.93
    assert np.mean([truth in corrected_t(each, TRAINED, 0) for each in own]) < 0.65


def test_the_posterior_is_as_careful(scores):
    """Of two equal learners one is seldom called better in practice; without the correlation, often."""
    differences = scores[:500, 0] - scores[:500, 1]
    found = [[correlated_t(d, TRAINED, n) for d in differences] for n in (TESTED, 0)]
    sure, rash = (np.mean([max(each.worse, each.better) > 0.95 for each in some]) for some in found)
    assert sure < 0.1  # 0.05 on either side
    assert rash > 0.3


def test_columns_that_tell_nothing_strain_the_correction():
    """A known limit: learners by heart of pure noise. The level is beyond 0.05, if far from the plain test's.

    Each predicts the commonest class of each value of a column of noise. Where a value's classes are even,
    leaving rows out makes the other class the commoner, in all folds alike: folds are correlated by more than
    their share of test rows.
    """
    rng = np.random.default_rng(1)
    trials, values = 600, 3
    cell = rng.integers(0, values, (trials, 2, ROWS)) * 2 + rng.integers(0, 2, (trials, 1, ROWS))
    found = []
    for _ in range(REPEATS):
        order = rng.random((trials, 1, ROWS)).argsort(axis=-1)
        folded = np.take_along_axis(cell, order, axis=-1).reshape(trials, 2, FOLDS, TESTED)
        tested = (folded[..., None] == np.arange(2 * values)).sum(axis=-2)
        trained = tested.sum(axis=2, keepdims=True) - tested
        says_one = trained[..., 1::2] > trained[..., ::2]
        found.append(np.where(says_one, tested[..., 1::2], tested[..., ::2]).sum(axis=-1) / TESTED)
    noise = np.concatenate(found, axis=-1)
    differences = noise[:, 0] - noise[:, 1]
    corrected = np.array([corrected_t_test(d, TRAINED, TESTED).p_value for d in differences])
    assert 0.1 < (corrected < 0.05).mean() < 0.2
    assert (stats.ttest_1samp(differences, 0, axis=1).pvalue < 0.05).mean() > 0.5


# ---- single rows


@pytest.fixture
def few_resamples(monkeypatch):
    monkeypatch.setattr(intervals, "_MOST", 200)


def five_times(values):
    """Rows as five rounds of cross-validation would predict them: five times, yet not five times as many."""
    return np.tile(values, 5)


@pytest.mark.usefixtures("few_resamples")
def test_the_bootstrap_covers_unless_rows_come_five_times():
    samples = np.random.default_rng(1).exponential(size=(150, 40))
    covered = {
        way: np.mean([1.0 in bootstrap(lambda rows, x=x: x[rows].mean(), len(x)) for x in map(way, samples)])
        for way in (np.copy, five_times)
    }
    assert covered[np.copy] > 0.88  # for so few rows a percentile interval is known to be a little narrow
    assert covered[five_times] < 0.7


@pytest.mark.usefixtures("few_resamples")
def test_the_paired_bootstrap_keeps_its_level_unless_rows_come_five_times():
    samples = np.random.default_rng(2).normal(size=(150, 40))
    found = {
        way: np.array(
            [paired_bootstrap(lambda rows, x=x: x[rows].mean(), len(x)).p_value for x in map(way, samples)]
        )
        for way in (np.copy, five_times)
    }
    assert (found[np.copy] < 0.05).mean() < 0.1
    assert (found[five_times] < 0.05).mean() > 0.3


@pytest.mark.parametrize("discordant", range(5, 26))
def test_mcnemar_never_exceeds_its_level(discordant):
    """All outcomes of so many rows that one of two equal learners gets right."""
    b, rows = np.arange(discordant + 1), np.arange(discordant)
    chances = binom(discordant, b) / 2.0**discordant
    p = np.array([mcnemar(rows < k, rows >= k).p_value for k in b])
    assert chances[p < 0.05].sum() <= 0.05
    assert (p < 0.05).any() == (discordant > 5)


def test_the_chi_squared_shape_of_mcnemar_does_exceed_it():
    """Eight rows: (b - c)² / (b + c) is beyond 3.84 for 0, 1, 7 and 8, of probability 18/256 = 0.07."""
    b = np.arange(9)
    beyond = (2 * b - 8) ** 2 / 8 > stats.chi2.ppf(0.95, 1)
    assert (binom(8, b) / 256)[beyond].sum() == pytest.approx(18 / 256)


def test_mcnemar_counts_rows_not_predictions():
    """Rows that are judged five times must not be counted five times: p-values would be far too small."""
    right = np.random.default_rng(3).random((2, 500, 40)) < 0.7
    once = [mcnemar(a, b).p_value < 0.05 for a, b in right.swapaxes(0, 1)]
    again = [mcnemar(five_times(a), five_times(b)).p_value < 0.05 for a, b in right.swapaxes(0, 1)]
    assert np.mean(once) <= 0.05
    assert np.mean(again) > 0.25


@pytest.mark.parametrize("shares", [(0.1, 0.04), (0.3, 0.02)])
def test_the_interval_of_mcnemar_covers_where_walds_does_not(shares):
    """All outcomes of twenty rows, of which only the first, and only the second, gets so many right."""
    n, truth = 20, shares[0] - shares[1]
    b, c = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)]).T
    chances = stats.multinomial.pmf(np.stack([b, c, n - b - c], axis=1), n, [*shares, 1 - sum(shares)])
    rows = np.arange(n)
    found = [mcnemar(rows < x, (rows >= x) & (rows < x + y)).interval for x, y in zip(b, c, strict=True)]
    wald_half = 1.96 * np.sqrt(((b + c) / n - ((b - c) / n) ** 2) / n)
    assert chances[[truth in interval for interval in found]].sum() > 0.95
    assert chances[abs((b - c) / n - truth) <= wald_half].sum() < 0.93


# ---- data sets


@pytest.mark.parametrize("n", [5, 6, 7, 8, 9])
def test_wilcoxon_never_exceeds_its_level(n):
    """All signs of the same sizes, ties among them: the very distribution of chance."""
    size = np.minimum(np.arange(1, n + 1), n - 2) / 100
    signs = 1 - 2 * ((np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1)  # the others mirror these
    p = np.array([wilcoxon(row * size).p_value for row in signs])
    assert (p < 0.05).mean() <= 0.05
    assert (p < 0.05).any() == (n > 5)


def test_the_normal_shape_of_wilcoxon_does_exceed_it():
    """Of five data sets W = 0 is 2.02 deviations away, p = 0.043; but 2 of 32 signs give it."""
    p = stats.wilcoxon([1, 2, 3, 4, 5], method="asymptotic").pvalue
    assert p < 0.05 < 2 / 32 == wilcoxon([1, 2, 3, 4, 5]).p_value


@pytest.fixture(scope="module")
def equals():
    """Scores (trials, 12 data sets, 5 learners), equal but for chance; to one digit, so that many tie."""
    return np.random.default_rng(5).normal(size=(1000, 12, 5)).round(1)


def test_friedman_keeps_its_level_with_many_ties(equals):
    """Without the correction for ties, the same statistic finds too little."""
    found = [friedman(ranks_of(scores)) for scores in equals]
    assert 0.036 < np.mean([each.p_value < 0.05 for each in found]) < 0.064
    coarse = [ranks_of((scores > 1).astype(float)) for scores in equals]
    plain = [each.work()["χ₀²"].result for each in map(friedman, coarse)]
    assert (np.array(plain) > stats.chi2.ppf(0.95, 4)).mean() < 0.01
    assert 0.03 < np.mean([friedman(ranks).p_value < 0.05 for ranks in coarse]) < 0.07


def test_nemenyi_and_holm_err_in_one_of_twenty_families_where_bare_tests_do_in_five(equals):
    """Bare: the best and the worst of five learners tested as if they had been the only two."""
    apart = critical_difference(5, 12).result
    nemenyi = holm = bare = 0
    for scores in equals[:400]:
        over = OverSets(tuple("abcde"), tuple("ABCDEFGHIJKL"), scores)
        labels, means = list(over.mean_ranks), list(over.mean_ranks.values())
        nemenyi += means[-1] - means[0] >= apart
        holm += min(p for _, p in over.against("a").values()) < 0.05
        bare += over.wilcoxon(labels[0], labels[-1]).p_value < 0.05
    assert 0.02 < nemenyi / 400 < 0.072
    assert 0.02 < holm / 400 < 0.072
    assert bare / 400 > 0.2
