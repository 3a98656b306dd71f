"""Probabilities given by the user: arrays and mappings, checked, as the tables of a hidden Markov model."""

from collections.abc import Mapping
from numbers import Real

import numpy as np

from openbook.data import Attribute, Nominal, Numeric, Schema
from openbook.data.attributes import as_text
from openbook.errors import ParameterError, did_you_mean
from openbook.sequence.emissions import Emissions, check_distributions, state_normals


def given_array(name, given, shape):
    """An array of distributions, of this shape, each of which sums to 1."""
    array = np.asarray(given, dtype=float)
    if array.shape != shape:
        raise ParameterError(f"HiddenMarkov: {name} must have the shape {shape}, got {array.shape}")
    try:
        check_distributions(name, array)
    except ValueError as error:
        raise ParameterError(f"HiddenMarkov: {error}") from None
    return array / array.sum(axis=-1, keepdims=True)


def given_table(name, rows, states):
    """Mappings of states (or values) to probabilities as rows of a table; what is left out is 0."""
    table = np.zeros((len(rows), len(states)))
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ParameterError(f"{name} must be a mapping to probabilities, got {row!r}")
        for state, p in row.items():
            if as_text(state) not in states:
                raise ParameterError(f"{name} names {state!r}. {did_you_mean(as_text(state), states)}")
            if not isinstance(p, Real):
                raise ParameterError(f"{name} must hold probabilities, got {p!r} for {state!r}")
            table[i, states.index(as_text(state))] = p
    return given_array(name, table, table.shape)


def given_emissions(emissions, states):
    """Emissions from {column: {state: {value: probability} or (mean, standard deviation)}}."""
    attributes: list[Attribute] = []
    tables, means, deviations = [], [], []
    for column, by_state in emissions.items():
        if absent := [state for state in states if state not in by_state]:
            raise ParameterError(f"emissions of {column!r} lack the state {absent[0]!r}")
        shown = [by_state[state] for state in states]
        if all(isinstance(row, Mapping) for row in shown):
            values = list(dict.fromkeys(as_text(value) for row in shown for value in row))
            attributes.append(Nominal(column, tuple(values)))
            table = given_table(f"emissions of {column!r}", shown, values)
            tables.append(np.hstack([table, np.ones((len(states), 1))]))
        else:
            for state, row in zip(states, shown, strict=True):
                if isinstance(row, str | Mapping) or np.shape(row) != (2,):
                    raise ParameterError(
                        f"emissions of {column!r} must be {{value: probability}} in every state, or a pair"
                        f" (mean, standard deviation) in every state, got {row!r} for {state!r}"
                    )
            attributes.append(Numeric(column))
            means.append([float(mean) for mean, _ in shown])
            deviations.append([float(deviation) for _, deviation in shown])
    K, d = len(states), len(means)
    spread = np.array(deviations, dtype=float).reshape(d, K)
    if not (np.isfinite(spread) & (spread > 0)).all():
        raise ParameterError("emissions: standard deviations must be above 0")
    covariances = (spread.T**2)[:, :, None] * np.eye(d)
    normals = state_normals(np.array(means, dtype=float).reshape(d, K).T, covariances, diagonal=True)
    return Emissions(Schema(tuple(attributes)), np.zeros(d), np.ones(d), normals, tuple(tables))
