"""The limits of trees in forests and boosting, beside scikit-learn's on the same rows."""

import numpy as np
import pytest
from sklearn import ensemble as theirs

from openbook import ensemble as ours
from openbook.store import open_model, save

LIMITS = [
    {"max_leaf_nodes": 6},
    {"min_impurity_decrease": 0.02},
    {"min_weight_fraction_leaf": 0.1},
    {"ccp_alpha": 0.01},
    {"min_samples_leaf": 0.08},
]
EXACT = 1000  # bins enough for every value of a column


def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(442, 6))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * rng.normal(size=442)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_forests_of_all_rows_and_columns_are_sklearn_s(limits):
    X, y = rows()
    model = ours.RandomForestRegressor(2, bootstrap=False, bins=EXACT, **limits).fit(X, y)
    other = theirs.RandomForestRegressor(2, bootstrap=False, random_state=0, **limits).fit(X, y)
    np.testing.assert_allclose(model.predict(X), other.predict(X), rtol=1e-10)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_boosted_trees_are_sklearn_s(limits):
    X, y = rows()
    settings = {"n_estimators": 6, "max_depth": 4, **limits}
    model = ours.GradientBoostingRegressor(bins=EXACT, **settings).fit(X, y)
    other = theirs.GradientBoostingRegressor(random_state=0, **settings).fit(X, y)
    np.testing.assert_allclose(model.predict(X), other.predict(X), rtol=1e-10)
    y = (y > 0.5).astype(int)
    model = ours.GradientBoostingClassifier(bins=EXACT, **settings).fit(X, y)
    other = theirs.GradientBoostingClassifier(random_state=0, **settings).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize("kind", ["RandomForest", "ExtraTrees"])
def test_limits_hold_in_every_tree_of_a_sample(kind, tmp_path):
    X, y = rows()
    model = getattr(ours, f"{kind}Regressor")(
        10, bootstrap=True, max_leaf_nodes=5, min_weight_fraction_leaf=0.1, max_samples=0.5, random_state=0
    ).fit(X, y)
    assert max(tree.n_leaves for tree in model.trees_) == 5
    half = len(y) // 2
    assert all(tree.weight[tree.attribute < 0].min() >= 0.1 * half for tree in model.trees_)
    assert model.estimators_[0].get_params()["max_leaf_nodes"] == 5
    save(model, tmp_path / "forest.openbook")
    assert (open_model(tmp_path / "forest.openbook").predict(X) == model.predict(X)).all()
