"""The perceptron: kernel and twin, the theorem, the pocket and the average, order, weights and files."""

import math

import numpy as np
import pytest
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import openbook as ob
from openbook.errors import DataError, ModelFileError, ParameterError
from openbook.linear import Perceptron
from openbook.linear.perceptron_work import average, perceptron_answer, replay, scores_of
from openbook.work.json import from_json, to_json

XOR = [[0, 0], [1, 0], [0, 1], [1, 1]], [-1, 1, 1, -1]
HALVES = st.integers(-6, 6).map(lambda n: n / 2)  # sums of products of which are exact


@st.composite
def row_weights(draw, n):
    """Whole weights, or fractions of mean 1: both stay as they are, and their sums are exact."""
    if draw(st.booleans()):
        return np.array(draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=n, max_size=n)))
    aside = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=n // 2, max_size=n // 2))
    return np.array(draw(st.permutations([1 + a for a in aside] + [1 - a for a in aside] + [1.0] * (n % 2))))


@st.composite
def problems(draw, classes=(2, 3, 4)):
    """Few rows of round numbers: with ties, rows that are there twice, and weights that are whole or not."""
    n, d, k = draw(st.integers(2, 9)), draw(st.integers(1, 3)), draw(st.sampled_from(classes))
    X = np.array(draw(st.lists(st.lists(HALVES, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    y[:2] = 0, k - 1
    return X, y, draw(row_weights(n))


def pocketed(epochs, rows, start):
    """The weights of the fewest errors, of those with the longest runs and those that ended an epoch."""

    def errors(theta):
        return math.fsum(w for x, truth, w in rows if perceptron_answer(scores_of(theta, x)) != truth)

    candidates, theta, run, longest = [], start, 0.0, 0.0
    for epoch in epochs:
        for meeting in epoch:
            if meeting.predicted != meeting.truth:
                theta, longest, run = meeting.theta, max(longest, run), 0.0
                continue
            run += meeting.weight
            if run > longest:
                candidates.append(theta)
        candidates.append(theta)
    return min(candidates, key=errors)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=60)
@given(problems(), st.sampled_from(["last", "pocket", "average"]), st.sampled_from([1.0, 0.5]), st.booleans())
def test_the_kernel_is_its_twin(problem, keep, step, shuffle):
    X, y, w = problem
    model = Perceptron(step, max_iter=6, keep=keep, shuffle=shuffle, random_state=3).fit(X, y, w)
    codes = np.searchsorted(model.classes_, y)
    rows = list(zip(X.tolist(), codes.tolist(), w.tolist(), strict=True))
    planes = 1 if len(model.classes_) == 2 else len(model.classes_)
    start = [[0.0] * (X.shape[1] + 1) for _ in range(planes)]
    orders = model._orders(len(y))
    given_orders = (range(len(y)) if order is None else order for order in orders)
    epochs = list(replay(rows, (next(given_orders) for _ in range(model.n_iter_)), start, step))
    changes = [sum(meeting.predicted != meeting.truth for meeting in epoch) for epoch in epochs]
    assert model.updates_.tolist() == changes
    kept = {
        "last": lambda: epochs[-1][-1].theta,
        "pocket": lambda: pocketed(epochs, rows, start),
        "average": lambda: average([meeting for epoch in epochs for meeting in epoch]),
    }[keep]()
    tolerance = 1e-12 if keep == "average" else 0
    np.testing.assert_allclose(np.atleast_2d(model.weights_), kept, rtol=tolerance, atol=tolerance)


@settings(max_examples=50)
@given(
    st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=12, unique=True),
    st.sampled_from([0.125, 1.0, 7.0]),  # exact, so that a row on the plane is on the plane
)
def test_novikoffs_bound(plane, points, step):
    """Where a plane separates the rows, it takes at most (R / margin) squared changes, whatever the step."""
    X = np.column_stack([np.ones(len(points)), np.array(points, dtype=float)])
    z = X @ plane
    X, z = X[z != 0], z[z != 0]
    if len(np.unique(np.sign(z))) < 2:
        return
    radius = np.linalg.norm(X, axis=1).max()
    margin = np.abs(z).min() / np.linalg.norm(plane)
    bound = (radius / margin) ** 2
    model = Perceptron(step, max_iter=math.floor(bound) + 1).fit(X[:, 1:], np.sign(z))
    assert model.converged_
    assert model.updates_.sum() <= bound
    assert (model.predict(X[:, 1:]) == np.sign(z)).all()


def test_more_classes_by_hand():
    """Classes a, b, c on a line; theta_c = (bias, weight), and ties: the first is said.

    x = 1 (a): scores 0 0 0, says a. x = 2 (b): says a, so a (-1, -2), b (1, 2). x = -1 (c): scores 1, -1, 0,
    says a, so a (-2, -1), c (1, -1). Epoch 2, x = 1: scores -3, 3, 0, says b, so a (-1, 0), b (0, 1).
    """
    model = Perceptron(max_iter=1, keep="pocket").fit([[1.0], [2.0], [-1.0]], list("abc"))
    last = Perceptron(max_iter=2, keep="pocket").fit([[1.0], [2.0], [-1.0]], list("abc"))
    grid = {part.title: part for part in last.work().parts if hasattr(part, "rows")}
    assert [row[2] for row in grid["epoch 1"].rows] == [(0, 0, 0), (0, 0, 0), (1, -1, 0)]
    assert [row[3] for row in grid["epoch 1"].rows] == ["a", "a", "a"]
    assert [row[5:] for row in grid["epoch 1"].rows] == [
        (None, None),
        ((1, 2), (-1, -2)),  # b, then a
        ((1, -1), (-2, -1)),  # c, then a
    ]
    assert grid["epoch 2"].rows[0][2:] == ((-3, 3, 0), "b", "a", (-1, 0), (0, 1))
    assert model.weights_.shape == (3, 2)
    assert model.decision_function([[1.0], [2.0]]).shape == (2, 3)


def test_the_weights_of_a_derivation_are_numbers_in_full():
    """The first row scores 0, which says b: the weights go from 0 to -2/3 times (1, 1/3)."""
    x = 1 / 3
    model = Perceptron(x).fit([[x], [-x]], ["a", "b"])
    work = model.work()
    for shown in (work, from_json(to_json(work))):
        grids = {part.title: part for part in shown.parts if hasattr(part, "rows")}
        assert grids["epoch 1"].rows[0][1] == (1.0, x)
        assert grids["epoch 1"].rows[0][-1] == (-2 * x, -2 * x * x)
    assert "(-0.666667, -0.222222)" in work.text()


def test_the_pocket_keeps_the_best_that_was_seen():
    """The last row lies on the wrong side: four of five is the most that a threshold can get right."""
    X, y = [[-2.0], [-1.0], [1.0], [2.0], [3.0]], list("aabba")
    pocket = Perceptron(keep="pocket").fit(X, y)
    assert pocket.score(X, y) == 0.8
    assert not pocket.converged_
    assert "the fewest errors on the training rows" in pocket.work().text()
    with pytest.warns(ConvergenceWarning):
        assert Perceptron().fit(X, y).score(X, y) < 0.8


def test_the_average_by_hand():
    """Weights after the rows of two epochs: 0, 0, 0 and -2 bias …, as in the lecture's trace."""
    X, y = [[1, 1], [1, 2], [0, 0], [-1, 0]], [1, 1, -1, -1]
    model = Perceptron(keep="average").fit(X, y)
    after = 2 * [[0, 0, 0]] + 2 * [[-2, 0, 0]] + 2 * [[0, 2, 2]] + 6 * [[-2, 2, 2]]
    np.testing.assert_allclose(model.weights_, np.mean(after, axis=0), rtol=1e-14)
    assert "the average of the weights after each row" in model.work().text()


@pytest.mark.parametrize("keep", ["pocket", "average"])
def test_better_than_the_last_where_nothing_separates(keep):
    table = ob.load("credit", rows=2000, random_state=1)
    X, y = table.split("default")
    with pytest.warns(ConvergenceWarning, match="perhaps no plane separates the classes: use keep='pocket'"):
        last = Perceptron(max_iter=20, scale=True).fit(X, y)
    kept = Perceptron(max_iter=20, scale=True, keep=keep).fit(X, y)
    assert kept.score(X, y) > last.score(X, y)
    assert kept.n_iter_ == 20


def test_the_same_as_scikit_learns():
    """Its step is half of ours, and it counts 0 as a mistake: from weights beside 0 there is no such row."""
    X, y = ob.load("breast_cancer").split("diagnosis")
    block = X.block(X.names) / X.block(X.names).max(axis=0)
    start = np.full(block.shape[1] + 1, 0.01)
    with pytest.warns(ConvergenceWarning):
        ours = Perceptron(max_iter=5, coef_init=start[1:], intercept_init=start[0]).fit(block, y)
    theirs = sklearn.linear_model.Perceptron(max_iter=5, tol=None, shuffle=False, eta0=2.0)
    codes = (np.asarray(y) == ours.classes_[1]).astype(int)
    theirs.fit(block, codes, coef_init=start[None, 1:], intercept_init=start[:1])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(block), theirs.decision_function(block), rtol=1e-9)


def test_scaled_weights_in_units_of_the_columns():
    X, y = ob.load("iris").split("species")
    model = Perceptron(keep="average", scale=True, max_iter=20).fit(X, y)
    scores = X.block(X.names) @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-9, atol=1e-9)
    assert model.score(X, y) > 0.9


def test_the_order_counts_and_a_seed_fixes_it():
    X, y = ob.load("iris").split("species")
    shuffled = [
        Perceptron(max_iter=5, keep="average", shuffle=True, random_state=seed).fit(X, y).weights_
        for seed in (1, 1, 2)
    ]
    assert (shuffled[0] == shuffled[1]).all()
    assert (shuffled[0] != shuffled[2]).any()
    assert (shuffled[0] != Perceptron(max_iter=5, keep="average").fit(X, y).weights_).any()


def test_probabilities_are_decisions():
    X, y = ob.load("iris").split("species")
    model = Perceptron(keep="average").fit(X, y)
    proba = model.predict_proba(X)
    assert set(np.unique(proba)) == {0.0, 1.0}
    assert (model.classes_[proba.argmax(axis=1)] == model.predict(X)).all()


def test_zero_is_the_second_class():
    model = Perceptron().fit([[1.0], [2.0]], ["b", "b"])  # one class: nothing to decide
    assert model.predict([[-5.0]]).tolist() == ["b"]
    assert "There is only one class: class = b." in model.work([3.0]).conclusion
    plane = Perceptron(coef_init=[1]).fit([[-1.0], [1.0]], ["a", "b"])
    assert plane.predict([[0.0], [-0.5]]).tolist() == ["b", "a"]
    assert plane.work([0.0]).conclusion == "θ · x is at least 0: class = b."


def test_many_rows_are_not_kept_and_many_figures_are_cut_short():
    X = np.arange(31.0)[:, None] - 15.5
    model = Perceptron().fit(X, X[:, 0] > 0)
    assert len(model.rows_[1]) == 0
    assert "rows are shown only for small tables" in model.work().text()
    wide = Perceptron().fit(np.eye(50), np.arange(50) % 2)
    text = wide.work(np.ones(50)).text()
    assert "11 more columns" in text
    assert " + … + " in text
    assert "11 more columns" in wide.work().text()
    with pytest.warns(ConvergenceWarning):
        long = Perceptron(max_iter=50).fit(*XOR)
    assert "10 epochs before the last are left out" in long.work().text()


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ([0], r"coef_init must be finite numbers of shape \(2,\), for x0, x1; got \[0\]"),
        ([0, math.nan], r"coef_init must be finite numbers of shape \(2,\)"),
        ("zero", r"Perceptron: coef_init must be finite numbers of shape \(2,\), for x0, x1; got 'zero'"),
    ],
)
def test_a_start_that_does_not_fit(start, message):
    with pytest.raises(ParameterError, match=message):
        Perceptron(coef_init=start).fit(*XOR)


def test_what_cannot_be_learnt_from(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
    with pytest.raises(DataError, match="shuffle needs rows in memory; read the file instead of scanning it"):
        Perceptron(shuffle=True).fit(ob.scan(tmp_path / "a.csv"), "y")
    huge = [[1e153], [-1e153], [1e153], [3e152]]
    with pytest.raises(DataError, match=r"the weights overflowed: .* use scale=True"):
        Perceptron(eta0=1e300).fit(huge, ["a", "b", "b", "a"])


def test_a_pocket_over_files_is_that_of_memory(tmp_path):
    table = ob.load("credit", rows=300, random_state=2)
    for i in range(3):
        table.take(slice(100 * i, 100 * i + 100)).to_polars().write_parquet(tmp_path / f"{i}.parquet")
    scanned = ob.scan(f"{tmp_path}/*.parquet", {"education": table.schema["education"]}, chunk_rows=40)
    ours = Perceptron(max_iter=5, keep="pocket").fit(scanned, "default")
    np.testing.assert_allclose(
        ours.weights_, Perceptron(max_iter=5, keep="pocket").fit(table, "default").weights_, rtol=1e-12
    )


HOSTILE = {
    "weights_": [np.zeros(4), np.zeros((1, 3)), np.array([0.0, np.nan, 0.0]), np.array([0, 1, 2])],
    "updates_": [np.zeros(0, dtype=int), np.array([0, 1]), np.array([-1]), np.ones(101, dtype=int)],
    "cycle_": [np.array([1, 1]), np.array([3, 99]), np.array([-1, 2]), np.array([1])],
    "seed_": [np.array([-1]), np.array([0.5])],
    "rows.y": [np.array([0, 1, 2, 0]), np.array([0, -1, 0, 0]), np.zeros(3, dtype=int)],
    "rows.w": [np.array([1.0, 1.0, 0.0, 1.0]), np.ones(99)],
    "rows.x": [np.zeros((4, 3)), np.full((4, 2), np.inf)],
    "encoding.mean": [np.zeros(3)],
}


@pytest.mark.parametrize(("name", "array"), [(name, array) for name in HOSTILE for array in HOSTILE[name]])
def test_a_file_that_is_no_perceptron(tmp_path, monkeypatch, name, array):
    model = Perceptron().fit([[1, 1], [1, 2], [0, 0], [-1, 0]], [1, 1, -1, -1])
    good = model._arrays()
    monkeypatch.setattr(model, "_arrays", lambda: {**good, name: array}, raising=False)
    path = ob.save(model, tmp_path / "bad.openbook")
    with pytest.raises(ModelFileError, match=r"bad\.openbook is damaged"):
        ob.open_model(path)


def test_no_epochs_keep_the_weights_given(tmp_path):
    """Scores by hand: -1 + 2 x0 - x1."""
    model = Perceptron(coef_init=[2.0, -1.0], intercept_init=-1.0, max_iter=0).fit(
        [[0, 0], [1, 0], [1, 1]], [-1, 1, 1]
    )
    assert model.decision_function([[0, 0], [1, 0], [1, 1], [2, 4]]).tolist() == [-1, 1, 0, -1]
    assert model.predict([[0, 0], [1, 0], [1, 1], [2, 4]]).tolist() == [-1, 1, 1, -1]
    assert (model.n_iter_, model.converged_) == (0, False)
    assert model.work().conclusion == "No epochs were requested: the weights are those given."
    again = ob.open_model(ob.save(model, tmp_path / "plane.openbook"))
    assert again.weights_.tolist() == [-1, 2, -1]


def test_without_a_bias_by_hand():
    """From 0 it says +1 of (1, 2), wrongly: theta = -2 (1, 2). Of (-1, 0) it then says +1, rightly."""
    model = Perceptron(fit_intercept=False).fit([[1.0, 2.0], [-1.0, 0.0]], [-1, 1])
    assert model.weights_.tolist() == [0, -2, -4]
    assert model.intercept_.tolist() == [0]
    assert model.updates_.tolist() == [1, 0]
    assert "there is no bias" in model.work().text()
    with pytest.raises(ParameterError, match="with fit_intercept=False, intercept_init must be 0"):
        Perceptron(fit_intercept=False, intercept_init=1.0).fit([[1.0, 2.0], [-1.0, 0.0]], [-1, 1])
