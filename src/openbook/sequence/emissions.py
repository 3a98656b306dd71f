r"""What a state shows: the distribution of each column given the state, all independent of one another but
numbers with a full covariance.

    ln b(state) = ln N(x; μ_state, S_state) + Σ_j ln P(value of column j | state)

Numbers have a normal distribution; nominal and ordinal columns a table, smoothed as in naive Bayes. A missing
cell is summed out: its column is left out of the product, and of a full covariance the known columns remain
(`kernels.normals`). A value not seen in training has the smoothed probability of a count of 0; without
smoothing it is left out.

No variance (of a full covariance, no eigenvalue) falls below `min_covar`, in units of the columns' own
variance. That is the likeliest covariance under this limit, so that the likelihood never falls.

x : float64 (d, n), numbers less `shift`, divided by `scale`;  codes : int64 (columns, n)
tables : (K, V + 1) each, the last column for an unseen value
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import xlogy

from openbook.damage import checked_array, checked_floats, require
from openbook.data import Categorical, Numeric, Schema, Table
from openbook.kernels.moments import Moments
from openbook.kernels.normals import Normals, log_joint
from openbook.sequence.scanned import shift_and_scale

#: The weight below which a state has no rows to learn from.
_NOTHING = 1e-12


def state_normals(means: np.ndarray, covariances: np.ndarray, *, diagonal: bool) -> Normals:
    """The normal distributions of numbers in each state, (K, d) and (K, d, d)."""
    K = len(means)
    return Normals(np.zeros(K), means, covariances, np.zeros((K, 0)), diagonal=diagonal)


@dataclass(frozen=True, eq=False)
class Emissions:
    """The distributions of the columns of a schema in each state; see the module."""

    schema: Schema
    shift: np.ndarray
    scale: np.ndarray
    normals: Normals
    tables: tuple[np.ndarray, ...]

    @classmethod
    def alike(cls, schema: Schema, moments: Moments, K: int, kind: str) -> "Emissions":
        """Distributions that are alike in each state, in units of all rows, to start from."""
        d = len(schema.of(Numeric))
        normals = state_normals(np.zeros((K, d)), np.tile(np.eye(d), (K, 1, 1)), diagonal=kind != "full")
        tables = tuple(
            np.hstack([np.full((K, len(a.values)), 1 / max(len(a.values), 1)), np.ones((K, 1))])
            for a in schema
            if isinstance(a, Categorical)
        )
        return cls(schema, *shift_and_scale(moments), normals, tables)

    @property
    def attributes(self):
        """The columns that have tables."""
        return [a for a in self.schema if isinstance(a, Categorical)]

    @property
    def numbers(self):
        """The names of the columns of numbers."""
        return self.schema.of(Numeric)

    @property
    def means(self):
        """The means in units of the columns, (K, d)."""
        return self.normals.means * self.scale + self.shift

    @property
    def covariances(self):
        """The covariances in units of the columns, (K, d, d)."""
        return self.normals.covariances * np.outer(self.scale, self.scale)

    def coded(self, table: Table) -> tuple[np.ndarray, np.ndarray]:
        """The numbers and the codes of the rows of a table."""
        x = np.empty((len(self.numbers), len(table)))
        for j, name in enumerate(self.numbers):
            x[j] = (table.data(name) - self.shift[j]) / self.scale[j]
        codes = np.empty((len(self.tables), len(table)), dtype=np.int64)
        for j, attribute in enumerate(self.attributes):
            codes[j] = table.data(attribute.name)
        return x, codes

    def log_likelihoods(self, x: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The logarithm of b of each row in each state, (n, K), state by state in memory."""
        log_b = np.zeros((len(self.normals.means), codes.shape[1]))
        if len(x):
            log_b += log_joint(self.normals, x, np.zeros((0, x.shape[1])))
            log_b -= np.log(self.scale) @ ~np.isnan(x)
        with np.errstate(divide="ignore"):
            for column, table in zip(codes, self._tables_by_code(), strict=True):
                log_b += np.log(table).take(column, axis=1)
        return log_b.T

    def probabilities(self, codes: np.ndarray) -> np.ndarray:
        """P(row | state) by the tables, (n, K)."""
        b = np.ones((codes.shape[1], len(self.normals.means)))
        for column, table in zip(codes, self._tables_by_code(), strict=True):
            b *= np.ascontiguousarray(table.T).take(column, axis=0)
        return b

    def _tables_by_code(self):
        """The tables with a column of ones: codes -2 (unseen) and -1 (missing) find the last two columns."""
        return [np.hstack([table, np.ones((len(table), 1))]) for table in self.tables]

    def maximised(self, moments, counts, smoothing, states, min_covar, kind):
        """The likeliest distributions of expected moments and counts; a state without rows keeps its own."""
        tables = []
        for a, counted, before in zip(self.attributes, counts, self.tables, strict=True):
            table = smoothing.distributions(counted, states, a.name, a.values)
            # without an estimate of an unseen value, 1: the column is left out of the product
            table[:, -1] = np.nan_to_num(table[:, -1], nan=1.0)
            tables.append(np.where(counted.sum(axis=1, keepdims=True) > _NOTHING, table, before))
        if not self.numbers:
            return replace(self, tables=tuple(tables))
        weight = moments[:, 0, 0]
        holds = weight > _NOTHING
        divisor = np.where(holds, weight, 1.0)[:, None]
        means = moments[:, 0, 1:] / divisor
        spread = moments[:, 1:, 1:] / divisor[:, :, None] - means[:, :, None] * means[:, None, :]
        means[~holds], spread[~holds] = self.normals.means[~holds], self.normals.covariances[~holds]
        normals = state_normals(means, _at_least(min_covar, spread, kind), diagonal=kind != "full")
        return replace(self, normals=normals, tables=tuple(tables))

    def log_prior(self, smoothing, states):
        """The logarithm of the smoothing's prior density."""
        total = 0.0
        for a, table in zip(self.attributes, self.tables, strict=True):
            guesses = np.stack([smoothing.guess(state, a.name, a.values)[:-1] for state in states])
            total += float(xlogy(smoothing.imagined(guesses), table[:, :-1]).sum())
        return total

    def complexity(self, kind):
        """The number of free parameters."""
        K, d = self.normals.means.shape
        shapes = {"full": K * d * (d + 1) // 2, "diag": K * d, "spherical": K * min(d, 1)}
        return K * d + shapes[kind] + sum(table.size - 2 * K for table in self.tables)

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of the model file."""
        tables = {f"values.{j}": table for j, table in enumerate(self.tables)}
        normals = {"means": self.normals.means, "covariances": self.normals.covariances}
        return {"shift": self.shift, "scale": self.scale, **normals, **tables}

    @classmethod
    def from_arrays(cls, schema: Schema, arrays: Mapping[str, np.ndarray], K: int, kind: str) -> "Emissions":
        """The distributions of a model file; ValueError or KeyError where the arrays do not fit."""
        d, categorical = len(schema.of(Numeric)), [a for a in schema if isinstance(a, Categorical)]
        shift, scale, means, covariances = checked_floats(
            arrays, shift=(d,), scale=(d,), means=(K, d), covariances=(K, d, d)
        )
        sound = (scale > 0).all() and np.array_equal(covariances, covariances.transpose(0, 2, 1))
        require(sound, "its scales must be above zero and its covariances symmetric")
        positive = not d or np.linalg.eigvalsh(covariances).min() > 0
        require(positive, "its covariances are not valid: a variance is not above zero")
        tables = []
        for j, attribute in enumerate(categorical):
            table = checked_array(arrays, f"values.{j}", float, (K, len(attribute.values) + 1))
            check_distributions(f"the table of {attribute.name!r}", table[:, :-1])
            unseen = (table[:, -1] > 0) & (table[:, -1] <= 1)
            require(unseen, f"the table of {attribute.name!r} has no probability of an unseen value")
            tables.append(table)
        normals = state_normals(means, covariances, diagonal=kind != "full")
        return cls(schema, shift, scale, normals, tuple(tables))


def check_distributions(what: str, table: np.ndarray) -> None:
    """Refuse rows that are no distributions."""
    whole = (np.abs(table.sum(axis=-1) - 1) <= 1e-6).all()
    require(whole and (table >= 0).all(), f"{what} must hold probabilities that sum to 1")


def _at_least(least, covariances, kind):
    """The covariances of a kind, no variance below the least."""
    d = covariances.shape[1]
    if kind == "full":
        values, vectors = np.linalg.eigh(covariances)
        if values.min() >= least:
            return covariances
        raised = (vectors * np.maximum(values, least)[:, None, :]) @ vectors.transpose(0, 2, 1)
        return (raised + raised.transpose(0, 2, 1)) / 2
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    if kind == "spherical":
        variances = np.repeat(variances.mean(axis=1, keepdims=True), d, axis=1)
    return np.maximum(variances, least)[:, :, None] * np.eye(d)
