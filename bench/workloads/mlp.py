"""A network of 784-128-10 units on pictures of numbers, by plain descent in single precision.

All three go through the rows in batches of 128, in an order drawn for each epoch, from weights drawn as each
draws them, with the same steps and no penalty.
"""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads.quality import held_out

PIXELS, HIDDEN, CLASSES, BATCH, EPOCHS, STEP = 784, 128, 10, 128, 5, 0.1


def make(rows, seed):
    """Ten classes, each a mixture of five pictures under noise; a tenth is held out."""
    rng = np.random.default_rng(seed)
    pictures = rng.random((CLASSES, 5, PIXELS), dtype=np.float32) ** 3
    n = rows + rows // 10
    y = rng.integers(0, CLASSES, n)
    X = rng.random((n, PIXELS), dtype=np.float32)
    X *= 0.75
    X += np.float32(0.25) * pictures[y, rng.integers(0, 5, n)]
    return X[:rows], y[:rows], X[rows:], y[rows:]


def fit_ours(given):
    from openbook.neural import MLPClassifier

    return MLPClassifier(
        hidden_layer_sizes=(HIDDEN,),
        activation="relu",
        solver="sgd",
        learning_rate_init=STEP,
        batch_size=BATCH,
        max_iter=EPOCHS,
        alpha=0,
        scale=False,
        precision="float32",
        random_state=0,
    ).fit(*given[:2])


def fit_sklearn(given):
    import warnings

    from sklearn.neural_network import MLPClassifier

    learner = MLPClassifier(
        (HIDDEN,),
        solver="sgd",
        momentum=0.0,
        nesterovs_momentum=False,
        learning_rate_init=STEP,
        batch_size=BATCH,
        max_iter=EPOCHS,
        alpha=0.0,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wants more epochs
        return learner.fit(*given[:2])


def fit_torch(given):
    import torch

    torch.manual_seed(0)
    X, y = map(torch.from_numpy, given[:2])
    network = torch.nn.Sequential(
        torch.nn.Linear(PIXELS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, CLASSES)
    )
    descent = torch.optim.SGD(network.parameters(), lr=STEP)
    loss = torch.nn.CrossEntropyLoss()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(X)).split(BATCH):
            descent.zero_grad()
            loss(network(X[rows]), y[rows]).backward()
            descent.step()
    return network


def predict(model, given):
    return model.predict(given[2])


def predict_torch(network, given):
    import torch

    with torch.no_grad():
        return network(torch.from_numpy(given[2])).argmax(dim=1).numpy()


SKLEARN, TORCH = "MLPClassifier", "PyTorch"

MLP = Workload(
    name="mlp",
    title="A network of 784-128-10 units, 5 epochs in batches of 128, float32",
    rows=60_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_ours, predict, held_out),
        SKLEARN: Contestant(tuple, fit_sklearn, predict, held_out, needs="sklearn"),
        TORCH: Contestant(tuple, fit_torch, predict_torch, held_out, needs="torch"),
    },
    goals=(Goal("fit", "times", 1.15, (SKLEARN, TORCH)), Goal("fit", "share", 0.1)),
    tolerance=0.02,  # each draws its own weights and orders
)
