"""Numeric leaves: normal distributions under nominal parents, by hand, in the joint, and against others."""

import math

import numpy as np
import pytest
import scipy.stats
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB

import openbook
from openbook.bayes import NaiveBayes, NoSmoothing
from openbook.errors import DataError, ModelFileError, ParameterError
from openbook.network import (
    BeliefNetwork,
    BeliefNetworkClassifier,
    network_of_naive_bayes,
    write_bif,
)

EDGE = [("ill", "fever")]
ROWS = [
    {"ill": "yes", "fever": 39.0},
    {"ill": "yes", "fever": 40.0},
    {"ill": "no", "fever": 36.0},
    {"ill": "no", "fever": 37.0},
    {"ill": "no", "fever": 38.0},
]


def density(x, mean, sd):
    return math.exp(-((x - mean) ** 2) / (2 * sd**2)) / math.sqrt(2 * math.pi * sd**2)


def ward():
    return BeliefNetwork.from_tables(
        {
            "ill": {"table": 0.25},
            "sex": {"values": ["m", "f"], "table": 0.5},
            "fever": {
                "parents": ["ill", "sex"],
                "normal": {
                    ("yes", "m"): (39.0, 0.5),
                    ("yes", "f"): (39.2, 0.4),
                    ("no", "m"): (37.0, 0.5),
                    ("no", "f"): (37.1, 0.3),
                },
            },
            "pulse": {"parents": ["ill"], "normal": {"yes": (95, 10), "no": (70, 8)}},
            "pain": {"parents": ["ill"], "table": {"yes": 0.8, "no": 0.1}},
        }
    )


def test_means_and_variances_by_hand():
    found = BeliefNetwork(EDGE, gaussian="all").fit(ROWS).normals_["fever"]
    values = ["no", "yes"]  # as read: sorted
    assert dict(zip(values, found.mean.tolist(), strict=True)) == pytest.approx({"yes": 39.5, "no": 37.0})
    assert dict(zip(values, found.variance.tolist(), strict=True)) == pytest.approx(
        {"yes": 0.25, "no": 2 / 3}
    )
    weighted = BeliefNetwork(EDGE, gaussian=["fever"]).fit(ROWS, sample_weight=[3, 1, 1, 1, 1])
    assert weighted.normals_["fever"].mean[1] == pytest.approx((3 * 39 + 40) / 4)


def test_a_missing_number_is_left_out_and_a_variance_has_a_least():
    rows = [
        *ROWS[:2],
        {"ill": "no", "fever": 36.0},
        {"ill": "no", "fever": None},
        {"ill": "no", "fever": 36.0},
    ]
    network = BeliefNetwork(EDGE, gaussian="all", min_covar=0.05).fit(rows)
    assert network.trace_ == []  # nothing has to be inferred
    assert network.normals_["fever"].mean.tolist() == pytest.approx([36.0, 39.5])
    overall = np.var([39.0, 40.0, 36.0, 36.0])
    assert network.normals_["fever"].variance.tolist() == pytest.approx([0.05 * overall, 0.25])


def test_a_combination_without_rows_has_the_mean_of_the_column_and_a_constant_says_nothing():
    rows = [{"a": a, "b": b, "x": x, "c": 1.0} for a, b, x in (("u", "p", 1), ("u", "q", 3), ("v", "p", 8))]
    edges = [("a", "x"), ("b", "x"), ("a", "c")]
    network = BeliefNetwork(edges, gaussian="all").fit(rows)
    assert network.normals_["x"].mean[1, 1] == pytest.approx(4.0)  # (1 + 3 + 8) / 3
    before = network.query("a").probabilities
    assert network.query("a", given={"c": 5.0}).probabilities == pytest.approx(before)


def test_a_number_is_weighed_by_its_density():
    network = ward()
    numerators = [
        p * 0.2 * 0.5 * (density(38.2, m, s) + density(38.2, f, t)) / (0.2 / q)
        for p, q, (m, s), (f, t) in (
            (0.25, 0.2, (39.0, 0.5), (39.2, 0.4)),
            (0.75, 0.9, (37.0, 0.5), (37.1, 0.3)),
        )
    ]
    answer = network.query("ill", given={"fever": 38.2, "pain": "no"})
    assert answer.joint.tolist() == pytest.approx(numerators)
    assert network.probability({"fever": 38.2, "pain": "no"}) == pytest.approx(sum(numerators))
    assert network.query("ill", given={"fever": "38.2", "pain": "no"})["yes"] == answer["yes"]


def test_a_number_that_is_asked_for_is_a_mixture():
    answer = ward().query("pulse", given={"pain": "yes"})
    yes = 0.25 * 0.8 / (0.25 * 0.8 + 0.75 * 0.1)
    mean = yes * 95 + (1 - yes) * 70
    assert answer.weights.tolist() == pytest.approx([yes, 1 - yes])
    assert answer.mean == pytest.approx(mean)
    variance = yes * (100 + (95 - mean) ** 2) + (1 - yes) * (64 + (70 - mean) ** 2)
    assert answer.sd == pytest.approx(math.sqrt(variance))
    assert answer.pdf(80.0) == pytest.approx(yes * density(80, 95, 10) + (1 - yes) * density(80, 70, 8))
    assert answer.cdf([70.0])[0] == pytest.approx(yes * 0.0062096653 + (1 - yes) * 0.5)  # Φ(-2.5)
    given = ward().query("fever", given={"ill": "yes", "sex": "f"})
    assert (given.mean, given.sd) == pytest.approx((39.2, 0.4))
    assert str(given).splitlines()[1].split() == ["1", "39.2", "0.4"]


def test_one_number_informs_another_through_their_parent():
    network = ward()
    warm = network.query("pulse", given={"fever": 39.5})
    assert warm.mean > network.query("pulse").mean + 10
    marginals = network.marginals(given={"fever": 39.5})
    assert marginals["pulse"].mean == pytest.approx(warm.mean)
    assert marginals["ill"]["yes"] == pytest.approx(network.query("ill", given={"fever": 39.5})["yes"])
    assert "fever" not in marginals
    best = network.most_probable(given={"fever": 39.5})
    assert (best["ill"], best["pulse"]) == ("yes", 95.0)


@pytest.mark.parametrize("method", ["likelihood_weighting", "gibbs"])
def test_sampled_answers_are_near_the_exact_ones(method):
    network = ward()
    given = {"fever": 38.2, "pain": "no"}
    answer = network.sample("pulse", given=given, method=method, random_state=3)
    exact = network.query("pulse", given=given).mean
    low, high = answer.interval
    assert low < exact < high
    assert 0 < high - low < 3
    share = network.sample("ill", given=given, method=method, random_state=3)
    assert share["yes"] == pytest.approx(network.query("ill", given=given)["yes"], abs=0.05)


def test_sampled_rows_are_like_the_network():
    network = ward()
    rows = network.sample_rows(4000, random_state=1)
    found = BeliefNetwork(network.graph_.edges, gaussian="all").fit(rows)
    for name, normals in network.normals_.items():
        own = found.nodes_[0].values  # the values of "ill" keep their order
        assert own == ("yes", "no")
        np.testing.assert_allclose(found.normals_[name].mean, normals.mean, rtol=0.02)
        np.testing.assert_allclose(found.normals_[name].variance, normals.variance, rtol=0.25)


def test_a_naive_network_is_gaussian_naive_bayes():
    X, y = load_iris(return_X_y=True)
    ours = BeliefNetworkClassifier("naive", gaussian="all", min_covar=1e-9).fit(X, y)
    theirs = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    network = network_of_naive_bayes(NaiveBayes().fit(X, y))
    row = dict(zip(network.normals_, X[70].tolist(), strict=True))
    asked = network.query(next(iter(network.tables_)), given=row).probabilities
    np.testing.assert_allclose(asked, theirs.predict_proba(X[70:71])[0], rtol=1e-9)


def test_contradicting_numbers_do_not_underflow():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    X = rng.normal(0, 0.1, (100, 300)) + 20 * y[:, None]
    odd = np.where(np.arange(300) % 2, 0.0, 20.0)[None]  # half of the numbers say 0, half say 1, by far
    ours = BeliefNetworkClassifier("naive", gaussian="all", min_covar=1e-12).fit(X, y)
    theirs = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(odd), theirs.predict_proba(odd))
    given = dict(zip(ours.network_.normals_, odd[0].tolist(), strict=True))
    np.testing.assert_allclose(
        ours.network_.query("class", given=given).probabilities, theirs.predict_proba(odd)[0]
    )


def test_a_latent_parent_makes_a_mixture():
    rng = np.random.default_rng(0)
    x = np.r_[rng.normal(0, 1, 300), rng.normal(5, 2, 200)]
    rows = [{"x": value} for value in x]
    network = BeliefNetwork(
        [("group", "x")],
        latent={"group": 2},
        gaussian="all",
        smoothing=NoSmoothing(),
        tol=1e-9,
        max_iter=1000,
    ).fit(rows)
    theirs = GaussianMixture(2, tol=1e-9, max_iter=1000, reg_covar=0).fit(x[:, None])
    assert network.score(rows) == pytest.approx(theirs.score(x[:, None]), abs=1e-6)
    np.testing.assert_allclose(sorted(network.normals_["x"].mean), sorted(theirs.means_[:, 0]), rtol=0.01)
    assert (np.diff(network.trace_) >= -1e-8).all()


def test_one_round_with_a_missing_parent_by_hand():
    rows = [*ROWS, {"ill": None, "fever": 38.5}]
    start = BeliefNetwork(EDGE, gaussian="all", smoothing=NoSmoothing()).fit(ROWS)
    yes = start.query("ill", given={"fever": 38.5})["yes"]
    network = BeliefNetwork(EDGE, gaussian="all", smoothing=NoSmoothing(), max_iter=1).fit(rows)
    mean = (39 + 40 + yes * 38.5) / (2 + yes)
    assert network.normals_["fever"].mean[1] == pytest.approx(mean)
    spread = (39 - mean) ** 2 + (40 - mean) ** 2 + yes * (38.5 - mean) ** 2
    assert network.normals_["fever"].variance[1] == pytest.approx(spread / (2 + yes))


def test_gaps_of_all_kinds_raise_the_trace_and_agree_with_elimination(monkeypatch, tmp_path):
    true = ward()
    rng = np.random.default_rng(2)
    rows = [
        {name: None if rng.random() < 0.25 else cell for name, cell in row.items()}
        for row in true.sample_rows(300, random_state=1)
    ]
    network = BeliefNetwork(true.graph_.edges, gaussian="all", tol=1e-9, max_iter=8).fit(rows)
    assert len(network.trace_) > 3
    assert (np.diff(network.trace_) >= -1e-8).all()
    openbook.read(rows).to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=100)
    scan = openbook.scan(tmp_path / "rows.parquet", chunk_rows=100)
    monkeypatch.setattr("openbook.network.learning.MOST_CELLS", 1)
    single = BeliefNetwork(true.graph_.edges, gaussian="all", tol=1e-9, max_iter=8).fit(scan)
    np.testing.assert_allclose(single.trace_, network.trace_, rtol=1e-10)
    for name, normals in network.normals_.items():
        np.testing.assert_allclose(single.normals_[name].variance, normals.variance, rtol=1e-7)


def test_more_rows_and_fewer():
    table = ward().sample_rows(200, 1)
    edges = ward().graph_.edges

    def fitted(rows):
        return BeliefNetwork(edges, gaussian="all").fit(rows)

    parts = fitted(table.take(slice(0, 150))).partial_fit(table.take(slice(150, 200)))
    for name, normals in fitted(table).normals_.items():
        np.testing.assert_allclose(parts.normals_[name].variance, normals.variance)
    parts.forget(table.take(slice(150, 200)))
    for name, normals in fitted(table.take(slice(0, 150))).normals_.items():
        np.testing.assert_allclose(parts.normals_[name].mean, normals.mean)
        np.testing.assert_allclose(parts.normals_[name].variance, normals.variance)
    with pytest.raises(DataError, match="were not in the training data"):
        BeliefNetwork(EDGE, gaussian="all").fit(ROWS).forget([{"ill": "yes", "fever": 10.0}])


def test_a_search_gives_leaves_parents_and_no_children():
    rows = ward().sample_rows(2000, 1)
    found = BeliefNetwork(gaussian="all").fit(rows)
    assert {("ill", "fever"), ("sex", "fever"), ("ill", "pulse"), ("ill", "pain")} == set(found.graph_.edges)
    tree = BeliefNetwork("chow_liu", gaussian="all").fit(rows)
    assert {("ill", "fever"), ("ill", "pulse"), ("ill", "pain")} <= set(tree.graph_.edges)
    X, y = rows.split("ill")
    tan = BeliefNetworkClassifier("tan", gaussian=["fever"]).fit(X, y)
    assert set(tan.network_.parents("fever")) > {"ill"}
    assert tan.network_.children("fever") == ()
    assert "pulse" in tan.network_.tables_  # in intervals


def test_the_score_of_a_leaf_by_hand():
    # one parent of two values; variances 1 and 4, of two rows each
    rows = [{"a": a, "x": x} for a, x in (("u", 0), ("u", 2), ("v", 10), ("v", 14))]
    network = BeliefNetwork("empty", gaussian="all", required=()).fit(rows)
    mean, variance = 6.5, np.var([0, 2, 10, 14])
    alone = (
        sum(math.log(density(x, mean, math.sqrt(variance))) for x in (0, 2, 10, 14)) - 0.5 * math.log(4) * 2
    )
    assert network.score_ == pytest.approx(4 * math.log(0.5) - 0.5 * math.log(4) + alone)


@pytest.mark.parametrize(("criterion", "m"), [("k2", 1.0), ("bdeu", 0.5)])
def test_the_marginal_likelihood_of_a_leaf_is_that_of_its_predictions(criterion, m):
    # row by row, the prediction is a Student distribution; m is 1, or 1/2 since the parent has two values
    x, groups = np.array([0.0, 2.0, 10.0, 14.0, 11.0]), ([0, 1], [2, 3, 4])
    rows = [{"a": a, "x": value} for a, value in zip("uuvvv", x, strict=True)]
    mean, spread = x.mean(), x.var()
    expected = 0.0
    for group in groups:
        kappa, mu, alpha, beta = m, mean, m / 2, m * spread / 2
        for value in x[group]:
            scale = math.sqrt(beta * (kappa + 1) / (alpha * kappa))
            expected += scipy.stats.t.logpdf(value, 2 * alpha, mu, scale)
            beta += kappa * (value - mu) ** 2 / (2 * (kappa + 1))
            mu, kappa, alpha = (kappa * mu + value) / (kappa + 1), kappa + 1, alpha + 0.5
    both = BeliefNetwork(required=[("a", "x")], criterion=criterion, gaussian="all").fit(rows)
    table = BeliefNetwork(criterion=criterion).fit([{"a": row["a"]} for row in rows])
    assert both.score_ - table.score_ == pytest.approx(expected)


@pytest.mark.parametrize("criterion", ["bdeu", "k2"])
def test_a_search_by_marginal_likelihood_finds_the_parents_of_leaves(criterion):
    rows = ward().sample_rows(1500, 1)
    found = BeliefNetwork(gaussian="all", criterion=criterion).fit(rows)
    assert {("ill", "fever"), ("sex", "fever"), ("ill", "pulse")} <= set(found.graph_.edges)
    assert found.parents("pulse") == ("ill",)
    X, y = rows.split("ill")
    model = BeliefNetworkClassifier("hill_climb", gaussian="all", criterion=criterion).fit(X, y)
    assert model.score(X, y) > 0.95


def test_work_and_picture_show_the_normals():
    network = ward()
    told = str(network.work("ill", given={"fever": 38.2}))
    assert "N(38.2; μ, σ)" in told
    assert "0.221842" in told  # 1/√(2π 0.25) e^(-0.64/0.5)
    mixture = str(network.work("pulse", given={"ill": "yes", "fever": 38.0}))
    assert "Mean 95, standard deviation 10." in mixture
    assert "Mean 76.25" in str(network.work("pulse"))  # 0.25 · 95 + 0.75 · 70
    assert "standard deviation" in str(network.work())
    row = network.sample_rows(1).row(0)
    assert f"{network.probability(row):.5g}" in str(network.work(row)).splitlines()[-1]
    assert ">mean</text>" in network.draw().svg()


def test_a_saved_network_is_the_same(tmp_path):
    rows = ward().sample_rows(100, 1)
    network = BeliefNetwork(ward().graph_.edges, gaussian="all").fit(rows)
    openbook.save(network, tmp_path / "m.openbook")
    again = openbook.open_model(tmp_path / "m.openbook")
    assert again.score_samples(rows).tolist() == network.score_samples(rows).tolist()
    again.partial_fit(rows)
    network.partial_fit(rows)
    assert again.query("fever").mean == network.query("fever").mean
    openbook.save(ward(), tmp_path / "w.openbook")
    assert openbook.open_model(tmp_path / "w.openbook").query("pulse").mean == pytest.approx(76.25)
    network.normals_["fever"].variance[0, 0] = -1
    openbook.save(network, tmp_path / "bad.openbook")
    with pytest.raises(ModelFileError, match=r"variance\.2 must not be negative"):
        openbook.open_model(tmp_path / "bad.openbook")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BeliefNetwork([("fever", "ill")], gaussian="all").fit(ROWS), "'fever' cannot be a parent"),
        (lambda: BeliefNetwork(required=[("fever", "ill")], gaussian="all").fit(ROWS), "cannot be a parent"),
        (lambda: BeliefNetwork(gaussian=["fevr"]).fit(ROWS), "no numeric column. Did you mean 'fever'"),
        (lambda: BeliefNetwork(gaussian="yes").fit(ROWS), "gaussian must be 'all'"),
        (lambda: BeliefNetwork(gaussian="all").fit([{"a": "u", "x": math.inf}]), "column 'x' holds infinity"),
        (lambda: BeliefNetwork.from_tables({"x": {"normal": (1.0, 0.0)}}), "deviations above 0"),
        (lambda: BeliefNetwork.from_tables({"x": {"normal": [1.0, 2.0, 3.0]}}), "normals have the shape"),
        (
            lambda: BeliefNetwork.from_tables(
                {"a": {"table": 0.5}, "x": {"parents": ["a"], "normal": {"yes": 3}}}
            ),
            "a pair",
        ),
        (lambda: ward().query(["fever", "pulse"]), "ask for it by itself"),
        (lambda: ward().query("ill", given={"fever": "hot"}), "is numeric: give it a number, got 'hot'"),
        (lambda: ward().query("ill", given={"fever": None}), "give it a number"),
        (lambda: write_bif(ward(), "unused.bif"), "'fever' is numeric"),
    ],
)
def test_errors_name_the_culprit(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()
