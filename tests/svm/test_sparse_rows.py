"""Linear machines of sparse rows: what they find is what they find in the same rows, dense."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import openbook as ob
from openbook.errors import ParameterError
from openbook.svm import SVC, SVR
from openbook.svm.solve import MOST_COLUMNS


def sparse_counts(rows, columns, share):
    X = sp.random(rows, columns, share, random_state=0, format="csr")
    X.data = np.round(X.data * 5) + 1
    return X


TALL, WIDE = sparse_counts(90, 20, 0.2), sparse_counts(60, MOST_COLUMNS + 200, 0.02)


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_machines_of_sparse_rows_are_those_of_dense_ones(X, loss, multiclass):
    y = np.random.default_rng(0).integers(0, 3, X.shape[0])
    options = {"loss": loss, "multiclass": multiclass, "tol": 1e-7, "calibrate": 2}
    sparse, dense = (SVC(1.0, "linear", scale=False, **options).fit(x, y) for x in (X, X.toarray()))
    assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
    assert_allclose(sparse.intercept_, dense.intercept_, atol=1e-5)
    assert_allclose(sparse.sharpness_, dense.sharpness_, atol=1e-4)
    assert (sparse.dual_gap_ <= 1e-4 * sparse.objective_).all()


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_support_vector_regression_of_sparse_rows(X):
    rng = np.random.default_rng(1)
    y = X @ rng.normal(size=X.shape[1]) + rng.normal(size=X.shape[0])
    sparse, dense = (SVR(kernel="linear", scale=False, tol=1e-7).fit(x, y) for x in (X, X.toarray()))
    assert_allclose(sparse.predict(X), dense.predict(X.toarray()), atol=1e-4)


def test_a_machine_of_sparse_rows_shows_its_largest_weights_and_can_be_saved(tmp_path):
    y = np.random.default_rng(0).integers(0, 2, WIDE.shape[0])
    model = SVC(kernel="linear", calibrate=None).fit(WIDE, y)
    assert model.support_vectors_ is None
    assert "largest weights" in str(model.work())
    row = model.work(WIDE[[0]])
    assert row["1 (+1) against 0 (-1)"]["f(x)"].result == pytest.approx(model.decision_function(WIDE[[0]])[0])
    ob.save(model, tmp_path / "model.openbook")
    assert_allclose(
        ob.open_model(tmp_path / "model.openbook").decision_function(WIDE), model.decision_function(WIDE)
    )


def test_only_linear_machines_of_finite_c_take_sparse_rows():
    y = np.arange(60) % 2
    with pytest.raises(TypeError, match="SVC cannot use sparse data"):
        SVC().fit(WIDE, y)
    with pytest.raises(ParameterError, match="sparse rows need a finite C"):
        SVC(math.inf, "linear").fit(WIDE, y)
