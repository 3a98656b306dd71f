"""An error that no command expects is one line with exit code 1; a traceback only where one asks for it."""

import pytest
from typer.testing import CliRunner

import openbook.data.sets
from openbook.cli.main import app


@pytest.fixture
def broken(monkeypatch):
    """`openbook sets`, as if it had an error of its own."""

    def fails():
        raise TypeError("no\nsuch thing.")

    monkeypatch.setattr(openbook.data.sets, "sets", fails)
    monkeypatch.delenv("OPENBOOK_TRACEBACK", raising=False)
    return lambda: CliRunner().invoke(app, ["sets"])


def test_it_is_one_line(broken):
    done = broken()
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr == (
        "openbook: internal error: TypeError: no such thing;"
        " please report it; run with OPENBOOK_TRACEBACK=1 for details\n"
    )


def test_details_are_there_for_the_asking(broken, monkeypatch):
    monkeypatch.setenv("OPENBOOK_TRACEBACK", "1")
    assert isinstance(broken().exception, TypeError)
