"""Worked examples of belief networks and of correlated tests, digit by digit."""

import json
from pathlib import Path

import numpy as np
import pytest

from openbook.network import BeliefNetwork

RECORDS = json.loads((Path(__file__).parent / "worked_examples.json").read_text(encoding="utf-8"))
BY_ID = {record["id"]: record for record in RECORDS}


def network_of(record):
    return BeliefNetwork.from_tables(
        {
            name: {
                "values": node["values"],
                "parents": node["parents"],
                "table": {
                    tuple(row["given"][parent] for parent in node["parents"]): row["p"]
                    for row in node["prob_first_value"]
                }
                if node["parents"]
                else node["prob_first_value"][0]["p"],
            }
            for name, node in record["data"]["network"].items()
        }
    )


def questions():
    for name in ("belief_network.heart_prior", "belief_network.heart_all_evidence"):
        record = BY_ID[name]
        yield pytest.param(
            record, record["data"]["query"], record["data"]["evidence"], record["expected"], id=name
        )
    record = BY_ID["belief_network.own_wet_ground"]
    for expected in record["expected"]:
        yield pytest.param(
            record, expected["query"], expected["evidence"], expected, id=str(expected["evidence"])
        )


@pytest.mark.parametrize(("record", "query", "evidence", "expected"), list(questions()))
def test_answer_and_derivation(record, query, evidence, expected):
    network = network_of(record)
    answer = network.query(query, given=evidence)
    values = network.nodes_[[node.name for node in network.nodes_].index(query)].values
    assert answer.joint.tolist() == pytest.approx([expected["joint"][v] for v in values], rel=1e-12)
    assert answer.evidence == pytest.approx(expected["evidence_probability"], rel=1e-12)
    for value in values:
        assert answer[value] == pytest.approx(expected["posterior"][value], rel=1e-12)
    work = network.work(query, given=evidence)
    if "terms" in expected:
        terms = [row[-1] for row in work[f"P({query} = {values[0]})"]["terms"].rows]
        assert terms == pytest.approx(expected["terms"], rel=1e-12)
    if evidence:
        assert work["P(e)"].result == pytest.approx(expected["evidence_probability"], rel=1e-12)
        for value in values:
            found = work[f"P({query} = {value} | e)"].result
            assert found == pytest.approx(expected["posterior"][value], rel=1e-12)


@pytest.mark.parametrize("name", ["tests_both_negative", "tests_both_positive", "own_tests_prior30"])
def test_correlated_tests_beside_naive_bayes(name):
    data, expected = BY_ID[name]["data"], BY_ID[name]["expected"]
    prior = data["P_Y1"]
    (one, _), (none, none2) = data["P_X0_given_Y1"], data["P_X0_given_Y0"]
    y = {"values": [0, 1], "table": [1 - prior, prior]}
    first = {"values": [0, 1], "parents": ["y"], "table": {0: none, 1: one}}
    true = {  # given y = 1 the tests always agree; given y = 0 they are independent
        "values": [0, 1],
        "parents": ["y", "first"],
        "table": {(0, 0): none2, (0, 1): none2, (1, 0): 1.0, (1, 1): 0.0},
    }
    naive = {"values": [0, 1], "parents": ["y"], "table": {0: none2, 1: data["P_X0_given_Y1"][1]}}
    given = dict(zip(("first", "second"), data["observed"], strict=True))
    for second, part in ((true, expected["true"]), (naive, expected["naive"])):
        answer = BeliefNetwork.from_tables({"y": y, "first": first, "second": second}).query("y", given=given)
        np.testing.assert_allclose(answer.joint, part["joint"], rtol=1e-12)
        np.testing.assert_allclose(answer.probabilities, part["posterior"], rtol=1e-12)
        assert answer.most_probable == str(part["prediction"])
