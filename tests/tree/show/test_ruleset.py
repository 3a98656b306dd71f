"""Rules of trees made by hand: their words, figures and JSON; and SQL against a plain descent."""

import itertools
import json
import math
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from openbook.data import Categorical, Nominal, Numeric, Ordinal, Schema
from openbook.errors import DataError
from openbook.tree.engine.nodes import leaf_of
from openbook.tree.show.named_tree import settled
from openbook.tree.show.ruleset import rules
from openbook.work.conditions import Within, quoted

GOLDEN = Path(__file__).parents[2] / "golden" / "worked_examples.json"


def table_of(model, rows):
    """A database in which the rows stand under the names of the model's columns."""
    base = sqlite3.connect(":memory:")
    kinds = {Numeric: "REAL", Nominal: "TEXT", Ordinal: "TEXT"}
    columns = ", ".join(f"{quoted(a.name)} {kinds[type(a)]}" for a in model.schema_)
    base.execute(f"CREATE TABLE t ({columns})")
    base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(model.schema_))})", rows)
    return base


def every_kind_of_row(model):
    """All combinations of values, of cells missing and never seen, and of numbers at and about the cuts."""
    tree, columns = model.tree_, []
    for j, attribute in enumerate(model.schema_):
        if isinstance(attribute, Categorical):
            columns.append([*attribute.values, None, "never seen"])
        else:
            cuts = tree.cut[tree.attribute == j].tolist()
            columns.append([None, *cuts, *(math.nextafter(c, 1e9) for c in cuts), -1e9, 1e9])
    return list(itertools.product(*columns))


def descended(model, rows):
    """What the tree, its shares settled, predicts for each row."""
    tree = settled(model.tree_)
    cells = np.array([[_cell(a, c) for a, c in zip(model.schema_, row, strict=True)] for row in rows])
    values = [tree.value[leaf_of(tree, x)] for x in cells]
    return [model.classes_[np.argmax(v)] if hasattr(model, "classes_") else v[0] for v in values]


def _cell(attribute, value):
    if isinstance(attribute, Numeric):
        return math.nan if value is None else value
    return attribute.codes.get(value, math.nan)


def test_the_weather_in_rules(weather):
    assert [str(rule) for rule in rules(weather)] == [
        "if outlook = overcast then play = Yes",
        "if outlook = rain and windy = false then play = Yes",
        "if outlook = rain and windy = true then play = No",
        "if outlook = sunny and humidity = high then play = No",
        "if outlook = sunny and humidity = normal then play = Yes",
    ]


def test_the_weather_in_rules_is_the_golden_tree(weather):
    examples = {e["id"]: e for e in json.loads(GOLDEN.read_text(encoding="utf-8"))}
    nested = examples["weather_id3_tree"]["expected"]["tree"]

    def paths(node, above=()):
        if isinstance(node, str):
            return {(above, node)}
        ((name, branches),) = node.items()
        return set().union(*(paths(below, (*above, f"{name} = {v}")) for v, below in branches.items()))

    assert {(tuple(map(str, r.conditions)), r.prediction) for r in rules(weather)} == paths(nested)


def test_coverage_and_confidence(loans):
    found = {str(rule): rule for rule in rules(loans)}
    first = found["if income <= 12.5 then risk = high"]
    assert (first.weight, first.share, first.confidence) == (7, 7 / 38, 1)
    tied = found["if income > 52.75 and colour in {blue, black} (or missing) then risk = low"]
    assert (tied.weight, tied.confidence) == (4, 0.5)
    assert math.fsum(rule.share for rule in found.values()) == pytest.approx(1)


def test_cuts_on_one_attribute_become_one_interval(loans):
    assert [rule.premise for rule in rules(loans)] == [
        "income <= 12.5",
        "12.5 < income <= 30.25 and size <= medium",
        "12.5 < income <= 30.25 and size > medium (or missing)",
        "30.25 < income <= 52.75 and colour in {red, blue, black} (or missing)",
        "30.25 < income <= 52.75 and colour = green",
        "income is missing",
        "income > 52.75 and colour = red",
        "income > 52.75 and colour = green",
        "income > 52.75 and colour in {blue, black} (or missing)",
    ]


def test_as_text(weather):
    assert rules(weather).text().splitlines()[:3] == [
        "covers  share  confidence  rule",
        "     4  28.6%      100.0%  if outlook = overcast then play = Yes",
        "     3  21.4%      100.0%  if outlook = rain and windy = false then play = Yes",
    ]
    assert str(rules(weather)) == repr(rules(weather)) == rules(weather).text()


def test_a_regression_has_means_and_no_confidence(prices):
    assert rules(prices).text().splitlines() == [
        "covers  share  rule",
        "     3  30.0%  if area <= 75 (or missing) then price = 100",
        "     2  20.0%  if area > 75 and town = york then price = 250.5",
        "     5  50.0%  if area > 75 and town = bath then price = 180",
    ]
    assert [rule.confidence for rule in rules(prices)] == [None] * 3


def test_as_json(loans):
    record = json.loads(json.dumps(rules(loans).to_json()))
    assert record["target"] == "risk"
    assert len(record["rules"]) == 9
    assert record["rules"][1] == {
        "if": [
            {"attribute": "income", "above": 12.5, "at_most": 30.25, "missing": False},
            {"attribute": "size", "at_most": "medium", "missing": False},
        ],
        "then": "low",
        "weight": 6.0,
        "share": 6 / 38,
        "confidence": 5 / 6,
    }


def test_a_root_alone_always_says_the_same(by_hand):
    model = by_hand.classifier(Schema((Numeric("x"),)), [2, 5], "y", ["a", "b"])
    (only,) = rules(model)
    assert (str(only), only.confidence, only.share) == ("always y = b", 5 / 7, 1)
    assert rules(model).for_class("b").text() == "y = b where\n     anything"
    assert rules(model).for_class("a").text() == "y = a nowhere"
    assert (rules(model).for_class("b").sql(), rules(model).for_class("a").sql()) == ("(1 = 1)", "1 = 0")
    base = table_of(model, [(1.0,), (None,)])
    assert base.execute(rules(model).sql()).fetchall() == [(1.0, "b"), (None, "b")]
    base.close()


@pytest.mark.parametrize("name", ["weather", "loans", "prices"])
def test_sql_predicts_what_the_tree_does(name, request):
    model = request.getfixturevalue(name)
    rows = every_kind_of_row(model)
    base = table_of(model, rows)
    found = base.execute(rules(model).sql()).fetchall()
    base.close()
    assert [row[:-1] for row in found] == rows
    assert [row[-1] for row in found] == descended(model, rows)


def test_where_nothing_is_spread_sql_agrees_with_the_tree_itself(loans):
    assert (settled(loans.tree_).missing == loans.tree_.missing).all()
    assert "--" not in rules(loans).sql()


def test_where_missing_cells_are_spread_sql_says_what_it_does_instead(weather):
    note = (
        "-- NULL and unseen values take the branch with the most rows; predict splits them over all branches"
    )
    assert rules(weather).sql().splitlines()[0] == note


@pytest.mark.parametrize("name", ["weather", "loans"])
def test_the_disjunction_of_a_class_holds_exactly_where_the_tree_predicts_it(name, request):
    model = request.getfixturevalue(name)
    rows = every_kind_of_row(model)
    base = table_of(model, rows)
    predicted = descended(model, rows)
    for label in model.classes_.tolist():
        where = rules(model).for_class(label).sql()
        found = base.execute(f"SELECT * FROM t WHERE {where}").fetchall()
        assert found == [row for row, said in zip(rows, predicted, strict=True) if said == label]
    base.close()


def test_the_disjunction_of_the_weather(weather):
    assert rules(weather).for_class("Yes").text() == (
        "play = Yes where\n"
        "     outlook = overcast\n"
        "  or outlook = rain and windy = false\n"
        "  or outlook = sunny and humidity = normal"
    )


def test_branches_that_agree_are_taken_together(by_hand):
    schema = Schema((Nominal("sky", ("blue", "grey", "black")), Numeric("wind"), Numeric("rain")))
    calm = by_hand.split("wind", [4, 1], [3, 2], cut=5.0)  # both say "go"
    wet = by_hand.split("rain", [2, 0], [0, 2], [0, 1], cut=0.5, missing=2)
    root = by_hand.split("sky", calm, [6, 1], wet, groups=[["blue"], ["grey"], ["black"]])
    found = rules(by_hand.classifier(schema, root, "walk", ["go", "stay"]))
    going, staying = found.for_class("go"), found.for_class("stay")
    assert [rule.premise for rule in going] == ["sky in {blue, grey}", "sky = black and rain <= 0.5"]
    assert (going[0].weight, going[0].confidence) == (17, 13 / 17)
    assert [rule.premise for rule in staying] == ["sky = black and rain > 0.5 (or missing)"]
    assert len(found) == 6


def test_agreeing_on_all_known_values_says_known(by_hand):
    schema = Schema((Numeric("x"),))
    root = by_hand.split("x", [3, 0], [2, 1], [0, 4], cut=1.5, missing=2)
    found = rules(by_hand.classifier(schema, root, "y", ["a", "b"]))
    assert found.for_class("a").text() == "y = a where\n     x is known"
    assert found.for_class("a").sql() == '("x" IS NOT NULL)'
    assert found.for_class("b").text() == "y = b where\n     x is missing"


def test_numbers_and_truths_as_labels(by_hand):
    schema = Schema((Numeric("x"),))
    for labels, literals in (([1, 2], ["1", "2"]), ([False, True], ["FALSE", "TRUE"])):
        root = by_hand.split("x", [3, 0], [0, 1], cut=1.5)
        found = rules(by_hand.classifier(schema, root, "y", labels))
        assert [line.rpartition(" ")[2] for line in found.sql(None).splitlines()[1:-1]] == literals
        assert json.loads(json.dumps(found.to_json()))["rules"][0]["then"] == labels[0]


def test_hostile_names_stay_names(by_hand):
    bad = "x\"'; DROP TABLE t; --"
    schema = Schema((Nominal(bad, ("<b>", "it's", "\x1b[2J")),))
    root = by_hand.split(bad, [3, 0], [0, 1], groups=[["<b>", "\x1b[2J"], ["it's"]])
    model = by_hand.classifier(schema, root, bad, ["<script>", "o'clock"])
    rows = [("<b>",), ("it's",), ("\x1b[2J",)]
    base = table_of(model, rows)
    found = base.execute(rules(model).sql()).fetchall()
    base.close()
    assert [said for _, said in found] == ["<script>", "o'clock", "<script>"]
    html = rules(model)._repr_html_()
    assert "<b>" not in html
    assert "<script>" not in html
    assert "\x1b" not in html + rules(model).text()


def test_only_single_trees_have_rules(prices, weather):
    with pytest.raises(TypeError, match="Schema has no tree_; pass one fitted decision tree"):
        rules(Schema(()))
    with pytest.raises(DataError, match="'price' is a number and has no classes"):
        rules(prices).for_class(100.0)
    with pytest.raises(DataError, match=r"no class 'yes'\. Did you mean 'Yes'\?"):
        rules(weather).for_class("yes")


def test_a_rule_is_a_value(prices):
    assert rules(prices)[0].conditions == (Within(prices.schema_["area"], high=75.0, missing=True),)
    assert list(rules(prices)) == list(rules(prices))
