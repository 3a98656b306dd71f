"""Hidden Markov models beside hmmlearn, from the same start; conditional random fields beside crfsuite."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from openbook import read
from openbook.bayes import NoSmoothing
from openbook.sequence import ConditionalRandomField, HiddenMarkov
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
    pieces = model._pieces(model._conformed(tables))
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


# --- conditional random fields beside crfsuite ------------------------------------------------------------


def rows_and_labels(random_state):
    rng = np.random.default_rng(random_state)
    rows = [
        {"s": s, "x": f"v{rng.integers(5)}", "z": f"u{rng.integers(3)}"}
        for s in range(30)
        for _ in range(int(rng.integers(1, 9)))
    ]
    labels = [f"L{(int(row['x'][1]) + rng.integers(2)) % 3}" for row in rows]
    return rows, labels


def attributes_of(rows, i):
    """What crfsuite is told of a row: the features that ours finds by itself."""
    found = ["every row"]
    for offset, u in (("", i), ("previous ", i - 1), ("next ", i + 1)):
        inside = 0 <= u < len(rows) and rows[u]["s"] == rows[i]["s"]
        if inside:
            found += [f"{offset}{name} = {rows[u][name]}" for name in ("x", "z")]
        else:
            found.append("first row" if offset == "previous " else "last row")
    return found


@pytest.mark.parametrize(("c1", "c2"), [(0.0, 0.5), (0.4, 0.2)])
def test_a_conditional_random_field_is_that_of_crfsuite(c1, c2, tmp_path):
    crfsuite = pytest.importorskip("pycrfsuite")
    rows, labels = rows_and_labels(0)
    trainer = crfsuite.Trainer(verbose=False)
    items = [attributes_of(rows, i) for i in range(len(rows))]
    sequences = [[i for i, row in enumerate(rows) if row["s"] == s] for s in range(30)]
    for some in sequences:
        trainer.append([items[i] for i in some], [labels[i] for i in some])
    trainer.set_params(
        {
            "c1": c1,
            "c2": c2,
            "max_iterations": 2000,
            "feature.possible_states": 1,
            "feature.possible_transitions": 1,
            "epsilon": 1e-9,
            "delta": 1e-12,
        }
    )
    trainer.train(str(tmp_path / "theirs"))
    theirs = crfsuite.Tagger()
    theirs.open(str(tmp_path / "theirs"))
    # ours: 1 / (2 C) (1 - r) = c2 and r / C = c1
    C = 1 / (2 * c2 + c1)
    model = ConditionalRandomField(sequence="s", C=C, l1_ratio=c1 * C, tol=1e-9, max_iter=2000)
    model.fit(rows, labels)
    loss = trainer.logparser.last_iteration["loss"]
    assert model.trace_[-1] * len(rows) == pytest.approx(loss, rel=1e-6)
    info, names = theirs.info(), model.classes_.tolist()
    for row in model.weights_:
        for label in names:
            expected = info.state_features.get((row["feature"], label), 0.0)
            assert row[label] == pytest.approx(expected, abs=2e-3)
    for row in model.transition_weights_:
        for label in names:
            assert row[label] == pytest.approx(info.transitions.get((row["after"], label), 0.0), abs=2e-3)
    proba, path = model.predict_proba(rows), model.predict(rows)
    for some in sequences:
        theirs.set([items[i] for i in some])
        assert theirs.tag() == path[some].tolist()
        for t, i in enumerate(some):
            expected = [theirs.marginal(label, t) for label in names]
            np.testing.assert_allclose(proba[i], expected, atol=1e-3)
