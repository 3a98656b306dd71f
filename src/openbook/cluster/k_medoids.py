r"""k-medoids: the centre of a cluster is one of its rows, and every row belongs to the nearest.

    cost = Σ_i w_i min_m d(x_i, x_m)

for any distance: those of `neighbors` by name, Gower's by default, or a function of two rows. It needs
distances alone, so columns may be of any kind, and the centres are actual rows. Missing cells go by the rule
of the distance: the largest possible distance in mixed ones, the mean of the column in others.

Partitioning around medoids (`pam`) needs the distances of all pairs, 8 bytes each: it refuses a table that is
too large for that.

medoids_ : a table of the rows that are medoids; medoid_indices_ : intp (n_clusters,), their positions
"""

from typing import Annotated

import numpy as np

from openbook.border.budget import refuse_if_over
from openbook.border.not_taken import Declared
from openbook.border.rules import Whole
from openbook.cluster.clusterer import RowClusterer, were_found
from openbook.cluster.pam import MedoidMove, pam
from openbook.damage import checked_array, checked_floats, require
from openbook.data import Numeric
from openbook.spaces.rows import StoredRows
from openbook.spaces.space import Metric, MinkowskiPower, Space, refusal
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

#: Rows up to which `work` shows the distances, and columns of a row that it shows.
_SHOWN_ROWS = 12
_SHOWN_COLUMNS = 6
#: How long a pair of rows takes in a pass of `pam`, in seconds.
_SECONDS_PER_PAIR = 2e-9


class KMedoids(Declared, RowClusterer):
    """k-medoids, by partitioning around medoids.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    n_clusters : int, default=8
    metric : str or function, default='gower'
        Any distance of `KNeighborsClassifier`, by name, or a function of rows (…, d) and (…, d).
    scale : bool, default=True
    p : float, default=2
    max_iter : int, default=300
        The most swaps.
    allow_large : bool, default=False

    Attributes
    ----------
    space_ : Space
    labels_ : ndarray of shape (n_rows,)
    medoids_ : Table
        The rows that are medoids.
    medoid_indices_ : ndarray of shape (n_clusters,)
        Their positions among the training rows.
    cost_ : float
        The sum of distances to the nearest medoid.
    cost_trace_ : ndarray
        That sum at the start and after each move.
    n_iter_ : int
        The number of swaps.
    converged_ : bool
        Whether no other swap would have lowered the cost.

    Notes
    -----
    Nothing is random. New rows go to the nearest medoid, ties to the first. The rows are held in memory, also
    those of an `openbook.scan`, and stay in the model, since the scales of the distance depend on all of
    them.

    References
    ----------
    Kaufman and Rousseeuw (1990), Finding groups in data. Schubert and Rousseeuw (2019), Faster k-medoids
    clustering.

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.cluster import KMedoids
    >>> X, _ = load("loan").split("cheat")
    >>> model = KMedoids(2).fit(X)
    >>> model.medoid_indices_.tolist(), round(model.cost_, 4)
    ([9, 1], 2.2292)
    >>> model.assign([{"owner": "Yes", "status": "Married", "income": 100}]).tolist()
    [1]
    """

    n_clusters: int = 8
    metric: Metric = "gower"
    scale: bool = True
    p: MinkowskiPower = 2
    max_iter: Annotated[int, Whole()] = 300
    allow_large: bool = False

    def refusal(self, schema):
        return super().refusal(schema) or refusal(self.metric, schema)

    def _fit(self, rows):
        examples = StoredRows.gathered(rows)
        n, k = len(examples), self.n_clusters
        self._refuse_few(n)
        seconds = _SECONDS_PER_PAIR * n * n * (2 * k + 10)
        remedy = "fit a sample of the rows and assign the rest, or take KPrototypes"
        refuse_if_over(f"k-medoids of {n:,} rows", 8.0 * n * n, seconds, remedy, allow=self.allow_large)
        self._keep(examples)
        distances = self.space_.distances()
        medoids, self._moves = pam(distances, examples.weights, k, self.max_iter)
        self._take(medoids)
        self.labels_ = distances[medoids].argmin(axis=0).astype(np.intp)

    def _space(self, stored):
        # all pairs are wanted, so that no index is of use
        return Space(stored, self.schema_, self.metric, scale=self.scale, p=self.p, algorithm="brute")

    def _centres(self, names):
        numeric = set(names) <= set(self.medoids_.schema.of(Numeric))
        return np.array(self.medoids_.block(names), dtype=float) if numeric else None

    def _take(self, medoids):
        self.medoid_indices_ = medoids.astype(np.intp)
        self.medoids_ = self.space_.table.take(self.medoid_indices_)
        self._index = self.space_.over(self.medoids_)

    @property
    def cost_(self):
        return self._moves[-1].cost

    @property
    def cost_trace_(self):
        return np.array([move.cost for move in self._moves])

    @property
    def n_iter_(self):
        return len(self._moves) - len(self.medoid_indices_)

    @property
    def converged_(self):
        return self.n_iter_ < self.max_iter

    def _nearest_labels(self, X):
        return self._index.query(self.space_.coordinates(X), 1)[1][:, 0].astype(np.intp)

    def _work(self):
        cost = Step("cost", r"\sum_i \min_m d(x_i, x_m)", note=f"d: {self.space_.named}")
        parts: list[Step | Grid] = [cost]
        if self.space_.mixed is not None:
            parts.append(self.space_.mixed.learnt())
        if len(self._row_weights) <= _SHOWN_ROWS:
            table = self.space_.distances().tolist()
            header = ("row", *map(str, range(len(table))))
            parts.append(Grid("distances", header, [(i, *row) for i, row in enumerate(table)]))
        rows = []
        for i, (out, into, cost_then) in enumerate(self._moves, start=1):
            move = ("build", f"row {into}") if out < 0 else ("swap", f"row {into} for row {out}")
            rows.append((i, *move, cost_then))
        parts += [Grid("moves", ("move", "", "medoid", "cost"), rows), self._medoid_grid()]
        ending = "no swap lowers the cost" if self.converged_ else "it stopped swapping"
        title = f"k-medoids: how {were_found(len(self.medoid_indices_))}"
        return Work(title, tuple(parts), f"After {len(rows)} moves {ending}: {figure(self.cost_)}.")

    def _medoid_grid(self):
        names = self.schema_.names[:_SHOWN_COLUMNS]
        medoids = enumerate(self.medoid_indices_.tolist())
        rows = [(c, i, *(self.medoids_.row(c)[name] for name in names)) for c, i in medoids]
        return Grid("medoids", ("cluster", "row", *names), rows)

    def _work_row(self, X):
        (distances,), (order,) = self._index.query(self.space_.coordinates(X), len(self.medoid_indices_))
        medoids = self.medoid_indices_[order].tolist()
        rows = list(zip(order.tolist(), medoids, distances.tolist(), strict=True))
        grid = Grid("distances", ("cluster", "medoid: row", "distance"), rows, "The nearest first.")
        conclusion = f"The medoid of cluster {rows[0][0]} is the nearest."
        return Work("k-medoids: which cluster", (grid,), conclusion)

    def _arrays(self):
        moves = np.array([(out, into) for out, into, _ in self._moves], dtype=np.int64)
        own = {"medoids": self.medoid_indices_, "moves": moves, "costs": self.cost_trace_}
        return super()._arrays() | own | {"labels": self.labels_}

    def _restore(self, arrays):
        super()._restore(arrays)
        n, k, m = len(self._row_weights), self.n_clusters, len(arrays["costs"])
        (costs,) = checked_floats(arrays, costs=(m,))
        medoids = _numbers(arrays, "medoids", (k,), 0, n)
        moves = _numbers(arrays, "moves", (m, 2), -1, n)
        self.labels_ = _numbers(arrays, "labels", (n,), 0, k)
        require(len(set(medoids.tolist())) == k <= m, "its medoids and moves do not match its rows")
        self._take(medoids)
        self._moves = list(map(MedoidMove, *moves.T.tolist(), costs.tolist()))


def _numbers(arrays, name, shape, least, end):
    """Numbers of rows or clusters in a model file, from the least to before the end."""
    numbers = checked_array(arrays, name, np.int64, shape)
    require((numbers >= least) & (numbers < end), "its medoids and moves do not match its rows")
    return numbers
