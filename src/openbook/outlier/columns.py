r"""Base of the detectors that score each column by itself: a row has the score of its most unusual cell.

    score = max_j a_j

a_j ≥ 0 is the score of the cell of column j. Ordinal columns count by their ranks, from 0; nominal columns
are ignored. A missing cell scores 0. So does an infinite one, which fitting refuses by name.

values : float64 (n, d), NaN where missing, one for each numeric or ordinal column
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from openbook.border.rows import Chunk, Rows, infinite_cell
from openbook.damage import checked_array
from openbook.data import Nominal, Numeric, Ordinal, Schema, Table, Text
from openbook.fold import each
from openbook.outlier.detector import Account, Detector
from openbook.words.numbers import figure
from openbook.work import Step


class ColumnDetector(Detector):
    """A detector that judges columns by themselves."""

    #: What the oddness of a cell is called in a formula, and in words.
    letter: ClassVar[str]
    meaning: ClassVar[str]
    #: The figures of each column that the model file holds, by the names of their attributes without _.
    figures: ClassVar[tuple[str, ...]]

    def refusal(self, schema: Schema) -> str | None:
        if (reason := super().refusal(schema)) is None and not schema.of(Numeric, Ordinal, Text):
            reason = "needs a numeric or ordinal column; NaiveBayesSurprise accepts any"
        return reason

    @abstractmethod
    def _oddness(self, values: np.ndarray) -> np.ndarray:
        """How odd each cell is, (n, d); whatever where it is missing."""

    @abstractmethod
    def _step(self, j: int, name: str, x: float) -> Step:
        """Derive the oddness of a known cell of the j-th numeric or ordinal column."""

    def _scores(self, X):
        values = values_of(X)
        with np.errstate(over="ignore", invalid="ignore"):
            odd = self._oddness(values)
        return np.where(np.isfinite(values), odd, 0.0).max(axis=1, initial=0.0)

    def _account(self, X):
        shares = dict.fromkeys(self.schema_.names, 0.0)
        steps = []
        for j, (name, x) in enumerate(zip(looked_at(self.schema_), values_of(X)[0].tolist(), strict=True)):
            if math.isfinite(x):
                steps.append(self._step(j, name, x))
                shares[name] = float(steps[-1].result)  # type: ignore[arg-type]
            else:
                steps.append(Step(name, result=0, note="missing: not unusual"))
        score = max(shares.values(), default=0.0)
        listed = ", ".join(figure(shares[name]) for name in looked_at(self.schema_))
        joined = Step("score", rf"\max_j {self.letter}_j", rf"\max({listed})", score)
        return Account(score, list(shares.values()), tuple(steps), (joined,), self.meaning)

    def _arrays(self):
        return {name: getattr(self, f"{name}_") for name in self.figures}

    def _restore(self, arrays):
        for name in self.figures:
            setattr(self, f"{name}_", checked_array(arrays, name, float, (len(looked_at(self.schema_)),)))


def looked_at(schema: Schema) -> tuple[str, ...]:
    return schema.of(Numeric, Ordinal)


def values_of(table: Table) -> np.ndarray:
    """The numbers and ranks of a table."""
    names = looked_at(table.schema)
    if names == table.schema.of(Numeric):
        return table.block(names).astype(float, copy=False)
    values = np.empty((len(table), len(names)))
    for column, name in zip(values.T, names, strict=True):
        data = table.data(name)
        column[:] = np.where(data < 0, np.nan, data) if isinstance(table.schema[name], Ordinal) else data
    return values


def all_values(rows: Rows) -> np.ndarray:
    """The numbers and ranks of all rows, in memory; refuses an infinite one by name."""
    values = np.concatenate(list(each(rows.pieces, _values_of_chunk)))
    if np.isinf(values).any():
        raise infinite_cell(rows)
    return values


def _values_of_chunk(chunk: Chunk) -> np.ndarray:
    return values_of(chunk.X)


def column_ends(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest known number or rank of each column; 0 and 1 of a nominal one."""
    lows, highs = zip(*each(rows.pieces, _ends), strict=True)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _ends(chunk: Chunk) -> tuple[np.ndarray, np.ndarray]:
    d = len(chunk.X.schema)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for j, attribute in enumerate(chunk.X.schema):
        data = chunk.X.data(attribute.name)
        if isinstance(attribute, Nominal):
            low[j], high[j] = 0.0, 1.0
        elif (known := data[~np.isnan(data) if isinstance(attribute, Numeric) else data >= 0]).size:
            low[j], high[j] = known.min(), known.max()
    return low, high


def known(values: np.ndarray) -> Sequence[np.ndarray]:
    """The known values of each column."""
    return [column[~np.isnan(column)] for column in values.T]
