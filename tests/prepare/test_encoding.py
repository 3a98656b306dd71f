"""The encoding by hand: every kind, gaps, unseen values, constant and empty columns; and as arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from openbook import read
from openbook.border.rows import Rows, weighed
from openbook.data import MISSING, UNSEEN, Nominal, Numeric, Ordinal, Schema, Table
from openbook.errors import DataError, RefusalError
from openbook.linear import LinearRegression
from openbook.prepare import Encoding
from openbook.reduce import PCA

SCHEMA = Schema((
    Numeric("age"),
    Nominal("sky", ("sunny", "rainy", "foggy")),
    Ordinal("size", ("S", "M", "L")),
))  # fmt: skip


def table(age, sky, size):
    return Table(
        SCHEMA, [np.array(age, dtype=float), np.array(sky, dtype=np.int8), np.array(size, dtype=np.int8)]
    )


def encoded(X, w=None, **options):
    return Encoding.of(weighed(X, np.zeros(len(X)), w), **options)


FULL = table([10, 20, 30], [0, 1, 0], [0, 2, 1])
GAPS = table([10, np.nan, 30, 20], [0, 1, MISSING, 0], [MISSING, 0, 2, 2])


def test_each_kind_by_hand():
    encoding = encoded(FULL)
    sd = np.sqrt(200 / 3)
    assert encoding.names == ("age", "sky = sunny", "sky = rainy", "size")
    assert encoding.columns.tolist() == [0, 1, 1, 2]
    expected = [[-10 / sd, 1, 0, 0], [0, 0, 1, 1], [10 / sd, 1, 0, 0.5]]
    assert encoding(FULL) == pytest.approx(np.array(expected))


def test_without_scaling_numbers_stay_as_they_are():
    assert encoded(FULL, scale=False)(FULL)[:, 0].tolist() == [10, 20, 30]


def test_with_reference_the_first_value_has_no_column():
    encoding = encoded(FULL, reference=True)
    assert encoding.names == ("age", "sky = rainy", "size")
    assert encoding(FULL)[:, 1].tolist() == [0, 1, 0]


def test_the_reference_is_the_first_value_that_training_shows():
    X = table([1, 2, 3], [1, 2, 1], [0, 0, 0])
    assert encoded(X, reference=True).names == ("age", "sky = foggy", "size")


def test_gaps_have_a_column_and_the_cell_counts_as_the_mean():
    encoding = encoded(GAPS, scale=False)
    assert encoding.names == (
        *("age", "age missing", "sky = sunny", "sky = rainy", "sky missing"),
        *("size", "size missing"),
    )
    assert encoding.columns.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert encoding(GAPS) == pytest.approx(
        np.array([
            [10, 0, 1, 0, 0, 2 / 3, 1],
            [20, 1, 0, 1, 0, 0, 0],
            [30, 0, 2 / 3, 1 / 3, 1, 1, 0],
            [20, 0, 1, 0, 0, 1, 0],
        ])
    )  # fmt: skip
    assert encoding.mean == pytest.approx([20, 0.25, 2 / 3, 1 / 3, 0.25, 2 / 3, 0.25])


def test_values_never_seen_and_gaps_without_a_column_count_as_the_mean():
    encoding = encoded(FULL)
    X = table([np.nan, 20, 20], [UNSEEN, MISSING, 2], [UNSEEN, MISSING, 1])
    assert encoding(X) == pytest.approx(
        np.array([[0, 2 / 3, 1 / 3, 0.5], [0, 2 / 3, 1 / 3, 0.5], [0, 2 / 3, 1 / 3, 0.5]])
    )


def test_an_unseen_value_is_not_a_gap():
    encoding = encoded(GAPS, scale=False)
    row = encoding(table([20], [UNSEEN], [UNSEEN]))[0]
    assert row == pytest.approx([20, 0, 2 / 3, 1 / 3, 0, 2 / 3, 0])


def test_weights_weigh_mean_deviation_and_shares():
    heavy = encoded(FULL, [1.0, 2.0, 1.0])
    twice = encoded(FULL.take([0, 1, 1, 2]))
    assert heavy.mean == pytest.approx(twice.mean)
    assert heavy.scale == pytest.approx(twice.scale)
    assert heavy.mean[2] == pytest.approx(0.5)


def test_constant_and_empty_columns():
    X = table([5, 5], [MISSING, MISSING], [MISSING, MISSING])
    encoding = encoded(X)
    assert encoding.names == ("age", "size")  # no value of sky was shown, and its gaps tell nothing
    assert encoding(X).tolist() == [[0, 0], [0, 0]]
    assert encoded(X.take([0])).scale.tolist() == [1, 1]
    nothing = encoded(read(np.full((3, 2), np.nan)))
    assert nothing(read(np.array([[np.nan, 4.0]]))).tolist() == [[0, 4]]


def test_single_valued_categories_know_unseen_values():
    schema = Schema((Nominal("a", ("x",)), Ordinal("b", ("y",)), Ordinal("c", ())))
    codes = np.zeros(2, dtype=np.int8)
    encoding = encoded(Table(schema, [codes, codes, codes - 1]), reference=True)
    assert encoding.names == ("b", "c")
    assert encoding(Table(schema, [codes - 2, codes - 2, codes - 2])).tolist() == [[0, 0], [0, 0]]


def test_nothing_is_copied_where_nothing_changes():
    x = np.arange(12.0).reshape(4, 3)
    encoding = encoded(read(x), scale=False)
    assert np.shares_memory(encoding(read(x)), x)
    narrow = x.astype(np.float32)
    assert np.shares_memory(encoding(read(narrow), dtype=np.float32), narrow)
    assert encoding(read(narrow)).dtype == np.float64
    assert encoding(read(x), dtype=np.float32).dtype == np.float32
    x[1, 1] = np.nan
    assert encoding(read(x))[1, 1] == pytest.approx(5.5)
    assert np.isnan(x[1, 1])


def test_many_rows_are_encoded_block_by_block_like_few():
    rng = np.random.default_rng(0)
    X = table(rng.normal(size=5000), rng.integers(-1, 3, 5000), rng.integers(-1, 3, 5000))
    encoding = encoded(X)
    out = np.full((5000, len(encoding)), 9.0)
    assert encoding(X, out=out) is out
    assert np.array_equal(out, np.vstack([encoding(X.take(slice(i, i + 700))) for i in range(0, 5000, 700)]))


def test_infinite_cells_are_refused_in_training_by_name():
    X = table([1, np.inf], [0, 0], [0, 0])
    with pytest.raises(DataError, match=r"column 'age' holds infinity \(the first in row 1\)"):
        encoded(X)


def test_infinite_cells_count_as_missing_later():
    for training in (FULL, GAPS):
        encoding = encoded(training)
        assert np.array_equal(encoding(table([np.inf], [0], [0])), encoding(table([np.nan], [0], [0])))
    plain = encoded(read(np.array([[1.0, 2.0], [3.0, 4.0]])), scale=False)
    assert plain(read(np.array([[-np.inf, 5.0]]))).tolist() == [[2, 5]]


def test_large_numbers_are_not_infinite():
    x = np.array([[1e200, np.nan], [3e200, 1.0]])
    assert encoded(read(np.ones((2, 2))), scale=False)(read(x)).tolist() == [[1e200, 1], [3e200, 1]]


def test_coefficients_in_original_units():
    encoding = encoded(GAPS)
    coef, intercept = np.arange(1.0, 8), 3.0
    own, own_intercept = encoding.original(coef, intercept)
    plain = encoded(GAPS, scale=False)
    assert plain(GAPS) @ own + own_intercept == pytest.approx(encoding(GAPS) @ coef + intercept)
    both, intercepts = encoding.original(np.vstack([coef, 2 * coef]), np.array([3.0, 6.0]))
    assert both[1] == pytest.approx(2 * own)
    assert intercepts == pytest.approx([own_intercept, 2 * own_intercept])


def test_the_work_shows_every_encoded_column():
    text = encoded(table([10, 20, np.nan], [0, 1, 0], [0, 2, 1])).work().text()
    assert "(x - 15) / 5" in text
    assert "1 if sunny, else 0" in text
    assert "rank / 2" in text
    assert "age missing" in text


def test_arrays_make_the_same_encoding():
    for options in ({}, {"reference": True}, {"scale": False}):
        encoding = encoded(GAPS, **options)
        again = Encoding.from_arrays(SCHEMA, encoding.arrays())
        assert again.names == encoding.names
        assert np.array_equal(again(GAPS), encoding(GAPS))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("gaps", np.zeros(2, dtype=bool), "'gaps'"),
        ("seen", np.ones(2, dtype=bool), "'seen'"),
        ("reference", np.zeros(2, dtype=bool), "'reference'"),
        ("mean", np.zeros(4), "'mean'"),
        ("shift", np.full(7, np.nan), "finite"),
        ("scale", np.zeros(7), "above zero"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, array, message):
    arrays = encoded(GAPS).arrays()
    with pytest.raises(ValueError, match=message):
        Encoding.from_arrays(SCHEMA, {**arrays, name: array})


@given(
    hnp.arrays(float, (9, 3), elements=st.integers(-1000, 1000).map(float) | st.just(np.nan)),
    st.integers(1, 8),
)
def test_chunks_agree_with_the_whole(x, cut):
    X = read(x)
    whole = encoded(X)
    parts = Rows(X.schema, [*Rows.in_memory(X.take(slice(cut)), x[:cut, 0]).pieces,
                            *Rows.in_memory(X.take(slice(cut, None)), x[cut:, 0]).pieces])  # fmt: skip
    joined = Encoding.of(parts)
    assert joined.names == whole.names
    assert joined.mean == pytest.approx(whole.mean, rel=1e-9, abs=1e-9)
    assert joined.scale == pytest.approx(whole.scale, rel=1e-9)


def test_a_column_of_too_many_values_is_refused_by_name():
    """Never 51,300 columns of numbers; with a target, learners pool rare values before."""
    rows = [{"id": f"{i:05}x", "y": float(i)} for i in range(5001)]
    many = read(rows, kinds={"id": "nominal"})
    with pytest.raises(
        RefusalError, match="'id' has 5,001 values, each of which would be a column of numbers"
    ):
        Encoding.of(Rows.in_memory(many, np.zeros(5001)))
    with pytest.raises(RefusalError, match="RareValues"):
        PCA().fit(many)
    X, y = many.split("y")
    assert LinearRegression().fit(X, y).names_ == ()


def test_gaps_that_a_step_indicates_are_not_indicated_twice():
    table = read({"x": [1.0, None, 3.0], "x missing": [0.0, 1.0, 0.0]})
    assert Encoding.of(Rows.in_memory(table, np.zeros(3))).names == ("x", "x missing")
