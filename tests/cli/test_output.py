"""What commands write to standard output: the bytes of `-o` to a pipe, no controls to a terminal."""

import io
import sys

from openbook.cli.derivations import write_work
from openbook.cli.output import put_out
from openbook.work import Work


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_pipe_gets_the_bytes(monkeypatch):
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", pipe)
    put_out("é,\x1b[2J\n")
    assert pipe.buffer.getvalue() == "é,\x1b[2J\n".encode()


def test_a_terminal_gets_no_commands(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Screen())
    put_out("a,\x1b[2J\nb\n")
    assert sys.stdout.getvalue() == "a,\N{REPLACEMENT CHARACTER}[2J\nb\n"


def test_a_derivation_is_as_wide_as_the_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Screen())
    monkeypatch.setenv("COLUMNS", "60")
    write_work(Work("A title", (), "word " * 40), "text", None, note="note " * 40)
    assert 50 < max(map(len, sys.stdout.getvalue().split("\n"))) <= 60
