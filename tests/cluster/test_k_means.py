import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import openbook
from openbook.cluster import BisectingKMeans, KMeans, KModes, KPrototypes
from openbook.cluster.derive_prototypes import replay_lloyd
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.errors import DataError, ParameterError, RefusalError

# 0 1 | 10 11 12: two groups on a line, and what each mean and SSE is can be seen at once
LINE = [[0.0], [1.0], [10.0], [11.0], [12.0]]


def fit_line(**parameters):
    return KMeans(2, init=[[0.0], [10.0]], scale=False, **parameters).fit(LINE)


def test_two_groups_on_a_line():
    model = fit_line()
    assert model.labels_.tolist() == [0, 0, 1, 1, 1]
    assert model.cluster_centers_.tolist() == [[0.5], [11.0]]
    assert model.inertia_trace_.tolist() == [1 + 1 + 4, 0.5 + 2]  # from the seeds, then from the means
    assert model.inertia_ == 2.5
    assert model.weights_.tolist() == [2, 3]


def test_the_score_of_rows_is_minus_their_squared_distances():
    """Centres 0.5 and 9.5: the rows 1 and 12 lie 0.5 and 2.5 away, 0.25 and 6.25 squared."""
    model = KMeans(2, scale=False, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    assert model.score([[1.0], [12.0]]) == pytest.approx(-6.5)
    assert model.score([[1.0], [12.0]], sample_weight=[2, 1]) == pytest.approx(-6.75)


def test_a_tie_goes_to_the_first_mean():
    model = KMeans(2, init=[[0], [2]], scale=False).fit([[0], [2], [0], [2]])
    assert model.assign([[1.0]]).tolist() == [0]
    assert model.distances([[1.0]]).tolist() == [[1.0, 1.0]]


def test_numbers_are_standardised_unless_told_otherwise():
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1000.0, 0.0], [1000.0, 1.0]])
    wide = KMeans(2, scale=False, random_state=0).fit(x)
    assert len({wide.labels_[0], wide.labels_[1]}) == 1  # the large unit decides
    model = KMeans(2, init=x[[0, 1]]).fit(x)
    assert model.labels_.tolist() == [0, 1, 0, 1]
    assert model.centers_.tolist() == [[0.0, -1.0], [0.0, 1.0]]
    assert model.cluster_centers_.tolist() == [[500.0, 0.0], [500.0, 1.0]]


def test_weights_stand_for_rows():
    model = KMeans(2, init=[[0.0], [10.0]], scale=False).fit([[0], [1], [10]], sample_weight=[1, 3, 2])
    assert model.cluster_centers_.tolist() == [[0.75], [10.0]]
    assert model.inertia_ == 0.75**2 + 3 * 0.25**2


def test_mixed_columns_with_gaps():
    rows = [
        {"colour": "red", "size": 1.0},
        {"colour": "red", "size": None},
        {"colour": "blue", "size": 5.0},
        {"colour": None, "size": 5.0},
    ]
    model = KMeans(2, init=[rows[0], rows[2]]).fit(rows)
    assert model.encoding_.names == (
        "colour = blue",
        "colour = red",
        "colour missing",
        "size",
        "size missing",
    )
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.predict([{"colour": "green", "size": 5.0}]).tolist() == [1]


def test_an_empty_cluster_takes_the_farthest_row_and_says_so():
    # 50 is nearest to none; of the rows, 12 is the farthest from the mean it went to
    with pytest.warns(UserWarning, match="in iteration 1 cluster 2 was empty, and took row 4"):
        model = KMeans(3, init=[[0.0], [9.0], [50.0]], scale=False).fit(LINE)
    assert model.labels_.tolist() == [0, 0, 1, 1, 2]
    assert "takes row 4, the farthest from its prototype" in str(model.work())


def test_a_lone_row_is_not_taken_from_its_cluster_however_far_it_is():
    """Row 2 is farthest, 8² from its mean, but alone; rows 0 and 1 are equally far, and 0 comes first."""
    with pytest.warns(UserWarning, match="in iteration 1 cluster 2 was empty, and took row 0"):
        model = KMeans(3, init=[[0.5], [20.0], [1000.0]], scale=False).fit([[0.0], [1.0], [12.0]])
    assert model.labels_.tolist() == [2, 0, 1]
    assert model.inertia_trace_.tolist() == [64.5, 0.0]


def test_a_row_that_was_left_alone_is_not_taken_either():
    """Cluster 2 takes 22 from 0, which was second in distance and now is alone: cluster 3 takes 101.5."""
    rows = [[0.0], [22.0], [99.0], [101.5]]
    with pytest.warns(UserWarning, match="cluster 2 was empty, and took row 1"):
        model = KMeans(4, init=[[10.0], [100.0], [1000.0], [1000.0]], scale=False).fit(rows)
    assert model.history_.taken == [(1, 2, 1), (1, 3, 3)]
    assert model.labels_.tolist() == [0, 2, 1, 3]
    assert model.inertia_trace_.tolist() == [100 + 144 + 1 + 2.25, 0.0]


def test_two_empty_clusters_leave_no_other_empty():
    with pytest.warns(UserWarning, match="cluster 1 was empty, and took row 2.*1 more"):
        model = KMeans(3, init=[[0.0], [99.0], [98.0]], scale=False).fit([[0.0], [1.0], [9.0]])
    assert sorted(model.labels_.tolist()) == [0, 1, 2]
    assert model.inertia_ == 0


@pytest.mark.filterwarnings("ignore:KMeans")  # of clusters that were empty
def test_means_are_those_of_their_rows_after_many_passes():
    """Sums are moved from pass to pass; rows that empty clusters took are moved back, too."""
    rng = np.random.default_rng(5)
    x, weights = rng.normal(size=(2000, 3)).astype(np.float32), rng.uniform(0.1, 2.0, 2000)
    seeds = [*x[:6], [90.0, 0.0, 0.0], [0.0, 90.0, 0.0]]
    model = KMeans(8, init=seeds, tol=0, scale=False).fit(x, sample_weight=weights)
    assert model.history_.taken
    assert model.n_iter_ > 10
    for cluster in range(8):
        own = model.labels_ == cluster
        mean = np.average(x[own].astype(float), axis=0, weights=weights[own])
        np.testing.assert_allclose(model.cluster_centers_[cluster], mean, rtol=0, atol=1e-13)


def test_fewer_different_rows_than_clusters():
    with pytest.warns(UserWarning, match="cluster 1 stays empty.*ask for fewer"):
        model = KMeans(2, random_state=0).fit([[1.0], [1.0], [1.0]])
    assert model.labels_.tolist() == [0, 0, 0]
    assert "Cluster 1 stays empty." in str(model.work())


def test_restarts_keep_the_run_of_the_lowest_sse():
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ((0, 0), (0, 1), (5, 0), (5, 1))])
    # the same generator draws the seeds of one run after the other
    one_by_one = np.random.RandomState(1)
    each = [KMeans(4, init="random", n_init=1, random_state=one_by_one).fit(x).inertia_ for _ in range(6)]
    best = KMeans(4, init="random", n_init=6, random_state=1).fit(x).inertia_
    assert len({round(sse, 6) for sse in each}) > 1
    assert best == min(each)


def test_it_stops_where_it_is_told_to():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 3))
    short = KMeans(5, init=x[:5], max_iter=2, tol=0).fit(x)
    assert (short.n_iter_, short.converged_) == (2, False)
    assert "After 2 iterations the assignments still change" in str(short.work())
    np.testing.assert_array_equal(short.predict(x), short.labels_)
    rough = KMeans(5, init=x[:5], tol=0.05).fit(x)
    falls = -np.diff(rough.inertia_trace_) / rough.inertia_trace_[:-1]
    assert falls[-1] < 0.05 < falls[:-1].min()


def test_partial_fit_is_the_mean_of_all_rows_a_cluster_was_given():
    model = fit_line()
    model.partial_fit([[3.5], [13.0], [14.0]])
    assert model.labels_.tolist() == [0, 1, 1]
    assert model.cluster_centers_.tolist() == [[(0 + 1 + 3.5) / 3], [(10 + 11 + 12 + 13 + 14) / 5]]
    assert model.weights_.tolist() == [3, 5]
    assert "how 2 clusters were found" in str(model.work())
    first = KMeans(2, init=[[0.0], [10.0]], scale=False).partial_fit(LINE)
    np.testing.assert_array_equal(first.labels_, fit_line().labels_)


def test_a_scan_is_clustered_as_the_table(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1000, 3)) + 4 * rng.integers(0, 3, 1000)[:, None]
    np.savetxt(tmp_path / "x.csv", x, delimiter=",", header="a,b,c", comments="", fmt="%.17g")
    scan = openbook.scan(tmp_path / "x.csv", chunk_rows=300)
    table = openbook.read(tmp_path / "x.csv")
    whole, parts = (KMeans(3, random_state=0).fit(rows) for rows in (table, scan))
    assert len(scan.pieces) == 4
    np.testing.assert_array_equal(whole.labels_, parts.labels_)
    np.testing.assert_allclose(whole.inertia_trace_, parts.inertia_trace_, rtol=1e-12)
    np.testing.assert_array_equal(parts.assign(scan), parts.labels_)


def test_of_a_large_table_the_first_rows_and_iterations_are_shown():
    rng = np.random.default_rng(1)
    model = KMeans(3, random_state=0).fit(rng.normal(size=(400, 8)))
    text = str(model.work())
    assert "And 394 more rows." in text
    assert "Iteration 1\n" in text
    assert "Iteration 11\n" not in text


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1, got 0"),
        ({"init": "far"}, "init must be 'k-means\\+\\+', 'random', or a row for each cluster, got 'far'"),
        ({"n_init": 0}, "n_init must be 'auto' or a whole number of at least 1, got 0"),
        ({"tol": -1}, "tol must be a number of at least 0, got -1"),
        ({"n_clusters": 2, "init": [[1.0]]}, "init has 1 rows for n_clusters = 2"),
        ({"n_clusters": 9}, "n_clusters = 9, but there are only 5 rows"),
    ],
)
def test_parameters_that_cannot_be(parameters, said):
    with pytest.raises(ParameterError, match=said):
        KMeans(**{"n_clusters": 2, **parameters}).fit(LINE)


def test_infinity_is_refused_by_name():
    with pytest.raises(DataError, match="column 'x0' holds infinity"):
        KMeans(2).fit([[1.0], [np.inf], [2.0]])


def test_seeds_of_a_saved_model(tmp_path):
    X, _ = openbook.load("loan").split("cheat")
    model = KPrototypes(2, init=X.take([0, 4])).fit(X)
    again = openbook.open_model(openbook.save(model, tmp_path / "m.openbook"))
    assert again.init[1] == X.row(4)
    np.testing.assert_array_equal(again.fit(X).labels_, model.labels_)


# kernel and twin


@given(
    arrays(np.float64, st.tuples(st.integers(3, 40), st.just(3)), elements=st.integers(-4, 4)),
    st.integers(1, 3),
    st.booleans(),
)
def test_means_equal_their_twin(x, k, single):
    """Whole numbers are exact, so that ties are ties in both."""
    x = x.astype(np.float32) if single else x
    model = KMeans(k, init=x[:k].astype(float), scale=False, tol=0, max_iter=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        model.fit(x)
    rows = [(row, [], 1.0) for row in x.tolist()]
    replayed = list(replay_lloyd(rows, [(seed, []) for seed in x[:k].tolist()], 1.0, 20))
    assert model.inertia_trace_.tolist() == pytest.approx(
        [one.cost for one in replayed], rel=1e-12, abs=1e-12
    )
    assert model.labels_.tolist() == replayed[-1].labels


@st.composite
def mixed(draw):
    n = draw(st.integers(3, 25))
    x = draw(arrays(np.float64, (n, 1), elements=st.integers(-3, 3)))
    codes = draw(arrays(np.int32, (n, 2), elements=st.integers(-1, 2)))
    return x, codes


@given(mixed(), st.integers(1, 3))
def test_prototypes_equal_their_twin(cells, k):
    x, codes = cells
    nominal = [Nominal(name, ("a", "b", "c")) for name in ("p", "q")]
    schema = Schema((Numeric("x"), *nominal))
    table = Table(schema, [x[:, 0], *codes.T])
    model = KPrototypes(k, init=table.head(k), scale=False, tol=0, max_iter=20, gamma=0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        model.fit(table)
    rows = list(zip(x.tolist(), codes.tolist(), [1.0] * len(x), strict=True))
    replayed = list(replay_lloyd(rows, list(zip(x[:k].tolist(), codes[:k].tolist(), strict=True)), 0.5, 20))
    assert model.cost_trace_.tolist() == pytest.approx([one.cost for one in replayed], rel=1e-12, abs=1e-12)
    if model.converged_:
        assert model.labels_.tolist() == replayed[-1].labels


def test_bounds_spare_work_and_change_nothing():
    """A model that begins anew in every pass knows no bounds, and must come to the same."""
    rng = np.random.default_rng(5)
    x = (rng.normal(size=(4000, 5)) + 3 * rng.normal(size=(12, 5))[rng.integers(0, 12, 4000)]).astype(
        np.float32
    )
    long = KMeans(12, init=x[:12].astype(float), scale=False, tol=0, max_iter=15).fit(x)
    seeds = x[:12].astype(float)
    for sse in long.inertia_trace_:
        one = KMeans(12, init=seeds, scale=False, tol=0, max_iter=1).fit(x)
        assert sse == pytest.approx(one.inertia_trace_[0], rel=1e-12)
        seeds = one.cluster_centers_
    np.testing.assert_array_equal(one.labels_, long.labels_)


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12, 1e25])
def test_single_precision_never_decides_what_it_cannot(size):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4)) * size
    labels = KMeans(4, init=x[:4], scale=False, tol=0).fit(x).labels_
    plain = KMeans(4, init=x[:4] / size, scale=False, tol=0).fit(x / size).labels_
    np.testing.assert_array_equal(labels, plain)


# the others


def test_rows_side_by_side_or_not_make_the_same_clusters(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5)).astype(np.float32)
    beside = KMeans(4, init=X[:4], n_init=1).fit(X)
    monkeypatch.setattr("openbook.cluster.lloyd._SIDE_BY_SIDE", 0)
    alone = KMeans(4, init=X[:4], n_init=1).fit(X)
    assert beside.labels_.tolist() == alone.labels_.tolist()
    np.testing.assert_allclose(beside.cluster_centers_, alone.cluster_centers_, rtol=1e-12)


def test_modes_by_hand():
    rows = [["a", "x"], ["a", "y"], ["a", None], ["b", "z"], ["b", "z"]]
    table = openbook.read([dict(zip(("p", "q"), row, strict=True)) for row in rows])
    model = KModes(2, init=table.take([0, 3])).fit(table)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1]
    assert [model.modes_.row(c) for c in (0, 1)] == [{"p": "a", "q": "x"}, {"p": "b", "q": "z"}]
    assert model.cost_ == 2  # y is not x, and a gap is not either
    assert model.assign([{"p": "never seen", "q": "z"}, {"p": None, "q": None}]).tolist() == [1, 0]


def test_modes_refuse_numbers():
    with pytest.raises(
        RefusalError, match=r"cannot use the numeric column 'x0'.*KPrototypes takes numbers too"
    ):
        KModes(2).fit(LINE)


def test_modes_learn_more():
    table = openbook.read([{"p": "a"}, {"p": "b"}])
    model = KModes(2, init=table).fit(table)
    model.partial_fit([{"p": "a"}])
    assert model.weights_.tolist() == [2, 1]


def test_prototypes_of_both_kinds():
    X, _ = openbook.load("loan").split("cheat")
    model = KPrototypes(2, init=X.take([0, 4]), gamma=0.0).fit(X)
    numbers = KMeans(2, init=X.take([0, 4]).select(["income"])).fit(X.select(["income"]))
    np.testing.assert_array_equal(model.labels_, numbers.labels_)  # categories count nothing
    assert model.means_[:, 0].tolist() == pytest.approx(numbers.cluster_centers_[:, 0].tolist())
    heavy = KPrototypes(2, init=X.take([0, 4]), gamma=1e6).fit(X)
    owner = np.array(X.column("owner").tolist())
    assert len(set(owner[heavy.labels_ == 0])) == 1


def test_bisecting_keeps_the_best_trial():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    model = BisectingKMeans(6, n_init=4, scale=False, random_state=2, tol=0).fit(x)
    np.testing.assert_allclose(model.trials_.min(axis=1), model.inertia_trace_[1:])
    total = sum(((x[model.labels_ == c] - x[model.labels_ == c].mean(0)) ** 2).sum() for c in range(6))
    assert model.inertia_ == pytest.approx(total)
    np.testing.assert_allclose(model.cluster_centers_, [x[model.labels_ == c].mean(axis=0) for c in range(6)])
    np.testing.assert_array_equal(model.predict(x), model.labels_)


def test_bisecting_cuts_the_largest():
    # {0, 8} has the largest SSE, {100 … 102} the most rows
    x = [[0.0], [8.0], [100.0], [101.0], [102.0]]
    by_sse = BisectingKMeans(3, scale=False, random_state=0).fit(x)
    assert by_sse.cuts_.tolist()[0] == 0
    assert by_sse.labels_[0] != by_sse.labels_[1]
    by_size = BisectingKMeans(3, bisecting_strategy="largest_cluster", scale=False, random_state=0).fit(x)
    assert by_size.labels_[0] == by_size.labels_[1]


def test_bisecting_needs_different_rows():
    with pytest.raises(DataError, match="only 2 different rows, so they cannot make 3 clusters"):
        BisectingKMeans(3).fit([[1.0], [1.0], [2.0], [2.0]])


class TestOtherDistances:
    def test_medians_on_a_line(self):
        # 0 1 2 100 | 10 … of absolute gaps the first centre is the median of its rows, not drawn by 100
        model = KMeans(2, metric="manhattan", init=[[0.0], [60.0]], scale=False)
        model.fit([[0.0], [1.0], [5.0], [50.0], [60.0], [1000.0]])
        assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
        assert model.cluster_centers_.tolist() == [[1.0], [60.0]]
        assert model.inertia_ == 1 + 4 + 10 + 940

    def test_weighted_medians(self):
        model = KMeans(1, metric="manhattan", init=[[0.0]], scale=False)
        rows, weights = [[1.0], [2.0], [9.0]], [1, 1, 2]
        assert model.fit(rows, sample_weight=weights).cluster_centers_.tolist() == [[5.5]]  # 1 2 9 9
        assert model.fit([[1.0], [2.0], [9.0], [9.0]]).cluster_centers_.tolist() == [[5.5]]

    def test_directions(self):
        # lengths do not count: 0°, 0° and 90°, and between them 45°
        rows = [[1.0, 0], [7, 0], [0, 2], [0.5, 0.5]]
        model = KMeans(2, metric="cosine", init=[[1.0, 0], [0, 1]]).fit(rows)
        assert model.labels_.tolist() == [0, 0, 1, 0]
        sum_of_first = np.array([2 + 0.5**0.5, 0.5**0.5])
        assert model.cluster_centers_[0] == pytest.approx(sum_of_first / np.hypot(*sum_of_first))
        assert model.cluster_centers_[1] == pytest.approx([0, 1])
        cosines = [
            model.cluster_centers_[0] @ np.array(row) / np.hypot(*row) for row in (rows[0], rows[1], rows[3])
        ]
        assert model.inertia_ == pytest.approx(sum(2 * (1 - cosine) for cosine in cosines))
        assert model.assign([[100, 1], [1, 100]]).tolist() == [0, 1]

    @pytest.mark.parametrize("metric", ["manhattan", "cosine"])
    def test_twin_replays_and_files_keep(self, metric, tmp_path):
        rows = np.random.default_rng(2).normal(size=(25, 3)).round(2).tolist()
        model = KMeans(3, metric=metric, random_state=4).fit(rows)
        space, course = model.space_, model.history_.course
        placed = model.history_.rows
        lists = list(
            zip(placed.numbers.tolist(), placed.codes.tolist(), placed.weights.tolist(), strict=True)
        )
        seeds = list(zip(course[0].means.tolist(), course[0].modes.tolist(), strict=True))
        *_, last = replay_lloyd(lists, seeds, space.gamma, 300, model.tol, metric=metric)
        assert last.labels == model.labels_.tolist()
        assert last.cost == pytest.approx(model.history_.costs[-2])
        openbook.save(model, tmp_path / "m.openbook")
        again = openbook.open_model(tmp_path / "m.openbook")
        assert (again.assign(rows) == model.labels_).all()
        assert model.method in str(again.work())

    def test_medians_cannot_learn_more(self):
        model = KMeans(1, metric="manhattan").fit([[1.0], [2.0]])
        with pytest.raises(ParameterError, match="medians need all rows at once; fit on all of them"):
            model.partial_fit([[3.0]])


def test_ends_when_few_rows_change():
    points = [[1, 1], [2, 1], [1, 3], [4, 4], [5, 3], [8, 8], [9, 7], [7, 9]]
    costs = KMeans(3, init=points[:3], scale=False).fit(points)
    assert (costs.n_iter_, costs.converged_) == (3, True)
    # in the second iteration 3 of 8 rows change: 2, which joins 0, and 3 and 4
    few = KMeans(3, init=points[:3], scale=False, tol_changes=3 / 8).fit(points)
    assert (few.n_iter_, few.converged_) == (2, False)
    assert KMeans(3, init=points[:3], scale=False, tol_changes=2 / 8).fit(points).n_iter_ == 3


def test_overlapping_memberships():
    model = fit_line()  # means 0.5 and 11: squared distances
    found = model.memberships([[0.0], [5.0], [6.0], [40.0]], threshold=36)
    assert found.tolist() == [[True, False], [True, True], [True, True], [False, False]]
