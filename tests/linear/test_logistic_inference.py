"""Standard errors, odds ratios and intervals; separation and collinear columns."""

import math
import warnings

import numpy as np
import pytest

from openbook import load
from openbook.data import Nominal, Schema, Table
from openbook.errors import ParameterError
from openbook.linear import LogisticRegression
from openbook.measures.scores import sigmoid

# Launches of the space shuttle before January 1986: temperature at the joints, and whether an O-ring failed.
# R: summary(glm(failed ~ temperature, binomial)) gives the figures below.
TEMPERATURE = [66, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75, 70, 81, 76, 79, 75, 76, 58]
FAILED = [0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1]


def rows(table):
    return [
        dict(zip(table.names, row, strict=True)) for row in zip(*map(table.column, table.names), strict=True)
    ]


def nominal(name, values, codes):
    return Table(Schema((Nominal(name, tuple(values)),)), [np.array(codes)])


def test_the_o_rings():
    model = LogisticRegression(C=math.inf).fit(np.c_[TEMPERATURE], FAILED)
    intercept, slope = rows(model.coefficients())
    assert intercept["coefficient"] == pytest.approx(15.0429, abs=5e-5)
    assert intercept["standard_error"] == pytest.approx(7.3786, abs=5e-5)
    assert slope["coefficient"] == pytest.approx(-0.2322, abs=5e-5)
    assert slope["standard_error"] == pytest.approx(0.1082, abs=5e-5)
    assert slope["z"] == pytest.approx(-2.145, abs=5e-4)
    assert slope["p"] == pytest.approx(0.0320, abs=5e-5)
    assert -2 * model.null_log_likelihood_ == pytest.approx(28.267, abs=5e-4)
    assert -2 * model.log_likelihood_ == pytest.approx(20.315, abs=5e-4)


def test_a_two_by_two_table():
    """The odds ratio of [[a, b], [c, d]] is ad / bc, and its log has variance 1/a + 1/b + 1/c + 1/d."""
    a, b, c, d = 20, 10, 5, 30
    X = nominal("exposed", ("no", "yes"), [0] * (a + b) + [1] * (c + d))
    y = ["well"] * a + ["ill"] * b + ["well"] * c + ["ill"] * d
    model = LogisticRegression(C=math.inf, tol=1e-10).fit(X, y)
    assert model.classes_.tolist() == ["ill", "well"]
    intercept, exposed = rows(model.coefficients(level=0.9))
    ratio, error = b * c / (a * d), math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    assert exposed["term"] == "exposed = yes"
    assert exposed["odds_ratio"] == pytest.approx(ratio, rel=1e-8)
    assert exposed["standard_error"] == pytest.approx(error, rel=1e-8)
    assert exposed["z"] == pytest.approx(math.log(ratio) / error, rel=1e-8)
    assert exposed["low"] == pytest.approx(ratio * math.exp(-1.6448536 * error), rel=1e-6)
    assert exposed["high"] == pytest.approx(ratio * math.exp(1.6448536 * error), rel=1e-6)
    assert exposed["p"] == pytest.approx(math.erfc(abs(exposed["z"]) / math.sqrt(2)), rel=1e-8)
    assert intercept["odds_ratio"] == pytest.approx(a / b, rel=1e-8)
    assert intercept["standard_error"] == pytest.approx(math.sqrt(1 / a + 1 / b), rel=1e-8)


def test_three_classes_by_two():
    """Each class against the first is a two-by-two table of its own, since every cell has its own share."""
    cells = {("x", "p"): 12, ("x", "q"): 7, ("x", "r"): 9, ("z", "p"): 4, ("z", "q"): 11, ("z", "r"): 6}
    X = nominal("side", ("x", "z"), [int(side == "z") for (side, _), n in cells.items() for _ in range(n)])
    y = [label for (_, label), n in cells.items() for _ in range(n)]
    model = LogisticRegression(C=math.inf, tol=1e-10).fit(X, y)
    found = {(row["class"], row["term"]): row for row in rows(model.coefficients())}
    assert len(found) == 4
    for label in ("q", "r"):
        four = [cells["x", "p"], cells["x", label], cells["z", "p"], cells["z", label]]
        ratio = four[0] * four[3] / (four[1] * four[2])
        assert found[label, "side = z"]["odds_ratio"] == pytest.approx(ratio, rel=1e-7)
        assert found[label, "side = z"]["standard_error"] == pytest.approx(
            math.sqrt(sum(1 / n for n in four)), rel=1e-7
        )
        assert found[label, "intercept"]["standard_error"] == pytest.approx(
            math.sqrt(1 / four[0] + 1 / four[1]), rel=1e-7
        )


@pytest.mark.parametrize("classes", [2, 3])
def test_errors_are_those_of_the_numeric_hessian(classes):
    """In units of the columns, by second differences of the log-likelihood that predict_proba gives."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(150, 2)) * [1.0, 30.0] + [0.0, 100.0]
    scores = X / [1.0, 30.0] @ rng.normal(size=(2, classes))
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    model = LogisticRegression(C=math.inf, tol=1e-12).fit(X, y)
    design = np.c_[np.ones(150), X]
    theta = np.c_[model.intercept_, model.coef_]
    if classes > 2:
        theta = theta[1:] - theta[0]
    flat = theta.ravel()

    def loss(flat):
        z = np.c_[np.zeros(150), design @ flat.reshape(theta.shape).T]
        return (np.log(np.exp(z).sum(axis=1)) - z[np.arange(150), y]).sum()

    sizes = 1e-4 * np.tile([1.0, 1.0, 1 / 30], classes - 1)
    steps = np.diag(sizes)
    hessian = [
        [
            (loss(flat + a + b) - loss(flat + a - b) - loss(flat - a + b) + loss(flat - a - b))
            / (4 * a.sum() * b.sum())
            for b in steps
        ]
        for a in steps
    ]
    np.testing.assert_allclose(model.covariance_, np.linalg.inv(hessian), rtol=1e-3)


def test_weights_are_rows_in_the_errors():
    X, y = np.c_[TEMPERATURE], np.array(FAILED)
    twice = LogisticRegression(C=math.inf).fit(X, y, sample_weight=np.full(23, 2.0))
    once = LogisticRegression(C=math.inf).fit(X, y)
    np.testing.assert_allclose(twice.covariance_, once.covariance_ / 2, rtol=1e-6)


def test_a_penalised_fit_has_no_errors():
    X, y = np.c_[TEMPERATURE], FAILED
    model = LogisticRegression().fit(X, y)
    assert model.covariance_ is None
    table = model.coefficients()
    assert table.names == ("term", "coefficient", "odds_ratio")
    assert table.column("odds_ratio").tolist() == pytest.approx(np.exp(table.column("coefficient").data))
    assert "A penalised fit has no standard errors" in model.work().text()
    iris = LogisticRegression().fit(*load("iris").split("species"))
    assert iris.coefficients().names == ("class", "term", "coefficient")
    assert len(iris.coefficients()) == 15


def test_a_level_is_a_share():
    model = LogisticRegression(C=math.inf).fit(np.c_[TEMPERATURE], FAILED)
    for level in (0, 1, 95):
        with pytest.raises(ParameterError, match=f"level must lie between 0 and 1, got {level}"):
            model.coefficients(level)


SEPARATED = r"the classes of {} rows are perfectly separated, so the likelihood has no maximum: the"


def test_complete_separation_is_said():
    X, y = [[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]], ["a"] * 3 + ["b"] * 3
    message = (
        SEPARATED.format("all") + r" coefficients of 'x0' grow without limit and have no standard errors; C"
    )
    with pytest.warns(UserWarning, match=message):
        model = LogisticRegression(C=math.inf).fit(X, y)
    assert np.isnan(model.covariance_).all()
    assert model.predict(X).tolist() == y
    assert "perfectly separated" in model.work().conclusion
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression(C=1.0).fit(X, y)  # a penalty keeps it finite
        LogisticRegression(C=math.inf).fit([*X, [2.5], [7.5]], [*y, "b", "a"])  # and so do two rows


def test_quasi_separation_is_said_of_its_column():
    """A cell of a table that is empty: the exposed were all ill, and age tells nothing."""
    rng = np.random.default_rng(0)
    exposed = np.array([0] * 40 + [1] * 10)
    ill = np.array([0, 1] * 20 + [1] * 10)
    age = rng.normal(50, 10, 50)
    with pytest.warns(UserWarning, match=SEPARATED.format("some") + " coefficients of 'x0' grow"):
        model = LogisticRegression(C=math.inf).fit(np.c_[exposed, age], ill)
    table = {row["term"]: row for row in rows(model.coefficients())}
    assert math.isnan(table["x0"]["standard_error"])
    # of the others, the rows that are not told apart decide
    alone = LogisticRegression(C=math.inf, tol=1e-9).fit(np.c_[age[:40]], ill[:40])
    other = {row["term"]: row for row in rows(alone.coefficients())}
    assert table["x1"]["coefficient"] == pytest.approx(other["x0"]["coefficient"], rel=1e-2)
    assert table["x1"]["standard_error"] == pytest.approx(other["x0"]["standard_error"], rel=1e-2)


def test_separation_of_one_class_of_three():
    with pytest.warns(UserWarning, match=SEPARATED.format("some")):
        LogisticRegression(C=math.inf).fit(*load("iris").split("species"))
    X, y = load("iris").split("species")
    rest = np.asarray(y) != "setosa"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pair = LogisticRegression(C=math.inf).fit(X.take(rest), y[rest])
    assert np.isfinite(pair.covariance_).all()


def test_rare_but_no_separation():
    """Few positives and a strong effect make for long steps, but there is a maximum."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=3000)
    y = (rng.random(3000) < sigmoid(3 * x - 7)).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(C=math.inf).fit(x[:, None], y)
    assert model.coef_[0, 0] == pytest.approx(3.0, abs=1.0)
    assert np.isfinite(model.covariance_).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_collinear_columns_are_said(classes):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    y = rng.integers(0, classes, 200)
    doubled = np.c_[X, 2 * X[:, 0] + 1, np.full(200, 4.0)]
    message = r"'x0', 'x2', 'x3' are collinear, so their coefficients are not unique and have no stand"
    with pytest.warns(UserWarning, match=message):
        model = LogisticRegression(C=math.inf, tol=1e-9).fit(doubled, y)
    single = LogisticRegression(C=math.inf, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(doubled), single.predict_proba(X), rtol=1e-6)
    errors = np.sqrt(np.diag(model.covariance_)).reshape(-1, 5)
    assert np.isnan(errors[:, [1, 3, 4]]).all()
    of_single = np.sqrt(np.diag(single.covariance_)).reshape(-1, 3)
    np.testing.assert_allclose(errors[:, 2], of_single[:, 2], rtol=1e-6)
