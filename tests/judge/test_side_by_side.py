"""Two studies side by side: paired where rows and folds are the same, intervals or nothing otherwise."""

import numpy as np
import pytest
from scipy import stats

from openbook.errors import ParameterError
from openbook.judge import Comparison, Evaluation, FoldResult, difference, holm, side_by_side
from openbook.judge.side_by_side import BEST

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
    test, p = found.tests["tree"]
    assert test == difference(b["tree"], a["tree"])
    assert p == test.p_value  # one test needs no adjustment
    text = words(found)
    assert "Both were judged on the same rows and folds, so that learners are paired." in text
    assert "new minus old" in text
    # s² = 0.04/9, se² = s² (1/10 + 1/9), half of the width 2.262 se = 0.069
    assert "base 0.500 [0.431, 0.569] 0.500 [0.431, 0.569] same predictions" in text
    assert "No difference is significant at 0.05." in text
    assert "95%, corrected resampled t" in text


def test_tests_are_adjusted_together_and_the_best_of_each_is_one():
    a = study("base", tree=POOR, rules=POOR[::-1], base=POOR)
    b = study("base", tree=GOOD, rules=CLOSE, base=[6, *POOR[1:]], forest=[10] * 9 + [9])
    found = side_by_side(a, b)
    labels = ["tree", "rules", "base", BEST]
    assert list(found.tests) == labels
    raw = [difference(b[x], a[y]) for x, y in (("tree", "tree"), ("rules", "rules"), ("base", "base"))]
    raw.append(difference(b["forest"], a[a.best()]))
    assert [p for _, p in found.tests.values()] == pytest.approx(holm([test.p_value for test in raw]))
    text = words(found)
    assert "Significant at 0.05: tree (b is better), rules (b is better), best of each (b is better)." in text
    assert f"best of each {a.best()}: 0.500" in text
    assert "forest: 0.990" in text


def test_less_may_be_better():
    a, b = study("base", tree=GOOD, base=POOR), study("base", tree=POOR, base=POOR)
    assert "tree (a is better)" in words(side_by_side(a, b, which="error"))
    assert side_by_side(a, b, which="error").tests["tree"][0].difference == pytest.approx(0.39)


def test_one_held_out_set_is_paired_by_rows():
    a = Comparison(
        {"tree": evaluation("tree", [30], size=40), "base": evaluation("base", [20], size=40)}, "base"
    )
    b = Comparison(
        {"tree": evaluation("tree", [38], size=40), "base": evaluation("base", [20], size=40)}, "base"
    )
    test, _ = side_by_side(a, b).tests["tree"]
    assert test.method == "McNemar, exact"
    assert test.p_value == pytest.approx(stats.binomtest(0, 8).pvalue)


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
    assert "No learner of both predicts otherwise in one than in the other." in words(found)


@pytest.mark.parametrize(
    ("other", "basis", "reason"),
    [
        (zero(more={"start": 5}), "intervals", "the studies tested other rows."),
        (study("base", base=[*POOR[:5], *POOR[:4]]), "intervals", "the studies tested other rows."),
        (zero(more={"n_train": 50}), "intervals", "the folds were trained on other numbers of rows."),
        (zero(more={"truth": 1}), "intervals", "row by row the truth differs, so these are other data."),
        (
            Comparison({"base": evaluation("base", [10, 9, 9, 10, 9], size=20)}, "base"),
            "intervals",
            "the rows are the same, but not the folds; give both the same seed, folds and repeats",
        ),
        (
            zero(more={"classes": ("a", "c")}),
            "nothing",
            "Nothing may be compared: a knows the class 'b', b does not.",
        ),
    ],
)
def test_what_cannot_be_paired(other, basis, reason):
    found = side_by_side(zero(), other)
    assert (found.basis, found.tests) == (basis, {})
    text = words(found)
    assert reason in text
    assert ("Only the intervals may be looked at" in text) == (basis == "intervals")
    assert "p (Holm)" not in text


def test_another_task_has_another_score():
    numbers = np.arange(10.0)
    fold = FoldResult(0, np.arange(10), numbers, numbers + 1, None, 90, 0.0, 0.0, 1, ())
    other = Comparison({"mean": Evaluation("mean", "regression", None, [fold])}, "mean")
    found = side_by_side(zero(), other, ("classes", "numbers"))
    assert found.basis == "nothing"
    text = words(found)
    assert "classes: accuracy numbers: RMSE" in text
    assert "Nothing may be compared: classes is classification, numbers is regression." in text
    assert "numbers: RMSE" in found._repr_html_()


def test_two_names_are_needed():
    with pytest.raises(ParameterError, match="names: both are called 'x'; give two"):
        side_by_side(zero(), zero(), ("x", "x"))
