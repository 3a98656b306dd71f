"""A study without a target: what it finds in rows whose groups and oddity are known, and what it leaves."""

import runpy
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import openbook as ob
from openbook.cluster import contingency
from openbook.errors import DataError, PlanError, UnknownColumn
from openbook.plan import make_plan
from openbook.plan.explore import explore
from openbook.plan.explore_make import make_exploration
from openbook.plan.explore_plan import EXPLORATION, ExplorePlan, open_plan
from openbook.plan.export import export_exploration
from openbook.plan.plan import Plan
from openbook.plan.run import claim_folder

#: Three crowds of 30 rows; colour goes with the crowd; row 7 is far from every one.
ODD = 7


@pytest.fixture(scope="module")
def crowds(tmp_path_factory):
    rng = np.random.default_rng(1)
    crowd = np.repeat([0, 1, 2], 30)
    x, y = (np.array([[0, 0], [9, 0], [0, 9]])[crowd] + rng.normal(0, 0.5, (90, 2))).T
    x[ODD], y[ODD] = 40.0, 40.0
    frame = pl.DataFrame(
        {
            "name": [f"N{i:03d}" for i in range(90)],
            "x": [None if i % 20 == 3 else v for i, v in enumerate(x.tolist())],
            "y": y,
            "colour": [None if i % 15 == 4 else ["red", "blue", "green"][c] for i, c in enumerate(crowd)],
            "same": ["one"] * 90,
            "crowd": [f"crowd {c}" for c in crowd],
        }
    )
    path = tmp_path_factory.mktemp("crowds") / "crowds.csv"
    frame.write_csv(path)
    return path


@pytest.fixture(scope="module")
def plan(crowds):
    made = make_exploration(crowds, aside="crowd", id="name")
    return replace(made, groups=replace(made.groups, most=5))


@pytest.fixture(scope="module")
def found(plan, tmp_path_factory):
    return explore(plan, tmp_path_factory.mktemp("study") / "out")


def test_columns_that_say_nothing_and_those_with_a_role_take_no_part(plan):
    assert plan.roles.columns == ("crowd", "name", "same")
    assert plan.notes == (
        "same is not used: it has only one value",
        "crowd is not used as a feature; it is compared with the clusters afterwards",
    )


def test_mixed_columns_get_prototypes_and_numbers_means(plan):
    assert plan.groups.learner == "k_prototypes"
    assert make_exploration("iris").groups.learner == "k_means"


def test_likely_identifiers_are_left_out_and_the_note_says_how_to_keep_them(crowds):
    made = make_exploration(crowds)
    assert "name" in made.roles.ignore
    assert any(note.endswith("to use it, add --kind name=nominal") for note in made.notes)


def test_the_plan_is_read_back(plan, tmp_path):
    assert ExplorePlan.from_toml(plan.to_toml()) == plan
    plan.save(tmp_path / "plan.toml")
    assert open_plan(tmp_path / "plan.toml") == plan


def test_a_plan_that_predicts_is_read_by_the_same_door(tmp_path):
    predicting = make_plan("weather")
    predicting.save(tmp_path / "plan.toml")
    assert open_plan(tmp_path / "plan.toml") == predicting


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('learner = "k_prototypes"', 'learner = "k_meens"', "no learner 'k_meens'"),
        ('learner = "k_prototypes"', 'learner = "zero_r"', "groups: zero_r has no parameter 'n_init'"),
        (
            'learner = "isolation_limits"',
            'learner = "k_means"',
            "oddities.learner: k_means is not for outliers",
        ),
        ("most = 5", "most = 2", "groups.most must be at least 3, got 2"),
        ("shown = 10", "shown = 0", "oddities.shown must be at least 1, got 0"),
        ("min_support = 0.1", "min_support = 0", "associations.min_support must be above 0 and at most 1"),
        ("max_length = 4", "max_length = 1", "associations.max_length must be at least 2, got 1"),
        ("random_state = 0", "random_state = -1", "protocol.random_state must be a whole number"),
        ("random_state = 0", "folds = 3", "unknown key protocol.folds"),
        ("[groups]", "[clusters]", "unknown key clusters"),
        ("format = 2", "format = 9", "format must be 1 or 2, got 9"),
        ('task = "exploration"', 'task = "regression"', "task must be 'exploration'"),
    ],
)
def test_what_is_wrong_with_a_plan_is_named(plan, old, new, words):
    text = plan.to_toml()
    assert old in text
    with pytest.raises(PlanError, match=words.replace("(", r"\(")):
        ExplorePlan.from_toml(text.replace(old, new))


def test_the_crowds_are_found_and_the_odd_row_is_alone(found):
    groups = found.groups
    together = contingency(groups.labels[np.arange(90) != ODD], np.repeat(["a", "b", "c"], 30)[:89])
    assert groups.labels[ODD] not in np.delete(groups.labels, ODD)
    assert together.purity > 0.95
    assert groups.beside.name == "crowd"
    assert groups.beside.counts.sum() == 90


def test_each_cluster_is_described_and_judged(found):
    groups = found.groups
    assert sum(groups.traits.sizes.values()) == 90
    assert groups.quality.silhouette > 0.5
    assert all(-1 <= value <= 1 for value in groups.quality.mean_silhouettes.values())
    blue = groups.labels[45]
    assert "x" in groups.sentence(blue)
    assert "colour = blue (100% against" in groups.sentence(blue)


def test_the_oddest_row_is_told_with_its_name_its_cluster_and_reasons(found):
    first = next(iter(found.oddities))
    assert first.name == f"{ODD} (N{ODD:03d})"
    assert first.cluster == found.groups.labels[ODD]
    assert first.because.startswith(("x = 40", "y = 40"))
    assert first.score == found.oddities.found.scores.max()


def test_rules_are_significant_and_sorted_by_leverage(found):
    rules = found.associations.rules.rules
    assert all(rule.p_value < 0.05 for rule in rules)
    leverages = [rule.leverage for rule in rules]
    assert leverages == sorted(leverages, reverse=True)
    assert any("colour = green" in rule.consequent for rule in rules)
    assert "a support of at least 0.1" in found.associations.how


def test_what_is_left_aside_has_no_say_anywhere(found):
    assert "crowd" not in found.groups.model.schema_.names
    assert not any("crowd" in str(rule) for rule in found.associations.rules.rules)
    assert "crowd" not in {reason.attribute for reason in next(iter(found.oddities)).reasons.parts}


def test_the_folder_holds_the_files_of_the_plan(found):
    assert sorted(path.name for path in found.folder.iterdir()) == [
        "labels.csv",
        "model.openbook",
        "plan.toml",
        "report.html",
        "results.jsonl",
    ]


def test_the_labels_are_those_of_the_model_in_the_file(found, crowds):
    labels = pl.read_csv(found.labels_file)
    assert labels.columns == ["row", "name", "cluster", "oddity"]
    assert labels["name"].to_list() == [f"N{i:03d}" for i in range(90)]
    model = ob.open_model(found.model_file)
    assert model.predict(ob.read(crowds)).tolist() == labels["cluster"].to_list()
    assert labels["oddity"].arg_max() == ODD


def test_any_number_of_workers_finds_the_same_and_progress_is_told_to_its_end(plan, found, tmp_path):
    told = []
    again = explore(plan, tmp_path / "out", workers=1, progress=lambda *counts: told.append(counts))
    assert again.labels_file.read_text() == found.labels_file.read_text()
    assert again.groups.chosen.votes == found.groups.chosen.votes
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_number_that_was_left_aside_is_compared_by_means(plan, tmp_path, crowds):
    made = make_exploration(crowds, aside="y", ignore=["name", "crowd"])
    result = explore(replace(made, groups=replace(made.groups, most=3)), tmp_path / "out")
    (trait,) = result.groups.beside[0]
    assert trait.column == "y"


def test_no_groups_are_said_first(tmp_path):
    rng = np.random.default_rng(5)
    pl.DataFrame(rng.uniform(size=(80, 3)), schema=["a", "b", "c"]).write_csv(tmp_path / "noise.csv")
    made = make_exploration(tmp_path / "noise.csv")
    groups = explore(replace(made, groups=replace(made.groups, most=4)), tmp_path / "out").groups
    assert 1 in groups.chosen.votes.values()
    assert groups.doubt.startswith("There may be no clusters: ")
    assert groups.k > 1


def test_the_script_finds_the_same(plan, found, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text(export_exploration(plan))
    there = runpy.run_path("script.py")
    assert there["labels"].tolist() == found.groups.labels.tolist()
    assert there["scores"].tolist() == found.oddities.found.scores.tolist()
    assert there["rules"].significant()
    assert str(found.associations.rules[0]) in capsys.readouterr().out


@pytest.mark.parametrize("beside", [{}, {"size": [float(i % 7) for i in range(60)]}])
def test_texts_take_part_by_directions_of_their_words(beside, tmp_path, monkeypatch):
    """Two subjects without a common word, and a text of words that no other has."""
    rng = np.random.default_rng(0)
    subjects = [["goal", "cup", "team", "match", "coach"], ["law", "vote", "court", "judge", "party"]]
    texts = [" ".join(rng.choice(subjects[i % 2], 8)) for i in range(60)]
    pl.DataFrame({"note": texts, **beside}).write_csv(tmp_path / "notes.csv")
    made = make_exploration(tmp_path / "notes.csv")
    assert "note is used by its words, projected onto their leading directions" in made.notes[0]
    found = explore(replace(made, groups=replace(made.groups, most=3)), tmp_path / "out")
    assert found.groups.k == 2
    assert len({(label, i % 2) for i, label in enumerate(found.groups.labels.tolist())}) == 2
    assert ob.open_model(tmp_path / "out" / "model.openbook").schema_.given.names == ("note", *beside)
    (tmp_path / "script.py").write_text(export_exploration(made))
    monkeypatch.chdir(tmp_path)
    assert runpy.run_path("script.py")["scores"].tolist() == found.oddities.found.scores.tolist()


def test_a_folder_of_another_study_is_not_written_over(plan, tmp_path):
    weather = make_plan("weather")
    claim_folder(weather, tmp_path, fresh=False)
    for name in ("results.jsonl", "mine.csv"):
        (tmp_path / name).write_text("")
    with pytest.raises(PlanError, match="holds a study of another plan \\(they differ in task\\)"):
        explore(plan, tmp_path)
    claim_folder(plan, tmp_path, fresh=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "plan.toml"]
    with pytest.raises(PlanError, match="they differ in task"):
        claim_folder(weather, tmp_path, fresh=False)


def test_a_plan_that_explores_cannot_be_taken_for_another(plan):
    assert plan.to_record()["task"] == EXPLORATION
    with pytest.raises(PlanError, match="groups"):
        Plan.from_toml(plan.to_toml())


def test_data_that_changed_are_refused(plan, crowds, tmp_path):
    changed = ob.read(crowds).take(np.arange(80))
    with pytest.raises(PlanError, match="has changed since the plan was made"):
        explore(plan, tmp_path / "out", table=changed)


def test_too_many_items_raise_the_support_and_the_plan_says_so(tmp_path):
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 40))  # all columns say much the same
    pl.DataFrame(wide, schema=[f"c{i}" for i in range(40)]).write_csv(tmp_path / "wide.csv")
    made = make_exploration(tmp_path / "wide.csv")
    assert made.associations.min_support > 0.1
    assert any(note.startswith("rules must hold for") for note in made.notes)


@pytest.mark.parametrize(
    ("rows", "options", "error", "words"),
    [
        ([{"x": float(i)} for i in range(8)], {}, PlanError, "8 rows: clustering needs at least 9"),
        ([{"x": 1.0}] * 20, {}, PlanError, "no column is left to explore"),
        ([{"x": float(i)} for i in range(20)], {"ignore": ["z"]}, UnknownColumn, "no column 'z'"),
        ([{"x": i % 7 / 2} for i in range(20)], {"random_state": -1}, PlanError, "protocol.random_state"),
    ],
)
def test_what_cannot_be_explored_is_refused_before_anything_runs(tmp_path, rows, options, error, words):
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv")
    with pytest.raises(error, match=words):
        make_exploration(tmp_path / "t.csv", kinds={"x": "numeric"} if len(rows) == 8 else None, **options)


def test_a_row_without_a_name_and_a_column_called_cluster(tmp_path):
    numbers = np.random.default_rng(0).normal(size=30)
    pl.DataFrame({"cluster": [None, *map(str, range(1, 30))], "x": numbers}).write_csv(tmp_path / "t.csv")
    made = make_exploration(tmp_path / "t.csv", id="cluster", kinds={"x": "numeric"})
    result = explore(replace(made, groups=replace(made.groups, most=3)), tmp_path / "out")
    labels = pl.read_csv(result.labels_file)
    assert labels.columns == ["row", "cluster_", "cluster", "oddity"]
    assert labels["cluster_"].to_list() == ["?", *map(str, range(1, 30))]
    assert result.groups.picture is None  # one column has one component
    assert result.associations.verdict == "No rule."


def test_an_infinite_number_is_named(tmp_path):
    pl.DataFrame({"x": [*map(float, range(20)), np.inf], "y": [1.0, 2.0, 3.0] * 7}).write_csv(
        tmp_path / "t.csv"
    )
    made = make_exploration(tmp_path / "t.csv", kinds={"x": "numeric"})
    with pytest.raises(DataError, match=r"column 'x'.*row 20"):
        explore(made, tmp_path / "out")


def test_a_table_of_few_different_rows(tmp_path):
    pl.DataFrame({"a": ["x", "y"] * 10}).write_csv(tmp_path / "t.csv")
    made = make_exploration(tmp_path / "t.csv")
    assert made.groups.most == 3
    groups = explore(made, tmp_path / "out").groups
    assert sorted(groups.traits.sizes.values()) == [10, 10]
