"""Tables from frames: polars, pandas, pyarrow, and what else narwhals knows.

    numbers                 numeric; float32 stays, other types become float64, nulls NaN
    booleans                nominal: false, true
    texts                   by the rules of `openbook.data.guess`
    pandas ordered, Enum    ordinal, in the declared order
    pandas categories       nominal, in the order of the categories, those that do not occur left out
    polars Categorical      as texts: its categories have no order of their own
    dates, datetimes        datetime, with their time zone; times of day as texts
    durations               numeric, in hours
    anything else           an error that names the column

A frame's index is not a column; reset it first if it should be. Equal names of columns are made distinct, and
the levels of a name put side by side. Number columns are views where the frame allows.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from openbook.data.arrays import check_size, object_cells, object_column, table_of, unnamed_schema, words_of
from openbook.data.attributes import MISSING, Nominal, Ordinal, as_text
from openbook.data.cells import BOOLEANS, Cells
from openbook.data.dates import days_from_moments, name_of_zone
from openbook.data.distinct import EXACT, is_exact
from openbook.data.guess import (
    EVERY_NUMBER,
    NO_KNOWN_CELL,
    Decided,
    RequestedKind,
    decide_cells,
    decide_days,
    decide_hours,
    decide_numbers,
    may_stay_numeric,
    number_cells,
    requested_kinds,
)
from openbook.data.names import distinct_names
from openbook.data.reading import Reading
from openbook.data.table import Table
from openbook.data.words import coded_words
from openbook.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Array = npt.NDArray[Any]

_MANY_ROWS = 4000  # from which on arrays are faster than a loop over the texts
_FRAME_MODULES = {"pandas", "polars", "pyarrow", "modin", "cudf", "narwhals"}


def is_frame(source: Any) -> bool:
    """Whether a frame library made this, or it hands out Arrow data as frames do."""
    return type(source).__module__.partition(".")[0] in _FRAME_MODULES or hasattr(
        source, "__arrow_c_stream__"
    )


def from_frame(source: Any, how: Reading) -> Table:
    """A table from a frame, or from a series as its only column."""
    if type(source).__module__.partition(".")[0] == "pandas":
        frame = source.to_frame(source.name or "x0") if source.ndim == 1 else source
        return _from_pandas(frame, how)
    notes: tuple[str, ...] = ()
    if hasattr(source, "rename_columns") and len(set(source.column_names)) < len(source.column_names):
        names, notes = distinct_names(source.column_names)  # of Arrow: other frames have no equal names
        source = source.rename_columns(list(names))
    if type(source).__name__ == "DuckDBPyRelation":
        return from_relation(source, how)
    import narwhals as nw

    try:
        frame = nw.from_native(source, allow_series=True, pass_through=True)
        if frame is source:
            frame = nw.from_arrow(source, backend="polars")
    except (TypeError, AttributeError):
        msg = f"cannot read a table from {type(source).__name__}; pass a frame, a series or a 2-D array"
        raise DataError(msg) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    try:
        polars = frame.to_polars()
    except Exception as error:  # noqa: BLE001 (any of several libraries)
        raise DataError(f"cannot read the frame ({error}); convert the column to numbers or texts") from None
    if isinstance(frame, nw.Series):
        polars = polars.to_frame(polars.name or "x0")
    return from_polars(polars, how, notes)


def from_relation(relation: Any, how: Reading) -> Table:
    """A table from a DuckDB relation; its intervals are durations."""
    import polars as pl

    names, notes = distinct_names(relation.columns)
    if notes:
        listed = ", ".join(map(_quoted, names))
        relation = relation.query("rows", f"SELECT * FROM rows AS rows({listed})")  # noqa: S608 (quoted names)
    spans = [name for name, kind in zip(names, relation.types, strict=True) if str(kind) == "INTERVAL"]
    if spans:
        counted = ", ".join(f"epoch_us({_quoted(name)}) AS {_quoted(name)}" for name in spans)
        relation = relation.project(f"* REPLACE ({counted})")
    frame = pl.DataFrame(relation).with_columns(pl.col(spans).cast(pl.Duration("us")))
    return from_polars(frame, how, notes)


def _quoted(name: str) -> str:
    """A name in SQL."""
    return '"{}"'.format(name.replace('"', '""'))


def from_polars(frame: "pl.DataFrame", how: Reading, notes: Sequence[str] = ()) -> Table:
    """A table from a polars frame."""
    check_size(*frame.shape)
    return table_of(polars_columns(frame, requested_kinds(how.kinds, frame.columns), how), notes=notes)


def polars_columns(
    frame: "pl.DataFrame", asked: Mapping[str, RequestedKind], how: Reading, why_numeric: str = "numbers"
) -> list[Decided]:
    """The decided columns of a polars frame."""
    frame = spelled_out(frame, [name for name in frame.columns if asked.get(name) is None])
    cells = polars_cells(frame, asked, how)
    return [
        decide_cells(series.name, cells[series.name], asked.get(series.name), how)
        if series.name in cells
        else decide_typed(series, asked.get(series.name), why_numeric)
        for series in frame
    ]


def spelled_out(frame: "pl.DataFrame", among: Collection[str]) -> "pl.DataFrame":
    """The frame with whole numbers as texts, in those columns where a float would lose digits of them."""
    import polars as pl

    dtypes = frame.schema
    wide = [name for name in among if may_be_long(dtypes[name])]
    ends: dict[str, tuple[Any, Any]] = {
        name: (frame[name].min() or 0, frame[name].max() or 0) for name in wide
    }
    long = [name for name, (least, most) in ends.items() if max(-least, most) > EXACT]
    return frame.with_columns(pl.col(long).cast(pl.String)) if long else frame


def may_be_long(dtype: "pl.DataType") -> bool:
    """Whether the columns of a type may hold whole numbers with more digits than a float keeps."""
    import polars as pl

    return dtype in (pl.Int64, pl.UInt64, pl.Int128) or getattr(dtype, "scale", None) == 0


def polars_cells(
    frame: "pl.DataFrame", asked: Mapping[str, RequestedKind], how: Reading, offset: int = 0
) -> dict[str, Cells]:
    """The cells of every column that does not just stay numbers; `offset` is the number of the first row."""
    dtypes = frame.schema
    wanted = [name for name, dtype in dtypes.items() if needs_cells(name, dtype, asked.get(name), how)]
    texts = [name for name in wanted if _is_spelled(dtypes[name])]
    cells = factorise(frame.select(_spelled(name, dtypes[name]) for name in texts))
    others = frame.select(name for name in wanted if name not in cells)
    cells |= {series.name: _declared_cells(series) for series in others}
    return {name: cells[name].cleaned(how.of(name))._replace(offset=offset) for name in wanted}


def factorise(frame: "pl.DataFrame") -> dict[str, Cells]:
    """Each column of texts as its distinct texts and a position for each row."""
    import polars as pl

    if not frame.width:
        return {}
    if frame.height < _MANY_ROWS:
        return {texts.name: object_cells(texts.to_list()) for texts in frame.select(pl.all().cast(pl.String))}
    words = {texts.name: coded_words(texts) for texts in frame if texts.dtype == pl.String}
    cells = {name: coded for name, coded in words.items() if coded is not None}
    others = [texts for texts in frame if texts.name not in cells]
    if not others:
        return cells
    categories = pl.DataFrame(others).select(pl.all().cast(pl.Categorical))
    codes = categories.select(pl.all().to_physical().cast(pl.Int64).fill_null(MISSING))
    numbered = zip(categories, codes, strict=True)
    return cells | {texts.name: _numbered(texts, code.to_numpy()) for texts, code in numbered}


def _numbered(texts: "pl.Series", codes: Array) -> Cells:
    """Polars' codes, which it shares out over all columns, as positions among the texts of this one."""
    import polars as pl

    row_of = np.full(codes.max(initial=MISSING) + 2, MISSING)  # a row that holds the code; last, one for gaps
    row_of[codes] = np.arange(len(codes))
    held = np.flatnonzero(row_of[:-1] != MISSING)
    position = np.full(len(row_of), MISSING)
    position[held] = np.arange(len(held))
    return Cells(texts.gather(row_of[held]).cast(pl.String).to_list(), position[codes])


def needs_cells(name: str, dtype: "pl.DataType", requested: RequestedKind, how: Reading) -> bool:
    """Whether the column is read through its texts, not as numbers; an error if it can be neither."""
    import polars as pl

    if dtype.is_numeric():
        return not may_stay_numeric(requested) or bool(how.of(name).gap_numbers)
    if dtype in (pl.Date, pl.Datetime, pl.Duration):
        return False
    if _is_spelled(dtype) or dtype in (pl.Boolean, pl.Enum, pl.Null):
        return True
    raise DataError(
        f"column {name!r} holds {dtype}, which is neither numeric nor text;"
        " split it into several columns, convert it, or leave it out"
    )


def _is_spelled(dtype: "pl.DataType") -> bool:
    import polars as pl

    return dtype.is_integer() or may_be_long(dtype) or dtype in (pl.String, pl.Categorical, pl.Time)


def _spelled(name: str, dtype: "pl.DataType") -> "pl.Expr":
    import polars as pl

    return pl.col(name) if dtype == pl.Categorical else pl.col(name).cast(pl.String)


def _declared_cells(series: "pl.Series") -> Cells:
    """Columns whose type says what may occur in them, and numbers that are to be categories."""
    import polars as pl

    if series.dtype == pl.Boolean:
        return Cells(BOOLEANS, series.cast(pl.Int8).fill_null(MISSING).to_numpy(), Nominal)
    if isinstance(series.dtype, pl.Enum):
        codes = series.to_physical().cast(pl.Int64).fill_null(MISSING).to_numpy()
        return Cells(series.dtype.categories.to_list(), codes, Ordinal)
    if series.dtype == pl.Null:
        return Cells([], np.full(len(series), MISSING))
    return number_cells(series.cast(pl.Float64).to_numpy())


def decide_typed(series: "pl.Series", requested: RequestedKind, why: str) -> Decided:
    """A column of numbers, dates or durations."""
    import polars as pl

    if series.dtype in (pl.Date, pl.Datetime):
        zone = getattr(series.dtype, "time_zone", None) or ""
        moments = series.cast(pl.Datetime("us", zone or None))
        moments = moments.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zone else moments
        return decide_days(series.name, days_from_moments(moments.to_numpy()), zone, requested)
    if series.dtype == pl.Duration:
        return decide_hours(
            series.name, series.dt.total_microseconds().cast(pl.Float64).to_numpy(), requested
        )
    numbers = series if series.dtype in (pl.Float32, pl.Float64) else series.cast(pl.Float64)
    known = numbers.fill_null(math.nan) if numbers.null_count() else numbers
    parts = [part.to_numpy() for part in known.get_chunks()]  # put together here: numpy asks for huge pages
    data = parts[0] if len(parts) == 1 else np.concatenate(parts)
    unknown = why == EVERY_NUMBER and bool(np.isnan(data[:1]).all()) and bool(np.isnan(data).all())
    return decide_numbers(series.name, data, requested, NO_KNOWN_CELL if unknown else why)


def _from_pandas(frame: "pd.DataFrame", how: Reading) -> Table:
    check_size(*frame.shape)
    named = list(frame.columns) != list(range(frame.shape[1]))
    given = [_name_of(label) for label in frame.columns] if named else unnamed_schema(frame.shape[1]).names
    names, notes = distinct_names(given)
    if index := [str(name) for name in frame.index.names if name is not None]:
        left = f"the index ({', '.join(index)}) is not a column; to use it, call reset_index() first"
        notes = (left, *notes)
    asked = requested_kinds(how.kinds, names)
    columns = [_pandas_column(name, frame.iloc[:, i], asked.get(name), how) for i, name in enumerate(names)]
    return table_of(columns, named=named, notes=notes)


def _name_of(label: object) -> str:
    """The name of a column; the levels of a MultiIndex side by side."""
    return " ".join(filter(None, map(str, label))) if isinstance(label, tuple) else str(label)


def _pandas_column(name: str, series: "pd.Series", requested: RequestedKind, how: Reading) -> Decided:
    import pandas as pd

    dtype: Any = series.dtype
    if isinstance(dtype, pd.ArrowDtype):
        import polars as pl

        return polars_columns(pl.from_pandas(series.to_frame(name)), {name: requested}, how)[0]
    if isinstance(dtype, pd.CategoricalDtype):
        return decide_cells(name, _pandas_cells(series).cleaned(how.of(name)), requested, how)
    if isinstance(dtype, pd.SparseDtype):
        series = series.sparse.to_dense()
    if pd.api.types.is_bool_dtype(dtype):
        codes = series.astype("Int8").fillna(MISSING).to_numpy(np.int8)
        return decide_cells(name, Cells(BOOLEANS, codes, Nominal), requested)
    numbers = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    if numbers and not how.of(name).gap_numbers:
        return _pandas_numbers(name, series, requested, how)
    if pd.api.types.is_timedelta64_dtype(dtype):
        spans = series.astype("timedelta64[us]").to_numpy()
        return decide_hours(name, np.where(np.isnat(spans), np.nan, spans.astype(np.int64)), requested)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        zone = "" if (tz := getattr(dtype, "tz", None)) is None else name_of_zone(tz)
        moments = (series.dt.tz_convert("UTC").dt.tz_localize(None) if zone else series).to_numpy()
        return decide_days(name, days_from_moments(moments), zone, requested)
    words = words_of(series)
    if words is not None:
        return decide_cells(name, words.cleaned(how.of(name)), requested, how)
    return object_column(name, series.tolist(), requested, how)


def _pandas_numbers(name: str, series: "pd.Series", requested: RequestedKind, how: Reading) -> Decided:
    dtype: Any = series.dtype
    narrow = dtype.kind == "f" and dtype.itemsize == 4
    numbers = series.to_numpy(np.float32 if narrow else np.float64, na_value=np.nan)
    if dtype.kind in "iu" and (
        not may_stay_numeric(requested) or (requested is None and not is_exact(numbers))
    ):
        return object_column(name, series.tolist(), requested, how)
    return decide_numbers(name, numbers, requested)


def _pandas_cells(series: "pd.Series") -> Cells:
    """Ordered categories as they are declared; of unordered ones, those that occur."""
    if not series.cat.ordered:
        series = series.cat.remove_unused_categories()
    categories: Sequence[Any] = series.cat.categories.tolist()
    declared = Ordinal if series.cat.ordered else Nominal
    return Cells([as_text(value) for value in categories], series.cat.codes.to_numpy(), declared)
