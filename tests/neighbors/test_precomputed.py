"""Distances in place of columns: scikit-learn's answers, folds, files and errors."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier as Theirs

from openbook import evaluate, load, open_model, save
from openbook.errors import DataError, ParameterError
from openbook.measures import euclidean, pairwise
from openbook.neighbors import KNeighborsClassifier, KNeighborsRegressor

X, SPECIES = load("iris").split("species")
LABELS = np.array(SPECIES.tolist())
CELLS = X.block(X.names)
FAR = pairwise(euclidean, CELLS, CELLS)


def test_it_votes_as_scikit_learn_does():
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    square, across = FAR[np.ix_(train, train)], FAR[np.ix_(test, train)]
    ours = KNeighborsClassifier(4, metric="precomputed", weights="distance").fit(square, LABELS[train])
    theirs = Theirs(4, metric="precomputed", weights="distance").fit(square, LABELS[train])
    assert ours.predict_proba(across) == pytest.approx(theirs.predict_proba(across))
    assert (ours.kneighbors(across)[0] == theirs.kneighbors(across)[0]).all()


def test_folds_leave_the_distances_to_their_training_rows():
    by_columns = evaluate(KNeighborsClassifier(3, scale=False), CELLS, LABELS, cv=5)
    given = evaluate(KNeighborsClassifier(3, metric="precomputed"), FAR, LABELS, cv=5)
    assert given.score("accuracy") == by_columns.score("accuracy")
    scores = cross_val_score(KNeighborsClassifier(3, metric="precomputed"), FAR, LABELS, cv=5)
    assert scores.mean() > 0.9


def test_its_file_and_its_work(tmp_path):
    square = [[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]]
    model = KNeighborsRegressor(2, metric="precomputed").fit(square, [10.0, 20.0, 60.0])
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert opened.predict([[3.0, 0.5, 1.0]]).tolist() == [40.0]  # rows 1 and 2: (20 + 60) / 2
    text = str(opened.work([3.0, 0.5, 1.0]))
    assert "distance = 0.5" in text
    assert "given" in text
    assert "40" in text
    assert "the distances are given" in str(opened.work())


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]], "as many columns as rows; got 3 columns and 2 rows"),
        ([[0.0, -1.0], [-1.0, 0.0]], "must not be negative or missing, got -1 in row 0, column 'x1'"),
        ([[0.0, np.nan], [np.nan, 0.0]], "got nan in row 0"),
    ],
    ids=["not square", "negative", "missing"],
)
def test_what_are_no_distances(cells, words):
    with pytest.raises(DataError, match=words):
        KNeighborsClassifier(1, metric="precomputed").fit(cells, ["a", "b"]).predict(cells)


def test_bootstrap_would_need_rows_twice():
    with pytest.raises(ParameterError, match="precomputed distances do not allow"):
        evaluate(KNeighborsClassifier(3, metric="precomputed"), FAR, LABELS, cv="bootstrap")
