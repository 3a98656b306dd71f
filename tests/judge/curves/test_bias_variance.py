"""Bias, variance and noise: sums against every pair of target and prediction, by hand, by theory."""

import math

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from openbook import load
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError
from openbook.judge import Generator, bias_variance
from openbook.judge.curves.bias_variance import _moments, _shares
from openbook.judge.curves.decomposition import domingos, kohavi_wolpert, squared_parts

PARABOLA = Generator(
    lambda n, random: random.uniform(-1, 1, size=(n, 1)),
    lambda X, random: X[:, 0] ** 2 + random.normal(scale=0.1, size=len(X)),
)
FLIPPED = Generator(
    lambda n, random: random.normal(size=(n, 2)),
    lambda X, random: np.where((X[:, 0] > 0) ^ (random.random(len(X)) < 0.2), "yes", "no"),
)
IRIS = load_iris(return_X_y=True)


class Constant(ClassifierMixin, BaseEstimator):
    """Says the same of every row: the first label that it is given."""

    def fit(self, X, y):
        self.classes_, self.said_ = np.unique(y), y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.said_)


def codes(k):
    """Targets and predictions of four rows: some draws of each."""
    return st.tuples(
        *(
            arrays(int, st.tuples(st.integers(1, 6), st.just(4)), elements=st.integers(0, k - 1))
            for _ in range(2)
        )
    )


@given(st.integers(1, 5).flatmap(lambda k: st.tuples(st.just(k), codes(k))))
def test_the_parts_of_the_zero_one_loss_add_up(drawn):
    k, (truth, said) = drawn
    wrong = (truth[:, None] != said[None]).mean(axis=(0, 1))  # every target with every prediction
    for parts in (domingos, kohavi_wolpert):
        found = parts(_shares(truth, k), _shares(said, k))
        assert found.error == pytest.approx(wrong, abs=1e-12)
        assert found.bias + found.variance + found.noise == pytest.approx(wrong, abs=1e-12)


@given(
    arrays(float, st.tuples(st.integers(1, 6), st.just(3)), elements=st.floats(-100, 100)),
    arrays(float, st.tuples(st.integers(1, 6), st.just(3)), elements=st.floats(-100, 100)),
)
def test_the_parts_of_the_squared_loss_add_up(truth, said):
    pairs = ((truth[:, None] - said[None]) ** 2).mean(axis=(0, 1))
    found = squared_parts(*_moments(truth).T, *_moments(said).T)
    assert found.error == pytest.approx(pairs, rel=1e-9, abs=1e-9)
    assert found.bias + found.variance + found.noise == pytest.approx(pairs, rel=1e-9, abs=1e-9)


def test_two_classes_as_in_domingos_paper():
    """c1 = 2 q - 1 with q the share of the best prediction; c2 = 1 for an unbiased row, else -1."""
    p = np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9]])
    q = np.array([[0.7, 0.3], [0.4, 0.6], [0.0, 1.0]])
    found = domingos(p, q)
    assert found.bias.tolist() == [0, 1, 0]
    assert found.variance == pytest.approx([0.3, -0.4, 0.0])
    assert found.noise == pytest.approx([0.4 * 0.2, -0.2 * 0.2, 1.0 * 0.1])
    assert found.error == pytest.approx([0.7 * 0.2 + 0.3 * 0.8, 0.4 * 0.2 + 0.6 * 0.8, 0.1])


def test_three_classes_by_hand():
    """Biased: main b, best a. c2 = -P(said a | not b) = -0.3/0.5; c1 = 0.3 - (0.3·0.5 + 0.1·0.2)/0.4."""
    p, q = np.array([[0.6, 0.3, 0.1]]), np.array([[0.3, 0.5, 0.2]])
    found = domingos(p, q)
    assert found.bias.item() == 1
    assert found.variance.item() == pytest.approx(-0.3 / 0.5 * 0.5)
    assert found.noise.item() == pytest.approx((0.3 - (0.3 * 0.5 + 0.1 * 0.2) / 0.4) * 0.4)
    assert found.error.item() == pytest.approx(1 - 0.18 - 0.15 - 0.02)
    kw = kohavi_wolpert(p, q)
    assert kw.bias.item() == pytest.approx((0.3**2 + 0.2**2 + 0.1**2) / 2)
    assert kw.variance.item() == pytest.approx((1 - 0.09 - 0.25 - 0.04) / 2)
    assert kw.noise.item() == pytest.approx((1 - 0.36 - 0.09 - 0.01) / 2)


def test_a_line_through_a_parabola():
    """E (x² - 1/3)² = 1/5 - 1/9 is the bias² of the best line; the noise is 0.1²."""
    found = bias_variance(LinearRegression(), PARABOLA, repeats=40, n_train=300, n_test=4000)
    assert found.bias == pytest.approx(1 / 5 - 1 / 9, rel=0.05)
    assert found.noise == pytest.approx(0.01, rel=0.02)
    assert found.variance < 0.002
    assert found.bias + found.variance + found.noise == pytest.approx(found.error, rel=1e-12)


def test_a_deep_tree_has_variance_and_no_bias():
    """A leaf of one row says that row's target, noise and all, so its variance is about the noise."""
    found = bias_variance(DecisionTreeRegressor(random_state=0), PARABOLA, repeats=60, n_train=300)
    assert found.variance == pytest.approx(0.01, rel=0.3)
    assert found.bias < 0.001


def test_noise_of_labels():
    """A fifth is flipped: 0.2 for Domingos where models agree, else (1 - 0.8² - 0.2²) / 2."""
    by_domingos = bias_variance(GaussianNB(), FLIPPED, repeats=20, n_train=400)
    kohavi = bias_variance(GaussianNB(), FLIPPED, repeats=20, n_train=400, method="kohavi_wolpert")
    assert kohavi.noise == pytest.approx(0.16, abs=0.003)
    assert by_domingos.noise == pytest.approx(0.2, abs=0.02)
    assert by_domingos.error == pytest.approx(kohavi.error, rel=1e-12)
    for found in (by_domingos, kohavi):
        assert found.bias + found.variance + found.noise == pytest.approx(found.error, rel=1e-12)
    net = by_domingos.unbiased_variance - by_domingos.biased_variance
    assert net == pytest.approx(by_domingos.variance, rel=1e-12)
    assert by_domingos.classes.tolist() == ["no", "yes"]


def test_variance_helps_where_the_main_prediction_is_wrong():
    """Either class is guessed half of the time, so rows with a wrong main class are right almost as often."""
    balanced = Generator(
        lambda n, random: random.normal(size=(n, 1)), lambda X, random: (X[:, 0] > 0).astype(int)
    )
    found = bias_variance(Constant(), balanced, repeats=100)
    assert found.bias == pytest.approx(0.5, abs=0.06)
    assert found.biased_variance > 0.15
    assert found.error == pytest.approx(0.5, abs=0.06)


def test_with_data_noise_is_in_the_bias():
    X, y = load("iris").split("species")
    found = bias_variance(NaiveBayes(), X, y, repeats=25)
    assert math.isnan(found.noise)
    assert found.bias + found.variance == pytest.approx(found.error, rel=1e-12)
    text = " ".join(str(found).split())
    assert "bias and noise" in text
    assert "noise cannot be separated from bias" in text
    assert "intervals over the rows judged: 95%, bootstrap, 1000 resamples" in text
    numbers = bias_variance(LinearRegression(), *IRIS, repeats=25)
    assert numbers.bias + numbers.variance == pytest.approx(numbers.error, rel=1e-12)


def test_one_neighbour_varies_more_than_many():
    few, many = (bias_variance(KNeighborsClassifier(k), FLIPPED, repeats=30, n_test=200) for k in (1, 25))
    assert few.unbiased_variance > 2 * many.unbiased_variance


def test_a_row_is_judged_by_models_that_did_not_see_it():
    """One neighbour would know every row that it has seen; each row here is alone, far from all others."""
    X = np.array([[0.0], [10.0], [20.0], [30.0]])
    found = bias_variance(KNeighborsClassifier(1), X, [0, 1, 0, 1], repeats=60)
    assert found.error > 0.5


def test_the_same_seed_on_any_number_of_workers():
    one = bias_variance(GaussianNB(), FLIPPED, repeats=6, random_state=4)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        two = bias_variance(GaussianNB(), FLIPPED, repeats=6, random_state=4)
    other = bias_variance(GaussianNB(), FLIPPED, repeats=6, random_state=5)
    assert np.array_equal(one.said, two.said)
    assert np.array_equal(one.truth, two.truth)
    assert one.error != other.error


@pytest.mark.parametrize("method", ["domingos", "kohavi_wolpert"])
def test_the_derivation_of_a_row(method):
    found = bias_variance(GaussianNB(), FLIPPED, repeats=10, n_test=50, method=method)
    parts = found.parts
    for row in (0, 7):
        work = found.work(row)
        assert work["error"].result == pytest.approx(parts.error[row])
        assert sum(
            work[name].result for name in (("bias", "bias²")[method != "domingos"], "variance", "noise")
        ) == (pytest.approx(parts.error[row]))
        assert work.html()
        assert work.latex()
    totals = found.work()
    assert totals["error"].result == pytest.approx(found.error)


def test_the_derivation_of_a_row_of_numbers():
    found = bias_variance(LinearRegression(), PARABOLA, repeats=10, n_test=20)
    work = found.work(3)
    difference = work["mean target"].result - work["mean prediction"].result
    assert work["bias²"].result == pytest.approx(difference**2)
    assert work["error"].result == pytest.approx(sum(work[n].result for n in ("bias²", "variance", "noise")))


def test_the_derivation_of_a_biased_row():
    found = bias_variance(Constant(), IRIS[0], IRIS[1], repeats=30)
    wrong = int(found.rows[found.parts.bias == 1][0])
    assert "reduce the error" in found.work(wrong)["variance"].note
    assert found.work(wrong)["variance"].result <= 0


def test_errors():
    with pytest.raises(ParameterError, match="repeats must be a whole number of at least 2, got 1"):
        bias_variance(GaussianNB(), FLIPPED, repeats=1)
    with pytest.raises(ParameterError, match="loss 'squared' does not suit classification; 'zero_one' does"):
        bias_variance(GaussianNB(), FLIPPED, loss="squared")
    with pytest.raises(ParameterError, match="method must be 'domingos' or 'kohavi_wolpert', got 'geman'"):
        bias_variance(GaussianNB(), FLIPPED, method="geman")
    with pytest.raises(ParameterError, match="row 20 was not judged; 2 training sets"):
        bias_variance(LinearRegression(), PARABOLA, repeats=2, n_test=20).work(20)
    with pytest.raises(ParameterError, match="needs y, the target of the rows, or a Generator"):
        bias_variance(LinearRegression(), [[1.0], [2.0]])
    with pytest.raises(DataError, match="no row was left out in 2 repeats; give more rows"):
        bias_variance(Constant(), [[1.0]], [0], repeats=2)
