"""Robust mixed distances: gross errors do not set the range, and kernel and twins agree."""

import numpy as np
import pytest

from openbook.data import Nominal, Numeric, Ordinal, Schema, Table
from openbook.spaces import mixed
from openbook.spaces.mixed import MixedDistance, MixedIndex, inside_fences, surely_inside, within_fences


def test_the_range_by_hand():
    """Of 0, 1, …, 8 and 9999 the quartiles are 2.25 and 6.75: fences at -11.25 and 20.25, a range of 8."""
    table = Table(Schema((Numeric("x"),)), [np.r_[np.arange(9.0), 9999.0]])
    robust, plain = MixedDistance.of(table, robust=True), MixedDistance.of(table)
    assert robust.ranges.tolist() == [8.0]
    assert robust.term(0, 2.0, 6.0)[0] == 0.5
    assert robust.term(0, 8.0, 88.0)[0] == 10.0
    assert plain.ranges.tolist() == [9999.0]
    assert plain.term(0, 0.0, 99999.0)[0] == 1.0


def test_a_missing_cell_is_as_far_as_the_median_and_at_least_one():
    """0, 1, …, 8: range 8, median 4; 44 is five ranges away from it."""
    table = Table(Schema((Numeric("x"),)), [np.r_[np.arange(9.0), np.nan]])
    robust = MixedDistance.of(table, robust=True)
    assert robust.term(0, 44.0, np.nan) == (5.0, "missing; from the median 40 / 8")
    assert robust.term(0, np.nan, 8.0)[0] == 1.0
    assert robust.term(0, np.nan, np.nan)[0] == 1.0
    assert MixedDistance.of(table).term(0, 44.0, np.nan)[0] == 1.0


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ([], []),
        ([5.0] * 4, [5.0] * 4),
        ([0.0] * 9 + [7.0], [0.0] * 9 + [7.0]),  # one other number has no quartiles to speak of
        ([0.0] * 9 + [1.0, 2.0, 3.0, 4.0, 500.0], [0.0] * 9 + [1.0, 2.0, 3.0, 4.0]),
        ([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_ties_and_columns_that_hardly_vary(known, expected):
    assert within_fences(np.array(known)).tolist() == expected


def table_with_gaps_and_errors(seed, n=60):
    rng = np.random.default_rng(seed)

    def numbers():
        x = rng.normal(size=n).round(1)
        x[rng.random(n) < 0.2] = np.nan
        x[rng.integers(n)] = 1e5
        return x

    schema = Schema(
        (
            Numeric("a"),
            Numeric("b"),
            Nominal("c", ("x", "y")),
            Ordinal("o", ("low", "middle", "high")),
            Numeric("constant"),
            Numeric("empty"),
        )
    )
    codes = [rng.integers(-1, m, n).astype(np.int8) for m in (2, 3)]
    return Table(schema, [numbers(), numbers(), *codes, np.full(n, 2.0), np.full(n, np.nan)])


@pytest.mark.parametrize("kind", ["gower", "heom"])
@pytest.mark.parametrize("robust", [False, True])
def test_kernel_and_twins_agree(kind, robust, monkeypatch):
    table = table_with_gaps_and_errors(0)
    distance = MixedDistance.of(table, kind, robust=robust)
    index, points = MixedIndex(distance, table), distance.coordinates(table.take(np.arange(20)))
    expected, rows = index.query(points, 60)
    monkeypatch.setattr(mixed, "_FEW_CELLS", 0)
    found, same = index.query(points, 60)
    assert (found == expected).all()
    assert (same == rows).all()
    for i, row in enumerate(rows.tolist()):
        for r, d in zip(row, expected[i].tolist(), strict=True):
            terms = [distance.term(j, c[i], c[r])[0] for j, c in enumerate(table.columns)]
            whole = sum(t * t for t in terms) ** 0.5 if kind == "heom" else sum(terms) / 6
            assert d == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_what_a_glance_says_to_be_inside_is(seed):
    """Of normal, even, skewed and tied columns some are told, and none wrongly; nor are those with a gap."""
    rng = np.random.default_rng(seed)
    n = rng.integers(4, 200)
    shapes = rng.normal(size=(n, 40)), rng.random((n, 40)), rng.lognormal(sigma=2, size=(n, 40))
    cells = np.concatenate([*shapes, rng.normal(size=(n, 40)).round(), np.full((n, 1), 7.0)], axis=1)
    told = surely_inside(cells, cells.mean(axis=0), cells.std(axis=0))
    assert told.any()
    assert inside_fences(cells)[:, told].all()
    cells[0] = np.nan
    assert not surely_inside(cells, np.nanmean(cells, axis=0), np.nanstd(cells, axis=0)).any()
