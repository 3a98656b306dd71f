"""One space: two rows are as far apart in every learner and measure that compares rows.

The distances are worked by hand. Training has size 0 to 10, so a range of 10; grade of three ranks; colour.

    row   colour  grade   size
    0     red     low     0
    1     red     high    4
    2     blue    low     10
    3     none    middle  4
    4     none    middle  none
    5     none    none    none
"""

import numpy as np
import pytest

import openbook
from openbook.cluster import DBSCAN, AgglomerativeClustering, Divisive, KMedoids, cluster_quality
from openbook.neighbors import KNeighborsClassifier, ParzenClassifier
from openbook.outlier import InverseDensity, LocalOutlierFactor, NeighbourDistance, RadiusCount

ROWS = [
    {"colour": "red", "grade": "low", "size": 0.0},
    {"colour": "red", "grade": "high", "size": 4.0},
    {"colour": "blue", "grade": "low", "size": 10.0},
    {"colour": None, "grade": "middle", "size": 4.0},
    {"colour": None, "grade": "middle", "size": None},
    {"colour": None, "grade": None, "size": None},
]
KINDS = {"colour": "nominal", "grade": openbook.Ordinal("grade", ("low", "middle", "high"))}
TABLE = openbook.read(ROWS, kinds=KINDS)

#: The terms of each pair: colour, grade, size. A gap is 1 away from everything, another gap included.
TERMS = {
    (0, 1): (0, 1, 0.4),
    (0, 2): (1, 0, 1),
    (0, 3): (1, 0.5, 0.4),
    (0, 4): (1, 0.5, 1),
    (0, 5): (1, 1, 1),
    (1, 2): (1, 1, 0.6),
    (1, 3): (1, 0.5, 0),
    (1, 4): (1, 0.5, 1),
    (1, 5): (1, 1, 1),
    (2, 3): (1, 0.5, 0.6),
    (2, 4): (1, 0.5, 1),
    (2, 5): (1, 1, 1),
    (3, 4): (1, 0, 1),
    (3, 5): (1, 1, 1),
    (4, 5): (1, 1, 1),
}
#: New rows: a value never seen, a size beyond the range, and gaps; and their terms to each row.
NEW = {
    "unseen": (
        {"colour": "green", "grade": "low", "size": 25.0},
        [(1, 0, 1), (1, 1, 1), (1, 0, 1), (1, 0.5, 1), (1, 0.5, 1), (1, 1, 1)],
    ),
    "gaps": (
        {"colour": "red", "grade": None, "size": 2.0},
        [(0, 1, 0.2), (0, 1, 0.2), (1, 1, 0.8), (1, 1, 0.2), (1, 1, 1), (1, 1, 1)],
    ),
}


def whole(terms, metric):
    return sum(terms) / 3 if metric == "gower" else sum(t * t for t in terms) ** 0.5


def expected(metric):
    matrix = np.zeros((6, 6))
    for (a, b), terms in TERMS.items():
        matrix[a, b] = matrix[b, a] = whole(terms, metric)
    return matrix


def fitted(metric):
    yield KNeighborsClassifier(3, metric=metric).fit(TABLE, list("aabbab"))
    yield ParzenClassifier(metric=metric).fit(TABLE, list("aabbab"))
    yield KMedoids(2, metric=metric).fit(TABLE)
    yield DBSCAN(0.5, min_samples=2, metric=metric).fit(TABLE)
    yield AgglomerativeClustering(2, metric=metric).fit(TABLE)
    yield Divisive(2, metric=metric).fit(TABLE)
    for detector in (LocalOutlierFactor, NeighbourDistance, InverseDensity):
        yield detector(n_neighbors=2, metric=metric).fit(TABLE)
    yield RadiusCount(metric=metric).fit(TABLE)


@pytest.mark.parametrize("metric", ["gower", "heom"])
def test_every_learner_has_the_distances_by_hand(metric):
    for model in fitted(metric):
        found = model.space_.distances()
        np.testing.assert_allclose(found, expected(metric), rtol=1e-12, err_msg=type(model).__name__)


@pytest.mark.parametrize("metric", ["gower", "heom"])
@pytest.mark.parametrize("name", NEW)
def test_new_rows_are_as_far_from_the_rows_in_every_learner(metric, name):
    row, terms = NEW[name]
    new = openbook.read([row], kinds=KINDS)
    by_hand = [whole(t, metric) for t in terms]
    for model in fitted(metric):
        if type(model).__module__.startswith("openbook.outlier") and name == "unseen":
            continue  # robust: a size of 25 is 1.5 ranges or more away from those known
        space = model.space_
        found = space.index.distances(space.coordinates(model._encode(new)))[0]
        np.testing.assert_allclose(found, by_hand, rtol=1e-12, err_msg=type(model).__name__)


def test_what_each_learner_makes_of_the_distances_by_hand():
    """The same figures, as each learner itself uses them."""
    near = expected("gower")
    knn = KNeighborsClassifier(5, metric="gower").fit(TABLE, list("aabbab"))
    distances, rows = knn.kneighbors(TABLE, 6)
    own = [0, 0, 0, 1 / 3, 2 / 3, 1]  # a row that is asked for is a new row: each gap counts
    for i in range(6):
        others = {int(r): d for r, d in zip(rows[i], distances[i], strict=True)}
        assert others.pop(i) == pytest.approx(own[i])
        assert others == pytest.approx({j: near[i, j] for j in range(6) if j != i})
    single = AgglomerativeClustering(1, linkage="single", metric="gower").fit(TABLE)
    # 0-1: 1.4/3; 1-3: 1.5/3; 0-2 and 3-4: 2/3; 5 is 1 away from every other
    assert single.distances_.tolist() == pytest.approx([1.4 / 3, 1.5 / 3, 2 / 3, 2 / 3, 1])
    dense = DBSCAN(0.51, min_samples=3, metric="gower").fit(TABLE)
    assert dense.core_.tolist() == [False, True, False, False, False, False]  # 0, 1 and 3 are around 1
    assert dense.labels_.tolist() == [0, 0, -1, 0, -1, -1]
    alone = DBSCAN(0.1, min_samples=1, metric="gower").fit(TABLE)
    assert alone.labels_.tolist() == [0, 1, 2, 3, 4, 5]  # a row is at 0 from itself, whatever it lacks
    far = NeighbourDistance(n_neighbors=1, metric="gower").fit(TABLE)
    assert far.oddness(TABLE).tolist() == pytest.approx([1.4 / 3, 1.4 / 3, 2 / 3, 0.5, 2 / 3, 1])
    quality = cluster_quality(TABLE, [0, 0, 0, 1, 1, 1], metric="gower")
    # within: 0-1, 0-2, 1-2; and 3-4, 3-5, 4-5
    assert quality.cohesion.tolist() == pytest.approx([1 / ((1.4 + 2 + 2.6) / 3), 1 / (2 / 3 + 1 + 1)])
    a, b = (1.4 + 2) / 3 / 2, (1.9 + 2.5 + 3) / 3 / 3
    assert quality.silhouettes[0] == pytest.approx((b - a) / max(a, b))


@pytest.mark.parametrize("make", [DBSCAN(0.1, min_samples=1), AgglomerativeClustering(6), Divisive(6)])
def test_a_row_with_gaps_is_assigned_as_it_was(make):
    assert make.fit(TABLE).predict(TABLE).tolist() == [0, 1, 2, 3, 4, 5]


def test_encoded_numbers_are_as_far_apart_everywhere():
    """1, 3 and a gap, which counts as the mean, 2, and has a column of its own: 0, 0, 1; nothing scaled."""
    X = openbook.read([{"x": 1.0}, {"x": 3.0}, {"x": None}])
    by_hand = [[0, 2, 2**0.5], [2, 0, 2**0.5], [2**0.5, 2**0.5, 0]]
    options = {"metric": "euclidean", "scale": False}
    for model in (
        KNeighborsClassifier(1, **options).fit(X, list("aab")),
        KMedoids(2, **options).fit(X),
        DBSCAN(0.5, **options).fit(X),
        AgglomerativeClustering(2, **options).fit(X),
        LocalOutlierFactor(1, **options).fit(X),
    ):
        np.testing.assert_allclose(model.space_.distances(), by_hand, err_msg=type(model).__name__)
