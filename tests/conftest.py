"""What all tests share: the golden records, and laws that never fail for being slow."""

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

# The same examples in every run, so that a change is judged by what it changed; to look for new ones:
# `pytest --hypothesis-profile=search`.
hypothesis.settings.register_profile("openbook", deadline=None, max_examples=50, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=50)
hypothesis.settings.load_profile("openbook")


def pytest_collection_finish():
    """What was collected stays until the end: the garbage collector need not look at it over and over."""
    gc.collect()
    gc.freeze()


RECORDS = Path(__file__).parent / "golden" / "worked_examples.json"


@pytest.fixture(scope="session")
def golden() -> Callable[[str], dict[str, Any]]:
    """The golden record of that id: `golden("entropy_1_5")["expected"]`."""
    records = {record["id"]: record for record in json.loads(RECORDS.read_text(encoding="utf-8"))}
    return records.__getitem__


@pytest.fixture(scope="session")
def linked_tree() -> Callable[..., Any]:
    """A tree of numeric tests from its nodes' first children, numbers of branches, values and weights."""
    from openbook.tree.engine.nodes import LEAF, SPREAD, Tree

    def build(first, branches, values, weight=None):
        value, branches = np.array(values, dtype=float), np.array(branches, dtype=np.int32)
        inner = branches > 0
        return Tree(
            attribute=np.where(inner, 0, LEAF).astype(np.int32),
            cut=np.where(inner, 0.5, np.nan),
            first=np.array(first, dtype=np.int32),
            branches=branches,
            missing=np.full(len(value), SPREAD, dtype=np.int32),
            route=np.full(len(value), -1, dtype=np.int32),
            routes=np.zeros(0, dtype=np.int32),
            weight=value.sum(axis=1) if weight is None else np.array(weight, dtype=float),
            value=value,
            gain=np.zeros(len(value)),
        )

    return build


@pytest.fixture(scope="session")
def nested_tree(linked_tree) -> Callable[[Any], Any]:
    """Such a tree from nested lists: a leaf is a tuple of class weights, a node the list of its branches."""

    def counts(spec):
        return np.sum([counts(below) for below in spec], axis=0) if isinstance(spec, list) else np.array(spec)

    def build(spec):
        nodes, first, branches = [spec], [], []
        for node in nodes:  # grows while it is read: children are appended behind their parents
            below = node if isinstance(node, list) else []
            first.append(len(nodes) if below else 0)
            branches.append(len(below))
            nodes += below
        return linked_tree(first, branches, [counts(node) for node in nodes])

    return build
