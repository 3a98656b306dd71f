"""What clusterers and teams of learners give as columns, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn import cluster as theirs_cluster
from sklearn import ensemble as theirs
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from openbook import ensemble as ours
from openbook import load
from openbook.cluster import BisectingKMeans, KMeans

TABLE, SPECIES = load("iris").split("species")
X = np.array(TABLE.block(TABLE.names))
Y = np.array(SPECIES.tolist())
TWO = Y != "setosa"


def members():
    return [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_votes(voting):
    own = ours.VotingClassifier(members(), voting=voting).fit(X, Y)
    other = theirs.VotingClassifier(members(), voting=voting).fit(X, Y)
    np.testing.assert_allclose(own.transform(X), other.transform(X))
    assert own.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()


def test_votes_on_numbers():
    trees = [("a", DecisionTreeRegressor(max_depth=1)), ("b", DecisionTreeRegressor(max_depth=3))]
    own = ours.VotingRegressor(trees).fit(X[:, :3], X[:, 3])
    other = theirs.VotingRegressor(trees).fit(X[:, :3], X[:, 3])
    np.testing.assert_allclose(own.transform(X[:, :3]), other.transform(X[:, :3]))
    assert own.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()


@pytest.mark.parametrize("rows", [slice(None), TWO], ids=["three classes", "two classes"])
def test_stacking(rows):
    own = ours.StackingClassifier(members()).fit(X[rows], Y[rows])
    other = theirs.StackingClassifier(members()).fit(X[rows], Y[rows])
    np.testing.assert_allclose(own.transform(X[rows]), other.transform(X[rows]))


def test_k_means():
    start = X[[0, 60, 120]]
    own = KMeans(3, init=start, scale=False, n_init=1).fit(X)
    other = theirs_cluster.KMeans(3, init=start, n_init=1).fit(X)
    np.testing.assert_allclose(own.transform(X), other.transform(X), rtol=1e-6)
    np.testing.assert_array_equal(own.transform(X).argmin(axis=1), own.predict(X))
    assert own.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()


def test_bisecting_k_means():
    """Each row's distances to the centres, by their definition."""
    model = BisectingKMeans(3, scale=False, random_state=0).fit(X)
    expected = np.linalg.norm(X[:, None] - model.cluster_centers_[None], axis=2)
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-9)
