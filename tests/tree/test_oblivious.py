"""Oblivious trees: the weather by hand, every level beside a plain search, gaps, and where growth ends."""

import math
from itertools import pairwise

import numpy as np
import pytest

from openbook import load
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.errors import ParameterError
from openbook.tree import DecisionTreeClassifier, ObliviousTreeClassifier
from openbook.tree.engine.nodes import LEAF, depths

# --- by hand


def test_the_weather_by_hand():
    """Below outlook, sunny (2 yes, 3 no) and rain (3 yes, 2 no) are asked: 0.971 bits each."""
    X, y = load("weather").split("play")
    model = ObliviousTreeClassifier().fit(X, y)
    names = [X.names[j] for j in model.levels_.attribute]
    assert names == ["outlook", "humidity", "windy"]
    h = -(0.4 * math.log2(0.4) + 0.6 * math.log2(0.6))
    by_outlook = -(9 / 14 * math.log2(9 / 14) + 5 / 14 * math.log2(5 / 14)) - 10 / 14 * h
    assert model.levels_.gain[0, X.names.index("outlook")] == pytest.approx(by_outlook)
    # humidity settles the sunny days; the rainy ones fall into 1 yes, 1 no and 2 yes, 1 no
    third = -(1 / 3 * math.log2(1 / 3) + 2 / 3 * math.log2(2 / 3))
    by_humidity = 5 / 14 * h + 5 / 14 * (h - 2 / 5 * 1 - 3 / 5 * third)
    assert model.levels_.gain[1, X.names.index("humidity")] == pytest.approx(by_humidity)
    # windy would settle the rainy days as well: ties: the first wins
    assert model.levels_.gain[1, X.names.index("windy")] == pytest.approx(by_humidity)
    assert model.score(X, y) == 1


def test_one_level_is_a_tree_of_one_test():
    X, y = load("iris").split("species")
    for criterion in ("entropy", "gini"):
        ours = ObliviousTreeClassifier(criterion, max_depth=1).fit(X, y)
        theirs = DecisionTreeClassifier(criterion, max_depth=1).fit(X, y)
        assert ours.tree_.attribute.tolist() == theirs.tree_.attribute.tolist()
        assert ours.tree_.cut[0] == theirs.tree_.cut[0]
        assert ours.tree_.gain[0] == pytest.approx(theirs.tree_.gain[0])
        assert (ours.predict_proba(X) == theirs.predict_proba(X)).all()


def test_what_gains_nothing_is_not_asked():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    model = ObliviousTreeClassifier().fit(X, y)
    assert model.get_n_leaves() == 1
    assert model.predict_proba(X).tolist() == [[0.5, 0.5]] * 4
    assert "Levels: 0; leaves: 1." in model.work().text()


def test_a_gain_must_be_large_enough():
    X, y = load("iris").split("species")
    gains = ObliviousTreeClassifier(max_depth=3).fit(X, y).levels_.gain.max(axis=1)
    assert gains[0] > gains[1] > gains[2]
    for levels, least in enumerate(gains):
        assert len(ObliviousTreeClassifier(min_gain=least).fit(X, y).levels_.attribute) == levels


# --- beside a plain search


def mixed(seed, rows=60):
    """Ties, gaps, a nominal column, three classes and weights."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 6, (rows, 2)).astype(float)
    numbers[rng.random((rows, 2)) < 0.1] = np.nan
    colour = rng.integers(-1, 3, rows)
    y = np.where(
        rng.random(rows) < 0.3, rng.integers(0, 3, rows), (np.nan_to_num(numbers[:, 0]) > 2) + (colour == 1)
    )
    schema = Schema((Numeric("a"), Nominal("colour", ("red", "green", "blue")), Numeric("b")))
    return Table(schema, [numbers[:, 0], colour, numbers[:, 1]]), y, rng.integers(1, 4, rows).astype(float)


def impurity(y, w, criterion):
    shares = [w[y == c].sum() / w.sum() for c in set(y.tolist())]
    if criterion == "gini":
        return 1 - sum(p * p for p in shares)
    return -sum(p * math.log2(p) for p in shares)


def gain_of(groups, sides, y, w, criterion):
    """What parting each group of rows by its rows' sides (None where unknown) gains over all rows."""
    total = 0.0
    for rows in groups:
        known = np.array([i for i in rows if sides[i] is not None], dtype=int)
        if not len(known):
            continue
        total += w[known].sum() * impurity(y[known], w[known], criterion)
        for side in {sides[i] for i in known}:
            part = np.array([i for i in known if sides[i] == side])
            total -= w[part].sum() * impurity(y[part], w[part], criterion)
    return total / w.sum()


def candidates(X, j, rows):
    """Every test of a column: its cut, and the side of each row."""
    x = [None if math.isnan(v) or v < 0 else v for v in X.columns[j].tolist()]
    if isinstance(X.schema.attributes[j], Nominal):
        return [(math.nan, x)]
    values = sorted({x[i] for i in rows if x[i] is not None})
    cuts = [(a + b) / 2 for a, b in pairwise(values)]
    return [(cut, [None if v is None else int(v > cut) for v in x]) for cut in cuts]


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("seed", range(6))
def test_each_level_beside_a_plain_search(seed, criterion):
    X, y, w = mixed(seed)
    model = ObliviousTreeClassifier(criterion, max_depth=4).fit(X, y, sample_weight=w)
    groups = [list(range(len(y)))]
    assert len(model.levels_.attribute) == 4
    for d, winner in enumerate(model.levels_.attribute):
        rows = [i for group in groups for i in group]
        best = []
        for j in range(3):
            tests = [(gain_of(groups, s, y, w, criterion), cut, s) for cut, s in candidates(X, j, rows)]
            top = max(gain for gain, _, _ in tests)
            best.append(next(test for test in tests if test[0] > top - 1e-12))
            assert model.levels_.gain[d, j] == pytest.approx(top, abs=1e-12)
            assert model.levels_.cut[d, j] == pytest.approx(best[-1][1], nan_ok=True)
        gains = [gain for gain, _, _ in best]
        assert winner == next(j for j in range(3) if gains[j] > max(gains) - 1e-12)
        groups = parted(groups, best[winner][2], y, w)


def parted(groups, sides, y, w):
    """The groups below: gaps go where most weight of all groups goes; groups of one class are done with."""
    weight = {side: sum(w[i] for g in groups for i in g if sides[i] == side) for side in set(sides) - {None}}
    heaviest = max(sorted(weight), key=weight.get)
    told = [heaviest if side is None else side for side in sides]
    below = [[i for i in group if told[i] == side] for group in groups for side in sorted(weight)]
    return [group for group in below if len({int(y[i]) for i in group}) > 1]


# --- the tree


def test_a_level_has_one_test():
    X, y = load("credit").split("default")
    model = ObliviousTreeClassifier().fit(X, y)
    tree, depth = model.tree_, depths(model.tree_)
    for d, attribute in enumerate(model.levels_.attribute):
        nodes = (depth == d) & (tree.attribute != LEAF)
        assert set(tree.attribute[nodes]) == {attribute}
        assert len(set(tree.missing[nodes])) == 1
        np.testing.assert_array_equal(tree.cut[nodes], model.levels_.cut[d, attribute])
    assert model.get_depth() == len(model.levels_.attribute) > 4
    values = tree.value[tree.attribute == LEAF]
    assert values[tree.weight[tree.attribute == LEAF] > 0].sum() == pytest.approx(len(y))


def test_a_value_that_a_node_never_had_says_what_the_node_says():
    schema = Schema((Numeric("x"), Nominal("colour", ("red", "green"))))
    x, colour = np.r_[np.zeros(6), np.ones(6)], np.array([0] * 6 + [0, 0, 0, 1, 1, 1])
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0])
    model = ObliviousTreeClassifier().fit(Table(schema, [x, colour]), y)
    assert [model.schema_.names[j] for j in model.levels_.attribute] == ["x", "colour"]
    np.testing.assert_allclose(model.predict_proba([{"x": 0.0, "colour": "green"}]), [[5 / 6, 1 / 6]])


def test_gaps_go_with_the_many():
    x = np.array([0.0] * 5 + [1.0] * 3 + [np.nan] * 2)[:, None]
    y = np.array([0] * 5 + [1] * 3 + [0, 0])
    model = ObliviousTreeClassifier().fit(x, y)
    assert model.tree_.weight.tolist() == [10, 7, 3]
    assert model.predict([[np.nan]]).tolist() == [0]


# --- work, file, parameters


def test_the_gain_is_summed_over_the_nodes():
    X, y = load("weather").split("play")
    model = ObliviousTreeClassifier().fit(X, y)
    work = model.work()
    assert [part.title for part in work.parts] == [
        "level 1: 1 node",
        "level 2: 2 nodes",
        "level 3: 2 nodes",
    ]
    assert work["gain(humidity)"].numbers.count(r"\frac{5}{14}") == 2
    tree = model.tree_
    second = (depths(tree) == 1) & (tree.attribute != LEAF)
    assert work["gain(humidity)"].result == pytest.approx(tree.weight[second] @ tree.gain[second] / 14)


def test_damaged_levels_are_refused():
    X, y = load("iris").split("species")
    model = ObliviousTreeClassifier(max_depth=2).fit(X, y)
    sound = model._arrays()
    for name, array in [
        ("attribute", sound["levels.attribute"][:1]),
        ("attribute", 3 - sound["levels.attribute"]),
        ("attribute", np.zeros(2)),
        ("gain", sound["levels.gain"][:, :1]),
        ("cut", sound["levels.cut"].astype(np.float32)),
    ]:
        with pytest.raises(ValueError, match="its levels are none"):
            model._restore({**sound, f"levels.{name}": array})


def test_bad_parameters_are_named():
    with pytest.raises(
        ParameterError, match="ObliviousTreeClassifier: criterion must be one of 'entropy', 'gini'"
    ):
        ObliviousTreeClassifier("gain_ratio").fit([[1.0], [2.0]], [0, 1])
