"""From scores to probabilities: the sharpness that is likeliest, by hand and by the likelihood beside it."""

import numpy as np
import pytest

from openbook.svm.platt import platt_probabilities, sharpness


def test_sharpness_is_the_likeliest():
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(4000, 3))
    codes = (2.5 * scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    weights = np.ones(4000)
    found = sharpness(scores, codes, weights)
    assert found == pytest.approx([2.5] * 3, rel=0.15)
    for k in range(3):
        won = scores.argmax(axis=1) == k
        n = won.sum()
        targets = (n * np.eye(3)[codes[won]] + 1) / (n + 3)

        def loss(a, won=won, targets=targets):
            return -(targets * np.log(platt_probabilities(scores[won], np.full(3, a)))).sum()

        assert loss(found[k]) < min(loss(0.99 * found[k]), loss(1.01 * found[k]))
    assert sharpness(scores, codes, 3 * weights)[0] == pytest.approx(
        sharpness(np.tile(scores, (3, 1)), np.tile(codes, 3), np.ones(12_000))[0], rel=1e-12
    )


def test_scores_that_are_all_right_or_worthless():
    scores = np.array([[-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    right = sharpness(scores, np.array([1, 1, 0]), np.ones(3))
    assert platt_probabilities(scores, right)[:, 1] == pytest.approx(
        [3 / 4, 3 / 4, 1 / 3]
    )  # (N + 1) / (N + 2)
    assert sharpness(scores, np.array([0, 0, 1]), np.ones(3)) == pytest.approx([1e-3] * 2)
