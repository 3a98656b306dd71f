"""Near-duplicate documents: fingerprints against comparing all pairs."""

import re

import numpy as np
import pytest

from openbook.errors import ParameterError
from openbook.text import near_duplicates


def _shingles(text):
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + 3]) for i in range(max(len(words) - 2, 1))} if words else set()


def test_all_pairs_above_the_threshold_are_found_with_their_similarity():
    rng = np.random.default_rng(1)
    texts = []
    for _ in range(30):
        words = [f"w{k}" for k in rng.integers(200, size=60)]
        texts.append(" ".join(words))
        for at in rng.integers(60, size=rng.integers(3)):  # copies with some words changed
            words[at] = "changed"
            texts.append(" ".join(words).upper())
    sets = [_shingles(text) for text in texts]
    expected = {
        (i, j): len(a & b) / len(a | b) for i, a in enumerate(sets) for j, b in enumerate(sets[:i]) if a & b
    }
    expected = {(j, i): score for (i, j), score in expected.items() if score >= 0.8}
    found = {(row, other): score for row, other, score in near_duplicates(texts)}
    assert len(found) > 10
    assert found == pytest.approx(expected)


def test_short_documents_are_compared_whole_and_empty_ones_not_at_all():
    pairs = near_duplicates(["Yes", None, "", "yes!", "...", "no", "yes no", "yes no"])
    assert [(pair.row, pair.other) for pair in pairs] == [(0, 3), (6, 7)]
    assert near_duplicates([None, ""]) == []


def test_threshold_is_checked():
    with pytest.raises(ParameterError, match="threshold must be above 0 and at most 1, got 2"):
        near_duplicates(["a", "b"], threshold=2)
