"""Forecasts: states, values and numbers that a hidden Markov model expects in the next rows.

P(state at n + h | rows) = f_n A^h,    mean = Σ_k P(k) μ_k,    variance = Σ_k P(k) (σ_k² + μ_k²) - mean²
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from openbook.sequence.baum_welch import Chain
from openbook.words.numbers import figure
from openbook.words.sentences import aligned_cells


class Forecast(NamedTuple):
    """What a hidden Markov model expects of the next rows; see `HiddenMarkov.forecast`.

    Printed, it is a table with a line for each step.

    Attributes
    ----------
    states : ndarray of shape (steps, n_states)
        The probability of each state.
    values : dict of str to ndarray of shape (steps, n_values)
        For each nominal and ordinal column, the probability of each value.
    means : dict of str to ndarray of shape (steps,)
        For each numeric column, the expected number.
    deviations : dict of str to ndarray of shape (steps,)
        For each numeric column, its standard deviation.
    state_names : tuple of str
        The states, in their order.
    value_names : dict of str to tuple of str
        The values of each nominal and ordinal column, in their order.

    Notes
    -----
    Guide: docs/guide/sequences.md

    Examples
    --------
    >>> from openbook.sequence import HiddenMarkov
    >>> stay = {"a": {"a": 0.9, "b": 0.1}, "b": {"b": 1.0}}
    >>> model = HiddenMarkov.from_tables({"a": 1.0}, stay, {"x": {"a": {"u": 1.0}, "b": {"v": 1.0}}})
    >>> model.forecast([{"x": "u"}], steps=2).states.round(2).tolist()
    [[0.9, 0.1], [0.81, 0.19]]
    """

    states: np.ndarray
    values: dict[str, np.ndarray]
    means: dict[str, np.ndarray]
    deviations: dict[str, np.ndarray]
    state_names: tuple[str, ...]
    value_names: dict[str, tuple[str, ...]]

    def __str__(self) -> str:
        columns = [("step", np.arange(1, len(self.states) + 1))]
        columns += [(f"P({name})", p) for name, p in zip(self.state_names, self.states.T, strict=True)]
        for name, shares in self.values.items():
            values = zip(self.value_names[name], shares.T, strict=True)
            columns += [(f"P({name} = {value})", p) for value, p in values]
        for name, mean in self.means.items():
            columns += [(f"mean of {name}", mean), (f"sd of {name}", self.deviations[name])]
        header, numbers = zip(*columns, strict=True)
        rows = ([figure(float(x)) for x in row] for row in zip(*numbers, strict=True))
        return aligned_cells([header, *rows])


def look_ahead(chain: Chain, now: np.ndarray, steps: int, states: Sequence[str]) -> Forecast:
    """The forecast from the probabilities of the state now, (K,)."""
    ahead = []
    for _ in range(steps):
        now = now @ chain.transitions
        ahead.append(now)
    shares, emissions = np.array(ahead), chain.emissions
    means = shares @ emissions.means
    squares = shares @ (np.diagonal(emissions.covariances, axis1=1, axis2=2) + emissions.means**2)
    deviations = np.sqrt(np.maximum(squares - means**2, 0.0))
    return Forecast(
        shares,
        {a.name: shares @ t[:, :-1] for a, t in zip(emissions.attributes, emissions.tables, strict=True)},
        dict(zip(emissions.numbers, means.T, strict=True)),
        dict(zip(emissions.numbers, deviations.T, strict=True)),
        tuple(states),
        {a.name: a.values for a in emissions.attributes},
    )
