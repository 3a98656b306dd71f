"""Bases by hand: powers, bells, steps; where their centres come from; what they refuse."""

import numpy as np
import pytest

from openbook import read
from openbook.border.rows import Rows
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.errors import ParameterError
from openbook.linear import LinearRegression, Polynomial, Radial, Sigmoid
from openbook.linear import basis as bases
from openbook.prepare import Encoding

RNG = np.random.default_rng(5)


def encoding_of(X):
    table = read(X)
    return Encoding.of(Rows.in_memory(table, np.zeros(len(table)))), table


def test_powers_of_each_number_and_of_nothing_else():
    schema = Schema((Numeric("a"), Nominal("b", ("x", "y")), Numeric("c")))
    table = Table(schema, [np.array([1.0, 3.0, np.nan]), np.array([0, 1, 0]), np.array([2.0, 2.0, 5.0])])
    encoding = Encoding.of(Rows.in_memory(table, np.zeros(3)))
    names = Polynomial(3).names(encoding, np.zeros((0, 0)))
    assert names == ("a", "a^2", "a^3", "a missing", "b = x", "b = y", "c", "c^2", "c^3")
    Z = encoding(table)
    functions = Polynomial(3)(Z, encoding, np.zeros((0, 0)))
    assert functions[:, :3] == pytest.approx(Z[:, [0]] ** [1, 2, 3])
    assert functions[:, 3].tolist() == [0, 0, 1]


def test_powers_in_units_of_the_columns():
    encoding, table = encoding_of(RNG.normal(50, 3, size=(20, 2)))
    weights = np.arange(1.0, 8)
    own = Polynomial(3).units(encoding, np.zeros((0, 0))) @ weights
    functions = Polynomial(3)(encoding(table), encoding, np.zeros((0, 0)))
    x = table.block(table.names)
    powers = np.column_stack([x[:, [0]] ** [1, 2, 3], x[:, [1]] ** [1, 2, 3]])
    assert powers @ own[1:] + own[0] == pytest.approx(functions @ weights[1:] + weights[0], rel=1e-7)


def test_a_polynomial_is_found_again():
    x = np.linspace(100, 110, 40)[:, None]
    y = 3 - 2 * x[:, 0] + 0.5 * x[:, 0] ** 2
    model = LinearRegression(basis=Polynomial(2)).fit(x, y)
    assert [model.intercept_, *model.coef_] == pytest.approx([3, -2, 0.5], rel=1e-6)


def test_bells_by_hand():
    encoding, _ = encoding_of([[0.0], [1.0]])
    centres = np.array([[0.0], [2.0]])
    values = Radial(2)(np.array([[0.0], [1.0]]), encoding, centres)  # as wide as the centres are apart: 2
    assert values == pytest.approx(np.exp(-np.array([[0, 4], [1, 1]]) / 8))
    assert Radial(2, width=1)(np.array([[1.0]]), encoding, centres) == pytest.approx(np.exp([[-0.5, -0.5]]))


def test_steps_by_hand():
    encoding, table = encoding_of([[0.0], [10.0], [20.0]])
    sd = np.sqrt(200 / 3)
    centres = Sigmoid(1).centres(encoding(table), encoding)
    assert centres.tolist() == [[pytest.approx(0)]]  # the median, in standard units
    values = Sigmoid(1)(encoding(table), encoding, centres)  # width 2 / 1
    assert values[:, 0] == pytest.approx(1 / (1 + np.exp(-np.array([-10, 0, 10]) / sd / 2)))
    assert Sigmoid(1).names(encoding, centres) == ("x0 step 1",)


def test_bells_stand_in_the_middle_of_groups():
    x = np.concatenate([RNG.normal(c, 0.1, size=(50, 1)) for c in (-10, 0, 30)])
    model = LinearRegression(basis=Radial(3)).fit(x, x[:, 0])
    middle = np.sort(model.centres_[:, 0] * x.std() + x.mean())
    assert middle == pytest.approx([-10, 0, 30], abs=0.1)


def test_no_more_bells_than_distinct_rows():
    model = LinearRegression(basis=Radial(10), l2=0.1).fit([[0.0], [1.0], [0.0], [1.0]], [0.0, 1.0, 0.0, 1.0])
    assert model.names_ == ("radial 1", "radial 2")


def test_the_sample_depends_on_neither_order_nor_chunks(monkeypatch):
    monkeypatch.setattr(bases, "SAMPLE", 20)
    x = RNG.integers(0, 40, size=(200, 2)).astype(float)
    x[::9, 1] = np.nan
    table = read(x)
    whole = bases.sample_of(Rows.in_memory(table, x[:, 0]))
    assert len(whole) == 20
    order = RNG.permutation(200)
    chunks = [piece for s in (slice(0, 70), slice(70, 200)) for piece in
              Rows.in_memory(table.take(order[s]), x[order[s], 0]).pieces]  # fmt: skip
    parts = bases.sample_of(Rows(table.schema, chunks))
    assert all(
        np.array_equal(a, b, equal_nan=True) for a, b in zip(whole.columns, parts.columns, strict=True)
    )


def test_the_sample_knows_values_by_name(monkeypatch):
    monkeypatch.setattr(bases, "SAMPLE", 2)
    rows = [Table(Schema((Nominal("a", values),)), [np.array([values.index(v) for v in "pqrst"])])
            for values in (tuple("pqrst"), tuple("tsrqp"))]  # fmt: skip
    one, other = (bases.sample_of(Rows.in_memory(table, np.zeros(5))).column("a").tolist() for table in rows)
    assert one == other


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Polynomial(0), "Polynomial: degree must be a whole number of at least 1, got 0"),
        (lambda: Polynomial(True), "degree must be a whole number"),
        (lambda: Radial(2.5), "Radial: n must be a whole number of at least 1, got 2.5"),
        (lambda: Radial(3, width=0), "Radial: width must be None or a number above 0, got 0"),
        (lambda: Sigmoid(3, width=np.inf), "Sigmoid: width must be None or a number above 0, got inf"),
    ],
)
def test_bases_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
