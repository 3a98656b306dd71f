"""An activation per layer, steps, steepness, hidden answers, chains of derivatives, rows without a target."""

import numpy as np
import pytest

import openbook
from openbook.errors import ParameterError
from openbook.neural import MLPClassifier, MLPRegressor
from openbook.neural.activations import ACTIVATIONS, steep_sigmoid

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
XOR = [0, 1, 1, 0]

# By hand: h1 = [x1 + x2 >= 0.5], h2 = [x1 + x2 >= 1.5], and XOR is h1 without h2.
WEIGHTS = [[[1.0, 1.0], [1.0, 1.0]], [[1.0], [-1.0]]]
BIASES = [[-0.5, -1.5], [-0.5]]


def by_hand(**options):
    settings = {"hidden_layer_sizes": (2,), "max_iter": 0, "scale": False, "random_state": 0} | options
    return MLPClassifier(coefs_init=WEIGHTS, intercepts_init=BIASES, **settings).fit(X, XOR)


def test_steps_solve_xor():
    model = by_hand(activation="step")
    assert model.hidden(X).tolist() == [[0, 0], [1, 0], [1, 0], [1, 1]]
    assert model.predict(X).tolist() == XOR
    assert [model.work(row)["h3"].result for row in X.tolist()] == [0, 1, 1, 1]


def test_a_steep_sigmoid():
    model = by_hand(activation="logistic", steepness=10.0)
    assert model.hidden(X)[0] == pytest.approx([1 / (1 + np.exp(5)), 1 / (1 + np.exp(15))])
    work = model.work([0.0, 0.0], truth=1)
    assert work["h3"].result == pytest.approx(1 / (1 + np.exp(5)))
    z = np.array([[0.3]])
    a, delta = z.copy(), np.ones((1, 1))
    steep = steep_sigmoid(4.0)
    steep.apply(a)
    steep.slope(a, delta)
    nearby = [1 / (1 + np.exp(-4 * (0.3 + h))) for h in (-1e-6, 1e-6)]
    assert delta[0, 0] == pytest.approx((nearby[1] - nearby[0]) / 2e-6)


def test_an_activation_for_each_layer():
    model = MLPRegressor((4, 3), activation=("relu", "tanh"), max_iter=3, random_state=1, scale=False)
    model.fit(X, [0.0, 1, 1, 0])
    first = np.maximum(X @ model.coefs_[0] + model.intercepts_[0], 0)
    assert model.hidden(X, 1) == pytest.approx(first)
    assert model.hidden(X, 2) == pytest.approx(np.tanh(first @ model.coefs_[1] + model.intercepts_[1]))
    assert (model.hidden(X) == model.hidden(X, 2)).all()


def test_they_are_kept_in_the_model_file(tmp_path):
    model = MLPClassifier((3, 2), activation=("step", "logistic"), steepness=3.0, pretrain=2, max_iter=3)
    model.set_params(random_state=0, unlabelled=[[0.5, 0.5]]).fit(X, XOR)
    openbook.save(model, tmp_path / "m.openbook")
    again = openbook.open_model(tmp_path / "m.openbook")
    assert again.activation == ("step", "logistic")
    assert again.unlabelled is None
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


OPTIONS = [{}, {"loss": "squared"}, {"output": "softmax"}, {"integration": "spherical"}]


@pytest.mark.parametrize("options", OPTIONS)
def test_chains_are_the_gradient(options):
    """∂E/∂w of the chain, against the loss itself."""
    model = MLPClassifier((3, 2), max_iter=2, random_state=2, activation=("logistic", "tanh"), **options).fit(
        X, XOR
    )
    row, truth = X[1].tolist(), 1
    chain = next(part for part in model.work(row, truth).parts if "chain" in part.title)
    for layer, work in zip((2, 1, 0), chain.parts, strict=True):
        product = work.parts[-1]
        losses = []
        for h in (-1e-6, 1e-6):
            moved = [w.copy() for w in model.coefs_]
            moved[layer][0, 0] += h
            other = MLPClassifier(**{**model.get_params(), "coefs_init": moved, "max_iter": 0})
            other.set_params(intercepts_init=model.intercepts_).fit(X, XOR)
            losses.append(other.work(row, truth)["loss"].result)
        assert product.result == pytest.approx((losses[1] - losses[0]) / 2e-6, abs=1e-5)
        assert np.prod([step.result for step in work.parts[:-1]]) == pytest.approx(product.result)


class TestUnlabelled:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 2)) @ np.array([[1.0, 2.0], [0.0, 0.1]])

    def test_they_change_where_training_starts(self):
        options = {"hidden_layer_sizes": (1,), "pretrain": 200, "max_iter": 0, "random_state": 3}
        alone = MLPClassifier(**options).fit(X, XOR)
        more = MLPClassifier(unlabelled=self.rows, **options).fit(X, XOR)
        assert not np.allclose(alone.coefs_[0], more.coefs_[0])
        again = MLPClassifier(unlabelled=self.rows, **options).fit(X, XOR)
        assert (again.coefs_[0] == more.coefs_[0]).all()

    def test_without_pretraining_they_are_refused(self):
        with pytest.raises(ParameterError, match="part in pre-training only; set pretrain=20"):
            MLPClassifier(unlabelled=self.rows).fit(X, XOR)


def test_refusals():
    with pytest.raises(ParameterError, match="activation lists 2 activations, but there are 1 hidden layer"):
        MLPClassifier((3,), activation=("relu", "tanh")).fit(X, XOR)
    with pytest.raises(ParameterError, match=r"activation must be one of .*, or a sequence of them"):
        MLPClassifier((3,), activation=("softmax",)).fit(X, XOR)
    with pytest.raises(ParameterError, match="layer must lie between 1 and 1, got 2"):
        by_hand().hidden(X, 2)


def test_step_says_nought_or_one():
    z = np.array([[-0.1, 0.0, 2.0]])
    ACTIVATIONS["step"].apply(z)
    assert z.tolist() == [[0, 1, 1]]
