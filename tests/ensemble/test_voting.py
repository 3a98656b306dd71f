"""Voting by hand: hard, soft and weighted; beside scikit-learn; and what a team must be."""

import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier as TheirVoting
from sklearn.ensemble import VotingRegressor as TheirVotingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from openbook import load
from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.ensemble import VotingClassifier, VotingRegressor
from openbook.errors import ParameterError

X, Y = load("weather").split("play")
SUNNY = X.take([0])  # 0R: yes 9/14; 1R on outlook: no 3/5

TEAM = [("0R", ZeroR()), ("1R", OneR())]


def test_a_hard_vote_counts_decisions():
    model = VotingClassifier(TEAM).fit(X, Y)
    assert model.predict_proba(SUNNY).tolist() == [[0.5, 0.5]]
    assert model.predict(SUNNY).tolist() == ["No"]  # ties: the first
    weighted = VotingClassifier(TEAM, weights=[3, 1]).fit(X, Y)
    assert weighted.predict_proba(SUNNY).tolist() == [[0.25, 0.75]]
    assert weighted.work(SUNNY)["P(Yes)"].result == 0.75


def test_a_soft_vote_averages_probabilities():
    model = VotingClassifier(TEAM, voting="soft").fit(X, Y)
    assert model.predict_proba(SUNNY)[0] == pytest.approx(
        [(5 / 14 + 3 / 5) / 2, (9 / 14 + 2 / 5) / 2], rel=1e-14
    )
    weighted = VotingClassifier(TEAM, voting="soft", weights=[3, 1]).fit(X, Y)
    assert weighted.predict_proba(SUNNY)[0, 0] == pytest.approx((3 * 5 / 14 + 3 / 5) / 4, rel=1e-14)
    assert [row[:2] for row in weighted.work(SUNNY).parts[0].rows] == [("0R", 3), ("1R", 1)]


def test_the_mean_of_numbers():
    model = VotingRegressor([("mean", ZeroRegressor()), ("median", ZeroRegressor("median"))], weights=[1, 2])
    model.fit([[0], [0], [0]], [1.0, 2.0, 6.0])
    assert model.predict([[0]]).tolist() == [(3 + 2 * 2) / 3]


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("weights", [None, [1, 2]])
def test_beside_scikit_learn(voting, weights):
    table, y = load("iris").split("species")
    numbers, y = table.block(table.names), np.asarray(y).astype(str)
    team = [("bayes", GaussianNB()), ("near", KNeighborsClassifier(7))]
    ours = VotingClassifier(team, voting, weights).fit(numbers, y)
    theirs = TheirVoting(team, voting=voting, weights=weights).fit(numbers, y)
    assert (ours.predict(numbers) == theirs.predict(numbers)).all()
    if voting == "soft":
        np.testing.assert_allclose(ours.predict_proba(numbers), theirs.predict_proba(numbers), rtol=1e-12)


def test_numbers_beside_scikit_learn():
    table, y = load("diabetes").split("progression")
    numbers, y = table.block(table.names), np.asarray(y)
    team = [("line", LinearRegression()), ("near", KNeighborsRegressor())]
    ours, theirs = (
        cls(team, weights=[2, 1]).fit(numbers, y).predict(numbers)
        for cls in (VotingRegressor, TheirVotingRegressor)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_members_are_learnt_as_if_alone():
    model = VotingClassifier(TEAM).fit(X, Y)
    assert model.estimators_[1].work().text() == OneR().fit(X, Y).work().text()
    assert [part.title for part in model.work().parts] == ["members", "0R for play", "1R for play"]


def test_parameters_of_the_learners():
    model = VotingClassifier([("bayes", NaiveBayes()), ("1R", OneR())])
    assert model.get_params()["1R__bins"] == 10
    model.set_params(**{"1R__bins": 4})
    assert model.estimators[1][1].bins == 4
    model.set_params(**{"1R": ZeroR()})
    assert isinstance(model.fit(X, Y).estimators_[1], ZeroR)
    search = GridSearchCV(VotingClassifier([("1R", OneR())]), {"1R__bins": [2, 3]}, cv=2).fit(X, Y)
    assert search.best_params_["1R__bins"] == 2


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (VotingClassifier([]), r"estimators must be pairs of a name and a learner, such as \('bayes', Naive"),
        (VotingClassifier([OneR()]), "VotingClassifier: estimators must be pairs of a name and a learner"),
        (
            VotingClassifier([("a", OneR()), ("a", ZeroR())]),
            "two learners are called 'a'; rename one of them",
        ),
        (VotingClassifier([("a", ZeroRegressor())]), "needs a classifier, and ZeroRegressor is not one"),
        (VotingClassifier(TEAM, weights=[1]), r"weights must be 2 numbers, none below zero .*, got \[1\]"),
        (VotingClassifier(TEAM, weights=[1, -1]), "weights must be 2 numbers"),
        (VotingClassifier(TEAM, weights=[0, 0]), "not all zero"),
        (VotingClassifier(TEAM, weights=[1, np.nan]), "weights must be 2 numbers"),
    ],
)
def test_what_a_team_must_be(model, message):
    with pytest.raises(ParameterError, match=message):
        model.fit(X, Y)


def test_probabilities_are_side_by_side_or_stacked_like_sklearn():
    table, y = load("iris").split("species")
    numbers, y = table.block(table.names), y.data
    team = [("bayes", GaussianNB()), ("neighbours", KNeighborsClassifier())]
    for flat in (True, False):
        ours = VotingClassifier(team, voting="soft", flatten_transform=flat).fit(numbers, y)
        theirs = TheirVoting(team, voting="soft", flatten_transform=flat).fit(numbers, y)
        np.testing.assert_allclose(ours.transform(numbers), theirs.transform(numbers), rtol=1e-12)
    assert ours.named_estimators_["neighbours"] is ours.estimators_[1]
