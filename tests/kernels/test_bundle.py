"""Bundles: named tuples that kernels hand on by their address."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof
from numba.core.errors import TypingError

from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner, jit


@bundle
class Inside(NamedTuple):
    flag: bool
    weights: np.ndarray


@bundle
class Outside(NamedTuple):
    table: np.ndarray
    inside: Inside
    shift: float
    extra: np.ndarray | None


@inner
def add_extra(extra, sums):
    """None is a type of its own: the compiler leaves out what it would do."""
    if extra is None:
        return
    for i in range(sums.size):
        sums[i] += extra[i]


@inner
def weigh(outside, i):
    total = 0.0
    for j in range(outside.table.shape[1]):
        total += outside.table[i, j] * outside.inside.weights[j]
    return -total if outside.inside.flag else total


@jit(_nrt=False, cache=False)
def fill(outside, sums):
    for i in range(sums.size):
        sums[i] = weigh(outside, i) + outside.shift
    add_extra(outside.extra, sums)


TABLE = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("flag", "shift", "extra", "sums"),
    [
        (False, 0.5, None, [210.5, 430.5]),
        (True, 0.0, None, [-210.0, -430.0]),
        (False, 0.0, np.array([1.0, 2.0]), [211.0, 432.0]),
    ],
)
def test_a_kernel_reads_every_field(flag, shift, extra, sums):
    out = np.zeros(2)
    fill(Outside(TABLE, Inside(flag, np.array([10.0, 100.0])), shift, extra), out)
    assert out.tolist() == sums


def test_a_kernel_writes_to_the_arrays_of_a_bundle():
    @jit(_nrt=False, cache=False)
    def double(outside):
        for j in range(outside.inside.weights.size):
            outside.inside.weights[j] *= 2

    weights = np.array([1.0, 2.0])
    double(Outside(TABLE, Inside(False, weights), 0.0, None))
    assert weights.tolist() == [2.0, 4.0]


def test_fields_of_other_types_are_compiled_apart():
    inside = Inside(False, np.array([1.0, 1.0]))
    out = np.zeros(2)
    fill(Outside(TABLE.astype(np.float32), inside, 0.0, None), out)
    assert out.tolist() == [3.0, 7.0]


def test_a_field_of_a_type_unknown_to_kernels_is_refused():
    with pytest.raises(TypingError, match="Cannot determine Numba type of <class 'object'>"):
        fill(Outside(TABLE, Inside(False, object()), 0.0, None), np.zeros(2))


def test_a_kernel_that_counts_references_takes_no_bundle():
    @jit(cache=False)
    def first(outside):
        return outside.table[0, 0]

    with pytest.raises(NotImplementedError, match=r"Outside is a bundle.*@jit\(_nrt=False\)"):
        first(Outside(TABLE, Inside(False, np.zeros(1)), 0.0, None))


def test_bundles_of_other_fields_have_other_names():
    """numba names compiled functions by them: code on disk of the same name ran with the other's fields."""
    extras = None, np.ones(2), np.ones(2, np.float32)
    some = [Outside(np.ones((2, 2)), Inside(True, np.ones(2)), 1.0, extra) for extra in extras]
    names = [typeof(each).name for each in some]
    assert len(set(names)) == 3
    assert names[0] == typeof(some[0]._replace(shift=2.0)).name
