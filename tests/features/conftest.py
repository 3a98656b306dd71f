"""What tests of selections share."""

import pytest

import openbook


@pytest.fixture(scope="session")
def credit():
    """Rows of many kinds, and a target of two classes."""
    return openbook.load("credit", rows=400).split("default")
