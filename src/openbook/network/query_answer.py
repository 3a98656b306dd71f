"""Answers of a belief network: a distribution over nodes, or over a numeric one, given the evidence."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtr

from openbook.data.attributes import as_text
from openbook.errors import did_you_mean
from openbook.measures.arrays import plain_array
from openbook.words.numbers import figure
from openbook.words.sentences import aligned_cells


@dataclass(frozen=True, eq=False)
class QueryAnswer:
    """P(targets | evidence): print it, or take a probability by its value: `answer["yes"]`.

    Parameters
    ----------
    targets : tuple of str
        The queried nodes.
    values : tuple of tuples of str
        The values of each.
    probabilities : ndarray
        P(targets | evidence), an axis for each target.
    evidence : float
        P(evidence), 1 without evidence; a density if numbers of leaves are among it.
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
        columns = [self.probabilities, *(self.interval or ())]
        figures = np.stack([column.ravel() for column in columns], axis=1).tolist()
        return [[*values, *numbers] for values, numbers in zip(product(*self.values), figures, strict=True)]

    def __str__(self) -> str:
        header = [*self.targets, "P", *(["from", "to"] if self.interval else [])]
        cells = [[c if isinstance(c, str) else figure(c) for c in row] for row in self.rows()]
        return aligned_cells([header, *cells])

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class MixtureAnswer:
    """p(target | evidence) of a numeric leaf: a mixture of normals, one for each combination of its parents.

        p(x | e) = Σ_q P(q | e) N(x; μ_q, σ²_q),    mean = Σ_q P(q | e) μ_q
        variance = Σ_q P(q | e) (σ²_q + (μ_q - mean)²)

    Parameters
    ----------
    target : str
        The queried node.
    parents : tuple of str
        Its parents without sure evidence.
    values : tuple of tuples of str
        The values of the parents in each component.
    weights : ndarray of shape (n_components,)
        P(values of the parents | evidence).
    means : ndarray of shape (n_components,)
        The mean of each component.
    sds : ndarray of shape (n_components,)
        The standard deviation of each component.
    evidence : float
        P(evidence), 1 without evidence; a density if numbers are among it.
    interval : pair of float or None, default=None
        The 95% interval of the mean, where the answer was sampled.
    method : str, default="exact"
        How the answer was found.

    Notes
    -----
    Guide: docs/guide/belief_networks.md

    Examples
    --------
    >>> from openbook.network import BeliefNetwork
    >>> network = BeliefNetwork.from_tables({
    ...     "ill": {"table": 0.25},
    ...     "fever": {"parents": ["ill"], "normal": {"yes": (39.0, 0.5), "no": (37.0, 0.5)}},
    ... })
    >>> answer = network.query("fever")
    >>> answer.mean, round(answer.sd, 4)  # 0.25 · 39 + 0.75 · 37
    (37.5, 1.0)
    >>> round(network.query("ill", given={"fever": 38.0})["yes"], 4)  # as far from 39 as from 37
    0.25
    """

    target: str
    parents: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    weights: np.ndarray
    means: np.ndarray
    sds: np.ndarray
    evidence: float
    interval: tuple[float, float] | None = None
    method: str = "exact"

    @property
    def mean(self) -> float:
        """The mean of the mixture."""
        return float(self.weights @ self.means)

    @property
    def sd(self) -> float:
        """The standard deviation of the mixture."""
        return float(np.sqrt(self.weights @ (self.sds**2 + (self.means - self.mean) ** 2)))

    def pdf(self, x: Any) -> Any:
        """The density at numbers.

        Parameters
        ----------
        x : float or array-like
            The numbers.

        Returns
        -------
        float or ndarray
        """
        densities = np.exp(-0.5 * self._standardised(x) ** 2) / (np.sqrt(2 * np.pi) * self.sds)
        return plain_array(densities @ self.weights)

    def cdf(self, x: Any) -> Any:
        """The probability of a number of at most x.

        Parameters
        ----------
        x : float or array-like
            The numbers.

        Returns
        -------
        float or ndarray
        """
        return plain_array(ndtr(self._standardised(x)) @ self.weights)

    def _standardised(self, x: Any) -> Any:
        return (np.asarray(x, dtype=float)[..., None] - self.means) / self.sds

    def rows(self) -> list[list[Any]]:
        """For each component: the values of the parents, the weight, the mean, the standard deviation."""
        figures = np.column_stack([self.weights, self.means, self.sds]).tolist()
        return [[*values, *numbers] for values, numbers in zip(self.values, figures, strict=True)]

    def __str__(self) -> str:
        header = [*self.parents, "P", f"mean of {self.target}", "sd"]
        cells = [[c if isinstance(c, str) else figure(c) for c in row] for row in self.rows()]
        if self.parents:
            cells.append(["all", *[""] * (len(self.parents) - 1), "1", figure(self.mean), figure(self.sd)])
        text = aligned_cells([header, *cells])
        if self.interval:
            text += f"\nmean from {figure(self.interval[0])} to {figure(self.interval[1])}"
        return text

    __repr__ = __str__
