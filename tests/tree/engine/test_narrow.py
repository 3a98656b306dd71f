"""Trees in few bytes, and keys that are kept where more is to be grown from them."""

import numpy as np
import pytest

from openbook.border.rows import Rows
from openbook.data import read
from openbook.tree import DecisionTreeClassifier
from openbook.tree.engine.columns import encode
from openbook.tree.engine.grower import grow_tree
from openbook.tree.engine.nodes import LEAF, Tree, narrow


def tree_of_size(n, attribute):
    """A root, and leaves enough to make n nodes; only the numbers count."""
    whole = np.zeros((5, n), np.int32)
    whole[0], whole[4] = LEAF, -1
    whole[:3, 0] = attribute, 1, n - 1
    return Tree(*whole[:1], np.zeros(n), *whole[1:], np.zeros(0, np.int32), *np.zeros((3, n)))


@pytest.mark.parametrize(
    ("n", "attribute", "kinds"),
    [
        (1, LEAF, (np.int8, np.int8)),
        (127, 127, (np.int8, np.int8)),
        (128, 128, (np.int16, np.int16)),  # int8 ends at 127
        (32768, 32768, (np.int32, np.int32)),
    ],
)
def test_types_hold_every_index(n, attribute, kinds):
    tree = tree_of_size(n, attribute)
    few = narrow(tree)
    assert (few.attribute.dtype, few.first.dtype) == kinds
    for field, wide in tree._asdict().items():
        np.testing.assert_array_equal(getattr(few, field), wide)


@pytest.mark.parametrize(
    ("number", "kind"),
    [(2.0**31 - 1, np.int32), (2.0**31, np.float64), (0.5, np.float64), (-1e300, np.float64)],
)
def test_counts_are_whole_numbers(number, kind):
    tree = tree_of_size(3, 0)._replace(weight=np.array([3.0, 1.0, 2.0]), value=np.array([3.0, number, 2.0]))
    few = narrow(tree)
    assert (few.weight.dtype, few.value.dtype) == (np.int32, kind)
    np.testing.assert_array_equal(few.value, tree.value)
    assert few.cut.dtype == few.gain.dtype == np.float64


def test_keys_are_kept_for_the_next_tree():
    X = np.random.default_rng(0).normal(size=(400, 2))
    rows = Rows.in_memory(read(X), (X[:, 0] * X[:, 1] > 0).astype(int))
    training, learner = encode(rows), DecisionTreeClassifier()
    assert training.keys.shape == (2, 400)
    learner.classes_ = np.arange(2)
    before, rule = training.keys.copy(), learner._rule(training, 400.0)
    first, _ = grow_tree(training, rule, 2)
    np.testing.assert_array_equal(training.keys, before)
    last, _ = grow_tree(training, rule, 2, keep=False)
    assert (training.keys != before).any()
    for one, other in zip(first, last, strict=True):
        np.testing.assert_array_equal(one, other)
