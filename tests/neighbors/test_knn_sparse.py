"""Sparse rows: taken as they are, and as good as dense ones."""

import numpy as np
import pytest
import scipy.sparse as sp

from openbook.errors import DataError, RefusalError
from openbook.neighbors import KNeighborsClassifier, KNeighborsRegressor


def test_auto_goes_by_direction():
    assert KNeighborsClassifier().fit(sp.csr_array(np.eye(3)), list("abc")).effective_metric_ == "cosine"


def test_sparse_and_dense_do_not_mix():
    model = KNeighborsRegressor(n_neighbors=1).fit(sp.csr_array(np.eye(3)), [1.0, 2.0, 3.0])
    with pytest.raises(DataError, match="some rows are sparse and some are dense; give all in one form"):
        model.partial_fit(np.eye(3), [1.0, 2.0, 3.0])
    model.partial_fit(sp.csr_array(2 * np.eye(3)), [1.0, 2.0, 3.0])
    model.forget(sp.csr_array(np.eye(3)), [1.0, 2.0, 3.0])
    assert len(model.statistics_) == 3


@pytest.mark.parametrize("distance", ["gower", "mahalanobis"])
def test_sparse_rows_are_no_mixed_rows(distance):
    with pytest.raises(RefusalError, match=f"{distance} cannot use sparse rows; pass X.toarray"):
        KNeighborsRegressor(metric=distance).fit(sp.csr_array(np.eye(3)), [1.0, 2.0, 3.0])


def test_sparse_gaps_are_refused():
    with pytest.raises(DataError, match="sparse rows hold NaN or infinity; put numbers there"):
        KNeighborsRegressor().fit(sp.csr_array(np.diag([1.0, np.nan])), [1.0, 2.0])


def test_sparse_is_as_good_as_dense():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, (40, 12)).astype(float)
    y = rng.normal(size=40)
    for distance in ("cosine", "euclidean", "manhattan"):
        dense = KNeighborsRegressor(n_neighbors=3, metric=distance, scale=False).fit(X, y)
        sparse = KNeighborsRegressor(n_neighbors=3, metric=distance, scale=False).fit(sp.csr_array(X), y)
        np.testing.assert_allclose(sparse.kneighbors(X)[0], dense.kneighbors(X)[0], atol=1e-12)
        np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), sparse.predict(X), rtol=1e-12)
        assert sparse.work(X[3]).text()
