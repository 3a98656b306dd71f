"""Cyclic columns in mixed distances: by hand, and twin, arrays and kernels alike."""

import calendar

import numpy as np
import pandas as pd
import pytest

import openbook as ob
from openbook.cluster import DBSCAN, AgglomerativeClustering, Divisive, KMedoids
from openbook.data import Nominal, Schema, Table
from openbook.neighbors import KNeighborsClassifier
from openbook.outlier import LocalOutlierFactor
from openbook.spaces import mixed
from openbook.spaces.derive import compared
from openbook.spaces.mixed import MixedDistance, MixedIndex

HOURS = Nominal("hour", tuple(map(str, range(24))), cyclic=True)
MONTHS = Nominal(
    "month", ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), cyclic=True
)
DAYS = Nominal("weekday", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), cyclic=True)


def table(attribute, *values):
    codes = [attribute.encode(value) for value in values]
    return Table(Schema((attribute,)), [np.array(codes, dtype=attribute.dtype)])


#: The column, two cells, and how far apart they are: the steps the shorter way / half of the values.
PAIRS = [
    (HOURS, "23", "1", 2 / 12),
    (HOURS, "0", "12", 1.0),
    (HOURS, "6", "9", 3 / 12),
    (HOURS, "9", "9", 0.0),
    (MONTHS, "Dec", "Jan", 1 / 6),
    (MONTHS, "Feb", "Aug", 1.0),
    (MONTHS, "Oct", "Mar", 5 / 6),
    (DAYS, "Sun", "Mon", 1 / 3),
    (DAYS, "Mon", "Fri", 1.0),
    (DAYS, "Mon", None, 1.0),
    (DAYS, None, None, 1.0),
]


@pytest.mark.parametrize("kind", ["gower", "heom"])
@pytest.mark.parametrize("few_cells", [1 << 24, 0], ids=["arrays", "kernel"])
@pytest.mark.parametrize(("attribute", "a", "b", "expected"), PAIRS)
def test_steps_the_shorter_way_round(attribute, a, b, expected, kind, few_cells, monkeypatch):
    monkeypatch.setattr(mixed, "_FEW_CELLS", few_cells)
    rows = table(attribute, a)
    index = MixedIndex(MixedDistance.of(rows, kind), rows)
    query = index.distance.coordinates(table(attribute, b))
    assert index.distances(query)[0, 0] == pytest.approx(expected)
    assert index.query(query, 1)[0][0, 0] == pytest.approx(expected)
    assert index.distance.term(0, rows.data(attribute.name)[0], table(attribute, b).data(attribute.name)[0])[
        0
    ] == (pytest.approx(expected))


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("kind", ["gower", "heom"])
def test_kernel_arrays_and_twin_agree_beside_other_columns(kind, robust, monkeypatch):
    rng = np.random.default_rng(0)
    schema = Schema((MONTHS, ob.Numeric("x"), Nominal("colour", ("red", "blue")), HOURS))
    n = 70
    rows = Table(
        schema,
        [
            rng.integers(-1, 12, n).astype(np.int8),
            np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            rng.integers(-1, 2, n).astype(np.int8),
            rng.integers(-1, 24, n).astype(np.int8),
        ],
    )
    distance = MixedDistance.of(rows, kind, robust=robust)
    index = MixedIndex(distance, rows)
    places = distance.coordinates(rows)
    arrays = index.distances(places)
    monkeypatch.setattr(mixed, "_FEW_CELLS", 0)
    np.testing.assert_array_equal(index.distances(places), arrays)
    for i, j in ((0, 1), (3, 60), (12, 40)):
        terms = [
            distance.term(k, rows.data(a.name)[i], rows.data(a.name)[j])[0] for k, a in enumerate(schema)
        ]
        total = sum(t * t for t in terms) ** 0.5 if kind == "heom" else sum(terms) / 4
        assert arrays[i, j] == pytest.approx(total)


def test_the_work_shows_the_steps():
    model = KNeighborsClassifier(1).fit(table(MONTHS, "Jan", "Jul"), ["winter", "summer"])
    assert model.predict(table(MONTHS, "Dec", "Jun")).tolist() == ["winter", "summer"]
    found = compared(model.space_, table(MONTHS, "Dec"), 0)
    assert found.distance == pytest.approx(1 / 6)
    assert found.parts[0].rows == (("month", "Dec", "Jan", "1 / 6", pytest.approx(1 / 6)),)
    assert "steps, the shorter way / 6" in str(model.work())


def test_every_learner_that_compares_rows_goes_round():
    rows = table(MONTHS, "Dec", "Jan", "Jun", "Jul")
    by_hand = np.array([[0, 1, 6, 5], [1, 0, 5, 6], [6, 5, 0, 1], [5, 6, 1, 0]]) / 6
    single = AgglomerativeClustering(2, linkage="single").fit(rows)
    dense = DBSCAN(0.2, min_samples=2).fit(rows)
    lof = LocalOutlierFactor(n_neighbors=2).fit(rows)
    for model in (single, dense, lof, KMedoids(2).fit(rows), Divisive(2).fit(rows)):
        np.testing.assert_allclose(model.space_.distances(), by_hand, err_msg=type(model).__name__)
    assert single.labels_.tolist() == dense.labels_.tolist() == [0, 0, 1, 1]


def test_the_cycle_is_part_of_the_model_file(tmp_path):
    model = KNeighborsClassifier(1).fit(table(MONTHS, "Jan", "Jul", "Oct"), ["a", "b", "c"])
    again = ob.open_model(ob.save(model, tmp_path / "m.openbook"))
    assert again.schema_ == model.schema_
    assert again.predict([{"month": "Dec"}, {"month": "Sep"}]).tolist() == ["a", "c"]


@pytest.mark.parametrize("as_source", ["file", "frame", "scan"])
def test_months_and_weekdays_by_name_go_round(as_source, tmp_path):
    """December is next to January, Sunday to Monday; the kind "nominal" leaves them as other words."""
    months = [month.upper() for month in calendar.month_name[1:]]
    days = [DAYS.values[i % 7] for i in range(12)]
    frame = pd.DataFrame({"month": months, "day": days, "cold": ["yes", "yes", *["no"] * 9, "yes"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    source = {"file": ob.read, "frame": lambda _: ob.read(frame), "scan": lambda file: ob.scan(file).read()}
    rows = source[as_source](tmp_path / "t.csv")
    assert rows.schema["month"] == Nominal("month", tuple(months), cyclic=True)
    assert rows.schema["day"] == Nominal("day", DAYS.values, cyclic=True)
    model = KNeighborsClassifier(n_neighbors=3).fit(rows.select(["month"]), rows.column("cold"))
    assert model.kneighbors([{"month": "JANUARY"}], 3)[1].tolist() == [[0, 1, 11]]
    assert not ob.read(frame, kinds={"month": "nominal"}).schema["month"].cyclic
    assert not ob.read(frame.drop(0)).schema["month"].cyclic
