r"""k-prototypes: k-means for the numbers of a row and k-modes for its categories, at once.

    cost = Σ_i w_i (Σ_j (x_ij - c_ij)² + γ Σ_j [v_ij ≠ m_ij])

over the numeric and ordinal columns as encoded by `prepare.Encoding`, and the nominal columns as they are. A
missing number counts as the mean of its column, and an indicator column marks it if training had missing
cells there; a missing or unseen category differs from every mode. Ties and empty clusters are as in k-means.

γ is the weight of a difference in a category, relative to a squared difference of one standard deviation.
Huang takes half a standard deviation of the numbers, which is ½ once they are standardised.
"""

from dataclasses import KW_ONLY
from typing import Annotated

from openbook.border.rules import Number
from openbook.cluster.prototype_clusterer import PrototypeClusterer, assignment_costs, final_cost
from openbook.data import Column, Nominal


class KPrototypes(PrototypeClusterer):
    """k-prototypes, for mixed columns.

    Guide: docs/guide/clusters.md

    Parameters
    ----------
    n_clusters : int, default=8
    gamma : float, default=0.5
        The weight of a difference in a nominal column.
    init : str or rows, default='k-means++'
        How the first prototypes are chosen: "k-means++", "random", or a row for each cluster, in the
        units of the columns.
    n_init : int or "auto", default='auto'
        The number of starts; the result with the lowest cost is kept. "auto" is 10 for "random", else 1.
    max_iter : int, default=300
        The most iterations of a start.
    tol : float, default=0.0001
        A start also ends once an iteration lowers the cost by less than this share of it.
    tol_changes : float, default=0.0
    scale : bool, default=True
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
    means_ : ndarray of shape (n_clusters, n_encoded)
        The means of the encoded columns, in the units of the columns.
    modes_ : dict of str to list
        For each nominal column, the most frequent value of each cluster.
    encoding_ : Encoding
        How the other columns became numbers.
    weights_ : ndarray of shape (n_clusters,)
        The weight of the rows of each cluster.
    cost_ : float
        The sum above.
    cost_trace_ : ndarray of shape (n_iter_,)
        The sum of each iteration's assignment, before the prototypes move.
    n_iter_ : int
        The number of iterations.
    converged_ : bool
        Whether the assignments repeated.

    Notes
    -----
    New rows go to the nearest prototype. An `openbook.scan` will do; `partial_fit` moves each prototype to
    the mean and the mode of all rows it was ever given.

    References
    ----------
    Huang (1998), Extensions to the k-means algorithm for clustering large data sets with categorical values.

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.cluster import KPrototypes
    >>> X, _ = load("loan").split("cheat")
    >>> model = KPrototypes(2, init=X.take([0, 4])).fit(X)
    >>> model.labels_.tolist()
    [0, 1, 1, 0, 1, 1, 0, 1, 1, 1]
    >>> model.modes_["status"], model.means_.round(1).tolist()
    (['Divorced', 'Married'], [[155.0], [82.1]])
    """

    gamma: Annotated[float, Number(at_least=0)] = 0.5
    _: KW_ONLY
    scale: bool = True

    method, cost = "k-prototypes", "cost"

    def _nominal(self, schema):
        return schema.of(Nominal)

    @property
    def means_(self):
        return self.prototypes_.means * self.encoding_.scale + self.encoding_.shift

    @property
    def modes_(self):
        nominal = zip(self.space_.nominal, self.prototypes_.modes.T, strict=True)
        return {a.name: Column(a, codes).tolist() for a, codes in nominal}

    cost_, cost_trace_ = final_cost, assignment_costs
