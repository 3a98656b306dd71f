"""0R and 1R by hand."""

import sqlite3

import numpy as np
import pytest

from openbook import load, read
from openbook.baseline import OneR, ZeroR, ZeroRegressor

X, Y = load("weather").split("play")


def test_majority():
    model = ZeroR().fit(X, Y)
    assert set(model.predict(X)) == {"Yes"}
    assert model.predict_proba(X)[0] == pytest.approx([5 / 14, 9 / 14])
    work = model.work()
    assert work["P(play = Yes)"].numbers == r"\frac{9}{14}"
    assert work["expected accuracy"].result == pytest.approx(9 / 14)
    assert work.conclusion == "Most frequent: play = Yes."


def test_the_first_of_equals():
    assert ZeroR().fit([[0]] * 4, ["b", "a", "b", "a"]).predict([[0]]) == ["a"]


def test_expected_accuracies():
    uniform, prior = (ZeroR(s).fit(X, Y).work()["expected accuracy"] for s in ("uniform", "prior"))
    assert uniform.result == 0.5
    assert prior.result == pytest.approx((81 + 25) / 196)


def test_drawn_classes_repeat_with_their_state():
    model = ZeroR("prior", random_state=7).fit(X, Y)
    assert model.predict(X).tolist() == model.predict(X).tolist()
    assert model.predict(X).tolist() == ZeroR("prior", random_state=7).fit(X, Y).predict(X).tolist()
    assert ZeroR("uniform", random_state=7).fit(X, Y).predict_proba(X)[0].tolist() == [0.5, 0.5]


def test_a_text_column_does_not_matter_to_it():
    table = read([{"note": "one"}, {"note": "two"}, {"note": "three"}], kinds={"note": "text"})
    assert ZeroR().fit(table, ["a", "b", "b"]).predict(table).tolist() == ["b"] * 3
    assert ZeroRegressor().fit(table, [1, 2, 6]).predict(table).tolist() == [3] * 3


def test_mean_and_median():
    y = [1.0, 2.0, 4.0, 9.0]
    mean, median = (ZeroRegressor(s).fit([[0]] * 4, y) for s in ("mean", "median"))
    assert (mean.constant_, median.constant_) == (4, 3)
    assert mean.work()["mean"].numbers == r"\frac{16}{4}"
    assert median.work()["median"].note == "the middle of 4 numbers"
    assert median.work().conclusion == "Every row: 3."
    weighted = ZeroRegressor("median").fit([[0]] * 4, y, sample_weight=[1, 1, 1, 5])
    assert weighted.constant_ == 9


def test_numbers_are_cut_midway_into_equal_parts():
    rows = [[float(v)] for v in (*range(1, 7), *range(11, 17), *range(21, 27))]
    model = OneR(bins=3).fit(rows, list("aaaaaabbbbbbcccccc"))
    assert model.rule_ == {"<= 8.5": "a", "(8.5, 18.5]": "b", "> 18.5": "c"}
    assert model.errors_ == {"x0": 0}
    assert model.predict([[8.5], [8.6], [18.5], [100.0], [-np.inf]]).tolist() == ["a", "b", "b", "c", "a"]


def test_neighbours_of_the_same_class_are_joined():
    rows = [[float(v)] for v in range(18)]
    model = OneR(bins=3).fit(rows, list("aaaaaaaaaaabcccccc"))
    assert model.rule_ == {"<= 11.5": "a", "> 11.5": "c"}
    assert model.errors_ == {"x0": 1}


def test_equal_numbers_are_never_parted():
    model = OneR(bins=2).fit([[1.0]] * 9 + [[2.0]] * 6, list("aaaaaaaaabbbbbb"))
    assert model.rule_ == {"<= 1.5": "a", "> 1.5": "b"}
    few = OneR(bins=2).fit([[1.0]] * 9 + [[2.0]] * 5, list("aaaaaaaaabbbbb"))
    assert few.rule_ == {"any number": "a"}
    constant = OneR().fit([[7.0]] * 4, list("aaab"))
    assert constant.rule_ == {"any number": "a"}
    assert constant.errors_ == {"x0": 1}


def test_missing_is_a_value_of_its_own():
    rows = [[1.0], [2.0], [np.nan], [np.nan], [np.nan]]
    model = OneR(bins=2).fit(rows, list("aabba"))
    assert model.rule_["missing"] == "b"
    assert model.predict([[np.nan]]).tolist() == ["b"]
    assert model.predict_proba([[np.nan]])[0] == pytest.approx([1 / 3, 2 / 3])
    table = read([{"c": "x"}, {"c": "x"}, {"c": None}], kinds={"c": "nominal"})
    nominal = OneR().fit(table, list("aab"))
    assert nominal.rule_ == {"x": "a", "missing": "b"}


def test_rounding_is_not_a_missing_value():
    """Weights that do not add up exactly leave no phantom of a missing cell."""
    rng = np.random.default_rng(0)
    values, y = rng.normal(size=(5000, 1)), rng.integers(0, 2, 5000)
    model = OneR().fit(values, y, sample_weight=rng.uniform(1e3, 1e6, 5000))
    assert "missing" not in model.rule_


@pytest.mark.parametrize("n", [127, 128, 129, 200])
def test_many_values_are_told_apart(n):
    """Codes and the places of their answers do not always fit into the same number of bits."""
    rows = [{"a": f"v{i:03}"} for i in range(n)] * 2  # a value of one row would be pooled
    labels = [str(i % 5) for i in range(n)] * 2
    model = OneR().fit(rows, labels)
    assert model.predict(rows).tolist() == labels
    unseen, missing = model.predict_proba([{"a": "new"}, {"a": None}])
    assert unseen == pytest.approx(missing)


def test_the_work_of_one_rule():
    model = OneR().fit(X, Y)
    work = model.work()
    assert work.conclusion == "The fewest errors: outlook (4)."
    assert model.complexity() == 3
    row = model.work({"outlook": "sunny"})
    assert row.conclusion == "outlook = sunny, so: play = No."
    assert row["P(play = No | outlook = sunny)"].numbers == r"\frac{3}{5}"
    assert model.work({}).conclusion == "outlook is missing, so: play = Yes."
    unseen = model.work({"outlook": "hail"})
    assert unseen.conclusion == "outlook is an unseen value, so: play = Yes."
    step = unseen["P(play = Yes | outlook is an unseen value)"]
    assert (step.numbers, step.note) == (
        r"\frac{9}{14}",
        "no such row in training: the class shares of all rows",
    )


def test_the_least_weight_of_errors_wins():
    rows = [{"a": "x", "b": "p"}, {"a": "x", "b": "q"}, {"a": "y", "b": "q"}]
    assert OneR().fit(rows, list("mnn")).attribute_ == "b"
    heavy = OneR().fit(rows, list("mnn"), sample_weight=[1, 5, 1])
    assert heavy.errors_ == {"a": 1, "b": 0}
    assert OneR().fit(rows, list("mnm"), sample_weight=[1, 5, 1]).errors_ == {"a": 1, "b": 1}


def test_one_r_as_sql_says_what_it_predicts():
    rows = [
        {"sky": s, "t": t} for s, t in [("sun", 1.0), ("sun", 2.0), ("rain", 3.0), (None, 4.0), ("rain", 5.0)]
    ]
    model = OneR().fit(rows, ["go", "go", "stay", "stay", "stay"])
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (sky TEXT, t REAL)")
    base.executemany("INSERT INTO t VALUES (:sky, :t)", rows)
    assert [row[-1] for row in base.execute(model.to_sql())] == model.predict(rows).tolist()
    assert [str(rule) for rule in model.rules()] == [
        "if sky = rain then class = stay",
        "if sky = sun then class = go",
        "if sky is missing then class = stay",
    ]
    assert [rule.weight for rule in model.rules()] == [2.0, 2.0, 1.0]


def test_the_intervals_of_one_r_as_rules():
    X = [[float(i)] for i in range(20)]
    model = OneR().fit(X, ["low"] * 12 + ["high"] * 8)
    low, high, gaps = model.rules()
    assert (low.premise, low.prediction, low.confidence) == ("x0 <= 11.5", "low", 1.0)
    assert (high.premise, high.weight, high.share) == ("x0 > 11.5", 8.0, 0.4)
    assert (gaps.premise, gaps.prediction, gaps.weight) == ("x0 is missing", "low", 0.0)
