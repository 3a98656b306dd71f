"""The theory of votes, and how much members differ: by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from openbook import load
from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    IndependentVote,
    RandomForestClassifier,
    disagreement,
    diversity,
    independent_vote_error,
    kappa,
    majority_right,
    member_predictions,
    q_statistic,
)
from openbook.errors import DataError, ParameterError

X, Y = load("weather").split("play")


def test_three_voters():
    assert independent_vote_error(3, 0.2) == pytest.approx(3 * 0.04 * 0.8 + 0.008, rel=1e-14)
    work = IndependentVote(3, 0.2).work()
    assert [row[0] for row in work.parts[1].rows] == [2, 3]
    assert work.conclusion == "The vote errs less than a member."
    assert IndependentVote(3, 0.8).work().conclusion == "The vote errs more than a member."
    assert IndependentVote(1, 0.3).work().conclusion == "The vote errs as often as a member."


def test_a_tie_is_lost_every_other_time():
    assert independent_vote_error(2, 0.2) == pytest.approx(0.04 + 0.32 / 2, rel=1e-14)
    assert IndependentVote(2, 0.2).work()["error of the vote"].note == "a tie is lost half of the time"


@given(st.integers(1, 60), st.floats(0, 1))
def test_laws_of_the_vote(n, e):
    error = independent_vote_error(n, e)
    assert error == pytest.approx(1 - independent_vote_error(n, 1 - e), abs=1e-12)
    assert independent_vote_error(n, 0.5) == pytest.approx(0.5)
    if n % 2:  # one more voter makes ties, and no difference
        assert independent_vote_error(n + 1, e) == pytest.approx(error, abs=1e-12)


def test_very_many_voters():
    assert independent_vote_error(5001, 0.45) < 1e-11
    assert math.isfinite(independent_vote_error(5001, 0.5))


@pytest.mark.parametrize(
    ("n", "error", "message"),
    [
        (0, 0.1, "n must be a whole number of at least 1, got 0"),
        (2.5, 0.1, "n must be a whole number of at least 1, got 2.5"),
        (True, 0.1, "n must be a whole number"),
        (3, 1.1, "the error must be a number from 0 to 1, got 1.1"),
        (3, math.nan, "the error must be a number from 0 to 1, got nan"),
    ],
)
def test_no_such_vote(n, error, message):
    with pytest.raises(ParameterError, match=message):
        independent_vote_error(n, error)


def test_a_tie_is_no_majority():
    assert majority_right([[1, 0], [0, 1]]).tolist() == [False, False]
    for nonsense in ([1, 0, 1], [[1, 2]], [["yes"]]):
        with pytest.raises(DataError, match="correct must be a table of 0 and 1 with one row per member"):
            majority_right(nonsense)


TRUTH = list("aabbab")
SAID = [list("aabbbb"), list("ababab"), list("aabbab")]
# right: 1 1 1 1 0 1; 1 0 0 1 1 1; all


def test_measures_by_hand():
    assert disagreement(SAID)[0].tolist() == pytest.approx([0, 3 / 6, 1 / 6])
    chance = 2 / 6 * 3 / 6 + 4 / 6 * 3 / 6
    assert kappa(SAID)[0, 1] == pytest.approx((0.5 - chance) / (1 - chance))
    # both right 3, only the first 2, only the second 1, neither 0
    assert q_statistic(SAID, TRUTH)[0, 1] == (3 * 0 - 2 * 1) / (3 * 0 + 2 * 1)
    assert math.isnan(q_statistic(SAID, TRUTH)[0, 2])  # the third never errs
    assert math.isnan(kappa([["a", "a"], ["a", "a"]])[0, 1])  # no chance to differ


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=2, max_size=20))
def test_kappa_beside_scikit_learn(rows):
    one, two, _ = members = [list(column) for column in zip(*rows, strict=True)]
    ours = kappa(members)
    assert ours[0, 1] == ours[1, 0] or np.isnan(ours[0, 1])
    if len({*one, *two}) > 1:
        assert ours[0, 1] == pytest.approx(cohen_kappa_score(one, two), abs=1e-12)


def test_a_fitted_ensemble():
    model = BaggingClassifier(OneR(), 4, random_state=0).fit(X, Y)
    said = member_predictions(model, X)
    assert said.shape == (4, 14)
    assert said[2].tolist() == model.estimators_[2].predict(X).tolist()
    found = diversity(model, X, Y)
    assert found.disagreement.tolist() == disagreement(said).tolist()
    pairs = [found.disagreement[i, j] for i in range(4) for j in range(i)]
    assert found.means()["disagreement"] == pytest.approx(np.mean(pairs))
    work = found.work()
    assert len(work.parts[0].rows) == 6
    assert work["kappa"].result == found.means()["kappa"]
    assert "Q" in work.text()
    assert work.json()


def test_members_that_are_all_alike():
    model = BaggingClassifier(ZeroR(), 3, bootstrap=False).fit(X, Y)
    found = diversity(model, X, Y).means()
    assert found["disagreement"] == 0
    assert math.isnan(found["kappa"])
    assert found["q_statistic"] == 1 or math.isnan(found["q_statistic"])
    diversity(model, X, Y).work().text()


def test_what_has_no_members():
    with pytest.raises(
        ParameterError, match="NaiveBayes is not an ensemble of classifiers; pass the members' pred"
    ):
        member_predictions(NaiveBayes().fit(X, Y), X)
    with pytest.raises(ParameterError, match="RandomForestClassifier keeps its trees in one piece; use a B"):
        diversity(RandomForestClassifier(n_estimators=2).fit(X, Y), X, Y)
    with pytest.raises(ParameterError, match="BaggingRegressor is not an ensemble of classifiers"):
        member_predictions(BaggingRegressor(ZeroRegressor()), X)
    with pytest.raises(
        DataError, match=r"predictions must be a table with one row per member, got the shape \(3,\)"
    ):
        disagreement([1, 2, 3])
    with pytest.raises(DataError, match=r"6 rows are predicted, but y has the shape \(5,\)"):
        q_statistic(SAID, TRUTH[:5])
