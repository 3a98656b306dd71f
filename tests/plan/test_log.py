"""Results are on the disk line by line; a torn end is cut off, and anything foreign is refused."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from openbook.errors import PlanError
from openbook.judge.folds.results import FoldResult
from openbook.plan.log import Log


def result(index: int) -> FoldResult:
    return FoldResult(
        index, np.array([3, 4]), np.array([0, 1]), np.array([1, 1]), None, 9, 0.1, 0.2, 5, ("careful",)
    )


@pytest.fixture
def path(tmp_path):
    log = Log(tmp_path / "results.jsonl", "plan A")
    with log.open():
        log.append("folds", "0R", result(0))
        log.append("folds", "0R", result(1))
        log.append("test", "0R", result(0))
    return log.path


def keys(log: Log) -> list:
    return list(log.results)


ALL = [("folds", "0R", 0), ("folds", "0R", 1), ("test", "0R", 0)]


def test_what_was_appended_is_found_again(path):
    log = Log(path, "plan A")
    assert keys(log) == ALL
    again = log.results["folds", "0R", 1]
    times = ("fit_seconds", "predict_seconds")  # which are not kept: no two runs have them in common
    assert all(math.isnan(getattr(again, name)) for name in times)
    assert replace(again, fit_seconds=0.1, predict_seconds=0.2).to_json() == result(1).to_json()


def test_settled_the_lines_are_in_the_order_of_the_plan_whatever_came_first(path):
    log = Log(path, "plan A")
    with log.open():
        log.append("folds", "1R", result(1))
        log.append("folds", "C4.5", result(0))
        log.skip("C4.5", 3, "fold 4 of 5 failed")
        log.skip("C4.5", 1, "fold 2 of 5 failed")
        log.append("folds", "1R", result(0))
        log.settle(["0R", "1R", "C4.5"])
    kinds = [(r.get("part"), r.get("learner")) for r in map(json.loads, path.read_text().splitlines())]
    folds = [("folds", "0R"), ("folds", "1R")]
    assert kinds == [(None, None), ("skipped", "C4.5"), *folds, *folds, ("test", "0R")]
    again = Log(path, "plan A")
    assert again.skipped == {"C4.5": (1, "fold 2 of 5 failed")}  # of several reasons, that of the first fold


def test_a_torn_end_is_cut_off_wherever_it_tore_and_redone(path):
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last + 1, len(whole)):
        path.write_bytes(whole[:end])
        log = Log(path, "plan A")
        assert keys(log) == ALL[:2]
        with log.open():
            log.append("test", "0R", result(0))
        assert path.read_bytes() == whole


def test_an_empty_file_is_begun_anew(path):
    path.write_bytes(b"")
    assert keys(Log(path, "plan A")) == []
    assert json.loads(path.read_text())["plan"] == "plan A"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            b"plan A",
            b"plan B",
            "holds results of another plan or other rows; start over with --fresh, or keep both with --out",
        ),
        (b'"format": 2', b'"format": 7', "holds results of another format"),
        (b'"openbook": "', b'"openbook": "9', r"holds results of openbook 9.*, and this is"),
        (b'{"learner": "0R", "part": "folds"', b'{"learner": "0R", "part" "folds"', "line 2: damaged"),
        (
            b'"part": "folds"',
            b'"part": "two_out"',
            r"line 2: not a result \(this version knows no part 'two_out'\); start over with --fresh, or",
        ),
        (b'"rows": [3, 4]', b'"rows": [3]', r"line 2: not a result \(.*1 rows"),
        (b'"result"', b'"risult"', r"line 2: not a result \('result'\)"),
        (b'"rows": [3, 4], ', b"", "line 2: not a result .*'rows' is missing"),
    ],
)
def test_results_that_do_not_belong_are_refused(path, old, new, message):
    before = path.read_bytes()
    assert old in before
    path.write_bytes(before.replace(old, new, 1))
    with pytest.raises(PlanError, match=message):
        Log(path, "plan A")
