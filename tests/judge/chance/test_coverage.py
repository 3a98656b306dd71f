"""Remarks on intervals that cover too rarely or too often in simulations."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import openbook as ob
from openbook.baseline import ZeroR
from openbook.judge.chance import coverage
from openbook.judge.chance.coverage import OUTSIDE, coverage_remark

RECORD = json.loads((Path(__file__).parents[3] / "bench" / "results" / "coverage.json").read_text())
WAYS = {
    "usual": "folds",
    "quick": "folds",
    "grouped": "groups",
    "time-ordered": "time",
    "held-out": "held out",
}
ENDS = (-1, 0.93), (1, 0.97)


def test_the_figures_are_those_of_the_simulations():
    """Where one lies outside 93% to 97% by two standard errors, each score with one outside has its range."""
    ranges, beyond = {}, set()
    for cell, learners in RECORD.items():
        _, protocol, rows = cell.split(", ")
        at = WAYS[protocol], int(rows)
        scores = ranges.setdefault(at, {})
        for learner, by_score in learners.items():
            for score, found in by_score.items():
                if score != "simulations" and (learner, score) != ("0R", "roc_auc"):
                    covered, n = found["coverage"], by_score["simulations"]
                    scores.setdefault(score, []).append(round(100 * covered, 1))
                    if any(sign * (covered - end) > 2 * math.sqrt(end * (1 - end) / n) for sign, end in ENDS):
                        beyond.add(at)
    outside = {
        at: {
            name: (min(all_), max(all_))
            for name, all_ in ranges[at].items()
            if min(all_) < 93 or max(all_) > 97
        }
        for at in beyond
    }
    assert outside == OUTSIDE
    assert {rows for _, rows in ranges} == set(coverage._SIMULATED)


@pytest.fixture
def three(monkeypatch):
    found = {"accuracy": (92.5, 96.0), "log_loss": (95.0, 98.2), "cost": (97.1, 97.5)}
    monkeypatch.setattr(coverage, "OUTSIDE", {("groups", 50): found, ("time", 200): {"cost": (94, 97.1)}})


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (
            [("accuracy", "accuracy")],
            "95% intervals may be too narrow: with {}, they held in 92.5% to 96% of",
        ),
        (
            [("log loss", "log_loss")],
            "95% intervals may be too wide: with {}, they held in 95% to 98.2% of",
        ),
        (
            [("Brier score", "log_loss"), ("F1", "accuracy"), ("ROC AUC", "roc_auc")],
            "95% intervals of Brier score, F1 are rough: with {}, they held in 92.5% to 98.2% of",
        ),
    ],
)
def test_the_remark_names_the_scores_and_the_range(three, shown, words):
    assert coverage_remark({"groups": 70}, shown) == f"{words.format('50 rows in 5 groups')} simulations."


def test_there_is_no_remark_on_intervals_that_hold(three):
    assert coverage_remark({"groups": 50}, [("ROC AUC", "roc_auc")]) == ""
    assert coverage_remark({"groups": 120}, [("cost", "cost")]) == ""  # nearer to 200 than to 50
    assert coverage_remark({"folds": 50}, [("cost", "cost")]) == ""


@pytest.fixture
def ways(monkeypatch):
    """Which rows of which way an evaluation is judged by: every way has its own figure."""
    sizes = {50: 1, 200: 2, 1_000: 3, 2_000: 4}
    every = {(way, n): {"accuracy": (90 + of, 95)} for way in WAYS.values() for n, of in sizes.items()}
    monkeypatch.setattr(coverage, "OUTSIDE", every)


Y = np.arange(240) % 2


@pytest.mark.parametrize(
    ("n", "how", "words"),
    [
        (60, {}, "with 50 rows,"),
        (240, {"cv": 5}, "with 200 rows,"),
        (240, {"cv": 0.8}, "with 200 rows, a fifth of them held out,"),
        (240, {"cv": 0.95}, "with 50 rows, a fifth of them held out,"),  # 12 tested rows are a fifth of 60
        (240, {"groups": np.arange(240) // 12}, "with 200 rows in 20 groups,"),
        (240, {"groups": np.arange(240) // 48}, "with 50 rows in 5 groups,"),  # the 5 groups count
        (60, {"time": np.arange(60)}, "with 50 rows in order of time,"),
    ],
    ids=["folds", "cv=5", "a fifth", "a twentieth", "20 groups", "5 groups", "time"],
)
def test_an_evaluation_is_judged_by_its_way_of_testing(ways, n, how, words):
    X = np.arange(n, dtype=float)[:, None]
    evaluation = ob.evaluate(ZeroR(), X, Y[:n], metrics="accuracy", **how)
    assert words in evaluation.coverage_remark(None)
    compared = ob.compare([ZeroR()], X, Y[:n], metrics="accuracy", **how)
    for each in (evaluation, compared):
        assert evaluation.coverage_remark(None) in " ".join(str(each).split())
