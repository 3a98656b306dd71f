"""Laws of the baselines: rules counted by hand, pieces equal the whole, forgotten is never learnt."""

import math
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.baseline.one_r import SMALL
from openbook.baseline.zero_regressor import _median
from openbook.data import MISSING, UNSEEN, Nominal, Numeric, Schema, Table
from openbook.prepare.discretise import equal_cuts

SCHEMA = Schema((Nominal("colour", ("red", "green", "blue")), Numeric("size"), Nominal("flat", ("only",))))
SIZES = st.sampled_from([0.0, 1.0, 1.0, 2.5, 7.0, -3.0, math.nan])


@st.composite
def problems(draw, min_rows=1, max_rows=20):
    n = draw(st.integers(min_rows, max_rows))
    X = Table(
        SCHEMA,
        [
            np.array(draw(st.lists(st.integers(MISSING, 2), min_size=n, max_size=n)), dtype=np.int8),
            np.array(draw(st.lists(SIZES, min_size=n, max_size=n))),
            np.array(draw(st.lists(st.integers(MISSING, 0), min_size=n, max_size=n)), dtype=np.int8),
        ],
    )
    return X, np.array(draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=n, max_size=n)))


def rule_by_hand(cells, y):
    """The errors of the rule on one column of values, and what it says for each."""
    groups = defaultdict(Counter)
    for cell, label in zip(cells, y, strict=True):
        groups[cell][label] += 1
    answers = {cell: min(seen, key=lambda c: (-seen[c], c)) for cell, seen in groups.items()}
    errors = sum(seen.total() - max(seen.values()) for seen in groups.values())
    return errors, answers


@given(problems())
def test_one_rule_equals_counting_by_hand(problem):
    X, y = problem
    model = OneR().fit(X, y)
    for name in ("colour", "flat"):
        cells = ["missing" if cell is None else cell for cell in X.column(name)]
        errors, answers = rule_by_hand(cells, y)
        assert model.errors_[name] == errors
        if model.attribute_ == name:
            assert model.rule_ == answers
            assert model.predict(X).tolist() == [answers[cell] for cell in cells]
    assert min(model.errors_.values()) == model.errors_[model.attribute_]
    assert (model.predict(X) != y).sum() == model.errors_[model.attribute_]


@given(problems(), st.integers(2, 6))
def test_a_numeric_rule_makes_the_errors_it_counts(problem, bins):
    X, y = problem
    model = OneR(bins).fit(X.select(["size"]), y)
    assert (model.predict(X) != y).sum() == model.errors_["size"]
    assert len(model.rule_) <= bins + 1  # the intervals, and missing
    total = sum(count for row in model.work().parts[0].rows for count in row[1:-2])
    assert total == len(y)


@given(st.integers(2, 12), st.integers(1, 40))
def test_intervals_hold_as_many_rows_each_and_six_at_least(bins, n):
    values = np.arange(float(n * bins))
    sizes = np.bincount(np.searchsorted(equal_cuts(values, np.ones(len(values)), bins, SMALL), values))
    assert len(sizes) == 1 or min(sizes) >= 6
    if n >= 6:
        assert sizes.tolist() == [n] * bins


@given(st.lists(st.integers(0, 9), min_size=1, max_size=80), st.integers(2, 10))
def test_equal_numbers_make_no_interval_of_fewer_than_six_rows(cells, bins):
    values, counts = np.unique(np.array(cells, dtype=float), return_counts=True)
    cuts = equal_cuts(values, counts.astype(float), bins, SMALL)
    sizes = np.bincount(np.searchsorted(cuts, values), counts, minlength=len(cuts) + 1)
    assert len(cuts) == 0 or min(sizes) >= 6
    assert len(cuts) < bins
    assert not set(cuts) & set(values)


@given(problems(max_rows=40), st.integers(2, 6))
def test_neighbouring_intervals_never_say_the_same(problem, bins):
    X, y = problem
    said = [
        row[-2] for row in OneR(bins).fit(X.select(["size"]), y).work().parts[0].rows if row[0] != "missing"
    ]
    assert all(one != next_ for one, next_ in pairwise(said))


@given(problems())
def test_what_was_not_there_gets_the_most_frequent_class(problem):
    X, y = problem
    model = OneR().fit(X.select(["colour"]), y)
    unseen = Table(X.select(["colour"]).schema, [np.array([UNSEEN], dtype=np.int8)])
    counts = Counter(y.tolist())
    shares = [counts[label] / len(y) for label in model.classes_]
    np.testing.assert_allclose(model.predict_proba(unseen)[0], shares, rtol=1e-14)
    if not X.column("colour").missing.any():
        gap = Table(X.select(["colour"]).schema, [np.array([MISSING], dtype=np.int8)])
        np.testing.assert_allclose(model.predict_proba(gap)[0], shares, rtol=1e-14)


@pytest.mark.parametrize("make", [OneR, ZeroR], ids=["1R", "0R"])
@given(problems(min_rows=2), st.data())
def test_pieces_and_forgetting(make, problem, data):
    X, y = problem
    cut = data.draw(st.integers(1, len(y) - 1))
    first, rest = slice(0, cut), slice(cut, len(y))
    whole = make().fit(X, y)
    pieces = (
        make().partial_fit(X.take(first), y[first], classes=np.unique(y)).partial_fit(X.take(rest), y[rest])
    )
    np.testing.assert_allclose(pieces.predict_proba(X), whole.predict_proba(X), rtol=1e-12)
    never = make().partial_fit(X.take(first), y[first], classes=np.unique(y))
    left = whole.forget(X.take(rest), y[rest])
    np.testing.assert_allclose(left.predict_proba(X), never.predict_proba(X), rtol=1e-12)


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3))


@given(st.lists(NUMBERS, min_size=1, max_size=30), st.data())
def test_mean_and_median(y, data):
    X = np.zeros((len(y), 1))
    assert ZeroRegressor().fit(X, y).constant_ == pytest.approx(np.mean(y), rel=1e-12, abs=1e-9)
    assert ZeroRegressor("median").fit(X, y).constant_ == pytest.approx(np.median(y), rel=1e-14)
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(y), max_size=len(y)))
    repeated = np.repeat(y, weights)
    for strategy, expected in (("mean", np.mean(repeated)), ("median", np.median(repeated))):
        model = ZeroRegressor(strategy).fit(X, y, sample_weight=weights)
        assert model.constant_ == pytest.approx(expected, rel=1e-12, abs=1e-9)


@given(st.lists(NUMBERS, min_size=2, max_size=30), st.data())
def test_numbers_in_pieces_and_forgotten(y, data):
    cut = data.draw(st.integers(1, len(y) - 1))
    X = np.zeros((len(y), 1))
    for strategy in ("mean", "median"):
        whole = ZeroRegressor(strategy).fit(X, y)
        pieces = ZeroRegressor(strategy).fit(X[:cut], y[:cut]).partial_fit(X[cut:], y[cut:])
        assert pieces.constant_ == whole.constant_
        left = whole.forget(X[cut:], y[cut:])
        assert left.constant_ == ZeroRegressor(strategy).fit(X[:cut], y[:cut]).constant_


@given(st.lists(NUMBERS, min_size=1, max_size=15, unique=True), st.data())
def test_the_median_has_half_of_the_weight_on_either_side(values, data):
    values = np.sort(values)
    weights = np.array(data.draw(st.lists(st.floats(0.1, 5), min_size=len(values), max_size=len(values))))
    median = _median(values, weights)
    half = weights.sum() / 2 * (1 + 1e-12)
    assert weights[values < median].sum() <= half
    assert weights[values > median].sum() <= half


@given(problems())
def test_shares_are_the_classes_shares(problem):
    X, y = problem
    model = ZeroR().fit(X, y)
    counts = Counter(y.tolist())
    assert model.prior_.tolist() == pytest.approx([counts[label] / len(y) for label in sorted(counts)])
    assert set(model.predict(X)) == {min(counts, key=lambda c: (-counts[c], c))}


@given(problems())
def test_the_rule_answers_as_it_is_derived(problem):
    X, y = problem
    model = OneR(bins=3).fit(X, y)
    strange = Table(
        SCHEMA, [np.array([UNSEEN, MISSING], np.int8), np.array([np.nan, 99.0]), np.full(2, MISSING)]
    )
    for table in (X, strange):
        proba, said = model.predict_proba(table), model.predict(table)
        for i in range(len(table)):
            work = model.work(table.take([i]))
            assert [step.result for step in work.steps()] == pytest.approx(proba[i].tolist(), rel=1e-12)
            assert work.conclusion.endswith(f"class = {said[i]}.")
