"""A folder with a subfolder of text files for each class is a table."""

import pytest

from openbook import read
from openbook.data import Nominal, Text
from openbook.plan import Source


@pytest.fixture
def folder(tmp_path):
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
