"""Answers of a belief network: a distribution over nodes, with the probability of the evidence."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from openbook.data.attributes import as_text
from openbook.errors import did_you_mean
from openbook.words.numbers import figure

__all__ = ["QueryAnswer"]


@dataclass(frozen=True, eq=False)
class QueryAnswer:
    """P(targets | evidence): print it, or take a probability by its value: `answer["yes"]`.

    Parameters
    ----------
    targets : tuple of str
        The nodes asked for.
    values : tuple of tuples of str
        The values of each.
    probabilities : ndarray
        P(targets | evidence), an axis for each target.
    evidence : float
        P(evidence), 1 without evidence.
    interval : pair of ndarrays or None, default=None
        The 95% intervals of an answer that was sampled.
    method : str, default="exact"
        How the answer was found.

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> from openbook.network import burglary
    >>> answer = burglary().query("alarm")
    >>> round(answer["yes"], 6), answer.most_probable
    (0.002516, 'no')
    """

    targets: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    probabilities: np.ndarray
    evidence: float
    interval: tuple[np.ndarray, np.ndarray] | None = None
    method: str = "exact"

    @property
    def joint(self) -> np.ndarray:
        """P(targets, evidence): the numerators of Bayes' rule."""
        return self.probabilities * self.evidence

    @property
    def most_probable(self) -> Any:
        """The most probable value, the first of equals; a tuple where several nodes were asked."""
        codes = np.unravel_index(int(self.probabilities.argmax()), self.probabilities.shape)
        found = tuple(values[code] for values, code in zip(self.values, codes, strict=True))
        return found[0] if len(found) == 1 else found

    def __getitem__(self, value: Any) -> float:
        wanted = value if isinstance(value, tuple) else (value,)
        if len(wanted) != len(self.targets):
            raise KeyError(f"give a value of each of {', '.join(self.targets)}, got {value!r}")
        codes = []
        for name, values, one in zip(self.targets, self.values, wanted, strict=True):
            if as_text(one) not in values:
                raise KeyError(f"{name} has no value {one!r}. {did_you_mean(as_text(one), values)}")
            codes.append(values.index(as_text(one)))
        return float(self.probabilities[tuple(codes)])

    def rows(self) -> list[list[Any]]:
        """For each combination of values: the values, the probability, and its interval if it has one."""
        ranges = [range(len(values)) for values in self.values]
        return [
            [
                *(values[c] for values, c in zip(self.values, codes, strict=True)),
                float(self.probabilities[codes]),
                *(float(end[codes]) for end in self.interval or ()),
            ]
            for codes in product(*ranges)
        ]

    def __str__(self) -> str:
        header = [*self.targets, "P", *(["from", "to"] if self.interval else [])]
        cells = [[c if isinstance(c, str) else figure(c) for c in row] for row in self.rows()]
        widths = [max(len(row[i]) for row in [header, *cells]) for i in range(len(header))]
        lines = [
            "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
            for row in [header, *cells]
        ]
        return "\n".join(lines)

    __repr__ = __str__
