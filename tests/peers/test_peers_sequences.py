"""Hidden Markov models beside hmmlearn: Baum–Welch from the same start, answers to rounding."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from openbook import read
from openbook.bayes import NoSmoothing
from openbook.sequence import HiddenMarkov
from openbook.sequence.baum_welch import MStep, baum_welch

hmm = pytest.importorskip("hmmlearn.hmm")

LENGTHS = [60, 1, 139]
START, STAY = [0.6, 0.3, 0.1], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]]
STATES = ("a", "b", "c")


def ours(emissions):
    """The model to start from."""
    rows = [dict(zip(STATES, row, strict=True)) for row in (START, *STAY)]
    return HiddenMarkov.from_tables(rows[0], dict(zip(STATES, rows[1:], strict=True)), emissions)


def learnt(model, tables, covariance_type, rounds):
    """The model after so many rounds from where it is, and the log-likelihood before each."""
    pieces, _ = model._sequences(tables)
    start = model._chain
    normals = replace(start.emissions.normals, diagonal=covariance_type != "full")
    start = start._replace(emissions=replace(start.emissions, normals=normals))
    maximise = MStep(NoSmoothing(), STATES, covariance_type, 1e-9)
    chain, trace, _ = baum_welch(pieces, start, maximise, tol=0, max_iter=rounds)
    model.set_params(covariance_type=covariance_type)
    model._become(model.states_, chain, trace, converged=False)
    return model


def compare(model, theirs, tables, x, rtol):
    np.testing.assert_allclose(model.start_, theirs.startprob_, atol=rtol)
    np.testing.assert_allclose(model.transitions_, theirs.transmat_, atol=rtol)
    np.testing.assert_allclose(model.trace_[:-1], list(theirs.monitor_.history), rtol=rtol)
    assert model.log_likelihood(tables) == pytest.approx(theirs.score(x, LENGTHS), rel=rtol)
    np.testing.assert_allclose(model.predict_proba(tables), theirs.predict_proba(x, LENGTHS), atol=rtol)
    np.testing.assert_array_equal(
        [STATES.index(state) for state in model.predict(tables)], theirs.predict(x, LENGTHS)
    )


@pytest.mark.filterwarnings("ignore")
def test_categories():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (sum(LENGTHS), 1))
    shown = rng.dirichlet(np.ones(4), 3)
    theirs = hmm.CategoricalHMM(3, n_iter=6, tol=-np.inf, init_params="", implementation="scaling")
    theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = np.array(START), np.array(STAY), shown
    theirs.n_features = 4
    theirs.fit(codes, LENGTHS)
    values = [f"v{k}" for k in range(4)]
    model = ours(
        {"x": {s: dict(zip(values, row, strict=True)) for s, row in zip(STATES, shown, strict=True)}}
    )
    tables = _tables([{"x": values[k]} for k in codes[:, 0]], model)
    learnt(model, tables, "diag", 6)
    compare(model, theirs, tables, codes, 1e-9)
    np.testing.assert_allclose(model.emissions_.tables[0][:, :-1], theirs.emissionprob_, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("covariance_type", ["diag", "full"])
def test_numbers(covariance_type):
    rng = np.random.default_rng(1)
    means = np.array([[0.0, 0.0], [1.5, -1.0], [3.0, 2.0]])
    x = means[np.repeat([0, 1, 2, 0], 50)] + rng.normal(size=(200, 2))
    theirs = hmm.GaussianHMM(
        3, covariance_type, n_iter=6, tol=-np.inf, init_params="", covars_prior=0, implementation="log"
    )
    theirs.startprob_, theirs.transmat_, theirs.means_ = np.array(START), np.array(STAY), means + 0.3
    theirs.covars_ = np.ones((3, 2)) if covariance_type == "diag" else np.tile(np.eye(2), (3, 1, 1))
    theirs.fit(x, LENGTHS)
    model = ours(
        {
            name: {state: (means[k, j] + 0.3, 1.0) for k, state in enumerate(STATES)}
            for j, name in enumerate("uv")
        }
    )
    tables = _tables([{"u": u, "v": v} for u, v in x.tolist()], model)
    learnt(model, tables, covariance_type, 6)
    compare(model, theirs, tables, x, 1e-8)
    np.testing.assert_allclose(model.means_, theirs.means_, atol=1e-8)
    np.testing.assert_allclose(
        np.diagonal(model.covariances_, axis1=1, axis2=2),
        np.diagonal(theirs.covars_, axis1=1, axis2=2),
        rtol=1e-7,
    )


def _tables(rows, model):
    ends = np.cumsum([0, *LENGTHS])
    return [read(rows[a:b], model.schema_) for a, b in pairwise(ends)]
