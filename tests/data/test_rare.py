"""Which values of a column are rare, by hand; and a value that stands for the rest."""

import math

import numpy as np
import pytest
from scipy.stats import f

from openbook.data import MISSING, Attribute, Nominal, Schema, Table, read
from openbook.data.conform import conform
from openbook.data.describe import describe_columns
from openbook.data.rare import Credibility, class_shares, may_pool, with_rest
from openbook.errors import DataError

MEANS = "other learners use the mean of 'y' for each value, shrunk towards the overall mean."
TOWN = Nominal("town", ("Ulm", "Bonn", "other values"), "other values")


def test_the_rows_that_a_value_needs_by_hand():
    """Three values of 2, 2 and 4 rows: targets 1 3, 5 7 and 9 9 11 11."""
    counts, means = np.array([2, 2, 4]), np.array([[2.0], [6.0], [10.0]])
    within = 2 + 2 + 4  # each 1 from its mean
    found = Credibility.of(counts, means, within)
    # the mean of all is 7: between = 2 * 25 + 2 * 1 + 4 * 9 = 88; m = (8 - 24 / 8) / 2 = 2.5
    assert (found.rows, found.values, found.size, found.between) == (8, 3, 2.5, 88)
    assert found.noise == pytest.approx(8 / 5)
    assert found.signal == pytest.approx((88 / 2 - 8 / 5) / 2.5)
    assert found.least == pytest.approx(1.6 / 16.96)


def test_classes_count_as_zeros_and_ones():
    """Two values of four rows, of which 3 and 1 are of the first of two classes: twice the sums of one."""
    means = np.array([[0.75, 0.25], [0.25, 0.75]])
    both = Credibility.of(np.array([4, 4]), means, within=2 * 1.5)
    one = Credibility.of(np.array([4, 4]), means[:, :1], within=1.5)
    assert both.between == 2 * one.between == 1.0
    # noise 1.5 / 6, between 0.5, m = (8 - 32 / 8) / 1
    assert both.least == pytest.approx(one.least) == pytest.approx(0.25 / ((0.5 - 0.25) / 4))


@pytest.mark.parametrize(
    ("counts", "means", "within"),
    [
        ([3, 3], [[1.0], [1.0]], 6.0),  # the values say nothing
        ([1, 1, 1], [[1.0], [2.0], [3.0]], 0.0),  # a name for every row
        ([4, 0], [[1.0], [0.0]], 6.0),  # one value
        ([0, 0], [[0.0], [0.0]], 0.0),
    ],
)
def test_where_values_say_nothing_no_number_of_rows_is_enough(counts, means, within):
    assert math.isinf(Credibility.of(np.array(counts), np.array(means), within).least)


def test_the_most_frequent_values_are_kept_and_the_first_of_equals():
    letters = Nominal("letter", tuple("abcde"))
    counts = np.array([5, 9, 5, 1, 5])
    assert with_rest(letters, counts, least=5, most=2).values == ("a", "b", "other values")
    assert with_rest(letters, counts, least=6).values == ("b", "other values")
    assert with_rest(letters, counts, least=math.inf).values == ("other values",)


def test_the_rest_has_a_name_of_its_own():
    few = with_rest(Nominal("x", ("a", "other values")), np.array([3, 9]), least=5)
    assert few.values == ("other values", "other values…")
    assert few.rest == "other values…"


def test_only_nominal_columns_of_many_values_are_pooled_and_never_twice():
    many = tuple(f"v{i}" for i in range(21))
    assert may_pool(Nominal("x", many))
    assert not may_pool(Nominal("x", many[:20]))
    assert not may_pool(Nominal("x", many, "v3"))


def test_a_value_that_is_not_listed_is_one_of_the_rest():
    assert [TOWN.encode(cell) for cell in ("Bonn", "Köln", None)] == [1, 2, MISSING]
    table = Table(Schema((Nominal("town", ("Aachen", "Ulm")),)), [np.array([0, 1, MISSING, -2], np.int8)])
    assert conform(table, Schema((TOWN,))).data("town").tolist() == [2, 0, MISSING, 2]
    numbers = read([{"town": 3.0}, {"town": math.nan}])
    assert conform(numbers, Schema((TOWN,))).data("town").tolist() == [2, MISSING]
    grown = conform(table, Schema((TOWN,)), grow=True)
    assert grown.schema["town"] == TOWN


def test_the_rest_survives_json_and_must_be_listed():
    assert Attribute.from_json(TOWN.to_json()) == TOWN
    assert "rest" not in Nominal("town", ("Ulm",)).to_json()
    with pytest.raises(DataError, match="'rest' cannot stand for other values"):
        Nominal("town", ("Ulm",), "rest")


def towns(effect):
    """Thirty towns of 2 to 4 rows whose target is the town's mean, and a little or a lot around it."""
    rows = [(f"t{i}", 10.0 * (i % 5) * effect + j) for i in range(30) for j in range(2 + i % 3)]
    return read([{"town": town, "x": float(k % 7), "y": y} for k, (town, y) in enumerate(rows)])


def many(table, target=None):
    return [one.message for one in describe_columns(table, target).findings if one.kind == "many values"]


def test_describe_says_what_a_study_pools():
    kept = "Trees, naive Bayes, linear regression and networks keep them all"  # every value has rows enough
    assert many(towns(effect=1), "y") == [f"30 values. {kept}; {MEANS}"]
    said = "30 values, whose differences in 'y' may be chance: a study pools them all."
    assert many(towns(effect=0), "y") == [said]
    said = "30 values, 30 of them in fewer than 10 rows: a study pools the rarest, or uses the mean of the"
    assert many(towns(effect=1)) == [f"{said} target for each value."]


def test_describe_says_how_many_rows_a_value_needs():
    """A town in a single row cannot say anything, however strong the effect."""
    table = towns(effect=1)
    rows = [{name: table.column(name)[i] for name in table.names} for i in range(len(table))]
    kept = "linear regression and networks keep the 30 in at least 2 rows and pool the others"
    alone = read([*rows, {"town": "Ulm", "x": 1.0, "y": 3.0}])
    assert many(alone, "y") == [f"31 values. Trees, naive Bayes, {kept}, 1 value in 1 row; {MEANS}"]


def test_describe_says_that_only_the_most_frequent_are_kept():
    """260 towns of three rows and one class each; ten too many."""
    table = read([{"town": f"t{i:03}", "y": "ab"[i % 2]} for i in range(260) for _ in range(3)])
    (said,) = many(table, "y")
    assert "keep the 250 most frequent and pool the others, 10 values in 30 rows; other learners use" in said
    assert said.endswith("the share of each class of 'y' for each value, shrunk towards the overall share.")


def test_describe_says_where_differences_may_be_chance():
    """Thirty towns of four rows around means of 0.65 and -0.65, and Ulm with twenty rows around 0."""
    rows = [(f"t{i}", 0.65 * (-1) ** i + (-1) ** j) for i in range(30) for j in range(4)]
    rows += [("Ulm", (-1.0) ** j) for j in range(20)]
    (said,) = many(read([{"town": town, "y": y} for town, y in rows]), "y")
    p = f.sf((30 * 4 * 0.65**2 / 30) / (140 / (140 - 31)), 30, 140 - 31)
    assert p > 0.05
    # σ² = 140 / 109, τ² = (1.69 - σ²) / 4.457: n0 = 14.1
    kept = "keep the 1 in at least 15 rows and pool the others, 30 values in 120 rows"
    chance = f"leave them out, as the differences may be chance (p = {p:.3f})."
    assert said == f"31 values. Trees, naive Bayes and linear regression {kept}; other learners {chance}"


def test_many_classes_are_counted_together_from_the_64th_on():
    """A hundred classes in as many values of three rows: the last 37 classes cannot be told apart."""
    codes = np.repeat(np.arange(100), 3)
    counts, shares = class_shares(codes, codes, 100, 100)
    assert shares.shape == (100, 64)
    assert counts.tolist() == [3] * 100
    assert shares.sum(axis=0).tolist() == [1.0] * 63 + [37.0]


def test_describe_says_that_free_text_is_left_out():
    table = read([{"text": f"some words of row number {i} here", "y": i % 2} for i in range(40)])
    found = [f.message for f in describe_columns(table, "y").findings if f.kind == "free text"]
    assert found == [
        'free text: a study reads its words. If these are categories, read with kinds={"text": "nominal"}.'
    ]
