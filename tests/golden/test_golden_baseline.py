"""The worked examples of 1R and 0R: rules, errors, and the choice among equals."""

import pytest

from openbook import read
from openbook.baseline import OneR, ZeroR

EXAMPLES = ["one_r_weather", "one_r_weather_first6", "own_one_r_plants"]


@pytest.mark.parametrize("id_", EXAMPLES)
def test_one_rule(golden, id_):
    record = golden(id_)
    table, expected = read(record["data"]["rows"]), record["expected"]
    target = record["data"]["target"]
    model = OneR().fit(table, target)
    assert model.errors_ == {name: rule["errors"] for name, rule in expected["attributes"].items()}
    assert model.attribute_ == expected["chosen"]
    assert model.rule_ == expected["attributes"][expected["chosen"]]["rule"]
    best = min(model.errors_.values())
    assert [name for name, errors in model.errors_.items() if errors == best] == expected["best"]
    errors = expected["attributes"][expected["chosen"]]["errors"]
    assert model.score(table, table.column(target)) == pytest.approx(1 - errors / len(table), rel=1e-12)


@pytest.mark.parametrize("id_", EXAMPLES)
def test_the_rule_of_every_attribute(golden, id_):
    """On each attribute alone, and in the derivation of all."""
    record = golden(id_)
    table, target = read(record["data"]["rows"]), record["data"]["target"]
    grids = {part.title: part for part in OneR().fit(table, target).work().parts}
    for name, rule in record["expected"]["attributes"].items():
        model = OneR().fit(table.select([name, target]), target)
        assert model.rule_ == rule["rule"]
        assert model.errors_ == {name: rule["errors"]}
        answers = {row[0]: row[-2] for row in grids[name].rows}
        assert answers == rule["rule"]
        assert sum(row[-1] for row in grids[name].rows) == rule["errors"]
        assert [name, rule["errors"], len(table)] in [list(row) for row in grids["errors"].rows]
        assert rule["errors"] / len(table) == pytest.approx(rule["error_rate"], rel=1e-12)


@pytest.mark.parametrize("id_", EXAMPLES)
def test_the_most_frequent_class(golden, id_):
    record = golden(id_)
    table, target = read(record["data"]["rows"]), record["data"]["target"]
    model = ZeroR().fit(table, target)
    wrong = (model.predict(table) != table.column(target).values).sum()
    assert wrong == record["expected"]["zero_r_errors"]
    accuracy = 1 - record["expected"]["zero_r_errors"] / len(table)
    assert model.work()["expected accuracy"].result == pytest.approx(accuracy, rel=1e-12)
