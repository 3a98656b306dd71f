"""What the simple detectors find is shown, whatever the default detector makes of it."""

import numpy as np
from typer.testing import CliRunner

import openbook as ob
from openbook.cli.main import app
from openbook.outlier import BoxFences, Grubbs, IsolationLimits, ZScore, simple_outliers


def bell(n=500):
    """Normal numbers, and one at z = 4.6: far out for each simple detector, not for an isolation forest."""
    x = np.random.default_rng(0).normal(size=(n, 8))
    x[7, 0] = 4.6
    return x


def test_each_finds_what_it_finds_alone():
    x = bell()
    for found, detector in zip(simple_outliers(x), (ZScore(), BoxFences(), Grubbs()), strict=True):
        assert sorted(found.outliers) == np.flatnonzero(detector.fit_predict(x) == -1).tolist()
        assert found.outliers[0] == 7
        assert found.detector == type(detector).__name__


def test_what_the_default_does_not_call_an_outlier_is_shown_all_the_same(tmp_path, monkeypatch):
    table = ob.read(bell())
    assert IsolationLimits(random_state=0).fit(table).predict(table)[7] == 1
    path = tmp_path / "bell.csv"
    table.to_polars().write_csv(path)
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["outliers", str(path)]).stdout
    assert "One column at a time:" in shown
    assert "Grubbs: 1 outlier (row 7)" in shown
    shown = " ".join(CliRunner().invoke(app, ["study", str(path)]).stdout.split())
    assert "One column at a time: ZScore: " in shown
    assert "Grubbs: 1 outlier (row 7)" in shown
    report = next(tmp_path.rglob("*.html")).read_text()
    assert "Grubbs: 1 outlier (row 7)" in report


def test_tables_without_numbers_have_none():
    assert simple_outliers(ob.load("weather")) == ()


def test_a_reason_shows_a_date_as_a_date():
    """A study without a target once failed on tables with dates."""
    rows = [{"when": f"2024-01-{day:02d}", "x": float(day)} for day in range(1, 20)]
    model = IsolationLimits(random_state=0).fit(ob.read([*rows, {"when": "2029-01-01", "x": None}]))
    when, x = model.reasons(ob.read([{"when": "2029-01-01", "x": None}], model.schema_)).parts[:2]
    assert (when.value, x.value) == ("2029-01-01", None)
