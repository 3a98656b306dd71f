"""Stumps from presorted rows, beside the engine that grows them one by one."""

import numpy as np
import pytest

from openbook import load
from openbook.data import Column, Nominal, Numeric, Ordinal, Schema, Table
from openbook.ensemble import AdaBoostClassifier
from openbook.tree import DecisionTreeClassifier
from openbook.tree.classifier import StumpRows
from openbook.tree.learner import EncodedRows
from openbook.tree.stump import BINS, drop_of, presort

SIZES = ("small", "medium", "large", "vast")


def table_of(n, rng):
    """Numbers without ties, with a few, mostly zero, whole, in float32, constant, mirrored; and sizes."""
    x = rng.normal(size=n)
    columns = {
        "plain": x,
        "rounded": rng.normal(size=n).round(2),
        "zeros": np.where(rng.random(n) < 0.6, 0.0, rng.exponential(size=n)),
        "whole": rng.integers(0, 5, n).astype(float),
        "single": rng.normal(size=n).astype(np.float32),
        "constant": np.full(n, 3.0),
        "mirrored": -x,
    }
    attributes = (*map(Numeric, columns), Ordinal("size", SIZES))
    return Table(Schema(attributes), [*columns.values(), rng.integers(0, 4, n).astype(np.int8)])


def encoded_and_fitted(settings, X, y, w):
    """The same stump twice: from rows encoded once, with its decisions, and by `fit`."""
    target = Column(Nominal("y", ("no", "yes")), y)
    learner = DecisionTreeClassifier(max_depth=1, **settings)
    rows = DecisionTreeClassifier(max_depth=1, **settings).encoded(X, target)
    assert isinstance(rows, StumpRows)
    decisions = rows.grow(learner, w)
    return learner, decisions, DecisionTreeClassifier(max_depth=1, **settings).fit(X, target, sample_weight=w)


@pytest.mark.parametrize(
    "settings", [{}, {"min_leaf": 20, "missing": "majority"}, {"min_gain": 0.003, "missing": "branch"}]
)
@pytest.mark.parametrize("n", [40, 700, 8 * BINS])
@pytest.mark.parametrize("seed", range(4))
def test_a_stump_is_what_fit_grows(n, seed, settings):
    """Every figure of the tree and of all candidates, whatever the weights, signal or none."""
    rng = np.random.default_rng(seed)
    X = table_of(n, rng)
    signal = (seed % 2) * (X.data("plain") + (X.data("zeros") > 0.4))
    y = (signal + rng.normal(size=n) > 0.4).astype(np.intp)
    w = np.ones(n) if seed == 0 else rng.exponential(size=n) ** seed + 1e-3
    ours, decisions, theirs = encoded_and_fitted(settings, X, y, w)
    assert vars(ours).keys() == vars(theirs).keys()
    for name, array in theirs._arrays().items():
        assert ours._arrays()[name].dtype == array.dtype
        np.testing.assert_allclose(ours._arrays()[name], array, rtol=1e-8, atol=1e-12 * n, err_msg=name)
    assert (theirs.classes_[decisions] == theirs.predict(X)).all()


def test_the_first_of_equals_wins():
    """Cuts at 1.5 and 3.5 gain the same, in a column and in its mirror image behind it."""
    x = np.repeat([1.0, 2.0, 3.0, 4.0], 6)
    y = np.repeat([1, 0, 0, 1], 6)
    X = Table.from_matrix(Schema((Numeric("a"), Numeric("b"))), np.stack([x, 5 - x], axis=1))
    ours, _, theirs = encoded_and_fitted({}, X, y, np.ones(24))
    assert (ours.tree_.attribute[0], ours.tree_.cut[0]) == (0, 1.5)
    assert (theirs.tree_.attribute[0], theirs.tree_.cut[0]) == (0, 1.5)


def test_nothing_to_gain_is_a_leaf():
    X = Table.from_matrix(Schema((Numeric("a"),)), np.array([[0.0], [0.0], [1.0], [1.0]]))
    ours, decisions, theirs = encoded_and_fitted({}, X, np.array([0, 1, 0, 1]), np.array([1.0, 2, 1, 2]))
    assert ours.tree_.size == theirs.tree_.size == 1
    assert decisions.tolist() == [1] * 4


def test_the_drop_is_that_of_gini():
    """3 and 1 of the classes on the left, 1 and 5 on the right: 2 (a B - b A)^2 / (W L R)."""
    cost = lambda a, b: (a + b) * (1 - (a / (a + b)) ** 2 - (b / (a + b)) ** 2)  # noqa: E731
    wanted = cost(4, 6) - cost(3, 1) - cost(1, 5)
    assert drop_of.py_func(3.0, 1.0, (4.0, 6.0)) == pytest.approx(wanted, rel=1e-14)
    assert drop_of.py_func(0.0, 0.0, (4.0, 6.0)) == 0


@pytest.mark.parametrize(
    ("name", "target", "settings"),
    [
        ("credit", "default", {}),  # nominal columns, and gaps
        ("iris", "species", {}),  # three classes
        ("breast_cancer", "diagnosis", {"criterion": "entropy"}),
        ("breast_cancer", "diagnosis", {"bins": 8}),
        ("breast_cancer", "diagnosis", {"class_weight": "balanced"}),
        ("breast_cancer", "diagnosis", {"max_depth": 2}),
    ],
)
def test_others_are_for_the_engine(name, target, settings):
    X, y = load(name).split(target)
    assert isinstance(DecisionTreeClassifier(**{"max_depth": 1, **settings}).encoded(X, y), EncodedRows)


def test_gaps_are_for_the_engine():
    X = table_of(30, np.random.default_rng(0))
    y = np.arange(30) % 2
    assert presort(X, y) is not None
    X.columns[3][7] = np.nan
    assert presort(X, y) is None
    X.columns[3][7], X.columns[7][2] = 0, -1
    assert presort(X, y) is None


def test_boosting_takes_the_stumps_of_fit():
    """Thirty rounds: stumps from presorted rows against stumps that are fitted one by one."""
    X, y = load("breast_cancer").split("diagnosis")
    quick = AdaBoostClassifier(n_estimators=30).fit(X, y)
    slow = AdaBoostClassifier(OneByOne(max_depth=1), n_estimators=30).fit(X, y)
    assert [m.tree_.attribute[0] for m in quick.members_] == [m.tree_.attribute[0] for m in slow.members_]
    for name in ("alphas_", "errors_", "vote_errors_", "weights_"):
        np.testing.assert_allclose(getattr(quick, name), getattr(slow, name), rtol=1e-8, err_msg=name)
    assert np.array_equal(quick.predict(X), slow.predict(X))
    np.testing.assert_allclose(quick.predict_proba(X), slow.predict_proba(X), rtol=1e-8)


class OneByOne(DecisionTreeClassifier):
    """Stumps that are fitted, not grown from encoded rows."""

    grows_again = False
