"""Gaussian mixtures: by hand, by their twin, with gaps and categories, from files, and what they refuse."""

import math
from dataclasses import replace

import joblib
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import openbook
import openbook.border.rows
import openbook.data as ob_data
from openbook import load, open_model, save
from openbook.cluster import GaussianMixture
from openbook.errors import DataError, ParameterError

IRIS = load("iris").drop("species")
CREDIT = load("credit", rows=300, random_state=2).drop("default")


def two_groups(n=200, seed=0):
    rng = np.random.default_rng(seed)
    near = rng.integers(0, 2, n) == 0
    return np.where(near, rng.normal(0, 1, n), rng.normal(10, 2, n))[:, None], near


def test_a_round_by_hand():
    """Rows -1, 1 | 9, 11: means 0 and 10, variances 1; nothing moves, as they lie far apart."""
    X = np.array([[-1.0], [1.0], [9.0], [11.0]])
    model = GaussianMixture(2, means_init=[[0.0], [10.0]], reg_covar=1e-9).fit(X)
    np.testing.assert_allclose(model.means_[:, 0], [0, 10], atol=1e-6)
    np.testing.assert_allclose(model.covariances_[:, 0, 0], [1, 1], atol=1e-6)
    np.testing.assert_allclose(model.weights_, [0.5, 0.5])
    each = math.log(0.5) - 0.5 * math.log(2 * math.pi) - 0.5
    assert model.log_likelihood_ == pytest.approx(4 * each, abs=1e-5)
    assert model.bic_ == pytest.approx(-8 * each + 5 * math.log(4), abs=1e-5)
    assert model.aic_ == pytest.approx(-8 * each + 10, abs=1e-5)


def test_soft_membership_by_hand():
    """Means 0 and 4, variance 1, equal weights: at x = 1, r = 1 / (1 + e^((1 - 9) / 2)) = 1 / (1 + e^-4)."""
    model = GaussianMixture(2, means_init=[[0.0], [4.0]]).fit([[-1.0], [1.0], [3.0], [5.0]])
    unit = model._typed.units[1]
    means, covariances = (np.array([[0.0], [4.0]]) - 2) / unit, np.full((2, 1, 1), 1 / unit[0] ** 2)
    model._normals = replace(model._normals, means=means, covariances=covariances)
    assert model.predict_proba([[1.0]])[0, 0] == pytest.approx(1 / (1 + math.exp(-4)))
    assert model.predict([[2.0]])[0] == 0  # ties: the first


def test_the_likelihood_rises():
    for kind in ("full", "tied", "diag", "spherical"):
        trace = GaussianMixture(3, kind, tol=0, max_iter=25, random_state=0).fit(IRIS).trace_
        assert len(trace) == 25
        assert (np.diff(trace) > -1e-3).all(), kind
        assert trace[-1] > trace[0] + 0.5


def test_gaps_are_integrated_over():
    """A row has the density of its known columns, whatever the others."""
    model = GaussianMixture(3, random_state=0).fit(IRIS)
    gap = IRIS.block(IRIS.names)[:5].copy()
    gap[:, [1, 3]] = np.nan
    grid = np.linspace(-8, 12, 4001)
    whole = np.repeat(gap[:1], len(grid), axis=0)
    whole[:, 1] = grid
    once = np.exp(model.score_samples(_table(whole)))
    assert np.trapezoid(once, grid) == pytest.approx(
        math.exp(model.score_samples(_table(gap[:1]))[0]), rel=1e-6
    )
    nothing = model.predict_proba(_table(np.full((1, 4), np.nan)))
    np.testing.assert_allclose(nothing[0], model.weights_)
    assert model.score_samples(_table(np.full((1, 4), np.nan)))[0] == pytest.approx(0.0)


def _table(rows):
    return openbook.data.Table(IRIS.schema, list(np.ascontiguousarray(rows.T)))


def test_em_learns_through_gaps():
    """What is missing at random hardly moves the groups; means in its place would."""
    rng = np.random.default_rng(3)
    centre = np.array([[0.0, 0.0], [6.0, 6.0]])
    group = rng.integers(0, 2, 3000)
    X = centre[group] + rng.normal(size=(3000, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    X[rng.random(X.shape) < 0.3] = np.nan
    model = GaussianMixture(2, random_state=0, tol=1e-6).fit(X)
    order = np.argsort(model.means_[:, 0])
    np.testing.assert_allclose(model.means_[order], centre, atol=0.12)
    truth = [[1.0, 0.8], [0.8, 1.0]]
    np.testing.assert_allclose(model.covariances_[order], [truth, truth], atol=0.15)


def test_categories_have_probabilities():
    rows = [
        {"x": v, "c": c}
        for v, c in [(0.0, "a"), (1.0, "a"), (0.5, "b"), (9.0, "b"), (10.0, "b"), (9.5, None)]
    ]
    model = GaussianMixture(2, means_init=[[0.5], [9.5]]).fit(rows)
    found = model.probabilities_["c"]
    # among the known, a has a share of 2/5: (2 + 0.4) / (3 + 1) and (0 + 0.4) / (2 + 1)
    np.testing.assert_allclose(found["a"], [2.4 / 4, 0.4 / 3], atol=1e-6)
    np.testing.assert_allclose(found["a"] + found["b"], 1)
    as_missing = model.predict_proba([{"x": 4.0, "c": "new"}])
    np.testing.assert_array_equal(as_missing, model.predict_proba([{"x": 4.0, "c": None}]))
    assert model.predict([{"x": None, "c": "a"}]).tolist() == [0]
    assert model.complexity() == 1 + 2 + 2 + 2  # weights, means, variances, probabilities


def test_the_twin_says_the_same():
    for table in (IRIS, CREDIT):
        model = GaussianMixture(3, random_state=0).fit(table)
        for i in (0, 7, 60):
            work = model.work(table.row(i))
            shares = [work[f"r({k})"].result for k in range(3)]
            np.testing.assert_allclose(shares, model.predict_proba(table.take([i]))[0], atol=1e-9)
            assert f"component {model.predict(table.take([i]))[0]}" in work.conclusion
            joints = [work[f"δ({k})"].result for k in range(3)]
            density = np.logaddexp.reduce(joints)
            assert density == pytest.approx(model.score_samples(table.take([i]))[0], abs=1e-8)


def test_the_work_follows_em():
    model = GaussianMixture(2, random_state=0).fit(IRIS)
    work = model.work()
    tables = {part.title: part for part in work.parts if hasattr(part, "rows")}
    assert [row[1] for row in tables["log-likelihood"].rows] == model.trace_.tolist()
    assert len(tables["weights and means"].rows) == 2 * model.n_iter_
    first = tables["responsibilities of the first rows"].rows
    assert all(sum(row[2:]) == pytest.approx(1) for row in first)
    assert work["BIC"].result == pytest.approx(model.bic_)
    assert "converged" in work.conclusion


def test_many_rounds_are_cut_in_the_work():
    model = GaussianMixture(3, tol=0, max_iter=60, random_state=0).fit(IRIS)
    assert "iterations 19 to 58 are not shown" in model.work().text()


def test_a_file_is_as_good_as_memory(tmp_path):
    CREDIT.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=64)
    ordinal = {a.name: a for a in CREDIT.schema if a.kind == "ordinal"}
    scan = openbook.scan(tmp_path / "rows.parquet", ordinal, chunk_rows=64)
    for init in ("kmeans", "random_from_data"):
        few = {"init_params": init, "max_iter": 8, "tol": 0, "random_state": 0}
        model = GaussianMixture(3, **few).fit(CREDIT)
        again = GaussianMixture(3, **few).fit(scan)
        np.testing.assert_allclose(again.predict_proba(scan), model.predict_proba(CREDIT), atol=1e-6)
        np.testing.assert_array_equal(again.labels_, model.labels_)


def test_workers_change_no_bit(monkeypatch):
    monkeypatch.setattr(openbook.border.rows, "CHUNK_ROWS", 37)
    few = {"n_init": 2, "max_iter": 4, "tol": 0, "random_state": 0}
    alone = GaussianMixture(3, **few).fit(CREDIT)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        again = GaussianMixture(3, **few).fit(CREDIT)
    np.testing.assert_array_equal(again.trace_, alone.trace_)
    np.testing.assert_array_equal(again.covariances_, alone.covariances_)


def test_the_best_of_several_starts_is_kept():
    one = GaussianMixture(4, init_params="random_from_data", random_state=1).fit(IRIS)
    best = GaussianMixture(4, init_params="random_from_data", n_init=6, random_state=1).fit(IRIS)
    assert best.trace_[-1] >= one.trace_[-1]


def test_a_weight_counts_rows():
    X, _ = two_groups(40)
    w = np.random.default_rng(0).integers(1, 4, 40)
    start = {"means_init": [[0.0], [10.0]], "tol": 0, "max_iter": 5}
    weighed = GaussianMixture(2, **start).fit(X, sample_weight=w)
    repeated = GaussianMixture(2, **start).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(weighed.means_, repeated.means_)
    np.testing.assert_allclose(weighed.covariances_, repeated.covariances_)
    assert weighed.bic_ == pytest.approx(repeated.bic_)


def test_a_component_that_does_not_vary_has_the_floor_and_says_so():
    X = np.r_[np.zeros((20, 1)), np.arange(20.0)[:, None] + 50]
    model = GaussianMixture(2, means_init=[[0.0], [60.0]]).fit(X)
    scale = model._typed.units[1][0]
    assert model.covariances_[0, 0, 0] == pytest.approx(1e-6 * scale**2, rel=1e-3)
    assert model.notes_ == [
        "component 0 does not vary in 1 of 1 directions; 1e-06 of the columns' variance is used"
    ]
    assert "Component 0 does not vary in 1 of 1 directions" in model.work().conclusion


def test_a_component_without_rows_stays_and_says_so():
    X, _ = two_groups(50)
    model = GaussianMixture(3, means_init=[[0.0], [10.0], [500.0]], max_iter=3, tol=0).fit(X)
    assert "component 2 holds no rows and keeps its parameters" in model.notes_
    assert np.isfinite(model.predict_proba(X)).all()
    assert 2 not in model.predict(X)


def test_far_rows_are_answered():
    model = GaussianMixture(2, random_state=0).fit(two_groups()[0])
    shares = model.predict_proba([[1e300], [-1e300], [math.inf]])
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_nominal_columns_alone():
    model = GaussianMixture(2, random_state=0).fit(load("weather").drop("play"))
    assert model.means_.shape == (2, 0)
    assert np.isfinite(model.log_likelihood_)
    assert model.work({"outlook": "Sunny"}).conclusion.startswith("The largest")


def test_bic_of_new_rows_and_score():
    model = GaussianMixture(2, random_state=0).fit(IRIS)
    assert model.bic(IRIS) == pytest.approx(model.bic_)
    assert model.score(IRIS) == pytest.approx(model.log_likelihood_ / 150)


def test_its_density_is_drawn():
    model = GaussianMixture(2, random_state=0).fit(CREDIT)
    assert "Density of income" in model.draw("income").svg()
    assert "Probabilities of work" in model.draw("work").svg()


def test_what_it_refuses():
    X, _ = two_groups(30)
    with pytest.raises(
        ParameterError, match="init_params must be one of 'kmeans', 'random_from_data', got 'best'"
    ):
        GaussianMixture(init_params="best").fit(X)
    with pytest.raises(
        ParameterError, match=r"means_init must be finite means of shape \(2, 1\), got shape \(1, 1\)"
    ):
        GaussianMixture(means_init=[[0.0]]).fit(X)
    with pytest.raises(DataError, match="n_components is 5, but there are only 2 different rows"):
        GaussianMixture(5, init_params="random_from_data").fit([[0.0], [1.0], [0.0]])
    with pytest.raises(
        ParameterError, match=r"n_components is 5, more than k-means can start from: .*3 rows"
    ):
        GaussianMixture(5).fit([[0.0], [1.0], [2.0]])
    with pytest.raises(DataError, match="column 'x0' holds infinity"):
        GaussianMixture().fit([[0.0], [math.inf], [1.0]])
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iteration; raise max_iter or tol"):
        GaussianMixture(2, max_iter=1, random_state=0).fit(IRIS)


def test_an_opened_model_says_the_same(tmp_path):
    model = GaussianMixture(3, "tied", means_init=[[5.0, 3.4, 1.5, 0.2], [6, 3, 4, 1], [7, 3, 6, 2]]).fit(
        IRIS
    )
    again = open_model(save(model, tmp_path / "groups.openbook"))
    np.testing.assert_array_equal(again.predict_proba(IRIS), model.predict_proba(IRIS))
    assert str(again.work()) == str(model.work())
    assert again.bic_ == model.bic_


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("covariances", lambda a: -a, "a variance is not above zero"),
        ("covariances", lambda a: a + np.triu(np.ones(a.shape[1:]), 1), "not symmetric"),
        ("means", lambda a: a * np.nan, "of finite numbers"),
        ("log_weights", lambda a: a + 5, "not valid"),
        ("facts", lambda a: -np.abs(a), "not valid"),
        ("trace", lambda a: a[:0], "of finite numbers"),
    ],
)
def test_a_hostile_file_is_refused(name, change, match):
    model = GaussianMixture(2, random_state=0).fit(IRIS)
    saved = model._saved()
    with pytest.raises(ValueError, match=match):
        GaussianMixture(2)._opened(saved._replace(arrays={**saved.arrays, name: change(saved.arrays[name])}))


def test_overlapping_memberships():
    """Two mirror images around 5: there each component has one half, and at 11 one has nearly all."""
    model = GaussianMixture(2, scale=False, random_state=0).fit([[-2.0], [-1], [0], [10], [11], [12]])
    assert model.memberships([[5.0], [11.0]], threshold=0.3).sum(axis=1).tolist() == [2, 1]
    assert model.memberships([[5.0]], threshold=0.6).tolist() == [[False, False]]


def test_samples_follow_the_mixture():
    """Two groups far apart: their shares, means and values come back."""
    rng = np.random.default_rng(3)
    rows = [{"x": float(x), "sky": "blue"} for x in rng.normal(0, 1, 60)]
    rows += [{"x": float(x), "sky": "grey"} for x in rng.normal(50, 2, 20)]
    model = GaussianMixture(2, random_state=0).fit(rows)
    drawn, which = model.sample(4000, random_state=1)
    x, sky = (np.array(drawn.column(name).tolist()) for name in ("x", "sky"))
    low = x < 25
    assert low.mean() == pytest.approx(0.75, abs=0.03)
    assert x[low].mean() == pytest.approx(0, abs=0.3)
    assert x[~low].std() == pytest.approx(2, abs=0.6)
    assert (sky[low] == "blue").mean() > 0.9
    assert np.unique(which[low]).size == 1
    assert drawn.schema == model.schema_


def test_samples_of_ranks_stay_on_the_scale():
    sizes = ob_data.Ordinal("size", ("S", "M", "L"))
    table = ob_data.Table(ob_data.Schema((sizes,)), [np.array([0, 0, 1, 2, 2, 1], dtype=sizes.dtype)])
    drawn, _ = GaussianMixture(1).fit(table).sample(200)
    assert set(drawn.column("size").tolist()) == {"S", "M", "L"}
