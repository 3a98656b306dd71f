"""What people write with scikit-learn, as snippets that run with the classes of either library.

Each snippet gets `lib`, which has the classes of openbook, or those of scikit-learn, by name. It returns what
both must agree on, within the tolerance of the snippet, or nothing. `lib.as_is` holds scale=False for the
classes of openbook that put columns into standard units by themselves, `lib.by_sample` variance="sample" for
those whose variances divide by N.
"""

import importlib
import pkgutil

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_blobs, make_moons
from sklearn.utils import all_estimators

import openbook

X, y = load_iris(return_X_y=True)
FRAME = load_iris(as_frame=True)
XD, YD = load_diabetes(return_X_y=True)
XB, YB = load_breast_cancer(return_X_y=True)
XW, YW = load_wine(return_X_y=True)
BLOBS, GROUPS = make_blobs(200, random_state=0)
MOONS, HALVES = make_moons(200, noise=0.1, random_state=0)
TEXTS = [
    "the cat sat on the mat",
    "the dog sat",
    "a dog and a cat",
    "birds fly",
    "fish swim",
    "the birds sing",
]
ANIMALS = [0, 1, 1, 2, 2, 2]
PASSENGERS = pd.DataFrame(
    {
        "age": [22.0, 38, None, 35, 28, 54, 2, 27, 14, 4] * 6,
        "fare": [7.25, 71.3, 7.9, 53.1, 8.05, 51.9, 21.1, 11.1, 30.1, 16.7] * 6,
        "sex": ["m", "f", "f", "f", "m", "m", "m", "f", "f", "f"] * 6,
        "port": ["S", "C", "S", "S", "Q", "S", None, "C", "C", "S"] * 6,
    }
)
SURVIVED = np.array([0, 1, 1, 1, 0, 0, 0, 1, 1, 1] * 6)
NUMBERS, WORDS = ["age", "fare"], ["sex", "port"]


class Classes:
    """Classes by name: of openbook, or of scikit-learn."""

    def __init__(self, classes, **ours):
        self.__dict__.update(classes, **ours)


def public_classes():
    rooms = [r.name for r in pkgutil.iter_modules(openbook.__path__, "openbook.") if r.ispkg]
    modules = map(importlib.import_module, rooms)
    return {name: getattr(m, name) for m in modules for name in getattr(m, "__all__", ())}


OURS = Classes(public_classes(), as_is={"scale": False}, by_sample={"variance": "sample"})
THEIRS = Classes(dict(all_estimators()), as_is={}, by_sample={})


class Snippets(list):
    """The snippets of a file, in their order."""

    def __call__(self, agree=None):
        """Keep a snippet; with `agree`, both libraries' results must be that near to each other."""

        def keep(function):
            self.append(pytest.param(function, agree, id=function.__name__))
            return function

        return keep


def run_and_compare(run, agree):
    """Run a snippet with openbook; if it has a tolerance, compare it with scikit-learn."""
    ours = run(OURS)
    if agree is None:
        return
    theirs = run(THEIRS)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=agree, atol=agree)
