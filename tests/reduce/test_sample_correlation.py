"""The trace of a correlation matrix is the number of columns, whatever the variances divide by."""

import numpy as np
import pytest

from openbook.reduce import PCA


@pytest.mark.parametrize("variance", ["mle", "sample"])
def test_the_variances_of_scaled_columns_sum_to_their_number(variance):
    X = np.random.default_rng(0).normal(size=(9, 4)) * [1, 10, 100, 1000]
    model = PCA(variance=variance).fit(X)
    assert model.explained_variance_.sum() == pytest.approx(4, rel=1e-12)
