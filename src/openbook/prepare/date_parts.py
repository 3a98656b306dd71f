r"""Parts of dates and times as columns: a transformer.

    part       what it is                  derived where the training rows
    month      Jan … Dec, a cycle          span at least 60 days
    weekday    Mon … Sun, a cycle          span at least 14 days
    hour       0 … 23, a cycle             have more than one hour of the day
    quarter    Q1 … Q4, a cycle            only on request: the month tells it
    year       a number                    only on request: the elapsed time tells it

Learners of a target derive parts themselves (`openbook.border.date_parts`); the transformer shows them, and
asks for others. The date itself stays: the time that has passed. Parts are those on the clock of the column's
zone. A missing date has missing parts. In mixed distances (`openbook.spaces`) a cycle goes round: Dec is next
to Jan.

x : float64 (n, n_numeric + n_dates), the numbers of each row and behind them the hours of its dates
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rows import Chunk
from openbook.border.rules import Maybe, SomeOf
from openbook.data import Attribute, Datetime, Nominal, Numeric, Schema, Table, read
from openbook.data.date_parts import MONTHS_FROM, PARTS, WEEKDAYS_FROM, part_cells, possible_parts
from openbook.data.derived import CYCLES
from openbook.data.forms import picked, with_rows
from openbook.prepare.scaling import Extremes
from openbook.prepare.transformer import Summed
from openbook.words.numbers import figure
from openbook.words.sentences import listed
from openbook.work import Grid, Work

Array = npt.NDArray[Any]


class DateParts(Declared, Summed):
    """Parts of dates and times as columns of their own: month, weekday, hour, quarter, year.

    The parts of the column "sold" are called "sold month" and so on, and stand behind the other columns. A
    column that has such a name already stays as it is. Rows without a date come out as they came, others as
    a Table.

    Parameters
    ----------
    parts : list of str or None, default=None
        Some of "year", "quarter", "month", "weekday" and "hour". None derives months of dates that span at
        least 365 days, weekdays of dates that span at least 14, and hours where they differ.

    Attributes
    ----------
    parts_ : dict of str to tuple
        The parts of each column of dates.
    statistics_ : Extremes
        The smallest and largest number of each numeric column, and hour of each column of dates, to which
        `partial_fit` adds.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read([{"sold": "2023-12-31"}, {"sold": "2024-01-07"}, {"sold": "2025-02-03"}])
    >>> DateParts().fit_transform(table)
    Table of 3 rows, 3 columns
    sold        sold month  sold weekday
    datetime    nominal     nominal
    2023-12-31  Dec         Sun
    2024-01-07  Jan         Sun
    2025-02-03  Feb         Mon
    """

    parts: Annotated[list[str] | None, Maybe(SomeOf(*PARTS))] = None

    def _step(self) -> Callable[[Chunk], Extremes]:
        return partial(_extremes, self.schema_)

    def _zero(self) -> Extremes:
        n = len(self.schema_.of(Numeric)) + len(self.schema_.of(Datetime))
        return Extremes(*np.zeros((3, n)))

    def _solve(self) -> None:
        self.parts_ = {}
        for date in self._dates():
            _, _, possible = self._span(date)
            asked = possible if self.parts is None else self.parts
            self.parts_[date.name] = tuple(p for p in asked if _name(date, p) not in self.schema_)

    def _dates(self) -> list[Datetime]:
        return [attribute for attribute in self.schema_ if isinstance(attribute, Datetime)]

    def _span(self, date: Datetime) -> tuple[float, float, tuple[str, ...]]:
        """The first and the last day of a column, and the parts that can be derived."""
        numbers, found = self.schema_.of(Numeric), self.statistics_
        j, hour = numbers.index(date.name), len(numbers) + self.schema_.of(Datetime).index(date.name)
        hours = 2 if found.high[hour] > found.low[hour] else 1
        ends = (found.low[j], found.high[j]) if found.weight[j] > 0 else (np.nan, np.nan)
        return *ends, possible_parts(date, found.high[j] - found.low[j], hours)

    def transform(self, X: Any) -> Any:
        """The rows with the parts of their dates.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            A Table, or X as it is where no part is derived.
        """
        check_is_fitted(self)
        X = with_rows(X)
        known = self._encode(X)
        if not any(self.parts_.values()):
            return self._in_its_form(X)
        table = X if isinstance(X, Table) else read(X, self.schema_)
        attributes, columns = list(table.schema), [table.data(name) for name in table.names]
        why = dict(table.why)
        for date in self._dates():
            for part in self.parts_[date.name]:
                attributes.append(_attribute(date, part))
                columns.append(part_cells(date, known.data(date.name), part))
                why[_name(date, part)] = f"the {part} of {date.name!r}"
        schema = Schema(tuple(attributes), table.schema.named)
        return self._in_its_form(Table(schema, columns, why=why))

    def inverse_transform(self, X: Any) -> Any:
        """The rows without the parts of their dates.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            In the form that X has.
        """
        check_is_fitted(self)
        names = self.get_feature_names_out().tolist()
        after = Schema(tuple(Numeric(name) for name in names), self.schema_.named)
        return picked(with_rows(X), after, self.schema_.names, type(self).__name__)

    def get_feature_names_out(self, input_features: Any = None) -> Array:  # noqa: ARG002 (as scikit-learn)
        """The names of the columns, and behind them those of the parts.

        Parameters
        ----------
        input_features : ignored, default=None
            Taken since pipelines pass it.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        new = [_name(date, part) for date in self._dates() for part in self.parts_[date.name]]
        return np.array([*self.schema_.names, *new], dtype=object)

    # showing the work

    def _work(self) -> Work:
        rows = []
        for date in self._dates():
            first, last, _ = self._span(date)
            shown = listed(self.parts_[date.name]) or "none"
            rows.append((date.name, date.shown(first), date.shown(last), float(last - first), shown))
        rule = (
            f"Months from {MONTHS_FROM} days on, weekdays from {WEEKDAYS_FROM} days on,"
            " hours where they differ."
            if self.parts is None
            else "The parts that were asked for."
        )
        grid = Grid("dates", ("column", "first", "last", "days", "parts"), rows, rule)
        end = "" if rows else "No column holds dates: nothing is derived."
        return Work("DateParts: what is derived of dates", (grid,), end)

    def _work_row(self, X: Table) -> Work:
        rows = []
        for date in self._dates():
            day = X.data(date.name)
            for part in self.parts_[date.name]:
                cell = part_cells(date, day, part)[0]
                value = CYCLES[part][int(cell)] if part in CYCLES and cell >= 0 else figure(float(cell))
                known = "–" if np.isnan(day[0]) else value
                rows.append((date.name, date.shown(float(day[0])), part, known))
        grid = Grid("parts", ("column", "date", "part", "is"), rows, "A missing date has missing parts.")
        return Work("DateParts: one row", (grid,), "" if rows else "No part of a date is derived.")


def _extremes(schema: Schema, chunk: Chunk) -> Extremes:
    """The extremes of the numbers, and of the hours of dates."""
    dates = [attribute for attribute in schema if isinstance(attribute, Datetime)]
    columns = [chunk.X.data(name) for name in schema.of(Numeric)]
    hours = [part_cells(date, chunk.X.data(date.name), "hour").astype(np.float64) for date in dates]
    hours = [np.where(hour < 0, np.nan, hour) for hour in hours]
    every = np.column_stack([*columns, *hours]) if columns else np.zeros((len(chunk.X), 0))
    return Extremes.of(every, chunk.w)


def _name(date: Datetime, part: str) -> str:
    return f"{date.name} {part}"


def _attribute(date: Datetime, part: str) -> Attribute:
    name = _name(date, part)
    return Nominal(name, CYCLES[part], cyclic=True) if part in CYCLES else Numeric(name)
