"""Output codes: books that tell classes apart, and the nearest code by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron

from openbook import load
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.ensemble import OutputCodeClassifier
from openbook.ensemble.output_codes import code_book

X, Y = load("weather").split("play")
IRIS, SPECIES = load("iris").split("species")


@given(st.integers(2, 24), st.sampled_from([0.1, 1.0, 1.5, 3.0]), st.integers(0, 99))
def test_a_book_tells_all_classes_apart(n_classes, size, seed):
    book = code_book(np.random.RandomState(seed), n_classes, size)
    assert len({tuple(row) for row in book.tolist()}) == n_classes
    columns = {tuple(column) for column in book.T.tolist()}
    mirrored = {tuple(1 - bit for bit in column) for column in columns}
    assert len(columns | mirrored) == 2 * book.shape[1]
    assert all(0 < sum(column) < n_classes for column in columns)


@pytest.mark.parametrize(("n_classes", "n_bits"), [(1, 1), (2, 1), (3, 3), (4, 6), (10, 15)])
def test_how_many_problems(n_classes, n_bits):
    assert code_book(np.random.RandomState(0), n_classes, 1.5).shape == (n_classes, n_bits)


def test_the_nearest_code_by_hand():
    model = OutputCodeClassifier(NaiveBayes(), random_state=0).fit(IRIS, SPECIES)
    for i in (0, 70, 140):
        row = IRIS.take([i])
        p = [member.predict_proba(row)[0, 1] for member in model.estimators_]
        distances = [sum(abs(c - q) for c, q in zip(code, p, strict=True)) / 3 for code in model.code_book_]
        near = [1 - d for d in distances]
        assert model.predict_proba(row)[0] == pytest.approx([n / sum(near) for n in near], rel=1e-12)
        assert model.predict(row)[0] == model.classes_[np.argmin(distances)]
        work = model.work(row)
        assert work[f"s({model.predict(row)[0]})"].result == pytest.approx(1 - min(distances), rel=1e-12)
    assert model.score(IRIS, SPECIES) > 0.93


def test_a_problem_parts_the_classes_as_the_book_says():
    model = OutputCodeClassifier(OneR(), random_state=0).fit(IRIS, SPECIES)
    for bit, member in enumerate(model.estimators_):
        sides = model.code_book_[np.searchsorted(model.classes_, SPECIES.values.astype(str)), bit]
        alone = OneR().fit(IRIS, sides)
        assert (member.predict(IRIS).astype(int) == alone.predict(IRIS)).all()
        assert member.target_ == f"species, bit {bit + 1}"


def test_two_classes_are_the_learner_itself():
    model = OutputCodeClassifier(NaiveBayes()).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes().fit(X, Y).predict_proba(X), rtol=1e-12)


def test_one_class():
    model = OutputCodeClassifier(OneR()).fit(X, ["Yes"] * 14)
    assert model.predict_proba(X).tolist() == [[1.0]] * 14


def test_a_learner_that_only_decides():
    model = OutputCodeClassifier(Perceptron(random_state=0), random_state=0).fit(
        IRIS.block(IRIS.names), SPECIES
    )
    bits = np.array([member.predict(IRIS.block(IRIS.names)).astype(int) for member in model.estimators_]).T
    wrong = (bits[:, None, :] != model.code_book_).sum(axis=2)
    assert (model.predict(IRIS.block(IRIS.names)) == model.classes_[wrong.argmin(axis=1)]).all()
