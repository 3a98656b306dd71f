"""The quick compiler is checked against numba's own and Python, and can be switched off."""

import warnings

import numba
import numpy as np
import pytest

from openbook.kernels import check
from openbook.kernels.linked import Linked, Plain

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


@pytest.mark.parametrize("compiler", [Linked, Plain])
def test_the_small_kernel_by_hand(compiler):
    assert check.sums_by(compiler).tolist() == SUMS


def test_the_small_kernel_in_python():
    assert check.sums_by_python().tolist() == SUMS


def test_the_quick_compiler_is_used_when_it_is_right(unchecked):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check.is_quick_safe()


@pytest.mark.parametrize("way", ["raises", "differs from numba's own", "differs from Python"])
def test_numba_compiles_when_the_quick_compiler_fails(unchecked, way):
    def broken(compiler):
        if way == "raises":
            raise AttributeError
        is_right = compiler is Linked and way == "differs from numba's own"
        return np.array(SUMS) if is_right else np.zeros(3)

    unchecked.setattr(check, "sums_by", broken)
    with pytest.warns(UserWarning, match=f"numba {numba.__version__}.*numba's own compiler"):
        assert not check.is_quick_safe()
    assert not check.is_quick_safe()  # and says so once
    kernel = numba.njit(pipeline_class=check.compile_linked)(lambda x: x + 1)
    assert kernel(2) == 3


def test_the_variable_switches_the_quick_compiler_off(unchecked):
    unchecked.setenv("OPENBOOK_PLAIN_NUMBA", "1")
    unchecked.setattr(check, "sums_by", None)  # nothing is compiled to find out
    assert not check.is_quick_safe()
