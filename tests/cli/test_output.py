"""What commands write to standard output: the bytes of `-o` to a pipe, no controls to a terminal."""

import io
import sys

from openbook.cli.output import put


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_pipe_gets_the_bytes(monkeypatch):
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", pipe)
    put("é,\x1b[2J\n")
    assert pipe.buffer.getvalue() == "é,\x1b[2J\n".encode()


def test_a_terminal_gets_no_commands(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Screen())
    put("a,\x1b[2J\nb\n")
    assert sys.stdout.getvalue() == "a,\N{REPLACEMENT CHARACTER}[2J\nb\n"
