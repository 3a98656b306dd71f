"""Inverted lists: for each column, the rows that have something in it.

    score = Σ_j q_j x_j - ½‖x‖²,   over the columns that the query has something in

Only the lists of those columns are read, so that a query costs as much as it has in common with the points.
The scores are sums in single precision; the candidates that they leave are measured exactly (`screen`),
column after column, so that the distances are those of the dense rows, bit for bit.

points : CSR (n, d); lists : CSC of single precision, points divided by a power of two
"""

import numpy as np
from scipy import sparse

from openbook.spaces.index import Index, nearest_of_pairs

#: Scores that are held at a time.
_SCORES = 1 << 20


class Inverted(Index):
    """Lists of rows, a column each."""

    name = "inverted"
    metrics = ("euclidean", "cosine")

    def _build(self):
        from openbook.spaces.inverted_kernels import Sparse
        from openbook.spaces.screen import scale_of

        self.points = sparse.csr_array(self.points)
        lengths = _lengths(self.points)
        self._scale = scale_of(lengths.max())
        self._longest = lengths.max() / self._scale
        self._penalty = ((lengths / self._scale) ** 2 / -2).astype(np.float32)
        self._lists = Sparse.of((self.points / self._scale).tocsc(), np.float32)
        self._rows = Sparse.of(self.points, np.float64)

    def _nearest(self, Q, k):
        from openbook.spaces.screen import SPARE, best_scores, proven

        pairs = []
        kept = min(k + SPARE[0], self.n_points)
        for first, scores, error, _ in self._scored(Q):
            best, rows = best_scores(scores, kept)
            sure = proven(best, k, error)
            pairs.append((first + np.repeat(np.flatnonzero(sure), kept), rows[sure].ravel()))
            if not sure.all():
                kth = np.partition(best[~sure], -k, axis=1)[:, -k].astype(np.float64)
                unsure, rows = np.nonzero(~(scores[~sure] < (kth - 2 * error[~sure])[:, None]))
                pairs.append((first + np.flatnonzero(~sure)[unsure], rows))
        queries, rows = (np.concatenate(part) for part in zip(*pairs, strict=True))
        return nearest_of_pairs(queries, self._measured(Q, queries, rows), rows, Q.shape[0], k)

    def _around(self, Q, radius):
        pairs = []
        total = 2 * radius if self.metric.angular else radius**2
        for first, scores, error, lengths in self._scored(Q):
            at_least = (lengths**2 - total / self._scale**2) / 2 - error
            queries, rows = np.nonzero(~(scores < at_least[:, None]))
            pairs.append((first + queries, rows))
        queries, rows = (np.concatenate(part) for part in zip(*pairs, strict=True))
        distances = self._measured(Q, queries, rows)
        inside = distances <= radius
        return queries[inside], distances[inside], rows[inside]

    def _scored(self, Q):
        """Part by part: the first query, the scores of all points, their error, and the queries' lengths."""
        from openbook.spaces.inverted_kernels import Sparse, add_list_scores
        from openbook.spaces.screen import error_of_scores

        step = max(_SCORES // self.n_points, 1)
        for first in range(0, max(Q.shape[0], 1), step):
            part = Q[first : first + step]
            lengths = _lengths(part) / self._scale
            scores = np.tile(self._penalty, (part.shape[0], 1))
            with np.errstate(over="ignore", invalid="ignore"):  # an infinite score proves nothing
                single = Sparse.of(part / self._scale, np.float32)
                error = error_of_scores(lengths, self._longest, np.diff(part.indptr) + 1)
            add_list_scores(single, self._lists, scores)
            yield first, scores, error, lengths

    def _measured(self, Q, queries, rows):
        from openbook.spaces.inverted_kernels import Sparse, measure_sparse_pairs

        distances = np.empty(len(rows))
        measure_sparse_pairs(self._rows, Sparse.of(Q, np.float64), queries, rows, self.measure, distances)
        return distances


def _lengths(rows):
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.sqrt(np.bincount(row_of, rows.data.astype(np.float64) ** 2, minlength=rows.shape[0]))
