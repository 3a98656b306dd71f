"""Measures that show their work: `entropy([9, 5])` is the number, `entropy.work([9, 5])` its derivation."""

from collections.abc import Callable
from typing import Any, TypeVar

from openbook.work import Work

Measure = TypeVar("Measure", bound=Callable[..., Any])


def derived_by(derive: Callable[..., Work]) -> Callable[[Measure], Measure]:
    """Give a measure its derivation, which takes the same numbers.

    >>> @derived_by(lambda x: Work("Twice", (), f"{x} and {x} are {2 * x}."))
    ... def twice(x):
    ...     return 2 * x
    >>> twice(2), twice.work(2).conclusion
    (4, '2 and 2 are 4.')
    """

    def decorate(measure: Measure) -> Measure:
        measure.work = derive  # type: ignore[attr-defined]
        return measure

    return decorate
