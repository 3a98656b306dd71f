"""Linear regression by hand: gaps, categories, collinear columns, weights, targets, more and fewer rows."""

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student
from sklearn import linear_model

from openbook import open_model, read, save
from openbook.border.rows import Rows
from openbook.data import MISSING, Nominal, Schema, Table
from openbook.errors import DataError, ParameterError
from openbook.linear import LinearRegression, Polynomial
from openbook.linear.derive_least_squares import by_columns, by_elimination
from openbook.prepare import Encoding
from openbook.words.numbers import figure

RNG = np.random.default_rng(3)


def solved(X, y, w=None):
    """Intercept and coefficients, by the pseudo-inverse."""
    root = np.ones(len(y)) if w is None else np.sqrt(w)
    ones = np.column_stack([np.ones(len(y)), X])
    return np.linalg.lstsq(ones * root[:, None], (y.T * root).T, rcond=None)[0]


# the line


def test_a_line_by_hand():
    # x̄ = 2, ȳ = 4; S_xx = 10, S_xy = 4 + 2 + 0 + 1 + 4 = 11 for y = 2, 2, 5, 5, 6
    model = LinearRegression().fit([[0], [1], [2], [3], [4]], [2, 2, 5, 5, 6])
    assert model.coef_ == pytest.approx([1.1])
    assert model.intercept_ == pytest.approx(4 - 1.1 * 2)
    # residuals -0.2, 1.1 … : RSS = S_yy - 11²/10 = 14 - 12.1
    assert model.sigma2_ == pytest.approx(1.9 / 3)
    assert model.dof_ == 3
    assert model.r2_ == pytest.approx(12.1 / 14)
    table = model.coefficients()
    assert table["standard_error"][1] == pytest.approx(np.sqrt(1.9 / 3 / 10))
    assert table["t"][1] == pytest.approx(1.1 / np.sqrt(1.9 / 3 / 10))
    assert table["high"][1] == pytest.approx(1.1 + 3.182446 * np.sqrt(1.9 / 3 / 10), rel=1e-6)
    assert model.complexity() == 2


def test_the_work_of_a_line_shows_its_sums():
    model = LinearRegression().fit([[0], [1], [2], [3], [4]], [2, 2, 5, 5, 6])
    work = model.work()
    assert work["S_xx"].result == pytest.approx(10)
    assert work["S_xy"].result == pytest.approx(11)
    assert work["slope"].numbers == r"\frac{11}{10}"
    assert work["slope"].result == pytest.approx(1.1)
    assert work["intercept b"].result == pytest.approx(1.8)
    assert work["RSS"].result == pytest.approx(1.9)
    row = model.work([10])
    assert row["ŷ"].result == pytest.approx(12.8)
    # h = 1/5 + (10 - 2)² / 10
    assert row["standard error of ŷ"].result == pytest.approx(np.sqrt(1.9 / 3 * 6.6))
    assert row.conclusion == "The prediction: target = 12.8."


def test_the_work_of_the_lasso_shows_what_is_left_out():
    X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0]])
    model = LinearRegression(l1=3, scale=False).fit(X, [0.0, 2, 4, 6])
    # S = [[5, -1], [-1, 1]], c = (10, -2): β_1 = (10 - 3) / 5, and of column 2 only |-2 + 1.4| < 3 is left
    assert model.coef_ == pytest.approx([1.4, 0])
    work = model.work()
    assert work["x0"].result == pytest.approx(1.4)
    assert work["x1"].note == "at most l1 is left to explain, so the coefficient is 0"
    assert model.complexity() == 2


def test_penalties_on_one_column_are_shown():
    model = LinearRegression(l1=1, l2=2, scale=False).fit([[0], [1], [2], [3], [4]], [2, 2, 5, 5, 6])
    assert model.coef_ == pytest.approx([(11 - 1) / (10 + 2)])
    assert model.work()["slope"].numbers == r"\frac{soft(11, 1)}{10 + 2}"


def test_penalties_see_standard_units_unless_told():
    X, y = RNG.normal(size=(50, 3)) * [1, 100, 0.01] + 5, RNG.normal(size=50)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    for penalties in ({"l2": 7.0}, {"l1": 3.0}, {"l1": 1.0, "l2": 2.0}):
        scaled = LinearRegression(**penalties).fit(X, y)
        plain = LinearRegression(**penalties, scale=False).fit(standard, y)
        assert scaled.predict(X) == pytest.approx(plain.predict(standard))
        assert scaled.coef_ == pytest.approx(plain.coef_ / X.std(axis=0))


# the encoding


@pytest.mark.parametrize("options", [{}, {"l2": 2.0}, {"l1": 3.0, "l2": 1.0}, {"l2": 1.0, "scale": False}])
def test_one_pass_equals_the_encoding_rule(options, mixed):
    X, y = mixed()
    model = LinearRegression(**options).fit(X, y)
    scale, reference = bool(options) and options.get("scale", True), not options
    encoding = Encoding.of(Rows.in_memory(X, y), scale=scale, reference=reference)
    assert model.encoding_.names == encoding.names == model.names_
    assert model.encoding_.mean == pytest.approx(encoding.mean)
    assert model.encoding_.scale == pytest.approx(encoding.scale)
    Z = encoding(X)
    twin = LinearRegression(**(options | {"scale": False})).fit(Z, y)
    coef, intercept = encoding.original(twin.coef_, twin.intercept_)
    assert model.coef_ == pytest.approx(coef, rel=1e-7, abs=1e-9)
    assert model.intercept_ == pytest.approx(float(intercept), rel=1e-7)
    if not options:
        assert np.append(model.intercept_, model.coef_) == pytest.approx(solved(Z, y), rel=1e-6)


def test_missing_and_unseen_cells_count_as_the_mean(mixed):
    X, y = mixed()
    model = LinearRegression().fit(X, y)
    gap, unseen = (
        Table(X.schema, [np.array([45.0]), np.array([c]), np.array([c]), np.array([1e4])]) for c in (-1, -2)
    )
    value = dict(zip(model.names_, model.coef_, strict=True))
    mean = dict(zip(model.names_, model.encoding_.mean, strict=True))
    base = model.intercept_ + 45 * value["age"] + 1e4 * value["wind"]
    base += sum(value[name] * mean[name] for name in ("sky = rainy", "sky = foggy", "size"))
    assert model.predict(unseen) == pytest.approx([base])
    assert model.predict(gap) == pytest.approx([base + value["sky missing"] + value["size missing"]])
    assert "missing or not seen in training, set to the mean: sky, size" in model.work(unseen).text()


def test_a_column_of_gaps_says_nothing():
    X = np.column_stack([np.arange(5.0), np.full(5, np.nan)])
    with pytest.warns(UserWarning, match="x1 is always 0; its coefficient is set to 0"):
        model = LinearRegression().fit(X, [1, 3, 5, 7, 9.5])
    assert model.coef_[1] == 0
    assert np.isfinite(model.predict([[2.0, 7.0]])).all()


def test_a_constant_column_with_gaps_is_no_column_wherever_chunks_end():
    x = np.array([np.nan] * 4 + [np.nan, 3.1, 3.1, np.nan, 3.1, np.nan])[:, None]
    y = RNG.normal(size=10)
    with pytest.warns(UserWarning, match="x0 is always"):
        model = LinearRegression().fit(x[:4], y[:4]).partial_fit(x[4:7], y[4:7]).partial_fit(x[7:], y[7:])
    assert model.notes_[0] == "x0 is always 3.1; its coefficient is set to 0"
    assert model.coef_[0] == 0
    gaps = np.isnan(x[:, 0])
    assert model.predict(x) == pytest.approx(np.where(gaps, y[gaps].mean(), y[~gaps].mean()))


def test_categories_alone_give_the_means_of_their_values():
    rows = [{"sky": s} for s in ("sunny", "sunny", "rainy", "rainy", "rainy")]
    model = LinearRegression().fit(rows, [1.0, 3.0, 5.0, 5.0, 8.0])
    assert model.predict([{"sky": "sunny"}, {"sky": "rainy"}]) == pytest.approx([2, 6])
    assert model.names_ == ("sky = sunny",)  # relative to rainy, the first value


# collinear columns


def test_collinear_columns_are_named_and_get_no_coefficient():
    x = RNG.normal(size=(30, 2))
    X = np.column_stack([x, 2 * x[:, 0] - x[:, 1] + 4, np.full(30, 7.0)])
    y = x @ [1.0, 2.0] + 3
    with pytest.warns(
        UserWarning, match=r"x2 = 4 \+ 2 × x0 \+ -1 × x1: collinear.*\(and 1 more: see notes_\)"
    ):
        model = LinearRegression().fit(X, y)
    assert model.collinear_ == ("x2", "x3")
    assert model.coef_ == pytest.approx([1, 2, 0, 0])
    assert model.notes_[1] == "x3 is always 7; its coefficient is set to 0"
    assert model.dof_ == 30 - 3
    assert np.isnan(model.coefficients()["standard_error"][3])
    assert "x2 = 4 + 2 × x0" in model.work().text()


def test_values_of_one_row_are_collinear_beside_the_column_for_gaps():
    """Only row 0 has a = p and b = q. Without it y is 10, and 13 where b is missing."""
    a = ["p"] + ["o"] * 11
    b = ["q"] + ["m"] * 8 + [None] * 3
    y = [20.0] + [10.0] * 8 + [13.0] * 3
    with pytest.warns(UserWarning, match="b = q = .*a = p.*: collinear"):
        model = LinearRegression().fit(pl.DataFrame({"a": a, "b": b}), y)
    assert model.collinear_ == ("b = q",)
    # the row's 10 above the others are a = p's; a gap is worth 3, whatever it counts as in b = q
    assert model.predict(pl.DataFrame({"a": ["p", "o", "o"], "b": ["m", "m", None]})) == pytest.approx(
        [20, 10, 13]
    )


def test_more_columns_than_rows_still_fit():
    X, y = RNG.normal(size=(4, 6)), RNG.normal(size=4)
    with pytest.warns(UserWarning, match="collinear"):
        model = LinearRegression().fit(X, y)
    assert model.predict(X) == pytest.approx(y)
    assert model.collinear_ == ("x3", "x4", "x5")
    assert model.sigma2_ is None
    assert "no more rows than coefficients" in model.notes_[-1]
    assert model.coefficients().names == ("term", "coefficient")


def test_a_constant_target_is_its_mean():
    model = LinearRegression().fit([[1.0], [2.0], [4.0]], [5.0, 5.0, 5.0])
    assert model.coef_ == pytest.approx([0])
    assert model.predict([[9.0]]) == pytest.approx([5])
    assert model.r2_ == 1


def test_far_columns_lose_nothing():
    x = RNG.normal(size=(200, 2))
    y = x @ [3.0, -1.0] + 0.01 * RNG.normal(size=200)
    near, far = LinearRegression().fit(x, y), LinearRegression().fit(x + np.array([1e7, -1e8]), y)
    assert far.coef_ == pytest.approx(near.coef_, rel=1e-7)  # x + 1e8 itself keeps no more than 8 digits


def test_a_far_column_with_gaps_loses_nothing():
    x, y = RNG.normal(size=(300, 1)), RNG.normal(size=300)
    x[:100:3] = np.nan
    x[200:230] = np.nan
    near, far = (LinearRegression().fit(x + s, y) for s in (0.0, 1e6))
    assert far.coef_ == pytest.approx(near.coef_, rel=1e-7)


# targets and weights


def test_several_targets_are_as_many_models():
    X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2))
    for options in ({}, {"l2": 2.0}, {"l1": 4.0}):
        both = LinearRegression(**options).fit(X, Y)
        assert both.coef_.shape == (2, 3)
        for t in range(2):
            one = LinearRegression(**options).fit(X, Y[:, t])
            assert both.coef_[t] == pytest.approx(one.coef_)
            assert both.intercept_[t] == pytest.approx(one.intercept_)
            assert both.predict(X)[:, t] == pytest.approx(one.predict(X))
            assert both.r2_[t] == pytest.approx(one.r2_)
    both = LinearRegression().fit(X, Y)
    assert both.coefficients()["target"].tolist() == ["y0"] * 4 + ["y1"] * 4
    assert both.targets_ == ("y0", "y1")
    assert "y1 = " in both.work(X[0]).conclusion
    assert both.work().text().count("σ²") == 2


def test_targets_have_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, Y = RNG.normal(size=(20, 2)), RNG.normal(size=(20, 2))
    model = LinearRegression().fit(X, pandas.DataFrame(Y, columns=["height", "weight"]))
    assert model.targets_ == ("height", "weight")
    assert model.target_ == "height, weight"
    opened = open_model(save(model, tmp_path / "two.openbook"))
    assert np.array_equal(opened.predict(X), model.predict(X))
    column = LinearRegression().fit(X, Y[:, :1])
    assert column.predict(X).shape == (20, 1)


def test_bad_targets_are_refused():
    X = np.ones((3, 1)) * [[1], [2], [3]]
    with pytest.raises(DataError, match=r"y must have the shape \(n,\) or \(n, targets\), got \(3, 1, 1\)"):
        LinearRegression().fit(X, np.ones((3, 1, 1)))
    with pytest.raises(DataError, match=r"target 'y1' is missing in 1 row \(the first is row 2\)"):
        LinearRegression().fit(X, [[1.0, 1.0], [1.0, 1.0], [1.0, np.nan]])
    words = read([{"a": "x"}, {"a": "y"}, {"a": "x"}])
    with pytest.raises(DataError, match="target 'a' is nominal, but LinearRegression predicts numbers"):
        LinearRegression().fit(X, words)
    model = LinearRegression().fit(X, [1.0, 2.0, 4.0])
    with pytest.raises(DataError, match="y must have the targets it had before: target"):
        model.partial_fit(X, np.ones((3, 2)))


def test_weights_are_rows(mixed):
    X, y = mixed()
    weights = np.arange(60) % 3 + 1.0
    heavy = LinearRegression().fit(X, y, sample_weight=weights)
    again = np.repeat(np.arange(60), weights.astype(int))
    rows = LinearRegression().fit(X.take(again), y[again])
    assert heavy.coef_ == pytest.approx(rows.coef_, rel=1e-7)
    assert heavy.sigma2_ == pytest.approx(rows.sigma2_)
    assert heavy.coefficients()["p"].data == pytest.approx(rows.coefficients()["p"].data, rel=1e-6)
    Z = heavy.encoding_(X)
    assert np.append(heavy.intercept_, heavy.coef_) == pytest.approx(solved(Z, y, weights), rel=1e-6)


# more and fewer rows


def test_values_that_come_later_are_learnt(mixed):
    X, y = mixed(120)
    early = (X.data("sky") == 0) | (X.data("sky") == MISSING)
    first, later = X.take(early), X.take(~early)
    narrow = Schema((X.schema["age"], Nominal("sky", ("sunny",)), X.schema["size"], X.schema["wind"]))
    first = Table(narrow, first.columns)
    model = LinearRegression().fit(first, y[early])
    model.partial_fit(later, y[~early])
    order = np.argsort(~early, kind="stable")
    whole = LinearRegression().fit(X.take(order), y[order])
    assert model.names_ == whole.names_
    assert model.coef_ == pytest.approx(whole.coef_, rel=1e-6)


def test_what_was_never_learnt_cannot_be_forgotten(mixed):
    X, y = mixed()
    model = LinearRegression().fit(X.take(slice(40)), y[:40])
    with pytest.raises(DataError, match="they were not in the training data, or none would be left"):
        model.forget(X.take(slice(40)), y[:40])
    other = Table(X.schema, [X.columns[0] * 50, *X.columns[1:]])
    with pytest.raises(DataError, match="they were not in the training data"):
        model.forget(other.take(slice(30)), y[:30])


def test_a_basis_keeps_its_first_encoding(mixed):
    X, y = mixed(200)
    model = LinearRegression(basis=Polynomial(2)).fit(X.take(slice(100)), y[:100])
    before = model.encoding_
    model.partial_fit(X.take(slice(100, 200)), y[100:])
    assert model.encoding_ is before
    assert model.statistics_.weight[0] == 200
    model.forget(X.take(slice(100, 200)), y[100:])
    alone = LinearRegression(basis=Polynomial(2)).fit(X.take(slice(100)), y[:100])
    assert model.predict(X) == pytest.approx(alone.predict(X), rel=1e-8)


def test_a_level_must_be_one():
    model = LinearRegression().fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match="level must lie between 0 and 1, got 95"):
        model.coefficients(95)


# twins


def test_elimination_leaves_out_what_others_make_up():
    assert by_elimination([[2, 4, 1], [4, 8, 2], [1, 2, 3]], [2, 4, 6]) == pytest.approx([0, 0, 2])


def test_columns_one_by_one_by_hand():
    # alone, soft(6, 2) / 2 = 2; the second has |1 - 0.5 · 2| < 2 left
    assert by_columns([[2.0, 0.5], [0.5, 1.0]], [6.0, 1.0], 2.0, 0.0) == pytest.approx([2, 0])


def test_through_the_origin_by_hand():
    """Σ xy / Σ x² = (1·2 + 2·3 + 3·7) / (1 + 4 + 9) = 29/14; RSS = 62 - 29²/14, and N - 1 freedom."""
    model = LinearRegression(fit_intercept=False).fit([[1.0], [2.0], [3.0]], [2.0, 3.0, 7.0])
    assert model.coef_ == pytest.approx([29 / 14])
    assert model.intercept_ == 0.0
    residual = 62 - 29**2 / 14
    assert model.sigma2_ == pytest.approx(residual / 2)
    assert model.r2_ == pytest.approx(1 - residual / 62)  # beside predicting 0, as in R
    table = model.coefficients()
    assert table.column("term").tolist() == ["x0"]
    assert table.data("standard_error")[0] == pytest.approx(math.sqrt(residual / 2 / 14))
    assert model.work()["slope"].result == pytest.approx(29 / 14)
    assert model.work()["TSS"].result == pytest.approx(62)
    assert model.work([2.0])["ŷ"].result == pytest.approx(29 / 7)
    assert model.complexity() == 1


@pytest.mark.parametrize(
    "options", [{}, {"l2": 3.0, "scale": False}, {"l1": 2.0, "scale": False}, {"l2": 2.0}]
)
def test_through_the_origin_beside_scikit_learn(options, tmp_path):
    rng = np.random.default_rng(0)
    X, n = rng.normal(2.0, [1.0, 3.0, 0.5], size=(60, 3)), 60
    y = X @ [1.0, -2.0, 0.5] + 4.0 + rng.normal(size=60)
    model = LinearRegression(fit_intercept=False, **options).fit(X, y)
    peers = {
        (): linear_model.LinearRegression(fit_intercept=False),
        ("l2", "scale"): linear_model.Ridge(3.0, fit_intercept=False),
        ("l1", "scale"): linear_model.Lasso(2.0 / n, fit_intercept=False, tol=1e-12, max_iter=10**6),
        ("l2",): linear_model.Ridge(2.0, fit_intercept=False),
    }
    unit = X.std(axis=0) if options == {"l2": 2.0} else 1.0
    peer = peers[tuple(options)].fit(X / unit, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X / unit), rtol=1e-8)
    again = open_model(save(model, tmp_path / "line.openbook"))
    np.testing.assert_allclose(again.predict(X), model.predict(X))
    first = LinearRegression(fit_intercept=False, **options).partial_fit(X[:20], y[:20])
    np.testing.assert_allclose(first.partial_fit(X[20:], y[20:]).coef_, model.coef_, rtol=1e-6, atol=1e-9)


def test_a_prediction_of_many_columns_is_derived_and_has_an_interval():
    """From 100 columns on, their units are a sparse array; the interval is that of the textbook's formula."""
    rng = np.random.default_rng(0)
    X = rng.normal(5, 2, (300, 110))
    y = X @ rng.normal(size=110) + rng.normal(size=300)
    model, row = LinearRegression().fit(X, y), X[:1] + 1
    ones, new = np.column_stack([np.ones(300), X]), np.append(1.0, row)
    best = solved(X, y)
    assert model.predict(row) == pytest.approx(new @ best)
    assert model.work(row).conclusion == f"The prediction: target = {figure(new @ best)}."
    variance = ((y - ones @ best) ** 2).sum() / (300 - 111)
    reach = student.ppf(0.975, 300 - 111) * np.sqrt(variance * (1 + new @ np.linalg.inv(ones.T @ ones) @ new))
    low, high = model.predict_interval(row)
    assert [low[0], high[0]] == pytest.approx([new @ best - reach, new @ best + reach])


def test_a_penalised_intercept_is_derived_by_hand():
    """x = 1, 2, 3, y = 2, 3, 5, l2 = 1: S_xx = 14 - 36/4, S_xy = 23 - 60/4, b = 3/4 (10/3 - 2 · 4/3)."""
    work = LinearRegression(l2=1, scale=False, penalise_intercept=True).fit([[1], [2], [3]], [2, 3, 5]).work()
    assert (work["S_xx"].result, work["S_xy"].result) == pytest.approx((5, 8))
    assert "W + l_2" in work["S_xx"].formula
    assert (work["slope"].result, work["intercept b"].result) == pytest.approx((8 / 6, 0.5))
    assert r"+ \beta_j" in work["derivative by β_j"].formula
