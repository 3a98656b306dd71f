r"""More training rows from those that there are: drawn again, between two rows, or near one.

    sample    rows drawn with or without replacement
    mixup     λ x + (1 - λ) x', λ ~ Beta(α, α), taken as max(λ, 1 - λ); x' any row; the target of x
    jitter    x + s e, e ~ N(0, 1)             s in the unit of the column
    texts, images, sounds                      see `augment_texts`, `augment_arrays`

Of columns without numbers, mixup takes the value of x with probability λ, and jitter that of x; texts are
those of x. Ordinal values move in ranks. A cell that x lacks stays missing, and where x' lacks it, the cell
is that of x.

Steps of this kind change training rows alone, inside each fold: no row that is tested is ever drawn or made.

rows_ : intp (n_new,), the training row that each new row has its target and its weight from

Reference: Zhang, Cisse, Dauphin and Lopez-Paz (2018), mixup.
"""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Number, Whole
from openbook.damage import checked_array
from openbook.data import Attribute, Column, Nominal, Numeric, Ordinal, Table
from openbook.errors import RefusalError
from openbook.prepare.transformer import RowChange, TrainingTable
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

Rng = np.random.Generator


class DrawnRows(RowChange):
    """A step that draws rows, or makes new ones."""

    _changes: ClassVar[tuple[type[Attribute], ...]] = (Numeric, Nominal, Ordinal)
    _changes_dates = True
    _meanings = {
        **RowChange._meanings,  # noqa: SLF001 (its base class)
        "random_state": "Draws the rows. The same number draws the same rows.",
        "copies": "New rows for each training row.",
    }

    rows_: npt.NDArray[np.intp]
    n_before_: int
    n_after_: int

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The rows as they are, with a warning: who calls it, as scikit-learn's Pipeline does, wants others.

        Parameters
        ----------
        X : table-like
        y : array-like or None, default=None

        Returns
        -------
        table-like
        """
        name = type(self).__name__
        msg = (
            f"{name}: scikit-learn's Pipeline cannot change the number of training rows, so this step does"
            f" nothing there; use openbook.prepare.Prepared(learner, [{name}(...)])"
        )
        warnings.warn(msg, stacklevel=2)
        return super().fit_transform(X, y)

    def _learn(self, rows: TrainingTable) -> None:
        self._draw(rows.X, np.random.default_rng(self.random_state))
        self.n_before_, self.n_after_ = len(rows.X), len(self.rows_)

    @abstractmethod
    def _draw(self, table: Table, rng: Rng) -> None:
        """Set `rows_`, and what else `resampled` needs."""

    def _arrays(self) -> Mapping[str, np.ndarray]:
        return {"sizes": np.array([self.n_before_, self.n_after_])}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        sizes = arrays["sizes"]
        if sizes.shape != (2,) or sizes.dtype.kind not in "iu" or (sizes < 0).any():
            raise ValueError("the numbers of rows are not valid")
        self.n_before_, self.n_after_ = sizes.tolist()

    def _work(self) -> Work:
        counts = Grid("training rows", ("", "rows"), [("before", self.n_before_), ("after", self.n_after_)])
        return Work(type(self).__name__, (*self._formula(), counts), "Rows to predict stay as they are.")

    def _formula(self) -> tuple[Step, ...]:
        return ()


class SampleRows(Declared, DrawnRows):
    """Draw training rows at random, with or without replacement.

    Parameters
    ----------
    max_samples : float, default=1.0
        How many are drawn, as a share of the training rows.
    replace : bool, default=True
        Whether a row may be drawn more than once: a bootstrap sample.
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training rows that were drawn.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> step = SampleRows(max_samples=0.5, replace=False)
    >>> X, y = step.fit_resample({"x": [1.0, 2.0, 3.0, 4.0]}, list("abab"))
    >>> len(X), len(y)
    (2, 2)
    """

    max_samples: Annotated[float, Number(above=0)] = 1.0
    replace: bool = True
    random_state: Annotated[int, Whole(at_least=0)] = 0

    def _draw(self, table: Table, rng: Rng) -> None:
        n = len(table)
        size = max(round(self.max_samples * n), 1)
        if size > n and not self.replace:
            raise RefusalError(f"cannot draw {size} of {n} rows without replacement; lower max_samples")
        self.rows_ = np.sort(rng.choice(n, size, replace=self.replace)).astype(np.intp)


class NewRows(DrawnRows):
    """New rows beside the given ones: between two rows, or near one."""

    def _made(self, table: Table, base: np.ndarray, other: np.ndarray, share: np.ndarray, rng: Rng) -> Table:
        """Rows on the way from `base` to `other`, by their shares of it."""
        columns = []
        for attribute in table.schema:
            data = table.data(attribute.name)
            new = data[base]
            if attribute.name in self._chosen:
                new = self._between(attribute, data, base, other, share, rng)
            columns.append(np.concatenate([data, new]))
        return Table(table.schema, columns)

    def _between(
        self,
        attribute: Any,
        data: np.ndarray,
        base: np.ndarray,
        other: np.ndarray,
        share: np.ndarray,
        rng: Rng,
    ) -> np.ndarray:
        if isinstance(attribute, Nominal):
            return np.where((rng.random(len(base)) < share) & (data[other] >= 0), data[other], data[base])
        known = Column(attribute, data).known
        with np.errstate(invalid="ignore"):
            moved = data[base] + share * (data[other] - data[base])
        if isinstance(attribute, Ordinal):
            moved = np.rint(moved)
        moved = np.where(known[base] & known[other], moved, data[base])
        return moved.astype(data.dtype)


class Mixup(Declared, NewRows):
    """Add rows between pairs of training rows, near the one that they have their target from.

    Parameters
    ----------
    alpha : float, default=0.2
        The shape of the Beta distribution of λ: near 0 new rows are nearly copies, from 1 on mixtures.
    copies : float, default=1.0
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training row that each row has its target from.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> X, y = Mixup().fit_resample({"x": [1.0, 2.0]}, ["a", "b"])
    >>> len(X), y[2:].tolist(), all(1 <= x <= 2 for x in X["x"])
    (4, ['a', 'b'], True)
    """

    alpha: Annotated[float, Number(above=0)] = 0.2
    copies: Annotated[float, Number(above=0)] = 1.0
    random_state: Annotated[int, Whole(at_least=0)] = 0

    def _draw(self, table: Table, rng: Rng) -> None:
        n = len(table)
        self.rows_ = with_copies(n, self.copies)
        new = self.rows_[n:]
        self._other = rng.integers(0, n, len(new))
        own = rng.beta(self.alpha, self.alpha, len(new))
        self._share = 1.0 - np.maximum(own, 1.0 - own)
        self._rng = rng

    def resampled(self, table: Table) -> Table:
        base = self.rows_[len(table) :]
        return self._made(table, base, self._other, self._share, self._rng)

    def _formula(self) -> tuple[Step, ...]:
        note = f"λ from the Beta distribution with α = {figure(self.alpha)}, at least a half; x' is any row"
        return (Step("new row", r"\lambda x + (1 - \lambda) x'", note=note),)


class CopiedRows(DrawnRows):
    """Copies of the training rows beside them, of which some cells change."""

    @abstractmethod
    def _changed(self, table: Table, base: np.ndarray, rng: Rng) -> dict[str, np.ndarray]:
        """The cells that change, by column, of copies of the rows `base`."""

    def _draw(self, table: Table, rng: Rng) -> None:
        self.rows_ = with_copies(len(table), self.copies)
        self._cells = self._changed(table, self.rows_[len(table) :], rng)

    def resampled(self, table: Table) -> Table:
        base, columns = self.rows_[len(table) :], []
        for name in table.names:
            data = table.data(name)
            columns.append(np.concatenate([data, self._cells.get(name, data[base])]))
        return Table(table.schema, columns)


def with_copies(n: int, copies: float) -> npt.NDArray[np.intp]:
    """All of n rows, and behind them `copies` copies of each."""
    return np.r_[np.arange(n), np.arange(max(round(copies * n), 1)) % n]


class Jitter(Declared, CopiedRows):
    """Add copies of the training rows with normal noise on their numbers.

    Parameters
    ----------
    noise : float or mapping of column to float, default=0.1
        The standard deviation of the noise: as a share of that of each column, or in the unit of each column
        that is named; the others then stay.
    copies : float, default=1.0
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training row that each row is a copy of.
    widths_ : dict of str to float
        The standard deviation of the noise of each column, in its unit.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> step = Jitter({"height": 0.5})
    >>> X, y = step.fit_resample({"height": [170.0, 180.0], "age": [30.0, 40.0]}, ["a", "b"])
    >>> X["age"].tolist(), step.widths_
    ([30.0, 40.0, 30.0, 40.0], {'height': 0.5})
    """

    noise: Annotated[float, Anything("a number, or a number for each of some columns")] = 0.1
    copies: Annotated[float, Number(above=0)] = 1.0
    random_state: Annotated[int, Whole(at_least=0)] = 0

    _changes = (Numeric,)

    def _changed(self, table: Table, base: np.ndarray, rng: Rng) -> dict[str, np.ndarray]:
        numeric = table.schema.of(Numeric)
        if isinstance(self.noise, Mapping):
            if odd := [name for name in self.noise if name not in numeric]:
                raise RefusalError(f"noise names {odd[0]!r}, which is no numeric column")
            self.widths_ = {name: float(s) for name, s in self.noise.items()}
        else:
            spread = {name: np.nanstd(table.data(name)) for name in self._chosen}
            self.widths_ = {name: float(self.noise * s) for name, s in spread.items() if s > 0}
        errors = {name: s * rng.standard_normal(len(base)) for name, s in self.widths_.items()}
        return {name: table.data(name)[base] + e for name, e in errors.items()}

    def _arrays(self) -> Mapping[str, np.ndarray]:
        numeric = self.schema_.of(Numeric)
        return {**super()._arrays(), "widths": np.array([self.widths_.get(name, 0.0) for name in numeric])}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        super()._restore(arrays)
        numeric = self.schema_.of(Numeric)
        widths = checked_array(arrays, "widths", float, (len(numeric),))
        self.widths_ = {name: s for name, s in zip(numeric, widths.tolist(), strict=True) if s}

    def _formula(self) -> tuple[Step, ...]:
        rows = [(name, s) for name, s in self.widths_.items()]
        return Step("new row", r"x + s e"), Grid("noise", ("column", "s"), rows)  # type: ignore[return-value]
