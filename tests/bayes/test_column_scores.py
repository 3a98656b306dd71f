"""The scores of single columns add up to the model, and to the model of any of them."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import openbook
from openbook.bayes import NaiveBayes
from openbook.bayes.smoothing import Epsilon, NoSmoothing

MIXED = openbook.load("credit", rows=200).split("default")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"distributions": "kernel"},
        {"smoothing": NoSmoothing()},
        {"smoothing": Epsilon(1e-4), "variance": "sample", "priors": [0.9, 0.1]},
    ],
)
@pytest.mark.parametrize("places", [[0], [1, 4], [6, 2, 3], list(range(8))])
def test_a_sum_is_the_model_of_these_columns(options, places):
    X, y = MIXED
    train, test = X.take(slice(0, 150)), X.take(slice(150, 200))
    model = NaiveBayes(**options).fit(train, y[:150])
    names = [X.names[place] for place in places]
    alone = NaiveBayes(**options).fit(train.select(names), y[:150])
    scores = model.column_scores(test)
    assert scores.shape == (len(X.names), 50, 2)
    np.testing.assert_allclose(
        model.proba_of(scores[places].sum(axis=0)), alone.predict_proba(test.select(names)), atol=1e-12
    )


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("smoothing", [NoSmoothing(), Epsilon(0.01)])
def test_bernoulli_columns(form, smoothing):
    rng = np.random.default_rng(0)
    X, y = (rng.random((80, 5)) < 0.2).astype(float), rng.integers(0, 3, 80)
    X[y == 0, 1] = 0  # impossible in a class
    X[y == 1, 2] = 1
    model = NaiveBayes(distributions="bernoulli", smoothing=smoothing).fit(form(X), y)
    alone = NaiveBayes(distributions="bernoulli", smoothing=smoothing).fit(form(X[:, [1, 2]]), y)
    scores = model.column_scores(form(X))
    np.testing.assert_allclose(model.proba_of(scores.sum(axis=0)), model.predict_proba(form(X)), atol=1e-12)
    np.testing.assert_allclose(
        model.proba_of(scores[[1, 2]].sum(axis=0)), alone.predict_proba(form(X[:, [1, 2]])), atol=1e-12
    )


def test_multinomial_columns_cannot_be_told_apart():
    X, y = np.array([[1.0, 2.0], [0.0, 3.0]]), [0, 1]
    assert NaiveBayes(distributions="multinomial").fit(X, y).column_scores(X) is None


def test_rows_that_no_class_explains_get_the_prior():
    X = openbook.read([{"a": a} for a in "xxyyy"])
    model = NaiveBayes(smoothing=NoSmoothing(), priors=[0.3, 0.7]).fit(X, ["n", "n", "p", "p", "p"])
    assert model.proba_of(np.full((1, 2), -np.inf)).tolist() == [[0.3, 0.7]]
