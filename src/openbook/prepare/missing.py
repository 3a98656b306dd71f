r"""Missing cells filled by a figure of their column, marked, or left out.

    mean, median       of the known numbers; the middle rank of an ordinal column
    most_frequent      the value in most rows, the first of equals; every other column for mean and median
    constant           a given number or value
    category           a value of its own, "missing"; numbers get their median

Why a cell is missing may tell more than any figure that fills it: `describe` reports columns whose gaps go
with the target or with another column, and `MissingIndicator` keeps the gap as a column of its own.

fill_ : float64 (n_columns,), what each column's gaps become: a number or a code
"""

from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Number, OneOf
from openbook.data import UNSEEN, Categorical, Column, Nominal, Numeric, Ordinal, Table
from openbook.data.attributes import as_text
from openbook.errors import ParameterError, RefusalError
from openbook.prepare.quantiles import weighted_quantiles
from openbook.prepare.transformer import Preparation, RowFilter, TrainingTable
from openbook.words.sentences import listed
from openbook.work import Grid, Work

#: The value that stands for missing cells, where they are a category of their own.
OWN = "missing"


class SimpleImputer(Declared, Preparation):
    """Fill missing cells by one figure of their column.

    Numbers, ordinal and nominal columns each have their own: the mean or median of numbers, the middle rank
    of an ordinal column, the most frequent value of a nominal one. The name is scikit-learn's.

    Parameters
    ----------
    strategy : {"mean", "median", "most_frequent", "constant", "category"}, default="mean"
        What fills a gap. "category" makes missing a value of its own in nominal and ordinal columns.
    fill_value : float, str or None, default=None
        The number or value of "constant"; None is 0 for numbers and "missing" for other columns.
    add_indicator : bool, default=False
        Whether a column "x missing" of 0 and 1 is added for each column with gaps in training.
    columns : list of str or None, default=None

    Attributes
    ----------
    statistics_ : list
        What fills the gaps of each column.
    fill_ : ndarray of shape (n_columns,)
        The same as numbers and codes.
    gaps_, known_ : ndarray of shape (n_columns,)
        How many training rows miss each column, and how many do not. A column without known cells is
        unchanged, unless its gaps become a given value.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read([{"age": 20, "town": "Ulm"}, {"age": None, "town": "Ulm"}, {"age": 40, "town": None}])
    >>> SimpleImputer(strategy="median").fit_transform(table)
    Table of 3 rows, 2 columns
    age      town
    numeric  nominal
    20       Ulm
    30       Ulm
    40       Ulm
    """

    strategy: Annotated[str, OneOf("mean", "median", "most_frequent", "constant", "category")] = "mean"
    fill_value: Annotated[Any, Anything("None, a number or a value")] = None
    add_indicator: bool = False
    columns: list[str] | None = None

    _changes = (Numeric, Nominal, Ordinal)
    _changes_dates = True
    _learnt = {"fill_": 1, "gaps_": 1, "known_": 1}

    def _learn(self, rows: TrainingTable) -> None:
        columns = [rows.X.column(name) for name in self._chosen]
        self.gaps_ = np.array([float(rows.w[column.missing].sum()) for column in columns])
        self.known_ = rows.w.sum() - self.gaps_
        self.fill_ = np.array([self._figure(column, rows.w) for column in columns], dtype=float)

    def _figure(self, column: Column, w: np.ndarray) -> float:
        """What fills the gaps of a column, as a number or a code; 0 if none is known."""
        data, attribute = column.data, column.attribute
        known = ~column.missing & (w > 0)
        if self._is_given(attribute):
            return self._given(attribute)
        if not known.any():
            return 0.0
        if isinstance(attribute, Numeric) and self.strategy != "most_frequent":
            if self.strategy == "mean":
                return float(np.average(data[known], weights=w[known]))
            return float(weighted_quantiles(data[known], w[known], [0.5])[0])
        if isinstance(attribute, Ordinal) and self.strategy in ("mean", "median"):
            return float(np.rint(weighted_quantiles(data[known].astype(float), w[known], [0.5])[0]))
        values, which = np.unique(data[known], return_inverse=True)
        return float(values[np.argmax(np.bincount(which, w[known]))])

    def _is_given(self, attribute: Any) -> bool:
        """Whether what fills a column does not depend on its rows."""
        return self.strategy == "constant" or (
            self.strategy == "category" and isinstance(attribute, Categorical)
        )

    def _given(self, attribute: Any) -> float:
        if isinstance(attribute, Numeric):
            value = 0.0 if self.fill_value is None else self.fill_value
            if not Number().allows(value):
                raise ParameterError(
                    f"SimpleImputer: fill_value must be a number for {attribute.name!r}, got {value!r}"
                )
            return float(value)
        return float(self._filled(attribute).codes[self._word])

    @property
    def _word(self) -> str:
        """What fills the gaps of a column of values, where that is given."""
        given = self.strategy == "constant" and self.fill_value is not None
        return as_text(self.fill_value) if given else OWN

    def _filled(self, attribute: Any) -> Any:
        """The attribute once its gaps are filled: with a value of their own, where it has none yet."""
        if not isinstance(attribute, Categorical) or self.strategy not in ("constant", "category"):
            return attribute
        known = self._word in attribute.codes
        return attribute if known else type(attribute)(attribute.name, (*attribute.values, self._word))

    def _fills(self) -> dict[str, float]:
        """The columns that are filled, each with its number or code."""
        every = zip(self._chosen, self.fill_.tolist(), self.known_.tolist(), strict=True)
        return {name: fill for name, fill, known in every if known > 0 or self._is_given(self.schema_[name])}

    @property
    def statistics_(self) -> list[Any]:
        fills = self._fills()
        attributes = [self._filled(self.schema_[name]) for name in self._chosen]
        return [
            None
            if a.name not in fills
            else a.decode(int(fills[a.name]))
            if isinstance(a, Categorical)
            else fills[a.name]
            for a in attributes
        ]

    def _prepared(self, table: Table) -> Table:
        fills = self._fills()
        new: dict[str, tuple[Any, np.ndarray]] = {}
        for name, fill in fills.items():
            data, attribute = table.data(name), self._filled(self.schema_[name])
            filled = np.where(table.column(name).missing & (data != UNSEEN), fill, data)
            new[name] = attribute, filled.astype(getattr(attribute, "dtype", data.dtype))
        if self.add_indicator:
            more = [name for name, n in zip(self._chosen, self.gaps_.tolist(), strict=True) if n]
            new |= {f"{name} missing": _gaps(table, name) for name in more}
        return self._with(table, new)

    def _work(self) -> Work:
        shown = [self._shown(name, value) for name, value in zip(self._chosen, self.statistics_, strict=True)]
        rows = list(zip(self._chosen, self.gaps_.tolist(), shown, strict=True))
        words = {
            "most_frequent": "the most frequent value of the training rows",
            "constant": "the value that is given",
            "category": "a value of their own",
        }
        what = words.get(self.strategy, f"the {self.strategy} of the training rows")
        note = f"Missing cells become {what}."
        return Work(
            "SimpleImputer: missing cells", (Grid("columns", ("column", "missing", "become"), rows, note),)
        )

    def _shown(self, name: str, value: Any) -> Any:
        attribute = self.schema_[name]
        if value is None:
            return "nothing: no cell is known"
        return attribute.shown(value) if isinstance(attribute, Numeric) else value

    def _work_row(self, X: Table) -> Work:
        filled = [
            (name, self._shown(name, value))
            for name, value in zip(self._chosen, self.statistics_, strict=True)
            if X.column(name).missing[0]
        ]
        end = "" if filled else "No cell is missing: the row stays as it is."
        grids = (Grid("filled", ("column", "becomes"), filled),) if filled else ()
        return Work("SimpleImputer: one row", grids, end)


class MissingIndicator(Declared, Preparation):
    """Add a column of 0 and 1 that tells whether a cell is missing; the cells themselves stay.

    Parameters
    ----------
    features : {"missing-only", "all"}, default="missing-only"
        Whether columns without gaps in training have one, too.
    columns : list of str or None, default=None

    Attributes
    ----------
    features_ : tuple of str
        The columns that have an indicator.
    gaps_ : ndarray of shape (n_columns,)
        How many training rows miss each column.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> MissingIndicator().fit_transform(read([{"age": 20.0}, {"age": None}]))["age missing"].tolist()
    [0.0, 1.0]
    """

    features: Annotated[str, OneOf("missing-only", "all")] = "missing-only"
    columns: list[str] | None = None

    _changes = (Numeric, Nominal, Ordinal)
    _changes_dates = True
    _learnt = {"gaps_": 1}

    def _learn(self, rows: TrainingTable) -> None:
        self.gaps_ = np.array([float(rows.w[rows.X.column(name).missing].sum()) for name in self._chosen])

    @property
    def features_(self) -> tuple[str, ...]:
        every = self.features == "all"
        return tuple(name for name, n in zip(self._chosen, self.gaps_.tolist(), strict=True) if n or every)

    def _prepared(self, table: Table) -> Table:
        return self._with(table, {f"{name} missing": _gaps(table, name) for name in self.features_})

    def _work(self) -> Work:
        rows = [
            (name, n, f"{name} missing" if name in self.features_ else "–")
            for name, n in zip(self._chosen, self.gaps_.tolist(), strict=True)
        ]
        return Work("MissingIndicator", (Grid("columns", ("column", "missing", "new column"), rows),))

    def _work_row(self, X: Table) -> Work:
        rows = [(f"{name} missing", int(X.column(name).missing[0])) for name in self.features_]
        return Work("MissingIndicator: one row", (Grid("", ("column", "is"), rows),))


class DropMissing(Declared, RowFilter):
    """Leave out training rows with missing cells, or columns with too many.

    Rows to predict all stay: each needs a prediction, whatever it misses.

    Parameters
    ----------
    axis : {"rows", "columns"}, default="rows"
        Whether rows or columns are left out.
    threshold : float, default=0.0
        The share of missing cells that a column may have and stay; rows may have none.
    columns : list of str or None, default=None
        The columns that are looked at; None for all.

    Attributes
    ----------
    kept_ : ndarray of shape (n_rows,)
        Whether each training row was kept.
    dropped_ : tuple of str
        The columns that are left out.
    gaps_ : ndarray of shape (n_columns,)
        The share of training rows that miss each column.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read([{"a": 1.0, "b": None}, {"a": 2.0, "b": 5.0}, {"a": 3.0, "b": 6.0}])
    >>> DropMissing().fit(table).kept_.tolist()
    [False, True, True]
    >>> DropMissing(axis="columns").fit_transform(table).names
    ('a',)
    """

    axis: Annotated[str, OneOf("rows", "columns")] = "rows"
    threshold: Annotated[float, Number(at_least=0, at_most=1)] = 0.0
    columns: list[str] | None = None

    _changes = (Numeric, Nominal, Ordinal)
    _changes_dates = True
    _learnt = {"gaps_": 1}

    def _learn(self, rows: TrainingTable) -> None:
        missing: np.ndarray = np.column_stack(
            [rows.X.column(name).missing for name in self._chosen] or [np.zeros(len(rows.X), bool)]
        )
        self.gaps_ = (rows.w @ missing / rows.w.sum())[: len(self._chosen)]
        self.kept_ = np.ones(len(rows.X), dtype=bool)
        if self.axis == "rows":
            self.kept_ &= ~missing.any(axis=1)
        if not self.kept_.any():
            raise RefusalError(
                "DropMissing leaves no row: every one misses a cell; impute, or name fewer columns"
            )
        if len(self.dropped_) == len(self.schema_):
            raise RefusalError("DropMissing leaves no column: each misses a cell; raise threshold, or impute")

    @property
    def dropped_(self) -> tuple[str, ...]:
        if self.axis == "rows":
            return ()
        return tuple(
            name
            for name, share in zip(self._chosen, self.gaps_.tolist(), strict=True)
            if share > self.threshold
        )

    def transform(self, X: Any) -> Any:
        """The rows without the columns that are left out; no row is.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
        """
        return Preparation.transform(self, X)

    def _prepared(self, table: Table) -> Table:
        return table.drop(*self.dropped_) if self.dropped_ else table

    def _work(self) -> Work:
        rows = list(zip(self._chosen, self.gaps_.tolist(), strict=True))
        grid = Grid("columns", ("column", "share missing"), rows)
        if self.axis == "columns":
            end = f"Left out: {listed(self.dropped_) or 'no column'}."
        else:
            end = f"Training rows with a missing cell are left out. {self._left_out()}".strip()
        return Work("DropMissing", (grid,), end)

    def _work_row(self, X: Table) -> Work:
        if self.axis == "rows":
            return super()._work_row(X)
        return Work("DropMissing: one row", (), f"Left out: {listed(self.dropped_) or 'no column'}.")


def _gaps(table: Table, name: str) -> tuple[Numeric, np.ndarray]:
    """A column of 0 and 1: whether a cell is missing."""
    return Numeric(f"{name} missing"), table.column(name).missing.astype(float)
