"""Cost-complexity pruning of scikit-learn's own trees: ours finds the same path and the same subtrees."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from openbook.measures import gini
from openbook.tree.engine.nodes import LEAF
from openbook.tree.engine.prune import cost_complexity_path, prune_cost_complexity

CLASSES, NUMBERS = load_breast_cancer(return_X_y=True), load_diabetes(return_X_y=True)
FITS = {
    "gini": (DecisionTreeClassifier(random_state=0), CLASSES),
    "entropy": (DecisionTreeClassifier(criterion="entropy", random_state=0), CLASSES),
    "three classes": (DecisionTreeClassifier(random_state=0), load_iris(return_X_y=True)),
    "weights": (DecisionTreeClassifier(random_state=0, class_weight={0: 3.5, 1: 1}), CLASSES),
    "numbers": (DecisionTreeRegressor(random_state=0), NUMBERS),
    "numbers, leaves of five": (DecisionTreeRegressor(random_state=0, min_samples_leaf=5), NUMBERS),
}


@pytest.fixture(scope="module")
def as_ours(linked_tree):
    """scikit-learn's tree with siblings side by side behind their parent, and its nodes' costs."""

    def build(fitted):
        t = fitted.tree_
        order, first, branches = [0], [], []
        for node in order:  # grows while it is read
            below = [t.children_left[node], t.children_right[node]] if t.children_left[node] >= 0 else []
            first.append(len(order) if below else 0)
            branches.append(len(below))
            order += below
        weight = t.weighted_n_node_samples[order]
        tree = linked_tree(first, branches, t.value[order, 0] * weight[:, None], weight)
        return tree, t.impurity[order] * weight / weight[0]

    return build


def without_ties(alphas, *others):
    """The last of the steps at each alpha: in which order equals are cut is rounding's to say."""
    last = np.append(np.diff(alphas) > 1e-10 * alphas.max(), True)
    return [np.asarray(a)[last] for a in (alphas, *others)]


@pytest.mark.parametrize("kind", FITS)
def test_the_path_is_scikit_learn_s(as_ours, kind):
    model, (X, y) = FITS[kind]
    theirs = model.cost_complexity_pruning_path(X, y)
    path = cost_complexity_path(*as_ours(model.fit(X, y)))
    assert len(path.alphas) > 5
    ours_distinct = without_ties(path.alphas, path.costs)
    theirs_distinct = without_ties(theirs.ccp_alphas, theirs.impurities)
    for a, b in zip(ours_distinct, theirs_distinct, strict=True):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-12 * theirs.impurities.max())
    assert len(path.alphas) == pytest.approx(len(theirs.ccp_alphas), rel=0.01)


@pytest.mark.parametrize("kind", FITS)
def test_pruned_trees_are_scikit_learn_s(as_ours, kind):
    model, (X, y) = FITS[kind]
    tree, cost = as_ours(model.fit(X, y))
    (alphas,) = without_ties(cost_complexity_path(tree, cost).alphas)
    between = (alphas[:-1] + alphas[1:]) / 2  # away from the ties
    for alpha in between[:: max(1, len(between) // 8)]:
        ours = prune_cost_complexity(tree, cost, alpha).tree
        theirs, _ = as_ours(type(model)(**{**model.get_params(), "ccp_alpha": alpha}).fit(X, y))
        assert (ours.attribute == LEAF).tolist() == (theirs.attribute == LEAF).tolist()
        assert ours.weight == pytest.approx(theirs.weight)
        assert ours.value == pytest.approx(theirs.value)


def test_gini_costs_are_scikit_learn_s(as_ours):
    """The cost that openbook's own trees hand over: impurity × weight / weight of all rows."""
    model, data = FITS["gini"]
    tree, cost = as_ours(model.fit(*data))
    assert gini(tree.value) * tree.weight / tree.weight[0] == pytest.approx(cost, abs=1e-12)
