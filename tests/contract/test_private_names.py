"""Private names of scikit-learn: none is imported but these, each with what to do when it is gone.

A name that starts with an underscore may change with any release. So where scikit-learn has no public way,
the name is listed here with what openbook uses it for, and the test says what to write instead.
"""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import openbook

SOURCES = sorted(Path(openbook.__file__).parent.rglob("*.py"))

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
}


def imported(path):
    """The private names of scikit-learn that a file imports, with their modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "sklearn"]
        else:
            continue
        yield from (name for name in names if any(part.startswith("_") for part in name.split(".")))


def test_only_listed_private_names_are_imported():
    found = {name: path.name for path in SOURCES for name in imported(path)}
    assert set(found) == set(WHAT_TO_DO), f"use a public name, or list it with what to do: {found}"


@pytest.mark.parametrize("name", WHAT_TO_DO)
def test_a_listed_name_is_there(name):
    module, _, member = name.rpartition(".")
    assert hasattr(import_module(module), member), f"scikit-learn has no {name} any more. {WHAT_TO_DO[name]}"
