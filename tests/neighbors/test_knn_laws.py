"""Laws of neighbours: kernel, NumPy and derivation agree; rows of weight, rows that come and go, peers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import neighbors as theirs

from openbook import load
from openbook.data import Nominal, Numeric, Ordinal, Schema, Table
from openbook.measures import gower, pairwise
from openbook.neighbors import KNeighborsClassifier, KNeighborsRegressor
from openbook.neighbors.votes import TIES, WEIGHTS
from openbook.spaces import mixed
from openbook.spaces.derive import compared
from openbook.spaces.mixed import MixedDistance, MixedIndex

SIZES = ("s", "m", "l")
SCHEMA = Schema((Numeric("x"), Nominal("c", ("a", "b")), Ordinal("size", SIZES), Numeric("z")))


def column(draw, attribute, n):
    if isinstance(attribute, Numeric):
        cells = st.one_of(st.just(np.nan), st.integers(-3, 3).map(float), st.just(0.5))
        return np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float)
    cells = st.integers(-1, len(attribute.values) - 1)
    return np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=np.int8)


@st.composite
def tables(draw, least=1, most=12):
    n = draw(st.integers(least, most))
    return Table(SCHEMA, [column(draw, attribute, n) for attribute in SCHEMA])


@given(tables(), tables(), st.integers(1, 12), st.sampled_from(["gower", "heom"]))
@settings(max_examples=30)
def test_the_kernel_is_numpy_to_the_last_bit(rows, queries, k, kind):
    distance = MixedDistance.of(rows, kind)
    index, points, k = MixedIndex(distance, rows), distance.coordinates(queries), min(k, len(rows))
    plain = index.query(points, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixed, "_FEW_CELLS", 0)
        kernel = index.query(points, k)
    assert (kernel[1] == plain[1]).all()
    assert (kernel[0] == plain[0]).all()


def test_the_kernel_over_many_blocks():
    table = load("credit", rows=1000, random_state=4).drop("default")
    distance = MixedDistance.of(table)
    index, points = MixedIndex(distance, table), distance.coordinates(table.head(50))
    assert 50 * 1000 * len(table.schema) < mixed._FEW_CELLS
    plain = index.query(points, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixed, "_FEW_CELLS", 0)
        kernel = index.query(points, 20)
    assert (kernel[1] == plain[1]).all()
    assert (kernel[0] == plain[0]).all()


@given(tables(), tables(most=3))
@settings(max_examples=30)
def test_the_mixed_distance_is_that_of_the_measure(rows, queries):
    distance = MixedDistance.of(rows)
    scales = [distance.ranges[0], None, SIZES, distance.ranges[3]]
    expected = pairwise(gower, *(np.asarray(table, dtype=object) for table in (queries, rows)), scales=scales)
    indptr, found, distances = MixedIndex(distance, rows).within(distance.coordinates(queries), 1.0)
    assert indptr.tolist() == [i * len(rows) for i in range(len(queries) + 1)]
    assert found.tolist() == list(range(len(rows))) * len(queries)
    np.testing.assert_allclose(distances.reshape(expected.shape), expected, rtol=1e-12)


@given(tables(least=2), st.sampled_from(["gower", "heom"]))
@settings(max_examples=30)
def test_the_axioms_of_a_metric(rows, kind):
    whole = rows.drop_missing()
    if not len(whole):
        return
    distance = MixedDistance.of(rows, kind)
    n = len(whole)
    D = MixedIndex(distance, whole).within(distance.coordinates(whole), np.inf)[2].reshape(n, n)
    assert (np.diag(D) == 0).all()
    assert (D == D.T).all()
    assert (D[:, :, None] <= D[:, None, :] + D.T[None, :, :] + 1e-12).all()


def test_mixed_by_hand():
    rows = Table(
        SCHEMA,
        [np.array([1.0, 5.0, np.nan]), np.array([0, 1, -1]), np.array([0, 2, 1]), np.array([7.0, 7.0, 7.0])],
    )
    model = KNeighborsClassifier(n_neighbors=3).fit(rows, ["p", "q", "q"])
    query = [{"x": 2.0, "c": "b", "size": "m", "z": 7.0}]
    distances, found = model.kneighbors(query)
    assert found[0].tolist() == [1, 0, 2]
    assert distances[0].tolist() == pytest.approx(
        [(3 / 4 + 0 + 1 / 2 + 0) / 4, (1 / 4 + 1 + 1 / 2) / 4, 2 / 4]
    )
    work = model.work(query[0])
    assert work["distance"].result == pytest.approx(1.25 / 4)
    for shown in ("3 / 4", "different", "1 / 2", "missing or never seen", "did not vary"):
        assert shown in work.text()
    beyond = [{"x": 99.0, "c": "never", "size": "huge", "z": 8.0}]
    assert model.kneighbors(beyond)[0][0].tolist() == [1.0, 1.0, 1.0]
    assert "98 / 4, at most 1" in model.work(beyond[0]).text()
    heom = KNeighborsClassifier(n_neighbors=1, metric="heom").fit(rows, ["p", "q", "q"])
    expected = np.sqrt((3 / 4) ** 2 + (1 / 2) ** 2)
    assert heom.kneighbors(query)[0][0, 0] == pytest.approx(expected)
    assert heom.work(query[0])["distance"].result == pytest.approx(expected)


SCHEMES = st.sampled_from([*WEIGHTS, lambda d: 1 / (1 + d)])


@given(tables(least=2), st.data(), st.integers(1, 6), SCHEMES, st.sampled_from(TIES))
@settings(max_examples=40)
def test_the_work_is_the_prediction(rows, data, k, weights, ties):
    n = len(rows)
    y = np.array(data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    w = data.draw(st.lists(st.sampled_from([1, 2, 0.5]), min_size=n, max_size=n))
    model = KNeighborsClassifier(n_neighbors=k, weights=weights, ties=ties, random_state=1).fit(rows, y, w)
    query = data.draw(tables(most=1))
    work = model.work(query)
    shares = [work[f"P({label} | x)"].result for label in model.classes_]
    np.testing.assert_allclose(model.predict_proba(query)[0], shares, rtol=1e-9, atol=1e-12)
    assert work.conclusion.endswith(f"The most votes: {model.predict(query)[0]}.")


@pytest.mark.parametrize(
    "distance",
    [
        "euclidean",
        "manhattan",
        "minkowski",
        "chebyshev",
        "mahalanobis",
        "cosine",
        "correlation",
        "gower",
        "heom",
    ],
)
@pytest.mark.parametrize("weights", ["uniform", "inverse", "gaussian"])
def test_the_work_of_every_distance(distance, weights):
    X, y = load("diabetes").head(80).split("progression")
    model = KNeighborsRegressor(n_neighbors=4, metric=distance, weights=weights).fit(X, y)
    for i in (0, 17):
        query = X.take([i])
        distances, rows = model.kneighbors(query)
        derived = [compared(model.space_, query, row).distance for row in rows[0].tolist()]
        np.testing.assert_allclose(derived, distances[0], rtol=1e-9, atol=1e-7)
        assert model.work(query)["progression of x"].result == pytest.approx(
            model.predict(query)[0], rel=1e-6
        )


@given(tables(least=2), st.data(), st.sampled_from(WEIGHTS), st.sampled_from(TIES[:-1]))
@settings(max_examples=25)
def test_weights_are_repeated_rows(rows, data, weights, ties):
    n = len(rows)
    y = np.array(data.draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n)))
    w = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    repeated = np.repeat(np.arange(n), w)
    make = {"n_neighbors": 3, "weights": weights, "ties": ties}
    weighted = KNeighborsClassifier(**make).fit(rows, y, w)
    plain = KNeighborsClassifier(**make).fit(rows.take(repeated), y[repeated])
    np.testing.assert_allclose(weighted.predict_proba(rows), plain.predict_proba(rows), rtol=1e-12)
    assert (weighted.predict(rows) == plain.predict(rows)).all()


@given(tables(least=2), tables(), st.data())
@settings(max_examples=20)
def test_forgetting_undoes_learning(first, more, data):
    labels = [
        data.draw(st.lists(st.sampled_from("ab"), min_size=len(t), max_size=len(t))) for t in (first, more)
    ]
    labels[0][:2] = "ab"
    model = KNeighborsClassifier(n_neighbors=3, weights="inverse").fit(first, labels[0])
    before = model.predict_proba(more)
    model.partial_fit(more, labels[1])
    assert len(model.statistics_) == len(first) + len(more)
    model.forget(more, labels[1])
    assert (model.predict_proba(more) == before).all()


def test_the_order_of_rows_does_not_matter():
    X, y = load("diabetes").head(150).split("progression")
    order = np.random.default_rng(0).permutation(len(X))
    for distance in ("auto", "gower"):
        plain = KNeighborsRegressor(n_neighbors=7, metric=distance, weights="inverse").fit(X, y)
        mixed_up = KNeighborsRegressor(n_neighbors=7, metric=distance, weights="inverse").fit(
            X.take(order), y[order]
        )
        np.testing.assert_allclose(mixed_up.predict(X), plain.predict(X), rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine", "minkowski"])
def test_scikit_learn_agrees(metric):
    X, y = load("wine").split("cultivar")
    rows, labels = X.block(X.names), np.asarray(y)
    train, test = slice(None, None, 2), slice(1, None, 2)
    peer = theirs.KNeighborsClassifier(7, metric=metric, p=3).fit(rows[train], labels[train])
    ours = KNeighborsClassifier(n_neighbors=7, metric=metric, scale=False, p=3, ties="prior")
    ours.fit(rows[train], labels[train])
    distances = ours.kneighbors(rows[test], 8)[0]
    np.testing.assert_allclose(distances, peer.kneighbors(rows[test], 8)[0], rtol=1e-7, atol=1e-7)
    clear = distances[:, 7] > distances[:, 6]  # equally far, theirs come in no certain order
    assert clear.sum() > 60
    proba = ours.predict_proba(rows[test])[clear]
    np.testing.assert_allclose(proba, peer.predict_proba(rows[test])[clear], atol=1e-12)


def test_scikit_learn_agrees_on_numbers():
    X, y = load("diabetes").split("progression")
    rows, targets = X.block(X.names), np.asarray(y)
    peer = theirs.KNeighborsRegressor(6, weights=lambda d: 1 / (d + 1e-5)).fit(rows, targets)
    ours = KNeighborsRegressor(n_neighbors=6, weights="inverse", scale=False).fit(rows, targets)
    np.testing.assert_allclose(ours.predict(rows + 1e-3), peer.predict(rows + 1e-3), rtol=1e-7)


def test_gower_package_agrees():
    package = pytest.importorskip("gower")
    rng = np.random.default_rng(2)
    numbers, codes = rng.uniform(1, 9, (60, 3)), rng.integers(0, 3, (60, 2))
    schema = Schema(
        (*(Numeric(f"x{j}") for j in range(3)), *(Nominal(f"c{j}", ("a", "b", "c")) for j in range(2)))
    )
    table = Table(schema, [*numbers.T, *codes.astype(np.int8).T])
    expected = package.gower_matrix(np.hstack([numbers, codes]), cat_features=[False] * 3 + [True] * 2)
    model = KNeighborsRegressor(n_neighbors=60).fit(table, rng.normal(size=60))
    distances, rows = model.kneighbors(table)
    np.testing.assert_allclose(distances, np.take_along_axis(expected, rows, axis=1), atol=1e-6)
