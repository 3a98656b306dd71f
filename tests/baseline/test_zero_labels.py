"""0R of several labels: each strategy is the best constant by one score."""

from itertools import product

import numpy as np
import pytest

import openbook as ob
from openbook.baseline import ZeroLabels
from openbook.errors import ModelFileError, ParameterError
from openbook.judge import MultiLabel

# of 10 rows 5 have a, 6 have b, 1 has c; the most frequent set is {b}
SETS = ["b"] * 4 + ["a"] * 2 + ["a|b"] * 2 + ["a|c", ""]
X = [{"x": i} for i in range(10)]
CELLS = np.array([["a" in s, "b" in s, "c" in s] for s in SETS])


@pytest.mark.parametrize(
    ("strategy", "score", "sign", "labels"),
    [
        ("set", "subset_accuracy", 1, "b"),
        ("majority", "hamming_loss", -1, "b"),
        ("f1", "micro_f1", 1, "a|b"),  # 2 · 11 / (2 · 10 + 12) = 0.6875, of b alone 2 · 6 / 22 = 0.545
        ("every", "macro_f1", 1, "a|b|c"),
    ],
)
def test_it_is_the_best_constant_by_a_score(strategy, score, sign, labels):
    model = ZeroLabels(strategy).fit(X, SETS)
    assert model.predict_sets(X[:1]) == [labels]
    scores = {
        said: sign * MultiLabel(CELLS, np.tile(np.array(said, dtype=bool), (10, 1))).rate(score).value
        for said in product([0, 1], repeat=3)
    }
    own = tuple(model.predict(X[:1])[0].tolist())
    assert scores[own] == pytest.approx(max(value for value in scores.values() if not np.isnan(value)))


def test_its_work_shows_the_shares():
    work = ZeroLabels("f1").fit(X, SETS).work()
    assert work["P(b)"].result == pytest.approx(0.6)
    assert work["expected micro F1"].result == pytest.approx(0.6875)
    assert work.conclusion == "Labels of every row: a|b."


def test_weights_count():
    heavy = ZeroLabels().fit(X, SETS, sample_weight=[1] * 9 + [9])
    assert heavy.predict_sets(X[:1]) == [""]
    assert heavy.share_.tolist() == pytest.approx([5 / 18, 6 / 18, 1 / 18])


def test_saved_opened_and_damaged(tmp_path):
    model = ZeroLabels().fit(X, SETS)
    opened = ob.open_model(ob.save(model, tmp_path / "m.openbook"))
    assert opened.predict_sets(X[:1]) == ["b"]
    model.share_ = model.share_[:2]
    with pytest.raises(ModelFileError, match="array 'share_' is"):
        ob.open_model(ob.save(model, tmp_path / "n.openbook"))
    with pytest.raises(ParameterError, match="strategy must be one of"):
        ZeroLabels("mean").fit(X, SETS)
