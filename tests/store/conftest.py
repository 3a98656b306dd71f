"""What tests of model files share: a good file, ways to damage it, and what is then said."""

import json
import zipfile
from pathlib import Path

import pytest

from openbook import load, open_model, save
from openbook.bayes import NaiveBayes
from openbook.errors import ModelFileError


@pytest.fixture
def saved(tmp_path):
    """A small good file, to be damaged."""
    return save(NaiveBayes().fit(*load("weather_numeric").split("play")), tmp_path / "play.openbook")


@pytest.fixture(scope="session")
def refused():
    """Open a file that must be refused, in words that match."""

    def call(path, match):
        with pytest.raises(ModelFileError, match=match) as caught:
            open_model(path)
        assert Path(path).name in str(caught.value)

    return call


@pytest.fixture(scope="session")
def rewritten():
    """Write a file anew with something changed."""

    def call(path, change_record=None, change_arrays=None, extra=(), *, compress=zipfile.ZIP_STORED):
        """The file with its record or arrays changed, well formed otherwise."""
        with zipfile.ZipFile(path) as archive:
            record = json.loads(archive.read("model.json"))
            arrays = {name: archive.read(name) for name in archive.namelist() if name != "model.json"}
        if change_record:
            record = change_record(record) or record
        if change_arrays:
            change_arrays(arrays)
        with zipfile.ZipFile(path, "w", compress) as archive:
            archive.writestr("model.json", json.dumps(record))
            for name, data in (*arrays.items(), *extra):
                archive.writestr(name, data)
        return path

    return call
