"""A folder of documents as a table: a text file each, in a subfolder for each class.

    reviews/good/1.txt  reviews/good/2.txt  reviews/bad/1.txt        ->        text, class

    text     what is in the file; missing where it is empty
    class    the name of the subfolder

Rows come in the order of the names of subfolders and files. Files that do not end in .txt are left out. The
encoding is that of other text files, see `openbook.data.packed`.
"""

from pathlib import Path

import numpy as np

from openbook.data.attributes import Nominal, Text
from openbook.data.packed import text_of
from openbook.data.reading import SCANNED, Reading
from openbook.data.schema import Schema
from openbook.data.table import Table
from openbook.words.sentences import plural

__all__ = ["CLASS", "holds_documents", "read_documents"]

#: The column that the names of subfolders are in.
CLASS = "class"


def holds_documents(folder: Path) -> bool:
    """Whether this is a folder without tables of its own, but with subfolders of text files."""
    if not folder.is_dir() or any(path.suffix.lower() in SCANNED for path in _visible(folder)):
        return False
    return any(_documents(path) for path in _visible(folder))


def read_documents(folder: Path, how: Reading) -> Table:
    """The text files of a folder's subfolders, which are their classes."""
    files = {path.name: _documents(path) for path in _visible(folder)}
    classes = tuple(name for name, own in files.items() if own)
    texts = [text_of(path, how).strip() or None for name in classes for path in files[name]]
    codes = np.repeat(np.arange(len(classes)), [len(files[name]) for name in classes])
    schema = Schema((Text("text"), Nominal(CLASS, classes)))
    columns = [np.array(texts, dtype=object), codes.astype(schema[CLASS].dtype)]  # type: ignore[attr-defined]
    why = {"text": "the text of a file each", CLASS: "the names of the subfolders"}
    notes = [f"{plural(len(texts), 'text file')} in {plural(len(classes), 'subfolder')}"]
    return Table(schema, columns, why=why, notes=notes)


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _documents(folder: Path) -> list[Path]:
    return [path for path in _visible(folder) if path.suffix.lower() == ".txt"] if folder.is_dir() else []
