"""A study that is killed, or runs out of time, goes on and ends as if nothing had happened."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from openbook.plan import make_plan, run
from openbook.plan.judging import StudyFolds


def lines(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def left_behind(folder):
    """All that a study leaves, byte for byte."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# Kills itself at the n-th of the moments that matter: around every fold, every write and every renaming.
DIES = """
import os, signal, sys, pathlib
from openbook.plan import Plan, run
from openbook.plan.judging import StudyFolds
from openbook.plan.log import Log
module = sys.modules["openbook.plan.run"]
count, end = 0, int(sys.argv[2])
def moment():
    global count
    count += 1
    if count == end:
        os.kill(os.getpid(), signal.SIGKILL)
def watched(owner, name):
    function = getattr(owner, name)
    def around(*args, **named):
        moment()
        result = function(*args, **named)
        moment()
        return result
    setattr(owner, name, around)
WATCHED = [(StudyFolds, "result"), (Log, "_write"), (pathlib.Path, "replace"), (module, "study_html")]
for owner, name in WATCHED:
    watched(owner, name)
plan = pathlib.Path(sys.argv[1])
run(Plan.open(plan), plan.parent, workers=1)
print(count)
"""


def small_plan():
    """Two folds and a test set: seven fits, and everything that follows."""
    return make_plan("wine", only=["naive_bayes"], cv=2, repeats=1, test_share=0.3, random_state=2)


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_killed_at_random_moments_a_study_loses_nothing(tmp_path):
    plan, rng = small_plan(), random.Random(11)
    run(plan, tmp_path / "whole", workers=1)
    expected = left_behind(tmp_path / "whole")
    folder = tmp_path / "killed"
    folder.mkdir()
    plan.save(folder / "plan.toml")
    results, found, killed = folder / "results.jsonl", 0, 0
    for _ in range(4):
        command = [sys.executable, "-c", DIES, str(folder / "plan.toml"), str(rng.randint(1, 30))]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        killed += done.returncode != 0
        now = results.read_bytes().count(b"\n") if results.exists() else 0
        assert now >= found  # nothing was lost
        found = now
    assert killed >= 3
    (folder / ".report.html.0123abcd.part.html").write_text("half a page")  # as a kill in mid-writing leaves
    run(plan, folder, workers=1)
    assert not list(folder.glob(".*"))  # nor is there half a file left
    assert left_behind(folder) == expected


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_kill_from_outside_leaves_whole_lines(tmp_path):
    plan = make_plan("weather", only=["naive_bayes", "c45"])
    run(plan, tmp_path / "whole", workers=1)
    folder = tmp_path / "killed"
    folder.mkdir()
    plan.save(folder / "plan.toml")
    results = folder / "results.jsonl"
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(folder / "plan.toml")], cwd=tmp_path)
    while process.poll() is None and (not results.exists() or results.read_bytes().count(b"\n") < 8):
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    found = results.read_bytes().count(b"\n")
    assert 8 <= found < 1 + 14 * len(plan.learners)
    assert not (folder / "model.openbook").exists()
    run(plan, folder, workers=1)
    assert left_behind(folder) == left_behind(tmp_path / "whole")


SLOW = """
import sys, time
from openbook.plan import Plan, run
from openbook.plan.judging import StudyFolds
judge = StudyFolds.result
def slowly(*args):
    time.sleep(0.02)
    return judge(*args)
StudyFolds.result = slowly
from pathlib import Path
run(Plan.open(Path(sys.argv[1])), Path(sys.argv[1]).parent, workers=2)
"""


# a time limit


@pytest.fixture
def stuck(monkeypatch):
    """Naive Bayes does not end in the folds from the third on."""
    judge, free = StudyFolds.result, threading.Event()

    def slowly(self, label, i):
        if label == "naive Bayes" and i >= 2:
            free.wait(60)
        return judge(self, label, i)

    monkeypatch.setattr(StudyFolds, "result", slowly)
    yield
    free.set()


def test_time_is_up_whatever_a_learner_does_and_the_rest_is_fair(tmp_path, stuck, monkeypatch):
    plan = make_plan("iris", only=["naive_bayes"], cv=4, repeats=1)
    start = time.monotonic()
    result = run(plan, tmp_path, workers=1, time_limit=4)
    assert time.monotonic() - start < 20
    assert set(result.comparison.evaluations) == {c.label for c in plan.learners}
    assert {len(e.folds) for e in result.comparison.evaluations.values()} == {2}  # the folds that all have
    assert "of which 2 of 4 folds were finished in time" in result.protocol
    told = "in the time limit, the ranked learners finished 2 of 4 folds"
    assert any(note.startswith(told) for note in result.notes)
    assert told in result.report.read_text(encoding="utf-8")
    monkeypatch.undo()
    whole = run(plan, tmp_path, workers=1)  # goes on without the limit
    assert {len(e.folds) for e in whole.comparison.evaluations.values()} == {4}
    assert whole.notes == plan.notes
    assert whole.comparison.rows() == run(plan, tmp_path / "other", workers=1).comparison.rows()


def test_a_learner_that_is_too_slow_is_not_ranked_and_that_is_said(tmp_path, stuck):
    plan = make_plan("iris", only=["naive_bayes"], cv=8, repeats=1)
    result = run(plan, tmp_path, workers=2, time_limit=4)
    # two threads: one is stuck in the third fold, the other in the fourth, so that three learners have three
    assert "naive Bayes is not ranked: it finished 2 of 8 folds in time" in result.notes
    assert list(result.comparison.evaluations) == ["0R", "1R", "naive Bayes, kernel density"]
    assert {len(e.folds) for e in result.comparison.evaluations.values()} == {3}


@pytest.mark.parametrize("source", ["weather", "iris"])
def test_however_short_the_time_there_is_a_model_and_a_report(tmp_path, source):
    plan = make_plan(source, only=["naive_bayes", "logistic_regression"])
    result = run(plan, tmp_path, time_limit=1e-6)
    # beside the baselines, the one that is expected to be the quickest
    assert set(result.comparison.evaluations) == {"0R", "1R", "naive Bayes"}
    assert any(
        note.startswith("logistic regression is not ranked: it finished 0 of ") for note in result.notes
    )
    assert result.choice.label == "naive Bayes"
    files = {"model.openbook", "plan.toml", "report.html", "results.jsonl"}
    assert {path.name for path in tmp_path.iterdir()} == files
    whole = run(plan, tmp_path)
    assert "logistic regression" in whole.comparison.evaluations


def test_what_was_tested_by_an_unfinished_study_is_told(tmp_path):
    plan = small_plan()
    run(plan, tmp_path, workers=1)
    path = tmp_path / "results.jsonl"
    chosen = run(plan, tmp_path, workers=1).choice.label
    other = next(c.label for c in plan.learners if c.label not in (chosen, "0R", "1R"))
    (test,) = (r for r in lines(tmp_path)[1:] if (r["part"], r.get("learner")) == ("test", chosen))
    path.write_text(path.read_text() + json.dumps({**test, "learner": other}) + "\n")
    again = run(plan, tmp_path, workers=1)
    assert f"{other} was already tested on the held-out rows" in " ".join(again.notes)
    assert again.choice.label == chosen
