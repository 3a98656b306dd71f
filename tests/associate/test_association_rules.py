"""Association rules: every figure by hand, all rules against every split, constraints, redundancy, chance."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbook import load
from openbook.associate import association_rule, association_rules, frequent_itemsets
from openbook.errors import DataError, ParameterError

BASKETS = [
    ["bread", "milk"],
    ["bread", "diapers", "beer", "eggs"],
    ["milk", "diapers", "beer", "cola"],
    ["bread", "milk", "diapers", "beer"],
    ["bread", "milk", "diapers", "cola"],
]


def told(rules):
    return {str(rule) for rule in rules}


def test_a_rule_by_hand():
    """{milk, diapers} → {beer}: support 2/5, confidence 2/3, lift (2/3)/(3/5), leverage 2/5 - 3/5 · 3/5."""
    rules = association_rules(frequent_itemsets(BASKETS, 0.4), min_confidence=0.6, redundant=True)
    rule = next(rule for rule in rules if str(rule) == "diapers and milk → beer")
    assert (rule.both, rule.antecedents, rule.consequents, rule.n) == (2, 3, 3, 5)
    assert rule.support == 0.4
    assert rule.confidence == pytest.approx(2 / 3)
    assert rule.lift == pytest.approx(10 / 9)
    assert rule.leverage == pytest.approx(0.04)
    assert rule.conviction == pytest.approx((2 / 5) / (1 / 3))
    # 2 or 3 of the 3 that hold milk and diapers, among 3 of 5 that hold beer: (3·2 + 1·1) / 10
    assert rule.chance == pytest.approx(0.7)
    assert rule.p_value == 1.0
    results = {step.label: step.result for step in rule.work().steps()}
    assert results["confidence"] == rule.confidence
    assert results["expected by chance"] == 9 / 5
    assert rule.work().parts[0].rows[0] == ("diapers and milk", 2, 1, 3)


def test_a_certain_rule_has_infinite_conviction():
    rules = association_rules(frequent_itemsets(BASKETS, 0.4), min_confidence=1)
    beer = next(rule for rule in rules if str(rule) == "beer → diapers")
    assert beer.conviction == math.inf
    assert "∞" in repr(rules)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcde"), max_size=5), min_size=2, max_size=20),
    st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]),
    st.sampled_from([None, 1, 2]),
)
def test_all_rules_are_found(baskets, confidence, longest):
    itemsets = frequent_itemsets(baskets, 0.15)
    rules = association_rules(itemsets, confidence, max_consequent=longest, redundant=True)
    support = {frozenset(each.items): each.count for each in itemsets}
    expected, eligible = set(), 0
    for items, both in support.items():
        for k in range(1, len(items)):
            for then in map(frozenset, combinations(items, k)):
                if longest is not None and k > longest:
                    continue
                eligible += 1
                if both >= confidence * support[items - then]:
                    expected.add((items - then, then))
    assert {(frozenset(rule.antecedent), frozenset(rule.consequent)) for rule in rules} == expected
    assert rules.eligible == eligible


def test_redundant_rules_are_left_out():
    itemsets = frequent_itemsets(BASKETS, 0.2)
    every = association_rules(itemsets, 0.5, redundant=True)
    kept = association_rules(itemsets, 0.5)
    assert "beer → diapers" in told(kept)
    assert "beer and milk → diapers" in told(every) - told(kept)  # no more confident than beer alone
    assert len(kept) + kept.redundant == len(every)
    confidence = {(rule.antecedent, rule.consequent): rule.confidence for rule in every}
    for rule in kept:
        for k in range(1, len(rule.antecedent)):
            for part in combinations(rule.antecedent, k):
                assert confidence.get((part, rule.consequent), 0) < rule.confidence


def test_sides_are_constrained_by_item_or_column():
    itemsets = frequent_itemsets(load("weather"), 0.14)
    rules = association_rules(itemsets, 0.7, consequent=["play"])
    assert rules
    assert all(len(r.consequent) == 1 and r.consequent[0].startswith("play = ") for r in rules)
    no = association_rules(itemsets, 0.7, consequent="play = No", antecedent=["humidity", "outlook = sunny"])
    assert told(no) == {"outlook = sunny and humidity = high → play = No"}
    # of {outlook, humidity, play}: only play may stand right, and it may stand left
    assert no.eligible == sum(
        1 for each in itemsets
        if "play = No" in each.items and len(each.items) > 1
        and all(i == "play = No" or i.startswith("humidity") or i == "outlook = sunny" for i in each.items)
    )  # fmt: skip
    with pytest.raises(ParameterError, match=r"no item or column 'plya'\. "):
        association_rules(itemsets, consequent=["plya"])


def test_lift_and_the_number_of_rules_are_bounded():
    itemsets = frequent_itemsets(BASKETS, 0.2)
    assert all(rule.lift >= 1.2 for rule in association_rules(itemsets, 0.1, min_lift=1.2))
    with pytest.raises(ParameterError, match="there are more than 3 rules; raise min_confidence"):
        association_rules(itemsets, 0.1, most=3)
    for options in ({"min_confidence": 1.2}, {"min_lift": -1}, {"max_consequent": 0}):
        with pytest.raises(ParameterError, match=f"{next(iter(options))} must be"):
            association_rules(itemsets, **options)


def test_what_is_no_more_than_chance_is_not_significant():
    """Of common items confident rules abound; only the planted one is significant."""
    rng = np.random.default_rng(0)
    significant = 0
    for seed in range(20):
        matrix = np.random.default_rng(seed).random((300, 8)) < 0.6
        rules = association_rules(frequent_itemsets(matrix, 0.1), 0.6)
        assert len(rules) > 20
        significant += bool(rules.significant())
    assert significant <= 3  # one in twenty tables, on average at most
    matrix = rng.random((300, 8)) < 0.6
    matrix[:, 1] = np.where(rng.random(300) < 0.9, matrix[:, 0], matrix[:, 1])
    planted = association_rules(frequent_itemsets(matrix, 0.1), 0.6).significant()
    assert all({"x0", "x1"} <= {*rule.antecedent, *rule.consequent} for rule in planted)
    assert "x0 → x1" in told(planted)


def test_the_picture_and_the_table():
    rules = association_rules(frequent_itemsets(load("weather"), 0.2), 0.8)
    picture = rules.draw()
    assert picture.title == "Association rules"
    assert picture.svg().count("<circle") == len(rules) + 3  # and a legend of three
    assert "1 redundant rule left out." in rules.work().text()
    assert rules.work(0).title == str(rules[0])
    none = association_rules(frequent_itemsets([["a"], ["b"]], 0.5))
    assert len(none) == 0
    with pytest.raises(DataError, match="there are no rules to draw; lower min_confidence"):
        none.draw()


def test_a_rule_that_is_asked_for():
    rule = association_rule(BASKETS, ["milk", "diapers"], "beer")
    found = association_rules(frequent_itemsets(BASKETS, 0.4), min_confidence=0.6, redundant=True)
    same = next(one for one in found if str(one) == "diapers and milk → beer")
    assert (rule.both, rule.antecedents, rule.consequents, rule.chance) == pytest.approx(
        (same.both, same.antecedents, same.consequents, same.chance)
    )
    assert rule.p_value == rule.chance  # one rule was looked at
    rare = association_rule(frequent_itemsets(BASKETS, 0.6), "eggs", "milk")
    assert (rare.confidence, rare.lift, rare.conviction) == (0, 0, 0.2)


@pytest.mark.parametrize(
    ("sides", "complaint"),
    [
        (("beeer", "milk"), "no item 'beeer'. Did you mean 'beer'"),
        (("beer", "beer"), "none on both at once"),
        (([], "beer"), "items on both sides"),
        ((["eggs", "cola"], "beer"), "no transaction holds eggs and cola"),
    ],
)
def test_a_rule_that_cannot_be(sides, complaint):
    with pytest.raises((DataError, ParameterError), match=complaint):
        association_rule(BASKETS, *sides)
