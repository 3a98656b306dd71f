"""Labelling in the terminal: answers are on the disk at once, and labelling goes on where it was left."""

import io
import os
import sys
from pathlib import Path

import pytest

import openbook as ob
from openbook.cli import labelling
from openbook.cli.labelling import Labelling
from openbook.errors import DataError
from openbook.label.answers import AnswerFile

ROWS = "x,y,kind\n" + "".join(
    f"{i},{i % 3},{'low' if i < 2 else 'high' if i > 18 else ''}\n" for i in range(21)
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def typed(openbook, monkeypatch):
    """Run the command with keys typed, a line each."""

    def run(keys, *args):
        from typer.testing import CliRunner

        from openbook.cli.main import app

        result = CliRunner().invoke(app, ["label", *map(str, args)], input="\n".join(keys) + "\n")
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def test_a_sitting(file, typed):
    # the classes are high (1) and low (2); the first row asked lies between them
    said = typed("12q", file, "-t", "kind")
    assert "21 rows, 4 with a label of kind." in said
    assert "[1] high  [2] low" in said
    answers = [line.split(",")[:2] for line in Path("rows.labels.csv").read_text().split()[1:]]
    assert [label for _, label in answers] == ["high", "low"]
    labelled = ob.read("rows.labelled.csv")
    assert len(labelled) == 21
    kinds = labelled["kind"]
    assert [kinds[int(row)] for row, _ in answers] == ["high", "low"]
    assert int(kinds.missing.sum()) == 15
    again = typed("uq", file, "-t", "kind")
    assert "Resuming: 2 answers" in again
    assert f"Row {answers[-1][0]} has no label again." in again
    assert int(ob.read("rows.labelled.csv")["kind"].missing.sum()) == 16


@pytest.mark.parametrize(
    ("others", "options", "known"),
    [("01", (), 4), ("11", ("--classes", "0,1"), 4), ("01", ("--classes=-1,0,1",), 21), ("11", (), 21)],
    ids=["beside two classes", "beside named classes", "named a class", "beside a single number"],
)
def test_minus_one_is_no_label_as_in_fit(tmp_path, typed, others, options, known):
    low, high = others
    cells = [low if i < 2 else high if i > 18 else "-1" for i in range(21)]
    file = tmp_path / "numbers.csv"
    file.write_text("x,y\n" + "".join(f"{i % 7 - 1},{cell}\n" for i, cell in enumerate(cells)))
    said = typed("q", file, "-t", "y", *options)
    assert f"21 rows, {known} with a label of y." in said
    assert ob.read("numbers.labelled.csv")["x"].tolist()[0] == -1  # an input's -1 stays


def test_a_row_whose_answer_was_taken_back_is_asked_for_again(file, typed):
    said = typed("u12u12q", file, "-t", "kind")
    assert "There is no answer to undo." in said
    first, second, waiting, again, and_then, *_ = (
        line for line in said.splitlines() if line.startswith("Row ") and "no label" not in line
    )
    assert again == second != first
    assert and_then == waiting
    last = {line.split(",")[0]: line.split(",")[1] for line in Path("rows.labels.csv").read_text().split()}
    assert [last[row.split()[1].rstrip(",")] for row in (first, second, waiting)] == ["high", "high", "low"]


def test_the_last_answers_tell_the_gain_after_a_break(tmp_path, typed):
    """Twelve rows have a label, and ten answers were given before the break."""
    path = tmp_path / "many.csv"
    lines = [f"{i},{'low' if i < 6 else 'high' if i > 53 else ''}" for i in range(60)]
    path.write_text("\n".join(["x,kind", *lines]))
    assert "can be told after 1 more label." in typed("1" * 9 + "q", path, "-t", "kind")
    assert "errors are expected among the 38 rows" in " ".join(typed("1q", path, "-t", "kind").split())


def test_skip_why_and_wrong_keys(file, typed):
    said = typed(["w", "s", "9", "q"], file, "-t", "kind")
    assert "Why ask for kind of row" in said
    assert said.count("kind?  [1]") == 3  # of the first row, again below the work, and of the second row
    assert "'9' is not a key here; keys: 1 2 s u w q" in said
    first, second = (line for line in said.splitlines() if line.startswith("Row "))
    assert first != second
    assert "Answers:" not in said
    assert not Path("rows.labels.csv").exists()  # there is no answer


def test_fifth_row_is_drawn_and_predicted_first(file, typed):
    said = typed("11111q", file, "-t", "kind")
    assert said.count("drawn at random\n") == 1
    lines = [line.split(",") for line in Path("rows.labels.csv").read_text().split()[1:]]
    assert [line[2] for line in lines] == ["asked", "asked", "asked", "asked", "drawn"]
    assert [bool(line[3]) for line in lines] == [False, False, False, False, True]
    assert "of 1 right" in said
    assert "the 4 requested rows" in said  # two rows of each class were given, and are tested
    assert "kind_asked marks them" in said
    marks = ob.read("rows.labelled.csv")["kind_asked"].tolist()
    asked = {int(line[0]) for line in lines[:4]}
    labelled = {0, 1, 19, 20, *(int(line[0]) for line in lines)}
    assert [row for row, mark in enumerate(marks) if mark == "yes"] == sorted(asked)
    assert [row for row, mark in enumerate(marks) if mark == "no"] == sorted(labelled - asked)


def test_the_classifiers_without_and_with_the_answers_are_compared(file, typed):
    """Row 10, on the border, is called high, and with it the 8 rows before it."""
    said = " ".join(typed(["1", "q", "y", *"11211111"], file, "-t", "kind").split())
    assert "disagree on 8 of the 16 rows left" in said
    assert "8 of 8 on which the two disagree" in said
    assert (
        "the later one is right on 7, the earlier one on 1. Gain in accuracy on all 16 rows: +0.375" in said
    )
    assert ob.read("rows.labelled.csv")["kind_asked"].tolist().count("yes") == 9  # no fair sample


def test_labelling_goes_on_from_the_table_that_was_written(file, typed):
    """Labels that were asked for stay so, and the column that says it is no input."""
    typed("1111q", file, "-t", "kind")
    said = typed("1q", "rows.labelled.csv", "-t", "kind")
    assert "kind_asked " not in said.partition("kind?")[0]
    first, second = (
        ob.read(name)["kind_asked"].tolist() for name in ("rows.labelled.csv", "rows.labelled.labelled.csv")
    )
    assert first.count("yes") == 4
    assert second.count("yes") == 5
    assert all(b == "yes" for a, b in zip(first, second, strict=True) if a == "yes")


def test_rows_drawn_at_random_throughout_are_not_marked(file, typed):
    assert "harder" not in typed("1111q", file, "-t", "kind", "--strategy", "random")
    assert "yes" not in ob.read("rows.labelled.csv")["kind_asked"].tolist()


def test_the_first_rows_are_drawn_at_random(file, typed):
    """Of no class or one there is no classifier; later the second class has one label only."""
    said = typed("abaaq", file, "-t", "new", "--classes", "a,b", "--ignore", "kind")
    assert said.count("drawn at random\n") == 5
    lines = [line.split(",") for line in Path("rows.labels.csv").read_text().split()[1:]]
    assert [line[2] for line in lines] == ["drawn"] * 4
    assert [bool(line[3]) for line in lines] == [False, False, True, True]


def test_column_that_is_not_there_yet(file, typed):
    typed("abq", file, "-t", "new", "--classes", "a,b", "--ignore", "kind")
    assert ob.read("rows.labelled.csv").names == ("x", "y", "kind", "new", "new_asked")


def test_end_of_input_is_quitting(file, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    sitting = Labelling(ob.read(file), "kind", answers=Path("a.csv"))
    sitting.run()
    assert len(sitting.answers.labels) == 1


def test_a_class_of_one_character_is_its_own_key(file, typed):
    said = typed("0q", file, "-t", "new", "--classes", "0,1,s,B,b", "--ignore", "kind")
    assert "[0] 0  [1] 1  [2] s  [b] B  [3] b" in said  # s skips, and the first of two takes the key
    assert Path("rows.labels.csv").read_text().split()[1].split(",")[1] == "0"


def test_many_short_cells_share_lines(tmp_path, typed):
    path = tmp_path / "wide.csv"
    names = [f"c{i}" for i in range(30)]
    path.write_text(
        "\n".join([",".join(names), *(",".join(str(i + j) for j in range(30)) for i in range(9))])
    )
    said = typed("q", path, "-t", "new", "--classes", "a,b")
    first = next(line for line in said.splitlines() if line.startswith("  c0 "))
    assert " · c1 " in first


def test_classes_must_be_known(file, complaint):
    assert "such as --classes yes,no" in complaint("label", file, "-t", "new")


def test_a_refused_learner_leaves_no_file(file, complaint):
    assert "predicts numbers" in complaint("label", file, "-t", "kind", "--learner", "linear_regression")
    assert not Path("rows.labels.csv").exists()


def test_a_cut_off_line_is_no_answer(tmp_path):
    table = ob.load("weather").drop("play")
    path = tmp_path / "a.csv"
    answers = AnswerFile(path, table, ("yes", "no"))
    answers.add(3, "yes")
    whole = path.read_bytes()
    path.write_bytes(whole + b"4,n")
    assert AnswerFile(path, table, ("yes", "no")).labels == {3: "yes"}
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("99,yes,asked,,00000000", "no answer for a row"),
        ("-1,yes,asked,,00000000", "no answer for a row"),
        ("1,maybe,asked,,00000000", "none of the classes"),
        ("1,yes,guessed,,00000000", "'asked' or 'drawn', not 'guessed'"),
        ("1,yes,asked,,00000000", "has changed since it was labelled"),
        ("1,yes", "no answer for a row"),
    ],
)
def test_files_of_others_are_checked(tmp_path, line, said):
    path = tmp_path / "a.csv"
    path.write_text(f"row,label,how,predicted,check\n{line}\n")
    with pytest.raises(DataError, match=said):
        AnswerFile(path, ob.load("weather").drop("play"), ("yes", "no"))
    path.write_text("something else\n")
    with pytest.raises(DataError, match="not a file of answers"):
        AnswerFile(path, ob.load("weather").drop("play"), ("yes", "no"))


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
def test_keys_typed_ahead_are_not_lost(monkeypatch):
    """Not even a key that comes before the question; an arrow is one key, which is no answer."""
    import pty

    user, terminal = pty.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        os.write(user, b"12Q")
        assert [labelling._key() for _ in range(3)] == ["1", "2", "q"]
        os.write(user, b"\x1b[A")
        assert labelling._key() == "\x1b[a"
        os.write(user, b"\x04")
        assert labelling._key() == ""
    os.close(user)


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
def test_keys_typed_while_it_starts_answer_nothing(monkeypatch):
    import pty

    user, terminal = pty.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        os.write(user, b"1\n1\n")
        labelling._forget_keys()
        os.write(user, b"2")
        assert labelling._key() == "2"
    os.close(user)
