"""Stumps from presorted rows, beside the engine that grows them one by one."""

import numpy as np
import pytest

from openbook import load
from openbook.border.rows import RowWeights
from openbook.data import Column, Nominal, Numeric, Ordinal, Schema, Table
from openbook.ensemble import AdaBoostClassifier
from openbook.tree import DecisionTreeClassifier
from openbook.tree.classifier import StumpRows
from openbook.tree.engine.criteria import GINI
from openbook.tree.engine.keys import CLASS, FIRST, ROW
from openbook.tree.engine.stump import NO_LOGS, best_stump, most_bins, presort
from openbook.tree.engine.two_classes import allowed, cut_score, drop_of_score, scores_above
from openbook.tree.learner import TreeRows

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
    rows = DecisionTreeClassifier(max_depth=1, **settings)._encoded(X, target)
    assert isinstance(rows, StumpRows)
    decisions = rows.grow(learner, w)
    weights = w.view(RowWeights)
    fitted = DecisionTreeClassifier(max_depth=1, **settings).fit(X, target, sample_weight=weights)
    return learner, decisions, fitted


@pytest.mark.parametrize(
    "settings",
    [{}, {"min_samples_leaf": 20, "missing": "majority"}, {"min_gain": 0.003, "missing": "branch"}],
)
@pytest.mark.parametrize("n", [40, 700, 9000])
@pytest.mark.parametrize("seed", range(4))
def test_a_stump_is_what_fit_grows(n, seed, settings):
    """Every figure of the tree and of all candidates, whatever the weights, signal or none."""
    rng = np.random.default_rng(seed)
    X = table_of(n, rng)
    signal = (seed % 2) * (X.data("plain") + (X.data("zeros") > 0.4))
    y = (signal + rng.normal(size=n) > 0.4).astype(np.intp)
    w = np.ones(n) if seed == 0 else rng.exponential(size=n) ** seed + 1e-3
    ours, decisions, theirs = encoded_and_fitted(settings, X, y, w)
    assert vars(ours).keys() ^ vars(theirs).keys() <= {"_rows_in_use"}  # where the caller's rows are
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
    cut, how = (1.0, 4.0, (6.0, 10.0)), (GINI, NO_LOGS)  # of the second class, and of both
    value = cut_score.py_func(*cut, *how)
    assert drop_of_score.py_func(value, cut[2], GINI) == pytest.approx(wanted, rel=1e-14)
    assert scores_above.py_func(*cut, value - 1e-9, *how)
    assert not scores_above.py_func(*cut, value + 1e-9, *how)


@pytest.mark.parametrize("left", [0.0, 10.0, -1e-17, 10.0 + 2e-15])
def test_no_cut_leaves_a_side_empty(left):
    """However little rounding leaves there."""
    assert not allowed.py_func(left, (6.0, 10.0), 0.0)


@pytest.mark.parametrize(
    ("n", "bins"), [(1, 64), (100, 64), (10_000, 512), (100_000, 2048), (1_000_000, 8192), (10**9, 16384)]
)
def test_bins_grow_with_the_square_root_of_the_rows(n, bins):
    """6 √n, to the next power of two: 600, 1,897 and 6,000."""
    assert most_bins(n) == bins


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
    assert isinstance(DecisionTreeClassifier(**{"max_depth": 1, **settings})._encoded(X, y), TreeRows)


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
    assert [m.tree_.attribute[0] for m in quick.estimators_] == [
        m.tree_.attribute[0] for m in slow.estimators_
    ]
    for name in ("alphas_", "errors_", "vote_errors_", "weights_"):
        np.testing.assert_allclose(getattr(quick, name), getattr(slow, name), rtol=1e-8, err_msg=name)
    assert np.array_equal(quick.predict(X), slow.predict(X))
    np.testing.assert_allclose(quick.predict_proba(X), slow.predict_proba(X), rtol=1e-8)


class OneByOne(DecisionTreeClassifier):
    """Stumps that are fitted, not grown from encoded rows."""

    _grows_again = False


def lumpy(n, rng):
    """Columns of more numbers than bins, some of them in many rows: no ties, lumps, and tiny steps."""
    whole = rng.integers(0, 3, n).astype(float)
    columns = {
        "plain": rng.normal(size=n),
        "lumps": np.where(rng.random(n) < 0.7, whole, rng.normal(size=n)),
        "pairs": rng.integers(0, n // 2, n).astype(float),
        "steps": whole + 1e-12 * rng.integers(0, 2000, n),  # float32 cannot tell them apart
    }
    return Table(Schema(tuple(map(Numeric, columns))), list(columns.values()))


def best_of_all_cuts(column, y, w):
    """The first best cut of all that there are, and what it drops: the costs of the sides, one by one."""

    def costs(classes):
        total = classes.sum(axis=-1)
        return total - (classes**2).sum(axis=-1) / total

    numbers, place = np.unique(column, return_inverse=True)
    weights = np.stack([np.bincount(place, w * (y == c), minlength=len(numbers)) for c in (0, 1)], axis=1)
    left = np.cumsum(weights, axis=0)[:-1]
    right = weights.sum(axis=0) - left
    heavy = np.minimum(left.sum(axis=1), right.sum(axis=1)) >= 1
    drops = np.where(heavy, costs(weights.sum(axis=0)) - costs(left) - costs(right), -1)
    at = int(np.flatnonzero(drops > drops.max() - 1e-9 * w.sum())[0])
    return drops[at], numbers[at], numbers[at + 1]


def test_every_cut_is_the_best_of_all_round_after_round():
    """Twelve rounds whose weights wander, so that bins are opened early and late, and some never."""
    rng, n = np.random.default_rng(5), 6144
    X, hidden = lumpy(n, rng), rng.normal(size=(12, n))
    y = (X.data("plain") + X.data("lumps") + rng.normal(size=n) > 1).astype(np.intp)
    rows, kept, stumps = presort(X, y), [], []
    for spread in hidden:
        w = np.exp(spread + rng.normal() * X.data("plain") * (2 * y - 1))
        w *= n / w.sum()
        stumps.append(best_stump(rows, X, w, 1.0, 0.0, True))
        kept.append(int(rows.n_keys[0]))
        for f, column in enumerate(X.columns):
            drop, below, above = best_of_all_cuts(column, y, w)
            assert below <= stumps[-1].candidates.cut[0, f] < above
            assert stumps[-1].candidates.gain[0, f] == pytest.approx(drop / n, rel=1e-9)
        f, cut = stumps[-1].tree.attribute[0], stumps[-1].tree.cut[0]
        sides = np.where(X.columns[f] <= cut, *stumps[-1].tree.value[1:].argmax(axis=1))
        assert stumps[-1].decisions.tolist() == sides.tolist()
    assert 0 < kept[0] < kept[-1] < rows.keys.size / 2
    assert len(set(kept)) > 4  # bins were opened in several rounds


def test_opened_bins_hold_their_rows_in_order():
    rng, n = np.random.default_rng(6), 4096
    X, y = lumpy(n, rng), rng.integers(0, 2, n)
    rows = presort(X, y)
    for _ in range(5):
        best_stump(rows, X, rng.exponential(size=n) ** 3 + 1e-3, 1.0, 0.0, True)
    seen = 0
    for f, k in zip(*np.nonzero(rows.opened >= 0), strict=True):
        keys = rows.keys[rows.opened[f, k] :][: rows.sizes[f, k]]
        inside = np.flatnonzero(rows.codes[f] >> 1 == k)
        ordered = inside[np.argsort(X.columns[f][inside], kind="stable")]
        assert (keys & ROW).tolist() == ordered.tolist()
        assert (keys & CLASS > 0).tolist() == (y[ordered] == 1).tolist()
        numbers = X.columns[f][ordered]
        assert (keys & FIRST > 0).tolist() == [True, *(numbers[1:] > numbers[:-1])]
        seen += len(keys)
    assert seen == rows.n_keys[0] > 0


def test_bins_of_one_number_stay_closed():
    """As many numbers as bins: each has one of its own, and no cut lies inside."""
    rng, n = np.random.default_rng(7), 9000
    X = Table.from_matrix(Schema((Numeric("a"),)), rng.integers(0, most_bins(n), (n, 1)).astype(float))
    rows = presort(X, rng.integers(0, 2, n))
    assert best_stump(rows, X, np.ones(n), 1.0, 0.0, True) is not None
    assert (rows.opened < 0).all()
    assert rows.n_keys[0] == 0


def test_all_bins_may_be_opened():
    """Weights that make one bin after the other the best: in the end all keys are written, and none twice."""
    n = 2048
    X = Table.from_matrix(Schema((Numeric("a"),)), np.arange(n)[::-1, None].astype(float))
    y = np.arange(n) // 2 % 2
    rows = presort(X, y)
    for k in range(0, n, 8):
        w = np.full(n, 1e-3)
        w[k : k + 8] = 10
        stump = best_stump(rows, X, w, 1.0, 0.0, True)
        drop, *_ = best_of_all_cuts(X.columns[0], y, w)
        assert stump.candidates.gain[0, 0] == pytest.approx(drop / w.sum(), rel=1e-9)
    assert (rows.opened[0] >= 0).all()
    assert rows.n_keys[0] == n == len(set((rows.keys & ROW).tolist()))
