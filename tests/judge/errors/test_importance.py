"""Permutation importance: by hand, beside scikit-learn's, the same on any workers, clear where it fails."""

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.stats import t as student
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance as theirs
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from openbook import load, read
from openbook.baseline import OneR, ZeroR
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.judge import jackknife, permutation_importance
from openbook.judge.errors.correlated import correlated_groups
from openbook.judge.errors.importance import GROUPS, _shuffled, importance_over_folds

CANCER = load_breast_cancer(return_X_y=True)
FRAME = pd.DataFrame(
    {
        "colour": ["red", "blue", None, "red", "green", "blue"] * 20,
        "size": [1.5, 2.0, np.nan, 1.0, 3.5, 2.5] * 20,
        "noise": np.arange(120) % 7.0,
        "buys": ["yes", "no", "no", "yes", "no", "yes"] * 20,
    }
)


class Product(RegressorMixin, BaseEstimator):
    """Says x0 (1 + x1), whatever it is shown, and never looks at x2."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        X = np.asarray(X, dtype=float)
        return X[:, 0] * (1 + X[:, 1])


PRODUCT = Product().fit(None, None)


def products(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, PRODUCT.predict(X) + rng.normal(size=n)


def test_the_drop_by_hand():
    """y = x0 exactly: shuffled, the squared error is the mean of (x_i - x_j)², n - 1 of n pairs differ."""

    class First(Product):
        def predict(self, X):
            return np.asarray(X, dtype=float)[:, 0]

    X = np.arange(12.0).reshape(6, 2) ** 1.5
    y = X[:, 0]
    found = permutation_importance(First().fit(X, y), X, y, "mse", repeats=2000, random_state=0)
    assert found.score == 0
    assert found["x0"].drop == pytest.approx(2 * y.var(), rel=0.03)  # E (a - b)² over all pairs, own included
    assert found["x1"].drop == 0
    assert (found["x1"].interval.low, found["x1"].interval.high) == (0, 0)
    assert [one.column for one in found] == ["x0", "x1"]
    assert len(found) == 2


def test_the_mean_drop_is_scikit_learn_s():
    X, y = CANCER[0][:, 20:28], CANCER[1]
    model = GaussianNB().fit(X[::2], y[::2])
    ours = permutation_importance(model, X[1::2], y[1::2], repeats=40, random_state=0)
    other = theirs(model, X[1::2], y[1::2], n_repeats=40, random_state=0)
    mean = np.array([ours[f"x{j}"].drop for j in range(X.shape[1])])
    spread = other.importances_std * np.sqrt(2 / 40) + 1e-9
    assert np.abs(mean - other.importances_mean).max() > 0  # other shuffles
    assert (np.abs(mean - other.importances_mean) < 5 * spread).all()
    assert len(ours["x3"].drops) == 40


def test_a_score_of_which_less_is_better_rises():
    X, y = products(0, 300)
    for metric in ("mse", "rmse", "mae"):
        found = permutation_importance(PRODUCT, X, y, metric, random_state=0)
        assert found.columns[0].column == "x0"
        assert found["x0"].drop > 0
        assert f"rise in {found.metric.words}" in repr(found)
    assert permutation_importance(PRODUCT, X, y, "r2", random_state=0)["x0"].drop > 0
    assert permutation_importance(PRODUCT, X, y, random_state=0).metric.name == "rmse"


def test_intervals_hold_what_they_promise():
    """The drop in MSE when x1 is shuffled is E x0² (x1 - x1')² = 2, and of x0 E (x0 - x0')² (1 + x1)² = 4."""
    hits = np.zeros(2)
    for seed in range(150):
        found = permutation_importance(PRODUCT, *products(seed, 200), "mse", repeats=5, random_state=seed)
        hits += [4 in found["x0"].interval, 2 in found["x1"].interval]
    assert (hits / 150 > 0.89).all()  # 0.95, less more than three standard errors
    assert (hits < 150).all()


def test_the_interval_is_a_jackknife_over_rows_that_gave_and_rows_that_got():
    """Redone from the definition: one repeat, squared errors of twelve rows, each a group of its own."""
    X, y = products(3, 12)
    found = permutation_importance(PRODUCT, X, y, "mse", repeats=1, random_state=5)
    seed = np.random.RandomState(5).randint(2**31 - 1)
    order = np.random.default_rng([seed, 0]).permutation(12)
    shuffled = X.copy()
    shuffled[:, 1] = X[order, 1]
    before, after = (PRODUCT.predict(X) - y) ** 2, (PRODUCT.predict(shuffled) - y) ** 2
    drop = after.mean() - before.mean()
    left = []
    for i in range(12):
        rows = (np.arange(12) != i) & (order != i)
        left.append(after[rows].mean() - before[rows].mean())
    error = np.sqrt(11 / 12 * ((np.array(left) - np.mean(left)) ** 2).sum())
    one = found["x1"]
    assert one.drop == pytest.approx(drop)
    assert one.interval.high - one.drop == pytest.approx(student.ppf(0.975, 11) * error)
    assert one.interval.method == "jackknife over 12 groups of rows"


def test_a_column_that_is_not_looked_at_has_no_drop_and_no_doubt():
    X, y = load("iris").split("species")
    model = OneR().fit(X, y)
    found = permutation_importance(model, X, y, random_state=0)
    for column in found.columns:
        if column.column != model.attribute_:
            assert (column.drop, column.interval.low, column.interval.high) == (0, 0, 0)


def test_a_wider_level_gives_a_wider_interval():
    X, y = products(0, 100)
    narrow, wide = (
        permutation_importance(PRODUCT, X, y, random_state=0, level=level)["x0"].interval
        for level in (0.5, 0.99)
    )
    assert wide.low < narrow.low < narrow.high < wide.high
    assert (wide.level, wide.method) == (0.99, f"jackknife over {GROUPS} groups of rows")


def test_typed_columns_with_gaps_are_shuffled_as_they_are():
    table = read(FRAME)
    X, y = table.split("buys")
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = _shuffled(X, (0,), order)
    assert shuffled.schema is X.schema
    assert shuffled.column("colour").tolist() == [X.column("colour").tolist()[i] for i in order]
    assert shuffled.data("size") is X.data("size")
    few = X.select(["noise", "colour"])  # red buys, green does not
    model = NaiveBayes().fit(few.take(slice(0, 60)), y.take(slice(0, 60)))
    found = permutation_importance(model, X.take(slice(60, 120)), y.take(slice(60, 120)), random_state=0)
    assert [one.column for one in found] == ["colour", "noise"]
    assert found["colour"].interval.low > 0


@pytest.mark.parametrize("given", ["frame", "table", "target by name"])
def test_rows_may_come_in_any_form_and_extra_columns_do_not_count(given):
    model = OneR().fit(FRAME[["colour", "size"]], FRAME["buys"])
    X, y = {
        "frame": (FRAME.drop(columns="buys"), FRAME["buys"]),
        "table": read(FRAME).split("buys"),
        "target by name": (FRAME, "buys"),
    }[given]
    found = permutation_importance(model, X, y, random_state=0)
    assert sorted(one.column for one in found) == ["colour", "size"]
    assert found[model.attribute_].drop > 0


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_the_same_seed_gives_the_same_on_any_workers(backend):
    X, y = CANCER
    model = NaiveBayes().fit(X[::2, :6], y[::2])
    alone = permutation_importance(model, X[1::2, :6], y[1::2], "log_loss", repeats=3, random_state=4)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        together = permutation_importance(model, X[1::2, :6], y[1::2], "log_loss", repeats=3, random_state=4)
    assert alone.columns == together.columns
    other = permutation_importance(model, X[1::2, :6], y[1::2], "log_loss", repeats=3, random_state=5)
    assert alone.columns != other.columns


def test_rows_and_model_stay_as_they_were():
    X, y = CANCER
    kept = X.copy()
    permutation_importance(GaussianNB().fit(X, y), X, y, repeats=1)
    assert np.array_equal(X, kept)


def test_held_out_rows_may_lack_classes_and_have_new_ones():
    """Labels as numbers in training and as text here; class 2 is not among the rows, and class 7 is new."""
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    model = NaiveBayes().fit(X, [0, 0, 1, 1, 2, 2])
    held = read([{"x": 0.05, "class": "0"}, {"x": 5.0, "class": "1"}, {"x": 5.05, "class": "7"}])
    held_X, held_y = held.split("class")
    found = permutation_importance(model, np.asarray(held_X), held_y, random_state=0)
    assert found.score == pytest.approx(2 / 3)
    loss = permutation_importance(model, np.asarray(held_X), held_y, "log_loss", random_state=0)
    assert loss.score == pytest.approx(-np.log(np.finfo(float).eps) / 3, rel=1e-3)  # a class it never met


def test_probabilities_are_asked_for_where_the_metric_needs_them():
    X, y = CANCER
    model = GaussianNB().fit(X[::2], y[::2])
    assert permutation_importance(model, X[1::2], y[1::2], "roc_auc", repeats=2, random_state=0).score > 0.9


def test_it_reads_as_a_table():
    X, y = load("weather").split("play")
    found = permutation_importance(OneR().fit(X, y), X, y, random_state=0)
    text = repr(found)
    assert "drop in accuracy" in text
    assert "shuffled 10 times" in text
    assert "not of the training rows" in " ".join(text.split())
    assert text.index("outlook") < text.index("windy")
    assert "<table" in found._repr_html_()
    none = permutation_importance(ZeroR().fit(X, y), X, y, random_state=0)
    assert none.work().conclusion == "The intervals of 0 of 4 columns lie above 0."


def test_a_score_that_is_undefined_says_so():
    """R² of a constant target: no drop, no interval, and no crash in sorting."""
    X = load_diabetes(return_X_y=True)[0][:20]
    model = LinearRegression().fit(X, np.arange(20.0))
    found = permutation_importance(model, X, np.ones(20), "r2", repeats=1, random_state=0)
    assert "undefined" in repr(found)


def test_a_single_row_shows_no_spread():
    interval = permutation_importance(PRODUCT, *products(0, 1), random_state=0)["x0"].interval
    assert np.isnan([interval.low, interval.high]).all()


def test_jackknife_of_a_mean_is_its_t_interval():
    x = np.array([1.0, 2, 6, 4, 2])
    ours = jackknife(x.mean(), [np.delete(x, i).mean() for i in range(5)], 0.9)
    low, high = student.interval(0.9, 4, x.mean(), x.std(ddof=1) / np.sqrt(5))
    assert (ours.low, ours.high) == pytest.approx((low, high))


class Shy(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"repeats": 0}, ParameterError, r"repeats must be a whole number of at least 1, got 0"),
        ({"repeats": 2.5}, ParameterError, r"repeats must be a whole number of at least 1, got 2.5"),
        ({"level": 95}, ParameterError, r"level must lie between 0 and 1, got 95; 0.95 is usual"),
        ({"metric": "rmse"}, ParameterError, r"rmse judges regression, and this is classification"),
        ({"metric": "acuracy"}, ParameterError, r"Did you mean 'accuracy'\?"),
        ({"model": GaussianNB()}, NotFittedError, r"not fitted yet"),
        (
            {"model": LinearSVC().fit(*CANCER), "metric": "brier"},
            ParameterError,
            r"brier needs probabilities",
        ),
        ({"y": ["M", "B"] * 284 + ["M"]}, DataError, r"none of the model's classes: 'B' in y, '0' in the mo"),
        ({"y": CANCER[1][:-1]}, DataError, r"X has 569 rows, but y has 568"),
        ({"X": csr_array(CANCER[0])}, DataError, r"sparse data cannot be shuffled; pass X.toarray\(\)"),
    ],
)
@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
def test_errors_name_the_culprit(change, error, message):
    given = {"model": GaussianNB().fit(*CANCER), "X": CANCER[0], "y": CANCER[1], "repeats": 1, **change}
    with pytest.raises(error, match=message):
        permutation_importance(**given)


def test_an_unknown_column():
    X, y = products(0, 20)
    with pytest.raises(UnknownColumn, match=r"no column 'x9'"):
        permutation_importance(PRODUCT, X, y, random_state=0)["x9"]


class Robust(RegressorMixin, BaseEstimator):
    """Says the median of its columns."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.median([X.data(name) for name in X.names], axis=0)


def test_correlated_columns_are_shuffled_together():
    """Of three copies the median is right whichever is shuffled alone; all three together matter."""
    x = np.random.default_rng(0).normal(size=200)
    table = read(pd.DataFrame({"a": x, "b": x, "c": x}))
    found = permutation_importance(Robust().fit(None, None), table, x, random_state=0)
    assert [one.drop for one in found] == [0.0, 0.0, 0.0]
    (group,) = found.together
    assert group.column == "a + b + c together"
    assert group.drop > 1  # RMSE of one normal number for another is √2
    assert "a + b + c together" in repr(found)


def test_groups_of_correlated_columns():
    rng = np.random.default_rng(0)
    x, colour = rng.normal(size=300), rng.choice(["red", "green", "blue"], 300)
    frame = pd.DataFrame(
        {
            "x": x,
            "cube": x**3,  # the same ranks
            "near": x + rng.normal(0, 0.5, 300),
            "alone": rng.normal(size=300),
            "colour": colour,
            "farbe": pd.Series(colour).map({"red": "rot", "green": "grün", "blue": "blau"}),
            "code": np.where(colour == "red", 1.0, rng.normal(10, 1, 300)),
        }
    )
    assert correlated_groups(read(frame)) == (("x", "cube", "near"), ("colour", "farbe", "code"))
    assert correlated_groups(read(frame), ("alone", "colour")) == ()


def test_the_importance_over_folds_is_the_mean_of_the_folds():
    folds = [(PRODUCT, *products(seed, 40), 80) for seed in range(3)]
    found = importance_over_folds(folds, repeats=2, random_state=0)
    single = [permutation_importance(m, X, y, repeats=2, random_state=0) for m, X, y, _ in folds]
    assert found.n_folds == 3
    assert found.n_rows == 120
    assert found.score == pytest.approx(np.mean([one.score for one in single]))
    drops = np.array(found["x0"].drops).reshape(3, 2).mean(axis=1)
    assert found["x0"].drop == pytest.approx(drops.mean())
    # corrected resampled t: the variance of the mean is (1/3 + n_test / n_train) s²
    half = student.ppf(0.975, 2) * np.sqrt((1 / 3 + 40 / 80) * drops.var(ddof=1))
    assert found["x0"].interval.high - found["x0"].interval.low == pytest.approx(2 * half)
    assert found["x2"].drops == (0.0,) * 6
    assert "mean over 3 folds; each column shuffled 2 times" in " ".join(repr(found).split())


def test_only_the_columns_asked_for_are_shuffled():
    X, y = products(0, 40)
    found = importance_over_folds([(PRODUCT, X, y, 80)] * 2, repeats=1, columns=["x1"])
    assert [one.column for one in found] == ["x1"]
    assert "Of 3 columns, the 1 with the highest" in " ".join(repr(found).split())


def test_columns_that_a_tree_does_not_test_are_not_predicted():
    X, y = load("iris").split("species")
    from openbook.tree import C45

    model = C45().fit(X, y)
    calls = []
    predict = model.predict
    model.predict = lambda table: calls.append(1) or predict(table)
    found = importance_over_folds([(model, X, y, 100)], repeats=2)
    tested = {X.names[j] for j in model.tree_.attribute.tolist() if j >= 0}
    assert {one.column for one in found if one.drop} <= tested
    groups = sum(any(name in one.column for name in tested) for one in found.together)
    assert len(calls) == 1 + 2 * len(tested) + 2 * groups
