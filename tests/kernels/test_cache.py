"""Compiled kernels on disk, where two processes compile for different types at the same time, and where the
sources of kernels change.
"""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache

import openbook
from openbook.kernels.cache import KernelCache, kernel_sources
from openbook.kernels.jit import jit

SOURCE = """
def first(array):
    return array[0] * 2
"""


@pytest.fixture
def first(tmp_path, monkeypatch):
    """A function in a file of its own, with a cache of its own."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    # numba pickles the globals of such a function, builtins included, where other tests leave values; and it
    # imports its module, unless a kernel that was compiled before is still in memory
    path, names = tmp_path / "kernels.py", {"__builtins__": {}, "__name__": "openbook"}
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


def test_an_index_of_other_sources_is_not_read(first, tmp_path):
    """It may name classes that have moved since: what follows the version cannot be unpickled here."""
    jit(first)(np.array([2.0]))
    (index,) = tmp_path.rglob("*.nbi")
    with index.open("rb") as file:
        version = pickle.load(file)
    index.write_bytes(pickle.dumps((*version[:1], "other sources")) + b"cgone_module\nGone\n.")
    assert jit(first)(np.array([2.0])) == 4.0


def run_in_package(folder, factor):
    """What a kernel in one file of a package gives, in a new process, where a kernel in another file that it
    calls multiplies by a factor.
    """
    package = folder / "twofiles"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    (package / "inside.py").write_text(
        f"from openbook.kernels.jit import inner\n\n@inner\ndef scale(x):\n    return x * {factor}\n"
    )
    (package / "outside.py").write_text(
        "from openbook.kernels.jit import jit\nfrom twofiles.inside import scale\n\n"
        "@jit\ndef scale_first(array):\n    return scale(array[0])\n"
    )
    code = (
        "import numpy as np\nfrom twofiles.outside import scale_first as kernel\n"
        "print(kernel(np.array([5.0])), kernel.stats.cache_hits.total())"
    )
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": paths}
    return subprocess.check_output([sys.executable, "-B", "-c", code], env=environment, text=True).split()


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    assert run_in_package(tmp_path, 2) == ["10.0", "0"]
    assert run_in_package(tmp_path, 2) == ["10.0", "1"]  # as before, from disk
    assert run_in_package(tmp_path, 3) == ["15.0", "0"]  # numba would say 10, from disk


def test_kernel_sources_are_all_files_with_kernels():
    sources = kernel_sources(Path(openbook.__file__).parent)
    defining = {path for path in sources if re.search(rb"^ *@(jit|inner)\b", sources[path], re.MULTILINE)}
    everywhere = Path(openbook.__file__).parent.rglob("*.py")
    decorated = {p for p in everywhere if re.search(r"^ *@(jit|inner)\b", p.read_text(), re.MULTILINE)}
    assert defining == decorated
    assert {"jit.py", "product.py", "smo.py", "grow.py", "grower.py"} <= {path.name for path in sources}
