"""Every learner shows its work, refuses in time, and words its errors."""

import json
import math
import pickle
from inspect import signature

import pytest

from openbook import registry
from openbook.border.rules import Anything, Flag, Maybe, Number, OneOf, ValueOf, Whole, WordOr, Workers
from openbook.data import Numeric, Schema, Text, read
from openbook.ensemble.bagging import SampleSize
from openbook.errors import OpenbookError, ParameterError, RefusalError
from openbook.tree.learner import RowsOrShare
from openbook.work import Work
from openbook.work.formula import parse


def check_work(work):
    assert isinstance(work, Work)
    steps = list(work.steps())
    assert work.title
    for step in steps:
        assert step.label
        for formula in (step.formula, step.numbers):
            if formula:
                parse(formula)
    for rendered in (work.text(), work.html(), work.latex(), json.dumps(work.json(), allow_nan=False)):
        assert rendered
    assert work.title in " ".join(work.text().split())  # a long title is wrapped


def test_how_it_was_learnt(case):
    check_work(case.model.work())


def test_how_a_row_was_decided(case):
    model = case.model
    for i in (0, 7):
        check_work(model.work(case.X.take([i])))
        check_work(model.work(case.X.row(i)))


def test_the_work_of_a_row_of_gaps_and_strange_values(case):
    model = case.model
    if model.__sklearn_tags__().input_tags.positive_only:
        pytest.skip("counts events, and refuses numbers below 0")
    check_work(model.work({}))
    strange = {a.name: -1e9 if isinstance(a, Numeric) else "never seen" for a in case.X.schema}
    check_work(model.work(strange))


def test_the_work_ends_with_the_prediction(classifier):
    if classifier.parameters.get("strategy"):
        pytest.skip("draws at random")
    model = classifier.model
    for i in range(0, 300, 50):
        row = classifier.X.take([i])
        assert str(model.predict(row)[0]) in model.work(row).conclusion


def test_work_takes_one_row_in_any_form(case):
    model, row = case.model, case.X.take([3])
    of_table = model.work(row).text()
    frame = row.to_pandas()
    assert model.work(frame).text() == of_table
    assert model.work(frame.iloc[0]).text() == of_table
    assert model.work(frame.iloc[0][::-1]).text() == of_table  # a Series goes by its names
    assert model.work(list(case.X.row(3).values())).text() == of_table
    assert model.work([case.X.row(3)]).text() == of_table  # as `predict` takes it


def test_work_takes_no_more_than_one_row_and_no_other_column(case):
    model = case.model
    with pytest.raises(OpenbookError, match=r"work takes one row, got 2; pick one, as in"):
        model.work(case.X.take([0, 1]))
    with pytest.raises(OpenbookError, match=r"no column 'wages'\. "):
        model.work({"wages": 3})
    with pytest.raises(OpenbookError, match=r"X has 2 features, but .* is expecting"):
        model.work([1, 2])


@pytest.mark.filterwarnings(
    "ignore:.*notes"
)  # words that say the same are left out, which some learners tell
@pytest.mark.filterwarnings("ignore:.*same information")
def test_a_refusal_is_what_fit_does(case):
    learner = case.make()
    assert learner.refusal(case.X.schema) is None
    words = {"notes": ["a long text", "a short one", "long and short"] * 100}
    frame = case.X.to_pandas().assign(**words)
    table = read(frame, kinds={"notes": "text"})
    reason = learner.refusal(table.schema)
    if reason is None:
        assert learner.fit(table, case.y) is learner
        return
    assert reason == "cannot use the text column 'notes'; drop it or turn it into counts first"
    with pytest.raises(RefusalError, match="cannot use the text column 'notes'"):
        learner.fit(table, case.y)
    assert not hasattr(learner, "schema_")


def test_a_refusal_needs_no_rows(case):
    assert case.make().refusal(Schema((Numeric("a"),))) is None
    refused = case.make().refusal(Schema((Numeric("a"), Text("b"))))
    assert refused is None or "'b'" in refused


BAD = {
    OneOf: ["nonsense", 3, None],
    Whole: [-1, 0, 2.5, True, "3", None],
    Number: [-1, math.nan, math.inf, True, "3"],
    SampleSize: [0, -1, 0.0, 1.5, True, "3"],
    RowsOrShare: [0, -1, math.nan, math.inf, True, "3"],
    Workers: [0, 1.5, True, "3"],
    Flag: [0, 1, None, "yes"],
    ValueOf: [1.0, None, "Laplace"],
}


def bad_values():
    for entry in registry.learners():
        own = signature(entry.cls).parameters  # a rule of a setting that a subclass fixes binds nobody
        for name, rule in ((name, rule) for name, rule in entry.cls._rules.items() if name in own):
            inner = rule.inner if isinstance(rule, Maybe | WordOr) else rule
            if not isinstance(inner, Anything):
                yield from ((entry.name, name, value) for value in BAD[type(inner)] if not rule.allows(value))


def test_every_rule_is_put_to_the_test():
    tried = {(learner, name) for learner, name, _ in bad_values()}
    assert ("naive_bayes", "variance") in tried
    assert ("one_r", "bins") in tried
    assert ("minimum_risk", "reject") in tried


@pytest.mark.parametrize(("name", "parameter", "value"), list(bad_values()))
def test_a_broken_rule_is_worded(name, parameter, value):
    learner = registry.learner(name).make(**{parameter: value})
    demand = learner._rules[parameter].demand()
    with pytest.raises(ParameterError) as caught:
        learner.fit([[1.0], [2.0]], [0, 1])
    assert str(caught.value) == f"{type(learner).__name__}: {parameter} must be {demand}, got {value!r}."


def test_complexity_counts(case):
    size = case.model.complexity()
    assert type(size) is int
    assert size > 0


def test_prediction_changes_nothing(case):
    model = case.model
    case.answers(model, case.X)
    model.work(case.X.row(0))
    before = pickle.dumps(model)
    model.predict(case.X)
    case.answers(model, case.X.take([3, 4]))
    model.work(case.X.row(5))
    assert pickle.dumps(model) == before


def test_fitting_changes_no_parameter(case):
    learner = case.make()
    before = {name: repr(value) for name, value in learner.get_params().items()}
    learner.fit(case.X, case.y)
    assert {name: repr(value) for name, value in learner.get_params().items()} == before
    assert repr(learner) == repr(case.make())


def test_a_failed_fit_leaves_the_model_as_it_was(case):
    model = case.fitted()
    before = case.answers(model, case.X)
    other = case.X.to_pandas().assign(extra=1.0)
    y = case.y.tolist()
    y[4] = None
    if getattr(model, "_takes_unlabelled", False):
        y = [None] * len(y)
    with pytest.raises(OpenbookError, match=r"' is missing in (every row|1 row \(the first is row 4\))"):
        model.fit(other, y)
    assert model.schema_ == case.X.schema
    assert (case.answers(model, case.X) == before).all()
