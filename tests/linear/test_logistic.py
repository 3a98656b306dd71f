"""Logistic regression: golden steps, the twin, and one model by every road."""

import math
import warnings

import joblib
import numpy as np
import pytest
import sklearn.linear_model

import openbook.border.rows
import openbook.linear.likelihood
import openbook.linear.logistic
import openbook.linear.maximum
from openbook import load, scan
from openbook.data import Nominal, Schema, Table
from openbook.linear import LogisticRegression
from openbook.measures.scores import sigmoid


def logits(seed, rows, weights, classes=2):
    """Rows whose log odds are a weighted sum of the columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, len(weights)))
    if classes == 2:
        return X, (rng.random(rows) < sigmoid(X @ weights)).astype(int)
    scores = X @ rng.normal(size=(len(weights), classes))
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


@pytest.fixture
def small_sample(monkeypatch):
    """Begin on a sample of 100 rows."""
    monkeypatch.setattr(openbook.linear.maximum, "SAMPLE", 100)
    monkeypatch.setattr(openbook.linear.maximum, "SAMPLE_PER_COLUMN", 10)


def test_one_step_of_gradient_descent(golden):
    record = golden("logistic.own_gradient_step")
    data, expected = record["data"], record["expected"]
    model = LogisticRegression(
        C=math.inf,
        solver="gradient_descent",
        learning_rate_init=data["eta"],
        coef_init=data["theta"][1:],
        intercept_init=data["theta"][0],
        max_iter=1,
        scale=False,
    )
    with pytest.warns(UserWarning, match="are perfectly separated"):
        model.fit(data["X"], data["y"])
    assert [*model.intercept_, *model.coef_[0]] == pytest.approx(expected["theta_after"], rel=1e-14)
    assert model.trace_[:, 0] == pytest.approx([-expected["nll_total"], -expected["nll_after"]], rel=1e-14)
    assert model.trace_[0, 1] == pytest.approx(max(map(abs, expected["gradient_of_nll"])) / 4, rel=1e-14)
    assert model.trace_[1, 2] == pytest.approx(data["eta"])
    downhill = np.roll(-model.gradients_[0, 0], 1)  # of the loss, the intercept first
    assert downhill == pytest.approx(expected["gradient_of_nll"], rel=1e-14)
    (shown,) = (part for part in model.work()["likelihood"].parts if getattr(part, "title", "") == "gradient")
    assert shown.rows[0][1:] == pytest.approx([-g for g in expected["gradient_of_nll"]], rel=1e-14)


def unmoved(X, y, start):
    """A model with given coefficients, of all values: nothing is learnt, and the penalty is next to none."""
    theta = np.array(start)
    given = {"coef_init": theta[..., 1:], "intercept_init": theta[..., 0], "max_iter": 0}
    return LogisticRegression(C=1e300, **given).fit(X, y)


def test_the_logistic_of_integer_codes(golden):
    record = golden("logistic.integer_coded")
    expected = record["expected"]
    y = [row["y"] for row in record["data"]["rows"]]
    model = unmoved(expected["X"], y, record["data"]["theta"])
    assert -model.trace_[0, 0] == pytest.approx(expected["nll_total"], rel=1e-12)
    for x, row in zip(expected["X"], expected["rows"], strict=True):
        assert model.decision_function([x])[0] == pytest.approx(row["z"], rel=1e-12)
        assert model.predict_proba([x])[0, 1] == pytest.approx(row["p1"], rel=1e-12)
        assert model.predict([x])[0] == row["predicted"]
        work = model.work(x)
        assert work["z"].result == pytest.approx(row["z"], rel=1e-12)
        assert work["P(class = 1 | x)"].result == pytest.approx(row["p1"], rel=1e-12)


def test_the_softmax_of_one_hot_columns(golden):
    record = golden("logistic.softmax_one_hot")
    data, expected = record["data"], record["expected"]
    schema = Schema(tuple(Nominal(name, tuple(values)) for name, values in data["columns"].items()))
    codes = [[a.values.index(row[a.name]) for row in data["rows"]] for a in schema]
    shown = np.flatnonzero(np.any(data["X"], axis=0))  # a value without rows has no column
    start = [[0.0, *np.array(theta)[shown]] for theta in data["theta"]]
    model = unmoved(Table(schema, [np.array(c) for c in codes]), [row["y"] for row in data["rows"]], start)
    assert model.encoding_.names[:2] == ("outlook = sunny", "outlook = rainy")
    assert -model.trace_[0, 0] == pytest.approx(expected["nll_total"], rel=1e-12)
    for row, scores, probabilities in zip(
        data["rows"], expected["scores"], expected["probabilities"], strict=True
    ):
        work = model.work({name: row[name] for name in data["columns"]})
        for c in range(3):
            assert work[f"s(class = {c})"].result == pytest.approx(scores[c], rel=1e-12)
            assert work[f"P(class = {c} | x)"].result == pytest.approx(probabilities[c], rel=1e-12)
    rows = [{name: row[name] for name in data["columns"]} for row in data["rows"]]
    assert model.predict(rows).tolist() == expected["predicted"]


def test_shares_alone():
    """A column that says nothing leaves the log odds of the shares, ln(3/1)."""
    model = LogisticRegression(C=math.inf).fit([[0.0], [1.0]] * 4, [0, 0, 1, 1] * 1 + [1, 1, 1, 1])
    assert model.null_log_likelihood_ == pytest.approx(2 * math.log(2 / 8) + 6 * math.log(6 / 8))
    assert model.coef_[0, 0] == pytest.approx(0.0, abs=1e-9)
    assert model.intercept_[0] == pytest.approx(math.log(3), rel=1e-9)
    assert model.log_likelihood_ == pytest.approx(model.null_log_likelihood_)
    assert model.work()["R²"].result == pytest.approx(0.0, abs=1e-12)


def test_a_ridge_by_hand():
    """With x = ±1 and y alike, the loss of w is ln(1 + e^-w) for each row: its slope is -N s(-w) + w / C."""
    model = LogisticRegression(C=0.5, scale=False, tol=1e-12).fit([[-1.0], [1.0]] * 3, [0, 1] * 3)
    w = model.coef_[0, 0]
    assert 2.0 * w == pytest.approx(6 * sigmoid(np.array(-w)), rel=1e-10)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", ["credit", "iris"])
def test_the_twin_predicts_the_same(name):
    target = {"credit": "default", "iris": "species"}[name]
    X, y = (load("credit", rows=120, random_state=1) if name == "credit" else load(name)).split(target)
    model = LogisticRegression().fit(X, y)
    proba = model.predict_proba(X)
    for i in range(0, len(X), 7):
        work = model.work(X.take([i]))
        twin = [work[f"P({target} = {label} | x)"].result for label in model.classes_]
        assert twin == pytest.approx(proba[i].tolist(), rel=1e-10)


@pytest.mark.parametrize("classes", [2, 3])
def test_every_solver_finds_the_same(classes):
    X, y = logits(0, 300, np.array([1.0, -2.0, 0.5]), classes)
    best = LogisticRegression(solver="newton", tol=1e-10).fit(X, y)
    quasi = LogisticRegression(solver="lbfgs", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(quasi.coef_, best.coef_, rtol=1e-7, atol=1e-9)
    plain = LogisticRegression(solver="gradient_descent", max_iter=5000).fit(X, y)
    np.testing.assert_allclose(plain.coef_, best.coef_, rtol=1e-3, atol=1e-4)
    drawn = LogisticRegression(solver="sgd", tol=1e-5, random_state=0).fit(X, y)
    np.testing.assert_allclose(drawn.predict_proba(X), best.predict_proba(X), atol=0.03)
    for model in (best, quasi, plain):
        assert (np.diff(model.trace_[:, 0]) >= -1e-9).all()  # the likelihood never falls
        assert model.trace_[-1, 0] == pytest.approx(best.trace_[-1, 0], rel=1e-6)
    assert drawn.n_iter_ > 1
    assert best.solver_ == "newton"


def test_sgd_goes_by_its_seed():
    X, y = logits(1, 500, np.array([1.0, -1.0]))
    one, same, other = (
        LogisticRegression(solver="sgd", tol=1e-3, random_state=s).fit(X, y).coef_ for s in (0, 0, 1)
    )
    assert (one == same).all()
    assert (one != other).any()


def test_a_start_is_in_units_of_the_columns():
    X, y = logits(2, 200, np.array([1.0, -1.0]))
    X = X * [1.0, 50.0] + [3.0, 0.0]
    for scale in (True, False):
        best = LogisticRegression(C=math.inf, tol=1e-10, scale=scale).fit(X, y)
        given = {"coef_init": best.coef_, "intercept_init": best.intercept_}
        again = LogisticRegression(C=math.inf, scale=scale, **given).fit(X, y)
        assert again.n_iter_ == 0
        np.testing.assert_allclose(again.coef_, best.coef_, rtol=1e-12)


@pytest.mark.parametrize("C", [math.inf, 1.0])
def test_units_do_not_matter(C):
    X, y = logits(3, 400, np.array([1.0, -2.0, 0.5]))
    plain = LogisticRegression(C=C).fit(X, y)
    factors = np.array([1e-7, 1.0, 1e9])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = LogisticRegression(C=C).fit(X * factors + [0.0, 300.0, -1e10], y)
    np.testing.assert_allclose(scaled.coef_ * factors, plain.coef_, rtol=1e-7)
    assert scaled.n_iter_ == plain.n_iter_


def test_a_column_far_from_zero():
    """A time in seconds since 1970 within one hour: its mean is a million standard deviations."""
    X, y = logits(4, 400, np.array([1.0, -2.0]))
    near = LogisticRegression(C=math.inf, tol=1e-9).fit(X, y)
    seconds = 1.7e9 + np.round(X[:, :1] * 1000) / 1000
    far = LogisticRegression(C=math.inf, tol=1e-9).fit(np.hstack([seconds, X[:, 1:]]), y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-2)
    exact = LogisticRegression(C=math.inf, tol=1e-9).fit(np.hstack([seconds - 1.7e9, X[:, 1:]]), y)
    np.testing.assert_allclose(far.coef_, exact.coef_, rtol=1e-6)
    np.testing.assert_allclose(far.covariance_[1:, 1:], exact.covariance_[1:, 1:], rtol=1e-5)


def test_the_penalty_is_on_units_of_the_encoding():
    X, y = logits(5, 300, np.array([1.0, -2.0]))
    X = X * [1.0, 20.0]
    raw = LogisticRegression(C=0.2, scale=False, tol=1e-12).fit(X, y)
    slope = (sigmoid(X @ raw.coef_[0] + raw.intercept_[0]) - y) @ X
    np.testing.assert_allclose(slope, -5.0 * raw.coef_[0], rtol=1e-6)
    scaled = LogisticRegression(C=0.2, tol=1e-12).fit(X, y)
    slope = (sigmoid(X @ scaled.coef_[0] + scaled.intercept_[0]) - y) @ X
    np.testing.assert_allclose(slope * X.std(axis=0), -5.0 * scaled.coef_[0] * X.std(axis=0) ** 3, rtol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "parameters", [{}, {"C": math.inf}, {"C": 1 / 3, "l1_ratio": 1.0}, {"solver": "lbfgs"}]
)
def test_a_sample_is_only_a_beginning(small_sample, classes, parameters):
    X, y = logits(6, 3000, np.array([1.0, -2.0, 0.5, 0.0]), classes)
    y[:20] = 1 - np.minimum(y[:20], 1)
    quick = LogisticRegression(tol=1e-9, **parameters).fit(X, y)
    openbook.linear.maximum.SAMPLE = 10_000
    whole = LogisticRegression(tol=1e-9, **parameters).fit(X, y)
    start, top = [model.trace_[0, 0] for model in (quick, whole)], whole.trace_[-1, 0]
    assert top - start[0] < 0.2 * (top - start[1])  # it begins on the way
    np.testing.assert_allclose(quick.coef_, whole.coef_, rtol=1e-5, atol=1e-7)


def test_a_class_that_the_sample_lacks(small_sample):
    X, _ = logits(7, 2000, np.array([1.0, 1.0]))
    y = np.zeros(2000, dtype=int)
    y[[1, 5, 11, 13, 997, 1003]] = 1  # the sample is rows 0, 20, 40, …
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick = LogisticRegression(C=math.inf).fit(X, y)
    openbook.linear.maximum.SAMPLE = 10_000
    np.testing.assert_allclose(
        quick.coef_, LogisticRegression(C=math.inf).fit(X, y).coef_, rtol=1e-3, atol=1e-3
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_files_are_as_good_as_memory(small_sample, tmp_path, classes):
    import polars as pl

    X, y = logits(8, 3000, np.array([1.0, -2.0, 0.5]), classes)
    labels = np.array(["a", "b", "c"])[y]
    frame = pl.DataFrame({"u": X[:, 0], "v": X[:, 1] * 1e6, "w": X[:, 2], "y": labels})
    frame = frame.with_columns(u=pl.when(pl.col("u") > 2).then(None).otherwise(pl.col("u")))
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=700)
    memory = LogisticRegression().fit(frame, "y")
    files = LogisticRegression().fit(scan(tmp_path / "rows.parquet", chunk_rows=700), "y")
    np.testing.assert_allclose(files.coef_, memory.coef_, rtol=1e-8)
    assert memory.encoding_.names == ("u", "u missing", "v", "w")
    assert files.n_iter_ == memory.n_iter_


def test_wide_rows_are_encoded_at_every_pass(small_sample, monkeypatch):
    X, y = load("credit").split("default")
    monkeypatch.setattr(openbook.linear.likelihood, "MOST_BYTES", 0)
    monkeypatch.setattr(openbook.border.rows, "CHUNK_ROWS", 300)
    X = X.select(["sex", "work", "purpose"])
    assert len(LogisticRegression().fit(X, y).encoding_) > 2 * 3
    later = LogisticRegression(solver="lbfgs").fit(X, y)
    monkeypatch.undo()
    once = LogisticRegression(solver="lbfgs", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(later.coef_, once.coef_, rtol=1e-3, atol=1e-4)


def test_very_many_columns_go_without_curvature_and_errors(monkeypatch):
    X, y = logits(13, 300, np.array([1.0, -2.0, 0.5]))
    known = LogisticRegression(C=math.inf, solver="lbfgs", tol=1e-8).fit(X, y)
    monkeypatch.setattr(openbook.linear.maximum, "WIDE", 2)
    monkeypatch.setattr(openbook.linear.logistic, "MOST_ESTIMATES", 3)
    wide = LogisticRegression(C=math.inf, solver="lbfgs", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(wide.coef_, known.coef_, rtol=1e-5)
    assert (wide.trace_[1] != known.trace_[1]).any()
    assert wide.covariance_ is None
    assert "standard error" not in wide.work().text()


def test_any_number_of_workers_gives_the_same_bits(small_sample, monkeypatch):
    monkeypatch.setattr(openbook.border.rows, "CHUNK_ROWS", 500)
    X, y = logits(9, 3000, np.array([1.0, -2.0, 0.5]), 3)
    alone = LogisticRegression(C=math.inf).fit(X, y)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        together = LogisticRegression(C=math.inf).fit(X, y)
    assert (alone.coef_ == together.coef_).all()
    assert (alone.covariance_ == together.covariance_).all()


def test_class_weights_are_weights_of_rows():
    X, y = logits(10, 300, np.array([1.0, -2.0]))
    y = np.where(y + (np.arange(300) % 3 == 0) > 0, 1, 0)
    rows = np.bincount(y)
    balanced = LogisticRegression(class_weight="balanced").fit(X, y)
    by_hand = LogisticRegression(scale=False).fit(X, y, sample_weight=(300 / (2 * rows))[y])
    given_ = LogisticRegression(class_weight={0: 300 / (2 * rows[0]), "1": 300 / (2 * rows[1])}).fit(X, y)
    assert (balanced.coef_ == given_.coef_).all()
    # the standard units are those of the rows as they are, whatever the classes weigh
    same = LogisticRegression(class_weight="balanced", scale=False).fit(X, y)
    np.testing.assert_allclose(same.coef_, by_hand.coef_, rtol=1e-6)
    only = LogisticRegression(class_weight={0: 2.0}, scale=False).fit(X, y)
    doubled = LogisticRegression(scale=False).fit(X, y, sample_weight=np.where(y == 0, 2.0, 1.0))
    np.testing.assert_allclose(only.coef_, doubled.coef_, rtol=1e-6)


def test_l1_leaves_columns_out():
    X, y = logits(11, 400, np.array([2.0, 0.0, -1.0, 0.0, 0.0]))
    sparse = LogisticRegression(C=0.05, l1_ratio=1.0, scale=False, tol=1e-10).fit(X, y)
    residual = sigmoid(X @ sparse.coef_[0] + sparse.intercept_[0]) - y
    slope = residual @ X
    left = sparse.coef_[0] != 0
    assert left[[0, 2]].all()
    assert not left.all()
    np.testing.assert_allclose(slope[left], -20.0 * np.sign(sparse.coef_[0, left]), rtol=1e-6)
    assert (np.abs(slope[~left]) < 20.0).all()
    assert sparse.complexity() == 1 + left.sum()
    assert LogisticRegression().fit(X, y).complexity() == 6
    nothing = LogisticRegression(C=0.0001, l1_ratio=1.0).fit(X, y)
    assert not nothing.coef_.any()
    assert nothing.intercept_[0] == pytest.approx(math.log(y.mean() / (1 - y.mean())), rel=1e-6)


def test_scores_of_several_classes_sum_to_nothing():
    X, y = logits(12, 300, np.array([1.0, -2.0, 0.5]), 4)
    for C in (math.inf, 1.0):
        model = LogisticRegression(C=C).fit(X, y)
        np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-10)
        np.testing.assert_allclose(model.decision_function(X).sum(axis=1), 0.0, atol=1e-9)


def test_given_coefficients_are_kept_in_units_of_the_columns(tmp_path):
    """ln odds = -1 + 2 x0 - x1, whatever the rows are; ln L = ln s(-1) + ln s(1), by hand."""
    given = {"coef_init": [2.0, -1.0], "intercept_init": -1.0, "max_iter": 0}
    model = LogisticRegression(**given, C=math.inf).fit([[0.0, 0.0], [1.0, 0.0]], ["no", "yes"])
    assert model.coef_ == pytest.approx(np.array([[2.0, -1.0]]), rel=1e-14)
    assert model.decision_function([[3.0, 4.0]]) == pytest.approx([1.0])
    assert model.log_likelihood_ == pytest.approx(-2 * math.log1p(math.exp(-1)))
    assert (model.n_iter_, model.converged_, model.notes_, model.solver_) == (0, False, [], "none")
    assert "max_iter=0: nothing is learnt." in model.work().text()
    again = openbook.open_model(openbook.save(model, tmp_path / "given.openbook"))
    assert again.predict_proba([[3.0, 4.0]]) == pytest.approx(model.predict_proba([[3.0, 4.0]]))


def test_without_an_intercept_by_hand():
    """x = ±1, and 3 of 4 rows have the class of their sign: ln odds = w x, with s(w) = 3/4, so w = ln 3."""
    X = [[1.0], [1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0], [-1.0]]
    y = [1, 1, 1, 0, 0, 0, 0, 1]
    model = LogisticRegression(C=math.inf, fit_intercept=False, tol=1e-12).fit(X, y)
    assert model.coef_[0, 0] == pytest.approx(math.log(3))
    assert model.intercept_.tolist() == [0]
    table = model.coefficients()
    assert table.column("term").tolist() == ["x0"]
    # the information is 8 p (1 - p) = 8 · 3/16, so the standard error is √(2/3)
    assert table.data("standard_error")[0] == pytest.approx(math.sqrt(2 / 3))
    assert model.work([2.0])["z"].result == pytest.approx(2 * math.log(3))


@pytest.mark.parametrize("solver", ["auto", "lbfgs", "newton"])
@pytest.mark.parametrize("C", [0.1, 1.0, math.inf])
def test_without_an_intercept_beside_scikit_learn(solver, C):
    X, y = logits(3, 200, np.array([1.0, -2.0]))
    X = X + 1.0
    for target in (y, y + (X[:, 0] > 1.5)):
        own = LogisticRegression(C=C, fit_intercept=False, scale=False, solver=solver, tol=1e-9).fit(
            X, target
        )
        peer = sklearn.linear_model.LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=10_000)
        np.testing.assert_allclose(own.predict_proba(X), peer.fit(X, target).predict_proba(X), atol=1e-6)


def test_nominal_columns_keep_all_values_without_an_intercept():
    rows = [{"sky": s} for s in ("sun", "sun", "sun", "sun", "rain", "rain", "rain", "rain")]
    y = ["go", "go", "go", "stay", "stay", "stay", "stay", "go"]
    model = LogisticRegression(C=math.inf, fit_intercept=False, tol=1e-12).fit(rows, y)
    assert model.encoding_.names == ("sky = rain", "sky = sun")
    assert model.coef_[0] == pytest.approx([math.log(3), -math.log(3)])
