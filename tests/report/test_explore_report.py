"""The page and the screen of a study without a target, and the commands that take its model."""

import re

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from openbook import read
from openbook.cli.main import app
from openbook.cluster import describe_clusters
from openbook.report.exploration import FoundGroups


def openbook(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def good(*args):
    result = openbook(*args)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study of two crowds with a name that is none of ours to trust."""
    folder = tmp_path_factory.mktemp("exploring")
    rng = np.random.default_rng(2)
    crowd = np.repeat([0, 1], 12)
    frame = pl.DataFrame(
        {
            "<script>x": 8 * crowd + rng.normal(0, 0.5, 24),
            "y": [None if i == 5 else v for i, v in enumerate(rng.normal(0, 1, 24).tolist())],
            "colour": np.array(["<b>red", "blue"])[crowd],
        }
    )
    frame.write_csv(folder / "crowds.csv")
    return folder


@pytest.fixture(scope="module")
def told(folder):
    return good("study", folder / "crowds.csv", "--out", folder / "out")


@pytest.fixture(scope="module")
def page(told, folder):
    return (folder / "out" / "report.html").read_text(encoding="utf-8")


def test_the_screen_tells_groups_oddities_associations_and_where_the_files_are(told, folder):
    parts = ["The data", "Clusters: 2", "Outliers", "Association rules", "Report: ", "Labels: "]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)
    assert "differs in" in told
    assert "reason" in told
    assert "→ colour = blue" in told


def test_quiet_keeps_the_answers_and_the_same_study_runs_from_its_plan(folder, told):
    again = good("study", folder / "out" / "plan.toml", "--out", folder / "again", "--quiet")
    assert "The data" not in again
    assert "Clusters: 2" in again
    assert (folder / "again" / "labels.csv").read_text() == (folder / "out" / "labels.csv").read_text()


def test_the_page_has_its_parts_in_order(page):
    assert re.findall(r'<section class="part" id="(\w+)"', page) == [
        "short",
        "data",
        "groups",
        "oddities",
        "associations",
        "again",
    ]


def test_the_page_shows_pictures_of_everything(page):
    titles = re.findall(r'<figcaption class="title">Figure \d+\. (.*?)</figcaption>', page)
    assert "The clusters along the first two principal components" in titles
    assert "How many clusters? 2" in titles
    assert "Clusters within clusters" in titles
    assert "Scores of IsolationLimits" in titles
    assert "Association rules" in titles
    assert any(title.startswith("Why row ") for title in titles)


def test_nothing_from_the_data_is_markup_and_nothing_is_fetched(page):
    assert "<script" not in page
    assert "<b>red" not in page
    assert "&lt;script&gt;x" in page
    assert not re.search(r'(src|href)="(?!#)', page)


def test_predict_assigns_clusters_to_new_rows(folder, told):
    (folder / "new.csv").write_text("<script>x,y,colour\n8.1,0,blue\n0.2,,<b>red\n7.9,1,violet\n")
    done = openbook("predict", folder / "out" / "model.openbook", folder / "new.csv")
    assert done.exit_code == 0
    assert "row 2 (colour 'violet' is new)" in done.stderr
    clusters = pl.read_csv(done.stdout.encode())["prediction"].to_list()
    labels = pl.read_csv(folder / "out" / "labels.csv")["cluster"].to_list()
    assert clusters == [labels[23], labels[0], labels[23]]


def test_work_shows_why_a_row_is_in_its_cluster_and_how_they_were_found(folder, told):
    model = folder / "out" / "model.openbook"
    assert "is the nearest" in good("work", model, folder / "crowds.csv", "--row", 3)
    assert "k-prototypes" in good("work", model)


def test_clusters_have_no_probabilities_and_no_rules(folder, told):
    model = folder / "out" / "model.openbook"
    result = openbook("predict", model, folder / "crowds.csv", "--proba")
    assert result.exit_code == 2
    assert "KPrototypes predicts no probabilities" in result.stderr
    assert openbook("rules", model).exit_code == 2


def test_export_prints_a_script(folder, told):
    script = good("export", folder / "out" / "plan.toml")
    assert "chosen = choose_k(X, range(1, 9), model, random_state=0)" in script
    compile(script, "script.py", "exec")


def test_a_bundled_set_is_explored_with_its_target_left_aside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = good("study", "weather", "--explore")
    assert "Compared with play, which was not used: Purity " in told
    assert "· play is not used as a feature" in told
    assert (tmp_path / "weather" / "labels.csv").exists()


def test_a_cluster_of_one_row_is_called_an_outlier():
    """An income of a thousand times the others': no test can show what sets a single row apart."""
    table = read({"income": [*range(20, 60), 40_000], "city": ["A", "B"] * 20 + ["A"]})
    labels = np.array([0] * 40 + [1])
    groups = FoundGroups(None, None, labels, None, describe_clusters(table, labels))
    assert groups.sentence(1) == "a single row: an outlier rather than a cluster"
