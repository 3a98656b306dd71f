"""A Gaussian mixture: so many rounds of EM from the same start."""

import warnings

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

COMPONENTS, COLUMNS, ROUNDS = 8, 16, 20
REG = 1e-6


def make(rows, seed):
    """Groups that overlap, each of its own shape; and a row of each for a start."""
    rng = np.random.default_rng(seed)
    centers = 1.5 * rng.normal(size=(COMPONENTS, COLUMNS))
    shapes = rng.normal(size=(COMPONENTS, COLUMNS, COLUMNS)) / 4 + np.eye(COLUMNS)
    group = rng.integers(0, COMPONENTS, rows)
    x = rng.normal(size=(rows, COLUMNS))
    for k in range(COMPONENTS):
        x[group == k] = x[group == k] @ shapes[k] + centers[k]
    return x, np.array([x[np.argmax(group == k)] for k in range(COMPONENTS)])


def fit_ours(given):
    from openbook.cluster import GaussianMixture

    x, means = given
    model = GaussianMixture(COMPONENTS, means_init=means, reg_covar=REG, scale=False, tol=0, max_iter=ROUNDS)
    return model.fit(x)


def with_parameters(data):
    """The start in the form that scikit-learn takes: every row is of the nearest mean."""
    x, means = data
    labels = ((means**2).sum(axis=1) - 2 * x @ means.T).argmin(axis=1)
    own = [x[labels == k] for k in range(COMPONENTS)]
    reg = REG * x.var(axis=0).mean()
    precisions = [np.linalg.inv(np.cov(rows.T, bias=True) + reg * np.eye(COLUMNS)) for rows in own]
    start = [len(rows) / len(x) for rows in own], [rows.mean(axis=0) for rows in own], precisions, reg
    return x, start


def fit_sklearn(given):
    from sklearn.mixture import GaussianMixture

    x, (weights, means, precisions, reg) = given
    model = GaussianMixture(
        COMPONENTS,
        weights_init=weights,
        means_init=means,
        precisions_init=precisions,
        reg_covar=reg,
        tol=0,
        max_iter=ROUNDS,
        init_params="random_from_data",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is to end before it rests
        return model.fit(x)


def likelihood(model, given, _answer):
    return {"log-likelihood": float(model.score(given[0][:20_000]))}


MIXTURE = Workload(
    name="mixture",
    title=f"Gaussian mixture, {COLUMNS} columns, {COMPONENTS} full components, {ROUNDS} rounds of EM",
    rows=200_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_ours, None, likelihood),
        "scikit-learn": Contestant(with_parameters, fit_sklearn, None, likelihood, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 3, ("scikit-learn",)),),
)
