"""Networks against scikit-learn's, from the same weights, over the same rows in the same order."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn import neural_network as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from openbook.neural import MLPClassifier, MLPRegressor
from openbook.neural.optimisers import Adam

BATCH, EPOCHS = 25, 4
NAMES = ("logistic", "tanh", "relu", "identity")
SETS = {
    "iris": (load_iris, 150, 3),
    "cancer": (load_breast_cancer, 500, 1),
    "diabetes": (load_diabetes, 400, 1),
}
TINY = 1e-30  # their Adam adds its small constant before it corrects, ours after: next to nothing is the same
OPTIMISERS = {  # ours, theirs, tolerance
    "sgd": ({"solver": "sgd"}, {"solver": "sgd", "momentum": 0.0}, 1e-10),
    "momentum": (
        {"solver": "sgd", "momentum": 0.8, "nesterovs_momentum": False},
        {"solver": "sgd", "momentum": 0.8, "nesterovs_momentum": False},
        1e-10,
    ),
    "nesterov": ({"solver": "sgd", "momentum": 0.8}, {"solver": "sgd", "momentum": 0.8}, 1e-10),
    "adam": ({"solver": "adam"}, {"solver": "adam", "epsilon": TINY}, 1e-8),
}


def rows_of(name):
    loaded, n, _ = SETS[name]
    X, y = loaded(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))[:n]
    X = X[order]
    return (X - X.mean(axis=0)) / X.std(axis=0), y[order] / (100.0 if name == "diabetes" else 1)


@pytest.mark.parametrize("activation", NAMES)
@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("name", SETS)
def test_the_same_weights_after_some_epochs(monkeypatch, name, optimiser, activation):
    monkeypatch.setattr(Adam, "small", TINY)
    X, y = rows_of(name)
    sizes = (X.shape[1], 6, 5, SETS[name][2])
    draw = np.random.default_rng(1)
    weights = [draw.normal(0, 0.5, pair) for pair in pairwise(sizes)]
    biases = [draw.normal(0, 0.1, size) for size in sizes[1:]]
    ours, other, tolerance = OPTIMISERS[optimiser]
    classes = name != "diabetes"
    model = (MLPClassifier if classes else MLPRegressor)(
        hidden_layer_sizes=(6, 5),
        activation=activation,
        learning_rate_init=0.01,
        batch_size=BATCH,
        max_iter=EPOCHS,
        tol=0,
        alpha=0.3,
        coefs_init=weights,
        intercepts_init=biases,
        shuffle=False,
        scale=False,
        **ours,
    ).fit(X, y)

    peer = (theirs.MLPClassifier if classes else theirs.MLPRegressor)(
        hidden_layer_sizes=(6, 5),
        activation=activation,
        learning_rate_init=0.01,
        batch_size=BATCH,
        max_iter=EPOCHS,
        tol=0,
        alpha=0.3,
        shuffle=False,
        **other,
    )
    start = iter(zip(weights, biases, strict=True))
    monkeypatch.setattr(type(peer), "_init_coef", lambda *_: tuple(a.copy() for a in next(start)))
    with pytest.warns(UserWarning, match="Maximum iterations"):
        peer.fit(X, y)
    for own, their in zip(model.coefs_ + model.intercepts_, peer.coefs_ + peer.intercepts_, strict=True):
        np.testing.assert_allclose(own, their, rtol=tolerance, atol=tolerance)
    answers = (model.predict_proba, peer.predict_proba) if classes else (model.predict, peer.predict)
    np.testing.assert_allclose(answers[0](X), answers[1](X), rtol=1e2 * tolerance, atol=1e2 * tolerance)
