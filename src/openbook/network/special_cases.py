r"""Other models as belief networks, and networks that repeat over time.

    naive Bayes       the class is the parent of every column
    Markov chain      x_1 -> x_2 -> x_3 -> …
    hidden Markov     s_1 -> s_2 -> s_3 -> …, and each state the parent of what it shows
    dynamic network   a first slice of nodes, and a slice that repeats, with parents in the slice before

A network over time is unrolled: a node "x" becomes "x 1", "x 2", …, one for each step. Then every question
of a belief network can be asked of it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from openbook.bayes import NaiveBayes
from openbook.bayes.gaussian import GaussianColumns
from openbook.border.rules import Whole, check_value
from openbook.data import Categorical, Numeric
from openbook.data.attributes import as_text
from openbook.errors import DataError, RefusalError, did_you_mean
from openbook.network.belief_network import BeliefNetwork

#: What a parent in the slice before is called by.
BEFORE = "previous "


def dynamic_network(
    first: Mapping[str, Mapping[str, Any]], later: Mapping[str, Mapping[str, Any]], steps: int
) -> BeliefNetwork:
    """Unroll a dynamic network: a first slice of nodes, then one slice for each further step.

    Parameters
    ----------
    first : mapping of name to {"values": …, "parents": …, "table": …}
        The nodes of the first step, as `BeliefNetwork.from_tables` takes them.
    later : mapping of name to {"values": …, "parents": …, "table": …}
        The same nodes at every later step; a parent called "previous x" is x in the step before. A node that
        is left out is as in the first step.
    steps : int
        The number of steps.

    Returns
    -------
    BeliefNetwork
        With nodes "x 1", "x 2", …

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> weather = dynamic_network(
    ...     {"rain": {"table": 0.5}, "umbrella": {"parents": ["rain"], "table": {"yes": 0.9, "no": 0.2}}},
    ...     {"rain": {"parents": ["previous rain"], "table": {"yes": 0.7, "no": 0.3}}},
    ...     steps=2,
    ... )
    >>> round(weather.query("rain 2", given={"umbrella 1": "yes", "umbrella 2": "yes"})["yes"], 3)
    0.883
    """
    check_value("dynamic_network: steps", steps, Whole(at_least=1))
    if odd := [name for name in later if name not in first]:
        hint = did_you_mean(odd[0], tuple(first))
        raise DataError(f"later names {odd[0]!r}, which is no node of the first step. {hint}")
    nodes = {}
    for step in range(1, steps + 1):
        for name, node in first.items():
            record = dict(node if step == 1 else later.get(name, node))
            record["parents"] = [_at(parent, step) for parent in record.get("parents", ())]
            nodes[f"{name} {step}"] = record
    return BeliefNetwork.from_tables(nodes)


def _at(parent: str, step: int) -> str:
    """The node that a parent is at a step."""
    if not parent.startswith(BEFORE):
        return f"{parent} {step}"
    if step == 1:
        raise DataError(f"{parent!r} is a parent in the first step, before which there is none")
    return f"{parent.removeprefix(BEFORE)} {step - 1}"


def markov_chain(
    first: Mapping[str, float], transitions: Mapping[str, Mapping[str, float]], steps: int
) -> BeliefNetwork:
    """A Markov chain as a belief network: each state depends on the one before.

    Parameters
    ----------
    first : mapping of state to probability
        P(first state); a state that is left out has probability 0.
    transitions : mapping of state to {state: probability}
        P(next state | state), for every state.
    steps : int
        The number of states.

    Returns
    -------
    BeliefNetwork
        With nodes "state 1", "state 2", …

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> stay = {"dry": {"dry": 0.9, "wet": 0.1}, "wet": {"dry": 0.5, "wet": 0.5}}
    >>> chain = markov_chain({"dry": 1.0}, stay, 3)
    >>> round(chain.query("state 3")["wet"], 2)
    0.14
    """
    states = list(transitions)
    later = {"values": states, "parents": [f"{BEFORE}state"], "table": dict(transitions)}
    return dynamic_network({"state": {"values": states, "table": dict(first)}}, {"state": later}, steps)


def network_of_hidden_markov(model: Any, steps: int) -> BeliefNetwork:
    """A hidden Markov model as a belief network, unrolled for a number of rows.

    Parameters
    ----------
    model : HiddenMarkov
        Fitted, or made from tables. Numbers must be independent of one another given the state.
    steps : int
        The number of rows.

    Returns
    -------
    BeliefNetwork
        With nodes "state 1", "state 2", …, and the columns of the model, numbered likewise.

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> from openbook.sequence import HiddenMarkov
    >>> stay = {"a": {"a": 0.9, "b": 0.1}, "b": {"b": 1.0}}
    >>> model = HiddenMarkov.from_tables({"a": 1.0}, stay, {"x": {"a": {"u": 1.0}, "b": {"v": 1.0}}})
    >>> round(network_of_hidden_markov(model, 3).query("state 3")["b"], 2)
    0.19
    """
    numbers = model.schema_.of(Numeric)
    if len(numbers) > 1 and model.covariance_type == "full":
        raise RefusalError(
            f"{numbers[0]!r} and {numbers[1]!r} vary together in a state (covariance_type 'full'), and a leaf"
            " stands alone; fit with covariance_type='diag'"
        )
    states = [as_text(state) for state in model.states_.tolist()]
    shown: dict[str, dict[str, Any]] = {}
    for name, by_state in model.probabilities_.items():
        table = np.array([list(by_state[state].values()) for state in states])
        shown[name] = {"values": list(model.schema_[name].values), "parents": ["state"], "table": table}
    for j, name in enumerate(numbers):
        normals = np.column_stack([model.means_[:, j], np.sqrt(model.covariances_[:, j, j])])
        shown[name] = {"parents": ["state"], "normal": normals}
    first = {"values": states, "table": model.start_}
    again = {"values": states, "parents": [f"{BEFORE}state"], "table": model.transitions_}
    return dynamic_network({"state": first, **shown}, {"state": again}, steps)


def network_of_naive_bayes(model: Any) -> BeliefNetwork:
    """Naive Bayes as a belief network: the class is the parent of every column.

    Parameters
    ----------
    model : NaiveBayes
        Fitted on nominal and ordinal columns, and on numbers with normal distributions; a column that is
        constant in training is left out.

    Returns
    -------
    BeliefNetwork
        With a node for the target and one for each column.

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("weather").split("play")
    >>> network = network_of_naive_bayes(NaiveBayes().fit(X, y))
    >>> network.graph_.parents["windy"]
    ('play',)
    """
    if not isinstance(model, NaiveBayes):
        raise RefusalError(f"network_of_naive_bayes takes a fitted NaiveBayes, got {type(model).__name__}")
    labels = model.classes_.tolist()
    prior = {"values": [as_text(label) for label in labels], "table": model.prior_}
    nodes: dict[str, Any] = {model.target_: prior}
    for attribute in model.schema_:
        if isinstance(attribute, Categorical):
            name, values = attribute.name, list(attribute.values)
            table = np.array([[model.likelihood(name, v, given=label) for v in values] for label in labels])
            nodes[name] = {"values": values, "parents": [model.target_], "table": table}
    for part in model.likelihoods_:
        for j, name in enumerate(part.schema.of(Numeric)):
            if not isinstance(part, GaussianColumns):
                raise RefusalError(f"the naive Bayes model has no normal distribution of {name!r}")
            if part.useful[j]:
                normals = np.column_stack([part.mean[:, j], np.sqrt(part.variance[:, j])])
                nodes[name] = {"parents": [model.target_], "normal": normals}
    return BeliefNetwork.from_tables(nodes)
