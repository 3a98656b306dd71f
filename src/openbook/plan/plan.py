"""A study is a plan, and a plan is data: `plan.toml`.

    format = 1                    the version of this layout
    task, metric                  what is predicted, and how it is scored
    notes                         how the plan came about, in words
    [data]                        set or path, kinds, sha256
    [roles]                       target; ignore: columns that take no part
    [protocol]                    split, folds, repeats, test_share, seed
    [[learners]]                  label, learner (its registered name), parameters

Reading checks everything before anything runs, and an error names the key. What is written is read back:
`Plan.from_toml(plan.to_toml()) == plan`.
"""

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from inspect import signature
from pathlib import Path
from typing import Any, get_args

from openbook.errors import OpenbookError, PlanError, did_you_mean
from openbook.judge.metrics import DEFAULTS, metric
from openbook.plan.files import write_text
from openbook.plan.source import Source
from openbook.plan.toml import to_toml
from openbook.registry import Task, learner, name_of
from openbook.rules import check_parameters

__all__ = ["FORMAT", "Candidate", "Plan", "Protocol", "Roles", "Source"]

FORMAT = 1

#: Roles that a later version will know; the name is kept free.
_LATER_ROLES = ("id", "group", "time", "sensitive", "weight", "costs")


@dataclass(frozen=True)
class Roles:
    """What the columns are for; those not named are inputs."""

    target: str
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class Protocol:
    """How the learners are judged.

    Parameters
    ----------
    split : "cross-validation" (stratified for classes), or "leave-one-out" for fewer than 50 rows
    folds, repeats : of the cross-validation; None for leave-one-out
    test_share : the share of rows locked away for the one final test; 0 for none
    seed : of every random choice
    """

    split: str
    folds: int | None = None
    repeats: int | None = None
    test_share: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        counts = self.folds is not None and self.repeats is not None
        for wrong, message in (
            (self.split not in SPLITS, f"split must be one of {', '.join(SPLITS)}, got {self.split!r}"),
            (self.split == SPLITS[0] and not counts, "folds and repeats are needed for cross-validation"),
            (
                self.split == SPLITS[1] and counts,
                "folds and repeats mean nothing for leave-one-out; remove them",
            ),
            (self.folds is not None and self.folds < 2, f"folds must be at least 2, got {self.folds}"),
            (
                self.repeats is not None and self.repeats < 1,
                f"repeats must be at least 1, got {self.repeats}",
            ),
            (
                not 0 <= self.test_share < 1,
                f"test_share must be at least 0 and below 1, got {self.test_share:g}",
            ),
            (not 0 <= self.seed < 2**32, f"seed must be a whole number from 0 to 2**32 - 1, got {self.seed}"),
        ):
            if wrong:
                raise PlanError(f"protocol.{message}")


SPLITS = ("cross-validation", "leave-one-out")


@dataclass(frozen=True)
class Candidate:
    """A learner that takes part: its label, its registered name, and its parameters as plain values."""

    label: str
    learner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, label: str, model: Any) -> "Candidate":
        """The candidate behind a learner; parameters at their defaults are not listed."""
        usual = defaults(type(model))
        changed = {
            name: value for name, value in model.get_params(deep=False).items() if value != usual[name]
        }
        rules = type(model).rules
        check_parameters(model, rules)
        plain = {
            name: rules[name].to_json(value) if name in rules else value for name, value in changed.items()
        }
        return cls(label, name_of(model), _without_none(plain))

    def make(self) -> Any:
        """A new, unfitted learner; PlanError where a parameter is unknown or breaks its rule."""
        where = f"learners.{self.label}"
        try:
            entry = learner(self.learner)
        except OpenbookError as error:
            raise PlanError(f"{where}: {error}") from None
        known = defaults(entry.cls)
        parameters = {}
        for name, value in self.parameters.items():
            if name not in known:
                msg = f"{where}: {self.learner} has no parameter {name!r}. {did_you_mean(name, tuple(known))}"
                raise PlanError(msg)
            rule = entry.cls.rules.get(name)  # type: ignore[attr-defined]
            try:
                parameters[name] = rule.from_json(value) if rule else value
            except (OpenbookError, KeyError, TypeError, ValueError) as error:
                demand = f"must be {rule.demand()}" if rule else "cannot be read"
                raise PlanError(f"{where}: {name} {demand}, got {value!r} ({error})") from None
        try:
            model = entry.make(**parameters)
            check_parameters(model, entry.cls.rules)  # type: ignore[attr-defined]
        except (OpenbookError, TypeError) as error:
            raise PlanError(f"{where}: {error}") from None
        return model


def defaults(cls: type) -> dict[str, Any]:
    """The parameters of a learner's class, and what they are unless told otherwise."""
    return {name: parameter.default for name, parameter in signature(cls).parameters.items()}


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_none(part) for key, part in value.items() if part is not None}
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Plan:
    """All that a study is: run it with `openbook.plan.run`, or write it down and run it later."""

    data: Source
    roles: Roles
    task: Task
    metric: str
    protocol: Protocol
    learners: tuple[Candidate, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        labels = [candidate.label for candidate in self.learners]
        if not labels:
            raise PlanError("learners: a plan needs at least one; add a [[learners]] table")
        if twice := [label for label in labels if labels.count(label) > 1]:
            raise PlanError(f"learners: two are labelled {twice[0]!r}; rename one of them")

    @property
    def baselines(self) -> tuple[str, ...]:
        """The labels of the learners that others are measured against."""
        return tuple(c.label for c in self.learners if learner(c.learner).baseline)

    @property
    def ensembles(self) -> dict[str, tuple[str, ...]]:
        """The label of each ensemble, and those of its single members; without any it has none to beat."""
        teams = {
            c.label: tuple(m.label for m in self.learners if m.learner in learner(c.learner).members)
            for c in self.learners
        }
        return {label: members for label, members in teams.items() if members}

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is shown: the metric that decides, then the usual ones."""
        return (self.metric, *(name for name in DEFAULTS[self.task] if name != self.metric))

    def model(self, label: str) -> Any:
        """A new, unfitted learner of the plan; where it draws at random, from the plan's seed."""
        model = next(c for c in self.learners if c.label == label).make()
        if model.get_params(deep=False).get("random_state", 0) is None:
            model.set_params(random_state=self.protocol.seed)
        return model

    @property
    def fingerprint(self) -> str:
        """What results must share to be counted together: everything but the file's place and the notes."""
        record = self.to_record()
        del record["notes"]
        record["data"] = {key: value for key, value in record["data"].items() if key not in ("path", "set")}
        return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()

    def to_record(self) -> dict[str, Any]:
        """Plain values, in the order of the file."""
        return {
            "format": FORMAT,
            "task": self.task,
            "metric": self.metric,
            "notes": list(self.notes),
            "data": {**_plain(self.data), "kinds": dict(self.data.kinds)},
            "roles": {"target": self.roles.target, "ignore": list(self.roles.ignore)},
            "protocol": _plain(self.protocol),
            "learners": [{**_plain(c), "parameters": dict(c.parameters)} for c in self.learners],
        }

    def to_toml(self) -> str:
        return "# A study of openbook. Run it: openbook study plan.toml\n" + to_toml(self.to_record())

    def save(self, path: Path) -> None:
        """Write the plan; the way to a data file is written as seen from there."""
        data = self.data
        if data.path is not None:
            data = replace(data, path=_seen_from(path.parent, data.path))
        write_text(path, replace(self, data=data).to_toml())

    @classmethod
    def open(cls, path: Path) -> "Plan":
        """Read a plan; the way to a data file is taken as seen from there."""
        try:
            plan = cls.from_toml(path.read_text(encoding="utf-8"))
        except PlanError as error:
            raise PlanError(f"{path}: {error}") from None
        except UnicodeDecodeError:
            raise PlanError(f"{path}: not a plan, since it is not UTF-8 text") from None
        if plan.data.path is None:
            return plan
        absolute = os.path.normpath(path.parent.absolute() / plan.data.path)
        return replace(plan, data=replace(plan.data, path=absolute))

    @classmethod
    def from_toml(cls, text: str) -> "Plan":
        try:
            record = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"not TOML: {error}") from None
        return cls.from_record(record)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Plan":
        version = record.get("format")
        if version != FORMAT:
            msg = f"format must be {FORMAT}, got {version!r}; the plan may be from a newer openbook"
            raise PlanError(msg)
        part = _checked(record, "", _PLAN)
        roles = part["roles"]
        if later := [role for role in _LATER_ROLES if role in roles]:
            raise PlanError(f"roles.{later[0]} is a role that this version cannot use yet; remove it")
        data = Source(**_checked(part["data"], "data", _DATA))
        if (data.set is None) == (data.path is None):
            raise PlanError("data: give either set (a bundled set) or path (a file)")
        plan = cls(
            data=data,
            roles=Roles(**_as_tuples(_checked(roles, "roles", _ROLES))),
            task=part["task"],
            metric=part["metric"],
            protocol=Protocol(**_checked(part["protocol"], "protocol", _PROTOCOL)),
            learners=tuple(
                Candidate(**_checked(item, f"learners[{i}]", _LEARNER))
                for i, item in enumerate(part["learners"])
            ),
            notes=tuple(part.get("notes", ())),
        )
        if plan.task not in get_args(Task):
            raise PlanError(f"task must be one of {', '.join(get_args(Task))}, got {plan.task!r}")
        for candidate in plan.learners:
            candidate.make()
        try:
            metric(plan.metric, plan.task)
        except OpenbookError as error:
            raise PlanError(f"metric: {error}") from None
        return plan


#: Per table, each key's type, and whether it must be there.
_PLAN = {
    "format": (int, True),
    "task": (str, True),
    "metric": (str, True),
    "notes": (list, False),
    "data": (dict, True),
    "roles": (dict, True),
    "protocol": (dict, True),
    "learners": (list, True),
}
_DATA = {"set": (str, False), "path": (str, False), "kinds": (dict, False), "sha256": (str, False)}
_ROLES = {"target": (str, True), "ignore": (list, False)} | dict.fromkeys(_LATER_ROLES, (object, False))
_PROTOCOL = {
    "split": (str, True),
    "folds": (int, False),
    "repeats": (int, False),
    "test_share": (float, False),
    "seed": (int, False),
}
_LEARNER = {"label": (str, True), "learner": (str, True), "parameters": (dict, False)}

_WORDS = {int: "a whole number", float: "a number", str: "text", list: "a list", dict: "a table"}


def _checked(record: Any, where: str, keys: Mapping[str, tuple[type, bool]]) -> dict[str, Any]:
    """The record, if it has the keys and types that it should have."""
    if not isinstance(record, Mapping):
        raise PlanError(f"{where} must be a table, got {record!r}")
    prefix = f"{where}." if where else ""
    for key, value in record.items():
        if key not in keys:
            raise PlanError(f"unknown key {prefix}{key}. {did_you_mean(key, tuple(keys))}")
        kind = keys[key][0]
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if not fits or (isinstance(value, bool) and kind is not object):
            raise PlanError(f"{prefix}{key} must be {_WORDS[kind]}, got {value!r}")
    if absent := [key for key, (_, needed) in keys.items() if needed and key not in record]:
        raise PlanError(f"{prefix}{absent[0]} is missing")
    return {key: float(value) if keys[key][0] is float else value for key, value in record.items()}


def _as_tuples(record: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}


def _plain(part: Any) -> dict[str, Any]:
    return {f.name: getattr(part, f.name) for f in fields(part)}


def _seen_from(folder: Path, path: str) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return path
