"""The model as text and tables: coefficients with intervals, probabilities, rules, layers."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import openbook as ob
from openbook import registry
from openbook.baseline import ZeroR
from openbook.ensemble import AdaBoostClassifier
from openbook.linear import LinearRegression, LogisticRegression
from openbook.linear.laplace import odds_estimates
from openbook.report.blocks import Fold, Paragraph, Sheet
from openbook.report.fitted import inside, unwrapped
from openbook.report.portrait import legible, tree_words
from openbook.sequence import HiddenMarkovClassifier


def tables(model, X):
    return {block.caption: block for block in inside(model, X) if isinstance(block, Sheet)}


def cells(table):
    return {row.cells[0]: row.cells[1:] for row in table.rows}


def test_naive_bayes_shows_counts_and_normal_curves():
    X, y = ob.load("loan").split("cheat")
    shown = tables(registry.learner("naive_bayes").make().fit(X, y), X)
    # 7 of 10 did not cheat; 4 of those 7 own no home, smoothed (4 + 1) / (7 + 2)
    assert cells(shown["Prior probabilities"]) == {"No": ("70.0%",), "Yes": ("30.0%",)}
    assert cells(shown["P(owner | class), and rows"])["No"] == ("0.556 (4)", "0.800 (3)")
    income = cells(shown["Mean ± standard deviation of each class"])["income"]
    assert [cell.split(" ± ")[0] for cell in income] == ["110", "90"]


def test_a_linear_model_shows_coefficients_with_intervals():
    X = ob.read([{"x": x} for x in (0.0, 1, 2, 3, 4)])
    y = np.array([1.0, 3, 4, 8, 9])
    (table,) = tables(LinearRegression().fit(X, y), X).values()
    # slope 21 / 10, residual sum of squares 1.9, so s² = 1.9 / 3 and the error is sqrt(1.9 / 30); t_0.975(3)
    reach = 3.182446 * math.sqrt(1.9 / 30)
    coefficient, interval, p = cells(table)["x"]
    assert coefficient == "2.1"
    low, high = (float(end) for end in interval.strip("[]").split(", "))
    assert (low, high) == pytest.approx((2.1 - reach, 2.1 + reach), rel=1e-3)
    assert p == "0.004"
    assert table.header == ("term", "coefficient", "95% interval", "p")


def test_a_penalty_that_vanishes_gives_the_intervals_of_wald():
    X, y = ob.load("breast_cancer").split("diagnosis")
    X = ob.read(X.block(list(X.names[:2])))
    plain, nearly = (LogisticRegression(C=C).fit(X, y) for C in (math.inf, 1e8))
    (expected,), (found,) = odds_estimates(plain, X), odds_estimates(nearly, X)
    assert found.errors is not None
    assert expected.errors is not None
    assert found.coefficients == pytest.approx(expected.coefficients, rel=1e-4)
    assert found.errors[1:] == pytest.approx(expected.errors[1:], rel=1e-4)


def test_several_classes_have_intervals_of_their_difference_from_the_first():
    X, y = ob.load("iris").split("species")
    rng = np.random.default_rng(0)
    labels = np.asarray(list(y))
    labels = np.where(rng.random(150) < 0.3, rng.permutation(labels), labels)  # so that classes overlap
    plain, nearly = (LogisticRegression(C=C).fit(X, labels) for C in (math.inf, 1e7))
    for expected, found in zip(odds_estimates(plain, X), odds_estimates(nearly, X), strict=True):
        assert found.label == expected.label
        assert found.errors[1:] == pytest.approx(expected.errors[1:], rel=1e-3)


def test_values_of_a_nominal_column_have_errors_of_their_distance_from_its_mean():
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=300), rng.choice(["blue", "red"], 300)
    y = size + (colour == "red") + rng.logistic(size=300) > 0
    X = ob.read({"size": size, "colour": colour})
    plain, nearly = (LogisticRegression(C=C).fit(X, y) for C in (math.inf, 1e6))
    assert plain.encoding_.names == ("size", "colour = red")  # red against blue
    (expected,), (found,) = odds_estimates(plain, X), odds_estimates(nearly, X)
    # each of two values is half of their difference away from the mean of the two
    assert found.coefficients[1:] == pytest.approx(
        expected.coefficients[[1, 2, 2]] * [1, -0.5, 0.5], rel=1e-4
    )
    assert found.errors[1:] == pytest.approx(expected.errors[[1, 2, 2]] * [1, 0.5, 0.5], rel=1e-4)


def test_large_odds_ratios_have_no_more_digits_than_others():
    # log odds that rise by 10 with x: e^10 = 22,026.47
    model = LogisticRegression(C=math.inf).fit([[0.0], [0], [1], [1]], ["a", "b", "a", "b"])
    model.coef_[:] = 10.0
    (table,) = tables(model, ob.read([{"x0": 0.0}])).values()
    assert cells(table)["x0"][1] == "22,026"


def test_weighted_rows_and_lasso_have_no_intervals():
    X, y = ob.load("loan").split("cheat")
    model = LogisticRegression().fit(X, y)
    assert odds_estimates(model, X)[0].errors is not None
    assert odds_estimates(model, X, weighted=True)[0].errors is None
    assert odds_estimates(LogisticRegression(C=2.0, l1_ratio=1.0).fit(X, y), X)[0].errors is None


def test_odds_ratios_are_the_exponentials_of_the_coefficients():
    X, y = ob.load("loan").split("cheat")
    model = LogisticRegression().fit(X, y)
    (table,) = tables(model, X).values()
    assert table.header[2:] == ("odds ratio", "95% interval of the odds ratio")
    coefficient, ratio, interval = cells(table)["status = Married"]
    assert float(ratio) == pytest.approx(math.exp(float(coefficient)), rel=1e-3)
    low, high = (float(end) for end in interval.strip("[]").split(", "))
    assert low < float(ratio) < high
    assert low * high == pytest.approx(float(ratio) ** 2, rel=1e-2)  # symmetric in the logarithm


def test_neighbours_of_a_table_with_fewer_rows_than_k_are_all_of_them():
    X, y = ob.read([{"x": x} for x in (1.0, 2, 3)]), ["p", "q", "p"]
    words = inside(registry.learner("k_neighbors").make(n_neighbors=5).fit(X, y), X)[0].words
    assert "finds the k = 3 stored rows" in words


def test_one_rule_says_what_it_predicts():
    X, y = ob.load("weather").split("play")
    (table,) = tables(registry.learner("one_r").make().fit(X, y), X).values()
    assert table.header == ("outlook", "predicted play", "rows", "errors")
    assert cells(table) == {
        "overcast": ("Yes", "4", "0"),
        "rain": ("Yes", "5", "2"),
        "sunny": ("No", "5", "2"),
    }


@pytest.mark.parametrize(
    "name", [e.name for e in registry.learners("classification", "regression") if e.study]
)
def test_every_learner_of_a_study_shows_what_it_is(name):
    from openbook.report.portrait import _importances, _members

    entry = registry.learner(name)
    source, target = ("iris", "species") if entry.task == "classification" else ("diabetes", "progression")
    X, y = ob.load(source).split(target)
    model = entry.make().fit(X, y)
    drawn = getattr(model, "tree_", None) is not None or _members(model) or _importances(model)
    blocks = inside(model, X)
    assert drawn or any(isinstance(block, Paragraph) for block in blocks)


def test_long_tables_are_folded():
    X, y = ob.load("breast_cancer").split("diagnosis")
    blocks = inside(registry.learner("naive_bayes").make().fit(X, y), X)
    assert all(len(block.rows) <= 15 for block in blocks if isinstance(block, Sheet))
    assert any(isinstance(block, Fold) and "more rows" in block.summary for block in blocks)


def test_a_hidden_markov_model_shows_which_label_follows_which():
    model = HiddenMarkovClassifier().fit([["u"], ["v"], ["u"], ["v"]], ["a", "b", "a", "b"])
    shown = cells(tables(model, None)["P(next state | state)"])
    # a was followed by b twice, b by a once: (0 + 1) / (2 + 2), (1 + 1) / (1 + 2)
    assert shown == {"a": ("0.25", "0.75"), "b": ("0.666667", "0.333333")}


def test_a_wrapper_shows_the_learner_inside():
    wrapper = SimpleNamespace(model_=LogisticRegression())
    assert unwrapped(wrapper) is wrapper.model_
    assert inside(object(), None) == []
    stumps = AdaBoostClassifier(n_estimators=2).fit([[0], [1]], [0, 1])
    assert unwrapped(stumps) is stumps  # its `estimator_` is what the members are copies of, not fitted


def test_rounds_whose_member_was_discarded_are_not_listed():
    """0R is wrong on 2/5, then on half of the weight: every other round has no member. Parity: none."""
    from openbook.report.portrait import _rounds

    (table,) = _rounds(AdaBoostClassifier(ZeroR(), 5).fit([[0]] * 5, [0, 0, 0, 1, 1]))
    assert [row.cells[0] for row in table.rows] == ["1", "3", "5"]
    assert _rounds(AdaBoostClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])) == []


def test_boosting_spells_out_its_stumps():
    from openbook.report.portrait import _rounds

    X, y = ob.load("weather").split("play")
    (table,) = _rounds(AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y))
    assert table.header == ("round", "member", "weight", "error")
    assert all("play = " in row.cells[1] for row in table.rows)


def test_a_tree_of_one_column_says_so():
    X, y = ob.read([{"x": float(x)} for x in range(10)]), ["a"] * 5 + ["b"] * 5
    model = registry.learner("cart").make().fit(X, y)
    assert tree_words(model, legible(model)) == "A tree with 2 leaves. It splits on the only column."
