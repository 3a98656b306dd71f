"""The worked examples of cluster quality, digit by digit."""

import json
from pathlib import Path

import numpy as np
import pytest

from openbook import read
from openbook.cluster import Contingency, cluster_quality
from openbook.cluster.quality import row_errors

RECORDS = {
    record["id"]: record
    for record in json.loads((Path(__file__).parent / "worked_examples.json").read_text(encoding="utf-8"))
    if record["topic"] == "clustering_eval"
}


def test_errors_of_categories():
    """The second cluster by its mode; the book has 20 there, by a centroid that is not the mode."""
    record = RECORDS["clustering_eval.categorical_sse"]
    first, second = (record["data"][name]["rows"] for name in ("cluster1", "cluster2"))
    names = ["outlook", "temperature", "humidity", "windy"]
    table = read([dict(zip(names, row, strict=True)) for row in [*first, *second]])
    codes = np.repeat([0, 1], [len(first), len(second)])
    errors = row_errors(table, codes)
    assert errors[codes == 0].tolist() == record["expected"]["row_errors_1"]
    assert errors[codes == 0].sum() == record["expected"]["sse_1"]
    assert errors[codes == 1].sum() == record["expected"]["sse_2_with_mode"]
    assert cluster_quality(table, codes).sse.tolist() == [18, 18]


@pytest.mark.parametrize("name", ["clustering_eval.purity_entropy_1", "clustering_eval.purity_entropy_2"])
def test_purity_and_entropy(name):
    record = RECORDS[name]
    table = Contingency(np.array(record["data"]["table"]), (0, 1), tuple(record["data"]["columns"]))
    expected = record["expected"]
    assert table.purity == pytest.approx(expected["purity"], abs=1e-15)
    assert table.entropy == pytest.approx(expected["entropy"], abs=1e-15)
    for i, cluster in enumerate(expected["clusters"]):
        assert table.sizes[i] == cluster["size"]
        assert table.purities[i] == pytest.approx(cluster["purity"], abs=1e-15)
        assert table.entropies[i] == pytest.approx(cluster["entropy"], abs=1e-15)


def test_geometry():
    record = RECORDS["clustering_eval.own_geometry"]
    clusters, expected = record["data"]["clusters"], record["expected"]
    points = np.array([point for cluster in clusters for point in cluster], dtype=float)
    labels = np.repeat(np.arange(len(clusters)), [len(cluster) for cluster in clusters])
    quality = cluster_quality(points, labels, scale=False)
    for i, cluster in enumerate(expected["clusters"]):
        assert quality.sse[i] == pytest.approx(cluster["sse"], rel=1e-12)
        assert quality.cohesion[i] == pytest.approx(cluster["cohesion_unordered"], rel=1e-12)
        assert 1 / quality.cohesion[i] == pytest.approx(cluster["pair_distance_sum"], rel=1e-12)
    assert quality.separation[0, 1] == pytest.approx(expected["separation"]["0-1"], rel=1e-12)
    assert quality.within == pytest.approx(expected["sse"], rel=1e-12)
    assert quality.between == pytest.approx(expected["between_ss"], rel=1e-12)
    assert quality.total == pytest.approx(expected["total_ss"], rel=1e-12)
    np.testing.assert_allclose(quality.silhouettes, expected["silhouettes"], rtol=1e-12)
    assert quality.silhouette == pytest.approx(expected["mean_silhouette"], rel=1e-12)
