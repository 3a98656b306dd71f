"""Support vector machines to a file and back, and what a hostile file is told."""

import math

import numpy as np
import pytest

from openbook import load, open_model, save
from openbook.errors import ModelFileError, ParameterError
from openbook.svm import SVC

SQUARE = [[0, 0], [0, 2], [2, 0], [2, 2]]


@pytest.fixture
def saved(tmp_path):
    X, y = load("iris").split("species")
    return save(SVC().fit(X, y), tmp_path / "iris.openbook")


def test_what_cannot_be_saved(tmp_path):
    model = SVC(kernel=lambda A, B: A @ B.T).fit(SQUARE, [0, 0, 1, 1])
    with pytest.raises(ParameterError, match=r"parameter kernel=.* cannot be saved"):
        save(model, tmp_path / "own.openbook")


def test_a_hard_margin_is_saved(tmp_path):
    model = SVC(C=math.inf, kernel="linear").fit(SQUARE, [0, 0, 1, 1])
    assert math.inf == open_model(save(model, tmp_path / "hard.openbook")).C


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("dual_coef_", lambda a: a[:, :-1], "'dual_coef_' is .*expected float64"),
        ("dual_coef_", lambda a: a[:-1], "'dual_coef_' is .*expected float64"),
        ("dual_coef_", lambda a: a[0], "'dual_coef_' is .*expected float64"),
        ("support_", lambda a: a[None], "'support_' is .*expected int64"),
        ("dual_coef_", lambda a: a * np.nan, "'dual_coef_' is .*of finite numbers"),
        ("support_vectors_", lambda a: a[:, :3], "'support_vectors_' is "),
        ("support_", lambda a: a.astype(float), "'support_' is not valid: float64"),
        ("support_", lambda a: -1 - a, "a row's number, a slack or a gap is below zero"),
        ("bias_", lambda a: a.astype(np.float32), "'bias_' is not valid: float32"),
        ("states_", lambda a: a + 7, "no search ends in the states"),
        ("gamma_", lambda a: -a, "a rbf kernel cannot have the gamma -"),
        ("gamma_", lambda a: a * np.nan, "a rbf kernel cannot have the gamma nan"),
        ("sharpness_", lambda a: a[:2], "'sharpness_' is .*expected float64"),
        ("sharpness_", lambda a: -a, "'sharpness_' must have a number above zero for each class"),
        ("sharpness_", lambda a: a * np.inf, "'sharpness_' is .*of finite numbers"),
        ("calibrated_", lambda a: a.astype(int), "'calibrated_' is not valid: int64"),
        ("encoding.scale", lambda a: a * 0, "scales must be above zero"),
        ("classes_", lambda a: a[:1], "it has only one class"),
    ],
)
def test_a_hostile_file_is_refused(saved, name, change, message, damaged):
    with pytest.raises(ModelFileError, match=message):
        open_model(damaged(saved, name, change))


def test_a_linear_file_needs_its_weights(tmp_path, damaged):
    X, y = load("iris").split("species")
    path = save(SVC(kernel="linear").fit(X, y), tmp_path / "linear.openbook")
    with pytest.raises(ModelFileError, match="'weights_' is "):
        open_model(damaged(path, "weights_", lambda a: a[:, 1:]))
