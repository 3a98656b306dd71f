"""Typed tables: attributes, schemas, reading, scanning and describing."""

from openbook.data.attributes import (
    MISSING,
    UNSEEN,
    Attribute,
    Categorical,
    Datetime,
    Nominal,
    Numeric,
    Ordinal,
    Text,
)
from openbook.data.column import Column
from openbook.data.derived import DatePart, Direction, Intervals, TargetMean, Word
from openbook.data.labels import Labels
from openbook.data.read import read
from openbook.data.reading import MISSING_TOKENS
from openbook.data.scan import FilePiece, Scan, scan
from openbook.data.schema import Schema
from openbook.data.sets import BundledSet, load
from openbook.data.sparse_table import SparseTable
from openbook.data.table import CHUNK_ROWS, Table

__all__ = [
    "CHUNK_ROWS",
    "MISSING",
    "MISSING_TOKENS",
    "UNSEEN",
    "Attribute",
    "BundledSet",
    "Categorical",
    "Column",
    "DatePart",
    "Datetime",
    "Direction",
    "FilePiece",
    "Intervals",
    "Labels",
    "Nominal",
    "Numeric",
    "Ordinal",
    "Scan",
    "Schema",
    "SparseTable",
    "Table",
    "TargetMean",
    "Text",
    "Word",
    "load",
    "read",
    "scan",
]
