"""Files of every learner, altered at random from fixed seeds: they work, or are refused in one line.

Each array or figure is changed by itself: other types, shapes and lengths, numbers that are not finite, not
positive or huge, fields lost. Opening, predicting and deriving may raise errors of ours only, and take little
memory.
"""

import io
import json
import random
import tracemalloc
import zipfile

import numpy as np
import pytest

from openbook import load, open_model, save
from openbook.errors import ModelFileError, OpenbookError
from openbook.registry import LEARNERS
from openbook.tree import ID3, DecisionTreeClassifier, rules

#: Alterations of each learner's file.
EACH = 6
#: The most bytes that an altered file of a few kilobytes may take.
MOST = 30_000_000

CREDIT, WEATHER = load("credit", rows=40, random_state=2), load("weather")
TABLES = {
    "classification": [CREDIT.split("default"), WEATHER.split("play")],
    "regression": [load("diabetes").head(40).split("progression")],
}
WITHOUT_TARGET = [
    (load("iris").drop("species").take(np.arange(0, 150, 5)), None),
    (WEATHER.drop("play"), None),
    CREDIT.split("default"),
]
NUMBERS = [0, -1, 2, 0.5, 2**31, 2**63 - 1, 20_000_000, 1e308]


def fitted(entry):
    """The learner, small, fitted to the first table that it takes; and a few of its rows."""
    for X, y in TABLES.get(entry.task, WITHOUT_TARGET):
        learner = entry.make()
        own = learner.get_params(deep=False)
        learner.set_params(**{n: v for n, v in {"n_estimators": 2, "random_state": 0}.items() if n in own})
        try:
            return (learner.fit(X) if y is None else learner.fit(X, y)), X.head(4)
        except (OpenbookError, TypeError):
            continue
    pytest.skip("none of the tables suits it")
    return None


def use(path, X):
    """Open a file, predict and derive."""
    model = open_model(path)
    for name in ("predict", "predict_proba", "score_samples", "transform"):
        if hasattr(model, name):
            getattr(model, name)(X)
    model.work().text()
    model.work(X.take([0])).text()
    if getattr(model, "tree_", None) is not None and not hasattr(model, "lines_"):
        rules(model).text()


def places(record):
    """Every place in a record: what holds it, and its key."""
    for key, value in record.items() if isinstance(record, dict) else enumerate(record):
        yield record, key
        if isinstance(value, dict | list):
            yield from places(value)


def alter_record(record, rng):
    holder, key = rng.choice(list(places(record["model"])))
    if rng.random() < 0.2:
        del holder[key]
    else:
        holder[key] = rng.choice([*NUMBERS, None, "", "a\x1b[31mb", [], {}, True])


def alter_array(array, rng):
    changes = [
        lambda a: a.astype(rng.choice(["f8", "i8", "i4", "f4", "?", "U3"])) if a.dtype.kind != "U" else a[:0],
        np.ravel,
        np.transpose,
        lambda a: a[None],
        lambda a: a[:-1],
        lambda a: np.concatenate([a, a]),
        lambda a: np.zeros((0, 1000), a.dtype),
        lambda a: _with(a, rng.choice(NUMBERS)),
        lambda a: _with(a, np.nan),
        lambda a: _with(a, rng.choice(NUMBERS), everywhere=True),
    ]
    return rng.choice(changes)(np.atleast_1d(array))


def _with(array, number, *, everywhere=False):
    """The array with a number in the middle, or everywhere, as far as its type has it."""
    if array.dtype.kind in "iu":
        ends = np.iinfo(array.dtype)
        number = int(min(max(number if number == number else 0, ends.min), ends.max))  # noqa: PLR0124 (NaN)
    array = array.copy()
    with np.errstate(over="ignore"):
        array.reshape(-1)[slice(None) if everywhere else slice(array.size // 2, array.size // 2 + 1)] = number
    return array


def alter(members, rng):
    """One member of an archive changed."""
    members = dict(members)
    arrays = [name for name in members if name != "model.json"]
    if not arrays or rng.random() < 0.4:
        record = json.loads(members["model.json"])
        alter_record(record, rng)
        members["model.json"] = json.dumps(record).encode()
        return members
    buffer, name = io.BytesIO(), rng.choice(arrays)
    np.save(buffer, alter_array(np.load(io.BytesIO(members[name])), rng))
    members[name] = buffer.getvalue()
    return members


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("entry", LEARNERS.values(), ids=lambda entry: entry.name)
def test_altered_files_work_or_are_refused_in_one_line(entry, tmp_path):
    model, X = fitted(entry)
    path = save(model, tmp_path / "m.openbook")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for seed in range(EACH):
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in alter(members, random.Random(f"{entry.name} {seed}")).items():
                archive.writestr(name, data)
        tracemalloc.start()
        said = ""
        try:
            use(path, X)
        except OpenbookError as error:
            said = str(error)
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert said.isprintable(), repr(said)
        assert peak < MOST


def change_array(path, name, change):
    with zipfile.ZipFile(path) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    buffer = io.BytesIO()
    np.save(buffer, change(np.load(io.BytesIO(members[f"arrays/{name}.npy"]))))
    members[f"arrays/{name}.npy"] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    return path


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of casts that numpy tells of first
def test_what_only_a_derivation_shows_is_blamed_on_the_file(tmp_path):
    """The cuts that lost are looked at by `work` alone, which used to raise a bare error."""
    X, y = CREDIT.split("default")
    path = save(ID3().fit(X, y), tmp_path / "default.openbook")
    model = open_model(change_array(path, "candidates.cut", lambda a: np.full_like(a, 1e308)))
    with pytest.raises(ModelFileError, match=r"^default\.openbook is damaged or not a model file"):
        model.work()
    model.fit(X, y)
    assert model.work().text()  # another model, and no longer of the file


def test_mistakes_of_the_user_are_not_blamed_on_the_file(tmp_path):
    X, y = WEATHER.split("play")
    model = open_model(save(ID3().fit(X, y), tmp_path / "play.openbook"))
    with pytest.raises(OpenbookError, match="takes one row"):
        model.work(X)
    with pytest.raises(OpenbookError, match="no column"):
        model.work({"odd": 1})


@pytest.mark.parametrize("dtype", ["f2", ">f8"])
def test_types_that_no_model_is_made_of(tmp_path, dtype):
    X, y = load("iris").split("species")
    path = save(DecisionTreeClassifier().fit(X, y), tmp_path / "m.openbook")
    with pytest.raises(ModelFileError, match="does not hold what models are made of"):
        open_model(change_array(path, "tree.cut", lambda a: a.astype(dtype)))


def test_labels_of_another_order_of_bytes_can_be_saved(tmp_path):
    y = np.array([1, 2] * 5, dtype=">i4")
    model = open_model(save(ID3().fit([["a"], ["b"]] * 5, y), tmp_path / "m.openbook"))
    assert model.predict([["a"], ["b"]]).tolist() == [1, 2]
