"""What a study keeps is plain data, read by declared types; anything else is refused."""

import json
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from openbook.data import Nominal, Numeric
from openbook.errors import DataError, PlanError
from openbook.judge.chance.intervals import Interval
from openbook.judge.scores.metrics import METRICS, Metric
from openbook.plan.explore import explore
from openbook.plan.explore_make import make_exploration
from openbook.plan.log import Log
from openbook.plan.plain_json import from_plain, to_plain
from openbook.work import Grid, Step, Work
from openbook.work.conditions import Condition, Is, Within

KNOWN = {Metric: METRICS}


class Found(NamedTuple):
    """Every sort of field."""

    share: float
    n: int
    name: str | None
    cells: dict[str, Any]
    by_pair: dict[tuple[int, str], bool]
    array: np.ndarray
    metric: Metric
    result: float | int | str | None


FOUND = Found(
    0.1,
    3,
    None,
    {"a": math.inf, "b": "x"},
    {(1, "u"): True},
    np.arange(6.0).reshape(2, 3),
    METRICS["error"],
    3,
)


def there_and_back(value, kind):
    return from_plain(json.loads(json.dumps(to_plain(value, KNOWN), allow_nan=False)), kind, KNOWN)


def test_what_is_written_is_read_back():
    back = there_and_back(FOUND, Found)
    assert back[:5] == FOUND[:5]
    assert back.array.tobytes() == FOUND.array.tobytes()
    assert back.array.shape == (2, 3)
    assert back.metric is METRICS["error"]
    assert type(back.result) is int
    work = Work("t", (Step("s", result=1.5), Grid("g", ("h", "i"), [("c", 2)]), Work("u", ())), "end")
    assert there_and_back(work, Work).text() == work.text()
    assert math.isnan(there_and_back(Interval(math.nan, 1.0, 0.95, "m"), Interval).low)


def test_a_field_of_an_abstract_type_holds_a_subclass():
    asked = (Within(Numeric("a"), high=2.5), Is(Nominal("b", ("x", "y")), ("x",), missing=True))
    assert there_and_back(asked, tuple[Condition, ...]) == asked


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("is", "Interval"),
        ("share", "much"),
        ("share", True),
        ("n", 1.5),
        ("name", 7),
        ("cells", {"a": 1}),
        ("cells", [["a", {"os": "system"}]]),
        ("by_pair", [[[1, 2], True]]),
        ("array", {"dtype": "<f8", "shape": [10**9], "data": ""}),
        ("array", {"dtype": "O", "shape": [0], "data": ""}),
        ("array", {"dtype": "<f8", "shape": [1], "data": "not base64!"}),
        ("metric", "no such metric"),
        ("result", [1]),
    ],
)
def test_another_type_is_refused(key, value):
    with pytest.raises(DataError):
        from_plain({**to_plain(FOUND, KNOWN), key: value}, Found, KNOWN)


def test_fields_that_are_absent_or_too_many_are_refused():
    plain = to_plain(FOUND, KNOWN)
    with pytest.raises(DataError, match="not a Found"):
        from_plain({**plain, "more": 1}, Found, KNOWN)
    with pytest.raises(DataError, match="not a Found"):
        from_plain({name: part for name, part in plain.items() if name != "n"}, Found, KNOWN)


def test_what_cannot_be_kept_is_not_kept_silently():
    with pytest.raises(TypeError, match="cannot keep"):
        to_plain(object(), KNOWN)


def test_a_look_counts_for_the_folds_that_it_saw(tmp_path):
    found = iter([1, 2])
    log = Log(tmp_path / "results.jsonl", "f")
    log.settle([])
    assert log.cached("look", int, lambda: next(found)) == 1
    assert Log(tmp_path / "results.jsonl", "f").cached("look", int, lambda: next(found)) == 1
    log.skip("learner", -1, "reason")
    log.settle(["learner"])  # the study is another now
    assert not log.looks
    assert log.cached("look", int, lambda: next(found)) == 2


def test_a_changed_look_is_an_error_of_one_line(tmp_path):
    plan = make_exploration("weather")
    explore(plan, tmp_path, workers=1)
    path = tmp_path / "results.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for look, field in (("oddities", "names"), ("clusters", "labels"), ("number of clusters", "ks")):
        changed = [
            {**r, "found": {**r["found"], field: "?"}} if r.get("look") == look else r for r in records
        ]
        path.write_text("".join(f"{json.dumps(record)}\n" for record in changed))
        with pytest.raises(PlanError, match=rf"'{look}' is damaged .*start over with --fresh"):
            explore(plan, tmp_path, workers=1)


def test_clusters_of_other_rows_are_refused(tmp_path):
    plan = make_exploration("weather")
    explore(plan, tmp_path, workers=1)
    path = tmp_path / "results.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    labels = to_plain(np.zeros(3, dtype=np.intp), {})
    changed = [
        {**r, "found": {**r["found"], "labels": labels}} if r.get("look") == "clusters" else r
        for r in records
    ]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in changed))
    with pytest.raises(PlanError, match="clusters of other rows"):
        explore(plan, tmp_path, workers=1)
