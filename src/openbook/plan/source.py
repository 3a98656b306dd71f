"""The source of a study's rows: a bundled set or a file, with the fingerprint of its content."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from openbook.border.budget import most_bytes
from openbook.data import Categorical, Numeric, Scan, Table, read, scan
from openbook.data.documents import CLASS, has_classes
from openbook.data.label_sets import LABELS, with_label_sets
from openbook.data.remote import is_address
from openbook.data.scan import SCANNED_WITH, size_on_disk
from openbook.errors import PlanError, did_you_mean
from openbook.words.parameters import documented

#: Of files larger than this share of `most_bytes`, only this many rows are held.
HELD, SAMPLE = 0.25, 100_000

#: The options of `openbook.read` that a plan may hold.
READ_WITH = ("missing", "missing_in", "header", "decimal", "thousands", "encoding", "sheet", "query")


@documented
@dataclass(frozen=True)
class Source:
    """A bundled set, or a file; the one that is not used is None.

    Attributes
    ----------
    set : str or None, default=None
        The name of a bundled set.
    path : str or None, default=None
        The path or the address of a file.
    kinds : mapping
        The kind of some columns, which overrules the guess: a kind, or a list of values from lowest to
        highest.
    sha256 : str, default=""
        The `content_hash` of the table, so that a study never mixes results of different rows.
    read_with : mapping
        Mapping of other options of `openbook.read`, such as `decimal`, to their values.
    sample : int, default=0
        The number of rows in the random sample of files larger than memory; 0 if all rows are held.
    labels : tuple of str, default=()
        Columns of 0 and 1, each a label, that are read as one column of sets of labels, called labels.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> Source.of("weather").set
    'weather'
    """

    set: str | None = None
    path: str | None = None
    kinds: Mapping[str, Any] = field(default_factory=dict)
    sha256: str = ""
    read_with: Mapping[str, Any] = field(default_factory=dict)
    sample: int = 0
    labels: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str | Path,
        kinds: Mapping[str, Any] | None = None,
        read_with: Mapping[str, Any] | None = None,
    ) -> "Source":
        """The source behind a name: a bundled set, unless a file of that name is there.

        Parameters
        ----------
        name : str or Path
            The name of a bundled set, or the path or the address of a file.
        kinds : mapping or None, default=None
        read_with : mapping or None, default=None
            Other options of `openbook.read`, such as `decimal`.

        Returns
        -------
        Source
        """
        from openbook.data.sets import sets

        if str(name) == "-":
            raise PlanError("a resumed study reads its rows again; save standard input to a file first")
        path = Path(name)
        if not path.is_file() and str(name) in sets():
            return cls(set=str(name), kinds=dict(kinds or {}))
        if not path.exists() and path.name == str(name) and not path.suffix:
            hint = did_you_mean(str(name), tuple(sets()))
            raise PlanError(f"there is no file and no bundled set {name!r}. {hint}")
        where, options = str(name) if is_address(name) else str(path.absolute()), dict(read_with or {})
        large = options.keys() <= SCANNED_WITH and size_on_disk(where) > most_bytes() * HELD
        return cls(path=where, kinds=dict(kinds or {}), read_with=options, sample=SAMPLE if large else 0)

    @property
    def name(self) -> str:
        return self.set or self.path or "a table"

    def default_target(self) -> str | None:
        """The usual target of a bundled set, or the class of documents in a folder."""
        from openbook.data.sets import sets

        if self.path and has_classes(Path(self.path)):
            return CLASS
        return sets()[self.set].target if self.set else None

    def aimed_at(self, target: str | Sequence[str] | None) -> tuple["Source", str | None]:
        """The source and its target; several columns of 0 and 1 are one, as sets of labels.

        Parameters
        ----------
        target : str, sequence of str or None
            The column to predict, or the columns of labels.

        Returns
        -------
        tuple of (Source, str or None)
        """
        if target is None or isinstance(target, str):
            return self, target
        if len(target) < 2:
            return self, target[0] if target else None
        if twice := [name for name in target if list(target).count(name) > 1]:
            raise PlanError(f"target {twice[0]!r} is named twice; name each label once")
        return replace(self, labels=tuple(target)), LABELS

    def read(self) -> Table:
        """The table, as it is now."""
        table = self._read()
        return with_label_sets(table, self.labels) if self.labels else table

    def _read(self) -> Table:
        from openbook.data.sets import load

        kinds = dict(self.kinds) or None
        if self.sample:
            rows = self.scan()
            table = rows.take(self.held(len(rows)))
            some = f"{len(table):,} of {len(rows):,} rows are held, chosen at random"
            notes = (*table.notes, f"{some}: the files are larger than an eighth of the memory")
            return Table(table.schema, table.columns, why=table.why, notes=notes)
        return read(load(self.set), kinds) if self.set else read(self.path, kinds, **self.read_with)

    def scan(self) -> Scan:
        """All rows of the files, piece by piece."""
        return scan(self.path, dict(self.kinds) or None, **self.read_with)

    def held(self, rows: int) -> np.ndarray:
        """The positions of the rows that are held, in order.

        Parameters
        ----------
        rows : int
            The number of rows of the files.

        Returns
        -------
        ndarray
        """
        some = np.random.default_rng(0).choice(rows, min(self.sample, rows), replace=False)
        return np.sort(some)

    def checked(self, table: Table) -> Table:
        """The table; PlanError if it is not the one that the plan was made for.

        Parameters
        ----------
        table : Table
            The table that was read.

        Returns
        -------
        Table
        """
        if self.sha256 and content_hash(table) != self.sha256:
            what = (
                f"{self.name} has changed since the plan was made, so its results would not belong together"
            )
            hint = "study it anew with --fresh or another --out, or take sha256 out of the plan"
            raise PlanError(f"{what}; {hint}")
        return table


def content_hash(table: Table) -> str:
    """A fingerprint of the schema and of every cell, whatever the file's format.

    >>> from openbook.data import read
    >>> a, b = read([{"x": 1.0}, {"x": None}]), read([{"x": 1.0}, {"x": 2.0}])
    >>> content_hash(a) == content_hash(a.take(slice(None))), content_hash(a) == content_hash(b)
    (True, False)
    """
    schema = table.schema.to_json()
    schema["attributes"] = [  # what is in the cells, however they are written
        {key: part for key, part in record.items() if key in ("kind", "name", "values")}
        for record in schema["attributes"]
    ]
    digest = hashlib.sha256(json.dumps([schema, len(table)]).encode())
    for name in table.names:
        column = table.column(name)
        if isinstance(column.attribute, Numeric):
            numbers = column.data.astype("<f8")
            numbers[np.isnan(numbers)] = np.nan  # one NaN for all that there are
            digest.update(np.ascontiguousarray(numbers + 0.0).data)
        elif isinstance(column.attribute, Categorical):
            digest.update(np.ascontiguousarray(column.data.astype("<i8")).data)
        else:
            digest.update(json.dumps(column.tolist()).encode())
    return digest.hexdigest()
