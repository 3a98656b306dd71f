r"""Numbers beyond fences: clipped, made missing, or their rows left out of training.

    iqr         from Q1 - w (Q3 - Q1) to Q3 + w (Q3 - Q1)       w = 1.5 by default: Tukey's box plot
    z           from mean - w s to mean + w s                   w = 3 by default; s divides by N
    quantile    from the quantile w to the quantile 1 - w       w = 0.01 by default

Over the known numbers of each column, by weight. A missing cell stays missing. Where the quartiles coincide,
the iqr is 0 and every other number would be outside: such a column has no fences.

lower_, upper_ : float64 (n_columns,)
"""

from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Maybe, Number, OneOf
from openbook.data import Table
from openbook.data.forms import replaced
from openbook.errors import RefusalError
from openbook.prepare.quantiles import weighted_quantiles
from openbook.prepare.transformer import Preparation, RowFilter, TrainingTable
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: The default width of the fences by each way.
WIDTHS = {"iqr": 1.5, "z": 3.0, "quantile": 0.01}
#: The largest double: the fence of a column without fences.
_ANY = np.finfo(float).max


class Fences(Declared, RowFilter):
    """Fences around the numbers of each column: what is outside is clipped, missing, or its row left out.

    Parameters
    ----------
    by : {"iqr", "z", "quantile"}, default="iqr"
        How the fences are computed: from quartiles, from mean and standard deviation, or from quantiles.
    width : float or None, default=None
        The width of the fences: by default 1.5 interquartile ranges, 3 standard deviations, or the quantiles
        0.01 and 0.99.
    outside : {"clip", "missing", "drop"}, default="clip"
        What becomes of a number outside: it is moved to the fence, it becomes missing, or its row is left out
        of training. Rows to predict all stay as they are with "drop".
    columns : list of str or None, default=None

    Attributes
    ----------
    lower_, upper_ : ndarray of shape (n_columns,)
        The fences of each column.
    counts_ : ndarray of shape (n_columns,)
        How many training rows are outside.
    kept_ : ndarray of shape (n_rows,)
        Whether each training row was kept.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> Fences().fit_transform(read({"x": [1.0, 2.0, 3.0, 4.0, 1000.0]}))["x"].tolist()
    [1.0, 2.0, 3.0, 4.0, 7.0]
    """

    by: Annotated[str, OneOf("iqr", "z", "quantile")] = "iqr"
    width: Annotated[Any, Maybe(Number(at_least=0))] = None
    outside: Annotated[str, OneOf("clip", "missing", "drop")] = "clip"
    columns: list[str] | None = None

    _learnt = {"lower_": 1, "upper_": 1, "counts_": 1}

    @property
    def _width(self) -> float:
        return WIDTHS[self.by] if self.width is None else float(self.width)

    def _learn(self, rows: TrainingTable) -> None:
        x = self._numbers(rows.X)
        ends = np.array([self._ends(column, rows.w) for column in x.T]).reshape(-1, 2)
        self.lower_, self.upper_ = ends.T.copy()
        outside = self._is_outside(x)
        self.counts_ = rows.w @ outside
        self.kept_ = np.ones(len(rows.X), dtype=bool)
        if self.outside == "drop":
            self.kept_ &= ~outside.any(axis=1)
        if not self.kept_.any():
            raise RefusalError("Fences leaves no row: every one has a number outside; widen the fences")

    def _ends(self, x: np.ndarray, w: np.ndarray) -> tuple[float, float]:
        known = ~np.isnan(x)
        x, w = x[known], w[known]
        if not len(x):
            return -_ANY, _ANY
        if self.by == "quantile":
            low, high = weighted_quantiles(x, w, [self._width, 1 - self._width])
            return min(low, high), max(low, high)
        if self.by == "z":
            mean = np.average(x, weights=w)
            reach = self._width * np.sqrt(np.average((x - mean) ** 2, weights=w))
            return mean - reach, mean + reach
        q1, q3 = weighted_quantiles(x, w, [0.25, 0.75])
        reach = self._width * (q3 - q1)
        return (q1 - reach, q3 + reach) if q3 > q1 else (-_ANY, _ANY)

    def _is_outside(self, x: np.ndarray) -> np.ndarray:
        return (x < self.lower_) | (x > self.upper_)

    def transform(self, X: Any) -> Any:
        """The rows with numbers outside the fences clipped or missing; with "drop", as they are.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
        """
        return Preparation.transform(self, X)

    def _prepared(self, table: Table) -> Table:
        if self.outside == "drop":
            return table
        x = self._numbers(table)
        kept = np.where(self._is_outside(x), np.nan, x) if self.outside == "missing" else x
        new = np.clip(x, self.lower_, self.upper_) if self.outside == "clip" else kept
        attributes = [self.schema_[name] for name in self._chosen]
        return replaced(table, self.schema_, attributes, new, type(self).__name__)

    def _work(self) -> Work:
        formulas = {
            "iqr": (r"Q_1 - w (Q_3 - Q_1)", r"Q_3 + w (Q_3 - Q_1)"),
            "z": (r"\bar{x} - w s", r"\bar{x} + w s"),
            "quantile": (r"F^{-1}(w)", r"F^{-1}(1 - w)"),
        }[self.by]
        steps = [
            Step(f"{end} fence", formula) for end, formula in zip(("lower", "upper"), formulas, strict=True)
        ]
        marks = {"iqr": ("Q₁", "Q₃"), "z": ("mean", "s"), "quantile": ()}[self.by]
        rows = [
            (name, *self._marks(*ends)[: len(marks)], *map(_shown, ends), count)
            for name, *ends, count in zip(
                self._chosen, self.lower_.tolist(), self.upper_.tolist(), self.counts_.tolist(), strict=True
            )
        ]
        grid = Grid("columns", ("column", *marks, "lower fence", "upper fence", "rows outside"), rows)
        end = {
            "clip": "Numbers outside are moved to the fence.",
            "missing": "Numbers outside become missing.",
            "drop": "Training rows with a number outside are left out.",
        }[self.outside]
        if self.outside == "drop":
            end = f"{end} {self._left_out()}".strip()
        return Work(f"Fences: w = {self._width:g}", (*steps, grid), end)

    def _marks(self, low: float, high: float) -> tuple[Any, Any]:
        """What the fences of a column were made of: its quartiles, or its mean and standard deviation."""
        w = self._width
        if low == -_ANY or not w:
            return "–", "–"
        if self.by == "z":
            return (low + high) / 2, (high - low) / (2 * w)
        reach = w * (high - low) / (1 + 2 * w)
        return low + reach, high - reach

    def _work_row(self, X: Table) -> Work:
        before, after = self._numbers(X)[0].tolist(), self._numbers(self._prepared(X))[0].tolist()
        rows = [
            (name, *map(_shown, numbers))
            for name, *numbers in zip(
                self._chosen, self.lower_.tolist(), before, self.upper_.tolist(), after, strict=True
            )
        ]
        outside = int(self._is_outside(np.array([before])).sum())
        end = f"{plural(outside, 'number')} outside." if outside else "No number is outside."
        if outside and self.outside == "drop":
            end += " Only training rows are left out: the row stays."
        header = ("column", "lower fence", "is", "upper fence", "becomes")
        return Work("Fences: one row", (Grid("", header, rows),), end)


def _shown(number: float) -> Any:
    """A number or a fence as it stands in a grid."""
    return "missing" if np.isnan(number) else "–" if abs(number) == _ANY else number
