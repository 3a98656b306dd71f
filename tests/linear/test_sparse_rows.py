"""Linear learners of sparse rows: what they find is what they find in the same rows, dense."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import openbook as ob
import openbook.linear.sparse_squares
from openbook.errors import DataError, ParameterError
from openbook.linear import LinearRegression, LogisticRegression, Perceptron, Rocchio
from openbook.linear.solvers import conjugate_gradients
from openbook.prepare import BagOfWords


@pytest.fixture(scope="module")
def counts():
    """Few counts above 0, and three classes."""
    rng = np.random.default_rng(0)
    X = sp.random(80, 30, 0.2, random_state=0, format="csr")
    X.data = np.round(X.data * 5) + 1
    return X, rng.integers(0, 3, 80)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"fit_intercept": False}, {"l1_ratio": 0.5}, {"class_weight": "balanced"}]
)
def test_logistic_regression_of_sparse_rows_is_that_of_dense_ones(counts, classes, options):
    X, y = counts[0], counts[1] % classes
    sparse = LogisticRegression(scale=False, tol=1e-9, max_iter=500, **options).fit(X, y)
    dense = LogisticRegression(scale=False, tol=1e-9, **options).fit(X.toarray(), y)
    assert_allclose(sparse.coef_, dense.coef_, atol=1e-6)
    assert_allclose(sparse.predict_proba(X), dense.predict_proba(X.toarray()), atol=1e-6)
    assert sparse.predict(X.toarray()).tolist() == sparse.predict(X).tolist()  # zeros may be written, too


def test_logistic_regression_of_sparse_rows_is_scikit_learns(counts):
    from sklearn.linear_model import LogisticRegression as Theirs

    ours = LogisticRegression(tol=1e-9).fit(*counts)  # sparse columns are never scaled
    theirs = Theirs(tol=1e-10, max_iter=10_000).fit(*counts)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_the_hessian_of_sparse_rows_times_a_vector(counts):
    """Against the Hessian that dense rows have, in standard units and with an intercept."""
    from dataclasses import replace

    from openbook.linear.likelihood import ClassLikelihood, EncodedRows, Units

    X, y = counts
    rng = np.random.default_rng(1)
    units = Units(rng.normal(size=30), rng.uniform(1, 2, 30))
    w, penalty = rng.uniform(0.5, 2, 80), np.append(np.full(30, 0.7), 0.0)
    free = np.zeros(31, dtype=bool)
    dense = ClassLikelihood([EncodedRows(X.toarray(), y, w, 0)], units, 3, float(w.sum()), penalty, free)
    sparse = replace(dense, pieces=[EncodedRows(sp.csr_array(X), y, w, 0)], sparse=True)
    theta, vector = rng.normal(size=(2, 93)) / 10
    value, gradient, hessian = dense.curved(theta)
    times, diagonal = sparse.curvature(theta)
    assert_allclose(times(vector), hessian @ vector, rtol=1e-10)
    assert_allclose(diagonal, np.diag(hessian), rtol=1e-10)
    assert_allclose(sparse(theta)[0], value)
    assert_allclose(sparse(theta)[1], gradient)


def test_conjugate_gradients_solve_by_hand():
    """[[4, 1], [1, 3]] x = [1, 2] has the solution [1/11, 7/11]."""
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]])
    found, exact = conjugate_gradients(matrix.__matmul__, np.array([1.0, 2.0]), np.diag(matrix), 1e-12)
    assert exact
    assert_allclose(found, [1 / 11, 7 / 11])
    assert not conjugate_gradients(matrix.__matmul__, np.array([1.0, 2.0]), np.diag(matrix), 1e-12, most=1)[1]


@pytest.mark.parametrize(
    "options",
    [{}, {"fit_intercept": False}, {"penalise_intercept": True}, {"l1": 2.0}, {"weights": True}],
)
def test_ridge_of_sparse_rows_is_that_of_dense_ones(counts, options, monkeypatch):
    monkeypatch.setattr(openbook.linear.sparse_squares, "REST", 1e-12)
    monkeypatch.setattr(openbook.linear.sparse_squares, "LEVEL", 1e-10)
    rng = np.random.default_rng(2)
    X, y = counts[0], rng.normal(100, 3, (80, 2)) + counts[0][:, :2].toarray()
    options = dict(options)
    w = rng.integers(1, 4, 80) if options.pop("weights", False) else None
    sparse = LinearRegression(l2=3.0, scale=False, **options).fit(X, y, sample_weight=w)
    dense = LinearRegression(l2=3.0, scale=False, **options).fit(X.toarray(), y, sample_weight=w)
    assert_allclose(sparse.coef_, dense.coef_, atol=1e-7)
    assert_allclose(sparse.intercept_, dense.intercept_)
    assert_allclose(sparse.r2_, dense.r2_)
    assert_allclose(sparse.predict(X), dense.predict(X.toarray()))


def test_ridge_and_least_squares_of_sparse_rows_are_scikit_learns(counts):
    from sklearn.linear_model import Ridge

    X, y = counts[0], np.random.default_rng(3).normal(20, 3, 80)
    ours, theirs = LinearRegression(l2=0.5).fit(X, y), Ridge(0.5, tol=1e-10).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert_allclose(ours.intercept_, theirs.intercept_)
    wide = X[:10]  # fewer rows than columns: a plane through all of them
    assert_allclose(LinearRegression().fit(wide, y[:10]).predict(wide), y[:10], rtol=1e-5)


def test_ridge_of_texts_takes_every_word_beside_other_columns(films, tmp_path):
    """As on the words, the number in standard units and the category by hand."""
    X, price = films.drop("liked"), np.tile([3.0, 1.0, 4.0, 0.5, 2.0], 3)
    model = LinearRegression(l2=1.0).fit(X, price)
    assert isinstance(model._encode(X), ob.data.SparseTable)
    words = BagOfWords().fit_transform(X.data("text").tolist()).toarray()
    minutes = X.data("minutes")
    kind = np.equal.outer(X.data("kind"), [0, 1]).astype(float)
    by_hand = np.column_stack([(minutes - minutes.mean()) / minutes.std(), kind, words])
    dense = LinearRegression(l2=1.0, scale=False).fit(by_hand, price)
    assert_allclose(model.predict(X), dense.predict(by_hand), atol=1e-5)
    assert_allclose(model.coef_[-words.shape[1] :], dense.coef_[-words.shape[1] :], atol=1e-5)
    again = ob.open_model(ob.save(model, tmp_path / "ridge.openbook"))
    assert_allclose(again.predict(X), model.predict(X))
    assert again.r2_ == model.r2_
    row = {"text": "good, good zebra", "minutes": 95.0}
    assert ("text: good", 2.0) in [line[:2] for line in again.work(row)["terms"].rows]
    assert "conjugate gradients" in str(again.work())
    again.draw()


def test_what_sparse_least_squares_refuses(counts):
    X, y = counts[0], np.arange(80.0)
    with pytest.raises(TypeError, match="LinearRegression cannot use sparse data"):
        LinearRegression(loss="huber").fit(X, y)
    model = LinearRegression(l2=1.0).fit(X, y)
    for act in (model.partial_fit, model.forget):
        with pytest.raises(ParameterError, match="sparse columns need all rows at once"):
            act(X, y)
    with pytest.raises(ParameterError, match="the path of coefficients needs columns that are not sparse"):
        model.path()
    saved = model._saved()
    for name, array in (("weights", np.zeros((2, 1))), ("squares", np.full(30, -1.0))):
        with pytest.raises(ValueError, match=r"array 'weights' is|a weight or a square is negative"):
            LinearRegression(l2=1.0)._opened(saved._replace(arrays={**saved.arrays, name: array}))


@pytest.mark.parametrize("keep", ["last", "pocket", "average"])
@pytest.mark.filterwarnings("ignore:Perceptron")
def test_the_perceptron_meets_sparse_rows_as_it_meets_dense_ones(counts, keep):
    X, y = counts
    for classes in (2, 3):
        sparse, dense = (Perceptron(keep=keep, max_iter=7).fit(x, y % classes) for x in (X, X.toarray()))
        assert_allclose(sparse.coef_, dense.coef_)
        assert_allclose(sparse.intercept_, dense.intercept_)


@pytest.fixture(scope="module")
def films():
    """A text beside a number and a category."""
    texts = ["good film, very good", "bad film", "good plot", "terrible bad plot", None]
    rows = [
        {
            "text": text,
            "minutes": 90.0 + i,
            "kind": "ab"[i % 2],
            "liked": "no" if text and "bad" in text else "yes",
        }
        for i, text in enumerate(texts * 3)
    ]
    return ob.read(rows, {"text": "text"})


@pytest.mark.parametrize("kind", [LogisticRegression, Perceptron, Rocchio])
def test_a_text_beside_other_columns_gives_all_its_words(films, kind, tmp_path):
    model = kind().fit(films, "liked")
    assert model.encoding_.sparse == 6  # bad film good plot terrible very
    assert model.score(films, "liked") > 0.7
    ob.save(model, tmp_path / "model.openbook")
    again = ob.open_model(tmp_path / "model.openbook")
    assert again.predict(films).tolist() == model.predict(films).tolist()


def test_the_work_of_a_text_lists_its_words_the_largest_term_first(films):
    model = LogisticRegression().fit(films, "liked")
    work = model.work({"text": "Bad, bad film tonight", "minutes": 92.0, "kind": "a"})
    grid = work["log odds of liked = yes"].parts[0]
    words = [row for row in grid.rows if row[0].startswith("text")]
    assert [(name, x) for name, x, _, _ in words] == [("text: bad", 2.0), ("text: film", 1.0)]
    assert abs(words[0][3]) > abs(words[1][3])
    assert "text: good" not in str(work)


def test_the_work_of_many_sparse_columns_shows_the_largest(counts):
    X, y = counts
    wide = sp.hstack([X, sp.csr_array((80, 30))], format="csr")
    model = LogisticRegression().fit(wide, y % 2)
    grid = next(part for part in model.work().parts if getattr(part, "title", "").startswith("odds"))
    sizes = [abs(row[1]) for row in grid.rows]
    assert len(sizes) == 40
    assert sizes == sorted(sizes, reverse=True)


def test_solvers_of_plain_steps_do_not_take_sparse_rows(counts):
    with pytest.raises(ParameterError, match="sparse rows need solver='newton' or 'lbfgs'"):
        LogisticRegression(solver="sgd").fit(*counts)


@pytest.mark.parametrize("kind", [LogisticRegression, Perceptron, Rocchio])
def test_a_cell_that_is_no_number_is_named(counts, kind):
    X, y = counts[0].toarray(), counts[1]
    X[3, 5] = np.nan
    with pytest.raises(DataError, match="column 'x5' lacks a number in row 3"):
        kind().fit(sp.csr_array(X), y)
    X[3, 5] = np.inf
    with pytest.raises(DataError, match=r"column 'x5' holds infinity \(the first in row 3\)"):
        kind().fit(sp.csr_array(X), y)


def test_hostile_sparse_matrices_are_put_in_order_or_refused(counts):
    X, y = counts
    again = sp.csr_array(([2.0, 1.0, 4.0], [2, 0, 2], [0, 3]), shape=(1, 3))  # not in order, and one twice
    assert ob.read(again).sparse.toarray().tolist() == [[1.0, 0.0, 6.0]]
    assert again.indices.tolist() == [2, 0, 2]  # the caller's own stays as it was
    broken = sp.csr_array((np.ones(2), np.array([0, 7]), np.array([0, 1, 2])), shape=(2, 8))
    broken.indices[1] = 99
    with pytest.raises(DataError, match="the sparse matrix is broken"):
        ob.read(broken)
    assert_allclose(
        LogisticRegression().fit(X.astype(np.int64), y).coef_, LogisticRegression().fit(X, y).coef_
    )
