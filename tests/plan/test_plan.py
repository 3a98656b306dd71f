"""A plan is data: what is written is read back, and whatever is wrong with it is named."""

from dataclasses import replace
from pathlib import Path

import pytest

from openbook.bayes import Laplace, MEstimate, NaiveBayes
from openbook.errors import PlanError
from openbook.plan.parts import Candidate, Hypothesis, Protocol, Roles
from openbook.plan.plan import Plan
from openbook.plan.source import Source

PLAN = """
format = 1
task = "classification"
metric = "accuracy"

[data]
set = "weather"

[roles]
target = "play"

[protocol]
split = "cross-validation"
folds = 5
repeats = 2

[[learners]]
label = "NB"
learner = "naive_bayes"
parameters = { smoothing = { type = "Laplace", alpha = 0.5 } }
"""


def plan_with(old: str, new: str) -> str:
    assert old in PLAN
    return PLAN.replace(old, new)


def test_a_plan_written_by_hand_says_what_it_says():
    plan = Plan.from_toml(PLAN)
    assert plan.data == Source(set="weather")
    assert plan.roles == Roles("play")
    assert plan.protocol == Protocol("cross-validation", 5, 2)
    assert plan.learners[0].make().smoothing == Laplace(0.5)


@pytest.mark.parametrize(
    "plan",
    [
        Plan.from_toml(PLAN),
        Plan(
            data=Source(path="/data/a b.csv", kinds={"size": ["S", "M"], "zip": "nominal"}, sha256="ab"),
            roles=Roles('ta"rget', ignore=("id", "nöte\n")),
            task="regression",
            metric="rmse",
            protocol=Protocol("leave-one-out", test_share=0.25, random_state=7),
            learners=(Candidate("mean", "zero_regressor", {"strategy": "median"}),),
            notes=("it was so", 'and "so"'),
        ),
    ],
)
def test_reading_gives_back_what_was_written(plan):
    assert Plan.from_toml(plan.to_toml()) == plan


def test_a_learner_survives_as_a_candidate():
    model = NaiveBayes(smoothing=MEstimate(2.0, None), variance="sample")
    candidate = Candidate.of("NB", model)
    assert candidate.learner == "naive_bayes"
    assert set(candidate.parameters) == {"smoothing", "variance"}
    assert candidate.make().get_params() == model.get_params()


def test_the_way_to_the_data_is_seen_from_the_plan(tmp_path: Path):
    (tmp_path / "study").mkdir()
    plan = replace(Plan.from_toml(PLAN), data=Source(path=str(tmp_path / "loans.csv")))
    plan.save(tmp_path / "study" / "plan.toml")
    assert 'path = "../loans.csv"' in (tmp_path / "study" / "plan.toml").read_text()
    assert Plan.open(tmp_path / "study" / "plan.toml") == plan


def test_the_fingerprint_follows_what_the_results_depend_on():
    plan = Plan.from_toml(PLAN)
    assert replace(plan, notes=("other words",)).fingerprint == plan.fingerprint
    assert replace(plan, data=Source(path="elsewhere.csv")).fingerprint == plan.fingerprint
    for other in (
        replace(plan, data=Source(set="weather", sha256="other")),
        replace(plan, roles=Roles("windy")),
        replace(plan, protocol=Protocol("cross-validation", 4, 2)),
        replace(plan, metric="error"),
        replace(plan, learners=(Candidate("NB", "naive_bayes"),)),
    ):
        assert other.fingerprint != plan.fingerprint


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 1", "format = 99", r"format must be 1 or 2, got 99; it may be from a newer openbook"),
        ("format = 1", "format = ", "not TOML"),
        ('metric = "accuracy"', 'metrik = "accuracy"', r"unknown key metrik\. Did you mean 'metric'\?"),
        ('metric = "accuracy"', "", "metric is missing"),
        ('metric = "accuracy"', "metric = 3", "metric must be text, got 3"),
        ('metric = "accuracy"', 'metric = "acuracy"', r"no metric 'acuracy'\. Did you mean 'accuracy'\?"),
        ('metric = "accuracy"', 'metric = "rmse"', "rmse judges regression"),
        ('task = "classification"', 'task = "guessing"', "task must be one of classification, regression"),
        ('set = "weather"', 'sett = "weather"', r"unknown key data\.sett\. Did you mean 'set'"),
        ('set = "weather"', "", "data: give either set"),
        ('set = "weather"', 'set = "weather"\npath = "x.csv"', "data: give either set"),
        ('target = "play"', "target = true", "roles.target must be text, got True"),
        ('target = "play"', 'target = "play"\ngroup = 1', "roles.group must be text, got 1"),
        (
            'target = "play"',
            'target = "play"\ngruop = "id"',
            r"unknown key roles.gruop\. Did you mean 'group'",
        ),
        (
            'target = "play"',
            'target = "play"\ntime = "play"',
            "roles.time: 'play' is the target; name another",
        ),
        (
            'target = "play"',
            'target = "play"\nid = "day"\nweight = "day"',
            "roles.weight: 'day' has another role already",
        ),
        ("[protocol]", "[costs]\nyes = 3\n[protocol]", "costs.yes must be a table, got 3"),
        ("[protocol]", '[costs]\nyes = { no = "x" }\n[protocol]', "costs.yes.no must be a number, got 'x'"),
        ("[[learners]]", "[[hypotheses]]\n[[learners]]", r"hypotheses\[0\]\.name is missing"),
        (
            "[[learners]]",
            '[[hypotheses]]\nname = "h"\nlearners = ["NBB"]\n[[learners]]',
            r"hypotheses\.h: no learner is labelled 'NBB'\. Did you mean 'NB'",
        ),
        (
            "[[learners]]",
            '[[hypotheses]]\nname = "h"\n[[hypotheses]]\nname = "h"\n[[learners]]',
            "hypotheses: two are called 'h'; rename one",
        ),
        (
            "parameters =",
            "knobs = { smoothing = [] }\nparameters =",
            r"learners\.NB: knobs\.smoothing has no values",
        ),
        (
            "parameters =",
            "knobs = { smothing = [1] }\nparameters =",
            r"naive_bayes has no parameter 'smothing'",
        ),
        ("parameters =", 'knobs = { variance = ["big"] }\nparameters =', r"learners\.NB: .*variance must be"),
        (
            '"cross-validation"',
            '"time-ordered"',
            "protocol.time-ordered needs folds, and cannot have repeats",
        ),
        ("folds = 5", "folds = 1", "protocol.folds must be at least 2, got 1"),
        ("folds = 5", "folds = 2.5", "protocol.folds must be a whole number, got 2.5"),
        ("repeats = 2", "repeats = 0", "protocol.repeats must be at least 1"),
        ("repeats = 2", "repeats = 2\ntest_share = 1", "protocol.test_share must be at least 0 and below 1"),
        (
            "repeats = 2",
            "repeats = 2\nrandom_state = -1",
            "protocol.random_state must be a whole number from 0",
        ),
        ("repeats = 2", "", "protocol.folds and repeats are needed for cross-validation"),
        (
            '"cross-validation"',
            '"leave-one-out"',
            "protocol.folds and repeats mean nothing for leave-one-out",
        ),
        ('"cross-validation"', '"random"', "protocol.split must be one of cross-validation, leave-one-out"),
        (
            '"naive_bayes"',
            '"naive_baies"',
            r"learners\.NB: no learner 'naive_baies'\. Did you mean 'naive_bayes'",
        ),
        (
            "smoothing =",
            "smothing =",
            r"learners\.NB: naive_bayes has no parameter 'smothing'\. Did you mean",
        ),
        ('"Laplace"', '"Laplas"', r"learners\.NB: smoothing must be one of .*\(unknown value 'Laplas'"),
        ('{ type = "Laplace", alpha = 0.5 }', "0.5", r"learners\.NB: smoothing must be one of"),
        ("alpha = 0.5", "alpha = -1", r"learners\.NB: smoothing"),
        ('label = "NB"', "", r"learners\[0\]\.label is missing"),
        ("[[learners]]", "[learners]", "learners must be a list"),
    ],
)
def test_what_is_wrong_with_a_plan_is_named(old, new, message):
    with pytest.raises(PlanError, match=message):
        Plan.from_toml(plan_with(old, new))


def test_a_label_names_one_learner():
    twice = PLAN + '\n[[learners]]\nlabel = "NB"\nlearner = "zero_r"\n'
    with pytest.raises(PlanError, match="two are labelled 'NB'; rename one"):
        Plan.from_toml(twice)


def test_a_plan_that_is_no_text_is_refused_by_name(tmp_path: Path):
    file = tmp_path / "plan.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PlanError, match=r"plan\.toml: not a plan, since it is not UTF-8 text"):
        Plan.open(file)


FULL = """
format = 2
task = "classification"
metric = "cost"

[data]
set = "weather"

[roles]
target = "play"
ignore = ["temperature"]
id = "day"
group = "week"
time = "date"
sensitive = ["windy"]
weight = "w"

[costs]
Yes = { No = 2 }
No = { Yes = 1.5 }

[protocol]
split = "time-ordered"
folds = 3
search = "halving"

[[hypotheses]]
name = "wind"
attributes = ["windy"]
without = ["humidity"]
learners = ["NB"]

[[learners]]
label = "NB"
learner = "naive_bayes"
parameters = { variance = "sample" }
knobs = { smoothing = [{ type = "Laplace", alpha = 1.0 }] }
"""


def test_a_plan_with_everything_is_read_back():
    plan = Plan.from_toml(FULL)
    assert plan.roles == Roles("play", ("temperature",), "day", "week", "date", ("windy",), "w")
    assert plan.costs == {"Yes": {"No": 2.0}, "No": {"Yes": 1.5}}
    assert plan.hypotheses == (Hypothesis("wind", ("windy",), ("humidity",), ("NB",)),)
    assert plan.learners[0].values() == {"smoothing": [Laplace(1.0)]}
    assert plan.metrics[0] == "cost"
    assert Plan.from_toml(plan.to_toml()) == plan
    assert replace(plan, costs={}, metric="accuracy").fingerprint != plan.fingerprint


def test_format_1_is_read_as_it_is():
    old = Plan.from_toml(PLAN)
    assert old == Plan.from_toml(plan_with("format = 1", "format = 2"))
    assert "format = 2" in old.to_toml()
