"""What tests of findings share: tables made for them, and the findings of a kind."""

from typing import Any

import numpy as np
import pytest

from openbook.data import Attribute, Nominal, Numeric, Schema, Table
from openbook.data.describe import describe_columns
from openbook.data.findings.finding import Finding

ROWS = 400


@pytest.fixture(scope="session")
def table_of():
    """Strings become nominal (None missing), numbers numeric; a (attribute, data) pair is taken as it is."""

    def make(**columns: Any) -> Table:
        attributes: list[Attribute] = []
        arrays = []
        for name, data in columns.items():
            if isinstance(data, tuple):
                attribute, array = data[0], np.asarray(data[1])
            elif any(isinstance(cell, str) for cell in data):
                values = tuple(sorted({cell for cell in data if cell is not None}))
                attribute = Nominal(name, values)
                array = np.array([attribute.encode(cell) for cell in data])
            else:
                attribute, array = Numeric(name), np.asarray(data, dtype=float)
            attributes.append(attribute)
            arrays.append(array)
        return Table(Schema(tuple(attributes)), arrays)

    return make


@pytest.fixture(scope="session")
def clean_columns():
    """Columns of 400 rows with nothing odd about them."""

    def make(seed: int = 0) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        y = rng.choice(["no", "yes"], ROWS, p=[0.6, 0.4])
        return {
            "height": rng.normal(170, 10, ROWS).round(1),
            "score": rng.uniform(0, 1, ROWS),
            "age": rng.integers(18, 80, ROWS).astype(float),
            "colour": rng.choice(["red", "green", "blue"], ROWS),
            "hint": np.where(rng.random(ROWS) < 0.8, y, rng.permutation(y)),
            "y": y,
        }

    return make


@pytest.fixture(scope="session")
def with_column(table_of, clean_columns):
    """A table of clean columns, and these."""

    def make(**columns: Any) -> Table:
        return table_of(**{**clean_columns(), **columns})

    return make


@pytest.fixture(scope="session")
def found():
    """The findings of a kind."""

    def make(table: Table, kind: str, target: str | None = None) -> list[Finding]:
        return [finding for finding in describe_columns(table, target).findings if finding.kind == kind]

    return make


@pytest.fixture(scope="session")
def one(found):
    """The one finding of a kind."""

    def make(table: Table, kind: str, target: str | None = None) -> Finding:
        (finding,) = found(table, kind, target)
        return finding

    return make
