"""Agglomerative clustering: kernels against the twin, scipy's merges, matrices, weights, errors, size."""

import fractions
import itertools

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn import cluster

import openbook
from openbook import load
from openbook.cluster import AgglomerativeClustering
from openbook.cluster.linkage import METHODS, linkage_of_pairs, linkage_of_points
from openbook.cluster.merging import merged
from openbook.errors import DataError, ParameterError, RefusalError
from openbook.spaces.points import Points

RNG = np.random.default_rng(7)


def as_points(X):
    return Points.of(X, np.zeros((len(X), 0), np.int32), np.zeros((3, X.shape[1])), 0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (33, 2), (257, 5), (700, 3), (60, 40)])
def test_merges_are_those_of_scipy(method, n, d):
    X = RNG.normal(size=(n, d))
    theirs = hierarchy.linkage(X, method)
    np.testing.assert_allclose(linkage_of_points(as_points(X), method), theirs, rtol=1e-9)
    np.testing.assert_allclose(linkage_of_pairs(pdist(X), method), theirs, rtol=1e-9)


@pytest.mark.parametrize(
    ("method", "seed", "most"),
    [*itertools.product(METHODS, range(12), [45]), ("single", 0, 150), ("complete", 0, 150)],
)
def test_the_kernel_merges_as_the_twin_does_also_where_pairs_are_equally_near(method, seed, most):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, most))
    matrix = squareform(rng.integers(1, 5, n * (n - 1) // 2).astype(float))
    found = linkage_of_pairs(squareform(matrix), method)
    twin = list(merged(matrix.tolist(), method))
    np.testing.assert_allclose(found[:, 2], [step.height for step in twin], rtol=1e-12)
    if method in ("single", "complete"):  # the others round, and what is equal may differ by that
        clusters = {row: (row,) for row in range(n)}
        for t, (first, second, _, size) in enumerate(found.astype(int).tolist()):
            pair = {clusters[first], clusters[second]}
            assert pair == {twin[t].first, twin[t].second}
            clusters[n + t] = tuple(sorted(clusters[first] + clusters[second]))
            assert size == len(clusters[n + t])


@pytest.mark.parametrize("seed", range(5))
def test_single_linkage_of_rows_with_ties_has_the_clusters_of_its_definition_at_every_height(seed):
    X = np.random.default_rng(seed).integers(0, 4, (40, 2)).astype(float)
    model = AgglomerativeClustering(1, linkage="single", scale=False).fit(X)
    for height in np.unique(model.linkage_[:, 2]):
        joined = hierarchy.fcluster(hierarchy.linkage(X, "single"), height, "distance")
        ours = model.dendrogram_.cut(height=height)
        assert len(np.unique(np.stack([joined, ours]), axis=1).T) == len(set(ours.tolist()))


def test_rows_on_a_line_by_hand():
    X = [[0.0], [1.0], [3.0], [7.0]]
    heights = {
        "single": [1, 2, 4],
        "complete": [1, 3, 7],
        "average": [1, 2.5, (7 + 6 + 4) / 3],
        "centroid": [1, 2.5, 7 - 4 / 3],
        "median": [1, 2.5, 7 - 1.75],
        "ward": [1, (2 * 2 * 1 / 3) ** 0.5 * 2.5, (2 * 3 * 1 / 4) ** 0.5 * (7 - 4 / 3)],
    }
    for method, expected in heights.items():
        model = AgglomerativeClustering(2, linkage=method, scale=False).fit(X)
        assert model.linkage_[:, 2].tolist() == pytest.approx(expected), method
        assert model.labels_.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(("method", "d"), [*((method, 2) for method in METHODS), ("ward", 20)])
def test_a_row_of_weight_two_counts_as_two(method, d):
    X = RNG.normal(size=(30, d))
    weights = RNG.integers(1, 4, 30)
    weighed = AgglomerativeClustering(3, linkage=method, scale=False).fit(X, sample_weight=weights)
    repeated = hierarchy.linkage(np.repeat(X, weights, axis=0), method)[-29:, 2]
    np.testing.assert_allclose(np.sort(weighed.linkage_[:, 2]), np.sort(repeated), rtol=1e-9)
    twin = merged(squareform(pdist(X)).tolist(), method, weights=weights.tolist())
    np.testing.assert_allclose([merge.height for merge in twin], weighed.linkage_[:, 2], rtol=1e-9)


def test_typed_columns_and_gaps_by_hand():
    rows = [
        {"colour": "red", "size": 0.0},
        {"colour": "red", "size": 4.0},
        {"colour": None, "size": 10.0},
        {"colour": None, "size": 9.0},
    ]
    model = AgglomerativeClustering(2, linkage="complete").fit(
        openbook.read(rows, kinds={"colour": "nominal"})
    )
    assert model.space_.metric == "gower"
    # 0-1: (0 + .4)/2; 2-3: two gaps are 1 apart, (1 + .1)/2; then 0-2: (1 + 1)/2
    assert model.linkage_[:, 2].tolist() == pytest.approx([0.2, 0.55, 1.0])
    assert model.assign([{"colour": "red", "size": 1.0}, {"colour": "blue", "size": 9.0}]).tolist() == [0, 1]


def test_new_rows_join_the_nearest_row_and_its_work_says_which():
    X, _ = load("iris").split("species")
    model = AgglomerativeClustering(3, linkage="ward").fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    work = model.work(X.row(7))
    assert "nearest training row is 7, at 0: cluster 0" in work.text()


def test_matrices_assign_and_are_saved(tmp_path):
    X = RNG.normal(size=(80, 2))
    distances = squareform(pdist(X))
    for given, matrix in {"precomputed": distances, "precomputed_similarity": 1 / (1 + distances)}.items():
        for few in (matrix, matrix[:20, :20]):
            model = AgglomerativeClustering(4, linkage="complete", metric=given).fit(few)
            np.testing.assert_array_equal(model.predict(few), model.labels_)
            again = openbook.open_model(openbook.save(model, tmp_path / "model.openbook"))
            np.testing.assert_array_equal(again.labels_, model.labels_)
            assert str(again.work()) == str(model.work())
            assert str(again.dendrogram_) == str(model.dendrogram_)
    rows = AgglomerativeClustering(4, linkage="complete", scale=False).fit(X)
    np.testing.assert_array_equal(
        rows.labels_,
        AgglomerativeClustering(4, linkage="complete", metric="precomputed").fit(distances).labels_,
    )


def test_a_cut_by_height():
    model = AgglomerativeClustering(distance_threshold=2.5, linkage="single", scale=False).fit(
        [[0.0], [1.0], [3.0], [7.0]]
    )
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert model.n_clusters_ == 2


def test_the_cophenetic_correlation_is_that_of_scipy():
    X = RNG.normal(size=(120, 3))
    model = AgglomerativeClustering(2, scale=False).fit(X)
    theirs, _ = hierarchy.cophenet(hierarchy.linkage(X, "average"), pdist(X))
    assert model.cophenetic_correlation() == pytest.approx(theirs, abs=1e-12)
    given = AgglomerativeClustering(2, metric="precomputed").fit(squareform(pdist(X)))
    with pytest.raises(ParameterError, match="no rows were kept"):
        given.cophenetic_correlation()


@pytest.mark.parametrize(
    ("matrix", "metric", "words"),
    [
        ([[0, 1], [1, 0], [2, 2]], "precomputed", "3 rows of 2 columns"),
        ([[0, 1], [2, 0]], "precomputed", "row 0, column .* differs from its mirror image"),
        ([[0, -1], [-1, 0]], "precomputed", "is negative"),
        ([[1, 0.5], [0.5, 1]], "precomputed", "pass metric='precomputed_similarity'"),
        ([[1, None], [None, 1]], "precomputed_similarity", "not a finite number"),
    ],
)
def test_a_matrix_that_is_none_is_refused(matrix, metric, words):
    with pytest.raises(DataError, match=words):
        AgglomerativeClustering(1, metric=metric).fit(np.array(matrix, dtype=float))


def test_what_has_no_centres_is_refused():
    with pytest.raises(RefusalError, match="similarities do not give"):
        AgglomerativeClustering(2, linkage="ward", metric="precomputed_similarity").fit(np.eye(3))
    with pytest.raises(RefusalError, match="gower does not give"):
        AgglomerativeClustering(2, linkage="centroid", metric="gower").fit(np.eye(3))
    with pytest.raises(RefusalError, match="matrix of distances, and column 'a' is nominal"):
        AgglomerativeClustering(2, metric="precomputed").fit([{"a": "x"}, {"a": "y"}])


def test_too_many_rows_are_refused_before_anything_is_built(monkeypatch):
    X = np.zeros((2000, 1))
    monkeypatch.setattr("openbook.border.budget.most_bytes", lambda: 1e6)
    with pytest.raises(
        RefusalError, match=r"complete linkage of 2,000 rows would take about 16 MB .* sample"
    ):
        AgglomerativeClustering(2, linkage="complete").fit(X)
    assert AgglomerativeClustering(2, linkage="complete", allow_large=True).fit(X).labels_.sum() == 1
    assert len(AgglomerativeClustering(2, linkage="single").fit(X).labels_) == 2000  # needs no matrix


def test_a_damaged_linkage_is_refused():
    model = AgglomerativeClustering(2).fit(RNG.normal(size=(6, 2)))
    saved = model._saved()
    for cell, value in {(0, 0): 9.0, (0, 3): 3.0, (1, 2): np.nan, (2, 1): 0.5}.items():
        linkage = saved.arrays["linkage"].copy()
        linkage[cell] = value
        with pytest.raises(ValueError, match=r"linkage|rows of a merge"):
            AgglomerativeClustering(2)._opened(saved._replace(arrays=saved.arrays | {"linkage": linkage}))


def test_fractions_of_the_average_by_hand():
    matrix = [[0, 2, 6, 10], [2, 0, 5, 9], [6, 5, 0, 4], [10, 9, 4, 0]]
    steps = list(merged(matrix, "average"))
    assert steps[-1].height == float(fractions.Fraction(6 + 10 + 5 + 9, 4))


def test_merges_are_named_as_in_scikit_learn():
    X = RNG.normal(size=(12, 2))
    ours = AgglomerativeClustering(None, linkage="complete", distance_threshold=1.5, scale=False).fit(X)
    theirs = cluster.AgglomerativeClustering(None, linkage="complete", distance_threshold=1.5).fit(X)
    np.testing.assert_array_equal(ours.children_, theirs.children_)
    np.testing.assert_allclose(ours.distances_, theirs.distances_)
    assert (ours.n_leaves_, ours.n_clusters_) == (theirs.n_leaves_, theirs.n_clusters_)


def test_a_cut_must_be_given():
    with pytest.raises(ParameterError, match="give n_clusters or distance_threshold; both are None"):
        AgglomerativeClustering(None).fit([[0.0], [1.0]])


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "weighted"])
@pytest.mark.parametrize(
    ("metric", "theirs", "options"),
    [
        ("manhattan", "cityblock", {}),
        ("cosine", "cosine", {}),
        ("correlation", "correlation", {}),
        ("minkowski", "minkowski", {"p": 3}),
    ],
)
def test_other_distances_merge_as_in_scipy(metric, theirs, options, linkage):
    X = np.random.default_rng(5).normal(size=(14, 5))
    ours = AgglomerativeClustering(3, metric=metric, linkage=linkage, scale=False, **options).fit(X)
    heights = hierarchy.linkage(pdist(X, theirs, **options), linkage)[:, 2]
    assert ours.distances_ == pytest.approx(heights)
    twin = [merge.height for merge in merged(ours.space_.distances().tolist(), linkage)]
    assert ours.distances_ == pytest.approx(twin)


def test_weighted_linkage_by_hand():
    # 0 and 1 merge at 1, 3 and 4 at 2; then {0, 1} and 2 at (4 + 6) / 2 = 5; the rest at (10 + 8) / 2
    D = [[0, 1, 4, 10, 10], [1, 0, 6, 10, 10], [4, 6, 0, 8, 8], [10, 10, 8, 0, 2], [10, 10, 8, 2, 0]]
    model = AgglomerativeClustering(2, linkage="weighted", metric="precomputed").fit(D)
    assert model.distances_.tolist() == [1, 2, 5, 9]
    average = AgglomerativeClustering(2, linkage="average", metric="precomputed").fit(D)
    assert average.distances_.tolist() == pytest.approx([1, 2, 5, (4 * 10 + 2 * 8) / 6])


def test_categories_by_jaccard_and_a_function():
    rows = [{"a": "x", "b": "yes"}, {"a": "x", "b": "no"}, {"a": "z", "b": "no"}]
    # {x, b} and {x}: 1/2; {x} and {z}: 1; {x, b} and {z}: 1
    model = AgglomerativeClustering(2, metric="jaccard", linkage="single").fit(rows)
    assert model.distances_.tolist() == [0.5, 1.0]
    assert model.assign([{"a": "z", "b": "no"}]).tolist() == [1]
    by_function = AgglomerativeClustering(
        2, metric=lambda a, b: np.abs(a - b).max(axis=-1), linkage="average"
    )
    assert by_function.fit([[0.0, 0], [1, 5], [2, 1]]).distances_.tolist() == [2.0, 4.5]


def test_a_distance_that_is_none_is_refused():
    with pytest.raises(
        DataError, match=r"kl_divergence from row 0 to row 1 is .* the other way; clusters need one"
    ):
        AgglomerativeClustering(2, metric="kl_divergence").fit([[1.0, 3], [2, 2], [3, 1]])
