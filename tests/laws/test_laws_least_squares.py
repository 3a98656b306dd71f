"""Least squares: the fold adds up and parts, rows have no order, and solvers equal their twins."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openbook.data import Nominal, Numeric, Ordinal, Schema, Table
from openbook.linear import LinearRegression
from openbook.linear.derive_least_squares import by_columns, by_elimination
from openbook.linear.design import RawColumns
from openbook.linear.gram import Gram
from openbook.linear.joint_scatter import JointScatter
from openbook.linear.normal import Normal, penalised, plain

SCHEMA = Schema((Numeric("a"), Nominal("b", ("x", "y", "z")), Numeric("c"), Ordinal("d", ("low", "high"))))

whole = st.integers(-8, 8)
few = settings(max_examples=40)


@st.composite
def tables(draw, least=4, most=14):
    """A small table with ties, gaps and constant columns, its targets and weights."""
    n = draw(st.integers(least, most))
    number = st.one_of(whole.map(float), st.just(np.nan))
    columns = [
        np.array(draw(st.lists(number, min_size=n, max_size=n))) + draw(st.sampled_from([0.0, 1000.0])),
        np.array(draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), dtype=np.int8),
        np.array(draw(st.lists(number, min_size=n, max_size=n))),
        np.array(draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n)), dtype=np.int8),
    ]
    y = np.array(draw(st.lists(whole, min_size=n, max_size=n)), dtype=float)
    w = np.array(draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=n, max_size=n)))
    return Table(SCHEMA, columns), y, w


def scatter(X, y, w):
    return JointScatter.of(RawColumns(SCHEMA), X, y[:, None], w)


def by_hand(X, y, w):
    """The same, entry by entry: numbers with their mean in the gaps, gaps, categories, target."""
    entries = []
    for name in ("a", "c"):
        x = X.data(name)
        known = ~np.isnan(x)
        mean = np.average(x[known], weights=w[known]) if known.any() else 0.0
        entries.append(np.where(known, x, mean))
    entries += [np.isnan(X.data(name)).astype(float) for name in ("a", "c")]
    entries += [(X.data("b") == v).astype(float) for v in (-1, 0, 1, 2)]
    entries += [(X.data("d") == v).astype(float) for v in (-1, 0, 1)]
    Z = np.stack([*entries, y], axis=1)
    mean = w @ Z / w.sum()
    return mean, (Z - mean).T @ ((Z - mean) * w[:, None])


def same(one, mean, spread):
    scale = np.sqrt(np.outer(np.diag(spread), np.diag(spread))) + 1e-3
    return (
        one.mean == pytest.approx(mean, rel=1e-9, abs=1e-9)
        and (np.abs(one.scatter - spread) <= 1e-9 * scale).all()
    )


@few
@given(tables())
def test_a_chunk_is_what_its_entries_say(rows):
    X, y, w = rows
    assert same(scatter(X, y, w), *by_hand(X, y, w))


@few
@given(tables(), st.data())
def test_the_fold_adds_up_and_parts(rows, data):
    X, y, w = rows
    cut = data.draw(st.integers(1, len(y) - 1))
    first, rest = slice(0, cut), slice(cut, None)
    a, b = (scatter(X.take(s), y[s], w[s]) for s in (first, rest))
    joined = a + b
    assert same(joined, *by_hand(X, y, w))
    left = joined - b
    mean, spread = by_hand(X.take(first), y[first], w[first])
    scale = np.sqrt(np.diag(joined.scatter))
    assert left.known == pytest.approx(a.known)
    assert left.mean == pytest.approx(mean, rel=1e-8, abs=1e-8)
    assert (np.abs(left.scatter - spread) <= 1e-8 * (np.outer(scale, scale) + 1e-3)).all()


def test_rows_without_a_number_leave_its_mean_as_it_is():
    a, c = np.full((2, 10), np.nan)
    a[[2, 6]], c[:2] = 1000.0, 0.0
    none, w = np.zeros(10, dtype=np.int8), np.array([1.0, 1.0, 0.5, 2.0, 2.0, 1.0, 2.0, 1.0, 1.0, 2.0])
    X, y = Table(SCHEMA, [a, none, c, none]), np.zeros(10)
    first, rest = (scatter(X.take(s), y[s], w[s]) for s in (slice(0, 1), slice(1, None)))
    assert (first + rest).mean[0] == 1000.0


@few
@given(tables(), st.permutations(range(14)))
@pytest.mark.filterwarnings("ignore:LinearRegression")
def test_the_order_of_rows_is_nothing_to_it(rows, order):
    X, y, w = rows
    order = np.array([i for i in order if i < len(y)])
    model = LinearRegression(l2=0.5).fit(X, y, w)
    other = LinearRegression(l2=0.5).fit(X.take(order), y[order], w[order])
    assert other.names_ == model.names_
    assert other.predict(X) == pytest.approx(model.predict(X), rel=1e-7, abs=1e-7)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15)
@pytest.mark.filterwarnings("ignore:LinearRegression")
def test_forgetting_undoes_learning_more(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(3, 2, size=(40, 3)), rng.normal(size=40)
    X[rng.random(X.shape) < 0.1] = np.nan
    assume(np.isnan(X[:25]).any(axis=0).all())
    model = LinearRegression().fit(X[:25], y[:25])
    before = model.predict(X)
    model.partial_fit(X[25:], y[25:])
    assert model.predict(X) == pytest.approx(LinearRegression().fit(X, y).predict(X), rel=1e-8, abs=1e-8)
    model.forget(X[25:], y[25:])
    assert model.predict(X) == pytest.approx(before, rel=1e-7, abs=1e-7)


def equations(seed, d):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(20, d)) @ rng.normal(size=(d, d))
    y = rng.normal(size=20)
    Z -= Z.mean(axis=0)
    parts = Gram(Z.T @ Z), (Z.T @ y)[:, None], np.array([y @ y])
    return Normal(20.0, np.zeros(d), np.zeros(1), *parts)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([0.0, 0.3, 4.0]))
def test_the_solvers_equal_their_twins(seed, d, l2):
    normal = equations(seed, d)
    right = normal.cross[:, 0].tolist()
    matrix = normal.columns.tolist()
    with_l2 = (normal.columns + l2 * np.eye(d)).tolist()
    ours = penalised(normal, 0.0, l2)[0] if l2 else plain(normal).coef
    scale = np.abs(ours).max() + 1
    assert ours[:, 0] == pytest.approx(by_elimination(with_l2, right), rel=1e-5, abs=1e-5 * scale)
    l1 = 0.3 * np.abs(right).max()
    coef, at_rest = penalised(normal, l1, l2)
    assert at_rest
    twin = by_columns(matrix, right, l1, l2, rounds=20_000)
    assert coef[:, 0] == pytest.approx(twin, rel=1e-5, abs=1e-5 * (np.abs(coef).max() + 1e-3))
    slope = (
        np.array(right) - normal.columns @ coef[:, 0] - l2 * coef[:, 0]
    )  # the conditions of the least value
    used = coef[:, 0] != 0
    assert slope[used] == pytest.approx(l1 * np.sign(coef[used, 0]), rel=1e-8)
    assert (np.abs(slope[~used]) <= l1 * (1 + 1e-9)).all()


@few
@given(tables(least=6))
@pytest.mark.filterwarnings("ignore:LinearRegression")
def test_the_work_of_a_row_is_its_prediction(rows):
    X, y, w = rows
    for options in ({}, {"l1": 1.0}):
        model = LinearRegression(**options).fit(X, y, w)
        predicted = model.predict(X)
        for i in (0, len(y) - 1):
            assert model.work(X.take([i]))["ŷ"].result == pytest.approx(predicted[i], rel=1e-7, abs=1e-6)
        terms = model.coefficients()["coefficient"]
        assert terms.tolist() == pytest.approx([model.intercept_, *model.coef_])
