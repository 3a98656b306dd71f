"""The baselines beside scikit-learn's dummies, on real data; equal to the last digits."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.tree import DecisionTreeClassifier

from openbook import load, read
from openbook.baseline import OneR, ZeroR, ZeroRegressor

SETS = {
    "iris": "species",
    "wine": "cultivar",
    "breast_cancer": "diagnosis",
    "digits": "digit",
    "credit": "default",
}
PAIRS = {"majority": "most_frequent", "uniform": "uniform", "prior": "prior"}  # ours, theirs


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("strategy", PAIRS)
def test_classes(name, strategy):
    X, y = load(name).split(SETS[name])
    labels, zeros = np.array(y.tolist()), np.zeros((len(y), 1))
    ours = ZeroR(strategy, random_state=0).fit(X, y)
    theirs = DummyClassifier(strategy=PAIRS[strategy], random_state=0).fit(zeros, labels)
    order = [theirs.classes_.tolist().index(label) for label in ours.classes_]
    if strategy == "majority":
        shares = DummyClassifier(strategy="prior").fit(zeros, labels).predict_proba(zeros)
        np.testing.assert_allclose(ours.predict_proba(X), shares[:, order], rtol=1e-15)
        assert (ours.predict(X) == theirs.predict(zeros)).all()
    else:
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(zeros)[:, order], rtol=1e-15)


@pytest.mark.parametrize("strategy", ["uniform", "prior"])
def test_what_is_drawn_is_as_frequent_as_it_should_be(strategy):
    X, y = load("credit", rows=5000).split("default")
    model = ZeroR(strategy, random_state=1).fit(X, y)
    drawn = np.mean(model.predict(X) == "yes")
    share = model.predict_proba(X)[0, 1]
    assert abs(drawn - share) < 4 * np.sqrt(share * (1 - share) / 5000)
    expected = model.work()["expected accuracy"].result
    assert abs(model.score(X, y) - expected) < 4 * np.sqrt(expected * (1 - expected) / 5000)


@pytest.mark.parametrize("strategy", ["mean", "median"])
def test_numbers(strategy):
    X, y = load("diabetes").split("progression")
    w = np.random.default_rng(0).integers(1, 5, len(y))
    for weights in (None, w):
        ours = ZeroRegressor(strategy).fit(X, y, sample_weight=weights)
        theirs = DummyRegressor(strategy=strategy).fit(X.block(X.names), y.data, sample_weight=weights)
        if strategy == "median" and weights is not None:  # theirs takes the lower of the middle two
            repeated = np.repeat(y.data, w)
            assert ours.constant_ == np.median(repeated)
        else:
            assert ours.constant_ == pytest.approx(theirs.constant_.item(), rel=1e-14)


def test_one_rule_is_a_tree_with_one_split_where_attributes_are_yes_or_no():
    """On yes/no attributes the best rule makes no more errors than scikit-learn's best stump."""
    X, y = load("digits").split("digit")
    pixels = X.block(X.names) > 7
    labels = y.data
    kinds = dict.fromkeys(range(pixels.shape[1]), "nominal")
    table = read(pixels.astype(float), kinds)
    ours = OneR().fit(table, labels)
    stumps = [
        (
            DecisionTreeClassifier(max_depth=1).fit(pixels[:, [j]], labels).predict(pixels[:, [j]]) != labels
        ).sum()
        for j in range(pixels.shape[1])
    ]
    assert list(ours.errors_.values()) == stumps
