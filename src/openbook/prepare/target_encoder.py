r"""Means of the target instead of nominal values: a transformer.

    cell = (n mean + n0 overall) / (n + n0)

n training rows have the value, with that mean of the target (of classes, the share of each); n0 is given, or
σ² / τ² by analysis of variance (`openbook.data.rare`). `fit_transform` gives training rows cells that their
own target had no part in: those of the rows in the other four of five folds. `transform` takes the means of
all training rows. A missing cell stays missing, and an unseen value has the mean of all rows.
"""

import math
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from openbook.border.base import Saved
from openbook.border.cross_fitted import FOLDS, CrossFitted, drawn_folds
from openbook.border.not_taken import Declared
from openbook.border.pooling import value_moments
from openbook.border.rows import Rows
from openbook.border.rules import Auto, Number
from openbook.border.shown import shown_mean, shown_row
from openbook.border.target_means import ValueMeans, mean_names
from openbook.data import Nominal, Numeric, Schema, Table, TargetMean
from openbook.data.conform import by_name
from openbook.data.forms import in_form_of, with_rows
from openbook.errors import DataError
from openbook.prepare.rare_values import credibility_steps, read_credibility, written_credibility
from openbook.prepare.transformer import Preparation, TrainingTable
from openbook.work import Work

Array = npt.NDArray[Any]

#: Rows that draw every mean to that of all rows.
_WITHOUT_END = 1e12


class TargetEncoder(Declared, Preparation):
    """The mean of the target among the rows of a value, drawn to the mean of all rows, instead of the value.

    The name is scikit-learn's. Learners that compute with numbers do this themselves with columns of more
    than 20 values, by the rows that they are fitted to; use the transformer to look at it, for columns of
    fewer values, or for another library. `fit_transform` is not `fit` and then `transform`: it gives training
    rows cells that their own target had no part in. For classes there is a column for each but the first,
    with its share.

    Parameters
    ----------
    smooth : "auto" or float, default="auto"
        The rows n0 that the mean of all rows counts for. "auto" finds them by the target, for each column.
    columns : list of str or None, default=None

    Attributes
    ----------
    means_ : dict of str to tuple of TargetMean
        For each column the columns that take its place, with the rows and the mean of each value.
    categories_ : list of tuple of str
        The values of each column.
    encodings_ : list of ndarray
        The cells of the values, for each column that comes out.

    Notes
    -----
    Guide: docs/guide/preparation.md

    References
    ----------
    Micci-Barreca (2001), A preprocessing scheme for high-cardinality categorical attributes. Bühlmann (1967),
    Experience rating and credibility.

    Examples
    --------
    >>> from openbook import read
    >>> towns = read({"town": ["Ulm", "Ulm", "Bonn", "Bonn"], "price": [1.0, 3.0, 8.0, 8.0]})
    >>> means = TargetEncoder(smooth=2).fit(towns, "price")
    >>> means.transform([{"town": "Ulm"}, {"town": "Kiel"}]).column("town: mean price").tolist()
    [3.5, 5.0]
    """

    smooth: Annotated[float | str, Auto(Number(at_least=0))] = "auto"
    columns: list[str] | None = None

    _changes = (Nominal,)
    _asks_target = True

    def _learn(self, rows: TrainingTable) -> None:
        if rows.y is None or self._target is None:
            raise DataError("TargetEncoder requires y to be passed, but the target y is None")
        columns = [a for a in self.schema_ if isinstance(a, Nominal) and a.name in self._chosen]
        of_rows = Rows.in_memory(rows.X, rows.y)
        moments = value_moments(of_rows, columns, rows.n_classes, FOLDS)
        self.means_, self._found, self._tables = {}, {}, {}
        for attribute, folds in zip(columns, moments, strict=True):
            its, name = ValueMeans.of(attribute, folds), attribute.name
            self._found[name] = its.credibility
            smooth = self._found[name].least if isinstance(self.smooth, str) else float(self.smooth)
            names = mean_names(name, self._target, self._labels or None, self.schema_)
            made = its.columns(names, min(smooth, _WITHOUT_END))
            self.means_[name] = tuple(mean for mean, _ in made)
            self._tables.update({mean.name: table for mean, table in made})

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn from rows, and give them cells that their own target had no part in.

        Parameters
        ----------
        X : table-like
        y : array-like, str or None, default=None
            The target, which must be there.
        sample_weight : array-like or None, default=None
            A row of weight 0 is no row; all others count the same.

        Returns
        -------
        table-like
        """
        X = with_rows(X)
        self.fit(X, y, sample_weight)
        table = self._encode(X)
        folds = np.full(len(table), -1)
        rows = np.arange(len(table)) if sample_weight is None else np.flatnonzero(sample_weight)
        folds[rows] = drawn_folds(0, len(rows))
        crossed = CrossFitted(self._tables, of_classes=False)
        prepared = crossed.cross_fitted(self._with_means(table), table, np.zeros(len(table)), folds)
        return self._in_its_form(in_form_of(X, _plain(prepared)))

    def _with_means(self, table: Table) -> Table:
        after = (mean for a in self.schema_ for mean in self.means_.get(a.name, (a,)))
        return by_name(table, Schema(tuple(after), self.schema_.named))

    def _prepared(self, table: Table) -> Table:
        return _plain(self._with_means(table))

    @property
    def categories_(self) -> list[tuple[str, ...]]:
        return [means[0].seen for means in self.means_.values()]

    @property
    def encodings_(self) -> list[Array]:
        return [mean.cells(np.flatnonzero(mean.rows)) for means in self.means_.values() for mean in means]

    # the model file

    def _saved(self) -> Saved:
        means = {name: [mean.to_json() for mean in its] for name, its in self.means_.items()}
        found = {name: written_credibility(one) for name, one in self._found.items()}
        return Saved({"schema": self.schema_.to_json(), "means": means, "found": found}, {})

    def _opened(self, saved: Saved) -> None:
        self._remember(Schema.from_json(saved.facts["schema"]))
        self.means_ = {
            str(name): tuple(TargetMean.rebuilt(str(one["name"]), one) for one in its)
            for name, its in saved.facts["means"].items()
        }
        self._found = {str(name): read_credibility(one) for name, one in saved.facts["found"].items()}
        for name, its in self.means_.items():
            if (
                name not in self.schema_
                or name not in self._found
                or {mean.by.name for mean in its} != {name}
            ):
                raise ValueError(f"there is no column {name!r} to take the mean of")

    # showing the work

    def _work(self) -> Work:
        works = tuple(Work(name, self._column(name)) for name in self.means_)
        return Work(
            "Means of the target", works, "" if works else "No column is nominal: nothing is changed."
        )

    def _column(self, name: str) -> tuple[Any, ...]:
        found = self._found[name]
        asked = isinstance(self.smooth, str) and not math.isnan(found.signal)
        return (*(credibility_steps(found) if asked else ()), *map(shown_mean, self.means_[name]))

    def _work_row(self, X: Table) -> Work:
        means = Schema(tuple(mean for its in self.means_.values() for mean in its))
        return Work("Means of the target: one row", (*shown_row(means, X), *self._unchanged(X)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _plain(table: Table) -> Table:
    """The table with means as numbers like others."""
    schema = Schema(
        tuple(Numeric(a.name) if isinstance(a, TargetMean) else a for a in table.schema), table.schema.named
    )
    return Table(schema, table.columns)
