"""Screening: products in single precision find candidates, and a bound proves that none is missing.

    ½‖q - x‖² = ½‖q‖² - score,   score = q·x - ½‖x‖² = (q, 1)·(x, -½‖x‖²)

The rows are moved to their mean and scaled by a power of two, so that the longest point is R ≤ 1 long. With
u = 2⁻²⁴, rounding the rows to single precision moves ½‖q - x‖² by at most u(‖q‖ + R)², and a sum of d + 1
rounded products, in any order, is off by at most γ(‖q‖R + ½R²), γ = (d + 2)u/(1 - (d + 2)u). So each score
is right to

    error(q) = u(‖q‖ + R)² + γ(‖q‖R + ½R²) + uR²

and a hundredth more, in which the rounding of double precision is lost. If the worst of the k + spare best
scores lies more than 2 error(q) below the k-th, then no point outside of them is among the k nearest.

scores : float32 (m, kept), a heap per query with the smallest on top; rows : int64 (m, kept)
"""

from dataclasses import dataclass

import numpy as np

from openbook.kernels.bits import lowest, without_lowest
from openbook.kernels.jit import inner, jit

__all__ = ["SPARE", "Screen", "best_scores", "error_of_scores", "proven", "scale_of"]

#: Candidates beyond the k that are wanted: at first, and for queries of which they prove nothing.
SPARE = (2, 62)

#: Scores that are looked at together, as a word has bits: rarely is one of them better.
_STRIDE = 64

#: Points in a block, whole strides of them: with a block of queries, their product fits the second cache.
_POINTS = 256

_UNIT = 2.0**-24


@dataclass(frozen=True)
class Screen:
    """Points in single precision, ready for products.

    blocks : float32 (d + 1, _POINTS or fewer), points moved and scaled, a column each, and -½‖x‖² below
    mean, scale : by which they are moved, and divided
    longest : of the points, moved and scaled
    """

    blocks: tuple[np.ndarray, ...]
    mean: np.ndarray
    scale: float
    longest: float

    @classmethod
    def of(cls, points):
        mean = points.mean(axis=0, dtype=np.float64)
        parts = [points[start : start + _POINTS] for start in range(0, len(points), _POINTS)]
        longest = max(_length(part - mean).max() for part in parts)
        scale = scale_of(longest)
        blocks = []
        for part in parts:
            block = np.empty((len(mean) + 1, len(part)), np.float32)
            moved = (part - mean) / scale
            block[:-1] = moved.T
            block[-1] = _length(moved) ** 2 / -2
            blocks.append(block)
        return cls(tuple(blocks), mean, scale, longest / scale)

    def candidates(self, Q, k, spare):
        """Rows that may be the nearest, (m, k + spare), and for which queries the nearest are among them."""
        kept = min(k + spare, sum(block.shape[1] for block in self.blocks))
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite score proves nothing
            moved, single = self.moved(Q)
            scores, rows = best_scores(self.products(single), kept)
            return rows, proven(scores, k, self.error(moved))

    def inside(self, Q, total):
        """Queries, and rows whose total may be as small as this: all of which it is, and some more."""
        pairs = []
        with np.errstate(over="ignore", invalid="ignore"):
            moved, single = self.moved(Q)
            at_least = (_length(moved) ** 2 - total / self.scale**2) / 2 - self.error(moved)
            for first, scores in self.products(single):
                queries, rows = np.nonzero(~(scores < at_least[:, None]))
                pairs.append((queries, first + rows))
        return tuple(np.concatenate(part) for part in zip(*pairs, strict=True))

    def moved(self, Q):
        """Queries moved and scaled, and so in single precision, with a column of ones."""
        moved = (Q - self.mean) / self.scale
        single = np.ones((len(Q), Q.shape[1] + 1), np.float32)
        single[:, :-1] = moved
        return moved, single

    def error(self, moved):
        return error_of_scores(_length(moved), self.longest, moved.shape[1] + 1)

    def products(self, single):
        """Scores of the queries, block after block of points, in the same place."""
        place = np.empty(len(single) * _POINTS, np.float32)
        for i, block in enumerate(self.blocks):
            scores = place[: len(single) * block.shape[1]].reshape(len(single), block.shape[1])
            yield i * _POINTS, np.matmul(single, block, out=scores)


def best_scores(products, kept):
    """The best scores of each query, as a heap, and their rows; products are pairs: first row, scores."""
    scores = rows = None
    for first, block in products:
        if scores is None:
            scores, rows = _start(block, kept)
        _keep(block, first, scores, rows)
    return scores, rows


def _start(block, kept):
    """Heaps of empty places, just worse than the best of the first block: all will be replaced."""
    floor = np.full(block.shape[0], -np.inf, block.dtype)
    if block.shape[1] >= kept:
        floor = np.nextafter(np.partition(block[:, : _POINTS + kept], -kept, axis=1)[:, -kept], floor)
    return np.repeat(floor[:, None], kept, axis=1), np.full((len(floor), kept), -1)


def error_of_scores(lengths, longest, n_terms):
    """A bound on the error of scores: queries of these lengths, points up to `longest`, sums of n_terms."""
    gamma = (n_terms + 1) * _UNIT / np.maximum(1 - (n_terms + 1) * _UNIT, _UNIT)
    error = _UNIT * ((lengths + longest) ** 2 + longest**2) + gamma * longest * (lengths + longest / 2)
    return 1.01 * error + 1e-30


def scale_of(longest):
    """The power of two that brings the longest to at most 1."""
    return 2.0 ** np.ceil(np.log2(longest or 1.0))


def proven(scores, k, error):
    """For which queries no point outside of the heap can be among the k nearest."""
    kth = np.partition(scores, -k, axis=1)[:, -k].astype(np.float64)
    return scores[:, 0] < kth - 2 * error


def _length(rows):
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))


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


@jit
def _keep(block, first, scores, rows):
    """Offer a block of scores, (queries, points from `first` on), to the heaps of the queries."""
    n = block.shape[1]
    whole = n - n % _STRIDE
    for i in range(block.shape[0]):
        line, heap, heap_rows = block[i], scores[i], rows[i]
        worst = heap[0]
        for start in range(0, whole, _STRIDE):
            any_better = 0
            for j in range(_STRIDE):
                any_better |= line[start + j] > worst
            if any_better:
                better = np.uint64(0)
                for j in range(_STRIDE):
                    better |= np.uint64(line[start + j] > worst) << np.uint64(j)
                while better:
                    j = start + lowest(better)
                    better = without_lowest(better)
                    if line[j] > worst:
                        _sift(heap, heap_rows, line[j], first + j)
                        worst = heap[0]
        for j in range(whole, n):
            if line[j] > worst:
                _sift(heap, heap_rows, line[j], first + j)
                worst = heap[0]
