"""Laws of naive Bayes: kernels equal the derivation, pieces equal the whole, forgotten is never learnt."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openbook import scan
from openbook.bayes import Epsilon, Laplace, MEstimate, NaiveBayes, NoSmoothing
from openbook.data import MISSING, UNSEEN, Nominal, Numeric, Ordinal, Schema, Table
from openbook.decide import MinimumRisk

pytestmark = pytest.mark.filterwarnings("ignore:NaiveBayes")  # what had to stand in: columns here seldom vary

CLASSES = ["a", "b", "c"]
SMOOTHINGS = [NoSmoothing(), Epsilon(1e-3), Laplace(1.0), Laplace(0.1), MEstimate(2.0), MEstimate(0.5, 0.3)]
NUMBERS = st.sampled_from([0.0, 1.0, 1.0, 2.5, -3.25, 0.1, 100.7, math.nan])
COUNTS = st.sampled_from([0.0, 0.0, 1.0, 1.0, 3.0, 0.5, math.nan])


@st.composite
def columns(draw, name):
    """An attribute, a strategy for its cells in training and in prediction, and its distribution."""
    kind = draw(
        st.sampled_from(["gaussian", "kernel", "multinomial", "bernoulli", "categorical", "two values"])
    )
    if kind in ("gaussian", "kernel"):
        return Numeric(name), NUMBERS, NUMBERS, kind
    if kind in ("multinomial", "bernoulli"):
        return Numeric(name), COUNTS, COUNTS, kind
    n = 2 if kind == "two values" else draw(st.integers(0, 4))
    attribute = draw(st.sampled_from([Nominal, Ordinal]))(name, tuple(f"v{i}" for i in range(n)))
    kind = draw(st.sampled_from(["bernoulli", "multinomial"])) if kind == "two values" else kind
    return attribute, st.integers(MISSING, n - 1), st.integers(UNSEEN, n - 1), kind


def filled(draw, attribute, cells, n):
    dtype = float if isinstance(attribute, Numeric) else attribute.dtype
    return np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=dtype)


@st.composite
def problems(draw, max_rows=10):
    """A learner, rows to learn from with their classes, and rows to predict."""
    described = [draw(columns(f"x{j}")) for j in range(draw(st.integers(1, 4)))]
    schema = Schema(tuple(attribute for attribute, *_ in described))
    n = draw(st.integers(1, max_rows))
    X = Table(schema, [filled(draw, attribute, cells, n) for attribute, cells, *_ in described])
    new = Table(schema, [filled(draw, attribute, cells, 3) for attribute, _, cells, _ in described])
    y = np.array(draw(st.lists(st.sampled_from(CLASSES), min_size=n, max_size=n)))
    learner = NaiveBayes(
        smoothing=draw(st.sampled_from(SMOOTHINGS)),
        variance=draw(st.sampled_from(["mle", "sample"])),
        distributions={attribute.name: kind for attribute, _, _, kind in described},
    )
    return learner, X, y, new


def derived(model, row):
    """Log joint scores and posteriors, as the work shows them."""
    work = model.work(row)
    given_ = [f"class = {label}" for label in model.classes_]
    logs = [work[f"ln P({truth}) P(x | {truth})"].result for truth in given_]
    posterior = [work[f"P({truth} | x)"].result for truth in given_]
    return [-math.inf if log == "minus infinity" else log for log in logs], posterior


def agree(a, b, X, rtol=1e-7):
    """Two models say the same of the same rows, to rounding."""
    assert a.classes_.tolist() == b.classes_.tolist()
    one, other = a.predict_joint_log_proba(X), b.predict_joint_log_proba(X)
    np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-7)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_the_kernels_equal_the_derivation(problem):
    learner, X, y, new = problem
    model = learner.fit(X, y)
    scores, proba = model.predict_joint_log_proba(new), model.predict_proba(new)
    logs, exact = model.predict_log_proba(new), model.score_samples(new)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    for i in range(len(new)):
        by_hand, posterior = derived(model, new.take([i]))
        np.testing.assert_allclose(scores[i], by_hand, rtol=1e-9, atol=1e-9)
        if posterior[0] is None:
            np.testing.assert_allclose(proba[i], model.prior_)
            assert exact[i] == -math.inf
        elif max(map(abs, filter(math.isfinite, by_hand))) < 1e6:
            np.testing.assert_allclose(proba[i], posterior, rtol=1e-8, atol=1e-12)
            np.testing.assert_allclose(np.exp(logs[i]), posterior, rtol=1e-8, atol=1e-12)


@given(problems())
def test_every_estimate_is_learnt_as_derived(problem):
    """`likelihood` asks the kernels' tables what the derivation of the model has step by step."""
    learner, X, y, _ = problem
    model = learner.fit(X, y)
    labels = {step.label: step.result for step in model.work().steps()}
    for attribute in X.schema:
        if isinstance(attribute, Numeric) or learner.distributions[attribute.name] != "categorical":
            continue
        for label in model.classes_:
            for value in attribute.values:
                step = labels[f"P({attribute.name} = {value} | class = {label})"]
                assert model.likelihood(attribute.name, value, given=label) == pytest.approx(step, rel=1e-12)
            if attribute.values and isinstance(learner.smoothing, Laplace | NoSmoothing):
                total = sum(labels[f"P({attribute.name} = {v} | class = {label})"] for v in attribute.values)
                assert total == pytest.approx(1, rel=1e-12)


@given(problems(max_rows=16), st.data())
def test_pieces_equal_the_whole(problem, data):
    learner, X, y, new = problem
    whole = learner.fit(X, y)
    cut = data.draw(st.integers(0, len(y) - 1))
    pieces = NaiveBayes(**learner.get_params())
    for rows in (slice(0, cut), slice(cut, len(y))):
        if len(y[rows]):
            pieces.partial_fit(X.take(rows), y[rows], classes=np.unique(y))
    agree(pieces, whole, new)


@given(problems(max_rows=16), st.data())
def test_forgotten_is_never_learnt(problem, data):
    learner, X, y, new = problem
    cut = data.draw(st.integers(1, len(y)))
    model = learner.fit(X, y)
    if cut < len(y):
        model.forget(X.take(slice(cut, len(y))), y[cut:])
    never = NaiveBayes(**learner.get_params()).partial_fit(
        X.take(slice(0, cut)), y[:cut], classes=np.unique(y)
    )
    assert model.notes_ == never.notes_
    agree(model, never, new, rtol=1e-6)


@given(problems(max_rows=16), st.data())
def test_forgetting_weighted_rows_leaves_no_trace(problem, data):
    """Sums of fractional weights do not cancel exactly, and what is left of them must not count."""
    learner, X, y, new = problem
    n = len(y)
    w = np.array(data.draw(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.7]), min_size=n, max_size=n)))
    half = max(n // 2, 1)
    model = learner.partial_fit(X, y, sample_weight=w)
    if half < n:
        model.forget(X.take(slice(half, n)), y[half:], sample_weight=w[half:])
    never = NaiveBayes(**learner.get_params()).partial_fit(
        X.take(slice(0, half)), y[:half], classes=np.unique(y), sample_weight=w[:half]
    )
    assert model.notes_ == never.notes_
    agree(model, never, new, rtol=1e-6)


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(problem, random):
    learner, X, y, new = problem
    order = list(range(len(y)))
    random.shuffle(order)
    agree(NaiveBayes(**learner.get_params()).fit(X.take(order), y[order]), learner.fit(X, y), new)


@given(problems())
def test_a_missing_cell_is_left_out(problem):
    """A column of gaps leaves every score as if the column were not there."""
    learner, X, y, new = problem
    first, *others = X.names
    if not others or learner.distributions[first] == "multinomial":  # its columns share one table
        return
    blank = np.full(len(new), math.nan if isinstance(X.schema[first], Numeric) else MISSING)
    gaps = Table(new.schema, [blank.astype(new.columns[0].dtype), *new.columns[1:]])
    without = NaiveBayes(
        **{**learner.get_params(), "distributions": {n: learner.distributions[n] for n in others}}
    )
    agree(learner.fit(X, y), without.fit(X.select(others), y), gaps)


@given(problems(), st.integers(2, 5))
def test_weights_are_repeated_rows(problem, k):
    learner, X, y, new = problem
    weights = np.arange(len(y)) % k + 1
    repeated = np.repeat(np.arange(len(y)), weights)
    agree(
        NaiveBayes(**learner.get_params()).fit(X.take(repeated), y[repeated]),
        learner.fit(X, y, sample_weight=weights),
        new,
    )


@given(problems())
def test_zero_one_costs_are_the_greatest_probability(problem):
    learner, X, y, new = problem
    model = MinimumRisk(learner).fit(X, y)
    proba = model.predict_proba(new)
    np.testing.assert_allclose(model.risk(new), 1 - proba, atol=1e-12)
    chosen = [model.classes_.tolist().index(label) for label in model.predict(new)]
    np.testing.assert_allclose(proba[range(3), chosen], proba.max(axis=1), atol=1e-12)


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.sampled_from([1, 3, 8]))
def test_files_equal_memory(tmp_path_factory, seed, chunk_rows):
    """Parquet in parts and CSV, with gaps and constant columns, against the same rows in memory."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    frame = pl.DataFrame(
        {
            "size": rng.choice([0.5, 1.5, -2.0, None], n).tolist(),
            "flat": [3.0] * n,
            "colour": rng.choice(["red", "blue", "green", None], n).tolist(),
            "kind": rng.choice(["p", "q"], n).tolist(),
        },
        schema={"size": pl.Float64, "flat": pl.Float64, "colour": pl.String, "kind": pl.String},
    )
    folder = tmp_path_factory.mktemp("files")
    frame.head(n // 2 + 1).write_parquet(folder / "1.parquet", row_group_size=2)
    frame.tail(n - n // 2 - 1).write_parquet(folder / "2.parquet", row_group_size=2)
    frame.write_csv(folder / "all.csv")
    kinds = {"size": "numeric", "flat": "numeric", "colour": "nominal", "kind": "nominal"}
    memory = NaiveBayes(kinds={k: v for k, v in kinds.items() if k != "kind"}).fit(
        frame.drop("kind"), frame["kind"]
    )
    parts = [path for path in sorted(folder.glob("*.parquet")) if pl.read_parquet(path).height]
    for source in (parts, folder / "all.csv"):
        scanned = NaiveBayes().fit(scan(source, kinds=kinds, chunk_rows=chunk_rows), "kind")
        assert scanned.classes_.tolist() == memory.classes_.tolist()
        agree(scanned, memory, frame.drop("kind"), rtol=1e-9)
