"""Screening: products in single precision find candidates, and a bound proves that none is missing.

    ½‖q - x‖² = ½‖q‖² - score,   score = q·x - ½‖x‖²

The rows are moved to their mean and scaled by a power of two, so that the longest point is R ≤ 1 long. With
u = 2⁻²⁴, rounding the rows to single precision moves ½‖q - x‖² by at most u(‖q‖ + R)². The d + 1 products of
a score are added up in sums of TERMS, in any order, and then the sums: no product is rounded in more than
m = TERMS + (d + 1) / TERMS additions, so the score is off by at most γ(‖q‖R + ½R²), γ = (m + 1)u/(1 - (m +
1)u). So each score is right to

    error(q) = u(‖q‖ + R)² + γ(‖q‖R + ½R²) + uR²

and a hundredth more, in which the rounding of double precision is lost. If the worst of the k + spare best
scores lies more than 2 error(q) below the k-th, then no point outside of them is among the k nearest.

A panel of points meets a few queries at a time: their scores never leave the first cache.

scores : float32 (m, kept), a heap per query with the smallest on top; rows : int64 (m, kept)
"""

from dataclasses import dataclass

import numpy as np

from openbook.kernels.bits import lowest, without_lowest
from openbook.kernels.jit import inner, jit
from openbook.kernels.product import PANEL, add_product, fill_panels, fours

#: Candidates beyond the k that are wanted: at first, and for queries of which they prove nothing.
SPARE = (2, 62)
#: Of few points with many columns, where to look again takes longer than a few more.
_SPARE_OF_FEW = 4

#: Scores that are compared together, one for each bit of a word: rarely is one of them better.
_STRIDE = 64

#: Longer queries, moved and scaled, may have scores that single precision has no number for.
_FAR = 2.0**100

#: Products that are added up at once: long sums are less exact than sums of short ones.
_TERMS = 256

_UNIT = 2.0**-24


@dataclass(frozen=True)
class Screen:
    """Points in single precision, ready for products.

    panels : float32 (n_panels, d up to a multiple of four, PANEL), a column for each point, moved and scaled
    halves : float32 (n_panels, PANEL), -½‖x‖²; minus infinity for what fills up the last panel
    mean, scale : by which they are moved, and divided
    longest : of the points, moved and scaled
    """

    panels: np.ndarray
    halves: np.ndarray
    n_points: int
    mean: np.ndarray
    scale: float
    longest: float

    @classmethod
    def of(cls, points):
        n, d = points.shape
        mean, lengths = spread_around_mean(points)
        scale = scale_of(lengths.max())
        panels = np.zeros((-(-n // PANEL), fours(d), PANEL), np.float32)
        halves = np.full((len(panels), PANEL), -np.inf, np.float32)
        halves.reshape(-1)[:n] = (lengths / scale) ** 2 / -2
        fill_panels(points, mean, scale, panels)
        return cls(panels, halves, n, mean, scale, lengths.max() / scale)

    def candidates(self, Q, k, spare):
        """Rows that may be the nearest, (m, k + spare), and for which queries the nearest are among them."""
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite score proves nothing
            single, lengths = self.moved(Q)
            scores, rows = self.best(single, len(Q), min(k + spare, self.n_points))
            return rows, proven(scores, k, self.error(lengths))

    def best(self, single, n_queries, kept):
        """The best scores of each query, as a heap, and their rows."""
        scores, rows = _free_heaps(n_queries, kept)
        _keep_best(self.panels, self.halves, single, scores, rows)
        return scores, rows

    def inside(self, Q, total):
        """Queries, and rows whose total may be as small as this: all of which it is, and some more."""
        with np.errstate(over="ignore", invalid="ignore"):
            single, lengths = self.moved(Q)
            at_least = (lengths**2 - total / self.scale**2) / 2 - self.error(lengths)
        capacity = 64 * len(Q)
        while True:
            queries, rows = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
            found = _keep_inside(self.panels, self.halves, single, at_least, queries, rows)
            if found <= capacity:
                return queries[:found], rows[:found]
            capacity = found

    def moved(self, Q):
        """Queries moved and scaled, in single precision, with zeros up to multiples of four; and how long
        they are.
        """
        n, d = Q.shape
        single, lengths = np.zeros((fours(n), fours(d)), np.float32), np.empty(n)
        _move(Q, self.mean, self.scale, single[:n, :d], lengths)
        return single, lengths

    def error(self, lengths):
        """The error of the scores of queries of these lengths."""
        return _error(lengths, self.longest, len(self.mean))


def candidates_of_few(points, Q, k):
    """The candidates of queries, as of `Screen`, where the points are fewer than their columns.

    There is room for all scores then, and the product of a matrix with itself takes half the time.
    """
    single, (mean, lengths) = np.empty(points.shape, np.float32), spread_around_mean(points)
    scale = scale_of(lengths.max())
    _move(points, mean, scale, single, lengths)
    longest = lengths.max()
    scores = np.tile((lengths**2 / -2).astype(np.float32), (len(Q), 1))
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite score proves nothing
        queries = single
        if Q is not points:
            queries, lengths = np.empty(Q.shape, np.float32), np.empty(len(Q))
            _move(Q, mean, scale, queries, lengths)
        for start in range(0, points.shape[1], _TERMS):
            terms = slice(start, start + _TERMS)
            scores += queries[:, terms] @ single[:, terms].T
        heaps, rows = best_scores(scores, min(k + _SPARE_OF_FEW, len(points)))
        return rows, proven(heaps, k, _error(lengths, longest, points.shape[1]))


def best_scores(block, kept):
    """The best of all scores of each query, (m, n), as a heap, and their rows."""
    scores, rows = _free_heaps(len(block), kept)
    _keep_best_of(block, scores, rows)
    return scores, rows


def _free_heaps(n_queries, kept):
    return np.full((n_queries, kept), -np.inf, np.float32), np.full((n_queries, kept), -1)


def _error(lengths, longest, d):
    """That of scores of d columns and -½‖x‖², whose products are added up in sums of TERMS."""
    return error_of_scores(lengths, longest, min(d + 1, _TERMS) + (d + 1) // _TERMS)


def error_of_scores(lengths, longest, n_terms):
    """A bound on the error of scores: queries of these lengths, points up to `longest`, n_terms additions."""
    gamma = (n_terms + 1) * _UNIT / np.maximum(1 - (n_terms + 1) * _UNIT, _UNIT)
    error = _UNIT * ((lengths + longest) ** 2 + longest**2) + gamma * longest * (lengths + longest / 2)
    return np.where(lengths < _FAR, 1.01 * error + 1e-30, np.inf)


def scale_of(longest):
    """The power of two that brings what is so long to at most 1."""
    return 2.0 ** np.ceil(np.log2(longest or 1.0))


def proven(scores, k, error):
    """For which queries no point outside of the heap can be among the k nearest."""
    kth = np.partition(scores, -k, axis=1)[:, -k].astype(np.float64)
    return scores[:, 0] < kth - 2 * error


def spread_around_mean(points):
    """The mean of the points, and the distance of each from it."""
    mean, lengths = points.mean(axis=0, dtype=np.float64), np.empty(len(points))
    _fill_lengths(points, mean, lengths)
    return mean, lengths


@jit
def _fill_lengths(rows, mean, lengths):
    """Fill in the distances of rows from the mean."""
    for i in range(rows.shape[0]):
        total = 0.0
        for j in range(rows.shape[1]):
            total += (rows[i, j] - mean[j]) * (rows[i, j] - mean[j])
        lengths[i] = np.sqrt(total)


@jit
def _move(rows, mean, scale, single, lengths):
    """Fill in rows moved and scaled, in single precision, and how long they are."""
    for i in range(rows.shape[0]):
        total = 0.0
        for j in range(rows.shape[1]):
            moved = (rows[i, j] - mean[j]) / scale
            single[i, j] = moved
            total += moved * moved
        lengths[i] = np.sqrt(total)


@inner
def _sift(scores, rows, score, row):
    """Put a candidate in the place of the top of a heap."""
    i, size = 0, scores.shape[0]
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and scores[child + 1] < scores[child]:
            child += 1
        if scores[child] >= score:
            break
        scores[i], rows[i] = scores[child], rows[child]
        i = child
    scores[i], rows[i] = score, row


@inner
def _offer_stride(stride, first, heap, heap_rows):
    """Offer a stride of a query's scores to its heap; its points are the rows from `first` on."""
    worst = heap[0]
    any_better = 0
    for j in range(_STRIDE):
        any_better |= stride[j] > worst
    if any_better:
        better = np.uint64(0)
        for j in range(_STRIDE):
            better |= np.uint64(stride[j] > worst) << np.uint64(j)
        while better:
            j = lowest(better)
            better = without_lowest(better)
            if stride[j] > worst:
                _sift(heap, heap_rows, stride[j], first + j)
                worst = heap[0]


@jit
def _keep_best_of(block, scores, rows):
    """Offer a block of scores, (queries, points), to the heaps of the queries."""
    n = block.shape[1]
    whole = n - n % _STRIDE
    for i in range(block.shape[0]):
        line, heap, heap_rows = block[i], scores[i], rows[i]
        for start in range(0, whole, _STRIDE):
            _offer_stride(line[start : start + _STRIDE], start, heap, heap_rows)
        for j in range(whole, n):
            if line[j] > heap[0]:
                _sift(heap, heap_rows, line[j], j)


@inner
def _score(panel, half, queries, scores, some):
    """The scores of the points of a panel for four queries; some : like scores, room for a sum of TERMS."""
    for i in range(4):
        for j in range(PANEL):
            scores[i, j] = half[j]
    add_product(queries[:, :_TERMS], panel[:_TERMS], scores)
    for term in range(_TERMS, panel.shape[0], _TERMS):
        for i in range(4):
            for j in range(PANEL):
                some[i, j] = 0.0
        add_product(queries[:, term : term + _TERMS], panel[term : term + _TERMS], some)
        for i in range(4):
            for j in range(PANEL):
                scores[i, j] += some[i, j]


@jit
def _keep_best(panels, halves, single, heaps, rows):
    """Offer the scores of all points to the heaps of the queries."""
    scores, some = np.empty((4, PANEL), np.float32), np.empty((4, PANEL), np.float32)
    for p in range(panels.shape[0]):
        for first in range(0, single.shape[0], 4):
            _score(panels[p], halves[p], single[first : first + 4], scores, some)
            for i in range(first, min(first + 4, heaps.shape[0])):
                for start in range(0, PANEL, _STRIDE):
                    stride = scores[i - first, start : start + _STRIDE]
                    _offer_stride(stride, p * PANEL + start, heaps[i], rows[i])


@jit
def _keep_inside(panels, halves, single, at_least, queries, rows):
    """Fill in the pairs whose score is not below what it must be, as far as there is room; says how many."""
    scores, some = np.empty((4, PANEL), np.float32), np.empty((4, PANEL), np.float32)
    found = 0
    for p in range(panels.shape[0]):
        half = halves[p]
        for first in range(0, single.shape[0], 4):
            _score(panels[p], half, single[first : first + 4], scores, some)
            for i in range(first, min(first + 4, at_least.shape[0])):
                for j in range(PANEL):
                    # what fills up a panel is no point; a score that is no number proves nothing
                    if not scores[i - first, j] < at_least[i] and half[j] > -np.inf:
                        if found < rows.shape[0]:
                            queries[found], rows[found] = i, p * PANEL + j
                        found += 1
    return found
