"""k-means of sparse rows: what it finds is what it finds in the same rows, dense."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import openbook as ob
from openbook.cluster import KMeans


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_k_means_of_sparse_rows_is_that_of_dense_ones(metric, tmp_path):
    X = sp.random(60, 12, 0.3, random_state=0, format="csr")
    X = X[X.getnnz(axis=1) > 0]  # a row of zeros is as near to all directions
    models = [KMeans(3, metric, scale=False, random_state=0).fit(x) for x in (X, X.toarray())]
    sparse, dense = models
    assert sparse.labels_.tolist() == dense.labels_.tolist()
    assert_allclose(sparse.centers_, dense.centers_)
    assert_allclose(sparse.transform(X), dense.transform(X.toarray()), atol=1e-7)
    ob.save(sparse, tmp_path / "model.openbook")
    assert ob.open_model(tmp_path / "model.openbook").predict(X).tolist() == sparse.labels_.tolist()


def test_an_empty_cluster_takes_a_sparse_row():
    X = sp.csr_array(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 9.0], [0.0, 1.0]]))
    with pytest.warns(UserWarning, match="was empty, and took row 2"):
        model = KMeans(3, init=[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 2]


def test_texts_are_grouped_by_their_words():
    texts = ["cats and dogs", "dogs and cats", "stocks fell", "the stocks fell"]
    table = ob.read([{"text": text} for text in texts], {"text": "text"})
    model = KMeans(2, "cosine", random_state=0).fit(table)
    assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    assert model.predict([{"text": "cats"}, {"text": "stocks"}]).tolist() == model.labels_[[0, 2]].tolist()
    assert "text: stocks" in str(model.work({"text": "stocks fell"}))


def test_medians_do_not_take_sparse_rows():
    with pytest.raises(TypeError, match="KMeans cannot use sparse data"):
        KMeans(2, "manhattan").fit(sp.csr_array(np.eye(4)))
