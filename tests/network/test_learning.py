"""Tables from rows: by hand, with gaps, with latent nodes, and structures."""

import math

import joblib
import numpy as np
import pytest

import openbook
from openbook.bayes import Laplace, MEstimate, NaiveBayes, NoSmoothing
from openbook.errors import DataError, ParameterError
from openbook.network import BeliefNetwork, BeliefNetworkClassifier, random_network
from openbook.network.learning import CodedRows
from openbook.network.structure import Scores, family_score

ROWS = [{"a": "x", "b": "p"}, {"a": "x", "b": "q"}, {"a": "x", "b": "p"}, {"a": "y", "b": "q"}]
EDGE = [("a", "b")]


def with_gaps(table, share, random_state):
    """The same rows as dicts, some cells missing."""
    rng = np.random.default_rng(random_state)
    rows = [
        dict(zip(table.names, row.values(), strict=True)) if isinstance(row, dict) else row for row in table
    ]
    return [{k: None if rng.random() < share else v for k, v in dict(row).items()} for row in rows]


def test_counts_by_hand():
    plain = BeliefNetwork(EDGE, smoothing=NoSmoothing()).fit(ROWS)
    assert plain.tables_["a"].tolist() == [3 / 4, 1 / 4]
    assert plain.tables_["b"].tolist() == [[2 / 3, 1 / 3], [0, 1]]
    smooth = BeliefNetwork(EDGE, smoothing=Laplace(1.0)).fit(ROWS)
    assert smooth.tables_["b"].ravel().tolist() == pytest.approx([3 / 5, 2 / 5, 1 / 3, 2 / 3])
    weighted = BeliefNetwork(EDGE, smoothing=NoSmoothing()).fit(ROWS, sample_weight=[1, 2, 1, 1])
    assert weighted.tables_["b"][0].tolist() == pytest.approx([2 / 4, 2 / 4])


def test_one_round_of_expectation_maximisation_by_hand():
    # b is unknown in the last row; the start, from the known rows, says P(p | x) = 2/3
    rows = [*ROWS, {"a": "x", "b": None}]
    network = BeliefNetwork(EDGE, smoothing=NoSmoothing(), max_iter=1).fit(rows)
    # E step: p gets 2/3 of the row, q 1/3, so that P(p | x) = (2 + 2/3) / 4 = 2/3: a fixed point
    assert network.tables_["b"][0].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert network.tables_["a"].tolist() == pytest.approx([4 / 5, 1 / 5])
    # log-likelihood of the start: a of five rows, b of four
    expected = 4 * math.log(4 / 5) + math.log(1 / 5) + 2 * math.log(2 / 3) + math.log(1 / 3)
    assert network.trace_[0] == pytest.approx(expected)


def test_the_cause_is_inferred_where_it_is_missing():
    rows = [{"a": "x", "b": "p"}, {"a": "y", "b": "q"}, {"a": None, "b": "q"}]
    network = BeliefNetwork(EDGE, smoothing=NoSmoothing()).fit(rows)
    # b = q was only ever seen with a = y, so the last row counts for y in full
    assert network.tables_["a"].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_a_row_that_the_known_rows_make_impossible_is_learnt_from():
    # c = v is only seen where b is missing, so that the rows in which (b, c) is known say P(v | b) = 0
    rows = [{"b": b, "c": "u"} for b in "ppqq"] + [{"b": None, "c": "v"}] * 4
    network = BeliefNetwork([("b", "c")], smoothing=NoSmoothing(), tol=1e-12).fit(rows)
    assert np.isfinite(network.trace_).all()
    assert (np.diff(network.trace_) >= -1e-9).all()
    assert network.probability({"c": "v"}) == pytest.approx(1 / 2)  # whatever b was, v is in half of the rows
    assert network.score(rows[4:]) == pytest.approx(math.log(1 / 2))


@pytest.mark.parametrize("share", [0.1, 0.4])
@pytest.mark.parametrize("smoothing", [NoSmoothing(), Laplace(1.0)])
def test_the_trace_never_falls(share, smoothing):
    true = random_network(8, random_state=1)
    rows = with_gaps(true.sample_rows(300, 2), share, 3)
    network = BeliefNetwork(true.graph_.edges, smoothing=smoothing, tol=1e-9, max_iter=30).fit(rows)
    assert len(network.trace_) > 3
    assert (np.diff(network.trace_) >= -1e-8).all()


def test_many_gaps_go_by_elimination_and_agree(monkeypatch):
    true = random_network(8, random_state=1)
    rows = with_gaps(true.sample_rows(80, 2), 0.4, 3)
    fitted = []
    for shared, most_cells in (
        (1, 1 << 12),
        (1000, 1 << 12),
        (1, 1),
    ):  # joint tables; side by side; row by row
        monkeypatch.setattr("openbook.network.learning.SHARED", shared)
        monkeypatch.setattr("openbook.network.learning.MOST_CELLS", most_cells)
        fitted.append(BeliefNetwork(true.graph_.edges, max_iter=3).fit(rows))
    dense, *others = fitted
    for other in others:
        for name, table in dense.tables_.items():
            np.testing.assert_allclose(other.tables_[name], table, rtol=1e-10)
        np.testing.assert_allclose(other.trace_, dense.trace_, rtol=1e-12)


@pytest.mark.parametrize("at_once", [1 << 22, 200])
def test_gaps_beside_normal_leaves_go_by_elimination_and_agree(monkeypatch, at_once):
    rng = np.random.default_rng(0)
    cause, effect = rng.integers(0, 3, (2, 60))
    rows = [
        {"a": None if i % 3 == 0 else "uvw"[a], "b": None if i % 4 == 0 else "pqr"[b], "x": a + b + i / 60}
        for i, (a, b) in enumerate(zip(cause.tolist(), effect.tolist(), strict=True))
    ]
    rows[7]["x"] = None
    edges = [("a", "b"), ("a", "x"), ("b", "x")]
    models = []
    for shared in (1, 1000):
        monkeypatch.setattr("openbook.network.learning.SHARED", shared)
        monkeypatch.setattr("openbook.network.learning.AT_ONCE", at_once)
        models.append(BeliefNetwork(edges, gaussian="all", max_iter=4).fit(rows))
    dense, side = models
    np.testing.assert_allclose(side.trace_, dense.trace_, rtol=1e-12)
    np.testing.assert_allclose(side.normals_["x"].mean, dense.normals_["x"].mean, rtol=1e-10)
    assert side.score(rows) == pytest.approx(dense.score(rows), rel=1e-12)


def test_a_class_without_weight_leaves_the_trace_finite():
    rows = [{"a": "p" if i % 3 else None, "b": "uv"[i % 2]} for i in range(12)]
    y, weights = ["yes", "no", "no"] * 4, [0.0, 1.0, 1.0] * 4
    model = BeliefNetworkClassifier(structure="tan").fit(rows, y, sample_weight=weights)
    assert np.isfinite(model.network_.trace_).all()  # the share of a class is not smoothed, and may be 0
    assert model.predict_proba(rows)[:, 1].max() == 0.0


def test_gaps_cost_little_where_the_model_is_right():
    true = random_network(6, max_values=2, random_state=4)
    rows = true.sample_rows(4000, 5)
    full = BeliefNetwork(true.graph_.edges).fit(rows)
    gappy = BeliefNetwork(true.graph_.edges).fit(with_gaps(rows, 0.1, 6))
    test = true.sample_rows(4000, 7)
    assert gappy.score(test) > full.score(test) - 0.01


def test_a_latent_node_explains_dependence():
    true = BeliefNetwork.from_tables(
        {
            "group": {"values": ["group 1", "group 2"], "table": 0.4},
            **{f"x{i}": {"parents": ["group"], "table": {"group 1": 0.9, "group 2": 0.1}} for i in range(4)},
        }
    )
    rows = true.sample_rows(3000, 1).drop("group")
    edges = [("group", f"x{i}") for i in range(4)]
    found = BeliefNetwork(edges, latent={"group": 2}, random_state=3).fit(rows)
    apart = BeliefNetwork([], smoothing=Laplace(1.0)).fit(rows)
    test = true.sample_rows(2000, 2).drop("group")
    assert found.score(test) > apart.score(test) + 0.3
    assert sorted(found.tables_["group"].round(1)) == [0.4, 0.6]


def test_more_rows_and_fewer():
    true = random_network(5, random_state=2)
    table = true.sample_rows(200, 1)
    edges = true.graph_.edges
    whole = BeliefNetwork(edges).fit(table)
    parts = BeliefNetwork(edges).fit(table.take(slice(0, 150))).partial_fit(table.take(slice(150, 200)))
    for name in whole.tables_:
        np.testing.assert_allclose(parts.tables_[name], whole.tables_[name])
    parts.forget(table.take(slice(150, 200)))
    first = BeliefNetwork(edges).fit(table.take(slice(0, 150)))
    for name in first.tables_:
        np.testing.assert_allclose(parts.tables_[name], first.tables_[name])
    with pytest.raises(DataError, match="were not in the training data"):
        BeliefNetwork(EDGE).fit(ROWS).forget([{"a": "y", "b": "p"}] * 3)


def test_scores_by_hand():
    codes = np.array([[0, 0], [0, 1], [0, 0], [1, 1]])
    w = np.ones(4)
    alone = 2 * math.log(2 / 4) + 2 * math.log(2 / 4) - 0.5 * math.log(4)
    assert family_score(codes, w, [2, 2], 1, ()) == pytest.approx(alone)
    under = 2 * math.log(2 / 3) + math.log(1 / 3) + 0 - 0.5 * math.log(4) * 2
    assert family_score(codes, w, [2, 2], 1, (0,)) == pytest.approx(under)
    # K2 without parents: Γ(2)/Γ(6) · Γ(3) Γ(3) = 2 · 2 / 5!
    assert family_score(codes, w, [2, 2], 1, (), "k2") == pytest.approx(math.log(4 / 120))
    # BDeu with 1/4 in each cell. Under 0: Γ(½)/Γ(3½) = 1 / (½ · 1½ · 2½), Γ(2¼)/Γ(¼) = ¼ · 1¼, Γ(1¼)/Γ(¼) = ¼
    # under 1: Γ(½)/Γ(1½) = 1 / ½, and Γ(1¼)/Γ(¼) = ¼
    under = math.log(0.25 * 1.25 * 0.25 / (0.5 * 1.5 * 2.5)) + math.log(0.25 / 0.5)
    assert family_score(codes, w, [2, 2], 1, (0,), "bdeu") == pytest.approx(under)


def test_families_are_counted_with_weights_and_gaps():
    rng = np.random.default_rng(0)
    sizes, w = (2, 3, 4, 2), rng.integers(1, 4, 50) / 2
    codes = np.column_stack([rng.integers(-1, size, 50) for size in sizes])
    scores = Scores(CodedRows(codes, np.empty((50, 0)), w), sizes, "bic")
    counts, starts, q = scores.counts(1, (0,), [2, 3])
    assert (starts.tolist(), q.tolist()) == ([0, 8], [8, 4])
    for more, start in ((2, 0), (3, 8)):
        expected = np.zeros((sizes[more], 2, 3))
        for row, weight in zip(codes.tolist(), w.tolist(), strict=True):
            if min(row[0], row[1], row[more]) >= 0:
                expected[row[more], row[0], row[1]] += weight
        assert counts[start : start + 2 * sizes[more]].ravel().tolist() == expected.ravel().tolist()
    # kept scores are those that are counted anew
    once = scores.adding(1, {0}, [2, 3])
    fresh = Scores(CodedRows(codes, np.empty((50, 0)), w), sizes, "bic")
    assert scores.of(1, (3, 0)) == once[3] == pytest.approx(fresh.of(1, (0, 3)))


def test_search_finds_the_edges_of_a_clear_network():
    true = BeliefNetwork.from_tables(
        {
            "a": {"table": 0.5},
            "b": {"table": 0.5},
            "c": {
                "parents": ["a", "b"],
                "table": {("yes", "yes"): 0.95, ("yes", "no"): 0.2, ("no", "yes"): 0.3, ("no", "no"): 0.05},
            },
            "d": {"parents": ["c"], "table": {"yes": 0.9, "no": 0.1}},
        }
    )
    rows = true.sample_rows(3000, 1)
    for criterion in ("bic", "bdeu"):
        found = BeliefNetwork("hill_climb", criterion=criterion).fit(rows)
        assert set(found.graph_.edges) == {("a", "c"), ("b", "c"), ("c", "d")}
    neighbours = {
        frozenset(edge) for edge in BeliefNetwork("hill_climb", criterion="k2").fit(rows).graph_.edges
    }
    assert {frozenset("ac"), frozenset("bc"), frozenset("cd")} <= neighbours
    kept = BeliefNetwork(required=[("d", "a")], forbidden=[("a", "c"), ("c", "a")]).fit(rows)
    assert ("d", "a") in kept.graph_.edges
    assert not {("a", "c"), ("c", "a")} & set(kept.graph_.edges)
    assert max(len(p) for p in BeliefNetwork(max_parents=1).fit(rows).graph_.parents.values()) == 1


def test_chow_liu_is_the_tree_of_a_chain():
    true = BeliefNetwork.from_tables(
        {
            "a": {"table": 0.5},
            "b": {"parents": ["a"], "table": {"yes": 0.9, "no": 0.1}},
            "c": {"parents": ["b"], "table": {"yes": 0.9, "no": 0.1}},
        }
    )
    found = BeliefNetwork("chow_liu").fit(true.sample_rows(2000, 1))
    assert found.graph_.edges == [("a", "b"), ("b", "c")]


def test_edges_have_strengths_with_intervals():
    true = BeliefNetwork.from_tables(
        {"a": {"table": 0.5}, "b": {"parents": ["a"], "table": {"yes": 0.9, "no": 0.1}}, "c": {"table": 0.5}}
    )
    edges = BeliefNetwork().edge_strength(true.sample_rows(300, 1), repeats=20)
    assert (edges[0].parent, edges[0].child, edges[0].strength) == ("a", "b", 1.0)
    assert edges[0].low < 0.9 < edges[0].high
    assert str(edges[0]).startswith(
        "a → b: in 100% of the samples [84%, 100%], of which"
    )  # z² / (20 + z²) = 16%
    assert all(edge.strength < 0.5 for edge in edges[1:])


def test_naive_structure_is_naive_bayes():
    X, y = openbook.load("weather").split("play")
    ours = BeliefNetworkClassifier("naive").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X), rtol=1e-12)


def test_tan_finds_what_naive_bayes_cannot():
    rng = np.random.default_rng(0)
    a, b = rng.integers(2, size=(2, 400))
    rows = [{"a": f"{i}", "b": f"{j}"} for i, j in zip(a, b, strict=True)]
    y = [f"{i ^ j}" for i, j in zip(a, b, strict=True)]
    assert BeliefNetworkClassifier("tan").fit(rows, y).score(rows, y) == 1.0
    assert BeliefNetworkClassifier("naive").fit(rows, y).score(rows, y) < 0.7


def test_missing_cells_are_summed_out_by_hand():
    X, y = openbook.load("weather").split("play")
    model = BeliefNetworkClassifier("naive").fit(X, y)
    # only the outlook is known: P(c) P(sunny | c), which is (5/14)(4/8) for No and (9/14)(3/12) for Yes
    row = {"outlook": "sunny", "temperature": None, "humidity": None, "windy": "unheard of"}
    no, yes = 5 / 14 * 4 / 8, 9 / 14 * 3 / 12
    assert model.predict_proba([row])[0].tolist() == pytest.approx([no / (no + yes), yes / (no + yes)])


@pytest.mark.parametrize("smoothing", [NoSmoothing(), Laplace(0.5), MEstimate(2.0)])
def test_tables_sum_to_one(smoothing):
    for table in BeliefNetwork(EDGE, smoothing=smoothing).fit(ROWS).tables_.values():
        np.testing.assert_allclose(table.sum(axis=-1), 1.0)


def test_errors_name_the_culprit():
    with pytest.raises(ParameterError, match=r"guesses for the values of 'a' must sum to 1; omit p"):
        BeliefNetwork(EDGE, smoothing=MEstimate(2.0, 0.1)).fit(ROWS)
    with pytest.raises(ParameterError, match="structure cannot be 'hillclimb'"):
        BeliefNetwork("hillclimb").fit(ROWS)
    with pytest.raises(ParameterError, match="names 'z', which is no node"):
        BeliefNetwork([("a", "z")]).fit(ROWS)
    with pytest.raises(DataError, match="edges go in a circle"):
        BeliefNetwork(required=[("a", "b"), ("b", "a")]).fit(ROWS)
    with pytest.raises(ParameterError, match="a → b is both required and forbidden"):
        BeliefNetwork(required=EDGE, forbidden=EDGE).fit(ROWS)
    with pytest.raises(ParameterError, match="forbidden edges need structure='hill_climb'"):
        BeliefNetwork("chow_liu", forbidden=EDGE).fit(ROWS)
    with pytest.raises(ParameterError, match=r"structure must hold pairs .*, got None"):
        BeliefNetwork(None).fit(ROWS)
    with pytest.raises(ParameterError, match="latent must be a mapping"):
        BeliefNetwork([("h", "a")], latent=["h"]).fit(ROWS)
    with pytest.raises(ParameterError, match="repeats must be a whole number of at least 1"):
        BeliefNetwork().edge_strength(ROWS, repeats=0)
    with pytest.raises(ParameterError, match="It may also be a list of edges"):
        BeliefNetworkClassifier("given").fit([{"a": "x"}, {"a": "y"}], ["u", "v"])
    with pytest.raises(ParameterError, match="structure must hold pairs"):
        BeliefNetworkClassifier([("a",)]).fit([{"a": "x"}, {"a": "y"}], ["u", "v"])
    with pytest.raises(ParameterError, match="latent nodes need a list of edges"):
        BeliefNetwork(latent={"h": 2}).fit(ROWS)
    with pytest.raises(DataError, match="no counts to go on from"):
        BeliefNetwork.from_tables({"a": {"table": 0.5}}).partial_fit([{"a": "yes"}])


def test_tables_from_files_equal_those_in_memory(tmp_path):
    rows = with_gaps(random_network(4, random_state=1).sample_rows(300, 2), 0.1, 1)
    rows = [{**row, "number": float(i % 7)} for i, row in enumerate(rows)]
    table = openbook.read(rows)
    table.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=64)
    scan = openbook.scan(tmp_path / "rows.parquet", chunk_rows=64)
    assert len(scan.pieces) > 1
    edges = [(a, b) for a, b in zip(table.names, table.names[1:], strict=False)]
    whole = BeliefNetwork(edges, max_iter=5).fit(table)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        pieces = BeliefNetwork(edges, max_iter=5).fit(scan)
    for name in table.names:
        np.testing.assert_allclose(pieces.tables_[name], whole.tables_[name], rtol=1e-9)
    assert pieces.trace_ == pytest.approx(whole.trace_)
