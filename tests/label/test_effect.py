"""Did unlabelled rows, or rows asked for, help: the difference by hand, three answers, what is refused."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold

from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError
from openbook.judge import corrected_t_test
from openbook.label import LabelPropagation, NaiveBayesEM, asked_effect, unlabelled_effect
from openbook.neighbors import KNeighborsClassifier


def two_stripes(n, labelled, seed):
    """Stripes a step apart and many steps long: labels are farther from one another than the stripes are."""
    rng = np.random.default_rng(seed)
    side = rng.integers(2, size=n)
    X = np.column_stack([rng.uniform(0, 40, n), side + rng.normal(0, 0.05, n)])
    return X, np.where(np.arange(n) < labelled, side, np.nan)


def test_the_difference_is_that_of_the_folds():
    X, y = two_stripes(120, 24, 0)
    effect = unlabelled_effect(LabelPropagation(5), X, y, cv=3, repeats=2)
    differences, known = [], np.arange(24)
    for train, test in RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0).split(known, y[:24]):
        rows = np.r_[train, np.arange(24, 120)]
        both = clone(LabelPropagation(5)).fit(X[rows], y[rows]).score(X[test], y[test])
        differences.append(both - LabelPropagation(5).fit(X[train], y[train]).score(X[test], y[test]))
    expected = corrected_t_test(differences, n_train=16, n_test=8)
    assert effect.test.difference == pytest.approx(expected.difference)
    assert effect.test.interval.low == pytest.approx(expected.interval.low)
    assert (effect.n_labelled, effect.n_unlabelled) == (24, 96)


def test_rows_between_help_along_a_stripe():
    effect = unlabelled_effect(LabelPropagation(7, scale=False), *two_stripes(1000, 40, 1), repeats=4)
    assert effect.verdict == "helped"
    assert str(effect).startswith("The 960 unlabelled rows helped LabelPropagation: accuracy ")
    assert effect.work().conclusion == str(effect)


def test_unlabelled_rows_that_break_the_model_hurt():
    """Classes differ in x alone; unlabelled rows are two far groups by z, which EM takes for the classes."""
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], 30)
    labelled = np.column_stack([rng.normal(2.5 * side, 1.0), rng.normal(0, 1, 60)])
    free = np.column_stack([rng.normal(1.25, 0.3, 600), rng.normal(np.repeat([-8, 8], 300), 0.5)])
    X, y = np.vstack([labelled, free]), np.r_[side, np.full(600, np.nan)]
    assert unlabelled_effect(NaiveBayesEM(), X, y, repeats=4).verdict == "hurt"


def test_accuracies_differ_by_no_more_than_one():
    """A wrong label at -0.5 costs the row at 0, not that at 1: -1/2 and 0, and t of one degree."""
    X = np.array([[0.0], [1.0], [10.0], [11.0], [-0.5]])
    effect = asked_effect(KNeighborsClassifier(1), X, [*"aabbb"], asked=[4], cv=2, repeats=1)
    assert effect.test.difference == pytest.approx(-0.25)
    assert (effect.test.interval.low, effect.test.interval.high) == (-1, 1)


def test_rows_asked_for_help_on_rows_that_were_not():
    """The border is at 0.5, and the rows asked for lie about it."""
    rng = np.random.default_rng(0)
    x = np.r_[rng.uniform(0, 1, 60), rng.uniform(0.4, 0.6, 60), np.full(5, 0.1)]
    y = np.where(x > 0.5, "high", "low").astype(object)
    y[120:] = None
    model = KNeighborsClassifier(1)
    effect = asked_effect(model, x[:, None], y, range(60, 120), cv=3, repeats=2)
    differences, shares = [], []
    for train, test in RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0).split(x[:60], y[:60]):
        both = [
            clone(model).fit(x[rows, None], y[rows]).score(x[test, None], y[test])
            for rows in (np.r_[train, 60:120], train)
        ]
        shares.append(both)
        differences.append(both[0] - both[1])
    expected = corrected_t_test(differences, n_train=40, n_test=20)
    assert (effect.n_others, effect.n_asked) == (60, 60)
    assert (effect.with_asked, effect.others_alone) == pytest.approx(np.mean(shares, axis=0))
    assert effect.test.interval.low == pytest.approx(expected.interval.low)
    assert effect.with_asked > effect.others_alone
    assert effect.work().conclusion == str(effect)
    assert str(effect).endswith("Tested on the 60 labelled rows that were not requested.")


def test_what_is_refused():
    X, y = two_stripes(30, 10, 0)
    with pytest.raises(ParameterError, match="NaiveBayes learns from labelled rows only; take a learner of"):
        unlabelled_effect(NaiveBayes(), X, y)
    with pytest.raises(DataError, match="needs unlabelled rows, and every row has a label"):
        unlabelled_effect(NaiveBayesEM(), X[:10], y[:10])
    with pytest.raises(DataError, match="needs two classes of at least 2 rows each"):
        unlabelled_effect(NaiveBayesEM(), X, np.where(np.arange(30) < 2, y, np.nan))
    with pytest.raises(DataError, match="labelled rows that were asked for, and there is none"):
        asked_effect(NaiveBayes(), X, y, [20])
