"""What tests of commands share: a folder of their own, a runner, a model and rows for it."""

import pytest
from typer.testing import CliRunner

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.cli.main import app


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """The same width wherever the tests run: test workers may say that a terminal has 80 columns."""
    monkeypatch.setenv("COLUMNS", "110")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def openbook():
    """Run a command; what it says and how it ends."""

    def run(*args):
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code != 1, result.stderr  # an error of openbook's own
        return result

    return run


@pytest.fixture(scope="session")
def good(openbook):
    """Run a command that must end well; what it says."""

    def run(*args):
        result = openbook(*args)
        assert result.exit_code == 0, result.stderr
        assert result.stderr == ""
        return result.stdout

    return run


@pytest.fixture(scope="session")
def complaint(openbook):
    """Run a command that must not; its complaint, which is one line."""

    def run(*args):
        result = openbook(*args)
        assert result.exit_code == 2, result.stdout
        assert result.stdout == ""
        assert result.stderr.startswith("openbook: ")
        assert result.stderr.count("\n") == 1
        return result.stderr

    return run


@pytest.fixture(scope="session")
def loan_model(tmp_path_factory):
    X, y = ob.load("loan").split("cheat")
    return ob.save(
        NaiveBayes(variance="sample").fit(X, y), tmp_path_factory.mktemp("loan") / "model.openbook"
    )


@pytest.fixture
def new(here):
    (here / "new.csv").write_text(
        "owner,status,income,note\nNo,Married,120,hello\n,Divorced,,\nYes,Single,80.5,x\n"
    )
    return here / "new.csv"
