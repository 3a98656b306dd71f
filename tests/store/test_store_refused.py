"""What the model file refuses: damaged, foreign and hostile files."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

from openbook import load, save
from openbook.baseline import ZeroR
from openbook.bayes import NaiveBayes
from openbook.decide import MinimumRisk

WEATHER = load("weather_numeric")


X, Y = WEATHER.split("play")


COSTS = {"Yes": {"No": 9}, "No": {"Yes": 1}}


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def array_in(data):
    return np.load(io.BytesIO(data)).copy()


def test_no_file_and_no_model(tmp_path, refused):
    refused(tmp_path / "none.openbook", "there is no model file '.*none.openbook'")
    refused(tmp_path, r"is a folder; name the file in it, such as '.*model\.openbook'")
    for content in (b"", b"PK", b"not a zip at all" * 100, pickle.dumps({"a": 1})):
        (tmp_path / "odd.openbook").write_bytes(content)
        refused(tmp_path / "odd.openbook", "is damaged or not a model file .*save it again")


def test_a_zip_of_something_else(tmp_path, refused):
    path = tmp_path / "photos.openbook"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("holiday.jpg", b"")
    refused(path, "it holds 'holiday.jpg', which no model file does")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("arrays/classes_.npy", npy(np.array([1, 2])))
    refused(path, "damaged or not a model file .*model.json")
    with zipfile.ZipFile(path, "w") as archive:
        pass
    refused(path, "photos.openbook")


@pytest.mark.parametrize("size", [0, 1, 21, 22, 100, 1000, -1, -30])
def test_a_cut_file(saved, size, refused):
    whole = saved.read_bytes()
    saved.write_bytes(whole[:size])
    refused(saved, "damaged or not a model file")


def test_a_newer_format(saved, refused, rewritten):
    rewritten(saved, lambda record: record.update(format=2, openbook="9.0"))
    refused(saved, "it has format 2, saved by openbook '9.0'; this openbook reads format 1")


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        3,
        "text",
        {},
        {"format": 1},
        {"format": 1, "model": []},
        {"format": 1, "model": {"learner": 3}},
    ],
    ids=repr,
)
def test_a_record_that_is_none(saved, record, refused):
    with zipfile.ZipFile(saved, "w") as archive:
        archive.writestr("model.json", json.dumps(record))
    refused(saved, "damaged or not a model file")


def test_records_that_are_no_json(saved, refused):
    for text in ("{", "\xff", "[" * 100_000, '{"format": NaN}', ""):
        with zipfile.ZipFile(saved, "w") as archive:
            archive.writestr("model.json", text.encode("latin-1"))
        refused(saved, "damaged or not a model file|it has format")


def change(*path, to):
    """A change of one entry of the record's model."""

    def apply(record):
        entry = record["model"]
        for step in path[:-1]:
            entry = entry[step]
        entry[path[-1]] = to

    return apply


BROKEN = {
    "unknown learner": (change("learner", to="os.system"), "no learner 'os.system'"),
    "another learner": (change("learner", to="one_r"), "damaged"),
    "a learner of numbers": (change("learner", to="zero_regressor"), "damaged"),
    "unknown parameter": (change("parameters", "shell", to="rm"), "damaged"),
    "a learner as parameter": (
        change("parameters", "shell", to={"learner": "one_r", "parameters": {}}),
        "shell",
    ),
    "broken rule": (change("parameters", "variance", to="huge"), "variance must be one of 'mle', 'sample'"),
    "unknown value": (change("parameters", "smoothing", "type", to="Popen"), "unknown value 'Popen'"),
    "broken value": (change("parameters", "smoothing", "alpha", to=-1), "alpha must be a number above 0"),
    "value of a wrong type": (change("parameters", "smoothing", "alpha", to="a"), "damaged"),
    "value with a wrong field": (change("parameters", "smoothing", "beta", to=1), "damaged"),
    "broken priors": (
        change("parameters", "priors", to=[0.5, 0.6]),
        "priors must not be negative and must sum to 1",
    ),
    "priors of no sort": (change("parameters", "priors", to="even"), "priors must be None, a sequence or"),
    "a wrong distribution": (
        change("parameters", "distributions", to={"outlook": "gaussian"}),
        "gaussian needs numbers",
    ),
    "distributions of no sort": (change("parameters", "distributions", to=7), "distributions must be"),
    "no schema": (change("facts", "schema", to={}), "a schema needs a list of attributes"),
    "a schema of no sort": (change("facts", "schema", to=[1]), "damaged"),
    "unknown kind": (change("facts", "schema", "attributes", 0, "kind", to="lambda"), "not an attribute"),
    "values of no sort": (
        change("facts", "schema", "attributes", 0, "values", to=[1, 2]),
        "must be a list of strings",
    ),
    "a value twice": (
        change("facts", "schema", "attributes", 0, "values", to=["a", "a", "b"]),
        "lists the value 'a' twice",
    ),
    "more values than counted": (
        change("facts", "schema", "attributes", 0, "values", to=list("abcd")),
        "expected float64",
    ),
    "a column twice": (
        change("facts", "schema", "attributes", 1, "name", to="outlook"),
        "two columns are called 'outlook'",
    ),
    "a column of text": (
        change("facts", "schema", "attributes", 1, to={"kind": "text", "name": "t"}),
        "text column 't'",
    ),
    "numbers of no sort": (change("facts", "numeric", to="exec"), "'exec' is not a distribution"),
    "numbers without a word": (change("facts", "numeric", to=["gaussian"]), "damaged"),
    "no facts": (change("facts", to=None), "damaged"),
    "no members": (change("members", to=None), "damaged"),
    "strange members": (change("members", to={"estimator": {}}), "damaged"),
}


@pytest.mark.parametrize(("how", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_record(saved, how, message, refused, rewritten):
    rewritten(saved, how)
    refused(saved, message)


CLASSES = "arrays/classes_.npy"


WEIGHTS = "arrays/classes.npy"


def set_array(name, array, **options):
    return lambda arrays: arrays.update({name: npy(array, **options)})


def edit(part, value, where=(0, 0)):
    """Set a cell of the first array whose name has that part."""

    def apply(arrays):
        name = next(name for name in arrays if part in name)
        array = array_in(arrays[name])
        array[where if array.ndim == 2 else where[0]] = value
        arrays[name] = npy(array)

    return apply


BROKEN_ARRAYS = {
    "pickled objects": (
        set_array(CLASSES, np.array(["a", print], dtype=object), allow_pickle=True),
        "does not hold",
    ),
    "complex numbers": (set_array(WEIGHTS, np.array([1j, 2])), "does not hold"),
    "dates": (set_array(CLASSES, np.array(["2020-01-01"], dtype="M8[D]")), "does not hold"),
    "records": (set_array(CLASSES, np.zeros(2, dtype=[("a", "f8")])), "does not hold"),
    "columns first": (
        set_array("arrays/parts.1.mean.npy", np.asfortranarray(np.zeros((2, 2)))),
        "does not hold",
    ),
    "no array": (lambda arrays: arrays.update({WEIGHTS: b"something else"}), "damaged"),
    "nothing": (lambda arrays: arrays.update({WEIGHTS: b""}), "damaged"),
    "a cut array": (lambda arrays: arrays.update({WEIGHTS: arrays[WEIGHTS][:-4]}), "does not hold"),
    "a long array": (lambda arrays: arrays.update({WEIGHTS: arrays[WEIGHTS] + b"more"}), "does not hold"),
    "another version": (
        lambda arrays: arrays.update({WEIGHTS: b"\x93NUMPY\x02\x00" + arrays[WEIGHTS][8:]}),
        "is not an array of version 1.0",
    ),
    "a wrong shape": (
        set_array(WEIGHTS, np.ones(3)),
        r"array 'classes' is float64\(3,\), expected float64\(2,\)",
    ),
    "a wrong type": (set_array(WEIGHTS, np.ones(2, dtype=np.float32)), "is float32"),
    "a wrong order of bytes": (set_array(WEIGHTS, np.ones(2, dtype=">f8")), "is >f8"),
    "one too few": (lambda arrays: arrays.pop(WEIGHTS), "array 'classes' is missing or unexpected"),
    "one too many": (set_array("arrays/extra.npy", np.ones(2)), "array 'extra' is missing or unexpected"),
    "no classes": (lambda arrays: arrays.pop(CLASSES), "damaged"),
    "classes of no length": (
        set_array(CLASSES, np.array([], dtype="U3")),
        "must be a list of distinct labels",
    ),
    "classes in a square": (
        set_array(CLASSES, np.array([["No", "Yes"]])),
        "must be a list of distinct labels",
    ),
    "no such characters": (
        set_array(CLASSES, np.array([0x4E, 0xBE000059], dtype=np.uint32).view("U1")),
        "holds text of characters that do not exist",
    ),
    "one class twice": (set_array(CLASSES, np.array(["No", "No"])), "must be a list of distinct labels"),
    "three classes": (set_array(CLASSES, np.array(["No", "Yes", "So"])), "expected float64"),
    "NaN": (edit("mean", np.nan), "its statistics are not finite"),
    "infinity": (edit("tables", np.inf), "its statistics are not finite"),
    "a count below zero": (edit("tables", -1), "a weight is negative, or missing"),
    "a scatter below zero": (edit("scatter", -1), "a weight is negative, or missing"),
    "a weight below zero": (edit("classes.npy", -1), "a weight is negative, or missing"),
    "no rows": (set_array(WEIGHTS, np.zeros(2)), "a weight is negative, or missing"),
    "numbers without measure": (edit("scatter", 1e308, (slice(None), slice(None))), "damaged"),
}


@pytest.mark.parametrize(("how", "message"), BROKEN_ARRAYS.values(), ids=BROKEN_ARRAYS.keys())
def test_broken_arrays(saved, how, message, refused, rewritten):
    rewritten(saved, change_arrays=how)
    refused(saved, message)


SAMPLES = {
    "not in order": lambda v, w: (v[::-1], w),
    "values twice": lambda v, w: (np.full_like(v, v[0]), w),
    "no weight": lambda v, w: (v, np.zeros_like(w)),
    "a weight below zero": lambda v, w: (v, -w),
    "fewer weights": lambda v, w: (v, w[:-1]),
    "a square": lambda v, w: (v[None], w[None]),
    "another type": lambda v, w: (v.astype(np.float32), w.astype(np.float32)),
}


@pytest.mark.parametrize("how", SAMPLES.values(), ids=SAMPLES.keys())
def test_broken_samples(tmp_path, how, refused, rewritten):
    path = save(
        NaiveBayes(distributions="kernel").fit([[1.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1]), tmp_path / "m"
    )

    def apply(arrays):
        names = [f"arrays/parts.0.{part}.0.0.npy" for part in ("values", "weights")]
        changed = how(*(array_in(arrays[name]) for name in names))
        arrays.update(zip(names, map(npy, changed), strict=True))

    rewritten(path, change_arrays=apply)
    refused(
        path,
        "values must be finite and in increasing order, and weights above 0|float64 arrays of one length",
    )


def test_a_member_that_is_no_classifier(tmp_path, refused, rewritten):
    path = save(MinimumRisk(ZeroR()).fit(X, Y), tmp_path / "m.openbook")
    rewritten(path, lambda record: record["model"]["members"]["estimator"].update(learner="zero_regressor"))
    refused(path, "damaged or not a model file")


def test_costs_that_do_not_fit_the_classes(tmp_path, refused, rewritten):
    path = save(MinimumRisk(ZeroR()).fit(X, Y), tmp_path / "m.openbook")
    rewritten(path, change("parameters", "costs", to=[[0, 1, 2]] * 3))
    refused(path, "costs")
