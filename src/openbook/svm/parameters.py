"""What the parameters of support vector machines may be, where the plain rules do not say it."""

import math
from dataclasses import dataclass
from typing import Any

from openbook.border.rules import Anything, Number

__all__ = ["Gamma", "KernelChoice", "Penalty"]


@dataclass(frozen=True)
class Penalty(Anything):
    """A number above 0, or infinity, which JSON has no number for."""

    what: str = "a number above 0, or math.inf for a hard margin"

    def allows(self, value: Any) -> bool:
        return Number(above=0).allows(value) or (isinstance(value, float) and value == math.inf)

    def to_json(self, value: Any) -> Any:
        return "inf" if value == math.inf else super().to_json(value)

    def from_json(self, record: Any) -> Any:
        return math.inf if record == "inf" else record


@dataclass(frozen=True)
class KernelChoice(Anything):
    """A kernel by name, or a function of two matrices."""

    what: str = "'linear', 'poly', 'rbf' or a function of two matrices"

    def allows(self, value: Any) -> bool:
        return callable(value) or (isinstance(value, str) and value in ("linear", "poly", "rbf"))


@dataclass(frozen=True)
class Gamma(Anything):
    """The width of a kernel, or the name of a rule for it."""

    what: str = "'scale', 'auto' or a number above 0"

    def allows(self, value: Any) -> bool:
        return Number(above=0).allows(value) or (isinstance(value, str) and value in ("scale", "auto"))
