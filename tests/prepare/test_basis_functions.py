"""Basis functions: by hand, beside scikit-learn's, XOR by straight learners, gaps, files, what is refused."""

import math

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures as Theirs

from openbook import open_model, read, save
from openbook.errors import ParameterError
from openbook.linear import LogisticRegression, Perceptron
from openbook.prepare import PolynomialFeatures, Prepared, RadialFeatures, SigmoidFeatures
from openbook.svm import SVC

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
LABELS = ["no", "yes", "yes", "no"]
ROWS = [{"a": 1.0, "c": "x", "b": 2.0}, {"a": None, "c": "y", "b": 3.0}, {"a": -1.0, "c": "x", "b": 0.5}]


@pytest.mark.parametrize(
    "learner", [LogisticRegression(C=100.0), Perceptron(), SVC(C=100.0, kernel="linear")], ids=repr
)
@pytest.mark.parametrize(
    "step", ["polynomial 2", RadialFeatures(centers=[[0, 0], [1, 1]], width=0.7)], ids=["product", "bells"]
)
def test_straight_learners_solve_xor(learner, step, tmp_path):
    model = Prepared(learner, [step]).fit(XOR, LABELS)
    assert model.predict(XOR).tolist() == LABELS
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert opened.predict(XOR).tolist() == LABELS


@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_products_as_scikit_learn_makes_them(degree, interaction_only):
    x = np.random.default_rng(0).normal(size=(7, 3))
    ours = PolynomialFeatures(degree, interaction_only).fit(x)
    theirs = Theirs(degree, interaction_only=interaction_only, include_bias=False).fit(x)
    np.testing.assert_allclose(ours.transform(x), theirs.transform(x), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_other_columns_pass_and_gaps_stay_gaps():
    step = PolynomialFeatures().fit(ROWS)
    out = step.transform(ROWS)
    assert out.names == ("a", "c", "b", "a^2", "a b", "b^2")
    assert out["a b"].tolist()[0] == 2
    assert out["a b"].missing.tolist() == [False, True, False]
    assert out["b^2"].tolist() == [4, 9, 0.25]
    work = step.work(ROWS[0])
    assert (work["a b"].result, work["b^2"].result) == (2, 4)
    assert step.work(ROWS[1])["a b"].result == "missing"
    only = PolynomialFeatures(columns=["b"]).fit(ROWS).transform(ROWS)
    assert only.names == ("a", "c", "b", "b^2")


def test_bells_by_hand():
    """Centres 0 and 3 along one column, s = 3: e^0 and e^(-9/18) at 0."""
    step = RadialFeatures(centers=[[0.0], [3.0]]).fit([[0.0], [1.0]])
    assert step.width_ == 3
    assert step.transform([[0.0]])[0] == pytest.approx([1, math.exp(-0.5)])
    assert step.work([0.0])["radial 2"].result == pytest.approx(math.exp(-0.5))
    found = RadialFeatures(2).fit([[0.0], [0.2], [5.0], [5.2]])
    assert sorted(found.centers_[0]) == pytest.approx([0.1, 5.1])
    mixed = RadialFeatures(2).fit(ROWS).transform(ROWS)
    assert mixed.names == ("c", "radial 1", "radial 2")
    assert mixed["radial 1"].missing.tolist() == [False, True, False]


def test_steps_by_hand():
    step = SigmoidFeatures(centers=[0.0, 2.0], width=0.5).fit(ROWS)
    out = step.transform(ROWS)
    assert out.names == ("c", "a step 1", "a step 2", "b step 1", "b step 2")
    assert out["a step 2"].tolist()[0] == pytest.approx(1 / (1 + math.exp(2)))
    assert out["b step 2"].tolist()[0] == 0.5
    found = SigmoidFeatures(2).fit([[0.0], [1.0], [2.0], [3.0]])
    assert found.centers_.shape == (1, 2)
    assert found.widths_[0] == pytest.approx(math.sqrt(1.25))  # 2 / n standard deviations
    assert "missing cells make functions missing" in found.work().text()


def test_a_step_as_it_is_written():
    table = read({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 2.0]})
    for text, names in [
        ("polynomial a b 2 products", ["a", "b", "a b"]),
        ("radial 2", ["radial 1", "radial 2"]),
        ("sigmoid a 2", ["b", "a step 1", "a step 2"]),
    ]:
        model = Prepared(LogisticRegression(), [text]).fit(table, ["n", "y", "y"])
        assert list(model.prepared(table).names) == names


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (RadialFeatures(centers=[[1, 2, 3]]), "centers must be points of 2 numbers, one for each column"),
        (SigmoidFeatures(centers=[math.nan]), "centers must be a list of numbers"),
        (PolynomialFeatures(degree=0), "degree must be a whole number of at least 1, got 0"),
        (PolynomialFeatures(degree=200), "2 numbers have more than 5,000 products of up to 200"),
    ],
)
def test_what_is_refused(step, words):
    with pytest.raises(ParameterError, match=words):
        step.fit(XOR)
