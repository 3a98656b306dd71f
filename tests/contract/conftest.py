"""Every registered learner under every set of parameters that studies try, with a table that it can fit."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import openbook.border.rows
from openbook import load, registry
from openbook.data import Column, Ordinal, Table

SMALL = {"n_estimators": 3, "random_state": 0}


@dataclass(frozen=True)
class Case:
    """A learner to be held to the contract."""

    entry: registry.Entry
    parameters: dict[str, Any] = field(default_factory=dict)

    def make(self) -> Any:
        """A learner of few members, where it has any, and of one mind, where it draws."""
        learner = self.entry.make(**self.parameters)
        own = learner.get_params(deep=False)
        return learner.set_params(**{name: value for name, value in SMALL.items() if name in own})

    @property
    def classifies(self) -> bool:
        return self.entry.task == "classification"

    @property
    def target(self) -> str:
        return "default" if self.classifies else "progression"

    @cached_property
    def table(self) -> Table:
        """Mixed kinds with gaps where classes are asked for; plain numbers elsewhere."""
        return load("credit", rows=300, random_state=2) if self.classifies else load("diabetes").head(300)

    @cached_property
    def X(self) -> Table:  # noqa: N802 (the field's own name)
        return self.table.drop(self.target)

    @cached_property
    def y(self) -> Column:
        return self.table.column(self.target)

    @property
    def ordinal(self) -> dict[str, Ordinal]:
        """The columns whose values have an order, which not every form of a table can say."""
        return {a.name: a for a in self.X.schema if isinstance(a, Ordinal)}

    def fitted(self) -> Any:
        """A model of its own, for a test that teaches it more, or fits under other conditions."""
        return self.make().fit(self.X, self.y)

    @cached_property
    def model(self) -> Any:
        """The model that all tests share; they ask it, and teach it nothing."""
        return self.fitted()

    @cached_property
    def expected(self) -> Any:
        """What it says of the rows that it was fitted on."""
        return self.answers(self.model, self.X)

    def answers(self, model: Any, X: Any) -> Any:
        """What the model says of rows, as fully as it can."""
        return model.predict_proba(X) if self.classifies else model.predict(X)


CASES = {
    " ".join([entry.name, *map(str, parameters.values())]): Case(entry, dict(parameters))
    for entry in registry.learners()
    for parameters in ({}, *(way.parameters for way in entry.study if way.parameters and not way.texts))
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The contract's rows are for every learner; what one must say of how they suit it is no failure."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"))
            item.add_marker(
                pytest.mark.filterwarnings("ignore:QuadraticDiscriminantAnalysis. in .* directions")
            )


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


CLASSIFIERS = {name: case for name, case in CASES.items() if case.classifies}


@pytest.fixture(params=CLASSIFIERS.values(), ids=CLASSIFIERS.keys())
def classifier(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture
def chunk_rows(monkeypatch):
    """Set how many rows a chunk has, for learning and for predicting."""

    def set_to(rows, learning=True):
        if learning:
            monkeypatch.setattr(openbook.border.rows, "CHUNK_ROWS", rows)
        monkeypatch.setattr(Table.chunks, "__defaults__", (rows,))

    return set_to
