r"""Distance to the k-th nearest neighbour: rows far from the others are outliers.

    score = d_k

See `nearby` for the search, missing cells, and how the distance is shared out.
"""

from openbook.outlier.detector import Account
from openbook.outlier.nearby import Nearby
from openbook.work import Step


class NeighbourDistance(Nearby):
    """Neighbour distance: the distance to the k-th nearest row.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    n_neighbors : int, default=5
        Which of the nearest counts: with 1, two outliers side by side hide each other.
    metric : str or function, default='auto'
    scale : bool, default=True
    p : float, default=2
    algorithm : str, default='auto'
    allow_large : bool, default=False
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" is 0.1.
    top : int or None, default=None

    Attributes
    ----------
    effective_metric_ : str or function
    n_neighbors_ : int
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    scores_ : ndarray of shape (n_rows,)
    index_ : Index
    threshold_ : float

    References
    ----------
    Ramaswamy, Rastogi and Shim (2000), Efficient algorithms for mining outliers from large data sets.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> model = NeighbourDistance(n_neighbors=2, scale=False, top=1).fit(X)
    >>> model.oddness([[5.0], [0.1]]).round(3).tolist()
    [4.8, 0.1]
    """

    n_neighbors: int = 5

    def _score(self, distances, rows):  # noqa: ARG002 (distances suffice)
        return distances[:, -1].copy()

    def _account(self, X):
        near = self._around(X)
        row, score, _ = near[-1]
        shares, rest = self._shared(X, [row], [1.0])
        step = Step("score", r"d_k", "", score, f"k = {self.n_neighbors_}: row {row}")
        meaning = "Shares of the distance to the k-th nearest row; they sum to the score."
        return Account(score, shares, self._shown(near), (step,), meaning, rest)
