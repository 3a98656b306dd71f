"""Discriminants: by hand, against scikit-learn, as folds, and where the data cannot give a covariance."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn import discriminant_analysis as theirs

import openbook as ob
from openbook.border.cross_fitted import drawn_folds
from openbook.border.rows import Chunk, Rows
from openbook.data import MISSING, Nominal, Numeric, Ordinal, Schema, Table
from openbook.errors import DataError, ModelFileError, ParameterError
from openbook.linear import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from openbook.linear.held_out import SHRINKAGES
from openbook.linear.scatter import ClassScatter
from openbook.prepare.encoding import Encoding

BOTH = pytest.mark.parametrize("make", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])

SETS = {"iris": "species", "wine": "cultivar", "weather_numeric": "play"}
SCHEMA = Schema(
    (Numeric("size"), Nominal("colour", ("red", "green", "blue")), Ordinal("grade", ("low", "mid", "high")))
)


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
@pytest.mark.parametrize("name", SETS)
def test_linear_as_scikit_learn_has_it(name, solver):
    block, labels = numbers(name)
    peer = theirs.LinearDiscriminantAnalysis(solver=solver).fit(block, labels)
    ours = LinearDiscriminantAnalysis().fit(block, labels)
    np.testing.assert_allclose(ours.predict_proba(block), peer.predict_proba(block), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("variance", ["mle", "sample"])
@pytest.mark.parametrize("name", SETS)
def test_quadratic_as_the_densities_of_scipy_have_it(name, variance):
    block, labels = numbers(name)
    ours = QuadraticDiscriminantAnalysis(variance).fit(block, labels)
    joint = []
    for label in ours.classes_:
        own = block[labels == label]
        normal = multivariate_normal(own.mean(axis=0), np.cov(own.T, bias=variance == "mle"))
        joint.append(len(own) / len(block) * normal.pdf(block))
    proba = np.array(joint).T / np.sum(joint, axis=0)[:, None]
    np.testing.assert_allclose(ours.predict_proba(block), proba, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["iris", "wine"])
@pytest.mark.parametrize("given", [(0.2, 0.3, 0.5), (0.0, 0.4, 0.6)])
@BOTH
def test_given_priors_by_the_densities_of_scipy(make, given, name):
    block, labels = numbers(name)
    ours = make(priors=given).fit(block, labels)
    parts = [block[labels == label] for label in ours.classes_]
    own = [np.cov(part.T, bias=True) for part in parts]
    pooled = sum(len(part) * cov for part, cov in zip(parts, own, strict=True)) / len(block)
    spreads = [pooled] * 3 if make is LinearDiscriminantAnalysis else own
    joint = [
        prior * multivariate_normal(part.mean(axis=0), spread).pdf(block)
        for prior, part, spread in zip(given, parts, spreads, strict=True)
    ]
    proba = np.array(joint).T / np.sum(joint, axis=0)[:, None]
    np.testing.assert_allclose(ours.predict_proba(block), proba, rtol=1e-6, atol=1e-9)
    by_class = dict(zip(ours.classes_.tolist(), given, strict=True))
    named = make(priors=by_class).fit(block, labels)
    np.testing.assert_array_equal(named.predict_proba(block), ours.predict_proba(block))


def test_given_priors_are_told_and_saved(tmp_path):
    block, labels = numbers("iris")
    model = LinearDiscriminantAnalysis(priors=(0.5, 0.25, 0.25)).fit(block, labels)
    steps = model.work(block[:1])["prior"].parts
    assert [(step.result, step.note) for step in steps] == [(0.5, "given"), (0.25, "given"), (0.25, "given")]
    ob.save(model, tmp_path / "model.openbook")
    again = ob.open_model(tmp_path / "model.openbook")
    np.testing.assert_array_equal(again.predict_proba(block), model.predict_proba(block))


@BOTH
def test_a_prior_of_a_class_without_rows_is_refused(make):
    X = Table(Schema((Numeric("x"),)), [np.array([1.0, 2.0, 4.0, 5.0])])
    y = Table(Schema((Nominal("y", ("a", "b", "c")),)), [np.array([0, 0, 1, 1])])["y"]
    with pytest.raises(ParameterError, match=r"no row has the class 'c'\. Its prior must be 0"):
        make(priors=(0.4, 0.4, 0.2)).fit(X, y)


def numbers(name):
    X, y = ob.load(name).split(SETS[name])
    return X.block(X.schema.of(Numeric)), np.asarray(y).astype(str)


def test_a_linear_discriminant_by_hand():
    """Means (1, 1) and (4, 4) with the unit covariance: the plane lies halfway, where x + y = 5."""
    cross = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * math.sqrt(2)
    X = np.vstack([cross + 1, cross + 4])
    model = LinearDiscriminantAnalysis().fit(X, list("aaaabbbb"))
    np.testing.assert_allclose(model.covariance_, np.eye(2), atol=1e-14)
    np.testing.assert_allclose(model.coef_, [[1, 1], [4, 4]], rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, [math.log(0.5) - 1, math.log(0.5) - 16], rtol=1e-12)
    # delta_b - delta_a = 3 (x + y) - 15, so P(b | x) is the logistic function of that
    np.testing.assert_allclose(
        model.predict_proba([[2, 3], [2, 4]])[:, 1], [0.5, 1 / (1 + math.exp(-3))], rtol=1e-12
    )
    assert model.complexity() == 1 + 4 + 3
    assert model.work([2, 4])["δ(b)"].result == pytest.approx(math.log(0.5) - 16 + 24, rel=1e-12)
    sample = LinearDiscriminantAnalysis("sample").fit(X, list("aaaabbbb"))
    np.testing.assert_allclose(sample.covariance_, 8 / 6 * np.eye(2), atol=1e-14)


def test_a_quadratic_discriminant_by_hand():
    """One column: N(0, 1) and N(0, 4), three rows to one; they cross where ln 3 + ln 2 = 3/8 x²."""
    X = [[1.0], [-1.0]] * 3 + [[2.0], [-2.0]]
    model = QuadraticDiscriminantAnalysis().fit(X, list("aaaaaabb"))
    np.testing.assert_allclose(model.covariances_[:, 0, 0], [1, 4], rtol=1e-12)
    crossing = math.sqrt(8 / 3 * math.log(6))
    np.testing.assert_allclose(model.predict_proba([[crossing]])[0], [0.5, 0.5], rtol=1e-12)
    work = model.work([3.0])
    assert work["d²(b)"].result == pytest.approx(9 / 4, rel=1e-12)
    assert work["ln |S(b)|"].result == pytest.approx(math.log(4), rel=1e-12)
    assert work["δ(b)"].result == pytest.approx(math.log(0.25) - math.log(4) / 2 - 9 / 8, rel=1e-12)
    assert model.complexity() == 1 + 2 + 2
    sample = QuadraticDiscriminantAnalysis("sample").fit(X, list("aaaaaabb"))
    np.testing.assert_allclose(sample.covariances_[:, 0, 0], [6 / 5, 8], rtol=1e-12)


def test_shrinkage_leads_from_one_to_the_other():
    X, y = ob.load("wine").split("cultivar")
    linear = LinearDiscriminantAnalysis().fit(X, y)
    quadratic = QuadraticDiscriminantAnalysis(shrinkage=1.0).fit(X, y)
    np.testing.assert_allclose(quadratic.predict_proba(X), linear.predict_proba(X), rtol=1e-8, atol=1e-12)
    alone = LinearDiscriminantAnalysis(shrinkage=1.0).fit(X, y)
    assert (alone.covariance_ == np.diag(np.diag(alone.covariance_))).all()
    np.testing.assert_allclose(np.diag(alone.covariance_), np.diag(linear.covariance_), rtol=1e-12)
    half = LinearDiscriminantAnalysis(shrinkage=0.5).fit(X, y)
    np.testing.assert_allclose(half.covariance_[0, 1], linear.covariance_[0, 1] / 2, rtol=1e-12)


def test_the_shrinkage_under_which_held_out_rows_are_the_likeliest():
    """The folds are drawn as for means of the target; each is left to models of the other rows."""
    X, y = ob.load("wine").split("cultivar")
    labels, drawn = np.array(y.tolist()), drawn_folds(0, len(X))
    expected = np.zeros(len(SHRINKAGES))
    for fold in range(5):
        train, test = np.flatnonzero(drawn != fold), np.flatnonzero(drawn == fold)
        for i, shrinkage in enumerate(SHRINKAGES):
            model = QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X.take(train), labels[train])
            told = model.predict_proba(X.take(test))[
                np.arange(len(test)), np.searchsorted(model.classes_, labels[test])
            ]
            expected[i] += np.log(np.maximum(told, 1e-6)).sum()
    model = QuadraticDiscriminantAnalysis(shrinkage="cv").fit(X, y)
    np.testing.assert_allclose(model.likelihoods_, expected, rtol=1e-7)
    assert model.shrinkage_ == SHRINKAGES[expected.argmax()]
    same = QuadraticDiscriminantAnalysis(shrinkage=model.shrinkage_).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    assert f"the likeliest: {model.shrinkage_:g}" in str(model.work())


def test_a_chosen_shrinkage_is_saved_scanned_and_kept(tmp_path):
    table = ob.load("wine")
    X, y = table.split("cultivar")
    model = QuadraticDiscriminantAnalysis(shrinkage="cv").fit(X, y)
    ob.save(model, tmp_path / "m.openbook")
    opened = ob.open_model(tmp_path / "m.openbook")
    np.testing.assert_array_equal(opened.predict_proba(X), model.predict_proba(X))
    assert opened.shrinkage_ == model.shrinkage_
    opened.partial_fit(X, y)
    assert opened.shrinkage_ == model.shrinkage_
    rows = [table.names, *(table.row(i).values() for i in range(len(table)))]
    (tmp_path / "wine.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    scanned = ob.scan(tmp_path / "wine.csv", {"cultivar": "nominal"}, chunk_rows=40)
    again = QuadraticDiscriminantAnalysis(shrinkage="cv").fit(scanned, "cultivar")
    np.testing.assert_allclose(again.likelihoods_, model.likelihoods_, rtol=1e-7)
    few = QuadraticDiscriminantAnalysis(shrinkage="cv").fit([[1.0], [2.0], [4.0]], list("aab"))
    assert few.shrinkage_ == 1.0


@st.composite
def rows(draw, min_rows=3, max_rows=14):
    n = draw(st.integers(min_rows, max_rows))
    sizes = st.sampled_from([1e6, 1e6 + 1, 1e6 + 2.5, 1e6 - 3, math.nan])
    X = Table(
        SCHEMA,
        [
            np.array(draw(st.lists(sizes, min_size=n, max_size=n))),
            np.array(draw(st.lists(st.integers(MISSING, 2), min_size=n, max_size=n)), dtype=np.int8),
            np.array(draw(st.lists(st.integers(MISSING, 2), min_size=n, max_size=n)), dtype=np.int8),
        ],
    )
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=np.intp)
    w = np.array(draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=n, max_size=n)))
    return X, y, w


def by_hand(encoding, X, y, w, groups):
    """Means and scatters of the encoded rows, in two passes."""
    x = encoding(X)
    means = np.array([np.average(x[y == c], axis=0, weights=w[y == c]) for c in range(2)])
    off = x - means[y]
    pooled = [np.einsum("i,ij,ik->jk", w[y == c], off[y == c], off[y == c]) for c in range(2)]
    return means, np.array([sum(pooled)]) if groups == 1 else np.array(pooled)


@settings(max_examples=60)
@given(rows(), st.sampled_from([1, 2]), st.data())
def test_scatter_is_that_of_the_encoded_rows_however_they_come(problem, groups, data):
    X, y, w = problem
    y[:2] = 0, 1
    cut = data.draw(st.integers(1, len(y) - 1))
    parts = [slice(0, cut), slice(cut, len(y))]
    pieces = [ClassScatter.of(SCHEMA, 2, groups, Chunk(X.take(s), y[s], w[s])) for s in parts]
    joined = pieces[0] + pieces[1]
    encoding = Encoding.of(Rows(SCHEMA, [Chunk(X, y, w)]), reference=True)
    means, scatter = by_hand(encoding, X, y, w, groups)
    ours = joined.encoded(encoding)
    np.testing.assert_allclose(ours[0], means, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose([own.matrix for own in ours[1]], scatter, rtol=1e-7, atol=1e-7)
    left = joined - pieces[1]
    for mine, first in zip(left.arrays().values(), pieces[0].arrays().values(), strict=True):
        assert mine.shape == first.shape
    some = pieces[0].weight > 0
    np.testing.assert_allclose(left.weight, pieces[0].weight, atol=1e-12)
    again = left._shifted(pieces[0].shift)
    np.testing.assert_allclose(again.mean[some], pieces[0].mean[some], rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(again.scatter, pieces[0].scatter, rtol=1e-6, atol=1e-5)


@BOTH
def test_pieces_equal_the_whole_and_forgotten_is_never_learnt(make):
    table = ob.load("credit", rows=600, random_state=3)
    X, y = table.split("default")
    first, rest = slice(0, 400), slice(400, 600)
    model = quietly(make().fit, X.take(first), y[first])
    before = model.predict_proba(X)
    quietly(model.partial_fit, X.take(rest), y[rest])
    whole = quietly(make().fit, X, y)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-7, atol=1e-12)
    quietly(model.forget, X.take(rest), y[rest])
    np.testing.assert_allclose(model.predict_proba(X), before, rtol=1e-6, atol=1e-10)
    assert model.notes_ == quietly(make().fit, X.take(first), y[first]).notes_


def quietly(act, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return act(*args)


@BOTH
def test_values_that_come_later_find_their_place(make):
    early = [{"size": 1.0, "sky": "red"}, {"size": 2.5, "sky": "blue"}, {"size": 3.0, "sky": None}] * 4
    late = [{"size": None, "sky": "green"}, {"size": 2.0, "sky": "amber"}, {"size": 7.0, "sky": "red"}] * 3
    y_early, y_late = list("abbabaabbaba"), list("abababbaa")
    grown = quietly(make().fit, early, y_early)
    quietly(grown.partial_fit, late, y_late)
    whole = quietly(make().fit, early + late, y_early + y_late)
    np.testing.assert_allclose(grown.predict_proba(late), whole.predict_proba(late), rtol=1e-6, atol=1e-9)


def test_columns_that_say_nothing_new_are_named_and_left_out():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 40))
    y = np.where(a + rng.normal(size=40) > 0, "yes", "no")
    rows = {"a": a, "flat": np.full(40, 3.0), "b": b, "sum": 2 * a - b + 7}
    table = ob.read([dict(zip(rows, cells, strict=True)) for cells in zip(*rows.values(), strict=True)])
    message = r"^LinearDiscriminantAnalysis: flat is constant and is left out \(and 1 more: see notes_\)$"
    with pytest.warns(UserWarning, match=message):
        model = LinearDiscriminantAnalysis().fit(table, y)
    assert model.notes_[1] == "sum is a linear combination of earlier columns and is left out"
    plain = LinearDiscriminantAnalysis().fit(np.column_stack([a, b]), y)
    np.testing.assert_allclose(
        model.predict_proba(table), plain.predict_proba(np.column_stack([a, b])), rtol=1e-9
    )
    assert model.work().conclusion == "; ".join(model.notes_)
    np.testing.assert_array_equal(model.used_, [0, 2])


def test_classes_that_do_not_vary_are_told_apart_and_said():
    X = [[0.0, 1.0], [0.0, 2.0], [5.0, 1.0], [5.0, 2.0]]
    with pytest.warns(
        UserWarning, match="in 1 of 2 directions no class varies; 1e-06 of the overall variance"
    ):
        model = LinearDiscriminantAnalysis().fit(X, list("aabb"))
    assert model.predict(X).tolist() == list("aabb")
    assert model.predict_proba([[2.5, 1.5]])[0] == pytest.approx([0.5, 0.5])


def test_a_class_that_is_flat_borrows_from_all():
    """Class b does not vary in the first column; there it gets the variance of all classes."""
    X = np.array([[-1, 0], [1, 0], [0, -1], [0, 1], [0.0, 3], [0, 5], [0, 3], [0, 5]])
    message = "in 1 of 2 directions the rows of class b do not vary; the overall variance is used"
    with pytest.warns(UserWarning, match=message):
        model = QuadraticDiscriminantAnalysis().fit(X, list("aaaabbbb"))
    np.testing.assert_allclose(model.covariances_[0], np.eye(2) / 2, atol=1e-12)
    assert model.covariances_[1][0, 0] == pytest.approx(0.25, rel=1e-9)  # (1/2 + 0) / 2
    assert model.covariances_[1][1, 1] == pytest.approx(1.0, rel=1e-9)


@BOTH
def test_one_class_one_row_no_column_that_varies(make):
    single = quietly(make().fit, [[1.0], [2.0], [4.0]], ["a", "a", "a"])
    assert single.predict_proba([[9.0]]).tolist() == [[1.0]]
    flat = quietly(make().fit, [[1.0], [1.0], [1.0]], list("aab"))
    np.testing.assert_allclose(flat.predict_proba([[9.0]]), [[2 / 3, 1 / 3]], rtol=1e-12)
    assert flat.notes_ == ["x0 is constant and is left out"]
    assert "x0 is constant" in flat.work().text()
    assert "P(a | x)" in flat.work([1.0]).text()
    tiny = quietly(make("sample").fit, [[1.0], [2.0]], ["a", "b"])
    assert tiny.predict([[1.0], [2.0]]).tolist() == ["a", "b"]


@BOTH
def test_a_class_named_before_it_comes(make):
    model = make().partial_fit([[1.0], [2.0], [5.0], [7.0]], list("aabb"), classes=list("abc"))
    assert model.predict_proba([[1.0]])[0, 2] == 0
    assert model.work([1.0])["δ(c)"].result == "minus infinity"
    model.partial_fit([[20.0], [22.0]], list("cc"))
    assert model.predict([[21.0]]).tolist() == ["c"]


@BOTH
def test_a_row_too_far_off_to_tell_gets_the_prior(make):
    model = make().fit([[1.0], [2.0], [5.0], [7.0], [8.0]], list("aabbb"))
    np.testing.assert_allclose(model.predict_proba([[1e306]]).sum(axis=1), 1)
    assert np.isfinite(model.predict_proba([[-1e306], [1e308]])).all()


@BOTH
def test_the_twin_agrees(make):
    table = ob.load("credit", rows=200, random_state=5)
    X, y = table.split("default")
    model = quietly(make().fit, X, y)
    for i in range(0, 200, 40):
        work = model.work(X.row(i))
        shown = [work[f"P({label} | x)"].result for label in model.classes_]
        np.testing.assert_allclose(model.predict_proba(X.take([i]))[0], shown, rtol=1e-7, atol=1e-12)


def test_a_matrix_too_wide_to_look_at_is_not_printed():
    X, y = ob.load("breast_cancer").split("diagnosis")
    text = LinearDiscriminantAnalysis().fit(X, y).work().text()
    assert "30 by 30 figures" in text
    assert "30 by 30 figures" in QuadraticDiscriminantAnalysis().fit(X, y).work().text()
    with pytest.raises(DataError, match="cannot forget these rows: they were not in the training data"):
        LinearDiscriminantAnalysis().fit([[1.0], [2.0], [3.0]], list("aab")).forget(
            [[9.0], [8.0]], list("bb")
        )


@BOTH
@pytest.mark.parametrize("change", ["lopsided", "negative", "another shape"])
def test_a_file_that_is_no_discriminant(tmp_path, monkeypatch, make, change):
    X, y = ob.load("iris").split("species")
    model = make().fit(X, y)
    arrays = dict(model._arrays())
    scatter = arrays["grams.0.entries"].copy()
    if change == "lopsided":
        scatter[0, 2] += 1
    elif change == "negative":
        scatter[0, 0] *= -1
    else:
        scatter = scatter[1:, 1:]
    monkeypatch.setattr(model, "_arrays", lambda: {**arrays, "grams.0.entries": scatter}, raising=False)
    with pytest.raises(ModelFileError, match=r"bad\.openbook"):
        ob.open_model(ob.save(model, tmp_path / "bad.openbook"))


@BOTH
def test_a_gap_where_training_had_none_counts_as_the_mean(make):
    X = ob.load("iris").drop("species").block(ob.load("iris").names[:4])
    y = np.asarray(ob.load("iris").column("species"))
    model = make().fit(X, y)
    gappy, filled = X.copy(), X.copy()
    for (i, j), cell in {(3, 0): np.nan, (70, 2): np.nan, (99, 1): np.inf}.items():  # infinity is no number
        gappy[i, j], filled[i, j] = cell, X[:, j].mean()
    ours = model.predict_proba(gappy)
    np.testing.assert_allclose(ours, model.predict_proba(filled), rtol=1e-9, atol=1e-15)
    assert (model.predict(gappy) == model.classes_[ours.argmax(axis=1)]).all()


@BOTH
def test_rows_drawn_are_those_of_the_model(make):
    """Means and covariances of many rows come out again; values and ranks are those of the table."""
    X, y = ob.load("iris").split("species")
    model = make().fit(X, y)
    drawn, classes = model.sample(6000, random_state=0)
    cells = drawn.block(drawn.names)[classes == "virginica"]
    spread = model.covariances_[2] if hasattr(model, "covariances_") else model.covariance_
    assert np.mean(classes == "virginica") == pytest.approx(1 / 3, abs=0.02)
    assert cells.mean(axis=0) == pytest.approx(model.means_[2], abs=0.05)
    assert np.cov(cells.T) == pytest.approx(spread, abs=0.03)
    mixed, play = ob.load("weather_numeric").split("play")
    rows, _ = make(shrinkage=0.5).fit(mixed, play).sample(5, random_state=1)
    assert rows.schema == mixed.schema
