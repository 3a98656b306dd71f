"""Gross errors come first, whatever they do to the range of their column; clean tables have none."""

import numpy as np
import pytest

from openbook.data import Numeric, Schema, Table
from openbook.outlier import IsolationForest, IsolationLimits, oddest


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [400, 1_000])
def test_gross_errors_are_among_the_five_oddest(seed, n, people):
    table, rows = people(seed, n)
    model = IsolationLimits(random_state=0).fit(table)
    scores = model.oddness(table)
    assert set(rows.tolist()) <= set(np.argsort(-scores)[:5].tolist())
    named = [model.reasons(table.take([row])).ranked[0].attribute for row in rows.tolist()]
    assert named == ["age", "amount", "income"]
    assert (model.predict(table)[rows] == -1).all()


@pytest.mark.parametrize("seed", range(5))
def test_clean_tables_score_as_the_forest_does(seed, people):
    table, _ = people(seed, 500, gross=False)
    ours = IsolationLimits(random_state=0).fit(table).oddness(table)
    forest = IsolationForest(random_state=0).fit(table).oddness(table)
    assert (ours != forest).mean() < 0.01
    assert (ours > 0.6).sum() - (forest > 0.6).sum() <= 1


def test_the_limits_by_hand():
    """Of 0, 1, …, 100: quantiles 5 and 95, median 50, so 95 + 45 a scores a / (a + 2)."""
    model = IsolationLimits(random_state=0).fit(np.arange(101.0)[:, None])
    assert model.limits_.tolist() == [[5.0, 95.0]]
    assert model.halves_.tolist() == [[45.0, 45.0]]
    assert model.oddness([[95.0 + 45 * 18]])[0] == pytest.approx(18 / 20)
    assert model.oddness([[5.0 - 45 * 18]])[0] == pytest.approx(18 / 20)
    work = model.work([905.0]).text()
    assert "18" in work
    assert model.oddness([[np.nan]])[0] < 0.9


def test_a_column_that_hardly_varies_has_limits_too():
    column = np.zeros(200)
    column[7] = 9_999.0
    table = Table(Schema((Numeric("x"), Numeric("y"))), [column, np.arange(200.0)])
    assert IsolationLimits(random_state=0).fit(table).oddness(table).argmax() == 7


def test_figures_of_different_kinds_are_explained_row_by_row():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(200, 2)), [[250.0, 0.0], [4.0, 4.0]]])
    told = oddest(IsolationLimits(random_state=0).fit(rows), rows, 3).work().parts[0].note
    assert told.startswith("In brackets: of row 200, how far outside its column's limits")
    assert "In brackets: of rows " in told
    assert ", splits saved by the attribute" in told
