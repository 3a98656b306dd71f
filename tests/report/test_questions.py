"""Questions a study should answer: personal data, answers of the plan, a reviewer's questions, references."""

import pytest

import openbook as ob
from openbook.errors import PlanError
from openbook.plan import Plan, make_plan, run
from openbook.registry import LEARNERS, learners
from openbook.report.sections.draft import _in_words, bibliography, draft, references
from openbook.report.sections.questions import (
    QUESTIONS,
    open_questions,
    personal_columns,
    questions_to_answer,
    reviewer_questions,
)


def test_personal_data_by_names_and_cells():
    rows = [
        {"Last_Name": "Bo", "contact": f"a{i}@b.org", "addr": f"10.0.0.{i}", "named_colour": "red"}
        for i in range(9)
    ]
    found = personal_columns(ob.read(rows), names=("date of birth", "Last_Name"))
    assert found == {
        "Last_Name": "a name",
        "contact": "an e-mail address",
        "addr": "a device or network address",
        "date of birth": "a date of birth",
    }
    assert personal_columns(ob.load("iris")) == {}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    plan = make_plan("loan", only=["naive_bayes"])
    answered = Plan.from_toml(plan.to_toml() + '\n[questions]\npurpose = "Tax audits <b>only</b>."\n')
    return run(answered, tmp_path_factory.mktemp("study") / "loan")


def test_answers_of_the_plan_stand_in_the_report(result):
    assert result.questions == {"purpose": "Tax audits <b>only</b>."}
    part = questions_to_answer(result)
    rows = {question: (answer, told) for question, answer, told in part.blocks[1].rows}
    assert rows[QUESTIONS["purpose"]][0] == "Tax audits <b>only</b>."
    assert rows[QUESTIONS["access"]][0] == 'Open. Answer it in plan.toml: [questions] access = "…"'
    assert len(open_questions(result)) == len(QUESTIONS) - 1
    page = result.report.read_text(encoding="utf-8")
    assert "Tax audits &lt;b&gt;only&lt;/b&gt;." in page
    assert "Three questions for a reviewer" in page


def test_three_questions_for_a_reviewer(result):
    asked = list(reviewer_questions(result))
    assert len(asked) == 3
    assert "score on rows from another time or place" in asked[0]  # nothing was held out for a final test


def test_the_draft_cites_and_numbers(result):
    text = draft(result, {})
    found = references(result.learners.values(), ["cross-validation"])
    assert any(what == "naive_bayes" for _, what in found)
    number = next(line for line in text.splitlines() if "Domingos" in line).partition("]")[0] + "]"
    assert f"naive Bayes {number}" in text
    for words in ("Table 1 lists the learners", "Figure 1. ", "Table 1: ", "Tax audits", "[about 300"):
        assert words in text


def test_names_with_a_comma_are_kept_apart():
    assert _in_words(["C4.5", "CART", "1R"]) == "C4.5, CART and 1R"
    assert (
        _in_words(["1R", "naive Bayes, kernel density", "CART"]) == "1R; naive Bayes, kernel density and CART"
    )


def test_plans_know_the_questions_and_share_results():
    plan = make_plan("weather", only=["naive_bayes"])
    text = plan.to_toml()
    answered = Plan.from_toml(text + '\n[questions]\nethics = "None."\n')
    assert answered.fingerprint == plan.fingerprint
    assert Plan.from_toml(answered.to_toml()) == answered
    with pytest.raises(PlanError, match=r"unknown key questions\.ethic\. Did you mean 'ethics'"):
        Plan.from_toml(text + '\n[questions]\nethic = "None."\n')


def test_the_bibliography_is_of_learners_that_there_are():
    known = bibliography()
    assert set(known["learners"]) <= set(LEARNERS)
    studied = {entry.name for entry in learners() if entry.study}
    assert studied - set(known["learners"]) <= {"zero_r", "zero_regressor"}
