"""The model file of neighbours: what is in it is checked, cell by cell."""

import io
import json
import zipfile

import numpy as np
import pytest

from openbook import open_model, save
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.errors import ModelFileError
from openbook.neighbors import KNeighborsClassifier


class TestModelFile:
    @pytest.fixture
    def saved(self, tmp_path):
        table = Table(
            Schema((Numeric("x"), Nominal("c", ("a", "b")))),
            [np.array([1.0, 2.0, np.nan]), np.array([0, 1, -1])],
        )
        return save(
            KNeighborsClassifier(n_neighbors=1).fit(table, ["p", "q", "p"]), tmp_path / "near.openbook"
        )

    def rewritten(self, path, **arrays):
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        for name, array in arrays.items():
            if array is None:
                files.pop(f"arrays/{name}.npy")
                continue
            buffer = io.BytesIO()
            np.save(buffer, array)
            files[f"arrays/{name}.npy"] = buffer.getvalue()
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path

    def test_it_is_what_it_was(self, saved):
        assert open_model(saved).predict([{"x": 2.0, "c": "b"}]) == ["q"]

    HOSTILE = {
        "a code too large": ({"codes": np.array([[0], [2], [-1]], np.int32)}, "is out of range"),
        "a code too small": ({"codes": np.array([[0], [1], [-2]], np.int32)}, "is out of range"),
        "a class too many": ({"targets": np.array([0, 2, 0])}, "is out of range"),
        "a class too few": ({"targets": np.array([0, -1, 0])}, "is out of range"),
        "classes as floats": ({"targets": np.array([0.0, 1.0, 0.0])}, "'targets' is not valid: float64"),
        "no weight": ({"weights": np.array([1.0, 0.0, 1.0])}, "is out of range"),
        "weights that are none": ({"weights": np.array([1.0, np.nan, 1.0])}, "of finite numbers"),
        "weights too few": ({"weights": np.ones(2)}, "array 'weights' is"),
        "infinity": ({"numbers": np.array([[1.0], [np.inf], [2.0]])}, "is out of range"),
        "a column too many": ({"numbers": np.ones((3, 2))}, "array 'numbers' is"),
        "no numbers": ({"numbers": None}, "array 'numbers' is missing or unexpected"),
        "arrays too many": ({"more": np.ones(3)}, "array 'more' is missing or unexpected"),
        "no rows": (
            {
                "numbers": np.ones((0, 1)),
                "codes": np.ones((0, 1), np.int32),
                "targets": np.ones(0, np.intp),
                "weights": np.ones(0),
            },
            "there is no row",
        ),
        "a seed below zero": ({"seed": np.array([-1])}, "its seed must be a whole number of at least 0"),
        "no seed": ({"seed": None}, "damaged"),
        "sparse rows that lead outside": (
            {"numbers": None, "data": np.ones(1), "indices": np.array([5]), "indptr": np.array([0, 1, 1, 1])},
            "near.openbook",
        ),
    }  # fmt: skip

    @pytest.mark.parametrize("case", HOSTILE)
    def test_hostile_files(self, saved, case):
        arrays, message = self.HOSTILE[case]
        with pytest.raises(ModelFileError, match=message):
            open_model(self.rewritten(saved, **arrays))

    def test_parameters_are_checked(self, saved):
        with zipfile.ZipFile(saved) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        record = json.loads(files["model.json"])
        record["model"]["parameters"]["metric"] = "os.system"
        files["model.json"] = json.dumps(record).encode()
        with zipfile.ZipFile(saved, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        with pytest.raises(ModelFileError, match="metric must be one of 'auto'"):
            open_model(saved)
