"""Private names of scikit-learn and numba: none is imported but these, each with what to do when it is gone.

A name that starts with an underscore, or is in numba.core, may change with any release. So where there is no
public way, the name is listed here with what openbook uses it for, and the test says what to write instead.
"""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import openbook

SOURCES = sorted(Path(openbook.__file__).parent.rglob("*.py"))

CACHE = (
    "kernels/cache.py: its docstring says what numba's cache lacks; do the same with the names that the "
    "release has. Until then numba.njit(cache=True) runs without KernelCache, but does not see edits of "
    "inner kernels"
)
BUNDLE = (
    "kernels/bundle.py: look for the name that numba's own numba/experimental/structref.py or "
    "numba/cpython/tupleobj.py now uses for the same"
)

#: Each name, and what to do when a release has it no more.
WHAT_TO_DO = {
    "sklearn.utils._set_output._get_output_config": "features/selector.py: read the selector's "
    "`_sklearn_output_config`, then `sklearn.get_config()['transform_output']`",
    "sklearn.utils.validation._check_feature_names_in": "features/selector.py: compare the names given "
    "with feature_names_in_, else make x0, x1, …",
    "sklearn.utils.metaestimators._BaseComposition": "ensemble/teams.py: write get_params and set_params "
    "that reach into named learners (name__parameter)",
    "sklearn.utils._safe_indexing": "judge/folds/examples.py, decide/threshold.py: take rows by the kind of "
    "X: `iloc` of a frame, [] of an array or a sparse matrix, a list by list",
    "numba.core.caching.FunctionCache": CACHE,
    "numba.core.caching.IndexDataCacheFile": CACHE,
    "numba.core.event": "kernels/jit.py: without OnClock, only the notice of compiling is missing",
    "numba.core.cgutils": BUNDLE,
    "numba.core.registry.cpu_target": BUNDLE,
    "numba.core.typing.templates.AttributeTemplate": BUNDLE,
}


def is_private(name):
    """Whether a name with its module is one that a release may change."""
    parts = name.split(".")
    private = any(part.startswith("_") for part in parts)
    return (parts[0] == "sklearn" and private) or name.startswith("numba.core.")


def imported(path):
    """The private names that a file imports, with their modules."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return filter(is_private, names)


def test_only_listed_private_names_are_imported():
    found = {name: path.name for path in SOURCES for name in imported(path)}
    assert set(found) == set(WHAT_TO_DO), f"use a public name, or list it with what to do: {found}"


@pytest.mark.parametrize("name", WHAT_TO_DO)
def test_a_listed_name_is_there(name):
    module, _, member = name.rpartition(".")
    assert hasattr(import_module(module), member), f"there is no {name} any more. {WHAT_TO_DO[name]}"
