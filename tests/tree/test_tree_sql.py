"""`rules()`, `to_sql()` and `draw()` of fitted trees: the query says what `predict` says."""

import sqlite3

import numpy as np
import pytest

import openbook
from openbook.baseline import OneR
from openbook.tree import CART, ID3, CARTRegressor, ModelTreeRegressor, ObliviousTreeClassifier


def numbers_with_gaps(n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] > 0, 3 * X[:, 1], -2 * X[:, 2]) + rng.normal(scale=0.1, size=n)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def queried(model, X):
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (x0 REAL, x1 REAL, x2 REAL)")
    rows = [[None if np.isnan(cell) else cell for cell in row] for row in X.tolist()]
    base.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    return np.array([row[-1] for row in base.execute(model.to_sql())])


@pytest.mark.parametrize("smoothing", [True, False])
def test_a_model_tree_as_sql_says_what_it_predicts(smoothing):
    X, y = numbers_with_gaps()
    model = ModelTreeRegressor(smoothing=smoothing).fit(X, y)
    assert model.get_n_leaves() > 3
    beyond = np.vstack([X, 5 * X])  # beyond what training has shown, too
    np.testing.assert_allclose(queried(model, beyond), model.predict(beyond), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("learner", [CART(), ObliviousTreeClassifier(max_depth=3), CARTRegressor()], ids=repr)
def test_the_query_says_what_the_tree_predicts(learner):
    X, y = numbers_with_gaps()
    if hasattr(learner, "predict_proba"):
        y = np.where(y > 0, "up", "down")
    model = learner.fit(X, y)
    expected = model.predict(X)
    found = queried(model, X)
    assert (found == expected).all() if found.dtype.kind in "UO" else found == pytest.approx(expected)


@pytest.mark.parametrize("learner", [CART(), OneR()], ids=repr)
def test_the_query_knows_that_rare_and_new_values_are_one(learner):
    """Thirty towns of two to four rows, of which those of one row are pooled; a gap; towns never seen."""
    rows = [{"town": f"t{i}", "y": "ab"[i % 3 == 0]} for i in range(30) for _ in range(2 + i % 3)]
    rows += [{"town": f"u{i}", "y": "b"} for i in range(9)]
    model = learner.fit([*rows, {"town": None, "y": "a"}], "y")
    assert model.schema_["town"].rest == "other values"
    assert model.predict([{"town": "u3"}, {"town": "t1"}]).tolist() == ["b", "a"]
    new = [{"town": row["town"]} for row in rows] + [{"town": "Ulm"}, {"town": None}]
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (town TEXT)")
    base.executemany("INSERT INTO t VALUES (?)", [(row["town"],) for row in new])
    assert [row[-1] for row in base.execute(model.to_sql())] == model.predict(new).tolist()


def test_the_line_of_a_leaf_by_hand():
    """y = x / 2 below 20, and 90 - 2 x above: nothing to smooth."""
    x = np.arange(40.0)
    model = ModelTreeRegressor(smoothing=False).fit(x[:, None], np.where(x < 20, x / 2, 90 - 2 * x))
    low, high = model.rules()
    assert low.premise.startswith("x0 <= 19.5")
    assert high.prediction.constant == pytest.approx(90)
    ((attribute, slope, *_),) = high.prediction.terms
    assert (attribute.name, slope) == ("x0", pytest.approx(-2))


def test_what_a_reader_would_try():
    model = ID3().fit(openbook.load("weather"), "play")
    assert str(model.rules()[0]) == "if outlook = overcast then play = Yes"
    assert model.to_sql("days").endswith('FROM "days"')
    assert model.draw().text().startswith("play (14 rows)")
    assert model.draw()._repr_svg_().startswith("<svg")


def test_completion_shows_what_a_user_understands():
    shown = {name for name in dir(ID3().fit(openbook.load("weather"), "play")) if not name.startswith("_")}
    assert {"fit", "rules", "to_sql", "draw", "tree_", "classes_"} <= shown
    assert not shown & {"criterion", "set_fit_request", "become", "grows_again"}
