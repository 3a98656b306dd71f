"""Numbers in a model file that would take more memory or time than the file justifies."""

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest

from openbook import load, open_model, save
from openbook.baseline import OneR
from openbook.cluster import KMeans, KModes, KPrototypes
from openbook.density import HistogramDensity
from openbook.ensemble import OutputCodeClassifier
from openbook.errors import ModelFileError
from openbook.outlier import IsolationForest, IsolationLimits

MANY = 20_000_000
IRIS = load("iris").drop("species")
WEATHER = load("weather").drop("play")


@pytest.fixture
def peak():
    """The most bytes taken since the test began."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


def altered(path, parameter=None, array=None, change=None):
    """The file with MANY for a parameter, or with an array changed."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if parameter:
        record = json.loads(members["model.json"])
        record["model"]["parameters"][parameter] = MANY
        members["model.json"] = json.dumps(record).encode()
    if array:
        buffer, name = io.BytesIO(), f"arrays/{array}.npy"
        np.save(buffer, change(np.load(io.BytesIO(members[name]))))
        members[name] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("model", "table", "how"),
    [
        (KMeans(2, random_state=0), IRIS, {"parameter": "n_clusters"}),
        (KModes(2, random_state=0), WEATHER, {"parameter": "n_clusters"}),
        (KPrototypes(2, random_state=0), IRIS, {"parameter": "n_clusters"}),
        (IsolationForest(2, random_state=0), IRIS, {"parameter": "n_estimators"}),
        (IsolationLimits(2, random_state=0), IRIS, {"parameter": "n_estimators"}),
        (IsolationForest(2, random_state=0), IRIS, {"array": "psi", "change": lambda psi: psi * MANY}),
    ],
)
def test_a_number_takes_no_memory_before_the_arrays_bear_it_out(model, table, how, tmp_path, peak):
    path = altered(save(model.fit(table), tmp_path / "m.openbook"), **how)
    before = peak()
    with pytest.raises(ModelFileError, match="expected"):
        open_model(path)
    assert peak() - before < 10_000_000


def test_the_derivation_of_a_histogram_needs_no_edges_but_its_own(tmp_path, peak):
    table = IRIS.select(["sepal length (cm)"])
    path = save(HistogramDensity(5).fit(table), tmp_path / "m.openbook")
    opened = open_model(altered(path, "bins", "shape", lambda shape: np.full_like(shape, MANY)))
    before = peak()
    opened.work()
    opened.work(table.row(0))
    assert peak() - before < 10_000_000


def test_more_bins_than_values_take_no_longer(tmp_path):
    X, y = load("weather_numeric").split("play")
    model = open_model(altered(save(OneR().fit(X, y), tmp_path / "m.openbook"), "bins"))
    assert model.predict(X).tolist() == OneR(bins=1000).fit(X, y).predict(X).tolist()


def test_a_code_book_is_of_whole_numbers(tmp_path):
    X, y = load("iris").split("species")
    path = save(OutputCodeClassifier(OneR(), random_state=0).fit(X, y), tmp_path / "m.openbook")
    with pytest.raises(ModelFileError, match="its code book is not one of its classes and members"):
        open_model(altered(path, array="code_book_", change=lambda book: book.astype(float)))
