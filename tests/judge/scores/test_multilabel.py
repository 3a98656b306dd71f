"""Sets of labels: each label and whole sets, beside scikit-learn's."""

import math

import numpy as np
import pytest
from sklearn import metrics as theirs

from openbook.errors import DataError, ParameterError
from openbook.judge import MultiLabel, wilson


def sets(n=200, k=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, k)) < 0.4
    return truth, truth ^ (rng.random((n, k)) < 0.2)


def test_figures_are_scikit_learns():
    truth, predicted = sets()
    judged = MultiLabel(truth, predicted)
    assert judged.subset_accuracy == pytest.approx(theirs.accuracy_score(truth, predicted))
    assert judged.hamming_loss == pytest.approx(theirs.hamming_loss(truth, predicted))
    assert judged.jaccard == pytest.approx(
        theirs.jaccard_score(truth, predicted, average="samples", zero_division=1)
    )
    assert judged.macro_f1 == pytest.approx(theirs.f1_score(truth, predicted, average="macro"))
    assert judged.micro_f1 == pytest.approx(theirs.f1_score(truth, predicted, average="micro"))
    tables = theirs.multilabel_confusion_matrix(truth, predicted)
    for (label, own), table in zip(judged.per_label().items(), tables, strict=True):
        assert own.counts.tolist() == table.tolist()
        assert own.positive == label


def test_two_empty_sets_agree():
    assert MultiLabel([[0, 0], [1, 0]], [[0, 0], [0, 1]]).jaccard == 0.5


def test_subset_accuracy_is_a_share():
    truth, predicted = sets()
    right = int((truth == predicted).all(axis=1).sum())
    assert MultiLabel(truth, predicted).rate("subset_accuracy").interval == wilson(right, 200)


def test_micro_f1_covers_though_labels_of_a_row_depend():
    """Every label of a row is right or wrong together: rows count, not cells, which would be too sure."""
    rng = np.random.default_rng(0)
    covered, as_cells = 0, 0
    for _ in range(300):
        wrong = rng.random(80) < 0.2
        truth = np.tile(rng.random((80, 1)) < 0.5, (1, 6))
        judged = MultiLabel(truth, truth ^ wrong[:, None])
        interval = judged.rate("micro_f1").interval
        covered += 0.8 in interval
        as_cells += abs(judged.micro_f1 - 0.8) <= (interval.high - interval.low) / 2 / math.sqrt(6)
    assert covered / 300 >= 0.92
    assert as_cells / 300 < 0.8


def test_undefined_is_nan_with_a_reason():
    judged = MultiLabel([[1, 0], [0, 0]], [[1, 0], [0, 0]], ["seen", "never"])
    assert math.isnan(judged.macro_f1)
    assert judged.rate("macro_f1").why == "label 'never' neither occurs nor is predicted"
    assert MultiLabel([[0], [0]], [[0], [0]]).rate("micro_f1").why == "no row has a label, true or predicted"


def test_it_prints():
    judged = MultiLabel(*sets(), labels=["a", "b", "c", "d"])
    text = repr(judged)
    assert text.startswith("200 rows of 4 labels")
    assert "subset accuracy" in text
    assert "bootstrap, 1000 resamples" in text
    assert judged.rate("macro_f1").value in judged.rate("macro_f1").interval


@pytest.mark.parametrize(
    ("truth", "predicted", "labels", "words"),
    [
        ([1, 0], [1, 0], None, r"truth needs rows and labels, \(n_rows, n_labels\), got the shape \(2,\)"),
        ([[1, 2]], [[1, 0]], None, "truth, row 0, label 1: .*2.* is neither 0 nor 1"),
        ([[1, 0]], [[1, 0, 0]], None, r"truth has the shape \(1, 2\), but predicted \(1, 3\)"),
        ([[1, 0]], [[1, 0]], ["a"], r"there are 2 columns of labels, and the names must be as many: \['a'\]"),
    ],
)
def test_bad_sets_are_refused(truth, predicted, labels, words):
    with pytest.raises(DataError, match=words):
        MultiLabel(truth, predicted, labels)


def test_unknown_figures_are_named():
    with pytest.raises(ParameterError, match=r"no figure 'hamming'. Did you mean 'hamming_loss'\?"):
        MultiLabel([[1]], [[1]]).rate("hamming")


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_precision_and_recall_are_scikit_learns(average):
    rng = np.random.default_rng(3)
    truth, predicted = rng.random((2, 40, 3)) < 0.4
    judged = MultiLabel(truth, predicted)
    for which in ("precision", "recall", "f1"):
        rate, score = judged.rate(f"{average}_{which}"), getattr(theirs, f"{which}_score")
        assert rate.value == pytest.approx(score(truth, predicted, average=average))
        assert rate.interval.low < rate.value < rate.interval.high
