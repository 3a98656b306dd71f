"""What the parameters of support vector machines may be, where the plain rules do not say it."""

from dataclasses import dataclass
from typing import Any

from openbook.border.rules import Anything

__all__ = ["KernelChoice"]


@dataclass(frozen=True)
class KernelChoice(Anything):
    """A kernel by name, or a function of two matrices."""

    what: str = "'linear', 'poly', 'rbf' or a function of two matrices"

    def allows(self, value: Any) -> bool:
        return callable(value) or (isinstance(value, str) and value in ("linear", "poly", "rbf"))
