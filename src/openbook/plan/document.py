"""The base of all plans: written as TOML, read back completely, and identified by a fingerprint."""

import hashlib
import json
import os
import tomllib
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from openbook.data.remote import is_address
from openbook.errors import OpenbookError, PlanError, did_you_mean
from openbook.plan.files import write_text
from openbook.plan.source import READ_WITH, Source
from openbook.plan.toml import to_toml

FORMAT = 2

#: What may differ between plans that share their results.
_OF_THE_END = ("notes", "choose", "margin", "questions")

_WORDS = {int: "a whole number", float: "a number", str: "text", list: "a list", dict: "a table"}


class Document:
    """A plan as a file."""

    data: Source
    #: What a study leaves in its folder.
    files: ClassVar[tuple[str, ...]]

    @abstractmethod
    def to_record(self) -> dict[str, Any]:
        """Plain values, in the order of the file; what is not used is left out."""

    @classmethod
    @abstractmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The plan behind such values; PlanError where a part is missing, unknown or not as it should be."""

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read a plan from its text.

        Parameters
        ----------
        text : str
            The text of a plan.toml.

        Returns
        -------
        Document
        """
        return cls.from_record(parse_document(text))

    @property
    def fingerprint(self) -> str:
        """The digest of all that results depend on.

        It covers everything but the path of the file, the notes, and the rule for the choice.
        """
        record = {key: part for key, part in self.to_record().items() if key not in _OF_THE_END}
        record["data"] = {key: value for key, value in record["data"].items() if key not in ("path", "set")}
        return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()

    def to_toml(self) -> str:
        """The plan as the text of a plan.toml."""
        return "# A study of openbook. Run it: openbook study plan.toml\n" + to_toml(self.to_record())

    def save(self, path: Path) -> None:
        """Write the plan; the path of a data file is written relative to the plan.

        Parameters
        ----------
        path : Path
            The file.
        """
        data = self.data
        if data.path is not None:
            data = replace(data, path=_relative_to(path.parent, data.path))
        write_text(path, replace(self, data=data).to_toml())  # type: ignore[type-var]  # plans are dataclasses


D = TypeVar("D", bound=Document)
P = TypeVar("P")


def open_document(path: Path, make: Callable[[Mapping[str, Any]], D]) -> D:
    """Read a plan; the path of its data file is relative to the plan."""
    try:
        plan = make(parse_document(path.read_text(encoding="utf-8")))
    except PlanError as error:
        raise PlanError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise PlanError(f"{path}: not a plan, since it is not UTF-8 text") from None
    if plan.data.path is None or is_address(plan.data.path):
        return plan
    absolute = os.path.normpath(path.parent.absolute() / plan.data.path)
    return replace(plan, data=replace(plan.data, path=absolute))  # type: ignore[type-var]


def parse_document(text: str) -> dict[str, Any]:
    """The record that TOML holds."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"not TOML: {error}") from None


def check_format(record: Mapping[str, Any]) -> None:
    """PlanError if the version of the plan is unknown."""
    version = record.get("format")
    if version not in range(1, FORMAT + 1):
        raise PlanError(f"format must be 1 or {FORMAT}, got {version!r}; it may be from a newer openbook")


def read_source(record: Any) -> Source:
    """The part of a plan that says where the rows come from."""
    data = read_part(Source, record, "data")
    if odd := [key for key in data.read_with if key not in READ_WITH]:
        raise PlanError(f"unknown key data.read_with.{odd[0]}. {did_you_mean(odd[0], READ_WITH)}")
    if (data.set is None) == (data.path is None):
        raise PlanError("data: give either set (a bundled set) or path (a file)")
    return data


def checked_record(record: Any, where: str, keys: Mapping[str, tuple[type, bool]]) -> dict[str, Any]:
    """The record, if it has the right keys and types; else PlanError.

    Parameters
    ----------
    record : a table of the plan
    where : its name; "" for the whole plan
    keys : for each key its type, and whether it is required
    """
    if not isinstance(record, Mapping):
        raise PlanError(f"{where} must be a table, got {record!r}")
    prefix = f"{where}." if where else ""
    for key, value in record.items():
        if key not in keys:
            raise PlanError(f"unknown key {prefix}{key}. {did_you_mean(key, tuple(keys))}")
        kind = keys[key][0]
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if not fits or isinstance(value, bool):
            raise PlanError(f"{prefix}{key} must be {_WORDS[kind]}, got {value!r}")
    if absent := [key for key, (_, needed) in keys.items() if needed and key not in record]:
        raise PlanError(f"{prefix}{absent[0]} is missing")
    return {key: float(value) if keys[key][0] is float else value for key, value in record.items()}


def read_part(cls: type[P], record: Any, where: str) -> P:
    """The part of a plan that a table holds, checked by the fields of its class."""
    checked = checked_record(record, where, keys_of(cls))
    return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in checked.items()})


def read_parts(cls: type[P], records: Collection[Any], where: str) -> tuple[P, ...]:
    """The parts of a plan that a list of tables holds."""
    return tuple(read_part(cls, record, f"{where}[{i}]") for i, record in enumerate(records))


def keys_of(cls: Any) -> dict[str, tuple[type, bool]]:
    """The keys of the table that holds a part of this class: their types, and whether each is required."""
    hints = get_type_hints(cls)
    return {
        each.name: (_type_in_toml(hints[each.name]), each.default is each.default_factory is MISSING)
        for each in fields(cls)
    }


def _type_in_toml(hint: Any) -> type:
    if get_origin(hint) in (Union, UnionType):  # what is None is left out
        return _type_in_toml(get_args(hint)[0])
    kind = get_origin(hint) or hint
    if kind is Literal:
        return str
    if is_dataclass(kind) or issubclass(kind, Mapping):
        return dict
    return list if kind is tuple else kind


@contextmanager
def blamed_on(part: str) -> Iterator[None]:
    """Errors inside the block become errors of this part of the plan."""
    try:
        yield
    except OpenbookError as error:
        raise PlanError(f"{part}: {error}") from None


def used(record: dict[str, Any], *optional: str) -> dict[str, Any]:
    """The record without those of the optional parts that are empty."""
    return {key: part for key, part in record.items() if part or key not in optional}


def _relative_to(folder: Path, path: str) -> str:
    if is_address(path):
        return path
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return path
