"""The quick compilers are checked against numba's own and Python, and can be switched off."""

import warnings

import numba
import numpy as np
import pytest

from openbook.kernels import check
from openbook.kernels.linked import Entered, Linked, Plain

#: Rows of the squares 0² … 11², weighted 1 2 3 4 from the last column to the first, and 4 · 0.5.
SUMS = [
    9 + 2 * 4 + 3 * 1 + 4 * 0 + 2,
    49 + 2 * 36 + 3 * 25 + 4 * 16 + 2,
    121 + 2 * 100 + 3 * 81 + 4 * 64 + 2,
]


@pytest.fixture
def unchecked(monkeypatch):
    """As in a process that has compiled nothing yet, without the variable."""
    monkeypatch.delenv("OPENBOOK_PLAIN_NUMBA", raising=False)
    check.is_quick_safe.cache_clear()
    yield monkeypatch
    check.is_quick_safe.cache_clear()


@pytest.mark.parametrize("compilers", [(Entered, Linked), (Plain, Plain)])
def test_the_small_kernel_by_hand(compilers):
    assert check.sums_by(*compilers).tolist() == SUMS


def test_the_small_kernel_in_python():
    assert check.sums_by_python().tolist() == SUMS


def test_the_quick_compilers_are_used_when_they_are_right(unchecked):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check.is_quick_safe()


@pytest.mark.parametrize("way", ["raises", "differs from numba's own", "differs from Python"])
def test_numba_compiles_when_the_quick_compilers_fail(unchecked, way):
    def broken(entered, _linked):
        if way == "raises":
            raise AttributeError
        is_right = entered is Entered and way == "differs from numba's own"
        return np.array(SUMS) if is_right else np.zeros(3)

    unchecked.setattr(check, "sums_by", broken)
    with pytest.warns(UserWarning, match=f"numba {numba.__version__}.*numba's own compiler"):
        assert not check.is_quick_safe()
    assert not check.is_quick_safe()  # and says so once
    kernel = numba.njit(pipeline_class=check.compile_entered)(lambda x: x + 1)
    assert kernel(2) == 3


def test_the_variable_switches_the_quick_compilers_off(unchecked):
    unchecked.setenv("OPENBOOK_PLAIN_NUMBA", "1")
    unchecked.setattr(check, "sums_by", None)  # nothing is compiled to find out
    assert not check.is_quick_safe()
