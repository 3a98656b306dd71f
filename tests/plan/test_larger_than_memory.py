"""Studies of files larger than memory: a sample is judged, and the model is fitted on the other rows, too."""

import numpy as np
import pytest
from typer.testing import CliRunner

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.cli.main import app
from openbook.plan import make_plan, run
from openbook.plan.rows import StudyRows
from openbook.plan.source import Source
from openbook.report.changes import changes


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two files of 400 rows each, of which 300 are held; some targets are missing."""
    monkeypatch.setattr("openbook.plan.source.most_bytes", lambda: 0)
    monkeypatch.setattr("openbook.plan.source.SAMPLE", 300)
    rng = np.random.default_rng(0)
    for part in ("a", "b"):
        x, size = rng.normal(size=400).round(3), rng.choice(["s", "m", "l"], 400)
        y = np.where(x + rng.normal(0, 0.5, 400) > 0, "up", "down")
        y[rng.random(400) < 0.05] = ""
        lines = [f"{a},{b},{c}" for a, b, c in zip(x, size, y, strict=True)]
        (tmp_path / f"{part}.csv").write_text("x,size,y\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_learners_that_need_all_rows_are_skipped_with_the_reason(files):
    plan = make_plan(files / "*.csv", "y")
    assert plan.data.sample == 300
    assert "naive Bayes" in [learner.label for learner in plan.learners]
    assert "random forest: skipped, it needs all rows in memory, and the files are larger" in plan.notes
    assert "files larger than memory: learners are evaluated on a random sample of their rows" in plan.notes


def test_the_model_is_fitted_on_all_rows_but_those_locked_away(files, tmp_path):
    plan = make_plan(files / "*.csv", "y", only=["naive_bayes"], choose="naive Bayes", test_share=0.2)
    result = run(plan, tmp_path / "study", workers=1)
    source = Source.of(files / "*.csv")
    table = source.read()
    assert table.notes[-1].startswith("300 of 800 rows are held, chosen at random")
    rows = StudyRows(plan, table)
    everything = ob.scan(files / "*.csv").read()
    away = source.held(800)[rows.known[rows.locked]]
    rest = everything.take(np.setdiff1d(np.arange(800), away)).drop_missing("y")
    assert len(rest) > 600
    expected = NaiveBayes().fit(rest, "y")
    model = ob.open_model(result.model_file)
    assert model.classes_.tolist() == list(rows.y.attribute.values)
    told = changes(result)
    assert told[0].startswith("On reading, 300 of 800 rows are held, chosen at random")
    assert told[2].startswith("The model is fitted on all rows of the files that were not held out")
    assert not any("the other" in line for line in told)  # so many of the sample
    new = everything.head(20)
    one, other = ({c: i for i, c in enumerate(m.classes_)} for m in (model, expected))
    np.testing.assert_allclose(
        model.predict_proba(new)[:, one["up"]], expected.predict_proba(new)[:, other["up"]], rtol=1e-9
    )


def test_describe_names_the_sample_that_it_describes(files):
    done = CliRunner().invoke(
        app, ["describe", str(files / "*.csv"), "--target", "y", "--kind", "size=nominal"]
    )
    assert done.stdout.startswith("300 rows, 3 columns")
    assert "300 of 800 rows are held, chosen at random" in done.stdout
    assert "size – nominal: nominal, as requested" in done.stdout


def test_rows_in_groups_keep_the_model_to_the_sample(files):
    notes = make_plan(files / "*.csv", "y", group="size").notes
    assert "the model is fitted on the sample, since its rows have an order, groups or weights" in notes
