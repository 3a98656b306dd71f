"""What is known of a registered learner."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

__all__ = ["Entry", "Task", "Untargeted", "Variant"]

Task = Literal["classification", "regression"]
#: What can be learnt without a target.
Untargeted = Literal["clustering", "density", "outliers", "projection"]


@dataclass(frozen=True)
class Variant:
    """A way in which a study tries a learner, and the most rows for which it has the time."""

    label: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    most_rows: int | None = None


@dataclass(frozen=True)
class Entry:
    """A registered learner.

    Parameters
    ----------
    name : what studies, model files and the command line call it
    place : module and class
    task : what it predicts, or does without a target
    summary : one line for people who choose
    baseline : whether others are measured against it
    around : the registered learner that it wraps unless told otherwise, or the learners, if it wraps several
    members : of an ensemble, the registered learners that it must beat to be offered by a study
    study : the ways in which a study tries it, if it does
    """

    name: str
    place: str
    task: Task | Untargeted
    summary: str
    baseline: bool = False
    around: str | tuple[str, ...] | None = None
    members: tuple[str, ...] = ()
    study: tuple[Variant, ...] = ()

    @property
    def cls(self) -> type:
        module, name = self.place.split(":")
        return getattr(import_module(module), name)

    def make(self, **parameters: Any) -> Any:
        """A new, unfitted learner."""
        from openbook.registry import learner

        if isinstance(self.around, str):
            parameters.setdefault("estimator", learner(self.around).make())
        elif self.around is not None:
            parameters.setdefault("estimators", [(name, learner(name).make()) for name in self.around])
        return self.cls(**parameters)
