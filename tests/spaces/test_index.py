"""Every exact index finds what plain NumPy finds: the same rows, the same distances, bit for bit."""

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from openbook.spaces import brute
from openbook.spaces.build_tree import halved
from openbook.spaces.choose_index import make_index
from openbook.spaces.metric import METRICS, VectorMetric
from openbook.spaces.screen import Screen
from openbook.spaces.trees import BallTree, KDTree

EXACT = ["brute", "kd_tree", "ball_tree", "inverted"]
SERVED = [
    (index, metric)
    for index in EXACT
    for metric in METRICS
    if index != "inverted" or metric in {"euclidean", "cosine"}
]


def plain(points, Q, metric, p=3.0):
    """All distances, column after column."""
    points, Q = np.asarray(points, float), np.asarray(Q, float)
    if metric == "cosine":
        no_direction = ~Q.any(axis=1)
        points, Q = unit(points), unit(Q)
    total = np.zeros((len(Q), len(points)))
    for j in range(points.shape[1]):
        gap = np.abs(Q[:, None, j] - points[None, :, j])
        if metric in {"euclidean", "cosine"}:
            total = total + gap * gap
        elif metric == "manhattan":
            total = total + gap
        elif metric == "chebyshev":
            total = np.maximum(total, gap)
        else:
            total = total + gap**p
    if metric == "cosine":
        return np.where(no_direction[:, None], 1.0, total / 2)
    return np.sqrt(total) if metric == "euclidean" else total ** (1 / p) if metric == "minkowski" else total


def unit(rows):
    """Rows of length 1; one of zeros points where no other does."""
    rows = rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-300)
    squares = np.zeros(len(rows))
    for j in range(rows.shape[1]):
        squares = squares + rows[:, j] ** 2
    return np.column_stack([rows / np.sqrt(np.where(squares > 0, squares, 1.0))[:, None], squares == 0])


def make(points, metric, index):
    return make_index(sparse.csr_array(points) if index == "inverted" else points, metric, index, p=3.0)


def nearest(distances, k):
    """Nearest first; of equal distances the smaller row."""
    rows = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, rows, axis=1), rows


def check(index, Q, k, distances):
    """Neighbours and surroundings are those of the full table of distances."""
    found, rows = index.query(Q, k)
    expected, expected_rows = nearest(distances, k)
    assert (found.dtype, rows.dtype) == (np.float64, np.int64)
    if index.metric.p == 3.0:  # a power is rounded as the mathematical library at hand does it
        np.testing.assert_allclose(found, expected, rtol=1e-13)
        return
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(rows, expected_rows)
    radius = float(expected[:, -1].mean())
    indptr, rows, found = index.within(Q, radius)
    inside = [np.flatnonzero(line <= radius) for line in distances]
    np.testing.assert_array_equal(np.diff(indptr), [len(line) for line in inside])
    for i, line in enumerate(distances):
        expected_rows = inside[i][np.argsort(line[inside[i]], kind="stable")]
        np.testing.assert_array_equal(rows[indptr[i] : indptr[i + 1]], expected_rows)
        np.testing.assert_array_equal(found[indptr[i] : indptr[i + 1]], line[expected_rows])


TABLES = {
    "numbers": lambda rng, n, d: rng.normal(size=(n, d)),
    "ties": lambda rng, n, d: rng.integers(0, 3, (n, d)).astype(float),
    "duplicates": lambda rng, n, d: rng.normal(size=(1 + n // 50, d))[rng.integers(0, 1 + n // 50, n)],
    "one point many times": lambda rng, n, d: np.full((n, d), 0.1),
    "a constant column": lambda rng, n, d: rng.normal(size=(n, d)) * (np.arange(d) > 0) + 7.0,
    "far away": lambda rng, n, d: 1e8 + rng.normal(size=(n, d)),
    "two scales": lambda rng, n, d: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-9, 9, (n, 1)),
    "huge": lambda rng, n, d: 1e99 * rng.normal(size=(n, d)),
    "tiny": lambda rng, n, d: 1e-99 * rng.normal(size=(n, d)),
    "an outlier": lambda rng, n, d: np.vstack([rng.normal(size=(n - 1, d)), np.full((1, d), 1e12)]),
}


def some(table, n, d, seed=3):
    """Points, and queries: some of the points, others like them, and zeros."""
    rng = np.random.default_rng(seed)
    points = TABLES[table](rng, n, d)
    return points, np.vstack([points[:12], TABLES[table](rng, 20, d), np.zeros((1, d))])


@pytest.fixture
def kernels(monkeypatch):
    """Kernels for small tables too."""
    monkeypatch.setattr(brute, "FEW_CELLS", 0)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("index", "metric"), SERVED)
def test_exact_indexes_are_plain_search(index, metric, table):
    for n, d, k in ((1, 2, 1), (70, 3, 70), (1100, 3, 5), (1500, 9, 12)):
        points, Q = some(table, n, d)
        check(make(points, metric, index), Q, k, plain(points, Q, metric))


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("table", ["numbers", "ties", "far away"])
@pytest.mark.parametrize(
    ("index", "metric"), [("brute", "euclidean"), ("brute", "chebyshev"), ("kd_tree", "cosine")]
)
def test_single_precision_is_kept_and_measured_exactly(index, metric, table):
    points, Q = (rows.astype(np.float32) for rows in some(table, 1100, 5))
    made = make(points, metric, index)
    assert made.points.dtype == (np.float64 if metric == "cosine" else np.float32)
    check(made, Q, 7, plain(points, Q, metric))


@pytest.mark.parametrize("metric", METRICS)
def test_few_points_need_no_kernel(metric, monkeypatch):
    for kernel in ("_screen", "_tiles"):
        monkeypatch.setattr(brute.Brute, kernel, None)
    points, Q = some("ties", 40, 3)
    check(make_index(points, metric, p=3.0), Q, 7, plain(points, Q, metric))


@pytest.mark.usefixtures("kernels")
@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 120).flatmap(
        lambda n: st.tuples(
            st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=n, max_size=n), st.integers(1, n)
        )
    ),
    st.sampled_from(SERVED),
)
def test_law_ties_go_to_the_smaller_row(rows_and_k, served):
    rows, k = rows_and_k
    points = np.array(rows, float)
    index, metric = served
    check(make(points, metric, index), points, k, plain(points, points, metric))


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(
    ("index", "metric"), [(index, "euclidean") for index in EXACT] + [("brute", "cosine")]
)
def test_law_rows_come_and_go(index, metric):
    points, Q = some("duplicates", 400, 4)
    made = make(points[:300], metric, index)
    made.add(points[300:])
    check(made, Q, 9, plain(points, Q, metric))
    gone = np.arange(0, 400, 3)
    made.remove(gone[::-1])
    check(made, Q, 9, plain(np.delete(points, gone, axis=0), Q, metric))


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("index", [*EXACT, "lsh"])
def test_law_workers_change_nothing(index, monkeypatch):
    points, Q = some("numbers", 800, 5)
    made = make(points, "euclidean", index)
    monkeypatch.setattr(type(made), "block", 7)
    alone, around = made.query(Q, 5), made.within(Q, 1.0)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        together, around_together = made.query(Q, 5), made.within(Q, 1.0)
    for one, other in zip((*alone, *around), (*together, *around_together), strict=True):
        np.testing.assert_array_equal(one, other)


def test_sparse_rows_are_dense_rows():
    rng = np.random.default_rng(0)
    points = sparse.random_array((900, 400), density=0.02, rng=rng, format="csr")
    points = sparse.vstack([points, sparse.csr_array((3, 400))], format="csr")  # three rows of zeros
    Q = sparse.vstack([points[:40], points[-1:]], format="csr")
    for metric in METRICS:
        dense = make_index(points.toarray(), metric, "brute", p=3).query(Q.toarray(), 8)
        found = make_index(points, metric, p=3)
        assert found.name == ("inverted" if metric in {"euclidean", "cosine"} else "brute")
        for one, other in zip(found.query(Q, 8), dense, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(
        make_index(points, "euclidean").query(Q.toarray(), 8)[1],
        make_index(points, "euclidean").query(Q, 8)[1],
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.floats(-6, 6), st.integers(0, 1000))
def test_law_scores_are_as_wrong_as_said_at_most(d, scale, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(50, d)) * 10.0 ** rng.uniform(-4, 0, (50, 1)) + rng.normal(size=d)
    Q = points[:10] + 10.0**scale * rng.normal(size=(10, d))
    screen = Screen.of(points)
    single, lengths = screen.moved(Q)
    scores, rows = screen.best(single, len(Q), len(points))
    half = np.longdouble(((Q[:, None] - points[None]) ** 2).sum(axis=2) / 2) / screen.scale**2
    moved = ((Q - screen.mean) / screen.scale).astype(np.longdouble)
    exact = (moved**2).sum(axis=1)[:, None] / 2 - half
    assert np.array_equal(np.sort(rows, axis=1), np.tile(np.arange(50), (10, 1)))
    exact = np.take_along_axis(exact, rows, axis=1)
    assert (np.abs(scores - exact) <= screen.error(lengths)[:, None]).all()


def test_queries_too_far_for_single_precision():
    """Their scores are infinite, and prove nothing."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2000, 20))
    Q = np.concatenate([rng.normal(size=(40, 20)), 1e39 * rng.choice([-1.0, 1.0], (40, 20))])
    for one, other in zip(
        make_index(points, "euclidean", "brute").query(Q, 3),
        make_index(points, "euclidean", "kd_tree").query(Q, 3),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_few_points_of_many_columns():
    """All scores at once: the same answers, of equally near points too, and of queries that are far off."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(80, 700))
    points[40:] = points[:40]
    Q = np.concatenate([rng.normal(size=(60, 700)), 1e39 * rng.choice([-1.0, 1.0], (2, 700))])
    index = make_index(points, "euclidean", "brute")
    for queries, answer in ((Q, index.query(Q, 3)), (points, index.among(3))):
        exact = np.sqrt(((queries[:, None] - points[None]) ** 2).sum(axis=2))
        np.testing.assert_array_equal(answer[1], np.argsort(exact, axis=1, kind="stable")[:, :3])
        np.testing.assert_allclose(answer[0], np.sort(exact, axis=1)[:, :3], rtol=1e-12)


def test_halving_fills_all_tiles_but_the_last():
    rng = np.random.default_rng(0)
    for n in (1, 32, 33, 1000, 40_000):
        points = np.round(rng.normal(size=(n, 2)), 1)
        tiles, rows, ends, *_ = halved(points)
        assert np.array_equal(np.sort(rows.ravel()[rows.ravel() >= 0]), np.arange(n))
        assert (rows[:-1] >= 0).all()
        there = rows >= 0
        np.testing.assert_array_equal(tiles.transpose(0, 2, 1)[there], points[rows[there]])
        for t in (0, -1):
            inside = points[rows[t][there[t]]]
            np.testing.assert_array_equal(ends[t], np.column_stack([inside.min(axis=0), inside.max(axis=0)]))


@pytest.mark.parametrize(
    ("index", "metric"), [("brute", "euclidean"), ("kd_tree", "manhattan"), ("ball_tree", "minkowski")]
)
def test_peers_find_the_same(index, metric):
    """scikit-learn's and SciPy's k-d trees, on real measurements."""
    from scipy.spatial import cKDTree
    from sklearn.datasets import load_breast_cancer
    from sklearn.neighbors import NearestNeighbors

    X = load_breast_cancer().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    points, Q = X[100:], X[:100]
    distances, rows = make_index(points, metric, index, p=3).query(Q, 6)
    p = {"euclidean": 2, "manhattan": 1, "minkowski": 3}[metric]
    theirs, their_rows = NearestNeighbors(n_neighbors=6, metric="minkowski", p=p).fit(points).kneighbors(Q)
    np.testing.assert_allclose(distances, theirs, rtol=1e-12)
    np.testing.assert_array_equal(rows, their_rows)
    np.testing.assert_array_equal(rows, cKDTree(points).query(Q, 6, p=p)[1])


def test_hand_worked():
    """From (0, 0): 3-4-5 triangles, and ties by row number."""
    points = [[3.0, 4.0], [0.0, 5.0], [1.0, 1.0], [-3.0, -4.0]]
    for index in ("brute", "kd_tree", "ball_tree"):
        distances, rows = make_index(points, "euclidean", index).query([[0.0, 0.0]], 4)
        assert rows.tolist() == [[2, 0, 1, 3]]
        assert distances.tolist() == [[2**0.5, 5.0, 5.0, 5.0]]
        assert make_index(points, "manhattan", index).query([[0.0, 0.0]], 3)[0].tolist() == [[2.0, 5.0, 7.0]]
        assert make_index(points, "chebyshev", index).query([[0.0, 0.0]], 2)[0].tolist() == [[1.0, 4.0]]
        indptr, rows, distances = make_index(points, "euclidean", index).within([[0.0, 0.0], [9.0, 9.0]], 5.0)
        assert indptr.tolist() == [0, 4, 4]
        assert rows.tolist() == [2, 0, 1, 3]
    distances, rows = make_index([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]], "cosine").query([[5.0, 0.0]], 3)
    assert (distances.tolist(), rows.tolist()) == ([[0.0, 1.0, 2.0]], [[0, 1, 2]])


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("index", [*EXACT, "lsh"])
def test_no_query_no_answer(index):
    made = make(some("numbers", 90, 3)[0], "euclidean", index)
    distances, rows = made.query(np.empty((0, 3)), 2)
    assert distances.shape == rows.shape == (0, 2)
    indptr, rows, distances = made.within(np.empty((0, 3)), 1.0)
    assert (indptr.tolist(), len(rows), len(distances)) == ([0], 0, 0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("shape", [(300, 400), (300, 20)])
def test_points_among_themselves_as_queries_of_them(shape, metric):
    """Wide points are screened by one product; whole numbers among them tie, and two points are equal."""
    points = np.random.default_rng(0).normal(size=shape)
    points[:100] = points[:100].round()
    points[5], points[7] = points[6], 0.0
    index = make_index(points, metric, "brute")
    for own, asked in zip(index.among(4), index.query(points, 4), strict=True):
        np.testing.assert_array_equal(own, asked)


@pytest.mark.parametrize("name", ["brute", "kd_tree", "ball_tree"])
def test_some_points_among_all_in_the_order_of_the_index(name):
    points = np.random.default_rng(0).normal(size=(300, 3)).round(1)
    index = make_index(points, "euclidean", name)
    distances, rows = index.among(4)
    some = (np.arange(300) if index.order is None else index.order)[40:90]
    assert len(set(some.tolist())) == 50
    for own, asked in zip(index.among(4, some), (distances[some], rows[some]), strict=True):
        np.testing.assert_array_equal(own, asked)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, np.inf])
@pytest.mark.parametrize("far", [0.0, 1.0, 1e6, 1e30])
def test_tiles_in_single_precision_rule_out_no_point_within_the_bound(p, far):
    """The point at the bound itself is the hardest: its rounded total must not exceed what is allowed."""
    rng = np.random.default_rng(0)
    points = 1e4 + rng.normal(size=(2000, 6))
    Q = 1e4 + rng.normal(size=(40, 6)) + far
    metric = VectorMetric.named("chebyshev") if p == np.inf else VectorMetric.named("minkowski", p)
    expected, rows = nearest(metric.distances(Q, points), 3)
    for kind in (KDTree, BallTree):
        found, found_rows = kind(points, metric, "").query(Q, 3)
        np.testing.assert_allclose(found, expected, rtol=1e-13)
        np.testing.assert_array_equal(found_rows, rows)
