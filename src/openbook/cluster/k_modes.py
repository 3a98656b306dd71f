r"""k-modes: every row belongs to the nearest mode, and every mode is that of its rows.

    cost = Σ_i w_i Σ_j [x_ij ≠ m_ij]        assign, move, assign, … until the assignments repeat

over the nominal and ordinal columns as they are: two values are equal or they are not. A missing cell or an
unseen value differs from every mode; modes are those of the known cells. Ties between modes, and between
equally frequent values, go to the first; an empty cluster takes the row that is farthest from its mode, with
a warning.

modes_ : a table of a row for each cluster
"""

from openbook.cluster.prototype_clusterer import PrototypeClusterer, assignment_costs, final_cost
from openbook.data import Nominal, Ordinal, Table


class KModes(PrototypeClusterer):
    """k-modes, for categories.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    n_clusters : int, default=8
    init : str or rows, default='k-means++'
        How the first modes are chosen: "k-means++", rows drawn by how much they differ from the modes so
        far, "random", any rows, or a row for each cluster.
    n_init : int or "auto", default='auto'
        How often it starts anew; the run of the lowest cost stays. "auto" is 10 for "random", else 1.
    max_iter : int, default=300
        The most iterations of a run.
    tol : float, default=0.0001
        A run also ends once an iteration lowers the cost by less than this share of it.
    tol_changes : float, default=0.0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    space_ : PrototypeSpace
        How rows are compared with prototypes.
    prototypes_ : Prototypes
        The means and modes of the clusters, as arrays.
    history_ : FitHistory
        The course of the fit, which `work` shows.
    labels_ : ndarray of shape (n_rows,)
    modes_ : Table
        The mode of each cluster.
    weights_ : ndarray of shape (n_clusters,)
        The weight of the rows of each cluster.
    cost_ : float
        How many cells differ from the mode of their cluster, by weight.
    cost_trace_ : ndarray of shape (n_iter_,)
        The cost of each iteration's assignment, before the modes move.
    n_iter_ : int
        The number of iterations.
    converged_ : bool
        Whether the assignments repeated.

    Notes
    -----
    New rows go to the nearest mode. Numbers are refused: `KPrototypes` takes both. An `openbook.scan` will
    do; `partial_fit` moves each mode to that of all rows it was ever given.

    References
    ----------
    Huang (1998), Extensions to the k-means algorithm for clustering large data sets with categorical values.

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.cluster import KModes
    >>> X, _ = load("weather").split("play")
    >>> model = KModes(2, init=X.take([0, 6])).fit(X)
    >>> model.labels_.tolist(), model.cost_trace_.tolist()
    ([0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0], [22.0, 22.0])
    >>> model.modes_.row(1)
    {'outlook': 'overcast', 'temperature': 'cool', 'humidity': 'normal', 'windy': 'true'}
    """

    _accepts = (Nominal, Ordinal)
    method, cost, scale = "k-modes", "cost", False

    def refusal(self, schema):
        if (reason := super().refusal(schema)) is None:
            return None
        odd = next(a for a in schema if not isinstance(a, self._accepts))
        return f"{reason}; KPrototypes takes numbers too" if odd.kind == "numeric" else reason

    def _nominal(self, schema):
        return schema.names

    @property
    def modes_(self):
        return Table(self.schema_, list(self.prototypes_.modes.T))

    cost_, cost_trace_ = final_cost, assignment_costs
