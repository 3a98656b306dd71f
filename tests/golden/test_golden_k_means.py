"""The worked example of k-means, digit by digit: in the model and in the derivation."""

import pytest

from openbook.cluster import KMeans
from openbook.cluster.derive_prototypes import replay_lloyd


def exactly(expected):
    return pytest.approx(expected, rel=1e-13, abs=1e-15)


@pytest.fixture
def record(golden):
    return golden("kmeans.own_eight_points")


@pytest.fixture
def model(record):
    data = record["data"]
    return KMeans(3, init=data["seeds"], scale=False).fit(data["points"])


def test_the_model(record, model):
    expected = record["expected"]
    iterations = expected["iterations"]
    assert model.n_iter_ == expected["n_iterations"]
    assert model.converged_
    assert model.inertia_ == exactly(expected["final_sse"])
    assert model.inertia_trace_.tolist() == exactly([one["sse_before_update"] for one in iterations])
    assert model.labels_.tolist() == iterations[-1]["assignment"]
    for ours, theirs in zip(model.cluster_centers_.tolist(), iterations[-1]["centroids"], strict=True):
        assert ours == exactly(theirs)


def test_every_iteration(record):
    data = record["data"]
    rows = [(point, [], 1.0) for point in data["points"]]
    replayed = list(replay_lloyd(rows, [(seed, []) for seed in data["seeds"]], 1.0, 300))
    expected = record["expected"]["iterations"]
    assert len(replayed) == len(expected)
    for ours, theirs in zip(replayed, expected, strict=True):
        assert ours.labels == theirs["assignment"]
        assert ours.cost == exactly(theirs["sse_before_update"])
        assert ours.cost_after == exactly(theirs["sse_after_update"])
        for (means, _), centroid in zip(ours.prototypes, theirs["centroids"], strict=True):
            assert means == exactly(centroid)


def test_the_work_shows_every_iteration(record, model):
    work = model.work()
    shown = [part for part in work.parts if getattr(part, "title", "").startswith("Iteration")]
    for part, theirs in zip(shown, record["expected"]["iterations"], strict=True):
        assignment, moved = (block for block in part.parts if hasattr(block, "header"))
        assert [row[-1] for row in assignment.rows] == theirs["assignment"]
        assert part["SSE"].result == exactly(theirs["sse_before_update"])
        assert part["SSE after moving"].result == exactly(theirs["sse_after_update"])
        for row, centroid in zip(moved.rows, theirs["centroids"], strict=True):
            assert list(row[1:]) == exactly(centroid)
