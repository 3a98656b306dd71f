"""Belief networks: fifty questions with three findings, all marginals, and the search of a structure.

The network is alarm, as pgmpy bundles it, in the same file for all.
"""

import gzip
import tempfile
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

FINDINGS = 3


def missing(module):
    """What is missing: the module, or the network."""
    for name in (module, "pgmpy"):
        if find_spec(name) is None:
            return f"{name} is not installed"
    there = files("pgmpy").joinpath("utils", "example_models", "alarm.bif.gz").is_file()
    return None if there else "this version of pgmpy bundles no networks"


def alarm():
    """The network, and its file; values are called v0, v1, … since not all can read the names."""
    from openbook.network import BeliefNetwork, read_bif, write_bif

    packed = files("pgmpy").joinpath("utils", "example_models", "alarm.bif.gz")
    file = Path(tempfile.mkdtemp()) / "alarm.bif"
    file.write_bytes(gzip.decompress(packed.read_bytes()))
    read = read_bif(file)
    plain = {
        node.name: {
            "values": [f"v{k}" for k in range(len(node.values))],
            "parents": read.parents(node.name),
            "table": read.tables_[node.name],
        }
        for node in read.nodes_
    }
    network = BeliefNetwork.from_tables(plain)
    return network, write_bif(network, file)


def make_questions(rows, seed):
    """Questions: a node, and findings of a row that the network has drawn."""
    network, file = alarm()
    rng = np.random.default_rng(seed)
    questions = []
    for row in network.sample_rows(rows, seed):
        ask, *names = rng.choice(list(row), 1 + FINDINGS, replace=False).tolist()
        questions.append((ask, {name: row[name] for name in names}))
    return file, questions


def ours(data):
    from openbook.network import read_bif

    return read_bif(data[0]), data[1]


def of_pyagrum(data):
    import pyagrum

    return pyagrum.loadBN(str(data[0])), data[1]


def of_pgmpy(data):
    from pgmpy.readwrite import BIFReader

    return BIFReader(str(data[0])).get_model(), data[1]


def ask_ours(given):
    network, questions = given
    return [network.query(ask, given=findings).probabilities for ask, findings in questions]


def ask_pyagrum(given):
    import pyagrum

    network, questions = given
    found = []
    for ask, findings in questions:
        engine = pyagrum.LazyPropagation(network)
        engine.setEvidence(findings)
        engine.addTarget(ask)
        engine.makeInference()
        found.append(engine.posterior(ask).toarray())
    return found


def ask_pgmpy(given):
    from pgmpy.inference import VariableElimination

    network, questions = given
    engine = VariableElimination(network)
    found = []
    for ask, findings in questions:
        answer = engine.query([ask], findings, show_progress=False)
        order = np.argsort(answer.state_names[ask])
        found.append(answer.values[order])
    return found


def marginals_ours(given):
    network, questions = given
    found = network.marginals(given=questions[0][1])
    return [found[name].probabilities for name in sorted(found)]


def marginals_pyagrum(given):
    import pyagrum

    network, questions = given
    engine = pyagrum.LazyPropagation(network)
    engine.setEvidence(questions[0][1])
    engine.makeInference()
    names = sorted(set(network.names()) - set(questions[0][1]))
    return [engine.posterior(name).toarray() for name in names]


def certainty(answers, *_):
    """The mean of the largest probability of each answer."""
    return {"mean of the largest probability": float(np.mean([answer.max() for answer in answers]))}


def contestant(prepare, fit, module):
    return Contestant(prepare, fit, None, certainty, needs=partial(missing, module))


QUESTIONS = Workload(
    name="belief_network_questions",
    title=f"alarm, questions with {FINDINGS} findings each",
    rows=50,
    make=make_questions,
    contestants={
        OURS: contestant(ours, ask_ours, "openbook"),
        "pyAgrum": contestant(of_pyagrum, ask_pyagrum, "pyagrum"),
        "pgmpy": contestant(of_pgmpy, ask_pgmpy, "pgmpy"),
    },
    goals=(Goal("fit", "times", 1, ("pyAgrum",)), Goal("fit", "times", 5, ("pgmpy",))),
    tolerance=1e-5,
)

MARGINALS = Workload(
    name="belief_network_marginals",
    title=f"alarm, all marginals given {FINDINGS} findings",
    rows=50,
    make=make_questions,
    contestants={
        OURS: contestant(ours, marginals_ours, "openbook"),
        "pyAgrum": contestant(of_pyagrum, marginals_pyagrum, "pyagrum"),
    },
    goals=(Goal("fit", "times", 1, ("pyAgrum",)),),
    tolerance=1e-5,
)


def make_rows(rows, seed):
    network, _ = alarm()
    file = Path(tempfile.mkdtemp()) / "rows.csv"
    table = network.sample_rows(rows, seed)
    table.to_polars().write_csv(file)
    return table, file


def learner_of_pyagrum(data):
    import pyagrum

    learner = pyagrum.BNLearner(str(data[1]))
    learner.useGreedyHillClimbing()
    learner.useScoreBIC()
    return learner, data[0]


def search_ours(given):
    from openbook.network import BeliefNetwork

    return BeliefNetwork("hill_climb").fit(given[0]).graph_.edges


def search_pyagrum(given):
    learner = given[0]
    return [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in learner.learnDAG().arcs()]


def search_pgmpy(given):
    from pgmpy.causal_discovery import HillClimbSearch

    frame = given[0].to_pandas().astype("category")
    search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
    return list(search.fit(frame).causal_graph_.edges())


def chow_liu_ours(given):
    from openbook.network import BeliefNetwork

    return BeliefNetwork("chow_liu").fit(given[0]).graph_.edges


def chow_liu_pgmpy(given):
    from pgmpy.estimators import TreeSearch

    frame = given[0].to_pandas().astype("category")
    return list(TreeSearch(frame, root_node=frame.columns[0], n_jobs=1).estimate(show_progress=False).edges())


def bic_of(edges, table):
    """The BIC of edges, by one yardstick for all."""
    from openbook.network.structure import family_score

    names = table.names
    codes = np.column_stack([table.data(name) for name in names]).astype(np.int64)
    sizes = [len(attribute.values) for attribute in table.schema]
    parents = [[names.index(a) for a, b in edges if b == name] for name in names]
    w = np.ones(len(table))
    return sum(family_score(codes, w, sizes, node, above) for node, above in enumerate(parents))


def score(edges, given, _):
    table = given[0] if hasattr(given[0], "schema") else given[1]
    return {"BIC per row": bic_of(edges, table) / len(table)}


SEARCH = Workload(
    name="belief_network_search",
    title="alarm, hill climbing by BIC",
    rows=5_000,
    make=make_rows,
    contestants={
        OURS: Contestant(tuple, search_ours, None, score, needs=partial(missing, "openbook")),
        "pyAgrum": Contestant(
            learner_of_pyagrum, search_pyagrum, None, score, needs=partial(missing, "pyagrum")
        ),
        "pgmpy": Contestant(tuple, search_pgmpy, None, score, needs=partial(missing, "pgmpy")),
    },
    goals=(Goal("fit", "times", 0.5, ("pyAgrum",)), Goal("fit", "times", 20, ("pgmpy",))),
    tolerance=0.01,
)

TREE = Workload(
    name="belief_network_tree",
    title="alarm, the tree of Chow and Liu",
    rows=5_000,
    make=make_rows,
    contestants={
        OURS: Contestant(tuple, chow_liu_ours, None, score, needs=partial(missing, "openbook")),
        "pgmpy": Contestant(tuple, chow_liu_pgmpy, None, score, needs=partial(missing, "pgmpy")),
    },
    goals=(Goal("fit", "times", 20, ("pgmpy",)),),
    tolerance=0.01,
)
