"""The files of a study: commands accept its folder in their place."""

from pathlib import Path

from openbook.errors import PlanError

__all__ = ["model_file", "plan_file"]


def model_file(given: Path) -> Path:
    """A model file, or that of a study's folder."""
    return _inside(given, "model.openbook")


def plan_file(given: Path) -> Path:
    """A plan, or that of a study's folder."""
    return _inside(given, "plan.toml")


def _inside(given: Path, name: str) -> Path:
    if not given.is_dir():
        return given
    if not (given / name).is_file():
        raise PlanError(f"{given} has no {name}; name the folder of a study that `openbook study` has run")
    return given / name
