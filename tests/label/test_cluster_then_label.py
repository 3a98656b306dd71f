"""Cluster, then label: probabilities by hand, clusters without a label, rows without a cluster, files."""

import numpy as np
import pytest

import openbook as ob
from openbook.cluster import DBSCAN, KMeans
from openbook.errors import ParameterError
from openbook.label import ClusterThenLabel

#: Three groups, around 0, 10 and 17; the last has no label.
X = [[-1.0], [0.0], [1.0], [9.0], [10.0], [11.0], [16.0], [17.0], [18.0]]
Y = ["a", "a", None, "b", None, "a", None, None, None]


def fitted(**parameters):
    means = [[0.0], [10.0], [17.0]]
    return ClusterThenLabel(KMeans(3, init=means, scale=False), **parameters).fit(X, Y)


def test_a_cluster_has_the_shares_of_its_labelled_rows():
    model = fitted()
    assert model.counts_.tolist() == [[2, 0], [1, 1], [0, 0]]
    assert model.prior_.tolist() == [3 / 4, 1 / 4]
    expected = [(2 + 3 / 4) / 3, (1 + 3 / 4) / 3, (1 + 3 / 4) / 3]  # the last is nearer to the second
    assert model.predict_proba([[0.5], [10.5], [40.0]])[:, 0] == pytest.approx(expected)
    assert model.work([0.5])["P(class = a)"].result == pytest.approx(expected[0])
    assert model.sources_.tolist() == [0, 1, 1]
    grid = model.work()["clusters, and their labelled rows by class"]
    assert list(grid.header) == ["cluster", "rows", "a", "b", "most probable", "by"]
    assert list(grid.rows[1])[2:5] == [1, 1, "a"]


@pytest.mark.parametrize(
    ("empty", "share", "label"),
    [("nearest", 1.75 / 3, "a"), ("prior", 3 / 4, "a"), ("unlabelled", 3 / 4, None)],
)
def test_a_cluster_without_a_label(empty, share, label):
    model = fitted(empty=empty)
    assert model.predict_proba([[17.0]])[0, 0] == pytest.approx(share)
    assert model.transduction_.tolist() == ["a", "a", "a", "b", "a", "a", label, label, label]


def test_rows_in_no_cluster_have_the_shares_of_all():
    model = ClusterThenLabel(DBSCAN(1.5, min_samples=2, scale=False)).fit([*X, [90.0]], [*Y, "b"])
    assert model.clusterer_.labels_[-1] == -1
    assert model.predict_proba([[90.0], [-40.0]])[:, 0] == pytest.approx([3 / 5, 3 / 5])
    assert model.work([90.0])["cluster"].result == "none"


def test_weights_count():
    weighted = ClusterThenLabel(KMeans(3, init=[[0.0], [10.0], [17.0]], scale=False))
    weighted.fit(X, Y, sample_weight=[1, 1, 1, 3, 1, 1, 1, 1, 1])
    assert weighted.counts_.tolist() == [[2, 0], [1, 3], [0, 0]]


def test_typed_columns_and_the_file(tmp_path):
    X, y = ob.load("credit", rows=150, random_state=1).split("default")
    labels = [label if i % 4 else None for i, label in enumerate(y.tolist())]
    model = ClusterThenLabel(random_state=0).fit(X, labels)
    assert len(model.sizes_) == 112 // 5
    assert type(model.clusterer_).__name__ == "KPrototypes"
    opened = ob.open_model(ob.save(model, tmp_path / "m.openbook"))
    assert opened.transduction_.tolist() == model.transduction_.tolist()
    assert str(opened.work()) == str(model.work())
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()


def test_what_is_refused():
    from sklearn.cluster import AgglomerativeClustering

    from openbook.bayes import NaiveBayes

    with pytest.raises(ParameterError, match=r"NaiveBayes\(\) is not a clusterer; pass one such as KMeans"):
        ClusterThenLabel(NaiveBayes()).fit(X, Y)
    with pytest.raises(ParameterError, match="AgglomerativeClustering has no cluster for new rows"):
        ClusterThenLabel(AgglomerativeClustering()).fit(X, Y)


def test_a_cluster_of_another_library():
    from sklearn.cluster import KMeans as Theirs

    model = ClusterThenLabel(Theirs(3, init=np.array([[0.0], [10.0], [17.0]]), n_init=1)).fit(X, Y)
    assert model.transduction_.tolist() == fitted().transduction_.tolist()
