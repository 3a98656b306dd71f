"""Every page runs in an empty folder of its own, so that it may write files."""

# ruff: noqa: INP001 (a folder of pages, no package)

import pytest


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
