"""Absolute error: medians by hand, the search beside a plain one on ties, gaps and codes, scikit-learn."""

import math
from itertools import chain, pairwise

import numpy as np
import pytest
from sklearn import tree as sklearn_tree

from openbook.data import Nominal, Numeric, Ordinal, Schema, Table
from openbook.tree import DecisionTreeRegressor
from openbook.tree.engine.absolute_error import median_and_deviation
from openbook.tree.engine.nodes import LEAF

# --- medians


@pytest.mark.parametrize(
    ("y", "w", "median", "deviation"),
    [
        ([5.0], [2.0], 5, 0),
        ([1.0, 3.0], [1.0, 1.0], 2, 2),
        ([1.0, 3.0], [1.0, 2.0], 3, 2),
        ([3.0, 1.0, 2.0, 8.0], [1.0, 1.0, 1.0, 1.0], 2.5, 8),
        ([3.0, 1.0, 2.0, 8.0], [1.0, 1.0, 2.0, 2.0], 2.5, 0.5 + 1.5 + 1 + 11),
        ([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], 2.5, 0.15 + 0.1 + 0.15),  # 0.1 + 0.2 is a little more than 0.3
    ],
)
def test_medians_by_hand(y, w, median, deviation):
    assert median_and_deviation(y, w) == pytest.approx((median, deviation))


def test_a_tree_by_hand():
    """Of the cuts, x <= 3.5 leaves deviations of 2 and 5 instead of 22, around 2 and around 9."""
    X, y = np.arange(1.0, 8)[:, None], np.array([1.0, 2.0, 3.0, 8.0, 7.0, 10.0, 10.0])
    model = DecisionTreeRegressor("absolute_error", max_depth=1).fit(X, y)
    assert model.tree_.cut[0] == 3.5
    assert model.tree_.value.tolist() == [[7, 6 + 5 + 4 + 1 + 3 + 3], [2, 2], [9, 1 + 2 + 1 + 1]]
    assert model.tree_.gain[0] == pytest.approx((22 - 7) / 7)
    assert model.predict([[0.0], [9.0]]).tolist() == [2, 9]


def test_an_outlier_does_not_draw_the_cut():
    X, y = np.arange(20.0)[:, None], np.r_[np.zeros(10), np.full(10, 50.0)]
    y[4] = 1000.0
    assert DecisionTreeRegressor("absolute_error", max_depth=1).fit(X, y).tree_.cut[0] == 9.5
    assert DecisionTreeRegressor("squared_error", max_depth=1).fit(X, y).tree_.cut[0] == 4.5


# --- beside a plain search


def deviation(rows, y, w):
    rows = list(rows)
    if not rows:
        return 0.0
    return min(sum(w[i] * abs(y[i] - y[m]) for i in rows) for m in rows)  # some row is always a median


def splits(attribute, x, nominal):
    """Every split of a column, as lists of rows with known cells: cuts, or a group a value."""
    known = [i for i, v in enumerate(x) if v is not None]
    values = sorted({x[i] for i in known})
    groups = [[i for i in known if x[i] == v] for v in values]
    if isinstance(attribute, Nominal) and nominal == "multiway":
        return [groups]
    return [(list(chain(*groups[:k])), list(chain(*groups[k:]))) for k in range(1, len(groups))]


def table(seed, rows=40):
    """Ties, gaps, codes of all kinds, few and many numbers; targets with ties; weights."""
    rng = np.random.default_rng(seed)
    schema = Schema(
        (
            Numeric("few"),
            Numeric("many"),
            Ordinal("size", ("s", "m", "l", "xl")),
            Nominal("town", ("bath", "hull", "york")),
        )
    )
    few, many = rng.integers(0, 5, rows).astype(float), rng.normal(size=rows)
    few[rng.random(rows) < 0.15] = np.nan
    size, town = rng.integers(-1, 4, rows), rng.integers(-1, 3, rows)
    y = np.round(3 * many + np.where(town == 1, 4, 0) + rng.normal(size=rows))
    w = rng.integers(1, 4, rows).astype(float)
    cells = [
        [None if math.isnan(v) or (j > 1 and v < 0) else v for v in c]
        for j, c in enumerate((few, many, size, town))
    ]
    return Table(schema, [few, many, size, town]), y, w, cells


@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@pytest.mark.parametrize("nominal", ["multiway", "subset"])
@pytest.mark.parametrize("seed", range(4))
def test_the_root_beside_a_plain_search(seed, nominal, missing):
    X, y, w, cells = table(seed)
    model = DecisionTreeRegressor("absolute_error", nominal, missing, max_depth=1).fit(X, y, sample_weight=w)
    root = deviation(range(len(y)), y, w)
    assert model.tree_.value[0].tolist() == pytest.approx(median_and_deviation(y, w))
    assert model.tree_.value[0, 1] == pytest.approx(root)
    gains = []
    for attribute, x in zip(X.schema, cells, strict=True):
        known, gap = ([i for i, v in enumerate(x) if (v is None) == missed] for missed in (False, True))
        before = deviation(known, y, w)
        ways = splits(attribute, x, nominal)
        if isinstance(attribute, Nominal) and nominal == "subset":
            ways = by_median(ways, x, y, w)
        drop = max(before - sum(deviation(rows, y, w) for rows in way) for way in ways)
        own = root - before - deviation(gap, y, w) if missing == "branch" else 0.0
        gains.append((drop + own) / w.sum() if drop > 0 or len(ways[0]) > 2 else math.nan)
    noted = model.candidates_.gain[0]
    np.testing.assert_allclose(noted, gains, atol=1e-12)
    assert model.tree_.attribute[0] == next(j for j in range(4) if noted[j] > np.nanmax(noted) - 1e-12)


def by_median(ways, x, y, w):
    """The ways to part three values in two that are cuts in the order of their medians."""
    rows = {v: [i for i in range(len(x)) if x[i] == v] for v in range(3)}
    order = sorted(rows, key=lambda v: median_and_deviation(y[rows[v]], w[rows[v]])[0])
    assert len(ways) == 2
    return [
        (list(chain(*(rows[v] for v in order[:k]))), list(chain(*(rows[v] for v in order[k:]))))
        for k in (1, 2)
    ]


def test_two_groups_by_their_medians():
    """Medians 1, 9 and 2: the values of low medians go together, and a cut in their order finds it."""
    schema = Schema((Nominal("town", ("bath", "hull", "york")),))
    town = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    y = np.array([0.0, 1, 5, 8, 9, 9, 2, 2, 3])
    model = DecisionTreeRegressor("absolute_error", "subset").fit(Table(schema, [town]), y)
    assert model.tree_.routes[model.tree_.route[0] :][:3].tolist() == [0, 1, 0]
    assert model.tree_.value[:, 0].tolist()[1:3] == [2, 9]


def test_the_branches_that_were_noted():
    X, y, w, cells = table(3)
    model = DecisionTreeRegressor("absolute_error", max_depth=1).fit(X, y, sample_weight=w)
    noted, slot = model.candidates_, 0
    for j, attribute in enumerate(X.schema):
        x = cells[j]
        if isinstance(attribute, Nominal):
            parts = [[i for i in range(len(y)) if x[i] == code] for code in range(3)]
        else:
            cut = noted.cut[0, j]
            parts = [
                [i for i in range(len(y)) if x[i] is not None and (x[i] > cut) == side] for side in (0, 1)
            ]
        parts.append([i for i in range(len(y)) if x[i] is None])
        for part in parts:
            if part:
                expected = (w[part].sum(), *median_and_deviation(y[part], w[part]))
                assert noted.stats[0, slot].tolist() == pytest.approx(expected)
            else:
                assert noted.stats[0, slot, 0] == 0
            slot += 1


# --- whole trees


@pytest.mark.parametrize("seed", range(3))
def test_every_node_has_the_median_of_its_rows(seed):
    X, y, w, _ = table(seed, rows=200)
    model = DecisionTreeRegressor("absolute_error", "subset", "majority", min_samples_leaf=3).fit(
        X, y, sample_weight=w
    )
    leaves = model.apply(X)
    assert model.get_n_leaves() > 20
    for leaf in np.flatnonzero(model.tree_.attribute == LEAF):
        rows = leaves == leaf
        assert model.tree_.value[leaf].tolist() == pytest.approx(median_and_deviation(y[rows], w[rows]))
        assert w[rows].sum() == model.tree_.weight[leaf] >= 3


def test_parts_of_rows_count_by_their_weight():
    """Two rows without a cell go 3 : 2, and the left median falls between 1 and 9 at 3.2 of 4.2 rows."""
    x = np.array([[0.0]] * 3 + [[1.0]] * 2 + [[np.nan]] * 2)
    y = np.array([1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0])
    model = DecisionTreeRegressor("absolute_error", missing="fractional", max_depth=1).fit(x, y)
    np.testing.assert_allclose(model.tree_.weight, [7, 4.2, 2.8])
    np.testing.assert_allclose(model.tree_.value, [[9, 24], [1, 1.2 * 8], [9, 0]])
    np.testing.assert_allclose(model.predict([[np.nan]]), [0.6 * 1 + 0.4 * 9])


def test_weights_are_repeated_rows():
    X, y, w, _ = table(7, rows=150)
    rows = np.repeat(np.arange(150), w.astype(int))
    weighed = DecisionTreeRegressor("absolute_error").fit(X, y, sample_weight=w)
    repeated = DecisionTreeRegressor("absolute_error").fit(X.take(rows), y[rows])
    np.testing.assert_allclose(weighed.predict(X), repeated.predict(X))


def test_targets_far_from_zero():
    X, y, w, _ = table(2, rows=150)
    near = DecisionTreeRegressor("absolute_error").fit(X, y, sample_weight=w)
    far = DecisionTreeRegressor("absolute_error").fit(X, y + 2.0**30, sample_weight=w)
    assert (near.tree_.attribute == far.tree_.attribute).all()
    np.testing.assert_allclose(far.predict(X) - 2.0**30, near.predict(X), atol=1e-6)


@pytest.mark.parametrize("decimals", [1, 6])
@pytest.mark.parametrize("least", [1, 4])
def test_like_scikit_learn(decimals, least):
    """Whole weights so that sums are exact; few distinct numbers are coded here, many are sorted."""
    rng = np.random.default_rng(decimals)
    X = rng.normal(size=(600, 4)).round(decimals).astype(np.float32).astype(float)
    y = X[:, 0] * 3 + np.abs(X[:, 1]) + rng.standard_t(2, 600)
    w = (500 + (31 * np.arange(600) ** 2 + 769 * np.arange(600)) % 1499).astype(float)
    ours = DecisionTreeRegressor("absolute_error", max_depth=5, min_samples_leaf=least * 1000)
    theirs = sklearn_tree.DecisionTreeRegressor(
        criterion="absolute_error",
        max_depth=5,
        min_weight_fraction_leaf=least * 1000 / w.sum(),
        random_state=0,
    )
    ours.fit(X, y, sample_weight=w)
    theirs.fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


def test_pruned_by_absolute_error():
    """Held-out rows count by their absolute errors; what a leaf costs is its deviation."""
    X, y, _, _ = table(5, rows=300)
    for prune in ("reduced_error", "cost_complexity"):
        model = DecisionTreeRegressor("absolute_error", missing="majority", random_state=0)
        grown = model.fit(X, y).get_n_leaves()
        model.set_params(prune=prune, ccp_alpha=0.02).fit(X, y)
        assert 1 < model.get_n_leaves() < grown / 2
    leaves = model.tree_.attribute == LEAF
    assert model.tree_.value[leaves, 1].sum() == pytest.approx(np.abs(model.predict(X) - y).sum())


def test_cuts_fall_between_neighbours():
    model = DecisionTreeRegressor("absolute_error").fit([[1.0], [2.0], [4.0], [8.0]], [0.0, 5.0, 1.0, 9.0])
    cuts = sorted(model.tree_.cut[np.isfinite(model.tree_.cut)])
    assert cuts == [a + (b - a) / 2 for a, b in pairwise([1.0, 2.0, 4.0, 8.0])]


# --- work


def test_the_work_by_hand():
    """22 / 7 around the median 7; 2 / 3 around 2 and 5 / 4 around 9."""
    X, y = np.arange(1.0, 8)[:, None], np.array([1.0, 2.0, 3.0, 8.0, 7.0, 10.0, 10.0])
    work = DecisionTreeRegressor("absolute_error", max_depth=1).fit(X, y).work()
    assert work["median(target)"].result == 7
    assert work["MAE(target)"].result == pytest.approx(22 / 7)
    assert work["MAE(target | x0)"].result == pytest.approx(1)
    assert work["gain(x0)"].result == pytest.approx(15 / 7)
    assert "median of target" in work.text()


@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@pytest.mark.parametrize("nominal", ["multiway", "subset"])
def test_the_work_has_the_gains_of_the_search(nominal, missing):
    X, y, w, _ = table(1)
    model = DecisionTreeRegressor("absolute_error", nominal, missing, max_depth=1).fit(X, y, sample_weight=w)
    steps = {step.label: step.result for step in model.work().steps()}
    for name, gain in zip(X.names, model.candidates_.gain[0], strict=True):
        if f"gain({name})" in steps:
            assert steps[f"gain({name})"] == pytest.approx(gain)
    assert {f"gain({name})" for name in ("many", "size")} <= steps.keys()
    winner = X.names[model.tree_.attribute[0]]
    assert f"{winner} wins" in model.work().text()
