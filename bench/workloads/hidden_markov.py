"""Hidden Markov models: ten rounds of Baum–Welch from the same start, on sequences of 1,000 rows."""

import warnings
from itertools import pairwise

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

STATES, COLUMNS, VALUES, LENGTH, ROUNDS = 5, 4, 8, 1_000, 10
NAMES = tuple(f"s{k}" for k in range(STATES))


def path_of(rows, rng):
    """States that last, in sequences of LENGTH rows; and what to start from."""
    stay = 0.3 * rng.dirichlet(np.ones(STATES), STATES) + 0.7 * np.eye(STATES)
    sequences = max(rows // LENGTH, 1)
    path = np.zeros((sequences, rows // sequences), dtype=np.intp)
    below = np.cumsum(stay, axis=1)
    for t in range(1, path.shape[1]):
        path[:, t] = (rng.random((len(path), 1)) > below[path[:, t - 1], :-1]).sum(axis=1)
    return path.ravel(), np.full((STATES, STATES), 0.1) + 0.5 * np.eye(STATES)


def lengths_of(x):
    sequences = max(len(x) // LENGTH, 1)
    return [len(x) // sequences] * sequences


def make_numbers(rows, seed):
    rng = np.random.default_rng(seed)
    path, start = path_of(rows, rng)
    means = 2 * rng.normal(size=(STATES, COLUMNS))
    return means[path] + rng.normal(size=(len(path), COLUMNS)), start, means + 0.5


def make_values(rows, seed):
    rng = np.random.default_rng(seed)
    path, start = path_of(rows, rng)
    shown = rng.dirichlet(np.full(VALUES, 0.5), STATES)
    codes = (rng.random((len(path), 1)) > np.cumsum(shown, axis=1)[path, :-1]).sum(axis=1)
    return codes[:, None], start, 0.5 * shown + 0.5 / VALUES


def prepared(data):
    """What to start from, and the sequences in codes."""
    from openbook.data import Table
    from openbook.sequence import HiddenMarkov

    x, transitions, shown = data
    if x.dtype.kind == "f":
        emissions = {f"x{j}": {s: (shown[k, j], 1.0) for k, s in enumerate(NAMES)} for j in range(COLUMNS)}
    else:
        emissions = {"x": {s: {f"v{v}": shown[k, v] for v in range(VALUES)} for k, s in enumerate(NAMES)}}
    follow = {s: dict(zip(NAMES, row, strict=True)) for s, row in zip(NAMES, transitions, strict=True)}
    model = HiddenMarkov.from_tables(dict.fromkeys(NAMES, 1 / STATES), follow, emissions)
    table = Table(model.schema_, [column.copy() for column in x.T])
    ends = np.cumsum([0, *lengths_of(x)])
    parts = [table.take(slice(begin, end)) for begin, end in pairwise(ends.tolist())]
    return model._chain, model._pieces(model._conformed(parts)), len(x)  # noqa: SLF001 (Baum–Welch alone is timed)


def fit_ours(given):
    from openbook.bayes import NoSmoothing
    from openbook.sequence.baum_welch import MStep, baum_welch

    chain, pieces, _ = given
    maximise = MStep(NoSmoothing(), NAMES, "diag", 1e-9)
    return baum_welch(pieces, chain, maximise, tol=0, max_iter=ROUNDS)


def fit_hmmlearn(given):
    from hmmlearn.hmm import CategoricalHMM, GaussianHMM

    x, transitions, shown = given
    options = {"n_iter": ROUNDS, "tol": -np.inf, "init_params": "", "implementation": "scaling"}
    if x.dtype.kind == "f":
        model = GaussianHMM(STATES, "diag", covars_prior=0, **options)
        model.means_, model.covars_ = shown, np.ones(shown.shape)
    else:
        model = CategoricalHMM(STATES, **options)
        model.emissionprob_, model.n_features = shown, VALUES
    model.startprob_, model.transmat_ = np.full(STATES, 1 / STATES), transitions
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is to end before it rests
        return model.fit(x, lengths_of(x))


def our_likelihood(model, given, _answer):
    return {"log-likelihood per row": model[1][-1] / given[2]}


def their_likelihood(model, given, _answer):
    x = given[0]
    return {"log-likelihood per row": model.score(x, lengths_of(x)) / len(x)}


CONTESTANTS = {
    OURS: Contestant(prepared, fit_ours, None, our_likelihood),
    "hmmlearn": Contestant(tuple, fit_hmmlearn, None, their_likelihood, needs="hmmlearn"),
}

NUMBERS = Workload(
    name="hidden_markov_numbers",
    title=f"Gaussian hidden Markov model, {STATES} states, {COLUMNS} columns, {ROUNDS} rounds of Baum–Welch",
    rows=100_000,
    make=make_numbers,
    contestants=CONTESTANTS,
    goals=(Goal("fit", "times", 2, ("hmmlearn",)),),
)

SYMBOLS = Workload(
    name="hidden_markov_values",
    title=f"Categorical hidden Markov model, {STATES} states, {VALUES} values, {ROUNDS} rounds of Baum–Welch",
    rows=100_000,
    make=make_values,
    contestants=CONTESTANTS,
    goals=(Goal("fit", "times", 2, ("hmmlearn",)),),
)
