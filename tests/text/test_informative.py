"""What words tell of classes, by hand and beside scikit-learn and SciPy."""

import math

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

from openbook.text.columns import RULE
from openbook.text.informative import word_table


def test_word_that_one_class_alone_has_tells_a_bit():
    # golden record pmi_mi_chi2: two of two against none of two
    table = word_table(RULE, ["yes good", "yes film", "film", "good"], np.array([0, 0, 1, 1]), 2)
    word = table.terms.index("yes")
    assert [table.scores(m)[word, 0] for m in ("df", "pmi", "mi", "chi2")] == [2, 1, 1, 4]
    assert table.scores("pmi")[word, 1] == -math.inf
    assert [table.overall(m)[word] for m in ("df", "pmi", "mi", "chi2")] == [2, 1, 1, 4]
    good = table.terms.index("good")  # in one of two documents of either class: tells nothing
    assert [table.scores(m)[good, 0] for m in ("pmi", "mi", "chi2")] == [0, 0, 0]


def test_scores_are_those_of_scikit_learn_and_scipy():
    rng = np.random.default_rng(5)
    codes = rng.integers(3, size=60)
    has = rng.random((60, 4)) < np.array([0.2, 0.5, 0.8, 0.3]) + 0.1 * codes[:, None]
    texts = [" ".join(f"word{j}" for j in np.flatnonzero(row)) or None for row in has]
    known = np.array([text is not None for text in texts])
    table = word_table(RULE, texts, codes, 3)
    for j in range(4):
        assert table.overall("mi")[j] == pytest.approx(
            mutual_info_score(codes[known], has[known, j]) / math.log(2)
        )
        for c in range(3):
            cells = [[(has[known, j] == h)[(codes[known] == c) == s].sum() for s in (1, 0)] for h in (1, 0)]
            assert table.scores("chi2")[j, c] == pytest.approx(chi2_contingency(cells, correction=False)[0])
            assert table.scores("mi")[j, c] == pytest.approx(
                mutual_info_score(codes[known] == c, has[known, j]) / math.log(2)
            )


def test_pieces_add_up(monkeypatch):
    texts, codes = ["a good film", "bad film", None, "good good"], np.array([0, 1, 1, 0])
    whole = word_table(RULE, texts, codes, 2)
    monkeypatch.setattr("openbook.text.informative._AT_ONCE", 1)
    parts = word_table(RULE, texts, codes, 2)
    assert parts.terms == whole.terms == ["bad", "film", "good"]
    assert parts.times.tolist() == whole.times.tolist() == [1, 2, 3]
    assert parts.having.tolist() == whole.having.tolist() == [[0, 1], [1, 1], [2, 0]]
    assert parts.classes.tolist() == whole.classes.tolist() == [2, 1]
