"""What unlabelled rows assume: each check on rows that keep the assumption and on rows that break it."""

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.contingency_tables import StratifiedTable

from openbook.errors import DataError, ParameterError
from openbook.judge.chance.intervals import wilson
from openbook.label import (
    ClusterThenLabel,
    LabelSpreading,
    NaiveBayesEM,
    SelfTrainingClassifier,
    TriTraining,
    check_assumption,
)
from openbook.label.assumptions import beats_shuffled, errors_independent, right_often


def groups(n, labelled, apart, seed=0):
    """Two round groups, so far apart; the first rows have a label."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.normal(0, 1, (n, 3)) + apart * y[:, None], np.where(np.arange(n) < labelled, y, np.nan)


@pytest.mark.parametrize(
    "learner",
    [LabelSpreading(), ClusterThenLabel(), NaiveBayesEM(), SelfTrainingClassifier(), TriTraining()],
    ids=lambda learner: type(learner).__name__,
)
def test_groups_of_one_class_each_support_every_assumption(learner):
    found = check_assumption(learner, *groups(300, 40, 4.0))
    assert found.verdict == "supported", str(found)
    assert str(found).startswith(f"Assumption: {found.assumption}. Supported: ")


@pytest.mark.parametrize(
    "learner", [LabelSpreading(), ClusterThenLabel(), NaiveBayesEM(), TriTraining()], ids=str
)
def test_labels_of_no_meaning_support_none(learner):
    X, y = groups(300, 40, 4.0)
    y[:40] = np.random.default_rng(5).permutation(y[:40])
    assert check_assumption(learner, X, y).verdict == "cannot be determined"


def test_classes_of_several_groups_contradict_the_model():
    rng = np.random.default_rng(0)
    four = rng.integers(4, size=400)  # classes are two opposite corners each
    X = rng.normal(0, 0.5, (400, 2)) + 6 * np.column_stack([four % 2, four // 2])
    y = np.where(np.arange(400) < 30, (four % 2) ^ (four // 2), np.nan)
    found = check_assumption(NaiveBayesEM(), X, y)
    assert found.verdict == "contradicted"
    assert "a mixture of 2 components, one for each class, has BIC" in found.evidence


def test_a_classifier_that_is_too_sure_is_contradicted():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (200, 1))
    X = np.repeat(x, 20, axis=1)  # copies of a weak column: naive Bayes is far too sure
    y = (rng.random(200) < norm.cdf(0.3 * x[:, 0])).astype(float)
    y[150:] = np.nan
    assert check_assumption(SelfTrainingClassifier(), X, y).verdict == "contradicted"


def test_the_shuffled_share_by_hand():
    # two pairs of neighbours: of the 6 ways to lay out two labels of each class, 2 agree in all rows
    other = np.array([1, 0, 3, 2])
    found = beats_shuffled(np.array([0, 0, 1, 1]), lambda c: (c[other] == c).mean(), "agree")
    assert found.verdict == "cannot be determined"
    assert found.evidence.startswith("1.000 of 4 labelled rows agree; with shuffled labels 0.3")


def test_errors_that_depend_on_one_another():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=200)
    first = rng.random(200) < np.where(codes == 1, 0.9, 0.6)
    second = np.where(rng.random(200) < 0.3, first, rng.random(200) < np.where(codes == 1, 0.8, 0.5))
    tables = [
        np.histogram2d(first[codes == c], second[codes == c], bins=2, range=[[0, 1], [0, 1]])[0]
        for c in (0, 1)
    ]
    p = StratifiedTable(tables).test_null_odds(correction=True).pvalue
    found = errors_independent(first, second, codes)
    assert p < 0.05
    assert found.verdict == "contradicted"
    assert f"(p {'< 0.001' if p < 0.001 else f'= {p:.3f}'})" in found.evidence
    alone = errors_independent(first, rng.random(200) < 0.7, codes)
    assert alone.verdict == "cannot be determined"
    assert "cannot be compared" in errors_independent(np.ones(9, bool), np.ones(9, bool), codes[:9]).evidence


def test_right_often_by_wilson():
    right = np.arange(40) < 36
    interval = wilson(36, 40)
    assert right_often(right, "", interval.low - 1e-6).verdict == "supported"
    assert right_often(right, "", interval.high + 1e-6).verdict == "contradicted"
    assert right_often(right, "", 0.9).verdict == "cannot be determined"
    assert right_often(right[:0], "are sure", 0.9).evidence == "Of no labelled row are sure."


def test_what_is_refused():
    from openbook.bayes import NaiveBayes

    with pytest.raises(ParameterError, match="NaiveBayes learns from labelled rows only"):
        check_assumption(NaiveBayes(), *groups(20, 10, 1.0))
    with pytest.raises(DataError, match="needs labelled rows of two classes"):
        check_assumption(NaiveBayesEM(), [[0.0], [1.0]], ["a", None])
