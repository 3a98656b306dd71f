"""Output in the type of the input.

A Table gives a Table, a frame a frame of its own kind, an array an array.
Paths, scans and dict rows give Tables. Columns are matched by name where both sides have names, else by
position; the schema is that of the training rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Attribute, Datetime, Text
from openbook.data.frames import is_frame
from openbook.data.read import read
from openbook.data.schema import Schema
from openbook.data.table import Table
from openbook.errors import DataError, did_you_mean


def picked(X: Any, schema: Schema, names: Sequence[str], who: str) -> Any:
    """These columns of a Table, frame or array, in the same form; the schema is that of the training rows."""
    if isinstance(X, Table):
        positions = _where(X.names, X.schema.named, schema, names, who)
        return X.select([X.names[position] for position in positions])
    if is_frame(X):
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        return frame[:, _where([str(name) for name in frame.columns], True, schema, names, who)].to_native()
    if X.ndim != 2 or 0 in X.shape:
        read(X)  # says what is wrong
    positions = _where(range(X.shape[1]), False, schema, names, who)
    return (X.tocsr() if hasattr(X, "tocsr") else X)[:, positions]


def replaced(
    X: Any, schema: Schema, attributes: Sequence[Attribute], block: npt.NDArray[np.float64], who: str
) -> Any:
    """A Table, frame or array in the same form, with the columns of these attributes replaced by numbers."""
    names = [attribute.name for attribute in attributes]
    if isinstance(X, Table):
        positions = _where(X.names, X.schema.named, schema, names, who)
        known, columns = list(X.schema), [X.data(name) for name in X.names]
        for position, attribute, numbers in zip(positions, attributes, block.T, strict=True):
            known[position], columns[position] = attribute.renamed(X.names[position]), numbers
        return Table(Schema(tuple(known), X.schema.named), columns, why=X.why)
    if is_frame(X):
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        positions = _where([str(name) for name in frame.columns], True, schema, names, who)
        cells = [
            attribute.moments(numbers) if isinstance(attribute, Datetime) else numbers
            for attribute, numbers in zip(attributes, np.ascontiguousarray(block.T), strict=True)
        ]
        new = [
            nw.new_series(frame.columns[position], column, backend=frame.implementation)
            for position, column in zip(positions, cells, strict=True)
        ]
        return frame.with_columns(*new).to_native()
    dense = X.toarray() if hasattr(X, "tocsr") else X
    numbers = np.array(dense, dtype=object if dense.dtype.kind in "OUS" else np.float64)
    numbers[:, _where(range(numbers.shape[1]), False, schema, names, who)] = block
    return numbers


def in_form_of(X: Any, table: Table) -> Any:
    """A Table in the form of X: a frame of its kind; for an array of numbers one of numbers and codes."""
    if isinstance(X, Table):
        return table
    if is_frame(X):
        import narwhals as nw

        kind = nw.from_native(X, eager_only=True).implementation
        if kind.is_pandas():
            return table.to_pandas().set_axis(X.index)
        frame = table.to_polars()
        return frame if kind.is_polars() else frame.to_arrow()
    if getattr(X, "dtype", None) is None or X.dtype.kind not in "fiub" or table.schema.of(Text):
        return table
    codes = [table.data(name) for name in table.names]
    return np.column_stack([np.where(c < 0, np.nan, c) if c.dtype.kind == "i" else c for c in codes])


def _where(columns: Sequence[Any], named: bool, schema: Schema, names: Sequence[str], who: str) -> list[int]:
    """Where the columns of these names are: by name, or by position where a side has no names."""
    if not (named and schema.named):
        if len(columns) != len(schema):
            raise DataError(
                f"X has {len(columns)} features, but {who} is expecting {len(schema)} features as input"
            )
        return schema.positions(names)
    known = {name: position for position, name in enumerate(columns)}
    if absent := [name for name in names if name not in known]:
        raise DataError(f"column {absent[0]!r} is missing. {did_you_mean(absent[0], tuple(known))}")
    return [known[name] for name in names]


def with_rows(X: Any) -> Any:
    """X as a Table, a frame, an array or a sparse matrix; a path, a scan and dict rows are read."""
    if isinstance(X, Table | np.ndarray) or hasattr(X, "tocsr") or is_frame(X):
        return X
    of_dicts = isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)
    is_array = hasattr(X, "__array__") or (isinstance(X, list | tuple) and not of_dicts)
    return np.asarray(X) if is_array else read(X)
