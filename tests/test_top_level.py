"""The top of the package: what it has, and where else a class is."""

import subprocess
import sys

import pytest

import openbook


def test_a_learner_is_pointed_to_in_its_room():
    with pytest.raises(AttributeError, match=r"It is in .*: from openbook\.linear import Ridge$"):
        _ = openbook.Ridge


@pytest.mark.parametrize("name", ["Gradient", "nothing", "__wrapped__"])
def test_what_is_nowhere_is_called_so(name):
    with pytest.raises(AttributeError, match=f"^module 'openbook' has no attribute '{name}'$"):
        getattr(openbook, name)


def test_rooms_are_attributes_without_an_import():
    """In a fresh process, since any import of a room would make it an attribute."""
    line = "import openbook; print(openbook.bayes.NaiveBayes.__name__, openbook.judge.evaluate.__name__)"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["NaiveBayes", "evaluate"]


def test_completion_offers_public_names_only():
    names = dir(openbook)
    assert {"read", "study", "Table", "bayes", "tree"} <= set(names)
    assert not {"Any", "TYPE_CHECKING", "import_module", "_PLACES"} & set(names)
    assert all(getattr(openbook, name) is not None for name in names)
