"""Pictures of clusters: two columns as they are, principal components of others, dendrograms."""

import re

import numpy as np
import pytest

from openbook import load
from openbook.cluster import (
    DBSCAN,
    AgglomerativeClustering,
    BisectingKMeans,
    Divisive,
    GaussianMixture,
    KMeans,
    KMedoids,
    KModes,
    KPrototypes,
)
from openbook.draw import Numbers
from openbook.errors import DataError

TWO = [[0.0, 0.0], [0.1, 0.2], [5.0, 5.0], [5.1, 5.2], [20.0, -9.0]]


def test_two_columns_are_drawn_as_they_are():
    picture = DBSCAN(0.5, min_samples=2, scale=False).fit(TWO).draw(TWO)
    svg = picture.svg()
    assert picture.title == "2 clusters of DBSCAN"
    assert svg.count("<title>cluster 0</title>") == svg.count("<title>cluster 1</title>") == 2
    assert svg.count("<title>no cluster</title>") == 1
    assert ">x0<" in svg
    assert ">x1<" in svg


@pytest.mark.parametrize("model", [KMeans(3), BisectingKMeans(3), KMedoids(3), AgglomerativeClustering(3)])
def test_more_columns_are_drawn_by_principal_components(model):
    X, _ = load("iris").split("species")
    svg = model.fit(X).draw(X).svg()
    assert "first principal component" in svg
    assert [svg.count(f"<title>cluster {c}</title>") for c in range(3)] == np.bincount(model.labels_).tolist()


@pytest.mark.parametrize("model", [KPrototypes(2), KModes(2), KMedoids(2)])
def test_typed_columns_are_drawn_too(model):
    X = load("weather").drop("play")
    assert model.fit(X).draw(X).svg().count("<title>cluster") == 14


@pytest.mark.parametrize("model", [AgglomerativeClustering(2), Divisive(2)])
def test_a_hierarchy_draws_its_dendrogram(model):
    model.fit(TWO)
    assert model.draw().svg() == model.dendrogram_.draw(2).svg()


def test_a_mixture_draws_its_density():
    X, _ = load("iris").split("species")
    assert "Density of sepal width (cm)" in GaussianMixture(3).fit(X).draw("sepal width (cm)").svg()


def test_one_column_is_too_few():
    with pytest.raises(DataError, match="'x0' is the only column"):
        KMeans(2).fit([[0.0], [1.0], [5.0]]).draw([[0.0], [1.0], [5.0]])


EIGHT = [[1, 1], [2, 1], [1, 3], [4, 4], [5, 3], [8, 8], [9, 7], [7, 9]]


def told(picture, words):
    return re.findall(rf"<title>({words}[^<]*)</title>", picture.svg())


def test_regions_and_centres():
    """The example of KMeans: centres (4/3, 5/3), (4.5, 3.5), (8, 8)."""
    model = KMeans(3, init=EIGHT[:3], scale=False).fit(EIGHT)
    picture = model.draw(EIGHT)
    assert told(picture, "centre of") == [f"centre of cluster {c}" for c in range(3)]
    assert picture.svg().count('class="region') == 3
    spread = Numbers("", np.array(EIGHT, float)[:, 0])
    x = [
        float(v)
        for v in re.findall(
            r'<circle class="ink" cx="([\d.]+)" cy="[\d.]+" r="5"><title>centre', picture.svg()
        )
    ]
    assert x[:3] == pytest.approx(560 * spread.position(np.array([4 / 3, 4.5, 8.0])), abs=0.1)


def test_regions_over_two_of_several_columns():
    X, _ = load("iris").split("species")
    picture = KMeans(3, random_state=0).fit(X).draw(X, X.names[2:])
    assert picture.notes[1].startswith("Others at their mean or mode: sepal length (cm) = ")
    assert len(told(picture, "centre of")) == 3
    medoids = KMedoids(3).fit(X).draw(X, X.names[2:])
    assert len(told(medoids, "centre of")) == 3


def test_iterations_of_k_means():
    """SSE 249, 40.74 and 8.33, as the class's example has it."""
    model = KMeans(3, init=EIGHT[:3], scale=False).fit(EIGHT)
    svg = model.draw_steps(EIGHT).svg()
    assert re.findall(r">((?:start|after \d): SSE [\d.]+)<", svg) == [
        "start: SSE 249",
        "after 1: SSE 40.74",
        "after 2: SSE 8.333",
    ]
    assert svg.count("<title>cluster") == 3 * 8
    with pytest.raises(DataError, match="steps are drawn over two columns of numbers"):
        KMeans(2).fit(load("iris").drop("species")).draw_steps(load("iris").drop("species"))


def test_iterations_of_em_and_ellipses():
    X = load("iris")[["petal length (cm)", "petal width (cm)"]]
    model = GaussianMixture(3, random_state=0).fit(X)
    picture = model.draw(X)
    assert picture.svg().count("<polyline") == 6  # one and two standard deviations of each
    steps = model.draw_steps(X)
    found = [float(v) for v in re.findall(r"after \d+: ln L (-[\d.]+)", steps.svg())]
    assert found == sorted(found)  # the likelihood never falls
    assert found[-1] == pytest.approx(model.log_likelihood_, rel=1e-3)


def test_the_cuts_of_bisecting_k_means_are_a_dendrogram():
    model = BisectingKMeans(3, scale=False, random_state=0).fit(EIGHT)
    tree = model.dendrogram_
    assert tree.linkage[:, 2].tolist() == pytest.approx(model.inertia_trace_[:2][::-1].tolist())
    assert tree.names == ("cluster 0: 3 rows", "cluster 1: 3 rows", "cluster 2: 2 rows")
    assert tree.cut(2).tolist() == [0, 1, 0]  # cluster 2 was cut from cluster 0
    assert model.draw().title == "The cuts of bisecting k-means"
    assert len(told(model.draw(EIGHT), "centre of")) == 3
