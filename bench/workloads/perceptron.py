"""The perceptron, ten epochs over numbers that no plane quite separates."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads.quality import held_out

EPOCHS = 10


def make(rows, seed):
    """Two classes on both sides of a plane, one row in a hundred on the wrong one; a tenth is held out."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows + rows // 10, 50))
    y = (X @ rng.normal(size=50) > 0).astype(np.int64)
    y ^= rng.random(len(y)) < 0.01
    return X[:rows], y[:rows], X[rows:], y[rows:]


def fit_ours(given):
    import warnings

    from openbook.linear import Perceptron

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that it did not converge, and so it is
        return Perceptron(max_iter=EPOCHS).fit(*given[:2])


def fit_sklearn(given):
    from sklearn.linear_model import Perceptron

    return Perceptron(max_iter=EPOCHS, tol=None, random_state=0).fit(*given[:2])


def predict(model, given):
    return model.predict(given[2])


PERCEPTRON = Workload(
    name="perceptron",
    title="The perceptron, 10 epochs, 50 numeric columns",
    rows=500_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_ours, predict, held_out),
        "Perceptron": Contestant(tuple, fit_sklearn, predict, held_out, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 3, ("Perceptron",)), Goal("fit", "share", 0.1)),
    tolerance=0.03,  # the last row met moves the plane last
)
