"""Choosing k: problems whose answer is known, every criterion by hand or by its formula, what is refused."""

import math

import joblib
import numpy as np
import pytest

from openbook import load, read
from openbook.cluster import choose_k
from openbook.cluster.choose import _bic, _vote
from openbook.errors import DataError, ParameterError


def blobs(centres, n=30, width=0.3, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(centre, width, (n, len(centre))) for centre in centres])


@pytest.mark.parametrize("seed", [0, 1])
def test_groups_that_are_there_are_found(seed):
    chosen = choose_k(blobs([(0, 0), (4, 0), (0, 4), (4, 4)], seed=seed), range(1, 7), random_state=seed)
    assert chosen.k == 4
    assert {chosen.votes[name] for name in ("silhouette", "gap", "BIC", "stability")} == {4}


def test_one_cloud_is_said_to_be_one():
    chosen = choose_k(np.random.default_rng(3).normal(size=(150, 3)), range(1, 6))
    assert chosen.votes["gap"] == chosen.votes["BIC"] == 1
    assert chosen.k == 1 or "so there may be no groups at all" in chosen.doubt


def test_mixed_columns_have_no_bic():
    rng = np.random.default_rng(0)
    rows = [
        {"x": float(rng.normal(10 * (i % 2), 1)), "sky": "sunny" if i % 2 else "rainy", "wind": "ab"[i % 2]}
        for i in range(80)
    ]
    rows[3]["x"] = None
    chosen = choose_k(read(rows), range(1, 5))
    assert chosen.k == 2
    assert "BIC" not in chosen.votes
    assert "BIC: not defined for categories." in chosen.work().parts[0].note


def test_the_answer_does_not_depend_on_the_workers():
    points = blobs([(0, 0), (3, 3)], n=20)
    one = choose_k(points, range(1, 5), random_state=1)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        two = choose_k(points, range(1, 5), random_state=1)
    for name, figures in one.figures.items():
        np.testing.assert_array_equal(figures, two.figures[name])


def test_bic_is_the_likelihood_of_round_groups():
    points = np.array([[0.0], [2.0], [10.0], [12.0]])
    table = read(points)
    labels = np.array([0, 0, 1, 1])
    scaled = points / points.std()
    sse = float(sum(((part - part.mean()) ** 2).sum() for part in (scaled[:2], scaled[2:])))
    variance = sse / 4
    likelihood = sum(
        math.log(0.5) - 0.5 * math.log(2 * math.pi * variance) - (x - m) ** 2 / (2 * variance)
        for x, m in zip(scaled[:, 0], np.repeat([scaled[:2].mean(), scaled[2:].mean()], 2), strict=True)
    )
    assert _bic(table, labels, sse) == pytest.approx(likelihood - (2 + 2) / 2 * math.log(4))


@pytest.mark.parametrize(
    ("name", "figures", "errors", "vote"),
    [
        ("elbow", [100, 20, 10, 0], [0] * 4, 2),  # the line is at 66.7 and 33.3: 46.7 and 23.3 above
        ("elbow", [90, 60, 30, 0], [0] * 4, None),
        ("silhouette", [math.nan, 0.3, 0.5, 0.4], [0] * 4, 3),
        ("gap", [0.1, 0.5, 0.52, 0.9], [0, 0, 0.05, 0], 2),
        ("gap", [0.1, 0.5, 0.7, 0.9], [0] * 4, None),
        ("stability", [math.nan] * 4, [0] * 4, None),
    ],
)
def test_votes_by_hand(name, figures, errors, vote):
    k, why = _vote(name, (1, 2, 3, 4), np.array(figures, float), np.array(errors, float))
    assert k == vote
    assert bool(why) == (vote is None)


def test_the_picture_and_the_doubt():
    chosen = choose_k(load("iris").drop("species"), range(1, 6))
    assert "criteria suggest" in chosen.doubt
    svg = chosen.draw().svg()
    assert svg.count("<polyline") == len(chosen.votes)
    assert chosen.work().conclusion == f"k = {chosen.k}: {chosen.doubt}"


def test_more_clusters_than_different_rows():
    chosen = choose_k(np.arange(40.0)[:, None] % 2, range(1, 5))
    assert chosen.k == 2
    assert chosen.figures["elbow"].tolist() == [40, 0, 0, 0]
    assert np.isnan(chosen.figures["silhouette"][2:]).all()


def test_what_is_refused():
    for ks in ([2, 3], [0, 1, 2], [1, 3, 5]):
        with pytest.raises(ParameterError, match="ks must be three or more whole numbers in a row"):
            choose_k(load("iris").drop("species"), ks)
    with pytest.raises(DataError, match="10 rows are too few for 10 clusters"):
        choose_k(np.arange(10.0)[:, None])
    with pytest.raises(DataError, match="column 'x0' holds infinity"):
        choose_k(np.r_[np.arange(39.0), np.inf][:, None], range(1, 4))


def test_texts_are_judged_by_the_directions_of_their_words():
    # two documents, ten times each: two clusters, and nothing is left within them
    table = read({"text": ["goal team", "vote law"] * 10}, kinds={"text": "text"})
    chosen = choose_k(table, range(1, 4))
    assert chosen.figures["elbow"][1] == pytest.approx(0)
    assert chosen.figures["silhouette"][1] == pytest.approx(1)
    assert chosen.k == 2


def test_topics_of_texts_outweigh_the_noise_of_their_words():
    # three topics of 30 texts: six words of their own, and six of fifty that all share
    rng = np.random.default_rng(0)
    own = np.arange(30).reshape(3, 10)
    drawn = [[*rng.choice(own[i % 3], 6), *rng.integers(100, 150, 6)] for i in range(90)]
    texts = [" ".join(f"word{i}" for i in some) for some in drawn]
    chosen = choose_k(read({"text": texts}, kinds={"text": "text"}), range(1, 6))
    assert chosen.k == 3
    assert sum(k == 3 for k in chosen.votes.values()) >= 4
