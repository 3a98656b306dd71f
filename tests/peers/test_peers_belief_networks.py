"""Belief networks beside pyAgrum and HiGHS, on networks of pgmpy: answers to 1e-6, scores no lower."""

import gzip
import math
from importlib.resources import files

import numpy as np
import polars as pl
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from openbook.bayes import NoSmoothing
from openbook.network import BeliefNetwork, heart_disease, read_bif, write_bif
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


def likeliest(network, given):
    """The largest log-probability of a row that agrees with what is given, by integer programming (HiGHS).

    One line of each table is chosen, and the lines agree on the values of the nodes: whether a node has a
    value is the sum of the lines with this value, in every table of it. Lines of probability 0 are left out.
    """
    values = {node.name: range(len(node.values)) for node in network.nodes_}
    places = {cell: i for i, cell in enumerate((name, v) for name in values for v in values[name])}
    gains, equations = [0.0] * len(places), []
    for name, table in network.tables_.items():
        family, first = [*network.parents(name), name], len(gains)
        lines = list(zip(*np.nonzero(table), strict=True))
        gains += [math.log(table[line]) for line in lines]
        for i, member in enumerate(family):
            for v in values[member]:
                chosen = {first + k: 1.0 for k, line in enumerate(lines) if line[i] == v}
                equations.append((0.0, {**chosen, places[member, v]: -1.0}))
        equations.append((1.0, {places[name, v]: 1.0 for v in values[name]}))
    matrix = np.zeros((len(equations), len(gains)))
    for row, (_, terms) in zip(matrix, equations, strict=True):
        row[list(terms)] = list(terms.values())
    least = np.zeros(len(gains))
    codes = {node.name: node.values.index(given[node.name]) for node in network.nodes_ if node.name in given}
    least[[places[cell] for cell in codes.items()]] = 1.0
    sums = [total for total, _ in equations]
    found = milp(
        -np.array(gains),
        constraints=LinearConstraint(csr_array(matrix), sums, sums),
        bounds=Bounds(least, 1.0),
        integrality=np.arange(len(gains)) < len(places),
        options={"mip_rel_gap": 0.0},
    )
    return -found.fun


@pytest.mark.parametrize("state", range(3))
def test_most_probable_explanation(pair, state):
    ours, _ = pair
    given = findings(ours, 2, state)
    found = {**ours.most_probable(given=given), **given}
    assert math.log(ours.probability(found)) == pytest.approx(likeliest(ours, given), rel=1e-6)


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


def test_expectation_maximisation(tmp_path):
    network, rng = heart_disease(), np.random.default_rng(0)
    rows = [
        {name.replace(" ", "_"): None if rng.random() < 0.15 else cell for name, cell in row.items()}
        for row in network.sample_rows(400, 1)
    ]
    edges = [(a.replace(" ", "_"), b.replace(" ", "_")) for a, b in network.graph_.edges]
    ours = BeliefNetwork(edges, smoothing=NoSmoothing(), tol=1e-12, max_iter=1000).fit(rows)
    pl.DataFrame(rows).write_csv(tmp_path / "rows.csv", null_value="?")
    frame = gum.loadBN(str(write_bif(ours, tmp_path / "network.bif")))
    learner = gum.BNLearner(str(tmp_path / "rows.csv"), frame, ["?"])
    learner.useNoPrior()
    learner.useEM(1e-10)
    theirs = learner.learnParameters(frame.dag())
    for name, table in ours.tables_.items():
        found = theirs.cpt(name)
        axes = [list(reversed(found.names)).index(node) for node in (*ours.parents(name), name)]
        np.testing.assert_allclose(table, found.toarray().transpose(axes), rtol=0, atol=1e-5)


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
