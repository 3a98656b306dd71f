"""A folder with a subfolder of text files for each class is a table."""

import pytest

from openbook import read, scan
from openbook.bayes import NaiveBayes
from openbook.data import Nominal, Text
from openbook.errors import DataError
from openbook.plan import Source


@pytest.fixture
def folder(tmp_path):
    tmp_path = tmp_path / "reviews"
    tmp_path.mkdir()
    for name, text in {
        "bad/2.txt": "dull",
        "bad/10.txt": "",
        "good/a.TXT": "caf\u00e9 \u00e0 la carte\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "good" / "notes.md").write_text("left out")
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_each_text_file_is_a_row_with_the_class_of_its_subfolder(folder):
    table = read(folder)
    assert table.schema.attributes == (Text("text"), Nominal("class", ("bad", "good")))
    assert table["text"].tolist() == [None, "dull", "caf\u00e9 \u00e0 la carte"]
    assert table["class"].tolist() == ["bad", "bad", "good"]
    assert table.notes == ("3 text files in 2 subfolders",)


def test_the_encoding_can_be_given(folder):
    (folder / "good" / "a.TXT").write_bytes("caf\u00e9".encode("latin-1"))
    assert read(folder, encoding="latin-1")["text"].tolist()[-1] == "caf\u00e9"


def test_a_study_predicts_the_class_of_documents(folder):
    assert Source.of(folder).default_target() == "class"


def test_a_folder_of_tables_is_one_table(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "b.csv").write_text("x\n2\n")
    assert read(tmp_path)["x"].tolist() == [1.0, 2.0]


@pytest.fixture
def letters(tmp_path):
    own = tmp_path / "letters"
    own.mkdir()
    for name, text in {"b.txt": "Dear Ann, hello", "a.txt": "Dear Bob,\nhow are you?", "c.txt": ""}.items():
        (own / name).write_text(text, encoding="utf-8")
    return own


def test_text_files_side_by_side_are_documents_with_their_names(letters):
    table = read(letters)
    assert table["file"].tolist() == ["a.txt", "b.txt", "c.txt"]
    assert table["text"].tolist() == ["Dear Bob,\nhow are you?", "Dear Ann, hello", None]
    assert Source.of(letters).default_target() is None


def test_text_files_that_begin_alike_are_parts_of_a_table(tmp_path):
    (tmp_path / "a.txt").write_text("x\ty\n1\t2\n")
    (tmp_path / "b.txt").write_text("x\ty\n3\t4\n")
    assert read(tmp_path)["y"].tolist() == [2.0, 4.0]


@pytest.mark.parametrize("chunk_rows", [1, 2, 100])
def test_a_scan_of_documents_is_what_is_read(folder, letters, chunk_rows):
    for source in (folder, letters):
        scanned, whole = scan(source, chunk_rows=chunk_rows), read(source)
        assert scanned.schema == whole.schema
        assert [row for table in scanned.chunks() for row in table["text"].tolist()] == whole["text"].tolist()
        assert len(scanned) == 3
        assert scanned.select(["text"]).read().names == ("text",)
        assert scanned.without([1]).read()["text"].tolist() == whole.take([0, 2])["text"].tolist()


def test_learners_read_documents_a_few_at_a_time(folder):
    whole, pieces = read(folder), scan(folder, chunk_rows=1)
    held, scanned = NaiveBayes().fit(whole, "class"), NaiveBayes().fit(pieces, "class")
    assert scanned.predict_proba(whole).tolist() == held.predict_proba(whole).tolist()
    (folder / "bad" / "2.txt").write_text("changed")
    with pytest.raises(DataError, match=r"2\.txt has changed since it was scanned"):
        pieces.read()


def test_of_a_list_of_text_files_the_folder_is_asked_for(tmp_path):
    (tmp_path / "1.txt").write_text("Dear Ann")
    (tmp_path / "2.txt").write_text("Dear Bob")
    with pytest.raises(DataError, match=f"If these are documents, name their folder: {tmp_path}$"):
        read(tmp_path / "*.txt")
    assert read(tmp_path).names == ("file", "text")
