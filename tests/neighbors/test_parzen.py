"""Parzen windows: by hand, against scikit-learn's densities, and their work."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import neighbors as theirs

from openbook import load
from openbook.errors import ParameterError, RefusalError
from openbook.neighbors import ParzenClassifier, ParzenRegressor
from openbook.neighbors.windows import KERNELS, kernel_weights, log_volume

KERNEL = st.sampled_from([*KERNELS, lambda u: np.maximum(1 - u, 0)])


def test_classes_by_hand():
    """Around 0: a at 0.5 and 1, b at -1.5; epanechnikov with h = 2 gives 15/16, 3/4 and 7/16."""
    model = ParzenClassifier(radius=2, kernel="epanechnikov", scale=False).fit(
        [[0.5], [1.0], [-1.5], [9.0]], ["a", "a", "b", "b"]
    )
    a, b = 15 / 16 + 3 / 4, 7 / 16
    assert model.predict_proba([[0.0]])[0].tolist() == pytest.approx([a / (a + b), b / (a + b)])
    assert model.predict([[0.0]]) == ["a"]
    even = ParzenClassifier(radius=2, kernel="epanechnikov", scale=False, priors=[0.1, 0.9])
    even.fit([[0.5], [1.0], [-1.5]], ["a", "a", "b"])
    joint = np.array([0.1 * a / 2, 0.9 * b / 1])
    assert even.predict_proba([[0.0]])[0].tolist() == pytest.approx((joint / joint.sum()).tolist())
    density = joint / (2 * 4 / 3)  # h^d ∫K, and ∫(1 - u²) over the line is 4/3
    assert np.exp(even.predict_joint_log_proba([[0.0]]))[0].tolist() == pytest.approx(density.tolist())
    assert even.score_samples([[0.0]])[0] == pytest.approx(math.log(density.sum()))


def test_priors_are_the_third_parameter():
    """By position as by name: radius, kernel, priors, then the distance."""
    by_position = ParzenClassifier(2, "epanechnikov", [0.1, 0.9], "manhattan")
    by_name = ParzenClassifier(radius=2, kernel="epanechnikov", priors=[0.1, 0.9], metric="manhattan")
    assert by_position.get_params() == by_name.get_params()


def test_numbers_by_hand():
    model = ParzenRegressor(radius=2, kernel="triangular", scale=False)
    model.fit([[1.0], [-1.5], [7.0]], [10.0, 30.0, 80.0], sample_weight=[1, 2, 1])
    assert model.predict([[0.0]])[0] == pytest.approx((0.5 * 10 + 2 * 0.25 * 30) / 1.0)


def test_an_empty_window():
    model = ParzenClassifier(radius=1, kernel="epanechnikov", scale=False).fit(
        [[0.0], [0.0], [1.0]], ["a", "b", "b"]
    )
    assert model.predict_proba([[50.0]])[0].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert model.score_samples([[50.0]])[0] == -math.inf
    assert model.work([50.0]).conclusion == "No row lies in the window, so the prior decides: b."
    numbers = ParzenRegressor(radius=1, kernel="epanechnikov", scale=False).fit(
        [[0.0], [1.0]], [4.0, 10.0], sample_weight=[2, 1]
    )
    assert numbers.predict([[50.0]])[0] == pytest.approx(6)
    assert (
        numbers.work([50.0]).conclusion
        == "No row lies in the window, so the mean of all rows is predicted: 6."
    )


def test_a_gaussian_window_has_no_end():
    model = ParzenClassifier(radius=1, kernel="gaussian", scale=False).fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict_proba([[1e6]])[0].tolist() == pytest.approx(
        [0, 1]
    )  # e^(-5e11), and less by e^(-1e6)
    assert model.work([1e6]).conclusion == "Most probable: b."
    numbers = ParzenRegressor(radius=1, kernel="gaussian", scale=False).fit([[0.0], [1.0]], [4.0, 10.0])
    assert numbers.predict([[-1e6]])[0] == pytest.approx(4)
    assert numbers.work([-1e6])["target of x"].result == pytest.approx(4)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_kernels_integrate_to_their_volume(kernel, d):
    r = np.linspace(0, 9, 200_001)
    surface = 2 * math.pi ** (d / 2) / math.gamma(d / 2)
    integral = np.trapezoid(surface * kernel_weights(r, kernel) * r ** (d - 1), r)
    assert math.exp(log_volume(kernel, d)) == pytest.approx(integral, rel=1e-3)


PAIRS = {"gaussian": "gaussian", "uniform": "tophat", "epanechnikov": "epanechnikov", "triangular": "linear"}


@pytest.mark.parametrize("kernel", PAIRS)
def test_scikit_learns_densities(kernel):
    X = load("iris").drop("species")
    rows = X.block(X.names)[:, :3]
    peer = theirs.KernelDensity(bandwidth=0.8, kernel=PAIRS[kernel]).fit(rows)
    model = ParzenClassifier(radius=0.8, kernel=kernel, scale=False).fit(rows, np.arange(150) % 3)
    np.testing.assert_allclose(model.score_samples(rows), peer.score_samples(rows), rtol=1e-7)


def test_a_density_is_in_the_units_of_the_columns():
    x = load("iris").block(["petal length (cm)"])
    y = np.arange(150) % 2
    model = ParzenClassifier().fit(x, y)
    grid = np.linspace(x.min() - 20, x.max() + 20, 4001)[:, None]
    assert np.trapezoid(np.exp(model.score_samples(grid)), grid[:, 0]) == pytest.approx(1, rel=1e-6)
    plain = ParzenClassifier(radius=model.radius_ * np.std(x), kernel="gaussian", scale=False).fit(x, y)
    np.testing.assert_allclose(plain.score_samples(x), model.score_samples(x), rtol=1e-9)


def test_scikit_learn_agrees_on_a_radius():
    X, y = load("iris").split("species")
    rows, labels = X.block(X.names), np.asarray(y)
    peer = theirs.RadiusNeighborsClassifier(1.03).fit(rows, labels)
    model = ParzenClassifier(radius=1.03, kernel="uniform", scale=False).fit(rows, labels)
    np.testing.assert_allclose(model.predict_proba(rows), peer.predict_proba(rows), atol=1e-12)
    numbers = theirs.RadiusNeighborsRegressor(0.93, metric="manhattan").fit(rows, rows[:, 0])
    ours = ParzenRegressor(radius=0.93, kernel="uniform", scale=False, metric="manhattan").fit(
        rows, rows[:, 0]
    )
    np.testing.assert_allclose(ours.predict(rows), numbers.predict(rows), rtol=1e-12)


def test_the_usual_radius_by_hand():
    """Four rows: ⌈√4⌉ = 2, and the second nearest others are 2, 1, 1 (of 2 and 1: the larger), 2 away."""
    model = ParzenRegressor(scale=False).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
    assert model.radius_ == pytest.approx((2 + 1 + 1 + 2) / 4 / 3)  # a Gaussian's third
    assert (
        model.set_params(kernel="uniform").fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0]).radius_
        == 1.5
    )
    assert ParzenRegressor(kernel="uniform").fit([[5.0], [5.0]], [1.0, 2.0]).radius_ == 1


@given(
    rows=st.lists(
        st.tuples(st.integers(-3, 3), st.sampled_from("ab"), st.sampled_from("xy")), min_size=2, max_size=9
    ),
    query=st.tuples(st.integers(-4, 4), st.sampled_from("abc")),
    kernel=KERNEL,
)
@settings(max_examples=30)
def test_the_work_is_the_prediction(rows, query, kernel):
    X = [{"x": float(x), "c": c} for x, c, _ in rows]
    y = [label for _, _, label in rows]
    row = {"x": float(query[0]), "c": query[1]}
    model = ParzenClassifier(radius=0.6, kernel=kernel).fit(X, y)
    work = model.work(row)
    shares = [work[f"P({label} | x)"].result for label in model.classes_]
    np.testing.assert_allclose(model.predict_proba([row])[0], shares, rtol=1e-9, atol=1e-12)
    numbers = ParzenRegressor(radius=0.6, kernel=kernel).fit(X, np.arange(len(y)))
    assert numbers.work(row)["target of x"].result == pytest.approx(numbers.predict([row])[0])


def test_what_a_density_needs():
    mixed = ParzenClassifier().fit(*load("loan").split("cheat"))
    with pytest.raises(RefusalError, match="the density needs the Euclidean distance and a named kernel"):
        mixed.score_samples(load("loan").drop("cheat"))
    gaps = ParzenClassifier().fit([[1.0], [np.nan], [3.0]], ["a", "b", "b"])
    with pytest.raises(
        RefusalError, match="the density needs numeric columns without missing cells; predict_proba does not"
    ):
        gaps.score_samples([[1.0]])


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5], "priors: 2 classes, but 1 numbers"),
        ([0.5, 0.6], r"priors must not be negative and must sum to 1, got \[0\.5, 0\.6\]"),
        ("even", "priors must be None, a sequence or a mapping of class to probability, got 'even'"),
    ],
)
def test_priors_that_are_none(priors, message):
    with pytest.raises(ParameterError, match=message):
        ParzenClassifier(priors=priors).fit([[1.0], [2.0]], ["a", "b"])


def test_a_kernel_that_is_none():
    with pytest.raises(
        ParameterError, match=r"kernel must be one of 'uniform', .*, or a function of distance"
    ):
        ParzenRegressor(kernel="normal").fit([[1.0], [2.0]], [1.0, 2.0])


def test_windows_come_in_blocks(monkeypatch):
    X, y = load("iris").split("species")
    expected = ParzenClassifier().fit(X, y).predict_proba(X)
    monkeypatch.setattr("openbook.neighbors.parzen._AT_A_TIME", 1000)
    assert (ParzenClassifier().fit(X, y).predict_proba(X) == expected).all()
