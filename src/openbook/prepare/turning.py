r"""Numbers that the target follows in a U shape, made usable: their distance from the turning point.

    z = |x - c|,    c where the parabola a + b x + q x² of the target turns

A target that falls and then rises with x rises with |x - c|, so that a linear learner can use it. See
`openbook.data.findings.turning` for how c is found; a column that has no turning point inside its numbers
stays as it is. Missing cells stay missing.
"""

from typing import Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.data.findings.turning import Turn, turning_point
from openbook.prepare.transformer import Floats, TrainingTable, Transformer
from openbook.words.numbers import signed


class TurningPoint(Declared, Transformer):
    """The distance of numbers from the point where the target turns: for columns with a U shape.

    `describe` points to such columns.

    Parameters
    ----------
    columns : list of str or None, default=None

    Attributes
    ----------
    center_ : ndarray of shape (n_columns,)
        The turning point of each column.
    turns_ : ndarray of shape (n_columns,)
        Whether the column has one; the others stay as they are.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> import numpy as np
    >>> from openbook import read
    >>> age = np.linspace(18, 80, 63)
    >>> turn = TurningPoint().fit(read({"age": age}), (age - 40) ** 2)
    >>> turn.transform(read({"age": [30.0, 40.0]}))["age"].data.round(6).tolist()
    [10.0, 0.0]
    """

    columns: list[str] | None = None

    _asks_target = _needs_target = True
    _learnt = {"center_": 1, "turns_": 1}

    def _learn(self, rows: TrainingTable) -> None:
        found = [self._turn(x, rows) for x in self._numbers(rows.X).T]
        self.turns_ = np.array([turn is not None for turn in found], dtype=bool)
        self.center_ = np.array([0.0 if turn is None else turn.at for turn in found])

    def _turn(self, x: Floats, rows: TrainingTable) -> Turn | None:
        """The turning point of a column that is the least likely to be chance."""
        assert rows.y is not None
        classes = range(1 if rows.n_classes == 2 else 0, rows.n_classes)
        outcomes = [(rows.y == c).astype(float) for c in classes] if rows.n_classes else [rows.y]
        turns = [turn for y in outcomes if (turn := turning_point(x, y, rows.w)) is not None and turn.p < 1]
        return min(turns, key=lambda turn: turn.p) if turns else None

    def _forward(self, x: Floats) -> Floats:
        return np.where(self.turns_, np.abs(x - self.center_), x)

    def _rule(self) -> Any:
        figures = np.column_stack([self.center_, self.turns_.astype(float)])
        return r"|x - c|", ("c", "turns"), figures

    def _substituted(self, j: int, x: str) -> str:
        return f"|{x} - {signed(self.center_[j])}|" if self.turns_[j] else x
