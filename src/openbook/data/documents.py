"""A folder of documents as a table: a text file each, in a subfolder for each class, or all in the folder.

    reviews/good/1.txt  reviews/good/2.txt  reviews/bad/1.txt        ->        text, class
    letters/1.txt  letters/2.txt                                     ->        file, text

    text     what is in the file; missing where it is empty
    class    the name of the subfolder
    file     the name of the file

Rows come in the order of the names of subfolders and files. Files that do not end in .txt are left out. The
encoding is that of other text files, see `openbook.data.packed`. Text files side by side that begin with the
same line are parts of a table, not documents. A scan reads some files at a time.
"""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from openbook.data.attributes import Nominal, Text
from openbook.data.packed import text_of
from openbook.data.reading import SCANNED, Reading
from openbook.data.schema import Schema
from openbook.data.table import Table
from openbook.errors import DataError
from openbook.words.sentences import plural

#: The column that the names of subfolders are in.
CLASS = "class"

#: The files whose first lines are compared, and the bytes of a line; the most bytes of a piece.
_COMPARED, _LINE, _MOST_BYTES = 20, 1000, 1 << 26


@dataclass(frozen=True)
class DocumentPiece:
    """Some documents of a folder, still to be loaded.

    Attributes
    ----------
    paths : tuple of Path
        The files.
    schema : Schema
        The columns.
    how : Reading
        How files are read.
    sizes : tuple of int
        The bytes of each file when the folder was scanned.
    first_row : int
        The position of its first row in the folder.
    skip : tuple of int, default=()
        Rows of the piece that are left out.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in {"1.txt": "good", "2.txt": "bad"}.items():
    ...         _ = pathlib.Path(folder, name).write_text(text)
    ...     print(document_pieces(pathlib.Path(folder), Reading(), 1)[1].load()["text"].tolist())
    ['bad']
    """

    paths: tuple[Path, ...]
    schema: Schema
    how: Reading
    sizes: tuple[int, ...]
    first_row: int
    skip: tuple[int, ...] = ()

    @property
    def rows(self) -> int:
        return len(self.paths)

    def load(self) -> Table:
        """The rows, in the codes of the schema."""
        for path, size in zip(self.paths, self.sizes, strict=True):
            if not path.exists() or path.stat().st_size != size:
                raise DataError(f"{path} has changed since it was scanned; scan it again")
        table = _table(self.paths, self.schema, self.how)
        return table.take(np.delete(np.arange(len(table)), self.skip)) if self.skip else table

    def __len__(self) -> int:
        return self.rows - len(self.skip)


def holds_documents(folder: Path) -> bool:
    """Whether this is a folder of text files, or of subfolders of them, without tables of its own."""
    return has_classes(folder) or bool(_side_by_side(folder))


def has_classes(folder: Path) -> bool:
    """Whether the documents of a folder are in subfolders, which are their classes."""
    if not folder.is_dir() or any(path.suffix.lower() in SCANNED for path in _visible(folder)):
        return False
    return any(_documents(path) for path in _visible(folder))


def read_documents(folder: Path, how: Reading) -> Table:
    """The text files of a folder, or of its subfolders, which are then their classes."""
    paths, schema = _files(folder)
    return _table(paths, schema, how, notes=(_note(paths, schema),))


def document_pieces(folder: Path, how: Reading, chunk_rows: int) -> list[DocumentPiece]:
    """The documents of a folder in pieces of `chunk_rows` files at most, and of not too many bytes."""
    paths, schema = _files(folder)
    sizes = [path.stat().st_size for path in paths]
    pieces: list[DocumentPiece] = []
    start, held = 0, 0
    for end in range(1, len(paths) + 1):
        held += sizes[end - 1]
        if end == len(paths) or end - start == chunk_rows or held + sizes[end] > _MOST_BYTES:
            pieces.append(DocumentPiece(paths[start:end], schema, how, tuple(sizes[start:end]), start))
            start, held = end, 0
    return pieces


def _files(folder: Path) -> tuple[tuple[Path, ...], Schema]:
    """The files of documents, and their columns."""
    if not has_classes(folder):
        found = tuple(_side_by_side(folder))
        return found, Schema((Nominal("file", tuple(path.name for path in found)), Text("text")))
    files = {path.name: _documents(path) for path in _visible(folder)}
    classes = tuple(name for name, own in files.items() if own)
    paths = tuple(path for name in classes for path in files[name])
    return paths, Schema((Text("text"), Nominal(CLASS, classes)))


def _table(paths: tuple[Path, ...], schema: Schema, how: Reading, notes: tuple[str, ...] = ()) -> Table:
    columns = []
    for attribute in schema:
        if isinstance(attribute, Nominal):
            code = {name: i for i, name in enumerate(attribute.values)}
            names = (path.parent.name if attribute.name == CLASS else path.name for path in paths)
            columns.append(np.array([code[name] for name in names], dtype=attribute.dtype))
        else:
            columns.append(np.array([text_of(path, how).strip() or None for path in paths], dtype=object))
    return Table(schema, columns, why={name: _WHY[name] for name in schema.names}, notes=list(notes))


_WHY = {
    "text": "the text of a file each",
    CLASS: "the names of the subfolders",
    "file": "the names of the files",
}


def _note(paths: tuple[Path, ...], schema: Schema) -> str:
    found = plural(len(paths), "text file")
    folders = len({path.parent for path in paths})
    return f"{found} in {plural(folders, 'subfolder')}" if CLASS in schema else found


def _side_by_side(folder: Path) -> list[Path]:
    """The text files of a folder that holds nothing but those, unless they look like parts of a table."""
    if not folder.is_dir():
        return []
    found = _documents(folder)
    if len(found) < 2 or found != [path for path in _visible(folder) if path.suffix.lower() in SCANNED]:
        return []
    return found if len(set(islice(map(_first_line, found), _COMPARED))) > 1 else []


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(_LINE).strip()


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _documents(folder: Path) -> list[Path]:
    return [path for path in _visible(folder) if path.suffix.lower() == ".txt"] if folder.is_dir() else []
