"""The worked example of naive Bayes with EM, digit by digit."""

import json
from pathlib import Path

import pytest

from openbook.label import NaiveBayesEM

(RECORD,) = (
    record
    for record in json.loads((Path(__file__).parent / "worked_examples.json").read_text(encoding="utf-8"))
    if record["topic"] == "nb_em"
)


@pytest.fixture(scope="module")
def model():
    data = RECORD["data"]
    y = [*data["labels"], *[None] * len(data["unlabelled"])]
    learner = NaiveBayesEM(max_iter=data["iterations"], tol=0.0)
    return learner.fit([*data["labelled"], *data["unlabelled"]], y)


@pytest.mark.parametrize("expected", RECORD["expected"], ids=lambda expected: f"step {expected['step']}")
def test_every_round_of_em(model, expected):
    t = expected["step"]
    assert model.trace_[t] == pytest.approx(expected["log_likelihood"], rel=1e-12)
    work = model.work()[f"round {t}"]
    counted = work["M step"] if t else work
    for label, prior in expected["prior"].items():
        assert counted[f"P(class = {label})"].result == pytest.approx(prior, rel=1e-12)
        for column, estimates in enumerate(expected["conditional"][label]):
            for value, share in estimates.items():
                step = counted[f"P(x{column} = {value} | class = {label})"]
                assert step.result == pytest.approx(share, rel=1e-12)
    for i, shares in enumerate(expected.get("posterior_of_unlabelled", ())):
        grid = work["classes of the unlabelled rows"]
        assert grid.rows[i] == pytest.approx((i, shares["no"], shares["yes"]), rel=1e-12)


def test_the_last_model_is_that_of_the_last_round(model):
    last = RECORD["expected"][-1]
    assert model.prior_.tolist() == pytest.approx([last["prior"]["no"], last["prior"]["yes"]], rel=1e-12)
    for label in ("no", "yes"):
        share = last["conditional"][label][1]["h"]
        assert model.likelihood("x1", "h", given=label) == pytest.approx(share, rel=1e-12)
