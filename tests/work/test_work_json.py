import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.errors import DataError
from openbook.work import Grid, Step, Work
from openbook.work.json import from_json, to_json

texts = st.text(max_size=20)
values = st.one_of(st.none(), st.integers(), st.floats(allow_nan=False), texts)
steps = st.builds(Step, texts, texts, texts, values, texts)
grids = st.integers(1, 3).flatmap(
    lambda width: st.builds(
        Grid,
        texts,
        st.lists(texts, min_size=width, max_size=width),
        st.lists(st.lists(st.one_of(values, st.booleans()), min_size=width, max_size=width), max_size=3),
        texts,
    )
)
works = st.recursive(
    st.builds(Work, texts, st.just(()), texts),
    lambda inner: st.builds(Work, texts, st.lists(st.one_of(steps, grids, inner), max_size=4), texts),
    max_leaves=8,
)


@given(works)
def test_round_trip(work):
    record = json.loads(json.dumps(to_json(work), allow_nan=False))
    assert from_json(record) == work


def test_the_loan_keeps_every_digit(loan, golden):
    record = json.loads(json.dumps(loan.json(), allow_nan=False))
    assert from_json(record) == loan
    no = record["parts"][2]
    assert no["parts"][3]["result"] == golden("nb_loan_laplace")["expected"]["density"]["No"]["income"]


def test_what_is_not_finite_is_an_object():
    work = Work(
        "t", (Step("a", result=math.nan), Step("b", result=-math.inf), Grid("g", ["x"], [[math.inf]]))
    )
    record = to_json(work)
    assert record["parts"][0]["result"] == {"number": "nan"}
    assert record["parts"][1]["result"] == {"number": "-inf"}
    assert record["parts"][2]["rows"] == [[{"number": "inf"}]]
    again = from_json(record)
    assert math.isnan(again["a"].result)
    assert again["b"].result == -math.inf
    assert again.parts[2].rows == ((math.inf,),)


def test_the_text_nan_stays_text():
    assert from_json(to_json(Work("t", (Step("a", result="nan"),))))["a"].result == "nan"


def test_numpy_scalars_become_plain():
    grid = Grid(
        "g", ["x"], [[np.float64(0.1)], [np.int64(3)], [np.bool_(True)], [np.datetime64("2024-01-02")]]
    )
    rows = to_json(Work("t", (grid,)))["parts"][0]["rows"]
    assert rows == [[0.1], [3], [True], ["2024-01-02"]]
    assert [type(row[0]) for row in rows] == [float, int, bool, str]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], r"work: a part is an object of kind work, step, grid or passage, not \[\]"),
        ({"kind": "step", "label": "", "formula": "", "numbers": "", "note": ""}, "kind 'work', not 'step'"),
        ({"kind": "work", "title": 3, "parts": [], "conclusion": ""}, "work.title: text is needed, not 3"),
        (
            {"kind": "work", "title": "", "parts": None, "conclusion": ""},
            "work.parts: a list is needed, not None",
        ),
        (
            {"kind": "work", "title": "", "parts": [{"kind": "os"}], "conclusion": ""},
            r"work.parts\[0\]: a part is",
        ),
        ({"kind": ["work"]}, "a part is an object of kind"),
    ],
)
def test_a_damaged_record_is_named(record, message):
    with pytest.raises(DataError, match=message):
        from_json(record)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"header": [1]}, r"parts\[0\]: a grid has a header of text and rows that are lists"),
        ({"rows": ["ab"]}, "rows that are lists"),
        ({"rows": [[1, 2]]}, "row 0 has 2 cells, not 1"),
        ({"rows": [[{"number": "1"}]]}, r"parts\[0\].rows\[0\]: a value is text, a number, null or"),
    ],
)
def test_a_damaged_grid_is_named(change, message):
    record = to_json(Work("t", (Grid("g", ["x"], [[1]]),)))
    record["parts"][0] |= change
    with pytest.raises(DataError, match=message):
        from_json(record)
