r"""Spaces: the coordinates of the rows of a table, and their distances.

    gower, heom                    typed columns as they are: see `mixed`
    euclidean, manhattan,          encoded columns (`prepare.Encoding`), numbers standardised by default; a
    minkowski, chebyshev           missing cell counts as the mean of its column
    mahalanobis                    Euclidean along directions that are uncorrelated and of variance 1
    cosine, correlation            encoded, but never standardised: the direction from 0 is what counts
    hamming, simple_matching,      typed columns as they are: see `matching`
    jaccard
    kl_divergence, a function      numbers as they are, NaN where missing, by the rule of the measure
    of (…, d), (…, d)
    precomputed                    the cells of a row are its distances to the training rows, in order

Sparse rows are taken as they are. "auto" is Euclidean for numbers, Gower for other columns, and cosine for
sparse rows. The limits of "minkowski" are "chebyshev" for p = ∞ and "hamming" for p → 0.
"""

import math
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from openbook import measures
from openbook.border.rules import NamedOr, Number, OneOf
from openbook.data import Nominal, Numeric, SparseTable
from openbook.errors import DataError, ParameterError, RefusalError
from openbook.prepare import Encoding
from openbook.spaces.index import nearest_of
from openbook.spaces.matching import HadItems, cells_as_numbers
from openbook.spaces.mixed import MixedDistance, MixedIndex, inside_fences, surely_inside, within_blocks

MIXED = ("gower", "heom")
DIRECTIONS = ("cosine", "correlation")
VECTORS = ("euclidean", "manhattan", "minkowski", "chebyshev", "mahalanobis", *DIRECTIONS)
FUNCTIONS = {
    "hamming": measures.hamming,
    "simple_matching": measures.simple_matching,
    "jaccard": measures.jaccard,
    "kl_divergence": measures.kl_divergence,
}
DISTANCES = ("auto", *MIXED, *VECTORS, *FUNCTIONS)
#: Distances that are given in place of columns; for learners that only ask for the nearest.
PRECOMPUTED = "precomputed"
#: Those whose rows kernels see in tiles (`Space.points`).
TILED = ("auto", "euclidean", *MIXED)

ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree", "inverted", "lsh")

#: The parameters by which every learner that compares rows says how: `metric`, `algorithm` and `p`.
Metric = Annotated[Any, NamedOr("a function of rows (…, d) and (…, d)", DISTANCES)]
Algorithm = Annotated[str, OneOf(*ALGORITHMS)]
MinkowskiPower = Annotated[float, Number(at_least=0, unlimited=True)]

#: What these parameters mean, and what is known of them after fitting.
DISTANCE_MEANINGS = {
    "metric": 'The distance between rows. "auto" is Euclidean for numbers, Gower\'s for other columns, and'
    ' cosine for sparse rows. Of typed columns: "gower", "heom". Of encoded columns: "euclidean",'
    ' "manhattan", "minkowski", "chebyshev", "mahalanobis", "cosine", "correlation". Of cells that are equal'
    ' or not: "hamming", "simple_matching", "jaccard". Of numbers: "kl_divergence", or a function of rows'
    " (…, d) and (…, d).",
    "algorithm": 'How the nearest rows are found: "brute", "kd_tree", "ball_tree", "inverted" (sparse rows)'
    ' or "lsh" (approximate); "auto" chooses. Typed columns are always compared with every row.',
    "scale": "Whether numeric columns are brought to mean 0 and standard deviation 1 first, for distances of"
    " encoded columns; cosine and correlation take them as they are.",
    "p": "The power of the metric \"minkowski\": 1 or more, math.inf for Chebyshev's or 0 for Hamming's.",
    "effective_metric_": 'The metric that was used: what "auto" chose.',
    "index_": "The index that finds the nearest rows; its `name` and `reason` say which it is, and why.",
    "space_": "The rows learnt from, and the distances between them (`openbook.spaces`).",
    "statistics_": "The rows learnt from, with their targets and weights.",
    "n_samples_fit_": "The number of rows learnt from.",
}

#: The most distances that are computed at a time.
_AT_A_TIME = 1 << 22
#: The most cells of columns whose fences are found together: they stay in the cache.
_CELLS_AT_A_TIME = 1 << 17

#: What Minkowski's distance comes to.
_LIMITS = {0: "hamming", math.inf: "chebyshev"}

#: What an index measures, where it is not the distance itself: after `turned`, it is this.
_MEASURED = {"mahalanobis": "euclidean", "correlation": "cosine"}


def resolved(distance, schema, *, sparse, p=2):
    """The distance that "auto" stands for, or a limit of Minkowski's."""
    if distance == "minkowski":
        if 0 < p < 1:
            msg = f"p must be 0 or at least 1, got {p!r}: in between the triangle inequality fails"
            raise ParameterError(msg)
        return _LIMITS.get(p, distance)
    if distance != "auto":
        return distance
    if sparse:
        return "cosine"
    pooled = {a for a in schema if isinstance(a, Nominal) and a.values == (a.rest,)}  # of one value
    return "euclidean" if all(isinstance(a, Numeric) or a in pooled for a in schema) else "gower"


def refusal(distance, schema):
    """Why the distance cannot be taken between rows of this schema, or None."""
    of_numbers = callable(distance) or distance in ("kl_divergence", PRECOMPUTED)
    if of_numbers and schema.of(Numeric) != schema.names:
        odd = next(a for a in schema if not isinstance(a, Numeric))
        if distance == PRECOMPUTED:
            return f"takes a matrix of distances, and column {odd.name!r} is {odd.kind}"
        name = distance if isinstance(distance, str) else "a custom distance"
        column = f"the {odd.kind} column {odd.name!r}"
        return f"cannot use {column}: {name} compares numbers; 'gower' takes any kind"
    return None


class Space:
    """The rows that a learner keeps, and their distances to each other and to new rows.

    Parameters
    ----------
    stored : StoredRows
    schema : Schema
    metric : str or function
        One of `DISTANCES`, or a function of rows (…, d) and (…, d).
    scale : bool
        Whether numbers are standardised, for distances of encoded columns.
    p : float
        The power of "minkowski".
    algorithm : str
        The index that finds the nearest.
    robust : bool
        Whether cells far outside are kept from setting the scale of their column (`mixed`).

    Attributes
    ----------
    metric : what "auto" stands for
    table : the rows
    coordinates : from a table to points, as the index takes them
    mixed : the MixedDistance, where it is one
    """

    def __init__(self, stored, schema, metric="auto", *, scale=True, p=2, algorithm="auto", robust=False):
        self.table = table = stored.table(schema)
        sparse = isinstance(table, SparseTable)
        self.metric = metric = resolved(metric, schema, sparse=sparse, p=p)
        self.p, self.algorithm = p, algorithm
        self.mixed = self.function = None
        if sparse and metric in (*MIXED, "mahalanobis", "correlation"):
            raise RefusalError(f"{metric} cannot use sparse rows; pass X.toarray(), or take 'cosine'")
        if metric in MIXED:
            self.mixed = MixedDistance.of(table, metric, robust=robust)
            self.coordinates = self.mixed.coordinates
        elif metric == PRECOMPUTED:
            if len(table) != len(schema):
                raise DataError(
                    "metric='precomputed' takes the distances between all training rows, as many columns as"
                    f" rows; got {len(schema)} columns and {len(table)} rows"
                )
            self.coordinates = _given_distances
        elif callable(metric) or metric in FUNCTIONS:
            self.function = FUNCTIONS[metric] if isinstance(metric, str) else metric
            self.coordinates = _numbers
            if schema.of(Numeric) != schema.names:
                self.coordinates = HadItems(schema) if metric == "jaccard" else cells_as_numbers
        elif sparse:
            if not np.isfinite(table.sparse.data).all():
                raise DataError("sparse rows hold NaN or infinity; put numbers there, or pass X.toarray()")
            self.coordinates = _sparse_rows
        else:
            self.coordinates = _Encoded.of(metric, stored.rows(schema), scale, robust=robust)

    @cached_property
    def index(self):
        """That of the rows, which finds the nearest; its `name` and `reason` say which, and why."""
        return self.over(self.table)

    def over(self, table):
        """An index of that kind over any table, in the same space."""
        if self.mixed is not None:
            return MixedIndex(self.mixed, table)
        if self.metric == PRECOMPUTED:
            return GivenIndex(self.coordinates(table), None)
        if self.function is not None:
            return FunctionIndex(self.coordinates(table), self.function)
        from openbook.spaces.choose_index import make_index

        p = self.p if self.metric == "minkowski" else 2
        return make_index(self.coordinates(table), _MEASURED.get(self.metric, self.metric), self.algorithm, p)

    @property
    def encoding(self):
        return getattr(self.coordinates, "encoding", None)

    @property
    def named(self):
        """The metric in words."""
        return self.metric if isinstance(self.metric, str) else "a custom distance"

    def distances(self):
        """All pairs of rows, (n, n); a row is at 0 from itself, whatever it lacks."""
        n = len(self.table)
        found, step = np.empty((n, n)), max(_AT_A_TIME // max(n, 1), 1)
        for start in range(0, n, step):
            span = slice(start, start + step)
            found[span] = self.index.distances(self.coordinates(self.table.take(span)))
        np.fill_diagonal(found, 0.0)
        return found

    def cells(self, table):
        """Rows as numbers, (n, p), and codes, (n, q), for kernels: Euclidean and mixed distances only."""
        if self.mixed is not None:
            return self.coordinates(table)
        return self.coordinates(table), np.zeros((len(table), 0), np.int32)

    def points(self, numbers, codes):
        """Such cells in tiles."""
        if self.mixed is not None:
            return self.mixed.points(numbers, codes)
        from openbook.spaces.points import EUCLIDEAN, Points

        return Points.of(numbers, codes, np.zeros((4, numbers.shape[1])), EUCLIDEAN)

    def same_rows(self, table):
        """The first row kept that equals each row in every cell, gaps included; -1 where it has no gaps.

        Only in mixed distances is such a row not the nearest of all.
        """
        same = np.full(len(table), -1)
        if self.mixed is not None:
            kept: dict[bytes, int] = {}
            for row, key in _with_gaps(*self.coordinates(self.table)):
                kept.setdefault(key, row)
            for row, key in _with_gaps(*self.coordinates(table)) if kept else ():
                same[row] = kept.get(key, -1)
        return same


def _with_gaps(numbers, codes):
    """The rows that lack a cell, and their cells as bytes."""
    numbers = np.where(np.isnan(numbers), np.nan, numbers + 0.0)  # one pattern of bits for NaN and for 0
    for row in np.flatnonzero(np.isnan(numbers).any(axis=1) | (codes < 0).any(axis=1)).tolist():
        yield row, numbers[row].tobytes() + codes[row].tobytes()


class _Encoded:
    """Encoded columns, turned where the distance asks for it."""

    def __init__(self, distance, encoding, whitening=None):
        self.distance = distance
        self.encoding = encoding
        self.whitening = whitening

    @classmethod
    def of(cls, distance, rows, scale, *, robust=False):
        # a value without a column of its own keeps one-hot columns from summing to one, always the same
        whiten = distance == "mahalanobis"
        plain = whiten or distance in DIRECTIONS
        encoding = Encoding.of(rows, scale=scale and not plain, reference=whiten)
        if robust and scale and not plain:
            encoding = _robust(encoding, rows)
        return cls(distance, encoding, _whitening(encoding, rows) if whiten else None)

    def __call__(self, table):
        points = self.encoding(table)
        if self.whitening is not None:
            return points @ self.whitening
        return points - points.mean(axis=1, keepdims=True) if self.distance == "correlation" else points


def _robust(encoding, rows):
    """The encoding whose numbers are standardised by the cells within the fences of their columns."""
    table = rows.whole
    mean, shift, scale = encoding.mean.copy(), encoding.shift.copy(), encoding.scale.copy()
    names = encoding.schema.of(Numeric)
    places = np.searchsorted(encoding.columns, encoding.schema.positions(names))
    together = max(_CELLS_AT_A_TIME // max(len(table), 1), 1)
    for start in range(0, len(names), together):
        some = slice(start, start + together)
        cells, own = table.block(names[some]).astype(float, copy=False), places[some]
        unsure = ~surely_inside(cells, mean[own], scale[own])
        cells, own = cells[:, unsure], own[unsure]
        finite = np.isfinite(cells)
        whole = finite.all(axis=0)
        parts = [(own[whole], cells if whole.all() else cells[:, whole])]
        parts += [(own[[j]], cells[finite[:, j], j, None]) for j in np.flatnonzero(~whole)]
        for at, known in parts:
            middle, spread = _moments_inside(known)
            varies = spread > 0
            mean[at[varies]] = shift[at[varies]] = middle[varies]
            scale[at[varies]] = spread[varies]
    return replace(encoding, mean=mean, shift=shift, scale=scale)


def _moments_inside(known):
    """The mean and the standard deviation of the cells within the fences of each column."""
    inside = inside_fences(known)
    if len(known) and inside.all():
        return known.mean(axis=0), known.std(axis=0)
    count = np.maximum(inside.sum(axis=0), 1)
    mean = np.where(inside, known, 0.0).sum(axis=0) / count
    off = np.where(inside, known - mean, 0.0)
    return mean, np.sqrt((off * off).sum(axis=0) / count)


def _sparse_rows(table):
    """Sparse rows as they are; others as sparse ones."""
    return table.sparse if isinstance(table, SparseTable) else sp.csr_array(_numbers(table))


def _numbers(table):
    """The numbers of a table as they are, (n, d)."""
    return np.ascontiguousarray(table.block(table.names), dtype=float)


def _given_distances(table):
    """Rows of precomputed distances, (n, n_training)."""
    far = _numbers(table)
    if (odd := ~(far >= 0)).any():
        row, column = np.argwhere(odd)[0].tolist()
        raise DataError(
            "distances must not be negative or missing, got"
            f" {far[row, column]:g} in row {row}, column {table.names[column]!r}"
        )
    return far


def _whitening(encoding, rows):
    """A (d, d) matrix by which points become uncorrelated, of variance 1 (N - 1 in the denominator)."""
    tables, weights = list(rows.tables()), np.concatenate([piece.w for piece in rows.pieces])
    points = np.concatenate([encoding(table) for table in tables])
    total = weights.sum()
    centred = points - weights @ points / total
    covariance = (centred * weights[:, None]).T @ centred / max(total - 1, 1)
    try:
        root = np.linalg.cholesky(covariance)
        if np.linalg.cond(root) < 1e7:
            return np.linalg.inv(root).T
    except np.linalg.LinAlgError:
        pass
    raise DataError(
        "mahalanobis needs columns that vary and are not linear combinations of others;"
        " leave such columns out, or use 'euclidean'"
    )


class FunctionIndex:
    """Any function of two rows, between all pairs; a distance that is not known is the farthest."""

    name = "brute"
    reason = "a custom distance must be computed for every pair"
    order = None

    def __init__(self, points, function):
        self.points = points
        self.function = function

    def query(self, Q, k):
        """Distances and rows of the k nearest, both (m, k), by distance; ties: the first row."""
        distances, rows = np.empty((len(Q), k)), np.empty((len(Q), k), np.int64)
        step = max(_AT_A_TIME // len(self.points), 1)
        for start in range(0, len(Q), step):
            span = slice(start, start + step)
            distances[span], rows[span] = nearest_of(self.distances(Q[span]), k)
        return distances, rows

    def among(self, k, rows=slice(None)):
        """`query` of the rows themselves, all or some of them."""
        return self.query(self.points[rows], k)

    def within(self, Q, radius):
        """The rows within the radius of each query, in order: where each query's begin, rows, distances."""
        return within_blocks(lambda block: self.distances(block[0]), (Q,), len(self.points), radius)

    def distances(self, Q):
        """Every query to every row, (m, n)."""
        return np.nan_to_num(measures.pairwise(self.function, Q, self.points), nan=np.inf, posinf=np.inf)


class GivenIndex(FunctionIndex):
    """Distances that are given: those of a query to every row are its cells."""

    reason = "the distances are given"

    def distances(self, Q):
        return Q
