"""Classes of more nearly equal size, by weights, rows drawn and new rows."""

import numpy as np
import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.decide import compare_corrections
from openbook.errors import OpenbookError
from openbook.linear import LogisticRegression
from openbook.prepare import SMOTE, BalancedWeights, Prepared, RandomOverSampler, RandomUnderSampler


def test_over_and_under(rare):
    X, y = rare
    more, labels = RandomOverSampler().fit_resample(X, y)
    assert np.unique(labels, return_counts=True)[1].tolist() == [60, 60]
    given = {tuple(map(str, row.values())) for row in X}
    assert {tuple(map(str, row.values())) for row in more} == given
    _, fewer = RandomUnderSampler(ratio=0.5).fit_resample(X, y)
    assert np.unique(fewer, return_counts=True)[1].tolist() == [24, 12]  # 12 is half of 24
    assert RandomOverSampler(ratio=0.5).fit(X, y).counts_ == {"a": (60, 60), "b": (12, 30)}


def test_weights_are_those_of_scikit_learn(rare):
    from sklearn.utils.class_weight import compute_sample_weight

    X, y = rare
    step = BalancedWeights().fit(X, y)
    weights = compute_sample_weight("balanced", y)
    assert np.allclose(step.weights_, weights)
    shown = {label: weight for label, _, weight in step.work()["classes"].rows}
    assert shown == pytest.approx({str(label): weight for label, weight in zip(y, weights, strict=True)})
    weighed = Prepared(NaiveBayes(), ["balance weights"]).fit(X, y)
    by_hand = NaiveBayes().fit(X, y, sample_weight=compute_sample_weight("balanced", y))
    assert np.allclose(weighed.predict_proba(X), by_hand.predict_proba(X))
    with pytest.raises(OpenbookError, match="no step can weigh"):
        Prepared(_NoWeights(), ["balance weights"]).fit(X, y)


class _NoWeights(NaiveBayes):
    def fit(self, X, y):
        return super().fit(X, y)


def test_new_rows_lie_between_near_rows_of_the_class():
    # of class b the nearest of 10 is 11, and of 20 it is 21: no new row lies between 11 and 20
    X = ob.read({"x": [float(i) for i in range(12)] + [10.0, 11.0, 20.0, 21.0]})
    y = ["a"] * 12 + ["b"] * 4
    new, labels = SMOTE(n_neighbors=1).fit_resample(X, y)
    assert labels.tolist() == [*y, *["b"] * 8]
    values = np.asarray(new["x"])[16:]
    assert (((values >= 10) & (values <= 11)) | ((values >= 20) & (values <= 21))).all()
    assert len(set(values.tolist())) > 4


def test_smote_of_mixed_kinds_and_missing_cells(rare):
    X, y = rare
    new, labels = SMOTE(n_neighbors=3).fit_resample(X, y)
    assert np.unique(labels, return_counts=True)[1].tolist() == [60, 60]
    made = new.take(np.arange(72, 120))
    assert set(made["colour"]) == {"red"}  # every row of the class is red
    assert set(made["size"]) <= {"s", "m", "l"}
    own = np.asarray(X["x"])[60:]
    assert own.min() <= np.asarray(made["x"]).min()
    assert np.asarray(made["x"]).max() <= own.max()
    step = SMOTE(n_neighbors=3).fit(X, y)
    lacking = np.isnan(X.data("z"))[step.rows_[72:]]
    assert np.array_equal(np.isnan(step.resampled(X).data("z")[72:]), lacking)


def test_smote_is_that_of_imbalanced_learn_on_a_line():
    over_sampling = pytest.importorskip("imblearn.over_sampling")
    rng = np.random.default_rng(1)
    X = np.r_[rng.normal(size=(300, 2)), rng.normal(size=(60, 2)) + 2]
    y = np.r_[np.zeros(300, int), np.ones(60, int)]
    theirs, _ = over_sampling.SMOTE(random_state=0).fit_resample(X, y)
    ours, _ = SMOTE().fit_resample(X, y)
    # other draws of the same distribution: the same mean and spread, within four standard errors of 240 rows
    a, b = theirs[360:], np.asarray(ours)[360:]
    assert np.abs(a.mean(axis=0) - b.mean(axis=0)).max() < 4 * b.std() * np.sqrt(2 / 240)
    assert np.allclose(a.std(axis=0), b.std(axis=0), rtol=0.25)


def test_borderline_starts_near_the_border():
    # of class b only 6 and 7 have neighbours of both classes
    X = ob.read({"x": [*map(float, range(12)), 5.9, 6.1, *(100.0 + i for i in range(6))]})
    y = ["a"] * 12 + ["b"] * 8
    step = SMOTE(n_neighbors=1, borderline=True).fit(X, y)
    assert set(step.rows_[20:].tolist()) <= {12, 13}


def test_numbers_cannot_be_balanced(rare):
    X, _ = rare
    with pytest.raises(OpenbookError, match="balances classes"):
        SMOTE().fit(X, np.linspace(0, 1, 72))
    assert SMOTE().fit(X, [0] * 60 + [1] * 12).counts_ == {"0": (60, 60), "1": (12, 60)}


_WAYS = ["class weights", "over-sampling", "under-sampling", "SMOTE"]


def test_corrections_are_compared_on_the_same_folds():
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.1
    X = rng.normal(size=(600, 2)) + 1.2 * y[:, None]
    found = compare_corrections(LogisticRegression(), X, np.where(y, "yes", "no"), cv=3)
    assert found.rare == "yes"
    assert found.share == pytest.approx(y.mean())
    # a logistic regression predicts the true share in the mean; balanced, about a half less what it can tell
    assert found.predicted["no correction"] == pytest.approx(found.share, abs=0.02)
    assert found.predicted["tuned threshold"] == pytest.approx(found.predicted["no correction"])
    balanced = set(_WAYS)
    assert all(found.predicted[way] > 0.25 for way in balanced)
    assert set(found.distorted) == balanced
    assert "No correction is shown to give better probabilities" in str(found)
    table = found.work().text()
    assert [way for way in found.predicted if way in table] == ["no correction", "tuned threshold", *_WAYS]
    scores = found.comparison.evaluations
    assert scores["SMOTE"].score("balanced_accuracy") > scores["no correction"].score("balanced_accuracy")
    assert scores["SMOTE"].score("log_loss") > scores["no correction"].score("log_loss")
