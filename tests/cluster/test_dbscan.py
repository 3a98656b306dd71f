"""DBSCAN: by hand, against the twin and scikit-learn, mixed columns, weights, files."""

import numpy as np
import pytest
import sklearn.cluster
from sklearn.datasets import make_blobs, make_moons

import openbook
from openbook.cluster import DBSCAN
from openbook.cluster.dbscan import density_clusters
from openbook.errors import RefusalError


def test_rows_on_a_line_by_hand():
    X = [[1.0], [2.0], [3.0], [4.0], [5.5], [7.0], [8.0], [9.0], [20.0]]
    model = DBSCAN(1.5, min_samples=3, scale=False).fit(X)
    assert model.core_.tolist() == [False, True, True, True, True, True, True, False, False]
    assert model.labels_.tolist() == [0] * 8 + [-1]
    apart = DBSCAN(1.2, min_samples=3, scale=False).fit(X)
    assert apart.labels_.tolist() == [0, 0, 0, 0, -1, 1, 1, 1, -1]


@pytest.mark.parametrize("seed", range(8))
def test_the_kernel_finds_what_the_twin_finds_also_on_a_grid(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (int(rng.integers(1, 160)), 2)).astype(float)
    weights = rng.integers(1, 3, len(X)).astype(float)
    model = DBSCAN(1.0, min_samples=4, scale=False).fit(X, sample_weight=weights)
    near = model.space_.distances() <= 1.0
    labels, core = density_clusters(near.tolist(), weights.tolist(), 4)
    assert model.labels_.tolist() == labels
    assert model.core_.tolist() == core


@pytest.mark.parametrize(("d", "eps"), [(2, 0.4), (3, 0.7), (9, 2.5), (20, 4.5)])
def test_labels_are_those_of_scikit_learn(d, eps):
    X, _ = make_blobs(3000, d, centers=7, random_state=d)
    ours, theirs = DBSCAN(eps, scale=False).fit(X), sklearn.cluster.DBSCAN(eps=eps).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    np.testing.assert_array_equal(ours.components_.block(ours.components_.names), theirs.components_)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)


def test_moons_are_two_clusters():
    X, y = make_moons(600, noise=0.05, random_state=0)
    labels = DBSCAN(0.25).fit_predict(X)
    assert sklearn.metrics.adjusted_rand_score(y, labels) > 0.98


def test_mixed_columns_with_gaps_against_the_twin():
    table = openbook.load("credit", rows=150, random_state=1).drop("default")
    for distance, eps in (("gower", 0.12), ("heom", 0.7)):
        model = DBSCAN(eps, min_samples=4, metric=distance).fit(table)
        near = model.space_.distances() <= eps
        labels, core = density_clusters(near.tolist(), [1.0] * 150, 4)
        assert model.labels_.tolist() == labels
        assert len(set(labels)) > 2
        assert model.core_.tolist() == core


def test_all_alike_and_all_alone():
    assert DBSCAN(0.1).fit(np.zeros((300, 2))).labels_.tolist() == [0] * 300
    alone = DBSCAN(0.1, scale=False).fit(np.arange(300.0)[:, None])
    assert set(alone.labels_.tolist()) == {-1}
    assert alone.assign([[5.0]]).tolist() == [-1]


def test_work_names_core_border_and_noise():
    model = DBSCAN(1.5, min_samples=3, scale=False).fit([[1.0], [2.0], [3.0], [4.0], [9.0]])
    text = model.work().text()
    for line in ("core rows = 2", "border rows = 2", "noise = 1", "clusters = 1"):
        assert line in " ".join(text.split())
    assert "No core row is within ε: noise, -1." in model.work([9.0]).text()
    assert "within ε: 0." in model.work([4.2]).text()


def test_damaged_labels_are_refused():
    model = DBSCAN().fit(np.random.default_rng(0).normal(size=(40, 2)))
    saved = model._saved()
    for name in ("labels", "core_labels"):
        wrong = saved.arrays[name].copy()
        wrong[0] = 40
        with pytest.raises(ValueError, match=name):
            DBSCAN()._opened(saved._replace(arrays=saved.arrays | {name: wrong}))


def test_an_hour_is_too_much(monkeypatch):
    monkeypatch.setattr("openbook.border.budget._MOST_SECONDS", 1e-5)
    X = openbook.read([{"a": "xyz"[i % 3]} for i in range(500)])
    with pytest.raises(RefusalError, match="DBSCAN of 500 rows would take"):
        DBSCAN().fit(X)
    assert len(DBSCAN(allow_large=True).fit(X).labels_) == 500
