"""The worked examples of attribute scores, digit by digit, through tables and derivations."""

import math

import pytest

import openbook
from openbook.features import score_attributes

IDS = ["pmi_mi_chi2.toy_a1", "pmi_mi_chi2.toy_a2", "pmi_mi_chi2.weather_outlook", "pmi_mi_chi2.own_2"]


def exactly(expected):
    """Equal to the last digits of a double."""
    return pytest.approx(expected, rel=1e-13, abs=1e-15)


def table_of(record):
    """The record's rows, attribute and target; a table of counts as so many rows."""
    data, expected = record["data"], record["expected"]
    if "rows" in data:
        return data["rows"], data["attribute"], data["target"]
    rows = [
        {"a": value, "c": label}
        for label, counts in zip(expected["row_labels"], expected["table"], strict=True)
        for value, count in zip(expected["col_labels"], counts, strict=True)
        for _ in range(count)
    ]
    return rows, "a", "c"


def bare(label):
    """`c=Y` as `Y`, as openbook reads it."""
    return label.rpartition("=")[2]


@pytest.mark.parametrize("id_", IDS)
def test_scores(golden, id_):
    record = golden(id_)
    rows, attribute, target = table_of(record)
    expected = record["expected"]
    table = openbook.read(rows)
    information = score_attributes(table, target, "mutual_information")[attribute]
    assert information.score == exactly(expected["mi"])
    assert score_attributes(table, target, "information_gain")[attribute].score == exactly(expected["mi"])
    chi = score_attributes(table, target, "chi_squared")[attribute]
    assert chi.score == exactly(expected["chi2"])
    assert chi.test.dof == (expected["dof"],)
    ratio = score_attributes(table, target, "gain_ratio")[attribute]
    assert ratio.score == exactly(expected["mi"] / expected["h_attr"])
    symmetrical = score_attributes(table, target, "symmetrical_uncertainty")[attribute]
    assert symmetrical.score == exactly(2 * expected["mi"] / (expected["h_class"] + expected["h_attr"]))


@pytest.mark.parametrize("id_", IDS)
def test_derivations(golden, id_):
    record = golden(id_)
    rows, attribute, target = table_of(record)
    expected, table = record["expected"], openbook.read(rows)
    information = score_attributes(table, target, "mutual_information").work(attribute)
    chi = score_attributes(table, target, "chi_squared").work(attribute)
    for c, label in enumerate(map(bare, expected["row_labels"])):
        for v, value in enumerate(map(bare, expected["col_labels"])):
            cell = f"({target} = {label}, {attribute} = {value})"
            pmi = expected["pmi"][c][v]
            assert information[f"PMI{cell}"].result == (None if pmi is None else exactly(pmi))
            assert chi[f"E{cell}"].result == exactly(expected["expected_counts"][c][v])
    assert information["MI"].result == exactly(expected["mi"])
    assert chi["χ²"].result == exactly(expected["chi2"])
    assert chi["d"].result == expected["dof"]
    gain = score_attributes(table, target, "gain_ratio").work(attribute)
    assert gain[f"H({target})"].result == exactly(expected["h_class"])
    assert gain[f"H({attribute})"].result == exactly(expected["h_attr"])
    assert gain["gain"].result == exactly(expected["mi"])


def test_pmi_by_class(golden):
    expected = golden("pmi_mi_chi2.weather_outlook")["expected"]
    rows, attribute, target = table_of(golden("pmi_mi_chi2.weather_outlook"))
    score = score_attributes(rows, target, "pmi")[attribute]
    tops = {
        label: max(value for value in row if value is not None)
        for label, row in zip(expected["row_labels"], expected["pmi"], strict=True)
    }
    assert score.per_class == exactly(tops)
    assert score.score == exactly(9 / 14 * tops["yes"] + 5 / 14 * tops["no"])


def test_each_value_as_an_attribute_of_its_own(golden):
    record = golden("pmi_mi_chi2.weather_outlook_binarised")
    rows, target = record["data"]["rows"], record["data"]["target"]
    answers = record["expected"]
    split = [{**{value: row["outlook"] == value for value in answers}, target: row[target]} for row in rows]
    for measure, key in (("mutual_information", "mi"), ("chi_squared", "chi2")):
        scores = score_attributes(split, target, measure)
        assert {row.attribute: row.score for row in scores} == exactly(
            {value: answer[key] for value, answer in answers.items()}
        )
        assert scores.names == ("overcast", "sunny", "rainy")  # the largest first
    for value, answer in answers.items():  # the record has the class yes first, and the value before the rest
        counts = score_attributes(split, target)[value].evidence.counts
        assert counts[::-1, ::-1].tolist() == answer["table"]


def test_mutual_information_is_the_mean_of_pmi(golden):
    expected = golden("pmi_mi_chi2.own_2")["expected"]
    mean = math.fsum(
        count / expected["n"] * pmi
        for counts, row in zip(expected["table"], expected["pmi"], strict=True)
        for count, pmi in zip(counts, row, strict=True)
    )
    assert mean == exactly(expected["mi"])
