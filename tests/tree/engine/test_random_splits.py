"""Cuts drawn at random: as scikit-learn's `splitter="random"` draws them, and shown in the work."""

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn import tree as theirs

from openbook import load, open_model, save
from openbook.errors import ParameterError
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor


def test_the_cut_lies_anywhere_in_the_range():
    """Of x = 0, …, 1000 the cut is uniform, ours as theirs; the best one lies at 900."""
    x = np.arange(1001.0)[:, None]
    y = (x[:, 0] > 900).astype(float)

    def cuts(learner, of):
        stumps = (learner(splitter="random", max_depth=1, random_state=seed) for seed in range(120))
        return [of(stump.fit(x, y).tree_) for stump in stumps]

    ours = cuts(DecisionTreeRegressor, lambda tree: tree.cut[0])
    others = cuts(theirs.DecisionTreeRegressor, lambda tree: tree.threshold[0])
    for drawn in (ours, others):
        assert kstest(np.array(drawn) / 1000, "uniform").pvalue > 0.01


def test_where_there_is_one_cut_it_is_taken():
    X, y = [[0.0, 1.0], [0.0, 2.0], [5.0, 1.0], [5.0, 2.0]], [0, 1, 2, 3]
    best = DecisionTreeClassifier().fit(X, y)
    drawn = DecisionTreeClassifier(splitter="random", random_state=0).fit(X, y)
    assert str(drawn.rules()) == str(best.rules())
    assert drawn.get_n_leaves() == 4


@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
def test_the_work_has_the_gain_of_the_cut_that_was_drawn(missing, tmp_path):
    X, y = load("credit", rows=300).split("default")
    X = X.select(X.names[:8])  # so many candidates are worked out
    model = DecisionTreeClassifier(splitter="random", missing=missing, max_depth=3, random_state=1).fit(X, y)
    root = model.candidates_.node.tolist().index(0)
    work = model.work()
    for name, gain in zip(X.names, model.candidates_.gain[root].tolist(), strict=True):
        if not np.isnan(gain):
            assert work[f"gain({name})"].result == pytest.approx(gain)
    again = DecisionTreeClassifier(splitter="random", missing=missing, max_depth=3, random_state=1).fit(X, y)
    assert str(again.work()) == str(work)
    save(model, tmp_path / "tree.openbook")
    assert (open_model(tmp_path / "tree.openbook").predict_proba(X) == model.predict_proba(X)).all()


def test_medians_are_searched():
    with pytest.raises(ParameterError, match="splitter='random' is for criterion='squared_error'"):
        DecisionTreeRegressor("absolute_error", splitter="random").fit([[0.0], [1.0]], [0.0, 1.0])
