"""Columns with a role: what becomes of them from the plan to the folds, the test and the fitted model."""

import numpy as np
import polars as pl
import pytest

import openbook as ob
from openbook.baseline import ZeroR
from openbook.data import read
from openbook.decide import MinimumRisk
from openbook.errors import DataError, OpenbookError, PlanError
from openbook.plan import Hypothesis, make_plan, run
from openbook.plan.money import read_costs
from openbook.plan.rows import StudyRows

N = 120


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Visits of 30 patients, four each; `sick` follows from x, with noise."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=N).round(3)
    days = rng.permutation(N)
    table = pl.DataFrame(
        {
            "visit": [f"v{1000 + 7 * i}" for i in range(N)],
            "patient": [f"p{i % 30}" for i in range(N)],
            "day": [str(np.datetime64("2024-01-01") + day) for day in days],
            "weight": rng.integers(1, 5, N),
            "sex": rng.choice(["f", "m"], N),
            "x": x,
            "z": rng.normal(size=N).round(3),
            "sick": np.where(x + rng.normal(size=N) / 2 > 0.3, "yes", "no"),
        }
    )
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    table.write_csv(path)
    return path


FEW = {"only": ["naive_bayes"], "cv": 3, "repeats": 1}


def planned(visits, **options):
    plan = make_plan(visits, "sick", **{**FEW, **options})
    return plan, StudyRows(plan, ob.read(visits))


def test_no_role_but_sensitive_is_an_input(visits):
    _, rows = planned(visits, id="visit", group="patient", weight="weight", sensitive=["sex"], ignore=["day"])
    assert rows.X.names == ("sex", "x", "z")
    _, rows = planned(visits, sensitive=["sex"], ignore=["sex", "day", "patient", "weight", "visit"])
    assert rows.X.names == ("x", "z")


def test_a_group_trains_or_tests_or_is_locked_away_as_a_whole(visits):
    plan, rows = planned(visits, group="patient", test_share=0.3)
    patients = np.array(ob.read(visits).column("patient").tolist())
    locked = set(patients[rows.locked])
    assert len(rows.locked) == pytest.approx(0.3 * N, abs=4)
    assert not locked & set(patients[rows.train])
    assert len(rows.splits) == 3
    for train, test in rows.splits:
        assert not set(patients[train]) & set(patients[test])
        assert not (set(patients[train]) | set(patients[test])) & locked
    assert (plan.protocol.split, plan.protocol.folds, plan.protocol.repeats) == ("cross-validation", 3, 1)
    assert "a group's rows always together" in rows.protocol.words


def test_the_past_trains_and_the_future_tests(visits):
    plan, rows = planned(visits, time="day", test_share=0.25)
    assert (plan.protocol.split, plan.protocol.folds, plan.protocol.repeats) == ("time-ordered", 3, None)
    day = np.array(ob.read(visits).column("day").tolist(), dtype="datetime64[D]")[rows.known]
    assert day[rows.train].max() < day[rows.locked].min()
    assert len(rows.locked) == N // 4
    for train, test in rows.splits:
        assert day[train].max() < day[test].min()
        assert (np.diff(day[train]).astype(int) > 0).all()  # so that tuning can split them by time again


def test_weights_are_those_of_the_rows(visits, tmp_path):
    """0R says what the weights say."""
    table = ob.read(visits)
    whole = {"weight": "weight", "weight_kind": "importance"}
    plan, rows = planned(visits, **whole, only=["one_r"], test_share=0.25)
    result = run(plan, tmp_path, workers=1)
    expected = np.bincount(
        rows.y.take(rows.train).data, weights=table.data("weight")[rows.train], minlength=2
    )
    zero = ZeroR().fit(
        rows.X.take(rows.train), rows.y.take(rows.train), sample_weight=table.data("weight")[rows.train]
    )
    assert zero.predict_proba(rows.X.head(1))[0] == pytest.approx(expected / expected.sum())
    first = result.comparison["0R"].folds[0]
    train = rows.splits[0][0]
    share = (
        np.bincount(rows.y.data[train], weights=table.data("weight")[train])
        / table.data("weight")[train].sum()
    )
    assert first.proba[0] == pytest.approx(share)


def test_rows_go_by_their_name(visits, tmp_path):
    result = run(planned(visits, id="visit")[0], tmp_path, workers=1)
    names = ob.read(visits).column("visit").tolist()
    assert [example.name for example in result.examples] == [names[e.row] for e in result.examples]
    assert f"(visit {result.examples[0].name})" in result.report.read_text(encoding="utf-8")


def test_costs_decide_and_rank(visits, tmp_path):
    """Missing a sick person costs 20: who is decided well must be so with a probability above 20/21."""
    costs = {"yes": {"no": 20.0}, "no": {"yes": 1.0}}
    result = run(planned(visits, costs=costs, ignore=["visit", "day", "patient"])[0], tmp_path, workers=1)
    metric = result.comparison.metric()
    assert metric.name == "cost"
    assert "ranked by the cost per row" in " ".join(result.notes)
    for evaluation in result.comparison.evaluations.values():
        p = evaluation.predictions
        assert (p.predicted == (p.proba[:, 1] > 1 / 21)).all()
        paid = 20 * ((p.truth == 1) & (p.predicted == 0)) + ((p.truth == 0) & (p.predicted == 1))
        assert evaluation.pooled() == pytest.approx(paid.mean())
    model = ob.open_model(result.model_file)
    assert isinstance(model, MinimumRisk)
    assert result.looks.costs.threshold == pytest.approx(1 / 21)


def test_fairness_is_by_the_sensitive_column_even_if_no_learner_sees_it(visits, tmp_path):
    plan = planned(visits, sensitive=["sex"], ignore=["sex", "visit", "day", "patient", "weight"])[0]
    result = run(plan, tmp_path, workers=1)
    assert list(result.looks.fairness) == ["sex"]
    assert set(result.looks.fairness["sex"].groups) == {"f", "m"}
    assert result.columns["naive Bayes"] == ("x", "z")
    assert "fairness is evaluated between its groups; it is not used as a feature" in " ".join(result.notes)


def test_hypotheses_are_ranked_on_the_same_folds(visits, tmp_path):
    """What only sees noise is worse; a constant learner is ranked once."""
    sets = [
        Hypothesis("all"),
        Hypothesis("noise", ("z",)),
        Hypothesis("no z", without=("z",), learners=("1R",)),
    ]
    plan = planned(visits, hypotheses=sets, ignore=["visit", "day", "patient", "weight"])[0]
    assert [each.label for each in plan.contestants] == [
        "0R",
        "1R · all",
        "naive Bayes · all",
        "naive Bayes, kernel density · all",
        "1R · noise",
        "naive Bayes · noise",
        "naive Bayes, kernel density · noise",
        "1R · no z",
    ]
    assert plan.baselines == ("0R", "1R · all", "1R · noise", "1R · no z")
    result = run(plan, tmp_path, workers=1)
    assert result.columns["naive Bayes · noise"] == ("z",)
    assert result.columns["1R · no z"] == ("sex", "x")
    scores = {row.label: row.score for row in result.comparison.rows()}
    assert scores["naive Bayes · all"] > scores["naive Bayes · noise"] + 0.1
    assert ob.open_model(result.model_file).schema_.names == result.columns[result.choice.label]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "pateint"}, "no column 'pateint'. Did you mean 'patient'"),
        ({"time": "sex"}, "is neither a number nor a date"),
        ({"weight": "sex"}, "roles.weight: 'sex' is nominal, and weights are numbers"),
        ({"weight": "x"}, "roles.weight: 'x' must be a number of at least 0 in every row, and row "),
        ({"weight": "day", "time": "day"}, "roles.weight: 'day' has another role already"),
        ({"hypotheses": [Hypothesis("h", ("y",))]}, "hypotheses.h: 'y' is no input"),
        ({"hypotheses": [Hypothesis("h", ("x",), ("x",))]}, "hypotheses.h: no column is left"),
        ({"costs": {"yes": {"no": 1.0}}}, "costs must say what deciding 'yes' costs when the truth is 'no'"),
        ({"costs": {"yes": {"maybe": 1.0}}}, "costs name the class 'maybe', which is not there"),
    ],
)
def test_what_is_wrong_with_a_role_is_said_before_anything_runs(visits, options, message):
    with pytest.raises(OpenbookError, match=message):
        make_plan(visits, "sick", **options)


def test_costs_from_a_file(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("cost, truth, predicted\n10,yes,no\n1.5,no,yes\n-1,yes,yes\n")
    assert read_costs(path) == {"yes": {"no": 10.0, "yes": -1.0}, "no": {"yes": 1.5}}
    path.write_text("truth,predicted,cost\nyes,no,1\nyes,no,2\n")
    with pytest.raises(PlanError, match=r"costs.csv, line 3: deciding 'no' for 'yes' has two costs"):
        read_costs(path)
    path.write_text("truth,predicted,cost\n")
    with pytest.raises(PlanError, match="holds no costs; give a line for each mistake"):
        read_costs(path)


def test_leave_one_group_out_where_groups_are_few(tmp_path):
    rows = [{"g": f"g{i % 4}", "x": float(i % 7), "y": "ab"[i % 2]} for i in range(40)]
    read(rows).to_polars().write_csv(tmp_path / "t.csv")
    plan = make_plan(tmp_path / "t.csv", "y", group="g", only=["one_r"])
    assert (plan.protocol.split, plan.protocol.folds) == ("leave-one-group-out", None)
    assert len(run(plan, tmp_path / "study").comparison["0R"].folds) == 4


def test_evaluations_of_a_study_know_groups_and_order(visits, tmp_path):
    plan, rows = planned(visits, group="patient", time="day", test_groups="known")
    comparison = run(plan, tmp_path / "study").comparison
    patients = np.array(ob.read(visits).column("patient").tolist())[rows.known]
    for evaluation in comparison.evaluations.values():
        same = evaluation.groups[:, None] == evaluation.groups
        assert (same == (patients[:, None] == patients)).all()
        assert evaluation.ordered


def test_of_the_dates_that_order_the_rows_learners_see_what_comes_back(tmp_path):
    """Busy weekends, told by the weekday of days that all lie after training; by a date of one row, too."""
    days = [np.datetime64("2024-01-01") + i for i in range(400)]  # a Monday
    lines = [f"{d.item():%-m/%-d/%Y},{i % 5},{'yes' if i % 7 > 4 else 'no'}" for i, d in enumerate(days)]
    (tmp_path / "a.csv").write_text("sold on,size,busy\n" + "\n".join(lines) + "\n")
    plan = make_plan(tmp_path / "a.csv", "busy", time="sold on", only=["cart"])
    assert "learners use the weekday of sold on, which the future has too" in plan.notes
    result = run(plan, tmp_path / "out", workers=1)
    assert result.tests["CART"].score("accuracy") == 1.0
    model = ob.open_model(result.model_file)
    assert model.schema_.names == ("size", "sold on weekday")
    saturday = "sold on,size\n3/8/2025,1\n3/9/2025,1\n3/10/2025,1\n"  # and the days after
    (tmp_path / "new.csv").write_text(saturday)
    assert model.predict(ob.read(tmp_path / "new.csv", model.schema_)).tolist() == ["yes", "yes", "no"]
    with pytest.raises(DataError, match="column 'sold on' is missing"):
        model.predict([{"size": 1}])


def test_findings_advise_nothing_about_columns_that_are_no_features(tmp_path):
    """Six years in 60 rows might be codes; of a column that orders the rows nobody asks."""
    rng = np.random.default_rng(0)
    year, x = np.repeat(np.arange(2015, 2021), 10), rng.normal(size=60).round(2)
    path = tmp_path / "years.csv"
    pl.DataFrame({"year": year, "x": x, "sick": np.where(x > 0, "yes", "no")}).write_csv(path)

    def advised(**roles):
        plan = make_plan(path, "sick", only=["naive_bayes"], **roles)
        found = run(plan, tmp_path / "-".join(("study", *roles))).description.findings
        return [finding.kind for finding in found if finding.columns == ("year",)]

    assert advised() == ["few values"]
    assert advised(time="year") == []
