"""`python -m openbook` is the command `openbook`."""

from openbook.cli.main import app

if __name__ == "__main__":
    app()
