"""Linear discriminant projection: by hand, back again, in pictures, and what it refuses."""

import numpy as np
import pytest

from openbook import load, open_model, save
from openbook.errors import DataError, ParameterError
from openbook.linear import LinearDiscriminantAnalysis
from openbook.reduce import LinearDiscriminantProjection

X, Y = load("iris").split("species")
CREDIT = load("credit", rows=300, random_state=2)


def test_two_classes_by_hand():
    """Means (0, 0) and (4, 0), variances 1 and 4 within: B = [[4, 0], [0, 0]], λ = 4, v = (1, 0)."""
    square = np.array([[1.0, 2.0], [1.0, -2.0], [-1.0, 2.0], [-1.0, -2.0]])
    rows, y = np.vstack([square, square + np.array([4, 0])]), np.repeat([0, 1], 4)
    model = LinearDiscriminantProjection().fit(rows, y)
    np.testing.assert_allclose(model.criteria_, [4])
    np.testing.assert_allclose(model.explained_variance_ratio_, [1])
    np.testing.assert_allclose(
        model.transform(rows)[:, 0], rows[:, 0] - 2, atol=1e-12
    )  # x less the mean, by 1
    back = model.inverse_transform([[-2.0], [2.0]])
    np.testing.assert_allclose(back.block(back.names), [[0, 0], [4, 0]], atol=1e-12)


def test_scores_vary_by_one_within_the_classes():
    scores, labels = LinearDiscriminantProjection().fit_transform(X, Y), np.array(Y.tolist())
    within = sum(np.cov(scores[labels == c].T, bias=True) for c in set(labels)) / 3
    np.testing.assert_allclose(within, np.eye(2), atol=1e-9)


def test_it_predicts_as_the_discriminant_does():
    model = LinearDiscriminantProjection(n_components=1).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), LinearDiscriminantAnalysis().fit(X, Y).predict(X))
    assert model.transform(X).shape == (150, 1)
    assert model.get_feature_names_out().tolist() == ["lineardiscriminantprojection0"]


def test_typed_columns_and_gaps():
    model = LinearDiscriminantProjection().fit(CREDIT, "default")
    scores = model.transform(CREDIT.drop("default"))
    assert scores.shape == (300, 1)
    assert np.isfinite(scores).all()
    back = model.inverse_transform(scores)
    np.testing.assert_allclose(
        model.transform(back)[:5], scores[:5], atol=2.0
    )  # the values are the likeliest
    assert back.schema == model.schema_


def test_the_work():
    model = LinearDiscriminantProjection().fit(X, Y)
    work = model.work()
    assert work["share of direction 1"].result == pytest.approx(model.explained_variance_ratio_[0])
    row = model.work(X.row(3))
    np.testing.assert_allclose([row[f"score {c}"].result for c in (1, 2)], model.transform(X.take([3]))[0])


def test_pictures_and_refusals():
    model = LinearDiscriminantProjection().fit(X, Y)
    assert "direction 1 (99.1%)" in model.draw(X, Y).svg()
    with pytest.raises(
        ParameterError, match="n_components is 3, but 4 columns that vary and 3 classes have 2 directions"
    ):
        LinearDiscriminantProjection(n_components=3).fit(X, Y)
    with pytest.raises(DataError, match=r"scores have 2 columns, and this array has shape \(1, 3\)"):
        model.inverse_transform([[1.0, 2.0, 3.0]])


def test_more_rows_and_files(tmp_path):
    whole = LinearDiscriminantProjection().fit(X, Y)
    parts = LinearDiscriminantProjection()
    for some in (slice(0, 60), slice(60, 150)):
        parts.partial_fit(X.take(some), Y.take(some), classes=["setosa", "versicolor", "virginica"])
    np.testing.assert_allclose(parts.transform(X), whole.transform(X), atol=1e-9)
    again = open_model(save(whole, tmp_path / "model.openbook"))
    np.testing.assert_array_equal(again.transform(X), whole.transform(X))
    saved = whole._saved()
    with pytest.raises(ValueError, match="not valid"):
        LinearDiscriminantProjection()._opened(
            saved._replace(arrays={**saved.arrays, "weight": -saved.arrays["weight"]})
        )
