"""Rocchio's centroids: by hand, sparse and dense, rows without a direction, files."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

import openbook as ob
from openbook.errors import DataError, ModelFileError
from openbook.linear import Rocchio

WORDS = np.array([[3.0, 4, 0], [1, 0, 0], [0, 0, 2], [0, 5, 12]])
LABELS = ["spam", "spam", "ham", "ham"]


def test_centroids_and_cosines_by_hand():
    """Unit rows: spam (0.6, 0.8, 0) and (1, 0, 0), mean (0.8, 0.4, 0); ham (0, 0, 1) and (0, 5, 12) / 13."""
    model = Rocchio().fit(csr_array(WORDS), LABELS)
    assert model.classes_.tolist() == ["ham", "spam"]
    np.testing.assert_allclose(model.centroids_, [[0, 5 / 26, 25 / 26], [0.8, 0.4, 0]], rtol=1e-14)
    x = [[0.0, 1.0, 1.0]]
    ham = (5 / 26 + 25 / 26) / (math.hypot(5 / 26, 25 / 26) * math.sqrt(2))
    spam = 0.4 / (math.hypot(0.8, 0.4) * math.sqrt(2))
    assert model.decision_function(csr_array(x))[0] == pytest.approx(spam - ham, rel=1e-12)
    work = model.work(x[0])
    assert work["cos(ham)"].result == pytest.approx(ham, rel=1e-12)
    assert work["cos(spam)"].result == pytest.approx(spam, rel=1e-12)
    assert work.conclusion == "The largest: class = ham."
    proba = model.predict_proba(csr_array(x))[0]
    np.testing.assert_allclose(proba, np.exp([ham, spam]) / np.exp([ham, spam]).sum(), rtol=1e-12)


def test_dense_numbers_are_measured_from_their_means():
    """Against the formula in NumPy, on three classes."""
    X, y = ob.load("wine").split("cultivar")
    block, labels = X.block(X.names), np.asarray(y).astype(str)
    unit = normalize((block - block.mean(axis=0)) / block.std(axis=0))
    model = Rocchio().fit(X, y)
    centroids = np.array([unit[labels == label].mean(axis=0) for label in model.classes_])
    np.testing.assert_allclose(model.centroids_, centroids, rtol=1e-10, atol=1e-14)
    cosines = unit @ normalize(centroids).T
    np.testing.assert_allclose(model.decision_function(X), cosines, rtol=1e-9, atol=1e-12)
    assert (model.predict(X) == model.classes_[cosines.argmax(axis=1)]).all()
    assert model.score(X, y) > 0.95
    assert model.complexity() == 3 * 13


def test_a_row_without_direction_gets_the_most_frequent_class():
    model = Rocchio().fit(csr_array(WORDS[[0, 1, 1, 2]]), ["spam", "spam", "spam", "ham"])
    nothing = csr_array((1, 3), dtype=float)
    np.testing.assert_allclose(model.predict_proba(nothing), [[0.25, 0.75]], rtol=1e-14)
    assert model.predict(nothing).tolist() == ["spam"]
    assert model.work([0, 0, 0]).conclusion == "No direction, so the most frequent class: class = spam."
    empty = Rocchio().fit(csr_array(np.array([[0.0, 0.0], [1.0, 0.0]])), ["a", "b"])
    assert empty.centroids_.tolist() == [[0, 0], [1, 0]]  # a class of empty rows points nowhere
    assert empty.predict(csr_array([[2.0, 0.0]])).tolist() == ["b"]


def test_weights_and_dense_rows_after_sparse_ones():
    weighed = Rocchio().fit(csr_array(WORDS), LABELS, sample_weight=[3, 1, 1, 1])
    np.testing.assert_allclose(weighed.centroids_[1], [(3 * 0.6 + 1) / 4, 0.6, 0], rtol=1e-14)
    assert weighed.predict(WORDS).tolist() == LABELS
    assert weighed.encoding_.sparse == 3


def test_sparse_rows_must_be_finite():
    bad = WORDS.copy()
    bad[0, 0] = np.nan
    with pytest.raises(DataError, match="column 'x0' lacks a number in row 0"):
        Rocchio().fit(csr_array(bad), LABELS)


def test_sparse_models_are_kept_in_files(tmp_path):
    model = Rocchio().fit(csr_array(WORDS), LABELS)
    opened = ob.open_model(ob.save(model, tmp_path / "words.openbook"))
    assert (opened.predict_proba(csr_array(WORDS)) == model.predict_proba(csr_array(WORDS))).all()
    assert opened.work().text() == model.work().text()


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("centroids_", np.zeros((2, 2))),
        ("centroids_", np.full((2, 3), np.nan)),
        ("prior_", np.array([0.5, 0.6])),
        ("prior_", np.array([1.5, -0.5])),
    ],
)
def test_a_file_that_is_no_rocchio(tmp_path, monkeypatch, name, array):
    model = Rocchio().fit(csr_array(WORDS), LABELS)
    good = model._arrays()
    monkeypatch.setattr(model, "_arrays", lambda: {**good, name: array}, raising=False)
    with pytest.raises(ModelFileError, match=r"bad\.openbook is damaged"):
        ob.open_model(ob.save(model, tmp_path / "bad.openbook"))
