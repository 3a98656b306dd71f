r"""The number of clusters: five criteria, what most of them choose, and how certain that is.

    elbow        the k whose SSE lies farthest below the line from the first k to the last
    silhouette   the k of the largest mean silhouette (k of 2 and more)
    gap          the smallest k with gap(k) >= gap(k+1) - s(k+1),   gap(k) = mean ln SSE* - ln SSE,
                 SSE* of tables without groups: numbers uniform in the box along their principal axes,
                 other columns shuffled; s the standard deviation of ln SSE* times sqrt(1 + 1/B)
    BIC          the k of the largest Σ_c n_c ln(n_c/n) - nd/2 ln(2π e SSE/(nd)) - (kd + k)/2 ln n: round
                 groups of equal width, of d encoded numbers
    stability    the k whose groups come back best: two random halves are clustered, all rows assigned by
                 both, and the answers compared by adjusted Rand; the mean over ten such pairs

SSE is that of `openbook.cluster.quality`. Gap and BIC may answer 1: no clusters. The recommendation is the
most frequent answer; ties: the smaller. Large tables are evaluated on a random sample, and texts by the
directions of their words (`openbook.border.directions`). Tibshirani, Walther and Hastie (2001), gap
statistic; Pelleg and Moore (2000), x-means, for BIC.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from openbook.border.directions import in_directions
from openbook.border.rows import Rows, refuse_infinity
from openbook.cluster.contingency import contingency
from openbook.cluster.quality import cluster_quality, row_errors
from openbook.data import Column, Nominal, Numeric, Table, read
from openbook.data.findings.repeats import row_hashes
from openbook.draw import Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import DataError, ParameterError
from openbook.fold import each
from openbook.prepare import Encoding
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

CRITERIA = ("elbow", "silhouette", "gap", "BIC", "stability")

#: Rows that judge, tables without groups, pairs of halves.
_MOST_ROWS, _REFERENCES, _HALVES = 2_000, 10, 10


@dataclass(frozen=True, repr=False, eq=False)
class ChosenK(ShowsWork):
    """The number of clusters by five criteria: the value of each criterion for each k.

    Guide: docs/guide/choosing_k.md

    Parameters
    ----------
    ks : tuple
        The numbers of clusters that were tried.
    figures : mapping
        Of each criterion to its figure for each k, NaN if it has none.
    gap_errors : array
        The standard error s of the gap statistic for each k.
    votes : mapping
        Of each criterion to the k it is for; criteria that have none are left out.
    rows : int
        How many rows judged.
    why_not : mapping
        Of a criterion without a vote to the reason.

    Examples
    --------
    >>> points = [[float(i % 3) * 10 + 0.1 * i] for i in range(30)]
    >>> choose_k(points, range(1, 6)).ks
    (1, 2, 3, 4, 5)
    """

    ks: tuple[int, ...]
    figures: dict[str, np.ndarray]
    gap_errors: np.ndarray
    votes: dict[str, int]
    rows: int
    why_not: dict[str, str]

    @property
    def k(self) -> int:
        """The recommended k: that of most votes, the smaller in a tie."""
        counts = Counter(self.votes.values())
        return min(counts, key=lambda k: (-counts[k], k))

    @property
    def doubt(self) -> str:
        """The agreement of the criteria, in words."""
        agreeing = [name for name, k in self.votes.items() if k == self.k]
        others = [f"{name} {k}" for name, k in self.votes.items() if k != self.k]
        none = ", that is, no clusters" if self.k == 1 else ""
        words = f"{len(agreeing)} of {len(self.votes)} criteria suggest {self.k}{none}"
        if others:
            words += f"; {', '.join(others)}"
        if self.k > 1 and 1 in self.votes.values():
            words += "; there may be no clusters at all"
        if len(agreeing) * 2 <= len(self.votes):
            words += ". No majority: the data do not determine the number of clusters"
        return f"{words}."

    def work(self) -> Work:
        """The figures of every k, the votes, and the advice.

        Returns
        -------
        Work
        """
        columns = [map(_cell, figures.tolist()) for figures in self.figures.values()]
        rows = list(zip(self.ks, *columns, strict=True))
        header = ("k", *("SSE" if name == "elbow" else name for name in self.figures))
        notes = [f"{plural(self.rows, 'row')} judged.", *(f"{n}: {why}." for n, why in self.why_not.items())]
        votes = Grid("votes", ("criterion", "k"), list(self.votes.items()))
        grids = Grid("", header, rows, " ".join(notes)), votes
        return Work("How many clusters?", grids, f"k = {self.k}: {self.doubt}")

    def draw(self) -> Picture:
        """Every criterion over k, from its worst to its best; a dot marks the k it is for."""
        plot = Plot(Numbers("k", np.array(self.ks, float)), Numbers.between("worst to best", 0, 1))
        for i, (name, k) in enumerate(self.votes.items()):
            figures = self.figures[name] * (-1 if name == "elbow" else 1)
            known = np.isfinite(figures)
            low, high = figures[known].min(), figures[known].max()
            level = (figures[known] - low) / (high - low or 1.0)
            x = np.array(self.ks)[known]
            plot.line(x, level, f"c{i}", f"{name}: {k}")
            plot.dots(x[x == k], level[x == k], f"dot c{i}", [f"{name}: {k}"])
        return plot.picture(f"How many clusters? {self.k}", (self.doubt,))


@documented
def choose_k(X: Any, ks: Sequence[int] | None = None, model: Any = None, random_state: int = 0) -> ChosenK:
    """Try several numbers of clusters.

    Guide: docs/guide/choosing_k.md

    Parameters
    ----------
    X : rows
    ks : sequence of int or None, default=None
        The numbers of clusters to try: at least three whole numbers in a row, from 1 or 2 on; None tries
        1 to 10.
    model : clusterer or None, default=None
        A clusterer with a parameter `n_clusters`; None takes k-means, and k-prototypes for mixed columns.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    ChosenK

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> points = np.concatenate([rng.normal(centre, 0.3, (40, 2)) for centre in ([0, 0], [4, 0], [0, 4])])
    >>> chosen = choose_k(points, range(1, 7))
    >>> chosen.k, chosen.doubt
    (3, '5 of 5 criteria suggest 3.')
    """
    table = read(X)
    tried = tuple(sorted(set(range(1, 11) if ks is None else ks)))
    if len(tried) < 3 or tried[0] < 1 or tried != tuple(range(tried[0], tried[-1] + 1)):
        raise ParameterError(f"ks must be three or more whole numbers in a row, from 1 on, got {list(tried)}")
    rng = np.random.default_rng(random_state)
    if len(table) > _MOST_ROWS:
        table = table.take(np.sort(rng.choice(len(table), _MOST_ROWS, replace=False)))
    if len(table) < 2 * tried[-1]:
        raise DataError(f"{len(table)} rows are too few for {tried[-1]} clusters; try fewer: ks=range(1, …)")
    table = in_directions(table)
    refuse_infinity(table)
    model = _usual(table) if model is None else model
    references = [_without_groups(table, rng) for _ in range(_REFERENCES)]
    halves = [rng.permutation(len(table)) for _ in range(_HALVES)]
    step = partial(_judged, model, table, references, halves, random_state)
    found = list(each(list(tried), step))
    figures = {name: np.array([one[name] for one in found]) for name in CRITERIA}
    errors = np.array([one["s"] for one in found])
    found_by = {name: _vote(name, tried, figures[name], errors) for name in CRITERIA}
    votes = {name: k for name, (k, _) in found_by.items() if k is not None}
    why_not = {name: reason for name, (k, reason) in found_by.items() if k is None}
    figures = {name: figures[name] for name in votes}
    return ChosenK(tried, figures, errors, votes, len(table), why_not)


def _usual(table: Table) -> Any:
    from openbook.cluster.k_means import KMeans
    from openbook.cluster.k_prototypes import KPrototypes

    nominal = any(isinstance(a, Nominal) for a in table.schema)
    return KPrototypes(n_init=3) if nominal else KMeans(n_init=3)


def _labels(model: Any, k: int, table: Table, seed: int) -> Any:
    """The clusterer with k clusters, fitted."""
    fresh = clone(model).set_params(n_clusters=k)
    if "random_state" in fresh.get_params(deep=False):
        fresh.set_params(random_state=seed)
    return fresh.fit(table)


def _judged(
    model: Any, table: Table, references: list[Table], halves: list[np.ndarray], seed: int, k: int
) -> dict[str, float]:
    """The figures of one k; where there are fewer different rows, each is a cluster, and nothing is left."""
    if k > len(np.unique(row_hashes(table))):
        return dict.fromkeys((*CRITERIA, "s"), math.nan) | {"elbow": 0.0}
    labels, sse = _grouped(model, k, table, seed)
    sses = [_grouped(model, k, one, seed)[1] for one in references]
    by_chance = np.log(np.maximum(sses, 1e-300))
    found = {
        "elbow": sse,
        "silhouette": math.nan,
        "gap": float(by_chance.mean()) - math.log(sse) if sse > 0 else math.nan,
        "s": float(by_chance.std() * math.sqrt(1 + 1 / len(references))),
        "BIC": _bic(table, labels, sse),
        "stability": math.nan,
    }
    if k > 1:
        if len(np.unique(labels)) > 1:
            found["silhouette"] = cluster_quality(table, labels).silhouette
        found["stability"] = float(np.mean([_agreement(model, k, table, order, seed) for order in halves]))
    return found


def _grouped(model: Any, k: int, table: Table, seed: int) -> tuple[np.ndarray, float]:
    """The clusters of the rows, and their SSE."""
    labels = _labels(model, k, table, seed).labels_ if k > 1 else np.zeros(len(table), np.intp)
    return labels, float(row_errors(table, labels).sum())


def _bic(table: Table, labels: np.ndarray, sse: float) -> float:
    """Larger is better; NaN if there are categories, which have no width, or nothing is left over."""
    if any(isinstance(a, Nominal) for a in table.schema) or sse <= 0:
        return math.nan
    n = len(table)
    d = len(Encoding.of(Rows.in_memory(table, labels)))
    sizes = np.bincount(labels)
    sizes, k = sizes[sizes > 0], int((sizes > 0).sum())
    fit = float(sizes @ np.log(sizes / n)) - n * d / 2 * math.log(2 * math.pi * math.e * sse / (n * d))
    return fit - (k * d + k) / 2 * math.log(n)


def _agreement(model: Any, k: int, table: Table, order: np.ndarray, seed: int) -> float:
    """How alike the answers of two halves are, over all rows; 0 if neither tells any apart."""
    middle = len(order) // 2
    halves = (table.take(np.sort(half)) for half in (order[:middle], order[middle:]))
    first, second = (_labels(model, k, half, seed).predict(table) for half in halves)
    index = contingency(first, second.astype(str)).adjusted_rand
    return 0.0 if math.isnan(index) else index


def _without_groups(table: Table, rng: np.random.Generator) -> Table:
    """Rows of the same columns with nothing in common; gaps stay where they are."""
    numbers = table.schema.of(Numeric)
    drawn = dict(zip(numbers, _uniform(table, numbers, rng), strict=True))
    columns = [drawn[name] if name in drawn else _shuffled(table.column(name), rng) for name in table.names]
    return Table(table.schema, columns)


def _uniform(table: Table, numbers: Sequence[str], rng: np.random.Generator) -> list[np.ndarray]:
    """Numbers uniform in the box that the rows span along the principal axes of the standardised columns."""
    if not numbers:
        return []
    given = np.array(table.block(list(numbers)), dtype=float)
    gaps = np.isnan(given)
    mean = np.nansum(given, axis=0) / np.maximum((~gaps).sum(axis=0), 1)
    filled = np.where(gaps, mean, given)
    spread = filled.std(axis=0)
    spread[spread == 0] = 1.0
    axes = np.linalg.svd((filled - mean) / spread, full_matrices=False)[2]
    along = (filled - mean) / spread @ axes.T
    drawn = rng.uniform(along.min(axis=0), along.max(axis=0), along.shape) @ axes * spread + mean
    return list(np.where(gaps, np.nan, drawn).T.copy())


def _shuffled(column: Column, rng: np.random.Generator) -> np.ndarray:
    known = ~column.missing
    data = column.data.copy()
    data[known] = rng.permutation(data[known])
    return data


def _vote(name: str, ks: tuple[int, ...], figures: np.ndarray, errors: np.ndarray) -> tuple[int | None, str]:
    """The k that a criterion is for, or why it is for none."""
    known = np.isfinite(figures)
    if name == "gap":
        for i in range(len(ks) - 1):
            if figures[i] >= figures[i + 1] - errors[i + 1]:
                return ks[i], ""
        return None, f"still rising at {ks[-1]}, so more clusters should be tried"
    if not known.any():
        return None, "not defined for categories" if name == "BIC" else "undefined"
    if name == "elbow":
        line_down = np.interp(ks, (ks[0], ks[-1]), (figures[0], figures[-1]))
        below = line_down - figures
        return (ks[int(below.argmax())], "") if below.max() > 0 else (None, "the SSE has no bend")
    return ks[int(np.nanargmax(figures))], ""


def _cell(value: float) -> float | None:
    return None if math.isnan(value) else float(f"{round(value, 12):.5g}")
