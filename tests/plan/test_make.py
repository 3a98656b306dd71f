"""What a plan decides by itself, and that it says why."""

from dataclasses import fields, replace

import numpy as np
import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.cli.options import STUDY_OPTIONS
from openbook.errors import OpenbookError, PlanError, UnknownColumn
from openbook.plan import Plan, Source, StudyOptions, make_plan
from openbook.plan.rows import StudyRows
from openbook.plan.source import content_hash


def csv(tmp_path, header, rows, name="data.csv"):
    path = tmp_path / name
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def mixed(tmp_path, n=60):
    rng = np.random.default_rng(0)
    rows = [
        (f"c{1000 + 7 * i}", round(rng.normal(), 3), "ab"[i % 2], i % 3, "yes" if i % 2 else "no")
        for i in range(n)
    ]
    return csv(tmp_path, "customer,size,letter,grade,bought", rows)


def test_a_bundled_set_has_its_own_target():
    plan = make_plan("weather")
    assert (plan.data.set, plan.roles.target, plan.task, plan.metric) == (
        "weather",
        "play",
        "classification",
        "accuracy",
    )
    assert [c.label for c in plan.learners][:3] == ["0R", "1R", "naive Bayes"]
    assert plan.baselines == ("0R", "1R")


def test_what_refuses_takes_no_part_and_the_reason_is_kept():
    inputs = ob.load("weather").drop("play").schema
    reason = NaiveBayes(distributions="kernel").refusal(inputs)
    assert reason is not None
    assert f"naive Bayes, kernel density: skipped, {reason}" in make_plan("weather").notes


def test_numbers_are_regression():
    plan = make_plan("diabetes")
    assert (plan.task, plan.metric) == ("regression", "rmse")
    assert plan.notes[0] == "progression is numeric, so this is regression"


def test_few_whole_numbers_are_classes_unless_told_otherwise(tmp_path):
    path = mixed(tmp_path)
    plan = make_plan(path, "grade")
    assert plan.task == "classification"
    assert plan.data.kinds == {"grade": "nominal"}
    assert plan.notes[0] == (
        "grade holds 3 whole numbers only, so this is classification;"
        " for regression, add --kind grade=numeric"
    )
    assert make_plan(path, "grade", kinds={"grade": "numeric"}).task == "regression"


def test_many_whole_numbers_and_few_rows_each_are_numbers(tmp_path):
    eleven = csv(tmp_path, "x,y", [(i % 7, i % 11) for i in range(110)])
    assert make_plan(eleven, "y").task == "regression"
    rare = csv(tmp_path, "x,y", [(i % 7, i % 4) for i in range(19)], "rare.csv")
    assert make_plan(rare, "y").task == "regression"


def test_identifiers_and_free_text_take_no_part_unless_their_kind_is_given(tmp_path):
    path = mixed(tmp_path)
    plan = make_plan(path, "bought")
    assert plan.roles.ignore == ("customer",)
    assert any(
        note.startswith("customer is not used: ") and "--kind customer=" in note for note in plan.notes
    )
    assert make_plan(path, "bought", kinds={"customer": "nominal"}).roles.ignore == ()
    assert make_plan(path, "bought", ignore=["letter"]).roles.ignore == ("customer", "letter")


def test_rows_without_a_target_are_counted(tmp_path):
    path = csv(tmp_path, "x,y", [(i % 5, "" if i < 3 else "ab"[i % 2]) for i in range(30)])
    assert (
        "3 rows without y are used by semi-supervised learners only, and never tested"
        in make_plan(path, "y").notes
    )


def test_a_row_without_a_target_brings_no_learners_of_such_rows(tmp_path):
    path = csv(tmp_path, "x,y", [(i % 5, "" if i < 1 else "ab"[i % 2]) for i in range(30)])
    plan = make_plan(path, "y")
    assert "1 row without y is skipped" in plan.notes
    assert not plan.uses_unlabelled
    assert make_plan(path, "y", only=["naive_bayes_em"]).uses_unlabelled  # asked for


@pytest.mark.parametrize(
    ("rows", "split", "folds", "repeats", "test_share"),
    [
        (49, "leave-one-out", None, None, 0.0),
        (50, "cross-validation", 10, 5, 0.0),
        (249, "cross-validation", 10, 5, 0.0),
        (250, "cross-validation", 10, 5, 0.2),
        (12_500, "cross-validation", 10, 1, 0.2),
    ],
)
def test_the_protocol_goes_by_the_number_of_rows(tmp_path, rows, split, folds, repeats, test_share):
    path = csv(tmp_path, "x,y", [(i % 9, "ab"[i % 2]) for i in range(rows)])
    found = make_plan(path, "y", random_state=3).protocol
    assert (found.split, found.folds, found.repeats) == (split, folds, repeats)
    assert (found.test_share, found.random_state) == (test_share, 3)


def test_it_is_said_why_a_panel_has_no_final_test(tmp_path):
    """40 groups at 10 times: a third of them, 14 at most, have 28 rows at the last two times."""
    rows = [(group, time, group % 7, time * group % 5 + 0.5) for group in range(40) for time in range(10)]
    plan = make_plan(csv(tmp_path, "group,time,x,y", rows), "y", group="group", time="time")
    assert plan.protocol.test_share == 0
    assert plan.notes[-1].endswith("for a final test: only 28 would be fit for it, fewer than 50")


def test_folds_are_no_more_than_the_rarest_class_left_after_locking_away(tmp_path):
    path = csv(tmp_path, "x,y", [(i % 9, "rare" if i < 5 else "ab"[i % 2]) for i in range(400)])
    assert make_plan(path, "y").protocol.folds == 4  # one of the five is locked away


def test_a_rare_class_is_not_drowned(tmp_path):
    path = csv(tmp_path, "x,y", [(i % 9, "rare" if i % 20 == 0 else "usual") for i in range(200)])
    plan = make_plan(path, "y")
    assert plan.metric == "roc_auc"
    note = next(note for note in plan.notes if "ranked by AUC" in note)
    assert note.startswith("only 5.0% of the rows have y = rare")
    assert "--metric accuracy" in note
    assert make_plan(path, "y", metric="accuracy").metric == "accuracy"
    single = csv(tmp_path, "x,y", [(i % 9, "rare" if i == 0 else "usual") for i in range(200)], "single.csv")
    assert make_plan(single, "y").metric == "log_loss"  # AUC would be undefined in most folds
    grouped = csv(tmp_path, "g,x,y", [(i % 9, i % 7, "ab"[i % 20 == 0]) for i in range(200)], "grouped.csv")
    assert make_plan(grouped, "y", group="g").metric == "log_loss"  # groups make the folds, not the classes
    quarter = csv(tmp_path, "x,y", [(i % 9, "ab"[i % 4 == 0]) for i in range(200)], "quarter.csv")
    assert make_plan(quarter, "y").metric == "accuracy"


@pytest.mark.parametrize(
    ("classes", "rows", "asked", "positive"),
    [
        (("yes", "no"), (30, 70), None, "yes"),
        (("No", "Yes"), (90, 10), None, "Yes"),
        (("no", "yes"), (10, 90), None, "yes"),  # a pair that leaves no doubt, however rare the other
        (("bad", "good"), (5, 95), None, "bad"),  # the rarer
        (("bad", "good"), (40, 60), None, "good"),  # the second
        (("bad", "good"), (40, 60), "bad", "bad"),
        (("0", "1"), (60, 40), "0", "0"),
    ],
)
def test_the_positive_class_is_the_second(tmp_path, classes, rows, asked, positive):
    cells = [(i % 9, label) for label, n in zip(classes, rows, strict=True) for i in range(n)]
    path = csv(tmp_path, "x,y", cells)
    plan = make_plan(path, "y", positive=asked, kinds={"y": "nominal"})
    y = StudyRows(plan, plan.data.read()).y
    assert y.attribute.values[1] == positive
    assert y.tolist() == [label for _, label in cells]  # the cells are the same
    assert any(f"the positive class is {positive}" in note for note in plan.notes)
    assert Plan.from_toml(plan.to_toml()).roles.positive == asked


def test_a_positive_class_that_is_not_one_of_two():
    with pytest.raises(PlanError, match=r"--positive: play has no class 'Maybe'\. There are: No, Yes"):
        make_plan("weather", positive="Maybe")
    with pytest.raises(
        PlanError, match=r"--positive names one of two classes, and species has 3: .*leave it out"
    ):
        make_plan("iris", positive="setosa")
    with pytest.raises(PlanError, match="--positive names a class, and progression is a number"):
        make_plan("diabetes", positive="high")


def test_ensembles_take_no_part_where_nothing_could_show_their_worth_unless_asked_for():
    plan = make_plan("weather")
    ensembles = {"random forest", "AdaBoost of stumps"}
    assert not ensembles & {c.label for c in plan.learners}
    said = ": skipped, 14 rows cannot show that it beats a single member"
    assert [f"{name}{said}" in plan.notes for name in ("random forest", "AdaBoost of stumps")] == [
        True,
        True,
    ]
    asked = make_plan("weather", only=["cart", "random_forest"]).learners
    assert ensembles & {c.label for c in asked} == {"random forest"}


def test_only_some_learners_and_always_the_baselines():
    assert [c.label for c in make_plan("iris", only=["naive_bayes"]).learners] == [
        "0R",
        "1R",
        "naive Bayes",
        "naive Bayes, kernel density",
    ]
    assert [c.label for c in make_plan("iris", only=["one_r"]).learners] == ["0R", "1R"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": None}, r"say which column to predict: --target NAME\. There are: customer, size, letter"),
        ({"target": "bougth"}, r"no column 'bougth'\. Did you mean 'bought'\?"),
        ({"target": "bought", "ignore": ["sise"]}, r"no column 'sise'\. Did you mean 'size'\?"),
        ({"target": "bought", "ignore": ["bought"]}, "'bought' is the target, so it cannot be left out"),
        (
            {"target": "bought", "ignore": ["size", "letter", "grade"]},
            r"no column is left to predict 'bought' from\..*\. size is not used: as requested\.",
        ),
        (
            {"target": "bought", "only": ["naive_baies"]},
            r"no learner 'naive_baies'\. Did you mean 'naive_bayes'",
        ),
        (
            {"target": "bought", "only": ["lda"]},
            r"no learner 'lda'\. There are: (?!.*\b(pca|k_means)\b).*linear_discriminant",
        ),
        ({"target": "size", "only": ["one_r"]}, "one_r is for classification, and this is regression"),
        ({"target": "bought", "metric": "acuracy"}, r"no metric 'acuracy'\. Did you mean 'accuracy'\?"),
        ({"target": "bought", "cv": 1}, "protocol.folds must be at least 2, got 1"),
        ({"target": "bought", "cv": 0}, "protocol.folds must be at least 2, got 0"),
        ({"target": "bought", "repeats": 0}, "protocol.repeats must be at least 1, got 0"),
        ({"target": "bought", "test_share": 1.0}, "protocol.test_share must be at least 0 and below 1"),
    ],
)
def test_what_cannot_be_planned_is_named(tmp_path, options, message):
    with pytest.raises(OpenbookError, match=message):
        make_plan(mixed(tmp_path), **options)


def test_an_unknown_column_is_an_unknown_column(tmp_path):
    with pytest.raises(UnknownColumn):
        make_plan(mixed(tmp_path), "nothing like it")


@pytest.mark.parametrize(
    ("cells", "kinds", "message"),
    [
        (["a"] * 20, None, r"target 'y' has one value only \(a\), so there is nothing to predict"),
        (["", ""] * 10, {"y": "nominal"}, "target 'y' has no value at all"),
        (["a", "b"] * 10, {"y": "text"}, "target 'y' is free text, .* add --kind y=nominal"),
    ],
)
def test_a_target_that_tells_nothing_is_refused(tmp_path, cells, kinds, message):
    path = csv(tmp_path, "x,y", list(enumerate(cells)))
    with pytest.raises(PlanError, match=message):
        make_plan(path, "y", kinds=kinds)


def test_infinity_is_refused_before_the_first_fold(tmp_path):
    path = csv(tmp_path, "x,y", [*((f"{i % 7}.5", "ab"[i % 2]) for i in range(30)), ("inf", "a")])
    plan = make_plan(path, "y")
    with pytest.raises(OpenbookError, match=r"column 'x' holds infinity \(the first in row 30\)") as refused:
        _ = StudyRows(plan, plan.data.read()).X
    assert "read with missing=[…, 'inf']" in str(refused.value)


@pytest.mark.parametrize("option", [{"cv": 5}, {"repeats": 2}, {"test_share": 0.5}])
def test_few_rows_have_one_protocol(option):
    with pytest.raises(PlanError, match="with fewer than 50 rows, here 14, a study uses leave-one-out"):
        make_plan("weather", **option)


def test_a_file_goes_before_a_set_of_its_name_and_a_folder_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weather").mkdir()
    assert Source.of("weather").set == "weather"
    (tmp_path / "weather").rmdir()
    (tmp_path / "weather").write_text("a,b\n1,2\n")
    assert Source.of("weather").path == str(tmp_path / "weather")


def test_the_fingerprint_of_a_table_is_that_of_its_cells(tmp_path):
    table = ob.load("loan")
    same = ob.read(table.to_polars())
    assert content_hash(same.select(table.names)) == content_hash(ob.read(table.to_polars()))
    for other in (table.take(slice(1, None)), table.drop("owner"), table.take(list(range(9, -1, -1)))):
        assert content_hash(other) != content_hash(table)


def test_a_category_keeps_the_spelling_of_its_file(tmp_path):
    """A target of whole numbers is read again as classes, so that a later reading finds the same table."""
    path = csv(tmp_path, "x,y", [(i % 5, f"{i % 2}.0") for i in range(40)])
    plan = make_plan(path, "y")
    plan.data.checked(plan.data.read())


def test_a_quick_study_has_fewer_folds_and_no_slow_learner(tmp_path):
    path = csv(tmp_path, "x,y", [(i * 7919 % 1000 / 8, "ab"[i % 3 % 2]) for i in range(1100)])
    plan, usual = make_plan(path, "y", effort="quick"), make_plan(path, "y")
    assert (plan.protocol.folds, plan.protocol.repeats) == (5, 1)
    missing = {c.label for c in usual.learners} - {c.label for c in plan.learners}
    assert missing == {"naive Bayes, kernel density"}  # of 5,000 rows a fifth
    said = "naive Bayes, kernel density: skipped, too slow for a quick study of more than 1,000 rows"
    assert said in plan.notes
    assert make_plan(path, "y", effort="quick", cv=4, repeats=2).protocol.folds == 4


def test_a_thorough_study_tunes_and_repeats_more():
    plan = make_plan("iris", only=["k_neighbors"], effort="thorough")
    knobs = {candidate.label: candidate.knobs for candidate in plan.learners}
    assert knobs["nearest neighbours"]["n_neighbors"] == [1, 3, 5, 9, 15, 31]
    assert knobs["0R"] == {}
    assert (plan.protocol.folds, plan.protocol.repeats, plan.protocol.search) == (10, 10, "grid")
    assert Plan.from_toml(plan.to_toml()) == plan
    model = plan.model("nearest neighbours")
    assert (model.knobs["n_neighbors"], model.metric, model.random_state) == (
        [1, 3, 5, 9, 15, 31],
        "accuracy",
        0,
    )


def test_no_value_is_written_as_a_word():
    plan = make_plan("iris", only=["random_forest"], effort="thorough")
    (forest,) = (c for c in plan.learners if c.learner == "random_forest")
    changed = replace(forest, knobs={"max_depth": [3, "none"]})
    assert changed.values()["max_depth"] == [3, None]


def fifty(tmp_path, n):
    rows = [(i * 37 % 50, "ab"[i % 2], "yes" if i % 3 else "no") for i in range(n)]
    return csv(tmp_path, "size,letter,bought", rows, f"{n}.csv")


def test_from_fifty_rows_on_ensembles_take_part_and_folds_can_be_asked_for(tmp_path):
    few, enough = (make_plan(fifty(tmp_path, n), "bought") for n in (49, 50))
    assert any("49 rows cannot show that it beats" in note for note in few.notes)
    assert not any("cannot show that it beats" in note for note in enough.notes)
    assert "random forest" not in {c.label for c in few.learners}
    assert "random forest" in {c.label for c in enough.learners}
    assert make_plan(fifty(tmp_path, 50), "bought", cv=5).protocol.folds == 5
    with pytest.raises(PlanError, match="with fewer than 50 rows, here 49, a study uses leave-one-out"):
        make_plan(fifty(tmp_path, 49), "bought", cv=5)


def test_hand_written_rules_compete(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("if outlook = sunny then no\nelse yes\n")
    plan = make_plan("weather", only=["c45"], rules=path)
    last = plan.learners[-1]
    assert (last.label, last.learner) == ("hand-written rules", "rules")
    assert last.make().text == path.read_text()
    assert any("if their author has seen these rows, their score is too good" in note for note in plan.notes)
    assert Plan.from_toml(plan.to_toml()).learners[-1] == last
    for text, words in [
        ("if outlok = sunny then No", "rules.txt: cannot apply its rules: no column 'outlok'"),
        ("if outlook = sunny then Nix", "line 1 predicts 'Nix', which is no value of play"),
    ]:
        path.write_text(text)
        with pytest.raises(PlanError, match=words):
            make_plan("weather", rules=path)
    with pytest.raises(PlanError, match=r"cannot read the rules of nowhere\.txt"):
        make_plan("weather", rules="nowhere.txt")
    with pytest.raises(PlanError, match="rules predict classes, and 'progression' is a number"):
        make_plan("diabetes", rules=path)


def test_an_order_of_the_classes_is_used(tmp_path):
    rows = [{"x": i / 10, "grade": ("low", "mid", "high")[min(i // 20, 2)]} for i in range(60)]
    path = tmp_path / "grades.csv"
    ob.read(rows).to_polars().write_csv(path)
    plan = make_plan(path, "grade", kinds={"grade": ["low", "mid", "high"]}, only=["proportional_odds"])
    assert plan.metric == "rank_error"
    assert plan.learners[-1].learner == "proportional_odds"
    assert any("the values of grade have an order" in note for note in plan.notes)
    assert make_plan(path, "grade").metric == "accuracy"  # words in no known order
    with pytest.raises(PlanError, match="proportional_odds needs classes with an order"):
        make_plan(path, "grade", only=["proportional_odds"])


def test_dates_offer_a_test_on_later_rows(tmp_path):
    days = [f"2024-01-{i + 1:02d},{i % 3},{'ab'[i % 2]}" for i in range(20)]
    (tmp_path / "a.csv").write_text("sold on,x,y\n" + "\n".join(days) + "\n")
    offer = "dates in sold on: to test on later rows than those of training, add --time 'sold on'"
    assert any(note.startswith(offer) for note in make_plan(tmp_path / "a.csv", "y").notes)
    assert not any("--time" in note for note in make_plan(tmp_path / "a.csv", "y", time="sold on").notes)


def test_the_command_line_has_an_option_for_everything_that_may_be_asked():
    flags = {
        usage.split()[0].removeprefix("--").replace("-", "_") for o in STUDY_OPTIONS.values() for usage in o
    }
    other_words = {"learner": "only", "folds": "cv", "attributes": "hypotheses", "without": "hypotheses"}
    efforts = {"quick": "effort", "thorough": "effort"}
    named = {(other_words | efforts).get(flag, flag) for flag in flags}
    assert {field.name for field in fields(StudyOptions)} == named | {
        "ignore"
    }  # which other commands have, too


def test_targets_between_commas_are_told_apart(tmp_path):
    path = csv(tmp_path, "x,a,b", [(i, i % 2, i % 3 % 2) for i in range(30)])
    with pytest.raises(PlanError, match="together, repeat it: --target a --target b"):
        make_plan(path, "a, b")
    with pytest.raises(UnknownColumn, match="no column 'a,c'"):
        make_plan(path, "a,c")
