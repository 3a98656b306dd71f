"""The shared kernels: small cases by hand, and the flags that keep NaN what it is."""

import numpy as np
import pytest

from openbook.kernels.counts import count_values
from openbook.kernels.jit import FLAGS, jit
from openbook.kernels.moments import Moments
from openbook.kernels.samples import Samples

NAN = np.nan


def test_nan_is_counted_as_nan():
    @jit(cache=False)
    def count_gaps(x):
        gaps = 0
        for i in range(x.shape[0]):
            gaps += x[i] != x[i]
        return gaps

    assert count_gaps(np.array([1.0, NAN, 2.0, NAN])) == 2
    assert "nnan" not in FLAGS
    assert "ninf" not in FLAGS


def test_counts_by_hand():
    counts = np.zeros((2, 4))
    codes = np.array([0, 2, -1, 2, -1], dtype=np.int8)
    count_values(codes, np.array([0, 0, 1, 1, 1]), np.array([1.0, 2.0, 1.0, 0.5, 4.0]), counts)
    assert counts.tolist() == [[1, 0, 2, 0], [0, 0, 0.5, 5]]


def test_moments_by_hand():
    x = np.array([[1.0, NAN], [3.0, 4.0], [5.0, NAN], [10.0, 6.0]])
    moments = Moments.of(x, np.array([0, 0, 0, 1]), np.array([1.0, 1.0, 2.0, 1.0]), 2)
    assert moments.weight.tolist() == [[4, 1], [1, 1]]
    assert moments.mean.tolist() == [[3.5, 4], [10, 6]]  # (1 + 3 + 2 * 5) / 4
    assert moments.scatter.tolist() == [[11, 0], [0, 0]]  # 2.5^2 + 0.5^2 + 2 * 1.5^2
    assert moments.variance().tolist() == [[2.75, 0], [0, 0]]
    sample = moments.variance(ddof=1)
    assert sample[0, 0] == pytest.approx(11 / 3)
    assert np.isnan(sample[1]).all()


def test_a_class_or_column_without_values_is_zero():
    moments = Moments.of(np.array([[NAN], [2.0]]), np.array([0, 2]), np.ones(2), 3)
    assert moments.weight.ravel().tolist() == [0, 0, 1]
    assert moments.mean.ravel().tolist() == [0, 0, 2]
    assert moments.scatter.ravel().tolist() == [0, 0, 0]
    assert moments.overall().mean.tolist() == [[2]]
    assert np.isnan(moments.variance()[:2]).all()


def test_single_precision_is_summed_in_double():
    x = np.full((3000, 1), 16_777_217.0) + np.tile([0.0, 1.0, 2.0], 1000)[:, None]
    moments = Moments.of(x.astype(np.float32), np.zeros(3000, int), np.ones(3000), 1)
    exact = x.astype(np.float32).astype(float)
    assert moments.mean[0, 0] == pytest.approx(exact.mean(), rel=1e-14)
    assert moments.scatter[0, 0] == pytest.approx(((exact - exact.mean()) ** 2).sum(), rel=1e-12)


def test_samples_by_hand():
    x = np.array([[2.0], [1.0], [2.0], [NAN], [7.0]])
    samples = Samples.of(x, np.array([0, 0, 0, 0, 1]), np.array([1.0, 1.0, 0.5, 9.0, 1.0]), 2)
    values, weights = samples.cell(0, 0)
    assert values.tolist() == [1, 2]
    assert weights.tolist() == [1, 1.5]
    values, weights = (samples + samples).overall(0)
    assert values.tolist() == [1, 2, 7]
    assert weights.tolist() == [2, 3, 2]
