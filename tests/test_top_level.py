"""The top of the package: what it has, and where else a class is."""

import re
import subprocess
import sys
from operator import attrgetter

import pytest

import openbook
from openbook.elsewhere import INSTEAD


@pytest.mark.parametrize("name", ["Gradient", "nothing", "__wrapped__"])
def test_what_is_nowhere_is_called_so(name):
    with pytest.raises(AttributeError, match=f"^module 'openbook' has no attribute '{name}'$"):
        getattr(openbook, name)


@pytest.mark.parametrize(
    ("room", "name", "hint"),
    [
        ("openbook", "Ridge", "It is in openbook.linear: from openbook.linear import Ridge."),
        ("openbook", "linear_model", "Use openbook.linear."),
        ("openbook.linear", "LassoCV", "Use openbook.tune(Lasso(), X, y)."),
        (
            "openbook.ensemble",
            "IsolationForest",
            "It is in openbook.outlier: from openbook.outlier import IsolationForest.",
        ),
        (
            "openbook.reduce",
            "NMF",
            "Use scikit-learn's with openbook's learners: from sklearn.decomposition import NMF.",
        ),
        (  # whose module lists no public names
            "openbook.svm",
            "Nystroem",
            "Use scikit-learn's with openbook's learners: from sklearn.kernel_approximation import Nystroem.",
        ),
        ("openbook.tree", "plot_tree", "Use the method draw()."),
    ],
)
def test_an_import_of_what_is_elsewhere_says_where(room, name, hint):
    with pytest.raises(ImportError, match=f"^{re.escape(f'{room} has no {name}. {hint}')}$"):
        exec(f"from {room} import {name}")


def test_a_name_that_nobody_has_is_no_attribute_of_a_room():
    assert not hasattr(openbook.linear, "Lassso")
    with pytest.raises(ImportError, match="cannot import name 'Lassso'"):
        exec("from openbook.linear import Lassso")


def test_what_to_use_instead_exists():
    for instead in INSTEAD.values():
        for path in re.findall(r"openbook\.[\w.]+\w", instead):
            attrgetter(path.removeprefix("openbook."))(openbook)


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
