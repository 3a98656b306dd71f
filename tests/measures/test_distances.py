"""Distances: by hand, against scipy and scikit-learn, and the axioms of a metric where they hold."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics.pairwise import nan_euclidean_distances

from openbook.errors import ParameterError
from openbook.measures import (
    chebyshev,
    correlation,
    cosine,
    euclidean,
    gower,
    hamming,
    jaccard,
    kl_divergence,
    mahalanobis,
    manhattan,
    minkowski,
    normalized_ranks,
    pairwise,
    simple_matching,
)

NAN = math.nan
COVARIANCE = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, -0.2], [0.0, -0.2, 0.5]])
SCALES = [10.0, None, 4.0]


def exactly(expected):
    """Equal to the last digits of a double."""
    return pytest.approx(expected, rel=1e-13, abs=1e-15)


class TestGolden:
    @pytest.mark.parametrize(("id_", "name", "distance"), [
        ("manhattan_ab", "manhattan", manhattan),
        ("euclidean_ab", "euclidean", euclidean),
    ])  # fmt: skip
    def test_numbers(self, golden, id_, name, distance):
        data, expected = golden(id_)["data"], golden(id_)["expected"]
        assert distance(data["a"], data["b"]) == exactly(expected[name])

    def test_cosine(self, golden):
        record = golden("cosine_docs")
        for pair, expected in record["expected"].items():
            a, b = (record["data"][name] for name in pair.split("-"))
            assert cosine(a, b) == exactly(expected["cosine_distance"])
            assert 1 - cosine(a, b) == exactly(expected["cosine_similarity"])
            assert euclidean(a, b) == exactly(expected["euclidean"])

    def test_nominal_with_gaps(self, golden):
        record = golden("fruit_nominal")
        rows = {k: [None if c == "?" else c for c in row] for k, row in record["data"]["rows"].items()}
        for pair, expected in record["expected"].items():
            a, b = (rows[name] for name in pair.split("-"))
            assert hamming(a, b) == expected["hamming_known"]
            assert simple_matching(a, b) == exactly(expected["simple_matching_known"])
            assert hamming(a, b, missing="value") == expected["hamming"]
            assert simple_matching(a, b, missing="value") == exactly(expected["simple_matching"])
            assert jaccard(a, b) == exactly(expected["jaccard"])

    def test_binary(self, golden):
        record = golden("own_binary_pair")
        a, b, expected = record["data"]["a"], record["data"]["b"], record["expected"]
        for name, distance in (
            ("hamming", hamming),
            ("simple_matching", simple_matching),
            ("jaccard", jaccard),
        ):
            assert distance(a, b) == exactly(expected[name])

    def test_ordinal(self, golden):
        record = golden("ordinal_ratings")
        data, expected = record["data"], record["expected"]
        ranks = {item: normalized_ranks(data[item], data["scale"]) for item in "AB"}
        assert ranks["A"].tolist() == expected["z_A"]
        assert ranks["B"].tolist() == expected["z_B"]
        assert manhattan(ranks["A"], ranks["B"]) == exactly(expected["manhattan"])
        assert euclidean(ranks["A"], ranks["B"]) == exactly(expected["euclidean"])
        mean_of_terms = gower(data["A"], data["B"], scales=[data["scale"]] * 3)
        assert mean_of_terms == exactly(expected["manhattan"] / 3)


PEERS = {  # ours, options, scipy's name and options
    "euclidean": (euclidean, {}, "euclidean", {}),
    "manhattan": (manhattan, {}, "cityblock", {}),
    "minkowski": (minkowski, {"p": 2.5}, "minkowski", {"p": 2.5}),
    "chebyshev": (chebyshev, {}, "chebyshev", {}),
    "cosine": (cosine, {}, "cosine", {}),
    "correlation": (correlation, {}, "correlation", {}),
    "mahalanobis": (
        mahalanobis,
        {"covariance": COVARIANCE},
        "mahalanobis",
        {"VI": np.linalg.inv(COVARIANCE)},
    ),
    "simple_matching": (simple_matching, {}, "hamming", {}),
}


@pytest.mark.parametrize("name", PEERS)
def test_scipy_agrees(name):
    ours, options, theirs, their_options = PEERS[name]
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(7, 3)), rng.normal(size=(5, 3)) + 1
    if name == "simple_matching":
        A, B = A.round(), B.round()
    expected = cdist(A, B, theirs, **their_options)
    np.testing.assert_allclose(pairwise(ours, A, B, **options), expected, rtol=1e-12)
    np.testing.assert_allclose(ours(A[:5], B, **options), np.diag(expected), rtol=1e-12)  # row to row
    assert ours(A[0], B[1], **options) == pytest.approx(expected[0, 1], rel=1e-12)


def test_scipy_agrees_on_presences_and_divergence():
    rng = np.random.default_rng(4)
    A, B = rng.random((6, 9)) < 0.4, rng.random((4, 9)) < 0.4
    np.testing.assert_allclose(pairwise(jaccard, A, B), cdist(A, B, "jaccard"), rtol=1e-12)
    p, q = rng.random(5), rng.random(5)
    assert kl_divergence(p, q) == pytest.approx(scipy_entropy(p, q, base=2), rel=1e-12)
    assert kl_divergence(p, q, base=math.e) == pytest.approx(scipy_entropy(p, q), rel=1e-12)


def test_gaps_are_scaled_up_as_scikit_learn_does():
    rng = np.random.default_rng(5)
    A = rng.normal(size=(8, 4))
    A[rng.random(A.shape) < 0.3] = NAN
    np.testing.assert_allclose(pairwise(euclidean, A), nan_euclidean_distances(A), rtol=1e-12, atol=1e-7)


def test_gaps_by_hand():
    a, b = [1.0, NAN, 5.0, 2.0], [4.0, 7.0, 1.0, NAN]
    assert manhattan(a, b) == (3 + 4) * 4 / 2
    assert euclidean(a, b) == math.sqrt((9 + 16) * 4 / 2)
    assert minkowski(a, b, p=3) == pytest.approx(((27 + 64) * 2) ** (1 / 3))
    assert chebyshev(a, b) == 4
    assert cosine(a, b) == pytest.approx(cosine([1, 5], [4, 1]))
    assert correlation(a, b) == pytest.approx(2.0)  # 1 < 5, but 4 > 1
    for distance in (manhattan, euclidean, minkowski, chebyshev, cosine, correlation):
        assert math.isnan(distance([NAN, 1.0], [2.0, NAN]))
    assert math.isnan(simple_matching([None], [1]))
    assert hamming([None], [1]) == 0
    assert hamming([None], [1], missing="mismatch") == 1
    assert jaccard([NAN, 1], [1, 1]) == 0.5


def test_rows_that_have_no_direction():
    assert cosine([0, 0], [1, 2]) == cosine([0, 0], [0, 0]) == 1
    assert correlation([3, 3], [1, 2]) == 1
    assert cosine([1e200, 1e200], [1e-200, 1e-200]) == 0  # squares that a double cannot hold
    assert jaccard([0, 0], [0, 0]) == 0


def test_gower_by_hand():
    a = [20, "red", "low", None]
    b = [50, "blue", "mid", 3]
    scales = [40, None, ["low", "mid", "high"], 7]
    assert gower(a, b, scales) == exactly((30 / 40 + 1 + 1 / 2 + 1) / 4)
    assert gower([0], [100], [40]) == 1  # beyond the range is as far as can be
    assert gower([5], [5], [0]) == 0
    assert gower([5], [6], [0]) == 1
    assert gower([None], [None], [None]) == 1


def test_gower_package_agrees():
    package = pytest.importorskip("gower")
    rows = np.array([[1.0, 0.0, 5.0], [4.0, 1.0, 2.0], [2.5, 0.0, 9.0]])
    expected = package.gower_matrix(rows, cat_features=[False, True, False])
    np.testing.assert_allclose(pairwise(gower, rows, scales=[3.0, None, 7.0]), expected, rtol=1e-6)


NUMBERS = arrays(float, 3, elements=st.integers(-9, 9).map(float))
METRICS = {
    "euclidean": euclidean,
    "manhattan": manhattan,
    "minkowski": minkowski,
    "chebyshev": chebyshev,
    "mahalanobis": lambda a, b: mahalanobis(a, b, COVARIANCE),
    "hamming": hamming,
    "simple_matching": simple_matching,
    "jaccard": lambda a, b: jaccard(a > 0, b > 0),
    "gower": lambda a, b: gower(a, b, SCALES),
}


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=30)
@given(a=NUMBERS, b=NUMBERS, c=NUMBERS)
def test_the_axioms_of_a_metric(name, a, b, c):
    d = METRICS[name]
    assert d(a, a) == 0
    assert d(a, b) >= 0
    assert d(a, b) == d(b, a)
    assert d(a, c) <= d(a, b) + d(b, c) + 1e-9
    if name != "jaccard":
        assert (d(a, b) == 0) == (a == b).all()


@given(a=NUMBERS, b=NUMBERS)
def test_what_holds_for_directions(a, b):
    for d in (cosine, correlation):
        assert d(a, b) == d(b, a)
        assert 0 <= d(a, b) <= 2 + 1e-12
        assert d(a, b) == pytest.approx(d(3 * a, b), abs=1e-12)
    if a.any():
        assert cosine(a, a) == 0


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=5))
def test_divergence_is_zero_only_for_equal_shares(pairs):
    p, q = zip(*pairs, strict=True)
    total = kl_divergence(p, q)
    assert total >= 0
    same = np.allclose(np.divide(p, sum(p)), np.divide(q, sum(q)))
    assert (total < 1e-12) == same
    assert kl_divergence(p, p) == 0


def test_blocks_of_pairs_are_all_there(monkeypatch):
    A, B = np.arange(12.0).reshape(6, 2), np.arange(8.0).reshape(4, 2)
    expected = cdist(A, B, "cityblock")
    monkeypatch.setattr("openbook.measures.distances._BLOCK_CELLS", 17)
    np.testing.assert_array_equal(pairwise(manhattan, A, B), expected)


ERRORS = [
    (lambda: euclidean([1, 2], [1]), "rows must have the same number of cells, one at least; got 2 and 1"),
    (lambda: euclidean(1, [1]), "got no and 1"),
    (lambda: manhattan(["a"], [1]), r"rows must be numbers, in rows of equal length, got \['a'\]"),
    (lambda: minkowski([1], [2], p=0.5), "p must be a number of at least 1, or 0, got 0.5"),
    (lambda: mahalanobis([1, NAN], [1, 2], np.eye(2)), "mahalanobis needs whole rows, and a cell is missing"),
    (lambda: mahalanobis([1, 1], [1, 2], np.eye(3)), r"symmetric and 2 × 2, .* got \(3, 3\)"),
    (lambda: mahalanobis([1, 1], [1, 2], np.ones((2, 2))), "covariance has no inverse: some column does not"),
    (lambda: kl_divergence([1, NAN], [1, 1]), "kl_divergence needs whole rows"),
    (lambda: kl_divergence([1, -1], [1, 1]), "p must be probabilities or counts: finite, not negative"),
    (lambda: kl_divergence([1, 1], [0, 0]), "q must be probabilities or counts"),
    (lambda: kl_divergence([1, 1], [1, 1], base=1), "base must be a positive number other than 1, got 1"),
    (lambda: pairwise(euclidean, [1, 2]), r"A must be rows of equal length, got an array of shape \(2,\)"),
    (lambda: hamming([1], [1], missing="zero"), "must be one of 'leave_out', 'mismatch', 'value', got"),
    (lambda: gower([1, 2], [1, 2], [1]), "scales: 2 columns, but 1 scales"),
    (lambda: gower([1], [2], [-1]), "a range must be finite and not negative, got -1"),
    (lambda: normalized_ranks(["hgih"], ["low", "high"]), "no value 'hgih'. Did you mean 'high'"),
    (lambda: normalized_ranks([1], [1, 1]), r"scale must list each value once, lowest first; got \[1, 1\]"),
]  # fmt: skip


@pytest.mark.parametrize(("act", "message"), ERRORS, ids=[message[:30] for _, message in ERRORS])
def test_errors_name_what_is_wrong(act, message):
    with pytest.raises(ParameterError, match=message):
        act()


def test_limits_of_minkowski():
    assert minkowski([0, 0, 1], [3, -4, 1], p=np.inf) == 4
    assert minkowski([0, 0, 1], [3, -4, 1], p=0) == 2
    assert minkowski([0, NAN, 1, 1], [3, 1, 1, 2], p=0) == pytest.approx(2 * 4 / 3)  # 2 of 3 known, for 4


def test_jaccard_of_sets():
    assert jaccard({"a", "b", "c"}, {"b", "c", "d"}) == 0.5
    assert jaccard(set(), frozenset()) == 0
    assert jaccard({"a"}, {"b"}) == 1
