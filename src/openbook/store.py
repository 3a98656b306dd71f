"""The model file: data only, checked when read.

A `.openbook` file is a zip of

    model.json          format version, registry name, parameters, schema, target
    arrays/NAME.npy     the fitted arrays, read with allow_pickle=False

Reading it imports nothing by a name from the file: the learner is looked up in the registry, its parameters
are rebuilt by its rules, and its arrays must have the shapes that its schema and classes demand, and be
statistics that rows can have. Writing is atomic: the file is there whole or not at all.
"""

import hashlib
import io
import json
import math
import os
import secrets
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import openbook
from openbook import registry
from openbook.border.base import Saved
from openbook.border.profile import MOST_COLUMNS, Profile
from openbook.border.rules import check_parameters
from openbook.damage import DAMAGE, damaged
from openbook.data import SparseTable, Table, read
from openbook.data.attributes import as_text
from openbook.data.conform import conform
from openbook.data.limits import limits_of
from openbook.errors import ModelFileError, OpenbookError, ParameterError
from openbook.words.sentences import printable

#: The version of the format that is written.
FORMAT = 1

#: The most characters of a note.
_LONGEST_NOTE = 2_000

#: The most bytes of the unpacked model.json, and the most times its packed size. Arrays are stored unpacked,
#: so together they cannot be larger than the file.
_MOST_JSON = 1 << 28
_MOST_TIMES = 200
#: The types of arrays that models are made of, as they are written.
_TYPES = frozenset(map(np.dtype, ("?", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f4", "<f8")))

Arrays = dict[str, npt.NDArray[Any]]


def save(model: Any, path: str | os.PathLike[str], training: Any = None) -> Path:
    """Write a fitted learner to a file; returns its path.

    With the training inputs, the file also has the ranges of their numbers (`training_limits_`), with which
    `openbook predict` warns of rows far outside, and a profile of their columns (`training_profile_`), with
    which `model.unlike(X)` and `openbook check` compare new rows.

    Parameters
    ----------
    model : estimator
        The fitted learner.
    path : str or PathLike
        Where to write it.
    training : table-like or None, default=None
        The inputs that it was trained on.

    Returns
    -------
    Path

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> import tempfile, openbook as ob
    >>> from openbook.baseline import OneR
    >>> X, y = ob.load("weather").split("play")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = ob.open_model(ob.save(OneR().fit(X, y), f"{folder}/play.openbook"))
    >>> model.attribute_
    'outlook'
    """
    check_is_fitted(model)
    training = None if training is None else read(training, getattr(model, "schema_", None))
    arrays: Arrays = {}
    record = {"format": FORMAT, "openbook": openbook.__version__, "model": _record(model, "", arrays)}
    if note := getattr(model, "note_", ""):
        record["note"] = note
    limits = getattr(model, "training_limits_", None) if training is None else limits_of(training)
    profile = getattr(model, "training_profile_", None) if training is None else _profile(model, training)
    if profile is not None:
        record["profile"] = profile.to_json()
    if limits:
        record["limits"] = {name: list(ends) for name, ends in limits.items()}
    path = Path(path)
    if not path.parent.is_dir():
        raise ModelFileError(f"cannot save {path.name}: there is no folder {str(path.parent)!r}")
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with zipfile.ZipFile(temporary, "x") as archive:
            archive.writestr(_member("model.json"), text, compress_type=zipfile.ZIP_DEFLATED)
            for name, array in arrays.items():
                archive.writestr(_member(f"arrays/{name}.npy"), _npy(array))
        temporary.replace(path)
    except OSError as error:
        raise ModelFileError(f"cannot save {path}: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _profile(model: Any, training: Table) -> Profile | None:
    """The profile of the training rows, if the model takes them as they are."""
    schema = getattr(model, "schema_", None)
    if schema is None or any(name not in training.names for name in schema.given.names):
        return None
    if isinstance(training, SparseTable) or len(schema.unworded) > MOST_COLUMNS:
        return None
    return Profile.of(conform(training, schema.unworded), model)


def _member(name: str) -> zipfile.ZipInfo:
    """A member of the zip without the time of writing: the same model is the same bytes."""
    member = zipfile.ZipInfo(name)
    member.external_attr = 0o600 << 16
    return member


def open_model(path: str | os.PathLike[str]) -> Any:
    """Read a fitted learner from a file that `save` wrote; anything else is refused with ModelFileError.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Returns
    -------
    estimator
        The fitted learner.

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> import tempfile, openbook as ob
    >>> from openbook.baseline import OneR
    >>> X, y = ob.load("weather").split("play")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = ob.save(OneR().fit(X, y), f"{folder}/play.openbook")
    ...     print(ob.open_model(path).predict(X.head(1)))
    ['No']
    """
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(archive, size := path.stat().st_size)
            record = json.loads(_text(archive))
            arrays = {
                info.filename.removeprefix("arrays/").removesuffix(".npy"): _array(archive, info, size)
                for info in archive.infolist()
                if info.filename != "model.json"
            }
        with np.errstate(divide="raise", over="raise", invalid="raise"):  # numbers that make no model
            model = _model(_current(record), "", arrays)
            if note := record.get("note", ""):
                model.note_ = printable(str(note)[:_LONGEST_NOTE])
            if "limits" in record:
                model.training_limits_ = {str(name): _ends(ends) for name, ends in record["limits"].items()}
            if "profile" in record:
                model.training_profile_ = Profile.from_json(record["profile"], model.schema_.unworded)
            model._file = path.name  # noqa: SLF001 (what it raises is blamed on the file, see `damage`)
            return model
    except FileNotFoundError:
        raise ModelFileError(f"there is no model file {str(path)!r}") from None
    except IsADirectoryError:
        msg = f"{str(path)!r} is a folder; name the file in it, such as {str(path / 'model.openbook')!r}"
        raise ModelFileError(msg) from None
    except ModelFileError as error:
        raise ModelFileError(f"{path.name}: {error}") from None
    except DAMAGE as error:
        raise damaged(path.name, error) from error


def digest(path: str | os.PathLike[str]) -> str:
    """The digest of the model in a file, without its note and limits; empty if there is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            record = json.loads(_text(archive))["model"]
            arrays = [(info.filename, archive.read(info)) for info in archive.infolist()[1:]]
    except (*DAMAGE, OSError, ModelFileError):
        return ""
    found = hashlib.sha256(json.dumps(record).encode())
    for name, data in arrays:
        found.update(name.encode() + data)
    return found.hexdigest()


@contextmanager
def from_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Unexpected errors of a model of this file are reported as damage of the file."""
    try:
        yield
    except (OpenbookError, OSError):
        raise
    except DAMAGE as error:
        raise damaged(Path(path).name, error) from error


def _ends(ends: Any) -> tuple[float, float, float, float]:
    """The four limits of a column, in order."""
    least, most, low, high = map(float, ends)
    if not low <= least <= most <= high:
        raise ValueError("limits must be in order")
    return least, most, low, high


def _record(model: Any, prefix: str, arrays: Arrays) -> dict[str, Any]:
    """A fitted learner as JSON; its arrays, and its members' arrays, are added to `arrays`."""
    registered = registry.name_of(model)
    saved = model._saved()  # noqa: SLF001 (the learner's half of this contract)
    arrays.update({prefix + name: _plain(array) for name, array in saved.arrays.items()})
    parts = saved.members.items()
    members = {name: _record(member, f"{prefix}{name}/", arrays) for name, member in parts}
    own = {"learner": registered, "parameters": _parameters(model), "facts": saved.facts}
    return {**own, "members": members}


def _parameters(model: Any) -> dict[str, Any]:
    written = {}
    for name, value in model.get_params(deep=False).items():
        if name in type(model)._rules:
            written[name] = _jsonable(type(model)._rules[name].to_json(value))
            _check_jsonable(name, written[name])
        else:
            written[name] = _written(value)
    return written


def _written(value: Any) -> Any:
    """A parameter without a rule: a learner, a list of names and learners, of texts and learners, or None."""
    if isinstance(value, BaseEstimator):
        return {"learner": registry.name_of(value), "parameters": _parameters(value)}
    if value is None or isinstance(value, str):
        return value
    return [
        _written(one) if isinstance(one, str | BaseEstimator) else [one[0], _written(one[1])] for one in value
    ]


def _jsonable(value: Any) -> Any:
    """The value with lists for arrays, and keys in the one spelling of classes and columns."""
    if isinstance(value, Mapping):
        return {as_text(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    return _jsonable(value.tolist()) if hasattr(value, "tolist") else value


def _check_jsonable(name: str, value: Any) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        msg = f"parameter {name}={value!r} cannot be saved: only numbers, text, lists and mappings can"
        raise ParameterError(msg) from None


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array without Python objects: labels kept as objects become text or numbers."""
    plain = np.array(array.tolist()) if array.dtype == object else array
    plain = plain.astype(plain.dtype.newbyteorder("="), copy=False)
    if not _of_models(plain.dtype):
        raise ParameterError(f"labels such as {array.flat[0]!r} cannot be saved; use text or numbers")
    return plain


def _of_models(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of models can be of this type; texts are of any length."""
    return dtype in _TYPES or (dtype.kind == "U" and dtype.isnative)


def _npy(array: npt.NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _check_members(archive: zipfile.ZipFile, size: int) -> None:
    """Refuse an archive without the layout of a model file of that size."""
    arrays = [info for info in archive.infolist() if info.filename != "model.json"]
    for info in arrays:
        if not (info.filename.startswith("arrays/") and info.filename.endswith(".npy")):
            raise ModelFileError(f"it holds {info.filename!r}, which no model file does")
    name, times = Counter(archive.namelist()).most_common(1)[0]
    if times > 1:
        raise ModelFileError(f"it holds {name!r} {times} times")
    if (claimed := sum(info.file_size for info in arrays)) > size:
        raise ModelFileError(f"its arrays claim {claimed:,} bytes, but the file has {size:,}")


def _text(archive: zipfile.ZipFile) -> bytes:
    info = archive.getinfo("model.json")
    if info.file_size > min(_MOST_JSON, _MOST_TIMES * info.compress_size):
        raise ModelFileError(f"model.json claims {info.file_size:,} bytes, more than any model needs")
    return archive.read(info)


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, size: int) -> npt.NDArray[Any]:
    """A member as an array; its header is checked against its size and that of the file.

    An array without cells may claim any length, so no length may exceed the bytes of the file.
    """
    if info.compress_type != zipfile.ZIP_STORED:
        raise ModelFileError(f"{info.filename} is compressed, and arrays never are")
    buffer = io.BytesIO(archive.read(info))
    if np.lib.format.read_magic(buffer) != (1, 0):
        raise ModelFileError(f"{info.filename} is not an array of version 1.0")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(buffer)
    data = buffer.read()
    if not _of_models(dtype):
        raise ModelFileError(f"{info.filename} does not hold what models are made of: it is {dtype}")
    if by_columns or math.prod(shape) * dtype.itemsize != len(data):
        raise ModelFileError(f"{info.filename} does not hold the {dtype}{shape} that its header promises")
    if max((*shape, dtype.itemsize)) > size:
        msg = f"{info.filename} claims a length of {max(shape):,}, but the file has {size:,} bytes"
        raise ModelFileError(msg)
    if dtype.kind == "U" and (np.frombuffer(data, dtype=np.uint32) > sys.maxunicode).any():
        raise ModelFileError(f"{info.filename} holds text of characters that do not exist")
    return np.frombuffer(data, dtype=dtype).reshape(shape).copy()


def _current(record: Any) -> Any:
    """The model's record, if its format is known."""
    version = record["format"]
    if version != FORMAT:
        saver = record["openbook"]
        msg = f"it has format {version!r}, saved by openbook {saver!r}; this openbook reads format {FORMAT}"
        raise ModelFileError(msg)
    return record["model"]


def _model(record: Any, prefix: str, arrays: Arrays) -> Any:
    """The fitted learner of a record."""
    model, parts = _unfitted(record), record["members"].items()
    members = {str(name): _model(member, f"{prefix}{name}/", arrays) for name, member in parts}
    own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    model._opened(Saved(record["facts"], {n: a for n, a in own.items() if "/" not in n}, members))  # noqa: SLF001
    return model


def _unfitted(record: Any) -> Any:
    cls = registry.learner(record["learner"]).cls
    parameters = {
        name: cls._rules[name].from_json(value) if name in cls._rules else _unwritten(value)  # type: ignore[attr-defined]
        for name, value in record["parameters"].items()
    }
    model = cls(**parameters)
    check_parameters(model, cls._rules)  # type: ignore[attr-defined]
    return model


def _unwritten(record: Any) -> Any:
    """The learner or learners behind `_written`."""
    if isinstance(record, list):
        return [
            (str(one[0]), _unfitted(one[1])) if isinstance(one, list) else _unwritten(one) for one in record
        ]
    return record if record is None or isinstance(record, str) else _unfitted(record)
