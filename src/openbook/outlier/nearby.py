r"""Base of the detectors by nearest neighbours: stored rows, the search, and shares of distances.

The k nearest rows are searched among the training rows. If one of these equals the query in every known cell,
to rounding, it counts as the query itself and is left out. So a training row gets the same score in training
and later, and is never its own neighbour. A missing cell goes by the rule of the distance, in
`spaces.space`: the largest possible distance in mixed distances, the mean of its column in the others. With
fewer than k other training rows, all of them count.

A distance is shared out among the columns in proportion to the terms of its sum:

    euclidean, mahalanobis   d · t_j / d²      gower, manhattan   t_j (of their mean or sum)
    heom                     d · δ_j² / d²     minkowski          d · |x_j - q_j|^p / d^p
    cosine, correlation      ½ (x̂_j - q̂_j)², of the rows at unit length
    chebyshev                all to the largest

and a distance of two whole rows, such as Jaccard's, is not shared out.
"""

import math
from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np

from openbook.border.budget import refuse_if_over
from openbook.damage import checked_floats, require
from openbook.errors import DataError
from openbook.outlier.detector import DETECTOR_MEANINGS, Detector
from openbook.spaces.derive import compared, metric_parts
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import DISTANCE_MEANINGS, Algorithm, Metric, MinkowskiPower, Space, refusal
from openbook.work import Grid, Step, Work

#: What tells a row that is the query itself from one next to it, as a share of the distances found.
_ROUNDING = 1e-12

#: Seconds that it takes to compare two cells, where every row is compared with every other.
_SECONDS = 2e-10

#: Neighbours whose distance is derived term by term.
_SHOWN = 3


class Nearby(Detector):
    """A detector by the nearest rows.

    Parameters
    ----------
    n_neighbors : int
        How many of the nearest rows count.
    metric, scale, p, algorithm : as for `openbook.neighbors.KNeighborsClassifier`
        The distance; "auto" is Euclidean for numbers, standardised, and Gower's for other columns.
    allow_large : bool
        Whether to run even if it would take more than an hour, or most of the memory.
    threshold, contamination, top : one at most
        Above which score a row is an outlier.
    """

    _: KW_ONLY
    metric: Metric = "auto"
    scale: bool = True
    p: MinkowskiPower = 2
    algorithm: Algorithm = "auto"
    allow_large: bool = False

    _meanings = {
        **DETECTOR_MEANINGS,
        **DISTANCE_MEANINGS,
        "n_neighbors": "The number of nearest rows that count.",
        "n_neighbors_": "The number of nearest rows that count: fewer where fewer were learnt from.",
    }
    weighs = False
    #: What the model file holds of each training row, by the attributes without _: numbers of 0 or more.
    figures: ClassVar[tuple[str, ...]] = ()

    def refusal(self, schema):
        return super().refusal(schema) or refusal(self.metric, schema)

    def _learn(self, rows):
        examples = StoredRows.gathered(rows)
        if len(examples) < 2:
            raise DataError(f"{type(self).__name__} needs at least two rows, got n_samples = {len(examples)}")
        self._keep(examples)
        n = len(examples)
        if self.space_.index.name == "brute":
            name, remedy = (
                f"{type(self).__name__} of {n:,} rows",
                "use a sample of the rows, or IsolationForest",
            )
            memory, seconds = (
                40.0 * n * self.n_neighbors_,
                _SECONDS * float(n) ** 2 * max(len(self.schema_), 1),
            )
            refuse_if_over(name, memory, seconds, remedy, allow=self.allow_large)
        self._score_training_rows()

    def _keep(self, examples):
        self.statistics_ = examples
        options = {"scale": self.scale, "p": self.p, "algorithm": self.algorithm}
        self.space_ = Space(examples, self.schema_, self.metric, **options, robust=True)
        self.effective_metric_ = self.space_.metric
        self.n_neighbors_ = min(self.n_neighbors, len(examples) - 1)

    def _score_training_rows(self):
        """Learn from the nearest rows of each training row, and score it."""
        distances, rows = self._nearest_among()
        self._learn_density(distances, rows)
        self.scores_ = self._score(distances, rows)

    def _learn_density(self, distances, rows):
        """Learn what `_score` needs of each training row."""

    def _score(self, distances, rows):
        """The score of rows by their nearest rows: distances and row numbers, both (n, k)."""
        raise NotImplementedError

    def _scores(self, X):
        return self._score(*self._nearest(self.space_.coordinates(X)))

    @property
    def encoding_(self):
        return self.space_.encoding

    @property
    def n_samples_fit_(self):
        """The number of rows learnt from."""
        return len(self.statistics_)

    @property
    def index_(self):
        """The index that finds the nearest: its `name`, and the `reason` for it."""
        return self.space_.index

    def kneighbors(self, X):
        """The distances and the rows of the k nearest, both (m, k), without the row itself.

        Parameters
        ----------
        X : rows

        Returns
        -------
        distances, rows : arrays of shape (m, k)
        """
        return self._nearest(self.space_.coordinates(self._encode(X)))

    def _nearest(self, points):
        """Distances and rows of the nearest, one that is the query itself left out."""
        return self._without_own(points, *self.space_.index.query(points, self.n_neighbors_ + 1))

    def _nearest_among(self):
        """`_nearest` of the training rows."""
        index = self.space_.index
        points = None if self.space_.mixed is None else (index.numbers, index.codes)
        return self._without_own(points, *index.among(self.n_neighbors_ + 1))

    def _without_own(self, points, distances, rows):
        own = self._own(points, distances[:, 0], distances[:, -1])[:, None]
        return np.where(own, distances[:, 1:], distances[:, :-1]), np.where(own, rows[:, 1:], rows[:, :-1])

    def _own(self, points, nearest, farthest):
        """Whether the nearest row is the query itself: it agrees with it in every cell that is known."""
        least = np.zeros(len(nearest))
        if self.space_.mixed is not None:
            numbers, codes = points
            least = self.space_.mixed.whole((~np.isfinite(numbers)).sum(axis=1) + (codes < 0).sum(axis=1))
        return nearest <= least + _ROUNDING * farthest

    def _around(self, X):
        """The neighbours of a one-row table, by hand: row, distance, and its derivation."""
        rows = self._nearest(self.space_.coordinates(X))[1][0].tolist()
        return [(row, *compared(self.space_, X, row)) for row in rows]

    def _shown(self, near, *more):
        """The derivation of distances: the first few term by term, and all in a grid with `more` columns."""
        works = [Work(f"{i + 1}. row {row}", parts) for i, (row, _, parts) in enumerate(near[:_SHOWN])]
        header = ("", "row", "distance", *(name for name, _ in more))
        lines = [(i + 1, row, d, *(values[i] for _, values in more)) for i, (row, d, _) in enumerate(near)]
        return (*works, Grid("nearest", header, lines))

    def _shared(self, X, rows, parts):
        """What each column accounts for, where the distance to each row counts `parts` times; and a rest."""
        there = self.space_.table.take(rows)
        shares = distance_shares(self.space_, X, there)
        if shares is None:
            distances = [compared(self.space_, X, row).distance for row in rows]
            whole = math.fsum(d * part for d, part in zip(distances, parts, strict=True))
            return [0.0] * len(self.schema_), (("the whole distance", whole),)
        return (np.asarray(parts) @ shares).tolist(), ()

    def _learnt(self):
        (distance, search), goes_by = metric_parts(self.space_)
        rows, k = Step("rows kept", result=len(self.statistics_)), Step("k", result=self.n_neighbors_)
        return (rows, k, distance, search, *goes_by)

    def _arrays(self):
        return {**self.statistics_.arrays(), **{name: getattr(self, f"{name}_") for name in self.figures}}

    def _restore(self, arrays):
        stored = {name: array for name, array in arrays.items() if name not in self.figures}
        examples = StoredRows.from_arrays(self.schema_, stored, 1)
        require(len(examples) >= 2, "it must contain at least two rows")
        figures = checked_floats(arrays, **dict.fromkeys(self.figures, (len(examples),)))
        require(np.array(figures) >= 0, "its stored distances must not be negative")
        for name, values in zip(self.figures, figures, strict=True):
            setattr(self, f"{name}_", values)
        self._keep(examples)


def distance_shares(space, X, there):
    """What each column accounts for of the distance from a one-row table to each row, (m, d).

    None for distances of two whole rows.
    """
    distance = space.metric
    if space.mixed is not None:
        mixed, names = space.mixed, space.mixed.schema.names
        terms = np.empty((len(there), len(names)))
        for j, name in enumerate(names):
            terms[:, j] = [mixed.term(j, X.data(name)[0], cell)[0] for cell in there.data(name)]
        return _in_proportion(terms**2, 2) if mixed.squared else terms / len(names)
    if space.encoding is None:
        return None
    if distance == "mahalanobis":
        off = space.encoding(there) - space.encoding(X)
        terms = off * (off @ space.coordinates.whitening @ space.coordinates.whitening.T)
        whole = _in_proportion(terms, 2)
    else:
        q, points = space.coordinates(X), space.coordinates(there)
        if distance in ("cosine", "correlation"):
            whole = (_unit(points) - _unit(q)) ** 2 / 2
        elif distance == "chebyshev":
            gaps = np.abs(points - q)
            whole = np.where(np.arange(gaps.shape[1]) == gaps.argmax(axis=1)[:, None], gaps, 0.0)
        else:
            power = {"euclidean": 2, "manhattan": 1}.get(distance, space.p)
            whole = _in_proportion(np.abs(points - q) ** power, power)
    shares = np.zeros((len(there), len(space.encoding.schema)))
    np.add.at(shares.T, space.encoding.columns, whole.T)
    return shares


def _in_proportion(terms, power):
    """The distance (Σ terms)^(1/power), shared out in proportion to its terms."""
    total = terms.sum(axis=1, keepdims=True)
    return terms * np.divide(total ** (1 / power), total, out=np.zeros_like(total), where=total > 0)


def _unit(points):
    lengths = np.sqrt((points**2).sum(axis=1, keepdims=True))
    return np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0)
