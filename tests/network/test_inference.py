"""Exact and sampled answers against going through every row of the joint table."""

import math
import re
from itertools import product

import numpy as np
import pytest

from openbook.errors import DataError, ParameterError, RefusalError
from openbook.network import BeliefNetwork, burglary, heart_disease, random_network


def joint_of(network):
    """The whole joint table, by the chain rule, entry by entry."""
    names = [node.name for node in network.nodes_]
    table = np.zeros([len(node.values) for node in network.nodes_])
    for codes in product(*(range(size) for size in table.shape)):
        at = dict(zip(names, codes, strict=True))
        table[codes] = np.prod(
            [
                network.tables_[name][(*(at[p] for p in network.graph_.parents[name]), at[name])]
                for name in names
            ]
        )
    return table


def given_codes(joint, codes):
    return joint[tuple(codes.get(i, slice(None)) for i in range(joint.ndim))]


@pytest.fixture(params=range(6))
def case(request):
    network = random_network(7, max_parents=3, random_state=request.param)
    rng = np.random.default_rng(request.param)
    names = [node.name for node in network.nodes_]
    some = rng.choice(7, request.param % 4, replace=False).tolist()
    codes = {i: int(rng.integers(len(network.nodes_[i].values))) for i in some}
    evidence = {names[i]: network.nodes_[i].values[c] for i, c in codes.items()}
    return network, names, codes, evidence


def test_query_and_marginals_equal_the_joint_table(case):
    network, names, codes, evidence = case
    left = given_codes(joint_of(network), codes)
    free = [i for i in range(7) if i not in codes]
    marginals = network.marginals(given=evidence)
    assert list(marginals) == [names[i] for i in free]
    for axis, i in enumerate(free):
        expected = left.sum(axis=tuple(a for a in range(left.ndim) if a != axis))
        answer = network.query(names[i], given=evidence)
        np.testing.assert_allclose(answer.joint, expected, rtol=1e-10)
        np.testing.assert_allclose(marginals[names[i]].probabilities, expected / expected.sum(), rtol=1e-10)
        assert answer.evidence == pytest.approx(left.sum())
    assert network.probability(evidence) == pytest.approx(left.sum())


def test_two_targets_in_the_order_asked(case):
    network, names, codes, evidence = case
    left = given_codes(joint_of(network), codes)
    free = [i for i in range(7) if i not in codes]
    a, b = free[-1], free[0]
    rest = tuple(axis for axis, i in enumerate(free) if i not in {a, b})
    expected = left.sum(axis=rest).T  # the axes go from low to high, the question from high to low
    np.testing.assert_allclose(
        network.query([names[a], names[b]], given=evidence).joint, expected, rtol=1e-10
    )


def test_most_probable_is_the_largest_cell(case):
    network, names, codes, evidence = case
    left = given_codes(joint_of(network), codes)
    found = network.most_probable(given=evidence)
    free = [i for i in range(7) if i not in codes]
    at = tuple(network.nodes_[i].values.index(found[names[i]]) for i in free)
    assert left[at] == pytest.approx(left.max())


def test_soft_evidence_multiplies_the_likelihood():
    network = heart_disease()
    answer = network.query("heart disease", given={"chest pain": {"yes": 0.9, "no": 0.3}})
    hard = {v: network.query("heart disease", given={"chest pain": v}) for v in ("yes", "no")}
    expected = 0.9 * hard["yes"].joint + 0.3 * hard["no"].joint
    np.testing.assert_allclose(answer.joint, expected)


def test_derivations_end_in_the_same_answers(case):
    network, names, _, evidence = case
    soft = next(name for name in names if name not in evidence)
    first, second, *_ = network.nodes_[names.index(soft)].values
    for given in (evidence, {**evidence, soft: {first: 0.9, second: 0.2}}):
        target = next(name for name in reversed(names) if name not in given)
        work, answer = network.work(target, given=given), network.query(target, given=given)
        for value in answer.values[0]:
            label = f"P({target} = {value} | e)" if given else f"P({target} = {value})"
            assert result_of(work, label) == pytest.approx(answer[value], rel=1e-12)
    assert result_of(network.work(evidence), "P(row)") == pytest.approx(network.probability(evidence))


def result_of(work, label):
    """The result of a step, which may be the last of a sum of its own."""
    found = work[label]
    return found.result if hasattr(found, "result") else found[label].result


def test_two_targets_are_derived_by_hand():
    work = burglary().work(["burglary", "earthquake"], given={"alarm": "yes"})
    joints = [0.001 * 0.002 * 0.95, 0.001 * 0.998 * 0.94, 0.999 * 0.002 * 0.29, 0.999 * 0.998 * 0.001]
    events = [(b, e) for b in ("yes", "no") for e in ("yes", "no")]
    for (b, e), joint in zip(events, joints, strict=True):
        told = f"burglary = {b}, earthquake = {e}"
        assert work[f"P({told}, e)"].result == pytest.approx(joint, rel=1e-12)
        assert work[f"P({told} | e)"].result == pytest.approx(joint / sum(joints), rel=1e-12)
    assert work["no, no against yes, no"].result == pytest.approx(joints[3] / joints[1], rel=1e-12)
    assert work.conclusion == "The most probable: burglary = no, earthquake = no."
    with pytest.raises(DataError, match="no node 'earthquak'"):
        burglary().work(["burglary", "earthquak"])


def test_every_line_of_a_long_derivation_can_be_checked_by_hand():
    network = random_network(12, max_parents=3, random_state=1)
    work = network.work("x1", given={"x12": "v1", "x11": "v1"})
    grids = [part.parts[1] for part in work.parts if getattr(part, "title", "").endswith("summed out")]
    assert len(grids) >= 4
    for grid in grids:
        for *_, told, result in grid.rows:
            by_hand = sum(math.prod(map(float, one.split(" · "))) for one in told.split(" + "))
            assert result == pytest.approx(by_hand, rel=2e-5)


@pytest.mark.parametrize("method", ["likelihood_weighting", "gibbs"])
@pytest.mark.parametrize(
    ("network", "ask", "given"),
    [
        (heart_disease(), "heart disease", {"chest pain": "yes", "blood pressure": "low"}),
        # a row with a burglary is rare, and weighs some twenty times as much as one without
        (burglary(), "burglary", {"john calls": "yes"}),
    ],
    ids=["heart", "burglary"],
)
def test_sampled_answers_have_the_exact_one_in_their_interval(network, ask, given, method):
    exact = network.query(ask, given=given)["yes"]
    inside = 0
    for state in range(20):
        answer = network.sample(ask, given=given, method=method, n_samples=4000, random_state=state)
        low, high = (end[0] for end in answer.interval)
        inside += low <= exact <= high
        assert high - low < 0.12
    assert inside >= 16  # fewer has a probability below 0.003 if each holds it with 0.95


def test_a_value_that_no_row_shows_has_an_interval_by_the_largest_weight():
    # a is never drawn in ten rows, so Wilson's interval of its share of rows is [0, z² / (10 + z²)]. Each row
    # without a weighs 0.1, and one with it would weigh 0.8, the largest entry of the table
    network = BeliefNetwork.from_tables(
        {"a": {"table": 1e-9}, "b": {"parents": ["a"], "table": {"yes": 0.8, "no": 0.1}}}
    )
    answer = network.sample("a", given={"b": "yes"}, n_samples=10)
    share = 1.959964**2 / (10 + 1.959964**2)
    assert answer["yes"] == answer.interval[0][0] == 0
    assert answer.interval[1][0] == pytest.approx(8 * share / (8 * share + 1 - share), rel=1e-5)
    assert answer.interval[0][1] == pytest.approx(1 - answer.interval[1][0])


def test_the_size_is_known_before_anything_is_built():
    network = random_network(30, max_parents=3, random_state=2)
    with pytest.raises(RefusalError, match=r"factor of .* cells .* budget of 8.*sample"):
        network.marginals(budget=8)


def test_errors_name_the_culprit():
    network = burglary()
    for call, message in (
        (lambda: network.query("fire"), "no node 'fire'"),
        (lambda: network.query("alarm", given={"alarm": "yes"}), "'alarm' is both asked for and given"),
        (lambda: network.query("alarm", given={"mary calls": "maybe"}), "'mary calls' has no value 'maybe'"),
        (lambda: network.sample("alarm", method="guess"), "method cannot be 'guess'"),
        (lambda: network.sample("alarm", n_samples=0), "n_samples must be a whole number of at least 1"),
        (lambda: network.sample_rows(-1), "n_samples must be a whole number of at least 1"),
        (lambda: network.query("alarm", given=["burglary"]), "given must be a mapping"),
        (lambda: network.query("alarm", given={"burglary": {"yes": "x"}}), "must be likelihoods"),
        (lambda: random_network(3, max_values=1), "max_values must be a whole number of at least 2"),
        (lambda: network.query("alarm")["perhaps"], "alarm has no value 'perhaps'"),
    ):
        with pytest.raises((DataError, ParameterError, KeyError), match=message):
            call()
    sure = BeliefNetwork.from_tables(
        {"a": {"table": 1.0}, "b": {"parents": ["a"], "table": {"yes": 0, "no": 1}}}
    )
    with pytest.raises(DataError, match="probability 0"):
        sure.query("a", given={"b": "yes"})


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ({"a": {"parents": ["a"], "table": 0.5}}, "circle: a → a"),
        ({"a": {"parents": ["z"], "table": 0.5}}, "'a' has the unknown parent 'z'"),
        ({"a": {"table": [0.5, 0.6]}}, "'a': its probabilities sum to 1.1"),
        ({"a": {"table": [0.2, 0.3, 0.5]}}, "'a' has 2 values, but 3 probabilities are given"),
        (
            {"a": {"table": 0.5}, "b": {"parents": ["a"], "table": [[0.5, 0.5]] * 3}},
            r"'b': its table has the shape \(3, 2\), expected \(2, 2\)",
        ),
        ({"a": {"table": -0.1}}, "'a': a probability is not between 0 and 1"),
        (
            {"a": {"table": 0.5}, "b": {"parents": ["a"], "table": {"yes": 0.1}}},
            "'b': nothing is given for a = no",
        ),
        ({"a": {"tabel": 0.5}}, "'tabel' is not known"),
        ({"a": {"values": ["x", "x"], "table": 0.5}}, "'x' twice"),
        ({"a": {"values": "yes", "table": 0.5}}, "'a': values must be a list"),
        ({"a": {"parents": 3, "table": 0.5}}, "'a': parents must be a list of names, got 3"),
        ({"a": {"parents": [["b"]], "table": 0.5}}, r"'a': the name of a parent must be text, got \['b'\]"),
        (
            {"a": {"table": 0.5}, "b": {"parents": ["a"], "table": {"yes": "high", "no": 0.5}}},
            "'b': probabilities must be numbers, got 'high'",
        ),
        ({}, "a mapping of node to its table"),
        ({"a": 0.5}, "'a' needs a mapping"),
        ({1: {"table": 0.5}}, "name of a node must be text, got 1"),
        (["a"], "a mapping of node to its table"),
    ],
)
def test_a_network_validates_itself(nodes, message):
    with pytest.raises(DataError, match=message):
        BeliefNetwork.from_tables(nodes)


def test_d_separation_equals_independence_in_random_networks():
    # with random tables, separated nodes are independent, and others are not (but by chance)
    for state in range(4):
        network = random_network(6, random_state=state)
        joint = joint_of(network)
        names = [node.name for node in network.nodes_]
        for a, b, c in ((0, 5, 2), (1, 4, 3), (0, 3, 5), (2, 5, 1)):
            rest = tuple(i for i in range(6) if i not in {a, b, c})
            table = np.moveaxis(joint.sum(axis=rest), sorted((a, b, c)).index(c), 0)
            apart = all(
                np.allclose(part * part.sum(), part.sum(1, keepdims=True) * part.sum(0, keepdims=True))
                for part in table
            )
            assert bool(network.d_separated(names[a], names[b], [names[c]])) == apart


def test_the_graph_of_the_alarm():
    network = burglary()
    assert network.parents("alarm") == ("burglary", "earthquake")
    assert network.children("alarm") == ("john calls", "mary calls")
    assert network.ancestors("mary calls") == ("burglary", "earthquake", "alarm")
    assert network.descendants("burglary") == ("alarm", "john calls", "mary calls")
    assert network.markov_blanket("burglary") == ("earthquake", "alarm")
    assert network.local_markov("burglary") == "burglary ⊥ earthquake"
    separation = network.d_separated("burglary", "earthquake", ["mary calls"])
    assert separation.path == ("burglary", "alarm", "earthquake")


def test_no_edge_runs_behind_a_box():
    for state in range(3):
        network = random_network(14, max_parents=3, random_state=state)
        svg = network.draw().svg()
        boxes = [
            [float(n) for n in found]
            for found in re.findall(
                r'class="frame" x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg
            )
        ]
        assert len(boxes) == 14
        for way in re.findall(r'class="c8 line" d="([^"]+)"', svg):
            for x, y in points_of(way):
                for left, top, wide, high in boxes:
                    assert not (left < x < left + wide and top + 0.1 < y < top + high - 0.1)


def points_of(way):
    """Points along a path of moves, vertical lines and curves."""
    x = y = 0.0
    for sign, numbers in re.findall(r"([MVC])([-\d. ]+)", way):
        to = [float(n) for n in numbers.split()]
        if sign == "M":
            x, y = to
        elif sign == "V":
            yield from ((x, y + s * (to[0] - y)) for s in np.linspace(0, 1, 9))
            y = to[0]
        else:
            p = np.array([[x, y], *np.reshape(to, (3, 2))])
            for s in np.linspace(0, 1, 21):
                b = np.array([(1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s**2 * (1 - s), s**3])
                yield tuple(b @ p)
            x, y = to[-2:]


def test_the_picture_has_every_node_and_an_arrow_for_each_edge():
    svg = heart_disease().draw().svg()
    for name in ("exercise", "diet", "heart disease", "heartburn", "blood pressure", "chest pain"):
        assert f">{name}</text>" in svg
    assert svg.count('marker-end="url(#ob-arrow)"') == 6
