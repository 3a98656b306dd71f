"""What members see: all chunks as one, typed columns, sparse counts; the same on any number of workers."""

import joblib
import numpy as np
import pytest
import scipy.sparse as sp

import openbook.border.rows
from openbook import load
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.border.rows import Rows
from openbook.data import Nominal, Numeric, Schema, Table, read
from openbook.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomSubspaceClassifier,
    StackingClassifier,
)
from openbook.ensemble.members import copied, gathered, number_of_rows
from openbook.errors import DataError
from openbook.tree import DecisionTreeClassifier

MIXED = Table(
    Schema((Numeric("size"), Nominal("colour", ("red", "blue")))),
    [np.array([1.0, np.nan, 3.0, 4.0, 5.0]), np.array([0, 1, -1, 0, 1], dtype=np.int8)],
)
NUMBERS = np.arange(10.0).reshape(5, 2)
COUNTS = sp.csr_array(np.array([[0, 2], [1, 0], [0, 0], [3, 0], [0, 4]]))


@pytest.mark.parametrize("table", [MIXED, read(NUMBERS), read(COUNTS)], ids=["mixed", "matrix", "sparse"])
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_chunks_become_one(table, rows, monkeypatch):
    monkeypatch.setattr(openbook.border.rows, "CHUNK_ROWS", rows)
    y, w = np.array([0, 1, 0, 1, 0]), np.arange(1.0, 6.0)
    pieces = Rows.in_memory(table, y, w)
    assert len(pieces.pieces) == -(-5 // rows)
    chunk = gathered(pieces)
    assert type(chunk.X) is type(table)
    assert chunk.X.schema == table.schema
    for name in table.names:
        np.testing.assert_array_equal(chunk.X.data(name), table.data(name))
    assert chunk.y.tolist() == y.tolist()
    assert chunk.w.tolist() == w.tolist()


def test_an_infinite_cell_is_named_by_its_own_row(monkeypatch):
    monkeypatch.setattr(openbook.border.rows, "CHUNK_ROWS", 2)
    x = NUMBERS.copy()
    x[3, 1] = np.inf
    with pytest.raises(DataError, match=r"column 'x1' holds infinity \(the first in row 3\)"):
        BaggingClassifier(NaiveBayes(), 2).fit(x, [0, 1, 0, 1, 0])


def test_rows_that_weights_stand_for():
    assert number_of_rows(np.array([1.0, 2.0, 4.0])) == 7
    assert number_of_rows(np.array([0.5, 2.0, 4.0])) == 3


WORDS = NaiveBayes(distributions="multinomial")


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(WORDS, 3, random_state=0),
        RandomSubspaceClassifier(WORDS, 3, random_state=0),
        AdaBoostClassifier(WORDS, 3),
        StackingClassifier([("words", WORDS)]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_sparse_counts(model):
    dense = np.random.default_rng(0).poisson(0.5, (60, 6)).astype(float)
    dense[:30, 0] += 2
    y = np.array(["a"] * 30 + ["b"] * 30)
    expected = model.fit(dense, y).predict_proba(dense)
    sparse = sp.csr_array(dense)
    np.testing.assert_allclose(model.fit(sparse, y).predict_proba(sparse), expected, rtol=1e-9)


def test_one_learner_that_cannot_use_sparse_counts_is_enough():
    with pytest.raises(TypeError, match="StackingClassifier cannot use sparse data"):
        StackingClassifier([("words", WORDS), ("1R", OneR())]).fit(COUNTS, [0, 1, 0, 1, 0])


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_the_same_members_on_any_number_of_workers(backend):
    X, y = load("credit", rows=200, random_state=3).split("default")
    alone = BaggingClassifier(AdaBoostClassifier(OneR(), 2, resample=True), 3, random_state=7).fit(X, y)
    with joblib.parallel_config(backend=backend, n_jobs=3):
        beside = BaggingClassifier(AdaBoostClassifier(OneR(), 2, resample=True), 3, random_state=7).fit(X, y)
    assert beside.oob_curve_.tolist() == alone.oob_curve_.tolist()
    assert (beside.predict_proba(X) == alone.predict_proba(X)).all()
    for one, other in zip(alone.estimators_, beside.estimators_, strict=True):
        assert one.alphas_.tolist() == other.alphas_.tolist()


def test_a_copy_of_plain_settings_is_new_and_has_its_own_state():
    learner = DecisionTreeClassifier(max_depth=2, random_state=5)
    one, other = (copied(learner, np.random.RandomState(0)) for _ in range(2))
    assert one is not other
    assert one is not learner
    assert one.max_depth == 2
    assert one.random_state == other.random_state == np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    assert learner.random_state == 5
