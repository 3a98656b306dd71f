r"""A profile of the training rows, in figures only, and tests whether new rows look like them.

    a number        its quantiles at 0, 1%, …, 100%, and how many cells were missing
    a category      how many rows had each value, and how many none
    all together    centre and covariance S of one half of the rows, and the quantiles of the squared distance
                    D² = (z - centre)' S⁻¹ (z - centre) of the other half

No row is kept. New rows are compared with that, a test each:

    a number        Kolmogorov and Smirnov's: the largest difference of the two distribution functions
    a category      chi-squared of values by table; values that few rows have are taken together
    missing cells   chi-squared of missing by table; the smaller p of a column counts twice
    all together    Kolmogorov and Smirnov's of D²: rows of an unusual combination lie farther away

p-values are adjusted by Holm for the number of tests, so that the chance of a false alarm stays at the level
however many columns there are. z are numbers in standard units, gaps as 0, and a 0/1 column for each value.

quantiles : float64 (101,); counts : float64 (n_values,)
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import chdtrc, kolmogorov

from openbook.data import UNSEEN, Attribute, Categorical, Datetime, Numeric, Schema, Table
from openbook.data.adjustments import holm
from openbook.words.numbers import figure, shown_p
from openbook.words.sentences import listed, plural
from openbook.work import Grid, ShowsWork, Work

#: Where quantiles are kept.
GRID = np.linspace(0, 1, 101)
#: Cells of a contingency table with a smaller expected count are merged.
FEW = 5.0
#: The most encoded columns of which the joint distribution is kept.
MOST_TOGETHER = 60
#: A profile is of no more rows than these, spread evenly over the table, and of no wider tables.
MOST_ROWS, MOST_COLUMNS = 20_000, 1_000
#: Added to the variances, so that the covariance of constant columns can be inverted.
RIDGE = 1e-6


@dataclass(frozen=True)
class ColumnProfile:
    """A column in training: figures are quantiles of a number, or the rows of each value.

    Attributes
    ----------
    missing : float
        How many rows had no value.
    known : float
        How many rows had one.
    figures : ndarray
        Quantiles of a number, or how many rows had each value.
    """

    missing: float
    known: float
    figures: np.ndarray


@dataclass(frozen=True)
class UnlikeColumn:
    """How a column of new rows differs from training.

    Attributes
    ----------
    name : str
        The column, or "all columns together".
    p_value : float
        The probability of such a difference by chance; NaN if nothing can be compared.
    p_adjusted : float
        The same, adjusted for the number of tests (Holm).
    words : str
        The difference, in words.
    """

    name: str
    p_value: float
    p_adjusted: float
    words: str


@dataclass(frozen=True, repr=False)
class Unlike(ShowsWork):
    """Whether new rows look like those that a model was trained on.

    Attributes
    ----------
    columns : tuple of UnlikeColumn
        A line for each column, and one for all together; the most different first.
    rows : ndarray of bool
        Which rows lie outside of training: a number beyond its ends, an unseen value, or farther from the
        centre than any training row.
    effect : str
        How this may affect the predictions.
    alpha : float
        The level of the tests.

    Notes
    -----
    Guide: docs/guide/models.md
    """

    columns: tuple[UnlikeColumn, ...]
    rows: np.ndarray
    effect: str
    alpha: float = 0.05

    @property
    def different(self) -> tuple[str, ...]:
        """The columns that differ by more than chance."""
        return tuple(column.name for column in self.columns if column.p_adjusted <= self.alpha)

    def work(self) -> Work:
        """The tests as a table.

        Returns
        -------
        Work
        """
        rows = [(c.name, _p(c.p_value), _p(c.p_adjusted), c.words) for c in self.columns]
        note = f"{len(self.rows):,} rows. p (Holm): adjusted for {len(rows)} tests, which are valid together."
        grid = Grid("", ("column", "p", "p (Holm)", "difference"), rows, note)
        found = self.different
        verdict = f"Unlike training: {', '.join(found)}." if found else "Nothing differs by more than chance."
        odd = int(self.rows.sum())
        if odd:
            which = listed(np.flatnonzero(self.rows).astype(str).tolist(), 10)
            lie = "lies" if odd == 1 else "lie"
            verdict += f" {plural(odd, 'row')} of {len(self.rows):,} {lie} outside of training: {which}."
        return Work("New rows beside the training rows", (grid,), f"{verdict} {self.effect}")


@dataclass(frozen=True)
class Profile:
    """What training rows looked like; see the module.

    Attributes
    ----------
    columns : mapping of str to ColumnProfile
        A profile for each column.
    centre : ndarray
        The mean of the encoded columns, of one half of the rows.
    spread : ndarray
        Their covariance.
    distances : ndarray
        Quantiles of the squared distance of the other half; empty if there are too many columns.
    predicted : mapping of str to float
        The share of training rows for which each class was predicted, or the mean and standard deviation of
        the predictions.
    """

    columns: Mapping[str, ColumnProfile]
    centre: np.ndarray
    spread: np.ndarray
    distances: np.ndarray
    predicted: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, model: Any = None) -> "Profile":
        """The profile of training rows, and of what a model predicts for them.

        Parameters
        ----------
        table : Table
            The training rows.
        model : estimator or None, default=None
            The model that was fitted to them.

        Returns
        -------
        Profile
        """
        table = table.take(slice(None, None, 1 + len(table) // MOST_ROWS))
        columns = {a.name: _column(a, table.data(a.name)) for a in table.schema if _compared(a)}
        half = np.arange(len(table)) % 2 == 0
        z = _encoded(table, columns)
        if z.shape[1] > MOST_TOGETHER or len(table) < 20 or not z.shape[1]:
            nothing = np.zeros(0)
            return cls(columns, nothing, np.zeros((0, 0)), nothing, _predicted(model, table))
        centre = z[half].mean(axis=0)
        spread = np.atleast_2d(np.cov(z[half].T)) + RIDGE * np.eye(z.shape[1])
        distances = np.quantile(_distances(z[~half], centre, spread), GRID)
        return cls(columns, centre, spread, distances, _predicted(model, table))

    def compare(self, table: Table, model: Any = None, alpha: float = 0.05) -> Unlike:
        """Whether new rows look like those of training.

        Parameters
        ----------
        table : Table
            New rows, in the columns and codes of training.
        model : estimator or None, default=None
            The model, whose predictions are compared too.
        alpha : float, default=0.05
            The level of the tests, for all of them together.

        Returns
        -------
        Unlike
        """
        odd, found = np.zeros(len(table), dtype=bool), []
        for name, own in self.columns.items():
            attribute = table.schema[name]
            p, words, rows = _tested(attribute, own, table.data(name))
            odd |= rows
            found.append((name, p, words))
        if len(self.distances):
            squares = _distances(_encoded(table, self.columns), self.centre, self.spread)
            n = sum(half_of(own) for own in self.columns.values()) / max(len(self.columns), 1)
            p = _ks(self.distances, n, squares)
            far = squares > self.distances[-1]
            odd |= far
            words = f"{far.mean():.1%} of the rows are farther from the centre than all of training"
            found.append(("all columns together", p, words))
        adjusted = holm([p for _, p, _ in found])
        lines = [UnlikeColumn(n, p, float(a), w) for (n, p, w), a in zip(found, adjusted, strict=True)]
        lines.sort(key=lambda line: (math.isnan(line.p_value), line.p_value))
        different = [line.name for line in lines if line.p_adjusted <= alpha]
        return Unlike(tuple(lines), odd, self._effect(model, table, different, odd), alpha)

    def _effect(self, model: Any, table: Table, different: list[str], odd: np.ndarray) -> str:
        """How differences may affect the predictions, in words."""
        now, before = _predicted(model, table), self.predicted
        moved = ""
        if now and before and "mean" in before:
            means = [figure(one["mean"], 4) for one in (now, before)]
            moved = f"Predictions are {means[0]} on average, {means[1]} in training."
        elif now and before:
            label = max({*now, *before}, key=lambda one: abs(now.get(one, 0.0) - before.get(one, 0.0)))
            shares = [f"{one.get(label, 0.0):.0%}" for one in (now, before)]
            moved = f"{label} is predicted for {shares[0]} of the rows, {shares[1]} in training."
        if not different and not odd.any():
            return f"The score of the evaluation should hold for these rows. {moved}".strip()
        if not different:
            return f"The score should hold for most rows, but less for those. {moved}".strip()
        return (
            "The score of the evaluation may not hold for these rows: check predictions against true values,"
            f" or fit the model again with rows like these. {moved}"
        ).strip()

    # the model file

    def to_json(self) -> dict[str, Any]:
        """The profile as JSON values.

        Returns
        -------
        dict
        """
        columns = {n: [c.missing, c.known, *c.figures.tolist()] for n, c in self.columns.items()}
        together = [self.centre.tolist(), self.spread.tolist(), self.distances.tolist()]
        return {"columns": columns, "together": together, "predicted": dict(self.predicted)}

    @classmethod
    def from_json(cls, record: Any, schema: Schema) -> "Profile":
        """The profile in a model file; ValueError where it does not fit the columns.

        Parameters
        ----------
        record : mapping
            What `to_json` wrote.
        schema : Schema
            The columns of the model.

        Returns
        -------
        Profile
        """
        columns = {}
        for name, (missing, known, *figures) in record["columns"].items():
            attribute, values = schema[str(name)], np.array([missing, known, *figures], dtype=float)
            wanted = len(attribute.values) if isinstance(attribute, Categorical) else len(GRID)
            if len(figures) != wanted or not np.isfinite(values).all() or (values[:2] < 0).any():
                raise ValueError(f"the profile of column {name!r} is not valid")
            columns[str(name)] = ColumnProfile(float(missing), float(known), values[2:])
        centre, spread, distances = (np.array(part, dtype=float) for part in record["together"])
        d = len(centre)
        sound = all(np.isfinite(array).all() for array in (centre, spread, distances))
        empty = Table(schema, [np.zeros(0)] * len(schema))
        wide = _encoded(empty, columns).shape[1] if d else 0
        if not sound or centre.ndim != 1 or d != wide or len(distances) not in ({len(GRID)} if d else {0}):
            raise ValueError("the profile of all columns together is not valid")
        if d and (spread.shape != (d, d) or (np.linalg.eigvalsh(spread) <= 0).any()):
            raise ValueError("the covariance of the profile is not valid")
        shares = {str(name): float(share) for name, share in record["predicted"].items()}
        return cls(columns, centre, spread.reshape(d, d), distances, shares)


def half_of(column: ColumnProfile) -> float:
    """How many rows the distances of a profile are from."""
    return (column.missing + column.known) / 2


def _compared(attribute: Attribute) -> bool:
    return isinstance(attribute, Numeric | Categorical)


def _column(attribute: Attribute, data: np.ndarray) -> ColumnProfile:
    if isinstance(attribute, Categorical):
        counts = np.bincount(data[data >= 0], minlength=len(attribute.values)).astype(float)
        return ColumnProfile(float((data < 0).sum()), float(counts.sum()), counts)
    known = data[np.isfinite(data)].astype(float)
    figures = np.quantile(known, GRID) if len(known) else np.zeros(len(GRID))
    return ColumnProfile(float(len(data) - len(known)), float(len(known)), figures)


def _tested(attribute: Attribute, own: ColumnProfile, data: np.ndarray) -> tuple[float, str, np.ndarray]:
    """The p-value of a column, the difference in words, and the rows that lie outside of training."""
    n = len(data)
    if isinstance(attribute, Categorical):
        missing, unseen = (data < 0) & (data != UNSEEN), data == UNSEEN
        counts = np.bincount(data[data >= 0], minlength=len(attribute.values)).astype(float)
        new = np.append(counts, unseen.sum())
        p = _chi_squared(np.append(own.figures, 0.0), new)
        shares, before = new / max(new.sum(), 1), np.append(own.figures, 0.0) / max(own.known, 1)
        most = int(np.argmax(np.abs(shares - before)))
        label = "a value never seen" if most == len(attribute.values) else repr(attribute.values[most])
        words = f"{label}: {shares[most]:.1%} of the rows, {before[most]:.1%} in training"
        if unseen.any() and most < len(attribute.values):
            words += f"; a value never seen: {shares[-1]:.1%}"
        odd = unseen
    else:
        missing = ~np.isfinite(data)
        known = data[~missing].astype(float)
        p = _ks(own.figures, own.known, known) if own.known and len(known) else math.nan
        middle = _shown(attribute, float(np.median(known))) if len(known) else "unknown"
        words = f"median {middle}, {_shown(attribute, float(own.figures[50]))} in training"
        odd = np.zeros(n, dtype=bool)
        if own.known:
            odd[~missing] = (known < own.figures[0]) | (known > own.figures[-1])
        if odd.any():
            words += f"; {odd.mean():.1%} outside of training"
    gaps = np.array([own.missing, own.known]), np.array([missing.sum(), n - missing.sum()], dtype=float)
    p_gaps = _chi_squared(*gaps)
    if not p_gaps >= (p if not math.isnan(p) else 2.0) and not math.isnan(p_gaps):
        share = own.missing / max(own.missing + own.known, 1)
        words = f"missing in {missing.mean():.1%} of the rows, {share:.1%} in training"
    both = [one for one in (p, p_gaps) if not math.isnan(one)]
    return (min(1.0, len(both) * min(both)) if both else math.nan), words, odd


def _ks(quantiles: np.ndarray, n: float, new: np.ndarray) -> float:
    """The p-value of the largest difference between two distribution functions, seen at the quantiles.

    At quantiles that several share, the distribution function of training is only known to lie between the
    first and the last share; a difference counts as far as it is certain.
    """
    if not len(new) or n < 1:
        return math.nan
    ordered = np.sort(new)
    at = np.unique(quantiles)
    first, last = np.searchsorted(quantiles, at), np.searchsorted(quantiles, at, side="right") - 1
    below, upto = (np.searchsorted(ordered, at, side=side) / len(new) for side in ("left", "right"))
    certain = np.maximum(GRID[first] - upto, below - GRID[last])
    largest = max(float(certain.max()), 0.0)
    size = n * len(new) / (n + len(new))
    return float(kolmogorov(math.sqrt(size) * largest))


def _chi_squared(before: np.ndarray, new: np.ndarray) -> float:
    """The p-value of two rows of counts being alike; columns that expect few rows are taken together."""
    table = np.vstack([before, new])
    table = table[:, table.sum(axis=0) > 0]
    total = table.sum()
    if table.shape[1] < 2 or (table.sum(axis=1) == 0).any():
        return math.nan
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    few = expected.min(axis=0) < FEW
    if few.any():
        together = table[:, few].sum(axis=1, keepdims=True)
        table = np.hstack([table[:, ~few], together])
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
        if table.shape[1] < 2 or expected.min() < 1:
            return math.nan
    statistic = float(((table - expected) ** 2 / expected).sum())
    return float(chdtrc(table.shape[1] - 1, statistic))


def _encoded(table: Table, columns: Mapping[str, ColumnProfile]) -> np.ndarray:
    """Rows as numbers: standard units with gaps as 0, a 0/1 column for each value that training showed."""
    parts = [np.zeros((len(table), 0))]
    for name, own in columns.items():
        data = table.data(name)
        if isinstance(table.schema[name], Categorical):
            parts.append((data[:, None] == np.flatnonzero(own.figures)[1:]).astype(float))
        else:
            low, middle, high = own.figures[[16, 50, 84]].tolist()
            unit = (high - low) / 2 or float(own.figures[-1] - own.figures[0]) or 1.0
            z = (data.astype(float) - middle) / unit
            parts.append(np.where(np.isfinite(z), z, 0.0)[:, None])
    return np.hstack(parts)


def _distances(z: np.ndarray, centre: np.ndarray, spread: np.ndarray) -> np.ndarray:
    away = z - centre
    return np.einsum("ij,ij->i", away, np.linalg.solve(spread, away.T).T)


def _predicted(model: Any, table: Table) -> dict[str, float]:
    """The share of each class, or label, among predictions, or their mean; nothing without a model."""
    if model is None or not hasattr(model, "predict"):
        return {}
    predictions = np.asarray(model.predict(table))
    if predictions.ndim > 1:
        return dict(zip(model.labels_.tolist(), predictions.mean(axis=0).tolist(), strict=True))
    if predictions.dtype.kind not in "fiu" or hasattr(model, "classes_"):
        labels, counts = np.unique(predictions.astype(str), return_counts=True)
        return dict(zip(labels.tolist(), (counts / len(predictions)).tolist(), strict=True))
    return {"mean": float(np.mean(predictions))}


def _shown(attribute: Attribute, number: float) -> str:
    return attribute.shown(number) if isinstance(attribute, Datetime) else figure(number, 4)


def _p(p: float) -> str:
    return "" if math.isnan(p) else shown_p(p)
