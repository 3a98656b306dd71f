"""Columns of sets of labels: told from evidence, read as such, described, written down and read back."""

import numpy as np
import pytest

import openbook as ob
from openbook.data import Attribute, Labels, Nominal, Schema, Table
from openbook.data.conform import conform
from openbook.data.label_sets import LabelSets, free_separator, label_sets, with_label_sets
from openbook.errors import DataError

SETS = ["sport|politics", "sport", "politics | sport", None, "health", "health|sport"]


def read(cells, **kinds):
    return ob.read([{"topics": cell} for cell in cells], kinds or None)


@pytest.mark.parametrize("sign", ["|", ";", ",", ", ", "; "])
def test_sets_are_told_by_what_separates_their_labels(sign):
    table = read([cell and cell.replace("|", sign) for cell in SETS])
    topics = table.schema["topics"]
    assert isinstance(topics, Labels)
    assert topics.labels == ("health", "politics", "sport")
    assert topics.separator.strip() == sign.strip()
    assert table.why["topics"] == f"cells are sets, separated by {sign.strip()!r}: 3 labels in 5 sets"
    # the same set in any order, and an empty cell is the empty set
    assert [len(topics.labels_of(value)) for value in table.column("topics")] == [2, 1, 2, 0, 1, 2]
    assert table.notes == ("topics: 1 empty cell read as the empty set of labels",)
    assert topics.has[table.data("topics")].astype(int).tolist() == [
        [0, 1, 1],
        [0, 0, 1],
        [0, 1, 1],
        [0, 0, 0],
        [1, 0, 0],
        [1, 0, 1],
    ]


@pytest.mark.parametrize(
    "cells",
    [
        ["Paris, France", "Lyon, France", "Rome, Italy", "Milan, Italy"],  # places: no town comes second
        ["Smith, John", "Miller, Ann", "Jones, Bob"],  # nothing recurs
        ["1,5", "2,5", "1,2"],  # numbers
        ["a long clause that is much more than a label, and another", "and another"],
        ["red", "green"],
        ["a;a", "b"],  # a set has no label twice
    ],
)
def test_other_texts_are_no_sets(cells):
    assert not isinstance(read(cells).schema["topics"], Labels)


def test_the_kind_can_be_asked_for_and_refused():
    assert read(["a;b", "c"], topics="labels").schema["topics"].labels == ("a", "b", "c")
    assert read(["a;b", "c"], topics=Labels("x", separator="|")).schema["topics"].labels == ("a;b", "c")
    assert type(read(SETS, topics="nominal").schema["topics"]) is Nominal


def test_description_counts_labels_not_sets():
    table = read([*SETS, "Sport"])
    described = ob.describe(table, "topics")
    assert described["topics"].top_values == (("sport", 4), ("health", 2), ("politics", 2), ("Sport", 1))
    assert "sport (4) · health (2)" in str(described)
    kinds = {one.kind: one.message for one in described.findings}
    assert kinds["rare label"].startswith("rare labels: 'Sport' (1 row).")
    assert "'sport' (4), 'Sport' (1)" in kinds["spelling"]


def test_written_down_and_read_back_checked():
    topics = Labels.of("topics", ["b;a", "a", ""], ";")
    assert Attribute.from_json(topics.to_json()) == topics
    assert topics.encode("a ; b") == topics.encode("b;a") >= 0
    assert topics.encode(None) == topics.encode("")
    for odd, message in [
        ({"separator": "x"}, "separator must be one of"),
        ({"values": ["b;a"]}, "not a set of labels in order"),
        ({"values": "a"}, "values must be a list of strings"),
    ]:
        with pytest.raises(DataError, match=message):
            Attribute.from_json({**topics.to_json(), **odd})


def test_new_rows_are_read_by_the_sets_of_training():
    topics = Labels.of("topics", ["a|b", "a", ""])
    given = Table(Schema((Nominal("topics", ("b|a", "c")),)), [np.array([0, 1, -1])])
    assert conform(given, Schema((topics,))).column("topics").tolist() == ["a|b", None, ""]
    assert conform(given, Schema((topics,)), grow=True).schema["topics"].labels == ("a", "b", "c")


def test_label_sets_and_columns_tell_the_same():
    sets = LabelSets(np.array([[1, 0], [1, 1], [0, 0]], dtype=bool), ("x", "y"), "both")
    column = sets.column()
    assert column.tolist() == ["x", "x|y", ""]
    back = label_sets(column)
    assert (back.labels, back.name, back.cells.tolist()) == (sets.labels, "both", sets.cells.tolist())


def test_columns_of_0_and_1_become_one_column():
    table = ob.read([{"v": 1, "a|b": "yes", "c": 0}, {"v": 2, "a|b": "no", "c": 0}])
    both = with_label_sets(table, ["a|b", "c"])
    assert both.names == ("v", "labels")
    assert both.column("labels").tolist() == ["a|b", ""]  # the separator is one that no label holds
    assert both.schema["labels"].labels == ("a|b",)
    with pytest.raises(DataError, match="there is a column 'labels' beside the labels c, v"):
        with_label_sets(ob.read([{"labels": 1, "c": 0, "v": 1}]), ["c", "v"])
    with pytest.raises(DataError, match="label 'c', row 1: the cell is missing"):
        with_label_sets(ob.read([{"c": 0, "d": 1, "e": 1}, {"c": None, "d": 1, "e": 2}]), ["c", "d"])
    with pytest.raises(DataError, match=r"hold \|, ; and commas"):
        free_separator(["a|b", "c;d", "e,f"])


def test_a_learner_of_one_target_takes_sets_for_values():
    from openbook.bayes import NaiveBayes

    table = read(SETS)
    assert (
        NaiveBayes().fit(table, ["p", "q", "p", "q", "q", "p"]).predict([{"topics": "politics|sport"}]) == "p"
    )
    other = [{"x": "u"}] * 6
    assert NaiveBayes().fit(other, table.column("topics")).classes_.tolist()[1:3] == [
        "health",
        "health|sport",
    ]
