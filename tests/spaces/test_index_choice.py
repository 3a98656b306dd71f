"""Which index is chosen, what is refused, and how much an approximate one finds."""

import numpy as np
import pytest
from scipy import sparse

from openbook.errors import DataError, ParameterError
from openbook.spaces import choose_index as indexes
from openbook.spaces.choose_index import INDEXES, make_index

RNG = np.random.default_rng(0)


def directions(n, d, k):
    """Points of d columns that spread in k directions."""
    return RNG.normal(size=(n, k)) @ RNG.normal(size=(k, d))


@pytest.mark.parametrize(
    ("points", "metric", "name", "reason"),
    [
        (RNG.normal(size=(500, 3)), "euclidean", "brute", "500 points are few"),
        (RNG.normal(size=(3000, 3)), "manhattan", "kd_tree", "3,000 points are many and 3 columns are few"),
        (directions(3000, 30, 2), "euclidean", "kd_tree", "spread in about 2"),
        (directions(3000, 30, 30), "cosine", "brute", "directions: many"),
        (np.ones((3000, 9)), "euclidean", "kd_tree", "about 0.0 directions: few"),
        (sparse.csr_array(np.eye(5)), "cosine", "inverted", "the points are sparse"),
        (sparse.csr_array(np.eye(5)), "chebyshev", "brute", "inverted lists do not serve chebyshev"),
    ],
)
def test_the_choice_is_explained(points, metric, name, reason, monkeypatch):
    monkeypatch.setattr(indexes, "_MANY", 2000)
    made = make_index(points, metric)
    assert made.name == name
    assert reason in made.reason


@pytest.mark.parametrize(("many", "name"), [(3000, "brute"), (111, "kd_tree")])
def test_more_points_may_spread_in_more_directions(many, name, monkeypatch):
    """About eight: more than seven, and fewer than the ten that 27 = 3³ times as many points may have."""
    monkeypatch.setattr(indexes, "_MANY", many)
    made = make_index(directions(3000, 12, 9))
    spread = float(made.reason.split("about ")[1].split()[0])
    assert 7 < spread < 10
    assert made.name == name


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_by_name(name):
    made = make_index(RNG.normal(size=(50, 3)), "euclidean", name)
    assert made.name == name
    assert made.reason.startswith("as asked")


REFUSED = {
    "no metric 'euclid'. Did you mean 'euclidean'": lambda: make_index(np.eye(2), "euclid"),
    "no index 'kdtree'. Did you mean 'kd_tree'": lambda: make_index(np.eye(2), index="kdtree"),
    "p must be at least 1, got 0.5": lambda: make_index(np.eye(2), "minkowski", p=0.5),
    "'inverted' serves euclidean and cosine, not manhattan; for that there are: brute, kd_tree, ball_tree": (
        lambda: make_index(np.eye(2), "manhattan", "inverted")
    ),
    "'lsh' serves euclidean and cosine, not chebyshev": lambda: make_index(np.eye(2), "chebyshev", "lsh"),
    "an index needs points: got 0 rows of 2 columns": lambda: make_index(np.empty((0, 2))),
    "k must lie between 1 and the number of points, 2; got 3": lambda: make_index(np.eye(2)).query(
        np.eye(2), 3
    ),
    "k must lie between 1 and the number of points, 2; got 0": lambda: make_index(np.eye(2)).query(
        np.eye(2), 0
    ),
    "radius must be at least 0, got -1": lambda: make_index(np.eye(2)).within(np.eye(2), -1),
    "no row 2: rows are numbered from 0 to 1": lambda: make_index(np.eye(2)).remove([2]),
    "no row -1": lambda: make_index(np.eye(2)).remove([-1]),
    "the last of them cannot be removed": lambda: make_index(np.eye(2)).remove([0, 1]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_parameters_are_refused_by_name(message):
    with pytest.raises(ParameterError) as caught:
        REFUSED[message]()
    assert message in str(caught.value)


UNFIT = {
    "points: row 1, column 0 is not a finite number": lambda: make_index([[1.0], [np.nan]]),
    "points: row 0, column 1 is not a finite number": lambda: make_index(sparse.csr_array([[0.0, np.inf]])),
    "queries: row 0, column 1 is not a finite number": lambda: make_index(np.eye(2)).query(
        [[1.0, np.inf]], 1
    ),
    "the index has 2 columns, and these rows have 3": lambda: make_index(np.eye(2)).query(np.eye(3), 1),
    "these rows have 1": lambda: make_index(np.eye(2), "cosine").add([[1.0]]),
    "must be rows and columns, got an array of shape (2,)": lambda: make_index([1.0, 2.0]),
    "numbers as large as 1e+200 overflow in the euclidean distance": lambda: make_index([[1e200]]),
    "index 'brute' needs; use index 'inverted' with metric": (
        lambda: make_index(sparse.csr_array((1 << 15, 1 << 15)), "manhattan")
    ),
}


@pytest.mark.parametrize("message", UNFIT)
def test_rows_are_refused_by_name(message):
    with pytest.raises(DataError) as caught:
        UNFIT[message]()
    assert message in str(caught.value)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_fingerprints_find_as_many_as_they_say(metric):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(60, 12))[rng.integers(0, 60, 6000)] * 4 + rng.normal(size=(6000, 12)) * 0.3
    points, Q = points[:5000], points[5000:]
    made = make_index(points, metric, "lsh")
    distances, rows = made.query(Q, 10)
    exact, exact_rows = make_index(points, metric, "brute").query(Q, 10)
    found = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(rows, exact_rows, strict=True)])
    said = float(made.reason.split(" find ")[1].split("%")[0]) / 100
    assert said >= 0.85
    assert found == pytest.approx(said, abs=0.05)
    assert "approximate" in made.reason
    looked_at = float(made.reason.split("looking at up to ")[1].split("%")[0])
    assert looked_at < 25
    same = rows == exact_rows
    np.testing.assert_array_equal(distances[same], exact[same])
    assert (np.diff(distances, axis=1) >= 0).all()
    radius = float(np.median(exact[:, -1]))
    indptr, _, near = made.within(Q, radius)
    assert (near <= radius).all()
    assert 0.8 <= indptr[-1] / make_index(points, metric, "brute").within(Q, radius)[0][-1] <= 1


def test_fingerprints_ask_brute_force_where_they_find_too_few():
    points = np.random.default_rng(0).normal(size=(300, 6))
    exact = make_index(points, "euclidean", "brute").query(points, 300)
    for one, other in zip(make_index(points, "euclidean", "lsh").query(points, 300), exact, strict=True):
        np.testing.assert_array_equal(one, other)
