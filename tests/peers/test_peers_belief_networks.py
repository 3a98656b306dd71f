"""Belief networks beside pyAgrum, on the networks that pgmpy bundles: answers to 1e-6, scores no lower."""

import gzip
import math
from importlib.resources import files

import numpy as np
import pytest

from openbook.network import BeliefNetwork, read_bif, write_bif
from openbook.network.structure import family_score

gum = pytest.importorskip("pyagrum")

NETWORKS = ("asia", "child", "insurance", "alarm")


@pytest.fixture(params=NETWORKS, scope="module")
def pair(request, tmp_path_factory):
    """The same network here and there; values are called v0, v1, … since pyAgrum cannot read all names."""
    packed = files("pgmpy").joinpath("utils", "example_models", f"{request.param}.bif.gz")
    if not packed.is_file():
        pytest.skip("this version of pgmpy bundles no networks")
    file = tmp_path_factory.mktemp("bif") / "network.bif"
    file.write_bytes(gzip.decompress(packed.read_bytes()))
    ours = read_bif(file)
    plain = BeliefNetwork.from_tables(
        {
            node.name: {
                "values": [f"v{k}" for k in range(len(node.values))],
                "parents": ours.parents(node.name),
                "table": ours.tables_[node.name],
            }
            for node in ours.nodes_
        }
    )
    return plain, gum.loadBN(str(write_bif(plain, file)))


def findings(network, n, random_state):
    """Nodes and values of a row that the network itself has drawn."""
    rng = np.random.default_rng(random_state)
    row = next(iter(network.sample_rows(1, random_state)))
    return {str(name): row[name] for name in rng.choice(list(row), n, replace=False)}


@pytest.mark.parametrize("n", [0, 3])
def test_marginals(pair, n):
    ours, theirs = pair
    for state in range(3):
        given = findings(ours, n, state)
        engine = gum.LazyPropagation(theirs)
        engine.setEvidence(given)
        engine.makeInference()
        for name, answer in ours.marginals(given=given).items():
            expected = engine.posterior(name).toarray()
            np.testing.assert_allclose(answer.probabilities, expected, rtol=0, atol=1e-6)
            np.testing.assert_allclose(
                ours.query(name, given=given).probabilities, expected, rtol=0, atol=1e-6
            )


def test_most_probable_explanation(pair):
    ours, theirs = pair
    given = findings(ours, 2, 1)
    engine = gum.LazyPropagation(theirs)
    engine.setEvidence(given)
    try:
        chosen = engine.mpe()
    except gum.FatalError as error:
        pytest.skip(f"pyAgrum cannot answer: {error}")
    expected = {theirs.variable(v).name(): chosen.val(theirs.variable(v).name()) for v in theirs.nodes()}
    labels = {name: theirs.variable(name).label(code) for name, code in expected.items()}
    found = {**ours.most_probable(given=given), **given}
    assert ours.probability(found) == pytest.approx(ours.probability(labels), rel=1e-6)


def test_d_separation(pair):
    ours, theirs = pair
    rng = np.random.default_rng(0)
    names = [node.name for node in ours.nodes_]
    for _ in range(60):
        a, b, *given = rng.choice(names, 4, replace=False).tolist()
        expected = theirs.isIndependent(a, b, given)
        assert bool(ours.d_separated(a, b, given)) == expected


@pytest.mark.parametrize("criterion", ["BIC", "K2"])
def test_scores_of_families(pair, criterion, tmp_path):
    ours, theirs = pair
    rows = ours.sample_rows(500, 3)
    rows.to_polars().write_csv(tmp_path / "rows.csv")
    learner = gum.BNLearner(str(tmp_path / "rows.csv"), theirs)
    getattr(learner, f"useScore{criterion}")()
    learner.useNoPrior()
    codes = np.column_stack([rows.data(name) for name in rows.names])
    sizes = [len(node.values) for node in ours.nodes_]
    for i, name in enumerate(rows.names):
        above = [rows.names.index(parent) for parent in ours.parents(name)]
        found = family_score(codes, np.ones(len(rows)), sizes, i, above, criterion.lower())
        expected = math.log(2) * learner.score(name, list(ours.parents(name)))  # theirs are in bits
        assert found == pytest.approx(expected, rel=1e-6)


def test_bic_of_the_search_is_no_worse(pair, tmp_path):
    ours, theirs = pair
    rows = ours.sample_rows(2000, 5)
    file = tmp_path / "rows.csv"
    rows.to_polars().write_csv(file)
    learner = gum.BNLearner(str(file), theirs)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    dag = learner.learnDAG()
    edges = [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in dag.arcs()]
    # their graph, scored by our search with every edge required and every other one forbidden
    names = [node.name for node in ours.nodes_]
    others = [(a, b) for a in names for b in names if a != b and (a, b) not in edges]
    there = BeliefNetwork(required=edges, forbidden=others, max_parents=10).fit(rows)
    assert sorted(there.graph_.edges) == sorted(edges)
    found = BeliefNetwork(max_parents=10).fit(rows)
    assert found.score_ >= there.score_
