"""The contract of a likelihood: some columns of a naive Bayes model under one kind of distribution.

A likelihood adds up statistics over chunks, turns them into estimates, scores rows with its kernel, and
derives each factor by hand. The derivation starts from the statistics, not from what the kernel uses, so it
is also the kernel's oracle.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from openbook.data import Numeric, Schema, Table
from openbook.errors import ParameterError
from openbook.fold import Statistics
from openbook.work import Step, Work


class Factor(NamedTuple):
    """One factor of the product P(x | class): its derivation, and its logarithm (0 if it is left out)."""

    step: Step
    log: float


class Likelihood(ABC):
    """Some columns under one kind of distribution."""

    #: The name by which `NaiveBayes(distributions=…)` asks for it, and what it needs, in words.
    name: ClassVar[str]
    needs: ClassVar[str]

    def __init__(self, schema: Schema) -> None:
        usable = self.usable(schema)
        if len(usable) < len(schema):
            odd = next(a for a in schema if a.name not in usable)
            raise ParameterError(f"column {odd.name!r} is {odd.kind}; {self.name} needs {self.needs}")
        self.schema = schema
        self.notes: list[str] = []

    @classmethod
    @abstractmethod
    def usable(cls, schema: Schema) -> tuple[str, ...]:
        """The columns that can have this distribution."""

    @abstractmethod
    def zero(self, n_classes: int) -> Statistics:
        """The statistics of no rows."""

    @abstractmethod
    def statistics(self, X: Table, y: np.ndarray, w: np.ndarray, n_classes: int) -> Statistics:
        """What a chunk adds."""

    def solve(self, statistics, labels: Sequence[str], target: str, has_rows: np.ndarray) -> None:
        """Estimate from the statistics of all rows; a declared class may have none."""
        self.labels, self.has_rows = labels, has_rows
        self.truths = [f"{target} = {label}" for label in labels]
        self._solve(statistics)

    @abstractmethod
    def _solve(self, statistics) -> None:
        """Estimate; put what the user should know into `notes`."""

    @abstractmethod
    def add_scores(self, X: Table, scores: np.ndarray) -> None:
        """Add the log-likelihood of each row under each class to scores (n_rows, n_classes)."""

    def log_prior(self) -> float:
        """The logarithm of the smoothing's prior density at the estimates, up to a constant: the term that it
        adds to the log-likelihood which the estimates maximise.
        """
        return 0.0

    @abstractmethod
    def factor(self, X: Table, name: str, c: int) -> Factor:
        """Derive the factor of one column of a one-row table for class c."""

    def factors(self, X: Table, c: int) -> Iterator[Factor]:
        """Derive the factor of every column."""
        for name in self.schema.names:
            yield self.factor(X, name, c)

    @abstractmethod
    def learnt(self) -> Iterator[Work]:
        """Derive the estimates, a work for each column."""

    @abstractmethod
    def counted(self) -> Iterator[tuple[str, str, list[float], list[float | None]]]:
        """What was counted: column, value, and for each class the weight of its rows and its estimate."""

    @abstractmethod
    def sampled(self, classes: np.ndarray, rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
        """Cells drawn for rows of these classes: the name and the data of each column."""

    @abstractmethod
    def size(self) -> int:
        """The number of free parameters."""


class ApartColumns(Likelihood):
    """Columns each of whose factors is the same whatever other columns there are."""

    def add_scores(self, X: Table, scores: np.ndarray) -> None:
        for name in self.schema.names:
            self.add_column(X, name, scores)

    @abstractmethod
    def add_column(self, X: Table, name: str, scores: np.ndarray) -> None:
        """Add the log-likelihood of one column alone."""


class NumberColumns(ApartColumns):
    """Such columns if they are numbers."""

    needs = "numbers"

    @classmethod
    def usable(cls, schema: Schema) -> tuple[str, ...]:
        return schema.of(Numeric)


def left_out(name: str, truth: str, why: str) -> Factor:
    """A column without information: a factor of 1."""
    return Factor(Step(given(name, truth), result=1, note=f"{why}: left out"), 0.0)


def given(event: str, truth: str, letter: str = "P") -> str:
    """The label of a conditional probability: P(owner = No | cheat = Yes)."""
    return f"{letter}({event} | {truth})"
