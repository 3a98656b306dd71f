"""The input of commands: tables from files and bundled sets, and the files of a study from its folder."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from openbook.data import Table, load, read
from openbook.errors import PlanError
from openbook.plan.explore_plan import open_plan
from openbook.plan.source import Source


def open_table(
    source: str, kinds: Any = None, read_with: Mapping[str, Any] | None = None, *, sampled: bool = False
) -> Table:
    """The table of a file or a bundled set; `kinds` may be the schema of a model, to read rows for it.

    sampled : of files larger than memory, a random sample of the rows, as the table's notes then say
    """
    if source == "-":
        return read(source, kinds, **(read_with or {}))
    origin = Source.of(source, kinds if sampled else None, read_with)
    if sampled and origin.sample:
        return origin.read()
    return read(load(origin.set), kinds) if origin.set else read(origin.path, kinds, **origin.read_with)


def default_target(source: str) -> str | None:
    return None if source == "-" else Source.of(source).default_target()


def study_file(given: Path, name: str = "model.openbook") -> Path:
    """A file of a study, for which commands accept the folder of the study, too."""
    if not given.is_dir():
        return given
    if not (given / name).is_file():
        raise PlanError(f"{given} has no {name}; name the folder of a study that `openbook study` has run")
    return given / name


def as_in_study(model: Path, read_with: Mapping[str, Any]) -> dict[str, Any]:
    """The options to read new rows for a model: what means missing is as in its study, unless it is given."""
    plan = model.with_name("plan.toml")
    used: Mapping[str, Any] = {}
    with suppress(PlanError):
        used = open_plan(plan).data.read_with if plan.is_file() else {}
    return {name: used[name] for name in ("missing", "missing_in") if name in used} | dict(read_with)
