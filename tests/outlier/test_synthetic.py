"""Outliers made on purpose: each kind is what it says, and detectors find those that they can see."""

import numpy as np
import pytest

import openbook as ob
from openbook.errors import DataError, ParameterError
from openbook.outlier import Mahalanobis, ZScore, evaluate_synthetic, synthetic_outliers

N = 190


@pytest.fixture(scope="module")
def table():
    """Two numbers that nearly agree, a value that tells their sign, and a text."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    y = x + 0.01 * rng.normal(size=N)
    columns = {"x": x, "y": y, "sign": np.where(x > 0, "plus", "minus"), "note": ["a note"] * N}
    return ob.read(columns, {"note": "text"})


def new_rows(table, kind):
    rows, odd = synthetic_outliers(table, kind)
    assert odd.tolist() == [False] * N + [True] * 10  # a twentieth of 200
    assert rows.schema == table.schema
    assert np.array_equal(rows.data("x")[:N], table.data("x"))
    return rows.take(np.arange(N, N + 10))


def test_global_outliers_lie_anywhere_in_the_range(table):
    new = new_rows(table, "global")
    x, low, high = new.data("x"), table.data("x").min(), table.data("x").max()
    beyond = 0.1 * (high - low)
    assert low - beyond <= x.min() < x.max() <= high + beyond
    assert np.abs(x - new.data("y")).mean() > 1  # a third of a range of about 5
    assert set(new["note"]) == {"a note"}


def test_one_cell_is_wrong(table):
    moved = {name: 5 * np.nanstd(table.data(name)) for name in ("x", "y")}
    wrong = set()
    for row in new_rows(table, "cell"):
        (like,) = [r for r in table if r["x"] == row["x"] or r["y"] == row["y"]]
        (name,) = [name for name in row if row[name] != like[name]]
        assert name == "sign" or abs(row[name] - like[name]) == pytest.approx(moved[name])
        wrong.add(name)
    assert len(wrong) > 1


def test_dependency_outliers_have_ordinary_cells(table):
    new = new_rows(table, "dependency")
    assert set(new["x"]) <= set(table["x"])
    assert set(new["sign"]) <= {"plus", "minus"}
    assert np.nanmean(np.abs(new.data("x") - new.data("y"))) > 0.3  # of ordinary rows 0.008


def test_clustered_outliers_are_alike_and_far(table):
    new = new_rows(table, "clustered")
    for name in ("x", "y"):
        spread = np.nanstd(table.data(name))
        assert new.data(name).std() == pytest.approx(0.1 * spread, rel=0.75)
        away = np.abs(new.data(name).mean() - table.data(name)) / spread
        assert np.nanmin(np.abs(away - 5)) < 0.15
    assert len(set(new["sign"])) == 1


def test_a_detector_finds_what_it_can_see(table):
    numbers = table.drop("note", "sign")
    single, joint = evaluate_synthetic(ZScore(), numbers), evaluate_synthetic(Mahalanobis(), numbers)
    # the larger of two independent |z| beats that of a row whose numbers agree in two cases of three
    assert 0.5 < single.kinds["dependency"].roc.auc < 0.85
    assert joint.kinds["dependency"].roc.auc > 0.95
    assert "It tells all kinds from the rows" in str(joint)


def test_missing_cells_and_constant_columns():
    rows = {"x": [1.0, None, 3.0, None, 2.0] * 4, "none": [None] * 20, "one": ["a"] * 20, "two": [7.0] * 20}
    table = ob.read(rows, {"none": "numeric"})
    for kind in ("global", "cell", "dependency", "clustered"):
        new, _ = synthetic_outliers(table, kind, share=0.5)
        assert len(new) == 40
        assert np.isnan(new.data("none")).all()
        assert set(new["one"]) == {"a"}
    assert not np.isnan(synthetic_outliers(table, "cell", share=0.5)[0].data("x")[20:]).any()


def test_what_cannot_be_made_is_refused(table):
    with pytest.raises(ParameterError, match="no kind of outlier 'lokal'"):
        synthetic_outliers(table, "lokal")
    with pytest.raises(ParameterError, match="between 0 and 1"):
        synthetic_outliers(table, "cell", share=1.0)
    with pytest.raises(DataError, match="there is 1 row"):
        synthetic_outliers([[1.0]], "cell")
