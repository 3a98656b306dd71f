r"""Rare values of nominal columns, pooled into one: a transformer.

    n0 = σ² / τ²        the rows that a value needs: then its own rows say more of it than all rows do

σ² is the variance of the target among the rows of a value, τ² that of the means of the values, both by
analysis of variance; see `openbook.data.rare`. Columns of few values are left alone, unless `min_frequency`
says how many rows a value needs. Missing cells stay
missing, and an unseen value is one of the other values.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple
from typing import Annotated, Any

import numpy as np

from openbook.border.base import Saved
from openbook.border.not_taken import Declared
from openbook.border.pooling import credibilities
from openbook.border.rows import Rows
from openbook.border.rules import Maybe, Whole
from openbook.data import Nominal, Schema, Table
from openbook.data.rare import FEW, LEAST, MOST, Credibility, with_rest
from openbook.prepare.transformer import Preparation, TrainingTable
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: The rows that a value needs where there is no target.
WITHOUT_TARGET = 10
#: The most pooled values that the work lists.
SHOWN = 10


class RareValues(Declared, Preparation):
    """Pool the rare values of nominal columns: of those with more than 20 values, or by a number of rows.

    Every learner of a target does this at its border, by the rows that it is fitted to; use the transformer
    to look at it, to choose the numbers, or to switch it off: what comes out is not pooled again.

    Parameters
    ----------
    min_frequency : int or None, default=None
        The rows that a value needs to be kept. None finds n0 from the target, at least 2: with so many rows,
        a value's own rows are more informative about it than all rows. Without a target it is 10. Columns of
        at most 20 values are then unchanged. 1 keeps every value.
    max_categories : int, default=250
        The most values kept in a column, the most frequent.
    columns : list of str or None, default=None

    Attributes
    ----------
    schema_ : Schema
        The columns; those with many values have a value for the rest.
    pooled_ : dict of str to dict
        For each column with many values, the values that were pooled, and in how many rows each occurs.
    least_ : dict of str to float
        For each of them, the number of rows that a value needs; infinity if no number is enough.

    Examples
    --------
    >>> rows = [{"town": f"t{i}" if i < 30 else "Ulm", "size": i} for i in range(60)]
    >>> rare = RareValues(min_frequency=10).fit(rows)
    >>> rare.schema_["town"].values
    ('Ulm', 'other values')
    >>> rare.transform([{"town": "Bonn", "size": 3}]).column("town")[0]
    'other values'

    Guide: docs/guide/tables.md
    """

    min_frequency: Annotated[int | None, Maybe(Whole(at_least=1))] = None
    max_categories: Annotated[int, Whole(at_least=1)] = MOST
    columns: list[str] | None = None

    _changes = (Nominal,)
    _asks_target = True

    def _learn(self, rows: TrainingTable) -> None:
        self.pooled_, self.least_, self._found = {}, {}, {}
        few, schema, chosen = {}, self.schema_, self._chosen
        targets = np.zeros(len(rows.X)) if rows.y is None else rows.y
        few_values = FEW if self.min_frequency is None else 0
        for attribute, counts, found in credibilities(
            Rows.in_memory(rows.X, targets), rows.n_classes, few_values
        ):
            if (name := attribute.name) not in chosen:
                continue
            least = self._least(found, has_target=rows.y is not None)
            if found.values <= FEW and counts[counts > 0].min() >= least:
                continue  # a column of few values, none of them rare
            few[name] = with_rest(attribute, counts, least, self.max_categories)
            self.least_[name], self._found[name] = least, found
            self.pooled_[name] = {
                value: int(n)
                for value, n in zip(attribute.values, counts, strict=True)
                if n and value not in few[name].values
            }
        self._remember(Schema(tuple(few.get(a.name, a) for a in schema), schema.named))

    def _least(self, found: Credibility, *, has_target: bool) -> float:
        if self.min_frequency is not None:
            return self.min_frequency
        return max(found.least, LEAST) if has_target else WITHOUT_TARGET

    def _prepared(self, table: Table) -> Table:
        return table  # the schema pools rare and unseen values already

    # the model file

    def _saved(self) -> Saved:
        found = {name: written_credibility(one) for name, one in self._found.items()}
        least = {name: _written(x) for name, x in self.least_.items()}
        facts = {"schema": self.schema_.to_json(), "pooled": self.pooled_, "least": least, "found": found}
        return Saved(facts, {})

    def _opened(self, saved: Saved) -> None:
        self._remember(Schema.from_json(saved.facts["schema"]))
        facts = saved.facts
        self.pooled_ = {
            str(name): {str(v): int(n) for v, n in one.items()} for name, one in facts["pooled"].items()
        }
        self.least_ = {str(name): float(x) for name, x in facts["least"].items()}
        self._found = {str(name): read_credibility(one) for name, one in facts["found"].items()}
        if odd := [name for name in self.pooled_ if name not in self.schema_ or name not in self._found]:
            raise ValueError(f"there is no column {odd[0]!r} to pool")

    def _work(self) -> Work:
        works = tuple(self._column(name) for name in self.pooled_)
        end = "" if works else f"{self._nothing}: nothing is pooled."
        return Work("Rare values", works, end)

    @property
    def _nothing(self) -> str:
        if self.min_frequency is None:
            return "No nominal column has more than 20 values"
        return f"No value has fewer than {plural(self.min_frequency, 'row')}"

    def _column(self, name: str) -> Work:
        """How the values of a column were pooled."""
        found, pooled, least = self._found[name], self.pooled_[name], self.least_[name]
        parts: list[Step | Grid] = []
        if self.min_frequency is None and not math.isnan(found.signal):
            parts += credibility_steps(found)
        rarest = sorted(pooled.items(), key=lambda item: -item[1])
        more = f"{len(rarest) - SHOWN:,} more values" if len(rarest) > SHOWN else ""
        if rarest:
            parts.append(Grid("pooled", ("value", "rows"), rarest[:SHOWN], more))
        kept = found.values - len(pooled)
        needed = "no number of rows is enough" if math.isinf(least) else f"a value needs {figure(least)} rows"
        end = f"{plural(kept, 'value')} of {found.values:,} kept: {needed}."
        if pooled:
            rest = self.schema_[name]
            assert isinstance(rest, Nominal)
            end += f" The others, in {plural(sum(pooled.values()), 'row')}, count as {rest.rest!r}."
        return Work(name, tuple(parts), end)

    def _work_row(self, X: Table) -> Work:
        rows = [(name, X.column(name)[0]) for name in self.pooled_]
        if not rows:
            return Work("Rare values: one row", (), f"{self._nothing}: the row stays as it is.")
        return Work("Rare values: one row", (Grid("", ("column", "counts as"), rows),))


def _written(x: float) -> float | str:
    """A number as JSON has it, which knows no infinity."""
    return x if math.isfinite(x) else str(x)


def written_credibility(found: Credibility) -> list[float | str]:
    """The figures of a credibility, for the model file."""
    return [_written(x) for x in astuple(found)]


def read_credibility(figures: Sequence[Any]) -> Credibility:
    """The credibility of figures in a model file."""
    rows, values, *rest = figures
    return Credibility(float(rows), int(values), *map(float, rest))


def credibility_steps(found: Credibility) -> list[Step]:
    """From the squares to the rows that a value needs."""
    n, k, size = figure(found.rows), found.values, figure(found.size)
    between, noise = figure(found.between), figure(found.noise)
    steps = [
        Step(
            "σ²",
            r"\frac{\sum_v \sum_i (y_i - \bar{y}_v)^2}{N - k}",
            rf"\frac{{{figure(found.within)}}}{{{n} - {k}}}",
            found.noise,
        ),
        Step(
            "τ²",
            r"\frac{1}{m} \left( \frac{\sum_v n_v (\bar{y}_v - \bar{y})^2}{k - 1} - \sigma^2 \right)",
            rf"\frac{{1}}{{{size}}} \left( \frac{{{between}}}{{{k} - 1}} - {noise} \right)",
            found.signal,
        ),
    ]
    if found.signal > 0:
        numbers = rf"\frac{{{noise}}}{{{figure(found.signal)}}}"
        steps.append(Step("n0", r"\frac{\sigma^2}{\tau^2}", numbers, found.least))
    return steps
