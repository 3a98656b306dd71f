"""The plan of a study without a target: a `plan.toml` whose task is "exploration".

    format = 2, task, notes, [data]    as in every plan
    [roles]                            aside, id: columns; ignore: a list of them
    [groups]                           learner, parameters; most: clusters that are tried, from 1 on
    [oddities]                         learner, parameters; shown: how many of the oddest rows
    [associations]                     min_support, min_confidence, max_length
    [protocol]                         random_state

`open_plan` reads a plan of either sort.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from openbook.errors import PlanError
from openbook.plan.document import (
    FORMAT,
    Document,
    check_format,
    checked_record,
    keys_of,
    open_document,
    read_part,
    read_source,
    used,
)
from openbook.plan.parts import Candidate, plain_value, seed_fault
from openbook.plan.plan import Plan
from openbook.plan.source import Source
from openbook.registry import learner

EXPLORATION = "exploration"


@dataclass(frozen=True)
class ExploreRoles:
    """The roles of the columns; those not named are explored.

    Parameters
    ----------
    aside : a column, such as a class, that is not used, and compared with the clusters afterwards
    ignore : columns that are not used
    id : the column that names the rows
    """

    aside: str | None = None
    ignore: tuple[str, ...] = ()
    id: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column with a role, each once."""
        named = (name for name in (self.aside, self.id) if name is not None)
        return tuple(dict.fromkeys((*named, *self.ignore)))


def _check_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise PlanError(f"{name} must be at least {least}, got {value}")


@dataclass(frozen=True)
class Grouping:
    """The clusterer, by its registered name, and the most clusters that are tried."""

    learner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    most: int = 10

    def __post_init__(self) -> None:
        _check_least("groups.most", self.most, 3)


@dataclass(frozen=True)
class Spotting:
    """The outlier detector, by its registered name, and how many of the oddest rows are shown."""

    learner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    shown: int = 10

    def __post_init__(self) -> None:
        _check_least("oddities.shown", self.shown, 1)


@dataclass(frozen=True)
class Associating:
    """The least support and confidence of a rule, and the most items of both sides."""

    min_support: float = 0.1
    min_confidence: float = 0.8
    max_length: int = 4

    def __post_init__(self) -> None:
        for key in ("min_support", "min_confidence"):
            if not 0 < (value := getattr(self, key)) <= 1:
                raise PlanError(f"associations.{key} must be above 0 and at most 1, got {value:g}")
        _check_least("associations.max_length", self.max_length, 2)


@dataclass(frozen=True)
class ExplorePlan(Document):
    """A study without a target: run it with `openbook.plan.explore`."""

    files = ("plan.toml", "results.jsonl", "report.html", "model.openbook", "labels.csv")

    data: Source
    roles: ExploreRoles
    groups: Grouping
    oddities: Spotting
    associations: Associating = Associating()
    random_state: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if fault := seed_fault(self.random_state):
            raise PlanError(f"protocol.{fault}")

    def clusterer(self, n_clusters: int | None = None) -> Any:
        """A new clusterer, for so many clusters."""
        model = self._made("groups", self.groups, "clustering")
        if "n_clusters" not in model.get_params(deep=False):
            raise PlanError(f"groups.learner: {self.groups.learner} takes no number of clusters")
        return model if n_clusters is None else model.set_params(n_clusters=n_clusters)

    def detector(self) -> Any:
        """A new detector of outliers."""
        return self._made("oddities", self.oddities, "outliers")

    def _made(self, where: str, part: Grouping | Spotting, task: str) -> Any:
        model = Candidate(where, part.learner, part.parameters).seeded(self.random_state)
        if learner(part.learner).task != task:
            raise PlanError(f"{where}.learner: {part.learner} is not for {task}")
        return model

    def to_record(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "task": EXPLORATION,
            "notes": list(self.notes),
            "data": used(plain_value(self.data), "read_with", "sample", "labels"),
            "roles": used(plain_value(self.roles), "aside", "id"),
            "groups": plain_value(self.groups),
            "oddities": plain_value(self.oddities),
            "associations": plain_value(self.associations),
            "protocol": {"random_state": self.random_state},
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        check_format(record)
        keys = {key: kind for key, kind in keys_of(cls).items() if key != "random_state"}
        here = {"format": (int, True), "task": (str, True), "roles": (dict, False), "protocol": (dict, False)}
        part = checked_record(record, "", {**keys, **here})
        if part["task"] != EXPLORATION:
            raise PlanError(f"task must be {EXPLORATION!r} in a study without a target, got {part['task']!r}")
        plan = cls(
            data=read_source(part["data"]),
            roles=read_part(ExploreRoles, part.get("roles", {}), "roles"),
            groups=read_part(Grouping, part["groups"], "groups"),
            oddities=read_part(Spotting, part["oddities"], "oddities"),
            associations=read_part(Associating, part.get("associations", {}), "associations"),
            notes=tuple(part.get("notes", ())),
            **checked_record(part.get("protocol", {}), "protocol", {"random_state": (int, False)}),
        )
        plan.clusterer()
        plan.detector()
        return plan


def open_plan(path: Path) -> Plan | ExplorePlan:
    """Read a plan, whatever its task; the path of its data file is relative to the plan."""
    return open_document(path, _of_its_task)


def _of_its_task(record: Mapping[str, Any]) -> Plan | ExplorePlan:
    return (ExplorePlan if record.get("task") == EXPLORATION else Plan).from_record(record)
