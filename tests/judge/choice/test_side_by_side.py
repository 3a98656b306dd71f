"""Two studies side by side: paired where rows and folds are the same, intervals or nothing otherwise."""

import math

import numpy as np
import pytest
from scipy import stats

from openbook.errors import ParameterError
from openbook.judge import Comparison, Evaluation, FoldResult, difference, side_by_side
from openbook.judge.choice.side_by_side import BEST

GOOD = [9, 8, 9, 9, 10, 9, 8, 9, 9, 9]
CLOSE = [9, 9, 8, 9, 9, 9, 8, 10, 9, 8]
POOR = [5, 4, 6, 5, 5, 4, 5, 6, 5, 5]


def evaluation(name, right, *, start=0, classes=("a", "b"), truth=0, n_train=90, size=10):
    """A learner that gets so many of each fold's rows right."""
    folds = []
    for i, hits in enumerate(right):
        rows = np.arange(size * i, size * (i + 1)) + start
        guess = np.where(np.arange(size) < hits, truth, 1 - truth)
        folds.append(FoldResult(i, rows, np.full(size, truth), guess, None, n_train, 0.0, 0.0, 1, ()))
    return Evaluation(name, "classification", list(classes), folds)


def study(baseline="0R", /, *, more=None, **learners):
    settings = more or {}
    return Comparison(
        {name.replace("_", " "): evaluation(name, right, **settings) for name, right in learners.items()},
        baseline,
    )


def right_rows(evaluation):
    predictions = evaluation.one_round
    return (predictions.truth == predictions.predicted).astype(float)


def zero(**more):
    return study("base", base=POOR, **more)


def words(found):
    return " ".join(str(found).split())


def test_the_same_rows_and_folds_are_paired():
    a, b = study("base", tree=CLOSE, base=POOR), study("base", tree=GOOD, base=POOR, forest=GOOD)
    found = side_by_side(a, b, ("old", "new"))
    assert found.basis == "paired"
    assert found.shared == ["tree", "base"]
    assert list(found.tests) == ["tree"]  # the baseline predicts the same in both
    assert found.tests["tree"] == difference(b["tree"], a["tree"])  # one test needs no adjustment
    text = words(found)
    assert "Both were evaluated on the same rows and folds, so the comparisons are paired." in text
    assert "new minus old" in text
    # Wilson for 100 / (1 + (10 / 90) / 2) rows, half of them right: half of the width is z / (2 sqrt(n + z²))
    n, z = 100 / (1 + 10 / 90 / 2), stats.norm.ppf(0.975)
    half = z / (2 * math.sqrt(n + z * z))
    ends = f"0.500 [{0.5 - half:.3f}, {0.5 + half:.3f}]"
    assert f"base {ends} {ends} the same" in text
    assert "No difference is significant at 0.05." in text
    assert "of differences: 95%, paired, Bonett–Price" in text


def test_learners_are_tested_together_and_the_best_of_each_is_one():
    a = study("base", tree=POOR, rules=POOR[::-1], base=POOR)
    b = study("base", tree=GOOD, rules=CLOSE, base=[6, *POOR[1:]], forest=[10] * 9 + [9])
    found = side_by_side(a, b)
    labels = ["tree", "rules", "base", BEST]
    assert list(found.tests) == labels
    couples = [("tree", "tree"), ("rules", "rules"), ("base", "base"), ("forest", a.best())]
    changes = [right_rows(b[x]) - right_rows(a[y]) for x, y in couples]
    # P(largest of all |t| ≥ |t|) for normal t, correlated as the differences are over the rows
    together = stats.multivariate_normal(cov=np.corrcoef(changes), allow_singular=True)
    for test, (x, y) in zip(found.tests.values(), couples, strict=True):
        t = stats.norm.isf(difference(b[x], a[y]).p_value / 2)
        p = 1 - together.cdf(np.full(4, t), lower_limit=np.full(4, -t))
        assert test.p_value == pytest.approx(p, abs=0.01)
    text = words(found)
    assert "Significant at 0.05: b is better with tree, rules, best of each." in text
    assert f"best of each {a.best()}: 0.500" in text
    assert "forest: 0.990" in text


def test_less_may_be_better():
    a, b = study("base", tree=GOOD, base=POOR), study("base", tree=POOR, base=POOR)
    assert "a is better with tree." in words(side_by_side(a, b, which="error"))
    assert side_by_side(a, b, which="error").tests["tree"].difference == pytest.approx(0.39)


def test_one_held_out_set_is_paired_by_rows():
    a = Comparison(
        {"tree": evaluation("tree", [30], size=40), "base": evaluation("base", [20], size=40)}, "base"
    )
    b = Comparison(
        {"tree": evaluation("tree", [38], size=40), "base": evaluation("base", [20], size=40)}, "base"
    )
    test = side_by_side(a, b).tests["tree"]
    # Bonett and Price: 8 rows only the second gets right, none only the first, and one more for either
    centre, error = 8 / 42, math.sqrt((10 / 42 - (8 / 42) ** 2) / 42)
    assert test.difference == pytest.approx(8 / 40)
    assert test.p_value == pytest.approx(2 * stats.norm.sf(centre / error))
    assert test.interval.low == pytest.approx(centre - stats.norm.ppf(0.975) * error)


def test_classes_may_be_numbered_otherwise():
    a = study("base", base=POOR, tree=GOOD)
    b = study("base", base=POOR, tree=CLOSE, more={"classes": ("b", "a"), "truth": 1})
    found = side_by_side(a, b)
    assert found.basis == "paired"
    assert list(found.tests) == ["tree"]


def test_nothing_new():
    a = study("base", base=POOR, tree=GOOD)
    found = side_by_side(a, a)
    assert found.tests == {}
    assert "Every learner in both studies makes the same predictions in both." in words(found)


@pytest.mark.parametrize(
    ("other", "basis", "reason"),
    [
        (zero(more={"start": 5}), "intervals", "the studies tested different rows."),
        (study("base", base=[*POOR[:5], *POOR[:4]]), "intervals", "the studies tested different rows."),
        (zero(more={"n_train": 50}), "intervals", "the folds were trained on different numbers of rows."),
        (zero(more={"truth": 1}), "intervals", "the targets of the rows differ, so the data are different."),
        (
            Comparison({"base": evaluation("base", [10, 9, 9, 10, 9], size=20)}, "base"),
            "intervals",
            "the rows are the same, but not the folds; give both the same random_state, folds and repeats",
        ),
        (
            zero(more={"classes": ("a", "c")}),
            "nothing",
            "These studies cannot be compared: a knows the class 'b', b does not.",
        ),
    ],
)
def test_what_cannot_be_paired(other, basis, reason):
    found = side_by_side(zero(), other)
    assert (found.basis, found.tests) == (basis, {})
    text = words(found)
    assert reason in text
    assert ("Only the intervals can be compared" in text) == (basis == "intervals")
    assert "p (Holm)" not in text


def test_another_task_has_another_score():
    numbers = np.arange(10.0)
    fold = FoldResult(0, np.arange(10), numbers, numbers + 1, None, 90, 0.0, 0.0, 1, ())
    other = Comparison({"mean": Evaluation("mean", "regression", None, [fold])}, "mean")
    found = side_by_side(zero(), other, ("classes", "numbers"))
    assert found.basis == "nothing"
    text = words(found)
    assert "classes: accuracy numbers: RMSE" in text
    assert "These studies cannot be compared: classes is classification, numbers is regression." in text
    assert "numbers: RMSE" in found._repr_html_()


def test_two_names_are_needed():
    with pytest.raises(ParameterError, match="names: both are called 'x'; give two"):
        side_by_side(zero(), zero(), ("x", "x"))
