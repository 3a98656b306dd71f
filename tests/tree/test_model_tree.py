"""Model trees: lines and smoothing by hand, terms beside a plain search, pruning, gaps, accuracy."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.model_selection import cross_val_score

from openbook.data import Nominal, Numeric, Schema, Table
from openbook.errors import ParameterError
from openbook.tree import DecisionTreeRegressor, ModelTreeRegressor, draw, rules
from openbook.tree.engine.nodes import LEAF, SPREAD, leaf_of, parents
from openbook.tree.model_tree import ROWS_A_TERM, SMOOTHING, adjusted, fitted_line

X = np.arange(40.0)[:, None]
Y = np.where(X[:, 0] < 20, X[:, 0] / 2, 90 - 2 * X[:, 0])  # two lines, far apart where they meet


def straight(x, y, at):
    """The least-squares line through some points, at others."""
    return np.polyval(np.polyfit(x, y, 1), at)


# --- lines


def test_two_lines_by_hand():
    model = ModelTreeRegressor(smoothing=False).fit(X, Y)
    assert model.tree_.attribute.tolist() == [0, LEAF, LEAF]
    assert model.tree_.cut[0] == 19.5
    np.testing.assert_allclose(model.lines_.slope[1:, 0], [0.5, -2])
    np.testing.assert_allclose(model.lines_.constant[1:], [0, 90], atol=1e-9)
    np.testing.assert_allclose(model.predict(X), Y, atol=1e-9)


def test_smoothing_by_hand():
    """20 rows in the leaf, and the line of all 40 counts for 15."""
    model = ModelTreeRegressor().fit(X, Y)
    at = np.array([[3.0], [38.0]])
    expected = (20 * np.array([1.5, 14.0]) + 15 * straight(X[:, 0], Y, at[:, 0])) / 35
    np.testing.assert_allclose(model.predict(at), expected)


def test_a_line_for_all_is_enough():
    model = ModelTreeRegressor().fit(X, 3 * X[:, 0] + 1)
    assert model.get_n_leaves() == 1
    np.testing.assert_allclose(model.predict([[2.5], [30.0]]), [8.5, 91])


def test_the_adjusted_error_by_hand():
    """Errors of 1, -1, 1, -1 around a line of two terms: 1 × (4 + 2) / (4 - 2)."""
    assert adjusted(4.0, 4.0, 2) == 3
    assert adjusted(4.0, 1.0, 2) == 2 * 10  # no more rows than terms


def least_squares(X, y, w, columns):
    A = np.c_[np.ones(len(y)), X[:, columns]] * np.sqrt(w)[:, None]
    solution = np.linalg.lstsq(A, y * np.sqrt(w))[0]
    return solution, ((y * np.sqrt(w) - A @ solution) ** 2).sum()


def terms_by_search(X, y, w):
    """Drop the term whose loss costs least, while the adjusted error does not rise or rows are too few."""
    n, columns = w.sum(), list(range(X.shape[1]))
    while columns:
        fewer = [[c for c in columns if c != out] for out in columns]
        squares = [least_squares(X, y, w, few)[1] for few in fewer]
        now = adjusted(least_squares(X, y, w, columns)[1], n, len(columns) + 1)
        enough = ROWS_A_TERM * (len(columns) + 1) <= n
        if enough and adjusted(min(squares), n, len(columns)) > now:
            break
        columns = fewer[int(np.argmin(squares))]
    return columns


@pytest.mark.parametrize("seed", range(25))
def test_terms_beside_a_plain_search(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 50))
    cells = rng.normal(size=(n, 4)) * [1, 100, 1, 0.01] + [0, 0, 50, 0]
    w = rng.integers(1, 3, n).astype(float)
    y = cells @ [1, 0.01, 0, 0] + rng.normal(size=n)
    line, columns = fitted_line(cells, y, w), terms_by_search(cells, y, w)
    assert np.flatnonzero(line.slope).tolist() == columns
    (constant, *slopes), squares = least_squares(cells, y, w, columns)
    np.testing.assert_allclose([line.constant, line.squares], [constant, squares], rtol=1e-8)
    np.testing.assert_allclose(line.slope[columns], slopes, rtol=1e-8)


def test_columns_that_say_the_same_and_columns_that_say_nothing():
    x = X[:, 0]
    line = fitted_line(
        np.stack([x, 2 * x + 1, np.full(40, 7.0), np.full(40, np.nan)], axis=1), 3 * x, np.ones(40)
    )
    assert np.count_nonzero(line.slope) == 1
    assert line.slope[2:].tolist() == [0, 0]
    assert line.squares == pytest.approx(0, abs=1e-12)


# --- growing and pruning


def test_noise_does_not_make_a_forest():
    rng = np.random.default_rng(0)
    cells, y = rng.normal(size=(500, 3)), rng.normal(size=500)
    assert DecisionTreeRegressor(min_samples_leaf=4).fit(cells, y).get_n_leaves() > 80
    assert ModelTreeRegressor().fit(cells, y).get_n_leaves() < 8


def test_a_subtree_stays_where_its_adjusted_error_is_smaller():
    """Every decision once more, from the lines of the nodes that were left and the rows below them."""
    cells, y = make_friedman1(400, noise=1.0, random_state=1)
    model = ModelTreeRegressor(smoothing=False).fit(cells, y)
    tree, lines = model.tree_, model.lines_
    squares, terms = lines.squares.copy(), 1.0 + np.count_nonzero(lines.slope, axis=1)
    assert 2 < tree.n_leaves < 60
    for node in np.flatnonzero(tree.attribute != LEAF)[::-1]:
        below = list(tree.children(node))
        own = adjusted(squares[node], tree.weight[node], terms[node])
        squares[node], terms[node] = squares[below].sum(), terms[below].sum() + 1
        assert adjusted(squares[node], tree.weight[node], terms[node]) < own
    np.testing.assert_allclose(squares[0], ((model.predict(cells) - y) ** 2).sum())


def test_a_narrow_node_is_not_split():
    assert ModelTreeRegressor(min_spread=1.0).fit(X, Y).get_depth() <= 1
    y = np.where(X[:, 0] < 20, X[:, 0] % 2, 1000.0)  # the left node's spread is 0.001 of the root's
    assert ModelTreeRegressor().fit(X, y).get_n_leaves() == 2


def test_weights_count_as_rows():
    w = np.arange(40) % 3 + 1.0
    rows = np.repeat(np.arange(40), w.astype(int))
    y = Y + np.sin(X[:, 0])
    weighed, repeated = (
        ModelTreeRegressor().fit(X, y, sample_weight=w),
        ModelTreeRegressor().fit(X[rows], y[rows]),
    )
    np.testing.assert_allclose(weighed.predict(X), repeated.predict(X), rtol=1e-9)


# --- other cells


def test_a_missing_cell_is_the_mean_of_its_node():
    """It goes down the heavier branch, of the numbers 0 to 22, and stands for their mean there."""
    x = np.arange(43.0)[:, None]
    y = np.where(x[:, 0] < 23, x[:, 0] / 2, 500 - 2 * x[:, 0])
    model = ModelTreeRegressor(smoothing=False).fit(x, y)
    np.testing.assert_allclose(model.predict([[np.nan]]), [11 / 2])


def test_a_line_ends_where_the_rows_end():
    model = ModelTreeRegressor(smoothing=False).fit(X, Y)
    np.testing.assert_allclose(model.predict([[-50.0], [1e9], [np.inf]]), [0, 12, 12], atol=1e-9)


def test_nominal_columns_are_tested_only():
    schema = Schema((Nominal("town", ("bath", "hull", "york")), Numeric("area")))
    town, area = np.arange(60) % 3, np.arange(60.0)
    price = np.where(town == 1, 300 + area, 3 * area)
    model = ModelTreeRegressor(smoothing=False).fit(Table(schema, [town, area]), price)
    assert model.schema_.attributes[model.tree_.attribute[0]].name == "town"
    assert not model.lines_.slope[:, 0].any()
    rows = [{"town": "york", "area": 10.0}, {"town": "hull", "area": 10.0}]
    np.testing.assert_allclose(model.predict(rows), [30, 310])


def test_a_single_row_and_a_single_value():
    assert ModelTreeRegressor().fit([[1.0]], [5.0]).predict([[2.0], [np.nan]]).tolist() == [5, 5]
    assert ModelTreeRegressor().fit(X, np.full(40, 3.0)).predict(X).tolist() == [3.0] * 40


# --- what they are for


def test_lines_in_pieces_are_learnt_better_than_steps():
    rng = np.random.default_rng(3)
    cells = rng.uniform(-3, 3, size=(600, 3))
    y = np.where(cells[:, 0] < 0.5, 2 * cells[:, 1] + 10, cells[:, 2] - 3 * cells[:, 1])
    y += rng.normal(0, 0.3, 600)
    lines, steps = (
        cross_val_score(model, cells, y, cv=5).mean()
        for model in (ModelTreeRegressor(smoothing=False), DecisionTreeRegressor(min_samples_leaf=4))
    )
    assert 1 - lines < (1 - steps) / 3
    assert ModelTreeRegressor().fit(cells, y).get_n_leaves() < 8


def test_a_smooth_surface_is_learnt_better_than_by_steps():
    cells, y = make_friedman1(500, noise=1.0, random_state=0)
    lines, steps = (
        cross_val_score(model, cells, y, cv=5).mean()
        for model in (ModelTreeRegressor(), DecisionTreeRegressor(min_samples_leaf=4))
    )
    assert lines > steps + 0.1


# --- work and file


def test_the_work_of_a_row_is_its_prediction():
    cells, y = make_friedman1(300, noise=1.0, random_state=2)
    model = ModelTreeRegressor().fit(cells, y)
    above = parents(model.tree_)
    row = cells[7].copy()
    row[1], row[3] = np.nan, 99.0
    for x in (cells[0], row):
        work = model.work(x.tolist())
        steps = list(work.steps())
        assert steps[-1].result == pytest.approx(model.predict([x])[0], rel=1e-12)
        node, depth = leaf_of(model.tree_, x), 0
        while above[node] >= 0:
            node, depth = above[node], depth + 1
        assert [step.label for step in steps] == ["p"] + ["q", "p'"] * depth
    text = work.text()
    assert "missing: the mean of the node's rows" in text
    assert "beyond what was seen: " in text


def test_the_work_of_a_row_by_hand():
    work = ModelTreeRegressor().fit(X, Y).work([4.0])
    assert work["p"].result == pytest.approx(2)
    assert work["q"].result == pytest.approx(straight(X[:, 0], Y, 4.0))
    assert f"{SMOOTHING:g}" in work["p'"].numbers
    assert work.conclusion.startswith("target = ")


def test_the_lines_are_listed():
    text = ModelTreeRegressor().fit(X, Y).work().text()
    assert "90 - 2 × x0" in text


def test_rules_and_drawings_show_the_line_not_the_mean():
    """y = x / 2 below 20, and 90 - 2 x from there on; the root's own line when nothing else is drawn."""
    model = ModelTreeRegressor(smoothing=False).fit(X, Y)
    lines = ["0.5 × x0", "90 - 2 × x0"]
    for found in (rules(model), model.rules()):
        assert [rule.outcome for rule in found] == [f"target = {line}" for line in lines]
    assert str(draw(model)).splitlines()[1:] == [
        f"├── x0 <= 19.5 (or missing): {lines[0]} (20)",
        f"└── x0 > 19.5: {lines[1]} (20)",
    ]
    assert all(line in model.draw().svg() and line in model.draw().dot() for line in lines)
    root = np.polyfit(X[:, 0], Y, 1)
    assert f": {root[1]:.6g} + {root[0]:.6g} × x0 (40)" in str(draw(model, max_depth=0))
    for smoothing in (True, False):
        model = ModelTreeRegressor(smoothing=smoothing).fit(X, Y)
        line = model.line_at(model.apply([[4.0]])[0])
        ((_, slope, *_),) = line.terms
        assert line.constant + slope * 4 == pytest.approx(model.predict([[4.0]])[0])


def test_damaged_lines_are_refused():
    model = ModelTreeRegressor().fit(X, Y)
    sound = model._arrays()
    spread = np.full(3, SPREAD, np.int32)
    for name, array in [
        ("lines.slope", sound["lines.slope"][:-1]),
        ("lines.constant", np.array([1, 2, 3])),
        ("lines.high", np.array([np.inf])),
        ("lines.mean", np.full((3, 1), np.nan)),
        ("tree.missing", spread),
    ]:
        with pytest.raises(ValueError, match="its linear models are none"):
            model._restore({**sound, name: array})


def test_bad_parameters_are_named():
    with pytest.raises(ParameterError, match=r"ModelTreeRegressor: min_spread must be .*, got 2"):
        ModelTreeRegressor(min_spread=2).fit(X, Y)
