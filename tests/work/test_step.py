import numpy as np
import pytest

from openbook.words.numbers import cell, figure
from openbook.work import Grid, Step, Work


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2 / 3, "0.666667"),
        (1234567, "1234567"),
        (1234567.0, "1234567"),
        (10**20, "100000000000000000000"),
        (1.5e20, "1.5e+20"),
        (-0.0, "0"),
        (123456.7, "123456.7"),
        (1 - 1e-8, "0.99999999"),
        (1 - 1e-16, "1"),
        (float("inf"), "∞"),
        (float("nan"), "undefined"),
        (np.float32(0.25), "0.25"),
        (np.int64(7), "7"),
        ("No", "No"),
    ],
)
def test_figure(value, shown):
    assert figure(value) == shown


def test_cells_of_a_grid():
    assert [cell(value) for value in (np.float32(1 / 3), np.int64(3), True, None, "a", 1e-12)] == [
        "0.333333",
        "3",
        "True",
        "–",
        "a",
        "1e-12",
    ]


def test_a_formula_alone_states_a_rule():
    assert Step("rule", "a = b").states_rule
    assert not Step("nothing known").states_rule
    assert not Step("empty", r"\frac{a}{b}", r"\frac{0}{0}").states_rule


def test_grid_refuses_a_ragged_row():
    with pytest.raises(ValueError, match="grid 'Counts': row 1 has 1 cells, not 2"):
        Grid("Counts", ["a", "b"], [[1, 2], [3]])


def test_grid_knows_its_columns():
    grid = Grid("", [], [["a", 1, None], ["b", None, None]])
    assert grid.width == 3
    assert [grid.numeric(column) for column in range(3)] == [False, True, False]
    assert Grid("", [], []).width == 0


def test_a_step_is_found_by_its_label(loan):
    assert loan["P(owner=No | Yes)"].result == pytest.approx(4 / 5)
    assert loan["P(Yes | x)"].result == pytest.approx(3.4756521934436074e-08)
    with pytest.raises(KeyError, match=r"no step, grid or work 'P\(Maybe\)'\. There are: c\*, Counts, "):
        loan["P(Maybe)"]


def test_the_first_of_two_equal_labels_is_found():
    inner = Work("inner", (Step("a", result=2),))
    assert Work("outer", (inner, Step("a", result=3)))["a"].result == 2


def test_blocks_keep_the_order_and_join_steps():
    one, two, three = (Step(name) for name in "abc")
    grid, inner = Grid("g", [], []), Work("w")
    assert list(Work("", (one, two, grid, inner, three)).blocks()) == [[one, two], grid, inner, [three]]


def test_grids_and_nested_works_are_found_by_title():
    grid, inner = Grid("counts", ["a"], [[1]]), Work("gain", (Step("H", result=1.0),))
    work = Work("split", (grid, inner))
    assert (work["counts"], work["gain"], work["H"].result) == (grid, inner, 1.0)
    with pytest.raises(KeyError, match=r"no step, grid or work 'gains'\. Did you mean 'gain'"):
        work["gains"]


def test_the_beginning_of_a_label_is_enough():
    work = Work("split", (Step("H(play)", result=0.94), Step("gain(outlook)", result=0.247), Step("GAIN")))
    assert work["gain"].result == 0.247
    assert work["GAIN"].label == "GAIN"  # a whole label comes first
    with pytest.raises(KeyError, match="no step"):
        work[""]
