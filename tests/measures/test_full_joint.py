"""The size of the full joint: hand-worked."""

import pytest

import openbook as ob
from openbook.errors import UnknownColumn
from openbook.measures import full_joint


def test_cells_parameters_and_rows():
    # owner 2, status 3, income in 4 intervals, cheat 2: 48 cells; naive Bayes 1 + 2 (1 + 2 + 3)
    size = full_joint(ob.load("loan"), target="cheat", rows_per_cell=5, bins=4)
    assert (size.cells, size.parameters, size.naive_parameters, size.rows) == (48, 47, 13, 240)
    assert size.work()["parameters of naive Bayes"].result == 13
    assert size.work().conclusion.startswith("Independence given cheat leaves 13 of 47 parameters")


def test_without_a_target():
    size = full_joint(ob.load("loan").schema)
    assert size.naive_parameters is None
    assert size.work().conclusion == ""


def test_unknown_target():
    with pytest.raises(UnknownColumn, match="cheat"):
        full_joint(ob.load("loan"), target="cheet")
