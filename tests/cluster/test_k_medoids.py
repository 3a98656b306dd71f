import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import openbook
from openbook import measures
from openbook.cluster import KMedoids
from openbook.cluster.pam import MedoidMove, pam
from openbook.errors import DataError, ParameterError, RefusalError


def test_medoids_on_a_line():
    model = KMedoids(2, metric="manhattan", scale=False).fit([[0.0], [1.0], [3.0], [10.0], [11.0]])
    # build: 3 is the median (3 + 2 + 0 + 7 + 8), and 10 lowers that most, to 3 + 2 + 0 + 0 + 1;
    # swap: 1 for 3 leaves 1 + 0 + 2 + 0 + 1
    assert model.cost_trace_.tolist() == [20, 6, 4]
    assert model.medoid_indices_.tolist() == [1, 3]
    assert model.labels_.tolist() == [0, 0, 0, 1, 1]


def test_gower_by_default_on_mixed_rows_with_gaps():
    X = openbook.load("credit", rows=120, random_state=0).drop("default")
    model = KMedoids(3).fit(X)
    assert model.space_.metric == "gower"
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.assign(model.medoids_), [0, 1, 2])
    assert len(model.medoids_) == 3


@pytest.mark.parametrize(
    "distance", ["euclidean", "chebyshev", "cosine", "mahalanobis", "heom", measures.manhattan]
)
def test_any_distance(distance):
    x = np.random.default_rng(0).normal(size=(60, 3)) + 2
    model = KMedoids(3, metric=distance).fit(x)
    np.testing.assert_array_equal(model.predict(x), model.labels_)
    own = model.space_.distances()
    assert own == pytest.approx(own.T, abs=1e-9)
    assert model.cost_ == pytest.approx(own[model.medoid_indices_].min(axis=0).sum())


def symmetric(values, n):
    d = np.zeros((n, n))
    d[np.triu_indices(n, 1)] = values
    return d + d.T


@st.composite
def distance_matrices(draw):
    n = draw(st.integers(2, 9))
    pairs = n * (n - 1) // 2
    return symmetric(draw(st.lists(st.integers(1, 20), min_size=pairs, max_size=pairs)), n)


def derive_pam(distances, weights, k):
    """The readable twin: every candidate and every swap tried in turn, over lists of lists."""
    n = len(weights)

    def cost(medoids):
        return sum(weights[i] * min(distances[m][i] for m in medoids) for i in range(n))

    medoids: list[int] = []
    for _ in range(k):
        rest = [c for c in range(n) if c not in medoids]
        medoids.append(min(rest, key=lambda c: cost([*medoids, c])))
        yield MedoidMove(-1, medoids[-1], cost(medoids))
    while True:
        swaps = [(c, at) for c in range(n) if c not in medoids for at in range(k)]
        after = [[*medoids[:at], c, *medoids[at + 1 :]] for c, at in swaps]
        best = min(after, key=cost, default=medoids)
        if not cost(best) - cost(medoids) < -1e-12 * cost(medoids):
            return
        at = next(m for m in range(k) if best[m] != medoids[m])
        yield MedoidMove(medoids[at], best[at], cost(best))
        medoids = best


@given(distance_matrices(), st.integers(1, 3), st.booleans())
def test_kernel_equals_twin(d, k, weighed):
    k = min(k, len(d))
    weights = np.arange(1.0, len(d) + 1) if weighed else np.ones(len(d))
    medoids, moves = pam(d, weights, k, 1000)
    assert moves == [pytest.approx(move) for move in derive_pam(d.tolist(), weights.tolist(), k)]
    cost = (weights * d[medoids].min(axis=0)).sum()
    assert moves[-1].cost == pytest.approx(cost)
    for at, row in itertools.product(range(k), range(len(d))):
        other = medoids.copy()
        other[at] = row
        assert (weights * d[other].min(axis=0)).sum() >= cost - 1e-9


def test_max_iter_bounds_the_swaps():
    x = np.random.default_rng(1).normal(size=(80, 2))
    free, none = (
        KMedoids(6, metric="euclidean").fit(x),
        KMedoids(6, metric="euclidean", max_iter=0).fit(x),
    )
    assert free.n_iter_ > 0
    assert free.converged_
    assert (none.n_iter_, none.converged_) == (0, False)
    assert free.cost_ < none.cost_
    np.testing.assert_allclose(free.cost_trace_[:6], none.cost_trace_)


def test_the_work_names_medoids_and_moves():
    X, _ = openbook.load("loan").split("cheat")
    text = str(KMedoids(2).fit(X).work())
    for said in ("build", "difference / 160, at most 1", "0.0104167", "no swap lowers the cost: 2.22917"):
        assert said in text


def test_too_large_is_refused_in_one_line():
    with pytest.raises(
        RefusalError, match=r"k-medoids of 200,000 rows would take about 320 GB.*allow_large=True"
    ):
        KMedoids(3).fit(np.zeros((200_000, 1)))


def test_errors_name_the_culprit():
    with pytest.raises(ParameterError, match="metric must be one of 'auto'"):
        KMedoids(2, metric="far").fit([[1.0], [2.0]])
    with pytest.raises(DataError, match="column 'x0' holds infinity"):
        KMedoids(2).fit([[1.0], [np.inf], [3.0]])
    with pytest.raises(
        RefusalError, match="cannot use the nominal column 'p': kl_divergence compares numbers"
    ):
        KMedoids(1, metric="kl_divergence").fit([{"p": "a"}, {"p": "b"}])
