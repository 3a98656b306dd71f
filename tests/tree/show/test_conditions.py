"""What a branch says: in words, as JSON, as SQL; and what joins to what."""

import math
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.data import Nominal, Numeric, Ordinal
from openbook.errors import DataError
from openbook.tree.engine.nodes import LEAF, SPREAD, Tree, leaf_of
from openbook.tree.show.named_tree import condition, settled
from openbook.work.conditions import Is, Within, exact_digits, literal, quoted, simplified

INCOME = Numeric("income")
SIZE = Ordinal("size", ("small", "medium", "large"))
COLOUR = Nominal("colour", ("red", "green", "blue", "black"))


def branch_of(tree, node, cell):
    """The branch that a cell takes on its way down: of the test alone, with leaves below."""
    kept = [node, *tree.children(node)]
    alone = Tree(*(a if name == "routes" else a[kept] for name, a in tree._asdict().items()))
    alone.attribute[:], alone.first[0] = [0] + [LEAF] * (len(kept) - 1), 1
    leaf = leaf_of(alone, [cell])
    return SPREAD if leaf == SPREAD else leaf - 1


@pytest.mark.parametrize(
    ("said", "words", "branch", "record", "sql"),
    [
        (
            Within(INCOME, high=12.5),
            "income <= 12.5",
            "<= 12.5",
            {"at_most": 12.5, "missing": False},
            '"income" <= 12.5',
        ),
        (
            Within(INCOME, 12.0, missing=True),
            "income > 12 (or missing)",
            "> 12 (or missing)",
            {"above": 12.0, "missing": True},
            '("income" > 12 OR "income" IS NULL)',
        ),
        (
            Within(INCOME, 1e-7, 0.1 + 0.2),
            "1e-07 < income <= 0.30000000000000004",
            None,
            {"above": 1e-7, "at_most": 0.1 + 0.2, "missing": False},
            '"income" > 1e-07 AND "income" <= 0.30000000000000004',
        ),
        (
            Within(INCOME, math.inf, -math.inf, missing=True),
            "income is missing",
            "missing",
            {"is": "missing"},
            '"income" IS NULL',
        ),
        (Within(INCOME), "income is known", None, {"is": "known"}, '"income" IS NOT NULL'),
        (Within(INCOME, 3, 2), "income is impossible", None, {"is": "impossible"}, "1 = 0"),
        (
            Within(SIZE, high=0.5),
            "size <= small",
            "<= small",
            {"at_most": "small", "missing": False},
            "\"size\" = 'small'",
        ),
        (
            Within(SIZE, 0.5, missing=True),
            "size > small (or missing)",
            "> small (or missing)",
            {"above": "small", "missing": True},
            '("size" <> \'small\' OR "size" IS NULL)',
        ),
        (
            Within(SIZE, 0.5, 1.5),
            "size = medium",
            None,
            {"above": "small", "at_most": "medium", "missing": False},
            "\"size\" = 'medium'",
        ),
        (
            Is(COLOUR, ("red",)),
            "colour = red",
            "red",
            {"values": ["red"], "missing": False},
            "\"colour\" = 'red'",
        ),
        (
            Is(COLOUR, ("red", "blue")),
            "colour in {red, blue}",
            "red, blue",
            {"values": ["red", "blue"], "missing": False},
            "\"colour\" IN ('red', 'blue')",
        ),
        (
            Is(COLOUR, ("red", "blue"), missing=True),
            "colour in {red, blue} (or missing)",
            "red, blue (or missing)",
            {"values": ["red", "blue"], "missing": True},
            "(\"colour\" NOT IN ('green', 'black') OR \"colour\" IS NULL)",
        ),
        (
            Is(COLOUR, (), missing=True),
            "colour is missing",
            "missing",
            {"is": "missing"},
            "(\"colour\" NOT IN ('red', 'green', 'blue', 'black') OR \"colour\" IS NULL)",
        ),
        (Is(COLOUR, COLOUR.values, missing=True), "colour is anything", None, {"is": "anything"}, "1 = 1"),
    ],
)
def test_it_says_what_it_means(said, words, branch, record, sql):
    assert str(said) == words
    assert branch is None or said.branch == branch
    assert said.to_json() == {"attribute": said.attribute.name} | record
    assert said.sql() == sql


@pytest.mark.parametrize(
    ("said", "yes", "no"),
    [
        (Within(INCOME, high=12.5), [12.5, -math.inf], [12.500001, math.nan, math.inf]),
        (Within(INCOME, 12.5, missing=True), [12.500001, math.nan, math.inf], [12.5, -math.inf]),
        (Within(INCOME, 1, 2), [1.5, 2], [1, 2.5, math.nan]),
        (Within(SIZE, high=1.5), [0, 1], [2, -1, -2, math.nan]),
        (Within(SIZE, 1.5, missing=True), [2, -1, -2, math.nan], [0, 1]),
        (Is(COLOUR, ("red", "blue")), [0, 2.0], [1, 3, -1, -2, math.nan]),
        (Is(COLOUR, ("red",), missing=True), [0, -1, -2, math.nan], [1, 2, 3]),
    ],
)
def test_which_cells_satisfy_it(said, yes, no):
    assert [said.holds(cell) for cell in yes + no] == [True] * len(yes) + [False] * len(no)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_threshold_as_printed_lies_where_it_lay(cut, value):
    printed = float(exact_digits(cut))
    assert (value <= printed) == (value <= cut)
    neighbour = math.nextafter(cut, math.inf)
    assert not neighbour <= printed


def test_values_that_could_be_misread_are_quoted():
    odd = Nominal("where", ("Bath, York", "", " x ", "{a}", 'the "inn"', "it's"))
    assert str(Is(odd, odd.values[:3])) == 'where in {"Bath, York", "", " x "}'
    assert [Is(odd, (v,)).branch for v in odd.values[3:]] == ['"{a}"', '"the \\"inn\\""', "it's"]


def test_a_name_cannot_command_a_terminal():
    assert "\x1b" not in str(Is(Nominal("a\x1b[2J", ("b\x1b[2J", "c")), ("b\x1b[2J",)))


HOSTILE = ["'; DROP TABLE t; --", '"; DROP TABLE t; --', "a\\' OR 1=1", "''", '""', "`x`", "––\n", "%s ? :x"]


@pytest.mark.parametrize("quote", ['"', "`"])
def test_hostile_names_and_values_are_but_names_and_values_in_sql(quote):
    base = sqlite3.connect(":memory:")
    names = [*HOSTILE, "plain"]
    base.execute(f"CREATE TABLE t ({', '.join(quoted(name, quote) + ' TEXT' for name in names)})")
    for value in HOSTILE:
        base.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", [value] * len(names))
    for name in names:
        attribute = Nominal(name, tuple(HOSTILE))
        for value in HOSTILE:
            sql = f"SELECT {quoted(name, quote)} FROM t WHERE {Is(attribute, (value,)).sql(quote)}"
            assert base.execute(sql).fetchall() == [(value,)]
    base.close()


def test_sql_cannot_write_a_nul():
    for said in (Is(Nominal("a", ("x\0y", "z")), ("x\0y",)), Within(Numeric("a\0b"), 1.0)):
        with pytest.raises(DataError, match=r"holds a NUL character, which SQL cannot write; rename it"):
            said.sql()


def test_literals():
    assert [literal(v) for v in (np.int64(2**60), np.float64(0.1), np.str_("a'b"), np.bool_(False))] == [
        "1152921504606846976",
        "0.1",
        "'a''b'",
        "FALSE",
    ]


def test_conditions_join():
    assert Within(INCOME, 1) & Within(INCOME, high=3) & Within(INCOME, high=2.5) == Within(INCOME, 1, 2.5)
    assert Within(INCOME, 1, missing=True) & Within(INCOME, 2, missing=True) == Within(
        INCOME, 2, missing=True
    )
    gone = Within(INCOME, math.inf, -math.inf, missing=True)
    assert str(gone & Within(INCOME, high=3, missing=True)) == "income is missing"
    assert (gone & Within(INCOME, high=3)).never
    assert gone | Within(INCOME, high=3) == Within(INCOME, high=3, missing=True)
    assert str(Within(INCOME, high=3) | Within(INCOME, 3)) == "income is known"
    assert (Within(INCOME, high=3) | Within(INCOME, 3) | gone).always
    reds = Is(COLOUR, ("red", "blue"), missing=True)
    assert reds & Is(COLOUR, ("green", "blue")) == Is(COLOUR, ("blue",))
    assert reds | Is(COLOUR, ("green",)) == Is(COLOUR, ("red", "green", "blue"), missing=True)
    assert (reds | Is(COLOUR, ("green", "black"))).always


def test_simplified_says_one_thing_an_attribute_in_the_order_of_the_path():
    path = [
        Within(INCOME, high=50),
        Is(COLOUR, ("red", "blue")),
        Within(INCOME, 10),
        Is(COLOUR, ("blue", "black")),
        Within(SIZE, -math.inf, math.inf, missing=True),
        Within(INCOME, 20),
    ]
    assert [str(c) for c in simplified(path)] == ["20 < income <= 50", "colour = blue"]


def test_a_branch_says_what_it_takes(loans):
    tree, schema = loans.tree_, loans.schema_
    said = {
        (node, branch): str(condition(schema, tree, node, branch))
        for node in range(tree.size)
        for branch in range(tree.branches[node])
    }
    assert said[0, 0] == "income <= 52.75 (or missing)"
    assert said[0, 1] == "income > 52.75"
    assert said[1, 2] == "income is missing"
    colour = 2
    assert said[colour, 0] == "colour = red"
    # no training row there was blue or black, so they go where missing cells go
    assert said[colour, 2] == "colour in {blue, black} (or missing)"


def test_where_missing_cells_are_spread_no_branch_takes_them(prices):
    tree, schema = prices.tree_, prices.schema_
    assert tree.missing[2] == SPREAD
    assert [str(condition(schema, tree, 2, b)) for b in (0, 1)] == ["town = york", "town = bath"]
    heavy = settled(tree)
    assert heavy.missing.tolist() == [0, SPREAD, 1, SPREAD, SPREAD]
    assert str(condition(schema, heavy, 2, 1)) == "town = bath (or missing)"


@pytest.mark.parametrize("model", ["weather", "loans", "prices"])
def test_the_condition_holds_exactly_where_the_tree_descends(model, request):
    model = request.getfixturevalue(model)
    tree, schema = settled(model.tree_), model.schema_
    for node in np.flatnonzero(tree.attribute >= 0):
        attribute = schema.attributes[tree.attribute[node]]
        codes = range(-1, len(getattr(attribute, "values", ())))
        cells = [math.nan if c < 0 else float(c) for c in codes]
        if isinstance(attribute, Numeric):
            cut = tree.cut[node]
            cells = [math.nan, cut, math.nextafter(cut, math.inf), cut - 1, -math.inf, math.inf]
        for cell in cells:
            held = [b for b in range(tree.branches[node]) if condition(schema, tree, node, b).holds(cell)]
            assert held == [branch_of(tree, node, cell)]
