"""The script finds what the study found, whatever roles, costs, hypotheses and knobs the plan has."""

import os
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import openbook as ob
from openbook.plan import Hypothesis, make_plan, run
from openbook.plan.export import export


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    """Loans with a name, a bank, a day and a weight each."""
    rng = np.random.default_rng(0)
    frame = ob.load("credit", rows=240, random_state=3).to_polars()
    days = rng.permutation(240)
    more = {
        "name": [f"loan {i}" for i in range(240)],
        "bank": [f"b{day // 6}" for day in days],
        "day": [str(np.datetime64("2024-01-01") + day) for day in days],
        "w": rng.integers(0, 4, 240),
    }
    path = tmp_path_factory.mktemp("loans") / "loans.csv"
    frame.with_columns([pl.Series(name, cells) for name, cells in more.items()]).write_csv(path)
    return path


FEW = {"only": ["naive_bayes", "c45"], "cv": 3, "repeats": 1}
COSTS = {"yes": {"no": 10.0}, "no": {"yes": 1.0}}
PLANS = {
    "groups and weights": {
        "group": "bank",
        "weight": "w",
        "weight_kind": "importance",
        "id": "name",
        "test_share": 0.3,
        **FEW,
    },
    "groups and frequencies": {"group": "bank", "weight": "w", "id": "name", "test_share": 0.3, **FEW},
    "time": {"time": "day", "id": "name", "sensitive": ["sex"], "test_share": 0.25, **FEW},
    "costs and hypotheses": {
        "costs": COSTS,
        "id": "name",
        "ignore": ["day"],
        "hypotheses": [Hypothesis("all"), Hypothesis("small", ("age", "income"), learners=("C4.5",))],
        **FEW,
    },
    "known groups over time": {
        "group": "bank",
        "time": "day",
        "test_groups": "known",
        "metric": "accuracy",
        "only": ["naive_bayes"],
        "effort": "thorough",
        "cv": 2,
        "test_share": 0.2,
    },
    "all at once": {
        "group": "bank",
        "time": "day",
        "weight": "w",
        "costs": COSTS,
        "hypotheses": [Hypothesis("all"), Hypothesis("no sex", without=("sex",), learners=("naive Bayes",))],
        "only": ["naive_bayes"],
        "cv": 2,
        "effort": "thorough",
        "test_share": 0.2,
    },
}


@pytest.mark.thorough
@pytest.mark.parametrize("options", PLANS.values(), ids=PLANS)
def test_every_figure_is_found_again(loans, tmp_path, options):
    plan = make_plan(loans, "default", **options)
    result = run(plan, tmp_path / "study", workers=1)
    script = export(plan)
    assert "openbook.plan" not in script
    (tmp_path / "study.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-W", "ignore", "study.py"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8", "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert str(result.comparison) in done.stdout
    assert f"chosen: {result.choice.label}\n" in done.stdout
    for evaluation in result.tests.values():
        for metric in evaluation.metrics:
            words, ends = evaluation.metric(metric).words, evaluation.interval(metric).ends
            assert re.search(rf"{re.escape(words)} .*{re.escape(ends)}", done.stdout)
    for example in result.examples:
        assert f"{example.words}\n{example.works[result.choice.label]}" in done.stdout
    ours, theirs = ob.open_model(result.model_file), ob.open_model(tmp_path / "model.openbook")
    table = ob.read(loans)
    assert (ours.predict_proba(table) == theirs.predict_proba(table)).all()
    assert (ours.predict(table) == theirs.predict(table)).all()
