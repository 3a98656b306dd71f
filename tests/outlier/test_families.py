"""Each detector by hand, or against another system."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn import covariance, ensemble, neighbors

from openbook import load, read
from openbook.data import Table
from openbook.outlier import (
    BoxFences,
    CentroidDistance,
    Collective,
    Contextual,
    Grubbs,
    InverseDensity,
    IsolationForest,
    LikelihoodMixture,
    LocalOutlierFactor,
    Mahalanobis,
    NaiveBayesSurprise,
    NeighbourDistance,
    ObjectiveGain,
    RadiusCount,
    SmallClusters,
    ZScore,
)

IRIS = np.array(load("iris").drop("species").block(load("iris").drop("species").names))
SCALED = (IRIS - IRIS.mean(axis=0)) / IRIS.std(axis=0)


def test_a_gap_is_not_odd_and_the_farthest_cell_counts():
    X = np.array([[1.0, 10.0], [2.0, np.nan], [3.0, 30.0]])
    model = ZScore().fit(X)
    assert model.mean_ == pytest.approx([2, 20])
    sd = [math.sqrt(2 / 3), 10]
    assert model.oddness([[3.0, np.nan], [np.nan, np.nan], [2.0, 50.0]]) == pytest.approx([1 / sd[0], 0, 3])


def test_ranks_count_and_nominal_columns_do_not():
    rows = [{"size": s, "colour": c} for s, c in zip("sssml", "rrrgb", strict=True)]
    from openbook import read

    table = read(rows, kinds={"size": ["s", "m", "l"]})
    model = ZScore().fit(table)
    assert model.mean_ == pytest.approx([3 / 5])
    reasons = model.reasons({"size": "l", "colour": "r"})
    assert reasons.ranked[0].attribute == "size"
    assert reasons.parts[1].share == 0


def test_quartiles_that_coincide():
    x = np.array([0.0] * 9 + [1.0])
    model = BoxFences().fit(x[:, None])
    assert model.iqr_[0] == pytest.approx(1.3489795 * x.std())
    constant = BoxFences().fit(np.zeros((5, 1)))
    assert constant.oddness([[2.0]])[0] == 2


def test_grubbs_repeats_until_nothing_is_rejected():
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(size=50), [40.0, 41.0, 1e12]])
    model = Grubbs().fit(x[:, None])
    assert model.rejected_[0][:3] == (1e12, 41.0, 40.0)
    rest = np.sort(x)[: 50 - (len(model.rejected_[0]) - 3)]
    assert model.mean_[0] == pytest.approx(rest.mean(), rel=1e-9)
    assert model.deviation_[0] == pytest.approx(rest.std(ddof=1), rel=1e-9)
    assert Grubbs(repeat=False).fit(x[:, None]).rejected_ == ((1e12,),)


def test_mahalanobis_against_numpy():
    model = Mahalanobis().fit(IRIS)
    off = IRIS - IRIS.mean(axis=0)
    expected = np.einsum("ij,jk,ik->i", off, np.linalg.inv(np.cov(IRIS.T)), off)
    assert model.oddness(IRIS) == pytest.approx(expected, rel=1e-9)
    assert model.threshold_ == pytest.approx(stats.chi2.ppf(0.975, 4))


def test_off_the_plane_is_odd():
    X = np.column_stack([np.arange(20.0), 2 * np.arange(20.0), np.full(20, 3.0)])
    model = Mahalanobis().fit(X)
    assert model.rank_ == 1
    assert (model.predict(X) == 1).all()
    assert (model.predict([[5.0, 11.0, 3.0], [5.0, 10.0, 4.0]]) == -1).all()


def test_the_robust_half_is_not_swayed():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(200, 2)), rng.normal(20, 0.1, size=(60, 2))])
    model = Mahalanobis(robust=True, random_state=0).fit(X)
    assert (model.predict(X[200:]) == -1).all()
    assert (model.predict(X[:200]) == 1).mean() > 0.95
    theirs = covariance.MinCovDet(random_state=0).fit(X)
    assert model.oddness(X) == pytest.approx(theirs.mahalanobis(X), rel=0.2)
    assert (Mahalanobis().fit(X).predict(X[200:]) == 1).all()


def test_a_likelihood_by_hand():
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    model = LikelihoodMixture(share=0.1).fit(x[:, None])
    assert model.moved_ == 0
    normal = stats.norm(2, math.sqrt(2)).logpdf(x)
    expected = math.log(0.1) - math.log(0.9) + math.log(1 / 4) - normal
    assert model.oddness(x[:, None]) == pytest.approx(expected)
    assert model.trace_[0, 2] == pytest.approx(5 * math.log(0.9) + normal.sum())


def test_rows_move_until_none_gains():
    x = np.array([29.0, 29.1, 29.2, 28.9, 29.0, 29.1, 29.3, 28.8] * 4 + [24.0, 26.0])
    model = LikelihoodMixture().fit(x[:, None])
    assert model.trace_[:, 1].tolist()[-1] == 0
    assert set(x[model.predict(x[:, None]) == -1]) == {24.0, 26.0}
    assert (np.diff(model.trace_[:, 0]) == -model.trace_[:-1, 1]).all()


def test_surprise_by_hand():
    rows = [{"colour": c, "x": x} for c, x in zip("rrrg", [0.0, 2.0, 0.0, 2.0], strict=True)]
    model = NaiveBayesSurprise().fit(rows)
    colour = [-math.log(4 / 6), -math.log(2 / 6)]  # Laplace over two values
    number = -stats.norm(1, 1).logpdf(0)
    usual = [(3 * colour[0] + colour[1]) / 4, number]
    assert model.usual_ == pytest.approx(usual)
    found = model.oddness([{"colour": "g", "x": 4.0}, {"colour": None, "x": None}])
    assert found == pytest.approx([colour[1] - usual[0] - stats.norm(1, 1).logpdf(4) - usual[1], 0])
    kernel = NaiveBayesSurprise("kernel").fit(rows)
    assert np.isfinite(kernel.oddness(rows)).all()


def test_lof_against_scikit_learn():
    theirs = neighbors.LocalOutlierFactor(n_neighbors=20).fit(SCALED)
    ours = LocalOutlierFactor().fit(IRIS)
    assert ours.scores_ == pytest.approx(-theirs.negative_outlier_factor_, rel=1e-9)
    new = np.random.default_rng(0).normal(size=(30, 4))
    novel = neighbors.LocalOutlierFactor(n_neighbors=20, novelty=True).fit(SCALED)
    scaled = LocalOutlierFactor(scale=False).fit(SCALED)
    assert scaled.oddness(new) == pytest.approx(-novel.score_samples(new), rel=1e-9)


def test_rows_on_top_of_each_other_have_a_density():
    X = np.array([[0.0]] * 30 + [[1.0]])
    model = LocalOutlierFactor(n_neighbors=5, scale=False).fit(X)
    assert model.scores_[:30] == pytest.approx(np.ones(30))
    assert model.scores_[30] == pytest.approx(1e10)
    assert model.predict([[0.0], [1.0]]).tolist() == [1, -1]


def test_a_row_with_gaps_is_not_its_own_neighbour():
    table = load("credit", rows=60, random_state=1).drop("default")
    model = NeighbourDistance(n_neighbors=1).fit(table)
    space, one = model.space_, model.space_.coordinates(table)
    distances, rows = space.index.query(one, 60)
    for i in range(60):
        others = distances[i][rows[i] != i]
        assert model.scores_[i] == pytest.approx(others.min())
    assert model.oddness(table) == pytest.approx(model.scores_, rel=1e-14)


@pytest.mark.parametrize(
    "distance",
    [
        "gower",
        "heom",
        "euclidean",
        "manhattan",
        "minkowski",
        "chebyshev",
        "mahalanobis",
        "cosine",
        "correlation",
    ],
)
def test_shares_of_every_distance_add_up(distance):
    table = load("credit", rows=60, random_state=1).drop("default")
    if distance == "mahalanobis":
        table = load("iris").drop("species")
    model = InverseDensity(metric=distance, p=3).fit(table)
    for i in (0, 33):
        reasons = model.reasons(table.take([i]))
        assert math.fsum(r.share for r in reasons.parts) == pytest.approx(model.scores_[i], rel=1e-6)


def test_a_distance_of_whole_rows_is_not_shared_out():
    model = InverseDensity(metric="hamming", n_neighbors=2).fit([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    reasons = model.reasons([0.0, 1.0])
    assert [r.share for r in reasons.parts] == pytest.approx([0, 0, reasons.score])
    assert reasons.parts[-1].attribute == "the whole distance"


def test_rows_within_a_radius():
    X = np.array([[0.0], [1.0], [1.0], [2.5], [9.0]])
    model = RadiusCount(radius=1.5, scale=False).fit(X)
    assert model.counts(X).tolist() == [2, 3, 3, 2, 0]
    assert model.oddness([[0.0], [0.1], [20.0]]) == pytest.approx([1 - 2 / 4, 1 - 3 / 5, 1])
    assert RadiusCount(scale=False).fit(X).radius_ == 2 * np.median(
        [9, 8, 8, 6.5, 9]
    )  # the fourth: all others
    assert model.reasons([9.0]).parts[0].share == pytest.approx(3 / 4)  # 1.0 is the median: 3 of 4 within


def test_distances_to_centres_by_hand():
    X = np.array([[0.0], [1.0], [5.0]])
    own = {"n_clusters": 1, "random_state": 0}
    sd = X.std()
    distance = np.abs(X[:, 0] - 2) / sd
    assert CentroidDistance(relative=False, **own).fit(X).oddness(X) == pytest.approx(distance)
    relative = CentroidDistance(**own).fit(X)
    assert relative.oddness(X) == pytest.approx(distance / np.median(distance))
    gain = ObjectiveGain(**own).fit(X).oddness(X)
    for i in range(3):  # the sum of squares with the row and without it
        rest = np.delete(X[:, 0], i) / sd
        assert gain[i] == pytest.approx(X.var() * 3 / sd**2 - rest.var() * 2)


def test_small_clusters_far_away():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(100, 2)), rng.normal(10, 0.1, size=(4, 2)), [[-9.0, 9.0]]])
    model = SmallClusters(n_clusters=4, random_state=0).fit(X)
    assert model.sizes_[model.large_].sum() >= 0.9 * 105
    assert not model.large_[model.sizes_ == 4].any()
    assert set(np.argsort(-model.oddness(X))[:5]) == set(range(100, 105))


@pytest.mark.parametrize("bootstrap", [False, True])
def test_isolation_against_scikit_learn(bootstrap):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(500, 4)), rng.normal(0, 6, size=(20, 4))])
    settings = {"random_state": 0, "bootstrap": bootstrap}
    ours = IsolationForest(**settings).fit(X).oddness(X)
    theirs = -ensemble.IsolationForest(**settings).fit(X).score_samples(X)
    assert stats.spearmanr(ours, theirs).statistic > 0.95
    assert np.abs(ours - theirs).mean() < 0.02


@pytest.mark.parametrize("seed", range(4))
def test_trees_keep_their_rows_and_count_steps_as_by_hand(seed):
    table = load("credit", rows=150, random_state=seed).drop("default")
    model = IsolationForest(n_estimators=3, max_samples=100, random_state=seed).fit(table)
    forest = model.forest_
    assert (forest.sizes[:, 0] == 100).all()
    inner = forest.columns.shape[1]
    live = forest.low < forest.high
    left, right = forest.sizes[:, 1::2], forest.sizes[:, 2::2]
    assert (left + right == forest.sizes[:, :inner]).all()
    assert (np.minimum(left, right)[live] > 0).all()  # every test parts rows
    assert (right[~live] == 0).all()
    for i in range(0, 150, 10):
        row = table.take([i])
        assert model.work(row)["score"].result == pytest.approx(model.oddness(row)[0], rel=1e-6)


def test_rows_drawn_with_replacement_come_twice():
    """Of two rows, each tree that is drawn without replacement parts them; half of the others cannot."""
    settings = {"n_estimators": 200, "max_samples": 2, "random_state": 0}
    once = IsolationForest(**settings).fit([[0.0], [1.0]]).forest_
    twice = IsolationForest(bootstrap=True, **settings).fit([[0.0], [1.0]]).forest_
    assert (once.low < once.high).all()
    assert 0.4 < (twice.low < twice.high).mean() < 0.6


def test_rare_categories_and_gaps_set_rows_apart():
    rows = [{"colour": "red" if i % 2 else "blue", "x": float(i % 10)} for i in range(200)]
    rows[50] = {"colour": "green", "x": 5.0}
    model = IsolationForest(random_state=0).fit(rows)
    assert model.oddness(rows).argmax() == 50
    assert model.reasons(rows[50]).ranked[0].attribute == "colour"
    rows[50] = {"colour": "red", "x": None}
    for row in rows:
        row["x"] = None if row["x"] is None else 1.0  # the others do not vary
    assert IsolationForest(random_state=0).fit(rows).oddness(rows).argmax() == 50


def test_numbers_of_any_size_isolate():
    x = np.concatenate([1.7e9 + np.arange(100.0), [1.7e9 + 1e4]])
    model = IsolationForest(random_state=0).fit(x[:, None])
    assert model.oddness(x[:, None]).argmax() == 100
    assert np.isfinite(model.oddness([[1e300], [-1e300], [np.nan]])).all()


def test_odd_for_its_context_only():
    rng = np.random.default_rng(0)
    month = np.repeat(np.arange(1, 13), 40)
    degrees = 10 - 12 * np.cos(2 * np.pi * month / 12) + rng.normal(size=480)
    degrees[0] = 20  # in January
    X = Table.from_matrix(
        ZScore().fit(np.column_stack([month, degrees])).schema_, np.column_stack([month, degrees])
    )
    plain, inside = ZScore().fit(X), Contextual(ZScore(), context=["x0"], bins=12).fit(X)
    assert plain.predict(X)[0] == 1
    assert inside.predict(X)[0] == -1
    assert inside.oddness(X).argmax() == 0
    assert inside.reasons(X.take([0])).parts[0].share == 0
    assert "x0 from -∞ to" in inside.work(X.take([0])).text()


def test_small_and_unseen_contexts_go_by_all():
    rows = [{"place": "a", "x": float(i % 7)} for i in range(40)] + [{"place": "b", "x": 3.0}]
    model = Contextual(ZScore(), context=["place"]).fit(rows)
    assert len(model.detectors_) == 2
    overall = model.detectors_[-1]
    for place in ("b", "z"):
        assert model.oddness([{"place": place, "x": 9.0}]) == overall.oddness([{"x": 9.0}])
    assert "compared with all 41" in model.work({"place": "z", "x": 9.0}).text()


def test_groups_by_a_key():
    rng = np.random.default_rng(0)
    rows = [{"who": f"p{g}", "x": float(v)} for g in range(30) for v in rng.normal(0, 1, 20)]
    for row in rows[100:120]:
        row["x"] += 1.5  # a little each, much together
    model = Collective(by="who").fit(rows)
    figures = model.collectives(rows)
    assert figures.names == ("mean x", "rows")
    assert figures.data("mean x")[5] == pytest.approx(np.mean([r["x"] for r in rows[100:120]]))
    assert set(np.flatnonzero(model.predict(rows) == -1)) == set(range(100, 120))
    assert ZScore().fit(rows).predict(rows[100:120]).min() == 1
    alone = model.oddness(rows[100:120])
    assert alone == pytest.approx(model.oddness(rows)[100:120])
    reasons = model.reasons(rows[100:120])
    assert reasons.score == pytest.approx(alone[0])
    assert reasons.ranked[0].attribute == "x"


def test_runs_of_a_sequence():
    x = np.tile([0.0, 1.0, 2.0, 3.0], 30)
    x[60:64] = 9.0
    model = Collective(run=4, top=4).fit(x[:, None])
    means = np.array([x[i : i + 4].mean() for i in range(117)])
    assert model.collectives(x[:, None]).data("mean x0") == pytest.approx(means)
    runs = np.abs(means - means.mean()) / means.std()
    assert model.scores_[61] == pytest.approx(runs[58:62].max())
    assert model.predict(x[:, None])[60:64].tolist() == [-1] * 4
    assert model.predict([[0.0], [1.0]]).tolist() == [1, 1]  # fewer than a run: all there are


def test_where_the_reach_is_the_distance_itself_the_columns_account_for_it():
    """Steps of 1: each row is 1 from its nearest, and that from its own; LOF = 1, all by the column."""
    model = LocalOutlierFactor(n_neighbors=1, scale=False).fit([[0.0], [1.0], [2.0], [3.0]])
    account = model._account(read([[0.0]]))
    assert account.score == 1.0
    assert list(account.shares) == [1.0]
    assert sum(part for _, part in account.rest) == 0.0
