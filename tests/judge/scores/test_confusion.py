"""Confusion tables: counted from labels, every rate beside scikit-learn's, reasons where undefined."""

import math

import numpy as np
import pytest
from sklearn import metrics as theirs

import openbook as ob
from openbook import Confusion
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError
from openbook.judge import wilson
from openbook.judge.scores.two_classes import SHARES

THREE = Confusion([[8, 2, 0], [1, 6, 3], [0, 1, 9]], ["a", "b", "c"])


def labels_of(counts, labels):
    """Truths and predictions that give these counts."""
    k = len(labels)
    truth, predicted = np.divmod(np.repeat(np.arange(k * k), np.ravel(counts)), k)
    return np.array(labels)[truth], np.array(labels)[predicted]


# --- counting


def test_counts_are_scikit_learns():
    rng = np.random.default_rng(0)
    truth, predicted = rng.choice(["x", "y", "z"], (2, 200))
    table = Confusion.of(truth, predicted)
    assert table.labels == ("x", "y", "z")
    np.testing.assert_array_equal(table.counts, theirs.confusion_matrix(truth, predicted))


def test_labels_are_the_same_where_they_read_the_same():
    table = Confusion.of([0, 1, 1], ["0", "1", "0"])
    assert table.labels == (0, 1)
    assert table.counts.tolist() == [[1, 0], [1, 1]]
    assert Confusion.of([True, False], ["true", "false"]).accuracy == 1


def test_labels_keep_their_kind():
    table = Confusion.of(np.array([0, 1, 2]), np.array([0, 2, 2]))
    assert [*table.per_class()] == [0, 1, 2]
    assert table.per_class()[1].labels == ("the rest", 1)
    assert table.per_class()[2].tpr == 1
    assert Confusion([[1, 2], [3, 4]], np.array(["a", "b"])).labels == ("a", "b")


def test_a_nominal_column_keeps_its_order():
    table = ob.read(
        [{"size": "low"}, {"size": "high"}, {"size": "mid"}], kinds={"size": ["low", "mid", "high"]}
    )
    assert Confusion.of(table.column("size"), ["low", "mid", "mid"]).labels == ("low", "mid", "high")


def test_given_labels_give_the_order_and_may_be_absent():
    table = Confusion.of(["b", "a"], ["a", "a"], labels=["b", "a", "c"])
    assert table.counts.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 0]]


def test_the_positive_class_may_be_the_first():
    table = Confusion([[45, 15], [20, 120]], ["ill", "well"], positive="ill")
    assert (table.tp, table.fn, table.fp, table.tn) == (45, 15, 20, 120)
    assert table.negative == "well"
    assert table.tpr == 0.75
    assert Confusion([[45, 15], [20, 120]], ["ill", "well"]).tpr == 120 / 140


def test_an_evaluation_counts_each_row_once():
    X, y = ob.load("wine").split("cultivar")
    table = Confusion.from_evaluation(ob.evaluate(NaiveBayes(), X, y))
    assert table.n == len(X)  # though five rounds predicted it five times
    assert table.labels == ("class_0", "class_1", "class_2")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Confusion([[1, 2, 3]], ["a", "b"]), r"must have the shape \(2, 2\), got \(1, 3\)"),
        (
            lambda: Confusion([[1, -2], [3, 4]], ["a", "b"]),
            "counts must be whole numbers, none of them negative",
        ),
        (lambda: Confusion([[1, 0.5], [3, 4]], ["a", "b"]), "counts must be whole numbers"),
        (
            lambda: Confusion([[1]], ["a"]),
            r"two or more different labels, got \['a'\]; name them: labels=\[…\]",
        ),
        (lambda: Confusion.of(["a", "a"], ["a", "a"]), "two or more different labels"),
        (lambda: Confusion.of(["a"], ["a", "b"]), "truth has 1 rows, but predicted has 2"),
        (
            lambda: Confusion.of([["a"]], ["a"]),
            r"truth must have one label for each row, got the shape \(1, 1\)",
        ),
        (lambda: Confusion.of(["a", None], ["a", "b"]), "'truth' is missing in 1 row"),
        (
            lambda: Confusion.of(["no", "yes"], ["no", "yess"], labels=["no", "yes"]),
            r"predicted, row 1: 'yess' is not one of the labels. Did you mean 'yes'\?",
        ),
    ],
)
def test_bad_tables_are_refused(make, words):
    with pytest.raises(DataError, match=words):
        make()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda: Confusion([[1, 2], [3, 4]], ["a", "b"], positive="c"),
            "positive is 'c', but the labels are",
        ),
        (lambda: THREE.tpr, r"tpr is a rate of two classes, and here are 3; use per_class\(\)\['a'\].tpr"),
        (lambda: THREE.tp, "TP, FN, FP and TN are of two"),
        (lambda: THREE.rate("kapa"), r"no rate 'kapa'. Did you mean 'kappa'\?"),
        (lambda: THREE.work("macro_f2"), r"no rate 'macro_f2'. Did you mean 'macro_f1'\?"),
        (lambda: THREE.average("makro"), "no average 'makro'. Did you mean 'macro'"),
        (lambda: THREE.per_class()["a"].f_beta(0), "beta must be above 0, got 0"),
        (lambda: THREE.per_class()["a"].detection_cost(-1, 1), "costs must be at least 0"),
        (
            lambda: Confusion.from_evaluation(regressed()),
            "ZeroRegressor predicts numbers, and a confusion table counts classes",
        ),
    ],
)
def test_bad_questions_are_refused(ask, words):
    with pytest.raises(ParameterError, match=words):
        ask()


def regressed():
    from openbook.baseline import ZeroRegressor

    return ob.evaluate(ZeroRegressor(), np.arange(60.0).reshape(-1, 1), np.arange(60) / 7)


# --- rates of two classes


def test_shares_have_wilsons_interval():
    table = Confusion([[120, 20], [15, 45]], ["well", "ill"])
    for name in SHARES:
        top, bottom = (sum(getattr(table, cell) for cell in cells) for cells in SHARES[name][1:])
        rate = table.rate(name, level=0.9)
        assert rate.value == top / bottom
        assert rate.interval == wilson(top, bottom, 0.9)


def test_rates_go_by_their_other_names_too():
    table = Confusion([[120, 20], [15, 45]], ["well", "ill"])
    assert (table.precision, table.recall, table.specificity) == (table.ppv, table.tpr, table.tnr)
    assert table.rate("sensitivity") == table.rate("tpr")
    assert table.work("precision")["PPV"].result == 45 / 65
    with pytest.raises(ParameterError, match="tpr is a rate of two classes, and here are 3"):
        _ = THREE.recall


def test_infinite_is_not_undefined():
    table = Confusion([[5, 0], [2, 3]], ["well", "ill"])
    assert table.lr_plus == math.inf
    rate = table.rate("lr_plus")
    assert rate.interval.high == math.inf
    assert 0 < rate.interval.low < math.inf
    assert rate.interval.method == "log, ½ added to each cell"
    half = Confusion([[0, 5], [0, 5]], ["well", "ill"])
    assert half.lr_plus == 1.0  # everything is called ill
    assert math.isfinite(half.rate("lr_plus").interval.high)


@pytest.mark.parametrize(
    ("counts", "name", "why"),
    [
        ([[5, 2], [0, 0]], "tpr", "no row is truly ill"),
        ([[0, 0], [5, 2]], "fpr", "no row is truly well"),
        ([[5, 0], [2, 0]], "ppv", "no row is predicted ill"),
        ([[0, 5], [0, 2]], "npv", "no row is predicted well"),
        ([[0, 0], [5, 2]], "lr_plus", "no row is truly well"),
        ([[0, 5], [0, 2]], "lr_minus", "FNR and TNR are both 0"),
        ([[5, 0], [2, 0]], "dor", "TP · TN and FP · FN are both 0"),
        ([[5, 0], [0, 0]], "f1", "no row is ill or predicted so"),
        ([[5, 0], [0, 0]], "kappa", "every row has the same class and the same prediction"),
        ([[5, 0], [2, 0]], "mcc", "every row is predicted well"),
        ([[0, 0], [5, 2]], "mcc", "every row is truly ill"),
        ([[0, 0], [0, 0]], "accuracy", "there are no rows"),
    ],
)
def test_undefined_is_nan_with_a_reason(counts, name, why):
    table = Confusion(counts, ["well", "ill"])
    rate = table.rate(name)
    assert math.isnan(rate.value)
    assert math.isnan(getattr(table, name))
    assert rate.why == why
    assert why in table.work().text().replace("\n", " ")
    if name != "accuracy":
        assert table.work(name).conclusion.endswith(f"undefined: {why}.")


def test_detection_cost():
    table = Confusion([[120, 20], [15, 45]], ["well", "ill"])
    assert table.detection_cost(10, 1, prior=0.01).value == pytest.approx(10 * 0.01 * 0.25 + 0.99 / 7)
    per_row = table.detection_cost(10, 1)
    assert per_row.value == pytest.approx((10 * 15 + 20) / 200)
    assert per_row.value in per_row.interval
    perfect = Confusion([[50, 0], [0, 50]], ["well", "ill"]).detection_cost(10, 1)
    assert perfect.value == perfect.interval.low == 0 < perfect.interval.high


def test_error_reduction():
    table = Confusion([[90, 10], [10, 90]], ["a", "b"])  # error 0.1
    other = Confusion([[80, 20], [20, 80]], ["a", "b"])  # error 0.2
    found = table.error_reduction(other)
    assert found.value == pytest.approx(0.5)
    se = math.sqrt(1 / 20 - 1 / 200 + 1 / 40 - 1 / 200)
    assert 1 - found.interval.high == pytest.approx(0.5 * math.exp(-1.959964 * se), rel=1e-6)
    assert 1 - found.interval.low == pytest.approx(0.5 * math.exp(1.959964 * se), rel=1e-6)
    known = table.error_reduction(0.2)
    assert known.value == pytest.approx(0.5)
    assert known.interval.low == pytest.approx(1 - wilson(20, 200).high / 0.2)
    assert table.error_reduction(Confusion([[1, 0], [0, 1]], ["a", "b"])).why == "the other makes no error"


# --- several classes


def test_averages_are_scikit_learns():
    rng = np.random.default_rng(3)
    table = Confusion(rng.integers(1, 30, (5, 5)), list("abcde"))
    truth, predicted = labels_of(table.counts, table.labels)
    for kind in ("macro", "micro", "weighted"):
        p, r, f, _ = theirs.precision_recall_fscore_support(truth, predicted, average=kind)
        found = getattr(table, kind)
        assert found.precision.value == pytest.approx(p, rel=1e-12)
        assert found.recall.value == pytest.approx(r, rel=1e-12)
        assert found.f1.value == pytest.approx(f, rel=1e-12)
    assert table.mcc == pytest.approx(theirs.matthews_corrcoef(truth, predicted), rel=1e-12)
    assert table.kappa == pytest.approx(theirs.cohen_kappa_score(truth, predicted), rel=1e-12)
    for label, own in table.per_class().items():
        assert own.ppv == pytest.approx(
            theirs.precision_score(truth, predicted, labels=[label], average="macro")
        )
        assert own.n == table.n


def test_mean_of_f1_is_not_f1_of_means():
    """By hand: F1 16/19, 12/19, 18/22; precision 8/9, 6/9, 9/12; recall 0.8, 0.6, 0.9."""
    assert THREE.macro.f1.value == pytest.approx((16 / 19 + 12 / 19 + 18 / 22) / 3, rel=1e-12)
    p, r = (8 / 9 + 6 / 9 + 9 / 12) / 3, (0.8 + 0.6 + 0.9) / 3
    assert THREE.macro.f1_of_means.value == pytest.approx(2 * p * r / (p + r), rel=1e-12)
    text = " ".join(THREE.work().text().split())
    assert "F1: the mean of the classes' F1. F1 of means: the F1 of mean precision and mean recall." in text


def test_an_average_names_the_class_that_lacks():
    table = Confusion([[5, 1, 0], [2, 4, 0], [1, 1, 0]], ["a", "b", "c"])
    assert table.macro.precision.why == "class 'c' is never predicted"
    assert table.macro.f1_of_means.why == "class 'c' is never predicted"
    assert table.macro.f1.value == pytest.approx((10 / 14 + 8 / 12 + 0) / 3)  # F1 of c is 0/2, not 0/0
    empty = Confusion([[5, 1, 0], [2, 4, 0], [0, 0, 0]], ["a", "b", "c"])
    assert empty.macro.recall.why == "class 'c' has no rows"
    assert empty.macro.f1.why == "class 'c' neither occurs nor is predicted"
    assert empty.weighted.precision.value == pytest.approx((6 * 5 / 7 + 6 * 4 / 5) / 12)  # c has no say
    assert (
        Confusion([[0, 1], [1, 0]], ["a", "b"]).macro.f1_of_means.why
        == "mean precision and mean recall are both 0"
    )


@pytest.mark.parametrize(
    "name", ["macro_f1", "weighted_precision", "macro_f1_of_means", "micro_recall", "mcc"]
)
def test_averages_derive_themselves(name):
    from openbook.judge.scores.confusion_work import symbol

    kind, _, what = name.partition("_")
    value = getattr(getattr(THREE, kind), what).value if what else THREE.mcc
    work = THREE.work(name)
    assert work[symbol(name)].result == value
    for render in (work.html, work.latex, work.json):
        assert render()
    if name == "macro_f1":
        assert work["macro F1"].numbers == r"\frac{0.842105 + 0.631579 + 0.818182}{3}"


def test_intervals_of_averages_cover():
    """Macro F1 of three classes on 60 rows; micro is a share."""
    shares = np.array([[0.3, 0.03, 0.02], [0.04, 0.25, 0.05], [0.01, 0.05, 0.25]])
    truth = Confusion(np.round(shares * 100).astype(int), list("abc")).macro.f1.value
    tables = np.random.default_rng(5).multinomial(60, shares.ravel(), 400).reshape(-1, 3, 3)
    covered = np.mean([truth in Confusion(table, list("abc")).macro.f1.interval for table in tables])
    assert 0.925 <= covered <= 0.985
    assert THREE.micro.f1.interval == wilson(23, 30)


def test_balanced_accuracy_and_youden_by_hand():
    table = Confusion([[50, 10], [5, 35]])
    assert table.labels == (0, 1)
    assert table.rate("balanced_accuracy").value == pytest.approx((50 / 60 + 35 / 40) / 2)
    assert table.rate("youden").value == pytest.approx(35 / 40 - 10 / 60)
    assert table.work("youden")["Youden's J"].result == pytest.approx(35 / 40 - 10 / 60)
    assert table.work("balanced_accuracy")["macro recall"].numbers == r"\frac{0.833333 + 0.875}{2}"
    low = table.rate("balanced_accuracy").interval.low
    assert table.rate("youden").interval.low == pytest.approx(2 * low - 1)
    three = Confusion([[8, 2, 0], [1, 6, 3], [0, 1, 9]])
    assert three.rate("balanced_accuracy").value == pytest.approx((0.8 + 0.6 + 0.9) / 3)
    with pytest.raises(ParameterError):
        three.rate("youden")
