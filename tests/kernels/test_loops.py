"""Kernels against the same functions in plain Python: elements of arrays, ranges, branches for None."""

from typing import NamedTuple

import numpy as np
import pytest

from openbook.kernels.bundle import bundle
from openbook.kernels.jit import inner, jit

PLACE = np.dtype([("x", np.float64), ("n", np.int32)])


def sums_by_index(array, index, sums):
    for k in range(index.size):
        sums[k] = array[index[k]]


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.int8, np.uint8, np.uint16, np.uint32, np.uint64])
def test_an_element_is_found_by_any_whole_number(kind):
    array, index = np.arange(10.0) ** 2, np.array([0, 9, 3, 3], kind)
    sums = np.zeros(4)
    jit(cache=False)(sums_by_index)(array, index, sums)
    np.testing.assert_array_equal(sums, [0, 81, 9, 9])


def test_negative_indices_count_from_the_end():
    sums = np.zeros(3)
    jit(cache=False)(sums_by_index)(np.arange(10.0) ** 2, np.array([-1, -10, -4]), sums)
    np.testing.assert_array_equal(sums, [81, 0, 36])


def test_arrays_of_other_layouts():
    sums = np.zeros(3)
    jit(cache=False)(sums_by_index)(np.arange(20.0)[::-2], np.array([0, 1, -1]), sums)
    np.testing.assert_array_equal(sums, [19, 17, 1])


def move(array, to):
    rows, columns, deep = array.shape
    for i in range(rows):
        for j in range(columns):
            for k in range(deep):
                to[k, -1 - j, np.uintp(i)] += 2 * array[i, j, k]


def test_elements_of_three_dimensions():
    array = np.random.default_rng(0).integers(0, 99, (3, 4, 5))
    by_python, by_kernel = np.ones((5, 4, 3)), np.ones((5, 4, 3))
    move(array, by_python)
    jit(cache=False)(move)(array, by_kernel)
    np.testing.assert_array_equal(by_kernel, by_python)
    fortran = np.ones((5, 4, 3), order="F")
    jit(cache=False)(move)(array, fortran)
    np.testing.assert_array_equal(fortran, by_python)


def fill(places, flags, bytes_):
    for i in range(places.size):
        place = places[i]
        place.x, place.n = place.x + i, place.n - i
        flags[i] = place.n > 0
        bytes_[i] = place.x  # cut to a whole number, as NumPy does


def test_records_flags_and_numbers_of_another_type():
    places = np.array([(0.5, 2), (1.5, 1), (2.75, 5)], PLACE)
    flags, bytes_ = np.zeros(3, bool), np.zeros(3, np.uint8)
    jit(cache=False)(fill)(places, flags, bytes_)
    assert places.tolist() == [(0.5, 2), (2.5, 0), (4.75, 3)]
    np.testing.assert_array_equal(flags, [True, False, True])
    np.testing.assert_array_equal(bytes_, [0, 2, 4])


def walk(start, stop, seen):
    n, last, both = 0, -99, range(start, stop)
    for k in range(stop):
        seen[0] += k
    for k in both:
        seen[1] += k
        last = k
        for j in both:  # the same range, walked inside itself
            if j == k:
                break
            n += 1
    for k in range(start, stop, 3):
        seen[2] += k
    for k in range(stop, start, -2):
        seen[3] += k
    seen[4], seen[5] = n, last


@pytest.mark.parametrize(("start", "stop"), [(0, 10), (3, 4), (5, 5), (7, -2), (-6, -1)])
def test_ranges(start, stop):
    by_python, by_kernel = np.zeros(6), np.zeros(6)
    walk(start, stop, by_python)
    jit(cache=False)(walk)(start, stop, by_kernel)
    np.testing.assert_array_equal(by_kernel, by_python)


@bundle
class Inside(NamedTuple):
    names: np.ndarray | None


@bundle
class Outside(NamedTuple):
    numbers: np.ndarray | None
    inside: Inside


@inner
def add_all(numbers, names, result):
    if numbers is not None:
        for k in range(numbers.size):
            result[0] += numbers[k]
    if names is not None:
        for k in range(names.size):
            result[1] += names[k]


@inner
def first_of(names):
    if names is None:
        return -1
    return names[0]


@jit(_nrt=False, cache=False)
def add_fields(outside, result):
    add_all(outside.numbers, outside.inside.names, result)
    result[2] = first_of(outside.inside.names)


@pytest.mark.parametrize(
    ("numbers", "names", "expected"),
    [
        (np.array([1.0, 2.0]), None, [3.0, 0.0, -1.0]),
        (None, np.array([4, 5]), [0.0, 9.0, 4.0]),
        (np.array([1.0]), np.array([7]), [1.0, 7.0, 7.0]),
    ],
)
def test_a_field_that_is_none_is_decided_where_it_is_an_argument(numbers, names, expected):
    """None has no elements: the kernel compiles only if numba leaves these branches out."""
    result = np.zeros(3)
    add_fields(Outside(numbers, Inside(names)), result)
    np.testing.assert_array_equal(result, expected)


def test_an_argument_may_be_none_or_left_out():
    @jit(cache=False)
    def first(array=None):
        if array is None:
            return -1.0
        return array[0]

    assert (first(), first(None), first(np.array([2.5]))) == (-1.0, -1.0, 2.5)
