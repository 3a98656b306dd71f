"""Hamming, simple matching and Jaccard on typed columns: worked by hand, and derived."""

import math

import numpy as np
import pytest

from openbook.errors import ParameterError, RefusalError
from openbook.neighbors import KNeighborsClassifier, KNeighborsRegressor

# Three patients: two columns of yes and no, one of three values.
ROWS = [
    {"fever": "no", "cough": "yes", "blood": "A"},
    {"fever": "no", "cough": "no", "blood": "B"},
    {"fever": "yes", "cough": None, "blood": "0"},
]
ILL = ["ill", "well", "ill"]


def distances(metric, query, **options):
    model = KNeighborsClassifier(1, metric=metric, **options).fit(ROWS, ILL)
    found, order = model.kneighbors([query], 3)
    return found[0][np.argsort(order[0])].tolist(), model


QUERY = {"fever": "no", "cough": "yes", "blood": "B"}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("hamming", [1, 1, 2]),  # blood; cough; fever and blood, for the cough is missing
        ("simple_matching", [1 / 3, 1 / 3, 2 / 2]),
        # {cough, B} against {cough, A}, {B} and {fever, 0}: what both lack does not count
        ("jaccard", [1 - 1 / 3, 1 - 1 / 2, 1]),
    ],
)
def test_by_hand(metric, expected):
    found, model = distances(metric, QUERY)
    assert found == pytest.approx(expected)
    for row, d in enumerate(expected):
        work = KNeighborsClassifier(3, metric=metric).fit(ROWS, ILL).work(QUERY)
        part = next(p for p in work.parts if f"row {row}:" in p.title)
        assert part["distance"].result == pytest.approx(d)
    assert model.effective_metric_ == metric


def test_a_value_never_seen_differs_from_all():
    query = {"fever": "no", "cough": "no", "blood": "AB"}
    assert distances("hamming", query)[0] == [2, 1, 2]
    # nothing had but AB: 1 - 0/3, 1 - 0/2, 1 - 0/3
    assert distances("jaccard", query)[0] == [1, 1, 1]


def test_a_column_that_only_ever_said_no():
    rows = [{"fever": "no", "blood": "A"}, {"fever": "no", "blood": "B"}]
    model = KNeighborsClassifier(1, metric="jaccard").fit(rows, ["well", "ill"])
    found, order = model.kneighbors([{"fever": "yes", "blood": "B"}], 2)  # {fever, B} against {B} and {A}
    assert (found.tolist(), order.tolist()) == ([[0.5, 1.0]], [[1, 0]])


def test_rows_without_a_known_pair_are_farthest():
    found, _ = distances("simple_matching", {"fever": None, "cough": "yes", "blood": None})
    assert found == [0, 1, math.inf]


def test_numbers_beside_categories():
    rows = [{"n": 1.0, "c": "x"}, {"n": 2.0, "c": "x"}, {"n": 0.0, "c": "y"}]
    model = KNeighborsRegressor(1, metric="hamming").fit(rows, [1.0, 2.0, 3.0])
    assert model.kneighbors([{"n": 2.0, "c": "y"}], 3)[0].tolist() == [[1, 1, 2]]
    model = KNeighborsRegressor(1, metric="jaccard").fit(rows, [1.0, 2.0, 3.0])
    # {n, y} against {n, x}, {n, x}, {y}
    assert model.kneighbors([{"n": 5.0, "c": "y"}], 3)[0].tolist() == pytest.approx(
        np.array([[1 / 2, 2 / 3, 2 / 3]])
    )


class TestLimitsOfMinkowski:
    X = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])

    def test_infinity_is_chebyshev(self):
        model = KNeighborsRegressor(1, metric="minkowski", p=math.inf, scale=False).fit(self.X, [1, 2, 3])
        assert model.effective_metric_ == "chebyshev"
        assert model.kneighbors([[0, 0]], 3)[0].tolist() == [[0, 3, 4]]

    def test_zero_is_hamming(self):
        model = KNeighborsRegressor(1, metric="minkowski", p=0).fit(self.X, [1, 2, 3])
        assert model.effective_metric_ == "hamming"
        assert model.kneighbors([[3, 1]], 3)[0].tolist() == [[1, 1, 2]]

    def test_between_is_refused(self):
        with pytest.raises(ParameterError, match="p must be 0 or at least 1, got"):
            KNeighborsRegressor(1, metric="minkowski", p=0.5).fit(self.X, [1, 2, 3])


def test_others_need_numbers():
    with pytest.raises(RefusalError, match="nominal column 'fever': kl_divergence compares numbers"):
        KNeighborsClassifier(metric="kl_divergence").fit(ROWS, ILL)
