"""The quality of groups: by hand, beside scikit-learn, for mixed columns with gaps, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, silhouette_samples

from openbook import load, read
from openbook.cluster import cluster_quality, contingency, describe_clusters
from openbook.cluster.quality import row_errors
from openbook.errors import DataError, RefusalError

X, Y = load("iris").split("species")


def test_four_points_by_hand():
    quality = cluster_quality([[0.0], [2.0], [10.0], [14.0]], [0, 0, 1, 1], scale=False)
    assert quality.sse.tolist() == [2, 8]
    assert quality.total == 42.25 + 20.25 + 12.25 + 56.25  # around 6.5
    assert quality.between == 131 - 10
    assert quality.cohesion.tolist() == [1 / 2, 1 / 4]
    assert quality.separation.tolist() == [[0, 10 + 14 + 8 + 12], [44, 0]]
    np.testing.assert_allclose(quality.silhouettes, [10 / 12, 8 / 10, 5 / 9, 9 / 13])
    results = {step.label: step.result for step in quality.work().steps()}
    assert results == {"SSE": 10, "between": 121, "silhouette": quality.silhouette}


def test_silhouettes_are_those_of_scikit_learn():
    numbers = X.block(X.names)
    labels = np.random.default_rng(0).integers(0, 4, len(X))
    labels[7] = 4  # alone in its cluster
    quality = cluster_quality(X, labels, scale=False)
    np.testing.assert_allclose(quality.silhouettes, silhouette_samples(numbers, labels), atol=1e-12)
    assert quality.silhouettes[7] == 0
    scaled = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    np.testing.assert_allclose(
        cluster_quality(X, labels).silhouettes, silhouette_samples(scaled, labels), atol=1e-12
    )


def test_mixed_columns_with_gaps():
    table = read([
        {"x": 1.0, "sky": "sunny", "wind": "no"},
        {"x": 3.0, "sky": "sunny", "wind": "no"},
        {"x": None, "sky": "rainy", "wind": None},
        {"x": 7.0, "sky": "rainy", "wind": "yes"},
        {"x": 9.0, "sky": "sunny", "wind": "yes"},
    ])  # fmt: skip
    errors = row_errors(table, np.array([0, 0, 0, 1, 1]), scale=False)
    # the gap counts as 5, the mean of x; and beside x a column tells that it was missing: 0, 0, 1
    means = [3.0, 1 / 3]
    assert errors[0] == pytest.approx((1 - means[0]) ** 2 + means[1] ** 2)
    assert errors[2] == pytest.approx((5 - means[0]) ** 2 + (1 - means[1]) ** 2 + 2**2)  # sky and wind differ
    assert errors[3] == pytest.approx(1 + 0)  # of equals the first is the mode
    quality = cluster_quality(table, [0, 0, 0, 1, 1], scale=False)
    assert quality.distance == "gower"
    assert np.isnan(quality.total)
    assert quality.sse == pytest.approx([errors[:3].sum(), errors[3:].sum()])


def test_rows_of_no_cluster_are_left_out():
    labels = np.array([0, -1, 0, 1, 1, -1])
    points = np.array([[0.0], [50.0], [1.0], [10.0], [12.0], [99.0]])
    quality = cluster_quality(points, labels, scale=False)
    assert quality.left_out == 2
    assert quality.rows.tolist() == [0, 2, 3, 4]
    assert quality.sse.tolist() == [0.5, 2.0]
    assert "2 rows without a cluster left out." in repr(quality)


def test_what_is_refused():
    with pytest.raises(DataError, match="1 cluster: to compare clusters, give at least two"):
        cluster_quality(X, np.zeros(len(X), int))
    with pytest.raises(DataError, match=r"X has 150 rows, but labels have the shape \(3,\)"):
        cluster_quality(X, [0, 1, 2])
    for labels in (np.full(150, -2), np.full(150, 0.5)):
        with pytest.raises(DataError, match="labels must be whole numbers from 0, and -1"):
            cluster_quality(X, labels)
    many = np.zeros((3_000_000, 1))
    with pytest.raises(RefusalError, match=r"the distances of all pairs of 3,000,000 rows would take about"):
        cluster_quality(many, np.arange(len(many)) % 2)


LABELS = st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3)), min_size=2, max_size=40)


@settings(max_examples=80, deadline=None)
@given(LABELS)
def test_adjusted_rand_is_that_of_scikit_learn(pairs):
    labels, classes = (np.array(part) for part in zip(*pairs, strict=True))
    table = contingency(labels, [str(c) for c in classes])
    if not np.isnan(table.adjusted_rand):
        assert table.adjusted_rand == pytest.approx(adjusted_rand_score(classes, labels), abs=1e-12)
    assert table.n == len(pairs)
    largest = sum(max(np.bincount(classes[labels == c])) for c in np.unique(labels))
    assert table.purity == largest / table.n


def test_adjusted_rand_by_hand():
    """Counts 2 1 / 0 2: R = 1 + 1, pairs of clusters 3 + 1, of classes 1 + 3, of all 10; E = 1.6, M = 4."""
    table = contingency([0, 0, 0, 1, 1], ["a", "a", "b", "b", "b"])
    assert table.adjusted_rand == pytest.approx((2 - 1.6) / (4 - 1.6))
    results = {step.label: step.result for step in table.work().steps()}
    assert (results["R"], results["E"], results["M"]) == (2, 1.6, 4)
    assert np.isnan(contingency([0, 0], ["a", "a"]).adjusted_rand)


def test_classes_that_are_missing_or_no_classes():
    table = contingency([0, 0, 1, 1], ["a", None, "b", "b"])
    assert table.left_out == 1
    assert table.counts.tolist() == [[1, 0], [0, 2]]
    assert "1 row of unknown class left out." in repr(table)
    species = contingency(np.arange(150) // 50, Y)
    assert species.purity == species.adjusted_rand == 1
    assert species.name == "species"
    with pytest.raises(DataError, match=r"'sepal length \(cm\)' is numeric, and classes are categories"):
        contingency(np.zeros(150, int), X.column("sepal length (cm)"))
    with pytest.raises(DataError, match="no row has a known class"):
        contingency([0, 1], [None, None])


def test_what_describes_a_cluster():
    described = describe_clusters(load("iris"), Y.data)
    first = described[0][0]
    assert (first.column, first.value) == ("species", "setosa")
    assert (first.inside, first.outside, first.difference) == (1, 0, 1)
    second = described[0][1]
    numbers = X.data("petal length (cm)")
    assert second.column == "petal length (cm)"
    assert second.inside == pytest.approx(numbers[:50].mean())
    assert second.difference == pytest.approx((numbers[:50].mean() - numbers[50:].mean()) / numbers.std())
    assert second.p_value < 1e-20
    assert described.sentence(0).startswith("50 rows: more often species = setosa (100% against 0%)")
    with pytest.raises(DataError, match="there is no cluster 7; there are 0, 1, 2"):
        described[7]
    with pytest.raises(DataError, match="1 cluster: to compare clusters"):
        describe_clusters(X, np.zeros(150, int))


def test_columns_that_mean_nothing_are_not_said_to():
    rng = np.random.default_rng(0)
    false = 0
    for seed in range(40):
        noise = np.random.default_rng(seed)
        numbers, letters = noise.normal(size=120).tolist(), noise.choice(list("abc"), 120).tolist()
        table = read([{"x": x, "y": y} for x, y in zip(numbers, letters, strict=True)])
        described = describe_clusters(table, rng.integers(0, 2, 120), used=["z"])
        false += any(trait.p_value < 0.05 for traits in described.traits.values() for trait in traits)
    assert false <= 6  # one in twenty, on average at most
    assert "None of these columns was used for the clusters" in described.work().conclusion


def test_a_column_of_gaps_says_nothing():
    table = read(
        [{"x": None, "y": float(i), "z": None} for i in range(6)], kinds={"x": "numeric", "z": "nominal"}
    )
    described = describe_clusters(table, [0, 0, 0, 1, 1, 1])
    assert described[0][0].column == "y"
    assert all(np.isnan(trait.difference) for trait in described[0] if trait.column != "y")
    assert described.sentence(1) == "3 rows: higher y (4 against 1)"


def test_the_silhouette_of_a_row_by_hand():
    quality = cluster_quality([[0.0], [2.0], [10.0], [14.0], [50.0]], [0, 0, 1, 1, 2], scale=False)
    work = quality.work(1)
    assert (work["a"].result, work["b"].result, work["s"].result) == (2, 10, 0.8)
    assert work.parts[0].rows == ((0, 2.0), (1, 10.0), (2, 48.0))
    assert "alone in its cluster" in quality.work(4).conclusion
    with pytest.raises(DataError, match="row 9 belongs to no cluster"):
        quality.work(9)


def test_the_rand_index_by_hand():
    """Of ten pairs, two are together in both and four apart in both."""
    assert contingency([0, 0, 1, 1, 1], list("aabba")).work()["Rand"].result == 0.6


def test_texts_are_compared_by_the_directions_of_their_words():
    table = read({"text": ["goal team"] * 12 + ["vote law"] * 8}, kinds={"text": "text"})
    quality = cluster_quality(table, [0] * 12 + [1] * 8)
    assert quality.within == pytest.approx(0)
    assert quality.silhouette == pytest.approx(1)
    # the directions are the two sorts of texts, ln(20/8) and ln(20/12) from 0; both are divided by the
    # standard deviation of the wider, whose squares then add up to the number of rows
    assert quality.total == pytest.approx(20 + 20 * (math.log(20 / 12) / math.log(20 / 8)) ** 2)


def test_clusters_of_texts_are_described_by_their_words():
    table = read({"text": ["goal team", "vote law"] * 10}, kinds={"text": "text"})
    assert "goal" in describe_clusters(table, [0, 1] * 10).sentence(0)
