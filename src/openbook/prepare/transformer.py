"""Transformers: fit, transform, and back.

    fit            statistics = sum of step(chunk) over all chunks of rows
    partial_fit    statistics + those of more rows
    transform      each number x of a column becomes forward(x); backward(forward(x)) = x

Those of numbers, a column at a time, change what is there; others (`date_parts`) add columns. Rows come out
in the form in which they came: a Table gives a Table, a frame a frame of its own kind, an array an array.
Nominal, ordinal and text columns pass through unchanged. A missing cell stays missing. Training refuses an
infinite cell by name; later it stays infinite. A column without a known number in training stays as it is.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from operator import add
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from openbook.border.rows import Chunk, Rows, infinite_cell, weighed
from openbook.border.unsupervised import Unsupervised
from openbook.data import Nominal, Numeric, Ordinal, Schema, Table, Text
from openbook.data.conform import conform
from openbook.data.forms import replaced, with_rows
from openbook.data.read import read
from openbook.fold import Statistics, fold
from openbook.words.numbers import signed
from openbook.work import Grid, Step, Work

__all__ = ["Preparation", "Transformer"]

Floats = npt.NDArray[np.float64]


class Preparation(TransformerMixin, Unsupervised):
    """What prepares the columns of a table by statistics that add up over rows.

    It says what it adds up (`_step`, `_zero`) and what follows from the sums (`_solve`).
    """

    _accepts = (Numeric, Nominal, Ordinal, Text)

    statistics_: Any

    @abstractmethod
    def _step(self) -> Callable[[Chunk], Statistics]:
        """A function, fit to be pickled, from a chunk to its statistics."""

    @abstractmethod
    def _zero(self) -> Statistics:
        """The statistics of no rows."""

    @abstractmethod
    def _solve(self) -> None:
        """The fitted attributes from `statistics_`."""

    def _fit(self, rows: Rows) -> None:
        self.statistics_ = self._folded(rows)
        self._solve()

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002 (pipelines pass a target)
        """Learn from more rows, as if they had come with the earlier ones.

        Parameters
        ----------
        X : table-like
        y : ignored, default=None
            Taken since pipelines pass it.
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        with self._whole_or_not_at_all():
            if not hasattr(self, "statistics_"):
                self._fit(self._training_rows(X, None, sample_weight))
                return self
            table = conform(read(X), self.schema_, type(self).__name__, grow=True)
            self._remember(table.schema)
            rows = weighed(table, np.zeros(len(table), dtype=np.intp), sample_weight)
            self.statistics_ = self.statistics_ + self._folded(rows)
            self._solve()
        return self

    def _folded(self, rows: Rows) -> Statistics:
        with np.errstate(over="ignore", invalid="ignore"):
            statistics: Statistics = fold(rows.pieces, self._step(), add)
        if not all(np.isfinite(array).all() for array in statistics.arrays().values()):
            raise infinite_cell(rows)
        return statistics

    def _in_its_form(self, rows: Any) -> Any:
        """A Table as the frame that `set_output` asks for; other rows as they are."""
        form = _get_output_config("transform", self)["dense"] if isinstance(rows, Table) else "default"
        return {"pandas": Table.to_pandas, "polars": Table.to_polars}.get(form, lambda table: table)(rows)

    # the model file

    def _arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        return self.statistics_.arrays()

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        zero = self._zero()
        if odd := arrays.keys() ^ zero.arrays().keys():
            msg = f"array {min(odd)!r} is missing or unexpected"
            raise ValueError(msg)
        self.statistics_ = zero.filled(arrays)
        finite = all(np.isfinite(array).all() for array in self.statistics_.arrays().values())
        if not finite or any((amount < 0).any() for amount in self.statistics_.amounts()):
            msg = "its statistics are not valid: one is negative, or not finite"
            raise ValueError(msg)
        self._solve()


class Transformer(OneToOneFeatureMixin, Preparation):
    """A transformer that changes the numbers of a table and keeps its columns; see the module.

    Beside its sums, it says how a number changes and changes back (`_forward`, `_backward`), and the steps
    behind it (`_rule`, `_substituted`).
    """

    @abstractmethod
    def _forward(self, x: Floats) -> Floats:
        """Numbers as they come, (n, n_numeric), as they are to be."""

    @abstractmethod
    def _backward(self, z: Floats) -> Floats:
        """The numbers that `_forward` made these of."""

    @abstractmethod
    def _rule(self) -> tuple[str, tuple[str, ...], Floats]:
        """The formula, the names of its figures, and the figures of each numeric column, (n_numeric, k)."""

    @abstractmethod
    def _substituted(self, j: int, x: str) -> str:
        """The formula with the figures of column j and the number x put in."""

    def transform(self, X: Any) -> Any:
        """The rows with their numbers changed, in the form that X has.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            A Table for a Table, a frame for a frame, an array for an array.
        """
        return self._changed(X, self._forward, plain=True)

    def inverse_transform(self, X: Any) -> Any:
        """The rows with their numbers changed back, in the form that X has.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            A Table for a Table, a frame for a frame, an array for an array.
        """
        return self._changed(X, self._backward, plain=False)

    def _changed(self, X: Any, change: Callable[[Floats], Floats], *, plain: bool) -> Any:
        """X with its numbers changed; `plain` numbers have no unit, and are no dates."""
        check_is_fitted(self)
        X = with_rows(X)
        own, who = self.schema_, type(self).__name__
        bare = Schema(tuple(Numeric(a.name) if isinstance(a, Numeric) else a for a in own), own.named)
        table = self._encode(X) if plain else conform(read(X, bare), bare, who)
        after = bare if plain else own
        attributes = [after[name] for name in own.of(Numeric)]
        return self._in_its_form(replaced(X, own, attributes, change(self._numbers(table)), who))

    def _numbers(self, table: Table) -> Floats:
        names = self.schema_.of(Numeric)
        return np.asarray(table.block(names), dtype=np.float64) if names else np.zeros((len(table), 0))

    # showing the work

    def _work(self) -> Work:
        formula, header, figures = self._rule()
        names = self.schema_.of(Numeric)
        rows = [[name, *row] for name, row in zip(names, figures.tolist(), strict=True)]
        others = len(self.schema_) - len(names)
        note = f"{others} other columns pass through unchanged" if others else ""
        rule = Step("z", formula, note="missing cells stay missing")
        grid = Grid("columns", ["column", *header], rows, note)
        return Work(f"{type(self).__name__}: how numbers change", (*self._definitions(), rule, grid))

    def _definitions(self) -> tuple[Step, ...]:
        """What the figures of the formula are, where their names do not say it."""
        return ()

    def _work_row(self, X: Table) -> Work:
        formula, _, _ = self._rule()
        numbers = self._numbers(X)
        before, after = numbers[0].tolist(), self._forward(numbers)[0].tolist()
        steps = [
            Step(name, formula, self._substituted(j, signed(before[j])), after[j])
            if np.isfinite(before[j])
            else Step(name, result="missing", note="stays missing")
            for j, name in enumerate(self.schema_.of(Numeric))
        ]
        passed = [(a.name, X.column(a.name)[0]) for a in self.schema_ if not isinstance(a, Numeric)]
        grids = (Grid("unchanged", ("column", "cell"), passed),) if passed else ()
        return Work(f"{type(self).__name__}: one row", (*steps, *grids))
