"""`openbook outliers`: what it prints, what it writes, and what it complains about."""

import polars as pl
import pytest
from typer.testing import CliRunner

from openbook.cli.main import app


def openbook(*args):
    result = CliRunner().invoke(app, ["outliers", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"colour": "red" if i % 2 else "blue", "x": float(i % 9), "note": f"w{i} and {i}"} for i in range(60)
    ]
    rows[41] = {"colour": "green", "x": 90.0, "note": "see below"}
    frame = pl.DataFrame(rows).with_columns(pl.Series("odd", ["yes" if i == 41 else "no" for i in range(60)]))
    frame.write_csv("rows.csv")
    return tmp_path


def test_the_oddest_rows_with_reasons():
    result = openbook("rows.csv", "--ignore", "odd", "--kind", "note=text", "--top", 3)
    assert result.exit_code == 0
    assert not result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("IsolationLimits: ")
    assert lines[0].endswith("among 60 rows")
    first = next(line for line in lines if line.split()[:1] == ["41"])
    assert "outlier" in first
    assert "x = 90" in first
    assert "colour" not in first  # the limits of x alone decide


def test_identifiers_are_left_out_unless_their_kind_is_named():
    ids = pl.Series("patient_id", [i // 2 + 900 * (i == 7) for i in range(60)])
    pl.read_csv("rows.csv").with_columns(ids).write_csv("rows.csv")
    left_out = openbook("rows.csv").stdout
    assert "\npatient_id is not used: likely an identifier; to use it, add --kind patient_id=nu" in left_out
    assert "patient_id = 903" not in left_out
    assert "patient_id = 903" in openbook("rows.csv", "--kind", "patient_id=numeric").stdout


def test_nothing_but_identifiers_is_refused():
    pl.DataFrame({"row": range(60)}).write_csv("rows.csv")
    assert "no column is left to look at. row is not used: likely an ident" in openbook("rows.csv").stderr


def test_labels_and_a_folder(here):
    result = openbook("rows.csv", "--labels", "odd", "--ignore", "note", "--out", "found", "-d", "z_score")
    assert result.exit_code == 0, result.stderr
    assert "1 of 60 rows are outliers" in result.stdout
    assert result.stdout.index("recall") < result.stdout.index("precision at 1") < result.stdout.index("AUC")
    assert "recall             1.000" in result.stdout
    written = {path.name for path in (here / "found").iterdir()}
    assert written == {"scores.csv", "scores.svg", "oddest.svg", "roc.svg"}
    scores = pl.read_csv(here / "found" / "scores.csv")
    assert scores["verdict"].to_list().index(-1) == 41
    assert scores["outlier_score"].arg_max() == 41
    assert "row 41" in (here / "found" / "scores.svg").read_text(encoding="utf-8")


def test_synthetic_outliers_are_looked_for():
    result = openbook("iris", "--ignore", "species", "--synthetic", "-d", "z_score")
    assert result.exit_code == 0, result.stderr
    assert "ZScore: 8 synthetic outliers of each kind among 158 rows" in result.stdout


@pytest.mark.parametrize("name", ["lof", "mahalanobis", "contextual", "collective"])
def test_other_detectors_and_a_bundled_set(name):
    result = openbook("iris", "--ignore", "species", "--top", 2, "--detector", name)
    assert result.exit_code == 0, result.stderr
    assert "among 150 rows" in result.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nothing.csv"], "there is no file"),
        (["rows.csv", "--detector", "loff"], "no detector 'loff'. Did you mean 'lof'?"),
        (["rows.csv", "--ignore", "color"], "no column 'color'. Did you mean 'colour'?"),
        (["rows.csv", "--top", "0"], "--top must be at least 1, got 0"),
        (
            ["rows.csv", "--labels", "colour"],
            "colour: it has 3 values; say which marks outliers, as in colour=",
        ),
        (["rows.csv", "--labels", "odd=maybe"], "odd is never 'maybe'"),
        (["rows.csv", "--labels", "x"], "--labels x: x is numeric; add --kind x=nominal"),
        (["rows.csv", "--labels", "nowhere"], "no column 'nowhere'"),
        (["rows.csv", "--out", "rows.csv"], "--out rows.csv is a file; name a folder"),
    ],
)
def test_complaints_in_one_line(args, said):
    result = openbook(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("openbook: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
