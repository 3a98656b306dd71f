"""Compiled kernels on disk, where two processes compile for different types at the same time."""

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache

from openbook.kernels.cache import KernelCache
from openbook.kernels.jit import jit

SOURCE = """
def first(array):
    return array[0] * 2
"""


@pytest.fixture
def first(tmp_path, monkeypatch):
    """A function in a file of its own, with a cache of its own."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    path, names = tmp_path / "kernels.py", {}
    path.write_text(SOURCE)
    exec(compile(SOURCE, path, "exec"), names)
    return names["first"]


def compile_at_once(function, cache_class, monkeypatch):
    """Two processes find an empty index, write to it one after the other, and the first is the last to write
    its code; a third one.
    """
    late = []
    for array, save_late in ((np.array([1.5]), True), (np.array([3]), False)):
        kernel = jit(cache=False)(function)
        kernel._cache = cache_class(function)
        files = kernel._cache._cache_file
        with monkeypatch.context() as patch:
            patch.setattr(files, "_load_index", dict)
            if save_late:
                patch.setattr(
                    files, "_save_data", lambda *given, save=files._save_data: late.append((save, given))
                )
            kernel(array)
    for save, given in late:
        save(*given)
    third = jit(cache=False)(function)
    third._cache = cache_class(function)
    return third


def test_what_is_loaded_was_compiled_for_these_types(first, monkeypatch):
    third = compile_at_once(first, KernelCache, monkeypatch)
    assert (third(np.array([3])), third(np.array([1.5]))) == (6, 3.0)
    assert (third.stats.cache_hits.total(), third.stats.cache_misses.total()) == (1, 1)


def test_numba_loads_what_was_compiled_for_other_types(first, monkeypatch):
    """Why there is a cache of our own; when this fails, it can go."""
    third = compile_at_once(first, FunctionCache, monkeypatch)
    assert third(np.array([3])) != 6  # a whole number, read as if it were a float


def test_a_kernel_is_found_on_disk(first):
    assert jit(first)(np.array([2.0])) == 4.0
    again = jit(first)
    assert again(np.array([2.0])) == 4.0
    assert (again.stats.cache_hits.total(), again.stats.cache_misses.total()) == (1, 0)
