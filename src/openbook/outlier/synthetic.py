"""Synthetic outliers: without known outliers, they show which kinds a detector finds.

    global        anywhere: each number uniform over its range, wider by a tenth at both ends; other values
                  drawn evenly from those of the column
    cell          a row with one wrong cell: a number is moved by 5 standard deviations, up or down; another
                  value is exchanged
    dependency    each cell from a row of its own: every value is ordinary, their combination is not
    clustered     rows that are alike: all numbers of one row moved by 5 standard deviations, with noise of a
                  tenth of one

They are added to the rows, which count as ordinary. Some of those may be unusual themselves, so the true
precision is higher. Cells that are not changed come from a row drawn at random; so do missing cells.

Reference: Han, Hu, Huang, Jiang and Zhao (2022), ADBench: anomaly detection benchmark.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from openbook.data import Categorical, Numeric, Table, read
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.judge.scores.rates import Rate
from openbook.outlier.detector import Detector
from openbook.outlier.evaluation import OutlierEvaluation, evaluate_outliers
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

Rng = np.random.Generator

#: The margin beyond the range of numbers, in ranges.
_BEYOND = 0.1
#: The shift of cells, and the noise of rows that are alike, in standard deviations.
_FAR, _NOISE = 5.0, 0.1


@documented
def synthetic_outliers(
    X: Any, kind: str, share: float = 0.05, random_state: int = 0
) -> tuple[Table, np.ndarray]:
    """A table with outliers behind its rows, and which rows they are.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    X : rows
    kind : {"global", "cell", "dependency", "clustered"}
        What is unusual: the row, drawn anywhere; one cell; the combination of ordinary cells; a group of rows
        that are alike.
    share : float, default=0.05
        The share of outliers in the result.
    random_state : int, default=0

    Returns
    -------
    tuple of (Table, ndarray of bool)

    Examples
    --------
    >>> rows, odd = synthetic_outliers([[float(i), -float(i)] for i in range(95)], "dependency")
    >>> len(rows), int(odd.sum())
    (100, 5)
    """
    if kind not in _KINDS:
        raise ParameterError(f"no kind of outlier {kind!r}. {did_you_mean(kind, tuple(_KINDS))}")
    if not 0 < share < 1:
        raise ParameterError(f"share must lie between 0 and 1, got {share}")
    table = read(X)
    if len(table) < 2:
        raise DataError(f"outliers are made from rows, and there is {plural(len(table), 'row')}; give two")
    n = max(round(len(table) * share / (1 - share)), 1)
    made = _KINDS[kind](table, n, np.random.default_rng(random_state))
    columns = [np.concatenate([own, new]) for own, new in zip(table.columns, made, strict=True)]
    return Table(table.schema, columns), np.arange(len(table) + n) >= len(table)


@dataclass(frozen=True, repr=False, eq=False)
class SyntheticEvaluation(ShowsWork):
    """How well a detector finds each kind of synthetic outlier.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    detector : str
        The name of the detector.
    kinds : mapping of str to OutlierEvaluation
        The evaluation of each kind.

    Examples
    --------
    >>> from openbook.outlier import ZScore
    >>> found = evaluate_synthetic(ZScore(), [[float(i % 10)] for i in range(200)], share=0.01)
    >>> found.kinds["clustered"].recall.value
    1.0
    """

    detector: str
    kinds: Mapping[str, OutlierEvaluation]

    def work(self) -> Work:
        """The evaluation of each kind, as a table."""
        rows = [
            (kind, *map(_share, (one.recall, one.precision)), f"{one.roc.auc:.3f} {one.roc.interval()}")
            for kind, one in self.kinds.items()
        ]
        first = next(iter(self.kinds.values()))
        n, total = int(first.truth.sum()), len(first.truth)
        title = f"{self.detector}: {plural(n, 'synthetic outlier')} of each kind among {total:,} rows"
        note = (
            "global: anywhere in the range. cell: one wrong cell. dependency: ordinary cells, each from"
            " another row. clustered: a group far from the other rows."
        )
        missed = [kind for kind, one in self.kinds.items() if one.roc.interval().low <= 0.5]
        conclusion = "It tells all kinds from the rows of the table."
        if missed:
            conclusion = f"It is not shown to tell {' or '.join(missed)} outliers from the rows of the table."
        return Work(title, (Grid("", ("kind", "recall", "precision", "AUC"), rows, note),), conclusion)


@documented
def evaluate_synthetic(
    detector: Detector, X: Any, share: float = 0.05, random_state: int = 0
) -> SyntheticEvaluation:
    """Fit a detector to rows with synthetic outliers of each kind, and see how many it finds.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    detector : Detector
        A detector; copies of it are fitted.
    X : rows
    share : float, default=0.05
        The share of outliers among the rows.
    random_state : int, default=0

    Returns
    -------
    SyntheticEvaluation

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.outlier import LocalOutlierFactor
    >>> found = evaluate_synthetic(LocalOutlierFactor(), load("iris").drop("species"))
    >>> found.kinds["cell"].roc.auc > 0.95
    True
    """
    table = read(X)
    found = {}
    for kind in _KINDS:
        rows, truth = synthetic_outliers(table, kind, share, random_state)
        found[kind] = evaluate_outliers(clone(detector).fit(rows), rows, truth)
    return SyntheticEvaluation(type(detector).__name__, found)


def _share(rate: Rate) -> str:
    return "-" if np.isnan(rate.value) else f"{rate.value:.3f}"


# the kinds: the columns of n new rows


def _global(table: Table, n: int, rng: Rng) -> list[np.ndarray]:
    columns = _ordinary(table, n, rng)
    for j, (attribute, data) in enumerate(zip(table.schema, table.columns, strict=True)):
        if isinstance(attribute, Categorical) and (data >= 0).any():
            columns[j] = rng.choice(np.unique(data[data >= 0]), n).astype(data.dtype)
        elif isinstance(attribute, Numeric) and np.isfinite(data).any():
            low, high = np.nanmin(data), np.nanmax(data)
            margin = _BEYOND * (high - low)
            columns[j] = rng.uniform(low - margin, high + margin, n).astype(data.dtype)
    return columns


def _cell(table: Table, n: int, rng: Rng) -> list[np.ndarray]:
    columns = _ordinary(table, n, rng)
    spreads = [_spread(table, name) for name in table.names]
    which = rng.choice([j for j, spread in enumerate(spreads) if spread] or [-1], n)
    for j, (attribute, data, spread) in enumerate(zip(table.schema, table.columns, spreads, strict=True)):
        new, here = columns[j], np.flatnonzero(which == j)
        if isinstance(attribute, Categorical) and spread:
            values = len(attribute.values)
            new[here] = (new[here] + rng.integers(1, values, len(here))) % values
        elif spread:
            cells = np.where(np.isnan(new[here]), np.nanmean(data), new[here])
            new[here] = cells + _FAR * spread * rng.choice([-1.0, 1.0], len(here))
    return columns


def _dependency(table: Table, n: int, rng: Rng) -> list[np.ndarray]:
    return [data[rng.integers(0, len(table), n)] for data in table.columns]


def _clustered(table: Table, n: int, rng: Rng) -> list[np.ndarray]:
    row = rng.integers(0, len(table))
    columns = [np.repeat(data[[row]], n) for data in table.columns]
    for j, (attribute, data) in enumerate(zip(table.schema, table.columns, strict=True)):
        if isinstance(attribute, Numeric):
            shift = _FAR * rng.choice([-1.0, 1.0]) + _NOISE * rng.standard_normal(n)
            columns[j] = (columns[j] + _spread(table, attribute.name) * shift).astype(data.dtype)
    return columns


def _spread(table: Table, name: str) -> float:
    """The standard deviation of a numeric column, and the values that others have beside the first."""
    attribute, data = table.schema[name], table.data(name)
    if isinstance(attribute, Categorical):
        return len(attribute.values) - 1
    return float(np.nanstd(data)) if isinstance(attribute, Numeric) and np.isfinite(data).any() else 0.0


def _ordinary(table: Table, n: int, rng: Rng) -> list[np.ndarray]:
    """The columns of n rows drawn at random."""
    rows = rng.integers(0, len(table), n)
    return [data[rows] for data in table.columns]


_KINDS: dict[str, Callable[[Table, int, Rng], list[np.ndarray]]] = {
    "global": _global,
    "cell": _cell,
    "dependency": _dependency,
    "clustered": _clustered,
}
