"""Other models as belief networks: the answers agree."""

import numpy as np
import pytest

import openbook
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError, RefusalError
from openbook.network import (
    dynamic_network,
    markov_chain,
    network_of_hidden_markov,
    network_of_naive_bayes,
)
from openbook.sequence import HiddenMarkov

STAY = {"a": {"a": 0.8, "b": 0.2}, "b": {"a": 0.4, "b": 0.6}}


def test_naive_bayes_gives_the_same_posterior():
    X, y = openbook.load("weather").split("play")
    model = NaiveBayes().fit(X, y)
    network = network_of_naive_bayes(model)
    for i in (0, 5, 13):
        given = {name: value for name, value in X.row(i).items() if name != "windy"}
        expected = model.predict_proba([{**given, "windy": None}])[0]
        assert network.query("play", given=given).probabilities == pytest.approx(expected)


def test_a_markov_chain_is_a_power_of_its_matrix():
    matrix = np.array([[0.8, 0.2], [0.4, 0.6]])
    chain = markov_chain({"a": 0.3, "b": 0.7}, STAY, 5)
    expected = np.array([0.3, 0.7]) @ np.linalg.matrix_power(matrix, 4)
    assert chain.query("state 5").probabilities == pytest.approx(expected)
    # the Markov property: the future is independent of the past given the present
    assert chain.d_separated("state 1", "state 5", ["state 3"])


def test_a_hidden_markov_model_is_a_chain_that_shows_its_states():
    shown = {"a": {"u": 0.7, "v": 0.3}, "b": {"u": 0.1, "v": 0.9}}
    model = HiddenMarkov.from_tables({"a": 0.6, "b": 0.4}, STAY, {"x": shown})
    rows = [{"x": "u"}, {"x": None}, {"x": "v"}, {"x": "v"}]
    network = network_of_hidden_markov(model, len(rows))
    seen = {f"x {t}": row["x"] for t, row in enumerate(rows, 1) if row["x"] is not None}
    proba = model.predict_proba(rows)
    for t in range(len(rows)):
        assert network.query(f"state {t + 1}", given=seen).probabilities == pytest.approx(proba[t])
    best = network.most_probable(seen)
    assert [best[f"state {t}"] for t in range(1, 5)] == model.predict(rows).tolist()
    assert np.log(network.probability(seen)) == pytest.approx(model.log_likelihood(rows))


def test_a_dynamic_network_may_have_several_chains():
    # y follows x of the step before: P(y 3 = yes) = P(x 2 = yes) = 0.5 · 0.9 + 0.5 · 0.2
    network = dynamic_network(
        {"x": {"table": 0.5}, "y": {"table": 0.5}},
        {
            "x": {"parents": ["previous x"], "table": {"yes": 0.9, "no": 0.2}},
            "y": {"parents": ["previous x"], "table": {"yes": 1.0, "no": 0.0}},
        },
        3,
    )
    assert network.query("y 3")["yes"] == pytest.approx(0.55)


def test_what_cannot_be_unrolled_is_said():
    with pytest.raises(ParameterError, match="steps must be"):
        markov_chain({"a": 1.0}, STAY, 0)
    with pytest.raises(DataError, match="before which there is none"):
        dynamic_network({"x": {"parents": ["previous x"], "table": 0.5}}, {}, 2)
    with pytest.raises(DataError, match="'y', which is no node of the first step"):
        dynamic_network({"x": {"table": 0.5}}, {"y": {"table": 0.5}}, 2)
    numbers = HiddenMarkov(2, covariance_type="full").fit([[0.0, 1.0], [1.0, 1.5], [5.0, 2.0]])
    with pytest.raises(RefusalError, match="'x0' and 'x1' vary together"):
        network_of_hidden_markov(numbers, 2)


def test_numbers_that_a_state_shows_are_leaves():
    model = HiddenMarkov.from_tables({"a": 0.6, "b": 0.4}, STAY, {"x": {"a": (0.0, 1.0), "b": (2.0, 0.5)}})
    rows = [{"x": 0.3}, {"x": 1.4}, {"x": None}, {"x": 2.2}]
    network = network_of_hidden_markov(model, len(rows))
    seen = {f"x {t}": row["x"] for t, row in enumerate(rows, 1) if row["x"] is not None}
    proba = model.predict_proba(rows)
    for t in range(len(rows)):
        assert network.query(f"state {t + 1}", given=seen).probabilities == pytest.approx(proba[t])
    assert np.log(network.probability(seen)) == pytest.approx(model.log_likelihood(rows))
    # the next row: a mixture of the normals of the two states
    expected = proba[2] @ np.array([0.0, 2.0])
    assert network.query("x 3", given=seen).mean == pytest.approx(expected)
