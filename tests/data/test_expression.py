"""Formulas and rules over columns: worked by hand, and never run as code."""

import numpy as np
import pytest

from openbook import describe, read
from openbook.data.expression import definition, formula
from openbook.errors import DataError, ParameterError, UnknownColumn

TABLE = read(
    {
        "a": [1.0, 4.0, None, -2.0],
        "b": [2.0, 0.0, 1.0, 3.0],
        "two words": [1.0, 2.0, 3.0, 4.0],
        "licence": ["yes", "no", "yes", None],
        "size": ["s", "l", "m", "l"],
        "sold": ["2024-02-29", "2023-12-31", "2024-01-01", None],
        "url": ["https://x.org/a/b.html?q=/c", "x.org", "/a/b/", None],
    },
    kinds={"size": ["s", "m", "l"], "url": "nominal"},
)
NAN = np.nan


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * 2 ^ 2", [9, 4, NAN, 10]),
        ("(a + b) * 2 ^ 2", [12, 16, NAN, 4]),
        ("a / b", [0.5, NAN, NAN, -2 / 3]),  # a division by 0 is missing
        ("-a ^ 2", [-1, -16, NAN, -4]),
        ("2 ^ -1 * b", [1, 0, 0.5, 1.5]),
        ("1 - 2 - 3 + 0 * b", [-4, -4, -4, -4]),
        ("sqrt(a)", [1, 2, NAN, NAN]),
        ("max(a, b, 1.5)", [2, 4, NAN, 3]),
        ('"two words" * 10', [10, 20, 30, 40]),
        ("a > 0", [1, 1, NAN, 0]),
        ("a > 0 and b > 0", [1, 0, NAN, 0]),
        ("a > 0 or b > 0", [1, 1, 1, 1]),  # the third is known whatever a is
        ("not a > 0", [0, 0, NAN, 1]),
        ("licence = yes", [1, 0, 1, NAN]),
        ("licence != 'no'", [1, 0, 1, NAN]),
        ("size >= m", [0, 1, 1, 1]),
        ("year(sold) * 100 + month(sold)", [202402, 202312, 202401, NAN]),
        ("day(sold) + weekday(sold) / 10", [29.3, 31.6, 1.0, NAN]),  # Thursday, Sunday, Monday
        ("depth(url)", [2, 0, 2, NAN]),
        ("length(licence)", [3, 2, 3, NAN]),
    ],
)
def test_formulas_by_hand(text, expected):
    np.testing.assert_allclose(formula(text)(TABLE), expected)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a +", "ends too early"),
        ("a b", "'b' does not belong there"),
        ("(a", "ends too early"),
        ("(a b)", "a bracket is not closed"),
        ("lgo(a)", "there is no function 'lgo'. Did you mean 'log'?"),
        ("log(a, b)", "log takes one part"),
        ("max(a)", "max takes two or more parts"),
        ("a; b", "cannot read ';"),
        ("__import__('os')", "there is no function '__import__'"),
        ("a" * 2000, "at most 1,000 characters"),
    ],
)
def test_what_is_wrong_is_said(text, complaint):
    with pytest.raises(ParameterError) as error:
        formula(text)
    assert complaint in str(error.value)


def test_what_does_not_fit_the_table_is_said():
    with pytest.raises(UnknownColumn, match="nowhere"):
        formula("nowhere + 1")(TABLE)
    with pytest.raises(DataError, match="'licence' is nominal, and numbers are needed"):
        formula("licence + 1")(TABLE)
    with pytest.raises(DataError, match="have no order"):
        formula("licence > yes")(TABLE)
    with pytest.raises(DataError, match=r"'licence' has no value 'yess'. Did you mean 'yes'"):
        formula("licence = yess")(TABLE)
    with pytest.raises(DataError, match="year is of dates"):
        formula("year(a)")(TABLE)
    with pytest.raises(ParameterError, match="must be a new name, = and a formula"):
        definition("a + b")


def test_rows_that_break_a_rule_are_named():
    people = read({"age": [12, 12, 30, None], "licence": ["no", "yes", "yes", "yes"]})
    rule = "age >= 18 where licence = yes"
    assert people.violations(rule).tolist() == [1]
    assert people.violations("age >= 18").tolist() == [0, 1]
    found = [one for one in describe(people, rules=[rule]).findings if one.kind == "rule"]
    assert found[0].columns == ("age", "licence")
    assert "1 row breaks the rule" in found[0].message
    assert describe(people, rules=["age < 99"]).findings == describe(people).findings
    with pytest.raises(ParameterError, match="must compare something"):
        people.violations("age")
