"""Merges from a similarity matrix and from a distance matrix, digit by digit."""

import pandas as pd
import pytest

from openbook.cluster import AgglomerativeClustering
from openbook.cluster.merging import merged

RECORDS = {"agglomerative.five_points": "similarities", "agglomerative.own_distance": "distances"}
METRICS = {"similarities": "precomputed_similarity", "distances": "precomputed"}


@pytest.fixture(params=RECORDS)
def record(request, golden):
    return golden(request.param)


@pytest.mark.parametrize("method", ["single", "complete", "average"])
def test_every_merge_and_the_matrix_after_it(record, method):
    given = RECORDS[record["id"]]
    names = [str(name) for name in record["data"]["names"]]
    matrix = record["data"][{"similarities": "similarity", "distances": "distance"}[given]]
    expected = record["expected"][method]
    steps = list(merged(matrix, method, similar=given == "similarities"))
    assert len(steps) == len(expected)
    for step, truth in zip(steps, expected, strict=True):
        called = [[names[row] for row in cluster] for cluster in (step.first, step.second)]
        assert called == [[str(name) for name in cluster] for cluster in truth["merge"]]
        assert step.height == pytest.approx(truth["height"], abs=1e-15)
        clusters = ["+".join(names[row] for row in cluster) for cluster in step.clusters]
        assert clusters == ["+".join(map(str, cluster)) for cluster in truth["clusters_after"]]
        found = {
            f"{clusters[j]}|{clusters[i]}": step.matrix[i][j] for i in range(len(clusters)) for j in range(i)
        }
        assert found == pytest.approx(truth["proximities_after"], abs=1e-15)


@pytest.mark.parametrize("method", ["single", "complete", "average"])
def test_the_fitted_model_says_the_same(record, method):
    given = RECORDS[record["id"]]
    names = [str(name) for name in record["data"]["names"]]
    matrix = record["data"][{"similarities": "similarity", "distances": "distance"}[given]]
    model = AgglomerativeClustering(2, linkage=method, metric=METRICS[given])
    model.fit(pd.DataFrame(matrix, columns=names))
    tree = model.dendrogram_
    expected = record["expected"][method]
    heights = [tree.shown(height) for height in model.linkage_[:, 2]]
    assert heights == pytest.approx([step["height"] for step in expected], abs=1e-15)
    clusters = {row: {names[row]} for row in range(len(names))}
    for t, (first, second, _, _) in enumerate(model.linkage_.tolist()):
        both = [clusters[int(first)], clusters[int(second)]]
        truth = [set(map(str, cluster)) for cluster in expected[t]["merge"]]
        assert both in (truth, truth[::-1])
        clusters[len(names) + t] = both[0] | both[1]
    groups = expected[-2]["clusters_after"]
    assert [{names[i] for i in range(len(names)) if model.labels_[i] == c} for c in (0, 1)] == [
        set(map(str, group)) for group in groups
    ]
    last = model.work().parts[-2]  # the last merge, before the cut
    assert last["height"].result == pytest.approx(expected[-1]["height"], abs=1e-15)
