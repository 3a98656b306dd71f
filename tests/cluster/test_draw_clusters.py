"""Pictures of clusters: two columns as they are, principal components of others, dendrograms."""

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
