"""Example networks: two from textbooks, and random ones.

`burglary` is Pearl's (1988) alarm, with the figures that most textbooks use; `heart_disease` is the example
of courses on data mining.
"""

import numpy as np

from openbook.border.rules import Whole, check_value
from openbook.network.belief_network import BeliefNetwork
from openbook.words.parameters import documented


def burglary() -> BeliefNetwork:
    """The burglar alarm: a burglary or an earthquake sets it off, and two neighbours may call.

    Returns
    -------
    BeliefNetwork

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> round(burglary().query("burglary", given={"john calls": "yes", "mary calls": "yes"})["yes"], 4)
    0.2842
    """
    return BeliefNetwork.from_tables(
        {
            "burglary": {"table": 0.001},
            "earthquake": {"table": 0.002},
            "alarm": {
                "parents": ["burglary", "earthquake"],
                "table": [[0.95, 0.94], [0.29, 0.001]],  # burglary yes and no, by earthquake yes and no
            },
            "john calls": {"parents": ["alarm"], "table": {"yes": 0.90, "no": 0.05}},
            "mary calls": {"parents": ["alarm"], "table": {"yes": 0.70, "no": 0.01}},
        }
    )


def heart_disease() -> BeliefNetwork:
    """Heart disease: exercise and diet change its risk, blood pressure and chest pain point to it.

    Returns
    -------
    BeliefNetwork

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> round(heart_disease().query("heart disease")["yes"], 4)
    0.49
    """
    return BeliefNetwork.from_tables(
        {
            "exercise": {"table": 0.7},
            "diet": {"values": ["healthy", "unhealthy"], "table": 0.25},
            "heart disease": {
                "parents": ["exercise", "diet"],
                "table": [[0.25, 0.45], [0.55, 0.75]],  # exercise yes and no, by diet healthy and unhealthy
            },
            "heartburn": {"parents": ["diet"], "table": {"healthy": 0.2, "unhealthy": 0.85}},
            "blood pressure": {
                "values": ["high", "low"],
                "parents": ["heart disease"],
                "table": {"yes": 0.85, "no": 0.2},
            },
            "chest pain": {
                "parents": ["heart disease", "heartburn"],
                "table": [[0.8, 0.6], [0.4, 0.1]],
            },
        }
    )


@documented
def random_network(
    n_nodes: int, max_parents: int = 2, max_values: int = 3, random_state: int = 0
) -> BeliefNetwork:
    """A random network, to test and to teach with.

    Parameters
    ----------
    n_nodes : int
        The number of nodes, called x1, x2, …; edges lead from lower numbers to higher ones.
    max_parents : int, default=2
        The most parents of a node.
    max_values : int, default=3
        The most values of a node, which has two at least.
    random_state : int, default=0

    Returns
    -------
    BeliefNetwork

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> len(random_network(10).nodes_)
    10
    """
    for name, value, least in (
        ("n_nodes", n_nodes, 1),
        ("max_parents", max_parents, 0),
        ("max_values", max_values, 2),
    ):
        check_value(f"random_network: {name}", value, Whole(at_least=least))
    rng = np.random.default_rng(random_state)
    names = [f"x{i + 1}" for i in range(n_nodes)]
    sizes = rng.integers(2, max_values + 1, n_nodes)
    nodes = {}
    for i, name in enumerate(names):
        count = int(rng.integers(0, min(max_parents, i) + 1))
        parents = sorted(rng.choice(i, count, replace=False).tolist()) if count else []
        table = rng.dirichlet(np.ones(sizes[i]), [int(sizes[p]) for p in parents])
        values = [f"v{k + 1}" for k in range(sizes[i])]
        nodes[name] = {"values": values, "parents": [names[p] for p in parents], "table": table}
    return BeliefNetwork.from_tables(nodes)
