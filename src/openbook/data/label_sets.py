"""Sets of labels as a table of 0 and 1.

    "sport|politics", ""        ->   {sport, politics}, {}
    ["sport", "politics"], []   ->   the same
    columns of 0 and 1          ->   a label for each column, by its name

cells : bool (n_rows, n_labels), whether a row has a label

Labels of sets are in the order of the alphabet, those of columns in the order of the columns. A missing cell
of sets is the empty set; a missing cell of 0 and 1 is an error, since it is not known.

A column of the kind `Labels` holds the same as codes of its sets.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import as_text
from openbook.data.column import Column
from openbook.data.labels import SEPARATORS, Labels, membership
from openbook.data.read import read
from openbook.data.schema import Schema
from openbook.data.table import Table
from openbook.errors import DataError, UnknownColumn
from openbook.words.sentences import listed

#: What several columns of 0 and 1 are called together, where each is a label.
LABELS = "labels"

#: How two-valued columns say that a row has the label, or has it not.
_YES, _NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no"}


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The labels of rows.

    Attributes
    ----------
    cells : ndarray of shape (n_rows, n_labels)
        Whether each row has each label.
    labels : tuple of str
        The labels.
    name : str, default="labels"
        The name of the target.
    separator : str, default="|"
        The separator between the labels of a set.

    Notes
    -----
    Guide: docs/guide/multilabel.md

    Examples
    --------
    >>> sets = label_sets(["sport|politics", "sport", ""])
    >>> sets.labels, sets.cells.astype(int).tolist(), sets.written()
    (('politics', 'sport'), [[1, 1], [0, 1], [0, 0]], ['politics|sport', 'sport', ''])
    """

    cells: npt.NDArray[np.bool_]
    labels: tuple[str, ...]
    name: str = "labels"
    separator: str = "|"

    def __len__(self) -> int:
        return len(self.cells)

    def take(self, rows: Any) -> "LabelSets":
        """Those of some rows, with the same labels.

        Parameters
        ----------
        rows : ndarray of int
            The positions of the rows.

        Returns
        -------
        LabelSets
        """
        return replace(self, cells=self.cells[rows])

    def written(self) -> list[str]:
        """Each set as its labels with the separator between them.

        Returns
        -------
        list of str
        """
        labels = np.array(self.labels, dtype=object)
        return [self.separator.join(labels[row]) for row in self.cells]

    def column(self) -> Column:
        """The sets as a column: a code for each set that occurs.

        Returns
        -------
        Column
            Of the kind `Labels`.
        """
        sets, which = np.unique(self.cells, axis=0, return_inverse=True)
        texts = replace(self, cells=sets).written()
        attribute = Labels.of(self.name, texts, self.separator)
        codes = np.array([attribute.encode(text) for text in texts], dtype=attribute.dtype)
        return Column(attribute, codes[which.ravel()])


def label_sets(y: Any) -> LabelSets:
    """Read sets of labels.

    Parameters
    ----------
    y : array-like
        A set for each row: texts with | between labels, or lists of labels; or a table, frame or array with a
        column of 0 and 1 for each label.

    Returns
    -------
    LabelSets

    Notes
    -----
    Guide: docs/guide/multilabel.md

    Examples
    --------
    >>> label_sets([["b", "a"], [], ["a"]]).cells.astype(int).tolist()
    [[1, 1], [0, 0], [1, 0]]
    >>> import numpy as np
    >>> label_sets(np.array([[1, 0], [1, 1]])).labels
    ('0', '1')
    """
    if isinstance(y, LabelSets):
        return y
    if isinstance(y, Column) and isinstance(y.attribute, Labels):
        return LabelSets(y.attribute.has[y.data], y.attribute.labels, y.name, y.attribute.separator)
    if isinstance(y, Table) or hasattr(y, "columns"):
        return _of_columns(read(y))
    if _is_matrix(y):
        return _of_columns(read(np.asarray(y)), numbered=True)
    name = y.name if isinstance(y, Column) else str(getattr(y, "name", None) or "labels")
    rows = [_labels_of(cell) for cell in (np.asarray(y, dtype=object) if isinstance(y, Column) else y)]
    labels = tuple(sorted({label for row in rows for label in row}))
    if not labels:
        raise DataError("no row has a label; is this the right column?")
    return LabelSets(membership(rows, labels), labels, name)


def inputs_and_labels(X: Any, y: Any) -> tuple[Table, LabelSets]:
    """Inputs and sets of labels, where y may name a column of X, or several columns of 0 and 1."""
    table = read(X)
    if isinstance(y, str):
        table, column = table.split(y)
        return table, label_sets(column)
    if isinstance(y, list | tuple) and y and all(isinstance(one, str) for one in y):
        if set(y) <= set(table.names):
            return table.drop(*y), _of_columns(table.select(list(y)))
        if len(y) != len(table):
            raise UnknownColumn(next(one for one in y if one not in table.names), table.names)
    sets = label_sets(y)
    if len(sets) != len(table):
        raise DataError(f"X has {len(table)} rows, and y has {len(sets)}")
    return table, sets


def _is_matrix(y: Any) -> bool:
    """Whether this is an array of rows and labels, or lists of numbers of one length."""
    if isinstance(y, np.ndarray):
        return y.ndim == 2
    rows = y if isinstance(y, list | tuple) else []
    sizes = {len(row) if isinstance(row, list | tuple) else 0 for row in rows}
    return len(sizes) == 1 and 0 not in sizes and all(isinstance(n, int | float) for row in rows for n in row)


def _labels_of(cell: Any) -> list[str]:
    if cell is None or (isinstance(cell, float) and np.isnan(cell)):
        return []
    if isinstance(cell, str):
        return [label for part in cell.split("|") if (label := part.strip())]
    return [as_text(label) for label in cell] if isinstance(cell, Iterable) else [as_text(cell)]


def _of_columns(table: Table, *, numbered: bool = False) -> LabelSets:
    """A label for each column, which must hold 0 and 1."""
    cells = np.zeros((len(table), len(table.names)), dtype=bool)
    for j, name in enumerate(table.names):
        texts = [None if cell is None else as_text(cell).casefold() for cell in table.column(name)]
        if (i := next((i for i, text in enumerate(texts) if text not in _YES | _NO), None)) is not None:
            found = "is missing" if texts[i] in {None, "nan"} else f"{texts[i]!r} is neither 0 nor 1"
            raise DataError(f"label {name!r}, row {i}: the cell {found}")
        cells[:, j] = [text in _YES for text in texts]
    labels = tuple(str(j) if numbered else name for j, name in enumerate(table.names))
    return LabelSets(cells, labels, listed(labels, 3), free_separator(labels))


def with_label_sets(table: Table, labels: Collection[str]) -> Table:
    """The table with columns of 0 and 1 as one column of sets of labels, called labels.

    >>> both = with_label_sets(read([{"x": 5, "a": 1, "b": 0}, {"x": 6, "a": 1, "b": 1}]), ["a", "b"])
    >>> both.names, both.column("labels").tolist()
    (('x', 'labels'), ['a', 'a|b'])
    """
    others, names = table.drop(*labels), listed(list(labels))
    if LABELS in others.names:
        raise DataError(f"there is a column {LABELS!r} beside the labels {names}; rename or drop it")
    column = replace(_of_columns(table.select(list(labels))), name=LABELS).column()
    why = {**others.why, LABELS: f"the columns {names}, which hold 0 and 1"}
    schema = Schema((*others.schema, column.attribute), others.schema.named)
    return Table(schema, [*others.columns, column.data], why=why, notes=table.notes)


def free_separator(labels: Collection[str]) -> str:
    """What can stand between these labels, since none of them holds it.

    >>> free_separator(["sport", "law|order"])
    ';'
    """
    free = [sign for sign in SEPARATORS if not any(sign.strip() in label for label in labels)]
    if not free:
        raise DataError(f"the labels {listed(list(labels), 3)} hold |, ; and commas; rename some")
    return free[0]
