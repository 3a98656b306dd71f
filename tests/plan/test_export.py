"""The script stands alone, and finds what the study found."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

import openbook as ob
from openbook.bayes import Laplace, NaiveBayes
from openbook.plan import Candidate, Roles, make_plan, run
from openbook.plan.export import export


def run_script(script, folder):
    (folder / "study.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", "study.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": ""},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_script_finds_the_figures_of_the_study(tmp_path):
    cells = [f"{i % 7},{'xyz'[i % 3]},{(i * i) % 11 % 2},no{i}" for i in range(90)]
    source = tmp_path / 'my "own" data.csv'
    source.write_text("a,b,y,it's {an} id\n" + "\n".join(cells) + "\n")
    plan = make_plan(source, "y", cv=4, repeats=2, test_share=0.3, random_state=9)
    plan = replace(plan, learners=(*plan.learners, Candidate.of("NB ½", NaiveBayes(smoothing=Laplace(0.5)))))
    result = run(plan, tmp_path / "study")
    script = export(plan)
    assert "openbook.plan" not in script
    assert "table.drop(*['y', \"it's {an} id\"])" in script
    assert "NaiveBayes(smoothing=Laplace(alpha=0.5))" in script
    printed = run_script(script, tmp_path)
    assert str(result.comparison) in printed
    assert f"chosen: {result.choice.label}" in printed
    for evaluation in result.tests.values():
        for line in str(evaluation).splitlines()[4:]:
            if "locked away" not in line and "tested" not in line:
                assert line in printed
    assert result.examples[0].kind == "typical"
    for example in result.examples:
        assert f"{example.words}\n{example.works[result.choice.label]}" in printed
    table = ob.read(source, {"y": "nominal"})
    theirs, ours = ob.open_model(tmp_path / "model.openbook"), ob.open_model(result.model_file)
    assert (theirs.predict_proba(table) == ours.predict_proba(table)).all()


def test_a_hostile_name_stays_a_name():
    plan = make_plan("weather")
    hostile = '"""\nimport os; os.abort()\n"""{0}\\'
    script = export(replace(plan, roles=Roles(hostile), data=replace(plan.data, set=None, path=hostile)))
    compiled = compile(script, "study.py", "exec")
    assert "os" not in compiled.co_names
    assert hostile in compiled.co_consts


@pytest.mark.parametrize(
    ("folds", "expected"), [(None, "random_state)"), (5, "random_state, n_splits=5, repeats=5)")]
)
def test_the_split_is_that_of_the_plan(folds, expected):
    name = "weather" if folds is None else "iris"
    assert f"'classification', {expected}" in export(make_plan(name, cv=folds))
