r"""Categories as numbers, and columns of one kind as another.

    one-hot     a 0/1 column for each value, "town = Ulm"; a missing cell is missing in each, a value that
                training never showed is 0 in all
    ranks       0, 1, … m - 1 in the order of an ordinal column's values
    integers    the same for a nominal column, whose order means nothing: with a warning
    kinds       numbers as ordinal or nominal values, ordinal values as nominal ones

Each value can be scored by what its 0/1 column tells of the target: the information gain of classes in bits,
or the share of the variance of numbers, r².

scores_ : float64 of each value of each column
"""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, Number, OneOf, Whole
from openbook.damage import checked_array
from openbook.data import MISSING, UNSEEN, Attribute, Categorical, Nominal, Numeric, Ordinal, Schema, Table
from openbook.data.attributes import as_text
from openbook.data.forms import in_form_of, with_rows
from openbook.errors import ParameterError, RefusalError
from openbook.measures import information_gain
from openbook.prepare.encoding import refuse_many_values
from openbook.prepare.transformer import Preparation, TrainingTable
from openbook.words.sentences import listed
from openbook.work import Grid, Work

#: A column of more different numbers is no set of values.
_MOST_VALUES = 1000


class OneHotEncoder(Declared, Preparation):
    """A 0/1 column for each value of a nominal or ordinal column; with a target, each is scored.

    The name is scikit-learn's. Most learners of openbook use categories as they are; this is for those who
    want to see the columns, to select among values, or to hand them to another library.

    Parameters
    ----------
    drop : {"first", "if_binary"} or None, default=None
        Whether the first value goes without a column: of every column, or of those with two values.
    k : int or None, default=None
        The largest number of values per column that get a 0/1 column: the most informative about the target.
        None for all.
    columns : list of str or None, default=None

    Attributes
    ----------
    categories_ : list of tuple of str
        The values of each column, in the order of their columns.
    scores_ : ndarray
        The information of each value about the target; 0 without a target.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> OneHotEncoder().fit_transform(read({"town": ["Ulm", "Bonn", None]}))
    Table of 3 rows, 2 columns
    town = Bonn  town = Ulm
    numeric      numeric
    0            1
    1            0
    ?            ?
    """

    drop: Annotated[Any, Maybe(OneOf("first", "if_binary"))] = None
    k: Annotated[Any, Maybe(Whole(at_least=1))] = None
    columns: list[str] | None = None

    _changes = (Nominal, Ordinal)
    _asks_target = True

    def _learn(self, rows: TrainingTable) -> None:
        if self.k is not None and rows.y is None:
            raise RefusalError("OneHotEncoder: k needs a target, which tells the best values; leave k out")
        refuse_many_values(self.schema_.select(self._chosen))
        codes = [rows.X.data(name) for name in self._chosen]
        sizes = [len(self._values(name)) for name in self._chosen]
        self.scores_ = np.array(
            [
                _score(code == value, rows)
                for code, size in zip(codes, sizes, strict=True)
                for value in range(size)
            ]
        )

    def _values(self, name: str) -> tuple[str, ...]:
        attribute = self.schema_[name]
        assert isinstance(attribute, Categorical)
        return attribute.values

    def _scores(self) -> dict[str, np.ndarray]:
        """The scores of the values of each column."""
        ends = np.cumsum([len(self._values(name)) for name in self._chosen])
        return dict(zip(self._chosen, np.split(self.scores_, ends[:-1]), strict=True)) if len(ends) else {}

    def _shown(self) -> dict[str, list[int]]:
        """The codes of the values that have a column, of each column."""
        found = {}
        for name, scores in self._scores().items():
            keep = list(range(len(scores)))
            if self.drop == "first" or (self.drop == "if_binary" and len(scores) == 2):
                keep = keep[1:]
            if self.k is not None:
                keep = sorted(sorted(keep, key=lambda code: -scores[code])[: self.k])
            found[name] = keep
        return found

    @property
    def categories_(self) -> list[tuple[str, ...]]:
        return [tuple(self._values(name)[code] for code in codes) for name, codes in self._shown().items()]

    def _prepared(self, table: Table) -> Table:
        shown, columns = self._shown(), {}
        for attribute in table.schema:
            data = table.data(attribute.name)
            if attribute.name not in shown:
                columns[attribute.name] = attribute, data
                continue
            for code in shown[attribute.name]:
                name = f"{attribute.name} = {self._values(attribute.name)[code]}"
                columns[name] = Numeric(name), np.where(data == MISSING, np.nan, data == code)
        schema = Schema(tuple(attribute for attribute, _ in columns.values()), table.schema.named)
        return Table(schema, [data for _, data in columns.values()])

    def inverse_transform(self, X: Any) -> Any:
        """The rows with values again: the one whose column is 1; where none is, the dropped one, or missing.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            In the form that X has.
        """
        check_is_fitted(self)
        X = with_rows(X)
        table, shown, columns = self._read_as(X, self._columns_out()), self._shown(), []
        for attribute in self.schema_:
            if attribute.name not in shown:
                columns.append(table.data(attribute.name))
                continue
            codes, values = shown[attribute.name], self._values(attribute.name)
            ones = table.block([f"{attribute.name} = {values[code]}" for code in codes])
            dropped = np.setdiff1d(np.arange(len(values)), codes)
            none = dropped[0] if len(dropped) == 1 else MISSING
            which = np.where((ones == 1).any(axis=1), (ones == 1).argmax(axis=1), len(codes))
            found = np.where(np.isnan(ones).any(axis=1), MISSING, np.append(codes, none)[which])
            columns.append(found.astype(attribute.dtype))  # type: ignore[attr-defined]
        return in_form_of(X, Table(self.schema_, columns))

    def _arrays(self) -> Mapping[str, np.ndarray]:
        return {"scores": self.scores_}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        n_values = sum(len(self._values(name)) for name in self._chosen)
        self.scores_ = checked_array(arrays, "scores", float, (n_values,))

    def _work(self) -> Work:
        shown, rows = self._shown(), []
        for name, scores in self._scores().items():
            for code, (value, score) in enumerate(zip(self._values(name), scores.tolist(), strict=True)):
                column = f"{name} = {value}" if code in shown[name] else "–"
                rows.append((name, value, column, score))
        note = "Score: what the 0/1 column tells of the target by itself, bits of classes or r² of numbers."
        return Work(
            "OneHotEncoder", (Grid("values", ("column", "value", "0/1 column", "score"), rows, note),)
        )

    def _work_row(self, X: Table) -> Work:
        after = self._prepared(X)
        ones = [name for name in after.names if name not in X.schema and after.data(name)[0] == 1]
        words = (
            f"1 in {listed(ones)}; 0 or missing in the other new columns." if ones else "No new column is 1."
        )
        return Work("OneHotEncoder: one row", (), words)


def _score(has: np.ndarray, rows: TrainingTable) -> float:
    """What a 0/1 column tells of the target: bits of classes, or r² of numbers."""
    if rows.y is None or not len(has):
        return 0.0
    if rows.n_classes:
        flat = np.bincount(rows.y * 2 + has, rows.w, 2 * rows.n_classes)
        return float(information_gain(flat.reshape(rows.n_classes, 2)))
    total = np.average((rows.y - np.average(rows.y, weights=rows.w)) ** 2, weights=rows.w)
    share = float(rows.w @ has) / float(rows.w.sum())
    if not 0 < share < 1 or total == 0:
        return 0.0
    one, other = (float(np.average(rows.y[part], weights=rows.w[part])) for part in (has, ~has))
    return share * (1 - share) * (one - other) ** 2 / float(total)


class OrdinalEncoder(Declared, Preparation):
    """Values as whole numbers from 0: the ranks of ordinal columns. Of nominal columns it warns.

    A learner of numbers believes that 2 lies between 1 and 3, and that 2 is twice 1. Of ranks that is nearly
    true; of towns it is not: one-hot columns say no more than there is to say. The name is scikit-learn's.

    Parameters
    ----------
    columns : list of str or None, default=None
        The columns to number; None for all ordinal ones or, if there are none, all nominal ones.
    categories : "auto" or list of sequences, default="auto"
        The values of each column in the order of their numbers; others count as unknown. "auto" takes those
        of the training rows.
    unknown_value : float or None, default=None
        The number of a value that is not among them; None leaves it missing.

    Attributes
    ----------
    categories_ : list of tuple of str
        The values of each column, in the order of their numbers.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> sizes = read({"size": ["m", "s", None]}, kinds={"size": ["s", "m", "l"]})
    >>> OrdinalEncoder().fit_transform(sizes)["size"].tolist()
    [1.0, 0.0, nan]
    """

    columns: list[str] | None = None
    categories: Annotated[str, Anything("'auto', or a list of the values of each column")] = "auto"
    unknown_value: Annotated[Any, Maybe(Number())] = None

    _changes = (Ordinal, Nominal)

    @property
    def _chosen(self) -> tuple[str, ...]:
        if self.columns is not None:
            return tuple(self.columns)
        return self.schema_.of(Ordinal) or self.schema_.of(Nominal)

    @property
    def _in_given_order(self) -> bool:
        return not isinstance(self.categories, str)

    def _learn(self, rows: TrainingTable) -> None:  # noqa: ARG002 (the schema tells all)
        if self._in_given_order and len(self.categories) != len(self._chosen):
            raise ParameterError(
                f"OrdinalEncoder: categories are of {len(self.categories)} columns, but"
                f" {len(self._chosen)} are numbered: {listed(self._chosen)}"
            )
        if self._in_given_order:
            return
        for name, values in zip(self._chosen, self.categories_, strict=True):
            if isinstance(self.schema_[name], Nominal) and len(values) > 2:
                numbered = listed([f"{value} is {code}" for code, value in enumerate(values)], most=3)
                warnings.warn(
                    f"the values of {name!r} have no order, and now look as if they had: {numbered}. A"
                    f" learner of numbers takes the last for {len(values) - 1} times the second. Use onehot"
                    f" {name}, or give the order when reading",
                    stacklevel=2,
                )

    @property
    def categories_(self) -> list[tuple[str, ...]]:
        if self._in_given_order:
            return [tuple(map(as_text, values)) for values in self.categories]
        return [self.schema_[name].values for name in self._chosen]  # type: ignore[attr-defined]

    def _prepared(self, table: Table) -> Table:
        unknown = np.nan if self.unknown_value is None else float(self.unknown_value)
        new: dict[str, tuple[Attribute, np.ndarray]] = {}
        for name, values in zip(self._chosen, self.categories_, strict=True):
            own = {value: float(number) for number, value in enumerate(values)}
            numbers = [own.get(value, unknown) for value in self.schema_[name].values]  # type: ignore[attr-defined]
            by_code = np.array([*numbers, unknown, np.nan])  # UNSEEN is -2, MISSING is -1
            new[name] = Numeric(name), by_code[table.data(name)]
        return self._with(table, new)

    def inverse_transform(self, X: Any) -> Any:
        """The rows with values again: the one of the nearest number.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            In the form that X has.
        """
        check_is_fitted(self)
        X = with_rows(X)
        table = self._read_back(X, {name: Numeric(name) for name in self._chosen})
        new: dict[str, tuple[Attribute, np.ndarray]] = {}
        for name, values in zip(self._chosen, self.categories_, strict=True):
            attribute, x = self.schema_[name], table.data(name)
            assert isinstance(attribute, Categorical)
            attribute = replace(attribute, values=values)
            codes = np.clip(np.rint(np.nan_to_num(x)), 0, len(values) - 1)
            unknown = np.isnan(x) | (x == self.unknown_value)
            new[name] = attribute, np.where(unknown, MISSING, codes).astype(attribute.dtype)
        return in_form_of(X, self._with(table, new))

    def _work(self) -> Work:
        rows = [
            (name, value, code)
            for name, values in zip(self._chosen, self.categories_, strict=True)
            for code, value in enumerate(values)
        ]
        nominal = [name for name in self._chosen if isinstance(self.schema_[name], Nominal)]
        nominal = [] if self._in_given_order else nominal
        note = f"The order of the values of {listed(nominal)} means nothing." if nominal else ""
        return Work(
            "OrdinalEncoder: values as numbers", (Grid("values", ("column", "value", "number"), rows, note),)
        )


class ChangeKind(Declared, Preparation):
    """Make columns ordinal or nominal: each different number of the training rows is a value.

    Ordinal columns can be made nominal, which forgets their order. For numbers with many values, use
    `KBinsDiscretizer`; for ordinal values as numbers, `OrdinalEncoder`.

    Parameters
    ----------
    kind : {"ordinal", "nominal"}, default="ordinal"
        The kind of the new columns.
    columns : list of str or None, default=None
        The columns; None for all that are numeric, or to be nominal, ordinal.

    Attributes
    ----------
    values_ : dict of str to tuple
        The values of each column.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> ChangeKind(columns=["rooms"]).fit_transform(read({"rooms": [3, 1, 2]})).schema["rooms"]
    Ordinal(name='rooms', values=('1', '2', '3'))
    """

    kind: Annotated[str, OneOf("ordinal", "nominal")] = "ordinal"
    columns: list[str] | None = None

    _changes = (Numeric, Ordinal)

    @property
    def _chosen(self) -> tuple[str, ...]:
        kind = Numeric if self.kind == "ordinal" else Ordinal
        return self.schema_.of(kind) if self.columns is None else tuple(self.columns)

    def _learn(self, rows: TrainingTable) -> None:
        self._found = {}
        for name in self._chosen:
            if isinstance(self.schema_[name], Numeric):
                x = rows.X.data(name)
                self._found[name] = numbers = np.unique(x[~np.isnan(x)]).astype(float)
                if len(numbers) > _MOST_VALUES:
                    raise RefusalError(
                        f"column {name!r} has {len(numbers):,} different numbers, too many to be values;"
                        f' cut them into bins: "bins {name}"'
                    )

    @property
    def values_(self) -> dict[str, tuple[str, ...]]:
        return {name: self._attribute(name).values for name in self._chosen}

    def _attribute(self, name: str) -> Any:
        own = self.schema_[name]
        values = tuple(map(as_text, self._found[name].tolist())) if isinstance(own, Numeric) else own.values  # type: ignore[attr-defined]
        return (Ordinal if self.kind == "ordinal" else Nominal)(name, values)

    def _prepared(self, table: Table) -> Table:
        new = {}
        for name in self._chosen:
            attribute, data = self._attribute(name), table.data(name)
            if name in self._found:
                numbers = self._found[name]
                code = np.searchsorted(numbers, data).clip(max=max(len(numbers) - 1, 0))
                known = numbers[code] == data if len(numbers) else np.zeros(len(data), bool)
                data = np.where(np.isnan(data), MISSING, np.where(known, code, UNSEEN))
            new[name] = attribute, data.astype(attribute.dtype)
        return self._with(table, new)

    def _arrays(self) -> Mapping[str, np.ndarray]:
        numbers = [self._found[name] for name in self._chosen if name in self._found]
        sizes = np.array([len(one) for one in numbers], dtype=np.int64)
        return {"numbers": np.concatenate([np.zeros(0), *numbers]), "sizes": sizes}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        names = [name for name in self._chosen if isinstance(self.schema_[name], Numeric)]
        sizes = checked_array(arrays, "sizes", np.int64, (len(names),))
        numbers = checked_array(arrays, "numbers", float, (int(sizes.sum()),))
        parts = np.split(numbers, np.cumsum(sizes)[:-1]) if names else []
        self._found = dict(zip(names, parts, strict=True))

    def _work(self) -> Work:
        rows = [
            (name, self.schema_[name].kind, self.kind, listed(values))
            for name, values in self.values_.items()
        ]
        return Work("ChangeKind", (Grid("columns", ("column", "was", "is", "values"), rows),))
