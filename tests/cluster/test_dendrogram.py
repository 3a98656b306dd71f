"""Dendrograms: cuts, order, cophenetic distances, pictures, and what is no linkage matrix."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from openbook.cluster import Dendrogram
from openbook.errors import ParameterError

RNG = np.random.default_rng(3)
FIVE = [[0, 1, 2.0, 2], [3, 4, 3.0, 2], [2, 6, 4.0, 3], [5, 7, 5.0, 5]]


def test_cuts_by_hand():
    tree = Dendrogram(FIVE, tuple("pqrst"))
    assert [tree.cut(k).tolist() for k in (1, 3, 5)] == [[0] * 5, [0, 0, 1, 2, 2], [0, 1, 2, 3, 4]]
    assert tree.cut(height=4.0).tolist() == [0, 0, 1, 1, 1]
    assert tree.cut(height=1.9).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("method", ["average", "centroid"])
def test_cuts_and_cophenetic_distances_are_those_of_scipy(method):
    X = RNG.normal(size=(90, 2))
    linkage = hierarchy.linkage(X, method)
    tree = Dendrogram(linkage)
    np.testing.assert_array_equal(tree.cophenetic(), hierarchy.cophenet(linkage))
    for height in np.quantile(linkage[:, 2], (0.2, 0.5, 0.9)):
        theirs, ours = hierarchy.fcluster(linkage, height, "distance"), tree.cut(height=height)
        assert len(set(zip(theirs.tolist(), ours.tolist(), strict=True))) == len(set(ours.tolist()))
        assert len(set(theirs.tolist())) == len(set(ours.tolist()))
    assert tree.cophenetic_correlation(pdist(X)) == pytest.approx(hierarchy.cophenet(linkage, pdist(X))[0])


def test_clusters_are_stretches_of_the_order():
    tree = Dendrogram(hierarchy.linkage(RNG.normal(size=(50, 2)), "complete"))
    assert sorted(tree.order.tolist()) == list(range(50))
    for k in (2, 5, 17):
        runs = tree.cut(k)[tree.order]
        assert np.count_nonzero(np.diff(runs)) == k - 1


def test_letters():
    assert Dendrogram(FIVE, tuple("pqrst")).text(width=21).splitlines() == [
        "p ────────┬───────────┐",
        "q ────────┘           │",
        "r ────────────────┬───┘",
        "s ────────────┬───┘",
        "t ────────────┘",
        "  0                   5",
    ]


def test_a_picture_has_a_name_for_each_leaf_and_a_path_for_each_merge():
    svg = Dendrogram(FIVE, ("p & q", *"qrst")).draw(2).svg()
    root = ET.fromstring(svg)
    words = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"p & q", "q", "r", "s", "t"} <= set(words)
    paths = list(root.iter("{http://www.w3.org/2000/svg}path"))
    assert len(paths) == 4
    assert sorted(p.get("class") for p in paths) == ["frame", "line c0", "line c1", "line c1"]
    assert "2 rows at 2" in svg


def test_beyond_sixty_leaves_the_last_merges_are_drawn():
    X = RNG.normal(size=(500, 2))
    tree = Dendrogram(hierarchy.linkage(X, "ward"))
    svg, letters = tree.draw().svg(), tree.text()
    assert svg.count("<path") == 59
    assert "The last 59 of 499 merges" in svg
    lines = letters.splitlines()
    assert len(lines) == 62
    more = [int(n.replace(",", "")) for n in re.findall(r"and ([\d,]+) more", letters)]
    assert sum(more) + 60 == 500


def test_similarities_are_shown_as_such():
    tree = Dendrogram([[0, 1, 0.25, 2], [2, 3, 0.75, 3]], top=1.0)
    assert tree.shown(0.25) == 0.75
    assert tree.cut(height=0.5).tolist() == [0, 0, 1]
    assert "similarity" in tree.draw().svg()
    assert tree.text().splitlines()[-1].split() == ["1", "0.25"]


@pytest.mark.parametrize(
    ("linkage", "words"),
    [
        ([[0, 0, 1, 2]], "merged once"),
        ([[0, 3, 1, 2], [1, 2, 2, 3]], "does not exist yet"),
        ([[0, 1, np.inf, 2]], "finite"),
    ],
)
def test_what_is_no_linkage_matrix_is_refused(linkage, words):
    with pytest.raises(ParameterError, match=words):
        Dendrogram(linkage)


def test_wrong_questions_are_refused():
    tree = Dendrogram(FIVE)
    for question in ({}, {"k": 2, "height": 1.0}):
        with pytest.raises(ParameterError, match="either the number"):
            tree.cut(**question)
    with pytest.raises(ParameterError, match="1 to 5 clusters, got 6"):
        tree.cut(6)
    with pytest.raises(ParameterError, match="10 distances"):
        tree.cophenetic_correlation([1.0])
    with pytest.raises(ParameterError, match="5 leaves, but 2 names"):
        Dendrogram(FIVE, ("a", "b"))
    with pytest.raises(ParameterError, match="most must be"):
        tree.text(most=1)
