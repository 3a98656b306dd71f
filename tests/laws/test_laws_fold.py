"""Laws of the fold and its statistics: kernels equal their twins, and pieces add up to the whole."""

from dataclasses import dataclass
from fractions import Fraction
from operator import add

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbook.errors import DataError
from openbook.fold import Statistics, fold
from openbook.kernels.counts import Counts, count_values, tally
from openbook.kernels.moments import Moments
from openbook.kernels.samples import Samples, distinct

N_CLASSES = 3
#: Ties, gaps, signs and sizes; few enough that columns are often constant within a class.
CELLS = st.sampled_from([0.0, -0.0, 1.0, 1.0, 2.5, -3.25, 0.1, 1000.1, float("nan")])
WEIGHTS = st.sampled_from([1.0, 1.0, 2.0, 0.5, 0.1])


def mean_and_scatter(values, weights):
    """`Moments.of` by hand, for one class and column: weight, mean, scatter of the known values."""
    known = [(v, w) for v, w in zip(values, weights, strict=True) if v == v]  # noqa: PLR0124 (NaN is not itself)
    weight = sum(w for _, w in known)
    if weight == 0:
        return 0.0, 0.0, 0.0
    mean = sum(w * v for v, w in known) / weight
    return weight, mean, sum(w * (v - mean) ** 2 for v, w in known)


@st.composite
def chunks(draw, columns=2, max_rows=12):
    n = draw(st.integers(1, max_rows))
    x = np.array(draw(st.lists(st.lists(CELLS, min_size=columns, max_size=columns), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, N_CLASSES - 1), min_size=n, max_size=n)))
    w = np.array(draw(st.lists(WEIGHTS, min_size=n, max_size=n)))
    return x, y, w


def joined(*parts):
    return tuple(np.concatenate(each) for each in zip(*parts, strict=True))


def close(a, b, rtol=1e-9, atol=1e-12):
    assert a.arrays().keys() == b.arrays().keys()
    for name, array in a.arrays().items():
        np.testing.assert_allclose(array, b.arrays()[name], rtol=rtol, atol=atol, err_msg=name)


@given(st.data(), st.sampled_from([np.int8, np.int16, np.int64]))
def test_counting_equals_its_twin(data, dtype):
    n_values = data.draw(st.integers(0, 4))
    n = data.draw(st.integers(0, 30))
    codes = np.array(data.draw(st.lists(st.integers(-1, n_values - 1), min_size=n, max_size=n)), dtype=dtype)
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), dtype=np.intp)
    w = np.array(data.draw(st.lists(WEIGHTS, min_size=n, max_size=n)), dtype=float)
    counts = np.zeros((N_CLASSES, n_values + 1))
    count_values(codes, y, w, counts)
    by_hand = tally(codes.tolist(), y.tolist(), w.tolist(), N_CLASSES, n_values)
    np.testing.assert_array_equal(counts, by_hand)
    of = Counts.of([codes], [n_values], y, w, N_CLASSES)
    np.testing.assert_array_equal(np.hstack([of.tables[0], of.missing[0]]), by_hand)


def test_columns_of_very_many_values_are_counted_apart():
    codes, y, w = np.array([999_999, 0], dtype=np.int32), np.array([0, 1]), np.ones(2)
    of = Counts.of([codes, codes], [1_000_000, 1_000_000], y, w, 2)  # their joint table would not fit
    assert of.tables[1][0, 999_999] == of.tables[0][1, 0] == 1


@given(st.integers(1, 30), st.lists(st.sampled_from([1, 2, 5, 40, 200]), min_size=1, max_size=5), st.data())
def test_columns_counted_in_pairs_are_counted_one_by_one(n, n_values, data):
    def draw(elements):
        return data.draw(st.lists(elements, min_size=n, max_size=n))

    y = np.array(draw(st.integers(0, N_CLASSES - 1)))
    w = np.array(draw(st.sampled_from([0.5, 1.0, 3.0])))
    columns = [
        np.array(draw(st.integers(-1, v - 1)), dtype=np.int16 if v > 100 else np.int8) for v in n_values
    ]
    of = Counts.of(columns, n_values, y, w, N_CLASSES)
    for j, (codes, v) in enumerate(zip(columns, n_values, strict=True)):
        by_hand = np.array(tally(codes.tolist(), y.tolist(), w.tolist(), N_CLASSES, v))
        assert of.tables[j].tolist() == by_hand[:, :-1].tolist()
        assert of.missing[j].tolist() == by_hand[:, -1:].tolist()


@given(chunks())
def test_moments_equal_their_twin(chunk):
    x, y, w = chunk
    moments = Moments.of(x, y, w, N_CLASSES)
    for c in range(N_CLASSES):
        for j in range(x.shape[1]):
            weight, mean, scatter = mean_and_scatter(x[y == c, j].tolist(), w[y == c].tolist())
            assert moments.weight[c, j] == pytest.approx(weight, rel=1e-12)
            assert moments.mean[c, j] == pytest.approx(mean, rel=1e-12, abs=1e-12)
            assert moments.scatter[c, j] == pytest.approx(scatter, rel=1e-9, abs=1e-9)


@given(chunks())
def test_a_constant_column_has_no_scatter_at_all(chunk):
    """Not even by rounding: whether a column varies is a question with two answers."""
    x, y, w = chunk
    x = np.where(np.isnan(x), np.nan, 0.1)
    assert not Moments.of(x, y, w, N_CLASSES).scatter.any()
    assert not Moments.of(x, y, w, N_CLASSES).overall().scatter.any()


@given(chunks(max_rows=40))
def test_samples_are_the_distinct_values(chunk):
    x, y, w = chunk
    samples = Samples.of(x, y, w, N_CLASSES)
    for c in range(N_CLASSES):
        for j in range(x.shape[1]):
            here = [(v, k) for v, k in zip(x[y == c, j], w[y == c], strict=True) if v == v]  # noqa: PLR0124
            values, weights = samples.cell(c, j)
            assert values.tolist() == sorted({v for v, _ in here})
            for value, weight in zip(values, weights, strict=True):
                assert weight == pytest.approx(sum(k for v, k in here if v == value), rel=1e-12)


STATISTICS = {
    "moments": lambda x, y, w: Moments.of(x, y, w, N_CLASSES),
    "samples": lambda x, y, w: Samples.of(x, y, w, N_CLASSES),
    "counts": lambda x, y, w: Counts.of(
        [np.where(np.isnan(x[:, 0]), -1, x[:, 0] > 0).astype(np.int8)], [2], y, w, N_CLASSES
    ),
}


@pytest.mark.parametrize("of", STATISTICS.values(), ids=STATISTICS.keys())
@given(chunks(), chunks(), chunks())
def test_the_parts_add_up_to_the_whole(of, a, b, c):
    whole = of(*joined(a, b, c))
    close(of(*a) + of(*b) + of(*c), whole, atol=1e-9)
    close(of(*a) + (of(*b) + of(*c)), whole, atol=1e-9)
    close(of(*c) + of(*a) + of(*b), whole, atol=1e-9)


@pytest.mark.parametrize("of", STATISTICS.values(), ids=STATISTICS.keys())
@given(chunks(), chunks())
def test_what_is_taken_away_was_never_there(of, a, b):
    left = of(*joined(a, b)) - of(*b)
    expected = of(*a)
    if isinstance(left, Moments):  # a mean of values up to 1000 is known to 1e-13, and is squared
        close(left, expected, rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(left.weight == 0, expected.weight == 0)
        np.testing.assert_array_equal(left.scatter == 0, expected.scatter == 0)
    else:
        close(left, expected)


@pytest.mark.parametrize("of", STATISTICS.values(), ids=STATISTICS.keys())
@given(chunks(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(of, chunk, random):
    order = list(range(len(chunk[1])))
    random.shuffle(order)
    close(of(*chunk), of(*(part[order] for part in chunk)), atol=1e-9)


@given(chunks(), st.integers(2, 4))
def test_a_weight_is_that_many_rows(chunk, k):
    x, y, _ = chunk
    weighted = Moments.of(x, y, np.full(len(y), float(k)), N_CLASSES)
    repeated = Moments.of(np.repeat(x, k, axis=0), np.repeat(y, k), np.ones(k * len(y)), N_CLASSES)
    close(weighted, repeated, atol=1e-9)


def exact_moments(values):
    """Weight, mean and scatter without any rounding until the end."""
    known = [Fraction(v) for v in values]
    mean = sum(known) / len(known)
    return len(known), float(mean), float(sum((v - mean) ** 2 for v in known))


@pytest.mark.parametrize("offset", [0.0, 1e4, -1e8, 1e12])
@pytest.mark.parametrize("n", [2, 50, 3000])
def test_moments_are_stable_wherever_the_column_lies(offset, n):
    rng = np.random.default_rng(n)
    x = offset + rng.normal(size=(n, 1))
    _, mean, scatter = exact_moments(x[:, 0].tolist())
    y, w = np.zeros(n, dtype=int), np.ones(n)
    moments = Moments.of(x, y, w, 1)
    assert moments.mean[0, 0] == pytest.approx(mean, rel=1e-15, abs=1e-15)
    assert moments.scatter[0, 0] == pytest.approx(scatter, rel=1e-12)


@pytest.mark.parametrize("offset", [0.0, -1e8])
def test_many_chunks_are_joined_stably(offset):
    rng = np.random.default_rng(4)
    x = offset + rng.normal(size=(3000, 1)) + np.linspace(0, 5, 3000)[:, None]
    pieces = [
        (x[i : i + 70], np.zeros(len(x[i : i + 70]), int), np.ones(len(x[i : i + 70])))
        for i in range(0, 3000, 70)
    ]
    moments = fold(pieces, lambda piece: Moments.of(*piece, 1), add)
    _, mean, scatter = exact_moments(x[:, 0].tolist())
    assert moments.mean[0, 0] == pytest.approx(mean, rel=1e-14)
    assert moments.scatter[0, 0] == pytest.approx(scatter, rel=1e-12 if offset == 0 else 1e-8)


def test_classes_far_apart_do_not_disturb_each_other():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 1)) + np.repeat([-1e10, 1e10], 200)[:, None]
    y = np.repeat([0, 1], 200)
    shuffled = rng.permutation(400)
    moments = Moments.of(x[shuffled], y[shuffled], np.ones(400), 2)
    for c in (0, 1):
        _, mean, scatter = exact_moments(x[y == c, 0].tolist())
        assert moments.mean[c, 0] == pytest.approx(mean, rel=1e-15)
        assert moments.scatter[c, 0] == pytest.approx(scatter, rel=1e-11)
    assert moments.overall().scatter[0, 0] == pytest.approx(exact_moments(x[:, 0].tolist())[2], rel=1e-12)


@given(chunks(max_rows=30))
def test_all_classes_together(chunk):
    x, y, w = chunk
    close(Moments.of(x, y, w, N_CLASSES).overall(), Moments.of(x, np.zeros_like(y), w, 1), atol=1e-8)


def test_what_was_never_learnt_cannot_be_taken_from_samples():
    with pytest.raises(DataError, match="cannot forget the value 7: it was not in the training data"):
        distinct(np.array([3.0, 7.0]), np.array([1.0, -1.0]))


def test_weights_that_cancel_out_leave_no_value():
    values, weights = distinct(np.array([3.0, 3.0, 7.0, 7.0]), np.array([0.1 + 0.2, -0.3, 0.3, -0.1 - 0.2]))
    assert len(values) == len(weights) == 0


@given(st.lists(st.sampled_from([1.0, 2.0]), max_size=8), st.sampled_from([1e-30, 1e-9, 1e9]))
def test_samples_keep_weights_of_any_size(values, weight):
    found, weights = distinct(np.array(values), np.full(len(values), weight))
    assert found.tolist() == sorted(set(values))
    assert weights == pytest.approx([values.count(v) * weight for v in found], rel=1e-12)


@dataclass(frozen=True)
class Nested(Statistics):
    """Statistics within statistics, as a learner has them."""

    rows: np.ndarray
    parts: tuple


def nested(x, y, w):
    return Nested(
        np.bincount(y, w, minlength=N_CLASSES),
        (Moments.of(x, y, w, N_CLASSES), Samples.of(x, y, w, N_CLASSES)),
    )


@given(chunks(), chunks())
def test_statistics_within_statistics_join_in_their_own_way(a, b):
    close(nested(*a) + nested(*b), nested(*joined(a, b)), atol=1e-9)
    left = nested(*joined(a, b)) - nested(*b)
    assert left.parts[1].arrays().keys() == nested(*a).parts[1].arrays().keys()
    close(left.parts[1], nested(*a).parts[1])


@given(chunks())
def test_arrays_and_back(chunk):
    statistics = nested(*chunk)
    arrays = statistics.arrays()
    again = nested(chunk[0][:1], chunk[1][:1], chunk[2][:1]).filled(arrays)
    for name, array in again.arrays().items():
        np.testing.assert_array_equal(array, arrays[name])


@settings(max_examples=15)
@given(st.lists(chunks(), min_size=1, max_size=9), st.sampled_from([1, 2, 4]))
def test_any_number_of_threads_folds_to_the_same_bits(pieces, workers):
    def step(piece):
        return Moments.of(*piece, N_CLASSES)

    alone = fold(pieces, step, add)
    with joblib.parallel_config(backend="threading", n_jobs=workers):
        threaded = fold(pieces, step, add)
    for name, array in alone.arrays().items():
        np.testing.assert_array_equal(array, threaded.arrays()[name])


@given(st.lists(st.text(max_size=3), min_size=1, max_size=20))
def test_pieces_are_merged_in_their_order(words):
    assert fold(words, str.title, add) == "".join(word.title() for word in words)
    assert fold(iter(words), str.upper, add) == "".join(words).upper()


@given(
    st.sampled_from([0.0, 5.0, 0.1, -1234.5]),
    st.sampled_from([1.0, 7.3, -1e6, 1e9]),
    st.integers(1, 30),
    st.integers(1, 30),
)
def test_a_column_that_is_constant_again_is_so_to_the_last_digit(constant, outlier, n, k):
    """Else classes would differ by the rounding of what was forgotten, and nothing but that."""
    kept = Moments.of(np.full((n, 1), constant), np.zeros(n, int), np.ones(n), 1)
    gone = Moments.of(np.full((k, 1), outlier), np.zeros(k, int), np.ones(k), 1)
    left = (kept + gone) - gone
    assert left.scatter[0, 0] == 0
    assert left.mean[0, 0] == constant
    assert left.weight[0, 0] == n
