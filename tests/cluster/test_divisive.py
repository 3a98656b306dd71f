"""Divisive clustering: by hand, and against the twin."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from openbook.cluster import Divisive
from openbook.cluster.divisive import splinter_group, splits
from openbook.errors import RefusalError


def test_rows_on_a_line_by_hand():
    # mean distances to the others: 5, 13/3, 11/3, 19/3 (the last leaves); nobody gains by following
    model = Divisive(2, scale=False).fit([[0.0], [1.0], [3.0], [8.0]])
    assert model.labels_.tolist() == [0, 0, 0, 1]
    # {0, 1, 3}: 3 leaves (mean 2.5); then {0, 1}; heights are the diameters
    assert model.linkage_.tolist() == [[0, 1, 1, 2], [2, 4, 3, 3], [3, 5, 8, 4]]


@pytest.mark.parametrize("seed", range(10))
def test_the_kernel_splits_as_the_twin_does(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    matrix, weights = squareform(pdist(rng.normal(size=(n, 2)))), rng.integers(1, 4, n).astype(float)
    found = splits(matrix, weights)
    assert len(found) == n - 1
    for height, stay, gone in found:
        rows = sorted([*stay.tolist(), *gone.tolist()])
        left, _ = splinter_group(matrix.tolist(), rows, weights.tolist())
        assert sorted(left) == gone.tolist()
        assert height == matrix[np.ix_(rows, rows)].max()


def test_equal_rows_split_at_height_zero():
    model = Divisive(2).fit([[1.0], [1.0], [1.0], [5.0]])
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert model.linkage_[:2, 2].tolist() == [0, 0]


def test_similarities_split_as_their_distances_do():
    distances = squareform(pdist(np.random.default_rng(1).normal(size=(20, 2))))
    similar = Divisive(4, metric="precomputed_similarity").fit(10 - distances)
    np.testing.assert_array_equal(similar.labels_, Divisive(4, metric="precomputed").fit(distances).labels_)
    assert "split 1: 20 rows" in similar.work().text()


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr("openbook.border.budget._MOST_SECONDS", 1e-9)
    with pytest.raises(RefusalError, match="divisive clustering of 50 rows"):
        Divisive(2).fit(np.zeros((50, 1)))


@pytest.mark.parametrize("seed", range(10))
def test_whole_weights_are_rows_repeated(seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(12, 2)), rng.integers(1, 6, 12)
    repeated = np.repeat(np.arange(12), weights)
    for n_clusters in (2, 3, 5):
        weighed = Divisive(n_clusters, scale=False).fit(X, sample_weight=weights)
        plain = Divisive(n_clusters, scale=False).fit(X[repeated])
        np.testing.assert_array_equal(weighed.labels_[repeated], plain.labels_)


def test_a_weight_counts_the_rows_at_no_distance():
    # as rows 0, 0, 0, 4, 6: the mean distances to the other four are 10/4, 14/4 and 20/4, so 6 leaves; then
    # 4 gains 12/3 - 2 and follows. Without the twins of 0, 0 would stand 5 from the others, as 6 does.
    model = Divisive(2, scale=False).fit([[0.0], [4.0], [6.0]], sample_weight=[3, 1, 1])
    assert model.labels_.tolist() == [0, 1, 1]
