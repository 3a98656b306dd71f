"""Re-encode a table to a fitted schema: what `predict` does at the border.

Columns are matched by name. A column the schema does not have is ignored; one it has and the table lacks is
an error, unless it is derived: a part of a date, a mean of the target. An empty cell stays missing. A value
that training never saw becomes UNSEEN or, where a value stands for the rest, that. Numbers that come where
categories were, or the other way round, are converted if every one of them can be.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import MISSING, UNSEEN, Attribute, Categorical, Datetime, Numeric, Text, as_text
from openbook.data.column import Column
from openbook.data.date_parts import part_cells
from openbook.data.dates import days_from_numbers, number_of_cell
from openbook.data.derived import DatePart, Intervals, TargetMean
from openbook.data.schema import Schema
from openbook.data.sparse_table import SparseTable
from openbook.data.table import Table
from openbook.data.written_numbers import is_scaled
from openbook.errors import DataError, did_you_mean

Array = npt.NDArray[Any]


def conform(table: Table, schema: Schema, who: str = "the model", *, grow: bool = False) -> Table:
    """The table's rows in the schema's columns and codes.

    With `grow`, values that only the table has are appended to the schema's own, whose codes stay what they
    were.
    """
    if table.schema is schema or table.schema == schema:
        return table
    if not (table.schema.named and schema.named):  # no names on one side: columns are matched by position
        if len(table.schema) != len(schema.given):
            raise DataError(
                f"X has {len(table.schema)} features, but {who} is expecting {len(schema.given)} features as"
                " input"
            )
        table = _renamed(table, schema.given)
    if isinstance(table, SparseTable):
        return _sparse(table, schema, who, grow=grow)
    return by_name(table, schema, grow=grow)


def by_name(table: Table, schema: Schema, *, grow: bool = False) -> Table:
    """The columns of the schema's names, in its codes; derived ones are made of theirs."""
    if schema.of(DatePart, TargetMean):
        table = _with_derived(table, schema)
    if absent := [name for name in schema.names if name not in table.schema]:
        name = _source(schema[absent[0]])
        used = {_source(a) for a in schema}
        hint = did_you_mean(name, table.names, [other for other in table.names if other not in used])
        raise DataError(f"column {name!r} is missing. {hint}")
    if grow:
        schema = Schema(tuple(_extended(a, table.column(a.name)) for a in schema), schema.named)
    if table.names == schema.names and table.matrix is not None and not schema.of(Categorical, Text):
        return Table.from_matrix(schema, table.matrix)
    return Table(schema, [conform_column(table.column(a.name), a) for a in schema])


def _sparse(table: SparseTable, schema: Schema, who: str, *, grow: bool) -> Table:
    """The columns before those of the matrix conformed, and those of the matrix selected."""
    if not (n := len(table.columns)):
        if other := [a for a in schema if not isinstance(a, Numeric)]:
            msg = f"column {other[0].name!r} was {other[0].kind} in training, but sparse data are numeric"
            raise DataError(msg)
        return table.select(schema.names)
    sparse = set(table.names[n:])
    dense = Table(table.schema.select(table.names[:n]), table.columns)
    others = conform(dense, schema.select(a.name for a in schema if a.name not in sparse), who, grow=grow)
    kept = [a for a in schema if a.name in sparse]
    whole = Schema((*others.schema, *kept), schema.named)
    return SparseTable(whole, table.cells([a.name for a in kept]), dense=others.columns)


def conform_column(column: Column, attribute: Attribute) -> Array:
    """One column's array in the attribute's kind and codes."""
    if column.attribute == attribute:
        return column.data
    if isinstance(attribute, Numeric):
        return _as_numbers(column, attribute)
    if isinstance(attribute, Intervals):
        return attribute.codes_of(_as_numbers(column, attribute.number))
    if isinstance(attribute, Categorical):
        return _as_codes(column, attribute)
    texts = zip(column.tolist(), column.missing, strict=True)
    return np.array([None if missing else as_text(value) for value, missing in texts], dtype=object)


def _with_derived(table: Table, schema: Schema) -> Table:
    """The table with the parts of its dates and the means of the target by its values that the schema has;
    columns of the same names give way.
    """
    derived = [
        a
        for a in schema
        if isinstance(a, DatePart | TargetMean)
        and _source(a) in table.schema
        and a not in table.schema.attributes
    ]
    dates = {a.name: a for a in schema if isinstance(a, Datetime)}

    @cache
    def cells(source: Attribute) -> Array:
        return conform_column(table.column(source.name), source)

    columns = []
    for a in derived:
        if isinstance(a, TargetMean):
            columns.append(a.cells(cells(a.by)))
        else:
            date = dates.get(a.date, a.whole)
            columns.append(part_cells(date, cells(date), a.part))
    names = [name for name in table.names if name not in {a.name for a in derived}]
    return Table(
        Schema((*(table.schema[name] for name in names), *derived), table.schema.named),
        [*(table.data(name) for name in names), *columns],
    )


def _source(attribute: Attribute) -> str:
    """The name of the column that a table brings."""
    if isinstance(attribute, DatePart):
        return attribute.date
    return attribute.by.name if isinstance(attribute, TargetMean) else attribute.name


def _extended(attribute: Attribute, column: Column) -> Attribute:
    if not isinstance(attribute, Categorical) or not attribute.is_open:
        return attribute
    spelled = dict.fromkeys(map(attribute.spelled, _distinct(column)))
    new = tuple(value for value in spelled if value not in attribute.codes)
    return replace(attribute, values=attribute.values + new) if new else attribute


def _distinct(column: Column) -> tuple[str, ...]:
    if isinstance(column.attribute, Categorical):
        return column.attribute.values
    return tuple(as_text(value) for value in np.unique(column.data[~column.missing].astype(object)))


def _renamed(table: Table, schema: Schema) -> Table:
    attributes = tuple(a.renamed(name) for a, name in zip(table.schema, schema.names, strict=True))
    renamed = Schema(attributes, schema.named)
    if isinstance(table, SparseTable):
        return SparseTable(renamed, table.sparse)
    return Table(renamed, table.columns if table.matrix is None else table.matrix.T, matrix=table.matrix)


def _as_numbers(column: Column, attribute: Numeric) -> Array:
    """The numbers of a column, read as in training; its unit must be that of training, or not given."""
    if isinstance(column.attribute, Numeric):
        return _alike(column, column.attribute, attribute)
    numbers = np.full(len(column), np.nan)
    for i, value in enumerate(column.tolist()):
        if value is not None:
            number = number_of_cell(value.strip(), attribute)
            if number is None:
                msg = f"column {column.name!r} was {attribute.kind} in training, but row {i} holds {value!r}"
                raise DataError(msg)
            numbers[i] = number
    return numbers


def _alike(column: Column, found: Numeric, attribute: Numeric) -> Array:
    """Numbers for numbers, and days for days; Unix times and Excel's days where these were dates before."""
    if _is_what(found) == _is_what(attribute):
        units = (attribute.unit, found.unit)
        if ("" not in units and units[0] != units[1]) or is_scaled(found.unit, attribute.unit):
            was = f"was in {attribute.unit}" if attribute.unit else "had no unit"
            msg = f"column {column.name!r} {was} in training, now in {found.unit}; convert it"
            raise DataError(msg)
        return column.data
    days = days_from_numbers(column.data, attribute) if isinstance(attribute, Datetime) else None
    if days is not None or column.missing.all():
        return column.data if days is None else days
    was, now = _is_what(attribute), _is_what(found)
    raise DataError(f"column {column.name!r} was {was} in training, but now is {now}; convert it")


def _is_what(attribute: Numeric) -> str:
    return "time of day" if isinstance(attribute, Datetime) and attribute.is_time else attribute.kind


def _as_codes(column: Column, attribute: Categorical) -> Array:
    if isinstance(column.attribute, Categorical):
        return _recoded(column.data, column.attribute.values, attribute)
    if isinstance(column.attribute, Numeric):
        return _numbers_as_codes(column, attribute)
    return np.array([attribute.encode(value) for value in column.tolist()], dtype=attribute.dtype)


def _numbers_as_codes(column: Column, attribute: Categorical) -> Array:
    """The codes of the numbers among the values; a number that is none of them was never seen."""
    numbers = {float(value): code for value, code in attribute.codes.items() if _is_plain_number(value)}
    known = ~column.missing
    if known.any() and not numbers and attribute.unlisted == UNSEEN:
        first = as_text(column.data[known][0])
        raise DataError(
            f"column {column.name!r} was {attribute.kind} in training ({', '.join(attribute.values)}), but"
            f" now contains numbers ({first}, …); give the categories in the spelling of the training data"
        )
    listed = np.array(sorted(numbers))
    codes = np.array([numbers[number] for number in listed], dtype=attribute.dtype)
    index = np.searchsorted(listed, column.data).clip(max=len(listed) - 1)
    other = attribute.unlisted
    found = np.where(listed[index] == column.data, codes[index], other) if numbers else other
    return np.where(known, found, MISSING).astype(attribute.dtype)


def _is_plain_number(value: str) -> bool:
    """Whether a value is a number in the spelling of `as_text`, so that the number means this value."""
    try:
        return as_text(float(value)) == value
    except ValueError:
        return False


def _recoded(codes: Array, values: tuple[str, ...], attribute: Categorical) -> Array:
    """Codes into `values` as codes into the attribute's values."""
    other = attribute.unlisted
    table = [attribute.codes.get(attribute.spelled(value), other) for value in values]
    lookup = np.array([*table, other, attribute.gap], dtype=attribute.dtype)  # the last two answer -2 and -1
    return lookup[codes]
