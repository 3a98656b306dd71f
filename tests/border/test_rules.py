"""Parameter rules: what they allow, how they word it, and their way through JSON."""

import json
import math
from dataclasses import dataclass
from inspect import signature
from typing import Annotated

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from openbook.border.not_taken import Declared
from openbook.border.rules import (
    Anything,
    ColumnKinds,
    Flag,
    Maybe,
    Number,
    OneOf,
    ValueOf,
    Whole,
    check_parameters,
)
from openbook.data import Nominal, Numeric, Ordinal
from openbook.errors import DataError, ParameterError


@dataclass(frozen=True)
class Dose:
    amount: float = 1.0


@dataclass(frozen=True)
class Rest:
    pass


# rule, what it demands, what it allows, what it does not
RULES = [
    (OneOf("a", "b"), "one of 'a', 'b'", ["a", "b", np.str_("a")], ["c", "", None, 1, ["a"]]),
    (Number(), "a number", [0, -1.5, np.float32(2), np.int64(3)], [math.nan, math.inf, "1", None, True, 1j]),
    (Number(at_least=0), "a number of at least 0", [0, 0.5], [-1e-9, None]),
    (Number(above=0), "a number above 0", [1e-300], [0, -0.0, False]),
    (Number(above=0, at_most=1), "a number above 0 and at most 1", [1e-9, 1], [0, 1.001, True]),
    (Flag(), "True or False", [True, False], [0, 1, None, "yes"]),
    (Whole(2), "a whole number of at least 2", [2, 10, np.int8(2)], [1, 2.0, True, "2", None]),
    (Maybe(Whole(1)), "None or a whole number of at least 1", [None, 1], [0, "1", True]),
    (ValueOf(Dose, Rest), "one of Dose(…), Rest(…)", [Dose(2.0), Rest()], [Dose, "Dose", None, 2.0]),
    (Anything("what you like"), "what you like", [None, 1, "x"], []),
]


@pytest.mark.parametrize(
    ("rule", "demand", "allowed", "refused"), RULES, ids=[type(r[0]).__name__ for r in RULES]
)
def test_a_rule(rule, demand, allowed, refused):
    assert rule.demand() == demand
    assert all(rule.allows(value) for value in allowed)
    assert not any(rule.allows(value) for value in refused)
    for value in allowed:
        written = json.loads(json.dumps(rule.to_json(value)))
        assert rule.from_json(written) == value


def test_arrays_become_lists():
    assert Anything("priors").to_json(np.array([0.5, 0.5])) == [0.5, 0.5]
    assert Number().to_json(np.float64(0.5)) == 0.5


def test_a_value_is_rebuilt_only_from_its_own_types():
    rule = ValueOf(Dose, Rest)
    assert rule.to_json(Dose(3.0)) == {"type": "Dose", "amount": 3.0}
    with pytest.raises(ValueError, match=r"unknown value 'Dosse'[.] Did you mean 'Dose'[?]"):
        rule.from_json({"type": "Dosse"})
    with pytest.raises(TypeError):
        rule.from_json({"type": "Dose", "colour": "red"})


@pytest.mark.parametrize(
    "kinds",
    [
        None,
        "nominal",
        {"a": "nominal", "b": ["low", "high"]},
        {"a": Nominal("a", ("x", "y")), "b": Ordinal("b", ("1", "2")), "c": Numeric("c")},
        {0: "nominal", 3: Nominal("a", ("x",))},
    ],
    ids=repr,
)
def test_kinds_through_json(kinds):
    rule = ColumnKinds()
    assert rule.from_json(json.loads(json.dumps(rule.to_json(kinds)))) == kinds


def test_kinds_that_are_none():
    with pytest.raises(DataError, match="not an attribute"):
        ColumnKinds().from_json({"a": {"kind": "function"}})


def test_the_first_broken_rule_is_worded():
    class Learner:
        _rules = {"k": Whole(at_least=1), "way": OneOf("up", "down")}
        k, way = 0, "left"

    with pytest.raises(ParameterError) as caught:
        check_parameters(Learner(), Learner._rules)
    assert str(caught.value) == "Learner: k must be a whole number of at least 1, got 0."
    Learner.k = 3
    with pytest.raises(ParameterError, match="Learner: way must be one of 'up', 'down', got 'left'"):
        check_parameters(Learner(), Learner._rules)
    Learner.way = "up"
    check_parameters(Learner(), Learner._rules)


def test_the_fields_of_a_declared_class_are_its_parameters_and_their_annotations_hold_the_rules():
    class Learner(Declared, BaseEstimator):
        k: Annotated[int, Whole(at_least=1)] = 1
        way: Annotated[str, OneOf("up", "down")] = "up"

    class AnotherDefault(Learner):
        k: int = 5
        quiet: bool = False

    class FewerParameters(Learner):
        def __init__(self, quiet: bool = False, share: Annotated[float, Number(above=0)] = 0.5):
            self.quiet, self.share = quiet, share

    assert str(signature(AnotherDefault)) == "(k: int = 5, way: str = 'up', quiet: bool = False) -> None"
    rules = {name: rule.demand() for name, rule in AnotherDefault._rules.items()}
    assert rules == {
        "k": "a whole number of at least 1",
        "way": "one of 'up', 'down'",
        "quiet": Flag().demand(),
    }
    assert AnotherDefault(2, quiet=True).get_params() == {"k": 2, "way": "up", "quiet": True}
    assert list(FewerParameters._rules) == ["quiet", "share"]
