"""k nearest neighbours: by hand, from the golden records, and what is refused."""

import numpy as np
import pytest
from sklearn import neighbors

from openbook import load, save
from openbook.data import read
from openbook.errors import DataError, ParameterError, RefusalError
from openbook.neighbors import KNeighborsClassifier, KNeighborsRegressor
from openbook.neighbors.votes import TIES, WEIGHTS, Ballots, decide_votes, vote_weights

LINE = [[1.0], [2.0], [3.0], [4.0], [5.0], [9.0], [9.5]]
SAYS = ["a", "b", "b", "a", "b", "a", "a"]


def exactly(expected):
    return pytest.approx(expected, rel=1e-13, abs=1e-15)


class TestGolden:
    @pytest.mark.parametrize("id_", ["knn_majority", "knn_inverse", "knn_inverse_linear", "knn5_majority"])
    def test_votes(self, golden, id_):
        record = golden(id_)
        data, expected = record["data"], record["expected"]
        order = np.argsort(data["distance"], kind="stable")
        distances = np.array([data["distance"]], dtype=float)[:, order]
        scheme = {"majority": "uniform"}.get(data["scheme"], data["scheme"])
        weights = vote_weights(distances, scheme)
        assert weights[0].tolist() == exactly(np.array(expected["weights"])[order].tolist())
        classes = sorted(set(data["label"]))
        labels = np.array([[classes.index(label) for label in data["label"]]])[:, order]
        ballots = Ballots(distances, order[None], np.ones_like(distances))
        prior = np.ones(len(classes))
        scores, winner, _ = decide_votes(ballots, labels, len(order), scheme, "smaller_k", prior)
        assert dict(zip(classes, scores[0], strict=True)) == exactly(expected["scores"])
        assert classes[winner[0]] == expected["prediction"]

    def test_points(self, golden):
        record = golden("own_knn_points_k3")
        data, expected = record["data"], record["expected"]
        model = KNeighborsClassifier(n_neighbors=data["k"], scale=False).fit(
            np.array(data["X"], float), data["y"]
        )
        query = np.array([data["query"]], float)
        distances, rows = model.kneighbors(query)
        assert rows[0].tolist() == expected["neighbours"]
        assert distances[0].tolist() == exactly([expected["distance"][i] for i in expected["neighbours"]])
        work = model.work(data["query"])
        assert {c: work[f"votes for {c}"].result for c in "ab"} == expected["votes"]
        assert model.predict(query)[0] == expected["majority"]
        model.set_params(weights="inverse_square")
        work = model.work(data["query"])
        assert {c: work[f"votes for {c}"].result for c in "ab"} == exactly(expected["inverse_square"])
        assert model.predict(query)[0] == expected["weighted"]
        assert model.predict_proba(query)[0].tolist() == exactly([0.25, 0.75])


class TestTies:
    """The query 0 sees a, b, b, a at 1, 2, 3, 4: with k = 4 a tie. Then b at 5, and two a far away."""

    @pytest.mark.parametrize(
        ("ties", "winner", "proba"),
        [
            ("smaller_k", "b", [1 / 3, 2 / 3]),  # without the a at 4
            ("extend", "b", [2 / 5, 3 / 5]),  # with the b at 5
            ("prior", "a", [1 / 2, 1 / 2]),  # four a, three b
            ("nearest", "a", [1 / 2, 1 / 2]),
        ],
    )
    def test_by_hand(self, ties, winner, proba):
        model = KNeighborsClassifier(n_neighbors=4, ties=ties, scale=False).fit(LINE, SAYS)
        assert model.predict([[0.0]]).tolist() == [winner]
        assert model.predict_proba([[0.0]])[0].tolist() == exactly(proba)
        assert model.work([0.0]).conclusion.endswith(f"The most votes: {winner}.")
        assert "tie" in model.work([0.0]).conclusion

    def test_smaller_and_smaller(self):
        model = KNeighborsClassifier(n_neighbors=4, scale=False).fit(
            [[1.0], [2.0], [3.0], [4.0]], ["b", "a", "a", "b"]
        )
        assert model.predict([[0.0]]) == ["a"]  # k = 3
        model = KNeighborsClassifier(n_neighbors=4, scale=False).fit(
            [[1.0], [2.0], [3.0], [4.0]], ["b", "a", "c", "c"]
        )
        assert model.predict([[0.0]]) == ["c"]  # no tie at all
        model.fit([[1.0], [2.0], [3.0], [4.0]], ["b", "a", "c", "d"])
        assert model.predict([[0.0]]) == ["b"]  # all the way down to one
        assert model.predict_proba([[0.0]])[0].tolist() == [0, 1, 0, 0]

    def test_more_and_more_ends_with_the_prior(self):
        model = KNeighborsClassifier(n_neighbors=2, ties="extend", scale=False)
        model.fit([[1.0], [2.0], [3.0], [4.0], [5.0]], ["b", "a", "a", "b", "b"])
        assert model.predict([[0.0]]) == ["a"]  # k = 3
        model.fit([[1.0], [2.0]], ["b", "a"])
        assert model.predict([[0.0]]) == ["a"]  # no more rows, equal priors: the first class

    def test_chance(self):
        rows = [[float(i), float(j)] for i in range(8) for j in range(8)]
        says = ["ab"[(i + j) % 2] for i in range(8) for j in range(8)]
        between = np.array(rows)[:-9] + 0.5
        drawn = {}
        for seed in range(3):
            model = KNeighborsClassifier(n_neighbors=2, ties="random", scale=False, random_state=seed).fit(
                rows, says
            )
            drawn[seed] = model.predict(between)
            assert set(drawn[seed]) == {"a", "b"}
            assert (model.predict(between) == drawn[seed]).all()
            one_by_one = [model.predict(query[None])[0] for query in between]
            assert (np.array(one_by_one) == drawn[seed]).all()
            assert f"drawn at random. The most votes: {drawn[seed][0]}." in model.work(between[0]).conclusion
        assert (drawn[0] != drawn[1]).any()

    def test_votes_that_differ_by_rounding_tie(self):
        rows = [[0.1], [0.2], [-0.1], [-0.2]]  # 1/d of each class sums up in another order
        model = KNeighborsClassifier(n_neighbors=4, weights="inverse", ties="prior", scale=False)
        model.fit([*rows, [99.0], [99.0]], ["a", "a", "b", "b", "b", "b"])
        assert model.predict([[0.0]]) == ["b"]


class TestVotes:
    def test_schemes_by_hand(self):
        d = np.array([[1.0, 2.0, 4.0]])
        assert vote_weights(d, "distance")[0].tolist() == [1, 1 / 2, 1 / 4]
        assert vote_weights(d, "inverse_square")[0].tolist() == [1, 1 / 4, 1 / 16]
        assert vote_weights(d, "inverse_linear")[0].tolist() == exactly([1, 2 / 3, 0])
        beyond = np.array([5.0])
        assert vote_weights(d, "triangular", beyond)[0].tolist() == exactly([0.8, 0.6, 0.2])
        assert vote_weights(d, "epanechnikov", beyond)[0].tolist() == exactly([0.96, 0.84, 0.36])
        assert vote_weights(d, "biweight", beyond)[0, 0] == exactly(0.96**2)
        assert vote_weights(d, "triweight", beyond)[0, 0] == exactly(0.96**3)
        assert vote_weights(d, "tricube", beyond)[0, 0] == exactly((1 - 0.2**3) ** 3)
        assert vote_weights(d, "gaussian", beyond)[0, 0] == exactly(np.exp(-0.02))
        assert vote_weights(d, lambda d: 1 - d / 5)[0].tolist() == exactly([0.8, 0.6, 0.2])

    @pytest.mark.parametrize("scheme", ["distance", "inverse_square"])
    def test_rows_at_distance_nothing_have_all_the_votes(self, scheme):
        assert vote_weights(np.array([[0.0, 0.0, 1.0]]), scheme)[0].tolist() == [1, 1, 0]

    @pytest.mark.parametrize("scheme", WEIGHTS)
    @pytest.mark.parametrize("d", [0.0, 3.0, np.inf])
    def test_rows_equally_far_vote_alike(self, scheme, d):
        votes = vote_weights(np.full((1, 3), d), scheme, np.array([d]))
        assert (votes == votes[0, 0]).all()
        assert votes[0, 0] > 0

    def test_the_bandwidth_is_the_first_row_without_a_vote(self):
        model = KNeighborsRegressor(n_neighbors=2, weights="triangular", scale=False)
        model.fit([[1.0], [2.0], [4.0]], [10.0, 20.0, 1000.0])
        assert model.predict([[0.0]])[0] == exactly((0.75 * 10 + 0.5 * 20) / 1.25)
        assert model.work([0.0])["target of x"].result == exactly((0.75 * 10 + 0.5 * 20) / 1.25)
        model.fit([[1.0], [2.0]], [10.0, 20.0])  # none: of the last with one, which then has no weight
        assert model.predict([[0.0]])[0] == exactly(10)

    def test_distances_that_differ_by_rounding_are_equal(self):
        d = np.array([[0.3, 0.1 + 0.2]])  # 0.30000000000000004
        assert vote_weights(d, "inverse_linear")[0].tolist() == [1, 1]
        assert vote_weights(d, "triangular", d[:, 1])[0].tolist() == [1, 1]  # none inside: all alike

    def test_a_function_of_ones_own(self):
        """It gets the distances of the k nearest, as in scikit-learn."""
        given, rows, targets = {"weights": lambda d: np.exp(-d)}, [[1.0], [2.0], [4.0]], [10.0, 20.0, 1000.0]
        model = KNeighborsRegressor(n_neighbors=2, scale=False, **given).fit(rows, targets)
        a, b = np.exp(-1), np.exp(-2)
        assert model.predict([[0.0]])[0] == exactly((a * 10 + b * 20) / (a + b))
        assert model.work([0.0])["target of x"].result == exactly((a * 10 + b * 20) / (a + b))
        peer = neighbors.KNeighborsRegressor(n_neighbors=2, **given).fit(rows, targets)
        assert model.predict([[0.5], [9.0]]) == exactly(peer.predict([[0.5], [9.0]]))
        with pytest.raises(ParameterError, match=r"parameter weights=.* cannot be saved"):
            save(model, "never.openbook")

    def test_weights_are_rows(self):
        """The row at 1 counts four times, so that with k = 6 only one of the ten at 3 is needed."""
        model = KNeighborsRegressor(n_neighbors=6, scale=False)
        model.fit([[1.0], [2.0], [3.0]], [10.0, 40.0, 1000.0], sample_weight=[4, 1, 10])
        assert model.predict([[0.0]])[0] == exactly((4 * 10 + 1 * 40 + 1 * 1000) / 6)
        light = KNeighborsRegressor(n_neighbors=1, scale=False)
        light.fit([[1.0], [2.0], [3.0]], [10.0, 40.0, 70.0], sample_weight=[0.25, 0.25, 0.25])
        assert light.predict([[0.0]])[0] == exactly(10)  # equal weights are as good as none


class TestRowsComeAndGo:
    def test_forgetting_undoes_learning(self):
        X, y = load("credit", rows=80, random_state=1).split("default")
        model = KNeighborsClassifier(n_neighbors=3, weights="inverse").fit(X.head(60), y[:60])
        before = model.predict_proba(X)
        model.partial_fit(X.take(slice(60, 80)), y[60:])
        assert (
            model.predict_proba(X)
            == KNeighborsClassifier(n_neighbors=3, weights="inverse").fit(X, y).predict_proba(X)
        ).all()
        model.forget(X.take(slice(60, 80)), y[60:])
        assert (model.predict_proba(X) == before).all()
        assert len(model.statistics_) == 60

    def test_a_value_that_came_later(self):
        model = KNeighborsClassifier(n_neighbors=1).fit([{"c": "red"}, {"c": "blue"}], ["x", "y"])
        model.partial_fit([{"c": "green"}], ["y"])
        assert model.schema_["c"].values == ("blue", "red", "green")
        assert model.predict([{"c": "green"}]) == ["y"]

    def test_of_equal_rows_the_last_goes_and_weights_are_parts(self):
        model = KNeighborsRegressor(n_neighbors=1, scale=False)
        model.fit([[1.0], [5.0], [1.0]], [7.0, 8.0, 7.0], sample_weight=[1, 1, 3])
        model.forget([[1.0]], [7.0], sample_weight=[2.0])
        assert model.statistics_.weights.tolist() == [1, 1, 1]
        model.forget([[1.0]], [7.0])
        assert model.statistics_.numbers.tolist() == [[1.0], [5.0]]

    @pytest.mark.parametrize(
        ("X", "y"),
        [([[2.0]], [7.0]), ([[1.0]], [8.0]), ([[1.0], [1.0]], [7.0, 7.0]), ([[1.0], [5.0]], [7.0, 8.0])],
    )
    def test_rows_that_cannot_be_forgotten(self, X, y):
        model = KNeighborsRegressor(n_neighbors=1).fit([[1.0], [5.0]], [7.0, 8.0])
        with pytest.raises(
            DataError,
            match="cannot forget these rows: they were not in the training data, or none would be left",
        ):
            model.forget(X, y)
        assert len(model.statistics_) == 2

    def test_gaps_are_alike(self):
        model = KNeighborsRegressor(n_neighbors=1).fit([[1.0, np.nan], [5.0, 2.0]], [7.0, 8.0])
        model.forget([[1.0, np.nan]], [7.0])
        assert model.statistics_.numbers.tolist() == [[5.0, 2.0]]


class TestDistances:
    def test_what_auto_chooses(self):
        numbers, mixed = load("iris").split("species"), load("loan").split("cheat")
        assert KNeighborsClassifier().fit(*numbers).effective_metric_ == "euclidean"
        assert KNeighborsClassifier().fit(*mixed).effective_metric_ == "gower"
        assert KNeighborsClassifier().fit(*load("weather").split("play")).effective_metric_ == "gower"

    def test_scaling(self):
        X, y = [[0.0, 0.0], [1.0, 1000.0], [2.0, 0.0]], [1.0, 2.0, 3.0]
        query = [[2.0, 600.0]]
        plain, scaled = (
            KNeighborsRegressor(n_neighbors=1, scale=scale).fit(X, y).kneighbors(query)
            for scale in (False, True)
        )
        assert plain[1].tolist() == [[1]]  # 1 and 400 away
        assert plain[0][0, 0] == exactly(np.hypot(1, 400))
        assert scaled[1].tolist() == [[2]]  # 600 is 1.27 standard deviations, 1 is 1.22 of them
        assert scaled[0][0, 0] == exactly(600 / np.std([0, 1000, 0]))

    def test_mahalanobis_is_that_of_the_measure(self):
        from openbook.measures import mahalanobis, pairwise

        X, y = load("diabetes").head(60).split("progression")
        rows = X.block(X.names)
        model = KNeighborsRegressor(n_neighbors=4, metric="mahalanobis").fit(X, y)
        D = pairwise(mahalanobis, rows[:9], rows, covariance=np.cov(rows, rowvar=False))
        order = np.argsort(D, axis=1, kind="stable")[:, :4]
        distances, found = model.kneighbors(X.head(9))
        assert (found == order).all()
        np.testing.assert_allclose(distances, np.take_along_axis(D, order, 1), rtol=1e-8, atol=1e-8)
        assert model.work(X.take([2])).text()

    def test_collinear_columns_have_no_mahalanobis_distance(self):
        X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
        with pytest.raises(
            DataError, match="mahalanobis needs columns that vary and are not linear combinations of others"
        ):
            KNeighborsRegressor(metric="mahalanobis").fit(X, [1.0, 2.0, 3.0])

    def test_functions_see_numbers_and_gaps(self):
        X = [[1.0, 0.0, 1.0], [0.0, 1.0, np.nan], [1.0, 1.0, 0.0]]
        model = KNeighborsRegressor(n_neighbors=3, metric="jaccard").fit(X, [1.0, 2.0, 3.0])
        distances, rows = model.kneighbors([[1.0, 0.0, 0.0]])
        assert rows[0].tolist() == [0, 2, 1]
        assert distances[0].tolist() == [0.5, 0.5, 1.0]
        assert model.work([1.0, 0.0, 0.0])["distance"].result == 0.5

        def second(a, b):
            return np.abs(a - b)[..., 1]

        model = KNeighborsRegressor(n_neighbors=1, metric=second).fit(X, [1.0, 2.0, 3.0])
        assert model.kneighbors([[5.0, 0.1, 0.0]])[1].tolist() == [[0]]
        assert "second" in model.work([5.0, 0.1, 0.0]).text()

    def test_functions_come_in_blocks(self, monkeypatch):
        X, y = load("iris").split("species")
        expected = KNeighborsClassifier(metric="hamming").fit(X, y).kneighbors(X)
        monkeypatch.setattr("openbook.spaces.space._AT_A_TIME", 1000)
        found = KNeighborsClassifier(metric="hamming").fit(X, y).kneighbors(X)
        assert all((a == b).all() for a, b in zip(found, expected, strict=True))

    def test_functions_refuse_categories(self):
        X, y = load("loan").split("cheat")
        reason = KNeighborsClassifier(metric=max).refusal(X.schema)
        assert reason.startswith("cannot use the nominal column 'owner': a custom distance compares numbers")
        with pytest.raises(RefusalError, match="kl_divergence compares numbers; 'gower' takes any kind"):
            KNeighborsClassifier(metric="kl_divergence").fit(X, y)

    def test_an_encoding_is_shown_where_there_is_one(self):
        X, y = load("iris").split("species")
        model = KNeighborsClassifier().fit(X, y)
        assert model.encoding_.names == X.names
        assert model.index_.name in str(model.work())
        mixed = KNeighborsClassifier().fit(*load("loan").split("cheat"))
        with pytest.raises(AttributeError, match="'gower' takes columns as they are, without an encoding"):
            _ = mixed.encoding_
        vectors = KNeighborsClassifier(metric="euclidean").fit(*load("loan").split("cheat"))
        assert "owner = Yes" in vectors.encoding_.names


def test_fewer_rows_than_k():
    model = KNeighborsClassifier(n_neighbors=9).fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    assert model.predict_proba([[3.0]])[0].tolist() == exactly([2 / 3, 1 / 3])
    assert model.kneighbors([[3.0]])[1].shape == (1, 3)


@pytest.mark.parametrize("k", [0, 2.5, "3"])
def test_k_neighbours_need_a_whole_number(k):
    model = KNeighborsClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ParameterError, match="n_neighbors must be a whole number of at least 1, got"):
        model.kneighbors([[1.0]], k)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metric": "euclid"}, r"metric must be one of 'auto', 'gower', .*, or a function of rows"),
        ({"weights": "gauss"}, r"weights must be one of 'uniform', .*, or a function of the distances"),
        ({"ties": "first"}, f"ties must be one of {', '.join(map(repr, TIES))}, got 'first'"),
        ({"p": -1}, "p must be a number of at least 0, or math.inf, got -1"),
        ({"metric": "minkowski", "p": 0.5}, "p must be 0 or at least 1, got 0.5"),
    ],
)  # fmt: skip
def test_parameters_that_are_none(parameters, message):
    with pytest.raises(ParameterError, match=message):
        KNeighborsClassifier(**parameters).fit([[1.0], [2.0]], ["a", "b"])


def test_a_file_with_gaps_straight_away(tmp_path):
    rows = "owner,income,cheat\nyes,125,no\n?,,no\nno,70,yes\nno,85,yes\n"
    (tmp_path / "loans.csv").write_text(rows, encoding="utf-8")
    model = KNeighborsClassifier(n_neighbors=1).fit(read(tmp_path / "loans.csv"), "cheat")
    assert model.predict([{"owner": "no", "income": None}, {"owner": "maybe", "income": 120}]).tolist() == [
        "yes",
        "no",
    ]
    distances, rows = model.kneighbors([{"owner": None, "income": None}])
    assert distances.tolist() == [[1.0]]
    assert rows.tolist() == [[0]]


def test_the_nearest_rows_without_their_distances():
    model = KNeighborsClassifier(2, scale=False).fit([[0.0], [1.0], [5.0]], ["a", "b", "b"])
    assert model.kneighbors([[4.0]], return_distance=False).tolist() == [[2, 1]]


def test_training_rows_are_not_their_own_neighbours():
    model = KNeighborsClassifier(2, scale=False).fit([[1.0], [1.0], [1.0], [1.0], [3.0]], list("aabbb"))
    distances, rows = model.kneighbors()
    assert distances.tolist() == [[0, 0]] * 4 + [[2, 2]]
    assert rows.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]]
    assert model.kneighbors(n_neighbors=9)[1].shape == (5, 4)
    assert model.kneighbors_graph().sum() == 10
