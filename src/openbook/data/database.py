"""Tables from databases: SQLite (.db .sqlite .sqlite3) and DuckDB (.duckdb), by query, read only.

A query is SQL, or the name of a table; without one, a database of a single table gives that.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from openbook.data.arrays import check_size, table_of_objects
from openbook.data.frames import from_relation
from openbook.data.names import distinct_names
from openbook.data.reading import Reading
from openbook.data.table import Table
from openbook.errors import DataError, did_you_mean

#: The tables and views of an SQLite file, without its own, such as sqlite_sequence.
_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*'"


def read_sqlite(path: Path, how: Reading) -> Table:
    """The result of a query to an SQLite file."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            listed = connection.execute(_TABLES)
            cursor = connection.execute(_sql(path, how.query, [name for (name,) in listed]))
            rows, described = cursor.fetchall(), cursor.description or ()
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise DataError(f"{path}: {error}") from None
    _check_rows(path, len(rows))
    check_size(len(rows), len(described))
    names, notes = distinct_names([column[0] for column in described])
    return table_of_objects(names, map(list, zip(*rows, strict=True)), how, notes)


def read_duckdb(path: Path, how: Reading) -> Table:
    """The result of a query to a DuckDB file."""
    try:
        import duckdb
    except ImportError:
        raise DataError("a .duckdb file needs duckdb: pip install 'openbook[files]'") from None
    try:
        with closing(duckdb.connect(str(path), read_only=True)) as connection:
            listed = connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
            relation = connection.sql(_sql(path, how.query, [name for (name,) in listed]))
            if relation is None:
                raise DataError(f"{path}: the query gives no rows; it must be a SELECT")
            _check_rows(path, len(relation.limit(1)))
            return from_relation(relation, how)
    except duckdb.Error as error:
        raise DataError(f"{path}: {str(error).partition(chr(10))[0]}") from None


def _check_rows(path: Path, rows: int) -> None:
    if not rows:
        raise DataError(f"{path}: the query gives no rows")


def _sql(path: Path, query: str | None, tables: Sequence[str]) -> str:
    """The query itself, or one for all rows of a table."""
    if query is None and len(tables) != 1:
        known = did_you_mean("", tables) if tables else "It has no tables."
        raise DataError(f"{path}: say which rows: query='SELECT …' or the name of a table. {known}")
    wanted = tables[0] if query is None else query
    if wanted.isidentifier() and wanted not in tables:
        raise DataError(f"{path} has no table {wanted!r}. {did_you_mean(wanted, tables)}")
    name = wanted.replace('"', '""')
    return f'SELECT * FROM "{name}"' if wanted in tables else wanted  # noqa: S608 (read only, and one's own query)
