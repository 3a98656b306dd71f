"""Random subspaces: which columns members see, and the mean of what they say."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from openbook import load
from openbook.baseline import ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.ensemble import RandomSubspaceClassifier, RandomSubspaceRegressor

X, Y = load("weather").split("play")


@pytest.mark.parametrize(("share", "width"), [(0.1, 1), (0.25, 1), (0.5, 2), (0.6, 3), (1.0, 4)])
def test_how_many_columns_a_member_sees(share, width):
    model = RandomSubspaceClassifier(NaiveBayes(), 5, share, random_state=0).fit(X, Y)
    for names, member in zip(model.subspaces_, model.estimators_, strict=True):
        assert len(set(names)) == width
        assert member.schema_ == X.schema.select(names)


def test_the_mean_of_members_on_their_columns():
    model = RandomSubspaceClassifier(NaiveBayes(), 6, random_state=0).fit(X, Y)
    assert len(set(model.subspaces_)) > 1
    parts = [NaiveBayes().fit(X.select(names), Y).predict_proba(X) for names in model.subspaces_]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(parts, axis=0), rtol=1e-12)
    assert model.work().parts[0].rows[0][3] == ", ".join(model.subspaces_[0])


def test_all_columns_are_the_learner_itself():
    model = RandomSubspaceClassifier(NaiveBayes(), 2, 1.0).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes().fit(X, Y).predict_proba(X), rtol=1e-14)


def test_gaps_and_values_never_seen_reach_the_members():
    model = RandomSubspaceClassifier(NaiveBayes(), 3, random_state=0).fit(X, Y)
    row = {"outlook": "foggy", "windy": None}
    encoded = model._one_row(row)
    alone = [
        m.predict_proba(encoded.select(n))[0]
        for n, m in zip(model.subspaces_, model.estimators_, strict=True)
    ]
    work = model.work(row)
    assert [list(line[2:]) for line in work.parts[0].rows] == [p.tolist() for p in alone]


def test_others_learners_see_their_columns_too():
    iris, species = load("iris").split("species")
    numbers = iris.block(iris.names)
    model = RandomSubspaceClassifier(GaussianNB(), 4, random_state=0).fit(numbers, species)
    for names, member in zip(model.subspaces_, model.estimators_, strict=True):
        columns = [int(name.removeprefix("x")) for name in names]
        alone = GaussianNB().fit(numbers[:, columns], np.asarray(species))
        np.testing.assert_allclose(member.theta_, alone.theta_, rtol=1e-14)
    assert model.score(numbers, species) > 0.9


def test_numbers():
    model = RandomSubspaceRegressor(ZeroRegressor(), 3, random_state=0).fit([[0, 1], [2, 3]], [1.0, 4.0])
    assert model.predict([[9, 9]]).tolist() == [2.5]
    work = model.work([9, 9])
    assert work["target"].result == 2.5
    assert work.conclusion == "The mean: target = 2.5."
